"""What a sensor makes of the light that comes through the lens: exposure, white balance, vignetting, blur, noise.

`PlainSensor` is `lab`'s: the same small noise everywhere, nothing wanders. `Sensor` is a household webcam's: at its first picture it finds
its exposure and its white balance (the world's grey, most of the way), from then on both are held but wander slowly, as automatic ones do
when they are locked badly; noise is stronger in the dark. World B's cameras sharpen as well, and their noise is coloured and coarser.
All is drawn from the seed and a function of time, pictures in order.
"""

from __future__ import annotations

import math
from typing import Protocol

import cv2
import numpy as np
import numpy.typing as npt

from rig.twin.pictures.level_pictures import PictureLevel

Picture = npt.NDArray[np.uint8]
Floats = npt.NDArray[np.float32]

GREY = (100.0, 132.0)
"""Mean brightness that the exposure aims at, drawn once a camera."""
FURTHEST_GAIN = 1.5
"""No camera brightens or darkens more than this against the drawn picture, nor shifts red or blue."""


class Develops(Protocol):
    """What a sensor makes of the ideal picture."""

    def spoil(self, picture: Picture, t_s: float = 0.0) -> Picture:
        """What the sensor delivers (BGR) for the ideal `picture` (BGR) exposed at `t_s`."""


class PlainSensor:
    """Blur and noise of a small sensor. The noise is drawn once and laid on from another corner each time: fast and as unlike as needed."""

    def __init__(self, width_px: int, height_px: int, seed: int, noise: float = 1.6, blur_px: float = 0.55) -> None:
        rng = np.random.default_rng((seed, 0x0153))
        grain = rng.normal(0.0, noise, (height_px + 257, width_px + 257, 3)).astype(np.float32)
        self._grain = np.asarray(np.rint(grain), np.int16)
        self._blur_px = blur_px
        self._rng = rng

    def spoil(self, picture: Picture, t_s: float = 0.0) -> Picture:  # noqa: ARG002 - nothing wanders here
        """Softness, noise and the sensor's grain, the same at all times."""
        height, width = picture.shape[:2]
        y, x = (int(v) for v in self._rng.integers(0, 257, 2))
        soft = cv2.GaussianBlur(picture, (3, 3), self._blur_px)
        return np.asarray(cv2.add(soft, self._grain[y : y + height, x : x + width], dtype=cv2.CV_8U), np.uint8)


class Wander:
    """A smooth wander of unit variance in time: three slow waves of periods between 12 and 120 s."""

    def __init__(self, rng: np.random.Generator) -> None:
        self._rates = 2 * math.pi / np.exp(rng.uniform(math.log(12.0), math.log(120.0), 3))
        self._phases = rng.uniform(0, 2 * math.pi, 3)

    def at(self, t_s: float) -> float:
        """The value at `t_s`; over a long time its mean is 0 and its standard deviation 1."""
        return float(np.sin(self._rates * t_s + self._phases).sum() * math.sqrt(2 / 3))


class Sensor:
    """One household webcam's."""

    def __init__(self, width_px: int, height_px: int, seed: int, camera: int, level: PictureLevel, coarse: bool = False) -> None:
        rng = self._rng = np.random.default_rng((seed, camera, 0x5E45))
        self._level, self._coarse = level, coarse
        self._wanders = [Wander(rng) for _ in range(3)]
        self._aim = float(rng.uniform(*GREY))
        self._whitening = float(rng.uniform(0.35, 0.95))
        self._tint = np.exp(rng.normal(0, 0.02, 3))
        self._blur_px = float(rng.uniform(*level.blur_px))
        self._sharpening = float(rng.uniform(0.3, 0.8)) if coarse else 0.0
        grain = rng.standard_normal((height_px + 257, width_px + 257, 3), np.float32)
        if coarse:  # denoised in the camera: larger specks, each channel its own
            soft = cv2.GaussianBlur(grain, (0, 0), 0.8)
            grain = np.asarray(soft / float(soft.std()), np.float32)
        else:  # mostly brightness, because the chip interpolates its colours
            grain = np.asarray(0.45 * grain + 0.85 * grain[..., 1:2], np.float32)
        self._grain: Floats = grain
        dark, light = level.noise
        self._sigma = (dark + (light - dark) * np.sqrt(np.linspace(0, 1, 256))).astype(np.float32)
        corners = float(rng.uniform(0.3, 1.0)) * level.vignette
        ys, xs = np.mgrid[-1 : 1 : height_px * 1j, -1 : 1 : width_px * 1j]
        self._shade = np.repeat(np.rint(255 * (1 - corners * ((xs * xs + ys * ys) / 2) ** 1.3)).astype(np.uint8)[..., None], 3, axis=2)
        self._settled: npt.NDArray[np.float64] | None = None

    def spoil(self, picture: Picture, t_s: float = 0.0) -> Picture:
        """Exposure, white balance, noise and sharpening as the camera has them at `t_s`."""
        if self._settled is None:
            self._settled = self._settle(picture)
        height, width = picture.shape[:2]
        lit = cv2.LUT(picture, self._curves(t_s))
        lit = cv2.multiply(lit, self._shade[:height, :width], scale=1 / 255)
        lit = cv2.GaussianBlur(lit, (5, 5), self._blur_px)
        if self._sharpening:
            lit = cv2.addWeighted(lit, 1 + self._sharpening, cv2.GaussianBlur(lit, (0, 0), 1.2), -self._sharpening, 0)
        y, x = (int(v) for v in self._rng.integers(0, 257, 2))
        noise = cv2.multiply(cv2.LUT(lit, self._sigma), self._grain[y : y + height, x : x + width])
        return np.asarray(cv2.add(lit, noise, dtype=cv2.CV_8U), np.uint8)

    def _settle(self, picture: Picture) -> npt.NDArray[np.float64]:
        """Gains of blue, green and red by which this camera starts."""
        small = cv2.resize(picture, (64, 64), interpolation=cv2.INTER_AREA).reshape(-1, 3).astype(float)
        mean = small.mean(axis=0)
        white = (mean[1] / np.maximum(mean, 1.0)) ** self._whitening * self._tint
        exposure = self._aim / max(float(mean @ (0.114, 0.587, 0.299)), 1.0)
        gains = np.clip(white, 1 / FURTHEST_GAIN, FURTHEST_GAIN) * float(np.clip(exposure, 1 / FURTHEST_GAIN, FURTHEST_GAIN))
        return np.asarray(gains)

    def _curves(self, t_s: float) -> Picture:
        """For each channel what becomes of a brightness now, with a soft shoulder; (1, 256, 3)."""
        assert self._settled is not None
        bright, red, blue = (wander.at(t_s) for wander in self._wanders)
        white = np.exp(self._level.white_wander * np.array([blue, 0.0, red]))
        gains = self._settled * white * math.exp(self._level.exposure_wander * bright)
        value = np.linspace(0, 1, 256)[:, None] * gains
        knee = 0.82
        rolled = knee + (1 - knee) * (1 - np.exp(-(value - knee) / (1 - knee)))
        return np.asarray(np.rint(255 * np.where(value > knee, rolled, value)), np.uint8)[None]
