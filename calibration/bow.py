"""How far a board is from flat, found from its own views together with the lens.

A sheet on card is bowed by some tenths of a millimetre, and a lens fitted to it as if it were flat has a focal length that is as many
tenths of a per cent off, several times what the fit itself states. So three numbers more are fitted: the board's height above its plane is
a quadratic of its two directions (releasing every corner, as Strobl and Hirzinger do, ICCV workshops 2011, needs whole views; a bow and a
twist need only some). They are held near zero where the views say nothing about them, and count in the uncertainty of the lens.
"""

from __future__ import annotations

from collections.abc import Sequence

import cv2
import numpy as np

from calibration.boards import Floats

BOW_SIGMA_MM = 1.0
"""How far boards are from flat at half their length from the middle, before anything is known: stiff card is within a millimetre."""

LENS = 9
"""Focal lengths, centre, k1, k2, p1, p2, k3: the lens's part of what is fitted."""


def heights(board_mm: Floats, middle_mm: Floats, half_mm: float) -> Floats:
    """The three shapes (n, 3) at these corners (n, 3): along x, twisted, along y, each 1 at half the board's length from its middle."""
    u, v = ((board_mm[:, :2] - middle_mm) / half_mm).T
    return np.column_stack((u * u, u * v, v * v))


def extent(boards_mm: Sequence[Floats]) -> tuple[Floats, float]:
    """The middle (2,) and half the length (mm) of all corners seen."""
    corners = np.concatenate(boards_mm)[:, :2]
    low, high = corners.min(0), corners.max(0)
    return np.asarray((low + high) / 2), float((high - low).max()) / 2


def bow_step(
    shapes: Sequence[Floats],
    boards_mm: Sequence[Floats],
    residuals: Sequence[Floats],
    poses: Sequence[tuple[Floats, Floats]],
    matrix: Floats,
    lens: Floats,
    bow_mm: Floats,
) -> tuple[Floats, Floats]:
    """By how much the bow (3,) is to be changed, and the standard deviations (9,) of the lens with the bow in doubt as well.

    One step of Gauss and Newton from a finished fit: `shapes` (n, 3) and `residuals` (n, 2) of each view, `poses` its turn and shift. A
    third radial term of exactly 0 is taken for not fitted.
    """
    free = LENS if lens.ravel()[4] != 0.0 else LENS - 1
    size = free + 3 + 6 * len(boards_mm)
    normal, right, square, count = np.zeros((size, size)), np.zeros(size), 0.0, 0
    for k, (shape, board, residual, (turn, shift)) in enumerate(zip(shapes, boards_mm, residuals, poses, strict=True)):
        _, slopes = cv2.projectPoints(board, turn, shift, matrix, lens)
        raised, _ = cv2.projectPoints(board + (0.0, 0.0, 0.1), turn, shift, matrix, lens)
        lowered, _ = cv2.projectPoints(board - (0.0, 0.0, 0.1), turn, shift, matrix, lens)
        by_height = (np.asarray(raised, np.float64) - lowered).reshape(-1, 2, 1) / 0.2
        rows = np.zeros((2 * len(board), size))
        rows[:, :free] = slopes[:, 6 : 6 + free]
        rows[:, free : free + 3] = (by_height * shape[:, None, :]).reshape(-1, 3)
        rows[:, free + 3 + 6 * k : free + 9 + 6 * k] = slopes[:, :6]
        normal += rows.T @ rows
        right += rows.T @ residual.ravel()
        square += float(np.square(residual).sum())
        count += residual.size
    variance = square / max(count - size, 1)
    held = np.arange(free, free + 3)
    normal[held, held] += variance / BOW_SIGMA_MM**2
    right[held] -= bow_mm * variance / BOW_SIGMA_MM**2
    scale = 1 / np.sqrt(np.maximum(np.diag(normal), 1e-12))  # focal lengths and radians differ by many orders
    inverse = np.linalg.pinv(normal * np.outer(scale, scale)) * np.outer(scale, scale)
    spread = np.zeros(LENS)
    spread[:free] = np.sqrt(np.maximum(np.diag(inverse)[:free], 0) * variance)
    return (inverse @ right)[held], spread
