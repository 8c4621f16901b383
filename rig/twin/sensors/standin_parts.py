"""The parts of the stand-in base: what the sketch makes of one cell, of the motion chip, of one seat button, computed from the same events.

Each mirrors one header of the sketch (`hx711.h` with `cells.h`, `motion.h`, `debounce.h`) and the chip behind it. Ticks are those of the
world's one clock, that of the first boot; the stand-in (`standin.py`) turns them into each boot's own. The main loop's passes, which the
binary makes when an interrupt wakes it, are taken to happen at the chips' conversions.
"""

from __future__ import annotations

from rig.base.protocol import CellFlag
from rig.errors import PalettiError
from rig.twin.sensors.chips import CellFault, ImuFault

SETTLING_CONVERSIONS = 4
"""An HX711 offers none of its first four conversions after power-up (data sheet: output settling time)."""
SILENT_TICKS = 7813
"""`hx711.h`: so long without a conversion, and the chip is powered down and up."""
READ_TICKS = 2
"""From a conversion to the end of its read."""

IMU_ID = 0x68
IMU_SILENT_TICKS, IMU_RETRY_TICKS, IMU_FROZEN_SAMPLES = 1563, 15625, 100
"""`motion.h`."""
IMU_START_UP_TICKS = 475
"""30 ms from waking to the first sample (product specification 6.2), and the two transfers before it is told to wake."""
STILL_TICKS = 313
"""`debounce.h`."""
LOOK_TICKS = 12
"""The panel is looked at about once a millisecond: so much later than the 20 ms a press is told, about."""


class CellPort:
    """One load cell's chip and the sketch's reading of it."""

    def __init__(self) -> None:
        self.settling = SETTLING_CONVERSIONS
        self.fault = CellFault.NONE
        self.out_of_step: list[int] = []  # ticks
        self._gap = True
        self._heard: int | None = None

    @property
    def stuck(self) -> bool:
        return self.fault is CellFault.LINE_LOW

    def boot(self, chip_too: bool) -> None:
        """The sketch starts anew, the chip only if its supply was off."""
        self._gap, self._heard = True, None
        self.out_of_step = []
        if chip_too:
            self.settling = SETTLING_CONVERSIONS

    def strike(self, fault: CellFault, tick: int) -> None:
        if fault in (CellFault.EXTRA_CLOCK, CellFault.LOST_CLOCK):
            raise PalettiError("The stand-in base knows no slipped clock pulses.", "Build the simulator with `paletti firmware build`.")
        if fault is CellFault.NONE and self.fault in (CellFault.LINE_HIGH, CellFault.LINE_LOW):
            self.settling = SETTLING_CONVERSIONS  # its supply comes with its cable
        if fault is CellFault.LINE_LOW:
            self._gap = True
            self._heard = None  # taken for stuck, so not for silent
            self.out_of_step.append(tick)
        self.fault = fault

    def converts(self, tick: int) -> int | None:
        """A conversion ends at `tick`: the flags of the sample that is sent for it, or None if none is."""
        if self.fault:
            return None
        if self._heard is not None and tick - self._heard > SILENT_TICKS:
            self.settling, self._gap, self._heard = SETTLING_CONVERSIONS, True, None
        if self.settling:
            self.settling -= 1
            return None
        flags = int(CellFlag.AFTER_GAP) if self._gap else 0
        self._gap, self._heard = False, tick + READ_TICKS
        return flags


class MotionPort:
    """The motion chip and the sketch's care for it. `restarts` and `errors` are ticks, `names` (tick, id)."""

    def __init__(self) -> None:
        self.fault = ImuFault.NONE
        self._asleep = False
        self._awake = 0
        self._axes: tuple[int, ...] = (0,) * 6
        self._registers: tuple[int, ...] = (0,) * 7
        self._same = 0
        self.boot(0, chip_too=False)

    def boot(self, tick: int, chip_too: bool) -> None:
        """The sketch sets the chip up at `tick`."""
        self._asleep = self._asleep or chip_too
        self._axes = (0,) * 6
        self.restarts: list[int] = []
        self.errors: list[int] = []
        self.names: list[tuple[int, int]] = []
        self._set_up(tick)

    @property
    def healthy(self) -> bool:
        """Nothing to mind but the samples themselves."""
        return not self.fault and not self._asleep

    def strike(self, fault: ImuFault) -> None:
        if ImuFault.ABSENT in (fault, self.fault):
            self._asleep = True  # its supply comes with its cable
        self.fault = fault

    def samples(self, tick: int, values: tuple[int, ...]) -> tuple[int, ...] | None:
        """The chip measures at `tick`: what is sent, or None if nothing is."""
        if self._asleep or self.fault in (ImuFault.ABSENT, ImuFault.SILENT) or tick < self._awake:
            return None
        if self.fault is not ImuFault.FROZEN:
            self._registers = values
        axes = self._registers[:6]
        self._same = self._same + 1 if axes == self._axes else 0
        self._axes, self._heard = axes, tick
        return self._registers

    def tend(self, tick: int) -> None:
        """A pass of the main loop."""
        if self._same < IMU_FROZEN_SAMPLES and tick - self._heard <= IMU_SILENT_TICKS:
            return
        if tick - self._tried >= IMU_RETRY_TICKS:
            self.restarts.append(tick)
            self._set_up(tick)

    def _set_up(self, tick: int) -> None:
        self._tried = self._heard = tick
        self._same = 0
        there = self.fault is not ImuFault.ABSENT
        self.names.append((tick, IMU_ID if there else 0))
        if not there:
            self.errors.append(tick)
        elif self._asleep:
            self._asleep, self._awake = False, tick + IMU_START_UP_TICKS


class SeatButton:
    """One seat button's contact and its debouncing."""

    def __init__(self) -> None:
        self.contact = False
        self.boot()

    def boot(self) -> None:
        self._pressed = self._last = self._moving = False
        self._changed = self._stamp = 0

    def touch(self, contact: bool, tick: int) -> None:
        """The contact at `tick`."""
        self.contact = contact
        if contact != self._last:
            self._last, self._changed = contact, tick
            if not self._moving:
                self._moving, self._stamp = True, tick

    def settled(self, tick: int) -> tuple[int, int, bool] | None:
        """(told at, first contact, pressed) once a change has kept still by `tick`."""
        told = self._changed + STILL_TICKS + LOOK_TICKS
        if not self._moving or tick < told:
            return None
        self._moving = False
        if self._last == self._pressed:
            return None  # only a flicker
        self._pressed = self._last
        return told, self._stamp, self._pressed
