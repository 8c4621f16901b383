"""A camera's pose with the folding tower on the base: markers at height beside those of the rim, fitted together.

The tower is stood by hand, a millimetre or a degree off; where it stands (x, y, turn) is fitted along with the pose and the bloom, so that
only its own geometry is believed. What it adds is height: the direction in which the picture leans over half a metre is measured there, not
extrapolated from a band of markers 50 mm high.
"""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np
import numpy.typing as npt
from scipy.optimize import least_squares

from calibration.tower import tower_layout
from rig.messages import CameraPose
from rig.profile import Camera, CameraModel, LensDoubt, MarkerLayout, Profile
from vision.arrays import Floats
from vision.camera.lens import slopes_of
from vision.camera.markers import SeenMarkers, find_markers, fit_pose, outward
from vision.camera.pose_doubt import top_error_mm
from vision.camera.view import CameraView

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
    return fit_tall(rim, tall, profile.markers, camera.model, camera.number, camera.doubt)


def fit_tall(
    rim: SeenMarkers, tall: SeenMarkers, layout: MarkerLayout, model: CameraModel, camera: int, doubt: LensDoubt = ()
) -> TallFit | None:
    """The same from markers already found.

    `rim` and `tall`: markers seen on the frame and on the upright tower in one picture; `layout`: the frame's (mm); `model`: the lens of
    the camera numbered `camera`; `doubt`: the lens's own uncertainty. None if they fit no pose.
    """
    first = fit_pose(rim, layout, model, camera)
    if first is None or len(tall.ids) < LEAST_TOWER:
        return None
    layouts = {marker.id: np.array(marker.corners_mm) for marker in (*layout.markers, *tower_layout(layout).markers)}
    fixed = np.concatenate([layouts[number] for number in rim.ids])
    loose = np.concatenate([layouts[number] for number in tall.ids])
    pixels = np.concatenate((rim.corners_px, tall.corners_px)).reshape(-1, 2)
    push = outward(np.concatenate((rim.corners_px, tall.corners_px))).reshape(-1, 2)

    def places_of(x: Floats) -> Floats:
        c, s = np.cos(x[9]), np.sin(x[9])
        stood = loose @ np.array(((c, s, 0.0), (-s, c, 0.0), (0.0, 0.0, 1.0))) + np.array((x[7], x[8], 0.0))
        return np.concatenate((fixed, stood))

    def misfit(x: Floats, used: npt.NDArray[np.bool_]) -> Floats:
        projected = CameraView.of(model, _pose(camera, x)).project(places_of(x)[used])
        return np.asarray(np.nan_to_num(projected - (pixels[used] + x[6] * push[used]), nan=1e3).ravel())

    x = np.array((*first.pose.rvec, *first.pose.tvec_mm, first.bloom_px, 0.0, 0.0, 0.0))
    scale = np.array((0.01, 0.01, 0.01, 5.0, 5.0, 5.0, 0.5, 2.0, 2.0, 0.02))
    everything = np.ones(len(pixels), np.bool_)
    used = everything
    for _ in range(3):
        solution = least_squares(misfit, x, args=(used,), loss="soft_l1", f_scale=0.5, x_scale=scale)
        x = np.asarray(solution.x, np.float64)
        away = misfit(x, everything).reshape(-1, 2)
        distance = np.linalg.norm(away, axis=1)
        again = distance < max(INLIER_PX, 3 * float(np.median(distance)))
        if int(again.sum()) < 12 or bool((again == used).all()):
            break
        used = again
    error_px = float(np.sqrt(np.square(distance[used]).mean()))
    pose, corners = _pose(camera, x), places_of(x)
    others = np.concatenate((push[..., None], _by_standing(model, pose, corners, len(fixed), x)), axis=2)
    return TallFit(
        pose, float(x[6]), (float(x[7]), float(x[8])), float(np.degrees(x[9])), len(tall.ids), error_px,
        top_error_mm(model, pose, corners, others, away, used, doubt),
    )  # fmt: skip


def _pose(camera: int, x: Floats) -> CameraPose:
    return CameraPose(camera, (float(x[0]), float(x[1]), float(x[2])), (float(x[3]), float(x[4]), float(x[5])))


def _by_standing(model: CameraModel, pose: CameraPose, corners: Floats, fixed: int, x: Floats) -> Floats:
    """How corners (n, 3), of which the first `fixed` are the rim's, move in the picture (n, 2, 3) with the tower's place and turn."""
    by_shift = slopes_of(model, pose, corners)[0][..., 3:]
    turned = np.column_stack((x[8] - corners[:, 1], corners[:, 0] - x[7], np.zeros(len(corners))))
    moves = np.stack((np.tile((1.0, 0.0, 0.0), (len(corners), 1)), np.tile((0.0, 1.0, 0.0), (len(corners), 1)), turned), axis=2)
    moves[:fixed] = 0.0
    return np.asarray(by_shift @ (cv2.Rodrigues(np.array(pose.rvec))[0] @ moves))
