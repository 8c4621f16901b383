"""Where on a floor columns may stand, asked of all places, shapes and cameras at once, under whatever tower is believed so far.

Every place of a grid and every shape has its strip of pixels in every camera; which pixels those are is worked out once for a floor. What a
paint would gain there is then two look-ups per row in a running sum. Columns of the same floor that stand nearer to a camera hide the place:
for each number of them before it there is one running sum. The best places are refined with exact silhouettes.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from rig.messages import Standing, Tower
from rig.pieces import Colour, Column, Floor, Shape
from rig.profile import Profile
from vision.evidence import Under
from vision.geometry import Floats, View, column_prisms_at, floor_outline_mm, floor_z_mm, outside_mm
from vision.places import MAY_OVERHANG_MM, MAY_OVERLAP_MM, allowed
from vision.silhouettes import Item, Label, Spans, column_item, column_layer, running_sum, spans_of, sums_within

GRID_MM = 5.0
"""Step of the grid: a third of the thinnest column."""

SHAPES = tuple(Shape)

STEPS_MM = (2.5, 1.0, 0.5)
"""Steps of the refinement."""

HEX_TURNS_DEG = (0.0, 15.0, 30.0, 45.0)

_AROUND = np.stack(np.meshgrid(np.arange(-1, 2), np.arange(-1, 2)), axis=-1).reshape(-1, 2).astype(np.float64)


@dataclass(frozen=True, eq=False)
class _Strips:
    """For one camera and floor: rows y0 to y1 of the picture hold all strips; for each shape the flat indices (m, R) of each strip's left
    and right ends in a running sum of those rows, and the places' nearness (m,)."""

    y0: int
    y1: int
    left: dict[Shape, npt.NDArray[np.int32]]
    right: dict[Shape, npt.NDArray[np.int32]]
    nearness: Floats


def _strips(view: View, profile: Profile, places: Floats, z_mm: float, nearness: Floats) -> _Strips:
    tallest = max(size.height_mm for size in profile.columns.values())
    foot = view.project(np.column_stack((places, np.full(len(places), z_mm + 1.0))))
    head = view.project(np.column_stack((places, np.full(len(places), z_mm + tallest - 1.0))))
    foot, head = np.nan_to_num(foot, nan=-1e4), np.nan_to_num(head, nan=-1e4)
    low, high = np.minimum(foot[:, 1], head[:, 1]), np.maximum(foot[:, 1], head[:, 1])
    y0 = int(np.clip(np.floor(low.min()) - 8, 0, view.height - 1))
    y1 = int(np.clip(np.ceil(high.max()) + 8, y0 + 1, view.height))
    distance = np.linalg.norm(np.column_stack((places, np.full(len(places), z_mm + tallest / 2))) - view.eye_mm, axis=1)
    rows = int(np.ceil((high - low).max())) + 1
    top = np.ceil(low).astype(np.int64)
    y = top[:, None] + np.arange(rows)
    share = (y - head[:, 1:]) / np.where(np.abs(foot[:, 1:] - head[:, 1:]) < 1.0, 1.0, foot[:, 1:] - head[:, 1:])
    middle = head[:, :1] + share * (foot[:, :1] - head[:, :1])
    inside = (y <= high[:, None]) & (y >= y0) & (y < y1)
    wide = view.width + 1
    line = (np.clip(y, y0, y1 - 1) - y0) * wide
    left: dict[Shape, npt.NDArray[np.int32]] = {}
    right: dict[Shape, npt.NDArray[np.int32]] = {}
    for shape, size in profile.columns.items():
        # a hexagon's silhouette is between its flats and its corners wide
        radius = size.radius_mm * (0.95 if size.sides else 1.0)
        half = radius * view.model.fx_px * view.scale / distance[:, None]
        left[shape] = (line + np.where(inside, np.clip(np.rint(middle - half + 0.5), 0, wide - 1), 0)).astype(np.int32)
        right[shape] = (line + np.where(inside, np.clip(np.rint(middle + half + 0.5), 0, wide - 1), 0)).astype(np.int32)
    return _Strips(y0, y1, left, right, nearness)


@dataclass(frozen=True, slots=True)
class Found:
    """A column that might stand there, and what the pictures' sum gains by it."""

    standing: Standing
    gain: float


class FloorGrid:
    """All places on one floor as the plateaus lie now, with their strips in every camera."""

    def __init__(self, profile: Profile, tower: Tower, floor: Floor, unders: Sequence[Under]) -> None:
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
            _strips(under.evidence.stage.view, profile, self.places, self.z_mm, under.evidence.stage.nearness(self.places))
            for under in unders
        ]
        self._kept_for: Sequence[Under] | None = None
        self._kept: dict[tuple[int, Label, int], Floats] = {}

    def _sums(self, unders: Sequence[Under], number: int, label: Label, rank: int, edges: Floats) -> Floats:
        """Running sum, over this floor's rows of camera `number`, of what each pixel gains by this paint on this floor, behind all but
        `rank` of the floor's columns. Kept as long as the same `unders` are asked about."""
        if self._kept_for is not unders:
            self._kept_for, self._kept = unders, {}
        key = (number, label, rank)
        if key not in self._kept:
            under, rows = unders[number], slice(self.strips[number].y0, self.strips[number].y1)
            evidence = under.evidence
            near = (edges[rank - 1] + 1e-4) if rank else (edges[0] - 1e-3 if len(edges) else 2.0)
            depth = evidence.stage.down[rows] * np.float32(10 * self.layer) + np.float32(near)
            gains = np.where(depth > under.scene.front[rows], evidence.changed[label, rows] - under.value[rows], np.float32(0))
            self._kept[key] = running_sum(gains)
        return self._kept[key]

    def _edges(self, under: Under, standing: Sequence[Standing]) -> Floats:
        places = np.array([(one.x_mm, one.y_mm) for one in standing]).reshape(-1, 2)
        return np.sort(under.evidence.stage.nearness(places))

    def gains(self, unders: Sequence[Under], standing: Sequence[Standing], colour: Colour) -> Floats:
        """What a column of this colour gains at each place, for each of SHAPES (3, m); -inf where it would stand in another."""
        label = Label.of_colour(colour)
        total = np.zeros((len(SHAPES), len(self.places)))
        for number, (under, strips) in enumerate(zip(unders, self.strips, strict=True)):
            edges = self._edges(under, standing)
            ranks = np.searchsorted(edges, strips.nearness)
            used = np.unique(ranks)
            stack = np.stack([self._sums(unders, number, label, int(rank), edges) for rank in used])
            start = (np.searchsorted(used, ranks) * stack[0].size)[:, None]
            flat = stack.ravel()
            for k, shape in enumerate(SHAPES):
                total[k] += flat.take(strips.right[shape] + start).sum(1) - flat.take(strips.left[shape] + start).sum(1)
        for k, shape in enumerate(SHAPES):
            radius = self.profile.columns[shape].radius_mm
            for other in standing:
                apart = radius + self.profile.columns[other.column.shape].radius_mm - MAY_OVERLAP_MM
                total[k][np.hypot(self.places[:, 0] - other.x_mm, self.places[:, 1] - other.y_mm) < apart] = -np.inf
        return total

    def exact(self, unders: Sequence[Under], tower: Tower, item: Item, shape: Shape, places: Floats, yaw_deg: float) -> Floats:
        """Gain (m,) of an item at each of a few places close together, by exact silhouettes."""
        corners = column_prisms_at(self.profile, shape, places, self.z_mm, yaw_deg)
        total = np.zeros(len(places))
        standing = tower.on(self.floor)
        for number, under in enumerate(unders):
            stage, y0 = under.evidence.stage, self.strips[number].y0
            spans = spans_of(stage.view.project(corners), stage.shape[0])
            edges = self._edges(under, standing)
            ranks = np.searchsorted(edges, stage.nearness(places))
            for rank in np.unique(ranks):
                chosen = ranks == rank
                sums = self._sums(unders, number, item.label, int(rank), edges)
                total[chosen] += sums_within(sums, Spans(np.maximum(spans.top[chosen] - y0, 0), spans.left[chosen], spans.right[chosen]))
        return total

    def refined(
        self,
        unders: Sequence[Under],
        tower: Tower,
        column: Column,
        start: Sequence[float] | Floats,
        yaw_deg: float = 0.0,
        steps: Sequence[float] = STEPS_MM,
    ) -> Found | None:
        """The best place for `column` uphill from `start` beside the tower's columns; None if there is no room."""
        item = column_item(self.profile, tower, Standing(column, self.floor, 0.0, 0.0, self.z_mm))
        centre, yaw, gain = np.array(start, dtype=np.float64), yaw_deg, -np.inf
        turning = bool(self.profile.columns[column.shape].sides)
        for step in steps:
            for _ in range(4):
                places = centre + _AROUND * step
                good = allowed(self.profile, tower, self.floor, column.shape, places, (), self.outline)
                if not good.any():
                    return None if not np.isfinite(gain) else self._found(column, centre, yaw, gain)
                places = places[good]
                gains = self.exact(unders, tower, item, column.shape, places, yaw)
                at = int(np.argmax(gains))
                if gains[at] <= gain + 1e-6:
                    break
                centre, gain = places[at], float(gains[at])
            if turning and step == steps[min(1, len(steps) - 1)]:
                turns = [float(self.exact(unders, tower, item, column.shape, centre[None], turn)[0]) for turn in HEX_TURNS_DEG]
                if max(turns) > gain:
                    yaw, gain = HEX_TURNS_DEG[int(np.argmax(turns))], max(turns)
        return self._found(column, centre, yaw, gain)

    def _found(self, column: Column, centre: Floats, yaw: float, gain: float) -> Found:
        return Found(Standing(column, self.floor, round(float(centre[0]), 2), round(float(centre[1]), 2), self.z_mm, yaw), gain)
