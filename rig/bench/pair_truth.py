"""What was truly so of a pair, from the truth log and the towers before and after, and which answers of the eyes are right about it."""

from __future__ import annotations

import math
from dataclasses import dataclass
from enum import StrEnum

from rig.bench.pairs import Acted
from rig.messages import (
    FactKind,
    Fallen,
    Hypothesis,
    Moved,
    MovedTwo,
    NoneOfThese,
    Nothing,
    PlateauLaid,
    Removed,
    Stacked,
    Standing,
    Toppled,
    Tower,
)
from rig.pieces import Column, Floor
from rig.twin.truth import Truth


class What(StrEnum):
    """What happened, as far as pictures before and after can show it."""

    NOTHING = "nothing"
    RAISED = "raised"
    LAID = "laid"
    REMOVED = "removed"
    FALLEN = "fallen"
    TOPPLED = "toppled"
    STACKED = "stacked"
    TWO = "two raised"
    SEVERAL = "several"


@dataclass(frozen=True, slots=True)
class Happened:
    """What it was, and the hypothesis that says so (None: the eyes are never asked about it)."""

    what: What
    hypothesis: Hypothesis | None
    column: Column | None = None
    plateau: Floor | None = None


def happened(acted: Acted) -> Happened:
    """The truth of an action. A column put back, a touch, a lift leave everything in its place: nothing happened."""
    if {laid.plateau for laid in acted.before.tower.plateaus} - {laid.plateau for laid in acted.after.tower.plateaus}:
        return Happened(What.FALLEN, Fallen())
    facts = [fact for fact in acted.facts if fact.kind not in (FactKind.ABORTED, FactKind.UNCHANGED)]
    match facts:
        case []:
            return Happened(What.NOTHING, Nothing())
        case [one]:
            return _of_one(one)
        case [first, second] if first.kind is second.kind is FactKind.RAISED and first.on_column is None and second.on_column is None:
            assert first.column is not None and second.column is not None and first.floor is not None
            low, high = sorted((first.column, second.column))
            return Happened(What.TWO, MovedTwo(columns=(low, high), floor=first.floor))
        case _:
            return Happened(What.SEVERAL, None)


def _of_one(fact: Truth) -> Happened:
    column = fact.column
    match fact.kind:
        case FactKind.RAISED if column is not None and fact.on_column is not None:
            return Happened(What.STACKED, Stacked(column=column, on=fact.on_column), column)
        case FactKind.RAISED if column is not None and fact.floor is not None:
            return Happened(What.RAISED, Moved(column=column, floor=fact.floor), column)
        case FactKind.LAID if fact.floor is not None:
            return Happened(What.LAID, PlateauLaid(plateau=fact.floor), None, fact.floor)
        case FactKind.REMOVED if column is not None:
            return Happened(What.REMOVED, Removed(column=column), column)
        case FactKind.INCIDENT:
            return Happened(What.TOPPLED, Toppled(columns=tuple(sorted(fact.columns))), column)
        case _:
            return Happened(What.SEVERAL, None)


def says(answer: Hypothesis, truth: Hypothesis | None) -> bool:
    """Whether an answer is this truth: places the scale named are no part of it, nor is the order of two columns."""
    match answer, truth:
        case PlateauLaid(plateau=one), PlateauLaid(plateau=other):
            return one is other
        case MovedTwo(columns=one_pair), MovedTwo(columns=other_pair):
            return set(one_pair) == set(other_pair)
        case _:
            return answer == truth


def right_among(asked: tuple[Hypothesis, ...], truth: Happened) -> Hypothesis:
    """The right answer to this list: the truth if it is in it, else that it is none of these."""
    return next((one for one in asked if says(one, truth.hypothesis)), NoneOfThese())


def misplaced(truth: Happened, after: Tower, believed: Tower) -> tuple[float | None, float | None]:
    """How far what was moved or laid is believed from where it is (mm), and for a plateau how far turned (degrees)."""
    if truth.column is not None:
        here, there = after.find(truth.column), believed.find(truth.column)
        return (None if here is None or there is None else _apart(here, there)), None
    for laid in believed.plateaus:
        for true in after.plateaus:
            if laid.plateau is true.plateau is truth.plateau:
                off_mm = math.hypot(laid.x_mm - true.x_mm, laid.y_mm - true.y_mm)
                return off_mm, abs((laid.yaw_deg - true.yaw_deg + 180) % 360 - 180)
    return None, None


def bystanders_off_mm(truth: Happened, after: Tower, believed: Tower) -> list[float]:
    """How far the columns that it is not about are believed from where they are (mm)."""
    return [
        _apart(here, there)
        for here in after.columns
        if here.column != truth.column and (there := believed.find(here.column)) is not None and there.floor is here.floor
    ]


def displaced_mm(truth: Happened, before: Tower, after: Tower) -> dict[str, float]:
    """How far each plateau has shifted, and each column that it is not about has moved on the floor it stands on (mm), from one tower to
    another; what rode along with its plateau has not moved. By the name of the piece."""
    then, now = ({laid.plateau: laid for laid in tower.plateaus} for tower in (before, after))
    moved = {
        plateau.word: math.hypot(now[plateau].x_mm - lay.x_mm, now[plateau].y_mm - lay.y_mm)
        for plateau, lay in then.items()
        if plateau in now
    }
    for old in before.columns:
        new = after.find(old.column)
        if new is None or new.floor is not old.floor or old.column == truth.column:
            continue
        x_mm, y_mm = old.x_mm, old.y_mm
        if old.floor in then and old.floor in now:
            was, lies = then[old.floor], now[old.floor]
            turn = math.radians(lies.yaw_deg - was.yaw_deg)
            arm = complex(x_mm - was.x_mm, y_mm - was.y_mm) * complex(math.cos(turn), math.sin(turn))
            x_mm, y_mm = lies.x_mm + arm.real, lies.y_mm + arm.imag
        moved[str(old.column)] = math.hypot(new.x_mm - x_mm, new.y_mm - y_mm)
    return moved


def _apart(one: Standing, other: Standing) -> float:
    return math.hypot(one.x_mm - other.x_mm, one.y_mm - other.y_mm)
