"""What a person at the table answers the referee: the latest thing that really happened, in the words of the question's choices.

People know what they saw, not what the referee supposes; where none of the choices says it, they take the one that says so ("something
else", always last).
"""

from __future__ import annotations

from collections.abc import Sequence

from rig.messages import Ask, FactKind
from rig.rules import Game
from rig.twin.truth import Truth

RECENT_S = 8.0
"""What lies further back than this before the question is not what it is about."""
TRIED_S = 60.0
"""So long people remember which column was tried and put back."""
NOBODY, NO_COLUMN = "nobody playing", "none"


def answer_to(ask: Ask, log: Sequence[Truth], game: Game) -> str:
    """One of the question's choices."""
    recent = [truth for truth in log if ask.t_s - truth.t_s < RECENT_S and truth.kind is not FactKind.UNCHANGED]
    latest = _latest(recent)
    choices = ask.choices
    if choices[-1] == NO_COLUMN:
        return _tried(ask, log)
    if set(choices) & {player.name for player in game.players}:
        return _who(latest, game, choices)
    wanted = ["nothing"] if latest is None else _words(latest, recent, choices)
    return next((word for word in wanted if word in choices), choices[-1])


def _latest(recent: Sequence[Truth]) -> Truth | None:
    """The latest thing that happened; that what fell has been stood up since belongs to its fall."""
    if not recent:
        return None
    fell = next((truth for truth in reversed(recent) if truth.kind is FactKind.INCIDENT and recent[-1].column in truth.columns), None)
    return fell if fell is not None and recent[-1].kind is FactKind.STOOD else recent[-1]


def _tried(ask: Ask, log: Sequence[Truth]) -> str:
    """The column that was last tried and put back, if it is among the choices."""
    tried = [str(truth.column) for truth in log if truth.kind is FactKind.ABORTED and ask.t_s - truth.t_s < TRIED_S]
    return tried[-1] if tried and tried[-1] in ask.choices else NO_COLUMN


def _who(latest: Truth | None, game: Game, choices: tuple[str, ...]) -> str:
    """Whose doing the fall was."""
    seat = latest.seat if latest is not None else None
    name = game.players[seat].name if seat is not None else NOBODY
    return name if name in choices else choices[-1]


def _words(latest: Truth, recent: Sequence[Truth], choices: tuple[str, ...]) -> list[str]:
    """How the latest truth may be worded among the choices, the best first."""
    column = str(latest.column)
    match latest.kind:
        case FactKind.RAISED:
            same = [str(truth.column) for truth in recent if truth.kind is FactKind.RAISED and truth.t_s == latest.t_s]
            pairs = [f"raised two: {a} and {b}" for a in same for b in same if a != b]
            stacked = [f"{column} on top of {latest.on_column}"] if latest.on_column is not None else []
            return [*pairs, *stacked, column]
        case FactKind.STOOD:
            return [column]
        case FactKind.REMOVED:
            return [f"took out {column}", column]
        case FactKind.LAID if latest.floor is not None:
            return [f"plateau {latest.floor.word}"]
        case FactKind.COLLAPSED:
            return ["collapse"]
        case FactKind.INCIDENT:
            fallen = set(map(str, latest.columns))
            exact = [c for c in choices if c.startswith("fell over: ") and set(c.removeprefix("fell over: ").split(", ")) == fallen]
            return [*exact, choices[-1]]
        case FactKind.ABORTED:
            return ["nothing"] if "nothing" in choices else [column]
        case _:
            return ["nothing"]
