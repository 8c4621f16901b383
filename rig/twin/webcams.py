"""The cameras' side of a session: when pictures are taken, what a webcam makes of them, and when they arrive.

What a camera can see is drawn by `cameras.py`; here are time and faults: the delay from exposure to arrival, and whatever the level makes
of a picture on its way.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from rig.messages import Frame
from rig.profile import Profile
from rig.twin.cameras import Eye, to_jpeg
from rig.twin.levels import PictureLevel
from rig.twin.poses import HandPose, Poses

FIRST_S = 0.1


class Webcams:
    """All cameras of one session, `frame_rate` pictures a second each."""

    def __init__(self, profile: Profile, seed: int, level: PictureLevel, frame_rate: float) -> None:
        self._profile, self._level = profile, level
        self._eye = Eye(profile, seed)
        self._rng = np.random.default_rng((seed, 0xCA3))
        self._gap_s = 1.0 / frame_rate
        self._next_s = FIRST_S

    def due(self, t_s: float) -> bool:
        """Whether it is time for pictures; says so once for each time."""
        if t_s < self._next_s:
            return False
        self._next_s += self._gap_s
        return True

    def take(self, t_s: float, poses: Poses, hands: Sequence[HandPose]) -> list[tuple[float, Frame]]:
        """One picture a camera exposed at `t_s`, each with the time at which it arrives."""
        low, high = self._level.frame_delay_s
        out: list[tuple[float, Frame]] = []
        for number, picture in enumerate(self._eye.see(poses, hands), 1):
            delay_s = float(self._rng.uniform(low, high))
            frame = Frame(camera=number, jpeg=to_jpeg(self._eye.webcam(picture)), lag_s=self._profile.camera(number).lag_s)
            out.append((t_s + delay_s, frame))
        return out

    def close(self) -> None:
        self._eye.close()
