"""Where every camera is, from one picture each, with the first thing that is wrong with a picture in words."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations

import cv2
import numpy as np
import numpy.typing as npt

from calibration.check import mode_fault, other_rig, stretched, swapped
from rig.errors import PalettiError
from rig.messages import CameraPose, FindPose, Posed
from rig.profile import Profile
from vision.camera.picture_faults import frozen, picture_fault
from vision.see import Eyes

Picture = npt.NDArray[np.uint8]


DOUBTFUL_PX = 1.2
"""Error of a pose above which another explanation is tried: a stretched mode, markers of another rig."""


def find_cameras(profile: Profile, pictures: Sequence[Picture], names: Sequence[str]) -> list[Posed]:
    """Where every camera is; PalettiError with the first thing that is wrong with a picture."""
    numbered = dict(zip((camera.number for camera in profile.cameras), pictures, strict=True))
    for camera, name in zip(profile.cameras, names, strict=True):
        picture = numbered[camera.number]
        mode = mode_fault(picture, camera)
        if mode:
            height, width = picture.shape[:2]
            wanted = f"{camera.model.width_px} x {camera.model.height_px}"
            raise PalettiError(
                f"{name} is {width} x {height}; camera {camera.number} of the profile takes {wanted}. {mode}",
                "Give a picture of the mode that was calibrated.",
            )
        fault = picture_fault(picture, camera)
        if fault:
            raise PalettiError(f"{name}: {fault}")
    for (first, one), (second, other) in combinations(zip(names, pictures, strict=True), 2):
        if frozen(one, other):
            raise PalettiError(f"{first} and {second} are the very same picture.", "Give one picture of every camera.")
    for number, other_number in swapped(profile, numbered).items():
        raise PalettiError(
            f"Camera {number} shows what camera {other_number} saw when it was calibrated: the two are swapped.",
            "Give the pictures in the cameras' order, or exchange their addresses.",
        )
    eyes = Eyes(profile)
    found: list[Posed] = []
    for camera, name in zip(profile.cameras, names, strict=True):
        picture = numbered[camera.number]
        answer = eyes.look(FindPose(id=camera.number, camera=camera.number, frame=camera.number), {camera.number: picture})
        assert isinstance(answer, Posed)
        if answer.pose is None or answer.error_px > DOUBTFUL_PX:
            said = stretched(picture, profile, camera) or other_rig(picture, profile, camera) or answer.sentence
            if said:
                raise PalettiError(f"{name}: {said}", "Turn the camera towards the rig's printed markers.")
        found.append(answer)
    _check_order(found)
    return found


def _check_order(found: Sequence[Posed]) -> None:
    """Camera 1 sees x to the right and y away; with no calibrated poses this alone tells swapped cameras."""
    azimuths = [_azimuth_deg(one.pose) for one in found if one.pose is not None]
    off = [abs((azimuth + 90.0 + 180.0) % 360.0 - 180.0) for azimuth in azimuths]
    nearest = int(np.argmin(off)) if off else 0
    if nearest and off[0] > 60.0 and off[nearest] < 30.0:
        raise PalettiError(
            f"Camera 1 does not look from the rig's front, camera {found[nearest].camera} does: the two are swapped.",
            "Give the picture of the camera in front (x to the right) first, or exchange the cameras' addresses.",
        )


def _azimuth_deg(pose: CameraPose) -> float:
    """Where round the base the camera stands, counter-clockwise from +x."""
    rotation = cv2.Rodrigues(np.array(pose.rvec))[0]
    eye = -rotation.T @ np.array(pose.tvec_mm)
    return float(np.degrees(np.arctan2(eye[1], eye[0])))
