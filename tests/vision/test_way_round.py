"""How sure a reading is that a plateau does not lie turned by half a turn."""

from __future__ import annotations

import msgspec
import pytest

from rig.messages import CameraPose, Tower
from rig.pieces import Floor
from rig.profile import Profile
from rig.profile.nominal import nominal_profile
from rig.twin.physics.poses import poses_of
from rig.twin.physics.towers import random_tower
from rig.twin.pictures.cameras import Eye, Picture
from vision.reading.single_view import SingleView
from vision.reading.tower_search import Search

SQUARE = ((-60.0, -60.0), (60.0, -60.0), (60.0, 60.0), (-60.0, 60.0))


@pytest.fixture(scope="module")
def shown() -> tuple[Profile, Tower, tuple[CameraPose, ...], list[Picture]]:
    profile = nominal_profile(2)
    tower = random_tower(profile, 3004, 2)
    with Eye(profile, 3004) as eye:
        return profile, tower, eye.poses, eye.delivered(poses_of(profile, tower))


def search(profile: Profile, tower: Tower, poses: tuple[CameraPose, ...], pictures: list[Picture]) -> Search:
    views = [SingleView(profile, pose, picture) for pose, picture in zip(poses, pictures, strict=True)]
    for view in views:
        view.adapt(tower)
    return Search(profile, [view.evidence() for view in views], tower)


def test_plateaus_seen_plainly_surely_lie_as_read(shown: tuple[Profile, Tower, tuple[CameraPose, ...], list[Picture]]) -> None:
    profile, tower, poses, pictures = shown
    found = search(profile, tower, poses, pictures)
    assert all(found.way_round(laid) > 0.99 for laid in tower.plateaus)


def test_plateau_that_looks_the_same_turned_half_round_may_lie_either_way(
    shown: tuple[Profile, Tower, tuple[CameraPose, ...], list[Picture]],
) -> None:
    profile, tower, poses, pictures = shown
    square = msgspec.structs.replace(profile.plateaus[Floor.BLUE], outline_mm=SQUARE, parts_mm=(SQUARE,))
    other = msgspec.structs.replace(profile, plateaus={**profile.plateaus, Floor.BLUE: square})
    blue = Tower((), tuple(laid for laid in tower.plateaus if laid.plateau is Floor.BLUE))
    found = search(other, blue, poses, pictures)
    found.refit_plateaus()
    assert found.way_round(found.state.tower.plateaus[0]) == pytest.approx(0.5, abs=0.2)
