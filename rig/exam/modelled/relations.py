"""How a wrong hypothesis is wrong: what it claims of the pieces, against what truly changed. Models and their fits sort margins by this.

A claim is put into true columns first: a name in the believed tower means whatever truly stood in that place.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from enum import StrEnum

from rig.exam.modelled.room import Glance
from rig.messages import Added, Hypothesis, Moved, MovedTwo, Nothing, PlateauLaid, Removed, Stacked, Standing, Toppled, Tower
from rig.pieces import Column, Floor

SAME_MM = 15.0
"""A believed place and a true one nearer to each other are the same column's."""

STRAYED_MM = 30.0
"""A column further from its place on its own floor has been moved there."""


class Relation(StrEnum):
    """What a wrong hypothesis has in common with the truth."""

    ALIKE = "another of its kind"
    """What came is right, what went is another column of the kind; both are in sight."""
    ALIKE_HIDDEN = "another of its kind, one hidden"
    """The same where the true column, or the other, could hardly be seen before."""
    SHAPE = "another shape"
    """A column of the same colour and another shape came."""
    COLOUR = "something else"
    """Anything that explains neither what came nor what went."""
    NOTHING = "nothing"
    """Nothing happened, though something did that could be seen."""
    UNSEEN = "nothing, of what was hidden"
    """Nothing happened, though a column went that could hardly be seen."""
    GONE = "gone, not raised"
    """The true column went, and nothing came."""
    STILL = "a change, of nothing"
    """Something changed, though nothing did."""
    STILL_HIDDEN = "a hidden column gone, of nothing"
    PHANTOM = "a column gone that did not stand there"


@dataclass(frozen=True, slots=True)
class Change:
    """What differs between two glances: columns that left their places or came to stand somewhere, plateaus laid, and whether it fell."""

    went: frozenset[Column] = frozenset()
    came: frozenset[Column] = frozenset()
    laid: frozenset[Floor] = frozenset()
    fallen: bool = False
    onto: frozenset[Floor] | None = None
    """The floors that what came stands on; None: not known."""

    @property
    def nothing(self) -> bool:
        return not (self.went or self.came or self.laid or self.fallen)


@dataclass(frozen=True, slots=True)
class Claim:
    """A hypothesis as what went (true columns; None: something that was not there), what came (as kinds), what was laid."""

    went: tuple[Column | None, ...] = ()
    came: tuple[Column, ...] = ()
    laid: Floor | None = None
    onto: Floor | None = None
    """The floor that it stands on; None: not said."""


def change_between(before: Glance, after: Glance) -> Change:
    """The true change."""
    if after.fallen and not before.fallen:
        return Change(fallen=True)
    was = {s.column: s for s in before.tower.columns}
    now = {s.column: s for s in after.tower.columns}
    moved = {c for c in was.keys() & now.keys() if was[c].floor is not now[c].floor or apart_mm(was[c], now[c]) > STRAYED_MM}
    plates = {laid.plateau for laid in after.tower.plateaus} - {laid.plateau for laid in before.tower.plateaus}
    came = frozenset((now.keys() - was.keys()) | moved)
    onto = frozenset(now[column].floor for column in came)
    return Change(frozenset((was.keys() - now.keys()) | moved), came, frozenset(plates), onto=onto)


def apart_mm(one: Standing, other: Standing) -> float:
    return math.hypot(one.x_mm - other.x_mm, one.y_mm - other.y_mm)


Names = Mapping[Column, Column | None]
"""For each believed column the one that truly stands in its place (None: nothing does)."""


def names(believed: Tower, true: Tower) -> Names:
    """What the believed names stand for."""
    there: dict[Column, Column | None] = {}
    for standing in believed.columns:
        near = [
            s
            for s in true.columns
            if s.floor is standing.floor and s.column.kind == standing.column.kind and apart_mm(s, standing) < SAME_MM
        ]
        there[standing.column] = min(near, key=lambda s: apart_mm(s, standing)).column if near else None
    return there


def claim_of(hypothesis: Hypothesis, there: Names) -> Claim | None:
    """What the hypothesis claims of the true pieces; None for a fall and for none of these."""
    match hypothesis:
        case Nothing():
            return Claim()
        case Moved(column=column, floor=floor):
            return Claim((there.get(column),), (column,), onto=floor)
        case Stacked(column=column):
            return Claim((there.get(column),), (column,))
        case MovedTwo(columns=columns, floor=floor):
            return Claim(tuple(there.get(column) for column in columns), tuple(columns), onto=floor)
        case Added(column=column, floor=floor):
            return Claim((), (column,), onto=floor)
        case Removed(column=column):
            return Claim((there.get(column),))
        case Toppled(columns=columns):
            return Claim(tuple(there.get(column) for column in columns))
        case PlateauLaid(plateau=plateau):
            return Claim(laid=plateau)
        case _:
            return None


def holds(claim: Claim, change: Change) -> bool:
    """Whether the claim is what was so, columns by their true places and kinds."""
    went = {column for column in claim.went if column is not None}
    if change.fallen or len(went) != len(claim.went) or went != change.went:
        return False
    if sorted(c.kind for c in claim.came) != sorted(c.kind for c in change.came) or not _stands_there(claim, change):
        return False
    return change.laid == _laid(claim)


def _stands_there(claim: Claim, change: Change) -> bool:
    """Whether what came stands on the floor that is claimed: a floor higher is ten centimetres off."""
    return claim.onto is None or not change.onto or change.onto == {claim.onto}


def _laid(claim: Claim) -> frozenset[Floor]:
    return frozenset() if claim.laid is None else frozenset((claim.laid,))


def relation(claim: Claim, change: Change, hidden: Callable[[Column], bool]) -> Relation:
    """How a claim that does not hold is wrong. `hidden`: whether a column could hardly be seen in its place before."""
    went = [column for column in claim.went if column is not None]
    if change.nothing:
        if claim.came or claim.laid is not None:
            return Relation.STILL
        if not went:
            return Relation.PHANTOM
        return Relation.STILL_HIDDEN if all(hidden(column) for column in went) else Relation.STILL
    if not claim.went and not claim.came and claim.laid is None:
        unseen = not change.came and not change.laid and all(hidden(column) for column in change.went)
        return Relation.UNSEEN if unseen else Relation.NOTHING
    if change.laid != _laid(claim) or (claim.came and not _stands_there(claim, change)):
        return Relation.COLOUR
    if sorted(c.kind for c in claim.came) == sorted(c.kind for c in change.came):
        apart = [*(column for column in went if column not in change.went), *(c for c in change.went if c not in claim.went)]
        return Relation.ALIKE_HIDDEN if not apart or any(hidden(column) for column in apart) else Relation.ALIKE
    if not claim.came:
        return Relation.GONE if set(went) == change.went else Relation.COLOUR
    same_colours = {c.colour for c in claim.came} == {c.colour for c in change.came}
    return Relation.SHAPE if same_colours and len(claim.came) == len(change.came) else Relation.COLOUR
