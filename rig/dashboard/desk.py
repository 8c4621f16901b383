"""What people say at the desk, checked for form: words that exist, seats that make sense, answers to the question that was asked.

Whether it is allowed is for the rules; here only what cannot be meant is turned away, with a sentence. A deed that would break a rule is
asked about once more, because a wrong tap is likelier than a wrong deed; told again as sure, it goes to the books, which flag it.
"""

from __future__ import annotations

from typing import Any

import msgspec

from rig import messages as m
from rig.dashboard.bodies import read_as
from rig.errors import PalettiError
from rig.rules import Game, ImpossibleEventError, Language, Phase, Reason, tell_reason
from rig.rules.events import DEEDS
from rig.rules.notation import parse_event, print_event

SEATS = 4
NAME_LETTERS = 24
"""Longer names do not fit the screen."""

LINE_LETTERS = 2000
"""A correction of a whole turn has some hundred."""


class AgainstTheRulesError(PalettiError):
    """What was told breaks rules: a call is refused; a deed (`may_be`) can have happened all the same."""

    def __init__(self, reasons: tuple[Reason, ...], may_be: bool, named: str | None = None) -> None:
        """`named`: the English sentence where it names what is wrong."""
        sentence, self.german = (_because(reasons, language) for language in (Language.ENGLISH, Language.GERMAN))
        super().__init__(named or sentence)
        self.rules = tuple(dict.fromkeys(reason.rule for reason in reasons))
        self.may_be = may_be


def _because(reasons: tuple[Reason, ...], language: Language) -> str:
    return " ".join(f"{tell_reason(reason, language)} ({reason.rule})" for reason in reasons)


class PlateNotEmptyError(PalettiError):
    """By the books something stands on the plate."""

    def __init__(self, columns: int) -> None:
        super().__init__(
            f"By the books {columns} columns stand on the plate, so it is not empty: nothing was tared. Steps stay right without it; "
            "tare before the set-up or when the game is over."
        )
        self.german = (
            f"Nach dem Spielstand stehen {columns} Säulen auf der Platte, sie ist also nicht leer: Die Waage bleibt, wie sie ist. Für das "
            "Wiegen der Säulen macht das nichts; vor dem Aufbau oder nach dem Spiel geht es."
        )


class Tale(msgspec.Struct):
    """An event as the page tells it: its line, and whether whoever tapped is sure although it breaks a rule."""

    line: str
    sure: bool = False


class _Names(msgspec.Struct):
    names: list[str]


def read_call(body: bytes) -> m.Call:
    """The call in `body`: `{"word": …, "seat": …, "column": … or absent}`; PalettiError if it is none."""
    call = read_as(body, m.Call)
    if not 0 <= call.seat < SEATS:
        raise PalettiError(f"There is no seat {call.seat}.", "Seats are counted from 0, clockwise.")
    return call


def read_answer(body: bytes, ask: dict[str, Any] | None) -> m.Answered:
    """The answer in `body` to the question `ask`; PalettiError if no question waits, it is another one, or the choice is none of its."""
    answered = read_as(body, m.Answered)
    if ask is None:
        raise PalettiError("No question waits for an answer.", "It has been settled meanwhile.")
    if answered.ask != ask["id"]:
        raise PalettiError("That question is no longer asked.", "Look at the new one.")
    if answered.choice not in ask["choices"]:
        raise PalettiError(f"{answered.choice!r} is not among the answers.", f"They are: {', '.join(ask['choices'])}.")
    return answered


def read_draw(body: bytes) -> m.Drew:
    """The draw in `body`: `{"seats": [{"name", "colours"}, …], "first": seat}`; PalettiError if it cannot be (U3, D1, T1)."""
    drew = read_as(body, m.Drew)
    if not 2 <= len(drew.seats) <= SEATS:
        raise PalettiError(f"{len(drew.seats)} players cannot play.", "Two to four can.")
    names = checked_names(tuple(seat.name for seat in drew.seats))
    each = 2 if len(drew.seats) == 2 else 1
    if any(len(seat.colours) != each for seat in drew.seats):
        raise PalettiError(f"With {len(drew.seats)} players each takes {'two colours' if each == 2 else 'one colour'}.")
    colours = [colour for seat in drew.seats for colour in seat.colours]
    if len(set(colours)) != len(colours):
        raise PalettiError("Two players have the same colour.", "Give each colour once.")
    if not 0 <= drew.first < len(drew.seats):
        raise PalettiError("Nobody sits where the first player should.", "Say who starts.")
    return m.Drew(seats=tuple(m.SeatColours(name, seat.colours) for name, seat in zip(names, drew.seats, strict=True)), first=drew.first)


def read_told(body: bytes, game: Game | None) -> m.Told:
    """The event in `body`: `{"line": …, "sure": true or absent}`, in the rules' notation. PalettiError if it cannot be read or cannot have
    happened, AgainstTheRulesError if it breaks a rule and nobody said that it is sure."""
    tale = read_as(body, Tale)
    if game is None:
        raise PalettiError("No game has begun yet.", "Wait a moment.")
    if len(tale.line) > LINE_LETTERS or not tale.line.isprintable():
        raise PalettiError(f"An event is one line of at most {LINE_LETTERS} letters.", "Tell it in parts.")
    event = parse_event(tale.line, game.table.names, game.pieces)
    try:
        game.apply(event)
    except ImpossibleEventError as error:
        raise AgainstTheRulesError((error.reason,), may_be=False, named=error.sentence) from error
    reasons = game.why_not(event)
    if reasons and not (tale.sure and isinstance(event, DEEDS)):
        raise AgainstTheRulesError(reasons, may_be=isinstance(event, DEEDS))
    return m.Told(line=print_event(event, game.table.names))


def read_tare(body: bytes, game: Game | None) -> m.Tare:
    """The word to tare in `body`: `{"back": true or absent}`; PlateNotEmptyError in mid-game, when a tower would count as nothing. Taking a
    tare back is always allowed."""
    tare = read_as(body, m.Tare)
    if game is not None and game.phase is not Phase.OVER and not tare.back:
        standing = sum(game.where(column) is not None for column in game.pieces.columns)
        if standing:
            raise PlateNotEmptyError(standing)
    return tare


def read_names(body: bytes, seats: int) -> tuple[str, ...]:
    """The players' names in `body`, by seat: `{"names": [...]}`; PalettiError if they cannot be."""
    names = read_as(body, _Names).names
    if len(names) != seats:
        raise PalettiError(f"{seats} players play, not {len(names)}.", "Give each a name.")
    return checked_names(tuple(names))


def checked_names(names: tuple[str, ...]) -> tuple[str, ...]:
    """The names without blanks around them; PalettiError if the screen or the record cannot take them."""
    names = tuple(name.strip() for name in names)
    if not all(name and len(name) <= NAME_LETTERS and name.isprintable() and '"' not in name for name in names):
        raise PalettiError(
            "A player's name is empty, too long or not printable.", f"Use 1 to {NAME_LETTERS} letters, without double quotes."
        )
    if len(set(names)) != len(names):
        raise PalettiError("Two players have the same name.", "Give each a name of their own.")
    return names


def needs_host(line: str, game: Game | None) -> bool:
    """Whether only the host may tell this: what ends the game, what the table rules, and corrections. Striking the last event is no
    correction: it is the way back from a wrong tap."""
    verb, _, rest = line.partition(" ")
    if verb == "correct" and game is not None and rest.rstrip() == f"{len(game.log)}:":
        return False
    return verb in ("correct", "rule", "decide", "collapse")
