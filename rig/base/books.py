"""The link's books: which frames are missing, and how often the base has started anew. Pure.

Every frame has a 16 bit number; STATUS carries the whole count, HELLO the count at which the previous boot ended. So losses are exact
across outages longer than the number's wrap (two minutes) and across resets, once the next STATUS or HELLO is through. The base's own clock
says how many frames can have been sent at all: a number that is further off than that is a leap (a frame seen twice, two bases on one
line), and no loss.
"""

from __future__ import annotations

from dataclasses import dataclass

from rig.base.frames import Frame, Hello, Status
from rig.base.protocol import BAUD, TICK_BITS, TICK_S

_WRAP = 1 << 16
MOST_FRAMES_PER_S = BAUD / 10 / 13
"""What the wire can carry: 10 bits a byte, and no frame that the base sends is shorter than 13 bytes (BUTTON with its COBS byte and
zero)."""
SPARE_FRAMES = 64
"""Frames may wait in the base's buffer, and a button is dated back by its debouncing."""


@dataclass(slots=True)
class LinkBooks:
    """`lost`: frames that the base has sent and nobody has seen; `leaps`: times its frame numbers leapt; `resets`: new boots since the
    first frame; `hello`: the latest."""

    lost: int = 0
    leaps: int = 0
    resets: int = 0
    hello: Hello | None = None
    _next: int | None = None  # number of the next frame; the whole count if anchored, else modulo the wrap
    _anchored: bool = False
    _previous_end: int | None = None  # where the books of the boot before this one end, until its HELLO says where it really ended
    _last_tick: int | None = None

    def is_new_boot(self, frame: Frame) -> bool:
        """Does this frame itself say that it comes from another boot than the last?"""
        return isinstance(frame, Hello) and self.hello is not None and frame.boot_id != self.hello.boot_id and self._previous_end is None

    def new_boot(self) -> None:
        """The base has started anew: its frames are numbered from 0 again."""
        self.resets += 1
        self._previous_end = self._next if self._anchored else None
        self._next, self._anchored = 0, True
        self._last_tick = None

    def enter(self, frame: Frame) -> int:
        """Books one frame; returns how many frames are missing just before it (a lower bound until the next STATUS or HELLO)."""
        if self._next is None:
            self._next = frame.sequence
            self._anchored = isinstance(frame, Hello) and frame.t == 0
        most = self._most_sent(frame)
        gap = (frame.sequence - self._next) % _WRAP
        index = self._next + gap
        if isinstance(frame, Status):
            if self._anchored:
                gap += max(frame.frames - index, 0)
            index, self._anchored = frame.frames, True
        elif isinstance(frame, Hello):
            if self._previous_end is not None and frame.frames_before > self._previous_end:
                self.lost += frame.frames_before - self._previous_end
            self._previous_end = None
            self.hello = frame
        if most is not None and gap > most:
            self.leaps += 1
            index, gap = (index if isinstance(frame, Status) else frame.sequence), 0
            self._anchored = isinstance(frame, Status)
        self.lost += gap
        self._next = index + 1
        return gap

    def _most_sent(self, frame: Frame) -> float | None:
        """How many frames the base can have sent since the last one, by its clock; None if that is not known."""
        before, self._last_tick = self._last_tick, frame.t
        if before is None:
            return None
        half = 1 << (TICK_BITS - 1)
        ahead = (frame.t - before + half) % (1 << TICK_BITS) - half
        if ahead < 0:  # dated back: a button
            self._last_tick, ahead = before, 0
        return ahead * TICK_S * MOST_FRAMES_PER_S + SPARE_FRAMES
