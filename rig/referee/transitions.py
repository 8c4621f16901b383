"""What can follow what: one table of transitions, and the one function through which every change of state passes.

The table is keyed by what happens and by the kind of state in which it happens. What is not in the table is impossible; what people do at
the wrong moment (an answer that nobody waits for, a word for an action that is over) is in it, and leads to the same state. `diagram`
draws the table for the README.
"""

from __future__ import annotations

from collections.abc import Mapping
from enum import Enum

from rig.referee.state import (
    Acting,
    AwaitingAnswer,
    AwaitingLook,
    Lost,
    Over,
    Repair,
    Settled,
    Settling,
    SetUp,
    State,
)


class Happens(Enum):
    """Everything that can move the referee from one state to another."""

    HANDS_CAME = "hands come"
    HANDS_LEFT = "hands leave"
    STIRRED = "something moves"
    LOOKED = "the eyes are asked"
    SEEN = "the eyes answer"
    NEWS = "news of an action"
    ASKED = "a question is put"
    ANSWERED = "the table answers"
    SETTLED_ITSELF = "a question settles itself"
    TOLD = "the desk tells"
    RESUMED = "another game"
    CALLED = "a player speaks"


_RESTING: tuple[type, ...] = (SetUp, Settled, Repair, Lost, Over, AwaitingAnswer)
_STILL: tuple[type, ...] = (SetUp, Settled, Repair, AwaitingAnswer)
_PASSING: tuple[type, ...] = (Acting, Settling, AwaitingLook)
_ALL: tuple[type, ...] = (*_RESTING, *_PASSING)


def _same(*kinds: type) -> dict[type, frozenset[type]]:
    return {kind: frozenset({kind}) for kind in kinds}


def _to(befores: tuple[type, ...], *afters: type) -> dict[type, frozenset[type]]:
    return {before: frozenset(afters) for before in befores}


TABLE: Mapping[Happens, Mapping[type, frozenset[type]]] = {
    Happens.HANDS_CAME: {**_to(_STILL, Acting), **_to((Settling,), Acting), **_same(Acting, AwaitingLook, Lost, Over)},
    Happens.STIRRED: {**_to(_STILL, Settling), **_same(Acting, Settling, AwaitingLook, Lost, Over)},
    Happens.HANDS_LEFT: {Acting: frozenset({Settling}), **_same(Settling)},
    Happens.NEWS: _same(Acting, Settling, AwaitingLook),
    Happens.LOOKED: _to((*_STILL, Lost, *_PASSING), AwaitingLook),
    Happens.SEEN: {AwaitingLook: frozenset(_ALL)},
    Happens.ASKED: {
        **_to((SetUp, Settled, Repair, Lost, Over, AwaitingAnswer), AwaitingAnswer),
        **_same(Acting, Settling, AwaitingLook),
    },
    Happens.ANSWERED: {
        AwaitingAnswer: frozenset((*_RESTING, AwaitingLook)),
        **_to(_PASSING, *_PASSING, Lost, Over, Settled, AwaitingAnswer),
        **_same(SetUp, Settled, Repair, Lost, Over),
    },
    Happens.SETTLED_ITSELF: {AwaitingAnswer: frozenset(_RESTING) - {AwaitingAnswer}, **_same(*_PASSING)},
    Happens.TOLD: _to(_ALL, *_RESTING),
    Happens.RESUMED: _to(_ALL, SetUp, Settled, Over),
    Happens.CALLED: {
        **_to(_PASSING, *_ALL),
        **_to((Settled, Repair), Settled, Repair, AwaitingAnswer, Over),
        SetUp: frozenset({SetUp, Settled}),
        Lost: frozenset({Lost, Over}),
        Over: frozenset({Over, AwaitingAnswer}),
        AwaitingAnswer: frozenset((AwaitingAnswer, Settled, Repair, Over)),
    },
}
"""For everything that happens, and every kind of state in which it can: the kinds of state that may follow."""


class ForbiddenTransitionError(RuntimeError):
    """A change of state that the table does not have: an error in the referee, never in what it is told."""


def follow(happens: Happens, before: State, after: State) -> State:
    """`after`, if the table lets it follow; else ForbiddenTransitionError."""
    if type(after) not in TABLE[happens].get(type(before), frozenset()):
        raise ForbiddenTransitionError(f"{type(before).__name__} cannot become {type(after).__name__} when {happens.value}")
    return after


def diagram() -> str:
    """The table as a Mermaid state diagram, arrows between the same two states joined; what leaves a state as it is, is left out."""
    arrows: dict[tuple[str, str], list[str]] = {}
    for happens, rows in TABLE.items():
        for before, afters in rows.items():
            for after in sorted(afters, key=lambda kind: kind.__name__):
                if after is not before:
                    arrows.setdefault((before.__name__, after.__name__), []).append(happens.value)
    lines = [f"    {before} --> {after}: {', '.join(words)}" for (before, after), words in sorted(arrows.items())]
    return "\n".join(("stateDiagram-v2", "    [*] --> SetUp", *lines))
