"""The places on a floor where a column newly stands, best first: a few from the search over the whole floor, each refined to about a
millimetre (`vision.change.floor_search`), with the scale's word as a soft pull where it names a place.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from rig.messages import Tower
from rig.pieces import Column
from vision.arrays import Floats
from vision.change.evidence import BackgroundScore
from vision.change.floor_search import SHAPES, STEPS_MM, FloorSearch, FoundColumn

KEPT = 3
"""Places refined for one column. Set by hand: more cost time. Not measured on a spread of rooms."""

WORTH_SHARE, WORTH_LEAST = 0.25, 1.0
"""A further place is refined if the strips there gain this share of what the first gained (of 1 at least). Set by hand on tuning seeds;
not measured on a spread of rooms."""

APART_MM = 9.0
"""Places nearer to one another than this are one place. By design: less than the thinnest column's width
(`tests/vision/test_tunables.py`)."""

COLUMN_NEAR_SIGMA_MM = 12.0
"""How well the scale knows a place it names. Set by hand; not measured against `rig.bench.bench_scale`."""

PULL, PULL_MOST = 25.0, 36.0
"""Cost of being one `COLUMN_NEAR_SIGMA_MM` away from the place that the scale names (the pictures' sum), growing with the square; the
square counts up to the second. Set by hand on tuning seeds; not measured on a spread of rooms."""


def best_places(
    search: FloorSearch, backgrounds: Sequence[BackgroundScore], tower: Tower, column: Column, near_mm: tuple[float, float] | None = None
) -> tuple[FoundColumn, ...]:
    """The best places for `column` on the floor of `search` beside the columns of `tower`, best first.

    `backgrounds`: what every camera makes of the tower without it; `near_mm`: where the scale says that something was set down.
    """

    def pull(places: Floats) -> Floats:
        if near_mm is None:
            return np.zeros(len(places))
        away = np.hypot(places[:, 0] - near_mm[0], places[:, 1] - near_mm[1]) / COLUMN_NEAR_SIGMA_MM
        return np.asarray(PULL * np.minimum(away**2, PULL_MOST))

    grid = search.places
    if not len(grid):
        return ()
    coarse = search.gains(backgrounds, tower.on(search.floor), column.colour)[SHAPES.index(column.shape)] - pull(grid)
    hopeless = float(coarse.max()) < 0
    found: list[FoundColumn] = []
    for _ in range(1 if hopeless else KEPT):
        at = int(np.argmax(coarse))
        if not np.isfinite(coarse[at]) or (found and coarse[at] < WORTH_SHARE * max(found[0].gain, WORTH_LEAST)):
            break
        steps = STEPS_MM[:1] if hopeless else STEPS_MM
        place = search.refined(backgrounds, tower, column, grid[at], steps=steps, cost=pull)
        coarse[np.hypot(*(grid - grid[at]).T) < APART_MM] = -np.inf
        if place is not None:
            found.append(place)
    return tuple(sorted(found, key=lambda place: -place.gain))
