"""The code light: one small light in every camera's view, by which each camera's delay is measured. Pure.

The base shows one bit of a known sequence after the other, by its own clock alone: 31 bits of `CODE_BIT_S` (65.5 ms), so the code comes
round every `CODE_PERIOD_S` (2.03 s). Whoever knows the base's clock knows the light, to draw it (`code_light`) or to tell how long a
picture took to arrive (`code_delay`). A camera that shows nothing of the code is frozen, does not see the light, or is another one than was
thought. Finding the light in a picture is left to the eyes; the base's clock at a session time is `rig.base.fold.BaseFold.device_s`.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rig.base.protocol import CODE_SEQUENCE, CODE_TICK_SHIFT, TICK_S

CODE_BITS = 31
CODE_BIT_S = (1 << CODE_TICK_SHIFT) * TICK_S
"""65.536 ms: longer than a picture at 30 a second, so none is missed; several bits fall within a camera's jitter of no more than 50 ms."""
CODE_PERIOD_S = CODE_BITS * CODE_BIT_S

PLACE_MM = (176.0, -219.5)
"""Where the light is on the nominal rig: on the apron's rim, front right, in a gap between two markers, in view of cameras in front and to
the side; x and y in the frame of `rig.messages`."""

LEAST_PICTURES = 12
"""Fewer pictures than this fit too many shifts of the code by chance."""
LEAST_CORRELATION = 0.7
"""Of the brightness with the code. Two shifts of a maximal-length sequence correlate with -1/31, so anything between is no match."""
SEARCH_STEP_S = 0.002

Floats = NDArray[np.float64]


def code_light(t_device_s: float) -> bool:
    """Is the light on when the base's clock (seconds since its boot) shows `t_device_s`?"""
    return bool(CODE_SEQUENCE >> (int(t_device_s / TICK_S) >> CODE_TICK_SHIFT) % CODE_BITS & 1)


def code_level(t_device_s: ArrayLike, exposure_s: float = 0.0) -> Floats:
    """How much of an exposure of `exposure_s` that *ends* at each of `t_device_s` (n,) the light was on: 0 to 1 (n,)."""
    end = np.asarray(t_device_s, dtype=np.float64)
    if exposure_s <= 0.0:
        return np.array([float(code_light(t_s)) for t_s in end.ravel()]).reshape(end.shape)
    return np.asarray((_lit_s(end) - _lit_s(end - exposure_s)) / exposure_s, dtype=np.float64)


@dataclass(frozen=True, slots=True)
class CodeDelay:
    """`delay_s`: from the light to a picture's date, modulo CODE_PERIOD_S, in [0, longest); None with a sentence if it cannot be told.
    `correlation`: of the brightness with the code at that delay, at most 1."""

    delay_s: float | None
    correlation: float
    sentence: str = ""


def code_delay(t_device_s: ArrayLike, brightness: ArrayLike, longest_s: float = 1.0) -> CodeDelay:
    """The delay of a camera whose pictures, dated `t_device_s` (n,) on the base's clock when they arrived, show the light at `brightness`
    (n,) in any unit. Searched from 0 to `longest_s` (under CODE_PERIOD_S); good to some milliseconds with two periods of pictures."""
    dates, bright = np.asarray(t_device_s, dtype=np.float64), np.asarray(brightness, dtype=np.float64)
    if dates.shape != bright.shape or dates.ndim != 1:
        raise ValueError(f"dates and brightness must be of one length, not {dates.shape} and {bright.shape}")
    if not 0 < longest_s < CODE_PERIOD_S:
        raise ValueError(f"longest_s must lie between 0 and {CODE_PERIOD_S:.3f} s, not {longest_s}")
    if len(dates) < LEAST_PICTURES:
        return CodeDelay(None, 0.0, f"{len(dates)} pictures are too few to read the code light: {LEAST_PICTURES} are needed.")
    delays = np.arange(0.0, longest_s, SEARCH_STEP_S)
    # a picture gathers light for some ten milliseconds, and the smooth flank is what gives a fraction of a picture's interval
    shown = np.array([code_level(dates - delay_s, 0.01) for delay_s in delays])
    scores = _correlations(shown, bright)
    best = int(np.argmax(scores))
    if scores[best] < LEAST_CORRELATION:
        return CodeDelay(None, float(scores[best]), "The code light is not seen: hidden, dark, a frozen camera, or another light.")
    # the true delay is the middle of the shifts that fit equally well
    alike = np.flatnonzero(scores > scores[best] - 0.02)
    near = alike[np.abs(alike - best) * SEARCH_STEP_S < CODE_BIT_S]
    return CodeDelay(float(delays[near].mean()), float(scores[best]))


def _lit_s(t_device_s: Floats) -> Floats:
    """Seconds for which the light has been on since the boot (a piecewise linear function, any shape)."""
    bits = np.array([CODE_SEQUENCE >> k & 1 for k in range(CODE_BITS)], dtype=np.float64)
    lit = np.concatenate([[0.0], np.cumsum(bits)])
    turns, rest = np.divmod(t_device_s / CODE_BIT_S, CODE_BITS)
    whole = np.minimum(rest.astype(np.int64), CODE_BITS - 1)
    return np.asarray((turns * lit[-1] + lit[whole] + (rest - whole) * bits[whole]) * CODE_BIT_S, dtype=np.float64)


def _correlations(shown: Floats, bright: Floats) -> Floats:
    """Pearson's correlation of each row of `shown` (m, n) with `bright` (n,); 0 where either never changes (m,)."""
    a = shown - shown.mean(axis=1, keepdims=True)
    b = bright - bright.mean()
    size = np.linalg.norm(a, axis=1) * np.linalg.norm(b)
    return np.asarray(np.divide(a @ b, size, out=np.zeros(len(a)), where=size > 1e-12), dtype=np.float64)
