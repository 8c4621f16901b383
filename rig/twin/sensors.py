"""From the physics to the chips to the base's bytes, with the errors that real cells and chips have.

The chips' timetable is `chips.py`, what becomes of the samples is the base's (`avr.py`, `standin.py`); here is what lies between: gain,
offset, drift and noise of four cells and a motion chip, all from the seed, as many of them as the level says.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from rig.base.firmware_tool import elf_path, has_simulator, library_path
from rig.errors import PalettiError
from rig.profile import Profile
from rig.twin.avr import AvrBase
from rig.twin.chips import ChipClocks, Due, SensingBase
from rig.twin.levels import SensorLevel
from rig.twin.physics import World
from rig.twin.standin import StandInBase

IMU_COUNTS_PER_G = 16384.0
IMU_COUNTS_PER_DPS = 131.0
IMU_TEMPERATURE = -3920
"""25 degrees in the MPU-6050's scale (340 counts a degree, 36.53 degrees at 0)."""


class Sensors:
    """`bytes_by(until_s)` gives what the base has sent by then since the last call; `real`: by the AVR binary itself."""

    def __init__(self, world: World, profile: Profile, level: SensorLevel, seed: int, base: str) -> None:
        self._world, self._level = world, level
        self._cells = profile.cells
        self._rng = np.random.default_rng((seed, 0xCE11))
        self._gain = 1 + self._rng.normal(0, self._level.cell_gain_spread, 4)
        self._offset_g = self._rng.normal(0, self._level.cell_offset_g, 4)
        self._drift_g_s = self._rng.normal(0, self._level.cell_drift_g_per_min / 60, 4)
        self._bias = np.concatenate([self._rng.normal(0, self._level.imu_bias_g, 3), self._rng.normal(0, self._level.imu_bias_dps, 3)])
        self._clocks = ChipClocks(seed)
        self._t_s: npt.NDArray[np.float64] = np.zeros(1)
        self._load_g: npt.NDArray[np.float64] = np.zeros((1, 4))
        self._imu: npt.NDArray[np.float64] = np.array([[0.0, 0.0, 1.0, 0.0, 0.0, 0.0]])
        if base not in ("auto", "avr", "standin"):
            raise PalettiError(f"There is no base called {base!r}.", "Bases are auto, avr and standin.")
        self.real = base != "standin" and has_simulator()
        if base == "avr" and not self.real:
            raise PalettiError("The firmware's simulator has not been built.", "Build it with `paletti firmware build`.")
        self._base: SensingBase = AvrBase(elf_path(), library_path()) if self.real else StandInBase()

    def bytes_by(self, until_s: float) -> bytes:
        signals = self._world.drain()
        keep = self._t_s > until_s - 0.2
        self._t_s = np.concatenate([self._t_s[keep], signals.t_s])
        self._load_g = np.concatenate([self._load_g[keep], signals.load_g])
        self._imu = np.concatenate([self._imu[keep], signals.imu])
        due = self._clocks.due(until_s)
        return self._base.advance(until_s, due, self._counts(due), self._motion(due))

    def _counts(self, due: Due) -> npt.NDArray[np.int32]:
        t_s, cell = due.load_t_s, due.load_cell
        grams = np.empty(len(t_s))
        for k in range(4):
            mine = cell == k
            grams[mine] = np.interp(t_s[mine], self._t_s, self._load_g[:, k])
        grams = grams * self._gain[cell] + self._offset_g[cell] + self._drift_g_s[cell] * t_s
        grams = grams + self._rng.normal(0, self._level.cell_noise_g, len(t_s))
        per_g = np.array([c.counts_per_g for c in self._cells])[cell]
        return np.asarray(np.clip(np.rint(grams * per_g), -(2**23), 2**23 - 1), np.int32)

    def _motion(self, due: Due) -> npt.NDArray[np.int16]:
        t_s = due.imu_t_s
        values = np.column_stack([np.interp(t_s, self._t_s, self._imu[:, k]) for k in range(6)]) if len(t_s) else np.empty((0, 6))
        noise = self._rng.normal(0, 1, values.shape) * np.array([self._level.imu_noise_g] * 3 + [self._level.imu_noise_dps] * 3)
        scale = np.array([IMU_COUNTS_PER_G] * 3 + [IMU_COUNTS_PER_DPS] * 3)
        counts = np.rint((values + self._bias + noise) * scale)
        with_temperature = np.column_stack([counts, np.full(len(t_s), IMU_TEMPERATURE)])
        return np.asarray(np.clip(with_temperature, -32768, 32767), np.int16)

    def close(self) -> None:
        self._base.close()
