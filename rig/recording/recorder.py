"""Writes one session to an MCAP file so that a kill, a power cut or a full disk costs about its last second and nothing before it.

MCAP gathers messages in chunks, and a chunk not yet written is lost. So chunks are closed by message time, about one a second, and handed
to the disk whole; if the disk refuses, the file is cut back to its last whole chunk, recording stops with a sentence, and the game goes
on. Called from one thread. Which messages exist is said in `topics`; reading is in `reader`.
"""

from __future__ import annotations

import math
import os
from collections.abc import Mapping
from pathlib import Path
from types import TracebackType
from typing import IO, Any, cast

from mcap.writer import CompressionType, Writer

from rig import messages as m
from rig.errors import PalettiError
from rig.recording import binary
from rig.recording.schemas import viewer_schema
from rig.recording.topics import Beside, Derived, beside_topic, derived_json, input_topic, message_json

HEADER_NAME = "paletti"
"""Name of the MCAP metadata record that holds a recording's header."""

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

    def __init__(self, path: Path, header: Mapping[str, str], *, flush_every_s: float = 1.0, durable: bool = True) -> None:
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
        self._file = _begin(self.path)
        self._spool = _Spool()
        self._writer = Writer(cast(IO[Any], self._spool), chunk_size=CHUNK_BYTES, compression=CompressionType.ZSTD)
        self._writer.start(profile="", library="villa-paletti-rig")
        self._writer.add_metadata(HEADER_NAME, {**header, "schema": str(m.SCHEMA_VERSION)})
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
        if isinstance(payload, m.Frame):
            key: object = ("camera", payload.camera)
            data = binary.frame_bytes(message, payload, log_time_ns)
        elif isinstance(payload, m.BaseBytes):
            key, data = m.BaseBytes, binary.base_bytes(message, payload)
        else:
            key, data = type(payload), message_json(message)
        channel = self._channels.get(key)
        if channel is None:
            channel = self._channels[key] = self._input_channel(payload)
        self._add(channel, message.n, log_time_ns, data, message.t_s)
        self.messages += 0 if self.trouble else 1

    def write_output(self, t_s: float, n: int, payload: Beside) -> None:
        """Record a reading or an output beside the inputs, under the number and time of the input that caused it."""
        log_time_ns = self._advance(t_s)
        data = derived_json(Derived(n, t_s, payload))
        kind = type(payload)
        channel = self._channels.get(kind)
        if channel is None:
            schema = self._schema(f"paletti.{kind.__name__}", "jsonschema", viewer_schema(Derived, kind))
            channel = self._channels[kind] = self._writer.register_channel(beside_topic(kind), "json", schema, {"role": "beside"})
        self._add(channel, n, log_time_ns, data, t_s)

    def flush(self) -> None:
        """Hand everything so far to the disk."""
        if not self.trouble:
            self._writer.flush()  # type: ignore[no-untyped-call]
            self._to_disk()
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

    def _input_channel(self, payload: m.Input) -> int:
        if isinstance(payload, m.Frame | m.BaseBytes):
            name = binary.IMAGE if isinstance(payload, m.Frame) else binary.BYTES
            schema = self._schema(name, "protobuf", binary.SCHEMAS[name])
            return self._writer.register_channel(input_topic(payload), "protobuf", schema, {"role": "input"})
        kind = type(payload)
        schema = self._schema(f"paletti.{kind.__name__}", "jsonschema", viewer_schema(m.Message, kind))
        return self._writer.register_channel(input_topic(payload), "json", schema, {"role": "input"})

    def _schema(self, name: str, encoding: str, data: bytes) -> int:
        if name not in self._schemas:
            self._schemas[name] = self._writer.register_schema(name, encoding, data)
        return self._schemas[name]

    def _advance(self, t_s: float) -> int:
        """The time for viewers, in ns: never backwards, and forward by more than a minute only if two messages agree on it, because one
        wrong time must not make a recording decades long. The exact `t_s` is in the record itself."""
        if math.isfinite(t_s):
            ahead_s = t_s - self._log_time_ns / 1e9
            if ahead_s <= _LEAP_S or abs(t_s - self._leap_t_s) <= _LEAP_S:
                self._log_time_ns = max(self._log_time_ns, round(t_s * 1e9))
            self._leap_t_s = t_s
        return self._log_time_ns

    def _add(self, channel: int, n: int, log_time_ns: int, data: bytes, t_s: float) -> None:
        if self.trouble:
            self.lost += 1
            return
        self._last_t_s = t_s
        self._writer.add_message(channel, log_time_ns, data, publish_time=log_time_ns, sequence=n & 0xFFFFFFFF)
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
        self._reason = error.strerror or str(error)
        try:
            os.ftruncate(self._file, self._spool.written)
            kept = "What was recorded until then stays readable"
        except OSError:  # a device, or a disk that is gone: the reader finds the end of the good part by itself
            kept = "What reached the disk until then stays readable"
        self.trouble = (
            f"Recording to {self.path} stopped at {self._flushed_t_s:.1f} s: {self._reason}. {kept}; the game goes on unrecorded."
        )


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
