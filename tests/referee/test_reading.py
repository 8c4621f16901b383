"""Whole readings: a set-up that went too fast for the eyes, and the way back from lost track."""

from __future__ import annotations

import msgspec
import pytest

from rig.messages import (
    Added,
    FactKind,
    NoneOfThese,
    Nothing,
    PlateauLaid,
    ReadTower,
    RefereeState,
    Resumed,
    Standing,
    Tower,
)
from rig.pieces import Column, Floor
from rig.referee.reconciliation import mass_g
from rig.rules import RulingKind
from tests.referee.referee_table import Table


def column(text: str) -> Column:
    return Column.parse(text)


def standing(text: str, x_mm: float, y_mm: float) -> Standing:
    return Standing(column(text), Floor.GROUND, x_mm, y_mm, 0.0)


THREE = Tower((standing("red-thin-1", 0, 0), standing("blue-thick-1", 50, 0), standing("green-hex-1", 0, 50)))


def placed(table: Table) -> list[str]:
    game = table.referee.book.game
    return sorted(str(c) for c in game.position.table.columns if game.where(c) is not None)


def test_columns_stood_up_faster_than_the_eyes_settle_are_read_and_told_one_by_one() -> None:
    table = Table()
    table.stands = THREE
    table.act(NoneOfThese(), mass_g(THREE, table.profile))
    assert sorted(str(fact.column) for fact in table.facts) == ["blue-thick-1", "green-hex-1", "red-thin-1"]
    assert placed(table) == ["blue-thick-1", "green-hex-1", "red-thin-1"]
    assert not table.asks
    assert "scale" in {evidence.sense for evidence in table.facts[0].evidence}


def test_a_column_that_the_scale_feels_and_nobody_told_is_looked_for() -> None:
    table = Table()
    table.stands = Tower(THREE.columns[:2])
    table.act(Added(column=column("red-thin-1"), floor=Floor.GROUND, near_x_mm=0.0, near_y_mm=0.0), mass_g(table.stands, table.profile))
    assert placed(table) == ["blue-thick-1", "red-thin-1"]


def test_a_misread_column_is_corrected_in_the_books() -> None:
    table = Table()
    table.act(Added(column=column("red-thin-1"), floor=Floor.GROUND, near_x_mm=0.0, near_y_mm=0.0), table.mass(column("red-thin-1")))
    where = table.standing("red-thin-1")
    assert where is not None
    table.stands = Tower((standing("red-hex-1", where.x_mm, where.y_mm), standing("blue-thick-1", 80, 0)))
    table.weight_g = 0.0
    table.act(NoneOfThese(), mass_g(table.stands, table.profile))
    assert placed(table) == ["blue-thick-1", "red-hex-1"]
    assert RulingKind.CORRECTED.value in [ruling.kind for ruling in table.rulings]


def test_a_kind_read_without_confidence_does_not_overrule_what_was_seen_before() -> None:
    table = Table()
    table.act(Added(column=column("red-thin-1"), floor=Floor.GROUND, near_x_mm=0.0, near_y_mm=0.0), table.mass(column("red-thin-1")))
    where = table.standing("red-thin-1")
    assert where is not None
    table.stands = Tower((standing("red-hex-1", where.x_mm, where.y_mm), standing("blue-thick-1", 80, 0)))
    table.read_sure = {column("red-hex-1"): 0.6}
    table.act(NoneOfThese(), table.mass(column("blue-thick-1")))
    assert placed(table) == ["blue-thick-1", "red-thin-1"]


def test_a_column_hidden_from_every_camera_stands_where_it_was_seen_if_the_scale_feels_it() -> None:
    table = Table()
    table.stands = THREE
    table.act(NoneOfThese(), mass_g(THREE, table.profile))
    four = standing("yellow-thin-1", 90, 0)
    table.stands = Tower((*THREE.columns[1:], four))
    table.act(NoneOfThese(), table.mass(four.column))
    assert placed(table) == ["blue-thick-1", "green-hex-1", "red-thin-1", "yellow-thin-1"]


def test_blue_laid_before_all_was_told_has_the_rest_read_first() -> None:
    table = Table()
    pieces = table.profile.pieces.columns
    for one in pieces[:17]:
        table.act(Added(column=one, floor=Floor.GROUND, near_x_mm=0.0, near_y_mm=0.0), table.mass(one), 0.8)
    before = table.referee.tower
    for one in pieces[17:]:
        before = table.after(before, Added(column=one, floor=Floor.GROUND))
    table.stands = msgspec.structs.replace(before, plateaus=table.after(before, PlateauLaid(plateau=Floor.BLUE)).plateaus)
    table.act(PlateauLaid(plateau=Floor.BLUE), mass_g(table.stands, table.profile) - (table.weight_g or 0.0))
    assert len(placed(table)) == 20
    assert table.facts[-1].kind is FactKind.LAID
    assert RulingKind.VIOLATION.value not in [ruling.kind for ruling in table.rulings]


def test_what_cannot_be_read_is_asked() -> None:
    table = Table()
    table.stands = None
    table.act(NoneOfThese(), 25.0)
    assert table.asks


def test_the_whole_set_up_is_read_once_when_it_is_complete() -> None:
    table = Table()
    for one in table.profile.pieces.columns:
        table.act(Added(column=one, floor=Floor.GROUND, near_x_mm=0.0, near_y_mm=0.0), table.mass(one), 0.8)
    table.wait(10.0)
    assert sum(isinstance(request, ReadTower) for request in table.requests) == 1


# ---------------------------------------------------------------- lost


def surprised(table: Table) -> None:
    """Something happens that nobody can name."""
    table.act(NoneOfThese())
    table.answer("something else")


def test_something_else_loses_track_until_the_tower_is_read_as_the_books_have_it(table: Table) -> None:
    surprised(table)
    assert table.views[-1].state is RefereeState.LOST
    table.wait(12.0)
    assert table.views[-1].state is RefereeState.LOST
    table.stands = table.referee.tower
    table.wait(12.0)
    assert table.views[-1].state is RefereeState.SETTLED
    table.raised("red-thin-1")
    assert table.facts[-1].kind is FactKind.RAISED


def on_blue(table: Table, text: str) -> Tower:
    tower = table.referee.tower
    z_mm = tower.plateaus[0].z_mm + 8.0
    return Tower(
        tuple(Standing(s.column, Floor.BLUE, 0.0, 0.0, z_mm) if s.column == column(text) else s for s in tower.columns), tower.plateaus
    )


def test_what_was_read_beyond_the_books_is_asked_and_entered(table: Table) -> None:
    surprised(table)
    table.stands = on_blue(table, "red-hex-1")
    table.wait(12.0)
    assert "red-hex-1 stands on blue" in table.asks[-1].question_english
    table.answer("yes")
    assert table.facts[-1].kind is FactKind.RAISED
    assert table.views[-1].turn == 1
    assert table.views[-1].state is RefereeState.SETTLED


def test_a_refused_reading_waits_for_the_books_to_be_corrected(table: Table) -> None:
    surprised(table)
    table.stands = on_blue(table, "red-hex-1")
    table.wait(12.0)
    asked = len(table.asks)
    table.answer("no, we will correct the books")
    table.wait(20.0)
    assert len(table.asks) == asked
    assert table.views[-1].state is RefereeState.LOST


def test_a_fall_while_track_is_lost_is_called_and_its_culprit_asked(table: Table) -> None:
    surprised(table)
    table.wait(6.0)
    assert FactKind.COLLAPSED not in table.kinds
    table.stands, table.weight_g = None, (table.weight_g or 0.0) - 140.0
    table.wait(15.0)
    assert table.facts[-1].kind is FactKind.COLLAPSED
    table.answer("Bo")
    assert table.views[-1].outcome is not None
    assert table.views[-1].outcome.culprit == 1


def test_a_tower_that_cannot_be_made_out_but_weighs_as_much_has_not_fallen(table: Table) -> None:
    surprised(table)
    table.wait(30.0)
    assert FactKind.COLLAPSED not in table.kinds


def fallen_by_nobody(table: Table) -> None:
    table.wait(60.0)
    table.falls()
    table.answer("nobody playing")


def test_a_tower_rebuilt_after_a_fall_that_was_nobodys_doing_is_read_before_play_goes_on(table: Table) -> None:
    stood = table.referee.tower
    fallen_by_nobody(table)
    table.answer("rebuild it")
    assert table.views[-1].state is RefereeState.LOST
    table.stands = Tower(stood.columns[:10])
    table.truth = Nothing()
    table.wait(12.0)
    assert table.views[-1].state is RefereeState.LOST
    assert not table.asks[-1].question_english.startswith("The tower differs")
    table.stands = msgspec.structs.replace(stood, columns=tuple(msgspec.structs.replace(s, x_mm=s.x_mm + 7.0) for s in stood.columns))
    table.weight_g = mass_g(stood, table.profile)
    table.wait(12.0)
    assert table.views[-1].state is RefereeState.SETTLED
    assert table.referee.tower.columns[0].x_mm == pytest.approx(stood.columns[0].x_mm + 7.0)


def test_a_game_taken_up_again_is_not_lost(table: Table) -> None:
    surprised(table)
    table.enter("desk", Resumed(record=table.referee.book.record(), tower=table.referee.tower))
    table.wait(3.0)
    assert table.views[-1].state is RefereeState.SETTLED
