"""The judge: a game record in, one JSON line for each ruling out, and a last line with the result.

It rules while it reads, so everything ruled before a fault has been said when the fault is raised. Opening files is left to the caller.
"""

from __future__ import annotations

import json
from typing import Any, Protocol

from rig.rules.game import Game, ImpossibleEventError
from rig.rules.record import ByteStream, RecordError, lines_of, read_record
from rig.rules.rulings import Ruling, RulingKind
from rig.rules.telling import Language, tell


class Sink(Protocol):
    """What rulings are written to: standard output, or any open text file."""

    def write(self, text: str, /) -> object: ...


def judge(stream: ByteStream, out: Sink) -> Game:
    """Rule on the record read from `stream` (binary) and write JSON lines, in plain ASCII, to `out`. The game at the end.

    RecordError for the first line that cannot be read or cannot have happened, after every ruling before it has been written.
    """
    header, entries = read_record(lines_of(stream))
    game = header.start()
    for line, entry in entries:
        if entry.event is None:
            continue
        try:
            game = game.apply(entry.event)
        except ImpossibleEventError as error:
            raise RecordError(error.sentence, line, hint=error.hint) from None
        for ruling in game.rulings:
            out.write(json.dumps(ruling_line(game, ruling, line)) + "\n")
    out.write(json.dumps(result_line(game)) + "\n")
    return game


def ruling_line(game: Game, ruling: Ruling, line: int | None = None) -> dict[str, Any]:
    """A ruling as JSON holds it, with where the game stands after its event; players go by name."""
    violations = [
        {"rules": list(found.rules), "reasons": found.get("reasons")}
        for found in game.rulings
        if found.kind is RulingKind.VIOLATION and found.number == ruling.number
    ]
    return {
        "line": line,
        "event": ruling.number,
        "kind": str(ruling.kind),
        "rules": list(ruling.rules),
        "player": _name(game, ruling.seat),
        "data": {key: list(value) if isinstance(value, tuple) else value for key, value in ruling.data},
        "english": tell(ruling, game, Language.ENGLISH),
        "german": tell(ruling, game, Language.GERMAN),
        "violations": violations,
        **standing(game),
    }


def result_line(game: Game) -> dict[str, Any]:
    """The last line: the result, or what the game waits for if it is not over."""
    return {"result": _outcome(game), "events": len(game.log), **standing(game)}


def standing(game: Game) -> dict[str, Any]:
    """Where the game stands, as JSON holds it."""
    return {
        "phase": str(game.phase),
        "turn": _name(game, game.turn),
        "scores": dict(zip(game.table.names, game.scores, strict=True)),
        "seal": _name(game, game.holder),
        "face": game.face,
        "top_floor": game.top_floor.word,
        "locked": sorted(map(str, game.locked)),
        "outcome": _outcome(game),
    }


def _outcome(game: Game) -> dict[str, Any] | None:
    outcome = game.outcome
    if outcome is None:
        return None
    winners = [game.table.names[seat] for seat in outcome.winners]
    return {"winners": winners, "why": str(outcome.why), "rules": list(outcome.rules), "culprit": _name(game, outcome.culprit)}


def _name(game: Game, seat: int | None) -> str | None:
    return None if seat is None else game.table.names[seat]
