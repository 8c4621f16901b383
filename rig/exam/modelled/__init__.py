"""Whole games without drawing and without physics: rules-level players, and what the senses would have said of what they do.

It measures the referee's logic, never the eyes: what the eyes, the scale and the hands' pictures say is drawn from small models that were
fitted on real looks and weights of the twin (`likelihoods.py`). The referee, the fold and the messages are the real ones.
"""
