"""The base's clock in the session's time: when, on the one time axis, was a sample taken?

Every sample carries the device's tick. A chunk of bytes arrives at some time after its newest frame was sent; the delay varies with USB
and scheduling, but never goes below a constant. So the lower envelope of (arrival - device time), a straight line fitted through the
smallest value of each second, is the device's offset and skew; what remains is the constant part of the delay, which nobody can measure
from one side: it is estimated from what is known (see `CONSTANT_DELAY_S`) and taken off.
"""

from __future__ import annotations

from collections import deque

import numpy as np

from rig.base.protocol import BAUD, HOLD_TICKS, TICK_BITS, TICK_S, TICKS_PER_SECOND

CONSTANT_DELAY_S = HOLD_TICKS * TICK_S + 17 * 10 / BAUD + 0.001
"""Sample to arrival at the least: the outbox's hold (2.05 ms), one LOAD frame on the wire (0.68 ms), one USB frame (1 ms)."""

BUCKET_S = 1.0
BUCKETS = 30
"""Half a minute of envelope. More: smoother, slower to follow a warming resonator; fewer: the reverse."""

MAX_SKEW = 0.01
"""A Uno's ceramic resonator is within 0.5 %; a fit beyond 1 % is no skew but a stalled host."""

BACKWARDS_TICKS = TICKS_PER_SECOND // 2
"""Frames come in the order of their ticks but for buttons (dated 20 ms back); further back is another boot."""

AHEAD_S = 5.0
"""A tick that runs ahead of the arrival time by more than this is another boot, not a gap."""


class DeviceClock:
    """Unwraps ticks and maps them to session time. One for each boot's life; `restart` begins a new one and keeps the skew."""

    def __init__(self) -> None:
        self._last_tick: int | None = None
        self._last_arrival_s = 0.0
        self._total = 0
        self._skew = 0.0
        self._offset_s = 0.0
        self._reference_s = 0.0
        self._bucket: int | None = None
        self._least: tuple[float, float] | None = None
        self._minima: deque[tuple[float, float]] = deque(maxlen=BUCKETS)

    @property
    def skew(self) -> float:
        """How much faster (+) the session's clock runs than the device's, as a ratio."""
        return self._skew

    def restarted(self, tick: int, arrival_s: float) -> bool:
        """Does `tick` betray that the device has started anew since the last one? A wrap does not."""
        if self._last_tick is None:
            return False
        ahead = self._difference(tick)
        return ahead < -BACKWARDS_TICKS or ahead * TICK_S > arrival_s - self._last_arrival_s + AHEAD_S

    def restart(self) -> None:
        """Forget offset and count: another boot begins."""
        skew = self._skew
        self.__init__()  # type: ignore[misc]
        self._skew = skew

    def unwrap(self, tick: int, arrival_s: float) -> float:
        """`tick` as seconds of this boot without wrap-around."""
        ahead = self._difference(tick) if self._last_tick is not None else tick
        device = self._total + ahead
        if ahead > 0 or self._last_tick is None:
            self._total, self._last_tick, self._last_arrival_s = device, tick, arrival_s
        return device * TICK_S

    def arrived(self, device_s: float, arrival_s: float) -> None:
        """A chunk whose newest frame is dated `device_s` has arrived."""
        delay_s = arrival_s - device_s
        bucket = int(device_s // BUCKET_S)
        if self._bucket is None:
            self._bucket, self._offset_s, self._reference_s = bucket, delay_s, device_s
        if bucket != self._bucket and self._least is not None:
            self._minima.append(self._least)
            self._fit()
            self._bucket, self._least = bucket, None
        if self._least is None or delay_s < self._least[1]:
            self._least = (device_s, delay_s)
        now_s = self._offset_s + self._skew * (device_s - self._reference_s)
        if delay_s < now_s:  # below the line: the line is too high, at once
            self._offset_s += delay_s - now_s

    def session_s(self, device_s: float) -> float:
        """Session time of a sample dated `device_s`."""
        return device_s + self._offset_s + self._skew * (device_s - self._reference_s) - CONSTANT_DELAY_S

    def device_s(self, session_s: float) -> float | None:
        """What the device's clock showed at `session_s` (the inverse of `session_s`); None before anything has arrived."""
        if self._bucket is None:
            return None
        moved_s = session_s - self._offset_s + self._skew * self._reference_s + CONSTANT_DELAY_S
        return moved_s / (1 + self._skew)

    def _difference(self, tick: int) -> int:
        assert self._last_tick is not None
        half = 1 << (TICK_BITS - 1)
        return (tick - self._last_tick + half) % (1 << TICK_BITS) - half

    def _fit(self) -> None:
        if len(self._minima) < 5:
            return
        points = np.array(self._minima)
        x, y = points[:, 0], points[:, 1]
        centre = float(x.mean())
        first, second = np.triu_indices(len(x), 1)
        # Theil and Sen's median of slopes: a host that stalled for some seconds out of the thirty does not tilt it
        slope = float(np.median((y[second] - y[first]) / (x[second] - x[first])))
        slope = min(max(slope, -MAX_SKEW), MAX_SKEW)
        # the line lies on the lower envelope: through the smallest residual, not through the mean
        self._skew, self._reference_s = slope, centre
        self._offset_s = float((y - slope * (x - centre)).min())
