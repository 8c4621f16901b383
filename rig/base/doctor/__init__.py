"""The doctor of the base: what is wrong with these sensors? Some seconds of samples in, a report with sentences out.

The patients are a base's bytes (`patient`), anybody's log (`log`), and a base watched live (`watch`). What a cell is, is judged by the
game's own judgement (`rig.base.bins`); here are figures, sentences and the report (`report`).
"""

from rig.base.doctor.channel import examine_cells
from rig.base.doctor.figures import bad_reads, neighbour_noise
from rig.base.doctor.log import examine_log
from rig.base.doctor.motion import examine_imu
from rig.base.doctor.report import ChannelReport, DoctorReport, ImuReport, Spell

__all__ = [
    "ChannelReport",
    "DoctorReport",
    "ImuReport",
    "Spell",
    "bad_reads",
    "examine_cells",
    "examine_imu",
    "examine_log",
    "neighbour_noise",
]
