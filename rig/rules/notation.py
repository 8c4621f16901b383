"""Events as text and back: `raise red-thin-2 by "Anna" overhang_mm 6.0`. One table of verbs serves reading and writing.

A line is a verb, what it is about, and options in any order; written, they come in the table's order. Players go by name. The grammar is
in README.md. Files, headers and comments are `record.py`'s business.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import MISSING, dataclass, field, fields
from typing import Any

from rig.pieces import STANDARD_SET, PieceSet
from rig.rules import events
from rig.rules.events import ColoursAssigned, Corrected, Event
from rig.rules.words import (
    CHOICE,
    COLOUR,
    COLUMN,
    COLUMNS,
    COUNT,
    FLAG,
    FLOOR,
    FLOORS,
    MM,
    OUTSIDE,
    SEAT,
    Kind,
    Known,
    NotationError,
    Words,
    shown,
)

# --- verbs ---


@dataclass(frozen=True, slots=True)
class Verb:
    """How one kind of event is written: its word, the value that follows at once, if any, and the options by their words."""

    word: str
    event: type
    subject: tuple[str, Kind] | None = None
    options: dict[str, tuple[str, Kind]] = field(default_factory=dict)

    def default(self, name: str) -> Any:
        """The default of the event's field `name`; MISSING if it must be given."""
        return next(found.default for found in fields(self.event) if found.name == name)


_BY = {"by": ("by", SEAT)}
_TRACES = {"shifted": ("shifted", FLOORS), "nudged": ("nudged", COLUMNS)}

VERBS: tuple[Verb, ...] = (
    Verb("place-all", events.AllPlaced),
    Verb("place", events.Placed, ("column", COLUMN), {"onto": ("onto", FLOOR), "outer-ring": ("outer_ring", FLAG)}),
    Verb("roll", events.Rolled, ("colour", COLOUR), _BY),
    Verb("choose", events.Chose, ("colour", COLOUR), _BY),
    Verb(
        "raise",
        events.Raised,
        ("column", COLUMN),
        {
            "onto": ("onto", FLOOR),
            **_BY,
            "plateau-held": ("held_plateau", FLAG),
            "overhang_mm": ("overhang_mm", MM),
            "stacked-on": ("on_column", COLUMN),
            **_TRACES,
        },
    ),
    Verb("abort", events.Aborted, ("column", COLUMN), {**_BY, **_TRACES}),
    Verb("touch", events.Touched, ("column", COLUMN), _BY),
    Verb("take-out", events.TakenOut, ("column", COLUMN), {**_BY, **_TRACES}),
    Verb(
        "lay",
        events.PlateauLaid,
        None,
        {
            "plateau": ("plateau", FLOOR),
            **_BY,
            "covers": ("covers", COUNT),
            "touches": ("touches", COUNT),
            "beyond-edge": ("beyond_edge", FLAG),
            "partly": ("partial", FLAG),
            "nudged": ("nudged", COLUMNS),
        },
    ),
    Verb(
        "incident",
        events.Incident,
        None,
        {"column": ("column", COLUMN), **_BY, "outside": ("outside", FLAG), "fallen": ("fallen", COLUMNS)},
    ),
    Verb("collapse", events.Collapsed, None, {"column": ("column", COLUMN), **_BY, "outside": ("outside", FLAG)}),
    Verb("request", events.Requested, None, _BY),
    Verb("unchallenged", events.Unchallenged),
    Verb("challenge", events.Challenged, None, _BY),
    Verb("proof", events.ProofOffered, None, _BY),
    Verb("give-up", events.GaveUp, None, _BY),
    Verb("waive", events.PenaltyWaived, None, _BY),
    Verb("cannot-lay", events.CannotLay, None, _BY),
    Verb("build-nothing", events.BuiltNothing, None, _BY),
    Verb("pass", events.Passed, None, _BY),
    Verb("stop", events.Stopped, None, _BY),
    Verb("rule", events.TableRuled, ("choice", CHOICE), {"event": ("number", COUNT)}),
    Verb("decide", events.OutsideDecided, ("choice", OUTSIDE)),
)
_BY_WORD = {verb.word: verb for verb in VERBS}
_BY_EVENT = {verb.event: verb for verb in VERBS}
EVENT_WORDS: tuple[str, ...] = (*_BY_WORD, "colours", "correct")
"""Every word an event's line may begin with."""


# --- reading ---


def parse_event(text: str, names: Sequence[str], pieces: PieceSet = STANDARD_SET) -> Event:
    """The event written in `text`, among players called `names`, with the set `pieces` (`red-thick` without a number is the one the set
    holds). NotationError says where and what is wrong."""
    words = Words(text, Known(names, pieces))
    event = read_event(words)
    words.end()
    return event


def read_event(words: Words) -> Event:
    """The event that begins at the next word; what follows it is left."""
    token = words.take("an event")
    if token.text == "colours":
        return _read_colours(words)
    if token.text == "correct":
        return _read_correction(words)
    verb = _BY_WORD.get(token.text)
    if verb is None:
        raise NotationError(f"{shown(token.text)} is no event; events are {', '.join(EVENT_WORDS)}.", token.column)
    given: dict[str, Any] = {}
    if verb.subject is not None:
        name, kind = verb.subject
        given[name] = _value(words, kind)
    while (word := words.peek()) in verb.options:
        assert word is not None
        option = words.take(word)
        name, kind = verb.options[word]
        if name in given:
            raise NotationError(f"{word} is told twice.", option.column)
        given[name] = True if kind is FLAG else _value(words, kind)
    missing = [word for word, (name, _) in verb.options.items() if verb.default(name) is MISSING and name not in given]
    if missing:
        instead = words.take(missing[0])
        raise NotationError(f"{missing[0]} is missing before {shown(instead.text)}.", instead.column)
    event: Event = verb.event(**given)
    return event


def _value(words: Words, kind: Kind) -> Any:
    token = words.take(kind.name)
    try:
        return kind.read(token.text, words.known)
    except ValueError as error:
        raise NotationError(f"{error}.", token.column) from None


def _read_colours(words: Words) -> ColoursAssigned:
    """`colours red+blue green+yellow starts "Anna"`: each seat's colours, clockwise."""
    dealt = []
    while words.peek() not in ("starts", None):
        token = words.take("a colour")
        try:
            dealt.append(tuple(COLOUR.read(part, words.known) for part in token.text.split("+")))
        except ValueError as error:
            raise NotationError(f"{error}.", token.column) from None
    words.take("starts")
    return ColoursAssigned(tuple(dealt), _value(words, SEAT))


def _read_correction(words: Words) -> Corrected:
    """`correct 17: lay covers 3; request`: what event 17 really was; nothing after the colon strikes it."""
    number = _value(words, COUNT)
    colon = words.take("a colon")
    if colon.text != ":":
        raise NotationError("a colon is missing.", colon.column)
    inner: list[Event] = []
    while words.peek() is not None:
        if inner:
            semicolon = words.take("a semicolon")
            if semicolon.text != ";":
                raise NotationError(f"{shown(semicolon.text)} does not belong here.", semicolon.column)
        if words.peek() in ("correct", "rule"):
            raise NotationError("a correction holds no other correction or ruling.", words.take("an event").column)
        inner.append(read_event(words))
    return Corrected(number, tuple(inner))


# --- writing ---


def print_event(event: Event, names: Sequence[str]) -> str:
    """The event as text; `parse_event` gives it back."""
    if isinstance(event, ColoursAssigned):
        dealt = " ".join("+".join(colours) for colours in event.colours)
        return f"colours {dealt} starts {SEAT.write(event.starts, names)}"
    if isinstance(event, Corrected):
        return f"correct {event.number}: {'; '.join(print_event(inner, names) for inner in event.events)}".rstrip()
    verb = _BY_EVENT[type(event)]
    parts = [verb.word]
    if verb.subject is not None:
        name, kind = verb.subject
        parts.append(kind.write(getattr(event, name), names))
    for word, (name, kind) in verb.options.items():
        value = getattr(event, name)
        if value != verb.default(name):
            parts.append(word if kind is FLAG else f"{word} {kind.write(value, names)}")
    return " ".join(parts)
