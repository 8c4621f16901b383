"""One step from a position to the next: refuse, flag, or follow.

A call that breaks a rule is refused and changes nothing. A deed that breaks a rule is flagged and stands as made, unless the table chose
otherwise (B13). What follows from a deed is in `deeds.py`, from a call here; legality is judged in `faults.py`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from rig.pieces import Colour, Floor
from rig.rules.deeds import abort, challenge_failed, collapse, incident, lay, proof_failed, raise_column, take_out, touch, waive
from rig.rules.draft import Draft
from rig.rules.events import (
    Aborted,
    AllPlaced,
    BuiltNothing,
    CannotLay,
    Challenged,
    Choice,
    Chose,
    Collapsed,
    ColoursAssigned,
    Event,
    GaveUp,
    Incident,
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
    Seat,
    Stopped,
    TakenOut,
    Touched,
    Unchallenged,
)
from rig.rules.faults import awaits_plateau, faults
from rig.rules.handling import doer
from rig.rules.house import ColourMode
from rig.rules.position import Phase, Position
from rig.rules.rulings import Outcome, Reason, Ruling, RulingKind, Why


def step(position: Position, event: Event, number: int, choice: Choice = Choice.STAND) -> tuple[Position, tuple[Ruling, ...]]:
    """The position after `event`, the `number`th, and what the rules say about it. `choice`: what the table makes of a violation."""
    spoken, event = implied(position, event)
    draft = Draft(position, number)
    if spoken is not None:
        CALLS[type(spoken)](draft, spoken)
    broken = faults(draft, event)
    call = CALLS.get(type(event))
    if call is None:
        _happen(draft, event, broken, choice)
    elif broken:
        draft.rule(RulingKind.REFUSED, cited(broken), doer(draft, getattr(event, "by", None)), reasons=names(broken))
    else:
        call(draft, event)
    return draft.frozen(), tuple(draft.rulings)


_MOVES = (Raised, Aborted, TakenOut)
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


def implied(position: Position, event: Event) -> tuple[Event | None, Event]:
    """The call that a deed implies when nobody spoke it or it went unheard, and the deed with its doer filled in."""
    if isinstance(event, PlateauLaid):
        if awaits_plateau(position) and position.may_be_laid() and doer(position, event.by) == position.turn:
            return Unchallenged() if position.phase is Phase.CLAIM else PenaltyWaived(), replace(event, by=position.turn)
    elif isinstance(event, _MOVES) and event.by not in (None, position.turn):
        assert event.by is not None
        call: Event | None = None
        if position.phase is Phase.CLAIM and position.owner_of(event.column) == position.turn:
            call = Challenged(event.by)
        elif position.phase is Phase.OWN and position.is_neutral(event.column):
            call = ProofOffered(event.by)
        if call is not None and not faults(position, call):
            return call, event
    return None, event


def _happen(draft: Draft, event: Event, broken: tuple[Reason, ...], choice: Choice) -> None:
    """A deed: flag it if it breaks a rule, and let it stand, or be what the table chose."""
    if not broken and type(event) is not Incident:
        DEED_STEPS[type(event)](draft, event, _STAND, False)
        return
    _flag(draft, event, broken, choice)
    if choice is not Choice.UNDO:
        DEED_STEPS[type(event)](draft, event, choice, bool(broken))


def _flag(draft: Draft, event: Event, broken: tuple[Reason, ...], choice: Choice) -> None:
    """Rule on what the table may choose about: a violation, an incident."""
    seat, named = doer(draft, getattr(event, "by", None)), getattr(event, "column", None)
    column = None if named is None else str(named)
    offered = tuple(map(str, choices(event)))
    if broken:
        draft.rule(RulingKind.VIOLATION, cited(broken), seat, reasons=names(broken), column=column, choices=offered, choice=str(choice))
    if isinstance(event, Incident):
        fallen = tuple(map(str, event.fallen))
        draft.rule(RulingKind.INCIDENT, ("E7",), seat, column=column, fallen=fallen, choices=offered, choice=str(choice))


def _raise(draft: Draft, event: Raised, choice: Choice, broken: bool) -> None:
    if choice is _ABORT:
        abort(draft, event, broken=False)
    else:
        raise_column(draft, event, broken=broken)


def _take_out(draft: Draft, event: TakenOut, choice: Choice, _broken: bool) -> None:
    if choice is _ABORT:
        abort(draft, event, broken=False)
    else:
        take_out(draft, event)


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


# --- the draw ---


def _draw(draft: Draft, event: Rolled | Chose) -> None:
    table = draft.table
    if event.colour not in draft.free_colours():
        draft.rule(RulingKind.ROLL_AGAIN, ("U3",), draft.actor, colour=str(event.colour))
        return
    _deal(draft, event.colour)
    free = draft.free_colours()
    if len(free) == 1 and len(table.names) != 3:
        _deal(draft, free[0])
    if sum(map(len, draft.colours)) == len(table.names) * table.colours_each:
        last = (draft.drawer() - 1) % len(table.names)
        _begin(draft, table.youngest if table.rules.colour_mode is ColourMode.YOUNGEST_STARTS else last)


def _deal(draft: Draft, colour: Colour) -> None:
    seat = draft.drawer()
    draft.colours = tuple((*colours, colour) if other == seat else colours for other, colours in enumerate(draft.colours))
    draft.rule(RulingKind.DREW, ("U3",), seat, colours=(str(colour),))
    draft.actor = draft.drawer()


def _assign(draft: Draft, event: ColoursAssigned) -> None:
    draft.colours = event.colours
    for seat in draft.table.seats:
        draft.rule(RulingKind.DREW, ("U3",), seat, colours=tuple(map(str, event.colours[seat])))
    _begin(draft, event.starts)


def _begin(draft: Draft, starts: Seat) -> None:
    seats = {colour: seat for seat, colours in enumerate(draft.colours) for colour in colours}
    draft.owners = tuple(seats.get(column.colour) for column in draft.table.columns)
    everybody = (*draft.table.seats, None) if len(draft.table.names) == 3 else draft.table.seats
    draft.holdings = tuple(tuple(i for i, owner in enumerate(draft.owners) if owner == seat) for seat in everybody)
    draft.score_again()
    draft.rule(RulingKind.STARTS, ("U3",), starts)
    draft.begin_turn(starts)


# --- calls in a turn ---


def _request(draft: Draft, _event: Requested) -> None:
    draft.rule(RulingKind.REQUESTED, ("A1",), draft.turn, plateau=draft.next_word())
    draft.phase = Phase.CLAIM


def _unchallenged(draft: Draft, _event: Unchallenged) -> None:
    draft.rule(RulingKind.UNCHALLENGED, ("A2",), draft.turn, plateau=draft.next_word())
    draft.begin_laying()


def _challenge(draft: Draft, event: Challenged) -> None:
    draft.rule(RulingKind.CHALLENGED, ("C1",), event.by, claimant=draft.turn)
    draft.phase, draft.actor, draft.challenged_by = Phase.CHALLENGE, event.by, (*draft.challenged_by, event.by)


def _offer_proof(draft: Draft, event: ProofOffered) -> None:
    draft.rule(RulingKind.PROOF_OFFERED, ("T3",), event.by)
    draft.phase, draft.actor, draft.proof_open = Phase.PROOF, event.by, False


def _give_up(draft: Draft, _event: GaveUp) -> None:
    if draft.phase is Phase.CHALLENGE:
        challenge_failed(draft)
    else:
        proof_failed(draft)


def _build_nothing(draft: Draft, _event: BuiltNothing) -> None:
    draft.rule(RulingKind.BUILT_NOTHING, ("E5",), draft.turn)
    if draft.table.rules.challenge_nothing:
        draft.phase = Phase.CLAIM
    else:
        draft.end_turn(counts=True)


def _pass(draft: Draft, _event: Passed) -> None:
    draft.rule(RulingKind.PASSED, ("E6", "E5"), draft.turn)
    draft.end_turn(counts=True)


def _stop(draft: Draft, _event: Stopped) -> None:
    retrying = draft.phase is Phase.RETRY
    draft.rule(RulingKind.STOPPED, ("B3" if retrying else "T1",), draft.turn)
    draft.end_turn(aborted=retrying)


def _decide(draft: Draft, event: OutsideDecided) -> None:
    if event.choice is OutsideChoice.HOLDER_WINS:
        winners = () if draft.holder is None else (draft.holder,)
        draft.end(Outcome(winners, Why.OUTSIDE, ("E8", "E2" if winners else "E4")))
        return
    assert draft.resume is not None
    (draft.phase, draft.actor), draft.resume = draft.resume, None
    draft.rule(RulingKind.REBUILT, ("E8",), draft.actor)


CALLS: dict[type, Callable[[Draft, Any], None]] = {
    Rolled: _draw,
    Chose: _draw,
    ColoursAssigned: _assign,
    Requested: _request,
    Unchallenged: _unchallenged,
    Challenged: _challenge,
    ProofOffered: _offer_proof,
    GaveUp: _give_up,
    PenaltyWaived: lambda draft, _event: waive(draft),
    CannotLay: lambda draft, _event: draft.not_laid(),
    BuiltNothing: _build_nothing,
    Passed: _pass,
    Stopped: _stop,
    OutsideDecided: _decide,
}
"""What follows from each call."""
