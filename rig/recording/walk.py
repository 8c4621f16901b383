"""Walks through an MCAP file record by record, past what is damaged.

A reader that trusts every length field stops at the first wrong one. Here a record counts only if it is consistent in itself: its kind is
known, it lies within the file, its parts fill it exactly, and a chunk's checksum is right. What is not is skipped, and the walk goes on at
the next thing that looks like one of the recorder's chunks or its header. What the records mean is `reader`'s business.
"""

from __future__ import annotations

import io
import struct
from collections.abc import Callable, Generator, Iterator
from dataclasses import dataclass
from pathlib import Path

import zstandard
from mcap.data_stream import ReadDataStream
from mcap.exceptions import McapError
from mcap.opcode import Opcode
from mcap.records import Channel, Chunk, DataEnd, Footer, Header, McapRecord, MessageIndex, Metadata, Schema, Statistics
from mcap.stream_reader import breakup_chunk

MAGIC = b"\x89MCAP0\r\n"
_BROKEN = (McapError, ValueError, KeyError, OverflowError, MemoryError, RuntimeError, struct.error, zstandard.ZstdError)
"""What the MCAP and zstd libraries raise when bytes are not what they should be."""

_HEAD = 9
"""Bytes before a record's content: kind (1), length (8). MCAP specification, "Records"."""

_CHUNK_HEAD = 8 + 8 + 8 + 4
"""Bytes of a chunk's content before its compression's name: times of first and last message, size, checksum."""

_SIGNS = ((b"\x04\x00\x00\x00zstd", _CHUNK_HEAD + _HEAD, Opcode.CHUNK), (b"\x07\x00\x00\x00paletti", _HEAD, Opcode.METADATA))
"""Bytes by which the walk finds its way again: what they are, how far behind the record's start they stand, and its kind."""

_READERS: dict[int, Callable[[ReadDataStream], McapRecord]] = {
    Opcode.HEADER: Header.read,
    Opcode.FOOTER: Footer.read,
    Opcode.SCHEMA: Schema.read,
    Opcode.CHANNEL: Channel.read,
    Opcode.CHUNK: Chunk.read,
    Opcode.MESSAGE_INDEX: MessageIndex.read,
    Opcode.METADATA: Metadata.read,
    Opcode.STATISTICS: Statistics.read,
    Opcode.DATA_END: DataEnd.read,
}
_PASSED_BY = frozenset(
    {
        Opcode.ATTACHMENT, Opcode.ATTACHMENT_INDEX, Opcode.CHUNK_INDEX, Opcode.METADATA_INDEX, Opcode.SUMMARY_OFFSET, Opcode.MESSAGE,
    }
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Found:
    """Records that are good, as they lie in the file: one outside any chunk, or all of a chunk. `end`: the byte after them."""

    records: tuple[McapRecord, ...]
    in_chunk: bool
    end: int


@dataclass(frozen=True, slots=True)
class Skipped:
    """Bytes from `start` to `end` that cannot be read; `end` None: nothing good follows, not even the magic bytes that end a file."""

    start: int
    end: int | None


def walk(path: Path) -> Iterator[Found | Skipped]:
    """Everything in the file at `path`, in order. OSError if it cannot be read at all."""
    with path.open("rb") as file:
        file.seek(0, io.SEEK_END)
        size = file.tell()
        file.seek(0)
        at = len(MAGIC)
        if file.read(at) != MAGIC:
            at = yield from _skip(file, 0, 0)
        while at < size:
            if size - at == len(MAGIC):
                file.seek(at)
                if file.read(len(MAGIC)) == MAGIC:
                    return
            found = _record(file, at, size)
            if isinstance(found, Found):
                yield found
                at = found.end
            elif found is not None:  # a whole chunk whose content is damaged: what follows it is known
                yield Skipped(at, found)
                at = found
            else:
                at = yield from _skip(file, at, at + 1)
        yield Skipped(size, None)


def _skip(file: io.BufferedReader, start: int, search: int) -> Generator[Skipped, None, int]:
    """Say what is skipped; returns where to go on (the end of the file: nowhere)."""
    found = _next_sign(file, search)
    yield Skipped(start, found)
    file.seek(0, io.SEEK_END)
    return file.tell() if found is None else found


def _record(file: io.BufferedReader, at: int, size: int) -> Found | int | None:
    """The record at byte `at`; the byte after it if it is a chunk whose content is damaged; None if there is no record."""
    file.seek(at)
    head = file.read(_HEAD)
    if len(head) < _HEAD:
        return None
    kind, length = head[0], int.from_bytes(head[1:], "little")
    end = at + _HEAD + length
    if end > size or (kind not in _READERS and kind not in _PASSED_BY):
        return None
    if kind in _PASSED_BY:
        return Found((), False, end)
    content = io.BytesIO(file.read(length))
    try:
        record = _READERS[kind](ReadDataStream(content))
    except _BROKEN:
        return None
    if content.tell() != length:
        return None
    if not isinstance(record, Chunk):
        return Found((record,), False, end)
    try:
        return Found(tuple(breakup_chunk(record, validate_crc=True)), True, end)
    except _BROKEN:
        return end


def _next_sign(file: io.BufferedReader, start: int) -> int | None:
    """The first byte from `start` on at which a record of the recorder's seems to begin."""
    file.seek(start)
    rest = file.read()
    best: int | None = None
    for sign, behind, kind in _SIGNS:
        place = rest.find(sign)
        while place >= 0:
            at = place - behind
            if at >= 0 and rest[at] == kind:
                best = start + at if best is None else min(best, start + at)
                break
            place = rest.find(sign, place + 1)
    return best
