"""Raising columns: what is allowed, what is flagged, what an abort costs."""

from __future__ import annotations

import pytest

from rig.pieces import Floor, PieceSet, Shape
from rig.rules import SECOND_READING, HouseRules, ImpossibleEventError, Phase, Reason, RulingKind, TouchRule
from rig.rules.events import DEEDS, Incident, TakenOut, Touched
from tests.rules.table import BLUE, GREEN_LAID_BY_GREEN, RED, column, flagged, floor, found, kinds, play, reasons, refused, villa, why_not

TOUCHED = HouseRules(touch_rule=TouchRule.TOUCHED)


def test_a_column_of_ones_own_goes_to_the_tallest_plateau_from_any_lower_floor() -> None:
    """B1: from the ground, and from blue, to green."""
    game = villa(GREEN_LAID_BY_GREEN + "; raise red-thin-1")
    assert floor(game, "red-thin-1") is Floor.GREEN
    game = play(game, "raise blue-hex-1")
    assert floor(game, "blue-hex-1") is Floor.GREEN


def test_somebody_elses_column_onto_a_wrong_floor_breaks_the_first_rule_of_building() -> None:
    """B1: each fault is listed."""
    game = villa(GREEN_LAID_BY_GREEN)
    assert reasons(game, "raise blue-hex-1") == (Reason.NOT_OWN,)
    assert reasons(game, "raise red-hex-1 onto blue") == (Reason.WRONG_FLOOR,)
    assert reasons(game, "raise blue-hex-1 onto blue") == (Reason.NOT_OWN, Reason.WRONG_FLOOR)
    stood = play(game, "raise blue-hex-1")
    assert floor(stood, "blue-hex-1") is Floor.GREEN
    assert (stood.scores[BLUE], stood.holder, stood.turn) == (2, BLUE, BLUE)
    low = play(game, "raise red-hex-1 onto blue")
    assert floor(low, "red-hex-1") is Floor.BLUE
    assert (low.scores[RED], low.holder) == (0, None)
    down = play(game, "raise red-thin-1 onto ground")
    assert floor(down, "red-thin-1") is Floor.GROUND


def test_a_floor_that_does_not_exist_holds_no_column() -> None:
    """B1."""
    with pytest.raises(ImpossibleEventError, match="does not exist yet"):
        play(villa(), "raise red-thin-1 onto green")


def test_a_column_on_the_tallest_floor_is_not_used_again() -> None:
    """B2."""
    game = villa("raise red-thin-1; raise blue-thin-1; raise yellow-thin-1; raise green-thin-1")
    assert reasons(game, "raise red-thin-1") == (Reason.ON_TOP,)
    assert flagged(play(game, "abort red-thin-1")) == {"B2"}


def test_pushing_a_neighbour_aside_is_flagged() -> None:
    """B3."""
    assert flagged(villa("raise red-thin-1 nudged blue-thin-1,blue-thin-2")) == {"B3"}
    assert flagged(villa("abort red-thin-1 nudged blue-thin-1")) == {"B3"}


def test_a_second_column_after_an_abort_is_flagged_and_stands() -> None:
    """B3, B13: it was red's turn no more; blue's goes on."""
    game = play(villa("abort red-thin-1"), 'raise red-hex-1 by "Red"')
    assert flagged(game) == {"B3", "U4"}
    assert floor(game, "red-hex-1") is Floor.BLUE
    assert game.turn == BLUE
    later = play(villa("abort red-thin-1; raise blue-thin-1"), 'raise red-hex-1 by "Red"')
    assert flagged(later) == {"U4"}


def test_by_the_second_reading_one_may_try_on_or_stop_after_any_abort() -> None:
    """B3: each aborted column stays locked; without another the turn is over by itself (B14)."""
    game = villa("abort red-thin-1; abort red-thin-2", SECOND_READING)
    assert (game.phase, game.turn) == (Phase.RETRY, RED)
    assert game.locked == {column("red-thin-1"), column("red-thin-2")}
    assert reasons(game, "raise red-thin-1") == (Reason.LOCKED,)
    stopped = play(game, "stop")
    assert (stopped.phase, stopped.turn) == (Phase.BUILD, BLUE)
    assert "B11" in why_not(stopped, 'request by "Red"')
    assert play(game, "abort red-thin-3; abort red-hex-1; abort red-thick-1").turn == BLUE
    assert flagged(play(game, "lay")) == {"B11", "A3"}
    assert reasons(game, "pass") == (Reason.NO_PASS, Reason.NO_STOP_NOW)


def test_the_second_reading_ends_with_a_raise_or_a_broken_rule() -> None:
    """B3, B13."""
    assert villa("abort red-thin-1; raise red-hex-1", SECOND_READING).turn == BLUE
    assert villa("abort red-thin-1 shifted blue", SECOND_READING).turn == BLUE
    assert villa("abort blue-thin-1", SECOND_READING).turn == BLUE


def test_stopping_is_for_where_going_on_is_optional() -> None:
    """E6."""
    assert refused(villa("stop")) == {"E6"}


def test_a_touch_binds_only_whoever_may_move_a_column_now() -> None:
    """B4: under `touched`, a touch by a bystander has no consequence; in a challenge it is an abort in full."""
    game = villa('touch red-thin-1 by "Blue"', TOUCHED)
    assert kinds(game) == [RulingKind.TOUCHED]
    assert (game.turn, game.locked) == (RED, frozenset())
    asked = villa('request; challenge by "Blue"; touch red-hex-1', TOUCHED)
    assert asked.phase is Phase.PENALTY
    assert asked.locked == {column("red-hex-1")}
    assert play(asked, "touch blue-hex-1").phase is Phase.PENALTY
    assert villa("request; touch red-hex-1", TOUCHED).phase is Phase.CLAIM


def test_under_the_touch_rule_a_wrong_column_is_flagged_too() -> None:
    """B4, B1: it is nobody's to lock."""
    game = villa("touch blue-thin-1", TOUCHED)
    assert flagged(game) == {"B1"}
    assert (game.turn, game.locked) == (BLUE, frozenset())
    assert villa().why_not(Touched(column("blue-thin-1"))) == ()


def test_shifted_plateaus_are_flagged_in_whatever_is_done_with_a_column() -> None:
    """B5."""
    assert flagged(villa("abort red-thin-1 shifted blue")) == {"B5"}
    penalty = villa('request; challenge by "Blue"; give-up')
    assert flagged(play(penalty, "take-out blue-thin-1 shifted blue nudged red-hex-1")) == {"B5", "B3"}


def test_every_fault_of_one_deed_is_listed_once() -> None:
    """B5, B6, B7, B8: and the deed stands."""
    game = villa("raise red-thick-1; abort blue-hex-1; abort yellow-hex-1; abort green-hex-1")
    move = "raise red-hex-1 plateau-held overhang_mm 5.5 stacked-on red-thick-1 shifted blue nudged blue-thin-1"
    assert [reason.rule for reason in reasons(game, move)] == ["B6", "B7", "B8", "B5", "B3"]
    game = play(game, move)
    assert len(game.violations) == 1
    assert game.violations[0].get("column") == "red-hex-1"
    assert floor(game, "red-hex-1") is Floor.BLUE


def test_a_column_that_carries_another_cannot_be_taken_as_a_penalty() -> None:
    """B8: once the upper one is gone it can; a stack below red was flagged, but is remembered."""
    game = villa('raise red-thick-1; raise blue-thin-1 stacked-on red-thick-1; request; challenge by "Red"; give-up')
    assert game.turn == 2
    assert reasons(game, "take-out red-thick-1") == (Reason.CARRIES,)
    assert TakenOut(column("red-thick-1")) not in game.legal_actions()
    assert TakenOut(column("red-hex-1")) in game.legal_actions()
    freed = play(game, 'raise blue-thin-1 by "Blue" onto ground')
    assert why_not(freed, "take-out red-thick-1") == set()
    gone = play(game, 'take-out blue-thin-1 by "Blue"')
    assert why_not(gone, "take-out red-thick-1") == set()


def test_the_carrying_column_stands_where_the_upper_one_is_put() -> None:
    """B8."""
    game = villa("raise red-thick-1")
    for strange in ("raise blue-thin-1 stacked-on red-hex-1", "raise blue-thin-1 stacked-on blue-thin-1"):
        assert reasons(game, strange) == (Reason.CARRIER_ELSEWHERE,)
    assert reasons(villa(), "raise blue-thin-1 stacked-on blue-thin-1 onto ground") == (Reason.CARRIER_ELSEWHERE,)


def test_only_a_column_that_stands_by_itself_is_told_as_raised() -> None:
    """B9: until then there is no event, and nothing scores."""
    game = villa(GREEN_LAID_BY_GREEN)
    assert game.scores == (0, 0, 0, 0)
    assert play(game, "raise red-hex-1").scores[RED] == 2


def test_a_locked_column_still_stands_carries_and_can_be_taken_as_a_penalty() -> None:
    """B10: three locked columns carry a plateau; a locked one is a penalty."""
    game = villa("abort red-hex-1")
    assert floor(game, "red-hex-1") is Floor.GROUND
    game = play(game, 'request; challenge by "Red"; give-up')
    assert why_not(game, "take-out red-hex-1") == set()
    assert floor(play(game, "take-out red-hex-1"), "red-hex-1") is None


def test_a_column_that_is_locked_already_is_not_locked_again() -> None:
    """B10."""
    game = villa("abort red-hex-1; raise blue-thin-1; raise yellow-thin-1; raise green-thin-1; abort red-hex-1")
    assert flagged(game) == {"B10"}
    assert RulingKind.LOCKED not in kinds(game)


def test_an_abort_with_somebody_elses_column_does_not_lock_it() -> None:
    """B10, B1."""
    game = villa("abort blue-hex-1")
    assert flagged(game) == {"B1"}
    assert game.locked == frozenset()
    assert game.turn == BLUE


def test_after_an_abort_the_turn_is_over() -> None:
    """B11."""
    game = villa("abort red-thin-1")
    assert (game.turn, game.phase) == (BLUE, Phase.BUILD)
    assert why_not(game, "request") == set()


def test_wobbling_is_no_event_at_all() -> None:
    """B12: of all that can be seen, only a collapse ends the game."""
    assert not [deed for deed in DEEDS if "wobble" in deed.__name__.lower()]
    game = villa("touch red-thin-1").apply(Incident())
    assert game.outcome is None
    assert game.turn == RED


def test_a_violation_is_listed_once_the_move_stands_and_the_turn_is_over() -> None:
    """B13."""
    game = villa("raise red-thin-1 plateau-held")
    assert [violation.rules for violation in game.violations] == [("B6",)]
    assert floor(game, "red-thin-1") is Floor.BLUE
    assert game.turn == BLUE
    game = play(game, "raise blue-thin-1")
    assert len(game.violations) == 1


def test_a_column_that_is_out_of_the_game_may_still_turn_up() -> None:
    """B1: raised, taken out or put back, it is flagged; it is never locked."""
    game = villa('request; challenge by "Blue"; give-up; take-out blue-hex-1')
    assert game.turn == BLUE
    assert reasons(game, "raise blue-hex-1") == (Reason.OUT_OF_GAME,)
    assert floor(play(game, "raise blue-hex-1"), "blue-hex-1") is Floor.BLUE
    assert play(game, "abort blue-hex-1").locked == frozenset()
    assert Reason.OUT_OF_GAME in reasons(game, "take-out blue-hex-1")
    again = play(game, 'request; challenge by "Blue"')
    assert refused(again) == {"C1"}
    asked = play(game, 'request; challenge by "Yellow"; give-up')
    assert reasons(asked, "take-out blue-hex-1") == (Reason.NOT_CHALLENGERS_COLUMN, Reason.OUT_OF_GAME)


def test_a_turn_ends_by_itself_when_nothing_more_may_be_attempted() -> None:
    """B14: with one column each, red's abort leaves nothing to retry."""
    game = villa("abort red-thin-1; abort blue-thin-1", SECOND_READING, PieceSet.of({Shape.THIN: 1}))
    assert game.turn == 2


def test_a_stray_hand_can_leave_the_player_in_turn_without_a_column() -> None:
    """B14, A1: the position of an unchallenged request follows at once."""
    tiny = PieceSet.of({Shape.THIN: 1})
    game = villa("raise red-thin-1; raise blue-thin-1", pieces=tiny)
    assert (game.turn, game.phase) == (2, Phase.BUILD)
    game = play(game, 'raise yellow-thin-1 by "Green"')
    assert flagged(game) == {"U4", "B1"}
    assert (game.turn, game.phase) == (2, Phase.LAY)
    gone = play(game, 'take-out yellow-thin-1 by "Green"')
    assert (gone.turn, gone.phase) == (3, Phase.BUILD)
    retrying = villa("abort red-thin-1", SECOND_READING, PieceSet.of({Shape.THIN: 2}))
    assert retrying.phase is Phase.RETRY
    moved = play(retrying, 'raise red-thin-2 by "Green"')
    assert (moved.turn, moved.phase) == (BLUE, Phase.BUILD)


def test_the_smallest_overhang_told_counts() -> None:
    """B7: from which size on it is told is the referee's tolerance."""
    assert flagged(villa("raise red-thin-1 overhang_mm 0.1")) == {"B7"}


def test_a_bystanders_abort_locks_only_a_column_of_their_own() -> None:
    """B10, U4: and nobody's turn ends."""
    own = villa('abort blue-thin-1 by "Blue"')
    assert flagged(own) == {"U4"}
    assert (own.locked, own.turn) == ({column("blue-thin-1")}, RED)
    others = villa('abort red-thin-1 by "Blue"')
    assert (others.locked, others.turn) == (frozenset(), RED)
    assert found(others, RulingKind.ABORTED).seat == BLUE
    assert found(villa('touch red-thin-1 by "Blue"'), RulingKind.TOUCHED).seat == BLUE
    assert play(others, "request; collapse").outcome == villa('request; collapse by "Blue"').outcome


def test_a_column_taken_out_by_the_player_in_turn_while_others_are_asked_ends_the_turn() -> None:
    """C4, A1, B13."""
    game = villa("request; take-out red-hex-1")
    assert flagged(game) == {"A1", "A2", "C4"}
    assert (game.turn, game.phase) == (BLUE, Phase.BUILD)


def test_stacks_are_forgotten_when_they_come_apart() -> None:
    """B8."""
    stacked = villa("raise red-thick-1; raise blue-thin-1 stacked-on red-thick-1")
    assert stacked.position.stacks == ((column("blue-thin-1"), column("red-thick-1")),)
    apart = play(stacked, "raise blue-thin-1 onto ground")
    assert apart.position.stacks == ()
    three = play(stacked, "raise green-thin-1 stacked-on blue-thin-1")
    assert len(three.position.stacks) == 2
    assert play(three, "take-out blue-thin-1").position.stacks == ()


def test_while_a_plateau_is_to_be_laid_others_are_simply_out_of_turn() -> None:
    """U4, A2."""
    game = villa("raise red-thin-1; raise blue-thin-1; raise yellow-thin-1; request; unchallenged")
    assert reasons(game, 'raise red-hex-1 by "Red"') == (Reason.OUT_OF_TURN,)
    assert reasons(game, "raise green-hex-1") == (Reason.NO_RAISE_THIS_TURN,)
