"""What a real MPU-6050 makes of the base's true motion: noise, bias, its range. When it freezes or falls silent is the base's affair.

Range +-2 g and +-250 degrees/s as the sketch sets it: 16 bits clip there by themselves.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from rig.base.protocol import ACCEL_COUNTS_PER_G, GYRO_COUNTS_PER_DEG_S
from rig.twin.sensors.chips import Due
from rig.twin.sensors.level_sensors import SensorLevel
from rig.twin.sensors.room_air import RoomAir

Array = npt.NDArray[np.float64]

MEMORY_S = 0.2
ROOM_C = 25.0
COUNTS_PER_C, ZERO_C = 340.0, 36.53
"""Temperature in the chip's scale: register map, section 4.18."""
_RANGE = (-32768, 32767)
_SCALE = np.array([ACCEL_COUNTS_PER_G] * 3 + [GYRO_COUNTS_PER_DEG_S] * 3, dtype=np.float64)


class MotionChip:
    """Rows of true motion in (`feel`), registers out (`registers`)."""

    def __init__(self, level: SensorLevel, seed: int, air: RoomAir) -> None:
        rng = np.random.default_rng((seed, 0x6050))
        self._air = air
        self._bias = np.concatenate([rng.normal(0, level.imu_bias_g, 3), rng.normal(0, level.imu_bias_dps, 3)])
        self._bias_c = np.concatenate([rng.normal(0, 1, 3) * level.imu_bias_g_per_c, np.zeros(3)])
        self._noise = np.array([level.imu_noise_g] * 3 + [level.imu_noise_dps] * 3)
        self._rng = np.random.default_rng((seed, 0x6051))
        self._t_s: Array = np.zeros(1)
        self._imu: Array = np.array([[0.0, 0.0, 1.0, 0.0, 0.0, 0.0]])

    def feel(self, t_s: Array, imu: Array) -> None:
        """True acceleration (g) and rate (degrees/s), (n, 6), at times (n,) that go on from the last call."""
        if not len(t_s):
            return
        since = self._t_s > t_s[0] - MEMORY_S
        self._t_s = np.concatenate([self._t_s[since], t_s])
        self._imu = np.concatenate([self._imu[since], imu])

    def registers(self, due: Due) -> npt.NDArray[np.int16]:
        """(n, 7): acceleration, rate, temperature as raw counts, for the motion samples of `due`."""
        t_s = due.imu_t_s
        if not len(t_s):
            return np.zeros((0, 7), np.int16)
        place = np.searchsorted(self._t_s, t_s).clip(1, len(self._t_s) - 1) if len(self._t_s) > 1 else np.zeros(len(t_s), np.int64)
        before = np.maximum(place - 1, 0)
        span = np.maximum(self._t_s[place] - self._t_s[before], 1e-9)
        part = np.clip((t_s - self._t_s[before]) / span, 0, 1)[:, None]
        values = self._imu[before] * (1 - part) + self._imu[place] * part
        warmer_c = self._air.warmer_c(t_s)
        values = values + self._bias + self._bias_c * warmer_c[:, None] + self._rng.normal(0, 1, values.shape) * self._noise
        counts = np.empty((len(t_s), 7))
        counts[:, :6] = values * _SCALE
        counts[:, 6] = (ROOM_C + warmer_c - ZERO_C) * COUNTS_PER_C
        return np.asarray(np.clip(np.rint(counts), *_RANGE), np.int16)
