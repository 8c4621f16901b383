"""Columns of one colour that have been read with one another's shapes."""

from __future__ import annotations

import msgspec

from rig.messages import Tower
from rig.pieces import Colour, Shape
from rig.profile.nominal import nominal_profile
from rig.twin.physics.poses import poses_of
from rig.twin.physics.towers import random_tower
from rig.twin.pictures.cameras import Eye
from vision.reading.local_search import LocalSearch
from vision.reading.single_view import SingleView


def test_three_columns_with_one_anothers_shapes_are_righted_together() -> None:
    profile = nominal_profile(2)
    tower = random_tower(profile, 3004, 2)
    with Eye(profile, 3004) as eye:
        views = [
            SingleView(profile, pose, picture) for pose, picture in zip(eye.poses, eye.delivered(poses_of(profile, tower)), strict=True)
        ]
    colour = next(colour for colour in Colour if {one.column.shape for one in tower.columns if one.column.colour is colour} == set(Shape))
    one_each = {one.column.shape: one for one in tower.columns if one.column.colour is colour}
    others = dict(zip(one_each, [*list(one_each)[1:], next(iter(one_each))], strict=True))
    turned = {one.column: msgspec.structs.replace(one, column=one_each[others[shape]].column) for shape, one in one_each.items()}
    for view in views:
        view.adapt(tower)
    wrong = Tower(tuple(turned.get(one.column, one) for one in tower.columns), tower.plateaus)
    search = LocalSearch(profile, [view.evidence() for view in views], wrong)
    assert search.reassign()
    for one in tower.columns:
        found = min(
            (other for other in search.state.tower.on(one.floor)),
            key=lambda other: abs(other.x_mm - one.x_mm) + abs(other.y_mm - one.y_mm),
        )
        assert found.column.kind == one.column.kind
