"""The fit of a lens to views of a board: Zhang's method, once for each kind of lens.

Which corners count, bloom, the sheet's own shape and the verdict are `calibration.lens`'s; here corners and their places in the pictures go
in, and a lens with its covariance, and the board's poses, come out.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import cv2
import numpy as np
from scipy.optimize import least_squares

from calibration.boards import LEAST_CORNERS, Floats, Seen
from calibration.sheet import pose_of
from rig.errors import PalettiError
from rig.profile import CameraModel, LensKind
from vision.camera.lens import parameters, pixels_of, rays_of, slopes_of, with_parameters
from vision.camera.view import CameraView


@dataclass(frozen=True, eq=False)
class LensFit:
    """A lens fitted: its error (px rms), the covariance (p, p) of its parameters (`vision.camera.lens.parameters`), and for each view the
    board's pose (turn, shift), what is left of each corner (n, 2), its far normal (3,) and its distance (mm)."""

    model: CameraModel
    error_px: float
    covariance: Floats
    poses: tuple[tuple[Floats, Floats], ...]
    residuals: tuple[Floats, ...]
    normals: Floats
    distances_mm: Floats


def fit_lens(views: Sequence[Seen], bloom_px: float, kind: LensKind, near: CameraModel | None = None) -> LensFit:
    """The lens of this kind from views of a board (at least three), whose corners are drawn inward by `bloom_px`; `near`: a lens to begin
    at, which a board that is not flat needs. PalettiError if the views fit no lens."""
    return _FITS[kind](views, bloom_px, near)


def _finished(
    model: CameraModel, covariance: Floats, poses: Sequence[tuple[Floats, Floats]], views: Sequence[Seen], bloom_px: float
) -> LensFit:
    """The fit with what it leaves of every view."""
    residuals = tuple(
        view.pixels + bloom_px * view.push - CameraView.of(model, pose_of(turn, shift)).project(view.board_mm)
        for view, (turn, shift) in zip(views, poses, strict=True)
    )
    error_px = float(np.sqrt(np.square(np.concatenate(residuals)).sum(1).mean()))
    normals = np.array([cv2.Rodrigues(turn)[0][:, 2] for turn, _ in poses])
    distances = np.array([float(np.linalg.norm(shift)) for _, shift in poses])
    return LensFit(model, error_px, covariance, tuple(poses), residuals, normals, distances)


def _no_fit() -> PalettiError:
    return PalettiError("The views of the board fit no lens.", "Is the board declared rightly, flat, and held at an angle?")


# ---------------------------------------------------------------- pinhole


def _fit_pinhole(views: Sequence[Seen], bloom_px: float, near: CameraModel | None) -> LensFit:
    """As OpenCV has it; the third radial term only where the views pin it down and it earns its place."""
    plain, _ = _solve_pinhole(views, bloom_px, cv2.CALIB_FIX_K3, near)
    bent, bent_spread = _solve_pinhole(views, bloom_px, 0, near)
    k3, k3_sd = bent.model.distortion[4], float(bent_spread[8])
    return bent if bent.error_px < 0.98 * plain.error_px and k3_sd < abs(k3) / 3 else plain


def _solve_pinhole(views: Sequence[Seen], bloom_px: float, flags: int, near: CameraModel | None) -> tuple[LensFit, Floats]:
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


# ---------------------------------------------------------------- fisheye


def _fit_fisheye(views: Sequence[Seen], bloom_px: float, near: CameraModel | None) -> LensFit:
    """All corners' distances in the picture made least over lens and poses (Levenberg and Marquardt); k3 and k4 only where they earn their
    place. OpenCV's own `fisheye.calibrate` is not used: it states no uncertainty, and gives up on views that fill a wide picture."""
    start = near or first_fisheye(views)
    short = _solve_fisheye(views, bloom_px, start, terms=2)
    whole = _solve_fisheye(views, bloom_px, short.model, terms=4)
    return whole if whole.error_px < 0.98 * short.error_px else short


def first_fisheye(views: Sequence[Seen]) -> CameraModel:
    """An equidistant lens to begin at: of focal lengths from 0.25 to 1.5 of the picture's width, that which best makes planes of the views'
    boards. PalettiError if none does."""
    width, height = views[0].size_px
    best: tuple[float, CameraModel] | None = None
    for share in np.geomspace(0.25, 1.5, 40):
        focal = float(share * width)
        model = CameraModel(width, height, focal, focal, (width - 1) / 2, (height - 1) / 2, (0.0,) * 4, LensKind.FISHEYE)
        away = [_off_plane_px(model, view) for view in views]
        error = float(np.median(away))
        if np.isfinite(error) and (best is None or error < best[0]):
            best = error, model
    if best is None:
        raise _no_fit()
    return best[1]


def _off_plane_px(model: CameraModel, view: Seen) -> float:
    """Median distance (px) of a view's corners from where a plane has them, seen through this lens; inf if it has no such
    rays."""
    rays = rays_of(model, view.pixels)
    if np.isnan(rays).any():
        return float("inf")
    plane, _ = cv2.findHomography(view.board_mm[:, :2], rays, cv2.RANSAC, 0.02)
    if plane is None:
        return float("inf")
    on_plane = cv2.perspectiveTransform(view.board_mm[:, None, :2].astype(np.float64), plane).reshape(-1, 2)
    return float(np.median(np.linalg.norm(pixels_of(model, on_plane) - view.pixels, axis=1)))


def _first_board_poses(views: Sequence[Seen], pixels: Sequence[Floats], model: CameraModel) -> list[tuple[Floats, Floats]]:
    """The board's pose in each view, from its rays (OpenCV's IPPE)."""
    poses = []
    for view, seen in zip(views, pixels, strict=True):
        rays = rays_of(model, seen)
        known = np.isfinite(rays).all(1)
        if known.sum() < LEAST_CORNERS:
            raise _no_fit()
        flat = view.board_mm[known] * (1.0, 1.0, 0.0)
        found, turn, shift = cv2.solvePnP(flat, rays[known], np.eye(3), np.zeros(5), flags=cv2.SOLVEPNP_IPPE)
        if not found:
            raise _no_fit()
        poses.append((np.asarray(turn, np.float64).ravel(), np.asarray(shift, np.float64).ravel()))
    return poses


def _solve_fisheye(views: Sequence[Seen], bloom_px: float, start: CameraModel, terms: int) -> LensFit:
    """The fit with the first `terms` distortion terms free, the others 0."""
    pixels = [view.pixels + bloom_px * view.push for view in views]
    free = 4 + terms

    def lens_of(x: Floats) -> CameraModel:
        return with_parameters(start, np.concatenate((x[:free], np.zeros(4 - terms))))

    def poses_of(x: Floats) -> list[tuple[Floats, Floats]]:
        return [(pose[:3], pose[3:]) for pose in x[free:].reshape(-1, 6)]

    def misfit(x: Floats) -> Floats:
        model = lens_of(x)
        seen = [CameraView.of(model, pose_of(*pose)).project(view.board_mm) for view, pose in zip(views, poses_of(x), strict=True)]
        return np.nan_to_num(np.concatenate(seen) - np.concatenate(pixels), nan=1e3).ravel()

    def slopes(x: Floats) -> Floats:
        model, rows = lens_of(x), []
        for k, (view, pose) in enumerate(zip(views, poses_of(x), strict=True)):
            by_pose, by_lens = slopes_of(model, pose_of(*pose), view.board_mm)
            row = np.zeros((2 * len(view.board_mm), len(x)))
            row[:, :free] = by_lens[..., :free].reshape(-1, free)
            row[:, free + 6 * k : free + 6 * k + 6] = by_pose.reshape(-1, 6)
            rows.append(row)
        return np.nan_to_num(np.concatenate(rows))

    begin = np.concatenate([parameters(start)[:free], *(np.concatenate(pose) for pose in _first_board_poses(views, pixels, start))])
    solution = least_squares(misfit, begin, slopes, method="lm", x_scale="jac")
    x = np.asarray(solution.x, np.float64)
    rows = slopes(x)
    scale = 1 / np.maximum(np.linalg.norm(rows, axis=0), 1e-12)  # focal lengths and radians differ by many orders
    inverse = np.linalg.pinv((rows * scale).T @ (rows * scale)) * np.outer(scale, scale)
    covariance = np.zeros((8, 8))
    covariance[:free, :free] = inverse[:free, :free] * 2 * solution.cost / max(len(solution.fun) - len(x), 1)
    return _finished(lens_of(x), covariance, poses_of(x), views, bloom_px)


_FITS: Mapping[LensKind, Callable[[Sequence[Seen], float, CameraModel | None], LensFit]] = {
    LensKind.PINHOLE: _fit_pinhole,
    LensKind.FISHEYE: _fit_fisheye,
}
