"""Finds every camera's pose from pictures of the empty rig and writes it into the profile, with a report that says how good it is.

The finding is `vision.camera.markers`'; here the pictures of one camera are combined, checked against each other and against what a
five-floor tower needs, and put into words. Intrinsics are taken from the profile.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import cv2
import msgspec
import numpy as np
import numpy.typing as npt

from calibration.tall import TallFit, find_tall
from rig.errors import PalettiError
from rig.messages import CameraPose
from rig.profile import Profile
from vision.camera.markers import pose_from
from vision.camera.view import CameraView
from vision.scene.overlay import crops_ghost

Picture = npt.NDArray[np.uint8]

GOOD_TOP_MM = 1.5
"""Error at the fifth floor up to which the eyes refine places as they should."""

WANDER_MM = 2.0
"""Spread at the fifth floor between pictures of one camera beyond which it did not stand still."""

MAY_CROP = 0.02
"""Share of the five-floor ghost that may be out of the picture: rounding at the corners."""

TOP_POINT_MM = (0.0, 0.0, 525.0)


@dataclass(frozen=True, slots=True)
class PoseReport:
    """One camera's pose with what a person should know: `good` is False where `sentence` asks for something to be done. `tower_markers`:
    how many markers of the calibration tower took part (0: it did not stand there)."""

    camera: int
    pose: CameraPose
    pictures: int
    markers: int
    error_px: float
    top_error_mm: float
    wander_mm: float
    cropped: float
    good: bool
    sentence: str
    tower_markers: int = 0


def find_pose(profile: Profile, camera: int, pictures: Sequence[Picture]) -> PoseReport:
    """The pose of a camera from one or more pictures (BGR, full size) of it; PalettiError with the worst reason if none gives one."""
    model = next((known for known in profile.cameras if known.number == camera), None)
    if model is None:
        raise PalettiError(f"The profile {profile.name!r} has no camera {camera}.", "Name a camera of the profile.")
    answers = [pose_from(picture, profile, model, 0) for picture in pictures]
    posed = [answer for answer in answers if answer.pose is not None]
    if not posed:
        reason = answers[0].sentence if answers else f"Camera {camera} gave no picture."
        raise PalettiError(reason, "Then calibrate again.")
    best = min(posed, key=lambda answer: answer.top_error_mm)
    assert best.pose is not None
    tall = [fit for picture in pictures if (fit := find_tall(picture, profile, model)) is not None]
    if tall:
        return _with_tower(profile, camera, min(tall, key=lambda fit: fit.top_error_mm), best.markers, len(posed))
    views = [CameraView.of(model.model, answer.pose) for answer in posed if answer.pose is not None]
    places = np.array([view.project(TOP_POINT_MM) for view in views])
    wander = float(np.linalg.norm(places - places.mean(0), axis=1).max() / views[0].px_per_mm(TOP_POINT_MM))
    cropped = crops_ghost(profile, best.pose)
    sentence = _verdict(camera, best.top_error_mm, wander, cropped)
    return PoseReport(
        camera, best.pose, len(posed), best.markers, best.error_px, best.top_error_mm, wander, cropped, not sentence, sentence
    )


def _with_tower(profile: Profile, camera: int, fit: TallFit, markers: int, pictures: int) -> PoseReport:
    """The report where the calibration tower stood on the base: its markers at height settle the pose."""
    cropped = crops_ghost(profile, fit.pose)
    sentence = _verdict(camera, fit.top_error_mm, 0.0, cropped)
    return PoseReport(
        camera, fit.pose, pictures, markers, fit.error_px, fit.top_error_mm, 0.0, cropped, not sentence, sentence, fit.tower_markers
    )


def _verdict(camera: int, top_error_mm: float, wander_mm: float, cropped: float) -> str:
    if cropped > MAY_CROP:
        return f"Camera {camera} cuts off {100 * cropped:.0f} % of a five-floor tower: move it back or tilt it until nothing is cut."
    if wander_mm > WANDER_MM:
        return f"Camera {camera} moved by {wander_mm:.1f} mm between its pictures: fix it firmly and calibrate again."
    if top_error_mm > GOOD_TOP_MM:
        return f"Camera {camera}'s pose is uncertain by {top_error_mm:.1f} mm at the fifth floor: show it more markers, better lit."
    return ""


def pose_cameras(profile: Profile, pictures: Mapping[int, Sequence[Picture]]) -> tuple[Profile, tuple[PoseReport, ...]]:
    """The profile with the poses found for all cameras given, and their reports; PalettiError if one has none or two are swapped."""
    reports = tuple(find_pose(profile, camera, shown) for camera, shown in sorted(pictures.items()))
    for first in reports:
        for second in reports:
            if first.camera < second.camera and _same_place(first.pose, second.pose):
                raise PalettiError(
                    f"Cameras {first.camera} and {second.camera} see the rig from the same place: one camera is opened twice.",
                    "Give each its own device.",
                )
    found = {report.camera: report.pose for report in reports}
    cameras = tuple(msgspec.structs.replace(camera, pose=found.get(camera.number, camera.pose)) for camera in profile.cameras)
    return msgspec.structs.replace(profile, cameras=cameras), reports


def _same_place(a: CameraPose, b: CameraPose) -> bool:
    return bool(np.linalg.norm(_eye(a) - _eye(b)) < 20.0)


def _eye(pose: CameraPose) -> npt.NDArray[np.float64]:
    return np.asarray(-cv2.Rodrigues(np.array(pose.rvec))[0].T @ np.array(pose.tvec_mm), dtype=np.float64)
