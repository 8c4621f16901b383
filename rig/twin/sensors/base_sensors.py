"""From the physics to the chips to the base's bytes, as real cells, chips and cables would have it.

Here the parts meet in one virtual time: the chips' timetable (`chips.py`), what cells and motion chip make of the truth (`load_cells.py`,
`motion_chip.py`, `room_air.py`), the base itself (`avr.py`: the real binary; `standin.py`), its cable (`usb_cable.py`), and what happens to
it: seat buttons, and the hardware that fails as `faults.py` has drawn it. Bytes depend on the seed and on what happens, not on the slices
in which they are asked for.
"""

from __future__ import annotations

import bisect
import heapq
from collections.abc import Callable, Sequence
from typing import Protocol

import numpy as np

from rig.base.code_light import code_level
from rig.base.firmware_tool import elf_path, has_simulator, library_path
from rig.base.protocol import BUTTONS, CELLS, TICK_S
from rig.errors import PalettiError
from rig.profile import Profile
from rig.twin.physics.world import GRAVITY, Signals
from rig.twin.sensors.avr import AvrBase
from rig.twin.sensors.chips import CellFault, ChipClocks, ImuFault, Reset, SensingBase, clock_zero_tick
from rig.twin.sensors.hardware_faults import RESETS, BaseFault, BaseFaultKind, draw_faults
from rig.twin.sensors.level_sensors import SensorLevel
from rig.twin.sensors.load_cells import LoadCells
from rig.twin.sensors.motion_chip import MotionChip
from rig.twin.sensors.room_air import RoomAir
from rig.twin.sensors.standin import StandInBase
from rig.twin.sensors.usb_cable import UsbCable

BASES = ("auto", "avr", "standin")
BOUNCES = 3
BOUNCE_S = 0.002
"""A push button's contact opens again a few times within some milliseconds (typical of tactile switches: under 5 ms)."""
PRESS_S = (0.08, 0.25)
"""How long a finger stays on a button."""

_CELL_FAULTS = {
    BaseFaultKind.CELL_SILENT: CellFault.SILENT,
    BaseFaultKind.CELL_UNPLUGGED: CellFault.LINE_HIGH,
    BaseFaultKind.CELL_SHORTED: CellFault.LINE_LOW,
}
_IMU_FAULTS = {
    BaseFaultKind.IMU_FROZEN: ImuFault.FROZEN,
    BaseFaultKind.IMU_SILENT: ImuFault.SILENT,
    BaseFaultKind.IMU_ABSENT: ImuFault.ABSENT,
}
_RESETS = {BaseFaultKind.RESET_LINE: Reset.EXTERNAL, BaseFaultKind.BROWN_OUT: Reset.BROWN_OUT}


class Felt(Protocol):
    """What the sensors feel: the physics, or a test's load."""

    def drain(self) -> Signals:
        """What was felt since the last call, a row a step."""
        ...


class Sensors:
    """`bytes_by(until_s)` gives what has arrived from the base by then since the last call; `real`: from the AVR binary itself.

    `faults`: what fails when, known from the start and for people's eyes only. PalettiError for a base of unknown name, or the AVR asked
    for where there is no simulator.
    """

    def __init__(
        self, world: Felt, profile: Profile, level: SensorLevel, seed: int, base: str = "auto", faults: Sequence[BaseFault] | None = None
    ) -> None:
        if base not in BASES:
            raise PalettiError(f"There is no base called {base!r}.", f"Bases are {', '.join(BASES)}.")
        if len(profile.cells) != CELLS:
            raise PalettiError(
                f"The twin's base has {CELLS} load cells, the profile {len(profile.cells)}.", "Name a profile of a base with four cells."
            )
        self.real = base != "standin" and has_simulator()
        if base == "avr" and not self.real:
            raise PalettiError("The firmware's simulator has not been built.", "Build it with `paletti firmware build`.")
        self.faults: tuple[BaseFault, ...] = draw_faults(level, seed) if faults is None else tuple(faults)
        air = RoomAir(level, seed)
        self._world, self._air = world, air
        self._cells = LoadCells(profile.cells, level, seed, air, self.faults)
        self._motion = MotionChip(level, seed, air)
        self._clocks = ChipClocks(seed, self._cells.cell_hz)
        self._dead_load_g = profile.base.plate_mass_g / CELLS
        self._base: SensingBase = AvrBase(elf_path(), library_path()) if self.real else StandInBase()
        self._cable_out: list[BaseFault] = [fault for fault in self.faults if fault.kind is BaseFaultKind.USB_UNPLUGGED]
        self._cable = UsbCable()
        self._boots_s = sorted([fault.until_s for fault in self._cable_out] + [fault.t_s for fault in self.faults if fault.kind in RESETS])
        self._zeros_s = [0.0, *(clock_zero_tick(t_s) * TICK_S for t_s in self._boots_s)]
        self._fingers = np.random.default_rng((seed, 0xF1A6))
        self._now_s = 0.0
        self._order = 0
        self._events: list[tuple[float, int, Callable[[], None]]] = []
        for fault in self.faults:
            self._plan(fault)

    # ------------------------------------------------------------ time

    def bytes_by(self, until_s: float) -> bytes:
        """What the base has sent since the last call, up to `until_s`."""
        self._feel(self._world.drain())
        out = bytearray()
        while self._events and self._events[0][0] <= until_s:
            t_s, _, happen = heapq.heappop(self._events)
            if t_s > self._now_s:
                out += self._run(t_s)
            happen()
        out += self._run(until_s)
        return bytes(out)

    def _feel(self, felt: Signals) -> None:
        load_g, imu = felt.load_g, felt.imu
        shake = self._air.shake_mps2(felt.t_s)
        if shake is not None:
            load_g = load_g + (load_g + self._dead_load_g) * (shake[:, 2:] / GRAVITY)
            imu = imu.copy()
            imu[:, :3] += shake / GRAVITY
        self._cells.feel(felt.t_s, load_g)
        self._motion.feel(felt.t_s, imu)

    def _run(self, until_s: float) -> bytes:
        self._now_s = until_s
        due = self._clocks.due(until_s)
        return self._cable.through(self._base.advance(until_s, due, self._cells.counts(due), self._motion.registers(due)))

    def _at(self, t_s: float, happen: Callable[[], None]) -> None:
        self._order += 1
        heapq.heappush(self._events, (t_s, self._order, happen))

    # ------------------------------------------------------------ buttons and lights

    def press(self, seat: int, t_s: float, hold_s: float | None = None) -> None:
        """A finger presses the button of `seat` (0 to 3) at `t_s` (at once if that is past) for `hold_s` (drawn if not given); contacts
        bounce on both ways."""
        if not 0 <= seat < BUTTONS:
            raise PalettiError(f"There is no seat button {seat + 1}.", f"The base has {BUTTONS}.")
        held_s = float(self._fingers.uniform(*PRESS_S)) if hold_s is None else hold_s
        for start_s, closed in ((t_s, True), (t_s + held_s, False)):
            times = [start_s, *(start_s + np.sort(self._fingers.uniform(0, BOUNCE_S, 2 * BOUNCES)))]
            for count, at_s in enumerate(times):
                state = closed if count % 2 == 0 else not closed
                self._at(float(at_s), lambda state=state: self._base.press(seat, state))  # type: ignore[misc]

    def code_light(self, t_s: float, exposure_s: float = 0.0) -> float:
        """How much of an exposure that ends at `t_s` the code light was on, 0 to 1, as the firmware drives it by the base's own clock.
        Known ahead of the bytes, so that pictures need not wait for the base."""
        if any(fault.holds(t_s) for fault in self._cable_out):
            return 0.0
        device_s = t_s - self._zeros_s[bisect.bisect_right(self._boots_s, t_s)]
        return float(code_level(device_s, min(exposure_s, max(device_s, 0.0)))) if device_s > 0 else 0.0

    # ------------------------------------------------------------ what fails

    def told_by(self, t_s: float) -> tuple[BaseFault, ...]:
        """The fault log: what has struck by `t_s`, each with its time and its words. For people and the exam, never for the referee."""
        return tuple(fault for fault in self.faults if fault.t_s <= t_s)

    def _plan(self, fault: BaseFault) -> None:
        cell = fault.cell
        if fault.kind in _CELL_FAULTS and cell is not None:
            self._at(fault.t_s, lambda: self._base.fault_cell(cell, _CELL_FAULTS[fault.kind]))
            self._at(fault.until_s, lambda: self._base.fault_cell(cell, CellFault.NONE))
        elif fault.kind in _IMU_FAULTS:
            self._at(fault.t_s, lambda: self._base.fault_imu(_IMU_FAULTS[fault.kind]))
            self._at(fault.until_s, lambda: self._base.fault_imu(ImuFault.NONE))
        elif fault.kind in _RESETS:
            self._at(fault.t_s, lambda: self._base.reset(_RESETS[fault.kind]))
        elif fault.kind is BaseFaultKind.BYTES_LOST:
            self._at(fault.t_s, lambda: self._cable.lose(round(fault.size)))
        elif fault.kind is BaseFaultKind.USB_UNPLUGGED:
            self._at(fault.t_s, lambda: self._plug(False))
            self._at(fault.until_s, lambda: self._plug(True))

    def _plug(self, plugged: bool) -> None:
        self._cable.plugged = plugged
        if plugged:
            self._base.reset(Reset.POWER_ON)  # it lives on the cable's supply

    def close(self) -> None:
        self._base.close()
