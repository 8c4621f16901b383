"""The base's motion chip: slow tilt of the base from gravity, and shocks. Pure.

It feels knocks on the table, not the tower's lean (a tower that leans tilts the base by hundredths of a degree). A chip whose reading is no
gravity at all is faulty, not in free fall; one that repeats itself to the last bit is frozen. Both say nothing rather than something wrong.
"""

from __future__ import annotations

import math
from collections import deque

from rig.base.protocol import ACCEL_COUNTS_PER_G
from rig.messages import Tilted

G_MPS2 = 9.80665
EVERY_S = 0.1
SLOW_S = 0.5
"""Time constant of the tilt: longer is steadier, shorter follows faster."""
FROZEN_SAMPLES = 100
WRONG_G = 0.3
"""Half a second's mean further than this from 1 g is a fault: no shaking of a table adds up to that."""
GRAVITY_SAMPLES = 100


class TiltSense:
    """IMU samples in, a `Tilted` every tenth of a second out."""

    def __init__(self) -> None:
        self.fault = ""
        self._slow: list[float] | None = None
        self._last: tuple[int, int, int] | None = None
        self._same = 0
        self._magnitudes: deque[float] = deque(maxlen=GRAVITY_SAMPLES)
        self._shock_g = 0.0
        self._last_t_s: float | None = None
        self._next_s: float | None = None

    def feed(self, t_s: float, ax: int, ay: int, az: int) -> Tilted | None:
        """One sample (raw counts) dated `t_s`."""
        raw = (ax, ay, az)
        self._same = self._same + 1 if raw == self._last else 0
        self._last = raw
        x, y, z = ax / ACCEL_COUNTS_PER_G, ay / ACCEL_COUNTS_PER_G, az / ACCEL_COUNTS_PER_G
        self._magnitudes.append(math.sqrt(x * x + y * y + z * z))
        self.fault = self._find_fault()
        if self.fault:
            self._slow = self._next_s = None
            self._shock_g = 0.0
            return None
        if self._slow is None or self._last_t_s is None:
            self._slow = [x, y, z]
        else:
            share = 1 - math.exp(-max(t_s - self._last_t_s, 0.0) / SLOW_S)
            self._slow = [slow + share * (value - slow) for slow, value in zip(self._slow, (x, y, z), strict=True)]
        self._last_t_s = t_s
        sx, sy, sz = self._slow
        self._shock_g = max(self._shock_g, math.sqrt((x - sx) ** 2 + (y - sy) ** 2 + (z - sz) ** 2))
        if self._next_s is None or t_s > self._next_s + 1.0:
            self._next_s = t_s + EVERY_S
        if t_s < self._next_s:
            return None
        self._next_s += EVERY_S
        shock_g, self._shock_g = self._shock_g, 0.0
        return Tilted(
            t_s=t_s,
            tilt_x_deg=math.degrees(math.atan2(sy, sz)),
            tilt_y_deg=math.degrees(math.atan2(-sx, math.hypot(sy, sz))),
            shock_mps2=shock_g * G_MPS2,
        )

    def _find_fault(self) -> str:
        if self._same >= FROZEN_SAMPLES:
            return "the motion chip repeats itself: it is frozen"
        if len(self._magnitudes) == GRAVITY_SAMPLES:
            mean_g = sum(self._magnitudes) / GRAVITY_SAMPLES
            if abs(mean_g - 1.0) > WRONG_G:
                return f"the motion chip reads {mean_g:.2f} g at rest instead of 1 g"
        return ""
