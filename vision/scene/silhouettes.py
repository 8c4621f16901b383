"""What covers what in a picture: exact silhouettes of convex prisms as spans per row, and the map of which solid each pixel shows.

The edge of a prism's picture consists of pictures of its edges, so a row of pixels meets it in one interval, whose ends are the outermost
crossings with those edges. This is exact to a fraction of a pixel (OpenCV's polygon fill draws its border too, which makes everything
about a pixel too wide), works for a thousand shifted copies at once, and turns sums over a silhouette into two look-ups per row in a
running sum. Occlusion follows the tower's own order: layers from the base up, nearer before farther within one layer.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import IntEnum

import numpy as np
import numpy.typing as npt

from rig.messages import Laid, Standing, Tower
from rig.pieces import Colour, Column, Floor
from rig.profile import Profile
from vision.arrays import Bools, Codes, Floats, Maps
from vision.camera.view import CameraView
from vision.scene.rasters import draw, draw_in, prism_spans, span_sums
from vision.scene.solids import base_prism, column_prism, floor_z_mm, plateau_prisms


class Label(IntEnum):
    """The paints a pixel can show: a column's colour, a plateau's, the base's, or anything else."""

    RED_COLUMN = 0
    BLUE_COLUMN = 1
    YELLOW_COLUMN = 2
    GREEN_COLUMN = 3
    BLUE_PLATEAU = 4
    GREEN_PLATEAU = 5
    YELLOW_PLATEAU = 6
    ORANGE_PLATEAU = 7
    RED_PLATEAU = 8
    BASE = 9
    OTHER = 10

    @classmethod
    def of_colour(cls, colour: Colour) -> Label:
        return cls[f"{colour.name}_COLUMN"]

    @classmethod
    def of_plateau(cls, plateau: Floor) -> Label:
        return cls[f"{plateau.name}_PLATEAU"]


@dataclass(frozen=True, eq=False)
class Spans:
    """Rows of N silhouettes: row `top[i] + r` of silhouette i runs from `left[i, r]` to `right[i, r]` (px; empty if right < left)."""

    top: npt.NDArray[np.int64]
    left: Floats
    right: Floats


def spans_of(points_px: Floats, height: int) -> Spans:
    """Spans of N prisms from their projected corners (N, 2, n, 2) for pixel rows 0 to height - 1."""
    points_px = np.ascontiguousarray(np.nan_to_num(points_px, nan=-1e6), dtype=np.float64)
    return Spans(*prism_spans(points_px, height))


def joined(first: Spans, second: Spans) -> Spans:
    """Spans of the union of two overlapping solids (the parts of one plateau), row by row."""
    top = np.minimum(first.top, second.top)
    rows = int(max((s.top - top).max(initial=0) + s.left.shape[1] for s in (first, second)))
    left, right = np.full((len(top), rows), np.inf), np.full((len(top), rows), -np.inf)
    each = np.arange(len(top))[:, None]
    for spans in (first, second):
        at = (spans.top - top)[:, None] + np.arange(spans.left.shape[1])
        left[each, at] = np.minimum(left[each, at], spans.left)
        right[each, at] = np.maximum(right[each, at], spans.right)
    return Spans(top, left, right)


def spans_of_parts(view: CameraView, parts: Sequence[Floats]) -> Spans:
    """Spans of the unions of N solids; each of `parts` is (N, 2, n, 3)."""
    spans = [spans_of(view.project(part), view.height) for part in parts]
    whole = spans[0]
    for more in spans[1:]:
        whole = joined(whole, more)
    return whole


def running_sum(values: Maps) -> Floats:
    """(height, width + 1): column x holds the sum of the row's values left of pixel x."""
    total = np.zeros((values.shape[0], values.shape[1] + 1))
    np.cumsum(values, axis=1, out=total[:, 1:], dtype=np.float64)
    return total


def sums_within(total: Floats, spans: Spans) -> Floats:
    """Sum (N,) of a map over each silhouette, from its `running_sum`; border pixels count by the share that is covered."""
    return span_sums(total, spans.top, np.ascontiguousarray(spans.left), np.ascontiguousarray(spans.right))


@dataclass(frozen=True, eq=False)
class Patch:
    """The pixels of one silhouette: `inside` within the box whose upper left corner is (x0, y0)."""

    x0: int
    y0: int
    inside: Bools

    @property
    def box(self) -> tuple[slice, slice]:
        return slice(self.y0, self.y0 + self.inside.shape[0]), slice(self.x0, self.x0 + self.inside.shape[1])


def patch_of(spans: Spans, width: int) -> Patch:
    """Pixels whose centre lies in the first silhouette of `spans`, cropped to the picture."""
    left, right = np.ceil(spans.left[0]), np.floor(spans.right[0])
    some = right >= left
    if not some.any():
        return Patch(0, 0, np.zeros((0, 0), dtype=np.bool_))
    x0 = int(np.clip(left[some].min(), 0, width))
    x1 = int(np.clip(right[some].max() + 1, x0, width))
    x = np.arange(x0, x1)
    return Patch(x0, int(spans.top[0]), (x >= left[:, None]) & (x <= right[:, None]))


# ---------------------------------------------------------------- the tower's solids in order

Key = Column | Floor
"""What an item is: a column, or a plateau (`Floor.GROUND`: the base)."""


def code_of(profile: Profile, key: Key) -> int:
    """A number for an item that is the same in every scene of this set."""
    return int(key) if isinstance(key, Floor) else len(Floor) + profile.pieces.columns.index(key)


@dataclass(frozen=True, eq=False)
class Item:
    """One solid of the tower: what it is, its paint, its layer from the base up, where it stands, and its convex parts (2, n, 3)."""

    key: Key
    code: int
    label: Label
    layer: float
    place_mm: tuple[float, float]
    parts: tuple[Floats, ...]


def column_layer(floor: Floor, raised_mm: float = 0.0) -> float:
    """Layer of a column whose foot is `raised_mm` above its floor: one stacked on another (B8) lies above it."""
    return 2.0 * floor + (0.5 if raised_mm > 30.0 else 0.0)


def plateau_layer(plateau: Floor) -> float:
    return 2.0 * plateau - 1.0


def column_item(profile: Profile, tower: Tower, standing: Standing) -> Item:
    layer = column_layer(standing.floor, standing.z_mm - floor_z_mm(profile, tower, standing.floor))
    label = Label.of_colour(standing.column.colour)
    return Item(
        standing.column, code_of(profile, standing.column), label, layer, (standing.x_mm, standing.y_mm), (column_prism(profile, standing),)
    )


def plateau_item(profile: Profile, laid: Laid) -> Item:
    parts = plateau_prisms(profile, laid)
    place = (laid.x_mm, laid.y_mm)
    return Item(laid.plateau, int(laid.plateau), Label.of_plateau(laid.plateau), plateau_layer(laid.plateau), place, parts)


def items_of(profile: Profile, tower: Tower) -> tuple[Item, ...]:
    """The base, the plateaus and the columns of a tower."""
    base = Item(Floor.GROUND, int(Floor.GROUND), Label.BASE, -1.0, (0.0, 0.0), (base_prism(profile),))
    plateaus = tuple(plateau_item(profile, laid) for laid in tower.plateaus)
    return (base, *plateaus, *(column_item(profile, tower, standing) for standing in tower.columns))


class Stage:
    """One view with its rays: rasters of solids and the depth order among them."""

    def __init__(self, view: CameraView) -> None:
        self.view = view
        self.down = view.looks_down()
        self.eye_mm = view.eye_mm
        self.shape = (view.height, view.width)

    def nearness(self, place_mm: npt.ArrayLike) -> Floats:
        """Larger for what stands nearer (..., 2) -> (...); spans less than the step between two layers."""
        away = np.asarray(place_mm) - self.eye_mm[:2]
        return np.asarray(4.0 - np.sqrt(away[..., 0] * away[..., 0] + away[..., 1] * away[..., 1]) / 1000.0)

    def patch(self, item: Item) -> Patch:
        return patch_of(spans_of_parts(self.view, [part[None] for part in item.parts]), self.view.width)

    def depth(self, box: tuple[slice, slice], layer: float, place_mm: tuple[float, float]) -> Maps:
        """How far in front (larger: nearer) an item of this layer and place is, for the pixels of a box."""
        return np.asarray(self.down[box] * np.float32(10 * layer) + np.float32(self.nearness(place_mm)), dtype=np.float32)


NOTHING = -1
"""Code of a pixel that shows no item. By design: no item has a negative code."""


class Scene:
    """What each pixel of a stage shows: `code` of the item (NOTHING: none) and its `front` depth. Items are rastered once."""

    def __init__(self, stage: Stage, items: Iterable[Item], patches: Mapping[int, Patch] | None = None) -> None:
        self.stage = stage
        self.items = {item.code: item for item in items}
        self.patches: dict[int, Patch] = {} if patches is None else dict(patches)
        self.code: Codes = np.full(stage.shape, NOTHING, dtype=np.int16)
        self.front: Maps = np.full(stage.shape, -np.inf, dtype=np.float32)
        for item in self.items.values():
            self._draw(item)

    def _draw(self, item: Item, only: Bools | None = None) -> None:
        patch = self.patches.get(item.code)
        if patch is None:
            patch = self.patches[item.code] = self.stage.patch(item)
        if not patch.inside.size:
            return
        box, layer, near = patch.box, np.float32(10 * item.layer), np.float32(self.stage.nearness(item.place_mm))
        if only is None:
            draw(self.code[box], self.front[box], self.stage.down[box], patch.inside, item.code, layer, near)
        else:
            draw_in(self.code[box], self.front[box], self.stage.down[box], patch.inside, only[box], item.code, layer, near)

    def labels(self) -> npt.NDArray[np.uint8]:
        """The paint of every pixel (height, width) as `Label`."""
        return self.labels_of(self.code)

    def labels_of(self, codes: Codes) -> npt.NDArray[np.uint8]:
        """The paint of pixels with these codes, in their shape."""
        return self.paints()[codes]

    def paints(self) -> npt.NDArray[np.uint8]:
        """The paint of every code (256,); `NOTHING` is the last."""
        table = np.full(256, Label.OTHER, dtype=np.uint8)
        for code, item in self.items.items():
            table[code] = item.label
        return table

    def without(self, *codes: int) -> Scene:
        """The same scene with these items taken away. Only the pixels that showed them are drawn again."""
        rest = Scene(self.stage, (), self.patches_but(*codes))
        rest.items = {code: item for code, item in self.items.items() if code not in codes}
        hole = self.code == codes[0]
        for code in codes[1:]:
            hole |= self.code == code
        rest.code, rest.front = self.code.copy(), self.front.copy()
        rest.code[hole], rest.front[hole] = NOTHING, -np.inf
        rows, columns = np.nonzero(hole.any(1))[0], np.nonzero(hole.any(0))[0]
        if not len(rows):
            return rest
        for item in rest.items.values():
            y, x = rest.patches[item.code].box
            if y.start <= rows[-1] and rows[0] < y.stop and x.start <= columns[-1] and columns[0] < x.stop:
                rest._draw(item, hole)
        return rest

    def plus(self, item: Item) -> Scene:
        """The same scene with one more item."""
        more = Scene(self.stage, (), self.patches)
        more.items = {**self.items, item.code: item}
        more.patches.pop(item.code, None)
        more.code, more.front = self.code.copy(), self.front.copy()
        more._draw(item)
        return more

    def with_item(self, item: Item) -> Scene:
        """The same scene with one more item, in front of and behind the others as it stands."""
        more = Scene(self.stage, (), self.patches_but(item.code))
        more.items = {**self.items, item.code: item}
        more.code, more.front = self.code.copy(), self.front.copy()
        more._draw(item)
        return more

    def patches_but(self, *codes: int) -> dict[int, Patch]:
        return {code: patch for code, patch in self.patches.items() if code not in codes}

    def visible(self, code: int) -> Bools:
        """Pixels (height, width) that show this item."""
        return np.asarray(self.code == code)
