"""A camera knocked in mid-game is told from hands and from nothing, and finds itself again; pictures by the twin, the truth is its pose."""

from __future__ import annotations

import cv2
import numpy as np
import numpy.typing as npt
import pytest

from rig.messages import CameraPose, FindPose, Posed
from rig.profile.nominal import nominal_profile
from rig.twin.physics.poses import HandPose, poses_of
from rig.twin.physics.towers import random_tower
from rig.twin.pictures.cameras import Eye, draw_camera_poses, to_jpeg
from vision.camera.camera_motion import displacement
from vision.camera.markers import pose_from
from vision.camera.view import CameraView
from vision.see import look

Picture = npt.NDArray[np.uint8]
PROFILE = nominal_profile(1)
CAMERA = PROFILE.camera(1)
SEED = 6301
HANDS = (
    HandPose((0, -120, 60), (60, -520, 160)),
    HandPose((-150, -200, 30), (-200, -600, 100)),
    HandPose((150, -200, 30), (200, -600, 100)),
)


def nudged(pose: CameraPose, pixels: float) -> CameraPose:
    """The camera turned sideways, so that the middle of its picture moves by so many pixels."""
    turn = cv2.Rodrigues(np.array((0.0, np.arctan(pixels / CAMERA.model.fx_px), 0.0)))[0]
    rvec = cv2.Rodrigues(turn @ cv2.Rodrigues(np.array(pose.rvec))[0])[0].ravel()
    tvec = turn @ np.array(pose.tvec_mm)
    return CameraPose(1, (float(rvec[0]), float(rvec[1]), float(rvec[2])), (float(tvec[0]), float(tvec[1]), float(tvec[2])))


def shots(pose: CameraPose) -> tuple[Picture, Picture]:
    """What the camera delivers from this pose: the tower alone, and with three forearms before the markers."""
    poses = poses_of(PROFILE, random_tower(PROFILE, SEED, 2))
    with Eye(PROFILE, SEED, (pose,)) as eye:
        pictures = [eye.see(poses, hands)[0] for hands in ((), HANDS)]
        alone, handled = (cv2.imdecode(np.frombuffer(to_jpeg(eye.webcam(p)), np.uint8), cv2.IMREAD_COLOR) for p in pictures)
    return np.asarray(alone, np.uint8), np.asarray(handled, np.uint8)


TRUE = draw_camera_poses(1, SEED)[0]
MOVED = nudged(TRUE, 15.0)


@pytest.fixture(scope="module")
def before() -> tuple[Picture, Picture]:
    return shots(TRUE)


@pytest.fixture(scope="module")
def after() -> tuple[Picture, Picture]:
    return shots(MOVED)


@pytest.fixture(scope="module")
def believed(before: tuple[Picture, Picture]) -> CameraPose:
    posed = pose_from(before[0], PROFILE, CAMERA, 0)
    assert isinstance(posed, Posed)
    assert posed.pose is not None
    return posed.pose


def test_camera_that_stands_still_is_not_knocked(before: tuple[Picture, Picture], believed: CameraPose) -> None:
    reading = displacement(before[0], PROFILE, CAMERA, believed)
    assert reading.seen
    assert reading.moved_px < 1.0
    assert not reading.knocked


def test_hands_over_the_markers_are_no_knock(before: tuple[Picture, Picture], believed: CameraPose) -> None:
    alone, handled = (displacement(picture, PROFILE, CAMERA, believed) for picture in before)
    assert handled.markers < 0.7 * alone.markers
    assert not handled.knocked


def test_shift_of_15_px_is_found_also_behind_hands(after: tuple[Picture, Picture], believed: CameraPose) -> None:
    for picture in after:
        reading = displacement(picture, PROFILE, CAMERA, believed)
        assert reading.knocked
        assert reading.moved_px == pytest.approx(15.0, abs=1.5)


def test_knocked_camera_is_told_by_how_much_and_finds_itself_again_within_a_pixel(
    after: tuple[Picture, Picture], believed: CameraPose
) -> None:
    news = look(FindPose(id=1, camera=1, frame=7, believed=believed), {7: after[0]}, PROFILE)
    assert isinstance(news, Posed)
    assert news.pose is not None
    assert news.moved_px == pytest.approx(15.0, abs=1.5)
    top = (0.0, 0.0, 525.0)
    away = CameraView.of(CAMERA.model, news.pose).project(top) - CameraView.of(CAMERA.model, MOVED).project(top)
    assert float(np.linalg.norm(away)) < 1.0


def test_camera_that_stands_is_told_to_have_moved_by_nothing(before: tuple[Picture, Picture], believed: CameraPose) -> None:
    news = look(FindPose(id=1, camera=1, frame=7, believed=believed), {7: before[0]}, PROFILE)
    assert isinstance(news, Posed)
    assert news.moved_px == 0.0


def test_one_marker_that_came_loose_is_no_knock(before: tuple[Picture, Picture], believed: CameraPose) -> None:
    picture = before[0].copy()
    picture[:, : picture.shape[1] // 3] = np.roll(picture, 12, axis=0)[:, : picture.shape[1] // 3]
    assert not displacement(picture, PROFILE, CAMERA, believed).knocked


def test_covered_lens_is_not_seen_and_no_knock(before: tuple[Picture, Picture], believed: CameraPose) -> None:
    reading = displacement(np.zeros_like(before[0]), PROFILE, CAMERA, believed)
    assert not reading.seen
    assert not reading.knocked
