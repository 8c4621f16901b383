"""A fisheye's lens from views of a board, against the lens that drew them; the drawing is OpenCV's own."""

from __future__ import annotations

import cv2
import numpy as np
import pytest

from calibration.boards import Seen, parse_board
from calibration.lens import find_lens
from calibration.views import json_of
from rig.profile import CameraModel, LensKind
from vision.arrays import Floats
from vision.camera.lens import pixels_of, rays_of

LENS = CameraModel(1280, 720, 560.0, 556.0, 652.0, 349.0, (0.03, -0.01, 0.004, -0.001), LensKind.FISHEYE)
"""Sees 131 degrees across, as phones' wide lenses do."""

BOARD = parse_board("chessboard:9x6:25mm")


def seen_boards(seed: int, count: int = 14, noise_px: float = 0.15) -> list[Seen]:
    """Views tilted to all sides by 35 degrees and held towards every side of the wide picture."""
    rng = np.random.default_rng(seed)
    corners = np.array([(25.0 * x, 25.0 * y, 0.0) for y in range(6) for x in range(9)])
    matrix = np.array(((LENS.fx_px, 0, LENS.cx_px), (0, LENS.fy_px, LENS.cy_px), (0, 0, 1)))
    views = []
    while len(views) < count:
        angle = 2 * np.pi * len(views) / count
        turn = np.radians((35 * np.sin(angle), 35 * np.cos(angle), rng.uniform(-15, 15)))
        rotation = cv2.Rodrigues(turn)[0]
        far = rng.uniform(190, 260)
        towards = np.array((0.75 * np.cos(angle + 0.7), 0.4 * np.sin(angle + 0.7), 1.0)) * far
        shift = towards - rotation @ corners.mean(0)
        pixels = cv2.fisheye.projectPoints(corners[:, None], turn, shift, matrix, np.array(LENS.distortion))[0].reshape(-1, 2)
        pixels = pixels + rng.normal(0, noise_px, pixels.shape)
        inside = ((pixels > 0) & (pixels < (1279, 719))).all(1)
        ids = np.flatnonzero(inside)
        views.append(Seen(f"view {len(views)}", ids, corners[ids], pixels[ids], np.zeros((len(ids), 2)), 0, (1280, 720)))
    return views


def off_px(model: CameraModel) -> Floats:
    """How far places of the picture up to 60 degrees from the axis are from where the true lens has them (n,)."""
    grid = np.stack(np.meshgrid(np.arange(40, 1280, 60.0), np.arange(40, 720, 60.0)), axis=-1).reshape(-1, 2)
    return np.asarray(np.linalg.norm(pixels_of(model, rays_of(LENS, grid)) - grid, axis=1))


@pytest.mark.parametrize("seed", [1, 3])
def test_fisheye_is_found_from_views_of_a_board(seed: int) -> None:
    report = find_lens(seen_boards(seed), BOARD, LensKind.FISHEYE)
    assert report.good, report.sentences
    assert report.model.kind is LensKind.FISHEYE
    assert report.error_px < 0.3
    assert report.model.fx_px == pytest.approx(LENS.fx_px, abs=max(3 * report.focal_sd_px, 0.5))
    assert float(np.sqrt(np.square(off_px(report.model)).mean())) < 1.0  # most of it the centre, which a turn of the camera makes up for
    assert json_of(report, BOARD)["model"] == "fisheye"


def test_doubt_of_a_fisheye_covers_what_it_is_off_by() -> None:
    shares = []
    for seed in range(11, 14):
        report = find_lens(seen_boards(seed), BOARD, LensKind.FISHEYE)
        shares.append(abs(report.model.fx_px - LENS.fx_px) / report.focal_sd_px)
        assert all(len(way) == 8 for way in report.doubt)
    assert 0.1 < float(np.sqrt(np.mean(np.square(shares)))) < 2.0


def test_misread_corner_of_a_wide_view_is_dropped() -> None:
    views = seen_boards(4)
    pixels = views[2].pixels.copy()
    pixels[7] += (45.0, -30.0)
    views[2] = Seen(views[2].name, views[2].ids, views[2].board_mm, pixels, views[2].push, 0, views[2].size_px)
    report = find_lens(views, BOARD, LensKind.FISHEYE)
    assert report.views[2].dropped == (int(views[2].ids[7]),)
    assert float(np.sqrt(np.square(off_px(report.model)).mean())) < 1.0  # most of it the centre, which a turn of the camera makes up for


def test_pinhole_does_not_fit_so_wide_a_picture() -> None:
    fisheye, pinhole = (find_lens(seen_boards(5), BOARD, kind) for kind in (LensKind.FISHEYE, LensKind.PINHOLE))
    assert fisheye.error_px < pinhole.error_px
