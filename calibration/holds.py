"""How much each view of a board says that the others do not: copies and bursts of one pose are one view, however many there are.

Ten pictures of one pose have the errors of one: the sheet, the lens model and the pose err alike in all of them. Counted as ten they would
make a lens look well known that is not.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from calibration.boards import LEAST_CORNERS, Floats, Seen

ALIKE_SHARE = 0.015
"""Distance between the corners of two views, as a share of the picture's width, at which either still counts as 0.6 of a repeat of the
other. A hand that holds a board still wanders by less within a burst; a tilt by 30 degrees moves corners by more. By design."""


def view_weights(views: Sequence[Seen]) -> Floats:
    """For each view (n,) the share of a view that it counts as: 1 if none is like it, 1/k if it is one of k copies."""
    alike = np.eye(len(views))
    for i, first in enumerate(views):
        for j, second in enumerate(views[:i]):
            alike[i, j] = alike[j, i] = _likeness(first, second)
    return np.asarray(1.0 / alike.sum(1))


def _likeness(first: Seen, second: Seen) -> float:
    """0 (nothing in common) to 1 (the same pose): by the root mean square distance between the corners that both show."""
    shared, a, b = np.intersect1d(first.ids, second.ids, return_indices=True)
    if len(shared) < LEAST_CORNERS:
        return 0.0
    apart = np.square(first.pixels[a] - second.pixels[b]).sum(1).mean()
    return float(np.exp(-apart / (2 * (ALIKE_SHARE * first.size_px[0]) ** 2)))
