"""Whose doing was it? The acting player's, somebody else's arm, a late fall, a knock, or nobody's."""

from __future__ import annotations

import pytest

from rig.messages import FactKind, Fallen, RefereeState, StepKind, Stepped, Tilted
from rig.pieces import Colour
from tests.referee.referee_table import Table

KNOCK_MPS2 = 6.0


@pytest.fixture
def table() -> Table:
    table = Table().set_up()
    table.raised("red-thin-1")  # Ada has built, it is Bo's turn
    table.wait(5.0)
    return table


def culprit(table: Table) -> int | None:
    outcome = table.views[-1].outcome
    assert outcome is not None
    return outcome.culprit


def test_a_fall_under_the_acting_players_hands_is_that_players(table: Table) -> None:
    table.sleeve = Colour.BLUE
    table.collapse()
    assert culprit(table) == 1


def test_bare_arms_are_taken_for_the_acting_players(table: Table) -> None:
    table.collapse()
    assert culprit(table) == 1


def test_somebody_elses_arm_is_that_somebodys_fault(table: Table) -> None:
    table.sleeve = Colour.GREEN
    table.collapse()
    assert culprit(table) == 3
    assert "green" in table.facts[-1].evidence[-1].sentence


def test_a_shirt_in_somebody_elses_colour_that_its_wearer_has_built_in_before_blames_its_wearer(table: Table) -> None:
    for column in (
        "blue-thin-1",
        "yellow-thin-1",
        "green-thin-1",
        "red-thin-2",
        "blue-thin-2",
        "yellow-thin-2",
        "green-thin-2",
        "red-hex-1",
    ):
        table.sleeve = Colour.GREEN if column.startswith("blue") else None
        table.raised(column)
    table.sleeve = Colour.GREEN
    table.collapse()
    assert culprit(table) == 1


def test_two_players_arms_at_the_tower_are_asked_about_and_the_fall_is_told_at_once(table: Table) -> None:
    table.sleeve = Colour.BLUE
    table.hand = True
    table.wait(1.2)
    table.sleeve = Colour.GREEN
    table.collapse(seconds=1.2)
    assert table.facts[-1].kind is FactKind.COLLAPSED
    assert table.views[-1].state is RefereeState.ASKING
    assert table.asks[-1].choices[0] == "Bo"
    table.answer("Di")
    assert culprit(table) == 3


def test_a_late_fall_with_nobody_near_is_of_whoever_acted_last(table: Table) -> None:
    table.falls()
    assert culprit(table) == 0


def test_a_fall_long_after_the_last_deed_with_nobody_near_is_for_the_table_to_say(table: Table) -> None:
    table.wait(60.0)
    table.falls()
    assert table.facts[-1].kind is FactKind.COLLAPSED
    table.answer("nobody playing")
    assert table.rulings[-1].kind == "outside"


def test_a_knock_on_the_table_is_nobodys_turn(table: Table) -> None:
    table.feel(Tilted(t_s=table.t_s, tilt_x_deg=0.0, tilt_y_deg=0.0, shock_mps2=KNOCK_MPS2))
    table.falls()
    assert "knocked" in table.asks[-1].reason
    table.answer("Cy")
    assert culprit(table) == 2


def test_a_knock_while_hands_are_at_the_tower_leaves_the_fall_to_the_hands(table: Table) -> None:
    table.hand = True
    table.wait(2.0)
    table.feel(Tilted(t_s=table.t_s, tilt_x_deg=0.0, tilt_y_deg=0.0, shock_mps2=KNOCK_MPS2))
    table.falls()
    table.hand = False
    table.wait(3.0)
    assert culprit(table) == 1


def test_a_fall_is_called_though_what_lies_there_looks_like_a_hand_to_one_camera(table: Table) -> None:
    table.seen_as_hand, table.moving, table.truth = {2}, True, Fallen()
    table.changed = 0.35
    table.wait(0.4)
    table.feel(
        Stepped(kind=StepKind.SWING, start_t_s=table.t_s, end_t_s=table.t_s + 0.1, before_g=None, after_g=None, delta_g=90.0, sigma_g=0.0)
    )
    table.wait(2.0)
    assert table.facts[-1].kind is FactKind.COLLAPSED


def test_no_fall_is_called_while_one_camera_sees_a_hand_and_the_other_little_that_changed(table: Table) -> None:
    table.seen_as_hand, table.moving, table.truth = {2}, True, Fallen()
    table.changed = 0.1
    table.wait(2.0)
    assert table.facts[-1].kind is FactKind.RAISED


def pulled_down_at_once(table: Table, arm_s: float) -> None:
    """The scale feels hands and fall in one; the arm is seen for `arm_s` before the tower looks unlike itself."""
    table.wait(60.0)
    began_s = table.t_s
    table.hand, table.changed, table.truth = True, 0.03, Fallen()
    table.wait(0.2)
    swing = Stepped(kind=StepKind.SWING, start_t_s=began_s, end_t_s=table.t_s, before_g=None, after_g=None, delta_g=90.0, sigma_g=0.0)
    table.feel(swing)
    table.wait(arm_s - 0.2)
    table.hand, table.moving, table.changed = False, True, 0.4
    table.wait(1.0)
    table.moving = False
    table.weight_g = (table.weight_g or 0.0) - 200.0
    table.wait(3.0)


def test_a_pull_so_sudden_that_the_scale_feels_hands_and_fall_at_once_is_of_those_hands(table: Table) -> None:
    table.sleeve = Colour.BLUE
    pulled_down_at_once(table, 0.8)
    assert culprit(table) == 1


def test_an_arm_that_came_just_before_the_fall_is_asked_about_unless_a_sleeve_tells_whose(table: Table) -> None:
    pulled_down_at_once(table, 0.8)
    assert table.facts[-1].kind is FactKind.COLLAPSED
    assert "no sleeve" in table.asks[-1].reason
    assert table.asks[-1].choices[0] == "Bo"
    table.answer("Di")
    assert culprit(table) == 3


def test_what_looks_like_an_arm_for_one_picture_of_a_falling_tower_blames_nobody(table: Table) -> None:
    pulled_down_at_once(table, 0.2)
    assert table.views[-1].state is RefereeState.ASKING
