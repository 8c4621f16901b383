"""A camera's pose with the folding tower on the base: markers at height beside those of the rim, fitted together.

The tower is stood by hand, a millimetre or a degree off; where it stands (x, y, turn) is fitted along with the pose and the bloom, so that
only its own geometry is believed. What it adds is height: the direction in which the picture leans over half a metre is measured there, not
extrapolated from a band of markers 50 mm high.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from scipy.optimize import least_squares

from calibration.tower import tower_layout
from rig.messages import CameraPose
from rig.profile import Camera, CameraModel, MarkerLayout, Profile
from vision.geometry import Floats, View
from vision.markers import TOP_POINT_MM, SeenMarkers, find_markers, fit_pose, outward

Picture = npt.NDArray[np.uint8]

LEAST_TOWER = 3
"""Tower markers below which it says nothing that the rim does not say better."""

INLIER_PX = 2.5


@dataclass(frozen=True, slots=True)
class TallFit:
    """The pose, the bloom (px), where the tower stands (x, y in mm, turn in degrees), markers of the tower seen, rms error (px), and the
    error at the fifth floor (mm, one standard deviation across the line of sight)."""

    pose: CameraPose
    bloom_px: float
    tower_mm: tuple[float, float]
    tower_deg: float
    tower_markers: int
    error_px: float
    top_error_mm: float


def find_tall(picture: Picture, profile: Profile, camera: Camera) -> TallFit | None:
    """The pose from a picture (BGR) of the rig with the tower on it; None if too few of its markers or of the rig's are seen."""
    rim = find_markers(picture, profile.markers)
    tall = find_markers(picture, tower_layout(profile.markers))
    return fit_tall(rim, tall, profile.markers, camera.model, camera.number)


def fit_tall(rim: SeenMarkers, tall: SeenMarkers, layout: MarkerLayout, model: CameraModel, camera: int) -> TallFit | None:
    """The same from markers already found."""
    first = fit_pose(rim, layout, model, camera)
    if first is None or len(tall.ids) < LEAST_TOWER:
        return None
    places = {marker.id: np.array(marker.corners_mm) for marker in (*layout.markers, *tower_layout(layout).markers)}
    fixed = np.concatenate([places[number] for number in rim.ids])
    loose = np.concatenate([places[number] for number in tall.ids])
    pixels = np.concatenate((rim.corners_px, tall.corners_px)).reshape(-1, 2)
    push = outward(np.concatenate((rim.corners_px, tall.corners_px))).reshape(-1, 2)

    def misfit(x: Floats, used: npt.NDArray[np.bool_]) -> Floats:
        c, s = np.cos(x[9]), np.sin(x[9])
        stood = loose @ np.array(((c, s, 0.0), (-s, c, 0.0), (0.0, 0.0, 1.0))) + np.array((x[7], x[8], 0.0))
        projected = View.of(model, _pose(camera, x)).project(np.concatenate((fixed, stood))[used])
        return np.asarray(np.nan_to_num(projected - (pixels[used] + x[6] * push[used]), nan=1e3).ravel())

    x = np.array((*first.pose.rvec, *first.pose.tvec_mm, first.bloom_px, 0.0, 0.0, 0.0))
    scale = np.array((0.01, 0.01, 0.01, 5.0, 5.0, 5.0, 0.5, 2.0, 2.0, 0.02))
    everything = np.ones(len(pixels), np.bool_)
    used = everything
    for _ in range(3):
        solution = least_squares(misfit, x, args=(used,), loss="soft_l1", f_scale=0.5, x_scale=scale)
        x = np.asarray(solution.x, np.float64)
        distance = np.linalg.norm(misfit(x, everything).reshape(-1, 2), axis=1)
        again = distance < max(INLIER_PX, 3 * float(np.median(distance)))
        if int(again.sum()) < 12 or bool((again == used).all()):
            break
        used = again
    error_px = float(np.sqrt(np.square(distance[used]).mean()))
    return TallFit(
        _pose(camera, x), float(x[6]), (float(x[7]), float(x[8])), float(np.degrees(x[9])), len(tall.ids), error_px,
        _top_error_mm(np.asarray(solution.jac, np.float64), error_px, x, model, camera),
    )  # fmt: skip


def _pose(camera: int, x: Floats) -> CameraPose:
    return CameraPose(camera, (float(x[0]), float(x[1]), float(x[2])), (float(x[3]), float(x[4]), float(x[5])))


def _top_error_mm(jacobian: Floats, error_px: float, x: Floats, model: CameraModel, camera: int) -> float:
    """What the corners' scatter means at the fifth floor: linear error propagation from all ten unknowns."""
    covariance = np.linalg.pinv(jacobian.T @ jacobian / max(error_px / np.sqrt(2), 0.05) ** 2)[:6, :6]
    here = View.of(model, _pose(camera, x))
    centre = here.project(TOP_POINT_MM)
    slope = []
    for k, step in enumerate((1e-5, 1e-5, 1e-5, 1e-2, 1e-2, 1e-2)):
        moved = x.copy()
        moved[k] += step
        slope.append(((View.of(model, _pose(camera, moved)).project(TOP_POINT_MM) - centre) / step).ravel())
    slopes = np.array(slope).T
    variance = np.einsum("ij,jk,ik->i", slopes, covariance, slopes)
    return float(np.sqrt(2 * variance.mean()) / here.px_per_mm(TOP_POINT_MM[0]))
