"""The words for what the rules say, in English and German, from one table: the command line and the screen tell the same.

Rulings and reasons are values without words; here they become sentences. How a player is called (by name, or by colour) is up to the
caller: `by_name` and `by_colour` give both. The sentences are in `sentences.py`, with the marks for cases and numbers that are read here.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from enum import StrEnum
from typing import Literal, Protocol

from rig.pieces import Colour, Column, Floor, Shape
from rig.rules.events import Choice, Seat
from rig.rules.position import Position
from rig.rules.rulings import Datum, Reason, Ruling, RulingKind, Why
from rig.rules.sentences import REASONS, RULINGS, WHO_WINS, WHY_OVER, Cases, Either, Pair


class Language(StrEnum):
    """The languages sentences are told in."""

    ENGLISH = "en"
    GERMAN = "de"


Code = Literal["en", "de"]
"""A language by its code, for callers that have only text."""


class Played(Protocol):
    """A game, as far as telling needs it."""

    @property
    def position(self) -> Position: ...
    @property
    def history(self) -> tuple[Ruling, ...]: ...


class Phrase(str):
    """Words for a thing: the nominative as text; other German cases and a capital letter on request (`{floor:dat}`, `{column:cap}`); and
    whether they mean several."""

    dative: str
    accusative: str
    several: bool

    def __new__(cls, nominative: str, dative: str | None = None, accusative: str | None = None, several: bool = False) -> Phrase:
        phrase = super().__new__(cls, nominative)
        phrase.dative = nominative if dative is None else dative
        phrase.accusative = nominative if accusative is None else accusative
        phrase.several = several
        return phrase

    def __format__(self, case: str) -> str:
        return {"": str(self), "dat": self.dative, "acc": self.accusative, "cap": self[:1].upper() + self[1:]}[case]


COLOUR_WORDS: dict[Colour, Pair] = {
    Colour.RED: ("red", "rot"),
    Colour.BLUE: ("blue", "blau"),
    Colour.YELLOW: ("yellow", "gelb"),
    Colour.GREEN: ("green", "grün"),
}
SHAPE_WORDS: dict[Shape, Pair] = {
    Shape.THICK: ("thick", "dick"),
    Shape.HEX: ("hexagonal", "sechseckig"),
    Shape.THIN: ("thin", "dünn"),
}
CHOICE_WORDS: dict[Choice, Pair] = {
    Choice.STAND: ("it stands", "es gilt"),
    Choice.ABORT: ("it counts as aborted", "es gilt als Abbruch"),
    Choice.UNDO: ("it is undone", "es wird zurückgenommen"),
}
PLATEAU_WORDS: dict[Floor, Pair] = {
    Floor.BLUE: ("blue", "blau"),
    Floor.GREEN: ("green", "grün"),
    Floor.YELLOW: ("yellow", "gelb"),
    Floor.ORANGE: ("orange", "orangefarben"),
    Floor.RED: ("red", "rot"),
}


def column_words(column: Column, side: int) -> Phrase:
    """The column as a noun: `red's thin column 2`, `die dünne Säule 2 von Rot`."""
    if side == 0:
        return Phrase(f"{column.colour}'s {SHAPE_WORDS[column.shape][0]} column {column.number}")
    shape, owner = SHAPE_WORDS[column.shape][1], COLOUR_WORDS[column.colour][1].capitalize()
    same = f"die {shape}e Säule {column.number} von {owner}"
    return Phrase(same, dative=f"der {shape}en Säule {column.number} von {owner}")


def floor_words(floor: Floor, side: int) -> Phrase:
    """The floor as a noun: `the ground`, `the blue plateau`; `der Boden`, `das blaue Plateau`."""
    if floor is Floor.GROUND:
        return Phrase("der Boden", "dem Boden", "den Boden") if side else Phrase("the ground")
    colour = PLATEAU_WORDS[floor][side]
    return Phrase(f"das {colour}e Plateau", dative=f"dem {colour}en Plateau") if side else Phrase(f"the {colour} plateau")


def by_name(game: Played) -> tuple[str, ...]:
    """How the players are called, by seat: by their names."""
    return game.position.table.names


def by_colour(game: Played, language: Language | Code) -> tuple[str, ...]:
    """How the players are called, by seat: by their colours, once drawn (`Blau`, `Red and blue`); by name before."""
    return _by_colour(game.position, _side(language))


def _by_colour(position: Position, side: int) -> tuple[str, ...]:
    def called(seat: Seat) -> str:
        colours = position.colours[seat]
        if not colours:
            return position.table.names[seat]
        words = [COLOUR_WORDS[colour][side] for colour in colours]
        return Phrase(_AND[side].join(word.capitalize() if side or not i else word for i, word in enumerate(words)), several=len(words) > 1)

    return tuple(map(called, position.table.seats))


def tell_reason(reason: Reason, language: Language | Code) -> str:
    """The reason as a sentence without its rule id."""
    return REASONS[reason][_side(language)]


def tell(ruling: Ruling, called: Played | Sequence[str], language: Language | Code) -> str:
    """The ruling as a sentence. `called`: how the players are called, by seat; or the game, whose players then go by their colours, except
    where it is told who got which."""
    side = _side(language)
    if isinstance(called, Sequence) and not hasattr(called, "position"):
        names: Sequence[str] = called
    else:
        position: Position = called.position
        names = position.table.names if ruling.kind is RulingKind.DREW else _by_colour(position, side)
    words: dict[str, str] = {key: _word(key, value, names, side) for key, value in ruling.data}
    words["who"] = ("nobody", "niemand")[side] if ruling.seat is None else names[ruling.seat]
    words["rules"] = ", ".join(ruling.rules)
    sentence = _numbered(_variant(ruling)[side], ruling, words).format_map(words)
    return sentence[:1].upper() + sentence[1:]


def tell_outcome(game: Played, language: Language | Code) -> str:
    """The result as a sentence; empty while the game goes on."""
    last = next((ruling for ruling in reversed(game.history) if ruling.kind is RulingKind.OVER), None)
    return "" if game.position.outcome is None or last is None else tell(last, game, language)


def _side(language: Language | Code) -> int:
    """Which of a pair of sentences."""
    return list(Language).index(Language(language))


_NUMBERED = re.compile(r"\[([^|\]]*)\|([^:\]]*)(?::(\w+))?\]")


def _numbered(sentence: str, ruling: Ruling, words: dict[str, str]) -> str:
    """The sentence with every `[one|several]` decided."""

    def decided(match: re.Match[str]) -> str:
        one, several, key = match.groups()
        value = ruling.get(key) if key else None
        many = value != 1 if isinstance(value, int) else getattr(words[key or "who"], "several", False)
        return several if many else one

    return _NUMBERED.sub(decided, sentence)


def _variant(ruling: Ruling) -> Pair:
    """The sentence of the table that fits the ruling's data."""
    if ruling.kind is RulingKind.OVER:
        return WHO_WINS[bool(ruling.get("winners"))]
    found = RULINGS[ruling.kind]
    if isinstance(found, Cases):
        return found.sentences[str(ruling.get(found.key) or "nothing")]
    if isinstance(found, Either):
        given = ruling.seat if found.key == "who" else ruling.get(found.key)
        return found.given if given not in (None, ()) else found.missing
    return found


def _word(key: str, value: Datum, called: Sequence[str], side: int) -> str:
    """A ruling's datum in words; what a datum means is told by its key."""
    if value is None:
        return Phrase(("nothing", "nichts")[side])
    if isinstance(value, tuple):
        parts = [_word(_ONE_OF.get(key, key), item, called, side) for item in value]
        several = len(parts) > 1 or any(getattr(part, "several", False) for part in parts)
        if key in ("winners", "colours"):
            return Phrase(_AND[side].join(filter(None, (", ".join(parts[:-1]), *parts[-1:]))), several=several)
        return Phrase((" " if key == "reasons" else ", ").join(parts), several=several)
    wording = _WORDINGS.get(key)
    return str(value) if wording is None else wording(str(value), called, side)


_AND = (" and ", " und ")
_ONE_OF = {"winners": "claimant", "reasons": "reason", "colours": "colour", "fallen": "column"}

_Wording = Callable[[str, Sequence[str], int], str]


def _called(seat: str, called: Sequence[str], _side: int) -> str:
    return called[int(seat)]


def _colour(colour: str, _called: Sequence[str], side: int) -> str:
    word = COLOUR_WORDS[Colour(colour)][side]
    return word.capitalize() if side else word


def _floor(floor: str, _called: Sequence[str], side: int) -> str:
    return floor_words(Floor.parse(floor), side)


_WORDINGS: dict[str, _Wording] = {
    "claimant": _called,
    "before": _called,
    "culprit": _called,
    "colour": _colour,
    "face": _colour,
    "plateau": _floor,
    "floor": _floor,
    "column": lambda column, _called, side: column_words(Column.parse(column), side),
    "reason": lambda reason, _called, side: REASONS[Reason[reason.upper()]][side],
    "choice": lambda choice, _called, side: CHOICE_WORDS[Choice(choice)][side],
    "why": lambda why, _called, side: WHY_OVER[Why(why)][side],
}
"""How each datum that is not plain text is worded."""
