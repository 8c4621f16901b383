"""Points, the Chief Builder's Seal, and how the game ends."""

from __future__ import annotations

import pytest

from rig.pieces import Colour, Floor, PieceSet, Shape
from rig.rules import (
    Collapsed,
    CollapseRule,
    Game,
    HouseRules,
    ImpossibleEventError,
    Incident,
    NoPrevious,
    OutsideChoice,
    OutsideDecided,
    Phase,
    Reason,
    RulingKind,
    Why,
)
from tests.rules.table import (
    BLUE,
    EACH_ONE_UP,
    GREEN,
    GREEN_LAID_BY_GREEN,
    RED,
    TWO,
    YELLOW,
    column,
    floor,
    found,
    kinds,
    play,
    reasons,
    refused,
    villa,
)

ALL_OTHERS = HouseRules(no_previous=NoPrevious.ALL_OTHERS)
ANY_PIECE = HouseRules(collapse=CollapseRule.ANY_PIECE)
TINY = PieceSet.of({Shape.THIN: 1}, plateaus=2)


def winners(game: Game) -> tuple[int, ...]:
    assert game.outcome is not None
    return game.outcome.winners


# --- points and seal ---


def test_nothing_scores_on_the_ground_or_on_blue() -> None:
    """S1."""
    game = villa(EACH_ONE_UP)
    assert game.scores == (0, 0, 0, 0)
    assert game.holder is None
    assert game.face is None


def test_whoever_first_stands_an_own_column_on_green_takes_the_seal_showing_the_own_colour() -> None:
    """S1, P5: no predecessor."""
    game = villa(GREEN_LAID_BY_GREEN + "; raise red-thin-1")
    seal = found(game, RulingKind.SEAL)
    assert (seal.seat, seal.get("before"), seal.get("face"), seal.rules) == (RED, None, "red", ("S1", "P5"))
    assert (game.holder, game.face, game.predecessor) == (RED, Colour.RED, None)


def test_only_ones_own_columns_on_the_tallest_plateau_count() -> None:
    """S2."""
    game = villa(GREEN_LAID_BY_GREEN + "; raise red-thick-1; raise blue-hex-1; raise yellow-thin-2; raise green-thin-1; raise red-hex-1")
    assert game.scores == (5, 2, 1, 1)


def test_the_seal_passes_the_moment_a_score_exceeds_the_holders() -> None:
    """S3."""
    game = villa(GREEN_LAID_BY_GREEN + "; raise red-thin-1; raise blue-hex-1")
    seal = found(game, RulingKind.SEAL)
    assert (seal.seat, seal.get("before"), seal.get("face"), seal.rules) == (BLUE, RED, "red", ("S3", "P5"))


def test_the_first_column_on_a_new_plateau_takes_the_seal_at_once() -> None:
    """S4: one point is enough."""
    game = villa(
        GREEN_LAID_BY_GREEN + "; raise red-thick-1; raise blue-thin-1; raise yellow-thin-1; request; unchallenged; lay"
        "; abort red-hex-1; raise blue-thin-1"
    )
    assert found(game, RulingKind.SEAL).rules == ("S4", "P5")
    assert (game.holder, game.face) == (BLUE, Colour.RED)
    assert play(game, "raise yellow-thin-1").holder == BLUE


def test_a_holder_who_is_also_first_on_the_new_plateau_changes_nothing() -> None:
    """S5: blue had the seal before red; it still shows blue."""
    game = villa(
        GREEN_LAID_BY_GREEN + "; abort red-hex-1; raise blue-thin-1; raise yellow-thin-1; abort green-hex-1; raise red-thick-1"
        "; abort blue-hex-1; abort yellow-hex-1; request; unchallenged; lay"
    )
    assert (game.holder, game.face) == (RED, Colour.BLUE)
    game = play(game, "raise red-thin-1")
    assert RulingKind.SEAL not in kinds(game)
    assert (game.holder, game.face) == (RED, Colour.BLUE)
    assert play(game, "raise blue-hex-1; raise blue-thin-1").holder == BLUE


def test_a_penalty_can_pass_the_seal_and_among_equals_the_older_score_takes_it() -> None:
    """S6: blue and yellow both have two; yellow has had it longer."""
    game = villa(
        GREEN_LAID_BY_GREEN + "; raise red-thick-1; abort blue-thick-1; raise yellow-hex-1; abort green-hex-1"
        '; raise red-thin-1; raise blue-hex-1; abort yellow-thin-1; request; challenge by "Red"; give-up; take-out red-thick-1'
    )
    assert game.scores == (1, 2, 2, 0)
    seal = found(game, RulingKind.SEAL)
    assert (seal.seat, seal.rules) == (YELLOW, ("S6", "P5"))


def test_among_equals_a_score_regained_is_a_new_one() -> None:
    """S6: yellow had two first, but rose to it again only after blue had it: by a column taken off and one put on."""
    game = villa(
        GREEN_LAID_BY_GREEN + "; raise red-thick-1; abort blue-thick-1; raise yellow-hex-1; abort green-hex-1"
        "; raise red-thin-2; raise blue-hex-1; take-out yellow-hex-1; abort green-thin-1"
        "; abort red-hex-1; abort blue-thin-1; raise yellow-thin-1; abort green-thin-2"
        '; abort red-thin-1; abort blue-thin-2; raise yellow-thin-2; request; challenge by "Red"; give-up; take-out red-thick-1'
    )
    assert game.scores == (1, 2, 2, 0)
    assert game.holder == BLUE


def test_a_penalty_that_leaves_the_holder_ahead_or_level_moves_nothing() -> None:
    """S6, S3."""
    game = villa(
        GREEN_LAID_BY_GREEN + "; raise red-hex-1; abort blue-hex-1; raise yellow-hex-1; abort green-hex-1"
        '; raise red-thin-1; raise blue-thin-1; abort yellow-thick-1; request; challenge by "Red"; give-up; take-out red-thin-1'
    )
    assert game.scores == (2, 1, 2, 0)
    assert game.holder == RED


def test_the_score_wiped_by_a_new_plateau_stays_wiped_when_a_column_below_is_taken() -> None:
    """S4, S6."""
    game = villa(
        GREEN_LAID_BY_GREEN + "; raise red-hex-1; raise blue-thin-1; raise yellow-thin-1; request; unchallenged; lay"
        '; request; challenge by "Blue"; give-up; take-out blue-thin-1'
    )
    assert game.scores == (0, 0, 0, 0)
    assert game.holder == RED


# --- the end ---


def test_the_game_ends_by_a_collapse_and_nothing_follows() -> None:
    """E1."""
    game = villa(EACH_ONE_UP + "; collapse")
    assert game.phase is Phase.OVER
    assert game.legal_actions() == ()
    assert game.actor is None
    assert game.outcome is not None
    assert game.outcome.why is Why.COLLAPSE
    assert reasons(game, "raise red-hex-1") == (Reason.GAME_OVER,)
    with pytest.raises(ImpossibleEventError, match="over"):
        play(game, "request")


def test_the_holder_wins_whoever_else_topples_it() -> None:
    """E2, E3."""
    game = villa(GREEN_LAID_BY_GREEN + "; raise red-thin-1; collapse")
    assert winners(game) == (RED,)
    assert game.outcome is not None
    assert (game.outcome.culprit, game.outcome.rules, game.outcome.winner) == (BLUE, ("E2", "E3"), RED)


def test_a_holder_who_topples_it_loses_to_the_shown_colour() -> None:
    """E2."""
    game = villa(GREEN_LAID_BY_GREEN + '; raise red-thin-1; raise blue-hex-1; collapse by "Blue"')
    assert winners(game) == (RED,)


def test_by_house_rule_all_but_the_culprit_win_where_nobody_would() -> None:
    """E4: with no holder, and with a holder who has no predecessor."""
    assert winners(villa("collapse", ALL_OTHERS)) == (BLUE, YELLOW, GREEN)
    first = villa(GREEN_LAID_BY_GREEN + '; raise red-thin-1; collapse by "Red"', ALL_OTHERS)
    assert winners(first) == (BLUE, YELLOW, GREEN)
    assert first.outcome is not None
    assert first.outcome.winner is None
    assert winners(villa("collapse")) == ()


def test_the_game_ends_when_every_player_in_a_row_can_add_nothing() -> None:
    """E5, E1: everybody's one column is on the last plateau or locked."""
    game = villa(
        "raise red-thin-1; raise blue-thin-1; raise yellow-thin-1; request; unchallenged; lay"
        "; raise red-thin-1; abort blue-thin-1; abort yellow-thin-1; abort green-thin-1",
        pieces=TINY,
    )
    assert game.outcome is not None
    assert (game.outcome.winners, game.outcome.why, game.outcome.culprit) == ((RED,), Why.NOTHING_TO_ADD, None)
    assert kinds(game).count(RulingKind.NOTHING_TO_ADD) == 4


def test_an_end_without_a_holder_has_no_winner() -> None:
    """E4, E5."""
    game = villa("abort red-thin-1; abort blue-thin-1; abort yellow-thin-1; abort green-thin-1", ALL_OTHERS, TINY)
    assert game.outcome is not None
    assert (game.outcome.winners, game.outcome.why, game.outcome.rules) == ((), Why.NOTHING_TO_ADD, ("E1", "E5", "E4"))


def test_what_counts_towards_the_end_and_what_starts_the_row_anew() -> None:
    """E5: a request that cannot be laid counts, also when a failed challenge upheld it; everything else starts anew."""
    game = villa("request; unchallenged")
    assert game.position.idle == 1
    assert play(game, 'request; challenge by "Red"; give-up; waive').position.idle == 2
    for other in (
        "raise blue-thin-1",
        "abort blue-thin-1",
        'request; challenge by "Red"; raise blue-thin-1',
        "incident column blue-thin-1",
        "request; raise blue-hex-1",
    ):
        assert play(game, other).position.idle == 0
    assert villa(EACH_ONE_UP + "; request; unchallenged; lay").position.idle == 0
    assert villa(EACH_ONE_UP + "; request; unchallenged; cannot-lay").position.idle == 1
    assert villa(EACH_ONE_UP + "; request; unchallenged; incident").position.idle == 0


def test_four_requests_that_cannot_be_laid_end_the_game() -> None:
    """E5."""
    game = villa("; ".join(["request; unchallenged"] * 4))
    assert game.outcome is not None
    assert game.outcome.why is Why.NOTHING_TO_ADD


def test_on_the_last_plateau_one_may_build_nothing_and_only_there() -> None:
    """E5: four in a row end the game; the holder wins."""
    game = villa(EACH_ONE_UP, pieces=PieceSet.of(plateaus=1))
    ended = play(game, "build-nothing; build-nothing; build-nothing; build-nothing")
    assert ended.outcome is not None
    assert reasons(villa(), "build-nothing") == (Reason.NOT_ON_LAST_PLATEAU,)
    assert refused(play(villa("request"), "build-nothing")) == {"E6", "E5"}
    assert refused(play(game, 'build-nothing by "Blue"')) == {"U4"}


def test_by_house_rule_building_nothing_may_be_challenged() -> None:
    """E5, C3, C4: refuted it costs the column and the row starts anew; upheld it counts."""
    game = villa(EACH_ONE_UP + "; build-nothing", HouseRules(challenge_nothing=True), PieceSet.of(plateaus=1))
    assert game.phase is Phase.CLAIM
    assert play(game, "unchallenged").position.idle == 1
    assert RulingKind.NOT_LAID not in kinds(play(game, "unchallenged"))
    refuted = play(game, 'challenge by "Blue"; raise red-hex-1')
    assert (refuted.position.idle, floor(refuted, "red-hex-1")) == (0, None)
    assert play(game, 'challenge by "Blue"; give-up; take-out blue-hex-1').position.idle == 1


def test_there_is_no_free_pass_unless_the_house_allows_it() -> None:
    """E6: at the start of a turn, by the player in turn; it counts."""
    assert refused(villa("pass")) == {"E6"}
    rules = HouseRules(allow_pass=True)
    game = villa("pass", rules)
    assert (game.turn, game.position.idle) == (BLUE, 1)
    assert refused(villa("request; pass", rules)) == {"E6"}
    assert refused(villa('pass by "Blue"', rules)) == {"U4"}
    assert play(game, "pass; pass; pass").outcome is not None


def test_an_incident_breaks_off_what_was_in_progress() -> None:
    """E7: an attempt, a challenge, laying, removing; a settled raise stands."""
    game = villa("raise red-thin-1").apply(Incident(fallen=(column("red-thin-1"),)))
    assert (floor(game, "red-thin-1"), game.turn) == (Floor.BLUE, BLUE)
    assert kinds(game) == [RulingKind.INCIDENT]
    challenge = villa('request; challenge by "Blue"; incident column red-hex-1')
    assert (challenge.phase, challenge.locked) == (Phase.PENALTY, {column("red-hex-1")})
    laying = villa(EACH_ONE_UP + "; request; unchallenged; incident")
    assert (laying.top_floor, laying.turn) == (Floor.BLUE, BLUE)
    removing = villa(EACH_ONE_UP + '; request; challenge by "Blue"; give-up; incident')
    assert (removing.phase, removing.locked) == (Phase.LAY, frozenset())


def test_an_incident_by_a_bystander_breaks_off_nothing_of_the_players() -> None:
    """E7, E8."""
    laying = villa(EACH_ONE_UP + '; request; unchallenged; incident by "Blue"')
    assert laying.phase is Phase.LAY
    removing = villa('request; challenge by "Blue"; give-up; incident by "Blue"')
    assert removing.phase is Phase.PENALTY
    outside = villa("incident column red-thin-1 outside")
    assert (outside.turn, outside.locked) == (RED, frozenset())


def test_an_incident_with_a_column_that_may_not_be_used_is_flagged_as_an_abort_would_be() -> None:
    """E7, B1."""
    game = villa("incident column blue-thin-1")
    assert found(game, RulingKind.VIOLATION).rules == ("B1",)
    assert (game.turn, game.locked) == (BLUE, frozenset())


@pytest.mark.parametrize(
    ("moves", "culprit"),
    [
        ("raise red-thin-1; incident column blue-thin-1", BLUE),
        ("raise red-thin-1; incident", RED),
        ('raise red-thin-1; incident by "Green"', GREEN),
        ("incident", RED),
        (EACH_ONE_UP + "; request; unchallenged; incident", RED),
        (EACH_ONE_UP + '; request; challenge by "Blue"; give-up; incident', RED),
        (EACH_ONE_UP + "; incident", GREEN),
    ],
)
def test_by_house_rule_any_fallen_piece_is_a_collapse_by_whoever_acted(moves: str, culprit: int) -> None:
    """E7: `any_piece`."""
    game = villa(moves, ANY_PIECE)
    assert game.outcome is not None
    assert game.outcome.culprit == culprit


def test_by_house_rule_a_draughts_fallen_piece_is_for_the_table_to_decide() -> None:
    """E7, E8."""
    assert villa("raise red-thin-1; incident outside", ANY_PIECE).phase is Phase.DECISION


@pytest.mark.parametrize(
    ("moves", "culprit"),
    [
        ("raise red-thin-1", BLUE),
        (EACH_ONE_UP + "; request", GREEN),
        ("request", None),
        (EACH_ONE_UP + "; request; unchallenged", RED),
        ('request; challenge by "Yellow"', YELLOW),
    ],
)
def test_the_culprit_is_whose_action_is_in_progress_or_who_acted_last(moves: str, culprit: int | None) -> None:
    """E8."""
    game = villa(moves).apply(Collapsed())
    assert game.outcome is not None
    assert game.outcome.culprit == culprit


def test_whoever_knocks_it_down_out_of_turn_is_the_culprit() -> None:
    """E8."""
    game = villa(GREEN_LAID_BY_GREEN + '; raise red-thin-1; collapse by "Red"')
    assert game.outcome is not None
    assert game.outcome.culprit == RED


def test_an_outside_event_is_decided_by_the_table() -> None:
    """E8: rebuild as before the action, whose player begins again; or the holder wins."""
    game = villa(GREEN_LAID_BY_GREEN + "; raise red-thin-1; collapse outside")
    assert (game.phase, game.actor, game.outcome) == (Phase.DECISION, None, None)
    assert set(game.legal_actions()) == {OutsideDecided(OutsideChoice.REBUILD), OutsideDecided(OutsideChoice.HOLDER_WINS)}
    rebuilt = play(game, "decide rebuild")
    assert (rebuilt.phase, rebuilt.actor, rebuilt.turn) == (Phase.BUILD, BLUE, BLUE)
    assert floor(rebuilt, "red-thin-1") is Floor.GREEN
    ended = play(game, "decide holder_wins")
    assert ended.outcome is not None
    assert (ended.outcome.winners, ended.outcome.why, ended.outcome.rules) == ((RED,), Why.OUTSIDE, ("E8", "E2"))
    early = villa("collapse outside; decide holder_wins", ALL_OTHERS)
    assert early.outcome is not None
    assert (early.outcome.winners, early.outcome.rules) == ((), ("E8", "E4"))


def test_a_challenge_goes_on_after_rebuilding() -> None:
    """E8."""
    game = villa('request; challenge by "Yellow"; collapse outside; decide rebuild')
    assert (game.phase, game.actor, game.turn) == (Phase.CHALLENGE, YELLOW, RED)


def test_until_the_table_has_decided_nothing_else_can_happen() -> None:
    """E8: calls are refused, deeds are impossible; without an outside event there is nothing to decide."""
    game = villa("collapse outside")
    assert RulingKind.REFUSED in kinds(play(game, "request"))
    assert RulingKind.REFUSED in kinds(play(game, "unchallenged"))
    for deed in ("raise red-thin-1", "collapse", "lay", "place-all"):
        assert reasons(game, deed) == (Reason.DECISION_FIRST,)
    assert refused(villa("decide rebuild")) == {"E8"}


def test_two_players_decide_it_between_them() -> None:
    """D1, E2, P5: the face may be either of the predecessor's colours."""
    game = villa(
        "raise red-thin-1; raise yellow-thin-1; raise blue-thin-1; request; unchallenged; lay; raise blue-thin-1; raise green-hex-1",
        names=TWO,
    )
    assert (game.holder, game.face) == (1, Colour.RED)
    assert winners(play(game, 'collapse by "Ben"')) == (0,)
    assert winners(play(game, 'collapse by "Anna"')) == (1,)
