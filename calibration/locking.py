"""Holds a camera's exposure and white balance still, and proves by its pictures that they are held.

A camera that brightens by itself when a hand comes in changes every colour at the wrong moment. Whether it lets itself be locked cannot be
asked: `set` says yes and does nothing, and the magic values differ by system (OpenCV leaves them to the back end: 1 or 0.25 for manual on
Linux, 0 on Windows). So the mode is tried, the value is read back, and then exposure is moved on purpose: only if the pictures follow is it
believed.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

import cv2
import numpy as np
import numpy.typing as npt

from vision.arrays import Floats

Picture = npt.NDArray[np.uint8]

MANUAL_MODES = (1.0, 0.25, 0.0)
"""Values of CAP_PROP_AUTO_EXPOSURE that mean manual: V4L2 as it is now, V4L2 in older OpenCV, DirectShow."""

MOVED = 0.06
"""Relative change of brightness, or of the ratio of red to blue, by which a picture has followed a control."""

SKIP = 6
"""Pictures after a change that may still be old: queued ones, and those under way."""

TRIAL_KELVIN = (2800.0, 6500.0)


class Controls(Protocol):
    """What this needs of a camera; `cv2.VideoCapture` has it."""

    def set(self, prop: int, value: float, /) -> bool: ...

    def get(self, prop: int, /) -> float: ...


@dataclass(frozen=True, slots=True)
class Locked:
    """Whether exposure and white balance are held, by how much the picture followed each control, and what to tell."""

    exposure: bool
    white: bool
    exposure_effect: float
    white_effect: float
    sentences: tuple[str, ...]


def lock(camera: int, controls: Controls, take: Callable[[], Picture]) -> Locked:
    """Locks what the camera allows: manual exposure at its present value, white balance fixed. `take` gives the next picture (BGR)."""
    exposure_effect = _lock_exposure(controls, take)
    white_effect = _lock_white(controls, take)
    name, sentences = f"Camera {camera}", []
    if abs(exposure_effect) < MOVED:
        sentences.append(
            f"{name} does not let its exposure be locked: the control was set, but the pictures did not follow "
            f"({100 * exposure_effect:+.0f} %). Lock it in the camera's own program, or keep the light even."
        )
    if abs(white_effect) < MOVED:
        sentences.append(f"{name} does not let its white balance be locked: the eyes will follow the lamp instead.")
    return Locked(abs(exposure_effect) >= MOVED, abs(white_effect) >= MOVED, exposure_effect, white_effect, tuple(sentences))


def _lock_exposure(controls: Controls, take: Callable[[], Picture]) -> float:
    """The relative change of brightness when exposure is moved by a trial, in the first mode in which the picture follows; 0 if in none."""
    best = 0.0
    for mode in MANUAL_MODES:
        if not controls.set(cv2.CAP_PROP_AUTO_EXPOSURE, mode):
            continue
        value = controls.get(cv2.CAP_PROP_EXPOSURE)
        before = _mean(take)
        # seconds or ticks are halved; DirectShow counts in powers of two, below zero
        trial = value - 1 if value <= 0 else value / 2
        controls.set(cv2.CAP_PROP_EXPOSURE, trial)
        read_back = controls.get(cv2.CAP_PROP_EXPOSURE)
        after = _mean(take)
        controls.set(cv2.CAP_PROP_EXPOSURE, value)
        again = _mean(take)
        effect = float(after.mean() / max(before.mean(), 1e-6) - 1)
        returned = float(again.mean() / max(before.mean(), 1e-6) - 1)
        if abs(effect) > abs(best) and read_back != value:
            best = effect
        if abs(effect) >= MOVED and abs(returned) < abs(effect) / 2 and read_back != value:
            return effect
    return best if abs(best) < MOVED else 0.0


def _lock_white(controls: Controls, take: Callable[[], Picture]) -> float:
    """The relative change of red against blue between two fixed white balances; afterwards the one found before is set again."""
    if not controls.set(cv2.CAP_PROP_AUTO_WB, 0.0):
        return 0.0
    value = controls.get(cv2.CAP_PROP_WB_TEMPERATURE)
    ratios = []
    for kelvin in TRIAL_KELVIN:
        controls.set(cv2.CAP_PROP_WB_TEMPERATURE, kelvin)
        blue, _, red = _mean(take)
        ratios.append(float(red / max(blue, 1e-6)))
    controls.set(cv2.CAP_PROP_WB_TEMPERATURE, value if value > 0 else 4600.0)
    _mean(take)
    return ratios[1] / max(ratios[0], 1e-6) - 1


def _mean(take: Callable[[], Picture]) -> Floats:
    """Mean blue, green and red of a picture that is surely newer than the last change."""
    for _ in range(SKIP):
        picture = take()
    return np.asarray(picture.reshape(-1, 3).mean(0), np.float64)
