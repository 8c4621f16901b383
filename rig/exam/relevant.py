"""What a result hangs on: seal, scores, locks, turns, the end; and whether two games are the same in it.

Columns are taken as kinds: which of two thin columns of one colour on one floor was raised matters to nobody as long as both, or neither,
are locked. The way of a game is its states after each deed; two games agree if their ways are the same, equal neighbours taken as one.
"""

from __future__ import annotations

from collections import Counter
from typing import NamedTuple

from rig.messages import View
from rig.pieces import Colour, Column, Floor, Shape
from rig.rules import Game, ImpossibleEventError
from rig.rules.events import DEEDS, Event, OutsideDecided
from rig.rules.handling import BEFORE_PLAY
from rig.rules.position import Phase, Position
from rig.rules.rulings import Outcome

Place = tuple[Colour, Shape, int, bool]
"""A column without its number: colour, shape, floor (-1: out of the game), locked or not."""


class State(NamedTuple):
    """All that is result-relevant of a position."""

    turn: int | None
    holder: int | None
    face: Colour | None
    scores: tuple[int, ...]
    columns: tuple[tuple[Place, int], ...]
    """How many columns there are of each kind on each floor, locked or not."""
    end: Outcome | None


def state_of(position: Position) -> State:
    """The position in what is result-relevant."""
    locked = position.locked
    places = Counter(_place(column, position.floor_of(column), column in locked) for column in position.table.columns)
    turn = position.actor if position.actor is not None else position.turn
    end = position.outcome
    return State(None if end is not None else turn, position.holder, position.face, position.scores, tuple(sorted(places.items())), end)


def _place(column: Column, floor: Floor | None, locked: bool) -> Place:
    return column.colour, column.shape, -1 if floor is None else int(floor), locked


def way_of(game: Game) -> tuple[State, ...]:
    """The states of play after each deed as it is understood now, corrections included, and the last."""
    replayed = Game.beginning(game.start)
    states: list[State] = []
    for number in range(len(game.log) + 1):
        for event in game.really(number):
            if replayed.phase is Phase.OVER:
                break
            replayed = _after(replayed, event)
            if isinstance(event, (*DEEDS, OutsideDecided)) and replayed.phase not in BEFORE_PLAY:
                _append(states, state_of(replayed.position))
    _append(states, state_of(game.position))
    return tuple(states)


def _after(game: Game, event: Event) -> Game:
    try:
        return game.apply(event)
    except ImpossibleEventError:  # what a correction made impossible was set aside by the rules
        return game


def _append(states: list[State], state: State) -> None:
    if not states or states[-1] != state:
        states.append(state)


def first_difference(told: Game, true: Game) -> int | None:
    """After which deed the two games part, from 0; None: they do not."""
    ways = way_of(told), way_of(true)
    if ways[0] == ways[1]:
        return None
    return next((k for k, (a, b) in enumerate(zip(*ways, strict=False)) if a != b), min(map(len, ways)))


def same_on_screen(view: View | None, true: Game) -> bool:
    """Whether the last view shows the true end: winners, culprit, seal, scores, and as many locked columns of each kind."""
    if view is None:
        return False
    position = true.position
    end, shown = position.outcome, view.outcome
    same_end = (shown is None) if end is None else shown is not None and (shown.winners, shown.culprit) == (end.winners, end.culprit)
    scores = tuple(seat.score for seat in view.seats)
    locked = Counter(column.kind for column in view.locked), Counter(column.kind for column in position.locked)
    return same_end and (view.holder, view.face, scores) == (position.holder, position.face, position.scores) and locked[0] == locked[1]
