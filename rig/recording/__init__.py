"""MCAP recordings: everything that flows, raw, in order, and readable after any accident."""

from rig.recording.header import versions
from rig.recording.reader import Recording, read
from rig.recording.recorder import Recorder
from rig.recording.recovery import recover
from rig.recording.topics import Derived

__all__ = ["Derived", "Recorder", "Recording", "read", "recover", "versions"]
