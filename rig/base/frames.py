"""Bytes to frames and back, with every loss counted: a pure object, no port, no clock.

COBS lets a listener fall back into step at the next zero; CRC, type and exact length must all agree before a frame is believed. What is
refused is counted by reason. Dates and meaning are left to `rig.base.clock` and `rig.base.fold`.
"""

from __future__ import annotations

import struct
from binascii import crc_hqx
from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple, TypeAlias

from cobs import cobs

from rig.base.protocol import BY_KIND, CELLS, FrameKind

LONGEST_WIRE = 64
"""No frame is longer; a longer run without a zero is noise and is not kept."""


class Hello(NamedTuple):
    """A HELLO frame: who speaks, sent at every start."""

    sequence: int
    t: int
    protocol: int
    layout: int
    firmware: int
    reset_cause: int
    boot_id: int
    frames_before: int
    imu_id: int


class Status(NamedTuple):
    """A STATUS frame: what was counted so far."""

    sequence: int
    t: int
    frames: int
    cell_samples: tuple[int, ...]
    imu_samples: int
    overruns: tuple[int, ...]
    out_of_step: tuple[int, ...]
    stuck: int
    late: int
    dropped: int
    i2c_errors: int
    imu_restarts: int
    imu_temp: int
    rx_errors: int


class Load(NamedTuple):
    """A LOAD frame: one conversion of one cell, in counts."""

    sequence: int
    t: int
    cell: int
    flags: int
    counts: int


class Imu(NamedTuple):
    """An IMU frame: one reading of the motion chip, in its own counts."""

    sequence: int
    t: int
    ax: int
    ay: int
    az: int
    gx: int
    gy: int
    gz: int


class Button(NamedTuple):
    """A BUTTON frame: a seat's button went down or up."""

    sequence: int
    t: int
    button: int
    pressed: int


class Pong(NamedTuple):
    """A PONG frame: the answer to a PING of this token."""

    sequence: int
    t: int
    token: int


class Tared(NamedTuple):
    """A TARED frame: the base has noted the mark of this token."""

    sequence: int
    t: int
    token: int


class SelfTest(NamedTuple):
    """A SELFTEST frame: supply in millivolts, free memory in bytes, states of the lines."""

    sequence: int
    t: int
    supply_mv: int
    free_ram: int
    lines: int
    imu_id: int
    loop_max: int


Frame: TypeAlias = Hello | Status | Load | Imu | Button | Pong | Tared | SelfTest


def _status(sequence: int, *values: int) -> Status:
    t, frames, rest = values[0], values[1], values[2:]
    n = CELLS
    return Status(sequence, t, frames, rest[:n], rest[n], rest[n + 1 : 2 * n + 1], rest[2 * n + 1 : 3 * n + 1], *rest[3 * n + 1 :])


_BUILDERS: dict[FrameKind, Callable[..., Frame]] = {
    FrameKind.HELLO: Hello,
    FrameKind.STATUS: _status,
    FrameKind.LOAD: Load,
    FrameKind.IMU: Imu,
    FrameKind.BUTTON: Button,
    FrameKind.PONG: Pong,
    FrameKind.TARED: Tared,
    FrameKind.SELF_TEST: SelfTest,
}

_SHAPES: dict[tuple[int, int], tuple[Callable[[bytes], tuple[int, ...]], Callable[..., Frame]]] = {
    (int(kind), BY_KIND[kind].size + 5): (struct.Struct("<xH" + BY_KIND[kind].format[1:] + "xx").unpack, build)
    for kind, build in _BUILDERS.items()
}
_WHOLE = {kind: struct.Struct("<BH" + frame.format[1:]) for kind, frame in BY_KIND.items()}
_KINDS = {kind for kind, _ in _SHAPES}


@dataclass(slots=True)
class WireCounts:
    """What became of the bytes since the start: `noise` runs were longer than any frame; the rest are frames refused, by reason."""

    bytes: int = 0
    frames: int = 0
    bad_cobs: int = 0
    bad_crc: int = 0
    bad_shape: int = 0
    noise: int = 0

    @property
    def refused(self) -> int:
        """Frames that were not taken, for whatever reason."""
        return self.bad_cobs + self.bad_crc + self.bad_shape + self.noise


class FrameDecoder:
    """Bytes in, frames out. Feed it any pieces; a frame in three pieces is one frame."""

    def __init__(self) -> None:
        self.counts = WireCounts()
        self._rest = b""
        self._overlong = False

    def feed(self, data: bytes) -> list[Frame]:
        """The frames that `data` completes, in order."""
        counts = self.counts
        counts.bytes += len(data)
        *chunks, rest = (self._rest + data).split(b"\0")
        if chunks and self._overlong:
            chunks[0] = b"\x01" * (LONGEST_WIRE + 1)  # its beginning was not kept: only its being noise matters
            self._overlong = False
        if len(rest) > LONGEST_WIRE:
            rest, self._overlong = b"", True
        self._rest = rest
        frames: list[Frame] = []
        shapes, decode = _SHAPES, cobs.decode
        for chunk in chunks:
            if not chunk:
                continue  # an empty frame is not a frame
            if len(chunk) > LONGEST_WIRE:
                counts.noise += 1
                continue
            try:
                raw = decode(chunk)
            except cobs.DecodeError:
                counts.bad_cobs += 1
                continue
            if len(raw) < 5 or crc_hqx(raw, 0xFFFF):
                counts.bad_crc += 1
                continue
            shape = shapes.get((raw[0], len(raw)))
            if shape is None:
                counts.bad_shape += 1
                continue
            unpack, build = shape
            frames.append(build(*unpack(raw)))
        counts.frames += len(frames)
        return frames


def encode(kind: FrameKind, sequence: int, *values: int) -> bytes:
    """A whole frame as it goes over the wire, its zero included. `values`: the payload's numbers in wire order, arrays flattened."""
    raw = _WHOLE[kind].pack(kind, sequence & 0xFFFF, *values)
    crc = crc_hqx(raw, 0xFFFF)
    return bytes(cobs.encode(raw + crc.to_bytes(2, "big"))) + b"\0"
