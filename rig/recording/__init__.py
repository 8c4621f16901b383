"""MCAP recordings: everything that flows, raw, in order, and readable after any accident."""

from rig.recording.header import versions
from rig.recording.parts import Parts, Words
from rig.recording.reader import Gap, Recording, read
from rig.recording.recorder import Recorder
from rig.recording.recovery import recover
from rig.recording.retention import Keep, forget_pictures, thin, thin_together
from rig.recording.topics import Derived

__all__ = [
    "Derived",
    "Gap",
    "Keep",
    "Parts",
    "Recorder",
    "Recording",
    "Words",
    "forget_pictures",
    "read",
    "recover",
    "thin",
    "thin_together",
    "versions",
]
