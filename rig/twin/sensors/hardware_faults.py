"""Which hardware fails when: drawn whole from the seed before the game begins, and told in words for the exam to show.

Nothing here reaches the referee: it must find out by what the base says. What a fault does is done by those it strikes (`load_cells.py`,
`motion_chip.py`, `usb_cable.py`, the chips in the base itself); here is only the plan.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

import numpy as np

from rig.base.protocol import CELLS
from rig.twin.sensors.level_sensors import SensorLevel

HORIZON_S = 7200.0
"""Faults are drawn for two hours; no session of the twin is longer."""
QUIET_START_S = 5.0
"""Nothing breaks before the base has been heard at all."""


class BaseFaultKind(StrEnum):
    """What can fail. All but SLOW_CHIPS have an end."""

    SLOW_CHIPS = "10 samples a second"
    CELL_FROZEN = "frozen cell"
    CELL_DEAD = "dead cell"
    CELL_SATURATED = "cell at full scale"
    CELL_FLOATING = "floating cell"
    CELL_SILENT = "silent cell"
    CELL_UNPLUGGED = "unplugged cell"
    CELL_SHORTED = "shorted cell"
    CABLE_WIGGLE = "cable wiggle"
    BYTES_LOST = "bytes lost"
    USB_UNPLUGGED = "USB unplugged"
    RESET_LINE = "reset line"
    BROWN_OUT = "brown-out"
    IMU_FROZEN = "frozen motion chip"
    IMU_SILENT = "silent motion chip"
    IMU_ABSENT = "missing motion chip"


CELL_FAILURES = (
    BaseFaultKind.CELL_FROZEN,
    BaseFaultKind.CELL_DEAD,
    BaseFaultKind.CELL_SATURATED,
    BaseFaultKind.CELL_FLOATING,
    BaseFaultKind.CELL_SILENT,
    BaseFaultKind.CELL_UNPLUGGED,
    BaseFaultKind.CELL_SHORTED,
)
IMU_FAILURES = (BaseFaultKind.IMU_FROZEN, BaseFaultKind.IMU_SILENT, BaseFaultKind.IMU_ABSENT)
RESETS = (BaseFaultKind.RESET_LINE, BaseFaultKind.BROWN_OUT)

_WORDS = {
    BaseFaultKind.SLOW_CHIPS: "the load cells' chips are strapped to 10 samples/s",
    BaseFaultKind.CELL_FROZEN: "load cell {cell} repeats one value",
    BaseFaultKind.CELL_DEAD: "load cell {cell} is dead: it shows 0",
    BaseFaultKind.CELL_SATURATED: "load cell {cell} is at full scale (a broken bridge wire)",
    BaseFaultKind.CELL_FLOATING: "load cell {cell}'s signal wires are off: noise only",
    BaseFaultKind.CELL_SILENT: "load cell {cell}'s chip converts no more",
    BaseFaultKind.CELL_UNPLUGGED: "load cell {cell}'s chip is unplugged",
    BaseFaultKind.CELL_SHORTED: "load cell {cell}'s data line is shorted to ground",
    BaseFaultKind.CABLE_WIGGLE: "load cell {cell}'s cable is touched: {size:+.0f} g come and go",
    BaseFaultKind.BYTES_LOST: "{size:.0f} bytes are lost on the USB cable",
    BaseFaultKind.USB_UNPLUGGED: "the USB plug is out",
    BaseFaultKind.RESET_LINE: "the board's reset line is pulled",
    BaseFaultKind.BROWN_OUT: "the board's supply breaks down",
    BaseFaultKind.IMU_FROZEN: "the motion chip repeats itself",
    BaseFaultKind.IMU_SILENT: "the motion chip measures no more",
    BaseFaultKind.IMU_ABSENT: "the motion chip is off its bus",
}


@dataclass(frozen=True, slots=True)
class BaseFault:
    """One fault from `t_s` until `until_s` (equal: a moment). `cell` 0 based where it is one cell's; `size` bytes or grams by kind."""

    t_s: float
    until_s: float
    kind: BaseFaultKind
    cell: int | None = None
    size: float = 0.0

    @property
    def words(self) -> str:
        """What happens, for people."""
        what = _WORDS[self.kind].format(cell=0 if self.cell is None else self.cell + 1, size=self.size)
        lasts_s = self.until_s - self.t_s
        return what if lasts_s <= 0 or self.until_s >= HORIZON_S else f"{what}, for {lasts_s:.1f} s"

    def holds(self, t_s: float) -> bool:
        """Whether it is in force at `t_s`."""
        return self.t_s <= t_s < self.until_s


def draw_faults(level: SensorLevel, seed: int) -> tuple[BaseFault, ...]:
    """The session's faults in the order in which they strike."""
    rates = level.faults
    out: list[BaseFault] = []

    def rng(salt: int) -> np.random.Generator:
        return np.random.default_rng((seed, 0xFA017, salt))  # one a kind, so that one rate changed leaves the others' draws alone

    def moments(draw: np.random.Generator, per_h: float) -> list[float]:
        count = int(draw.poisson(per_h * HORIZON_S / 3600)) if per_h > 0 else 0
        return sorted(float(t_s) for t_s in draw.uniform(QUIET_START_S, HORIZON_S, count))

    slow = rng(0)
    if slow.random() < level.slow_chip_share:
        out.append(BaseFault(0.0, HORIZON_S, BaseFaultKind.SLOW_CHIPS))
    failing = rng(1)
    if failing.random() < rates.failing_cell_share:
        start_s = float(failing.uniform(60.0, 600.0))
        until_s = start_s + float(failing.uniform(15.0, 60.0)) if failing.random() < 0.5 else HORIZON_S
        kind = CELL_FAILURES[int(failing.integers(len(CELL_FAILURES)))]
        out.append(BaseFault(start_s, until_s, kind, int(failing.integers(CELLS)), float(failing.choice([-1.0, 1.0]))))
    wiggling = rng(2)
    for t_s in moments(wiggling, rates.wiggles_per_h):
        size_g = float(wiggling.choice([-1.0, 1.0]) * np.exp(wiggling.uniform(np.log(4.0), np.log(400.0))))
        out.append(
            BaseFault(t_s, t_s + float(wiggling.uniform(0.2, 2.0)), BaseFaultKind.CABLE_WIGGLE, int(wiggling.integers(CELLS)), size_g)
        )
    losing = rng(3)
    out += [
        BaseFault(t_s, t_s, BaseFaultKind.BYTES_LOST, None, float(losing.integers(1, 401)))
        for t_s in moments(losing, rates.lost_bytes_per_h)
    ]
    pulling = rng(4)
    out += [
        BaseFault(t_s, t_s + float(pulling.uniform(1.0, 6.0)), BaseFaultKind.USB_UNPLUGGED) for t_s in moments(pulling, rates.unplugs_per_h)
    ]
    resetting = rng(5)
    out += [BaseFault(t_s, t_s, RESETS[int(resetting.integers(2))]) for t_s in moments(resetting, rates.resets_per_h)]
    moving = rng(6)
    for t_s in moments(moving, rates.imu_faults_per_h):
        out.append(BaseFault(t_s, t_s + float(moving.uniform(2.0, 20.0)), IMU_FAILURES[int(moving.integers(3))]))
    return tuple(sorted(_apart(out), key=lambda fault: (fault.t_s, fault.kind)))


def _apart(faults: list[BaseFault]) -> list[BaseFault]:
    """Without the faults of a part that already has one: a second unplugging while the plug is out is none."""
    out: list[BaseFault] = []
    for fault in sorted(faults, key=lambda fault: (fault.t_s, fault.kind)):
        if not any(_part(before) == _part(fault) and fault.t_s <= before.until_s + 1.0 for before in out):
            out.append(fault)
    return out


def _part(fault: BaseFault) -> str:
    if fault.kind in (BaseFaultKind.USB_UNPLUGGED, BaseFaultKind.BYTES_LOST, *RESETS):
        return "board"
    if fault.kind in IMU_FAILURES:
        return "motion chip"
    if fault.kind is BaseFaultKind.SLOW_CHIPS:
        return "rate"
    return f"cell {fault.cell}"
