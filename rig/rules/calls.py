"""What follows from a call that is allowed: the draw, a request, a challenge, a proof, a word that ends a turn.

Each entry of `CALLS` works on a draft and adds its rulings; whether the call is allowed was judged before, in `legality.py`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from rig.pieces import Colour
from rig.rules.consequences import challenge_failed, proof_failed, waive
from rig.rules.draft import Draft
from rig.rules.events import (
    BuiltNothing,
    CannotLay,
    Challenged,
    Chose,
    ColoursAssigned,
    GaveUp,
    OutsideChoice,
    OutsideDecided,
    Passed,
    PenaltyWaived,
    ProofOffered,
    Requested,
    Rolled,
    Seat,
    Stopped,
    Unchallenged,
)
from rig.rules.house import ColourMode
from rig.rules.position import Phase
from rig.rules.rulings import Outcome, RulingKind, Why

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
    draft.deal_out()
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
    draft.phase, draft.actor, draft.abandoned = Phase.PROOF, event.by, None


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
        winners, draft.resume = () if draft.holder is None else (draft.holder,), None
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
    PenaltyWaived: lambda draft, event: waive(draft, event.by),
    CannotLay: lambda draft, _event: draft.not_laid(),
    BuiltNothing: _build_nothing,
    Passed: _pass,
    Stopped: _stop,
    OutsideDecided: _decide,
}
"""What follows from each call."""
