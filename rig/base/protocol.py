"""The serial protocol as one table, so that the firmware and the host can never disagree silently.

Everything both sides must know is here: frame types, fields, units, sizes, clock, bounds. The C header of the sketch is generated from it
(`python -m rig.base.protocol header`), so is the table in the firmware's README (`… table`); HELLO carries a hash of it. What is left to
others: cutting bytes into frames (`rig.base.frames`) and what the values mean (`rig.base.fold`).

On the wire a frame is COBS(type, sequence, payload, CRC) followed by 0x00. Numbers are little-endian as the AVR keeps them; only the
CRC-16/CCITT-FALSE goes high byte first, because then the CRC over a whole good frame is zero and needs no slicing.
"""

from __future__ import annotations

import struct
import sys
import zlib
from dataclasses import dataclass
from enum import IntEnum, IntFlag

PROTOCOL_VERSION = 1
FIRMWARE_VERSION = 1
"""Counted up with every release of the sketch; tells nothing about the layout, which `layout_hash` does."""

BAUD = 250_000
"""Exact at 16 MHz (no rate error), and about 2.5 times what the stream needs."""

TICK_S = 64e-6
"""The device clock's tick: Timer 1 at 16 MHz / 1024. An interrupt's latency (a few microseconds) stays well below one tick."""
TICKS_PER_SECOND = 15_625
TICK_BITS = 32
CELLS = 4
BUTTONS = 4
HOLD_TICKS = 32
"""A sample is sent when it is this old (2 ms), oldest first, which makes the stream's order a function of the samples' times alone.

Smaller: less latency, but a sample read late (behind an I2C transfer) would go out of order; larger: the reverse."""
HELLO_EVERY_SECONDS = 8
"""HELLO is repeated, so that whoever listens or reads a recording from its middle knows what it hears."""
IMU_HZ = 200
CELL_HZ = 80
ACCEL_COUNTS_PER_G = 16384
"""MPU-6050 at +-2 g (register map revision 4.2, section 4.17)."""
GYRO_COUNTS_PER_DEG_S = 131
"""MPU-6050 at +-250 degrees/s (section 4.19)."""
CODE_TICK_SHIFT = 10
"""The code light shows bit (tick >> 10) mod 31, 65.5 ms each: longer than a frame at 30 pictures a second, so none is missed."""
CODE_SEQUENCE = 0b0000101011101100011111001101001
"""A maximal-length sequence of 31 bits (x^5 + x^2 + 1): each shift of it looks as unlike the others as can be."""
MAX_PAYLOAD = 48
"""No frame may be longer than the Arduino core's 64 byte transmit buffer holds at once."""


class CellFlag(IntFlag):
    """Flags of a LOAD sample."""

    UNDATED = 1  # the falling edge was not seen: dated when it was read
    AFTER_GAP = 2  # first after an overrun, a chip reset or power-up: gain and filter may not have settled


class ResetCause(IntFlag):
    """Bits of the AVR's MCUSR (ATmega328P data sheet, section 11.9.1)."""

    POWER_ON = 1
    EXTERNAL = 2
    BROWN_OUT = 4
    WATCHDOG = 8


class Kind(IntEnum):
    """Frame types. From 0x80 on: commands, host to base."""

    HELLO = 1
    STATUS = 2
    LOAD = 3
    IMU = 4
    BUTTON = 5
    PONG = 6
    TARED = 7
    SELF_TEST = 8
    PING = 0x81
    ASK_HELLO = 0x82
    IDENTIFY = 0x83
    TARE = 0x84
    IMU_RATE = 0x85
    RUN_SELF_TEST = 0x86
    LIGHTS = 0x87


_CODES = {"u8": "B", "u16": "H", "u32": "I", "i16": "h", "i32": "i"}
_C_TYPES = {"u8": "uint8_t", "u16": "uint16_t", "u32": "uint32_t", "i16": "int16_t", "i32": "int32_t"}


@dataclass(frozen=True, slots=True)
class Field:
    """One field of a payload; `count` > 1 makes it an array."""

    name: str
    type: str
    note: str
    count: int = 1

    @property
    def code(self) -> str:
        return _CODES[self.type] * self.count


@dataclass(frozen=True, slots=True)
class FrameType:
    """One frame type: its fields in wire order."""

    kind: Kind
    note: str
    fields: tuple[Field, ...]

    @property
    def format(self) -> str:
        """The struct format of the payload."""
        return "<" + "".join(field.code for field in self.fields)

    @property
    def size(self) -> int:
        """Bytes of the payload."""
        return struct.calcsize(self.format)


_T = Field("t", "u32", "device clock in ticks of 64 us")

FRAMES: tuple[FrameType, ...] = (
    FrameType(
        Kind.HELLO,
        "at boot (dated 0), every 8 s, and when asked",
        (
            _T,
            Field("protocol", "u8", "version of this protocol"),
            Field("layout", "u32", "hash of this table"),
            Field("firmware", "u16", "version of the sketch"),
            Field("reset_cause", "u8", "MCUSR: 1 power-on, 2 external, 4 brown-out, 8 watchdog"),
            Field("boot_id", "u32", "power-ups since it was flashed (high half), resets since power-up (low half)"),
            Field("frames_before", "u32", "frames the previous boot had sent; 0 if the memory did not survive"),
            Field("imu_id", "u8", "the motion chip's WHO_AM_I; 0 if it does not answer"),
        ),
    ),
    FrameType(
        Kind.STATUS,
        "once a second; counters run since boot and wrap",
        (
            _T,
            Field("frames", "u32", "frames sent before this one"),
            Field("cell_samples", "u8", "samples sent in the last second, per cell", CELLS),
            Field("imu_samples", "u8", "samples sent in the last second"),
            Field("overruns", "u8", "conversions replaced before they were read, per cell", CELLS),
            Field("out_of_step", "u8", "reads refused because the extra clock bits were wrong, per cell", CELLS),
            Field("stuck", "u8", "mask of cells whose data line stays low"),
            Field("late", "u16", "samples read later than they should have been sent"),
            Field("dropped", "u16", "samples read but not sent: no room on the wire"),
            Field("i2c_errors", "u16", "failed transfers with the motion chip"),
            Field("imu_restarts", "u16", "times the motion chip was set up again after it had fallen silent or frozen"),
            Field("imu_temp", "i16", "raw; degrees C = raw / 340 + 36.53"),
            Field("rx_errors", "u16", "commands received damaged"),
        ),
    ),
    FrameType(
        Kind.LOAD,
        "one HX711 conversion",
        (
            _T,
            Field("cell", "u8", "0 to 3"),
            Field("flags", "u8", "1 undated (the edge was not seen), 2 first after a gap"),
            Field("counts", "i32", "24 bit two's complement, sign extended"),
        ),
    ),
    FrameType(
        Kind.IMU,
        "one MPU-6050 sample",
        (
            _T,
            Field("accel", "i16", "x, y, z; 16384 per g", 3),
            Field("gyro", "i16", "x, y, z; 131 per degree/s", 3),
        ),
    ),
    FrameType(
        Kind.BUTTON,
        "a seat button, debounced; dated at the first contact",
        (_T, Field("button", "u8", "0 to 3"), Field("pressed", "u8", "1 pressed, 0 released")),
    ),
    FrameType(Kind.PONG, "answer to PING", (_T, Field("token", "u32", "as it came"))),
    FrameType(Kind.TARED, "answer to TARE: marks it in the stream", (_T, Field("token", "u32", "as it came"))),
    FrameType(
        Kind.SELF_TEST,
        "answer to RUN_SELF_TEST",
        (
            _T,
            Field("supply_mv", "u16", "supply voltage against the internal reference"),
            Field("free_ram", "u16", "bytes never touched between heap and stack"),
            Field("lines", "u8", "data lines of the cells as read, one bit each"),
            Field("imu_id", "u8", "WHO_AM_I; 0 if it does not answer"),
            Field("loop_max", "u16", "longest pass of the main loop since the last self-test, in ticks"),
        ),
    ),
    FrameType(Kind.PING, "asks for PONG", (Field("token", "u32", "any"),)),
    FrameType(Kind.ASK_HELLO, "asks for HELLO", (Field("token", "u32", "any"),)),
    FrameType(Kind.IDENTIFY, "blinks the board's own light", (Field("seconds", "u8", "0 stops it"),)),
    FrameType(Kind.TARE, "the host has tared: asks for TARED", (Field("token", "u32", "any"),)),
    FrameType(Kind.IMU_RATE, "sets the motion chip's rate", (Field("divider", "u8", "rate = 1000 / (1 + divider) Hz; 4 is 200 Hz"),)),
    FrameType(Kind.RUN_SELF_TEST, "asks for SELF_TEST", (Field("token", "u32", "any"),)),
    FrameType(Kind.LIGHTS, "switches the optional lights", (Field("mask", "u8", "1 the go light, 2 the code light"),)),
)

BY_KIND: dict[Kind, FrameType] = {frame.kind: frame for frame in FRAMES}


def layout_text() -> str:
    """What the layout hash covers: names, types and order of every field of every frame, and the clock."""
    lines = [f"tick {TICK_S!r} baud {BAUD} hold {HOLD_TICKS}"]
    for frame in FRAMES:
        fields = " ".join(f"{field.name}:{field.type}*{field.count}" for field in frame.fields)
        lines.append(f"{int(frame.kind)} {frame.kind.name} {fields}")
    return "\n".join(lines)


LAYOUT_HASH = zlib.crc32(layout_text().encode())


def c_header() -> str:
    """The sketch's `protocol.h`."""
    out = [
        "// Generated from rig/base/protocol.py by `python -m rig.base.protocol header`; do not edit.",
        "#pragma once",
        "#include <stdint.h>",
        "",
        "namespace protocol {",
        "",
    ]
    constants = (
        ("uint8_t", "VERSION", PROTOCOL_VERSION),
        ("uint16_t", "FIRMWARE_VERSION", FIRMWARE_VERSION),
        ("uint32_t", "LAYOUT_HASH", f"0x{LAYOUT_HASH:08x}UL"),
        ("uint32_t", "BAUD", f"{BAUD}UL"),
        ("uint16_t", "TICKS_PER_SECOND", TICKS_PER_SECOND),
        ("uint8_t", "HOLD_TICKS", HOLD_TICKS),
        ("uint8_t", "HELLO_EVERY_SECONDS", HELLO_EVERY_SECONDS),
        ("uint8_t", "CELLS", CELLS),
        ("uint8_t", "BUTTONS", BUTTONS),
        ("uint8_t", "MAX_PAYLOAD", MAX_PAYLOAD),
        ("uint8_t", "CODE_TICK_SHIFT", CODE_TICK_SHIFT),
        ("uint32_t", "CODE_SEQUENCE", f"0x{CODE_SEQUENCE:08x}UL"),
    )
    out += [f"constexpr {kind} {name} = {value};" for kind, name, value in constants]
    out += ["", "enum CellFlag : uint8_t {"]
    out += [f"  {flag.name} = {flag.value}," for flag in CellFlag]
    out += ["};", "", "enum Kind : uint8_t {"]
    out += [f"  {frame.kind.name} = 0x{int(frame.kind):02x},  // {frame.note}" for frame in FRAMES]
    out += ["};"]
    for frame in FRAMES:
        name = "".join(part.capitalize() for part in frame.kind.name.split("_"))
        out += ["", f"struct __attribute__((packed)) {name} {{"]
        for field in frame.fields:
            array = f"[{field.count}]" if field.count > 1 else ""
            out.append(f"  {_C_TYPES[field.type]} {field.name}{array};  // {field.note}")
        out += ["};", f'static_assert(sizeof({name}) == {frame.size}, "layout of {name}");']
    out += ["", "}  // namespace protocol", ""]
    return "\n".join(out)


def markdown_table() -> str:
    """The protocol for people: what the firmware's README shows."""
    out = ["| frame | type | field | as | meaning |", "|---|---|---|---|---|"]
    for frame in FRAMES:
        out.append(f"| **{frame.kind.name}** | 0x{int(frame.kind):02x} | | {frame.size} bytes | {frame.note} |")
        for field in frame.fields:
            array = f"[{field.count}]" if field.count > 1 else ""
            out.append(f"| | | `{field.name}` | {field.type}{array} | {field.note} |")
    return "\n".join(out) + "\n"


if __name__ == "__main__":
    sys.stdout.write({"header": c_header, "table": markdown_table}[sys.argv[1]]())
