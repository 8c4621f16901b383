"""What `rig.base` must say of each fault of the twin's hardware: the claim that a test holds and `bench_sensors` prints beside."""

from __future__ import annotations

from dataclasses import dataclass

from rig.twin.sensors.hardware_faults import FaultKind


@dataclass(frozen=True)
class Said:
    """What must be said of a fault. `weighs`: the weight stays known (None: no claim)."""

    link: str
    scale: str = ""
    weighs: bool | None = True
    resets: int = 0
    tilts: bool = True


TABLE: dict[FaultKind, Said] = {
    FaultKind.CELL_FROZEN: Said(r"load cell 3 is frozen", r"load cell 3 is frozen", False),
    FaultKind.CELL_DEAD: Said(r"load cell 3 is frozen", r"load cell 3 is frozen", False),
    FaultKind.CELL_SATURATED: Said(r"load cell 3 is at full scale", r"load cell 3 is at full scale", False),
    FaultKind.CELL_FLOATING: Said(r"load cell 3 is noise only: not connected", r"load cell 3 is noise only", False),
    FaultKind.CELL_SILENT: Said(r"load cell 3 is not connected", r"load cell 3 is not connected", False),
    FaultKind.CELL_UNPLUGGED: Said(r"load cell 3 is not connected", r"load cell 3 is not connected", False),
    FaultKind.CELL_SHORTED: Said(r"load cell 3 is not connected: the data line stays low", r"load cell 3 is not connected", False),
    FaultKind.USB_UNPLUGGED: Said(r"silent for 3 s|its power was off", r"^$", False, resets=1, tilts=False),
    FaultKind.BYTES_LOST: Said(r""),
    FaultKind.RESET_LINE: Said(r"started anew: its reset line was pulled", weighs=None, resets=1),
    FaultKind.BROWN_OUT: Said(r"started anew: its supply voltage broke down", weighs=None, resets=1),
    FaultKind.IMU_FROZEN: Said(r"motion chip repeats itself", tilts=False),
    FaultKind.IMU_SILENT: Said(r"motion chip is silent", tilts=False),
    FaultKind.IMU_ABSENT: Said(r"motion chip is silent", tilts=False),
}
