"""Where two columns of one colour really stand if each was put together from one camera's view of the one and another's of the other.

Two cameras see two columns of one colour as two strips each, and four places explain the strips: the two true ones and their two crossings.
Both columns at the crossings are fully explained by every camera, so no single column ever moves away from there. They must be taken up
together, with whatever has been set down in between, and held against the pictures at the other two places.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations, permutations

import numpy as np

from rig.messages import Standing
from vision.arrays import Floats

OTHER_PLACE_MM = 12.0
"""Crossings nearer than this to where the columns stand are no other places. Set by hand on tuning seeds; not
measured on a spread of rooms."""

LEAST_SINE = 0.2
"""Sine of the angle between two lines of sight below which their crossing is not known well enough. Set by hand on tuning seeds; not
measured on a spread of rooms."""


def crossings(eyes_mm: Sequence[Floats], a: Standing, b: Standing) -> list[tuple[Floats, Floats]]:
    """For every pair of cameras the two places (2,) at which the line of sight of one to `a` meets that of the other to `b`.

    `eyes_mm`: where each camera stands (at least x and y). Pairs of places that are no others than where the columns stand are left out.
    """
    here = np.array(((a.x_mm, a.y_mm), (b.x_mm, b.y_mm)))
    found = []
    for one, other in combinations((np.asarray(eye)[:2] for eye in eyes_mm), 2):
        first, second = _meet(one, here[0], other, here[1]), _meet(one, here[1], other, here[0])
        if first is None or second is None:
            continue
        apart = min(float(np.linalg.norm(place - stands)) for place in (first, second) for stands in here)
        if apart >= OTHER_PLACE_MM:
            found.append((first, second))
    return found


def _meet(eye: Floats, through: Floats, other_eye: Floats, other_through: Floats) -> Floats | None:
    """Where two lines of sight meet in plan (2,); None if they run nearly alike."""
    along, across = through - eye, other_through - other_eye
    along, across = along / np.linalg.norm(along), across / np.linalg.norm(across)
    sine = along[0] * across[1] - along[1] * across[0]
    if abs(sine) < LEAST_SINE:
        return None
    away = other_eye - eye
    return np.asarray(eye + along * (away[0] * across[1] - away[1] * across[0]) / sine)


def orders(a: Standing, b: Standing, places: tuple[Floats, Floats]) -> list[tuple[tuple[Standing, Floats], tuple[Standing, Floats]]]:
    """Which of the two columns is tried at which place: of one kind it does not matter."""
    ways = list(permutations(places)) if a.column.kind != b.column.kind else [places]
    return [((a, first), (b, second)) for first, second in ways]
