"""Camera poses as calibration reports them, on pictures by the twin's renderer; the truth is where the twin put the cameras."""

from __future__ import annotations

import re

import cv2
import msgspec
import numpy as np
import numpy.typing as npt
import pytest

from calibration.pose import find_pose, pose_cameras
from rig.errors import PalettiError
from rig.messages import Tower
from rig.profile.nominal import nominal_profile
from rig.twin.pictures.cameras import draw_camera_poses, render_tower
from vision.camera.view import CameraView

Picture = npt.NDArray[np.uint8]
PROFILE = nominal_profile(2)
SEED = 5501


@pytest.fixture(scope="module")
def pictures() -> list[Picture]:
    return render_tower(PROFILE, Tower(), SEED)


def test_poses_go_into_the_profile_with_a_good_report(pictures: list[Picture]) -> None:
    profile, reports = pose_cameras(PROFILE, {1: [pictures[0]], 2: [pictures[1]]})
    for report, true in zip(reports, draw_camera_poses(2, SEED), strict=True):
        assert report.good, report.sentence
        camera = profile.camera(report.camera)
        assert camera.pose == report.pose
        top = (0.0, 0.0, 525.0)
        assert np.linalg.norm(CameraView.of(camera.model, report.pose).project(top) - CameraView.of(camera.model, true).project(top)) < 1.0


def test_camera_that_moved_between_pictures_is_said(pictures: list[Picture]) -> None:
    moved = np.asarray(cv2.warpAffine(pictures[0], np.array(((1.0, 0, 10.0), (0, 1, 0.0))), (720, 1280)), dtype=np.uint8)
    report = find_pose(PROFILE, 1, [pictures[0], moved])
    assert not report.good
    assert "moved" in report.sentence


def test_view_that_cuts_the_tower_is_refused_with_a_number(pictures: list[Picture]) -> None:
    model = msgspec.structs.replace(PROFILE.cameras[0].model, height_px=1000, cy_px=PROFILE.cameras[0].model.cy_px - 280)
    low = msgspec.structs.replace(PROFILE, cameras=(msgspec.structs.replace(PROFILE.cameras[0], model=model),))
    report = find_pose(low, 1, [np.ascontiguousarray(pictures[0][280:])])
    assert not report.good
    assert re.search(r"cuts off \d+ %", report.sentence)


def test_one_camera_opened_twice_is_said(pictures: list[Picture]) -> None:
    with pytest.raises(PalettiError, match="same place"):
        pose_cameras(PROFILE, {1: [pictures[0]], 2: [pictures[0]]})


def test_no_markers_is_a_sentence(pictures: list[Picture]) -> None:
    with pytest.raises(PalettiError, match="none of the rig's markers"):
        find_pose(PROFILE, 1, [np.ascontiguousarray(np.vstack((pictures[0][:640], pictures[0][639::-1])))])
