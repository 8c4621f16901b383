"""The closed set of states of the referee, each a frozen value that carries everything belonging to it.

What can follow what is one table in `transitions.py`. Two kinds of state: *resting* ones, in which nobody acts and the referee waits, and
*passing* ones, which lead back to the resting state they carry. A question does not stop the game: while it is open the resting state is
`AwaitingAnswer`, and an action that begins meanwhile passes over it like over any other.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from enum import Enum
from typing import TypeAlias

from rig.messages import Ask, Tower
from rig.pieces import Column
from rig.referee.action import Action
from rig.referee.looks import Look
from rig.referee.questions import Question
from rig.rules.events import Event


class Why(Enum):
    """What it was that lost track."""

    SURPRISED = "surprised"
    REBUILDING = "rebuilding"


@dataclass(frozen=True, slots=True)
class Found:
    """What a reading of the whole tower came to: the tower, its pictures, and the deeds by which it differs from the books."""

    tower: Tower
    frames: Mapping[int, int]
    sight: str
    deeds: tuple[Event, ...] = ()


@dataclass(frozen=True, slots=True)
class Gone:
    """A column that was not in its place in calm pictures: since when, how sure that is, and the pictures."""

    column: Column
    t_s: float
    confidence: float
    frames: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Watch:
    """What is remembered of the looks at one action: when each kind of look was last taken, and what was seen to be gone."""

    doubted_t_s: float = -1e9
    still_t_s: float = -1e9
    fall_looked_t_s: float = -1e9
    fall_seen_t_s: float = -1e9
    wait_until_s: float = -1e9
    went_ahead: bool = False
    """The eyes have looked without waiting for the scale, and were not sure."""
    gone: Gone | None = None
    glimpsed: Mapping[int, int] | None = None
    """The newest pictures of the action in which all was calm."""


# ---------------------------------------------------------------- resting states


@dataclass(frozen=True, slots=True)
class SetUp:
    """The villa is being set up. `checked`: the tower that was read as a whole last, or was not to be bettered."""

    checked: Tower | None = None


@dataclass(frozen=True, slots=True)
class Settled:
    """All is still; a move is waited for."""


@dataclass(frozen=True, slots=True)
class Repair:
    """These columns fell and are to be stood up before play goes on (E7, level B)."""

    columns: tuple[Column, ...]


@dataclass(frozen=True, slots=True)
class Lost:
    """The tower is not what is believed, and no picture compares."""

    why: Why
    weight_g: float | None
    """What the tower weighed when track was lost."""
    read_t_s: float
    no_tower: int = 0
    """How many readings in a row made out no tower, with another weight than it had."""
    refused: Tower | None = None
    """The believed tower as it was when people said that a reading is wrong: not asked about again before it changes."""
    put_right: Tower | None = None
    """The tower as people put it right at the desk so far."""


@dataclass(frozen=True, slots=True)
class Over:
    """The game is over. A question may still be open: whose doing the fall was."""


@dataclass(frozen=True, slots=True)
class AwaitingAnswer:
    """A question is open. `rest`: where the game rests meanwhile."""

    question: Question
    rest: SetUp | Settled | Repair | Lost | Over


Resting: TypeAlias = SetUp | Settled | Repair | Lost | Over | AwaitingAnswer

# ---------------------------------------------------------------- passing states


@dataclass(frozen=True, slots=True)
class Acting:
    """Hands are at the tower."""

    action: Action
    rest: Resting
    watch: Watch = Watch()


@dataclass(frozen=True, slots=True)
class Settling:
    """The hands are out; pictures of the calm tower are waited for."""

    action: Action
    rest: Resting
    watch: Watch = Watch()


@dataclass(frozen=True, slots=True)
class AwaitingLook:
    """The eyes have been asked. `action`: what goes on, or has begun, meanwhile."""

    look: Look
    rest: Resting
    action: Action | None = None
    watch: Watch = Watch()


State: TypeAlias = SetUp | Settled | Repair | Lost | Over | AwaitingAnswer | Acting | Settling | AwaitingLook


def resting(state: State) -> Resting:
    """The resting state that `state` is, or leads back to."""
    return state.rest if isinstance(state, (Acting, Settling, AwaitingLook)) else state


def ground(state: State) -> SetUp | Settled | Repair | Lost | Over:
    """The resting state under an open question."""
    rest = resting(state)
    return rest.rest if isinstance(rest, AwaitingAnswer) else rest


def question(state: State) -> Question | None:
    """The open question."""
    rest = resting(state)
    return rest.question if isinstance(rest, AwaitingAnswer) else None


def asked(state: State) -> Ask | None:
    """The same as it was put to the table."""
    open_question = question(state)
    return open_question.ask if open_question is not None else None


def action_of(state: State) -> Action | None:
    """The action in progress."""
    return state.action if isinstance(state, (Acting, Settling, AwaitingLook)) else None


def over_rest(state: State, rest: Resting) -> State:
    """The same state with `rest` under it; `rest` itself if the state is a resting one."""
    match state:
        case Acting():
            return replace(state, rest=rest)
        case Settling():
            return replace(state, rest=rest)
        case AwaitingLook():
            return replace(state, rest=rest)
        case _:
            return rest
