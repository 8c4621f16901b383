"""Every hypothesis as a tower, re-fitted to the pictures, with the pictures' sum for it: what `vision.change.judge` compares.

All hypotheses of one judgement share the cameras' evidence, the re-fitted bystanders and the searches for places (`HypothesisScorer`);
several things at once are put together from the same parts in `vision.change.composite`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import cv2
import msgspec
import numpy as np
import numpy.typing as npt

from rig.messages import Standing, Tower
from rig.pieces import Colour, Column, Floor, Shape
from rig.profile import Profile
from vision.arrays import Bools, Maps
from vision.change.column_placement import best_places
from vision.change.disocclusion import like_what_lies_round
from vision.change.evidence import BACKGROUND_CUT, BackgroundScore, PixelEvidence
from vision.change.floor_search import FloorSearch, FoundColumn
from vision.change.plateau_placement import find_laid
from vision.change.refit import STAY_PER_MM2, refit_bystanders
from vision.change.tunables import LUMP_MM2
from vision.scene.silhouettes import Label, Scene, code_of, column_item, items_of, plateau_item

UNEXPLAINED = -1.2
"""Value (nats) below which a pixel counts as unexplained. Set by hand on tuning seeds; not measured on a spread of rooms."""

UNCOVERED = -2.5
"""The same where a column is no longer and a plateau or the base should show: nobody saw that spot's light before, often deep shade. Set
by hand on single pairs that were told wrong; not measured on a spread of rooms. `tests/vision/test_unlisted.py` holds what it is for."""

PAINTED = 1.5
"""Value (nats) from which a changed pixel of the background shows a piece's paint. Set by hand on tuning seeds; not measured on a spread
of rooms."""

OWN_SHARE, OWN_MOST, FOOT_MOST = 0.75, 0.08, 0.25
"""A lump is a new column's own with the first share of its pixels, and a small part of it up to the second share of the column's; up to
the third at its foot, where what it stands on throws coloured light on it and mirrors it. Set by hand on single pairs that were told
wrong; not measured on a spread of rooms. `tests/vision/test_uncovered.py` holds what it is for."""

MIRRORED = 0.2
"""How far below its foot a column is mirrored, as a share of its height. Physics: a glossy plate mirrors what stands on it. How far is
set by hand on a single pair that was told wrong; not measured on a spread of rooms."""

FOOT_FROM = 0.4
"""Where a column's foot begins, as a share of its visible height from above. By design: the plate's glow fades within half a column. The
share itself is set by hand; not measured on a spread of rooms."""

STOOD_SHARE = 0.5
"""A column stood there before if at least this share of its pixels showed it before. By design: the larger part."""

BESIDE_SHARE = 0.95
"""A background pixel counts as changed from this share of `BACKGROUND_CUT` on. By design: cut values all but reach it."""

LUMP_MOST = 2.5
"""A lump of paint in the background is a column's up to this many of its largest sides. By design: nearer to the camera than the tower a
column looks half as large again each way (1.5 squared), and a little more."""

SEARCH_COST = 200.0
"""What a found place costs: the best of a thousand places always gains a little, above all where nobody can see. Set by hand on tuning
seeds; not measured on a spread of rooms. Bounded by `tests/vision/test_tunables.py`."""

STRAYED_MOST = 400.0
"""Most that a column gone is spared for having strayed: ten millimetres. A column that goes so far by itself and ends behind another is
rarer than one that is gone. Lower: what fell where nobody looks is believed to have slid out of sight. Set by hand on single pairs
that were told wrong; not measured on a spread of rooms. Derived: `STAY_PER_MM2` times (10 mm)²."""


@dataclass(frozen=True, slots=True)
class Scored:
    """A hypothesis's tower and the pictures' sum under it, `cost` for what was searched already taken off.

    `scenes`, one a camera, where they are at hand (else empty); `excused`, one a camera or empty: changed pixels that the hypothesis
    explains though its tower does not show them.
    """

    tower: Tower
    scenes: tuple[Scene, ...]
    total: float
    cost: float = 0.0
    excused: tuple[Bools, ...] = ()


@dataclass(frozen=True, slots=True)
class Residue:
    """Changed pixels that a tower leaves unexplained: their lumps' area (mm², all cameras' mean) and what explaining them would gain."""

    area_mm2: float
    gain: float


def less(tower: Tower, *columns: Column) -> Tower:
    """The tower with these columns gone."""
    return Tower(tuple(standing for standing in tower.columns if standing.column not in columns), tower.plateaus)


def unexplained(evidence: PixelEvidence, scene: Scene, value: Maps, most_mm2: float) -> npt.NDArray[np.uint8]:
    """1 where a pixel's value (h, w) says that it shows something else than `scene`, specks left out; `most_mm2`: the largest side of a
    column.

    What lies behind the tower may change by itself, so a changed pixel beside it says little (`BACKGROUND_CUT`); but where it newly shows
    one paint of the pieces in a lump of a column's size, a column nobody has thought of stands or lies there.
    """
    uncovered = (evidence.before.code >= len(Floor)) & (scene.code < len(Floor))
    strange = value < np.where(uncovered, np.float32(UNCOVERED), np.float32(UNEXPLAINED))
    strange &= ~like_what_lies_round(evidence, scene, strange & uncovered)
    return _opened(strange) | _painted_lumps(evidence, value, most_mm2)


def _opened(mask: Bools) -> npt.NDArray[np.uint8]:
    """The mask without what is less than three pixels wide."""
    return np.asarray(cv2.morphologyEx(mask.astype(np.uint8), cv2.MORPH_OPEN, np.ones((3, 3), np.uint8)), dtype=np.uint8)


def _painted_lumps(evidence: PixelEvidence, value: Maps, most_mm2: float) -> npt.NDArray[np.uint8]:
    """1 where the background newly shows one paint of the pieces in a lump between twice `LUMP_MM2` and `LUMP_MOST` columns' sides."""
    beside = (value <= -BESIDE_SHARE * BACKGROUND_CUT) & (value >= UNEXPLAINED)
    lumpy = np.zeros(value.shape, np.uint8)
    for colour in Colour:
        paint = evidence.newly(Label.of_colour(colour), beside, PAINTED)
        if int(paint.sum()) * evidence.mm2 < 2 * LUMP_MM2:
            continue
        _, lumps, stats, _ = cv2.connectedComponentsWithStats(_opened(paint), connectivity=8)
        sizes = stats[:, cv2.CC_STAT_AREA] * evidence.mm2
        sizes[0] = 0.0
        lumpy |= ((sizes >= 2 * LUMP_MM2) & (sizes <= LUMP_MOST * most_mm2))[lumps].astype(np.uint8)
    return lumpy


def own_light(evidence: PixelEvidence, scene: Scene, lump: Bools) -> bool:
    """Whether a lump (h, w) is a small part of a column that newly stands, such as its top in the sun or its foot in a blue plate's glow:
    whatever light falls there, it explains."""
    codes, counts = np.unique(scene.code[lump & (scene.code >= len(Floor))], return_counts=True)
    if not codes.size:
        return False
    shown = scene.code == int(codes[counts.argmax()])
    if float((evidence.before.code[shown] == scene.code[shown]).mean()) >= STOOD_SHARE:
        return False
    size, whole = int(lump.sum()), int(shown.sum())
    if int((lump & shown).sum()) >= OWN_SHARE * size and size <= OWN_MOST * whole:
        return True
    return int((lump & _foot(shown)).sum()) >= OWN_SHARE * size and size <= FOOT_MOST * whole


def _foot(shown: Bools) -> Bools:
    """Where a column (its pixels `shown`) has its foot, and is mirrored below it by a glossy plate."""
    rows = np.flatnonzero(shown.any(1))
    foot = shown.copy()
    for shift in range(1, round(MIRRORED * len(rows)) + 1):
        foot[shift:] |= shown[:-shift]
    foot[: rows[0] + round(FOOT_FROM * len(rows))] = False
    return foot


class HypothesisScorer:
    """All that one judgement needs: the cameras' evidence, the re-fitted tower, and the searches that hypotheses share."""

    def __init__(self, profile: Profile, evidences: Sequence[PixelEvidence], tower: Tower) -> None:
        self.profile, self.evidences, self.believed = profile, tuple(evidences), tower
        self.tower, self.scenes = refit_bystanders(profile, evidences, tower, [evidence.before for evidence in evidences])
        self.backgrounds = tuple(BackgroundScore.of(evidence, scene) for evidence, scene in zip(self.evidences, self.scenes, strict=True))
        self.still = Scored(self.tower, self.scenes, sum(background.total for background in self.backgrounds))
        self.side_mm2 = max(2 * size.radius_mm * size.height_mm for size in profile.columns.values())
        self._searches: dict[Floor, FloorSearch] = {}
        self._places: dict[tuple[Floor, Colour, Shape, tuple[float, float] | None], tuple[FoundColumn, ...]] = {}
        self._without: dict[Column, tuple[BackgroundScore, ...]] = {}

    def without(self, column: Column) -> tuple[BackgroundScore, ...]:
        if column not in self._without:
            code = code_of(self.profile, column)
            self._without[column] = tuple(background.instead(background.scene.without(code)) for background in self.backgrounds)
        return self._without[column]

    def places(self, column: Column, floor: Floor, near_mm: tuple[float, float] | None) -> tuple[FoundColumn, ...]:
        """Good places for a column that looks like `column`; found once for all that look alike."""
        key = (floor, column.colour, column.shape, near_mm)
        if key not in self._places:
            if floor not in self._searches:
                self._searches[floor] = FloorSearch(self.profile, self.tower, floor, self.backgrounds)
            self._places[key] = best_places(self._searches[floor], self.backgrounds, self.tower, column, near_mm)
        return self._places[key]

    def strayed(self, column: Column) -> float:
        """The price of how far the re-fit moved this bystander: a column of which a sliver was seen may have gone, or but hidden itself.

        Whoever says that it is gone need not say that it strayed, and is spared that. What its plateau carried it along costs nothing.
        """
        believed, now = self.believed.find(column), self.tower.find(column)
        if believed is None or now is None or believed == now:
            return 0.0
        shift = np.array((now.x_mm - believed.x_mm, now.y_mm - believed.y_mm))
        for was, lies in zip(self.believed.plateaus, self.tower.plateaus, strict=True):
            if lies.plateau is now.floor:
                shift -= (lies.x_mm - was.x_mm, lies.y_mm - was.y_mm)
        return float(min(STAY_PER_MM2 * (shift**2).sum(), STRAYED_MOST))

    def _stood(self, backgrounds: Sequence[BackgroundScore], rest: Tower, standing: Standing) -> Scored:
        item = column_item(self.profile, rest, standing)
        total = sum(background.total + background.gain(item) for background in backgrounds)
        cost = SEARCH_COST - self.strayed(standing.column)
        return Scored(Tower((*rest.columns, standing), rest.plateaus), (), total - cost, cost)

    def removed(self, column: Column) -> Scored | None:
        if self.tower.find(column) is None:
            return None
        backgrounds = self.without(column)
        cost = SEARCH_COST / 2 - self.strayed(column)
        total = sum(background.total for background in backgrounds) - cost
        return Scored(less(self.tower, column), tuple(background.scene for background in backgrounds), total, cost)

    def moved(self, column: Column, floor: Floor) -> Scored | None:
        gone = self.removed(column)
        if gone is None:
            return None
        tries = [
            self._stood(self.without(column), gone.tower, msgspec.structs.replace(place.standing, column=column))
            for place in self.places(column, floor, None)
        ]
        return max(tries, key=lambda scored: scored.total, default=None)

    def added(self, column: Column, floor: Floor, near_mm: tuple[float, float] | None) -> Scored | None:
        spare = self._spare(column)
        if spare is None:
            return None
        tries = [
            self._stood(self.backgrounds, self.tower, msgspec.structs.replace(place.standing, column=spare))
            for place in self.places(spare, floor, near_mm)
        ]
        return max(tries, key=lambda scored: scored.total, default=None)

    def _spare(self, column: Column) -> Column | None:
        """A column of the box that looks like `column` and does not stand yet."""
        standing = {standing.column for standing in self.tower.columns}
        if column not in standing and column in self.profile.pieces.columns:
            return column
        return next((other for other in self.profile.pieces.columns if other.kind == column.kind and other not in standing), None)

    def laid(self, plateau: Floor, near_mm: tuple[float, float] | None) -> Scored | None:
        if any(laid.plateau is plateau for laid in self.tower.plateaus):
            return None
        lay = find_laid(self.profile, self.tower, plateau, self.backgrounds, near_mm)
        if lay is None:
            return None
        item = plateau_item(self.profile, lay.laid)
        total = sum(background.total + background.gain(item) for background in self.backgrounds)
        return Scored(Tower(self.tower.columns, (*self.tower.plateaus, lay.laid)), (), total - SEARCH_COST, SEARCH_COST)

    def refitted(self, scored: Scored) -> Scored:
        """The same hypothesis with its bystanders fitted once more from where they were believed, now that what is new stands in its place.

        Fitted without it, a column of the same paint may have run to the new one's pixels. The better of the two fits is returned.
        """
        fitted = {standing.column: standing for standing in self.tower.columns}
        believed = {standing.column: standing for standing in self.believed.columns}
        new = [standing for standing in scored.tower.columns if fitted.get(standing.column) != standing]
        old = [believed[standing.column] for standing in scored.tower.columns if fitted.get(standing.column) == standing]
        laid = [one for one in scored.tower.plateaus if one not in self.tower.plateaus]
        start = Tower((*old, *new), (*self.believed.plateaus, *laid))
        scenes = [Scene(evidence.stage, items_of(self.profile, start)) for evidence in self.evidences]
        but: list[Column | Floor] = [standing.column for standing in new]
        but += [one.plateau for one in laid]
        tower, scenes_now = refit_bystanders(self.profile, self.evidences, start, scenes, but)
        total = sum(BackgroundScore.of(evidence, scene).total for evidence, scene in zip(self.evidences, scenes_now, strict=True))
        again = Scored(tower, scenes_now, total - scored.cost, scored.cost)
        return again if again.total > scored.total else scored

    def scenes_of(self, scored: Scored) -> tuple[Scene, ...]:
        if scored.scenes:
            return scored.scenes
        return tuple(Scene(evidence.stage, items_of(self.profile, scored.tower)) for evidence in self.evidences)

    def residue(self, scored: Scored) -> Residue:
        """What a hypothesis leaves unexplained, in lumps."""
        area = gain = 0.0
        for number, (evidence, scene) in enumerate(zip(self.evidences, self.scenes_of(scored), strict=True)):
            value = evidence.values(scene)
            bad = unexplained(evidence, scene, value, self.side_mm2)
            if scored.excused:
                bad[scored.excused[number]] = 0
            count, lumps, stats, _ = cv2.connectedComponentsWithStats(bad, connectivity=8)
            sizes = stats[:, cv2.CC_STAT_AREA] * evidence.mm2
            big = np.nonzero(sizes >= LUMP_MM2)[0]
            big = np.array([lump for lump in big if lump and not own_light(evidence, scene, lumps == lump)], dtype=np.intp)
            if count > 1 and len(big):
                area += float(sizes[big].sum())
                strange = np.isin(lumps, big)
                painted = evidence.changed[: Label.BASE, strange].max(0)
                gain += float(np.maximum(-value[strange], np.where(value[strange] >= UNEXPLAINED, painted, 0.0)).sum(dtype=np.float64))
        return Residue(area / max(len(self.evidences), 1), gain)

    def plateaus_seen(self) -> tuple[float, ...]:
        """For each plateau, the share of its visible pixels that still show it (1 where none is visible)."""
        return tuple(self._found([(int(laid.plateau), Label.of_plateau(laid.plateau))]) for laid in self.tower.plateaus)

    def carriers_seen(self) -> tuple[float, ...]:
        """For each plateau, the same of all columns of the floor below together."""
        below = [self.tower.on(Floor(laid.plateau - 1)) for laid in self.tower.plateaus]
        return tuple(self._found([(code_of(self.profile, s.column), Label.of_colour(s.column.colour)) for s in floor]) for floor in below)

    def _found(self, items: Sequence[tuple[int, Label]]) -> float:
        """The share of the pixels of these items (codes and paints) that still show them."""
        seen = found = 0
        for evidence, scene in zip(self.evidences, self.scenes, strict=True):
            for code, label in items:
                there = scene.code == code
                kept = (evidence.same[there] > 0) | (evidence.changed[label][there] > 1.0)
                seen += int(there.sum())
                found += int(kept.sum())
        return found / seen if seen >= 30 else 1.0
