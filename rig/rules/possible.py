"""What can have happened at all, whatever the rules say: a column of the set, a plateau that exists, somebody who sits at the table.

An event that cannot have happened is an error of whoever tells it; it changes nothing and is no violation.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import fields
from typing import Any, TypeVar, cast, get_args

from rig.pieces import Column, Floor
from rig.rules.events import (
    DEEDS,
    Call,
    ColoursAssigned,
    Deed,
    Event,
    OutsideDecided,
    Placed,
    PlateauLaid,
    Raised,
    Seat,
)
from rig.rules.position import Moment, Phase
from rig.rules.rulings import Reason

_OVER, _DECISION = Phase.OVER, Phase.DECISION
M = TypeVar("M", bound=Moment)


def impossible(position: Moment, event: Event) -> Reason | None:
    """What makes the event one that cannot have happened in this game; None if it can."""
    kind = type(event)
    if kind not in _PARTS:
        return None
    if kind is PlateauLaid:
        position = taken_up(position, cast(PlateauLaid, event))
    phase = position.phase
    if phase is _OVER:
        return Reason.GAME_OVER
    if phase is _DECISION and kind in DEEDS:
        return Reason.DECISION_FIRST
    by: Seat | None = getattr(event, "by", None)
    if by is not None and not 0 <= by < len(position.table.names):
        return Reason.UNKNOWN_SEAT
    one, several = _PARTS[kind]
    if (one or several) and strange_column(position, event) is not None:
        return Reason.UNKNOWN_COLUMN
    check = _CHECKS.get(kind)
    return None if check is None else check(position, event)


def taken_up(position: M, event: PlateauLaid) -> M:
    """Where the game stands for the plateau: a claim that ended by itself had not ended if the claimant lays it all the same (A3, B14)."""
    before = position.unlaid
    if before is None or event.by not in (None, before.turn):
        return position
    return cast(M, before._replace(ticks=position.ticks))


def _parts(kind: type) -> tuple[list[str], list[str]]:
    """The fields of an event that hold a column, and those that hold several."""
    names = {field.name for field in fields(kind)}
    return sorted(names & {"column", "on_column"}), sorted(names & {"nudged", "fallen"})


_PARTS = {kind: _parts(kind) for kind in (*get_args(Deed), *get_args(Call), OutsideDecided)}


def strange_column(position: Moment, event: Event) -> Column | None:
    """A column that the event names, in whatever part, and that is not in the set; None: all are."""
    index = position.table.index
    one, several = _PARTS[type(event)]
    for name in one:
        column: Column | None = getattr(event, name)
        if column is not None and column not in index:
            return column
    for name in several:
        for column in getattr(event, name):
            if column not in index:
                return column
    return None


def _impossible_plateau(position: Moment, event: PlateauLaid) -> Reason | None:
    plateau = position.next_plateau if event.plateau is None else event.plateau
    free = plateau in position.table.pieces.plateaus and plateau not in position.laid
    return None if free else Reason.UNKNOWN_PLATEAU


def _impossible_floor(position: Moment, event: Raised | Placed) -> Reason | None:
    if event.onto is None and getattr(event, "on_column", None) is None:
        return None
    floor = position.top if event.onto is None else event.onto
    if floor is not Floor.GROUND and floor not in position.laid:
        return Reason.UNKNOWN_FLOOR
    if isinstance(event, Raised) and event.on_column is not None:
        if event.on_column == event.column or position.floor_of(event.on_column) is not floor:
            return Reason.CARRIER_ELSEWHERE
        if any(carrier == event.on_column and upper != event.column for upper, carrier in position.stacks):
            return Reason.CARRIER_TAKEN
    return None


def _impossible_draw(position: Moment, event: ColoursAssigned) -> Reason | None:
    table = position.table
    dealt = [colour for colours in event.colours for colour in colours]
    each = [len(colours) for colours in event.colours]
    if event.starts not in table.seats:
        return Reason.UNKNOWN_SEAT
    return None if each == [table.colours_each] * len(table.names) and len(set(dealt)) == len(dealt) else Reason.UNKNOWN_DRAW


_CHECKS: dict[type, Callable[[Moment, Any], Reason | None]] = {
    Raised: _impossible_floor,
    Placed: _impossible_floor,
    PlateauLaid: _impossible_plateau,
    ColoursAssigned: _impossible_draw,
}
