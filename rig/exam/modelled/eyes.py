"""What the eyes would have answered: judgements, searches and readings drawn from what was so between the pictures asked about.

The eyes know columns by where they stand: a name in the believed tower means whatever truly stood in that place. So a raise charged to the
wrong one of two alike stays wrong in later looks, as with real pictures. Asking the same pictures again gives the same answer, whatever
else is in the list.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence

import msgspec
import numpy as np

from rig.exam.modelled.likelihoods import Eyes, Likelihoods, Margin
from rig.exam.modelled.relations import SAME_MM, Change, Claim, Names, apart_mm, change_between, claim_of, holds, names, relation
from rig.exam.modelled.room import Glance
from rig.exam.modelled.statics import Site
from rig.messages import (
    Added,
    ColumnSeen,
    Fallen,
    FindPose,
    Hypothesis,
    Judge,
    Judged,
    Laid,
    LookAnswer,
    LookRequest,
    Moved,
    MovedTwo,
    NoneOfThese,
    Nothing,
    Opinion,
    PlateauLaid,
    Posed,
    ReadTower,
    Removed,
    Stacked,
    Standing,
    Toppled,
    Tower,
    TowerRead,
    Trace,
    Track,
    Tracked,
)
from rig.pieces import Column, Floor
from rig.twin.people.plans import level_mm

LIES, LIES_NOWHERE = 6.0, 1.5
"""Nats against a column taken out that is seen to lie there, and against one fallen over of which nothing is seen."""


class ModelledEyes:
    """Answers looks from glances, by message number of the frame."""

    def __init__(self, site: Site, likelihoods: Likelihoods, seed: int) -> None:
        self._site, self._model, self._seed = site, likelihoods, seed
        self.glances: dict[int, Glance] = {}
        self._stood = Tower()

    def answer(self, request: LookRequest) -> LookAnswer:
        """The answer to any look but `Watch`, which is `watching.py`'s."""
        match request:
            case Judge():
                return self._judge(request)
            case Track():
                return self._track(request)
            case ReadTower():
                return self._read(request)
            case FindPose(id=number, camera=camera, believed=pose):
                return Posed(id=number, camera=camera, pose=pose, markers=20, error_px=0.2, top_error_mm=0.5)
            case _:
                raise TypeError(f"{type(request).__name__} is not for these eyes")

    def _rng(self, *about: object) -> np.random.Generator:
        """The same draws for the same question about the same pictures."""
        return np.random.default_rng((self._seed, *(hash_of(one) for one in about)))

    # ------------------------------------------------------------ settled pictures

    def _judge(self, request: Judge) -> Judged:
        frames = (*request.before, *request.after)
        if not request.before or any(n not in self.glances for n in frames):
            return Judged(id=request.id, opinions=(), fit=0.0, unexplained_mm2=0.0, plateaus_seen=(), cameras=0, sentence="No picture.")
        before = max((self.glances[n] for n in request.before), key=lambda glance: glance.t_s)
        after = max((self.glances[n] for n in request.after), key=lambda glance: glance.t_s)
        change = change_between(before, after)
        eyes = self._model.eyes(len(request.poses))
        self._stood = before.tower
        there = names(request.tower, before.tower)
        claims = [claim_of(hypothesis, there) for hypothesis in request.hypotheses]
        right = [claim is not None and holds(claim, change) for claim in claims]
        listed = any(right)
        values = [
            self._value(hypothesis, claim, ok, change, after, eyes, request)
            for hypothesis, claim, ok in zip(request.hypotheses, claims, right, strict=True)
        ]
        self._none(request, values, change, eyes, listed)
        best = max(values)
        at = values.index(best)
        explained = right[at] or (change.fallen and isinstance(request.hypotheses[at], Fallen))
        towers = self._towers(request, after, eyes, there)
        opinions = tuple(Opinion(round(value - best, 3), towers.get(k)) for k, value in enumerate(values))
        rng = self._rng("fit", frames)
        fit = float(rng.beta(9, 1.2)) if explained and not change.nothing else float(rng.beta(1.2, 6)) if not change.nothing else 0.9
        unexplained = 0.0 if explained else 600.0
        return Judged(
            id=request.id, opinions=opinions, fit=round(fit, 3), unexplained_mm2=unexplained,
            plateaus_seen=tuple(0.2 if change.fallen else 0.95 for _ in request.tower.plateaus), cameras=len(request.poses),
        )  # fmt: skip

    def _value(
        self, hypothesis: Hypothesis, claim: Claim | None, right: bool, change: Change, after: Glance, eyes: Eyes, request: Judge,
    ) -> float:  # fmt: skip
        """Log likelihood, 0 for the truth (or for what an explanation of everything would have)."""
        if claim is None:
            if isinstance(hypothesis, Fallen):
                return 0.0 if change.fallen else -2 * eyes.strange
            return -eyes.strange
        if right:
            return self._how_gone(hypothesis, after)
        rng = self._rng(request.before, request.after, words(hypothesis))
        if change.fallen:
            return -abs(drawn(eyes.fallen, rng))
        return -drawn(eyes.margins[relation(claim, change, lambda column: self._hidden(column, eyes))], rng)

    @staticmethod
    def _how_gone(hypothesis: Hypothesis, after: Glance) -> float:
        """A column that lies in sight has not been taken out; one that lies nowhere has hardly fallen over."""
        match hypothesis:
            case Removed(column=column) if column in after.lying:
                return -LIES
            case Toppled(columns=columns) if not after.lying.issuperset(columns):
                return -LIES_NOWHERE
            case _:
                return 0.0

    def _hidden(self, column: Column, eyes: Eyes) -> bool:
        """Whether no camera sees a quarter of the column's side where it stands; the same all through its stay on a floor."""
        standing = self._stood.find(column)
        if standing is None or standing.floor is self._stood.top_floor:
            return False
        return bool(self._rng("hidden", str(column), str(standing.floor)).random() < eyes.hidden)

    def _none(self, request: Judge, values: list[float], change: Change, eyes: Eyes, listed: bool) -> None:
        """What *none of these* gets, in place."""
        rng = self._rng("none", request.before, request.after, "listed" if listed else "unlisted")
        for k, hypothesis in enumerate(request.hypotheses):
            if not isinstance(hypothesis, NoneOfThese):
                continue
            if change.fallen or listed:
                values[k] = float(rng.uniform(0, 4)) if rng.random() < eyes.residue else -eyes.strange
            else:
                best = max((value for j, value in enumerate(values) if j != k), default=0.0)
                values[k] = best + drawn(eyes.unlisted, rng)

    # ------------------------------------------------------------ places

    def _towers(self, request: Judge, after: Glance, eyes: Eyes, there: Names) -> dict[int, Tower | None]:
        """The believed tower re-fitted under each hypothesis that anybody could take."""
        about = request.before, request.after
        base = self._refitted(request.tower, after, eyes, self._rng("bystanders", *about), there)
        return {
            k: self._under(hypothesis, base, after, eyes, self._rng("place", *about, words(hypothesis)))
            for k, hypothesis in enumerate(request.hypotheses)
        }

    def _refitted(self, believed: Tower, after: Glance, eyes: Eyes, rng: np.random.Generator, there: Names) -> Tower:
        """Everything that still stands, where the pictures have it now."""
        now = {s.column: s for s in after.tower.columns}
        columns = []
        for standing in believed.columns:
            true = there.get(standing.column)
            here = now.get(true) if true is not None else None
            if here is None or here.floor is not standing.floor:
                columns.append(standing)
                continue
            x, y = rng.normal(0, eyes.bystander_mm, 2)
            columns.append(msgspec.structs.replace(standing, x_mm=here.x_mm + float(x), y_mm=here.y_mm + float(y)))
        return Tower(tuple(columns), tuple(self._lain(laid, after.tower, eyes, rng) for laid in believed.plateaus))

    @staticmethod
    def _lain(laid: Laid, tower: Tower, eyes: Eyes, rng: np.random.Generator) -> Laid:
        here = next((one for one in tower.plateaus if one.plateau is laid.plateau), None)
        if here is None:
            return laid
        x, y = rng.normal(0, eyes.bystander_mm, 2)
        yaw = float(rng.normal(0, eyes.turn_deg))
        return msgspec.structs.replace(here, x_mm=here.x_mm + float(x), y_mm=here.y_mm + float(y), yaw_deg=here.yaw_deg + yaw)

    def _under(self, hypothesis: Hypothesis, base: Tower, after: Glance, eyes: Eyes, rng: np.random.Generator) -> Tower | None:
        """The tower under one hypothesis; a place is found where something of that kind newly stands."""
        match hypothesis:
            case Nothing():
                return base
            case Moved(column=column, floor=floor) | Added(column=column, floor=floor):
                return self._with(base, column, floor, after, eyes, rng)
            case Stacked(column=column):
                return self._with(base, column, after.tower.top_floor, after, eyes, rng)
            case MovedTwo(columns=(first, second), floor=floor):
                return self._with(self._with(base, first, floor, after, eyes, rng), second, floor, after, eyes, rng)
            case Removed(column=column):
                return Tower(tuple(s for s in base.columns if s.column != column), base.plateaus)
            case Toppled(columns=columns):
                return Tower(tuple(s for s in base.columns if s.column not in columns), base.plateaus)
            case PlateauLaid(plateau=plateau):
                true = next((laid for laid in after.tower.plateaus if laid.plateau is plateau), None)
                if true is None:
                    return _laid_over(base, plateau)
                return Tower(base.columns, (*base.plateaus, self._lain(true, after.tower, eyes, rng)))
            case _:
                return None

    def _with(self, base: Tower, column: Column, floor: Floor, after: Glance, eyes: Eyes, rng: np.random.Generator) -> Tower:
        """`column` where one of its kind stands on `floor` that the tower does not have there yet, else where there is room."""
        rest = Tower(tuple(s for s in base.columns if s.column != column), base.plateaus)
        new = [
            s
            for s in after.tower.on(floor)
            if s.column.kind == column.kind
            and all(apart_mm(s, other) >= SAME_MM or other.column.kind != column.kind for other in rest.on(floor))
        ]
        if not new:
            others = [s for s in after.tower.on(floor) if all(apart_mm(s, other) >= SAME_MM for other in rest.on(floor))]
            new = others[:1]
        if not new:
            top = next((laid for laid in base.plateaus if laid.plateau is floor), None)
            x_mm, y_mm = (top.x_mm, top.y_mm) if top is not None else (0.0, 0.0)
            return Tower((*rest.columns, Standing(column, floor, x_mm, y_mm, level_mm(base, floor, self._site.profile))), rest.plateaus)
        here = min(new, key=lambda s: s.column != column)
        x, y = rng.normal(0, eyes.place_mm, 2)
        stands = Standing(column, floor, here.x_mm + float(x), here.y_mm + float(y), here.z_mm, here.yaw_deg)
        return Tower((*rest.columns, stands), rest.plateaus)

    # ------------------------------------------------------------ tugs

    def _track(self, request: Track) -> Tracked:
        search = self._model.search(len(request.poses))
        glances = [self.glances[n] for _, n in request.frames if n in self.glances]
        first = next((self.glances[n] for n in request.before if n in self.glances), None)
        there = names(request.tower, first.tower) if first is not None else {}
        displaced = {glance.displaced for glance in glances if glance.displaced is not None}
        rng = self._rng("track", request.frames)
        shows = {column: rng.random() < search.shows for column in sorted(displaced)}
        traces = []
        for column in request.columns:
            true = there.get(column)
            mine = self._rng("trace", request.frames, str(column))
            odds = search.unseen
            if true is not None and shows.get(true, False):
                odds = float(search.seen[0] * math.exp(search.seen[1] * mine.normal()))
            elif glances and mine.random() < search.false:
                odds = float(search.false_odds[0] * math.exp(search.false_odds[1] * mine.normal()))
            traces.append(Trace(column, round(odds, 2), request.frames[0][1] if request.frames else None))
        return Tracked(id=request.id, traces=tuple(traces))

    # ------------------------------------------------------------ whole readings

    def _read(self, request: ReadTower) -> TowerRead:
        glances = [self.glances[n] for n in request.frames if n in self.glances]
        if not glances:
            return TowerRead(id=request.id, columns=(), plateaus=(), fit=0.0, usable=False, cameras=0, sentence="No picture.")
        glance = max(glances, key=lambda one: one.t_s)
        eyes, rng = self._model.eyes(len(request.poses)), self._rng("read", request.frames)
        if glance.fallen:
            return TowerRead(id=request.id, columns=(), plateaus=(), fit=0.2, usable=False, cameras=len(glances))
        seen = []
        for standing in glance.tower.columns:
            if rng.random() < eyes.hidden / 3:
                continue
            x, y = rng.normal(0, eyes.place_mm, 2)
            placed = msgspec.structs.replace(standing, x_mm=standing.x_mm + float(x), y_mm=standing.y_mm + float(y))
            seen.append(ColumnSeen(placed, 0.98, 0.8))
        there = {one.standing.column for one in seen}
        unseen = tuple(s for s in request.expected.columns if s.column not in there and glance.tower.find(s.column) is not None)
        plates = tuple(self._lain(laid, glance.tower, eyes, rng) for laid in glance.tower.plateaus)
        return TowerRead(id=request.id, columns=tuple(seen), plateaus=plates, fit=0.93, usable=True, cameras=len(glances), unseen=unseen)


def _laid_over(base: Tower, plateau: Floor) -> Tower:
    """The plateau as if it lay over the middle of the top floor's columns, where in truth it lies nowhere."""
    below = base.on(base.top_floor)
    x_mm, y_mm = (sum(getattr(s, axis) for s in below) / max(1, len(below)) for axis in ("x_mm", "y_mm"))
    return Tower(base.columns, (*base.plateaus, Laid(plateau, x_mm, y_mm, max((s.z_mm for s in below), default=0.0) + 100.0, 0.0)))


def drawn(margin: Margin, rng: np.random.Generator) -> float:
    """By how much the wrong hypothesis lies below the truth this time."""
    if rng.random() < margin.wrong:
        return -float(rng.uniform(0.0, margin.leads))
    return float(margin.median * math.exp(margin.spread * rng.normal()))


def hash_of(about: object) -> int:
    """A number that is the same on every run for the same text or message numbers."""
    text = about if isinstance(about, str) else ",".join(map(str, about)) if isinstance(about, Iterable) else str(about)
    value = 2166136261
    for letter in text.encode():  # FNV-1a, 32 bits
        value = ((value ^ letter) * 16777619) & 0xFFFFFFFF
    return value


def words(hypothesis: Hypothesis) -> str:
    """A hypothesis as text, places left out."""
    fields: Sequence[str] = [name for name in hypothesis.__struct_fields__ if not name.startswith("near_")]
    return " ".join([type(hypothesis).__name__, *(_text(getattr(hypothesis, name)) for name in fields)])


def _text(value: object) -> str:
    return ",".join(map(str, value)) if isinstance(value, tuple) else str(value)
