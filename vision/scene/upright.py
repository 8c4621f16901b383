"""An upright solid tried at many places: sums of a map over its exact silhouettes, for the searches that slide a piece about.

The corners are projected by the one camera model, all places at once; the rows between them are summed by `vision.scene.rasters`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from rig.messages import Laid, Standing
from rig.profile import ColumnSize, Profile
from vision.arrays import Floats, Longs
from vision.camera.view import CameraView
from vision.scene.rasters import placed_sums
from vision.scene.solids import polygon_of


@lru_cache(maxsize=32)
def _outline_of(radius_mm: float, sides: int) -> Floats:
    """A column's outline (n, 2) round the origin, not to be written to: the few kinds there are, asked for thousands of times a reading."""
    outline = polygon_of(radius_mm, sides)
    outline.setflags(write=False)
    return outline


@dataclass(frozen=True, eq=False)
class Upright:
    """The convex parts of a solid's outline (n, 2) round its middle, one after another, part k from `starts[k]`; its place (2,) and turn,
    and the heights of its lower and upper face."""

    outline_mm: Floats
    starts: Longs
    place_mm: Floats
    yaw_deg: float
    low_mm: float
    high_mm: float

    @classmethod
    def _of_parts(cls, parts: Sequence[Floats], place_mm: tuple[float, float], yaw_deg: float, low_mm: float, height_mm: float) -> Upright:
        starts = np.cumsum([0, *map(len, parts)], dtype=np.int64)
        outline = np.ascontiguousarray(np.concatenate(parts))
        return cls(outline, starts, np.array(place_mm, dtype=np.float64), yaw_deg, low_mm, low_mm + height_mm)

    @classmethod
    def of_column(cls, size: ColumnSize, z_mm: float, yaw_deg: float) -> Upright:
        """A column of this size on height `z_mm`, at the frame's middle."""
        return cls._of_parts([_outline_of(size.radius_mm, size.sides)], (0.0, 0.0), yaw_deg, z_mm, size.height_mm)

    @classmethod
    def of(cls, profile: Profile, piece: Standing | Laid) -> Upright:
        """The piece where it stands or lies."""
        if isinstance(piece, Standing):
            size = profile.columns[piece.column.shape]
            parts, height_mm = [_outline_of(size.radius_mm, size.sides)], size.height_mm
        else:
            plate = profile.plateaus[piece.plateau]
            parts, height_mm = [np.array(part, dtype=np.float64) for part in plate.parts_mm], plate.thickness_mm
        return cls._of_parts(parts, (piece.x_mm, piece.y_mm), piece.yaw_deg, piece.z_mm, height_mm)

    def sums(
        self, view: CameraView, total: Floats, offsets_mm: Floats, turns_deg: Floats | None = None, x0: int = 0, y0: int = 0
    ) -> Floats:
        """Sums (m,) over its silhouettes at `offsets_mm` (m, 2) and `turns_deg` (m,; none: 0) from its place, in the picture of `view`.

        `total` (h, w + 1) is the running sum (`vision.scene.silhouettes.running_sum`) of the part of the picture from pixel (`x0`, `y0`).
        """
        places = np.ascontiguousarray(self.place_mm + offsets_mm)
        turns = np.zeros(len(places)) if turns_deg is None else turns_deg
        yaws = np.ascontiguousarray(self.yaw_deg + turns, dtype=np.float64)
        corners = view.project_upright(self.outline_mm, places, yaws, self.low_mm, self.high_mm)
        return placed_sums(total, x0, y0, view.height, corners, self.starts)
