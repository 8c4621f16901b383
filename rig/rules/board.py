"""A position as a picture in text: which columns stand on which floor, the scores, the seal, and what the game waits for.

For a person at a prompt or in a test's message; in English, because it is not part of what the screen tells.
"""

from __future__ import annotations

from collections.abc import Iterator

from rig.pieces import Colour, Floor, Shape
from rig.rules.position import Phase, Position

_SIGNS = {Shape.THICK: "O", Shape.HEX: "H", Shape.THIN: "i"}
_WIDTH = 8
_WAITS = {
    Phase.SET_UP: "The villa is being set up.",
    Phase.DRAW: "Colours are being drawn.",
    Phase.BUILD: "{turn} is to build, or to request {next}.",
    Phase.RETRY: "{turn} may try another column or stop.",
    Phase.OWN: "{turn} may raise an own column or stop.",
    Phase.PROOF: "{actor} is to show that another neutral column can be raised.",
    Phase.CLAIM: "{turn} claims that nothing can be raised; anybody may challenge.",
    Phase.CHALLENGE: "{actor} challenges {turn}.",
    Phase.PENALTY: "{actor} may take out a column of the challenger's.",
    Phase.LAY: "{turn} is to lay {next}.",
    Phase.DECISION: "The table is to decide about an outside event.",
    Phase.OVER: "The game is over: {result}.",
}


def board(position: Position) -> str:
    """The position in about a dozen lines: O thick, H hexagonal, i thin, ! locked; one row a floor, one column of the table a colour."""
    table = position.table
    lines = [f"{'':8}" + "".join(f"{colour:{_WIDTH}}" for colour in Colour).rstrip()]
    lines += [(f"{floor.word:8}" + _row(position, floor)).rstrip() for floor in (*reversed(position.laid), Floor.GROUND)]
    gone = _row(position, None)
    if gone:
        lines.append(f"{'beside' if position.turn is None else 'out':8}" + gone)
    lines += [_player(position, seat) for seat in table.seats]
    lines.append(_WAITS[position.phase].format_map(_words(position)))
    return "\n".join(lines)


def _row(position: Position, floor: Floor | None) -> str:
    def signs(colour: Colour) -> Iterator[str]:
        for i, column in enumerate(position.table.columns):
            if column.colour is colour and position.floors[i] is floor:
                yield _SIGNS[column.shape] + ("!" if i in position.locked_at else "")

    return "".join(f"{''.join(signs(colour)):{_WIDTH}}" for colour in Colour).rstrip()


def _player(position: Position, seat: int) -> str:
    colours = "+".join(position.colours[seat])
    seal = ""
    if position.holder == seat:
        seal = f"  holds the seal, which shows {position.face}"
    return f"{position.table.names[seat]}{f' ({colours})' if colours else ''}: {position.scores[seat]}{seal}"


def _words(position: Position) -> dict[str, str]:
    names, plateau, outcome = position.table.names, position.next_plateau, position.outcome
    result = "nobody wins"
    if outcome is not None and outcome.winners:
        result = " and ".join(names[seat] for seat in outcome.winners) + (" wins" if len(outcome.winners) == 1 else " win jointly")
    return {
        "turn": "Nobody" if position.turn is None else names[position.turn],
        "actor": "Somebody" if position.actor is None else names[position.actor],
        "next": "nothing" if plateau is None else f"the {plateau.word} plateau",
        "result": result,
    }
