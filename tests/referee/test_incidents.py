"""Columns that fall while every plateau keeps its place (E7, level B): seen, remembered, stood up again."""

from __future__ import annotations

import pytest

from rig.messages import Added, FactKind, Judge, Moved, NoneOfThese, Nothing, RefereeState, Removed, Resumed, StepKind, Stepped, Toppled
from rig.pieces import Column, Floor
from rig.referee import repair
from tests.referee.referee_table import Table

RED_ON_TOP, BLUE_ON_TOP = Column.parse("red-thin-1"), Column.parse("blue-thin-1")
RED_HEX, BLUE_BELOW = Column.parse("red-hex-1"), Column.parse("blue-thin-2")


@pytest.fixture(scope="module")
def four_up() -> Resumed:
    table = Table().set_up()
    for column in ("red-thin-1", "blue-thin-1", "yellow-thin-1", "green-thin-1"):
        table.raised(column)
    return Resumed(record=table.referee.book.record(), tower=table.referee.tower)


@pytest.fixture
def table(four_up: Resumed) -> Table:
    """Each player's first thin column stands on blue; it is red's turn."""
    table = Table()
    table.weight_g = 400.0
    table.wait(0.5)
    table.enter("desk", four_up)
    table.wait(2.0)
    return table


def vanish(table: Table, column: Column) -> None:
    """The column is gone, and lies nowhere in sight."""
    table.looks_like = Removed(column=column)
    table.act(Toppled(columns=(column,)), -table.mass(column))


def carried(table: Table, grams: float) -> None:
    """The scale feels a column lifted and set down."""
    felt = Stepped(
        kind=StepKind.LIFTED, start_t_s=table.t_s, end_t_s=table.t_s + 0.1, before_g=None, after_g=None, delta_g=-grams, sigma_g=0.2
    )  # fmt: skip
    table.feel(felt)


def test_a_fallen_column_that_lies_on_the_plate_is_told_without_a_question(table: Table) -> None:
    table.strange = 6.0  # by so little "none of these" lags behind whatever explains the pictures
    table.act(Toppled(columns=(RED_ON_TOP,)))
    assert table.facts[-1].kind is FactKind.INCIDENT
    assert not table.asks


def test_columns_that_fell_over_together_are_one_incident(table: Table) -> None:
    table.act(Toppled(columns=(BLUE_ON_TOP, RED_ON_TOP)))
    assert table.facts[-1].kind is FactKind.INCIDENT
    assert table.facts[-1].details["fallen"] == 2
    assert not table.asks
    assert table.standing("blue-thin-1") is None
    assert table.views[-1].state is RefereeState.REPAIR


def test_a_column_that_slipped_out_of_the_hand_and_lies_in_sight_is_told_at_once(table: Table) -> None:
    table.act(Toppled(columns=(RED_HEX,)), -table.mass(RED_HEX))
    assert (table.facts[-1].kind, table.facts[-1].column) == (FactKind.INCIDENT, RED_HEX)
    assert table.views[-1].turn == 1


def test_a_column_of_the_top_floor_that_was_gone_and_stands_again_had_fallen(table: Table) -> None:
    weight_g = table.weight_g or 0.0
    vanish(table, RED_ON_TOP)
    assert FactKind.INCIDENT not in table.kinds
    table.weight_g = weight_g
    table.act(Nothing())
    assert table.facts[-1].kind is FactKind.INCIDENT
    assert table.facts[-1].column == RED_ON_TOP
    assert table.views[-1].turn == 0
    assert table.standing("red-thin-1") is not None


def test_a_column_that_fell_and_is_being_stood_up_before_the_scale_rests_is_told_afterwards(table: Table) -> None:
    table.hand = True
    table.wait(1.0)
    table.truth, table.hand, table.trembles = Toppled(columns=(RED_ON_TOP,)), False, True
    table.wait(1.0)
    table.hand = True
    table.wait(1.0)
    table.trembles = False
    assert FactKind.INCIDENT not in table.kinds
    table.act(Nothing())
    assert (table.facts[-1].kind, table.facts[-1].column) == (FactKind.INCIDENT, RED_ON_TOP)


def test_a_column_of_the_attempt_that_was_gone_and_stands_again_had_slipped_out_of_the_hand(table: Table) -> None:
    weight_g = table.weight_g or 0.0
    vanish(table, RED_HEX)
    table.weight_g = weight_g
    table.act(Nothing())
    assert (table.facts[-1].kind, table.facts[-1].column) == (FactKind.INCIDENT, RED_HEX)
    assert table.views[-1].locked == (RED_HEX,)
    assert table.views[-1].turn == 1


def test_people_who_say_that_nothing_happened_are_believed(table: Table) -> None:
    weight_g = table.weight_g or 0.0
    vanish(table, RED_ON_TOP)
    table.weight_g = weight_g
    table.act(NoneOfThese())
    table.answer("nothing")
    table.wait(2.0)
    assert FactKind.INCIDENT not in table.kinds


def test_a_column_that_was_gone_and_is_raised_had_only_been_in_the_hand(table: Table) -> None:
    weight_g = table.weight_g or 0.0
    vanish(table, RED_HEX)
    table.weight_g = weight_g
    table.act(Moved(column=RED_HEX, floor=Floor.BLUE))
    table.act(Nothing())
    assert FactKind.INCIDENT not in table.kinds
    assert FactKind.ABORTED not in table.kinds


def test_a_column_that_fell_off_the_table_for_good_is_told_though_sight_holds_it_for_taken_away(table: Table) -> None:
    vanish(table, RED_ON_TOP)
    table.wait(20.0)
    assert table.facts[-1].kind is FactKind.INCIDENT
    assert not table.asks


def test_a_column_stood_up_again_is_not_taken_for_a_raise_of_its_double(table: Table) -> None:
    table.act(Toppled(columns=(BLUE_ON_TOP,)))
    table.hand = True
    table.wait(0.5)
    carried(table, table.mass(BLUE_ON_TOP))
    table.looks_like = Moved(column=BLUE_BELOW, floor=Floor.BLUE)  # no camera sees where that one stood
    place = next(s for s in table.referee.tower.columns if s.column == BLUE_BELOW)
    assert place.floor is Floor.GROUND
    fallen = next(iter(repair.hypotheses(table.referee.belief.told))).hypothesis
    assert isinstance(fallen, Added)
    table.act(fallen)
    assert (table.facts[-1].kind, table.facts[-1].column) == (FactKind.STOOD, BLUE_ON_TOP)
    assert not table.asks


def test_a_fall_that_people_tell_of_when_the_column_stands_again_leaves_it_standing(table: Table) -> None:
    table.act(NoneOfThese())
    table.truth = Nothing()
    table.answer("fell over: red-thin-1")
    table.wait(2.0)
    assert (table.facts[-1].kind, table.facts[-1].column) == (FactKind.INCIDENT, RED_ON_TOP)
    assert table.standing("red-thin-1") is not None
    assert table.views[-1].state is RefereeState.SETTLED


def test_a_column_is_not_taken_to_have_fallen_along_where_nothing_is_left_to_explain(table: Table) -> None:
    table.strange, table.unexplained_mm2 = 0.0, 100.0
    table.act(Toppled(columns=(BLUE_ON_TOP, RED_ON_TOP)))
    asked = [request for request in table.requests if isinstance(request, Judge)][-1]
    assert not any(isinstance(h, Toppled) and len(h.columns) > 1 for h in asked.hypotheses)


def test_columns_that_a_plateau_holds_are_not_taken_to_have_fallen_together(table: Table) -> None:
    table.strange = 6.0
    table.act(Toppled(columns=tuple(sorted((BLUE_BELOW, RED_HEX, RED_ON_TOP)))))
    assert FactKind.INCIDENT not in table.kinds
    assert table.asks


def test_track_that_was_lost_is_found_again_though_columns_believed_fallen_stand(table: Table) -> None:
    stood = table.referee.tower
    table.act(Toppled(columns=(RED_ON_TOP,)))
    table.act(NoneOfThese())
    table.answer("something else")
    table.stands, table.weight_g = stood, None
    table.wait(14.0)
    assert table.views[-1].state is RefereeState.SETTLED
    assert table.standing("red-thin-1") is not None


def test_what_nothing_explains_is_asked_with_every_way_of_falling_among_the_answers(table: Table) -> None:
    table.act(NoneOfThese())
    assert "fell over: red-thin-1" in table.asks[-1].choices
