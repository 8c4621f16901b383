"""Which views of a board are copies of one another: a burst, or a picture that was saved twice.

Noise averages out over views that differ. What a bent sheet, a misread corner or rolling shutter does is the same in every copy of a
view, so copies would make a lens look better known than it is. A view counts once, however often it was photographed.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from calibration.boards import LEAST_CORNERS, Seen

COPY_SHARE = 0.015
"""Nine of ten corners have moved by less than this share of the picture's width in a copy. By design: a hand that holds a board for a
second moves it by less; a board turned by 15 degrees at arm's length moves its outer corners by more (2.5 %, worked out for a board that
spans half the picture)."""


def without_copies(views: Sequence[Seen]) -> tuple[list[Seen], list[tuple[str, str]]]:
    """Of views that show the board alike the one with the most corners, in the order given; of each of the others its name and a reason."""
    kept: list[Seen] = []
    copies: list[tuple[str, str]] = []
    for view in sorted(views, key=lambda one: -len(one.ids)):
        like = next((other for other in kept if is_copy(view, other)), None)
        if like is None:
            kept.append(view)
        else:
            copies.append((view.name, f"shows the board as {like.name} does; a view counts once"))
    names = [view.name for view in views]
    return sorted(kept, key=lambda one: names.index(one.name)), copies


def is_copy(view: Seen, other: Seen) -> bool:
    """Whether the board's corners are in the same places in both pictures."""
    shared, a, b = np.intersect1d(view.ids, other.ids, return_indices=True)
    if len(shared) < LEAST_CORNERS:
        return False
    moved = np.linalg.norm(view.pixels[a] - other.pixels[b], axis=1)
    return float(np.quantile(moved, 0.9)) < COPY_SHARE * view.size_px[0]
