"""Which column was moved and put back? The one deed that leaves no trace in a settled picture.

Two witnesses are joined: pictures taken while hands were in (`Tracked`: did a column leave its place for a while) and the player's own
word, which is often late and sometimes missing. What they amount to is a probability for each column and for none, in each course for
itself: whose turn it is says whose columns they are.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from rig.messages import Evidence, Trace
from rig.pieces import Column
from rig.referee.belief import Course
from rig.referee.deeds import Scene, Variant, aborted
from rig.referee.expectations import may_break_off, tried_columns
from rig.referee.tunables import Tunables
from rig.rules import Phase


@dataclass(frozen=True, slots=True)
class Word:
    """A player said "abort", perhaps of which column."""

    t_s: float
    seat: int
    column: Column | None


@dataclass(frozen=True, slots=True)
class Attempt:
    """An occasion on which hands were in and nothing changed: what was seen, for a word that comes late."""

    occasion: int
    t_s: float
    traces: tuple[Trace, ...]
    said: bool = False
    """Whether the player has said "abort"."""


def variants(course: Course, traces: Mapping[Column, Trace], word: Word | None, scene: Scene) -> Iterator[Variant]:
    """What hands that changed nothing may have done in this course: nothing, or each column that may be tried, put back.

    While a request waits, that is a challenge of which nobody said a word (C7), by any opponent.
    """
    tuned, game = scene.tuned, course.game
    yield Variant(0.0, (), ())
    columns, seats = tried_columns(game), may_break_off(game)
    waits = game.phase is Phase.CLAIM
    for seat in seats:
        said = word if word is not None and word.seat == seat else None
        for column in columns:
            trace = traces.get(column)
            log = tuned.put_back - math.log(len(columns) * len(seats)) + _heard(column, said, tuned)
            log += tuned.trace_weight * trace.log_odds if trace is not None else 0.0
            log += tuned.unannounced if waits else 0.0
            found = aborted(column, course, _with(scene, _evidence(trace, said, tuned)), seat if waits else None)
            yield Variant(log, found.events, found.facts)


def _heard(column: Column, said: Word | None, tuned: Tunables) -> float:
    """What the player's word, or silence, says for an abort of this column (log likelihood against no abort)."""
    if said is None:
        return tuned.kept_quiet
    if said.column is None:
        return tuned.spoken
    return 2 * tuned.spoken if said.column == column else 0.0


def _evidence(trace: Trace | None, said: Word | None, tuned: Tunables) -> tuple[Evidence, ...]:
    seen: tuple[Evidence, ...] = ()
    if trace is not None:
        frames = (trace.frame,) if trace.frame else ()
        seen = (Evidence("camera", f"{trace.column} left its place for a while", trace.log_odds, frames),)
    return (*seen, Evidence("call", "the player said so", tuned.spoken)) if said is not None else seen


def _with(scene: Scene, evidence: tuple[Evidence, ...]) -> Scene:
    return Scene(scene.t_s, scene.confidence, evidence, scene.profile, scene.tuned)
