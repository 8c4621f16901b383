"""What follows from what was seen: columns raised, put back, taken out, plateaus laid, falls; and how a challenge or a proof ends.

A deed that broke a rule stands as made and ends its doer's turn (B13); the table's other choices arrive here as an abort. Scores, seal and
turns are in `draft.py`.
"""

from __future__ import annotations

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
    proves,
    role,
)
from rig.rules.house import ChallengeProof, CollapseRule
from rig.rules.position import Phase
from rig.rules.rulings import RulingKind

_RAISED, _ABORTED = RulingKind.RAISED, RulingKind.ABORTED

# --- one column ---


def raise_column(draft: Draft, event: Raised, *, broken: bool) -> None:
    part, column, seat = role(draft, event), event.column, doer(draft, event.by)
    i, onto = draft.table.index[column], draft.top if event.onto is None else event.onto
    proof = proves(draft, part, i)
    draft.last_actor = seat
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
    if part is AS_REMOVAL and not isinstance(event, Raised):
        waive(draft)
        return
    draft.last_actor, i = seat, draft.table.index[column]
    draft.rule(_ABORTED, ("B10",), seat, column=draft.table.words[i])
    if draft.owners and draft.owners[i] in ((None, seat, draft.turn) if part is AS_CHALLENGE else (None, seat)):
        draft.lock(i)
    if part is AS_NEUTRAL and not broken:
        draft.phase, draft.proof_open = Phase.OWN, bool(draft.movable_neutrals())
    elif part is AS_OWN and not broken and draft.table.rules.retry_after_abort and seat is not None and draft.usable(seat):
        draft.phase, draft.proof_open = Phase.RETRY, False
    elif part in (AS_OWN, AS_NEUTRAL):
        draft.end_turn(aborted=True)
    else:
        _came_to_nothing(draft, part, seat)


def touch(draft: Draft, event: Touched, *, broken: bool) -> None:
    if binds(draft, event):
        abort(draft, event, broken=broken)
    else:
        draft.rule(RulingKind.TOUCHED, ("B4",), doer(draft, event.by), column=str(event.column))


def take_out(draft: Draft, event: TakenOut) -> None:
    part, seat, i = role(draft, event), doer(draft, event.by), draft.table.index[event.column]
    draft.last_actor = seat
    if part is AS_CHALLENGE and draft.table.rules.challenge_proof is ChallengeProof.EXTRACT and proves(draft, part, i):
        _claim_refuted(draft, i)
        return
    draft.stand(i, None)
    draft.rule(RulingKind.TAKEN_OUT, ("C4",), seat, column=draft.table.words[i])
    draft.score_again()
    draft.settle_seal()
    if part is AS_REMOVAL:
        _penalty_settled(draft)
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
    draft.phase, draft.actor = Phase.PENALTY, draft.turn
    if not draft.takeable(challenger):
        waive(draft)


def waive(draft: Draft) -> None:
    draft.rule(RulingKind.PENALTY_WAIVED, ("C4",), draft.turn)
    _penalty_settled(draft)


def _penalty_settled(draft: Draft) -> None:
    """After the penalty: the next challenge, the plateau, or the end of the turn (C1, C4)."""
    rules = draft.table.rules
    if not rules.plateau_after_failed_challenge:
        draft.end_turn()
        return
    left = min(rules.max_challenges, len(draft.table.names) - 1) - len(draft.challenged_by)
    if left > 0 and draft.turn is not None and draft.usable(draft.turn):
        draft.phase = Phase.CLAIM
    else:
        draft.begin_laying()


def proof_failed(draft: Draft) -> None:
    """A failed proof costs the prover nothing; the player in turn goes on (T3)."""
    draft.rule(RulingKind.PROOF_FAILED, ("T3",), draft.actor)
    draft.phase, draft.actor = Phase.OWN, draft.turn


# --- plateaus and falls ---


def lay(draft: Draft, event: PlateauLaid, choice: Choice) -> None:
    plateau = draft.next_plateau if event.plateau is None else event.plateau
    seat = doer(draft, event.by)
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
    seat = doer(draft, event.by)
    if draft.table.rules.collapse is CollapseRule.ANY_PIECE:
        in_progress = event.column is not None or draft.phase in (Phase.LAY, Phase.PENALTY)
        collapse(draft, Collapsed(by=seat if event.by is not None or in_progress else draft.last_actor, outside=event.outside))
    elif event.outside:
        return
    elif event.column is not None:
        abort(draft, event, broken=broken)
    elif seat is not None and seat == draft.turn and draft.phase is Phase.LAY:
        draft.end_turn()
    elif seat is not None and seat == draft.turn and draft.phase is Phase.PENALTY:
        waive(draft)


def collapse(draft: Draft, event: Collapsed) -> None:
    """The culprit is whoever's action is in progress, else whoever acted last; an outside event is for the table to decide (E8)."""
    if event.outside and draft.turn is not None:
        draft.rule(RulingKind.OUTSIDE, ("E8",))
        draft.resume, draft.phase, draft.actor = (draft.phase, draft.actor), Phase.DECISION, None
    elif event.by is None and draft.phase is Phase.CLAIM:
        draft.collapse(draft.last_actor)
    else:
        draft.collapse(doer(draft, event.by))
