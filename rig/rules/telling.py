"""The words for what the rules say, in English and German, from one table: the command line and the screen tell the same.

Rulings and reasons are values without words; here they become sentences. How a player is called (by name, or by colour) is up to the
caller: `by_name` and `by_colour` give both.
"""

from __future__ import annotations

from collections.abc import Sequence
from enum import StrEnum
from typing import TYPE_CHECKING

from rig.pieces import Colour, Column, Floor, Shape
from rig.rules.events import Seat
from rig.rules.rulings import Datum, Reason, Ruling, RulingKind
from rig.rules.sentences import REASONS, RULINGS, WHO_WINS

if TYPE_CHECKING:
    from rig.rules.game import Game


class Language(StrEnum):
    """The languages sentences are told in."""

    ENGLISH = "en"
    GERMAN = "de"


COLOUR_WORDS: dict[Colour, tuple[str, str]] = {
    Colour.RED: ("red", "rot"),
    Colour.BLUE: ("blue", "blau"),
    Colour.YELLOW: ("yellow", "gelb"),
    Colour.GREEN: ("green", "grün"),
}
SHAPE_WORDS: dict[Shape, tuple[str, str]] = {
    Shape.THICK: ("thick", "dicke"),
    Shape.HEX: ("hexagonal", "sechseckige"),
    Shape.THIN: ("thin", "dünne"),
}
FLOOR_WORDS: dict[Floor, tuple[str, str]] = {
    Floor.GROUND: ("ground", "Boden"),
    Floor.BLUE: ("blue", "Blau"),
    Floor.GREEN: ("green", "Grün"),
    Floor.YELLOW: ("yellow", "Gelb"),
    Floor.ORANGE: ("orange", "Orange"),
    Floor.RED: ("red", "Rot"),
}


def column_words(column: Column, language: Language) -> str:
    """The column as a noun: `red's thin column 2`, `die dünne Säule 2 von Rot`; the same in the nominative and the accusative."""
    if language is Language.ENGLISH:
        return f"{column.colour}'s {SHAPE_WORDS[column.shape][0]} column {column.number}"
    return f"die {SHAPE_WORDS[column.shape][1]} Säule {column.number} von {COLOUR_WORDS[column.colour][1].capitalize()}"


def by_name(game: Game) -> tuple[str, ...]:
    """How the players are called, by seat: by their names."""
    return game.table.names


def by_colour(game: Game, language: Language) -> tuple[str, ...]:
    """How the players are called, by seat: by their colours, once drawn (`Blau`, `Red and blue`); by name before."""
    both = " and " if language is Language.ENGLISH else " und "
    side = 0 if language is Language.ENGLISH else 1

    def called(seat: Seat) -> str:
        colours = game.position.colours[seat]
        if not colours:
            return game.table.names[seat]
        words = [COLOUR_WORDS[colour][side] for colour in colours]
        return both.join(word.capitalize() if side or not i else word for i, word in enumerate(words))

    return tuple(map(called, game.table.seats))


def tell_reason(reason: Reason, language: Language) -> str:
    """The reason as a sentence without its rule id."""
    return REASONS[reason][_side(language)]


def tell(ruling: Ruling, called: Sequence[str], language: Language) -> str:
    """The ruling as a sentence; `called` is how the players are called, by seat."""
    side = _side(language)
    words = {key: _word(key, value, called, language) for key, value in ruling.data}
    words["who"] = ("nobody", "niemand")[side] if ruling.seat is None else called[ruling.seat]
    words["rules"] = ", ".join(ruling.rules)
    sentence = _variant(ruling)[side].format_map(_Words(words))
    return sentence[:1].upper() + sentence[1:]


def _side(language: Language) -> int:
    return 0 if language is Language.ENGLISH else 1


def _variant(ruling: Ruling) -> tuple[str, str]:
    """The sentence of the table that fits the ruling's data."""
    if ruling.kind is RulingKind.OVER:
        winners = ruling.get("winners")
        assert isinstance(winners, tuple)
        return WHO_WINS[min(len(winners), 2)]
    found = RULINGS[ruling.kind]
    if isinstance(found, tuple):
        return found
    key, with_it, without = found.key, found.given, found.missing
    return with_it if ruling.get(key) not in (None, ()) else without


class _Words(dict[str, str]):
    def __missing__(self, key: str) -> str:
        return "?"


def _word(key: str, value: Datum, called: Sequence[str], language: Language) -> str:
    """A ruling's datum in words; what a datum means is told by its key."""
    side = _side(language)
    joined = (" and ", " und ")[side]
    if value is None:
        return ("nothing", "nichts")[side]
    if key in ("claimant", "before", "culprit"):
        assert isinstance(value, int)
        return called[value]
    if key == "winners":
        assert isinstance(value, tuple)
        return joined.join(called[int(seat)] for seat in value)
    if key == "reasons":
        assert isinstance(value, tuple)
        return " ".join(f"{tell_reason(Reason[str(name).upper()], language)}" for name in value)
    if key == "colours":
        assert isinstance(value, tuple)
        return joined.join(COLOUR_WORDS[Colour(str(colour))][side].capitalize() for colour in value)
    if key in ("face", "colour"):
        return COLOUR_WORDS[Colour(str(value))][side].capitalize() if side else str(value)
    if key in ("plateau", "floor"):
        return FLOOR_WORDS[Floor.parse(str(value))][side]
    if key == "column":
        return column_words(Column.parse(str(value)), language)
    if key == "choice":
        return CHOICE_WORDS[str(value)][side]
    return ", ".join(map(str, value)) if isinstance(value, tuple) else str(value)


CHOICE_WORDS: dict[str, tuple[str, str]] = {
    "stand": ("it stands", "es gilt"),
    "abort": ("it counts as aborted", "es gilt als Abbruch"),
    "undo": ("it is undone", "es wird zurückgenommen"),
}
