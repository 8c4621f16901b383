"""The words for what the rules say, in English and German, from one table: the command line and the screen tell the same.

Rulings and reasons are values without words; here they become sentences. How a player is called (by name, or by colour) is up to the
caller: `by_name` and `by_colour` give both.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from enum import StrEnum
from typing import TYPE_CHECKING, Literal

from rig.pieces import Colour, Column, Floor, Shape
from rig.rules.events import Choice, Seat
from rig.rules.rulings import Datum, Reason, Ruling, RulingKind, Why
from rig.rules.sentences import REASONS, RULINGS, WHO_WINS, WHY_OVER, Either, Pair

if TYPE_CHECKING:
    from rig.rules.game import Game


class Language(StrEnum):
    """The languages sentences are told in."""

    ENGLISH = "en"
    GERMAN = "de"


Code = Literal["en", "de"]
"""A language by its code, for callers that have only text."""


COLOUR_WORDS: dict[Colour, Pair] = {
    Colour.RED: ("red", "rot"),
    Colour.BLUE: ("blue", "blau"),
    Colour.YELLOW: ("yellow", "gelb"),
    Colour.GREEN: ("green", "grün"),
}
SHAPE_WORDS: dict[Shape, Pair] = {
    Shape.THICK: ("thick", "dicke"),
    Shape.HEX: ("hexagonal", "sechseckige"),
    Shape.THIN: ("thin", "dünne"),
}
CHOICE_WORDS: dict[Choice, Pair] = {
    Choice.STAND: ("it stands", "es gilt"),
    Choice.ABORT: ("it counts as aborted", "es gilt als Abbruch"),
    Choice.UNDO: ("it is undone", "es wird zurückgenommen"),
}
FLOOR_WORDS: dict[Floor, Pair] = {
    Floor.GROUND: ("ground", "Boden"),
    Floor.BLUE: ("blue", "Blau"),
    Floor.GREEN: ("green", "Grün"),
    Floor.YELLOW: ("yellow", "Gelb"),
    Floor.ORANGE: ("orange", "Orange"),
    Floor.RED: ("red", "Rot"),
}


def column_words(column: Column, side: int) -> str:
    """The column as a noun: `red's thin column 2`, `die dünne Säule 2 von Rot`; the same in the nominative and the accusative."""
    if side == 0:
        return f"{column.colour}'s {SHAPE_WORDS[column.shape][0]} column {column.number}"
    return f"die {SHAPE_WORDS[column.shape][1]} Säule {column.number} von {COLOUR_WORDS[column.colour][1].capitalize()}"


def by_name(game: Game) -> tuple[str, ...]:
    """How the players are called, by seat: by their names."""
    return game.table.names


def by_colour(game: Game, language: Language | Code) -> tuple[str, ...]:
    """How the players are called, by seat: by their colours, once drawn (`Blau`, `Red and blue`); by name before."""
    side = _side(language)

    def called(seat: Seat) -> str:
        colours = game.position.colours[seat]
        if not colours:
            return game.table.names[seat]
        words = [COLOUR_WORDS[colour][side] for colour in colours]
        return _AND[side].join(word.capitalize() if side or not i else word for i, word in enumerate(words))

    return tuple(map(called, game.table.seats))


def tell_reason(reason: Reason, language: Language | Code) -> str:
    """The reason as a sentence without its rule id."""
    return REASONS[reason][_side(language)]


def tell(ruling: Ruling, called: Game | Sequence[str], language: Language | Code) -> str:
    """The ruling as a sentence. `called`: how the players are called, by seat; or the game, whose players then go by their colours."""
    names = called if isinstance(called, Sequence) else by_colour(called, language)
    side = _side(language)
    words = {key: _word(key, value, names, side) for key, value in ruling.data}
    words["who"] = ("nobody", "niemand")[side] if ruling.seat is None else names[ruling.seat]
    words["rules"] = ", ".join(ruling.rules)
    sentence = _variant(ruling)[side].format_map(words)
    return sentence[:1].upper() + sentence[1:]


def tell_outcome(game: Game, language: Language | Code) -> str:
    """The result as a sentence; empty while the game goes on."""
    last = next((ruling for ruling in reversed(game.history) if ruling.kind is RulingKind.OVER), None)
    return "" if game.outcome is None or last is None else tell(last, game, language)


def _side(language: Language | Code) -> int:
    """Which of a pair of sentences."""
    return list(Language).index(Language(language))


def _variant(ruling: Ruling) -> Pair:
    """The sentence of the table that fits the ruling's data."""
    if ruling.kind is RulingKind.OVER:
        winners = ruling.get("winners")
        return WHO_WINS[min(len(winners), 2) if isinstance(winners, tuple) else 0]
    found = RULINGS[ruling.kind]
    if isinstance(found, Either):
        return found.given if ruling.get(found.key) not in (None, ()) else found.missing
    return found


def _word(key: str, value: Datum, called: Sequence[str], side: int) -> str:
    """A ruling's datum in words; what a datum means is told by its key."""
    if value is None:
        return ("nothing", "nichts")[side]
    if isinstance(value, tuple):
        between = {"reasons": " ", "winners": _AND[side], "colours": _AND[side]}.get(key, ", ")
        return between.join(_word(_ONE_OF.get(key, key), item, called, side) for item in value)
    wording = _WORDINGS.get(key)
    return str(value) if wording is None else wording(str(value), called, side)


_AND = (" and ", " und ")
_ONE_OF = {"winners": "claimant", "reasons": "reason", "colours": "colour"}

_Wording = Callable[[str, Sequence[str], int], str]


def _called(seat: str, called: Sequence[str], _side: int) -> str:
    return called[int(seat)]


def _colour(colour: str, _called: Sequence[str], side: int) -> str:
    word = COLOUR_WORDS[Colour(colour)][side]
    return word.capitalize() if side else word


def _floor(floor: str, _called: Sequence[str], side: int) -> str:
    return FLOOR_WORDS[Floor.parse(floor)][side]


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
