"""The room's warmth and the table's shaking: what works on every sensor at once.

A heating that comes on, a window, the board's own heat; steps on the floor, a door, a cup set down. Drawn whole from the seed.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
from scipy.signal import lfilter

from rig.twin.sensors.hardware_faults import HORIZON_S
from rig.twin.sensors.level_sensors import SensorLevel

Array = npt.NDArray[np.float64]

MEMORY_S = 900.0
STEP_S = 10.0
WARM_UP_S = 600.0
SHAKE_HZ = (9.0, 24.0)
"""A table on four legs rings in this range."""
SHAKE_DIES_S = (0.08, 0.25)
SHAKE_LASTS_S = 1.5
SIDEWAYS = 0.5


class RoomAir:
    """`warmer_c` (against the start) and `shake_mps2` at given times."""

    def __init__(self, level: SensorLevel, seed: int) -> None:
        rng = np.random.default_rng((seed, 0xA12))
        keep = np.exp(-STEP_S / MEMORY_S)
        wander = lfilter([level.temperature_c * np.sqrt(1 - keep**2)], [1, -keep], rng.normal(0, 1, round(HORIZON_S / STEP_S)))
        self._grid_s = np.arange(len(wander)) * STEP_S
        self._warmer_c = np.asarray(wander - wander[0] + level.warm_up_c * (1 - np.exp(-self._grid_s / WARM_UP_S)), dtype=np.float64)
        self.warms = bool(level.temperature_c or level.warm_up_c)
        shaking = np.random.default_rng((seed, 0xA13))
        count = int(shaking.poisson(level.vibrations_per_min * HORIZON_S / 60)) if level.vibrations_per_min else 0
        self.shakes_s = np.sort(shaking.uniform(0, HORIZON_S, count))
        self._size = level.vibration_mps2 * np.exp(shaking.normal(0, 0.5, (count, 1))) * (SIDEWAYS, SIDEWAYS, 1.0)
        self._hz = shaking.uniform(*SHAKE_HZ, count)
        self._dies_s = shaking.uniform(*SHAKE_DIES_S, count)

    def warmer_c(self, t_s: Array) -> Array:
        """Degrees above the start (n,)."""
        return np.interp(t_s, self._grid_s, self._warmer_c) if self.warms else np.zeros(len(t_s))

    def shake_mps2(self, t_s: Array) -> Array | None:
        """The table's acceleration (n, 3) at ascending times; None while it stands still."""
        if not len(t_s) or not len(self.shakes_s):
            return None
        first = int(np.searchsorted(self.shakes_s, t_s[0] - SHAKE_LASTS_S))
        last = int(np.searchsorted(self.shakes_s, t_s[-1]))
        if first >= last:
            return None
        out = np.zeros((len(t_s), 3))
        for k in range(first, last):
            since = t_s - self.shakes_s[k]
            wave = np.exp(-since / self._dies_s[k]) * np.sin(2 * np.pi * self._hz[k] * since)
            out += np.where((since > 0) & (since < SHAKE_LASTS_S), wave, 0.0)[:, None] * self._size[k]
        return out
