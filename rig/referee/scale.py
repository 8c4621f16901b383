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

SIGMA_G = 0.7
"""Spread of a settled difference: 0.32 g rms in simulated hands plus creep. Larger: thin and hexagonal blur."""

FLOOR = 0.02
"""Probability that the scale is plainly wrong (a sleeve on it, a bumped table), which caps what it can say at about 4 in log odds."""

HAND_FLOOR = 0.25
"""The same for the weight in the hand: hands press and tremble."""

BROAD_G = 60.0
"""Width of the "plainly wrong" alternative."""


def _normal(x: float, sigma: float) -> float:
    return math.exp(-0.5 * (x / sigma) ** 2) / (sigma * math.sqrt(2 * math.pi))


def _mixture(off_g: float, sigma_g: float, floor: float) -> float:
    return math.log((1 - floor) * _normal(off_g, sigma_g) + floor * _normal(off_g, BROAD_G) + 1e-9)


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


def settled_log_likelihood(hypothesis: Hypothesis, change_g: float | None, profile: Profile) -> float:
    """Log likelihood of the settled change of weight under this hypothesis, relative to "nothing changed"."""
    if change_g is None:
        return 0.0
    nothing = _mixture(change_g, SIGMA_G, FLOOR)
    if isinstance(hypothesis, Fallen):
        # parts lie beside the plate or on it: anything from nothing to most of the tower
        return math.log(0.5 * math.exp(nothing) + 0.5 * _normal(change_g, 250.0) + 1e-9) - nothing
    if isinstance(hypothesis, Toppled):
        # each that fell lies on the plate, or beside it
        masses_g = [profile.columns[column.shape].mass_g for column in hypothesis.columns]
        beside = [sum(some) for number in range(len(masses_g) + 1) for some in combinations(masses_g, number)]
        likelihood = sum(math.exp(_mixture(change_g + gone_g, SIGMA_G, FLOOR)) for gone_g in beside) / len(beside)
        return math.log(likelihood + 1e-9) - nothing
    expected_g = expected_change_g(hypothesis, profile)
    if expected_g is None:
        return 0.0
    return _mixture(change_g - expected_g, SIGMA_G, FLOOR) - nothing


def hand_log_likelihood(hypothesis: Hypothesis, steps: Sequence[Stepped], profile: Profile) -> float:
    """Log likelihood of the lifts and set-downs during the action if this column was carried, relative to a broad guess."""
    if not isinstance(hypothesis, (Moved, Stacked, Added)):
        return 0.0
    mass_g = profile.columns[hypothesis.column.shape].mass_g
    best = 0.0
    seen = [abs(step.delta_g) for step in steps if step.kind in (StepKind.LIFTED, StepKind.SET_DOWN) and abs(step.delta_g) < BROAD_G]
    if not seen:
        return 0.0
    best = max(_mixture(carried_g - mass_g, 1.0, HAND_FLOOR) for carried_g in seen)
    return best - math.log(HAND_FLOOR * _normal(0.0, BROAD_G) + 1e-9)


def place_of_change(
    before_g: float, before_mm: tuple[float, float] | None, after_g: float, after_mm: tuple[float, float] | None
) -> tuple[float, float] | None:
    """Where the added mass lies (mm), from the change of the moment; None where that is not known."""
    change_g = after_g - before_g
    if after_mm is None or abs(change_g) < 5.0 or (before_mm is None and before_g > 5.0):
        return None
    x0, y0 = before_mm if before_mm is not None else (0.0, 0.0)
    return (
        (after_g * after_mm[0] - before_g * x0) / change_g,
        (after_g * after_mm[1] - before_g * y0) / change_g,
    )
