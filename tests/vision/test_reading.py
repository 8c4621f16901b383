"""The whole tower from single pictures: what is seen is read where it stands, what is hidden is not made up, bad pictures are told."""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import dataclass

import msgspec
import numpy as np
import numpy.typing as npt
import pytest

from rig.bench.situations import fell
from rig.errors import PalettiError
from rig.messages import CameraPose, Tower
from rig.profile import Profile
from rig.profile.nominal import nominal_profile
from rig.twin.physics.poses import poses_of
from rig.twin.physics.towers import random_tower
from rig.twin.pictures.cameras import Eye
from vision.camera.view import CameraView
from vision.reading.whole_tower import TowerReading, read_tower
from vision.scene.silhouettes import Scene, Stage, code_of, items_of

Picture = npt.NDArray[np.uint8]


@dataclass
class Table:
    """Two cameras before a tower of three plateaus, an empty base, and the same tower fallen; and what was read of the tower."""

    profile: Profile
    tower: Tower
    poses: tuple[CameraPose, ...]
    standing: list[Picture]
    empty: list[Picture]
    fallen: list[Picture]
    reading: TowerReading


@pytest.fixture(scope="module")
def table() -> Table:
    profile = nominal_profile(2)
    tower = random_tower(profile, 3004, 3)
    rng = np.random.default_rng(1)
    with Eye(profile, 3004) as eye:
        standing = eye.delivered(poses_of(profile, tower))
        empty = eye.delivered(poses_of(profile, Tower()))
        fallen = eye.delivered(poses_of(profile, fell(tower, rng)))
        poses = eye.poses
    return Table(profile, tower, poses, standing, empty, fallen, read_tower(standing, poses, profile))


def test_every_column_that_a_camera_sees_a_quarter_of_is_read_in_its_place(table: Table) -> None:
    views: Counter[object] = Counter()
    for pose in table.poses:
        scene = Scene(Stage(CameraView.of(table.profile.camera(pose.camera).model, pose, 0.5)), items_of(table.profile, table.tower))
        for standing in table.tower.columns:
            code = code_of(table.profile, standing.column)
            views[standing.column] = max(views[standing.column], int(100 * scene.visible(code).sum() / scene.patches[code].inside.sum()))
    seen = [standing for standing in table.tower.columns if views[standing.column] >= 25]
    assert len(seen) > 15
    for standing in seen:
        near = [
            one.standing
            for one in table.reading.columns
            if one.standing.floor is standing.floor and math.hypot(one.standing.x_mm - standing.x_mm, one.standing.y_mm - standing.y_mm) < 8
        ]
        assert [one.column.kind for one in near] == [standing.column.kind], standing


def test_plateaus_lie_where_they_were_laid(table: Table) -> None:
    assert [one.laid.plateau for one in table.reading.plateaus] == [laid.plateau for laid in table.tower.plateaus]
    for one, laid in zip(table.reading.plateaus, table.tower.plateaus, strict=True):
        assert math.hypot(one.laid.x_mm - laid.x_mm, one.laid.y_mm - laid.y_mm) < 3
        assert abs((one.laid.yaw_deg - laid.yaw_deg + 180) % 360 - 180) < 3
        assert one.laid.z_mm == pytest.approx(laid.z_mm, abs=1.0)


def test_what_is_read_and_what_is_hidden_are_together_the_box(table: Table) -> None:
    kinds = Counter(one.standing.column.kind for one in table.reading.columns)
    for hidden in table.reading.hidden:
        kinds[hidden.colour, hidden.shape] += hidden.count
    assert kinds == table.profile.pieces.counts()
    assert len({one.standing.column for one in table.reading.columns}) == len(table.reading.columns)


def test_a_standing_tower_is_usable_and_needs_no_words(table: Table) -> None:
    assert table.reading.usable
    assert table.reading.sentence == ""
    assert table.reading.cameras == 2


def test_an_empty_base_has_nothing_on_it_and_everything_is_still_in_the_box(table: Table) -> None:
    reading = read_tower(table.empty, table.poses, table.profile)
    assert reading.columns == ()
    assert reading.plateaus == ()
    assert sum(one.count for one in reading.hidden) == 20


def test_a_fallen_tower_is_not_taken_for_one_that_stands(table: Table) -> None:
    reading = read_tower(table.fallen, table.poses, table.profile)
    assert not reading.usable
    assert reading.sentence


def test_a_covered_lens_is_told_and_the_other_camera_read_alone(table: Table) -> None:
    reading = read_tower([table.empty[0], np.zeros_like(table.empty[1])], table.poses, table.profile)
    assert reading.cameras == 1
    assert "Camera 2" in reading.sentence
    assert reading.columns == ()


def test_black_pictures_make_no_tower(table: Table) -> None:
    reading = read_tower([np.zeros_like(one) for one in table.standing], table.poses, table.profile)
    assert not reading.usable
    assert reading.columns == ()
    assert "Camera 1" in reading.sentence


def test_pictures_without_their_poses_are_refused(table: Table) -> None:
    with pytest.raises(PalettiError, match="2 pictures for 1 camera"):
        read_tower(table.standing, table.poses[:1], table.profile)


def test_a_believed_tower_is_found_again_with_what_no_camera_sees_kept_where_it_was(table: Table) -> None:
    aside = tuple(msgspec.structs.replace(one, x_mm=one.x_mm + 2.0) for one in table.tower.columns)
    reading = read_tower(table.standing[:1], table.poses[:1], table.profile, Tower(aside, table.tower.plateaus))
    assert reading.unseen
    places = {one.column: one for one in (*reading.tower.columns, *reading.unseen)}
    assert set(places) == {one.column for one in table.tower.columns}
    for one in table.tower.columns:
        found = places[one.column]
        assert found.floor is one.floor
        assert math.hypot(found.x_mm - one.x_mm, found.y_mm - one.y_mm) < 12, one


def test_a_column_believed_elsewhere_is_found_where_it_stands(table: Table) -> None:
    plain = max(table.reading.columns, key=lambda one: one.visible).standing
    wrong = msgspec.structs.replace(plain, x_mm=-plain.x_mm, y_mm=-plain.y_mm)
    columns = tuple(wrong if one == plain else one for one in table.reading.tower.columns)
    reading = read_tower(table.standing, table.poses, table.profile, Tower(columns, table.reading.tower.plateaus))
    found = reading.tower.find(plain.column)
    assert found is not None
    assert math.hypot(found.x_mm - plain.x_mm, found.y_mm - plain.y_mm) < 5


def test_what_is_believed_but_does_not_stand_there_is_not_read(table: Table) -> None:
    reading = read_tower(table.empty, table.poses, table.profile, table.tower)
    assert reading.columns == ()
    assert reading.unseen == ()


def test_a_believed_plateau_stays_where_one_camera_still_sees_it_and_an_arm_hides_it_from_the_other(table: Table) -> None:
    covered = [table.standing[0].copy(), table.standing[1]]
    covered[0][:, 200:] = (40, 40, 160)
    believed = Tower(table.tower.columns, table.tower.plateaus)
    reading = read_tower(covered, table.poses, table.profile, believed)
    assert [one.laid.plateau for one in reading.plateaus] == [laid.plateau for laid in table.tower.plateaus]
