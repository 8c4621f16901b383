"""The engine against the naive telling of everything people do, right or wrong: a share of the million events that the bench runs."""

from __future__ import annotations

import random

from rig.bench.against_oracle import play_both


def test_right_or_wrong_every_event_leads_where_the_naive_telling_says() -> None:
    """C7, B13, E7, C2, A3, T3: turn, score, seal, locks, places, end, and whether a rule was broken."""
    assert sum(play_both(80, random.Random(seed).choice) for seed in range(150)) > 2_000
