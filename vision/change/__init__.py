"""What happened between two settled pictures: evidence by pixel, searches for new places, hypotheses scored and judged."""
