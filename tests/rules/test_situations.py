"""The situations with known rulings, one test each, named for what it shows."""

from __future__ import annotations

from rig.pieces import Colour, Column, Floor, PieceSet, Shape
from rig.rules import EASIER, SECOND_READING, HouseRules, Phase, RulingKind, TouchRule, Why
from tests.rules.table import (
    BLUE,
    GREEN_LAID_BY_GREEN,
    GREEN_LAID_BY_RED,
    RED,
    THREE,
    TWO,
    column,
    flagged,
    floor,
    kinds,
    play,
    refused,
    villa,
    why_not,
)

RED_HOLDS_SIX = (
    GREEN_LAID_BY_RED
    + "; raise blue-thin-1; abort yellow-hex-1; abort green-hex-1"
    + "; raise red-thick-1; abort blue-hex-1; abort yellow-thick-1; abort green-thick-1"
    + "; raise red-hex-1; raise blue-thin-2; abort yellow-thin-2; abort green-thin-2"
    + "; raise red-thin-2; abort blue-thick-1; abort yellow-thin-3; request; unchallenged; lay"
)
"""Blue held the seal first, then red, with six points when green laid the yellow plateau; red's turn."""


def test_01_a_swaying_column_goes_back_and_another_may_not_be_tried_unless_the_house_allows_it() -> None:
    """B3, B10, B11: the thin one is locked, the turn is over; by the second reading the hexagon may be tried."""
    game = villa("abort red-thin-1")
    assert game.locked == {column("red-thin-1")}
    assert game.turn == BLUE
    assert why_not(game, 'raise red-hex-1 by "Red"') == {"B3", "U4"}

    allowed = villa("abort red-thin-1", SECOND_READING)
    assert allowed.turn == RED
    assert allowed.locked == {column("red-thin-1")}
    assert why_not(allowed, "raise red-hex-1") == set()
    assert floor(play(allowed, "raise red-hex-1"), "red-hex-1") is Floor.BLUE


def test_02_a_locked_column_is_never_used_for_building_again() -> None:
    """B10: a round later red takes the locked column; it is flagged, and stands as made (B13)."""
    game = villa("abort red-thin-1; raise blue-thin-1; raise yellow-thin-1; raise green-thin-1")
    assert why_not(game, "raise red-thin-1") == {"B10"}
    game = play(game, "raise red-thin-1")
    assert flagged(game) == {"B10"}
    assert floor(game, "red-thin-1") is Floor.BLUE
    assert game.turn == BLUE


def test_03_a_finger_on_a_column_that_does_not_move_binds_only_where_touching_binds() -> None:
    """B4: legal by default; under `touched` letting go is an abort in full, the turn is over and no request is left."""
    game = villa("touch red-thin-1")
    assert game.turn == RED
    assert why_not(game, "raise red-hex-1") == set()

    strict = villa("touch red-thin-1", HouseRules(touch_rule=TouchRule.TOUCHED))
    assert strict.turn == BLUE
    assert strict.locked == {column("red-thin-1")}
    assert "B11" in why_not(strict, 'request by "Red"')


def test_04_a_plateau_lifted_to_free_a_column_must_come_back_where_it_was() -> None:
    """B5: lifting is no event at all; coming back shifted is a flagged violation."""
    assert RulingKind.VIOLATION not in kinds(villa("raise red-thin-1"))
    assert flagged(villa("raise red-thin-1 shifted blue")) == {"B5"}


def test_05_steadying_the_top_plateau_while_setting_down_is_a_violation() -> None:
    """B6."""
    game = villa("raise red-thin-1 plateau-held")
    assert flagged(game) == {"B6"}
    assert floor(game, "red-thin-1") is Floor.BLUE


def test_06_no_foot_over_the_edge_and_no_column_on_a_column_except_on_red() -> None:
    """B7, B8."""
    assert flagged(villa("raise red-thin-1 overhang_mm 2.0")) == {"B7"}
    assert flagged(villa(ORANGE_LAID + "; raise red-thick-1; raise blue-thick-1 stacked-on red-thick-1")) == {"B8"}
    on_red = villa(RED_LAID + "; raise red-thick-1; raise blue-thick-1 stacked-on red-thick-1")
    assert RulingKind.VIOLATION not in kinds(on_red)
    assert floor(on_red, "blue-thick-1") is Floor.RED
    assert on_red.scores[BLUE] == 3


ORANGE_LAID = (
    GREEN_LAID_BY_GREEN
    + "; raise red-thin-1; raise blue-thin-1; raise yellow-thin-1; request; unchallenged; lay"
    + "; raise red-thin-1; raise blue-thin-1; raise yellow-thin-1; request; unchallenged; lay"
)
RED_LAID = ORANGE_LAID + "; raise red-thin-1; raise blue-thin-1; raise yellow-thin-1; request; unchallenged; lay"


def test_07_an_unchallenged_green_on_four_columns_may_overhang_the_base_and_nothing_is_raised_in_that_turn() -> None:
    """A2, A4."""
    game = villa("raise red-thin-1; raise blue-thin-1; raise yellow-thin-1; raise green-thin-1; request; unchallenged")
    assert why_not(game, 'raise red-hex-1 by "Red"') == {"A2"}
    laid = play(game, "lay covers 4 beyond-edge")
    assert RulingKind.VIOLATION not in kinds(laid)
    assert laid.top_floor is Floor.GREEN
    assert laid.turn == BLUE
    assert flagged(play(game, 'raise red-hex-1 by "Red"')) == {"A2"}


def test_08_red_on_two_columns_is_not_laid_except_by_the_easier_option_and_green_never() -> None:
    """A3."""
    asked = ORANGE_LAID + "; raise red-thin-1; raise blue-thin-1; raise yellow-thin-1; request; unchallenged"
    assert why_not(villa(asked), "lay covers 2") == {"A3"}
    over = villa(asked + "; cannot-lay")
    assert (over.turn, over.top_floor) == (RED, Floor.ORANGE)
    assert why_not(villa(asked, EASIER), "lay covers 2") == set()
    green = villa("raise red-thin-1; raise blue-thin-1; raise yellow-thin-1; request; unchallenged", EASIER)
    assert why_not(green, "lay covers 2") == {"A3"}


def test_09_a_successful_challenge_takes_the_column_out_of_the_game_without_points_or_plateau() -> None:
    """C3: blue stands red's thick column on top, and red's turn is over."""
    game = villa(GREEN_LAID_BY_GREEN + '; request; challenge by "Blue"; raise red-thick-1')
    assert floor(game, "red-thick-1") is None
    assert game.scores == (0, 0, 0, 0)
    assert game.holder is None
    assert game.top_floor is Floor.GREEN
    assert game.turn == BLUE


def test_10_a_challenger_who_breaks_off_pays_with_a_column_and_the_plateau_is_laid() -> None:
    """C4, B10."""
    game = villa(
        'raise red-thin-1; raise blue-thin-1; raise yellow-thin-1; raise green-thin-1; request; challenge by "Blue"; abort red-hex-1'
    )
    assert game.phase is Phase.PENALTY
    assert game.locked == {column("red-hex-1")}
    game = play(game, "take-out blue-thick-1; lay")
    assert floor(game, "blue-thick-1") is None
    assert game.top_floor is Floor.GREEN
    assert game.turn == BLUE


def test_11_a_challenger_who_holds_the_seal_and_topples_it_hands_victory_to_the_claimant_on_its_face() -> None:
    """C5, E2: red held the seal before blue, red requests, blue topples the villa in the challenge."""
    game = villa(
        GREEN_LAID_BY_GREEN + "; raise red-thin-1; raise blue-thick-1; raise yellow-thin-1; raise green-thin-1"
        '; request; challenge by "Blue"'
    )
    assert (game.holder, game.face) == (BLUE, Colour.RED)
    over = play(game, "collapse")
    assert over.outcome is not None
    assert (over.outcome.winner, over.outcome.culprit) == (RED, BLUE)


def test_12_a_plateau_request_after_an_abort_is_refused() -> None:
    """B11: said after the turn has ended by the abort, and said while another try would be allowed."""
    game = villa("abort red-thin-1")
    said = play(game, 'request by "Red"')
    assert "B11" in refused(said)
    assert (said.phase, said.turn) == (game.phase, game.turn)
    assert refused(villa("abort red-thin-1; request", SECOND_READING)) == {"B11"}


def test_13_the_seal_stays_on_a_tie_and_passes_on_more_showing_the_old_holder() -> None:
    """S3, P5."""
    game = villa(
        GREEN_LAID_BY_GREEN + "; raise red-thick-1; raise blue-thick-1; abort yellow-hex-1; abort green-hex-1"
        "; raise red-thin-1; raise blue-thin-1"
    )
    assert game.scores[:2] == (4, 4)
    assert game.holder == RED
    game = play(game, "abort yellow-thick-1; abort green-thick-1; abort red-hex-1; raise blue-thin-2")
    assert game.scores[:2] == (4, 5)
    assert (game.holder, game.face) == (BLUE, Colour.RED)


def test_14_a_new_plateau_wipes_the_scores_and_the_first_own_column_on_it_takes_the_seal() -> None:
    """S4: yellow goes on while red holds with six; blue's thin column there takes the seal with one."""
    game = villa(RED_HOLDS_SIX)
    assert game.scores == (0, 0, 0, 0)
    assert game.holder == RED
    game = play(game, "abort red-thin-3; raise blue-thin-1")
    assert game.scores[BLUE] == 1
    assert (game.holder, game.face) == (BLUE, Colour.RED)


def test_15_the_old_holder_still_loses_by_the_seal_on_an_empty_plateau() -> None:
    """S4, E2: red topples it before anyone builds on yellow; the face's colour, blue, wins."""
    over = villa(RED_HOLDS_SIX + "; collapse")
    assert over.outcome is not None
    assert over.outcome.winner == BLUE


def test_16_a_seal_that_came_back_shows_who_had_it_in_between() -> None:
    """E2: the seal went red, blue, red; red topples; blue wins."""
    over = villa(
        GREEN_LAID_BY_GREEN + "; raise red-thin-1; raise blue-hex-1; abort yellow-hex-1; abort green-hex-1; raise red-thick-1"
        "; abort blue-thick-1; abort yellow-thick-1; abort green-thick-1; collapse"
    )
    assert over.holder == RED
    assert over.outcome is not None
    assert over.outcome.winner == BLUE


def test_17_a_penalty_that_takes_the_holders_points_passes_the_seal_at_once() -> None:
    """S6: red holds with 3 + 1, yellow has 2; red's thick column is taken, and yellow leads 2 to 1."""
    game = villa(
        GREEN_LAID_BY_GREEN + "; raise red-thick-1; abort blue-hex-1; raise yellow-hex-1; abort green-hex-1"
        '; raise red-thin-1; request; challenge by "Red"; give-up'
    )
    assert game.holder == RED
    game = play(game, "take-out red-thick-1")
    assert game.scores[:3] == (1, 0, 2)
    assert (game.holder, game.face) == (2, Colour.RED)


def test_18_with_two_players_both_colours_count_together_and_a_tie_stays() -> None:
    """D1, S3: Anna's red and blue make 1 + 2, Ben's yellow 3."""
    game = villa(
        "raise red-thin-1; raise yellow-thin-1; raise blue-thin-1; request; unchallenged; lay"
        "; raise red-thin-1; abort green-hex-1; raise blue-hex-1; raise yellow-thick-1",
        names=TWO,
    )
    assert game.scores == (3, 3)
    assert game.holder == 0


def test_19_three_players_owe_a_neutral_column_first_but_never_the_last_on_its_floor() -> None:
    """T1, T2: one neutral left on the ground, two on blue below green: only blue's may move, and only one of them."""
    game = villa("", names=THREE)
    assert why_not(game, "raise red-thin-1") == {"T1"}
    neutrals = PieceSet(tuple(c for c in _standard() if c.colour is not Colour.GREEN or c.shape is Shape.THIN))
    game = villa(
        "raise green-thin-1; raise red-thin-1; raise green-thin-2; raise blue-thin-1; raise yellow-thin-1; request; unchallenged; lay",
        pieces=neutrals,
        names=THREE,
    )
    assert game.turn == BLUE
    assert why_not(game, "raise green-thin-3") == {"T2"}
    assert why_not(game, "raise green-thin-1") == set()
    game = play(game, "raise green-thin-1; stop")
    assert why_not(game, "raise green-thin-2") == {"T2"}


def _standard() -> tuple[Column, ...]:
    return PieceSet.of().columns


def test_20_nobody_wins_if_the_first_ever_holder_topples_it_or_it_falls_before_green() -> None:
    """E4."""
    first = villa(GREEN_LAID_BY_GREEN + '; raise red-thin-1; collapse by "Red"')
    assert first.holder == RED
    assert first.outcome is not None
    assert first.outcome.winners == ()
    early = villa("raise red-thin-1; collapse")
    assert early.outcome is not None
    assert (early.outcome.winners, early.outcome.why, early.outcome.culprit) == ((), Why.COLLAPSE, BLUE)


def test_21_a_player_whose_columns_are_all_on_top_or_locked_cannot_be_challenged() -> None:
    """A1: with two columns each; red's are on blue and locked, three columns stand on blue."""
    pieces = PieceSet.of({Shape.THIN: 2})
    game = villa(
        "raise red-thin-1; raise blue-thin-1; raise yellow-thin-1; abort green-thin-1; abort red-thin-2; abort blue-thin-2"
        "; abort yellow-thin-2; raise green-thin-2",
        pieces=pieces,
    )
    assert (game.turn, game.phase) == (RED, Phase.LAY)
    assert refused(play(game, 'challenge by "Blue"')) == {"A1"}
    assert play(game, "lay").top_floor is Floor.GREEN


def test_22_a_placed_column_that_rolls_off_while_every_plateau_stays_is_an_incident() -> None:
    """E7, B12: not a collapse; the attempt counts as aborted."""
    game = villa("incident column red-thin-1 fallen red-thin-1")
    assert game.outcome is None
    assert floor(game, "red-thin-1") is Floor.GROUND
    assert game.locked == {column("red-thin-1")}
    assert game.turn == BLUE
