"""Constants of reading that more than one file needs, with unit, meaning and source."""

from __future__ import annotations

PLACE_TEMPER = 0.05
"""Nats per nat of the pictures' sum when places, turns and tilts are said to be known so well. Lower says that they are known less well.
Set by hand on tuning seeds; `rig.bench.bench_reading towers` prints errors over these sigmas."""
