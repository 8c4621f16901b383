"""Markers where there are none, and the same markers a hundred times: neither may make a pose up, nor turn one over."""

from __future__ import annotations

import os
from pathlib import Path

import cv2
import numpy as np
import numpy.typing as npt
import pytest

from calibration.boards import find_board, parse_board
from rig.profile.nominal import nominal_profile
from rig.twin.pictures.cameras import draw_camera_poses
from tests.calibration.test_tower import seen_markers
from vision.camera.markers import fit_pose, pose_from
from vision.camera.view import CameraView

Picture = npt.NDArray[np.uint8]
PROFILE = nominal_profile(1)
CAMERA = PROFILE.cameras[0]
DATA = Path(os.environ.get("PALETTI_REALDATA", "../shared/data")) / "images" / "leaning_tower"
BOARDS = ("charuco:7x5:32mm:23mm:DICT_5X5_100", "grid:4x5:30mm:6mm:DICT_4X4_100", "chessboard:8x6:20mm")


def texture(seed: int) -> Picture:
    """Blotches and squares of all sizes, such as small dictionaries find markers in."""
    rng = np.random.default_rng(seed)
    picture = cv2.GaussianBlur(rng.normal(128, 90, (1280, 720, 3)).clip(0, 255).astype(np.uint8), (0, 0), float(rng.uniform(1, 6)))
    picture = cv2.normalize(picture, None, 0, 255, cv2.NORM_MINMAX)
    for _ in range(120):
        x, y, size = (int(value) for value in rng.integers((0, 0, 12), (680, 1240, 60)))
        cv2.rectangle(picture, (x, y), (x + size, y + size), tuple(int(v) for v in rng.integers(0, 255, 3)), -1)
    return np.asarray(picture, np.uint8)


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_texture_without_markers_gives_no_pose_and_no_board(seed: int) -> None:
    picture = texture(seed)
    assert pose_from(picture, PROFILE, CAMERA, 0).pose is None
    grey = np.asarray(cv2.cvtColor(picture, cv2.COLOR_BGR2GRAY), np.uint8)
    assert all(len(find_board(grey, parse_board(board)).ids) < 6 for board in BOARDS)


@pytest.mark.skipif(not DATA.is_dir(), reason=f"real pictures are not at hand in {DATA} (PALETTI_REALDATA names them)")
def test_real_pictures_of_a_tower_without_markers_give_none() -> None:
    paths = sorted(DATA.glob("*.jpg"))
    assert paths
    for path in paths:
        picture = np.asarray(cv2.resize(cv2.imread(str(path)), (720, 1280)), np.uint8)
        assert pose_from(picture, PROFILE, CAMERA, 0).pose is None


def test_axes_never_flip_over_a_hundred_noisy_readings() -> None:
    rng = np.random.default_rng(9)
    true = draw_camera_poses(1, 9)[0]
    upright = CameraView.of(CAMERA.model, true).rotation
    for _ in range(100):
        fit = fit_pose(seen_markers(PROFILE.markers, true, rng, noise_px=0.6), PROFILE.markers, CAMERA.model, 1)
        assert fit is not None
        turned = CameraView.of(CAMERA.model, fit.pose).rotation @ upright.T
        assert np.degrees(np.arccos(np.clip((np.trace(turned) - 1) / 2, -1, 1))) < 0.5
