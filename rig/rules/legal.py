"""What may be done now by the rules: the list a bot plays from, a screen offers, and a referee takes its hypotheses from.

Only what somebody may choose to do is listed; what merely happens (a touch, an incident, a collapse) is not.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from functools import lru_cache

from rig.pieces import Column
from rig.rules.events import (
    Aborted,
    AllPlaced,
    BuiltNothing,
    CannotLay,
    Challenged,
    Chose,
    Event,
    GaveUp,
    OutsideChoice,
    OutsideDecided,
    Passed,
    PenaltyWaived,
    Placed,
    PlateauLaid,
    ProofOffered,
    Raised,
    Requested,
    Rolled,
    Stopped,
    TakenOut,
    Unchallenged,
)
from rig.rules.house import ChallengeProof
from rig.rules.position import Phase, Position


def legal_actions(position: Position) -> tuple[Event, ...]:
    """Every action the rules allow in this position, in a fixed order; empty once the game is over."""
    return tuple(_ACTIONS[position.phase](position))


def _set_up(position: Position) -> Iterator[Event]:
    missing = [column for column, floor in zip(position.table.columns, position.floors, strict=True) if floor is None]
    if missing:
        yield from map(Placed, missing)
        yield AllPlaced()
    else:
        yield PlateauLaid()


def _draw(position: Position) -> Iterator[Event]:
    kind = Rolled if position.table.rolls(sum(map(len, position.colours))) else Chose
    return map(kind, position.free_colours())


def _build(position: Position) -> Iterator[Event]:
    yield from _attempts(position.movable_neutrals() or _own(position))
    yield BuiltNothing() if position.next_plateau is None else Requested()
    if position.table.rules.allow_pass:
        yield Passed()


def _build_on(position: Position) -> Iterator[Event]:
    yield from _attempts(_own(position))
    yield Stopped()
    if position.proof_open:
        yield from map(ProofOffered, position.opponents())


def _prove(position: Position) -> Iterator[Event]:
    yield from _attempts(position.movable_neutrals())
    yield GaveUp()


def _answer(position: Position) -> Iterator[Event]:
    yield Unchallenged()
    yield from (Challenged(seat) for seat in position.opponents() if seat not in position.challenged_by)


def _challenge(position: Position) -> Iterator[Event]:
    yield from _attempts(_own(position))
    if position.table.rules.challenge_proof is ChallengeProof.EXTRACT:
        yield from map(_taken_out, _own(position))
    yield GaveUp()


def _punish(position: Position) -> Iterator[Event]:
    yield from map(_taken_out, position.takeable(position.challenged_by[-1]))
    yield PenaltyWaived()


def _own(position: Position) -> list[Column]:
    """The columns the player in turn may raise, or the challenger for that player."""
    return [] if position.turn is None else position.eligible(position.turn)


def _attempts(columns: Iterable[Column]) -> Iterator[Event]:
    for column in columns:
        yield _raised(column)
        yield _aborted(column)


# Events are values, so each column's plain ones are made once.
_raised = lru_cache(maxsize=1024)(Raised)
_aborted = lru_cache(maxsize=1024)(Aborted)
_taken_out = lru_cache(maxsize=1024)(TakenOut)

_ACTIONS: dict[Phase, Callable[[Position], Iterable[Event]]] = {
    Phase.SET_UP: _set_up,
    Phase.DRAW: _draw,
    Phase.BUILD: _build,
    Phase.RETRY: _build_on,
    Phase.OWN: _build_on,
    Phase.PROOF: _prove,
    Phase.CLAIM: _answer,
    Phase.CHALLENGE: _challenge,
    Phase.PENALTY: _punish,
    Phase.LAY: lambda _position: (PlateauLaid(), CannotLay()),
    Phase.DECISION: lambda _position: map(OutsideDecided, OutsideChoice),
    Phase.OVER: lambda _position: (),
}
