"""A plateau's tilt, seen in single frames: found where it is, not cried where it is not, and never made up from nothing."""

from __future__ import annotations

import math
from dataclasses import dataclass

import msgspec
import numpy as np
import numpy.typing as npt
import pytest

from rig.messages import CameraPose, Laid, Tower
from rig.pieces import Floor
from rig.profile import Profile
from rig.profile.nominal import nominal_profile
from rig.referee.eye import leans
from rig.twin.physics.poses import HandPose, poses_of
from rig.twin.physics.towers import random_tower
from rig.twin.pictures.cameras import Eye
from vision.frames.tilt import TiltReading, TiltWatch

Picture = npt.NDArray[np.uint8]
HAND = HandPose((40.0, -60.0, 210.0), (120.0, -420.0, 300.0), None)


@dataclass
class Scene:
    """A tower of two plateaus under two cameras, whose top plateau can be tilted."""

    eye: Eye
    profile: Profile
    tower: Tower
    reference: list[Picture]
    watches: list[TiltWatch]

    @property
    def poses(self) -> tuple[CameraPose, ...]:
        return self.eye.poses

    @property
    def top(self) -> Laid:
        return self.tower.plateaus[-1]

    def seen(self, tilt_deg: float, way_deg: float = 30.0, hands: tuple[HandPose, ...] = ()) -> list[Picture]:
        x, y = (tilt_deg * f(math.radians(way_deg)) for f in (math.cos, math.sin))
        tilted = msgspec.structs.replace(self.top, tilt_x_deg=x, tilt_y_deg=y)
        now = Tower(self.tower.columns, (*self.tower.plateaus[:-1], tilted))
        return self.eye.delivered(poses_of(self.profile, now), hands)

    def read(self, pictures: list[Picture]) -> list[TiltReading]:
        return [watch.read(picture) for watch, picture in zip(self.watches, pictures, strict=True)]


@pytest.fixture(scope="module")
def scene() -> Scene:
    profile = nominal_profile(2)
    tower = random_tower(profile, 61, 2)
    eye = Eye(profile, 61)
    reference = eye.delivered(poses_of(profile, tower))
    watches = [TiltWatch(picture, pose, tower, profile, Floor.GREEN) for picture, pose in zip(reference, eye.poses, strict=True)]
    return Scene(eye, profile, tower, reference, watches)


def test_a_plateau_at_rest_does_not_tilt(scene: Scene) -> None:
    for reading in scene.read(scene.seen(0.0)):
        assert reading.says
        assert reading.tilt_deg < 0.3
        assert not leans(reading.tilt_deg, reading.sigma_deg)


@pytest.mark.parametrize("way_deg", [0.0, 75.0, 200.0, 310.0])
def test_two_degrees_any_way_are_seen_by_each_camera_in_the_first_frame(scene: Scene, way_deg: float) -> None:
    for reading in scene.read(scene.seen(2.0, way_deg)):
        assert leans(reading.tilt_deg, reading.sigma_deg)
        assert reading.tilt_deg == pytest.approx(2.0, abs=0.4)


def test_the_way_it_tilts_is_told(scene: Scene) -> None:
    for reading in scene.read(scene.seen(3.0, 75.0)):
        assert math.degrees(math.atan2(reading.tilt_y_deg, reading.tilt_x_deg)) == pytest.approx(75.0, abs=12.0)


def test_half_a_degree_is_no_alarm(scene: Scene) -> None:
    for reading in scene.read(scene.seen(0.5)):
        assert reading.tilt_deg == pytest.approx(0.5, abs=0.4)
        assert not leans(reading.tilt_deg, reading.sigma_deg)


def test_a_hand_before_a_plateau_at_rest_is_no_alarm(scene: Scene) -> None:
    for reading in scene.read(scene.seen(0.0, hands=(HAND,))):
        assert not leans(reading.tilt_deg, reading.sigma_deg)


def test_a_tilt_is_seen_behind_a_hand(scene: Scene) -> None:
    assert any(leans(reading.tilt_deg, reading.sigma_deg) for reading in scene.read(scene.seen(4.0, hands=(HAND,))))


def test_a_lamp_turned_down_is_no_tilt(scene: Scene) -> None:
    darker = [np.asarray(np.rint(picture * 0.8), np.uint8) for picture in scene.seen(0.0)]
    for reading in scene.read(darker):
        assert reading.tilt_deg < 0.4
        assert not leans(reading.tilt_deg, reading.sigma_deg)


def test_a_covered_plateau_says_nothing(scene: Scene) -> None:
    reading = scene.watches[0].read(np.full_like(scene.reference[0], 30))
    assert not reading.says
    assert not leans(reading.tilt_deg, reading.sigma_deg)


def test_a_picture_of_another_size_or_a_plateau_that_does_not_lie_says_nothing(scene: Scene) -> None:
    reference, pose = scene.reference[0], scene.poses[0]
    assert not scene.watches[0].read(reference[::2, ::2]).says
    assert not TiltWatch(reference, pose, scene.tower, scene.profile, Floor.RED).read(reference).says
