"""What may be done now by the rules: the list a bot plays from, a screen offers, and a referee takes its hypotheses from.

Only what somebody may choose to do is listed; what merely happens (a touch, an incident, a collapse) is not.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

from rig.pieces import Floor
from rig.rules.events import (
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
from rig.rules.house import ChallengeProof, Stacking
from rig.rules.position import Phase, Position


def legal_actions(position: Position) -> tuple[Event, ...]:
    """Every action the rules allow in this position, in a fixed order; empty once the game is over."""
    return (*_ACTIONS[position.phase](position),)


def _set_up(position: Position) -> Iterable[Event]:
    missing = [column for column, floor in zip(position.table.columns, position.floors, strict=True) if floor is None]
    return [*map(Placed, missing), AllPlaced()] if missing else [PlateauLaid()]


def _draw(position: Position) -> Iterable[Event]:
    kind = Rolled if position.table.rolls(sum(map(len, position.colours))) else Chose
    return map(kind, position.free_colours())


def _build(position: Position) -> Iterable[Event]:
    neutrals = position.movable_neutrals() if len(position.holdings) > len(position.table.names) else ()
    actions = _attempts(position, neutrals or _own(position))
    actions.append(_REQUESTED if len(position.laid) < len(position.table.pieces.plateaus) else _BUILT_NOTHING)
    if position.table.rules.allow_pass:
        actions.append(Passed())
    return actions


def _build_on(position: Position) -> Iterable[Event]:
    proofs = map(ProofOffered, position.opponents()) if position.proof_open else ()
    return [*_attempts(position, _own(position)), Stopped(), *proofs]


def _prove(position: Position) -> Iterable[Event]:
    return [*_attempts(position, position.movable_neutrals()), GaveUp()]


def _answer(position: Position) -> Iterable[Event]:
    return [Unchallenged(), *(Challenged(seat) for seat in position.opponents() if seat not in position.challenged_by)]


def _challenge(position: Position) -> Iterable[Event]:
    extract = position.table.rules.challenge_proof is ChallengeProof.EXTRACT
    return [*_attempts(position, _own(position)), *(_taken_out(position, _own(position)) if extract else ()), GaveUp()]


def _punish(position: Position) -> Iterable[Event]:
    takers, columns = position.penalty_takers(), position.takeable(position.challenged_by[-1])
    if len(takers) == 1:
        return [*_taken_out(position, columns), PenaltyWaived()]
    return [*(TakenOut(position.table.columns[i], by=seat) for seat in takers for i in columns), PenaltyWaived()]


def _own(position: Position) -> list[int]:
    """The columns the player in turn may raise, or the challenger for that player, by index."""
    return [] if position.turn is None else position.usable(position.turn)


def _attempts(position: Position, columns: Iterable[int]) -> list[Event]:
    """Raising each of the columns, or breaking it off; where columns may be stacked, also onto each that carries none (B8)."""
    plain = position.table.plain
    attempts: list[Event] = [attempt for i in columns for attempt in plain[i][0]]
    if position.top is _RED or position.table.rules.stacking is _TOP:
        all_columns = position.table.columns
        attempts += [Raised(all_columns[i], on_column=carrier) for i in columns for carrier in position.free_carriers(i)]
    return attempts


def _taken_out(position: Position, columns: Iterable[int]) -> list[Event]:
    return [position.table.plain[i][1] for i in columns]


_RED, _TOP = Floor.RED, Stacking.TOP
_REQUESTED, _BUILT_NOTHING = Requested(), BuiltNothing()

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
