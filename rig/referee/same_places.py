"""One look for all courses: what one course calls a column, in the names that the told course has for what stands in the same place.

Courses can differ in which of two alike columns stands where. The eyes are asked once, about the told course's tower; a hypothesis of
another course is looked up there under the names of what stands in its places. What has no counterpart there was not asked.
"""

from __future__ import annotations

import math
from collections.abc import Mapping

import msgspec

from rig.messages import Added, Hypothesis, Moved, MovedTwo, Removed, Stacked, Standing, Toppled, Tower
from rig.pieces import Column
from rig.referee.tunables import TUNED, Tunables

Names = Mapping[Column, Column]
"""A course's column to the told course's."""


def names(tower: Tower, told: Tower, tuned: Tunables = TUNED) -> Names:
    """For each column of `tower` the one of its kind that `told` has in its place; left out where there is none."""
    if tower is told:
        return {s.column: s.column for s in tower.columns}
    found: dict[Column, Column] = {}
    for standing in tower.columns:
        same = told.find(standing.column)
        if same is not None and _near(same, standing, tuned):
            found[standing.column] = standing.column
            continue
        there = next((s for s in told.columns if s.column.kind == standing.column.kind and _near(s, standing, tuned)), None)
        if there is not None:
            found[standing.column] = there.column
    return found


def renamed(hypothesis: Hypothesis, names: Names) -> Hypothesis | None:
    """The same thing in the told course's names; None if that course has no such thing."""
    match hypothesis:
        case Moved(column=column) | Removed(column=column):
            return msgspec.structs.replace(hypothesis, column=names[column]) if column in names else None
        case Stacked(column=column, on=on):
            return Stacked(column=names[column], on=names[on]) if column in names and on in names else None
        case MovedTwo(columns=columns) | Toppled(columns=columns):
            if any(column not in names for column in columns):
                return None
            return msgspec.structs.replace(hypothesis, columns=tuple(sorted(names[column] for column in columns)))
        case Added():
            return hypothesis
        case _:
            return hypothesis


def own(fitted: Tower, course: Tower, names: Names) -> Tower:
    """The tower the eyes fitted to the told course's, under the names of `course`; what they did not look for stands where it stood."""
    if all(mine == theirs for mine, theirs in names.items()) and len(names) == len(course.columns):
        return fitted
    back = {theirs: mine for mine, theirs in names.items()}
    seen = [msgspec.structs.replace(s, column=back[s.column]) for s in fitted.columns if s.column in back]
    known = {s.column for s in seen}
    rest = [s for s in course.columns if s.column not in names and s.column not in known]
    return Tower((*seen, *rest), fitted.plateaus)


def _near(a: Standing, b: Standing, tuned: Tunables) -> bool:
    return a.floor is b.floor and math.hypot(a.x_mm - b.x_mm, a.y_mm - b.y_mm) < tuned.same_mm
