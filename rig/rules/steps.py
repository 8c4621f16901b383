"""One step from a position to the next: refuse, flag, or follow.

A call that breaks a rule is refused and changes nothing. A deed that breaks a rule is flagged and stands as made, unless the table chose
otherwise (B13). What follows from a deed is in `consequences.py`, from a call in `calls.py`; legality is judged in `legality.py`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from rig.pieces import Floor
from rig.rules.calls import CALLS
from rig.rules.consequences import Fall, abort, collapse, incident, incident_as, lay, raise_column, take_out, touch
from rig.rules.draft import Draft
from rig.rules.events import (
    Aborted,
    AllPlaced,
    Challenged,
    Choice,
    Collapsed,
    Event,
    Incident,
    PenaltyWaived,
    Placed,
    PlateauLaid,
    ProofOffered,
    Raised,
    Requested,
    TakenOut,
    Touched,
    Unchallenged,
)
from rig.rules.handling import doer, with_doer
from rig.rules.house import TouchRule
from rig.rules.legality import awaits_plateau, faults
from rig.rules.position import Phase, Position
from rig.rules.possible import taken_up
from rig.rules.rulings import Reason, Ruling, RulingKind


def step(position: Position, event: Event, number: int, choice: Choice = Choice.STAND) -> tuple[Position, tuple[Ruling, ...]]:
    """The position after `event`, the `number`th, and what the rules say about it. `choice`: what the table makes of a violation."""
    kind = type(event)
    spoken: tuple[Event, ...] = ()
    if kind in _PRESUMED or (kind in _HANDLED and event.by is not None):  # type: ignore[union-attr]
        position, spoken, event = implied(position, event)
    draft = Draft(position, number)
    for word in spoken:
        CALLS[type(word)](draft, word)
    broken = faults(draft, event)
    call = CALLS.get(kind)
    if call is None:
        _happen(draft, event, broken, choice)
    elif broken:
        seat = doer(draft, event.by) if hasattr(event, "by") else None
        draft.rule(RulingKind.REFUSED, cited(broken), seat, reasons=names(broken))
    else:
        draft.unlaid = None
        call(draft, event)
    return draft.frozen(), tuple(draft.rulings)


_HANDLED = frozenset((Raised, Aborted, Touched, TakenOut))
"""The deeds that are their doer's alone: nobody named, they are of whoever the game waits for, and imply nothing."""
_PRESUMED = frozenset((Incident, Collapsed, PlateauLaid))
"""The deeds whose doer, if nobody is named, depends on what went before."""
_STAND, _ABORT = Choice.STAND, Choice.ABORT


def cited(broken: tuple[Reason, ...]) -> tuple[str, ...]:
    """The rule ids, each once."""
    return tuple(dict.fromkeys(reason.rule for reason in broken))


def names(broken: tuple[Reason, ...]) -> tuple[str, ...]:
    """The reasons as a ruling's data holds them."""
    return tuple(reason.name.lower() for reason in broken)


def choices(event: Event) -> tuple[Choice, ...]:
    """What the table may make of the event if it breaks a rule, or is an incident (B13, E7)."""
    if isinstance(event, (Raised, TakenOut, PlateauLaid)):
        return (Choice.STAND, Choice.ABORT, Choice.UNDO)
    return (Choice.STAND, Choice.UNDO)


def implied(position: Position, event: Event) -> tuple[Position, tuple[Event, ...], Event]:
    """What a deed says that nobody heard (C7): the position it belongs to, the calls before it, and the deed with its doer filled in."""
    event = with_doer(position, event)
    if isinstance(event, PlateauLaid):
        position = taken_up(position, event)
        return position, _laying_said(position) if event.by == position.turn else (), event
    if isinstance(event, (Raised, Aborted, Touched, TakenOut, Incident, Collapsed)):
        return position, _handling_said(position, event), event
    return position, (), event


def _laying_said(position: Position) -> tuple[Event, ...]:
    """What the player in turn says by laying a plateau: it was requested, nobody challenges, no penalty is taken (A1, A2, C4)."""
    if position.phase is Phase.BUILD and position.next_plateau is not None:
        return (Requested(), Unchallenged()) if position.may_be_laid() else (Requested(),)
    if awaits_plateau(position) and position.may_be_laid():
        return (Unchallenged(),) if position.phase is Phase.CLAIM else (PenaltyWaived(),)
    return ()


def _handling_said(position: Position, event: Raised | Aborted | Touched | TakenOut | Incident | Collapsed) -> tuple[Event, ...]:
    """What handling a column says: an opponent's hand on a claimant's column is a challenge, on another neutral one a proof (C7)."""
    by, column = event.by, event.column
    if by is None or (isinstance(event, (Incident, Collapsed)) and event.outside):
        return ()
    if isinstance(event, Touched) and position.table.rules.touch_rule is TouchRule.MOVED:
        return ()
    said: Event | None = None
    if by == position.turn:
        if isinstance(event, Incident) and column is None and position.phase is Phase.CLAIM and position.may_be_laid():
            said = Unchallenged()
    elif column is not None:
        if position.phase is Phase.CLAIM and position.owner_of(column) == position.turn:
            said = Challenged(by)
        elif position.is_neutral(column) and position.table.index[column] != position.abandoned:
            said = ProofOffered(by)
    return () if said is None or faults(position, said) else (said,)


def _happen(draft: Draft, event: Event, broken: tuple[Reason, ...], choice: Choice) -> None:
    """A deed: flag it if it breaks a rule, and let it stand, or be what the table chose."""
    kind = type(event)
    if kind is not Touched:
        draft.unlaid = None
    if not broken and kind is not Incident:
        DEED_STEPS[kind](draft, event, _STAND, False)
        return
    _flag(draft, event, broken, choice)
    if choice is not Choice.UNDO:
        DEED_STEPS[kind](draft, event, choice, bool(broken))


def _flag(draft: Draft, event: Event, broken: tuple[Reason, ...], choice: Choice) -> None:
    """Rule on what the table may choose about: a violation, an incident."""
    seat, named = doer(draft, event.by) if hasattr(event, "by") else None, getattr(event, "column", None)
    column = None if named is None else str(named)
    offered = tuple(map(str, choices(event)))
    if broken:
        draft.rule(RulingKind.VIOLATION, cited(broken), seat, reasons=names(broken), column=column, choices=offered, choice=str(choice))
    how = incident_as(draft, event) if isinstance(event, Incident) and choice is not Choice.UNDO else Fall.NOTHING
    if isinstance(event, Incident) and how is not Fall.COLLAPSE:
        fallen = tuple(map(str, event.fallen))
        draft.rule(RulingKind.INCIDENT, ("E7",), seat, column=column, fallen=fallen, how=str(how), choices=offered, choice=str(choice))


def _raise(draft: Draft, event: Raised, choice: Choice, broken: bool) -> None:
    if choice is _ABORT:
        abort(draft, event, broken=False)
    else:
        raise_column(draft, event, broken=broken)


def _take_out(draft: Draft, event: TakenOut, choice: Choice, broken: bool) -> None:
    if choice is _ABORT:
        abort(draft, event, broken=False)
    else:
        take_out(draft, event, broken=broken)


def _place(draft: Draft, event: Placed | AllPlaced, _choice: Choice, _broken: bool) -> None:
    if isinstance(event, AllPlaced):
        draft.floors = tuple(Floor.GROUND if floor is None else floor for floor in draft.floors)
        draft.rule(RulingKind.PLACED, ("U1",), floor=Floor.GROUND.word)
    else:
        i = draft.table.index[event.column]
        draft.stand(i, event.onto)
        draft.rule(RulingKind.PLACED, ("U1",), column=draft.table.words[i], floor=event.onto.word)
        draft.settle_score(i)
    draft.look_again()


DEED_STEPS: dict[type, Callable[[Draft, Any, Choice, bool], None]] = {
    Placed: _place,
    AllPlaced: _place,
    Raised: _raise,
    Aborted: lambda draft, event, _choice, broken: abort(draft, event, broken=broken),
    Touched: lambda draft, event, _choice, broken: touch(draft, event, broken=broken),
    TakenOut: _take_out,
    PlateauLaid: lambda draft, event, choice, _broken: lay(draft, event, choice),
    Incident: lambda draft, event, _choice, broken: incident(draft, event, broken=broken),
    Collapsed: lambda draft, event, _choice, _broken: collapse(draft, event),
}
"""What follows from each deed that stands, or is treated as an abort."""
