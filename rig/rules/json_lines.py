"""A game record in, one JSON line for each ruling out, and a last line with the result.

A correction can change what was ruled before it, so each ruling is written once, as it stands at the end; with `history` everything is
written as it is ruled, revisions included. Everything ruled before a fault in the record has been written when the fault is raised.
Opening files is left to the caller.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any, Protocol

from rig.errors import PalettiError
from rig.rules.game import Game, ImpossibleEventError
from rig.rules.position import Position
from rig.rules.record import ByteStream, Entry, RecordError, lines_of, read_record
from rig.rules.rulings import Outcome, Ruling, RulingKind
from rig.rules.telling import Language, tell


class Sink(Protocol):
    """What rulings are written to: standard output, or any open text file."""

    def write(self, text: str, /) -> object: ...


def judge(stream: ByteStream, out: Sink, *, history: bool = False) -> Game:
    """Rule on the record read from `stream` (binary) and write JSON lines, in plain ASCII, to `out`. The game at the end.

    `history`: write each ruling when it is made, and again after a correction that reaches it; otherwise each once, as it stands at the
    end. RecordError for the first line that cannot be read or cannot have happened, after every ruling before it has been written.
    PalettiError if `out` takes no more.
    """
    header, entries = read_record(lines_of(stream))
    game, lines = header.start(), [0]
    try:
        for after in _played(game, entries, lines):
            game = after
            if history:
                for ruling in game.rulings:
                    _write(out, ruling_line(game, ruling, lines[-1]))
    except RecordError:
        if not history:
            _write_all(out, game, lines)
        raise
    if not history:
        _write_all(out, game, lines)
    _write(out, result_line(game))
    return game


def _played(game: Game, entries: Iterator[tuple[int, Entry]], lines: list[int]) -> Iterator[Game]:
    """The game after each event; the line that each number stands on is added to `lines`."""
    for line, entry in entries:
        if entry.event is None:
            continue
        try:
            game = game.apply(entry.event)
        except ImpossibleEventError as error:
            raise RecordError(error.sentence, line, hint=error.hint) from None
        lines.append(line)
        yield game


def _write_all(out: Sink, game: Game, lines: list[int]) -> None:
    """Every ruling as it stands, with where the game stands after its event."""
    violations = _violations(game.history)
    for ruling in game.history:
        line = lines[ruling.number] or None
        _write(out, _line(game, ruling, line, game.trail[ruling.number], violations.get(ruling.number, [])))


def _write(out: Sink, value: dict[str, Any]) -> None:
    try:
        out.write(json.dumps(value) + "\n")
    except BrokenPipeError:
        raise
    except OSError as error:
        raise PalettiError(f"The rulings cannot be written: {error.strerror}.", "Free some space, or write them elsewhere.") from error


def ruling_line(game: Game, ruling: Ruling, line: int | None = None) -> dict[str, Any]:
    """A ruling of the game's last event as JSON holds it, with where the game stands; players go by name."""
    return _line(game, ruling, line, game.position, _violations(game.rulings).get(ruling.number, []))


def _violations(rulings: tuple[Ruling, ...]) -> dict[int, list[dict[str, Any]]]:
    """The violations among the rulings, by the number of their event."""
    found: dict[int, list[dict[str, Any]]] = {}
    for ruling in rulings:
        if ruling.kind is RulingKind.VIOLATION:
            found.setdefault(ruling.number, []).append({"rules": list(ruling.rules), "reasons": ruling.get("reasons")})
    return found


def _line(game: Game, ruling: Ruling, line: int | None, position: Position, violations: list[dict[str, Any]]) -> dict[str, Any]:
    return {
        "line": line,
        "event": ruling.number,
        "kind": str(ruling.kind),
        "rules": list(ruling.rules),
        "player": _name(position, ruling.seat),
        "data": {key: list(value) if isinstance(value, tuple) else value for key, value in ruling.data},
        "english": tell(ruling, game, Language.ENGLISH),
        "german": tell(ruling, game, Language.GERMAN),
        "violations": violations,
        **standing(position),
    }


def result_line(game: Game) -> dict[str, Any]:
    """The last line: the result, or what the game waits for if it is not over."""
    return {"result": _outcome(game.position), "events": len(game.log), **standing(game.position)}


def standing(position: Position) -> dict[str, Any]:
    """Where the game stands, as JSON holds it."""
    return {
        "phase": str(position.phase),
        "turn": _name(position, position.turn),
        "scores": dict(zip(position.table.names, position.scores, strict=True)),
        "seal": _name(position, position.holder),
        "face": position.face,
        "top_floor": position.top.word,
        "locked": sorted(map(str, position.locked)),
        "outcome": _outcome(position),
    }


def _outcome(position: Position) -> dict[str, Any] | None:
    outcome: Outcome | None = position.outcome
    if outcome is None:
        return None
    winners = [position.table.names[seat] for seat in outcome.winners]
    return {"winners": winners, "why": str(outcome.why), "rules": list(outcome.rules), "culprit": _name(position, outcome.culprit)}


def _name(position: Position, seat: int | None) -> str | None:
    return None if seat is None else position.table.names[seat]
