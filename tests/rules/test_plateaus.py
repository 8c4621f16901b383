"""Requests, challenges, penalties and the laying of plateaus."""

from __future__ import annotations

import pytest

from rig.pieces import Floor, PieceSet, Shape
from rig.rules import (
    CannotLay,
    Challenged,
    ChallengeProof,
    GaveUp,
    HouseRules,
    PenaltyWaived,
    Phase,
    PlateauLaid,
    Raised,
    Reason,
    RulingKind,
    TakenOut,
    Unchallenged,
)
from tests.rules.table import (
    BLUE,
    EACH_ONE_UP,
    GREEN,
    GREEN_LAID_BY_GREEN,
    RED,
    YELLOW,
    column,
    flagged,
    floor,
    found,
    kinds,
    play,
    reasons,
    refused,
    villa,
    why_not,
)

ASKED = EACH_ONE_UP + "; request"
"""Red asks for green; four columns stand on blue."""
NO_PLATEAU_AFTERWARDS = HouseRules(plateau_after_failed_challenge=False)
EXTRACT = HouseRules(challenge_proof=ChallengeProof.EXTRACT)


# --- the request ---


def test_a_request_belongs_to_the_start_of_a_turn_and_then_stands() -> None:
    """A1: neither a raise nor another request takes it back."""
    game = villa(ASKED)
    assert game.phase is Phase.CLAIM
    assert game.turn == RED
    assert reasons(game, "raise red-hex-1") == (Reason.REQUEST_STANDS, Reason.NO_RAISE_THIS_TURN)
    assert refused(play(game, "request")) == {"A1"}
    broken = play(game, "raise red-hex-1")
    assert flagged(broken) == {"A1", "A2"}
    assert floor(broken, "red-hex-1") is Floor.BLUE
    assert (broken.turn, broken.phase) == (BLUE, Phase.BUILD)


def test_a_plateau_laid_unasked_says_that_it_was_requested_by_the_player_in_turn_only() -> None:
    """C7, A1, U4: another's deed is flagged and takes nobody's turn."""
    game = villa(EACH_ONE_UP)
    laid = play(game, "lay")
    assert kinds(laid)[:3] == [RulingKind.REQUESTED, RulingKind.UNCHALLENGED, RulingKind.LAID]
    assert (laid.top_floor, laid.turn) == (Floor.GREEN, BLUE)
    other = play(game, 'lay by "Yellow"')
    assert flagged(other) == {"U4"}
    assert (other.top_floor, other.turn) == (Floor.GREEN, RED)


def test_nobody_challenges_what_nobody_said() -> None:
    """A1, C1."""
    game = villa()
    assert refused(play(game, "unchallenged")) == {"A1"}
    assert refused(play(game, 'challenge by "Blue"')) == {"C1"}


def test_without_an_eligible_column_the_turn_counts_only_if_no_plateau_can_be_laid() -> None:
    """A1, E5: with one column each, green may be laid on three; on its own nothing is left to add."""
    tiny = PieceSet.of({Shape.THIN: 1}, plateaus=2)
    game = villa("raise red-thin-1; raise blue-thin-1; raise yellow-thin-1; abort green-thin-1", pieces=tiny)
    assert (game.turn, game.phase) == (RED, Phase.LAY)
    assert found(game, RulingKind.FORCED).rules == ("A1",)
    assert set(game.legal_actions()) == {PlateauLaid(), CannotLay()}
    assert game.position.idle == 0
    assert play(game, "cannot-lay").position.idle == 1
    laid = play(game, "lay")
    assert (laid.turn, laid.phase, laid.position.idle) == (BLUE, Phase.BUILD, 0)


def test_only_whoever_is_without_a_column_is_safe_from_a_challenge() -> None:
    """A1, C1: after a request that nobody challenged it is too late, but for another reason."""
    game = villa(ASKED + "; unchallenged")
    assert reasons(game, 'challenge by "Blue"') == (Reason.NO_CHALLENGE_NOW,)
    game = villa(ASKED + '; challenge by "Blue"; give-up; waive')
    assert reasons(game, 'challenge by "Yellow"') == (Reason.NO_CHALLENGE_NOW,)


def test_after_laying_the_turn_ends() -> None:
    """A2."""
    game = villa(ASKED + "; unchallenged; lay")
    assert (game.top_floor, game.turn, game.phase) == (Floor.GREEN, BLUE, Phase.BUILD)


def test_laying_says_that_nobody_challenged_if_it_went_unheard() -> None:
    """A2, C4: laid right after the request, or after a failed challenge without taking a column."""
    game = play(villa(ASKED), "lay")
    assert kinds(game)[:2] == [RulingKind.UNCHALLENGED, RulingKind.LAID]
    assert reasons(villa(ASKED), "lay") == ()
    waived = play(villa(ASKED + '; challenge by "Blue"; give-up'), 'lay by "Red"')
    assert kinds(waived)[:2] == [RulingKind.PENALTY_WAIVED, RulingKind.LAID]
    assert waived.turn == BLUE


def test_laying_what_cannot_be_laid_right_after_the_request_is_flagged_and_lies() -> None:
    """A3, B13: on one column, or on two after a challenge; even where the request alone would have ended the game (E5)."""
    game = play(villa("raise red-thin-1; request"), "lay")
    assert flagged(game) == {"A3"}
    assert (game.top_floor, game.turn) == (Floor.GREEN, YELLOW)
    assert flagged(play(villa('request; challenge by "Blue"; give-up'), "lay")) == {"A3"}
    last = villa("; ".join(["request; unchallenged"] * 3 + ["request"]))
    laid = play(last, "lay")
    assert flagged(laid) == {"A3"}
    assert (laid.phase, laid.top_floor, laid.turn) == (Phase.BUILD, Floor.GREEN, RED)
    assert play(last, "unchallenged").outcome is not None


def test_where_the_penalty_ends_the_turn_no_plateau_follows_it() -> None:
    """C4, A1."""
    game = villa(ASKED + '; challenge by "Blue"; give-up', NO_PLATEAU_AFTERWARDS)
    assert reasons(game, "lay") == (Reason.NO_REQUEST,)
    laid = play(game, "lay")
    assert (laid.top_floor, laid.turn, laid.phase) == (Floor.GREEN, BLUE, Phase.BUILD)


def test_the_request_for_a_sixth_plateau_is_refused() -> None:
    """A2."""
    game = villa(EACH_ONE_UP, pieces=PieceSet.of(plateaus=1))
    assert refused(play(game, "request")) == {"A2"}


def test_with_fewer_than_three_columns_on_top_nothing_is_laid_and_the_turn_is_over_at_once() -> None:
    """A3, B14."""
    game = villa("raise red-thin-1; raise blue-thin-1; request; unchallenged")
    assert RulingKind.NOT_LAID in kinds(game)
    assert (game.turn, game.top_floor) == (GREEN, Floor.BLUE)
    three = villa("raise red-thin-1; raise blue-thin-1; raise yellow-thin-1; request; unchallenged")
    assert three.phase is Phase.LAY


def test_if_no_position_is_found_the_turn_ends() -> None:
    """A3: saying so belongs to that moment and that player."""
    game = villa(ASKED + "; unchallenged")
    assert refused(play(villa(), "cannot-lay")) == {"A3"}
    assert refused(play(game, 'cannot-lay by "Blue"')) == {"U4"}
    game = play(game, "cannot-lay")
    assert (game.turn, game.top_floor) == (BLUE, Floor.BLUE)


def test_a_plateau_on_two_columns_that_really_lies_is_flagged_and_stands() -> None:
    """A3, B13."""
    game = play(villa(ASKED + "; unchallenged"), "lay covers 2")
    assert flagged(game) == {"A3"}
    assert game.top_floor is Floor.GREEN


@pytest.mark.parametrize(("covers", "fine"), [(0, False), (1, True), (3, True)])
def test_by_the_easier_option_orange_rests_on_one(covers: int, fine: bool) -> None:
    """A3: yellow never does."""
    rules = HouseRules(two_from_orange=True)
    up = "raise red-thin-1; raise blue-thin-1; raise yellow-thin-1; request; unchallenged; lay"
    yellow = villa(f"{up}; raise red-thin-1; raise blue-thin-1; raise yellow-thin-1; request; unchallenged", rules)
    assert why_not(yellow, "lay covers 2") == {"A3"}
    orange = play(yellow, "lay; raise red-thin-1; request; unchallenged")
    assert orange.phase is Phase.LAY
    assert why_not(orange, f"lay covers {covers}") == (set() if fine else {"A3"})


def test_plateaus_may_protrude_and_cover_in_part_unless_the_house_forbids_it() -> None:
    """A4."""
    asked = ASKED + "; unchallenged"
    assert why_not(villa(asked), "lay beyond-edge partly") == set()
    assert why_not(villa(asked, HouseRules(limit_all_plateaus=True)), "lay beyond-edge partly") == {"A4"}
    assert reasons(villa(asked, HouseRules(forbid_partial_cover=True)), "lay beyond-edge partly") == (Reason.PARTLY_COVERED,)
    assert reasons(villa(asked, HouseRules(limit_all_plateaus=True)), "lay beyond-edge") == (Reason.PROTRUDES,)


def test_columns_are_not_shifted_to_make_a_plateau_fit() -> None:
    """A5."""
    assert flagged(play(villa(ASKED + "; unchallenged"), "lay nudged red-thin-1")) == {"A5"}


# --- the challenge ---


def test_any_opponent_may_challenge_and_one_challenge_is_all() -> None:
    """C1."""
    game = villa(ASKED)
    assert set(game.legal_actions()) == {Unchallenged(), Challenged(BLUE), Challenged(YELLOW), Challenged(GREEN)}
    assert refused(play(game, 'challenge by "Red"')) == {"C1"}
    game = play(game, 'challenge by "Yellow"')
    assert (game.phase, game.actor, game.turn, game.challenger) == (Phase.CHALLENGE, YELLOW, RED, YELLOW)
    assert reasons(game, 'challenge by "Yellow"') == (Reason.CHALLENGE_RUNS, Reason.CHALLENGED_ALREADY)
    assert play(game, "give-up; waive").phase is Phase.LAY


def test_by_house_rule_each_opponent_may_challenge_once_after_the_penalty_before() -> None:
    """C1: `max_challenges`."""
    game = villa(ASKED, HouseRules(max_challenges=2))
    game = play(game, 'challenge by "Yellow"; give-up; take-out yellow-hex-1')
    assert (game.phase, game.actor) == (Phase.CLAIM, RED)
    assert set(game.legal_actions()) == {Unchallenged(), Challenged(BLUE), Challenged(GREEN)}
    assert refused(play(game, 'challenge by "Yellow"')) == {"C1"}
    game = play(game, 'challenge by "Green"; give-up; waive')
    assert game.phase is Phase.LAY


def test_no_second_challenge_is_left_once_the_claimant_has_no_eligible_column() -> None:
    """C1, C2: the first challenger locked red's last one."""
    rules = HouseRules(max_challenges=3)
    game = villa("request", rules, PieceSet.of({Shape.THIN: 1}))
    game = play(game, 'challenge by "Yellow"; abort red-thin-1; waive')
    assert game.turn == BLUE


def test_a_challenger_who_gives_up_without_moving_has_failed_and_locks_nothing() -> None:
    """C1."""
    game = villa(ASKED + '; challenge by "Blue"')
    assert refused(play(game, 'give-up by "Yellow"')) == {"U4"}
    assert refused(play(villa(ASKED), "give-up")) == {
        "C1",
    }
    game = play(game, "give-up")
    assert game.phase is Phase.PENALTY
    assert game.locked == frozenset()


def test_the_challenger_takes_any_one_eligible_column_of_the_claimants() -> None:
    """C2: not a locked one, not one on top, not anybody else's."""
    game = villa(
        "abort red-thick-1; raise blue-thin-1; raise yellow-thin-1; raise green-thin-1; raise red-thin-1"
        '; raise blue-thin-2; raise yellow-thin-2; raise green-thin-2; request; challenge by "Blue"'
    )
    raised = {str(action.column) for action in game.legal_actions() if isinstance(action, Raised)}
    assert raised == {"red-hex-1", "red-thin-2", "red-thin-3"}
    assert GaveUp() in game.legal_actions()
    assert reasons(game, "raise red-thick-1") == (Reason.LOCKED_FOR_CHALLENGE,)
    assert Reason.LOCKED_FOR_CHALLENGE.rule == "C2"
    assert reasons(game, "raise red-thin-1") == (Reason.ON_TOP,)
    assert reasons(game, "raise blue-hex-1") == (Reason.NOT_CLAIMANTS_COLUMN,)


def test_a_column_that_is_not_eligible_proves_nothing_but_stands_as_made() -> None:
    """C2, B13: the challenge has failed; blue's own column scores where it stands."""
    game = villa(GREEN_LAID_BY_GREEN + '; request; challenge by "Blue"; raise blue-hex-1')
    assert flagged(game) == {"C2"}
    assert game.phase is Phase.PENALTY
    assert game.scores[BLUE] == 2


def test_a_broken_off_wrong_column_fails_the_challenge_without_being_locked() -> None:
    """C2, B10: unless it is the challenger's own."""
    game = villa(ASKED + '; challenge by "Blue"')
    third = play(game, "abort yellow-hex-1")
    assert flagged(third) == {"C2"}
    assert (third.phase, third.locked) == (Phase.PENALTY, frozenset())
    assert play(game, "abort blue-hex-1").locked == {column("blue-hex-1")}


def test_by_house_rule_getting_the_column_out_is_proof_enough() -> None:
    """C2, C3: `challenge_proof = extract`; standing it on top proves it as well."""
    game = villa(ASKED + '; challenge by "Blue"', EXTRACT)
    assert TakenOut(column("red-hex-1")) in game.legal_actions()
    out = play(game, "take-out red-hex-1")
    assert RulingKind.CLAIM_REFUTED in kinds(out)
    assert (floor(out, "red-hex-1"), out.turn) == (None, BLUE)
    assert RulingKind.CLAIM_REFUTED in kinds(play(game, "raise red-hex-1"))
    wrong = play(game, "take-out blue-hex-1")
    assert flagged(wrong) == {"C2"}
    assert (wrong.phase, floor(wrong, "blue-hex-1")) == (Phase.PENALTY, None)


def test_where_the_column_must_be_placed_taking_it_out_proves_nothing() -> None:
    """C2: it is gone all the same (B13)."""
    game = villa(ASKED + '; challenge by "Blue"')
    assert TakenOut(column("red-hex-1")) not in game.legal_actions()
    game = play(game, "take-out red-hex-1")
    assert flagged(game) == {"C2"}
    assert (game.phase, floor(game, "red-hex-1")) == (Phase.PENALTY, None)


def test_a_refuted_claim_never_moves_the_seal_on_its_way() -> None:
    """C3: on a fresh green, red's thick column stands there for a moment only."""
    game = villa(GREEN_LAID_BY_GREEN + '; request; challenge by "Blue"; raise red-thick-1')
    assert game.holder is None
    assert RulingKind.SEAL not in kinds(game)
    assert play(game, "raise blue-thin-1").holder == BLUE


def test_a_column_raised_unheard_by_an_opponent_is_a_challenge() -> None:
    """C1, C3: while a request waits, an opponent handles the claimant's column."""
    game = villa(ASKED)
    won = play(game, 'raise red-hex-1 by "Yellow"')
    assert kinds(won)[0] is RulingKind.CHALLENGED
    assert RulingKind.CLAIM_REFUTED in kinds(won)
    lost = play(game, 'abort red-hex-1 by "Yellow"')
    assert (lost.phase, lost.challenger) == (Phase.PENALTY, YELLOW)
    assert reasons(game, 'raise yellow-hex-1 by "Yellow"') == (Reason.OUT_OF_TURN,)
    once = play(villa(ASKED, HouseRules(max_challenges=2)), 'challenge by "Yellow"; give-up; waive')
    assert reasons(once, 'raise red-hex-1 by "Yellow"') == (Reason.OUT_OF_TURN, Reason.NOT_OWN)


def test_while_one_challenges_nobody_else_handles_a_column() -> None:
    """C1, A1: a third player's raise goes on record; the claimant's ends the turn."""
    game = villa(ASKED + '; challenge by "Blue"')
    third = play(game, 'raise yellow-hex-1 by "Yellow"')
    assert flagged(third) == {"C1"}
    assert (third.phase, third.actor) == (Phase.CHALLENGE, BLUE)
    own = play(game, 'raise red-hex-1 by "Red"')
    assert flagged(own) == {"A1", "A2"}
    assert (own.phase, own.turn) == (Phase.BUILD, BLUE)
    assert flagged(play(game, 'lay by "Red"')) == {"A1"}


# --- the penalty ---


def test_the_claimant_chooses_the_penalty_or_waives_it_and_then_lays() -> None:
    """C4: nothing is locked by waiving or breaking off."""
    game = villa(ASKED + '; challenge by "Blue"; give-up')
    assert (game.phase, game.actor) == (Phase.PENALTY, RED)
    assert set(game.legal_actions()) == {*(TakenOut(one) for one in game.pieces.columns if one.colour == "blue"), PenaltyWaived()}
    assert refused(play(game, 'waive by "Blue"')) == {"U4"}
    assert refused(play(villa(), "waive")) == {"C4"}
    for end in ("waive", "abort blue-hex-1"):
        waived = play(game, end)
        assert (waived.phase, waived.locked) == (Phase.LAY, frozenset())
    assert reasons(game, "abort red-hex-1") == (Reason.NOT_CHALLENGERS_COLUMN,)


def test_the_penalty_comes_before_the_plateau_which_may_then_find_too_few_columns() -> None:
    """C4, A3, E5: three columns on blue, one of them taken: nothing can be laid, and the turn counts."""
    game = villa('raise red-thin-1; raise blue-thin-1; raise yellow-thin-1; request; challenge by "Blue"; give-up')
    short = play(game, "take-out blue-thin-1")
    assert (short.turn, short.top_floor, short.position.idle) == (RED, Floor.BLUE, 1)
    assert play(game, "take-out blue-hex-1").phase is Phase.LAY


def test_taking_somebody_elses_column_is_flagged_and_ends_the_turn() -> None:
    """C4, B13."""
    game = villa(ASKED + '; challenge by "Blue"; give-up; take-out yellow-hex-1')
    assert flagged(game) == {"C4"}
    assert (floor(game, "yellow-hex-1"), game.phase) == (None, Phase.BUILD)
    assert game.turn == BLUE


def test_the_claimant_raises_nothing_instead_of_taking_the_penalty() -> None:
    """C4, A2."""
    game = villa(ASKED + '; challenge by "Blue"; give-up; raise red-hex-1')
    assert flagged(game) == {"A2"}
    assert (floor(game, "red-hex-1"), game.turn, game.phase) == (Floor.BLUE, BLUE, Phase.BUILD)
    treated = play(game, "rule abort")
    assert (floor(treated, "red-hex-1"), treated.turn) == (Floor.GROUND, BLUE)


def test_a_challenger_with_nothing_left_pays_nothing() -> None:
    """C4, B14: green has lost its only column before."""
    game = villa('request; challenge by "Green"; give-up; take-out green-thin-1', pieces=PieceSet.of({Shape.THIN: 1}))
    assert game.turn == BLUE
    game = play(game, 'request; challenge by "Green"; give-up')
    assert RulingKind.PENALTY_WAIVED in kinds(game)
    assert game.turn == YELLOW


def test_by_house_rule_the_penalty_ends_the_turn() -> None:
    """C4, E5: taken or waived, nothing is laid and the row starts anew."""
    for end in ("take-out blue-hex-1", "waive"):
        game = villa(ASKED + f'; challenge by "Blue"; give-up; {end}', NO_PLATEAU_AFTERWARDS)
        assert (game.turn, game.phase, game.top_floor, game.position.idle) == (BLUE, Phase.BUILD, Floor.BLUE, 0)


def test_a_column_leaves_the_tower_only_by_a_challenge_or_a_penalty() -> None:
    """C4: at any other time it is flagged; gone is gone."""
    game = villa("take-out red-hex-1")
    assert flagged(game) == {"C4"}
    assert (floor(game, "red-hex-1"), game.turn) == (None, BLUE)
    other = villa('take-out red-hex-1 by "Yellow"')
    assert flagged(other) == {"U4", "C4"}
    assert other.turn == RED


def test_a_challenge_toppled_is_the_challengers_fault_and_a_removal_the_removers() -> None:
    """C5, C6."""
    challenge = villa(ASKED + '; challenge by "Blue"; collapse')
    assert challenge.outcome is not None
    assert challenge.outcome.culprit == BLUE
    removal = villa(ASKED + '; challenge by "Blue"; give-up; collapse')
    assert removal.outcome is not None
    assert removal.outcome.culprit == RED
