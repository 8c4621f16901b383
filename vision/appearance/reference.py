"""What the empty base and the room behind it look like: the picture from which a whole reading tells pieces by difference.

A red cushion has a red column's paint, but it was there when the base was empty. So a settled picture of the empty base, adapted to the
light of now, says for every pixel how likely it is that it shows what the room shows there: as it did, or in a shadow that a piece throws.
Only what differs needs an explanation by pieces. The camera must stand where it stood: `usable_with` says so.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import cv2
import numpy as np

from rig.messages import CameraPose
from vision.appearance.paints import OTHER_DENSITY, features, lamp_gain
from vision.arrays import Bools, Maps, Picture
from vision.camera.view import CameraView

MOVED_PX = 2.5
"""Displacement (full-size pixels, of the base or of the tower's top) beyond which a camera has moved since its reference was taken.
Neighbouring pixels are compared too, which allows one pixel at half size. By design: at half size one pixel is two of these."""

TIGHT_SIGMA = (0.09, 0.09, 0.12)
"""Difference between two pictures of the same thing in the same light: two chromas and log brightness. Set by hand on tuning seeds; not
measured on a spread of rooms. As `vision.change.evidence.SAME_SIGMA`."""

SHADOW_SIGMA = 0.15
"""The same for the chromas of what lies in a piece's shadow or takes colour from a piece beside it. Set by hand on tuning seeds; not
measured on a spread of rooms."""

SHADOW_LOG = (-2.3, 0.25)
"""Change of log brightness that a shadow, or a bright piece's reflection, makes: any of this range is as likely. Set by hand on tuning
seeds; not measured on a spread of rooms."""

DARK_NOISE = 0.006
"""Noise in linear light: log features of dark pixels scatter by it over the pixel's light. By design: as large as
`vision.appearance.paints.FLOOR_LIGHT`."""

SHADOW_SHARE, MOVED_SHARE = 0.15, 0.05
"""Share of the room's pixels that lie in a new shadow, and of those that show anything else than before. Set by hand on tuning seeds;
not measured on a spread of rooms."""

CHANGED_BELOW = -1.0
"""Log of density as before against that of anything, below which a pixel has changed. By design: unlike the room by a factor of e at
least."""


@dataclass(frozen=True, slots=True, eq=False)
class EmptyBase:
    """A settled picture (BGR, full size) of the empty base by the camera of `pose`."""

    pose: CameraPose
    picture: Picture


def usable_with(empty: EmptyBase, pose: CameraPose, view: CameraView, empty_view: CameraView) -> bool:
    """Whether the camera stands where it stood when the base was empty; views are full size."""
    points = np.array([(x, y, z) for z in (0.0, 450.0) for x, y in ((0, 0), (150, 0), (-150, 0), (0, 150), (0, -150))], dtype=np.float64)
    moved = np.linalg.norm(view.project(points) - empty_view.project(points), axis=1)
    return empty.pose.camera == pose.camera and bool(np.nan_to_num(moved, nan=np.inf).max() <= MOVED_PX)


def reference_for(pose: CameraPose, view: CameraView, empties: Sequence[EmptyBase]) -> EmptyBase | None:
    """The picture of the empty base by which the picture of a camera at `pose` can be read; None if there is none or it has moved."""
    for empty in empties:
        if empty.pose.camera == pose.camera and usable_with(empty, pose, view, CameraView.of(view.model, empty.pose)):
            return empty
    return None


@dataclass(frozen=True, eq=False)
class Reference:
    """The empty base in the light of now, for the crop that is read: `room` is the log density (h, w) of each pixel if no piece shows
    there, `changed` the pixels that do not look as they did, `was` the features (3, h, w) of the empty base."""

    room: Maps
    changed: Bools
    was: Maps

    @classmethod
    def of(cls, now: Picture, empty: Picture) -> Reference:
        """`now` and `empty`: the same crop (BGR) of both pictures."""
        seen = features(now)
        was = features(empty, lamp_gain(now, empty))
        square = np.ones((3, 3), np.uint8)
        low = np.stack([cv2.erode(one, square) for one in was])
        high = np.stack([cv2.dilate(one, square) for one in was])
        away = seen - np.clip(seen, low, high)
        dark = DARK_NOISE * np.exp(-np.maximum(np.minimum(was[2], seen[2]), -5.0))
        same = np.logaddexp(
            _log_density(away, dark, TIGHT_SIGMA[0], TIGHT_SIGMA[2]) + np.float32(np.log(1 - SHADOW_SHARE - MOVED_SHARE)),
            _in_shadow(away, dark) + np.float32(np.log(SHADOW_SHARE)),
        )
        room = np.logaddexp(same, np.float32(OTHER_DENSITY + np.log(MOVED_SHARE)))
        changed = cv2.morphologyEx((same - OTHER_DENSITY < CHANGED_BELOW).astype(np.uint8), cv2.MORPH_OPEN, square)
        return cls(np.asarray(room, np.float32), changed.astype(np.bool_), was)


def _log_density(away: Maps, dark: Maps, chroma: float, light: float) -> Maps:
    """Log density (h, w) of a difference of features under a Gaussian that dark pixels widen."""
    result = np.full(away.shape[1:], np.float32(-1.5 * np.log(2 * np.pi)))
    for axis, sigma in enumerate((chroma, chroma, light)):
        wide = np.float32(sigma) + dark
        result -= np.float32(0.5) * np.square(away[axis] / wide) + np.log(wide)
    return np.asarray(result, np.float32)


def _in_shadow(away: Maps, dark: Maps) -> Maps:
    """The same for what lies in shadow: chroma as before, brightness anything within `SHADOW_LOG`."""
    beyond = away[2] - np.clip(away[2], *SHADOW_LOG)
    wide = np.float32(SHADOW_SIGMA) + dark
    spread = np.float32(0.15) + dark
    density = -np.float32(np.log(2 * np.pi)) - 2 * np.log(wide) - np.float32(np.log(SHADOW_LOG[1] - SHADOW_LOG[0]))
    density -= np.float32(0.5) * (np.square(away[0] / wide) + np.square(away[1] / wide) + np.square(beyond / spread))
    return np.asarray(density, np.float32)
