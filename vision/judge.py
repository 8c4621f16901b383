"""Which of the things that could have happened did: every hypothesis re-fitted to the pictures and weighed, none trusted blindly.

The pictures' sum over pixels (see `vision.evidence`) says how well a tower explains what changed. Each hypothesis gives such a tower, with
the place of what moved found by search and the bystanders re-fitted once for all. Sums over thousands of dependent pixels are far too sure
of themselves, so they are tempered. *None of these* is what remains if changed pixels that no hypothesis explains form lumps as large as a
column; *fallen* needs besides that a plateau is not seen where it lay.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import cv2
import msgspec
import numpy as np
import numpy.typing as npt

from rig.messages import (
    Added,
    Fallen,
    Hypothesis,
    Judge,
    Judged,
    Moved,
    NoneOfThese,
    Nothing,
    Opinion,
    PlateauLaid,
    Removed,
    Standing,
    Tower,
)
from rig.pieces import Colour, Column, Floor, Shape
from rig.profile import Profile
from vision.evidence import Evidence, Settled, Under
from vision.faults import picture_fault
from vision.laying import find_laid
from vision.places import FloorSearch, Place
from vision.refit import refit_bystanders
from vision.silhouettes import Label, Scene, code_of, column_item, items_of, plateau_item

Picture = npt.NDArray[np.uint8]

TEMPER = 0.02
"""Nats of the answer per nat of the pixels' sum: neighbouring pixels err together (a whole edge, a whole shadow)."""

LUMP_MM2 = 60.0
"""Lumps of unexplained change below this area are blurred edges and specks."""

STRANGE_COST = 300.0
"""What one has to pay, in the pixels' sum, for "something else happened": about a fifth of a thin column's side."""

IMPOSSIBLE = 100.0
"""Nats against a hypothesis that no tower fits: a column that does not stand, a kind of which none is left."""

SEARCH_COST = 200.0
"""What a found place costs: the best of a thousand places always gains a little, above all where nobody can see."""

GONE_SHARE = 0.35
"""A plateau of whose visible area less than this is found in its place has fallen."""


@dataclass(frozen=True, slots=True)
class Weighed:
    """A hypothesis's tower, its scenes and the pictures' sum."""

    tower: Tower
    scenes: tuple[Scene, ...]
    total: float


@dataclass(frozen=True, slots=True)
class Residue:
    """Changed pixels that a tower leaves unexplained: their lumps' area (mm², all cameras' mean) and what explaining them would gain."""

    area_mm2: float
    gain: float


class Bench:
    """All that one judgement needs: the cameras' evidence, the re-fitted tower, and the searches that hypotheses share."""

    def __init__(self, profile: Profile, evidences: Sequence[Evidence], tower: Tower) -> None:
        self.profile, self.evidences, self.believed = profile, tuple(evidences), tower
        self.tower, self.scenes = refit_bystanders(profile, evidences, tower, [evidence.before for evidence in evidences])
        self.unders = tuple(Under.of(evidence, scene) for evidence, scene in zip(self.evidences, self.scenes, strict=True))
        self.still = Weighed(self.tower, self.scenes, sum(under.total for under in self.unders))
        self._searches: dict[Floor, FloorSearch] = {}
        self._places: dict[tuple[Floor, Colour, Shape, tuple[float, float] | None], tuple[Place, ...]] = {}
        self._without: dict[Column, tuple[Under, ...]] = {}

    def without(self, column: Column) -> tuple[Under, ...]:
        if column not in self._without:
            code = code_of(self.profile, column)
            self._without[column] = tuple(under.instead(under.scene.without(code)) for under in self.unders)
        return self._without[column]

    def places(self, column: Column, floor: Floor, near_mm: tuple[float, float] | None) -> tuple[Place, ...]:
        """Good places for a column that looks like `column`; found once for all that look alike."""
        key = (floor, column.colour, column.shape, near_mm)
        if key not in self._places:
            if floor not in self._searches:
                self._searches[floor] = FloorSearch(self.profile, self.tower, floor, self.unders)
            self._places[key] = self._searches[floor].best(column, near_mm=near_mm)
        return self._places[key]

    def _stood(self, unders: Sequence[Under], rest: Tower, standing: Standing) -> Weighed:
        item = column_item(self.profile, rest, standing)
        total = sum(under.total + under.gain(item) for under in unders)
        return Weighed(Tower((*rest.columns, standing), rest.plateaus), (), total - SEARCH_COST)

    def removed(self, column: Column) -> Weighed | None:
        if self.tower.find(column) is None:
            return None
        unders = self.without(column)
        rest = Tower(tuple(standing for standing in self.tower.columns if standing.column != column), self.tower.plateaus)
        return Weighed(rest, tuple(under.scene for under in unders), sum(under.total for under in unders) - SEARCH_COST / 2)

    def moved(self, column: Column, floor: Floor) -> Weighed | None:
        gone = self.removed(column)
        if gone is None:
            return None
        tries = [
            self._stood(self.without(column), gone.tower, msgspec.structs.replace(place.standing, column=column))
            for place in self.places(column, floor, None)
        ]
        return max(tries, key=lambda weighed: weighed.total, default=None)

    def added(self, column: Column, floor: Floor, near_mm: tuple[float, float] | None) -> Weighed | None:
        spare = self._spare(column)
        if spare is None:
            return None
        tries = [
            self._stood(self.unders, self.tower, msgspec.structs.replace(place.standing, column=spare))
            for place in self.places(spare, floor, near_mm)
        ]
        return max(tries, key=lambda weighed: weighed.total, default=None)

    def _spare(self, column: Column) -> Column | None:
        """A column of the box that looks like `column` and does not stand yet."""
        standing = {standing.column for standing in self.tower.columns}
        if column not in standing and column in self.profile.pieces.columns:
            return column
        return next((other for other in self.profile.pieces.columns if other.kind == column.kind and other not in standing), None)

    def laid(self, plateau: Floor, near_mm: tuple[float, float] | None) -> Weighed | None:
        if any(laid.plateau is plateau for laid in self.tower.plateaus):
            return None
        lay = find_laid(self.profile, self.tower, plateau, self.unders, near_mm)
        if lay is None:
            return None
        item = plateau_item(self.profile, lay.laid)
        total = sum(under.total + under.gain(item) for under in self.unders)
        return Weighed(Tower(self.tower.columns, (*self.tower.plateaus, lay.laid)), (), total - SEARCH_COST)

    def weigh(self, hypothesis: Hypothesis) -> Weighed | None:
        match hypothesis:
            case Nothing():
                return self.still
            case Moved(column=column, floor=floor):
                return self.moved(column, floor)
            case Added(column=column, floor=floor, near_x_mm=x, near_y_mm=y):
                return self.added(column, floor, None if x is None or y is None else (x, y))
            case Removed(column=column):
                return self.removed(column)
            case PlateauLaid(plateau=plateau, near_x_mm=x, near_y_mm=y):
                return self.laid(plateau, None if x is None or y is None else (x, y))
            case _:
                return None

    def refitted(self, weighed: Weighed) -> Weighed:
        """The same hypothesis with its bystanders fitted once more from where they were believed, now that what is new stands in its place.

        Fitted without it, a column of the same paint may have run to the new one's pixels. The better of the two fits is returned.
        """
        fitted = {standing.column: standing for standing in self.tower.columns}
        believed = {standing.column: standing for standing in self.believed.columns}
        new = [standing for standing in weighed.tower.columns if fitted.get(standing.column) != standing]
        old = [believed[standing.column] for standing in weighed.tower.columns if fitted.get(standing.column) == standing]
        laid = [one for one in weighed.tower.plateaus if one not in self.tower.plateaus]
        start = Tower((*old, *new), (*self.believed.plateaus, *laid))
        scenes = [Scene(evidence.stage, items_of(self.profile, start)) for evidence in self.evidences]
        but: list[Column | Floor] = [standing.column for standing in new]
        but += [one.plateau for one in laid]
        tower, scenes_now = refit_bystanders(self.profile, self.evidences, start, scenes, but)
        total = sum(Under.of(evidence, scene).total for evidence, scene in zip(self.evidences, scenes_now, strict=True))
        again = Weighed(tower, scenes_now, total - (SEARCH_COST if new or laid else SEARCH_COST / 2))
        return again if again.total > weighed.total else weighed

    def scenes_of(self, weighed: Weighed) -> tuple[Scene, ...]:
        if weighed.scenes:
            return weighed.scenes
        return tuple(Scene(evidence.stage, items_of(self.profile, weighed.tower)) for evidence in self.evidences)

    def residue(self, scenes: Sequence[Scene]) -> Residue:
        """What these scenes leave unexplained, in lumps."""
        area = gain = 0.0
        for evidence, scene in zip(self.evidences, scenes, strict=True):
            value = evidence.values(scene)
            bad = ((value < -1.2) & (value > -np.inf)).astype(np.uint8)
            bad = np.asarray(cv2.morphologyEx(bad, cv2.MORPH_OPEN, np.ones((3, 3), np.uint8)), dtype=np.uint8)
            count, lumps, stats, _ = cv2.connectedComponentsWithStats(bad, connectivity=8)
            sizes = stats[:, cv2.CC_STAT_AREA] * evidence.mm2
            big = np.nonzero(sizes >= LUMP_MM2)[0]
            big = big[big != 0]
            if count > 1 and len(big):
                area += float(sizes[big].sum())
                gain += float(-value[np.isin(lumps, big)].sum(dtype=np.float64))
        return Residue(area / max(len(self.evidences), 1), gain)

    def plateaus_seen(self) -> tuple[float, ...]:
        """For each plateau, the share of its visible pixels that still show it (1 where none is visible)."""
        shares = []
        for laid in self.tower.plateaus:
            seen = found = 0.0
            for evidence, scene in zip(self.evidences, self.scenes, strict=True):
                there = scene.code == int(laid.plateau)
                kept = (evidence.same[there] > 0) | (evidence.changed[Label.of_plateau(laid.plateau)][there] > 1.0)
                seen += float(there.sum())
                found += float(kept.sum())
            shares.append(found / seen if seen >= 30 else 1.0)
        return tuple(shares)


def _evidences(request: Judge, frames: Mapping[int, Picture], profile: Profile) -> tuple[list[Evidence], str]:
    """The evidence of every camera whose two pictures can be used, and what is wrong with the others."""
    evidences, complaints = [], []
    for before, after, pose in zip(request.before, request.after, request.poses, strict=True):
        was, now = frames.get(before), frames.get(after)
        if was is None or now is None:
            complaints.append(f"Camera {pose.camera}'s pictures {before} and {after} are not at hand.")
            continue
        fault = picture_fault(was, profile.camera(pose.camera)) or picture_fault(now, profile.camera(pose.camera))
        if fault:
            complaints.append(fault)
        else:
            evidences.append(Settled.of(profile, request.tower, pose, was).against(now))
    return evidences, " ".join(complaints)


def _opinions(
    hypotheses: Sequence[Hypothesis], weighed: Sequence[Weighed | None], best: Weighed, residue: Residue, gone: bool
) -> tuple[Opinion, ...]:
    """Tempered log likelihoods, the best 0, in the order of the hypotheses; `gone`: a plateau is not seen in its place."""
    strange = best.total + residue.gain - STRANGE_COST
    totals: list[float] = []
    for hypothesis, one in zip(hypotheses, weighed, strict=True):
        match hypothesis:
            case NoneOfThese():
                totals.append(strange)
            case Fallen():
                totals.append(strange + (STRANGE_COST if gone else -STRANGE_COST))
            case _:
                totals.append(best.total - IMPOSSIBLE / TEMPER if one is None else one.total)
    top = max(totals, default=0.0)
    return tuple(
        Opinion(round(TEMPER * (total - top), 4), None if one is None else one.tower) for total, one in zip(totals, weighed, strict=True)
    )


def judge(request: Judge, frames: Mapping[int, Picture], profile: Profile) -> Judged:
    """The answer to `Judge`. `frames` holds the decoded pictures (BGR, full size) by message number."""
    evidences, complaints = _evidences(request, frames, profile)
    if not evidences:
        return Judged(
            id=request.id,
            opinions=tuple(Opinion(0.0, None) for _ in request.hypotheses),
            fit=0.0,
            unexplained_mm2=0.0,
            plateaus_seen=tuple(1.0 for _ in request.tower.plateaus),
            cameras=0,
            sentence=complaints or "No camera's pose is known yet: nothing can be judged.",
        )
    bench = Bench(profile, evidences, request.tower)
    weighed = [bench.weigh(hypothesis) for hypothesis in request.hypotheses]
    best = max((one for one in weighed if one is not None), key=lambda one: one.total, default=bench.still)
    residue = bench.residue(bench.scenes_of(best))
    if residue.area_mm2 and best is not bench.still:
        better = bench.refitted(best)
        weighed = [better if one is best else one for one in weighed]
        best, residue = better, bench.residue(bench.scenes_of(better))
    seen = bench.plateaus_seen()
    changed = sum(float((evidence.same < -1.2).sum()) * evidence.mm2 for evidence in evidences) / len(evidences)
    return Judged(
        id=request.id,
        opinions=_opinions(request.hypotheses, weighed, best, residue, min(seen, default=1.0) < GONE_SHARE),
        fit=round(1.0 - residue.area_mm2 / max(changed, residue.area_mm2, 400.0), 4),
        unexplained_mm2=round(residue.area_mm2, 1),
        plateaus_seen=tuple(round(share, 4) for share in seen),
        cameras=len(evidences),
        sentence=complaints,
    )
