"""What `rig.base` must say of each fault of the twin's hardware: the claim that a test holds and `bench_sensors` prints beside."""

from __future__ import annotations

from dataclasses import dataclass

from rig.twin.sensors.hardware_faults import BaseFaultKind


@dataclass(frozen=True)
class ExpectedNews:
    """What must be said of a fault. `weighs`: the weight stays known (None: no claim)."""

    link: str
    scale: str = ""
    weighs: bool | None = True
    resets: int = 0
    tilts: bool = True


TABLE: dict[BaseFaultKind, ExpectedNews] = {
    BaseFaultKind.CELL_FROZEN: ExpectedNews(r"load cell 3 is frozen", r"load cell 3 is frozen", False),
    BaseFaultKind.CELL_DEAD: ExpectedNews(r"load cell 3 is frozen", r"load cell 3 is frozen", False),
    BaseFaultKind.CELL_SATURATED: ExpectedNews(r"load cell 3 is at full scale", r"load cell 3 is at full scale", False),
    BaseFaultKind.CELL_FLOATING: ExpectedNews(r"load cell 3 is noise only: not connected", r"load cell 3 is noise only", False),
    BaseFaultKind.CELL_SILENT: ExpectedNews(r"load cell 3 is not connected", r"load cell 3 is not connected", False),
    BaseFaultKind.CELL_UNPLUGGED: ExpectedNews(r"load cell 3 is not connected", r"load cell 3 is not connected", False),
    BaseFaultKind.CELL_SHORTED: ExpectedNews(
        r"load cell 3 is not connected: the data line stays low", r"load cell 3 is not connected", False
    ),
    BaseFaultKind.USB_UNPLUGGED: ExpectedNews(r"silent for 3 s|its power was off", r"^$", False, resets=1, tilts=False),
    BaseFaultKind.BYTES_LOST: ExpectedNews(r""),
    BaseFaultKind.RESET_LINE: ExpectedNews(r"started anew: its reset line was pulled", weighs=None, resets=1),
    BaseFaultKind.BROWN_OUT: ExpectedNews(r"started anew: its supply voltage broke down", weighs=None, resets=1),
    BaseFaultKind.IMU_FROZEN: ExpectedNews(r"motion chip repeats itself", tilts=False),
    BaseFaultKind.IMU_SILENT: ExpectedNews(r"motion chip is silent", tilts=False),
    BaseFaultKind.IMU_ABSENT: ExpectedNews(r"motion chip is silent", tilts=False),
}
