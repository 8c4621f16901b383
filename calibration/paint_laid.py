"""A plateau's paint: the picture in which it lies on the columns or on the base, against the one before.

The blue one is shown by a game's start (U2); the others are laid on the empty base one after the other, or set down when all pieces are
measured (`calibration.pieces`). Until then the eyes know them by a first guess that follows the lamp and allows for gloss
(`vision.appearance.gloss`).
"""

from __future__ import annotations

from collections.abc import Mapping

import cv2
import numpy as np
import numpy.typing as npt

from calibration.cutout import new_pixels
from calibration.paint import light_of_pixels, neutral_rgb, whites_of
from rig.errors import PalettiError
from rig.pieces import Floor
from rig.profile import Profile, Rgb
from vision.appearance.paints import feature_of
from vision.arrays import Floats
from vision.camera.markers import find_markers, pose_from
from vision.camera.picture_faults import picture_fault
from vision.camera.view import CameraView

Picture = npt.NDArray[np.uint8]

LEAST_MM2 = 3000.0
"""What must be new, seen square on: half of the smallest plateau's face. The blue one's slanting face shows at least twice that."""


def measure_laid(profile: Profile, start: Mapping[int, Picture], laid: Mapping[int, Picture], plateau: Floor = Floor.BLUE) -> Rgb:
    """A plateau's paint in neutral light, from one picture (BGR) a camera before and after it was laid.

    PalettiError if a picture cannot be used, nothing as large as a plateau is new, or what is new is nearer to another plateau's paint.
    """
    if sorted(start) != sorted(laid) or not laid:
        raise PalettiError(f"Each camera must show the base without and with the {plateau.word} plateau.", "Give as many pictures of both.")
    lights: list[Floats] = []
    for number in sorted(laid):
        lights.extend(_light(profile, number, start[number], laid[number]))
    if not lights:
        raise PalettiError(
            f"No camera sees a plateau where the {plateau.word} one was to be laid.", "Lay it down, hands away, and try again."
        )
    rgb = neutral_rgb(np.concatenate(lights))
    nearest = min(profile.paint.plateaus, key=lambda floor: _hue_between(rgb, profile.paint.plateaus[floor]))
    if nearest is not plateau:
        hint = "The blue plateau comes first (U2)." if plateau is Floor.BLUE else "Show the plateaus in the order that was asked."
        raise PalettiError(f"The plateau that was laid looks {nearest.word}, not {plateau.word}.", hint)
    return rgb


def _light(profile: Profile, number: int, start: Picture, laid: Picture) -> list[Floats]:
    """Linear light, as by neutral light, of the plateau's pixels in one camera's picture; empty where it does not show."""
    camera = profile.camera(number)
    for picture in (start, laid):
        fault = picture_fault(picture, camera)
        if fault:
            raise PalettiError(fault, "Then show the start position again.")
    posed = pose_from(laid, profile, camera, 0)
    pose = posed.pose or camera.pose
    if pose is None:
        raise PalettiError(posed.sentence or f"Camera {number} has no pose.", "Calibrate the cameras first.")
    view = CameraView.of(camera.model, pose)
    mask = new_pixels(view, profile, start, laid)
    height_mm = max(size.height_mm for size in profile.columns.values())
    if int(mask.sum()) < LEAST_MM2 * view.px_per_mm((0.0, 0.0, height_mm)) ** 2:
        return []
    flat, upright = whites_of(laid, find_markers(laid, profile.markers), profile.markers)
    white = flat or upright
    if white is None:
        return []
    inner = cv2.erode(mask.astype(np.uint8), np.ones((7, 7), np.uint8)).astype(np.bool_)
    return [light_of_pixels(laid[inner & (laid.max(2) < 252)], white)]


def _hue_between(one: Rgb, other: Rgb) -> float:
    first, second = (float(np.arctan2(*feature_of(rgb)[1::-1])) for rgb in (one, other))
    return abs((first - second + np.pi) % (2 * np.pi) - np.pi)
