"""Where on a floor columns may stand, asked of all places, shapes and cameras at once, under whatever tower is believed so far.

The one floor search of the eyes: a judgement asks it for a column that newly stands, a reading for all columns of a floor. Every place of a
grid and every shape has its strip of pixels in every camera (`vision.change.strips`). What a paint would gain there is
then two look-ups per row in a running sum. Columns of the same floor that stand nearer to a camera hide the place: for each number of
them before it there is one running sum. The best places are refined with exact silhouettes.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from rig.messages import Standing, Tower
from rig.pieces import Colour, Column, Floor, Shape
from rig.profile import Profile
from vision.arrays import Floats
from vision.change.evidence import BackgroundScore
from vision.change.scoring import gain_sums
from vision.change.strips import strip_sums, strips_of
from vision.scene.silhouettes import Label, column_layer
from vision.scene.solids import floor_outline_mm, floor_z_mm, outside_mm
from vision.scene.upright import Upright

NO_ITEM = 1000
"""A code that no item has: nothing stood here before, so every pixel counts as newly showing the paint. By design: above every code of
`vision.scene.silhouettes`."""

GRID_MM = 5.0
"""Step of the grid: a third of the thinnest column. By design: no column falls between two points (`tests/vision/test_tunables.py`)."""

MAY_OVERLAP_MM = 2.5
"""Columns of one floor may seem to overlap by this much, since neither place is exact. Set by hand on tuning seeds; not measured on a
spread of rooms."""

MAY_OVERHANG_MM = 2.0
"""How far outside the floor's outline a foot's centre may seem to be; farther out it would have fallen. Physics: a column whose axis is
outside falls. The allowance is set by hand."""


SHAPES = tuple(Shape)

STEPS_MM = (2.5, 1.0, 0.5)
"""Steps of the refinement. By design: from half of `GRID_MM` on, the finer ones reaching half of the coarsest
(`tests/vision/test_tunables.py`)."""

HEX_TURNS_DEG = (0.0, 15.0, 30.0, 45.0)
"""Turns of a hexagon that are tried. By design: it looks alike every 60 degrees."""

_AROUND = np.stack(np.meshgrid(np.arange(-1, 2), np.arange(-1, 2)), axis=-1).reshape(-1, 2).astype(np.float64)


def allowed(
    profile: Profile,
    tower: Tower,
    floor: Floor,
    shape: Shape,
    places: Floats,
    leaving: Sequence[Column] = (),
    parts: tuple[Floats, ...] | None = None,
) -> np.ndarray[tuple[int], np.dtype[np.bool_]]:
    """Which of `places` (m, 2) a column of this shape can take: on the floor, not in another column.

    `profile` gives the sizes, `tower` what stands on `floor`; columns that are `leaving` are not in the way. `parts`: the floor's outline
    in convex parts (n, 2) mm, if at hand. Returns (m,).
    """
    good = outside_mm(parts or floor_outline_mm(profile, tower, floor), places) < MAY_OVERHANG_MM
    for other in tower.on(floor):
        if other.column in leaving:
            continue
        apart = profile.columns[shape].radius_mm + profile.columns[other.column.shape].radius_mm - MAY_OVERLAP_MM
        good &= np.hypot(places[:, 0] - other.x_mm, places[:, 1] - other.y_mm) > apart
    return good


@dataclass(frozen=True, slots=True)
class FoundColumn:
    """A column that might stand there, and what the pictures' sum gains by it."""

    standing: Standing
    gain: float


class FloorSearch:
    """All places on one floor as the plateaus lie now, with their strips in every camera."""

    def __init__(self, profile: Profile, tower: Tower, floor: Floor, backgrounds: Sequence[BackgroundScore]) -> None:
        self.profile, self.floor = profile, floor
        self.z_mm = floor_z_mm(profile, tower, floor)
        self.layer = column_layer(floor)
        self.outline = floor_outline_mm(profile, tower, floor)
        corners = np.concatenate(self.outline)
        low, high = corners.min(0), corners.max(0)
        x, y = (np.arange(a, b + GRID_MM, GRID_MM) for a, b in zip(low, high, strict=True))
        places = np.stack(np.meshgrid(x, y), axis=-1).reshape(-1, 2)
        self.places = places[outside_mm(self.outline, places) < MAY_OVERHANG_MM]
        self.strips = [
            strips_of(background.evidence.stage.view, profile, self.places, self.z_mm, background.evidence.stage.nearness(self.places))
            for background in backgrounds
        ]
        self._kept_for: Sequence[BackgroundScore] | None = None
        self._kept: dict[tuple[int, Label, int], Floats] = {}
        self._kept_edges: dict[tuple[object, ...], Floats] = {}

    def _keep_for(self, backgrounds: Sequence[BackgroundScore]) -> None:
        """Forget what was kept for other backgrounds: sums and edges hold as long as the same ones are asked about."""
        if self._kept_for is not backgrounds:
            self._kept_for, self._kept, self._kept_edges = backgrounds, {}, {}

    def _sums(self, backgrounds: Sequence[BackgroundScore], number: int, label: Label, rank: int, edges: Floats) -> Floats:
        """Running sum, over this floor's rows of camera `number`, of what each pixel gains by this paint on this floor, behind all but
        `rank` of the floor's columns. Kept as long as the same `backgrounds` are asked about."""
        self._keep_for(backgrounds)
        key = (number, label, rank)
        if key not in self._kept:
            background, rows = backgrounds[number], slice(self.strips[number].y0, self.strips[number].y1)
            evidence = background.evidence
            near = (edges[rank - 1] + 1e-4) if rank else (edges[0] - 1e-3 if len(edges) else 2.0)
            self._kept[key] = gain_sums(
                evidence.stage.down[rows],
                background.scene.front[rows],
                evidence.before.code[rows],
                evidence.same[rows],
                evidence.changed[label, rows],
                background.value[rows],
                NO_ITEM,
                np.float32(10 * self.layer),
                np.float32(near),
            )
        return self._kept[key]

    def _edges(self, backgrounds: Sequence[BackgroundScore], number: int, standing: Sequence[Standing]) -> Floats:
        """How near to camera `number` the columns that stand on this floor in `backgrounds` are, ascending; kept as the sums are."""
        self._keep_for(backgrounds)
        feet = tuple((one.x_mm, one.y_mm) for one in standing)
        key = (number, feet)
        if key not in self._kept_edges:
            self._kept_edges[key] = np.sort(backgrounds[number].evidence.stage.nearness(np.array(feet).reshape(-1, 2)))
        return self._kept_edges[key]

    def gains(self, backgrounds: Sequence[BackgroundScore], standing: Sequence[Standing], colour: Colour) -> Floats:
        """What a column of this colour gains at each place, for each of SHAPES (3, m); -inf where it would stand in another."""
        label = Label.of_colour(colour)
        total = np.zeros((len(SHAPES), len(self.places)))
        for number, strips in enumerate(self.strips):
            edges = self._edges(backgrounds, number, standing)
            ranks = np.searchsorted(edges, strips.nearness)
            used = np.unique(ranks)
            sums = np.stack([self._sums(backgrounds, number, label, int(rank), edges).ravel() for rank in used])
            which = np.searchsorted(used, ranks).astype(np.int64)
            for k, shape in enumerate(SHAPES):
                total[k] += strip_sums(sums, which, strips.left[shape], strips.right[shape])
        for k, shape in enumerate(SHAPES):
            radius = self.profile.columns[shape].radius_mm
            for other in standing:
                apart = radius + self.profile.columns[other.column.shape].radius_mm - MAY_OVERLAP_MM
                total[k][np.hypot(self.places[:, 0] - other.x_mm, self.places[:, 1] - other.y_mm) < apart] = -np.inf
        return total

    def exact(
        self, backgrounds: Sequence[BackgroundScore], tower: Tower, label: Label, shape: Shape, places: Floats, yaw_deg: float
    ) -> Floats:
        """Gain (m,) of a paint and shape at each of a few places close together, by exact silhouettes.

        `backgrounds`: one a camera; `tower`: what stands and hides; `label`: the paint; `places` (m, 2) in mm; `yaw_deg`: the turn of a
        hexagon.
        """
        solid = Upright.of_column(self.profile.columns[shape], self.z_mm, yaw_deg)
        total = np.zeros(len(places))
        standing = tower.on(self.floor)
        for number, background in enumerate(backgrounds):
            stage, y0 = background.evidence.stage, self.strips[number].y0
            edges = self._edges(backgrounds, number, standing)
            ranks = np.searchsorted(edges, stage.nearness(places))
            for rank in np.unique(ranks):
                chosen = ranks == rank
                sums = self._sums(backgrounds, number, label, int(rank), edges)
                total[chosen] += solid.sums(stage.view, sums, places[chosen], y0=y0)
        return total

    def refined(
        self,
        backgrounds: Sequence[BackgroundScore],
        tower: Tower,
        column: Column,
        start: Sequence[float] | Floats,
        yaw_deg: float = 0.0,
        steps: Sequence[float] = STEPS_MM,
        cost: Callable[[Floats], Floats] | None = None,
    ) -> FoundColumn | None:
        """The best place for `column` uphill from `start` (x, y in mm) beside the columns of `tower`; None if there is no room.

        `backgrounds`: what every camera makes of that tower; `yaw_deg`: the turn to begin with; `steps`: the steps in mm, coarse to fine;
        `cost`: what places (m, 2) cost besides (m,), as far from where the scale named one.
        """
        label = Label.of_colour(column.colour)
        centre, yaw, gain = np.array(start, dtype=np.float64), yaw_deg, -np.inf
        turning = bool(self.profile.columns[column.shape].sides)
        for step in steps:
            for _ in range(4):
                places = centre + _AROUND * step
                good = allowed(self.profile, tower, self.floor, column.shape, places, (), self.outline)
                if not good.any():
                    return None if not np.isfinite(gain) else self._found(column, centre, yaw, gain)
                places = places[good]
                gains = self.exact(backgrounds, tower, label, column.shape, places, yaw)
                if cost is not None:
                    gains -= cost(places)
                at = int(np.argmax(gains))
                if gains[at] <= gain + 1e-6:
                    break
                centre, gain = places[at], float(gains[at])
            if turning and step == steps[min(1, len(steps) - 1)]:
                here = 0.0 if cost is None else float(cost(centre[None])[0])
                turns = [float(self.exact(backgrounds, tower, label, column.shape, centre[None], turn)[0]) - here for turn in HEX_TURNS_DEG]
                if max(turns) > gain:
                    yaw, gain = HEX_TURNS_DEG[int(np.argmax(turns))], max(turns)
        return self._found(column, centre, yaw, gain)

    def _found(self, column: Column, centre: Floats, yaw: float, gain: float) -> FoundColumn:
        return FoundColumn(Standing(column, self.floor, round(float(centre[0]), 2), round(float(centre[1]), 2), self.z_mm, yaw), gain)
