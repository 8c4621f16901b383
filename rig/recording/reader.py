"""Reads a recording back, as much of it as is good, and says how much that is.

A file is always read from its beginning, in the order in which it was written; the index at its end is for viewers. So one way of reading
serves whole files, files cut anywhere and files with flipped bits: it goes up to the first damage. Opening goes through the whole file once
and checks every chunk's checksum, so that damage is known before the first message is poured into anything.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

import msgspec
import zstandard
from mcap.exceptions import McapError
from mcap.records import Channel, Chunk, DataEnd, McapRecord, Metadata, Schema, Statistics
from mcap.records import Message as Record
from mcap.stream_reader import StreamReader, breakup_chunk

from rig import messages as m
from rig.errors import PalettiError
from rig.recording import binary
from rig.recording.recorder import HEADER_NAME
from rig.recording.topics import Derived, derived_from_json, message_from_json

_MAGIC = b"\x89MCAP0\r\n"
_BROKEN = (McapError, ValueError, KeyError, OverflowError, MemoryError, RuntimeError, struct.error, zstandard.ZstdError)
"""What the MCAP and zstd libraries raise when bytes are not what they should be."""

_PAUSE_S = 10.0
"""Messages come ten a second at least; a longer step is a time that is wrong, not a pause, and counts for nothing in `seconds`."""


@dataclass(frozen=True, slots=True)
class Raw:
    """One record as it lies in the file; `schema` is None only in files of others."""

    channel: Channel
    schema: Schema | None
    record: Record

    @property
    def is_input(self) -> bool:
        return self.channel.metadata.get("role") == "input"


@dataclass(slots=True)
class _Walk:
    """One pass over a file: `raws()` yields up to the damage, the rest is known when it is through."""

    path: Path
    header: dict[str, str] | None = None
    foreign: bool = False
    whole: bool = False
    """The footer was reached."""
    all_there: bool = False
    """The end of the data was reached, though perhaps not the index behind it."""
    good_bytes: int = 0
    stated: int | None = None

    def raws(self) -> Iterator[Raw]:
        size = self.path.stat().st_size
        with self.path.open("rb") as file:
            reader = StreamReader(file, emit_chunks=True, record_size_limit=max(size, 1))
            records = iter(reader.records)
            schemas: dict[int, Schema] = {}
            channels: dict[int, Channel] = {}
            try:
                while True:
                    record = next(records, None)
                    if record is None:
                        break
                    inside: list[McapRecord] = [record]
                    if isinstance(record, Chunk):
                        inside = breakup_chunk(record, validate_crc=True)
                    yield from self._sorted_out(inside, schemas, channels)
                    self.good_bytes = file.tell()
            except _BROKEN:
                return
            self.whole = True

    def _sorted_out(self, records: list[McapRecord], schemas: dict[int, Schema], channels: dict[int, Channel]) -> list[Raw]:
        raws = []
        for record in records:
            if isinstance(record, Record):
                channel = channels[record.channel_id]
                raws.append(Raw(channel, schemas.get(channel.schema_id), record))
            elif isinstance(record, Schema):
                schemas[record.id] = record
            elif isinstance(record, Channel):
                channels[record.id] = record
            elif isinstance(record, Metadata) and record.name == HEADER_NAME and self.header is None:
                self.header = record.metadata
            elif isinstance(record, DataEnd):
                self.all_there = True
            elif isinstance(record, Statistics):
                self.stated = record.message_count
        return raws


@dataclass(frozen=True, slots=True)
class Recording:
    """An opened recording. `messages_good` inputs and `beside_good` readings and outputs over `seconds` are good; `damage` is empty if that
    is all there ever was, else a sentence."""

    path: Path
    header: Mapping[str, str]
    messages_good: int
    beside_good: int
    seconds: float
    damage: str

    def raws(self) -> Iterator[Raw]:
        """Every good record as it lies in the file, in the order of writing."""
        return _Walk(self.path).raws()

    def everything(self) -> Iterator[m.Message | Derived]:
        """Inputs and what lies beside, interleaved as they were written."""
        for raw in self.raws():
            yield _message(self.path, raw) if raw.is_input else _derived(self.path, raw)

    def messages(self) -> Iterator[m.Message]:
        """The inputs of the session, in order."""
        return (_message(self.path, raw) for raw in self.raws() if raw.is_input)

    def outputs(self, *kinds: type) -> Iterator[Derived]:
        """Readings and outputs of these classes (all, if none is named), in order."""
        names = {f"paletti.{kind.__name__}" for kind in kinds}
        for raw in self.raws():
            if not raw.is_input and (not names or (raw.schema is not None and raw.schema.name in names)):
                yield _derived(self.path, raw)


def read(path: Path) -> Recording:
    """Open the recording at `path` and check it. PalettiError if nothing of it can be used."""
    path = Path(path)
    walk = _Walk(path)
    inputs = beside = 0
    seconds, last_s = 0.0, None
    try:
        for raw in walk.raws():
            if not raw.is_input:
                beside += 1
                continue
            inputs += 1
            now_s = raw.record.log_time / 1e9
            if last_s is not None and 0 < now_s - last_s <= _PAUSE_S:
                seconds += now_s - last_s
            last_s = now_s
        _check_beginning(path, walk)
    except OSError as error:
        raise PalettiError(f"The recording {path} cannot be read: {error.strerror}.", "Name an existing recording (*.mcap).") from error
    damage = _damage(walk, inputs, beside, seconds)
    return Recording(path, dict(walk.header or {}), inputs, beside, seconds, damage)


def _check_beginning(path: Path, walk: _Walk) -> None:
    """PalettiError if `path` is no recording of ours that can be read."""
    with path.open("rb") as file:
        start = file.read(len(_MAGIC))
    if not start:
        raise PalettiError(f"The recording {path} is empty.", "Nothing was recorded there, or it was lost before the first second.")
    if not _MAGIC.startswith(start):
        raise PalettiError(f"{path} is not a recording: it does not begin like an MCAP file.", "Name a file that `--record` wrote.")
    if walk.header is None:
        if walk.good_bytes and (walk.whole or walk.all_there):
            raise PalettiError(f"{path} is an MCAP file, but not a recording of a game.", "Name a file that `--record` wrote.")
        raise PalettiError(
            f"The recording {path} breaks off before its header; nothing of it can be used.", "Use another copy if there is one."
        )
    version = walk.header.get("schema", "unknown")
    if version != str(m.SCHEMA_VERSION):
        raise PalettiError(
            f"{path} was recorded with messages of version {version}; this program reads version {m.SCHEMA_VERSION}.",
            f"Replay it with the version that wrote it (code {walk.header.get('code', 'unknown')}).",
        )


def _damage(walk: _Walk, inputs: int, beside: int, seconds: float) -> str:
    good = f"{inputs} messages ({seconds:.1f} s)"
    if walk.all_there and walk.stated not in (None, inputs + beside):
        return f"The recording {walk.path} is damaged in the middle: {inputs + beside} of {walk.stated} records can be read, with {good}."
    if walk.whole:
        return ""
    if walk.all_there:
        return f"The recording {walk.path} lacks the index at its end; all its {good} are good."
    size = walk.path.stat().st_size
    if walk.good_bytes == size:
        return f"The recording {walk.path} was not closed; the {good} in it are good."
    return (
        f"The recording {walk.path} is damaged or cut short at byte {walk.good_bytes} of {size}: the first {good} are good, "
        "what follows cannot be read."
    )


def _message(path: Path, raw: Raw) -> m.Message:
    try:
        if raw.channel.message_encoding == "protobuf":
            return binary.message_from_binary(raw.schema.name if raw.schema else "", raw.record.data)
        return message_from_json(raw.record.data)
    except (ValueError, msgspec.DecodeError) as error:
        raise _unreadable(path, raw, error) from error


def _derived(path: Path, raw: Raw) -> Derived:
    try:
        return derived_from_json(raw.record.data)
    except (ValueError, msgspec.DecodeError) as error:
        raise _unreadable(path, raw, error) from error


def _unreadable(path: Path, raw: Raw, error: Exception) -> PalettiError:
    return PalettiError(
        f"Record {raw.record.sequence} on {raw.channel.topic} of {path} is not what version {m.SCHEMA_VERSION} writes: {error}.",
        "Replay it with the version that wrote it; the header says which.",
    )
