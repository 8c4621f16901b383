"""The words of a record's line, and how single values are read from and written as words.

`Words` cuts a line and knows where each word stands, so that every error can say so; a `Kind` turns one word into a value and back. What
words make an event is in `notation.py`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from rig.errors import PalettiError
from rig.pieces import STANDARD_SET, Colour, Column, Floor, PieceSet, Shape
from rig.rules.events import Choice, OutsideChoice, Seat

_TOKEN = re.compile(r'\s+|"[^"]*"|#.*|[;:]|[^\s;:"#]+|"')


class NotationError(PalettiError):
    """Text that is no event: `column` is where in the line (from 1), `cause` what is wrong there."""

    def __init__(self, cause: str, column: int) -> None:
        super().__init__(f"Column {column}: {cause}", "The record's grammar is in rig/rules/README.md.")
        self.cause = cause
        self.column = column


class Known(NamedTuple):
    """What words are read by: the players' names, clockwise, and the set of pieces."""

    names: Sequence[str] = ()
    pieces: PieceSet = STANDARD_SET


NOBODY = Known()


@dataclass(frozen=True, slots=True)
class Token:
    """A word of a line, and where it begins (from 1)."""

    text: str
    column: int


class Words:
    """The words of one line, read from left to right; `comment` is what follows a `#`."""

    def __init__(self, line: str, known: Known = NOBODY) -> None:
        self.known = known
        self.comment: str | None = None
        self._tokens: list[Token] = []
        self._next = 0
        self._end = len(line.rstrip()) + 1
        for match in _TOKEN.finditer(line):
            text = match.group()
            if text == '"':
                raise NotationError("a quotation mark is not closed.", match.start() + 1)
            if text.startswith("#"):
                self.comment = text[1:].strip()
                self._end = match.start() + 1
            elif not text.isspace():
                self._tokens.append(Token(text, match.start() + 1))

    def peek(self) -> str | None:
        """The next word, left where it is; None at the end."""
        return self._tokens[self._next].text if self._next < len(self._tokens) else None

    def take(self, expected: str) -> Token:
        """The next word; NotationError that `expected` is missing at the end."""
        if self._next == len(self._tokens):
            raise NotationError(f"{expected} is missing.", self._end)
        self._next += 1
        return self._tokens[self._next - 1]

    def end(self) -> None:
        """NotationError if anything is left."""
        if self._next < len(self._tokens):
            token = self._tokens[self._next]
            raise NotationError(f"{shown(token.text)} does not belong here.", token.column)


def shown(text: str) -> str:
    """A word as errors quote it, cut short."""
    return repr(text if len(text) <= 40 else text[:40] + "…")


# --- values ---


@dataclass(frozen=True, slots=True)
class Kind:
    """A kind of value in the text: what it is called, how it is read (ValueError says what is wrong) and written."""

    name: str
    read: Callable[[str, Known], Any]
    write: Callable[[Any, Sequence[str]], str]


def _read_seat(text: str, known: Known) -> Seat:
    name = text.strip('"')
    if name not in known.names:
        raise ValueError(f"{shown(name)} is no player; players are {', '.join(known.names)}")
    return known.names.index(name)


def _read_colour(text: str, _known: Known) -> Colour:
    if text not in set(Colour):
        raise ValueError(f"{shown(text)} is no colour; colours are {', '.join(Colour)}")
    return Colour(text)


def read_count(text: str, limit: int = 9999) -> int:
    """A whole number from 0 to `limit`; ValueError says what is wrong."""
    if not (text.isascii() and text.isdigit() and len(text) <= len(str(limit)) and int(text) <= limit):
        raise ValueError(f"{shown(text)} is no whole number from 0 to {limit}")
    return int(text)


def _read_mm(text: str, _known: Known) -> float:
    if not re.fullmatch(r"[0-9]{1,6}(\.[0-9]{1,17})?(e-[0-9]{1,3})?", text):
        raise ValueError(f"{shown(text)} is no length in millimetres, such as 2.5")
    return float(text)


def _listed(item: Kind) -> Kind:
    return Kind(
        f"{item.name}s with commas between",
        lambda text, known: tuple(item.read(part, known) for part in text.split(",")),
        lambda values, names: ",".join(item.write(value, names) for value in values),
    )


def _member(name: str, members: type[Choice] | type[OutsideChoice]) -> Kind:
    def read(text: str, _known: Known) -> Choice | OutsideChoice:
        if text not in set(members):
            raise ValueError(f"{shown(text)} is no {name}; write {' or '.join(members)}")
        return members(text)

    return Kind(f"a {name}", read, lambda value, _names: str(value))


_KIND = re.compile(r"(?P<colour>[a-z]+)-(?P<shape>[a-z]+)")


def _read_column(text: str, known: Known) -> Column:
    """`red-thick-1`; `red-thick` where the set holds one such column."""
    kind = _KIND.fullmatch(text)
    if kind is not None and kind["colour"] in set(Colour) and kind["shape"] in set(Shape):
        alike = [column for column in known.pieces.columns if column.kind == (kind["colour"], kind["shape"])]
        if len(alike) == 1:
            return alike[0]
        raise ValueError(f"the set holds {len(alike)} columns {text}" + (f"; write {alike[0]} or another number" if alike else ""))
    try:
        return Column.parse(text)
    except ValueError as error:
        raise ValueError(str(error) if len(text) <= 40 else f"{shown(text)} is no column") from None


def _read_floor(text: str, _known: Known) -> Floor:
    if text not in {floor.word for floor in Floor}:
        raise ValueError(f"{shown(text)} is no floor; floors are {', '.join(floor.word for floor in Floor)}")
    return Floor.parse(text)


COLUMN = Kind("a column", _read_column, lambda value, _names: str(value))
FLOOR = Kind("a floor", _read_floor, lambda value, _names: value.word)
COLOUR = Kind("a colour", _read_colour, lambda value, _names: str(value))
SEAT = Kind("a player", _read_seat, lambda value, names: f'"{names[value]}"')
COUNT = Kind("a number", lambda text, _known: read_count(text), lambda value, _names: str(value))
MM = Kind("a length", _read_mm, lambda value, _names: repr(float(value)))
COLUMNS, FLOORS = _listed(COLUMN), _listed(FLOOR)
FLAG = Kind("", lambda _text, _known: True, lambda _value, _names: "")
CHOICE, OUTSIDE = _member("choice", Choice), _member("decision", OutsideChoice)
