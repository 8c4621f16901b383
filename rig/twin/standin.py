"""A base without an AVR: what the firmware would send, computed. For machines without the AVR tools, and for speed.

It is no second truth: a test feeds it and the real binary the same conversions and demands the same bytes. It knows the healthy base in its
first boot (chips that settle, the order of the outbox, STATUS and HELLO by the clock); faults, commands and resets are the simulator's
business. *When* a byte leaves may differ from the binary by a fraction of a millisecond; which bytes, and in which order, may not.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from rig.base.frames import encode
from rig.base.protocol import (
    BUTTONS,
    CELLS,
    FIRMWARE_VERSION,
    HELLO_EVERY_SECONDS,
    HOLD_TICKS,
    LAYOUT_HASH,
    PROTOCOL_VERSION,
    TICK_S,
    TICKS_PER_SECOND,
    Cell,
    Kind,
    ResetCause,
)
from rig.twin.chips import Due

_SETTLING_CONVERSIONS = 4
"""An HX711 offers none of its first four conversions after power-up (data sheet: output settling time)."""
_IMU_ID = 0x68
_SAMPLE_RANGE = (-0x800000, 0x7FFFFF)
_BYTE_S = 44e-6
"""A byte at 250 000 baud: 40 us; the simulator's UART takes 44."""
_FIRST_BOOT = 1 << 16
_SOURCE_IMU, _SOURCE_STATUS, _SOURCE_HELLO = CELLS, CELLS + 1 + BUTTONS, CELLS + 2 + BUTTONS

_Waiting = tuple[int, int, tuple[int, ...]]


class StandInBase:
    """`SensingBase` in pure Python: a healthy base in its first boot."""

    def __init__(self) -> None:
        self._sequence = 0
        self._settling = [_SETTLING_CONVERSIONS] * CELLS
        self._first = [True] * CELLS
        self._cell_samples = [0] * CELLS
        self._imu_samples = 0
        self._temperature = 0
        self._seconds = 0
        self._waiting: list[_Waiting] = []
        self._wire = bytearray()
        self._wire_dates: list[tuple[float, int]] = []
        self._wire_free_s = 0.0
        self._put_on_wire(0.0, b"\0" + self._hello(0))

    def advance(self, until_s: float, due: Due, counts: NDArray[np.int32], motion: NDArray[np.int16]) -> bytes:
        for tick, cell, value in zip(due.load_tick.tolist(), due.load_cell.tolist(), counts.tolist(), strict=True):
            self._load(tick, cell, value)
        for tick, values in zip(due.imu_tick.tolist(), motion.tolist(), strict=True):
            self._waiting.append((tick, _SOURCE_IMU, tuple(values)))
        until_tick = int(until_s / TICK_S)
        while (self._seconds + 1) * TICKS_PER_SECOND <= until_tick:
            self._seconds += 1
            self._waiting.append((self._seconds * TICKS_PER_SECOND, _SOURCE_STATUS, ()))
            if self._seconds % HELLO_EVERY_SECONDS == 0:
                self._waiting.append((self._seconds * TICKS_PER_SECOND, _SOURCE_HELLO, ()))
        self._waiting.sort(key=lambda item: item[:2])
        ready = 0
        for ready, item in enumerate(self._waiting):  # noqa: B007 - ready counts what is sent
            if item[0] + HOLD_TICKS > until_tick:
                break
            self._send(*item)
        else:
            ready = len(self._waiting)
        del self._waiting[:ready]
        return self._take(until_s)

    def close(self) -> None:
        """Nothing to give back."""

    def _load(self, tick: int, cell: int, value: int) -> None:
        if self._settling[cell]:
            self._settling[cell] -= 1
            return
        low, high = _SAMPLE_RANGE
        flags = int(Cell.AFTER_GAP) if self._first[cell] else 0
        self._first[cell] = False
        self._waiting.append((tick, cell, (cell, flags, min(max(value, low), high))))

    def _send(self, tick: int, source: int, values: tuple[int, ...]) -> None:
        if source < _SOURCE_IMU:
            frame = self._frame(Kind.LOAD, tick, *values)
            self._cell_samples[source] += 1
        elif source == _SOURCE_IMU:
            frame = self._frame(Kind.IMU, tick, *values[:6])
            self._imu_samples += 1
            self._temperature = values[6]
        elif source == _SOURCE_STATUS:
            frame = self._frame(
                Kind.STATUS, tick, self._sequence, *self._cell_samples, self._imu_samples, *(0,) * (2 * CELLS + 5), self._temperature, 0
            )
            self._cell_samples = [0] * CELLS
            self._imu_samples = 0
        else:
            frame = self._hello(tick)
        self._put_on_wire((tick + HOLD_TICKS) * TICK_S, frame)

    def _hello(self, tick: int) -> bytes:
        cause = int(ResetCause.POWER_ON)
        return self._frame(Kind.HELLO, tick, PROTOCOL_VERSION, LAYOUT_HASH, FIRMWARE_VERSION, cause, _FIRST_BOOT, 0, _IMU_ID)

    def _frame(self, kind: Kind, *values: int) -> bytes:
        frame = encode(kind, self._sequence, *values)
        self._sequence += 1
        return frame

    def _put_on_wire(self, at_s: float, frame: bytes) -> None:
        self._wire_free_s = max(self._wire_free_s, at_s) + len(frame) * _BYTE_S
        self._wire += frame
        self._wire_dates.append((self._wire_free_s, len(frame)))

    def _take(self, until_s: float) -> bytes:
        count = frames = 0
        for done_s, length in self._wire_dates:
            if done_s > until_s:
                break
            count += length
            frames += 1
        del self._wire_dates[:frames]
        out = bytes(self._wire[:count])
        del self._wire[:count]
        return out
