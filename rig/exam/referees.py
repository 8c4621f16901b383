"""Which referee is examined: the usual one, or one that carries a single course of the game, as the baseline beside it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from rig.profile import Profile
from rig.referee.referee import Referee
from rig.referee.tunables import TUNED

Make = Callable[[Profile], Referee]


def referee(greedy: bool) -> Make:
    """How the referee is made. `greedy`: every action is decided by itself and for good (a beam of one course)."""
    if not greedy:
        return Referee
    one = replace(TUNED, beam=1)
    return lambda profile: Referee(profile, one)
