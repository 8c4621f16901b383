"""Writes one session to one MCAP file so that a kill, a power cut or a full disk costs its last half second and nothing before it.

MCAP gathers messages in chunks, and a chunk not yet written is lost. So chunks are closed by message time, about two a second, and handed
to the disk whole; if the disk refuses, the file is cut back to its last whole chunk and recording stops with a sentence (`parts` goes on in
a new file). What later chunks need to be read (the header, schemas, channels) is written twice, so that no single damaged byte costs more
than its own chunk. Called from one thread. Which messages exist is said in `topics`; reading is in `reader`.
"""

from __future__ import annotations

import math
import os
import zlib
from collections.abc import Mapping
from pathlib import Path
from types import TracebackType
from typing import IO, Any, cast

from mcap.data_stream import RecordBuilder
from mcap.records import Channel, Metadata, Schema
from mcap.writer import CompressionType, Writer
from mcap_protobuf.schema import build_file_descriptor_set

from rig import messages as m
from rig.errors import PalettiError
from rig.recording.pictures import IMAGE, beside_picture, picture_bytes
from rig.recording.schemas import viewer_schema
from rig.recording.topics import Beside, Derived, beside_topic, derived_json, input_topic, message_json, picture_topic

HEADER_NAME = "paletti"
"""Name of the MCAP metadata records that hold a recording's header: one at the start of the file, the same again after the first chunk."""

HEADER_SUM = "sum"
"""The header's entry with the CRC-32 of all others: MCAP itself does not protect metadata."""

FLUSH_EVERY_S = 0.4
"""Seconds of message time in a chunk. Longer packs better and loses more at a kill, shorter the other way: over 200 kills of a two-camera
session 0.4 s lost at most 0.5 s (bench_recording)."""

CHUNK_BYTES = 4 << 20
"""A chunk is closed at this size even before its second is over. Larger: more memory and more lost at a kill; smaller: worse packing."""

_LEAP_S = 60.0
"""Messages come ten a second at least; a step beyond this needs a second message to be believed."""


class _Spool:
    """What the MCAP writer takes for its file: bytes gather here until the recorder hands them to the disk in one go."""

    def __init__(self) -> None:
        self.waiting = bytearray()
        self.written = 0

    def write(self, data: bytes) -> int:
        self.waiting += data
        return len(data)

    def tell(self) -> int:
        return self.written + len(self.waiting)

    def flush(self) -> None:
        """The recorder decides when."""


class Recorder:
    """A recording in the making. `trouble` is empty while all is well, else the sentence for the screen; `lost` counts what came after."""

    def __init__(self, path: Path, header: Mapping[str, str], *, flush_every_s: float = FLUSH_EVERY_S, durable: bool = True) -> None:
        """Begin `path`. `header` holds the versions of code, lock, firmware and profile; the schema's is added.

        `flush_every_s`: seconds of message time between chunks; higher packs better and loses more at a kill. `durable`: every chunk is
        also forced to the disk, so that a power cut loses no more than a kill does. PalettiError if the file cannot be begun or already
        holds something.
        """
        self.path = Path(path)
        self.trouble = ""
        self.lost = 0
        self.messages = 0
        self._flush_every_s = flush_every_s
        self._durable = durable
        self._flushed_t_s = 0.0
        self._last_t_s = 0.0
        self._log_time_ns = 0
        self._leap_t_s = 0.0
        self._channels: dict[object, int] = {}
        self._schemas: dict[str, int] = {}
        self._again = RecordBuilder()
        self._file = _begin(self.path)
        self._spool = _Spool()
        self._writer = Writer(cast(IO[Any], self._spool), chunk_size=CHUNK_BYTES, compression=CompressionType.ZSTD)
        self._writer.start(profile="", library="villa-paletti-rig")
        whole = {**header, "schema": str(m.SCHEMA_VERSION)}
        whole[HEADER_SUM] = header_sum(whole)
        self._writer.add_metadata(HEADER_NAME, whole)
        Metadata(name=HEADER_NAME, metadata=whole).write(self._again)
        self._to_disk()
        if self.trouble:
            os.close(self._file)
            raise PalettiError(
                f"Nothing can be recorded in {self.path}: {self._reason}.", "Make room there, or name another place with --record."
            )

    def write(self, message: m.Message) -> None:
        """Record an input as it entered. ValueError if it holds a number that is not finite."""
        payload = message.payload
        log_time_ns = self._advance(message.t_s)
        key: object = type(payload)
        if isinstance(payload, m.Frame):
            data = message_json(beside_picture(message, payload))
            self._add(self._picture_channel(payload.camera), message.n, log_time_ns, picture_bytes(payload, log_time_ns), None)
            key = ("arrival", payload.camera)
        else:
            data = message_json(message)
        if key not in self._channels:
            schema = self._json_schema(m.Message, type(payload))
            self._channels[key] = self._channel(input_topic(payload), "json", schema, "input")
        self._add(self._channels[key], message.n, log_time_ns, data, message.t_s)
        self.messages += 0 if self.trouble else 1

    @property
    def written(self) -> int:
        """Bytes that the file has."""
        return self._spool.written

    def write_output(self, t_s: float, n: int, payload: Beside) -> None:
        """Record a reading or an output beside the inputs, under the number and time of the input that caused it."""
        log_time_ns = self._advance(t_s)
        data = derived_json(Derived(n, t_s, payload))
        kind = type(payload)
        if kind not in self._channels:
            self._channels[kind] = self._channel(beside_topic(kind), "json", self._json_schema(Derived, kind), "beside")
        self._add(self._channels[kind], n, log_time_ns, data, t_s)

    def flush(self) -> None:
        """Hand everything so far to the disk."""
        if not self.trouble:
            self._writer.flush()  # type: ignore[no-untyped-call]
            self._spool.write(self._again.end())  # type: ignore[no-untyped-call]
            self._to_disk()
            if not self.trouble and not self._in_place():
                self._stop("the file was removed, or another was put in its place", "What was recorded until then is lost with it")
        self._flushed_t_s = self._last_t_s

    def close(self) -> None:
        """Write the index and close the file. `trouble` says whether all of it is there."""
        if self._file < 0:
            return
        if not self.trouble:
            self._writer.finish()  # type: ignore[no-untyped-call]
            self._to_disk()
        os.close(self._file)
        self._file = -1

    def __enter__(self) -> Recorder:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self.close()

    def _picture_channel(self, camera: int) -> int:
        key = ("picture", camera)
        if key not in self._channels:
            name = IMAGE.DESCRIPTOR.full_name
            if name not in self._schemas:
                described = build_file_descriptor_set(IMAGE).SerializeToString(deterministic=True)
                self._schemas[name] = self._schema(name, "protobuf", described)
            self._channels[key] = self._channel(picture_topic(camera), "protobuf", self._schemas[name], "picture")
        return self._channels[key]

    def _json_schema(self, envelope: type, kind: type) -> int:
        name = f"paletti.{kind.__name__}"
        if name not in self._schemas:
            self._schemas[name] = self._schema(name, "jsonschema", viewer_schema(envelope, kind))
        return self._schemas[name]

    def _schema(self, name: str, encoding: str, data: bytes) -> int:
        number: int = self._writer.register_schema(name, encoding, data)
        Schema(id=number, data=data, encoding=encoding, name=name).write(self._again)
        return number

    def _channel(self, topic: str, encoding: str, schema: int, role: str) -> int:
        number: int = self._writer.register_channel(topic, encoding, schema, {"role": role})
        Channel(id=number, topic=topic, message_encoding=encoding, schema_id=schema, metadata={"role": role}).write(self._again)
        return number

    def _in_place(self) -> bool:
        """Whether the file is still the one that its name leads to."""
        try:
            named, held = os.stat(self.path), os.fstat(self._file)  # noqa: PTH116
        except OSError:
            return False
        return (named.st_dev, named.st_ino) == (held.st_dev, held.st_ino)

    def _advance(self, t_s: float) -> int:
        """The time for viewers, in ns: never backwards, and forward by more than a minute only if two messages agree on it, because one
        wrong time must not make a recording decades long. The exact `t_s` is in the record itself."""
        if math.isfinite(t_s):
            ahead_s = t_s - self._log_time_ns / 1e9
            if ahead_s <= _LEAP_S or abs(t_s - self._leap_t_s) <= _LEAP_S:
                self._log_time_ns = max(self._log_time_ns, round(t_s * 1e9))
            self._leap_t_s = t_s
        return self._log_time_ns

    def _add(self, channel: int, n: int, log_time_ns: int, data: bytes, t_s: float | None) -> None:
        """`t_s` None: something that belongs to this one follows at once, so the chunk stays open for it."""
        if self.trouble:
            self.lost += 1
            return
        self._writer.add_message(channel, log_time_ns, data, publish_time=log_time_ns, sequence=n & 0xFFFFFFFF)
        if t_s is None:
            return
        self._last_t_s = t_s
        if abs(t_s - self._flushed_t_s) >= self._flush_every_s:
            self.flush()
        elif len(self._spool.waiting) > CHUNK_BYTES:
            self._to_disk()

    def _to_disk(self) -> None:
        spool = self._spool
        try:
            with memoryview(spool.waiting) as waiting:
                done = 0
                while done < len(waiting):
                    done += os.write(self._file, waiting[done:])
            if self._durable:
                os.fdatasync(self._file)
        except OSError as error:
            self._give_up(error)
        else:
            spool.written += len(spool.waiting)
        spool.waiting.clear()

    def _give_up(self, error: OSError) -> None:
        try:
            os.ftruncate(self._file, self._spool.written)
            kept = "What was recorded until then stays readable"
        except OSError:  # a device, or a disk that is gone: the reader finds the end of the good part by itself
            kept = "What reached the disk until then stays readable"
        self._stop(error.strerror or str(error), kept)

    def _stop(self, reason: str, kept: str) -> None:
        self._reason = reason
        self.trouble = f"Recording to {self.path.name} stopped at {self._flushed_t_s:.1f} s: {reason}. {kept}; the game goes on unrecorded."


def header_sum(header: Mapping[str, str]) -> str:
    """The CRC-32, in hexadecimal, of all entries of a header but `sum` itself."""
    entries = "\n".join(f"{key}={value}" for key, value in sorted(header.items()) if key != HEADER_SUM)
    return f"{zlib.crc32(entries.encode()):08x}"


def _begin(path: Path) -> int:
    """A new file's descriptor; an empty file is taken over, any other is never written over."""
    try:
        file = os.open(path, os.O_CREAT | os.O_WRONLY | os.O_CLOEXEC, 0o644)
    except FileNotFoundError as error:
        raise PalettiError(
            f"There is no folder {path.parent} to record in.", "Make it first, or name another file with --record."
        ) from error
    except OSError as error:
        raise PalettiError(f"Nothing can be recorded in {path}: {error.strerror}.", "Name another file with --record.") from error
    if os.fstat(file).st_size:
        os.close(file)
        raise PalettiError(
            f"{path} already holds something, and a recording is never written over.", "Name a new file, or move the old one away."
        )
    return file
