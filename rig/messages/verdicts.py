"""What the referee says: facts, rulings, questions, and the view for the screen."""

from __future__ import annotations

from enum import StrEnum
from typing import Any

import msgspec

from rig.messages.inputs import SourceNews
from rig.messages.tagged import Tagged
from rig.messages.tower import Tower
from rig.pieces import Colour, Column, Floor


class Evidence(msgspec.Struct, frozen=True):
    """One sense's word for a fact: `sense` (camera, scale, motion, call, desk, rules), a sentence, its weight as log odds, and frames."""

    sense: str
    sentence: str
    log_odds: float = 0.0
    frames: tuple[int, ...] = ()


class FactKind(StrEnum):
    STOOD = "stood"
    LAID = "laid"
    RAISED = "raised"
    ABORTED = "aborted"
    REMOVED = "removed"
    COLLAPSED = "collapsed"
    INCIDENT = "incident"
    KNOCKED = "knocked"
    UNCHANGED = "unchanged"


class Fact(Tagged, frozen=True):
    """What was observed, whether or not the rules allow it. `details` holds measured numbers by name (`overhang_mm`, `covers` …)."""

    id: int
    t_s: float
    kind: FactKind
    seat: int | None
    column: Column | None
    floor: Floor | None
    confidence: float
    evidence: tuple[Evidence, ...]
    details: dict[str, float] = msgspec.field(default_factory=dict)


class Ruling(Tagged, frozen=True):
    """What it means: from rig.rules, told in both languages, citing rule ids and the facts it rests on. `probable`: believed, but not yet
    sure enough to be told for good; the screen shows it lighter. `revises`: the id of the earlier ruling that this one replaces, because
    later evidence showed it to be wrong (None: it replaces none)."""

    id: int
    t_s: float
    kind: str
    rule_ids: tuple[str, ...]
    facts: tuple[int, ...]
    english: str
    german: str
    data: dict[str, Any] = msgspec.field(default_factory=dict)
    probable: bool = False
    revises: int | None = None


class Ask(Tagged, frozen=True):
    """A question for the desk. `reason` says why the referee cannot tell by itself."""

    id: int
    t_s: float
    question_english: str
    question_german: str
    choices: tuple[str, ...]
    reason: str = ""


class RefereeState(StrEnum):
    SET_UP = "set-up"
    SETTLED = "settled"
    HANDS_IN = "hands in"
    SETTLING = "settling"
    ASKING = "asking"
    REPAIR = "repair"
    LOST = "lost"
    OVER = "over"


class SeatView(msgspec.Struct, frozen=True):
    """A player on the screen. `probable`: part of the score rests on what is only probable."""

    name: str
    colours: tuple[Colour, ...]
    score: int
    probable: bool = False


class OutcomeView(msgspec.Struct, frozen=True):
    """How it ended: winners' seats (none: nobody wins), the culprit's seat if there is one, and the sentence that says why."""

    winners: tuple[int, ...]
    culprit: int | None
    english: str
    german: str


class View(Tagged, frozen=True):
    """All the screen needs, drawn from the referee's own state; sent whenever it changes. `doing` says in English what the referee waits
    for or works at, `doing_german` the same in German (empty: none yet); `leaning_deg`: how far the top plateau has tilted since all was
    settled, where that is beyond doubt (0: it has not) - the early warning, which rules nothing; `probable`: columns whose place is only
    probable (the screen draws them lighter)."""

    t_s: float
    state: RefereeState
    phase: str
    turn: int | None
    seats: tuple[SeatView, ...]
    holder: int | None
    face: Colour | None
    tower: Tower
    locked: tuple[Column, ...]
    removed: tuple[Column, ...]
    next_plateau: Floor | None
    doing: str
    ask: Ask | None
    outcome: OutcomeView | None
    health: dict[str, SourceNews]
    doing_german: str = ""
    leaning_deg: float = 0.0
    probable: tuple[Column, ...] = ()
