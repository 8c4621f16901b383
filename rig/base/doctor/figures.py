"""Robust figures of samples, because the patient may be ill: noise from neighbours' differences, drift from medians of pieces. Pure."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from rig.base.cell import COUNTS, CellFilter, CellLimits

Floats = NDArray[np.float64]

DRIFT_WINDOW_S = 3.0
"""Shorter: more windows between hands; longer: steadier levels."""
CALM_SHARE = 0.3
"""With less of the time at rest than this, drift cannot be told from load, and counts as none."""
LOAD_NOISES = 20.0
"""Times the noise by which drift changes the level within some seconds at the most; what changes it more is load."""
STIR_NOISES = 6.0
"""Times the noise that a neighbour's difference must have to be a movement."""
TWO_STATE_NOISES = 5.0
TWO_STATE_WINDOW = 18
TWO_STATE_LEAST = 4
"""Values a window must have at least: what was rounded to a few steps has heaps of its own."""


def neighbour_noise(values: Floats) -> float:
    """Standard deviation of the noise of `values` (n,) from neighbours' differences (median absolute, so that steps and spikes do not
    count; 1.4826 makes a standard deviation of a median absolute deviation, the root of 2 a sample of a difference)."""
    steps = np.diff(values)
    return float(1.4826 * np.median(np.abs(steps)) / np.sqrt(2)) if len(steps) else 0.0


def bad_reads(values: Floats, limits: CellLimits = COUNTS) -> NDArray[np.bool_]:
    """Which of the samples (n,) are no measurements, by the judgement that the game uses (n,). The last two are never judged."""
    cell, good = CellFilter(limits), np.zeros(len(values), dtype=np.bool_)
    for k, value in enumerate(values.tolist()):
        for sample in cell.feed(float(k), value):
            good[int(sample.t_s)] = True
    good[-2:] = True
    return ~good


def stirred(values: Floats) -> NDArray[np.bool_]:
    """Samples (n,) near which the cell moves far beyond its noise (n,): what the others do then is load, not bad reads."""
    moved = np.abs(np.diff(values, prepend=values[:1])) > STIR_NOISES * neighbour_noise(values)
    return np.asarray(np.convolve(moved, np.ones(5), mode="same") > 0)


def drift_per_minute(t_s: Floats, values: Floats) -> float:
    """Drift of `values` (n,) dated `t_s` (n,), in their unit a minute.

    It is the sum of small changes from window to window over the time they took: loads that come and go are larger, and left out.
    """
    span_s = float(t_s[-1] - t_s[0]) if len(t_s) else 0.0
    pieces = [piece for piece in np.array_split(np.arange(len(values)), max(8, int(span_s / DRIFT_WINDOW_S))) if len(piece)]
    if len(pieces) < 2:
        return 0.0
    x = np.array([np.mean(t_s[piece]) for piece in pieces])
    y = np.array([np.median(values[piece]) for piece in pieces])
    width = np.array([np.subtract(*np.percentile(values[piece], [90, 10])) for piece in pieces])
    most = LOAD_NOISES * neighbour_noise(values)
    calm = width <= most
    near = calm[1:] & calm[:-1] & (np.abs(np.diff(y)) <= most)
    took_s = float(np.diff(x)[near].sum())
    if took_s <= CALM_SHARE * span_s:
        return 0.0
    return 60 * float(np.diff(y)[near].sum()) / took_s


def runs(values: Floats) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """First and last index (m,) of each run of equal values (n,), n at least 1."""
    edges = np.flatnonzero(np.diff(values) != 0) + 1
    return np.concatenate([[0], edges]).astype(np.int64), (np.concatenate([edges, [len(values)]]) - 1).astype(np.int64)


def two_states(values: Floats) -> bool:
    """Do the values (n,) lie in two narrow heaps with nothing between, going to and fro, in a fifth of all short windows?"""
    windows = [values[k : k + TWO_STATE_WINDOW] for k in range(0, len(values) - TWO_STATE_WINDOW + 1, TWO_STATE_WINDOW // 2)]
    return bool(windows) and sum(_two_heaps(window) for window in windows) >= max(1, 0.2 * len(windows))


def _two_heaps(values: Floats) -> bool:
    low, high = np.percentile(values, [10, 90])
    if len(np.unique(values)) <= TWO_STATE_LEAST:
        return False
    middle = (low + high) / 2
    upper = values > middle
    if not 0.1 < upper.mean() < 0.9:
        return False
    gap = float(np.median(values[upper]) - np.median(values[~upper]))
    spread = 1.4826 * max(
        float(np.median(np.abs(values[upper] - np.median(values[upper])))),
        float(np.median(np.abs(values[~upper] - np.median(values[~upper])))),
    )
    between = np.mean(np.abs(values - middle) < 0.25 * gap)
    flips = int(np.sum(upper[1:] != upper[:-1]))
    return bool(gap > TWO_STATE_NOISES * max(spread, 1e-12) and between < 0.05 and flips >= 4)
