"""What people say at the desk, checked for form: words that exist, seats that make sense, answers to the question that was asked.

Whether it is allowed is for the rules; here only what cannot be meant is turned away, with a sentence.
"""

from __future__ import annotations

from typing import Any, TypeVar

import msgspec

from rig import messages as m
from rig.errors import PalettiError

SEATS = 4
NAME_LETTERS = 24
"""Longer names do not fit the screen."""

_T = TypeVar("_T")


def read_call(body: bytes) -> m.Call:
    """The call in `body`: `{"word": …, "seat": …, "column": … or absent}`; PalettiError if it is none."""
    call = _read(body, m.Call)
    if not 0 <= call.seat < SEATS:
        raise PalettiError(f"There is no seat {call.seat}.", "Seats are counted from 0, clockwise.")
    return call


def read_answer(body: bytes, ask: dict[str, Any] | None) -> m.Answered:
    """The answer in `body` to the question `ask`; PalettiError if no question waits, it is another one, or the choice is none of its."""
    answered = _read(body, m.Answered)
    if ask is None:
        raise PalettiError("No question waits for an answer.", "It has been settled meanwhile.")
    if answered.ask != ask["id"]:
        raise PalettiError("That question is no longer asked.", "Look at the new one.")
    if answered.choice not in ask["choices"]:
        raise PalettiError(f"{answered.choice!r} is not among the answers.", f"They are: {', '.join(ask['choices'])}.")
    return answered


def read_draw(body: bytes) -> m.Drew:
    """The draw in `body`: `{"seats": [{"name", "colours"}, …], "first": seat}`; PalettiError if it cannot be (U3, D1, T1)."""
    drew = _read(body, m.Drew)
    if not 2 <= len(drew.seats) <= SEATS:
        raise PalettiError(f"{len(drew.seats)} players cannot play.", "Two to four can.")
    names = [seat.name.strip() for seat in drew.seats]
    if not all(name and len(name) <= NAME_LETTERS and name.isprintable() and '"' not in name for name in names):
        raise PalettiError(
            "A player's name is empty, too long or not printable.", f"Use 1 to {NAME_LETTERS} letters, without double quotes."
        )
    if len(set(names)) != len(names):
        raise PalettiError("Two players have the same name.", "Give each a name of their own.")
    each = 2 if len(drew.seats) == 2 else 1
    if any(len(seat.colours) != each for seat in drew.seats):
        raise PalettiError(f"With {len(drew.seats)} players each takes {'two colours' if each == 2 else 'one colour'}.")
    colours = [colour for seat in drew.seats for colour in seat.colours]
    if len(set(colours)) != len(colours):
        raise PalettiError("Two players have the same colour.", "Give each colour once.")
    if not 0 <= drew.first < len(drew.seats):
        raise PalettiError("Nobody sits where the first player should.", "Say who starts.")
    return m.Drew(seats=tuple(m.SeatColours(name, seat.colours) for name, seat in zip(names, drew.seats, strict=True)), first=drew.first)


def _read(body: bytes, kind: type[_T]) -> _T:
    try:
        value = msgspec.json.decode(body)
        if isinstance(value, dict):
            value["type"] = kind.__name__
        return msgspec.convert(value, kind)
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise PalettiError(f"The desk did not understand that: {error}.") from error
