"""Which rules an event breaks, all of them: the one place where legality is judged.

`impossible` finds what cannot have happened at all (a column that is not in the set): such an event is an error of whoever tells it.
`faults` finds the broken rules of an event that can have happened; what follows from them is in `steps.py`.
"""

from __future__ import annotations

from collections.abc import Iterator
from enum import Enum, auto
from typing import assert_never

from rig.pieces import Column, Floor
from rig.rules.events import (
    Aborted,
    AllPlaced,
    BuiltNothing,
    CannotLay,
    Challenged,
    Chose,
    Collapsed,
    ColoursAssigned,
    Corrected,
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
    TableRuled,
    TakenOut,
    Touched,
    Unchallenged,
)
from rig.rules.house import ChallengeProof, TouchRule
from rig.rules.position import Moment, Phase
from rig.rules.rulings import Reason

Handling = Raised | Aborted | Touched | TakenOut | Incident
"""Events in which one column was handled."""

_BEFORE_PLAY = (Phase.SET_UP, Phase.DRAW)


class Role(Enum):
    """As what a column is handled."""

    OWN = auto()
    """The player in turn, building."""
    NEUTRAL = auto()
    """The player in turn, the neutral column (T1)."""
    CHALLENGE = auto()
    PROOF = auto()
    REMOVAL = auto()
    """The claimant, taking the penalty (C4)."""
    STRAY = auto()
    """Nobody who may handle a column now."""


def doer(position: Moment, by: Seat | None) -> Seat | None:
    """Who did it: as told, or else whom the game waits for."""
    return position.actor if by is None else by


def role(position: Moment, event: Handling) -> Role:
    """As what the event's column is handled, by the phase and by who handles it."""
    phase = position.phase
    seat = doer(position, event.by)
    if seat is None or seat != position.actor:
        return Role.STRAY
    if phase in (Phase.BUILD, Phase.RETRY, Phase.OWN):
        return Role.NEUTRAL if event.column is not None and position.is_neutral(event.column) else Role.OWN
    return {Phase.CHALLENGE: Role.CHALLENGE, Phase.PROOF: Role.PROOF, Phase.PENALTY: Role.REMOVAL}.get(phase, Role.STRAY)


def binds(position: Moment, event: Touched) -> bool:
    """Whether letting go of a touched column is an abort in full (B4)."""
    return position.table.rules.touch_rule is TouchRule.TOUCHED and role(position, event) not in (Role.STRAY, Role.REMOVAL)


def impossible(position: Moment, event: Event) -> Reason | None:
    """What makes the event one that cannot have happened in this game; None if it can."""
    table = position.table
    if isinstance(event, TableRuled | Corrected):
        return None
    if position.phase is Phase.OVER:
        return Reason.GAME_OVER
    if position.phase is Phase.DECISION and isinstance(event, Placed | AllPlaced | Handling | PlateauLaid | Collapsed):
        return Reason.DECISION_FIRST
    by = getattr(event, "by", None)
    if by is not None and by not in table.seats:
        return Reason.UNKNOWN_SEAT
    if not all(column in table.index for column in _columns(event)):
        return Reason.UNKNOWN_COLUMN
    if isinstance(event, Raised | Placed):
        if event.onto is not None and event.onto is not Floor.GROUND and event.onto not in position.laid:
            return Reason.UNKNOWN_FLOOR
    elif isinstance(event, PlateauLaid):
        plateau = position.next_plateau if event.plateau is None else event.plateau
        if plateau is None or plateau not in table.pieces.plateaus or plateau in position.laid:
            return Reason.UNKNOWN_PLATEAU
    elif isinstance(event, ColoursAssigned):
        dealt = [colour for colours in event.colours for colour in colours]
        if (
            len(event.colours) != len(table.names)
            or any(len(colours) != table.colours_each for colours in event.colours)
            or len(set(dealt)) != len(dealt)
        ):
            return Reason.UNKNOWN_DRAW
        if event.starts not in table.seats:
            return Reason.UNKNOWN_SEAT
    return None


def _columns(event: Event) -> Iterator[Column]:
    if isinstance(event, Placed | Handling) and event.column is not None:
        yield event.column
    if isinstance(event, Raised | Aborted | TakenOut | PlateauLaid):
        yield from event.nudged
    if isinstance(event, Raised) and event.on_column is not None:
        yield event.on_column
    if isinstance(event, Incident):
        yield from event.fallen


def faults(position: Moment, event: Event) -> tuple[Reason, ...]:
    """Every rule the event breaks in this position; empty: it is legal."""
    return tuple(_faults(position, event))


def _faults(position: Moment, event: Event) -> Iterator[Reason]:
    match event:
        case Raised() | Aborted() | TakenOut():
            yield from _handling(position, event, event.column)
        case Touched():
            if binds(position, event):
                yield from _handling(position, event, event.column)
        case Incident():
            if event.column is not None:
                yield from _handling(position, event, event.column)
        case PlateauLaid():
            yield from _laying(position, event)
        case Placed() | AllPlaced():
            yield from _placing(position, event)
        case Collapsed():
            pass
        case Rolled() | Chose() | ColoursAssigned():
            yield from _drawing(position, event)
        case Requested():
            yield from _requesting(position, event)
        case Unchallenged():
            if position.phase is not Phase.CLAIM:
                yield Reason.NO_REQUEST
        case Challenged():
            yield from _challenging(position, event)
        case ProofOffered():
            yield from _proving(position, event)
        case GaveUp():
            if position.phase not in (Phase.CHALLENGE, Phase.PROOF):
                yield Reason.NOTHING_TO_GIVE_UP
            elif doer(position, event.by) != position.actor:
                yield Reason.NOT_THE_CHALLENGER
        case PenaltyWaived():
            yield from _in_phase(position, event.by, (Phase.PENALTY,), Reason.NO_PENALTY_NOW)
        case CannotLay():
            yield from _in_phase(position, event.by, (Phase.LAY,), Reason.NOTHING_TO_LAY)
        case BuiltNothing():
            yield from _in_phase(position, event.by, (Phase.BUILD,), Reason.NO_STOP_NOW)
            if position.next_plateau is not None:
                yield Reason.NOT_ON_LAST_PLATEAU
        case Passed():
            if not position.table.rules.allow_pass:
                yield Reason.NO_PASS
            yield from _in_phase(position, event.by, (Phase.BUILD,), Reason.NO_STOP_NOW)
        case Stopped():
            yield from _in_phase(position, event.by, (Phase.RETRY, Phase.OWN), Reason.NO_STOP_NOW)
        case OutsideDecided():
            if position.phase is not Phase.DECISION:
                yield Reason.NO_OUTSIDE_EVENT
        case TableRuled() | Corrected():
            pass
        case _:
            assert_never(event)


def _in_phase(position: Moment, by: Seat | None, phases: tuple[Phase, ...], otherwise: Reason) -> Iterator[Reason]:
    """A call that belongs to some phases and to whom the game waits for."""
    if position.phase not in phases:
        yield otherwise
    if doer(position, by) != position.actor:
        yield Reason.OUT_OF_TURN


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


# --- handling a column ---


def _handling(position: Moment, event: Handling, column: Column) -> Iterator[Reason]:
    seat = doer(position, event.by)
    match role(position, event):
        case Role.STRAY if position.phase in _BEFORE_PLAY:
            yield Reason.NOT_BEGUN
            return
        case Role.STRAY:
            yield from _stray(position, seat)
            yield from _usable(position, column)
        case Role.OWN:
            if position.owner_of(column) != seat:
                yield Reason.NOT_OWN
            yield from _usable(position, column)
            if position.phase is Phase.BUILD and position.movable_neutrals():
                yield Reason.NEUTRAL_FIRST
        case Role.NEUTRAL:
            yield from _usable(position, column)
            if position.phase is Phase.BUILD:
                yield from _last_neutral(position, column)
            else:
                yield Reason.ONE_NEUTRAL if position.phase is Phase.OWN else Reason.SECOND_TRY
        case Role.CHALLENGE:
            if position.owner_of(column) != position.turn:
                yield Reason.NOT_CLAIMANTS_COLUMN
            yield from _usable(position, column)
        case Role.PROOF:
            if not position.is_neutral(column):
                yield Reason.NEUTRAL_FOR_PROOF
            else:
                yield from _usable(position, column)
                yield from _last_neutral(position, column)
        case Role.REMOVAL:
            yield from _removing(position, event, column)
    if isinstance(event, TakenOut):
        yield from _taking_out(position, event)
    if isinstance(event, Raised):
        yield from _setting_down(position, event)
    if isinstance(event, Raised | Aborted | TakenOut):
        if event.shifted:
            yield Reason.PLATEAU_SHIFTED
        if event.nudged:
            yield Reason.NEIGHBOUR_MOVED


def _usable(position: Moment, column: Column) -> Iterator[Reason]:
    """Why a column cannot be raised by anybody (B1, B2, B10)."""
    floor = position.floor_of(column)
    if floor is None:
        yield Reason.OUT_OF_GAME
    elif floor is position.top:
        yield Reason.ON_TOP
    if column in position.locked:
        yield Reason.LOCKED


def _last_neutral(position: Moment, column: Column) -> Iterator[Reason]:
    floor = position.floor_of(column)
    on_floor = [other for other in position.table.columns if position.is_neutral(other) and position.floor_of(other) is floor]
    if floor is not None and len(on_floor) == 1:
        yield Reason.LAST_NEUTRAL


def _stray(position: Moment, seat: Seat | None) -> Iterator[Reason]:
    """Why `seat` may not handle a column now."""
    if position.phase in (Phase.CLAIM, Phase.CHALLENGE) and seat == position.turn:
        yield Reason.REQUEST_STANDS
        yield Reason.NO_RAISE_THIS_TURN
    elif position.phase is Phase.LAY and seat == position.turn:
        yield Reason.NO_RAISE_THIS_TURN
    elif position.phase is Phase.CHALLENGE:
        yield Reason.NOT_THE_CHALLENGER
    else:
        yield Reason.OUT_OF_TURN
        if seat is not None and seat == position.aborted_by:
            yield Reason.SECOND_TRY


def _removing(position: Moment, event: Handling, column: Column) -> Iterator[Reason]:
    if isinstance(event, Raised):
        yield Reason.NO_RAISE_THIS_TURN
        yield from _usable(position, column)
    else:
        if position.owner_of(column) != position.challenged_by[-1]:
            yield Reason.NOT_CHALLENGERS_COLUMN
        if position.floor_of(column) is None:
            yield Reason.OUT_OF_GAME
        if position.carries(column):
            yield Reason.CARRIES


def _taking_out(position: Moment, event: TakenOut) -> Iterator[Reason]:
    match role(position, event):
        case Role.REMOVAL:
            pass
        case Role.CHALLENGE:
            if position.table.rules.challenge_proof is ChallengeProof.PLACE:
                yield Reason.MUST_BE_PLACED
        case _:
            yield Reason.NOT_TO_BE_TAKEN_OUT


def _setting_down(position: Moment, event: Raised) -> Iterator[Reason]:
    onto = position.top if event.onto is None else event.onto
    if onto is not position.top:
        yield Reason.WRONG_FLOOR
    if event.held_plateau:
        yield Reason.PLATEAU_HELD
    if event.overhang_mm > 0:
        yield Reason.OVERHANG
    if event.on_column is not None and onto is not Floor.RED:
        yield Reason.STACKED


# --- plateaus ---


def _laying(position: Moment, event: PlateauLaid) -> Iterator[Reason]:
    plateau = position.next_plateau if event.plateau is None else event.plateau
    assert plateau is not None
    setting_up = position.phase is Phase.SET_UP
    if plateau is not position.next_plateau:
        yield Reason.WRONG_ORDER
    if setting_up:
        if None in position.floors:
            yield Reason.COLUMNS_MISSING
    elif position.phase is Phase.DRAW:
        yield Reason.NOT_BEGUN
    elif doer(position, event.by) != position.turn:
        yield Reason.OUT_OF_TURN
    elif position.phase is Phase.RETRY:
        yield Reason.NO_REQUEST_AFTER_ABORT
    elif position.phase in (Phase.OWN, Phase.PROOF):
        yield Reason.NO_REQUEST_AFTER_NEUTRAL
    elif position.phase is not Phase.LAY:
        yield Reason.NO_REQUEST
    if (event.covers is not None and event.covers < position.table.needed(plateau)) or (
        position.floors.count(position.top) < position.table.needed(plateau) and not (setting_up and None in position.floors)
    ):
        yield Reason.BLUE_COVERS_TOO_FEW if plateau is Floor.BLUE else Reason.COVERS_TOO_FEW
    if event.beyond_edge:
        if plateau is Floor.BLUE:
            yield Reason.BLUE_PROTRUDES
        elif position.table.rules.limit_all_plateaus:
            yield Reason.PROTRUDES
    if event.partial and position.table.rules.forbid_partial_cover:
        yield Reason.PARTLY_COVERED
    if event.nudged:
        yield Reason.COLUMNS_SHIFTED


# --- calls ---


def _requesting(position: Moment, event: Requested) -> Iterator[Reason]:
    seat = doer(position, event.by)
    if position.phase in _BEFORE_PLAY:
        yield Reason.NOT_BEGUN
        return
    if seat is not None and seat == position.aborted_by:
        yield Reason.NO_REQUEST_AFTER_ABORT
    if seat != position.turn:
        yield Reason.OUT_OF_TURN
    elif position.phase is Phase.RETRY:
        yield Reason.NO_REQUEST_AFTER_ABORT
    elif position.phase in (Phase.OWN, Phase.PROOF):
        yield Reason.NO_REQUEST_AFTER_NEUTRAL
    elif position.phase is not Phase.BUILD:
        yield Reason.REQUEST_STANDS
    if position.next_plateau is None:
        yield Reason.NO_PLATEAU_LEFT


def _challenging(position: Moment, event: Challenged) -> Iterator[Reason]:
    if position.phase is Phase.LAY and not position.challenged_by and position.turn is not None and not position.eligible(position.turn):
        yield Reason.CANNOT_BE_CHALLENGED
    elif position.phase is not Phase.CLAIM:
        yield Reason.NO_CHALLENGE_NOW
    if event.by == position.turn:
        yield Reason.OWN_REQUEST
    if event.by in position.challenged_by:
        yield Reason.CHALLENGED_ALREADY


def _proving(position: Moment, event: ProofOffered) -> Iterator[Reason]:
    if not (position.phase is Phase.OWN and position.proof_open):
        yield Reason.NO_PROOF_NOW
    if event.by == position.turn:
        yield Reason.OWN_PROOF
