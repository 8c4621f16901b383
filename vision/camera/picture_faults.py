"""Pictures that must not be read: empty, dark, blank, blurred, of another size, or the one before once more.

A covered lens or a frozen camera must never turn into an opinion about the tower. Each check here answers with a sentence for a person,
or an empty string where nothing is wrong.
"""

from __future__ import annotations

import cv2
import numpy as np
import numpy.typing as npt

from rig.profile import Camera

DARK_LEVEL = 12.0
"""Brightest twentieth of the picture below this grey level (0 to 255): nothing can be read. By design: a twentieth of the grey scale."""

BLANK_SPREAD = 4.0
"""Spread of grey levels (standard deviation) below which the picture is one even surface: a covered lens or a test picture. Set by hand
above a sensor's noise; not measured on real cameras."""

BLUR_SHARE = 0.25
"""Sharpness (mean squared Laplacian) below this share of the reference's: out of focus, steamed up or shaken. Set by hand on tuning
seeds; not measured on a spread of rooms."""


def picture_fault(picture: npt.NDArray[np.uint8] | None, camera: Camera) -> str:
    """What is wrong with a single picture, or an empty string."""
    name = f"Camera {camera.number}"
    if picture is None or picture.ndim != 3 or picture.shape[2] != 3 or picture.size == 0 or picture.dtype != np.uint8:
        return f"{name} delivered no readable colour picture: check its cable, or choose another camera."
    height, width = picture.shape[:2]
    if (width, height) != (camera.model.width_px, camera.model.height_px):
        return (
            f"{name} delivers {width}x{height} pictures, but was calibrated at {camera.model.width_px}x{camera.model.height_px}: "
            "set that mode, or calibrate it again with `paletti calibrate camera`."
        )
    grey = cv2.cvtColor(np.ascontiguousarray(picture[::8, ::8]), cv2.COLOR_BGR2GRAY)
    if float(np.percentile(grey, 95)) < DARK_LEVEL:
        return f"{name}'s picture is dark: switch on a light, or uncover the lens."
    if float(grey.std()) < BLANK_SPREAD:
        return f"{name}'s picture is blank: uncover the lens, or check the cable."
    return ""


def sharpness(grey: npt.NDArray[np.uint8]) -> float:
    """Mean squared Laplacian of a grey picture."""
    return float(np.square(cv2.Laplacian(grey, cv2.CV_16S, ksize=1).astype(np.float32)).mean())


def frozen(picture: npt.NDArray[np.uint8], previous: npt.NDArray[np.uint8]) -> bool:
    """Whether this is the very same picture again: a live sensor's noise never repeats itself."""
    if picture.shape != previous.shape or not np.array_equal(picture[::16, ::16], previous[::16, ::16]):
        return False
    return np.array_equal(picture, previous)
