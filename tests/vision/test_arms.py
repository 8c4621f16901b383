"""Arms in the pictures of a whole reading: what they hide is neither guessed nor made up, and no piece is taken for one."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import pytest

from rig.messages import CameraPose, Tower
from rig.pieces import Colour
from rig.profile import Profile
from rig.profile.nominal import nominal_profile
from rig.twin.physics.poses import HandPose, poses_of
from rig.twin.physics.towers import random_tower
from rig.twin.pictures.cameras import Eye
from vision.reading.single_view import SingleView
from vision.reading.whole_tower import TowerReading, read_tower
from vision.scene.silhouettes import Label, Scene, Stage, items_of

Picture = npt.NDArray[np.uint8]

RED_ARM = HandPose((20.0, -60.0, 190.0), (60.0, -400.0, 120.0), Colour.RED)
"""A hand at the tower's front; its sleeve, in a player's colour, comes from below camera 1."""


@dataclass
class Table:
    profile: Profile
    tower: Tower
    poses: tuple[CameraPose, ...]
    bare: list[Picture]
    reached: list[Picture]

    def view(self, pictures: list[Picture], camera: int) -> SingleView:
        return SingleView(self.profile, self.poses[camera], pictures[camera])

    def pieces(self, view: SingleView) -> npt.NDArray[np.bool_]:
        return np.asarray(Scene(Stage(view.view), items_of(self.profile, self.tower)).labels() < Label.BASE)


@pytest.fixture(scope="module")
def table() -> Table:
    profile = nominal_profile(2)
    tower = random_tower(profile, 3004, 3)
    with Eye(profile, 3004) as eye:
        bare = eye.delivered(poses_of(profile, tower))
        reached = eye.delivered(poses_of(profile, tower), [RED_ARM])
        return Table(profile, tower, eye.poses, bare, reached)


@pytest.fixture(scope="module")
def reading(table: Table) -> TowerReading:
    return read_tower(table.reached, table.poses, table.profile)


def test_an_arm_is_found_with_its_sleeve_and_no_piece_is_part_of_it(table: Table) -> None:
    for camera in range(2):
        view = table.view(table.reached, camera)
        change = np.abs(view.picture.astype(int) - table.view(table.bare, camera).picture).max(-1) > 60
        pieces = table.pieces(view)
        hidden = change & pieces
        if hidden.sum() > 300:
            assert (view.arm & hidden).sum() > 0.7 * hidden.sum()
        assert (view.arm & pieces & ~change).sum() < 0.05 * pieces.sum()
    assert (table.pieces(table.view(table.reached, 0)) & table.view(table.reached, 0).arm).sum() > 1000


def test_without_hands_no_piece_is_taken_for_an_arm(table: Table) -> None:
    for camera in range(2):
        view = table.view(table.bare, camera)
        assert (view.arm & table.pieces(view)).sum() < 0.005 * table.pieces(view).sum()


def test_no_column_is_made_up_on_a_sleeve_in_a_players_colour(table: Table, reading: TowerReading) -> None:
    assert reading.usable
    assert [one.laid.plateau for one in reading.plateaus] == [laid.plateau for laid in table.tower.plateaus]
    for one in reading.columns:
        near = [
            there
            for there in table.tower.on(one.standing.floor)
            if np.hypot(there.x_mm - one.standing.x_mm, there.y_mm - one.standing.y_mm) < 12
        ]
        assert [there.column.colour for there in near] == [one.standing.column.colour], one


def test_people_are_told_from_which_camera_an_arm_hides_much(table: Table, reading: TowerReading) -> None:
    assert "An arm hides" in reading.sentence
    assert "from camera 1" in reading.sentence
    assert read_tower(table.bare, table.poses, table.profile).sentence == ""


def test_a_believed_column_behind_an_arm_is_unseen_and_not_gone(table: Table) -> None:
    one_camera = read_tower(table.reached[:1], table.poses[:1], table.profile, table.tower)
    clear = read_tower(table.bare[:1], table.poses[:1], table.profile, table.tower)
    assert {one.column for one in clear.unseen} < {one.column for one in one_camera.unseen}
    there = {one.standing.column for one in one_camera.columns} | {one.column for one in one_camera.unseen}
    assert there == {one.column for one in table.tower.columns}
