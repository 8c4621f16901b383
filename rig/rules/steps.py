"""What follows from each event: one step from a position to the next, with its rulings.

A call that breaks a rule is refused and changes nothing. A deed that breaks a rule is flagged and stands as made, and the turn is over,
unless the table chose otherwise (B13). Shared consequences (scores, seal, turns, the end) are in `draft.py`, legality in `faults.py`.
"""

from __future__ import annotations

from dataclasses import replace
from typing import assert_never

from rig.pieces import Colour, Floor
from rig.rules.draft import Draft
from rig.rules.events import (
    DEEDS,
    Aborted,
    AllPlaced,
    BuiltNothing,
    CannotLay,
    Challenged,
    Choice,
    Chose,
    Collapsed,
    ColoursAssigned,
    Corrected,
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
    TableRuled,
    TakenOut,
    Touched,
    Unchallenged,
)
from rig.rules.faults import Handling, Role, binds, doer, faults, role
from rig.rules.house import ChallengeProof, CollapseRule, ColourMode
from rig.rules.position import Phase, Position
from rig.rules.rulings import Datum, Outcome, Reason, Ruling, RulingKind, Why


def step(position: Position, event: Event, number: int, choice: Choice = Choice.STAND) -> tuple[Position, tuple[Ruling, ...]]:
    """The position after `event`, the `number`th, and what the rules say about it. `choice`: what the table makes of a violation."""
    spoken, event = implied(position, event)
    draft = Draft(position, number)
    if spoken is not None:
        _follow(draft, spoken, (), Choice.STAND)
        position = draft.frozen()
    broken = faults(position, event)
    seat = doer(position, getattr(event, "by", None))
    reasons = tuple(reason.name.lower() for reason in broken)
    if broken and not isinstance(event, DEEDS):
        draft.rule(RulingKind.REFUSED, _cited(broken), seat, reasons=reasons)
    else:
        offered = tuple(str(option) for option in choices(event))
        if broken:
            draft.rule(
                RulingKind.VIOLATION, _cited(broken), seat, reasons=reasons, column=_column_word(event), choices=offered, choice=str(choice)
            )
        if choice is not Choice.UNDO or not (broken or isinstance(event, Incident)):
            _follow(draft, event, broken, choice if broken else Choice.STAND)
        elif isinstance(event, Incident):
            draft.rule(RulingKind.INCIDENT, ("E7",), seat, column=_column_word(event), choices=offered, choice=str(choice))
    return draft.frozen(), tuple(draft.rulings)


def choices(event: Event) -> tuple[Choice, ...]:
    """What the table may make of the event if it breaks a rule, or is an incident (B13, E7)."""
    if isinstance(event, Raised | TakenOut | PlateauLaid):
        return (Choice.STAND, Choice.ABORT, Choice.UNDO)
    return (Choice.STAND, Choice.UNDO)


def implied(position: Position, event: Event) -> tuple[Event | None, Event]:
    """The call that a deed implies when nobody spoke it or it went unheard, and the deed with its doer filled in."""
    if isinstance(event, PlateauLaid) and doer(position, event.by) == position.turn:
        if position.phase is Phase.CLAIM:
            return Unchallenged(), replace(event, by=position.turn)
        if position.phase is Phase.PENALTY:
            return PenaltyWaived(), replace(event, by=position.turn)
    elif isinstance(event, Raised | Aborted | TakenOut) and event.by is not None and event.by != position.turn:
        call: Event
        if position.phase is Phase.CLAIM and position.owner_of(event.column) == position.turn:
            call = Challenged(event.by)
        elif position.phase is Phase.OWN and position.is_neutral(event.column):
            call = ProofOffered(event.by)
        else:
            return None, event
        if not faults(position, call):
            return call, event
    return None, event


def _cited(broken: tuple[Reason, ...]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(reason.rule for reason in broken))


def _column_word(event: Event) -> str | None:
    column = getattr(event, "column", None)
    return None if column is None else str(column)


def _follow(draft: Draft, event: Event, broken: tuple[Reason, ...], choice: Choice) -> None:
    """What follows from the event; `broken` rules of a deed that stands or is treated as an abort."""
    match event:
        case Raised():
            if choice is Choice.ABORT:
                _abort(draft, event, broken)
            else:
                _raise(draft, event, broken)
        case Aborted():
            _abort(draft, event, broken)
        case Touched():
            if binds(draft, event):
                _abort(draft, event, broken)
            else:
                draft.rule(RulingKind.TOUCHED, ("B4",), doer(draft, event.by), column=str(event.column))
        case TakenOut():
            if choice is Choice.ABORT:
                _abort(draft, event, broken)
            else:
                _take_out(draft, event)
        case PlateauLaid():
            _lay(draft, event, choice)
        case Incident():
            _incident(draft, event, broken)
        case Collapsed():
            _collapse(draft, event)
        case Placed() | AllPlaced():
            _place(draft, event)
        case Rolled() | Chose() | ColoursAssigned():
            _draw(draft, event)
        case Requested():
            draft.rule(RulingKind.REQUESTED, ("A1",), draft.turn, plateau=draft.next_word())
            draft.phase, draft.last_actor = Phase.CLAIM, draft.turn
        case Unchallenged():
            draft.rule(RulingKind.UNCHALLENGED, ("A2",), draft.turn, plateau=draft.next_word())
            draft.begin_laying()
        case Challenged():
            draft.rule(RulingKind.CHALLENGED, ("C1",), event.by, claimant=draft.turn)
            draft.phase, draft.actor, draft.challenged_by = Phase.CHALLENGE, event.by, (*draft.challenged_by, event.by)
        case ProofOffered():
            draft.rule(RulingKind.PROOF_OFFERED, ("T3",), event.by)
            draft.phase, draft.actor, draft.proof_open = Phase.PROOF, event.by, False
        case GaveUp():
            if draft.phase is Phase.CHALLENGE:
                _challenge_failed(draft)
            else:
                _proof_failed(draft)
        case PenaltyWaived():
            _waive(draft)
        case CannotLay():
            draft.not_laid()
        case BuiltNothing():
            draft.rule(RulingKind.BUILT_NOTHING, ("E5",), draft.turn)
            if draft.table.rules.challenge_nothing:
                draft.phase = Phase.CLAIM
            else:
                draft.end_turn(counts=True)
        case Passed():
            draft.rule(RulingKind.PASSED, ("E6", "E5"), draft.turn)
            draft.end_turn(counts=True)
        case Stopped():
            draft.rule(RulingKind.STOPPED, ("B3" if draft.phase is Phase.RETRY else "T1",), draft.turn)
            draft.end_turn(aborted=draft.phase is Phase.RETRY)
        case OutsideDecided():
            _decide(draft, event)
        case TableRuled() | Corrected():
            raise AssertionError("the table's word is worked out by the game, not by a step")
        case _:
            assert_never(event)


# --- set-up and draw ---


def _place(draft: Draft, event: Placed | AllPlaced) -> None:
    if isinstance(event, AllPlaced):
        draft.floors = tuple(Floor.GROUND if floor is None else floor for floor in draft.floors)
    else:
        draft.stand(event.column, event.onto)
    draft.score_again()


def _draw(draft: Draft, event: Rolled | Chose | ColoursAssigned) -> None:
    if isinstance(event, ColoursAssigned):
        draft.colours = event.colours
        for seat in draft.table.seats:
            draft.rule(RulingKind.DREW, ("U3",), seat, colours=tuple(map(str, event.colours[seat])))
        _begin(draft, event.starts)
        return
    if event.colour not in draft.free_colours():
        return
    _deal(draft, event.colour)
    free = draft.free_colours()
    if len(free) == 1 and len(draft.table.names) != 3:
        _deal(draft, free[0])
    if sum(map(len, draft.colours)) < len(draft.table.names) * draft.table.colours_each:
        return
    last = (draft.drawer() - 1) % len(draft.table.names)
    _begin(draft, draft.table.youngest if draft.table.rules.colour_mode is ColourMode.YOUNGEST_STARTS else last)


def _deal(draft: Draft, colour: Colour) -> None:
    seat = draft.drawer()
    draft.colours = tuple((*colours, colour) if other == seat else colours for other, colours in enumerate(draft.colours))
    draft.rule(RulingKind.DREW, ("U3",), seat, colours=(str(colour),))
    draft.actor = draft.drawer()


def _begin(draft: Draft, starts: Seat) -> None:
    seats = {colour: seat for seat, colours in enumerate(draft.colours) for colour in colours}
    draft.owners = tuple(seats.get(column.colour) for column in draft.table.columns)
    draft.rule(RulingKind.STARTS, ("U3",), starts)
    draft.begin_turn(starts)


# --- handling a column ---


def _raise(draft: Draft, event: Raised, broken: tuple[Reason, ...]) -> None:
    part, column, seat = role(draft, event), event.column, doer(draft, event.by)
    onto = draft.top if event.onto is None else event.onto
    draft.last_actor = seat
    if part is Role.CHALLENGE and _proves(draft, event):
        draft.rule(RulingKind.RAISED, ("B1", "C3"), seat, column=str(column), floor=onto.word)
        _claim_refuted(draft, event)
        return
    draft.stand(column, onto, event.on_column)
    draft.rule(RulingKind.RAISED, ("B1",), seat, column=str(column), floor=onto.word)
    draft.score_again()
    owner = draft.owner_of(column)
    if draft.fresh and owner is not None and onto is draft.top:
        draft.first_on_plateau(owner)
    draft.settle_seal()
    match part:
        case Role.OWN:
            draft.end_turn()
        case Role.NEUTRAL:
            if broken:
                draft.end_turn()
            else:
                _after_neutral(draft)
        case Role.CHALLENGE:
            _challenge_failed(draft)
        case Role.PROOF:
            if draft.is_neutral(column):
                draft.rule(RulingKind.PROOF_GIVEN, ("T3",), seat, column=str(column))
                draft.end_turn()
            else:
                _proof_failed(draft)
        case Role.REMOVAL | Role.STRAY:
            _stray_ends(draft, seat)
        case _:
            assert_never(part)


def _proves(draft: Draft, event: Raised | TakenOut) -> bool:
    """Whether the challenger's column is one that refutes the claim: an eligible column of the claimant's (C2)."""
    return draft.turn is not None and event.column in draft.eligible(draft.turn)


def _stray_ends(draft: Draft, seat: Seat | None) -> None:
    """A deed at the wrong time ends the turn of its doer, if it is in progress; anybody else's goes on (B13)."""
    if draft.turn is not None and seat == draft.turn:
        draft.end_turn()


def _abort(draft: Draft, event: Handling, broken: tuple[Reason, ...]) -> None:
    part, seat, column = role(draft, event), doer(draft, event.by), event.column
    assert column is not None
    if part is Role.REMOVAL and not isinstance(event, Raised):
        _waive(draft)
        return
    draft.last_actor = seat
    draft.rule(RulingKind.ABORTED, ("B10",), seat, column=str(column))
    owner = draft.owner_of(column)
    if draft.owners and (owner is None or owner == seat or (part is Role.CHALLENGE and owner == draft.turn)):
        draft.lock(column)
    match part:
        case Role.OWN:
            if draft.table.rules.retry_after_abort and not broken and draft.eligible(owner if owner is not None else -1):
                draft.phase, draft.proof_open = Phase.RETRY, False
            else:
                draft.end_turn(aborted=True)
        case Role.NEUTRAL:
            if broken:
                draft.end_turn(aborted=True)
            else:
                draft.proof_open = bool(draft.movable_neutrals())
                _after_neutral(draft)
        case Role.CHALLENGE:
            _challenge_failed(draft)
        case Role.PROOF:
            _proof_failed(draft)
        case Role.REMOVAL | Role.STRAY:
            _stray_ends(draft, seat)
        case _:
            assert_never(part)


def _after_neutral(draft: Draft) -> None:
    """An own column may follow; with none left the turn is over by itself (T1, B14)."""
    if draft.turn is not None and draft.eligible(draft.turn):
        draft.phase = Phase.OWN
    else:
        draft.end_turn()


def _take_out(draft: Draft, event: TakenOut) -> None:
    part, seat = role(draft, event), doer(draft, event.by)
    draft.last_actor = seat
    extract = draft.table.rules.challenge_proof is ChallengeProof.EXTRACT
    if part is Role.CHALLENGE and extract and _proves(draft, event):
        _claim_refuted(draft, event)
        return
    draft.stand(event.column, None)
    draft.rule(RulingKind.TAKEN_OUT, ("C4",), seat, column=str(event.column))
    draft.score_again()
    draft.settle_seal()
    match part:
        case Role.REMOVAL:
            _penalty_settled(draft)
        case Role.CHALLENGE:
            _challenge_failed(draft)
        case Role.PROOF:
            _proof_failed(draft)
        case Role.OWN | Role.NEUTRAL | Role.STRAY:
            _stray_ends(draft, seat)
        case _:
            assert_never(part)


def _incident(draft: Draft, event: Incident, broken: tuple[Reason, ...]) -> None:
    seat = doer(draft, event.by)
    handled = event.column is not None or draft.phase in (Phase.LAY, Phase.PENALTY)
    offered = tuple(str(option) for option in choices(event))
    draft.rule(RulingKind.INCIDENT, ("E7",), seat, column=_column_word(event), fallen=tuple(map(str, event.fallen)), choices=offered)
    if draft.table.rules.collapse is CollapseRule.ANY_PIECE:
        draft.collapse(seat if event.by is not None or handled or draft.last_actor is None else draft.last_actor)
    elif event.column is not None:
        _abort(draft, event, broken)
    elif seat == draft.turn and draft.phase is Phase.LAY:
        draft.end_turn()
    elif seat == draft.turn and draft.phase is Phase.PENALTY:
        _waive(draft)


def _collapse(draft: Draft, event: Collapsed) -> None:
    if event.outside and draft.turn is not None:
        draft.rule(RulingKind.OUTSIDE, ("E8",))
        draft.phase, draft.actor, draft.resume = Phase.DECISION, None, (draft.phase, draft.actor)
        return
    culprit = doer(draft, event.by)
    if event.by is None and draft.phase is Phase.CLAIM:
        culprit = draft.last_actor
    draft.collapse(culprit)


def _decide(draft: Draft, event: OutsideDecided) -> None:
    if event.choice is OutsideChoice.HOLDER_WINS:
        winners = () if draft.holder is None else (draft.holder,)
        draft.end(Outcome(winners, Why.OUTSIDE, ("E8", "E2" if winners else "E4")))
        return
    assert draft.resume is not None
    (draft.phase, draft.actor), draft.resume = draft.resume, None
    draft.rule(RulingKind.REBUILT, ("E8",), draft.actor)


# --- challenge and proof ---


def _claim_refuted(draft: Draft, event: Raised | TakenOut) -> None:
    """The column leaves the game, the request is void, the claimant's turn is over (C3)."""
    draft.stand(event.column, None)
    draft.rule(RulingKind.CLAIM_REFUTED, ("C3",), draft.actor, column=str(event.column), claimant=draft.turn)
    draft.end_turn()


def _challenge_failed(draft: Draft) -> None:
    """The claimant may take a column of the challenger's (C4); with none to take, play goes on by itself (B14)."""
    challenger = draft.actor
    assert challenger is not None
    draft.rule(RulingKind.CLAIM_UPHELD, ("C4",), challenger, claimant=draft.turn)
    draft.phase, draft.actor = Phase.PENALTY, draft.turn
    if not draft.takeable(challenger):
        _waive(draft)


def _waive(draft: Draft) -> None:
    draft.rule(RulingKind.PENALTY_WAIVED, ("C4",), draft.turn)
    _penalty_settled(draft)


def _penalty_settled(draft: Draft) -> None:
    """After the penalty: the next challenge, the plateau, or the end of the turn (C1, C4)."""
    rules = draft.table.rules
    if not rules.plateau_after_failed_challenge:
        draft.end_turn()
        return
    left = min(rules.max_challenges, len(draft.table.names) - 1) - len(draft.challenged_by)
    if left > 0 and draft.turn is not None and draft.eligible(draft.turn):
        draft.phase, draft.actor = Phase.CLAIM, draft.turn
    else:
        draft.begin_laying()


def _proof_failed(draft: Draft) -> None:
    """A failed proof costs the prover nothing; the player in turn goes on (T3)."""
    draft.rule(RulingKind.PROOF_FAILED, ("T3",), draft.actor)
    draft.phase, draft.actor = Phase.OWN, draft.turn


# --- plateaus ---


def _lay(draft: Draft, event: PlateauLaid, choice: Choice) -> None:
    plateau = draft.next_plateau if event.plateau is None else event.plateau
    seat = doer(draft, event.by)
    assert plateau is not None
    in_turn = draft.turn is not None and seat == draft.turn
    if choice is Choice.ABORT:
        draft.rule(RulingKind.NOT_LAID, ("A3",), seat, plateau=plateau.word)
    else:
        draft.laid = (*draft.laid, plateau)
        data: dict[str, Datum] = {"plateau": plateau.word, "covers": event.covers}
        draft.rule(RulingKind.LAID, ("U2" if plateau is Floor.BLUE else "A2",), seat, **data)
        draft.fresh = plateau is not Floor.BLUE
        draft.score_again()
        draft.last_actor = seat
    if draft.phase is Phase.SET_UP and draft.laid:
        draft.phase, draft.actor = Phase.DRAW, draft.drawer()
        draft.rule(RulingKind.SET_UP, ("U1", "U2"))
    elif in_turn:
        draft.end_turn()
