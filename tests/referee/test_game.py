"""What the referee makes of what its senses tell: facts, rulings, questions."""

from __future__ import annotations

from rig.messages import CallWord, FactKind, Fallen, Judge, Moved, NoneOfThese, Nothing, RefereeState
from rig.pieces import Column, Floor
from tests.referee.referee_table import Table

RED_THIN = Column.parse("red-thin-1")


def test_set_up_finds_every_column_and_blue_and_then_red_begins(table: Table) -> None:
    assert [fact.kind for fact in table.facts] == [FactKind.STOOD] * 20 + [FactKind.LAID]
    view = table.views[-1]
    assert view.turn == 0
    assert view.state is RefereeState.SETTLED
    assert len(view.tower.columns) == 20
    assert not table.asks


def test_a_raised_column_is_a_fact_and_passes_the_turn_clockwise(table: Table) -> None:
    table.raised("red-thin-1")
    assert table.facts[-1].kind is FactKind.RAISED
    assert table.facts[-1].column == RED_THIN
    assert table.standing("red-thin-1").floor is Floor.BLUE  # type: ignore[union-attr]
    assert table.views[-1].turn == 1


def test_a_hand_that_changes_nothing_is_no_fact(table: Table) -> None:
    before = len(table.facts)
    table.act(Nothing())
    assert len(table.facts) == before
    assert table.views[-1].turn == 0


def test_a_column_seen_tugged_and_put_back_is_locked_and_the_turn_passes(table: Table) -> None:
    table.tugged = {RED_THIN: 9.0}
    table.act(Nothing())
    assert table.facts[-1].kind is FactKind.ABORTED
    assert table.views[-1].locked == (RED_THIN,)
    assert table.views[-1].turn == 1


def test_a_faint_tug_is_told_as_probable_and_the_players_word_confirms_it_silently(table: Table) -> None:
    table.tugged = {RED_THIN: 3.0}
    table.act(Nothing())
    assert table.facts[-1].kind is FactKind.ABORTED
    assert [ruling.probable for ruling in table.rulings if ruling.kind == "aborted"] == [True]
    said = len(table.rulings)
    table.say(CallWord.ABORT, 0)
    assert len(table.rulings) == said
    assert table.views[-1].locked == (RED_THIN,)
    assert table.referee.belief.told.weight > 0.9
    assert not table.asks


def test_a_touch_is_not_asked_about(table: Table) -> None:
    table.tugged = {RED_THIN: -1.0}
    table.act(Nothing())
    assert not table.asks


def test_an_abort_with_two_suspects_is_asked(table: Table) -> None:
    table.tugged = {RED_THIN: 4.0, Column.parse("red-hex-1"): 3.5}
    table.act(Nothing())
    table.say(CallWord.ABORT, 0)
    table.wait(4.0)
    assert "red-hex-1" in table.asks[-1].choices
    table.answer("red-hex-1")
    assert table.views[-1].locked == (Column.parse("red-hex-1"),)


def test_the_word_abort_of_somebody_else_locks_nothing(table: Table) -> None:
    table.tugged = {RED_THIN: -0.5}
    table.act(Nothing())
    table.say(CallWord.ABORT, 2)
    table.wait(5.0)
    assert not table.views[-1].locked


def test_a_request_nobody_challenges_and_a_plateau_laid(table: Table) -> None:
    for column in ("red-thin-1", "blue-thin-1", "yellow-thin-1", "green-thin-1"):
        table.raised(column)
    table.request_and_lay(0, Floor.GREEN)
    assert table.referee.tower.top_floor is Floor.GREEN
    assert [ruling.kind for ruling in table.rulings if ruling.kind in ("requested", "unchallenged", "laid")][-2:] == [
        "unchallenged",
        "laid",
    ]
    assert table.views[-1].turn == 1


def test_the_first_on_green_takes_the_seal_and_losing_it_turns_its_face(table: Table) -> None:
    for column in ("red-thin-1", "blue-thin-1", "yellow-thin-1", "green-thin-1"):
        table.raised(column)
    table.request_and_lay(0, Floor.GREEN)
    table.raised("blue-thin-2")
    assert table.views[-1].holder == 1
    table.raised("yellow-hex-1")
    assert table.views[-1].holder == 2
    assert table.views[-1].face == "blue"


def test_a_collapse_ends_the_game_and_names_who_acted(table: Table) -> None:
    table.raised("red-thin-1")
    table.collapse()
    assert table.facts[-1].kind is FactKind.COLLAPSED
    outcome = table.views[-1].outcome
    assert outcome is not None
    assert outcome.culprit == 1
    assert table.views[-1].state is RefereeState.OVER


def test_the_holder_who_topples_hands_victory_to_the_face(table: Table) -> None:
    for column in ("red-thin-1", "blue-thin-1", "yellow-thin-1", "green-thin-1"):
        table.raised(column)
    table.request_and_lay(0, Floor.GREEN)
    table.raised("blue-thin-2")
    table.raised("yellow-hex-1")
    table.raised("green-thin-2")
    table.raised("red-thin-2")
    table.raised("blue-thin-3")
    table.collapse()
    outcome = table.views[-1].outcome
    assert outcome is not None
    assert (outcome.culprit, outcome.winners) == (2, (1,))


def test_what_nothing_explains_is_asked_and_the_answer_counts(table: Table) -> None:
    table.act(NoneOfThese())
    assert table.views[-1].state is RefereeState.ASKING
    assert "red-thin-2" in table.asks[-1].choices
    table.answer("red-thin-2")
    assert table.facts[-1].column == Column.parse("red-thin-2")
    assert table.facts[-1].evidence[-1].sense == "desk"
    assert table.standing("red-thin-2").floor is Floor.BLUE  # type: ignore[union-attr]


def test_pictures_that_fit_badly_leave_a_raise_probable_and_the_table_is_asked(table: Table) -> None:
    table.fit = 0.05
    table.raised("red-thin-1")
    assert [ruling.probable for ruling in table.rulings if ruling.kind == "raised"] == [True]
    assert [ask.question_english for ask in table.asks] == ["What happened?"]


def test_a_column_of_another_colour_is_told_and_flagged_not_hidden(table: Table) -> None:
    table.raised("blue-thin-1")
    assert table.facts[-1].column == Column.parse("blue-thin-1")
    assert any(ruling.kind == "violation" and "B1" in ruling.rule_ids for ruling in table.rulings)


def test_without_a_scale_the_eyes_go_on_alone(table: Table) -> None:
    table.weight_g = None
    table.raised("red-thin-1")
    assert table.facts[-1].column == RED_THIN


def test_a_tower_still_swaying_is_not_judged(table: Table) -> None:
    judged = sum(type(request).__name__ == "Judge" for request in table.requests)
    table.hand = True
    table.wait(2.0)
    table.hand, table.moving = False, True
    table.wait(2.0)
    assert sum(type(request).__name__ == "Judge" for request in table.requests) == judged
    table.truth = Moved(column=RED_THIN, floor=Floor.BLUE)
    table.moving = False
    table.wait(2.0)
    assert table.facts[-1].kind is FactKind.RAISED


def test_a_fallen_tower_that_looks_like_an_arm_is_called_all_the_same(table: Table) -> None:
    table.hand = True
    table.wait(1.0)
    table.truth = Fallen()
    table.weight_g = (table.weight_g or 0.0) - 150.0
    table.still = True
    table.wait(6.0)
    assert table.facts[-1].kind is FactKind.COLLAPSED


def test_a_hand_that_holds_a_plateau_still_is_no_collapse(table: Table) -> None:
    table.hand = True
    table.wait(1.0)
    table.truth = NoneOfThese()
    table.weight_g = (table.weight_g or 0.0) - 370.0
    table.sureness = 6.0
    table.still = True
    table.wait(2.5)
    assert FactKind.COLLAPSED not in table.kinds


def test_no_weight_alone_ends_a_game(table: Table) -> None:
    table.sureness = 6.0
    table.act(NoneOfThese(), -370.0)
    table.wait(28.0)
    assert FactKind.COLLAPSED not in table.kinds
    assert "collapse" in table.asks[-1].choices


def test_a_tower_held_up_by_a_hand_out_of_sight_is_waited_for_not_asked_about(table: Table) -> None:
    weight_g = table.weight_g or 0.0
    table.act(NoneOfThese(), -370.0)
    table.wait(6.0)
    assert not table.asks
    table.truth, table.weight_g = Moved(column=RED_THIN, floor=Floor.BLUE), weight_g
    table.wait(3.0)
    assert table.facts[-1].column == RED_THIN
    assert not table.asks


def test_after_an_answer_the_eyes_still_say_where_the_column_stands(table: Table) -> None:
    table.act(NoneOfThese())
    looks = len(table.requests)
    table.truth = Moved(column=Column.parse("red-thin-2"), floor=Floor.BLUE)
    table.answer("red-thin-2")
    table.wait(1.0)
    judges = [request for request in table.requests[looks:] if isinstance(request, Judge)]
    assert [type(hypothesis) for hypothesis in judges[0].hypotheses] == [Moved, NoneOfThese]
    assert table.facts[-1].column == Column.parse("red-thin-2")


def test_a_fall_is_called_while_pieces_still_roll(table: Table) -> None:
    table.truth, table.moving, table.changed = Fallen(), True, 0.15
    table.weight_g = (table.weight_g or 0.0) - 140.0
    table.wait(2.0)
    assert table.facts[-1].kind is FactKind.COLLAPSED


def test_one_look_that_sees_a_fall_in_a_moving_scene_is_not_enough(table: Table) -> None:
    table.truth, table.moving, table.changed = Fallen(), True, 0.15
    table.weight_g = (table.weight_g or 0.0) - 140.0
    looks = len([request for request in table.requests if isinstance(request, Judge)])
    while len([request for request in table.requests if isinstance(request, Judge)]) == looks:
        table.wait(0.1)
    table.truth = NoneOfThese()
    table.wait(2.0)
    assert FactKind.COLLAPSED not in table.kinds


def test_a_moving_scene_under_a_hand_is_not_looked_at_for_a_fall(table: Table) -> None:
    table.truth, table.changed, table.hand = Fallen(), 0.15, True
    table.weight_g = (table.weight_g or 0.0) - 140.0
    table.wait(3.0)
    assert FactKind.COLLAPSED not in table.kinds


def test_weight_that_came_though_nothing_is_seen_is_asked_about(table: Table) -> None:
    table.act(Nothing(), 37.0)
    assert "+37 g" in table.asks[-1].reason
    assert "plateau green" in table.asks[-1].choices


def test_a_hand_that_has_just_come_in_is_not_taken_for_one_that_rests(table: Table) -> None:
    table.wait(6.0)
    looks = len([request for request in table.requests if isinstance(request, Judge)])
    table.truth, table.hand, table.still = Nothing(), True, True
    table.wait(1.5)
    assert len([request for request in table.requests if isinstance(request, Judge)]) == looks


def test_a_raise_by_the_next_player_says_that_the_attempt_before_it_had_ended(table: Table) -> None:
    table.tugged = {Column.parse("red-hex-1"): -1.0}
    table.act(Nothing())
    assert FactKind.ABORTED not in table.kinds
    table.raised("blue-thin-1")
    assert {fact.kind for fact in table.facts[-2:]} == {FactKind.ABORTED, FactKind.RAISED}
    assert table.views[-1].turn == 2
    assert not table.referee.book.game.violations
    assert table.asks[-1].choices[0] == "red-hex-1"
    table.answer("red-hex-1")
    assert table.views[-1].locked == (Column.parse("red-hex-1"),)


def test_the_table_may_name_another_column_than_was_believed(table: Table) -> None:
    table.tugged = {Column.parse("red-hex-1"): -1.0}
    table.act(Nothing())
    table.raised("blue-thin-1")
    table.answer("red-thin-2")
    assert table.views[-1].locked == (Column.parse("red-thin-2"),)
    assert table.views[-1].turn == 2
    revised = [ruling for ruling in table.rulings if ruling.kind == "revised"]
    assert revised[-1].revises in {ruling.id for ruling in table.rulings}
    assert "red-thin-2" in revised[-1].english


def test_a_foreign_column_raised_in_ones_own_turn_is_flagged_when_people_say_so(table: Table) -> None:
    table.act(Nothing())
    table.raised("blue-thin-1")
    if table.asks:
        table.answer("none")
    assert table.referee.book.game.violations


def test_a_foreign_column_raised_with_no_attempt_before_is_flagged_at_once(table: Table) -> None:
    table.raised("blue-thin-1")
    assert not table.asks
    assert "violation" in [ruling.kind for ruling in table.rulings]
