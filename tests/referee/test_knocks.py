"""A camera that is knocked in play: found again, and never read as a move."""

from __future__ import annotations

import pytest

from rig.messages import FactKind, Judge, Moved, RefereeState
from rig.pieces import Column, Floor
from tests.referee.referee_table import Table

RED_THIN = Column.parse("red-thin-1")


@pytest.fixture
def table() -> Table:
    table = Table().set_up()
    table.wait(3.0)
    return table


def judged_by(table: Table) -> int:
    return len(next(request for request in reversed(table.requests) if isinstance(request, Judge)).after)


def test_a_knocked_camera_finds_itself_again_and_nothing_is_told_of_columns(table: Table) -> None:
    facts = len(table.facts)
    table.shift_px = {1: 15.0}
    table.wait(2.0)
    assert "Camera 1 was moved by 15 px" in table.views[-1].health["camera 1 stand"].sentence
    assert not table.shift_px
    table.wait(5.0)
    assert len(table.facts) == facts
    assert not table.asks
    assert table.views[-1].state is RefereeState.SETTLED


def test_after_a_knock_the_next_raise_is_seen_by_both_cameras_again(table: Table) -> None:
    table.shift_px = {1: 15.0}
    table.wait(8.0)
    table.raised("red-thin-1")
    assert table.facts[-1].column == RED_THIN
    assert judged_by(table) == 2


def test_a_camera_knocked_during_a_raise_leaves_it_to_the_other(table: Table) -> None:
    table.hand = True
    table.wait(1.0)
    table.shift_px = {1: 15.0}
    table.act(Moved(column=RED_THIN, floor=Floor.BLUE))
    assert table.facts[-1].kind is FactKind.RAISED
    assert judged_by(table) == 1


def test_when_every_camera_was_knocked_during_a_raise_people_are_asked(table: Table) -> None:
    table.hand = True
    table.wait(1.0)
    table.shift_px = {1: 15.0, 2: 9.0}
    table.act(Moved(column=RED_THIN, floor=Floor.BLUE))
    assert "moved while hands were" in table.asks[-1].reason
    table.answer("red-thin-1")
    assert table.facts[-1].column == RED_THIN


def test_a_single_odd_frame_is_no_knock(table: Table) -> None:
    table.shift_px = {1: 15.0}
    table.wait(0.1)
    table.shift_px = {}
    table.wait(2.0)
    assert "camera 1 stand" not in table.views[-1].health


class TestTheEarlyWarning:
    def test_a_plateau_that_tilts_beyond_doubt_is_shown_at_once_and_rules_nothing(self, table: Table) -> None:
        facts = len(table.facts)
        table.tilt = (3.2, 0.4)
        table.wait(0.1)
        assert table.views[-1].leaning_deg == 3.0
        table.tilt = (0.0, 0.3)
        table.wait(0.2)
        assert table.views[-1].leaning_deg == 0.0
        assert len(table.facts) == facts

    def test_a_tilt_within_its_own_uncertainty_is_no_warning(self, table: Table) -> None:
        table.tilt = (3.2, 1.5)
        table.wait(0.5)
        assert table.views[-1].leaning_deg == 0.0
