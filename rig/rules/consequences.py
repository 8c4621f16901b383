"""What follows from what was seen: columns raised, put back, taken out, plateaus laid, falls; and how a challenge or a proof ends.

A deed that broke a rule stands as made and ends its doer's turn (B13); the table's other choices arrive here as an abort. Scores, seal and
turns are in `draft.py`.
"""

from __future__ import annotations

from enum import StrEnum

from rig.pieces import Floor
from rig.rules.draft import Draft
from rig.rules.events import Choice, Collapsed, Incident, PlateauLaid, Raised, Seat, TakenOut, Touched
from rig.rules.handling import (
    AS_CHALLENGE,
    AS_NEUTRAL,
    AS_OWN,
    AS_PROOF,
    AS_REMOVAL,
    Handling,
    Role,
    binds,
    doer,
    fell_late,
    proves,
    role,
)
from rig.rules.house import ChallengeProof, CollapseRule
from rig.rules.position import Moment, Phase
from rig.rules.rulings import Datum, RulingKind

_RAISED, _ABORTED = RulingKind.RAISED, RulingKind.ABORTED

# --- one column ---


def raise_column(draft: Draft, event: Raised, *, broken: bool) -> None:
    part, column, seat = role(draft, event), event.column, doer(draft, event.by)
    i, onto = draft.table.index[column], draft.top if event.onto is None else event.onto
    proof = proves(draft, part, i, onto)
    draft.last_actor, draft.settled = seat, (seat, i)
    draft.rule(_RAISED, ("B1",), seat, column=draft.table.words[i], floor=onto.word)
    if part is AS_CHALLENGE and proof:
        _claim_refuted(draft, i)
        return
    draft.stand(i, onto, event.on_column)
    draft.settle_score(i)
    if part is AS_NEUTRAL and not broken:
        draft.phase = Phase.OWN
    elif part in (AS_OWN, AS_NEUTRAL):
        draft.end_turn()
    elif part is AS_PROOF and proof:
        draft.rule(RulingKind.PROOF_GIVEN, ("T3",), seat, column=draft.table.words[i])
        draft.end_turn()
    else:
        _came_to_nothing(draft, part, seat)


def abort(draft: Draft, event: Handling, *, broken: bool) -> None:
    """The column is back in its place and locked, if it was one its handler might use, or is their own (B10)."""
    part, seat, column = role(draft, event), doer(draft, event.by), event.column
    assert column is not None
    draft.settled = draft.unlaid = None
    if part is AS_REMOVAL and not isinstance(event, Raised):
        _removal_over(draft, seat, broken=broken, taken=False)
        return
    draft.last_actor, i = seat, draft.table.index[column]
    draft.rule(_ABORTED, ("B10",), seat, column=draft.table.words[i])
    if draft.owners and draft.owners[i] in ((None, seat, draft.turn) if part is AS_CHALLENGE else (None, seat)):
        draft.lock(i)
    if part is AS_NEUTRAL and not broken:
        draft.phase, draft.abandoned = Phase.OWN, i
    elif part is AS_OWN and not broken and draft.table.rules.retry_after_abort and seat is not None and draft.can_build(seat):
        draft.phase, draft.abandoned = Phase.RETRY, None
    elif part in (AS_OWN, AS_NEUTRAL):
        draft.end_turn(aborted=True)
    else:
        _came_to_nothing(draft, part, seat)


def touch(draft: Draft, event: Touched, *, broken: bool) -> None:
    if binds(draft, event):
        abort(draft, event, broken=broken)
    else:
        draft.rule(RulingKind.TOUCHED, ("B4",), doer(draft, event.by), column=str(event.column))


def take_out(draft: Draft, event: TakenOut, *, broken: bool) -> None:
    part, seat, i = role(draft, event), doer(draft, event.by), draft.table.index[event.column]
    draft.last_actor, draft.settled = seat, None
    extract = draft.table.rules.challenge_proof is ChallengeProof.EXTRACT
    if part is AS_CHALLENGE and extract and proves(draft, part, i, draft.top):
        _claim_refuted(draft, i)
        return
    draft.stand(i, None)
    draft.rule(RulingKind.TAKEN_OUT, ("C4",), seat, column=draft.table.words[i])
    draft.score_again()
    draft.settle_seal()
    if part is AS_REMOVAL:
        _removal_over(draft, seat, broken=broken, taken=True)
    elif part in (AS_OWN, AS_NEUTRAL):
        draft.end_turn()
    else:
        _came_to_nothing(draft, part, seat)


def _came_to_nothing(draft: Draft, part: Role, seat: Seat | None) -> None:
    """A challenge or proof that failed; or a stray hand: it ends its doer's turn if that is in progress, and nobody else's (B13)."""
    if part is AS_CHALLENGE:
        challenge_failed(draft)
    elif part is AS_PROOF:
        proof_failed(draft)
    elif draft.turn is not None and seat == draft.turn:
        draft.end_turn()
    else:
        draft.look_again()


# --- challenge, penalty and proof ---


def _claim_refuted(draft: Draft, i: int) -> None:
    """The column leaves the game, the request is void, the claimant's turn is over (C3)."""
    draft.stand(i, None)
    draft.rule(RulingKind.CLAIM_REFUTED, ("C3",), draft.actor, column=draft.table.words[i], claimant=draft.turn)
    draft.end_turn()


def challenge_failed(draft: Draft) -> None:
    """The claimant may take a column of the challenger's (C4); with none to take, play goes on by itself (B14)."""
    challenger = draft.actor
    assert challenger is not None
    draft.rule(RulingKind.CLAIM_UPHELD, ("C4",), challenger, claimant=draft.turn)
    draft.phase, draft.actor = Phase.PENALTY, draft.penalty_takers()[0]
    if not draft.takeable(challenger):
        waive(draft)


def waive(draft: Draft, seat: Seat | None = None) -> None:
    """No column is taken out; `seat`: who might have taken one, None: whom the game waits for (C4)."""
    draft.rule(RulingKind.PENALTY_WAIVED, ("C4",), draft.actor if seat is None else seat)
    _penalty_settled(draft)


def _removal_over(draft: Draft, seat: Seat | None, *, broken: bool, taken: bool) -> None:
    """A column was taken out as the penalty, or its removal broken off; against the rules, it ends the turn of its doer (B13)."""
    if broken and seat == draft.turn:
        draft.end_turn()
    elif taken:
        _penalty_settled(draft)
    else:
        waive(draft, seat)


def _penalty_settled(draft: Draft) -> None:
    """After the penalty: the next challenge, the plateau, or the end of the turn (C1, C4)."""
    rules = draft.table.rules
    if not rules.plateau_after_failed_challenge:
        draft.end_turn()
        return
    left = min(rules.max_challenges, len(draft.table.names) - 1) - len(draft.challenged_by)
    if left > 0 and draft.turn is not None and draft.can_build(draft.turn):
        draft.phase, draft.actor = Phase.CLAIM, draft.turn
    else:
        draft.begin_laying()


def proof_failed(draft: Draft) -> None:
    """A failed proof costs the prover nothing; the player in turn goes on (T3)."""
    draft.rule(RulingKind.PROOF_FAILED, ("T3",), draft.actor)
    draft.phase, draft.actor = Phase.OWN, draft.turn


# --- plateaus and falls ---


def lay(draft: Draft, event: PlateauLaid, choice: Choice) -> None:
    plateau = draft.next_plateau if event.plateau is None else event.plateau
    seat, draft.settled = doer(draft, event.by), None
    assert plateau is not None
    if choice is Choice.ABORT:
        draft.rule(RulingKind.NOT_LAID, ("A3",), seat, plateau=plateau.word)
    else:
        draft.laid = (*draft.laid, plateau)
        draft.rule(RulingKind.LAID, ("U2" if plateau is Floor.BLUE else "A2",), seat, plateau=plateau.word, covers=event.covers)
        draft.fresh = plateau is not Floor.BLUE
        draft.score_again()
        draft.last_actor = seat
    if draft.phase is Phase.SET_UP:
        if choice is not Choice.ABORT:
            draft.phase, draft.actor, draft.last_actor = Phase.DRAW, draft.drawer(), None
            draft.rule(RulingKind.SET_UP, ("U1", "U2"))
    elif draft.turn is not None and seat == draft.turn:
        draft.end_turn()
    else:
        draft.look_again()


def incident(draft: Draft, event: Incident, *, broken: bool) -> None:
    """Columns fell, every plateau kept its place: what was in progress counts as broken off (E7)."""
    how = incident_as(draft, event)
    if how is Fall.COLLAPSE:
        open_to: dict[str, Datum] = {"incident": True, "choices": tuple(map(str, INCIDENT_CHOICES)), "choice": str(Choice.STAND)}
        collapse(draft, Collapsed(event.column, by=event.by, outside=event.outside), **open_to)
    elif how is Fall.ATTEMPT:
        abort(draft, event, broken=broken)
    elif how is Fall.LAYING:
        draft.end_turn()
    elif how is Fall.REMOVAL:
        waive(draft, event.by)


INCIDENT_CHOICES = (Choice.STAND, Choice.UNDO)
"""What the table may make of an incident (E7)."""


class Fall(StrEnum):
    """What columns that fell without a plateau come to (E7)."""

    COLLAPSE = "collapse"
    """By the house's rule the end."""
    ATTEMPT = "attempt"
    """The attempt in progress counts as broken off."""
    SETTLED = "settled"
    """The raise had settled and stands."""
    LAYING = "laying"
    """The plateau comes off again, the turn ends."""
    REMOVAL = "removal"
    """The penalty counts as waived."""
    NOTHING = "nothing"
    """What fell is stood up again, nothing else."""


def incident_as(position: Moment, event: Incident) -> Fall:
    """What the incident comes to; its doer is filled in where one can be meant."""
    seat = event.by
    if position.table.rules.collapse is CollapseRule.ANY_PIECE:
        return Fall.COLLAPSE
    if event.outside:
        return Fall.NOTHING
    if event.column is not None:
        return Fall.SETTLED if fell_late(position, event) else Fall.ATTEMPT
    if seat is None or position.turn is None:
        return Fall.NOTHING
    if seat == position.turn and (position.phase is Phase.LAY or (position.phase is Phase.CLAIM and position.next_plateau is not None)):
        return Fall.LAYING
    return Fall.REMOVAL if position.phase is Phase.PENALTY and seat in position.penalty_takers() else Fall.NOTHING


def collapse(draft: Draft, event: Collapsed, **data: Datum) -> None:
    """The culprit, `event.by`, is whoever's action is in progress, else whoever acted last; about an outside event the table decides (E8).
    `data` is added to the ruling."""
    draft.settled = None
    if event.outside and draft.turn is not None:
        draft.rule(RulingKind.OUTSIDE, ("E8",), None, **data)
        draft.resume, draft.phase, draft.actor = (draft.phase, draft.actor), Phase.DECISION, None
    else:
        draft.collapse(event.by, **data)
