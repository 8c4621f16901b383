"""When the base's chips measure: the one timetable that the real binary in its simulator and its stand-in are both fed from.

Each HX711 runs on its own oscillator, so the four cells drift through all phases against each other; the motion chip on another. What
they measure is the twin's business; what becomes of it is the base's (`rig.twin.sensors.avr`, `rig.twin.sensors.standin`). All
conversions end 12.5 us after a tick of the device clock: the real chips know no such grid, but on it the date that the firmware gives a
sample is certain, which is what lets the stand-in be held to the binary byte for byte.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from rig.base.protocol import CELL_HZ, CELLS, IMU_HZ, TICK_S, TICKS_PER_SECOND

AFTER_TICK_S = 12.5e-6
IMU_START_TICKS = 640
"""The motion chip's first sample comes 41 ms after the base's clock has started: 30 ms start-up (product specification 6.2) and set-up."""
RATE_SPREAD = 0.01
"""Oscillators differ by about a percent (MPU-6050 product specification 6.5: +-1 % at room temperature; HX711: not specified)."""


class CellFault(IntEnum):
    """What can be wrong with a cell's chip or cable."""

    NONE = 0
    LINE_HIGH = 1  # cable off or no chip
    LINE_LOW = 2  # data line shorted
    SILENT = 3  # converts no more
    EXTRA_CLOCK = 4  # once: a disturbance counts as a clock pulse
    LOST_CLOCK = 5  # once: a clock pulse is not seen


class ImuFault(IntEnum):
    """What can be wrong with the motion chip."""

    NONE = 0
    ABSENT = 1
    SILENT = 2
    FROZEN = 3


class Reset(IntEnum):
    """Why the AVR starts again (the number of the MCUSR bit)."""

    POWER_ON = 0
    EXTERNAL = 1
    BROWN_OUT = 2


@dataclass(frozen=True, slots=True)
class Due:
    """Measurements that fall due, in time order: ticks of the device clock (n,), and for the cells which one (n,)."""

    load_tick: NDArray[np.int64]
    load_cell: NDArray[np.uint8]
    imu_tick: NDArray[np.int64]

    @property
    def load_t_s(self) -> NDArray[np.float64]:
        """Seconds at which each conversion of a cell ended."""
        return np.asarray(self.load_tick * TICK_S + AFTER_TICK_S, dtype=np.float64)

    @property
    def imu_t_s(self) -> NDArray[np.float64]:
        """Seconds of each sample of the motion chip."""
        return np.asarray(self.imu_tick * TICK_S + AFTER_TICK_S, dtype=np.float64)


class SensingBase(Protocol):
    """Either base: the real binary in its simulator, or the stand-in."""

    def advance(self, until_s: float, due: Due, counts: NDArray[np.int32], motion: NDArray[np.int16]) -> bytes:
        """The bytes that the base has sent by `until_s` since the last call.

        `counts` (n,) belong to `due.load_tick`, `motion` (m, 7) to `due.imu_tick`: acceleration x y z (16384 per g), rate x y z (131 per
        degree/s), temperature (raw). A cell that is not there is simply not fed: leave its rows out of `due` with `without`.
        """
        ...

    def press(self, button: int, pressed: bool) -> None:
        """From now on the contact of seat button `button` (0 to 3) is closed or open."""
        ...

    def fault_cell(self, cell: int, fault: CellFault) -> None: ...

    def fault_imu(self, fault: ImuFault) -> None: ...

    def reset(self, cause: Reset) -> None:
        """The board starts again now; its clock shows 0 at `clock_zero_tick` of the time of this call."""
        ...

    def close(self) -> None: ...


BOOT_S = 338.4e-6
"""From a reset to the start of the device clock: what the binary takes to get there (a test holds it to that)."""


def clock_zero_tick(reset_t_s: float) -> int:
    """The tick of the first boot's clock at which the clock of the boot that a reset at `reset_t_s` begins shows 0."""
    return int(np.ceil((reset_t_s + BOOT_S) / TICK_S))


def without(due: Due, missing: frozenset[int]) -> Due:
    """`due` without the conversions of cells that are not connected."""
    keep = ~np.isin(due.load_cell, sorted(missing))
    return Due(due.load_tick[keep], due.load_cell[keep], due.imu_tick)


class ChipClocks:
    """The chips' oscillators: rates within a percent of nominal and phases drawn from `seed`. Time 0 is the start of the base's clock."""

    def __init__(self, seed: int, cell_hz: tuple[float, ...] = (CELL_HZ,) * CELLS, imu_hz: float = IMU_HZ) -> None:
        rng = np.random.default_rng((seed, 0x711))
        spread = 1 + RATE_SPREAD * rng.uniform(-1, 1, CELLS + 1)
        self._period = TICKS_PER_SECOND / (np.array([*cell_hz, imu_hz]) * spread)
        self._phase = self._period * rng.uniform(0, 1, CELLS + 1)
        self._next = np.zeros(CELLS + 1, dtype=np.int64)
        self._next[CELLS] = int(np.ceil((IMU_START_TICKS - self._phase[CELLS]) / self._period[CELLS]))

    def due(self, until_s: float) -> Due:
        """All measurements up to `until_s` that have not been handed out yet."""
        ticks = [self._ticks(chip, until_s) for chip in range(CELLS + 1)]
        load_tick = np.concatenate(ticks[:CELLS])
        load_cell = np.repeat(np.arange(CELLS, dtype=np.uint8), [len(part) for part in ticks[:CELLS]])
        order = np.lexsort((load_cell, load_tick))
        return Due(load_tick[order], load_cell[order], ticks[CELLS])

    def _ticks(self, chip: int, until_s: float) -> NDArray[np.int64]:
        end_tick = np.floor((until_s - AFTER_TICK_S) / TICK_S) + 1  # the first tick that is not due yet
        last = int(np.ceil((end_tick - self._phase[chip]) / self._period[chip])) - 1
        numbers = np.arange(self._next[chip], last + 1, dtype=np.int64)
        self._next[chip] = max(int(self._next[chip]), last + 1)
        return np.asarray(np.floor(self._phase[chip] + numbers * self._period[chip]), dtype=np.int64)
