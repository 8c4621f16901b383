"""Fallen columns that must be stood up again before play goes on (E7, level B): what is missing, and where it stood.

While anything is missing the referee is in its state *repair*: it expects each fallen column back in its old place and says so.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

from rig.messages import Added, Moved, Standing, Toppled, Tower
from rig.referee.belief import Course
from rig.referee.hypotheses import Weighted
from rig.referee.tunables import TUNED, Tunables


def fell(fallen: Sequence[Standing], before: Tower, toppled: Toppled) -> tuple[Standing, ...]:
    """What is missing now that these fell from where `before` has them."""
    new = [standing for column in toppled.columns if (standing := before.find(column)) is not None]
    columns = {standing.column for standing in new}
    return tuple(sorted((*(s for s in fallen if s.column not in columns), *new), key=lambda s: s.column))


def settled(fallen: Sequence[Standing], tower: Tower) -> tuple[Standing, ...]:
    """What stands again is no longer missing."""
    return tuple(standing for standing in fallen if tower.find(standing.column) is None)


def stood_up(course: Course, found: Tower) -> Tower:
    """The course's tower with the missing columns that `found` has on their floors again."""
    floors = {standing.column: standing.floor for standing in course.fallen}
    again = [s for s in found.columns if floors.get(s.column) is s.floor and course.tower.find(s.column) is None]
    return Tower((*course.tower.columns, *again), course.tower.plateaus)


def hypotheses(course: Course) -> tuple[Weighted, ...]:
    """Each missing column back near its old place."""
    return tuple(
        Weighted(Added(column=s.column, floor=s.floor, near_x_mm=s.x_mm, near_y_mm=s.y_mm), 0.0, weightless=True)
        for s in course.fallen
        if course.tower.find(s.column) is None
    )


def comes_first(listed: Iterable[Weighted], fallen: Sequence[Standing], tuned: Tunables = TUNED) -> tuple[Weighted, ...]:
    """`listed` with the raises made less likely while a column is missing, because it is stood up before play goes on."""
    if not fallen:
        return tuple(listed)
    return tuple(
        replace(w, log_prior=min(w.log_prior, _of_raise(w.hypothesis, fallen, tuned))) if isinstance(w.hypothesis, Moved) else w
        for w in listed
    )


def _of_raise(moved: Moved, fallen: Sequence[Standing], tuned: Tunables) -> float:
    alike = any(s.column.kind == moved.column.kind and s.floor is moved.floor for s in fallen)
    return tuned.alike if alike else tuned.not_yet
