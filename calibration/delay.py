"""How long each camera's pictures take, by the code light: finds the light in the pictures and says the delay with its uncertainty.

The light is one small spot somewhere on the rim. It is found as the place whose brightness follows the code at some delay better than any
other place does; a screen or a lamp that flickers follows it nowhere. The code and the search for the delay are `rig.base.code_light`'s.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import cv2
import numpy as np
import numpy.typing as npt

from rig.base.code_light import LEAST_PICTURES, code_delay, code_level
from vision.arrays import Floats

Picture = npt.NDArray[np.uint8]

FIELD_PX = 2
"""Side of the fields whose means are searched for the light (px): a 5 mm light covers 4 px at 1 m in 720p, 2 px in 360p."""

SURROUND_FIELDS = 9
"""Width of the surrounding (fields) whose mean is taken off each field: lamps and exposure that wander brighten all of it alike."""

LIVELIEST = 4000
"""How many fields, those that vary most, are held against the code."""

LEAST_SWING = 2.5
"""Grey levels (standard deviation) below which a field's brightness is noise and JPEG."""

LEAST_FIT = 0.6
"""Correlation with the code below which a field is not the light."""

LONGEST_S = 0.6
"""Longest delay searched: beyond it a camera is of no use for refereeing."""

GOOD_SD_S = 0.015
"""Uncertainty up to which the delay serves: a quarter of what a hand needs to move a column by its own width."""

BLOCKS = 8


@dataclass(frozen=True, slots=True)
class Delay:
    """A camera's delay from the middle of its exposure to arrival, with its standard deviation (s), and where the light is (px); None
    with a sentence where it cannot be told."""

    camera: int
    delay_s: float | None
    sd_s: float
    light_px: tuple[float, float] | None
    correlation: float
    sentence: str = ""


def camera_delay(camera: int, pictures: Sequence[Picture], arrived_device_s: Sequence[float]) -> Delay:
    """The delay of a camera from pictures (BGR or grey, all of one size) and when each arrived on the base's clock (s).

    Some 40 pictures over two rounds of the code (4 s) are good to a few milliseconds.
    """
    name = f"Camera {camera}"
    if len(pictures) != len(arrived_device_s):
        raise ValueError(f"{len(pictures)} pictures and {len(arrived_device_s)} dates do not go together")
    if len(pictures) < LEAST_PICTURES:
        return Delay(camera, None, 0.0, None, 0.0, f"{name} gave {len(pictures)} pictures; {LEAST_PICTURES} are needed to time it.")
    dates = np.asarray(arrived_device_s, np.float64)
    series = np.stack([_fields(picture) for picture in pictures])
    if float(np.abs(np.diff(series, axis=0)).max()) == 0.0:
        return Delay(camera, None, 0.0, None, 0.0, f"{name} delivers the same picture again and again: it is frozen; plug it in anew.")
    place = _find_light(series, dates)
    if place is None:
        return Delay(camera, None, 0.0, None, 0.0, f"{name} does not see the code light: is it switched on and in view?")
    row, column = place
    bright = series[:, row, column].astype(np.float64)
    found = code_delay(dates, bright, LONGEST_S)
    where = ((column + 0.5) * FIELD_PX - 0.5, (row + 0.5) * FIELD_PX - 0.5)
    if found.delay_s is None:
        return Delay(camera, None, 0.0, where, found.correlation, f"{name}: {found.sentence}")
    sd = _jackknife_sd(dates, bright, found.delay_s)
    delay = found.delay_s + EXPOSURE_HALF_S
    sentence = "" if sd <= GOOD_SD_S else f"{name}'s delay is uncertain by {1e3 * sd:.0f} ms: give it steadier light and more pictures."
    return Delay(camera, delay, sd, where, found.correlation, sentence)


EXPOSURE_HALF_S = 0.005
"""The search assumes an exposure of 10 ms and counts from its end; the delay is meant from its middle."""


def _fields(picture: Picture) -> npt.NDArray[np.float32]:
    """Means over fields of `FIELD_PX` pixels (rows, columns)."""
    grey = picture if picture.ndim == 2 else cv2.cvtColor(picture, cv2.COLOR_BGR2GRAY)
    height, width = grey.shape[0] // FIELD_PX, grey.shape[1] // FIELD_PX
    fields = cv2.resize(grey[: height * FIELD_PX, : width * FIELD_PX], (width, height), interpolation=cv2.INTER_AREA).astype(np.float32)
    return np.asarray(fields - cv2.blur(fields, (SURROUND_FIELDS, SURROUND_FIELDS)), np.float32)


def _find_light(series: npt.NDArray[np.float32], dates: Floats) -> tuple[int, int] | None:
    """The field (row, column) that follows the code best at any delay; None if none does."""
    spread = series.std(0).ravel()
    lively = np.argsort(-spread)[:LIVELIEST]
    lively = lively[spread[lively] >= LEAST_SWING]
    if len(lively) == 0:
        return None
    shapes = series.reshape(len(series), -1)[:, lively]
    shapes = shapes - shapes.mean(0)
    shapes /= np.linalg.norm(shapes, axis=0)
    best, place = 0.0, None
    for delay in np.arange(0.0, LONGEST_S, 0.01):
        code = code_level(dates - delay, 2 * EXPOSURE_HALF_S)
        code = code - code.mean()
        length = float(np.linalg.norm(code))
        if length < 1e-9:
            continue
        fit = (code / length).astype(np.float32) @ shapes
        # of fields that follow it alike the one that swings most is the light itself, not its gleam on the table
        score = fit + 0.05 * spread[lively] / spread[lively[0]]
        score[fit < LEAST_FIT] = 0.0
        k = int(score.argmax())
        if float(score[k]) > best:
            best, place = float(score[k]), int(lively[k])
    return None if place is None else (place // series.shape[2], place % series.shape[2])


def _jackknife_sd(dates: Floats, bright: Floats, delay_s: float) -> float:
    """Standard deviation of the delay by leaving out every eighth part of the pictures in turn (Efron and Stein 1981)."""
    answers = []
    for block in range(BLOCKS):
        kept = np.arange(len(dates)) % BLOCKS != block
        if int(kept.sum()) < LEAST_PICTURES:
            return LONGEST_S
        again = code_delay(dates[kept], bright[kept], LONGEST_S)
        answers.append(LONGEST_S if again.delay_s is None else again.delay_s)
    spread = np.array(answers) - delay_s
    return float(np.sqrt((BLOCKS - 1) / BLOCKS * np.square(spread).sum()))
