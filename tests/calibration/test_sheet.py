"""A lens from a board that is not as declared: drawn corners with noise; the truth is the lens, the bow and the stretch that drew them."""

from __future__ import annotations

import math

import cv2
import numpy as np
import numpy.typing as npt
import pytest

from calibration.boards import Seen
from calibration.lens import LensReport, find_lens
from calibration.tower import BOARD
from calibration.views import BOW_TOLD_MM, sentences_of
from rig.profile import CameraModel

LENS = CameraModel(720, 1280, 1142.0, 1140.0, 355.0, 645.0, (-0.06, 0.02, 0.0003, -0.0002, 0.0))
CORNERS = np.array([(32.0 * x, 32.0 * y, 0.0) for y in range(1, 5) for x in range(1, 7)])
MIDDLE = CORNERS[:, :2].mean(0)


def seen(seed: int, bow_mm: float, stretch: float = 0.0, skew: float = 0.0, scale: float = 1.0) -> list[Seen]:
    """Nine views tilted to all sides of a board bent like a spring along its diagonal, its print longer along x by `stretch`, slanted by
    `skew`, larger by `scale`; corners to a twentieth of a pixel."""
    rng = np.random.default_rng(seed)
    along = (CORNERS[:, :2] - MIDDLE) @ (0.8, 0.6) / 110.0
    bent = CORNERS + np.outer(bow_mm * np.cos(along * math.pi / 2), (0, 0, 1))
    bent[:, 0] += stretch * (bent[:, 0] - MIDDLE[0]) + skew * (bent[:, 1] - MIDDLE[1])
    bent *= scale
    matrix = np.array(((LENS.fx_px, 0, LENS.cx_px), (0, LENS.fy_px, LENS.cy_px), (0, 0, 1)))
    views = []
    for k in range(9):
        tilt = 0.0 if k == 0 else 36.0
        turn = math.radians(tilt) * np.array((math.sin(k * 0.8), math.cos(k * 0.8), 0.0)) + np.array((0.0, 0.0, 0.1 * k))
        side = np.array((45.0 * math.sin(k), 70.0 * math.cos(2.1 * k), 400.0 + 10 * k))
        shift = side - cv2.Rodrigues(turn)[0] @ np.append(MIDDLE, 0.0)
        pixels = cv2.projectPoints(bent, turn, shift, matrix, np.array(LENS.distortion))[0].reshape(-1, 2)
        noisy: npt.NDArray[np.float64] = pixels + rng.normal(0, 0.05, pixels.shape)
        views.append(Seen(f"view {k}", np.arange(len(CORNERS)), CORNERS.copy(), noisy, np.zeros_like(noisy), 17, (720, 1280)))
    return views


def off_sd(report: LensReport) -> float:
    """By how many of its own standard deviations the focal length is off."""
    return abs(report.model.fy_px - LENS.fy_px) / report.focal_sd_px


@pytest.mark.parametrize("bow_mm", [-0.6, -0.3, 0.0, 0.3, 0.6])
def test_bowed_board_moves_no_focal_length_and_its_bow_is_told(bow_mm: float) -> None:
    reports = [find_lens(seen(seed, bow_mm), BOARD) for seed in range(2)]
    assert max(off_sd(report) for report in reports) < 3.5
    assert all(abs(report.model.fy_px / LENS.fy_px - 1) < 0.0012 for report in reports)
    assert all(report.bow_mm == pytest.approx(abs(bow_mm) * 0.8, abs=0.2) for report in reports)
    told = " ".join(sentences_of(reports[0]))
    assert ("from flat" in told) == (reports[0].bow_mm >= BOW_TOLD_MM)


def test_few_views_leave_the_board_flat() -> None:
    assert find_lens(seen(1, 0.6)[:4], BOARD).bow_mm == 0.0


@pytest.mark.parametrize(("stretch", "skew", "scale"), [(0.003, 0.0, 1.0), (-0.002, 0.0, 1.01), (0.0, 0.002, 0.99)])
def test_print_stretched_or_askew_or_larger_moves_no_focal_length(stretch: float, skew: float, scale: float) -> None:
    reports = [find_lens(seen(seed, 0.3, stretch, skew, scale), BOARD) for seed in range(2)]
    assert max(off_sd(report) for report in reports) < 3.5
    assert all(abs(report.model.fy_px / LENS.fy_px - 1) < 0.0012 for report in reports)
    assert all(report.stretch == pytest.approx(stretch, abs=0.0007) for report in reports)
    assert ("stretched" in " ".join(sentences_of(reports[0]))) == (abs(reports[0].stretch) >= 0.0005)


def test_lens_in_doubt_is_off_by_as_much_as_it_says_all_told() -> None:
    report = find_lens(seen(3, 0.3), BOARD)
    fx, fy, cx, cy = np.sqrt(np.square(report.doubt).sum(0))[:4]
    assert max(fx, fy) == pytest.approx(report.focal_sd_px, rel=0.02)
    assert max(cx, cy) == pytest.approx(report.centre_sd_px, rel=0.02)
