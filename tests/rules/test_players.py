"""Two players with two colours each; three players and the neutral colour."""

from __future__ import annotations

from rig.pieces import Floor, PieceSet, Shape
from rig.rules import SECOND_READING, Game, HouseRules, Phase, ProofOffered, Raised, Reason, Requested, RulingKind, Stopped, TouchRule
from tests.rules.table import BLUE, RED, THREE, TWO, YELLOW, column, flagged, floor, kinds, play, reasons, refused, villa, why_not


def three(moves: str = "", rules: HouseRules | None = None, pieces: PieceSet | None = None) -> Game:
    return villa(moves, rules or HouseRules(), pieces or PieceSet.of(), THREE)


ROUND = "raise green-thin-1; raise red-thin-1; raise green-thin-2; raise blue-thin-1; raise green-thin-3; raise yellow-thin-1"


def test_two_players_build_with_either_colour_and_sum_both() -> None:
    """D1."""
    game = villa("", names=TWO)
    assert why_not(game, "raise red-thin-1") == set()
    assert why_not(game, "raise blue-thin-1") == set()
    assert why_not(game, "raise green-thin-1") == {"B1"}
    assert why_not(villa('request; challenge by "Ben"', names=TWO), "raise blue-hex-1") == set()


def test_two_players_have_no_neutral_colour() -> None:
    """D1, T1."""
    game = villa("", names=TWO)
    assert game.neutral is None
    assert game.position.movable_neutrals() == []


def test_a_neutral_column_comes_first_and_an_own_one_may_follow() -> None:
    """T1."""
    game = three()
    own_first = play(game, "raise red-thin-1")
    assert flagged(own_first) == {"T1"}
    assert own_first.turn == BLUE
    game = play(game, "raise green-thin-1")
    assert (game.phase, game.turn) == (Phase.OWN, RED)
    assert Stopped() in game.legal_actions()
    assert Raised(column("red-thin-1")) in game.legal_actions()
    assert reasons(game, "raise green-thin-2") == (Reason.ONE_NEUTRAL,)
    assert play(game, "stop").turn == BLUE
    assert play(game, "raise red-thin-1").turn == BLUE
    second = play(game, "raise green-thin-2")
    assert flagged(second) == {"T1"}
    assert second.turn == BLUE


def test_no_request_after_a_neutral_column() -> None:
    """T1: raised or abandoned, even while somebody proves; a plateau laid then is flagged."""
    for begun in ("raise green-thin-1", "abort green-thin-1"):
        assert refused(three(f"{begun}; request")) == {"T1"}
    proving = three('abort green-thin-1; proof by "Blue"')
    assert refused(play(proving, 'request by "Red"')) == {"T1"}
    assert "T1" in flagged(three("raise green-thin-1; lay"))


def test_the_last_neutral_on_a_floor_stays_and_locked_ones_count() -> None:
    """T2: two on the ground, one of them locked: the other may go; then the locked one is the last."""
    few = PieceSet(tuple(c for c in PieceSet.of().columns if c.colour != "green" or c.shape is not Shape.THIN))
    game = three("abort green-hex-1; stop", pieces=few)
    assert [str(game.pieces.columns[i]) for i in game.position.movable_neutrals()] == ["green-thick-1"]
    game = play(game, "raise green-thick-1; stop")
    assert game.position.movable_neutrals() == []
    assert reasons(game, "raise green-hex-1") == (Reason.LOCKED, Reason.LAST_NEUTRAL)


def test_without_a_movable_neutral_the_duty_lapses() -> None:
    """T2, T1."""
    one = PieceSet(tuple(c for c in PieceSet.of().columns if c.colour != "green" or c.shape is Shape.HEX))
    game = three(pieces=one)
    assert why_not(game, "raise red-thin-1") == set()
    taken = play(game, "raise green-hex-1")
    assert flagged(taken) == {"T2"}
    assert (floor(taken, "green-hex-1"), taken.turn) == (Floor.BLUE, BLUE)
    assert refused(play(three("raise green-thin-1; raise red-thin-1"), "build-nothing")) == {"E5"}


def test_an_abandoned_neutral_is_locked_and_an_own_column_may_follow_at_once() -> None:
    """T3, T1: it is optional."""
    game = three("abort green-thin-1")
    assert game.locked == {column("green-thin-1")}
    assert (game.phase, game.turn) == (Phase.OWN, RED)
    assert {ProofOffered(BLUE), ProofOffered(YELLOW), Stopped()} <= set(game.legal_actions())
    assert play(game, "raise red-thin-1").turn == BLUE


def test_a_proof_raises_another_neutral_and_forfeits_the_turn() -> None:
    """T3: it stays where it was raised to."""
    game = three('abort green-thin-1; proof by "Yellow"')
    assert (game.phase, game.actor, game.turn) == (Phase.PROOF, YELLOW, RED)
    assert reasons(game, "raise green-thin-1") == (Reason.LOCKED,)
    assert reasons(game, "raise red-thin-1") == (Reason.NEUTRAL_FOR_PROOF,)
    game = play(game, "raise green-hex-1")
    assert RulingKind.PROOF_GIVEN in kinds(game)
    assert (floor(game, "green-hex-1"), game.turn, game.phase) == (Floor.BLUE, BLUE, Phase.BUILD)


def test_a_failed_proof_costs_nothing_but_its_column_is_locked() -> None:
    """T3: and there is only one proof."""
    game = three('abort green-thin-1; proof by "Yellow"; abort green-hex-1')
    assert game.locked == {column("green-thin-1"), column("green-hex-1")}
    assert (game.phase, game.turn, game.actor) == (Phase.OWN, RED, RED)
    assert refused(play(game, 'proof by "Blue"')) == {"T3"}
    given_up = three('abort green-thin-1; proof by "Yellow"; give-up')
    assert (given_up.phase, given_up.locked) == (Phase.OWN, {column("green-thin-1")})
    assert not any(isinstance(action, ProofOffered) for action in given_up.legal_actions())


def test_a_column_raised_unheard_by_an_opponent_is_a_proof() -> None:
    """T3."""
    game = three('abort green-thin-1; raise green-hex-1 by "Yellow"')
    assert kinds(game)[0] is RulingKind.PROOF_OFFERED
    assert RulingKind.PROOF_GIVEN in kinds(game)
    late = three('raise green-thin-1; raise green-hex-1 by "Yellow"')
    assert "U4" in flagged(late)
    assert late.turn == RED


def test_a_proof_needs_an_abandoned_neutral_and_another_player() -> None:
    """T3: not after a raised neutral, not after the own column has moved, not by oneself."""
    assert refused(three('proof by "Blue"')) == {"T3"}
    assert refused(three('raise green-thin-1; proof by "Blue"')) == {"T3"}
    assert reasons(three("abort green-thin-1"), 'proof by "Red"') == (Reason.OWN_PROOF,)
    moved = three("abort green-thin-1; abort red-thin-1", SECOND_READING)
    assert (moved.phase, refused(play(moved, 'proof by "Blue"'))) == (Phase.RETRY, {"T3"})


def test_without_another_movable_neutral_there_is_no_proof() -> None:
    """T3, T2."""
    two = PieceSet(tuple(c for c in PieceSet.of().columns if c.colour != "green" or c.shape is not Shape.THIN))
    game = three("raise green-hex-1", pieces=two)
    assert game.phase is Phase.OWN
    pair = three("abort green-hex-1", pieces=two)
    assert ProofOffered(BLUE) in pair.legal_actions()
    lonely = play(pair, "stop; abort green-thick-1")
    assert lonely.phase is Phase.OWN
    assert refused(play(lonely, 'proof by "Red"')) == {"T3"}


def test_a_proof_with_a_column_that_may_not_move_proves_nothing() -> None:
    """T3, T2, B13: the last neutral of its floor was moved and stays; the turn goes on."""
    game = three(
        'raise green-thin-1; stop; abort green-thin-2; proof by "Yellow"; raise red-thin-1',
    )
    assert flagged(game) == {"T3"}
    assert (floor(game, "red-thin-1"), game.phase, game.turn) == (Floor.BLUE, Phase.OWN, BLUE)
    out = three('abort green-thin-1; proof by "Yellow"; take-out green-hex-1')
    assert flagged(out) == {"C4"}
    assert (floor(out, "green-hex-1"), out.phase) == (None, Phase.OWN)
    few = PieceSet(tuple(c for c in PieceSet.of().columns if c.colour != "green" or c.shape is Shape.THIN))
    last = three('raise green-thin-1; stop; abort green-thin-2; proof by "Red"; abort green-thin-3', pieces=few)
    assert last.phase is Phase.OWN


def test_a_collapse_during_a_proof_is_the_provers() -> None:
    """T3, E8."""
    game = three('abort green-thin-1; proof by "Yellow"; collapse')
    assert game.outcome is not None
    assert game.outcome.culprit == YELLOW


def test_neutral_columns_score_nothing_and_never_move_the_seal() -> None:
    """T4: on a fresh green a neutral column comes first, then red's takes the seal."""
    game = three(ROUND + "; request; unchallenged; lay; raise green-thick-1")
    assert game.turn == BLUE
    assert (game.scores, game.holder) == ((0, 0, 0), None)
    game = play(game, "raise blue-thin-1")
    assert game.holder == BLUE


def test_a_request_needs_no_neutral_column_first() -> None:
    """T5."""
    game = three()
    assert Requested() in game.legal_actions()
    assert play(game, "request").phase is Phase.CLAIM


def test_without_an_own_column_a_movable_neutral_neither_forces_nor_refutes() -> None:
    """A1, T1: red has nothing left to raise, though neutrals could move."""
    pieces = PieceSet(tuple(c for c in PieceSet.of().columns if c.colour != "red" or str(c) == "red-thin-1"))
    game = three("raise green-thin-1; raise red-thin-1; raise green-thin-2; raise blue-thin-1; raise green-thin-3; stop", pieces=pieces)
    assert game.position.movable_neutrals()
    assert (game.turn, game.phase) == (RED, Phase.LAY)


def test_a_broken_rule_with_the_neutral_ends_the_turn() -> None:
    """B13, T1."""
    assert three("raise green-thin-1 plateau-held").turn == BLUE
    assert three("abort green-thin-1 shifted blue").turn == BLUE


def test_trying_a_neutral_after_an_own_abort_is_a_second_try() -> None:
    """B3, T1: the second reading concerns own columns only."""
    game = three("raise green-thin-1; abort red-thin-1", SECOND_READING)
    assert game.phase is Phase.RETRY
    assert reasons(game, "raise green-thin-2") == (Reason.SECOND_TRY,)


def test_a_touched_neutral_is_an_abandoned_one_where_touching_binds() -> None:
    """B4, T3."""
    game = three("touch green-thin-1", HouseRules(touch_rule=TouchRule.TOUCHED))
    assert (game.phase, game.locked) == (Phase.OWN, {column("green-thin-1")})


def test_an_own_column_lost_meanwhile_ends_the_turn_after_the_neutral() -> None:
    """B14, T1: a stray hand has taken the last one."""
    pieces = PieceSet(tuple(c for c in PieceSet.of().columns if c.colour != "red" or str(c) == "red-thin-1"))
    game = three("raise green-thin-1", pieces=pieces)
    assert game.phase is Phase.OWN
    assert play(game, 'take-out red-thin-1 by "Blue"').turn == BLUE


def test_a_neutral_column_that_has_left_the_game_counts_on_no_floor() -> None:
    """T2: of two on the ground one was taken out; the other is the last and stays."""
    two = PieceSet(tuple(c for c in PieceSet.of().columns if c.colour != "green" or c.shape is not Shape.THIN))
    game = three('take-out green-hex-1 by "Blue"', pieces=two)
    assert game.position.movable_neutrals() == []
    both = three('take-out green-hex-1 by "Blue"; take-out green-thick-1 by "Blue"', pieces=two)
    assert both.position.movable_neutrals() == []


def test_a_turn_ended_by_a_stray_hand_after_an_abort_is_one_ended_by_an_abort() -> None:
    """B11, B14: after a neutral column it is not."""
    one = PieceSet(tuple(c for c in PieceSet.of().columns if c.colour != "red" or c.shape is not Shape.THIN))
    retrying = villa("abort red-hex-1", SECOND_READING, one)
    ended = play(retrying, 'take-out red-thick-1 by "Blue"')
    assert why_not(ended, 'request by "Red"') == {"U4", "B11"}
    lone = PieceSet(tuple(c for c in PieceSet.of().columns if c.colour != "red" or str(c) == "red-thin-1"))
    neutral = play(three("raise green-thin-1", pieces=lone), 'take-out red-thin-1 by "Blue"')
    assert why_not(neutral, 'request by "Red"') == {"U4"}


def test_a_players_eligible_columns_can_be_asked_for() -> None:
    """B1, B2, B10."""
    game = villa("raise red-thin-1; abort blue-hex-1; raise yellow-thin-1; raise green-thin-1")
    assert [str(one) for one in game.position.eligible(RED)] == ["red-hex-1", "red-thick-1", "red-thin-2", "red-thin-3"]
    assert [str(one) for one in game.position.eligible(BLUE)] == ["blue-thick-1", "blue-thin-1", "blue-thin-2", "blue-thin-3"]
