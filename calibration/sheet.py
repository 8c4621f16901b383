"""How a printed board differs from the board declared, found from its own views together with the lens.

A sheet on card is bowed by some tenths of a millimetre, and printers stretch the direction in which they feed the paper by a thousandth or
two against the other. A lens fitted as if the sheet were true has a focal length that is as many tenths of a per cent off, several times
what the fit itself states. So five numbers more are fitted: the board's height above its plane is a quadratic of its two directions
(releasing every corner, as Strobl and Hirzinger do, ICCV workshops 2011, needs whole views; these need only some), x is stretched against
y, and skewed along it. They are held near zero where the views say nothing about them, and count in the uncertainty of the lens. A print
that is larger or smaller in both directions alike cannot be seen, and need not be: it changes the distances of the views, not the lens.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from calibration.boards import Floats
from rig.messages import CameraPose
from rig.profile import CameraModel
from vision.camera.lens import parameters, slopes_of
from vision.camera.view import CameraView

SIGMA_MM = np.array((1.0, 1.0, 1.0, 0.5, 0.2))
"""How far boards are from true at half their length from the middle, before anything is known (mm): heights of stiff card; a stretch of
half a per cent of 100 mm; paper fed askew by a tenth of a degree."""

NUDGE_MM = 0.1
"""Step by which the slopes of pixels along a deformation are taken."""


def deformations(board_mm: Floats, middle_mm: Floats, half_mm: float) -> Floats:
    """How far each deformation of 1 mm moves these corners (n, 3): (5, n, 3). Height along x, twisted, along y; x stretched; x skewed."""
    u, v = ((board_mm[:, :2] - middle_mm) / half_mm).T
    moved = np.zeros((len(SIGMA_MM), len(board_mm), 3))
    moved[:3, :, 2] = u * u, u * v, v * v
    moved[3:, :, 0] = u, v
    return moved


def extent(boards_mm: Sequence[Floats]) -> tuple[Floats, float]:
    """The middle (2,) and half the length (mm) of all corners seen."""
    corners = np.concatenate(boards_mm)[:, :2]
    low, high = corners.min(0), corners.max(0)
    return np.asarray((low + high) / 2), float((high - low).max()) / 2


def pose_of(turn: Floats, shift_mm: Floats) -> CameraPose:
    """OpenCV's turn (3,) and shift (3,) from the board to the camera as a pose; it is of no camera of the rig (number 0)."""
    turns, shifts = ([float(value) for value in np.asarray(numbers).ravel()] for numbers in (turn, shift_mm))
    return CameraPose(0, (turns[0], turns[1], turns[2]), (shifts[0], shifts[1], shifts[2]))


def sheet_step(
    moved: Sequence[Floats],
    boards_mm: Sequence[Floats],
    residuals: Sequence[Floats],
    poses: Sequence[tuple[Floats, Floats]],
    model: CameraModel,
    sheet_mm: Floats,
) -> tuple[Floats, Floats]:
    """By how much the sheet's deformations (5,) are to be changed, and the covariance (p, p) of the lens's p parameters (its own order, see
    `vision.camera.lens`) with the sheet in doubt as well.

    One step of Gauss and Newton from a finished fit, from each view's `moved` (5, n, 3), corners on the sheet as fitted so far `boards_mm`
    (n, 3), `residuals` (n, 2) in px and `poses` (turn, shift); `model` is the lens fitted, `sheet_mm` (5,) the deformations so far. Last
    distortion terms of exactly 0 are taken for not fitted.
    """
    count_lens = len(parameters(model))
    free = count_lens - sum(1 for k in range(1, len(model.distortion) + 1) if not any(model.distortion[-k:]))
    shapes = len(SIGMA_MM)
    size = free + shapes + 6 * len(boards_mm)
    normal, right, square, count = np.zeros((size, size)), np.zeros(size), 0.0, 0
    for k, (ways, board, residual, (turn, shift)) in enumerate(zip(moved, boards_mm, residuals, poses, strict=True)):
        pose = pose_of(turn, shift)
        by_pose, by_lens = slopes_of(model, pose, board)
        view = CameraView.of(model, pose)
        rows = np.zeros((2 * len(board), size))
        rows[:, :free] = by_lens[..., :free].reshape(-1, free)
        for j, way in enumerate(ways):
            rows[:, free + j] = (view.project(board + NUDGE_MM * way) - view.project(board - NUDGE_MM * way)).ravel() / (2 * NUDGE_MM)
        rows[:, free + shapes + 6 * k : free + shapes + 6 * k + 6] = by_pose.reshape(-1, 6)
        normal += rows.T @ rows
        right += rows.T @ residual.ravel()
        square += float(np.square(residual).sum())
        count += residual.size
    variance = square / max(count - size, 1)
    held = np.arange(free, free + shapes)
    normal[held, held] += variance / SIGMA_MM**2
    right[held] -= sheet_mm * variance / SIGMA_MM**2
    scale = 1 / np.sqrt(np.maximum(np.diag(normal), 1e-12))  # focal lengths and radians differ by many orders
    inverse = np.linalg.pinv(normal * np.outer(scale, scale)) * np.outer(scale, scale)
    covariance = np.zeros((count_lens, count_lens))
    covariance[:free, :free] = inverse[:free, :free] * variance
    return np.asarray((inverse @ right)[held]), covariance
