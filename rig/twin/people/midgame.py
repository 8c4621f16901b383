"""A game that is under way: played by the rules alone, and a tower that stands as it says.

For situations: nobody needs to have played the twenty minutes before. The game is a real one of `rig.rules`, every event of it legal; where
on its floor each column stands is drawn afterwards.
"""

from __future__ import annotations

import numpy as np

from rig.pieces import Colour, Column, Floor, PieceSet
from rig.rules import Game, Phase, events
from rig.twin.people.table import NAMES

LEAST_BELOW = 4
"""So many columns are left on a floor that carries a plateau, where that can be."""
CROWDED = 7
ABORTS = 0.08


def begun(pieces: PieceSet, players: int, rng: np.random.Generator) -> Game:
    """Set up, colours drawn, about to build."""
    game = Game.new(pieces, NAMES[:players]).play([events.AllPlaced(), events.PlateauLaid(covers=6)])
    colours = [Colour(colour) for colour in rng.permutation(list(Colour))]
    each = game.table.colours_each
    dealt = tuple(tuple(colours[each * seat : each * seat + each]) for seat in range(players))
    return game.apply(events.ColoursAssigned(dealt, int(rng.integers(players))))


def played(pieces: PieceSet, players: int, plateaus: int, on_top: int, rng: np.random.Generator) -> Game | None:
    """A game in which `plateaus` plateaus lie, `on_top` columns stand on the topmost, and somebody begins a turn; None if it came to
    nothing."""
    game = begun(pieces, players, rng)
    for _ in range(120):
        if game.phase is Phase.OVER:
            return None
        there = len(game.laid) == plateaus and game.position.floors.count(game.top_floor) >= on_top
        if there and game.phase is Phase.BUILD:
            return game
        step = _step(game, plateaus, rng)
        if step is None:
            return None
        game = game.play(step)
    return None


def _step(game: Game, plateaus: int, rng: np.random.Generator) -> list[events.Event] | None:
    """What the actor does: lays when enough stand on top and more plateaus are wanted, else raises; None: nothing can be done."""
    actor = game.actor
    assert actor is not None
    crowded = game.position.floors.count(game.top_floor) >= int(rng.integers(LEAST_BELOW, CROWDED))
    if game.phase is Phase.BUILD and crowded and len(game.laid) < plateaus:
        asked = game.apply(events.Requested(by=actor))
        upheld: list[events.Event] = [events.Unchallenged()] if asked.phase is Phase.CLAIM else []
        return [events.Requested(by=actor), *upheld, events.PlateauLaid(covers=int(rng.integers(3, 5)))]
    neutral = game.position.movable_neutrals() if game.phase is Phase.BUILD else []
    able = [game.pieces.columns[k] for k in neutral] or game.position.eligible(actor)
    spare = [column for column in able if _spared(game, column)]
    if game.phase is Phase.OWN and (not spare or rng.random() < 0.4):
        return [events.Stopped(by=actor)]
    if not spare:
        return None
    column = spare[int(rng.integers(len(spare)))]
    return [events.Aborted(column, by=actor) if rng.random() < ABORTS else events.Raised(column, by=actor)]


def _spared(game: Game, column: Column) -> bool:
    floor = game.where(column)
    return floor is not None and game.position.floors.count(floor) > LEAST_BELOW


def floors_of(game: Game) -> list[list[Column]]:
    """The columns on the ground, on the blue plateau, and so on up to the top."""
    return [[column for column in game.pieces.columns if game.where(column) is floor] for floor in (Floor.GROUND, *game.laid)]
