"""The strips of pixels that columns would cover, for all places of a floor and all shapes at once, and sums over them.

A column's silhouette is simplified to the strip along its axis: exact enough to say where to look closer, and worked out once for a floor.
The sum over a strip is two look-ups a row in a running sum.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from rig.pieces import Shape
from rig.profile import Profile
from vision.arrays import Floats
from vision.camera.view import CameraView
from vision.compiling import compiled

Indices = npt.NDArray[np.int32]

HEXAGON = 0.95
"""A hexagon's silhouette is between its flats and its corners wide: so much of its circle's radius. Geometry: between cos 30° = 0.866
and 1; the mean over all turns, 3 / pi = 0.955, rounded."""


@dataclass(frozen=True, eq=False)
class Strips:
    """For one camera and floor: rows y0 to y1 of the picture hold all strips; for each shape the flat indices (m, R) of each strip's left
    and right ends in a running sum of those rows; the places' nearness (m,)."""

    y0: int
    y1: int
    left: dict[Shape, Indices]
    right: dict[Shape, Indices]
    nearness: Floats


def strips_of(view: CameraView, profile: Profile, places: Floats, z_mm: float, nearness: Floats) -> Strips:
    """The strips of columns that stand at `places` (m, 2) at height z.

    `view` is the camera, `profile` gives the sizes, `z_mm` the height of the feet, `nearness` (m,) how near each place is
    (`Stage.nearness`).
    """
    tallest = max(size.height_mm for size in profile.columns.values())
    foot = view.project(np.column_stack((places, np.full(len(places), z_mm + 1.0))))
    head = view.project(np.column_stack((places, np.full(len(places), z_mm + tallest - 1.0))))
    foot, head = np.nan_to_num(foot, nan=-1e4), np.nan_to_num(head, nan=-1e4)
    low, high = np.minimum(foot[:, 1], head[:, 1]), np.maximum(foot[:, 1], head[:, 1])
    y0 = int(np.clip(np.floor(low.min(initial=0.0)) - 8, 0, view.height - 1))
    y1 = int(np.clip(np.ceil(high.max(initial=1.0)) + 8, y0 + 1, view.height))
    middles = np.column_stack((places, np.full(len(places), z_mm + tallest / 2)))
    px_per_mm = view.px_per_rad(middles) / np.linalg.norm(middles - view.eye_mm, axis=1)
    rows = int(np.ceil((high - low).max(initial=0.0))) + 1
    y = np.ceil(low).astype(np.int64)[:, None] + np.arange(rows)
    rise = np.where(np.abs(foot[:, 1:] - head[:, 1:]) < 1.0, 1.0, foot[:, 1:] - head[:, 1:])
    middle = head[:, :1] + (y - head[:, 1:]) / rise * (foot[:, :1] - head[:, :1])
    inside = (y <= high[:, None]) & (y >= y0) & (y < y1)
    wide = view.width + 1
    line = (np.clip(y, y0, y1 - 1) - y0) * wide
    left: dict[Shape, Indices] = {}
    right: dict[Shape, Indices] = {}
    for shape, size in profile.columns.items():
        radius = size.radius_mm * (HEXAGON if size.sides else 1.0)
        half = radius * px_per_mm[:, None]
        left[shape] = (line + np.where(inside, np.clip(np.rint(middle - half + 0.5), 0, wide - 1), 0)).astype(np.int32)
        right[shape] = (line + np.where(inside, np.clip(np.rint(middle + half + 0.5), 0, wide - 1), 0)).astype(np.int32)
    return Strips(y0, y1, left, right, nearness)


@compiled("f8[::1](f8[:,::1], i8[::1], i4[:,::1], i4[:,::1])")
def strip_sums(sums: Floats, which: npt.NDArray[np.int64], left: Indices, right: Indices) -> Floats:
    """Sum (m,) over each strip, each in the flat running sum `sums[which[m]]`."""
    total = np.zeros(len(which))
    for m in range(len(which)):
        flat = sums[which[m]]
        for r in range(left.shape[1]):
            total[m] += flat[right[m, r]] - flat[left[m, r]]
    return total
