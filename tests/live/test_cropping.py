"""`--crop tower`: what is beside the tower leaves no trace, what the referee needs is all there."""

from __future__ import annotations

from pathlib import Path

import cv2
import numpy as np
import pytest

from rig.live.cropping import AGAIN_S, Picture, TowerCrop, region
from rig.messages import Frame, ProfileSet
from rig.profile import Profile, from_json
from rig.recording import read
from vision.camera.markers import pose_from

SHORT_GAME = Path(__file__).parent.parent / "data" / "short_game.mcap"


@pytest.fixture(scope="module")
def seen() -> tuple[Profile, Frame, Picture]:
    """The profile of a recorded game and one of its pictures."""
    profile = None
    for message in read(SHORT_GAME).messages():
        if isinstance(message.payload, ProfileSet):
            profile = from_json(message.payload.profile_json, "the recording's profile")
        elif isinstance(message.payload, Frame) and profile is not None:
            decoded = cv2.imdecode(np.frombuffer(message.payload.jpeg, np.uint8), cv2.IMREAD_COLOR)
            return profile, message.payload, np.asarray(decoded, np.uint8)
    raise AssertionError("no picture")


def test_who_sits_beside_the_tower_leaves_no_trace(seen: tuple[Profile, Frame, Picture]) -> None:
    profile, frame, picture = seen
    camera = profile.camera(frame.camera)
    pose = pose_from(picture, profile, camera, 0).pose
    assert pose is not None
    rows, columns = region(profile, camera, pose)
    kept = np.zeros(picture.shape[:2], np.bool_)
    kept[rows[:, None], columns] = True
    assert 0.3 < kept.mean() < 0.8
    crop = TowerCrop(profile)
    alone = crop.picture(frame.camera, 0.0, picture)
    people = np.random.default_rng(1).integers(0, 255, picture.shape, np.uint8)
    crowded = np.where(kept[..., None], picture, people)
    assert np.array_equal(crop.picture(frame.camera, AGAIN_S / 2, crowded), alone)
    assert np.array_equal(alone[kept], picture[kept])


def test_what_the_referee_needs_is_left(seen: tuple[Profile, Frame, Picture]) -> None:
    profile, frame, picture = seen
    camera = profile.camera(frame.camera)
    cropped = TowerCrop(profile).frame(0.0, frame)
    again = np.asarray(cv2.imdecode(np.frombuffer(cropped.jpeg, np.uint8), cv2.IMREAD_COLOR), np.uint8)
    whole, left = pose_from(picture, profile, camera, 0), pose_from(again, profile, camera, 0)
    assert left.markers >= whole.markers - 1 > 10
    assert left.pose is not None and whole.pose is not None
    assert np.allclose(left.pose.tvec_mm, whole.pose.tvec_mm, atol=1.0)
    arm = picture.copy()
    arm[300:360, 200:] = (60, 60, 60)  # from inside the region to the picture's border, and behind the border of the region
    crop = TowerCrop(profile)
    crop.picture(frame.camera, 0.0, picture)
    assert (crop.picture(frame.camera, 0.1, arm)[310:350, 200:] == 60).all(), "it still reaches in from the picture's border"


def test_before_the_markers_are_found_nothing_is_shown(seen: tuple[Profile, Frame, Picture]) -> None:
    profile, frame, picture = seen
    assert not TowerCrop(profile).picture(frame.camera, 0.0, np.full_like(picture, 200)).any()
