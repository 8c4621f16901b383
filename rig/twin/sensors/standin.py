"""A base without an AVR: what the firmware would send, computed. For machines without the AVR tools, and for speed.

It is no second truth: a test feeds it and the real binary the same conversions and demands the same bytes. For a base in its first boot
they are, whatever happens to its cells and the motion chip. Around a reset, a press, or a part that comes back (a motion chip off its bus,
a cell just at the half second after which its chip is restarted) the binary's main loop decides by fractions of a millisecond; there the
same frames are demanded, but for one or two samples and for a frame's place among its neighbours. *When* a byte leaves may differ by as
much. Commands are the simulator's business.
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
    CellFlag,
    Kind,
)
from rig.twin.sensors.chips import CellFault, Due, ImuFault, Reset, clock_zero_tick
from rig.twin.sensors.standin_parts import CellPort, MotionPort, SeatButton

_SAMPLE_RANGE = (-0x800000, 0x7FFFFF)
_BYTE_S = 44e-6
"""A byte at 250 000 baud: 40 us; the simulator's UART takes 44."""
_SET_UP_S = 1.75e-3
"""From the clock's start to HELLO on the wire, in later boots."""
_LOOP_TICK, _IMU_SET_UP_TICK = 27, 24
"""In later boots: the main loop's first pass, and when the motion chip is told to wake."""
_SOURCE_IMU, _SOURCE_BUTTON, _SOURCE_STATUS, _SOURCE_HELLO = CELLS, CELLS + 1, CELLS + 1 + BUTTONS, CELLS + 2 + BUTTONS

_Waiting = tuple[int, int, tuple[int, ...]]


class StandInBase:
    """`SensingBase` in pure Python."""

    def __init__(self) -> None:
        self._now_s = 0.0
        self._zero = 0  # tick of the world at which this boot's clock shows 0
        self._loops_from = 0  # the motion chip's interrupt is minded from here on
        self._cause = Reset.POWER_ON
        self._power_ups, self._resets, self._frames_before = 1, 0, 0
        self._cells = [CellPort() for _ in range(CELLS)]
        self._motion = MotionPort()
        self._buttons = [SeatButton() for _ in range(BUTTONS)]
        self._wire_free_s = 0.0
        self._sent = bytearray()  # left the wire before a reset
        self._start(0.0)

    def _start(self, hello_s: float) -> None:
        self._sequence = 0
        self._cell_samples = [0] * CELLS
        self._imu_samples = self._temperature = self._seconds = 0
        self._waiting: list[_Waiting] = []
        self._wire = bytearray()
        self._wire_dates: list[tuple[float, int]] = []
        self._put_on_wire(hello_s, b"\0" + self._hello(0))

    # ------------------------------------------------------------ what happens to it

    def advance(self, until_s: float, due: Due, counts: NDArray[np.int32], motion: NDArray[np.int16]) -> bytes:
        low, high = _SAMPLE_RANGE
        for tick, cell, value in zip(due.load_tick.tolist(), due.load_cell.tolist(), counts.tolist(), strict=True):
            flags = self._cells[cell].converts(tick)
            if flags is not None:
                if tick < self._zero:  # its edge fell into the boot
                    tick, flags = self._zero + _LOOP_TICK, flags | CellFlag.UNDATED
                self._waiting.append((tick, cell, (cell, flags, min(max(value, low), high))))
        self._feel(due, motion)
        self._now_s = until_s
        until_tick = int(until_s / TICK_S)
        self._press_out(until_tick)
        while self._zero + (self._seconds + 1) * TICKS_PER_SECOND <= until_tick:
            self._seconds += 1
            tick = self._zero + self._seconds * TICKS_PER_SECOND
            self._waiting.append((tick, _SOURCE_STATUS, ()))
            if self._seconds % HELLO_EVERY_SECONDS == 0:
                self._waiting.append((tick, _SOURCE_HELLO, ()))
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

    def _feel(self, due: Due, motion: NDArray[np.int16]) -> None:
        rows = list(zip(due.imu_tick.tolist(), motion.tolist(), strict=True))
        if self._motion.healthy:
            passes = rows
        else:  # the other chips' conversions wake the main loop, which minds the silent one
            quiet: list[tuple[int, list[int]]] = [(tick, []) for tick in sorted({*due.load_tick.tolist()})]
            passes = sorted([*rows, *quiet, *((tick + HOLD_TICKS, none) for tick, none in quiet)], key=lambda row: row[0])
        for tick, values in passes:
            if values and (sample := self._motion.samples(tick, tuple(values))) is not None and tick > self._loops_from:
                self._waiting.append((tick, _SOURCE_IMU, sample))
            self._motion.tend(tick)

    def _press_out(self, tick: int) -> None:
        for number, button in enumerate(self._buttons):
            told = button.settled(tick)
            if told is not None:
                # in the outbox it is older than all others there: it leaves as soon as it is told
                self._waiting.append((told[0] - HOLD_TICKS, _SOURCE_BUTTON + number, (told[1], number, int(told[2]))))

    def press(self, button: int, pressed: bool) -> None:
        self._buttons[button].touch(pressed, int(self._now_s / TICK_S))

    def fault_cell(self, cell: int, fault: CellFault) -> None:
        self._cells[cell].strike(fault, int(self._now_s / TICK_S))

    def fault_imu(self, fault: ImuFault) -> None:
        self._motion.strike(fault)

    def reset(self, cause: Reset) -> None:
        self._sent += self._take(self._now_s)
        if self._wire_dates:  # one frame may be on the wire: torn
            done_s, length = self._wire_dates[0]
            out = int((self._now_s - (done_s - length * _BYTE_S)) / _BYTE_S)
            self._sent += self._wire[: max(0, min(out, length))]
        chip_too = cause is not Reset.EXTERNAL
        if chip_too:
            self._power_ups, self._resets, self._frames_before = self._power_ups + 1, 0, 0
        else:
            self._resets, self._frames_before = self._resets + 1, self._sequence
        self._cause = cause
        self._zero = clock_zero_tick(self._now_s)
        self._loops_from = self._zero + _IMU_SET_UP_TICK
        for cell in self._cells:
            cell.boot(chip_too)
        self._motion.boot(self._zero + _IMU_SET_UP_TICK, chip_too)
        for button in self._buttons:
            button.boot()
            button.touch(button.contact, self._zero + _LOOP_TICK)
        self._wire_free_s = 0.0
        self._start(self._zero * TICK_S + _SET_UP_S)

    def close(self) -> None:
        """Nothing to give back."""

    # ------------------------------------------------------------ what it sends

    def _send(self, tick: int, source: int, values: tuple[int, ...]) -> None:
        date = tick - self._zero
        if source < _SOURCE_IMU:
            frame = self._frame(Kind.LOAD, date, *values)
            self._cell_samples[source] += 1
        elif source == _SOURCE_IMU:
            frame = self._frame(Kind.IMU, date, *values[:6])
            self._imu_samples += 1
            self._temperature = values[6]
        elif source < _SOURCE_STATUS:
            frame = self._frame(Kind.BUTTON, values[0] - self._zero, *values[1:])
        elif source == _SOURCE_STATUS:
            frame = self._status(tick)
        else:
            frame = self._hello(date)
        self._put_on_wire((tick + HOLD_TICKS) * TICK_S, frame)

    def _status(self, tick: int) -> bytes:
        told = tick + HOLD_TICKS
        out_of_step = (sum(at <= told for at in cell.out_of_step) & 0xFF for cell in self._cells)
        stuck = sum(cell.stuck << number for number, cell in enumerate(self._cells))
        errors = sum(at <= told for at in self._motion.errors)
        restarts = sum(at <= told for at in self._motion.restarts)
        frame = self._frame(
            Kind.STATUS, tick - self._zero, self._sequence, *self._cell_samples, self._imu_samples,
            *(0,) * CELLS, *out_of_step, stuck, 0, 0, errors, restarts, self._temperature, 0,
        )  # fmt: skip
        self._cell_samples = [0] * CELLS
        self._imu_samples = 0
        return frame

    def _hello(self, date: int) -> bytes:
        told = self._zero + date + HOLD_TICKS
        name = [name for at, name in self._motion.names if at <= told][-1]
        boot_id = self._power_ups << 16 | self._resets
        return self._frame(
            Kind.HELLO, date, PROTOCOL_VERSION, LAYOUT_HASH, FIRMWARE_VERSION, 1 << self._cause, boot_id, self._frames_before, name
        )

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
        out = bytes(self._sent) + bytes(self._wire[:count])
        self._sent.clear()
        del self._wire[:count]
        return out
