"""The motion chip's samples, from a base or from a log: gravity, noise, clipping, and when it was frozen or silent. Pure."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from rig.base.doctor.figures import Floats, neighbour_noise, runs
from rig.base.doctor.report import ImuReport, Spell
from rig.base.tilt import FROZEN_SAMPLES, WRONG_G

CLIPPED_SHARE = 0.001
SILENT_S = 0.5
REST_SPAN_G = 0.3
CLONES = {0x70: "MPU-6500", 0x71: "MPU-9250", 0x72: "an unnamed copy", 0x98: "ICM-20689"}
"""WHO_AM_I of chips that are sold as MPU-6050 and do as well, with the same registers for what is used here."""


def examine_imu(t_s: Floats, acceleration_g: Floats, full_scale_g: float = 2.0, end_s: float | None = None) -> ImuReport:
    """Acceleration (n, 3) in g dated `t_s` (n,); `full_scale_g` of the chip; `end_s`: when listening ended, if silence till then counts."""
    n = len(t_s)
    if n < 8:
        return ImuReport(n, 0.0, 0.0, 0.0, 0.0, 0.0, ("no samples",))
    magnitude = np.linalg.norm(acceleration_g, axis=1)
    interval_s = float(np.median(np.diff(t_s)))
    rate_hz = 1 / interval_s if interval_s > 0 else 0.0
    rest = _at_rest(acceleration_g)
    clipped = float(np.mean(np.any(np.abs(acceleration_g) >= full_scale_g * (1 - 1 / 16384), axis=1)))
    calm = magnitude[rest] if rest.any() else magnitude
    gravity = float(np.median(calm))
    still = acceleration_g[rest] if rest.any() else acceleration_g
    noise = float(np.median([neighbour_noise(still[:, axis]) for axis in range(3)]))
    spells = (*_frozen(t_s, acceleration_g), *_silent(t_s, interval_s, end_s))
    wrong = [f"{spell.what} {spell.when}" for spell in spells]
    if not any(spell.what == "frozen" for spell in spells) and abs(gravity - 1) > WRONG_G:
        wrong.append(f"reads {gravity:.2f} g at rest instead of 1 g")
    if clipped > CLIPPED_SHARE:
        wrong.append(f"{clipped:.1%} of the samples are clipped at {full_scale_g:.0f} g")
    return ImuReport(n, rate_hz, gravity, noise, clipped, float(rest.mean()), tuple(wrong), spells)


def _frozen(t_s: Floats, acceleration_g: Floats) -> list[Spell]:
    """Runs of one sample repeated, longer than noise ever gives."""
    same = np.concatenate([[False], np.all(np.diff(acceleration_g, axis=0) == 0, axis=1)]).astype(np.float64)
    starts, ends = runs(same)
    return [
        Spell("frozen", float(t_s[start - 1]), float(t_s[end]), int(end) == len(t_s) - 1)
        for start, end in zip(starts, ends, strict=True)
        if same[start] and end - start + 2 > FROZEN_SAMPLES
    ]


def _silent(t_s: Floats, interval_s: float, end_s: float | None) -> list[Spell]:
    least_s = max(SILENT_S, 10 * interval_s)
    pauses = np.flatnonzero(np.diff(t_s) > least_s)
    spells = [Spell("silent", float(t_s[k]), float(t_s[k + 1])) for k in pauses]
    if end_s is not None and end_s - t_s[-1] > least_s:
        spells.append(Spell("silent", float(t_s[-1]), end_s, True))
    return spells


def _at_rest(acceleration_g: Floats, window: int = 25) -> NDArray[np.bool_]:
    """Samples in whose neighbourhood the acceleration keeps within REST_SPAN_G on every axis."""
    n = len(acceleration_g)
    if n < window:
        return np.full(n, bool(np.ptp(acceleration_g, axis=0).max() < REST_SPAN_G))
    views = np.lib.stride_tricks.sliding_window_view(acceleration_g, window, axis=0)
    calm = np.max(np.ptp(views, axis=2), axis=1) < REST_SPAN_G
    left = window // 2
    return np.concatenate([np.repeat(calm[:1], left), calm, np.repeat(calm[-1:], n - len(calm) - left)])
