"""Commands to the base: sent until they are answered, a few times at the most, then given up with a sentence.

A command can be lost (the base is just starting, a byte was disturbed), so it is sent again; it is never sent for ever. The answer carries
the command's token where it has one, so that a late answer to an earlier command is not taken for this one's.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Protocol, TypeVar

from rig.base.frames import Frame, FrameDecoder, Pong, Tared, encode
from rig.base.protocol import FrameKind
from rig.errors import PalettiError

Answer = TypeVar("Answer", bound=Frame)

TRIES = 3
WAIT_S = 0.8
"""For an answer to one try. An answer takes some milliseconds; a base that has just been reset by the opened port needs two tries."""


class TwoWay(Protocol):
    """What a command needs of a port (`rig.base.port.Port` is one)."""

    url: str

    def read(self) -> bytes:
        """The bytes that have come in; empty if none."""

    def write(self, data: bytes) -> None:
        """Send these bytes."""


def ask_base(port: TwoWay, kind: FrameKind, value: int, answer: type[Answer], clock: Callable[[], float] = time.monotonic) -> Answer:
    """Sends the command `kind` with its one number and returns the base's answer; PalettiError if it stays out."""
    decoder = FrameDecoder()
    for attempt in range(TRIES):
        port.write(b"\0" + encode(kind, attempt, value))
        until_s = clock() + WAIT_S
        while clock() < until_s:
            for frame in decoder.feed(port.read()):
                if isinstance(frame, answer) and not (isinstance(frame, Pong | Tared) and frame.token != value):
                    return frame
    raise PalettiError(
        f"The base on {port.url} does not answer {kind.name} after {TRIES} tries.",
        "It is heard if `paletti doctor` shows samples; then look at the line to its RX pin.",
    )
