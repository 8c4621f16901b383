"""What the desk shows of the books: what may happen now, where everything stands, and what was told so far, as plain data for JSON.

The rules' own value is read, never changed; a page that wants to put an earlier event right gets the same of the moment before it. Lines
are the rules' notation, so that what the page sends back is what it was offered.
"""

from __future__ import annotations

from typing import Any

from rig.errors import PalettiError
from rig.rules import Game, Language, Ruling, RulingKind, by_name, tell
from rig.rules.events import WORDS
from rig.rules.notation import print_event

_ASIDE = frozenset({RulingKind.TURN, RulingKind.STARTS, RulingKind.SEAL, RulingKind.SET_UP, RulingKind.LOCKED, RulingKind.SET_ASIDE})
"""Rulings that say what follows from an event; the log names events by what happened in them."""


def offers(game: Game) -> dict[str, Any]:
    """The moment (see `moment`) and the log: each event with its number, its line as it is understood now, what was ruled, whether it was
    corrected, and what the table may make of it."""
    return {**moment(game), "log": [_entry(game, number) for number, event in enumerate(game.log, 1) if not isinstance(event, WORDS)]}


def before(game: Game, number: int) -> dict[str, Any]:
    """The moment before event `number` and, in `lines`, what that event is taken for; PalettiError if there is none to correct."""
    if not 1 <= number <= len(game.log) or isinstance(game.log[number - 1], WORDS):
        raise PalettiError(f"There is no event {number} to correct.", "Choose one from the list.")
    return {**moment(game.before(number)), "lines": [print_event(event, game.table.names) for event in game.really(number)]}


def moment(game: Game) -> dict[str, Any]:
    """Whom and what the game waits for, where every column is (`floor` null: out of the game), and what the rules allow, as lines."""
    names = game.table.names
    return {
        "phase": str(game.phase),
        "turn": game.turn,
        "actor": game.actor,
        "names": list(names),
        "columns": [
            {"column": str(column), "floor": None if (floor := game.where(column)) is None else floor.word, "locked": column in game.locked}
            for column in game.pieces.columns
        ],
        "top": game.top_floor.word,
        "next": None if game.next_plateau is None else game.next_plateau.word,
        "laid": [floor.word for floor in game.laid],
        "offers": [print_event(event, names) for event in game.legal_actions()],
    }


def _entry(game: Game, number: int) -> dict[str, Any]:
    told = [ruling for ruling in game.history if ruling.number == number]
    flagged = next((ruling for ruling in told if ruling.get("choices")), None)
    really = game.really(number)
    return {
        "number": number,
        "line": "; ".join(print_event(event, game.table.names) for event in really),
        "corrected": really != (game.log[number - 1],),
        "english": _told(told, game, Language.ENGLISH),
        "german": _told(told, game, Language.GERMAN),
        "choices": list(_texts(flagged, "choices")),
        "choice": None if flagged is None else flagged.get("choice"),
    }


def _texts(ruling: Ruling | None, key: str) -> tuple[str, ...]:
    found = None if ruling is None else ruling.get(key)
    return tuple(map(str, found)) if isinstance(found, tuple) else ()


def _told(rulings: list[Ruling], game: Game, language: Language) -> str:
    return " ".join(tell(ruling, by_name(game), language) for ruling in rulings if ruling.kind not in _ASIDE)
