"""A reading made to agree with what was believed: what stands out of view is told from what is seen not to stand."""

from __future__ import annotations

import msgspec

from rig.messages import ColumnSeen, Standing, Tower, TowerRead
from rig.pieces import Column, Floor
from rig.profile.nominal import nominal_profile
from rig.referee.reconciliation import agreed, mass_g

PROFILE = nominal_profile(2)


def standing(text: str, x_mm: float, y_mm: float) -> Standing:
    return Standing(Column.parse(text), Floor.GROUND, x_mm, y_mm, 0.0)


BELIEVED = Tower((standing("red-thin-1", 0, 0), standing("blue-thin-1", 50, 0), standing("green-thick-1", 0, 50)))


def read(*seen: Standing, unseen: tuple[Standing, ...] = ()) -> TowerRead:
    columns = tuple(ColumnSeen(one, 0.99, 0.8) for one in seen)
    return TowerRead(id=1, columns=columns, plateaus=(), fit=0.9, usable=True, cameras=2, unseen=unseen)


def test_of_two_columns_that_weigh_the_same_the_one_out_of_view_still_stands() -> None:
    red, blue, green = BELIEVED.columns
    weight_g = mass_g(Tower((blue, green)), PROFILE)
    for hidden, gone in ((red, blue), (blue, red)):
        tower = agreed(read(green, unseen=(hidden,)), BELIEVED, weight_g, PROFILE, [red.column, blue.column])
        assert tower.find(hidden.column) is not None
        assert tower.find(gone.column) is None


def test_the_scale_decides_where_both_are_out_of_view_or_both_places_are_seen_empty() -> None:
    red, blue, green = BELIEVED.columns
    both = mass_g(BELIEVED, PROFILE)
    for unseen in ((red, blue), ()):
        tower = agreed(read(green, unseen=unseen), BELIEVED, both, PROFILE, [red.column, blue.column])
        assert {one.column for one in tower.columns} == {red.column, blue.column, green.column}


def test_a_reading_that_sees_everything_is_written_as_before_there_was_anything_unseen() -> None:
    plain = msgspec.json.encode(read(BELIEVED.columns[0]))
    assert b"unseen" not in plain
    assert msgspec.json.decode(plain, type=TowerRead) == read(BELIEVED.columns[0])
    told = read(BELIEVED.columns[0], unseen=BELIEVED.columns[1:])
    assert msgspec.json.decode(msgspec.json.encode(told), type=TowerRead) == told
