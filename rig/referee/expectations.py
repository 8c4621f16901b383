"""What a game's rules make likely now: columns that may be raised, taken out or tugged at, and the plateau that may be laid.

Questions to a `rig.rules.Game`, nothing else: each course of the belief is asked them by itself.
"""

from __future__ import annotations

from rig.pieces import Column
from rig.referee.hypotheses import Expected
from rig.rules import Game, Phase, events

_NOBODY_TUGS = (Phase.CLAIM, Phase.LAY, Phase.DRAW, Phase.DECISION, Phase.OVER, Phase.SET_UP)


def may_request(game: Game) -> bool:
    """Whether a request for the next plateau could be spoken now, and has not been."""
    return game.phase is Phase.BUILD and not game.why_not(events.Requested(by=game.actor))


def expected(game: Game) -> Expected:
    """What may legally happen to the tower now."""
    raisable, removable, layable = set(), set(), None
    for action in game.legal_actions():
        match action:
            case events.Raised(column=column):
                raisable.add(column)
            case events.TakenOut(column=column):
                removable.add(column)
            case events.PlateauLaid():
                layable = game.next_plateau
            case _:
                pass
    if game.phase is not Phase.SET_UP:  # what is out of the game by the rules may still stand, and be taken off at any time
        removable |= {column for column in game.pieces.columns if game.where(column) is None}
    unspoken = may_request(game)
    if game.phase is Phase.CLAIM or unspoken:
        layable = game.next_plateau
    return Expected(frozenset(raisable), frozenset(removable), layable, unspoken, frozenset(challengeable(game)))


def challengeable(game: Game) -> tuple[Column, ...]:
    """While a request waits: the claimant's columns, which an opponent may handle without having spoken (C7)."""
    position = game.position
    if position.phase is not Phase.CLAIM or position.turn is None:
        return ()
    return tuple(position.eligible(position.turn))


def attempt_columns(game: Game) -> tuple[Column, ...]:
    """The columns that whoever acts now may be tugging at."""
    if game.phase in _NOBODY_TUGS:
        return ()
    may = expected(game)
    return tuple(sorted(column for column in may.raisable | may.removable if game.where(column) is not None))


def challengers(game: Game) -> tuple[int, ...]:
    """The seats that may still challenge the request that waits."""
    position = game.position
    if position.phase is not Phase.CLAIM:
        return ()
    return tuple(seat for seat in position.opponents() if seat not in position.challenged_by)


def may_break_off(game: Game) -> tuple[int, ...]:
    """The seats whose "abort" may mean something: whoever acts, and while a request waits every opponent (C7)."""
    return challengers(game) if game.phase is Phase.CLAIM else (game.actor,) if game.actor is not None else ()


def tried_columns(game: Game) -> tuple[Column, ...]:
    """The columns that anybody may be trying now, challengers who did not say so among them."""
    return challengeable(game) if game.phase is Phase.CLAIM else attempt_columns(game)
