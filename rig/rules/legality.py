"""Which rules an event breaks, all of them: the one place where legality is judged.

`faults` finds the broken rules of an event that can have happened (`possible.py` says which can); what follows from them is in `steps.py`.
Column handling is judged in `handling.py`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any

from rig.pieces import Floor
from rig.rules.events import (
    Aborted,
    AllPlaced,
    BuiltNothing,
    CannotLay,
    Challenged,
    Chose,
    Collapsed,
    ColoursAssigned,
    Event,
    GaveUp,
    Incident,
    OutsideDecided,
    Passed,
    PenaltyWaived,
    Placed,
    PlateauLaid,
    ProofOffered,
    Raised,
    Requested,
    Rolled,
    Seat,
    Stopped,
    TakenOut,
    Touched,
    Unchallenged,
)
from rig.rules.handling import BEFORE_PLAY, doer, handling_faults
from rig.rules.house import Covering
from rig.rules.position import Moment, Phase
from rig.rules.rulings import Reason

# --- set-up and draw ---


def _placing(position: Moment, event: Placed | AllPlaced) -> Iterator[Reason]:
    if position.phase is not Phase.SET_UP:
        yield Reason.SET_UP_OVER
    if isinstance(event, Placed):
        if event.outer_ring:
            yield Reason.OUTER_RING
        if event.onto is not Floor.GROUND:
            yield Reason.NOT_ON_SITE


def _drawing(position: Moment, event: Rolled | Chose | ColoursAssigned) -> Iterator[Reason]:
    if position.phase is not Phase.DRAW:
        yield Reason.DRAW_TOO_EARLY if position.phase is Phase.SET_UP else Reason.DRAW_OVER
        return
    if isinstance(event, ColoursAssigned):
        return
    rolls = position.table.rolls(sum(map(len, position.colours)))
    if isinstance(event, Rolled) is not rolls or doer(position, event.by) != position.actor:
        yield Reason.DRAW_ORDER
    if isinstance(event, Chose) and event.colour not in position.free_colours():
        yield Reason.COLOUR_TAKEN


# --- plateaus ---


def _laying(position: Moment, event: PlateauLaid) -> Iterator[Reason]:
    plateau = position.next_plateau if event.plateau is None else event.plateau
    assert plateau is not None
    blue, rules = plateau is Floor.BLUE, position.table.rules
    if plateau is not position.next_plateau:
        yield Reason.WRONG_ORDER
    if position.phase is Phase.SET_UP:
        if None in position.floors:
            yield Reason.COLUMNS_MISSING
    else:
        yield from _laying_time(position, doer(position, event.by))
    if _met(position, event) < position.table.needed(plateau):
        touching = rules.covering is Covering.TOUCH
        yield Reason.BLUE_COVERS_TOO_FEW if blue else Reason.TOUCHES_TOO_FEW if touching else Reason.COVERS_TOO_FEW
    if event.beyond_edge and (blue or rules.limit_all_plateaus):
        yield Reason.BLUE_PROTRUDES if blue else Reason.PROTRUDES
    if event.partial and rules.forbid_partial_cover:
        yield Reason.PARTLY_COVERED
    if event.nudged:
        yield Reason.COLUMNS_SHIFTED


def _met(position: Moment, event: PlateauLaid) -> int:
    """How many columns count for the plateau: those it covers, or by the house's rule those it touches; not told: all on top (A3)."""
    told = event.covers
    if event.touches is not None and position.table.rules.covering is Covering.TOUCH:
        told = event.touches
    return position.floors.count(position.top) if told is None else told


def _laying_time(position: Moment, seat: Seat | None) -> Iterator[Reason]:
    """Why `seat` may not lay a plateau now, set-up over."""
    if position.phase is Phase.DRAW:
        yield Reason.NOT_BEGUN
    elif seat != position.turn:
        yield Reason.OUT_OF_TURN
    elif position.phase is not Phase.LAY and not awaits_plateau(position):
        yield _no_claim_now(position, Reason.NO_REQUEST)


def awaits_plateau(position: Moment) -> bool:
    """Whether a plateau was requested and only a word is missing: that nobody challenges, or that no penalty is taken (A2, C4)."""
    return position.phase is Phase.CLAIM or (position.phase is Phase.PENALTY and position.table.rules.plateau_after_failed_challenge)


def _no_claim_now(position: Moment, otherwise: Reason) -> Reason:
    """Why the player in turn may not claim a plateau now (B11, T1)."""
    if position.phase is Phase.RETRY:
        return Reason.NO_REQUEST_AFTER_ABORT
    return Reason.NO_REQUEST_AFTER_NEUTRAL if position.phase in (Phase.OWN, Phase.PROOF) else otherwise


# --- calls ---


def _requesting(position: Moment, event: Requested) -> Iterator[Reason]:
    seat = doer(position, event.by)
    if position.phase in BEFORE_PLAY:
        yield Reason.NOT_BEGUN
        return
    if seat != position.turn:
        yield Reason.OUT_OF_TURN
        if seat == position.aborted_by:
            yield Reason.NO_REQUEST_AFTER_ABORT
    elif position.phase is not Phase.BUILD:
        yield _no_claim_now(position, Reason.REQUEST_STANDS)
    if position.next_plateau is None:
        yield Reason.NO_PLATEAU_LEFT


def _unchallenged(position: Moment, _event: Unchallenged) -> Iterator[Reason]:
    if position.phase is not Phase.CLAIM:
        yield Reason.NO_REQUEST


def _challenging(position: Moment, event: Challenged) -> Iterator[Reason]:
    turn = position.turn
    if position.phase is Phase.LAY and not position.challenged_by and turn is not None and not position.can_build(turn):
        yield Reason.CANNOT_BE_CHALLENGED
    elif position.phase is Phase.CHALLENGE:
        yield Reason.CHALLENGE_RUNS
    elif position.phase is not Phase.CLAIM:
        yield Reason.NO_CHALLENGE_NOW
    if event.by == turn:
        yield Reason.OWN_REQUEST
    if event.by in position.challenged_by:
        yield Reason.CHALLENGED_ALREADY


def _proving(position: Moment, event: ProofOffered) -> Iterator[Reason]:
    if not (position.phase is Phase.OWN and position.proof_open):
        yield Reason.NO_PROOF_NOW
    if event.by == position.turn:
        yield Reason.OWN_PROOF


def _passing(position: Moment, event: Passed) -> Iterator[Reason]:
    if not position.table.rules.allow_pass:
        yield Reason.NO_PASS
    yield from _during(Reason.NO_STOP_NOW, Phase.BUILD)(position, event)


def _building_nothing(position: Moment, event: BuiltNothing) -> Iterator[Reason]:
    yield from _during(Reason.NO_STOP_NOW, Phase.BUILD)(position, event)
    if position.next_plateau is not None:
        yield Reason.NOT_ON_LAST_PLATEAU


def _deciding(position: Moment, _event: OutsideDecided) -> Iterator[Reason]:
    if position.phase is not Phase.DECISION:
        yield Reason.NO_OUTSIDE_EVENT


Judge = Callable[[Moment, Any], Iterable[Reason]]


def _during(otherwise: Reason, *phases: Phase) -> Callable[[Moment, Any], Iterator[Reason]]:
    """A call that belongs to some phases and to whom the game waits for."""

    def judge(position: Moment, event: GaveUp | PenaltyWaived | CannotLay | BuiltNothing | Passed | Stopped) -> Iterator[Reason]:
        if position.phase not in phases:
            yield otherwise
        seat = doer(position, event.by)
        if seat != position.actor and not (position.phase is Phase.PENALTY and seat in position.penalty_takers()):
            yield Reason.OUT_OF_TURN

    return judge


def _never(_position: Moment, _event: Collapsed) -> Iterator[Reason]:
    """Toppling the tower breaks no rule."""
    return iter(())


JUDGES: dict[type, Judge] = {
    Placed: _placing,
    AllPlaced: _placing,
    Rolled: _drawing,
    Chose: _drawing,
    ColoursAssigned: _drawing,
    Raised: handling_faults,
    Aborted: handling_faults,
    Touched: handling_faults,
    TakenOut: handling_faults,
    Incident: handling_faults,
    Collapsed: _never,
    PlateauLaid: _laying,
    Requested: _requesting,
    Unchallenged: _unchallenged,
    Challenged: _challenging,
    ProofOffered: _proving,
    GaveUp: _during(Reason.NOTHING_TO_GIVE_UP, Phase.CHALLENGE, Phase.PROOF),
    PenaltyWaived: _during(Reason.NO_PENALTY_NOW, Phase.PENALTY),
    CannotLay: _during(Reason.NOTHING_TO_LAY, Phase.LAY),
    BuiltNothing: _building_nothing,
    Passed: _passing,
    Stopped: _during(Reason.NO_STOP_NOW, Phase.RETRY, Phase.OWN),
    OutsideDecided: _deciding,
}
"""How each kind of event is judged; corrections and the table's rulings are judged by the game, which knows the earlier events."""


def faults(position: Moment, event: Event) -> tuple[Reason, ...]:
    """Every rule the event breaks in this position; empty: it is legal."""
    return tuple(JUDGES[type(event)](position, event))
