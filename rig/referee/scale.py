"""What the scale says of each hypothesis: masses told by differences, never by absolutes.

Settled weight before and after decides what came or went; the weight in the hand (a lift or a set-down during the action) tells the shape
of a column that went from floor to floor, and whether anything did. A missing weight says nothing. Every likelihood is a normal with a
broad floor, so that no single reading can overrule clear sight.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import combinations

from rig.messages import Added, Fallen, Hypothesis, Moved, MovedTwo, PlateauLaid, Removed, Stacked, StepKind, Stepped, Toppled
from rig.profile import Profile
from rig.referee.tunables import TUNED, Tunables

LEAST_DENSITY = 1e-9
"""Added to every density, per gram: no reading is impossible (by design)."""


def _normal(x: float, sigma: float) -> float:
    return math.exp(-0.5 * (x / sigma) ** 2) / (sigma * math.sqrt(2 * math.pi))


def _mixture(off_g: float, sigma_g: float, wrong: float, tuned: Tunables) -> float:
    """Log density of being `off_g` off: a normal, or with probability `wrong` anything within the broad width."""
    return math.log((1 - wrong) * _normal(off_g, sigma_g) + wrong * _normal(off_g, tuned.broad_g) + LEAST_DENSITY)


def expected_change_g(hypothesis: Hypothesis, profile: Profile) -> float | None:
    """Grams the settled weight should change by; None where nothing is expected in particular."""
    match hypothesis:
        case Added(column=column):
            return profile.columns[column.shape].mass_g
        case MovedTwo() | Stacked():
            return 0.0
        case Removed(column=column):
            return -profile.columns[column.shape].mass_g
        case PlateauLaid(plateau=plateau):
            return profile.plateaus[plateau].mass_g
        case Moved():
            return 0.0
        case _:
            return None


def settled_log_likelihood(hypothesis: Hypothesis, change_g: float | None, profile: Profile, tuned: Tunables = TUNED) -> float:
    """Log likelihood of the settled change of weight under this hypothesis, relative to "nothing changed"."""
    if change_g is None:
        return 0.0
    nothing = _mixture(change_g, tuned.settled_sigma_g, tuned.settled_wrong, tuned)
    if isinstance(hypothesis, Fallen):
        # parts lie beside the plate or on it: anything from nothing to most of the tower
        return math.log(0.5 * math.exp(nothing) + 0.5 * _normal(change_g, tuned.rubble_g) + LEAST_DENSITY) - nothing
    if isinstance(hypothesis, Toppled):
        # each that fell lies on the plate, or beside it
        masses_g = [profile.columns[column.shape].mass_g for column in hypothesis.columns]
        beside = [sum(some) for number in range(len(masses_g) + 1) for some in combinations(masses_g, number)]
        likelihood = sum(
            math.exp(_mixture(change_g + gone_g, tuned.settled_sigma_g, tuned.settled_wrong, tuned)) for gone_g in beside
        ) / len(beside)
        return math.log(likelihood + LEAST_DENSITY) - nothing
    expected_g = expected_change_g(hypothesis, profile)
    if expected_g is None:
        return 0.0
    return _mixture(change_g - expected_g, tuned.settled_sigma_g, tuned.settled_wrong, tuned) - nothing


def hand_log_likelihood(hypothesis: Hypothesis, steps: Sequence[Stepped], profile: Profile, tuned: Tunables = TUNED) -> float:
    """Log likelihood of the lifts and set-downs during the action if this column was carried, relative to a broad guess."""
    if not isinstance(hypothesis, (Moved, Stacked, Added)):
        return 0.0
    mass_g = profile.columns[hypothesis.column.shape].mass_g
    best = 0.0
    seen = [abs(step.delta_g) for step in steps if step.kind in (StepKind.LIFTED, StepKind.SET_DOWN) and abs(step.delta_g) < tuned.broad_g]
    if not seen:
        return 0.0
    best = max(_mixture(carried_g - mass_g, tuned.carried_sigma_g, tuned.carried_wrong, tuned) for carried_g in seen)
    return best - math.log(tuned.carried_wrong * _normal(0.0, tuned.broad_g) + LEAST_DENSITY)


def place_of_change(
    before_g: float,
    before_mm: tuple[float, float] | None,
    after_g: float,
    after_mm: tuple[float, float] | None,
    tuned: Tunables = TUNED,
) -> tuple[float, float] | None:
    """Where the added mass lies (mm), from the change of the moment; None where that is not known."""
    change_g = after_g - before_g
    if after_mm is None or abs(change_g) < tuned.placed_g or (before_mm is None and before_g > tuned.placed_g):
        return None
    x0, y0 = before_mm if before_mm is not None else (0.0, 0.0)
    return (
        (after_g * after_mm[0] - before_g * x0) / change_g,
        (after_g * after_mm[1] - before_g * y0) / change_g,
    )
