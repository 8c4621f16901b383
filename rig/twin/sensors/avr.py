"""The real firmware in its simulator: the AVR binary, driven through the C library of `firmware/simulator` in virtual time.

This is only the binding. The chips' behaviour on their pins is in the library, their timetable in `rig.twin.sensors.chips`, the measured
values come from the twin. Times are seconds since the base's clock started. The library is under the GPL (see its folder) and optional:
where it is missing, `rig.twin.sensors.standin` takes its place.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rig.base.protocol import CELLS, TICK_S
from rig.errors import PalettiError
from rig.twin.sensors.chips import AFTER_TICK_S, CellFault, Due, ImuFault, Reset

__all__ = ["AvrBase", "CellFault", "ChipCounts", "ImuFault", "Reset"]

CYCLES_PER_SECOND = 16_000_000
_CYCLES_PER_TICK = round(TICK_S * CYCLES_PER_SECOND)
_CYCLES_AFTER_TICK = round(AFTER_TICK_S * CYCLES_PER_SECOND)
_ROOM = 1 << 16


class _Counts(ctypes.Structure):
    _fields_ = (
        ("conversions", ctypes.c_uint64 * CELLS),
        ("read", ctypes.c_uint64 * CELLS),
        ("imu_samples", ctypes.c_uint64),
        ("imu_read", ctypes.c_uint64),
        ("resets", ctypes.c_uint64),
        ("clock_high_max", ctypes.c_uint64),
    )


@dataclass(frozen=True, slots=True)
class ChipCounts:
    """What the simulated chips have seen: per cell conversions offered and clocked out whole, motion samples, resets of the AVR, and the
    longest clock pulse on any HX711 in microseconds."""

    conversions: tuple[int, ...]
    read: tuple[int, ...]
    imu_samples: int
    imu_read: int
    resets: int
    clock_high_max_us: float


def _bind(library: ctypes.CDLL) -> None:
    pointer, number, many = ctypes.c_void_p, ctypes.c_int, ctypes.c_size_t
    u64 = ctypes.c_uint64
    signatures: dict[str, tuple[Any, list[Any]]] = {
        "new": (pointer, [ctypes.c_char_p]),
        "free": (None, [pointer]),
        "feed_loads": (None, [pointer, many, pointer, pointer, pointer]),
        "feed_imu": (None, [pointer, many, pointer, pointer]),
        "run": (number, [pointer, u64]),
        "cycle": (u64, [pointer]),
        "read": (many, [pointer, pointer, pointer, many]),
        "write": (many, [pointer, ctypes.c_char_p, many]),
        "fault_cell": (None, [pointer, number, number]),
        "fault_imu": (None, [pointer, number]),
        "button": (None, [pointer, number, number]),
        "pins": (ctypes.c_uint32, [pointer]),
        "reset": (None, [pointer, number]),
        "hang": (None, [pointer]),
        "poke": (None, [pointer, ctypes.c_uint16, ctypes.c_char_p, many]),
        "counts": (None, [pointer, ctypes.POINTER(_Counts)]),
    }
    for name, (result, arguments) in signatures.items():
        function = getattr(library, f"palettisim_{name}")
        function.restype = result
        function.argtypes = arguments


class AvrBase:
    """The base's binary running in virtual time. Deterministic: the same feed gives the same bytes.

    Raises PalettiError when the library or the binary is missing or unusable, or when the simulated AVR crashes.
    """

    def __init__(self, elf: Path, library: Path) -> None:
        for path in (elf, library):
            if not path.is_file():
                raise PalettiError(f"The simulated base needs {path}, which is not there.", "Build it with `paletti firmware build`.")
        try:
            self._library = ctypes.CDLL(str(library))
            _bind(self._library)
        except (OSError, AttributeError) as error:
            raise PalettiError(f"The simulator {library} cannot be loaded: {error}.", "Build it anew: `paletti firmware build`.") from error
        self._sim = self._call("new", str(elf).encode())
        if not self._sim:
            raise PalettiError(f"{elf} is no AVR program that the simulator can run.", "Build it anew: `paletti firmware build`.")
        self._bytes = np.empty(_ROOM, dtype=np.uint8)
        self._cycles = np.empty(_ROOM, dtype=np.uint64)

    @property
    def t_s(self) -> float:
        """Seconds that the processor has run, by its own cycles."""
        return float(self._call("cycle", self._sim) / CYCLES_PER_SECOND)

    def feed(self, due: Due, counts: NDArray[np.int32], motion: NDArray[np.int16]) -> None:
        """Hands the chips what they will measure (shapes as in `SensingBase.advance`)."""
        cycles = (due.load_tick * _CYCLES_PER_TICK + _CYCLES_AFTER_TICK).astype(np.uint64)
        self.feed_loads(cycles, due.load_cell, counts)
        imu_cycles = (due.imu_tick * _CYCLES_PER_TICK + _CYCLES_AFTER_TICK).astype(np.uint64)
        values = np.ascontiguousarray(motion, dtype=np.int16)
        if values.shape != (len(imu_cycles), 7):
            raise ValueError(f"motion must be ({len(imu_cycles)}, 7), not {values.shape}")
        self._call("feed_imu", self._sim, len(imu_cycles), imu_cycles.ctypes.data, values.ctypes.data)

    def feed_loads(self, cycles: NDArray[np.uint64], cells: NDArray[np.uint8], counts: NDArray[np.int32]) -> None:
        """Conversions at any AVR cycles, on the grid or off it."""
        cells = np.ascontiguousarray(cells, dtype=np.uint8)
        values = np.ascontiguousarray(counts, dtype=np.int32)
        if not len(cycles) == len(cells) == len(values):
            raise ValueError("cycles, cells and counts must be of one length")
        cycles = np.ascontiguousarray(cycles, dtype=np.uint64)
        self._call("feed_loads", self._sim, len(cycles), cycles.ctypes.data, cells.ctypes.data, values.ctypes.data)

    def run(self, until_s: float) -> None:
        """Runs to `until_s`."""
        if self._call("run", self._sim, round(until_s * CYCLES_PER_SECOND)) != 0:
            raise PalettiError("The simulated base has crashed.", "This is a fault in the firmware or the simulator: please report it.")

    def advance(self, until_s: float, due: Due, counts: NDArray[np.int32], motion: NDArray[np.int16]) -> bytes:
        """Bytes sent until `until_s`, the chips being fed what is `due`."""
        self.feed(due, counts, motion)
        self.run(until_s)
        return self.read()

    def read(self) -> bytes:
        """The bytes sent since the last call."""
        return self.read_dated()[0]

    def read_dated(self) -> tuple[bytes, NDArray[np.float64]]:
        """The bytes sent since the last call, and when each began to leave the UART (s)."""
        parts, dates = [], []
        while True:
            n = self._call("read", self._sim, self._bytes.ctypes.data, self._cycles.ctypes.data, _ROOM)
            parts.append(self._bytes[:n].tobytes())
            dates.append(self._cycles[:n] / CYCLES_PER_SECOND)
            if n < _ROOM:
                return b"".join(parts), np.concatenate(dates)

    def write(self, data: bytes) -> None:
        """Sends bytes to the base."""
        self._call("write", self._sim, data, len(data))

    def fault_cell(self, cell: int, fault: CellFault) -> None:
        """Damage a cell's chip or cable, or mend it."""
        self._call("fault_cell", self._sim, cell, int(fault))

    def fault_imu(self, fault: ImuFault) -> None:
        """Damage the motion chip, or mend it."""
        self._call("fault_imu", self._sim, int(fault))

    def press(self, button: int, pressed: bool) -> None:
        """A finger goes down on a seat's button, or up."""
        self._call("button", self._sim, button, int(pressed))

    def reset(self, cause: Reset) -> None:
        """Restart the processor as this cause does."""
        self._call("reset", self._sim, int(cause))

    def hang(self) -> None:
        """Lets the program run in a circle until its watchdog bites."""
        self._call("hang", self._sim)

    def poke(self, address: int, data: bytes) -> None:
        """Overwrites the AVR's memory (tests set the device clock with it)."""
        self._call("poke", self._sim, address, data, len(data))

    def pins(self) -> int:
        """The output pins, bit n for Dn."""
        return int(self._call("pins", self._sim))

    def counts(self) -> ChipCounts:
        """How often the firmware read each chip."""
        out = _Counts()
        self._call("counts", self._sim, ctypes.byref(out))
        return ChipCounts(
            tuple(out.conversions), tuple(out.read), out.imu_samples, out.imu_read, out.resets, out.clock_high_max * 1e6 / CYCLES_PER_SECOND
        )

    def close(self) -> None:
        """Free the simulator."""
        if self._sim:
            self._call("free", self._sim)
            self._sim = None

    def _call(self, name: str, *arguments: Any) -> Any:
        function: Callable[..., Any] = getattr(self._library, f"palettisim_{name}")
        return function(*arguments)
