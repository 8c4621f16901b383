"""What is wrong with these sensors? One look at some seconds of samples, from whomever they come. Pure.

Every figure is robust, because the patient may be ill: noise from differences of neighbours, drift from medians of pieces, spikes as
excursions of one or two samples (an HX711's filter takes four to settle, so nothing physical is that short). What is found is a list of
sentences; an empty list means well. It judges what a base says too, from its own frames.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from rig.base.cell import FLOATING_COUNTS, FULL_SCALE, NEAR_FULL_SCALE
from rig.base.logs import Log

Floats = NDArray[np.float64]

SLOWEST_HZ, FASTEST_HZ = 8.0, 100.0
"""An HX711 gives 10 or 80 samples a second, within some ten percent (data sheet); anything else is read from a wire that is not one."""
SLOW_HZ = 15.0
GAP_INTERVALS = 2.5
FROZEN_S = 1.0
FROZEN_SHARE = 0.5
SPIKE_NOISES = 12.0
"""Times the noise between neighbours that an excursion must have to be a bad read."""
SPIKE_SHARE = 0.002
"""Bad reads beyond this share are worth looking for their cause."""
DRIFT_PER_MINUTE_NOISES = 20.0
DRIFT_WINDOW_S = 3.0
"""Shorter: more windows between hands; longer: steadier levels."""
CALM_SHARE = 0.3
"""With less of the time at rest than this, drift cannot be told from load, and counts as none."""
LOAD_NOISES = 20.0
"""Times the noise by which drift changes the level within some seconds at the most; what changes it more is load."""
TWO_STATE_NOISES = 5.0
TWO_STATE_WINDOW = 18
CLIPPED_SHARE = 0.001
GRAVITY_OFF_G = 0.15
CLONES = {0x70: "MPU-6500", 0x71: "MPU-9250", 0x72: "an unnamed copy", 0x98: "ICM-20689"}
"""WHO_AM_I of chips that are sold as MPU-6050 and do as well, with the same registers for what is used here."""


@dataclass(frozen=True, slots=True)
class ChannelReport:
    """One cell. Units are those of the log (counts or grams). `mean` over the good samples; `noise`: standard deviation at rest;
    `drift_per_minute`: of the resting level; shares are 0 to 1; `wrong` are sentences, empty if all is well."""

    name: str
    samples: int
    rate_hz: float
    mean: float
    noise: float
    drift_per_minute: float
    spikes: int
    frozen_share: float
    saturated_share: float
    gaps: int
    wrong: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class ImuReport:
    """The motion chip: rate, length of gravity at rest and its noise (g), shares of clipped samples and of time at rest."""

    samples: int
    rate_hz: float
    gravity_g: float
    noise_g: float
    clipped_share: float
    rest_share: float
    wrong: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class DoctorReport:
    """Everything found; `link` are sentences about what is wrong with cable and clock, `notes` about what is only worth knowing."""

    source: str
    seconds: float
    unit: str
    channels: tuple[ChannelReport, ...]
    imu: ImuReport | None
    link: tuple[str, ...]
    notes: tuple[str, ...] = ()

    @property
    def wrong(self) -> tuple[str, ...]:
        """All that is wrong, as sentences."""
        found = [f"{channel.name}: {sentence}" for channel in self.channels for sentence in channel.wrong]
        found += [f"motion chip: {sentence}" for sentence in (self.imu.wrong if self.imu else ())]
        return (*found, *self.link)


def spikes(values: Floats) -> NDArray[np.bool_]:
    """Which samples are excursions of one or two samples off a level that goes on before and after (n,)."""
    n = len(values)
    out = np.zeros(n, dtype=np.bool_)
    if n < 8:
        return out
    noise = neighbour_noise(values)
    for width in (1, 2):
        k = np.arange(3, n - 3 - width)
        before = np.median(np.stack([values[k - 1], values[k - 2], values[k - 3]]), axis=0)
        after = np.median(np.stack([values[k + width], values[k + width + 1], values[k + width + 2]]), axis=0)
        inside = np.stack([values[k + i] for i in range(width)])
        rise, fall = inside - before, inside - after
        off = np.minimum(np.abs(rise), np.abs(fall)).min(axis=0)
        one_side = np.all(rise * fall > 0, axis=0) & (np.ptp(np.sign(rise), axis=0) == 0)
        level = np.abs(after - before) < 0.3 * off
        found = k[one_side & level & (off > SPIKE_NOISES * noise)]
        for i in range(width):
            out[found + i] = True
    return out


def stirred(values: Floats) -> NDArray[np.bool_]:
    """Samples near which the cell moves far beyond its noise (n,): what the others do then is load, not bad reads."""
    moved = np.abs(np.diff(values, prepend=values[:1])) > SPIKE_NOISES / 2 * neighbour_noise(values)
    return np.asarray(np.convolve(moved, np.ones(5), mode="same") > 0)


def neighbour_noise(values: Floats) -> float:
    """Standard deviation of the noise from neighbours' differences (median absolute, so that steps and spikes do not count)."""
    steps = np.diff(values)
    return float(1.4826 * np.median(np.abs(steps)) / np.sqrt(2)) if len(steps) else 0.0


def examine_channel(name: str, t_s: Floats, values: Floats, is_counts: bool, shared: NDArray[np.bool_] | None = None) -> ChannelReport:
    """One cell's samples (n,) dated `t_s` (n,). `shared` (n,): where other cells move too, so that excursions are load."""
    if len(values) < 8:
        return ChannelReport(name, len(values), 0.0, 0.0, 0.0, 0.0, 0, 0.0, 0.0, 0, ("not connected: no samples",))
    steps = np.diff(t_s)
    interval_s = float(np.median(steps))
    rate_hz = 1 / interval_s if interval_s > 0 else 0.0
    bad = spikes(values) if shared is None else spikes(values) & ~shared
    good = values[~bad]
    noise = neighbour_noise(good)
    frozen = _frozen_share(t_s, values)
    saturated = _saturated_share(values, is_counts)
    drift = _drift_per_minute(t_s[~bad], good)
    gaps = int(np.sum(steps > GAP_INTERVALS * interval_s)) if interval_s > 0 else 0
    wrong: list[str] = []
    if not SLOWEST_HZ <= rate_hz <= FASTEST_HZ:
        wrong.append(f"{rate_hz:.4g} samples/s is no rate an HX711 has (10 or 80): look at the wiring")
    if frozen > FROZEN_SHARE:
        dead = "dead" if frozen > 0.95 else "frozen"
        wrong.append(f"{dead}: the same value for {frozen:.0%} of the time")
    elif saturated > 0.01:
        wrong.append(f"at full scale for {saturated:.0%} of the samples: overloaded, or a broken wire")
    elif is_counts and float(np.median(np.abs(np.diff(values)))) > FLOATING_COUNTS:
        wrong.append("noise over the whole range: not connected")
    else:
        if bad.mean() > SPIKE_SHARE:
            wrong.append(f"{int(bad.sum())} bad reads ({bad.mean():.1%}): look at power and cable")
        if _two_states(good):
            wrong.append("jumps between two levels: a loose contact or slipping bits, no load")
        span_s = float(t_s[-1] - t_s[0])
        if span_s > 60 and noise > 0 and abs(drift) > DRIFT_PER_MINUTE_NOISES * noise:
            wrong.append(f"drifts {drift:+.3g} a minute: let it warm up, then tare again")
    mean = float(np.median(good))
    return ChannelReport(name, len(values), rate_hz, mean, noise, drift, int(bad.sum()), frozen, saturated, gaps, tuple(wrong))


def examine_imu(t_s: Floats, acceleration_g: Floats, full_scale_g: float = 2.0) -> ImuReport:
    """Acceleration (n, 3) in g dated `t_s` (n,)."""
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
    same = np.all(np.diff(acceleration_g, axis=0) == 0, axis=1)
    wrong: list[str] = []
    if same.mean() > FROZEN_SHARE:
        wrong.append("frozen: it repeats the same values")
    elif abs(gravity - 1) > GRAVITY_OFF_G:
        wrong.append(f"reads {gravity:.2f} g at rest instead of 1 g")
    if clipped > CLIPPED_SHARE:
        wrong.append(f"{clipped:.1%} of the samples are clipped at {full_scale_g:.0f} g")
    return ImuReport(n, rate_hz, gravity, noise, clipped, float(rest.mean()), tuple(wrong))


def examine_log(log: Log, source: str, is_counts: bool | None = None) -> DoctorReport:
    """Anybody's log. Whether it holds counts or grams is told from the values unless `is_counts` says so."""
    link: list[str] = []
    if log.restarts:
        link.append(f"its clock runs backwards {log.restarts} time{'s' * (log.restarts > 1)}: several runs in one file, or a reset")
    if log.skipped > 0.01 * len(log.t_s):
        link.append(f"{log.skipped} lines hold no numbers: a garbled line or a wrong baud rate")
    seconds = float(log.t_s[-1])
    if log.acceleration:
        return DoctorReport(source, seconds, "g", (), examine_imu(log.t_s, log.columns), tuple(link))
    counts = looks_like_counts(log.columns) if is_counts is None else is_counts
    moved = np.stack([stirred(log.columns[:, k]) for k in range(len(log.names))])
    channels = tuple(
        examine_channel(name, log.t_s, log.columns[:, k], counts, np.asarray(np.delete(moved, k, axis=0).any(axis=0)))
        for k, name in enumerate(log.names)
    )
    gaps = max(channel.gaps for channel in channels)
    if gaps > 0.02 * len(log.t_s):
        link.append(f"{gaps} gaps in {len(log.t_s)} samples: lines get lost")
    return DoctorReport(source, seconds, "counts" if counts else "grams", channels, None, tuple(link))


def looks_like_counts(columns: Floats) -> bool:
    """Counts are whole numbers, and some of them large; grams are neither for long."""
    return bool(np.all(columns == np.round(columns)) and np.max(np.abs(columns)) > 2000)


def _frozen_share(t_s: Floats, values: Floats) -> float:
    """Share of the time spent in runs of one value that last FROZEN_S or more."""
    edges = np.flatnonzero(np.diff(values) != 0) + 1
    starts = np.concatenate([[0], edges])
    ends = np.concatenate([edges, [len(values)]]) - 1
    lengths = t_s[ends] - t_s[starts]
    whole = float(t_s[-1] - t_s[0])
    return float(lengths[lengths >= FROZEN_S].sum() / whole) if whole > 0 else 0.0


def _saturated_share(values: Floats, is_counts: bool) -> float:
    if not is_counts:
        return 0.0
    return float(np.mean((np.abs(values) >= NEAR_FULL_SCALE) & (np.abs(values) <= FULL_SCALE + 1)))


def _drift_per_minute(t_s: Floats, values: Floats) -> float:
    """The sum of small changes from window to window over the time they took: loads that come and go are larger, and left out."""
    span_s = float(t_s[-1] - t_s[0])
    pieces = [piece for piece in np.array_split(np.arange(len(values)), max(8, int(span_s / DRIFT_WINDOW_S))) if len(piece)]
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


def _two_states(values: Floats) -> bool:
    """Do the values lie in two narrow heaps with nothing between, going to and fro, in a fifth of all short windows?"""
    windows = [values[k : k + TWO_STATE_WINDOW] for k in range(0, len(values) - TWO_STATE_WINDOW + 1, TWO_STATE_WINDOW // 2)]
    return bool(windows) and sum(_two_heaps(window) for window in windows) >= max(1, 0.2 * len(windows))


def _two_heaps(values: Floats) -> bool:
    low, high = np.percentile(values, [10, 90])
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


def _at_rest(acceleration_g: Floats, window: int = 25) -> NDArray[np.bool_]:
    """Samples in whose neighbourhood the acceleration keeps within 0.15 g on every axis."""
    n = len(acceleration_g)
    if n < window:
        return np.full(n, bool(np.ptp(acceleration_g, axis=0).max() < 0.3))
    views = np.lib.stride_tricks.sliding_window_view(acceleration_g, window, axis=0)
    calm = np.max(np.ptp(views, axis=2), axis=1) < 0.3
    left = window // 2
    return np.concatenate([np.repeat(calm[:1], left), calm, np.repeat(calm[-1:], n - len(calm) - left)])
