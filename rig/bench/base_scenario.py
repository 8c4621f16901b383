"""Scripted loads on a simulated base: what the tests of `rig.base` weigh. Truth is the script; the way is the whole byte stream."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from rig.base.fold import BaseFold
from rig.messages import Reading
from rig.profile import Profile
from rig.profile.nominal import nominal_profile
from rig.twin.sensors.chips import ChipClocks, SensingBase, without
from rig.twin.sensors.standin import StandInBase

PROFILE = nominal_profile()
HALF_MM = 140.0
Load = Callable[[float], NDArray[np.float64]]
Kind = TypeVar("Kind")


def at(mass_g: float, x_mm: float = 0.0, y_mm: float = 0.0) -> NDArray[np.float64]:
    """Grams on each of the four cells for a mass on a stiff plate."""
    u, v = (x_mm + HALF_MM) / (2 * HALF_MM), (y_mm + HALF_MM) / (2 * HALF_MM)
    return mass_g * np.array([(1 - u) * (1 - v), u * (1 - v), u * v, (1 - u) * v])


def resting(mass_g: float, x_mm: float = 0.0, y_mm: float = 0.0) -> Load:
    """A load that only lies there."""
    return lambda _: at(mass_g, x_mm, y_mm)


def ramp(t_s: float, start_s: float, takes_s: float) -> float:
    """0 before, 1 after, a straight line between."""
    return float(np.clip((t_s - start_s) / takes_s, 0.0, 1.0))


def chunks(
    load: Load,
    seconds: float,
    *,
    seed: int = 1,
    noise_g: float = 0.05,
    cell_hz: float = 80.0,
    missing: frozenset[int] = frozenset(),
    base: SensingBase | None = None,
    spoil: Callable[[NDArray[np.int32], np.random.Generator], NDArray[np.int32]] | None = None,
    profile: Profile = PROFILE,
    slice_s: float = 0.01,
) -> Iterator[tuple[float, bytes]]:
    """(arrival time, bytes) of a base that feels `load`; `spoil` may damage the counts."""
    clocks, rng = ChipClocks(seed, (cell_hz,) * 4), np.random.default_rng(seed)
    device = StandInBase() if base is None else base
    slope = np.array([cell.counts_per_g for cell in profile.cells])
    tare = np.array([cell.tare_counts for cell in profile.cells])
    for k in range(1, round(seconds / slice_s) + 1):
        due = without(clocks.due(k * slice_s), missing)
        grams = np.array([load(t)[cell] for t, cell in zip(due.load_t_s, due.load_cell, strict=True)]).reshape(-1)
        noisy = (grams + noise_g * rng.normal(size=len(grams))) * slope[due.load_cell] + tare[due.load_cell]
        counts = np.rint(noisy).astype(np.int32)
        if spoil is not None:
            counts = spoil(counts, rng)
        motion = np.rint(rng.normal(0, 40, (len(due.imu_tick), 7)) + np.array([0, 0, 16384, 0, 0, 0, -3920])).astype(np.int16)
        yield k * slice_s, device.advance(k * slice_s, due, counts, motion)


def readings(stream: Iterator[tuple[float, bytes]], fold: BaseFold | None = None) -> list[Reading]:
    """All that the fold reads from the stream."""
    fold = BaseFold(PROFILE) if fold is None else fold
    return [reading for t_s, data in stream for reading in fold.step(t_s, data)]


def of(kind: type[Kind], found: list[Reading]) -> list[Kind]:
    return [reading for reading in found if isinstance(reading, kind)]
