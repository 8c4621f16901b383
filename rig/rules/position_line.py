"""A position in one line of text, as FEN is for chess: `print_position` here and `read_position` in
`position_reading.py` agree exactly.

The line says everything later play depends on: the set, the house rules, the players, where each column stands, whose turn it is, the seal
and what may still be challenged or proved. What follows from these (owners, scores) is worked out, not written. Sections stand between
semicolons, and those that say nothing are left out.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from rig.pieces import Floor
from rig.rules.events import Seat
from rig.rules.header_words import print_rules, print_set
from rig.rules.position import Position
from rig.rules.rulings import Outcome
from rig.rules.words import COLUMNS, FLOORS, SEAT

FIRST_WORDS = "villa-position 1"

# --- writing ---


def print_position(position: Position) -> str:
    """The position as one line of text; `read_position` gives it back."""
    return "; ".join((FIRST_WORDS, *_sections(position)))


def _sections(position: Position) -> Iterator[str]:
    table, names, columns = position.table, position.table.names, position.table.columns

    def seat(word: str, value: Seat | None) -> str:
        return "" if value is None else f" {word} {SEAT.write(value, names)}"

    yield print_set(table.pieces)
    yield print_rules(table.rules)
    for place, (name, colours) in enumerate(zip(names, position.colours, strict=True)):
        dealt = f" {'+'.join(colours)}" if colours else ""
        yield f'player "{name}"{" youngest" if place == table.youngest else ""}{dealt}'
    if position.laid:
        yield f"laid {FLOORS.write(position.laid, ())}"
    for floor in Floor:
        if standing := [column for column, on in zip(columns, position.floors, strict=True) if on is floor]:
            yield f"{floor.word} {COLUMNS.write(standing, ())}"
    if position.locked_at:
        yield f"locked {','.join(str(columns[i]) for i in sorted(position.locked_at))}"
    if position.stacks:
        yield "stacked " + " ".join(f"{upper},{carrier}" for upper, carrier in position.stacks)
    yield f"phase {position.phase}{seat('turn', position.turn)}{seat('actor', position.actor)}"
    if position.holder is not None or position.fresh:
        yield f"seal{seat('holder', position.holder)}{seat('before', position.predecessor)}{' fresh' if position.fresh else ''}"
    yield f"count {position.ticks} idle {position.idle} since {','.join(map(str, position.since))}"
    yield from _memory(position, seat)
    if position.outcome is not None:
        yield _print_outcome(position.outcome, names)


def _memory(position: Position, seat: Callable[[str, Seat | None], str]) -> Iterator[str]:
    """What earlier events have left open."""
    columns, names = position.table.columns, position.table.names
    if position.challenged_by:
        yield _challenged(position, names)
    if position.abandoned is not None:
        yield f"abandoned {columns[position.abandoned]}"
    if position.settled is not None:
        yield f"settled {columns[position.settled[1]]}{seat('by', position.settled[0])}"
    if position.last_actor is not None or position.aborted_by is not None:
        yield f"last{seat('actor', position.last_actor)}{seat('aborted', position.aborted_by)}"
    if position.resume is not None:
        yield f"resume {position.resume[0]}{seat('actor', position.resume[1])}"
    if (before := position.unlaid) is not None:
        challenged = f" {_challenged(before, names)}" if before.challenged_by else ""
        yield f"unlaid{seat('by', before.turn)} idle {before.idle}{seat('aborted', before.aborted_by)}{challenged}"


def _challenged(position: Position, names: Sequence[str]) -> str:
    return "challenged " + " ".join(SEAT.write(seat, names) for seat in position.challenged_by)


def _print_outcome(outcome: Outcome, names: Sequence[str]) -> str:
    culprit = "" if outcome.culprit is None else f" culprit {SEAT.write(outcome.culprit, names)}"
    winners = "".join(f" {SEAT.write(seat, names)}" for seat in outcome.winners)
    return f"over {outcome.why} rules {','.join(outcome.rules)}{culprit} winners{winners}"
