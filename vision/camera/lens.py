"""A camera's lens by itself: the numbers of its model, its rays, how places in the picture follow these numbers, and a first pose.

This is the model as calibration, pose finding and the doubts about them need it, alike for every kind of lens; the formulas are in
`vision.camera.projection`, a lens at a pose is a `CameraView`. A lens's parameters are, in this order, the focal lengths and the centre
(fx, fy, cx, cy, px) and its distortion terms (`rig.profile.CameraModel`).
"""

from __future__ import annotations

from functools import lru_cache

import cv2
import msgspec
import numpy as np
import numpy.typing as npt

from rig.messages import CameraPose
from rig.profile import CameraModel, LensKind
from vision.arrays import Floats
from vision.camera.projection import CAMERA, project_points, straighten_pixels

TURN_STEP, SHIFT_STEP_MM, FOCAL_STEP_PX, TERM_STEP = 1e-6, 1e-3, 1e-2, 1e-6
"""Steps of the central differences in `slopes_of`: radians, millimetres, pixels, and the terms' own unit. By design: each moves a place in
a picture by about a thousandth of a pixel, where rounding (1e-13 px) and curvature both stay below 1e-6 of the slope."""

RANSAC_PX = 6.0
"""How far a corner may be from a drawn pose and still speak for it (px). By design: three times what bloom and bent paper shift a
corner."""


def record(model: CameraModel, rotation: Floats, shift_mm: Floats, scale: float, origin: tuple[int, int]) -> npt.NDArray[np.void]:
    """The lens at a pose as the compiled loops take it: (1,) of `CAMERA`.

    `rotation` (3, 3) and `shift_mm` (3,) lead from the world to the camera; the picture is scaled by `scale` and cropped at `origin` (x, y
    in scaled px).

    `model` is the lens.
    """
    numbers = np.zeros(1, dtype=CAMERA)
    terms = np.zeros(CAMERA["terms"].shape)
    terms[: len(model.distortion)] = model.distortion
    numbers[0] = (
        tuple(LensKind).index(model.kind), rotation, shift_mm, model.fx_px, model.fy_px, model.cx_px, model.cy_px, terms, scale, *origin,
    )  # fmt: skip
    return numbers


@lru_cache(maxsize=64)
def _at_rest(model: CameraModel) -> npt.NDArray[np.void]:
    """The lens in the camera's own frame, whole picture."""
    return record(model, np.eye(3), np.zeros(3), 1.0, (0, 0))


def parameters(model: CameraModel) -> Floats:
    """fx, fy, cx, cy (px) and the distortion terms, (4 + terms,)."""
    return np.array((model.fx_px, model.fy_px, model.cx_px, model.cy_px, *model.distortion))


def with_parameters(model: CameraModel, values: Floats) -> CameraModel:
    """The same kind of lens with other `parameters` (4 + terms,)."""
    fx, fy, cx, cy, *terms = (float(value) for value in values)
    return msgspec.structs.replace(model, fx_px=fx, fy_px=fy, cx_px=cx, cy_px=cy, distortion=tuple(terms))


def squeezed(model: CameraModel, x: float, y: float) -> CameraModel:
    """The lens with its focal lengths multiplied: what squeezing the picture makes of it, its centre left alone."""
    return msgspec.structs.replace(model, fx_px=model.fx_px * x, fy_px=model.fy_px * y)


def rays_of(model: CameraModel, pixels: npt.ArrayLike) -> Floats:
    """Where the rays of pixels (..., 2) meet the plane at depth 1 before the camera (..., 2); NaN where the lens has no such ray."""
    points = np.asarray(pixels, dtype=np.float64)
    return straighten_pixels(_at_rest(model), np.ascontiguousarray(points.reshape(-1, 2))).reshape(points.shape)


def pixels_of(model: CameraModel, rays: npt.ArrayLike) -> Floats:
    """The inverse of `rays_of`: places (..., 2) on the plane at depth 1 to pixels (..., 2) of the whole picture."""
    places = np.asarray(rays, dtype=np.float64)
    flat = places.reshape(-1, 2)
    points = np.column_stack((flat, np.ones(len(flat)))) * 1000.0  # a metre away: depth 1 would count as inside the camera
    return project_points(_at_rest(model), points).reshape(places.shape)


def px_per_rad(model: CameraModel, rays: Floats) -> Floats:
    """Pixels (...,) that one radian across the line of sight covers at rays (..., 2) on the plane at depth 1.

    A pinhole's is its focal length, which leaves out that perspective widens things towards the picture's edge (1.06 at 20 degrees) and
    what the distortion does there. A fisheye's is the geometric mean of what its polynomial does along the radius and across it.
    """
    if model.kind is LensKind.PINHOLE:
        return np.full(rays.shape[:-1], model.fx_px)
    angle = np.maximum(np.arctan(np.hypot(rays[..., 0], rays[..., 1])), 1e-6)
    powers = np.array([angle ** (2 * k) for k in range(1, len(model.distortion) + 1)])
    terms = np.array(model.distortion).reshape(-1, *(1,) * angle.ndim)
    along = 1 + (terms * powers * (2 * np.arange(1, len(terms) + 1) + 1).reshape(terms.shape)).sum(0)
    across = (1 + (terms * powers).sum(0)) * angle / np.sin(angle)
    return np.asarray(model.focal_px * np.sqrt(np.maximum(along * across, 0.0)))


def turn_deg(model: CameraModel, pixels: float) -> float:
    """By how many degrees a camera is tilted to shift its picture's middle upright by so many pixels."""
    ray = rays_of(model, (model.cx_px, model.cy_px + pixels))
    return float(np.degrees(np.arctan(ray[1])))


def slopes_of(model: CameraModel, pose: CameraPose, points_mm: Floats) -> tuple[Floats, Floats]:
    """How places in the picture (n, 2) of points (n, 3) move with the pose's turn and shift (n, 2, 6), and with the lens's `parameters`
    (n, 2, 4 + terms). Central differences of the one projection, so alike for every kind of lens."""
    turn, shift = np.array(pose.rvec, dtype=np.float64), np.array(pose.tvec_mm, dtype=np.float64)
    lens = parameters(model)
    points = np.ascontiguousarray(points_mm, dtype=np.float64)

    def seen(about_pose: Floats, about_lens: Floats) -> Floats:
        rotation = np.asarray(cv2.Rodrigues(turn + about_pose[:3])[0], np.float64)
        return project_points(record(with_parameters(model, lens + about_lens), rotation, shift + about_pose[3:], 1.0, (0, 0)), points)

    pose_steps = np.array((TURN_STEP,) * 3 + (SHIFT_STEP_MM,) * 3)
    lens_steps = np.array((FOCAL_STEP_PX,) * 4 + (TERM_STEP,) * (len(lens) - 4))
    still, same = np.zeros(6), np.zeros(len(lens))
    by_pose = [(seen(step, same) - seen(-step, same)) / (2 * step.sum()) for step in np.diag(pose_steps)]
    by_lens = [(seen(still, step) - seen(still, -step)) / (2 * step.sum()) for step in np.diag(lens_steps)]
    return np.stack(by_pose, axis=2), np.stack(by_lens, axis=2)


def first_pose(model: CameraModel, points_mm: Floats, pixels: Floats) -> tuple[Floats, Floats] | None:
    """A robust first pose, turn (3,) and shift (3,) in mm, from points (n, 3) and where they were seen (n, 2); None if fewer than eight
    agree on one. RANSAC over whole corners (OpenCV's `solvePnPRansac`, SQPnP) on the picture that a lens without distortion would give, so
    that a misread marker or a bent sheet does not lead it astray."""
    rays = rays_of(model, pixels)
    known = np.isfinite(rays).all(1)
    if known.sum() < 8:
        return None
    focal = np.array((model.fx_px, model.fy_px))
    ok, rvec, tvec, inliers = cv2.solvePnPRansac(
        points_mm[known], rays[known] * focal, np.diag((*focal, 1.0)), np.zeros(5),
        iterationsCount=200, reprojectionError=RANSAC_PX, confidence=0.999, flags=cv2.SOLVEPNP_SQPNP,
    )  # fmt: skip
    if not ok or inliers is None or len(inliers) < 8:
        return None
    return rvec.ravel().astype(np.float64), tvec.ravel().astype(np.float64)
