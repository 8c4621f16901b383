"""Figures of the link: frames decoded a second, beside pySerialTransfer, pymavlink and a bare cobs + CRC + struct loop, in one run.

Every decoder gets the same samples (a time, a cell's number, a value) in its own framing, in pieces of 4096 bytes, all in memory; what it
decodes is counted and must be complete. The two peers are optional: `pip install .[bench]`. The best of several rounds counts, since this
is about the code and not about who else uses the machine.
"""

from __future__ import annotations

import argparse
import os
import struct
import time
from binascii import crc_hqx
from collections.abc import Callable, Sequence

from cobs import cobs

from rig.base.frames import FrameDecoder, encode
from rig.base.protocol import Kind
from rig.bench.results import Results, add_json, measured

PIECE = 4096
Decode = Callable[[Sequence[bytes]], int]
"""Pieces in, number of frames out."""


def pieces(wire: bytes) -> list[bytes]:
    return [wire[k : k + PIECE] for k in range(0, len(wire), PIECE)]


def ours(stream: Sequence[bytes]) -> int:
    decoder = FrameDecoder()
    return sum(len(decoder.feed(piece)) for piece in stream)


def bare(stream: Sequence[bytes]) -> int:
    """The least that cobs, a CRC and one known shape can cost: no types, no counts, no refusals."""
    unpack = struct.Struct("<xHIBBixx").unpack
    rest, frames = b"", 0
    for piece in stream:
        *chunks, rest = (rest + piece).split(b"\0")
        for chunk in chunks:
            raw = cobs.decode(chunk)
            if not crc_hqx(raw, 0xFFFF):
                unpack(raw)
                frames += 1
    return frames


class MemoryPort:
    """What pySerialTransfer asks of a port, from memory."""

    is_open = True

    def __init__(self) -> None:
        self.data, self.at = b"", 0

    @property
    def in_waiting(self) -> int:
        return len(self.data) - self.at

    def read(self, size: int = 1) -> bytes:
        read = self.data[self.at : self.at + size]
        self.at += len(read)
        return read

    def write(self, data: bytes) -> None:
        self.data += data


def serial_transfer(count: int) -> tuple[bytes, Decode]:
    from pySerialTransfer.pySerialTransfer import SerialTransfer

    def link() -> tuple[SerialTransfer, MemoryPort]:
        made = SerialTransfer("memory", restrict_ports=False)
        made.connection = MemoryPort()
        return made, made.connection

    sender, port = link()
    parts = []
    for n in range(count):
        sender.send(sender.tx_struct_obj(struct.pack("<HIBBi", n & 0xFFFF, n * 49, n % 4, 0, 123456 + n)), 3)
        parts.append(port.data)
        port.data = b""

    def decode(stream: Sequence[bytes]) -> int:
        receiver, port = link()
        unpack, frames = struct.Struct("<HIBBi").unpack_from, 0
        for piece in stream:
            port.data, port.at = port.data[port.at :] + piece, 0
            while port.in_waiting:
                if receiver.available():
                    unpack(bytes(receiver.rx_buff[:12]))
                    frames += 1
        return frames

    return b"".join(parts), decode


def mavlink(count: int) -> tuple[bytes, Decode]:
    os.environ["MAVLINK20"] = "1"
    from pymavlink.dialects.v20 import common

    sender = common.MAVLink(None)
    wire = b"".join(sender.debug_encode(n * 49, n % 4, float(n)).pack(sender) for n in range(count))

    def decode(stream: Sequence[bytes]) -> int:
        receiver = common.MAVLink(None)
        receiver.robust_parsing = True
        return sum(len(receiver.parse_buffer(piece) or ()) for piece in stream)

    return wire, decode


def mixed(count: int) -> bytes:
    """The base's own mixture: 320 loads, 200 motions and a status a second."""
    parts, n = [], 0
    while n < count:
        for k in range(40):
            parts.append(encode(Kind.LOAD, n, n * 30, k % 4, 0, 123456 + n))
            n += 1
            if k % 8 < 5:
                parts.append(encode(Kind.IMU, n, n * 30, k, -k, 16384, 1, 2, 3))
                n += 1
        parts.append(encode(Kind.STATUS, n, n * 30, n, *(80,) * 4, 200, *(0,) * 8, 0, 0, 0, 0, 0, -3920, 0))
        n += 1
    return b"".join(parts)


def speed(decode: Decode, wire: bytes, frames: int, rounds: int) -> float:
    """Frames a second, the best of `rounds`."""
    stream, best_s = pieces(wire), float("inf")
    for _ in range(rounds):
        started = time.perf_counter()
        got = decode(stream)
        best_s = min(best_s, time.perf_counter() - started)
        if got != frames:
            raise AssertionError(f"{got} of {frames} frames decoded")
    return frames / best_s


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--frames", type=int, default=200_000)
    parser.add_argument("--rounds", type=int, default=5)
    add_json(parser, "link")
    options = parser.parse_args()
    with measured(options.json, "none drawn", __doc__) as results:
        compare(options.frames, options.rounds, results)


def compare(count: int, rounds: int, results: Results) -> None:
    """All decoders on `count` frames, the peers on a twentieth (they are slow), each the best of `rounds`."""
    wire = b"".join(encode(Kind.LOAD, n, n * 49, n % 4, 0, 123456 + n) for n in range(count))
    loop = speed(bare, wire, count, rounds)
    here = speed(ours, wire, count, rounds)
    results.number("rig.base.frames, LOAD frames", here / 1e3, "thousand frames/s", count)
    results.number("bare cobs + CRC + struct loop", loop / 1e3, "thousand frames/s", count)
    results.number("time of rig.base.frames beside the bare loop", loop / here, "times", count)
    mixture = mixed(count)
    frames = ours(pieces(mixture))
    results.number("rig.base.frames, the base's mixture of frames", speed(ours, mixture, frames, rounds) / 1e3, "thousand frames/s", frames)
    few = max(count // 20, 1)
    for name, peer in (("pySerialTransfer", serial_transfer), ("pymavlink, DEBUG messages", mavlink)):
        try:
            theirs, decode = peer(few)
        except ImportError:
            print(f"{name:<35} not installed: pip install .[bench]")
            continue
        rate = speed(decode, theirs, few, rounds)
        results.number(name, rate / 1e3, "thousand frames/s", few)
        results.number(f"time of {name} beside rig.base.frames", here / rate, "times", few)


if __name__ == "__main__":
    main()
