"""Where on a floor a column newly stands: a search over the whole floor, then a refinement to about a millimetre.

The search slides a plain strip (the column's axis, widened) over every place of a grid and sums, per camera, what its pixels would gain;
the best few places are refined with exact silhouettes. Which columns of the same floor stand in front of a place is respected in both.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from rig.messages import Standing, Tower
from rig.pieces import Column, Floor, Shape
from rig.profile import Profile
from vision.arrays import Bools, Floats
from vision.camera.view import View
from vision.change.evidence import Under
from vision.change.refit import Solid
from vision.scene.silhouettes import Item, Spans, column_item, column_layer, sums_within
from vision.scene.solids import floor_outline_mm, floor_z_mm, outside_mm

GRID_MM = 5.0
"""Step of the search: a third of the thinnest column."""

STEPS_MM = (2.5, 1.0, 0.5)
"""Steps of the refinement, five by five places at each; where nothing speaks for the paint at all, the first will do."""

NEAR_SIGMA_MM = 12.0
"""How well the scale knows a place it names."""

MAY_OVERLAP_MM = 2.5
"""Columns of one floor may seem to overlap by this much, since neither place is exact."""

MAY_OVERHANG_MM = 2.0
"""How far outside the floor's outline a foot's centre may seem to be; farther out it would have fallen."""


@dataclass(frozen=True, slots=True)
class Place:
    """A place found: the column there, and what the pictures' sum gains by it (before tempering)."""

    standing: Standing
    gain: float


def free_places(
    profile: Profile, tower: Tower, floor: Floor, shape: Shape, leaving: Sequence[Column] = (), step_mm: float = GRID_MM
) -> Floats:
    """Grid places (m, 2) on a floor where a column of this shape can stand beside those that stay."""
    parts = floor_outline_mm(profile, tower, floor)
    corners = np.concatenate(parts)
    low, high = corners.min(0), corners.max(0)
    x, y = (np.arange(a, b + step_mm, step_mm) for a, b in zip(low, high, strict=True))
    places = np.stack(np.meshgrid(x, y), axis=-1).reshape(-1, 2)
    return places[allowed(profile, tower, floor, shape, places, leaving, parts)]


def allowed(
    profile: Profile,
    tower: Tower,
    floor: Floor,
    shape: Shape,
    places: Floats,
    leaving: Sequence[Column] = (),
    parts: tuple[Floats, ...] | None = None,
) -> np.ndarray[tuple[int], np.dtype[np.bool_]]:
    """Which of `places` (m, 2) a column of this shape can take: on the floor, not in another column."""
    good = outside_mm(parts or floor_outline_mm(profile, tower, floor), places) < MAY_OVERHANG_MM
    for other in tower.on(floor):
        if other.column in leaving:
            continue
        apart = profile.columns[shape].radius_mm + profile.columns[other.column.shape].radius_mm - MAY_OVERLAP_MM
        good &= np.hypot(places[:, 0] - other.x_mm, places[:, 1] - other.y_mm) > apart
    return good


def _strips(view: View, profile: Profile, shape: Shape, places: Floats, z_mm: float) -> Spans:
    """The silhouettes of a column at each place, simplified to the strip along its axis."""
    size = profile.columns[shape]
    low = view.project(np.column_stack((places, np.full(len(places), z_mm + 1.0))))
    high = view.project(np.column_stack((places, np.full(len(places), z_mm + size.height_mm - 1.0))))
    upper = np.where((high[:, 1] < low[:, 1])[:, None], high, low)
    lower = np.where((high[:, 1] < low[:, 1])[:, None], low, high)
    middles = np.column_stack((places, np.full(len(places), z_mm + 50.0)))
    half = 0.9 * size.radius_mm * view.px_per_rad(middles) / np.linalg.norm(middles - view.eye_mm, axis=1)
    top = np.clip(np.ceil(upper[:, 1]), 0, view.height).astype(np.int64)
    bottom = np.clip(np.floor(lower[:, 1]), -1, view.height - 1).astype(np.int64)
    rows = int(max((bottom - top + 1).max(initial=0), 0))
    y = top[:, None] + np.arange(rows)
    share = (y - upper[:, 1:]) / np.maximum(lower[:, 1:] - upper[:, 1:], 1.0)
    middle = upper[:, :1] + share * (lower[:, :1] - upper[:, :1])
    inside = y <= bottom[:, None]
    return Spans(top, np.where(inside, middle - half[:, None], np.inf), np.where(inside, middle + half[:, None], -np.inf))


class FloorSearch:
    """All searches for new columns on one floor under the same scenes (one `Under` per camera), sharing what they have in common."""

    def __init__(self, profile: Profile, tower: Tower, floor: Floor, unders: Sequence[Under]) -> None:
        self.profile, self.tower, self.floor, self.unders = profile, tower, floor, tuple(unders)
        self.z_mm = floor_z_mm(profile, tower, floor)
        self.layer = column_layer(floor)
        self._strips: dict[Shape, tuple[Floats, list[Spans]]] = {}
        self._sums: dict[tuple[int, int, int], Floats] = {}

    def _nearness_of_floor(self, number: int) -> Floats:
        stage = self.unders[number].evidence.stage
        places = [(standing.x_mm, standing.y_mm) for standing in self.tower.on(self.floor)]
        return np.sort(stage.nearness(np.array(places).reshape(-1, 2)))

    def _sums_for(self, number: int, item: Item, rank: int, edges: Floats) -> Floats:
        """Running sum of the gains of this paint at a place behind all but `rank` of the floor's columns."""
        key = (number, int(item.label), rank)
        if key not in self._sums:
            under = self.unders[number]
            stage = under.evidence.stage
            near = (edges[rank - 1] + 1e-4) if rank else (edges[0] - 1e-3 if len(edges) else 2.0)
            self._sums[key] = under.gain_sums(item, (slice(0, stage.shape[0]), slice(0, stage.shape[1])), float(near))
        return self._sums[key]

    def _score(self, item: Item, places: Floats, sums_at: Callable[[int, Floats, Bools], Floats]) -> Floats:
        """Gain (m,) of the item at each place, summed over the cameras; `sums_at(camera, running sum, chosen)` sums it at chosen places."""
        total = np.zeros(len(places))
        for number, under in enumerate(self.unders):
            edges = self._nearness_of_floor(number)
            ranks = np.searchsorted(edges, under.evidence.stage.nearness(places))
            for rank in np.unique(ranks):
                chosen = ranks == rank
                sums = self._sums_for(number, item, int(rank), edges)
                total[chosen] += sums_at(number, sums, chosen)
        return total

    def _item(self, column: Column, x: float, y: float, yaw: float = 0.0) -> tuple[Item, Standing]:
        standing = Standing(column, self.floor, float(x), float(y), self.z_mm, yaw)
        return column_item(self.profile, self.tower, standing), standing

    def _exact(self, column: Column, item: Item, places: Floats, yaw: float) -> Floats:
        solid = Solid.of(self.profile, Standing(column, self.floor, 0.0, 0.0, self.z_mm, yaw))

        def sums_at(number: int, sums: Floats, chosen: Bools) -> Floats:
            some = places[chosen]
            return solid.sums(self.unders[number].evidence.stage.view, sums, some, np.zeros(len(some)))

        return self._score(item, places, sums_at)

    def _along(self, item: Item, places: Floats, strips: Sequence[Spans]) -> Floats:
        def sums_at(number: int, sums: Floats, chosen: Bools) -> Floats:
            strip = strips[number]
            return sums_within(sums, Spans(strip.top[chosen], strip.left[chosen], strip.right[chosen]))

        return self._score(item, places, sums_at)

    def best(
        self, column: Column, leaving: Sequence[Column] = (), near_mm: tuple[float, float] | None = None, keep: int = 3
    ) -> tuple[Place, ...]:
        """The best places for `column`, best first; with `near_mm` the scale's word counts as a soft pull."""
        shape = column.shape
        if shape not in self._strips:
            grid = free_places(self.profile, self.tower, self.floor, shape)
            strips = [_strips(under.evidence.stage.view, self.profile, shape, grid, self.z_mm) for under in self.unders]
            self._strips[shape] = (grid, strips)
        grid, strips = self._strips[shape]
        if not len(grid):
            return ()
        item, _ = self._item(column, 0.0, 0.0)
        coarse = self._along(item, grid, strips) - self._pull(grid, near_mm)
        hopeless = float(coarse.max()) < 0
        found: list[Place] = []
        for _ in range(1 if hopeless else keep):
            at = int(np.argmax(coarse))
            if not np.isfinite(coarse[at]) or (found and coarse[at] < 0.25 * max(found[0].gain, 1.0)):
                break
            place = self._refined(column, item, grid[at], leaving, near_mm, STEPS_MM[:1] if hopeless else STEPS_MM)
            coarse[np.hypot(*(grid - grid[at]).T) < 9.0] = -np.inf
            if place is not None:
                found.append(place)
        return tuple(sorted(found, key=lambda place: -place.gain))

    @staticmethod
    def _pull(places: Floats, near_mm: tuple[float, float] | None) -> Floats:
        if near_mm is None:
            return np.zeros(len(places))
        away = np.hypot(places[:, 0] - near_mm[0], places[:, 1] - near_mm[1]) / NEAR_SIGMA_MM
        return np.asarray(25.0 * np.minimum(away**2, 36.0))

    def _refined(
        self,
        column: Column,
        item: Item,
        start: Floats,
        leaving: Sequence[Column],
        near_mm: tuple[float, float] | None,
        steps: Sequence[float],
    ) -> Place | None:
        centre, yaw, gain = start, 0.0, -np.inf
        offsets = np.stack(np.meshgrid(np.arange(-2, 3), np.arange(-2, 3)), axis=-1).reshape(-1, 2)
        yaws: Mapping[Shape, tuple[float, ...]] = {Shape.HEX: (0.0, 15.0, 30.0, 45.0)}
        for step in steps:
            places = centre + offsets * step
            good = allowed(self.profile, self.tower, self.floor, column.shape, places, leaving)
            if not good.any():
                continue
            places = places[good]
            gains = self._exact(column, item, places, yaw) - self._pull(places, near_mm)
            at = int(np.argmax(gains))
            centre, gain = places[at], float(gains[at])
            if step == 1.0 and column.shape in yaws:
                turns = [float(self._exact(column, item, centre[None], turn)[0]) for turn in yaws[column.shape]]
                yaw = yaws[column.shape][int(np.argmax(turns))]
        if not np.isfinite(gain):
            return None
        return Place(self._item(column, round(float(centre[0]), 2), round(float(centre[1]), 2), yaw)[1], gain)
