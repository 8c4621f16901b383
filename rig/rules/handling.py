"""Handling one column: as what it is handled, and every rule that breaks.

The same deed (a red column stands on top) is a building attempt, a challenge, a proof, a penalty or a stray hand, by the phase and by who
did it. Both the judging of legality (`legality.py`) and the working out of consequences (`consequences.py`) start from that role.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from enum import Enum, auto
from typing import Any

from rig.pieces import Column, Floor
from rig.rules.events import Aborted, Collapsed, Event, Incident, PlateauLaid, Raised, Seat, TakenOut, Touched
from rig.rules.house import ChallengeProof, CollapseRule, Stacking, TouchRule
from rig.rules.position import Moment, Phase
from rig.rules.rulings import Reason

Handling = Raised | Aborted | Touched | TakenOut | Incident
"""Events in which one column was handled."""

_MOVES = (Raised, Aborted, TakenOut)

BEFORE_PLAY = (Phase.SET_UP, Phase.DRAW)


class Role(Enum):
    """As what a column is handled."""

    OWN = auto()
    """The player in turn, building."""
    NEUTRAL = auto()
    """The player in turn, a neutral column (T1)."""
    CHALLENGE = auto()
    """The challenger (C2)."""
    PROOF = auto()
    """The prover (T3)."""
    REMOVAL = auto()
    """Whoever takes the penalty (C4)."""
    STRAY = auto()
    """Nobody who may handle a column now."""


AS_OWN, AS_NEUTRAL, AS_CHALLENGE, AS_PROOF, AS_REMOVAL, AS_STRAY = Role
# Bound to names once: until Python 3.12 reading a member off its enum costs more than most of what is decided by it.
_BUILD, _PENALTY = Phase.BUILD, Phase.PENALTY
_ROLES = {
    Phase.BUILD: AS_OWN,
    Phase.RETRY: AS_OWN,
    Phase.OWN: AS_OWN,
    Phase.CHALLENGE: AS_CHALLENGE,
    Phase.PROOF: AS_PROOF,
    Phase.PENALTY: AS_REMOVAL,
}


def doer(position: Moment, by: Seat | None) -> Seat | None:
    """Who did it: as told, or else whom the game waits for."""
    return position.actor if by is None else by


def with_doer(position: Moment, event: Event) -> Event:
    """The event with the doer filled in that it has here when nobody is named (E8, A3); unchanged if nobody can be meant."""
    if getattr(event, "by", 0) is not None:
        return event
    seat = position.actor
    if isinstance(event, Collapsed):
        seat = None if event.outside else position.last_actor if position.phase is Phase.CLAIM else seat
    elif isinstance(event, Incident):
        seat = _presumed(position, event)
    elif isinstance(event, PlateauLaid):
        seat = position.unlaid.turn if position.unlaid is not None else position.turn if position.phase is _PENALTY else seat
    by: Any = {} if seat is None else {"by": seat}
    return replace(event, **by)


def _presumed(position: Moment, event: Incident) -> Seat | None:
    """Whose an incident is when nobody is named: the builder's in progress; else, where it matters, that of whoever acted last (E8)."""
    if event.column is not None:
        late = position.settled is not None and position.settled[1] == position.table.index[event.column]
        return position.settled[0] if late and position.settled is not None else position.actor
    if position.phase in (Phase.LAY, _PENALTY):
        return position.actor
    if event.outside or position.table.rules.collapse is CollapseRule.PLATEAU_LOST:
        return None
    return position.actor if position.last_actor is None else position.last_actor


def fell_late(position: Moment, event: Incident) -> bool:
    """Whether the incident's column fell after its raise had settled, rather than while it was handled (E7): it is the last one raised, or
    stands on the tallest floor as its owner's, whose turn it is not."""
    column, by = event.column, event.by
    assert column is not None
    i = position.table.index[column]
    if position.settled is not None and position.settled[1] == i and by in (None, position.settled[0]):
        return True
    return by is not None and by != position.actor and position.floors[i] is position.top and position.owner_of(column) == by


def role(position: Moment, event: Handling) -> Role:
    """As what the event's column is handled."""
    actor, by, phase, column = position.actor, event.by, position.phase, event.column
    if actor is None:
        return AS_STRAY
    if by is not None and by != actor and not (phase is _PENALTY and by in position.penalty_takers()):
        return AS_STRAY
    part = _ROLES.get(phase, AS_STRAY)
    return AS_NEUTRAL if part is AS_OWN and column is not None and position.is_neutral(column) else part


def binds(position: Moment, event: Touched) -> bool:
    """Whether letting go of a touched column is an abort in full (B4)."""
    return position.table.rules.touch_rule is TouchRule.TOUCHED and role(position, event) not in (AS_STRAY, AS_REMOVAL)


def proves(position: Moment, part: Role, i: int, onto: Floor) -> bool:
    """Whether raising the column of index `i` onto a floor refutes the claim, or shows that another neutral can be raised (C2, T3)."""
    if onto is not position.top:
        return False
    if part is AS_CHALLENGE:
        return position.turn is not None and i in position.usable(position.turn)
    return part is AS_PROOF and i in position.movable_neutrals()


def handling_faults(position: Moment, event: Handling) -> list[Reason]:
    """Every rule that is broken by handling the event's column, if it names one."""
    part, column = role(position, event), event.column
    if column is None or _is_plain_attempt(position, event, part) or _is_no_handling(position, event):
        return []
    found: list[Reason] = []
    if part is AS_STRAY:
        found += _stray(position, doer(position, event.by))
        if position.phase in BEFORE_PLAY:
            return found
    if part is AS_REMOVAL and not isinstance(event, Raised):
        found += _removing(position, column)
    elif isinstance(event, TakenOut):
        found += _taking_out(position, part, column)
    else:
        found += _using(position, part, column, doer(position, event.by))
    if isinstance(event, Raised):
        found += _setting_down(position, event)
    if isinstance(event, _MOVES):
        found += [Reason.PLATEAU_SHIFTED] if event.shifted else []
        found += [Reason.NEIGHBOUR_MOVED] if event.nudged else []
    return found


def _is_no_handling(position: Moment, event: Handling) -> bool:
    """Whether nobody handled the column that the event names: a touch that binds to nothing, a column that fell later (B4, E7)."""
    if isinstance(event, Touched):
        return not binds(position, event)
    return isinstance(event, Incident) and fell_late(position, event)


def _is_plain_attempt(position: Moment, event: Handling, part: Role) -> bool:
    """Whether it is one of the table's own events, which tell nothing but the column, and a building attempt as it should be.

    Most events are, and for them this is several times faster than asking for every reason.
    """
    if part is not AS_OWN or event.column is None:
        return False
    i = position.table.index[event.column]
    plain = position.table.plain[i][0]
    if event is not plain[0] and event is not plain[1]:
        return False
    floor = position.floors[i]
    return (
        position.owners[i] == position.turn
        and floor is not None
        and floor is not position.top
        and i not in position.locked_at
        and not (len(position.holdings) > len(position.table.names) and position.phase is _BUILD and position.movable_neutrals())
    )


def _stray(position: Moment, seat: Seat | None) -> Iterator[Reason]:
    """Why `seat` may not handle a column now."""
    phase = position.phase
    if phase in BEFORE_PLAY:
        yield Reason.NOT_BEGUN
    elif phase in (Phase.CLAIM, Phase.CHALLENGE) and seat == position.turn:
        yield Reason.REQUEST_STANDS
        yield Reason.NO_RAISE_THIS_TURN
    elif phase is Phase.LAY and seat == position.turn:
        yield Reason.NO_RAISE_THIS_TURN
    elif phase is Phase.CHALLENGE:
        yield Reason.NOT_THE_CHALLENGER
    elif phase is _PENALTY and seat == position.turn:
        yield Reason.ANOTHER_CHOOSES
    else:
        yield Reason.OUT_OF_TURN
        if seat == position.aborted_by:
            yield Reason.SECOND_TRY


def _using(position: Moment, part: Role, column: Column, seat: Seat | None) -> list[Reason]:
    """Why the column may not be used for building in this role."""
    i = position.table.index[column]
    owner, floor = position.owners[i], position.floors[i]
    found: list[Reason] = []
    if (reason := _not_entitled(position, part, owner, seat)) is not None:
        found.append(reason)
    if floor is None:
        found.append(Reason.OUT_OF_GAME)
    elif floor is position.top:
        found.append(Reason.ON_TOP)
    if i in position.locked_at:
        found.append(Reason.LOCKED_FOR_CHALLENGE if part is AS_CHALLENGE else Reason.LOCKED)
    if owner is None and part in (AS_NEUTRAL, AS_PROOF) and _last_neutral(position, floor):
        found.append(Reason.LAST_NEUTRAL)
    if part is AS_OWN and position.phase is _BUILD and position.movable_neutrals():
        found.append(Reason.NEUTRAL_FIRST)
    return found


def _not_entitled(position: Moment, part: Role, owner: Seat | None, seat: Seat | None) -> Reason | None:
    """Whose columns may be used in this role (B1, A2, C2, T1, T3); a stray hand is judged by its own colour too."""
    if part is AS_OWN or part is AS_STRAY:
        return None if owner == seat else Reason.NOT_OWN
    if part is AS_CHALLENGE:
        return None if owner == position.turn else Reason.NOT_CLAIMANTS_COLUMN
    if part is AS_PROOF:
        return None if owner is None else Reason.NEUTRAL_FOR_PROOF
    if part is AS_REMOVAL:
        return Reason.NO_RAISE_THIS_TURN
    return {Phase.BUILD: None, Phase.OWN: Reason.ONE_NEUTRAL}.get(position.phase, Reason.SECOND_TRY)


def _last_neutral(position: Moment, floor: Floor | None) -> bool:
    """Whether only one neutral column, locked ones included, stands on `floor` (T2)."""
    return sum(on is floor and owner is None for on, owner in zip(position.floors, position.owners, strict=True)) == 1


def _taking_out(position: Moment, part: Role, column: Column) -> Iterator[Reason]:
    """Why the column may not leave the tower outside a penalty (C2, C4)."""
    if part is AS_CHALLENGE:
        yield from _using(position, part, column, None)
        if position.table.rules.challenge_proof is ChallengeProof.PLACE:
            yield Reason.MUST_BE_PLACED
    else:
        yield Reason.NOT_TO_BE_TAKEN_OUT
        if position.floor_of(column) is None:
            yield Reason.OUT_OF_GAME


def _removing(position: Moment, column: Column) -> Iterator[Reason]:
    """Why the claimant may not take this column as the penalty (C4, B8)."""
    if position.owner_of(column) != position.challenged_by[-1]:
        yield Reason.NOT_CHALLENGERS_COLUMN
    if position.floor_of(column) is None:
        yield Reason.OUT_OF_GAME
    if position.carries(column):
        yield Reason.CARRIES
    if not position.table.rules.locked_as_penalty and position.table.index[column] in position.locked_at:
        yield Reason.LOCKED


def stacking_floor(position: Moment) -> Floor:
    """The floor on which a column may stand on a column (B8)."""
    return position.top if position.table.rules.stacking is Stacking.TOP else Floor.RED


def _setting_down(position: Moment, event: Raised) -> list[Reason]:
    """What was wrong with how the column was stood up (B1, B6 to B8)."""
    found = []
    onto = position.top if event.onto is None else event.onto
    if onto is not position.top:
        found.append(Reason.WRONG_FLOOR)
    if event.held_plateau:
        found.append(Reason.PLATEAU_HELD)
    if event.overhang_mm > 0:
        found.append(Reason.OVERHANG)
    if event.on_column is not None and onto is not stacking_floor(position):
        found.append(Reason.STACKED)
    return found
