"""When did a phone take its picture, by this computer's clock? A phone has a clock of its own, which is ahead or behind and drifts.

The computer asks the phone for its time again and again. The answer came from some moment between asking and hearing, so each exchange
bounds the offset by half of the time it took (RFC 5905, section 8); the shortest of the last minute is believed. A busy network only makes
exchanges longer, so they are left out; a phone whose clock jumps (it slept) is known by its new exchanges excluding the old offset.
"""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass

KEPT_S = 60.0
"""Exchanges kept. Longer: shorter ones to choose from; shorter: less drift (100 ppm at most, 6 ms a minute)."""


@dataclass(frozen=True, slots=True)
class Exchange:
    """Asked at `sent_s`, heard at `back_s` (computer's clock), answered at `phone_s` (phone's clock)."""

    sent_s: float
    phone_s: float
    back_s: float

    @property
    def took_s(self) -> float:
        return self.back_s - self.sent_s

    @property
    def offset_s(self) -> float:
        """The phone's clock less the computer's, if the answer came from the middle."""
        return self.phone_s - (self.sent_s + self.back_s) / 2


class PhoneClock:
    """Turns a phone's times into the computer's. Seconds."""

    def __init__(self) -> None:
        self._kept: deque[Exchange] = deque()

    def heard(self, exchange: Exchange) -> None:
        """One exchange more; one that contradicts those before (its clock has jumped) throws them away."""
        if exchange.took_s < 0:
            return
        best = self._best()
        if best is not None and abs(exchange.offset_s - best.offset_s) > (exchange.took_s + best.took_s) / 2 + 0.02:
            self._kept.clear()
        self._kept.append(exchange)
        while exchange.back_s - self._kept[0].back_s > KEPT_S:
            self._kept.popleft()

    def _best(self) -> Exchange | None:
        return min(self._kept, key=lambda one: one.took_s, default=None)

    @property
    def offset_s(self) -> float | None:
        """The phone's clock less the computer's; None until they have spoken."""
        best = self._best()
        return None if best is None else best.offset_s

    @property
    def doubt_s(self) -> float | None:
        """The offset is wrong by at most so much; None until they have spoken."""
        best = self._best()
        return None if best is None else best.took_s / 2

    def here_s(self, phone_s: float) -> float | None:
        """The computer's time at a phone's time; None until they have spoken."""
        offset = self.offset_s
        return None if offset is None else phone_s - offset
