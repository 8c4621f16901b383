"""Which referee is examined: the usual one, or one that carries a single course of the game, as the baseline beside it."""

from __future__ import annotations

import importlib
from collections.abc import Callable
from dataclasses import replace

from rig.errors import PalettiError
from rig.profile import Profile
from rig.referee.referee import Referee

Make = Callable[[Profile], Referee]


def referee(greedy: bool) -> Make:
    """How the referee is made. `greedy`: every action is decided by itself and for good (a beam of one course). PalettiError where the
    referee knows no other way."""
    if not greedy:
        return Referee
    try:
        tuned = importlib.import_module("rig.referee.tunables").TUNED
        one = replace(tuned, beam=1)
    except (ImportError, AttributeError, TypeError) as error:
        raise PalettiError("This referee always decides greedily: it carries no more than one course.", "Leave out --greedy.") from error
    return lambda profile: Referee(profile, one)
