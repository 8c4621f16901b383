"""The fit of a lens to views of a board: Zhang's method, once for each kind of lens.

Which corners count, bloom, the sheet's own shape and the verdict are `calibration.lens`'s; here corners and their places in the pictures go
in, and a lens with its covariance, and the board's poses, come out.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import cv2
import numpy as np

from calibration.boards import Floats, Seen
from calibration.sheet import pose_of
from rig.errors import PalettiError
from rig.profile import CameraModel, LensKind
from vision.camera.view import View


@dataclass(frozen=True, eq=False)
class Fit:
    """A lens fitted: its error (px rms), the covariance (p, p) of its parameters (`vision.camera.lens.parameters`), and for each view the
    board's pose (turn, shift), what is left of each corner (n, 2), its far normal (3,) and its distance (mm)."""

    model: CameraModel
    error_px: float
    covariance: Floats
    poses: tuple[tuple[Floats, Floats], ...]
    residuals: tuple[Floats, ...]
    normals: Floats
    distances_mm: Floats


def fit_lens(views: Sequence[Seen], bloom_px: float, kind: LensKind, near: CameraModel | None = None) -> Fit:
    """The lens of this kind from views of a board (at least three), whose corners are drawn inward by `bloom_px`; `near`: a lens to begin
    at, which a board that is not flat needs. PalettiError if the views fit no lens."""
    return _FITS[kind](views, bloom_px, near)


def _finished(
    model: CameraModel, covariance: Floats, poses: Sequence[tuple[Floats, Floats]], views: Sequence[Seen], bloom_px: float
) -> Fit:
    """The fit with what it leaves of every view."""
    residuals = tuple(
        view.pixels + bloom_px * view.push - View.of(model, pose_of(turn, shift)).project(view.board_mm)
        for view, (turn, shift) in zip(views, poses, strict=True)
    )
    error_px = float(np.sqrt(np.square(np.concatenate(residuals)).sum(1).mean()))
    normals = np.array([cv2.Rodrigues(turn)[0][:, 2] for turn, _ in poses])
    distances = np.array([float(np.linalg.norm(shift)) for _, shift in poses])
    return Fit(model, error_px, covariance, tuple(poses), residuals, normals, distances)


def _no_fit() -> PalettiError:
    return PalettiError("The views of the board fit no lens.", "Is the board declared rightly, flat, and held at an angle?")


# ---------------------------------------------------------------- pinhole


def _fit_pinhole(views: Sequence[Seen], bloom_px: float, near: CameraModel | None) -> Fit:
    """As OpenCV has it; the third radial term only where the views pin it down and it earns its place."""
    plain, _ = _solve_pinhole(views, bloom_px, cv2.CALIB_FIX_K3, near)
    bent, bent_spread = _solve_pinhole(views, bloom_px, 0, near)
    k3, k3_sd = bent.model.distortion[4], float(bent_spread[8])
    return bent if bent.error_px < 0.98 * plain.error_px and k3_sd < abs(k3) / 3 else plain


def _solve_pinhole(views: Sequence[Seen], bloom_px: float, flags: int, near: CameraModel | None) -> tuple[Fit, Floats]:
    width, height = views[0].size_px
    world = [view.board_mm.astype(np.float32) for view in views]
    pixels = [(view.pixels + bloom_px * view.push).astype(np.float32) for view in views]
    guess, bend = np.array(((1.1 * width, 0, (width - 1) / 2), (0, 1.1 * width, (height - 1) / 2), (0, 0, 1))), np.zeros(5)
    if near is not None:
        flags |= cv2.CALIB_USE_INTRINSIC_GUESS
        guess = np.array(((near.fx_px, 0, near.cx_px), (0, near.fy_px, near.cy_px), (0, 0, 1)))
        bend = np.array((*near.distortion[:4], 0.0 if flags & cv2.CALIB_FIX_K3 else near.distortion[4]))
    try:
        _, matrix, lens, turns, shifts, spread, _, _ = cv2.calibrateCameraExtended(world, pixels, (width, height), guess, bend, flags=flags)
    except cv2.error as trouble:
        raise _no_fit() from trouble
    k = [float(value) for value in np.asarray(lens).ravel()[:5]]
    model = CameraModel(
        width, height, round(float(matrix[0, 0]), 3), round(float(matrix[1, 1]), 3), round(float(matrix[0, 2]), 3),
        round(float(matrix[1, 2]), 3), (k[0], k[1], k[2], k[3], k[4]),
    )  # fmt: skip
    sds = np.asarray(spread, np.float64).ravel()
    poses = tuple((np.asarray(turn, np.float64), np.asarray(shift, np.float64)) for turn, shift in zip(turns, shifts, strict=True))
    return _finished(model, np.diag(np.square(sds[:9])), poses, views, bloom_px), sds


_FITS: Mapping[LensKind, Callable[[Sequence[Seen], float, CameraModel | None], Fit]] = {LensKind.PINHOLE: _fit_pinhole}
