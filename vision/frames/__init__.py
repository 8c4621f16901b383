"""What is done for every picture, ten times a second: hands, motion, and the tilt of a plateau."""
