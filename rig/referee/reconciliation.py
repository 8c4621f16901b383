"""A whole tower read from scratch, made to agree with what was believed and with the scale: in set-up, and to get back from *lost*.

The eyes name kinds, not pieces, and what stands behind others they do not see at all. So what was read keeps the names it had nearest by; a
kind read with little confidence does not overrule one believed in the same place; and columns that nobody sees count as standing where the
weight says that they must.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from itertools import combinations

import msgspec
import numpy as np
from scipy.optimize import linear_sum_assignment

from rig.messages import Added, ColumnSeen, Standing, Tower, TowerRead
from rig.pieces import Colour, Column, Floor, PieceSet, Shape
from rig.profile import Profile
from rig.referee.predicted_tower import predicted
from rig.referee.tunables import TUNED

Kind = tuple[Colour, Shape]


def mass_g(tower: Tower, profile: Profile) -> float:
    """What the tower weighs by the profile."""
    columns = sum(profile.columns[s.column.shape].mass_g for s in tower.columns)
    return columns + sum(profile.plateaus[laid.plateau].mass_g for laid in tower.plateaus)


def off_g(tower: Tower, weight_g: float | None, profile: Profile) -> float:
    """Grams on the scale beyond what the tower weighs; 0 if no scale is heard."""
    return 0.0 if weight_g is None else weight_g - mass_g(tower, profile)


def agreed(
    read: TowerRead, believed: Tower, weight_g: float | None, profile: Profile, out_of_sight: Collection[Column] | None = None
) -> Tower:
    """The tower as read, under the names it had, with what is hidden from every camera: some of `out_of_sight` (None: of the whole set)."""
    may_be_hidden = profile.pieces.columns if out_of_sight is None else out_of_sight
    seen = named([_kept_kind(one, believed) for one in read.columns], believed, profile.pieces)
    tower = Tower(tuple(sorted(seen, key=lambda one: one.column)), read.plateaus)
    out_of_view = {one.column for one in believed.columns if any(_near(one, u) and one.column.kind == u.column.kind for u in read.unseen)}
    for hidden in _hidden(tower, believed, weight_g, profile, may_be_hidden, out_of_view):
        stood = believed.find(hidden)
        if stood is not None and _place_free(stood, tower):
            tower = Tower((*tower.columns, stood), tower.plateaus)
        else:
            tower = predicted(tower, Added(column=hidden, floor=Floor.GROUND), profile)
    return tower


def _near(a: Standing, b: Standing) -> bool:
    return a.floor is b.floor and math.hypot(a.x_mm - b.x_mm, a.y_mm - b.y_mm) < TUNED.same_mm


def _place_free(standing: Standing, tower: Tower) -> bool:
    return not any(_near(standing, other) for other in tower.columns)


def _kept_kind(one: ColumnSeen, believed: Tower) -> Standing:
    """What was read, of the kind believed in its place unless the reading is sure of another."""
    there = next((s for s in believed.columns if _near(s, one.standing)), None)
    if there is None or one.confidence >= TUNED.overrules:
        return one.standing
    return msgspec.structs.replace(one.standing, column=there.column)


def named(read: Sequence[Standing], believed: Tower, pieces: PieceSet) -> list[Standing]:
    """What was read under the names of `believed`, kind by kind, the nearest first; more of a kind than the box holds are left out."""
    answer: list[Standing] = []
    for kind in pieces.counts():
        found = [standing for standing in read if standing.column.kind == kind]
        known = [standing for standing in believed.columns if standing.column.kind == kind]
        names: dict[int, Column] = {}
        if found and known:
            cost = np.array([[_apart_mm(a, b) for b in known] for a in found])
            names = {int(i): known[int(j)].column for i, j in zip(*linear_sum_assignment(cost), strict=True)}
        free = [column for column in pieces.columns if column.kind == kind and column not in names.values()]
        for i, standing in enumerate(found):
            column = names.get(i) or (free.pop(0) if free else None)
            if column is not None:
                answer.append(msgspec.structs.replace(standing, column=column))
    return answer


def _apart_mm(a: Standing, b: Standing) -> float:
    return math.hypot(a.x_mm - b.x_mm, a.y_mm - b.y_mm) + (0.0 if a.floor is b.floor else 1000.0)


def _hidden(
    tower: Tower,
    believed: Tower,
    weight_g: float | None,
    profile: Profile,
    may_be_hidden: Collection[Column],
    out_of_view: Collection[Column],
) -> Iterable[Column]:
    """Columns that stand though no camera sees them: those that were seen there before, as many as the scale feels; sooner those whose
    places are `out_of_view` than those whose places are seen to be empty."""
    seen = {s.column for s in tower.columns}
    missing = [column for column in may_be_hidden if column not in seen]
    remembered = [column for column in missing if (s := believed.find(column)) is not None and _place_free(s, tower)]
    if weight_g is None:
        return missing if tower.plateaus and len(missing) <= len(remembered) + 2 else remembered
    unfelt_g = off_g(tower, weight_g, profile)
    if abs(unfelt_g) <= TUNED.off_g or len(missing) > TUNED.most_hidden:
        return [] if abs(unfelt_g) <= TUNED.off_g else remembered
    choices = [some for n in range(len(missing) + 1) for some in combinations(missing, n)]

    def beside(some: tuple[Column, ...]) -> tuple[bool, int, int, float]:
        """Unexplained weight first, then columns that nobody ever saw, then those whose places are seen, then grams."""
        left_g = abs(unfelt_g - sum(profile.columns[column.shape].mass_g for column in some))
        strange, contradicted = (sum(column not in those for column in some) for those in (remembered, out_of_view))
        return left_g > TUNED.off_g, strange, contradicted, left_g

    best = min(choices, key=beside)
    return remembered if beside(best)[0] else best


def changes(before: Tower, after: Tower) -> tuple[list[tuple[Column, Column | None]], list[Column]]:
    """What the books must be told: columns that were misread, each with what truly stands in its place (None: nothing), and new ones."""
    new = [s for s in after.columns if before.find(s.column) is None]
    wrong: list[tuple[Column, Column | None]] = []
    for gone in (s for s in before.columns if after.find(s.column) is None):
        instead = next((s for s in new if _near(s, gone)), None)
        if instead is not None:
            new.remove(instead)
        wrong.append((gone.column, instead.column if instead is not None else None))
    return wrong, [s.column for s in new]


def kinds(tower: Tower) -> Counter[tuple[Kind, Floor]]:
    """How many columns of each kind stand on each floor."""
    return Counter((s.column.kind, s.floor) for s in tower.columns)
