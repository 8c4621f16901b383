"""The link's books: which frames are missing, and how often the base has started anew. Pure.

Every frame has a 16 bit number; STATUS carries the whole count, HELLO the count at which the previous boot ended. So losses are exact
across outages longer than the number's wrap (two minutes) and across resets, once the next STATUS or HELLO is through.
"""

from __future__ import annotations

from dataclasses import dataclass

from rig.base.frames import Frame, Hello, Status

_WRAP = 1 << 16


@dataclass(slots=True)
class LinkBooks:
    """`lost`: frames that the base has sent and nobody has seen; `resets`: new boots since the first frame; `hello`: the latest."""

    lost: int = 0
    resets: int = 0
    hello: Hello | None = None
    _next: int | None = None  # number of the next frame; the whole count if anchored, else modulo the wrap
    _anchored: bool = False
    _previous_end: int | None = None  # where the books of the boot before this one end, until its HELLO says where it really ended

    def is_new_boot(self, frame: Frame) -> bool:
        """Does this frame itself say that it comes from another boot than the last?"""
        return isinstance(frame, Hello) and self.hello is not None and frame.boot_id != self.hello.boot_id and self._previous_end is None

    def new_boot(self) -> None:
        """The base has started anew: its frames are numbered from 0 again."""
        self.resets += 1
        self._previous_end = self._next if self._anchored else None
        self._next, self._anchored = 0, True

    def enter(self, frame: Frame) -> int:
        """Books one frame; returns how many frames are missing just before it (a lower bound until the next STATUS or HELLO)."""
        if self._next is None:
            self._next = frame.sequence
            self._anchored = isinstance(frame, Hello) and frame.t == 0
        gap = (frame.sequence - self._next) % _WRAP
        index = self._next + gap
        if isinstance(frame, Status):
            if self._anchored and frame.frames > index:
                gap += frame.frames - index
            index, self._anchored = frame.frames, True
        elif isinstance(frame, Hello):
            if self._previous_end is not None and frame.frames_before > self._previous_end:
                gap += frame.frames_before - self._previous_end
            self._previous_end = None
            self.hello = frame
        self.lost += gap
        self._next = index + 1
        return gap
