"""Holds what the referee said to what was true in the twin, and counts."""
