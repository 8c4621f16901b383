"""Makes a whole file of a damaged one, and believes it only after reading it back.

A recovery that says "recovered" and leaves an unreadable file is worse than none; so the new file is opened and counted before success is
reported. What is good is decided by `reader`; nothing is guessed or repaired inside a record.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

from mcap.writer import CompressionType, Writer

from rig.errors import PalettiError
from rig.recording.reader import Recording, read
from rig.recording.recorder import CHUNK_BYTES, HEADER_NAME, HEADER_SUM, header_sum


def recover(source: Path, target: Path) -> Recording:
    """Copy all that is good in `source` to the new file `target`, read it back, and return it opened; it is then undamaged.

    PalettiError if nothing is good in `source`, if `target` exists or cannot be written, or if it does not read back the same.
    """
    source, target = Path(source), Path(target)
    damaged = read(source)
    try:
        with target.open("xb") as file:
            _copy(damaged, file)
            file.flush()
            os.fsync(file.fileno())
    except FileExistsError as error:
        raise PalettiError(f"{target} exists already, and a recording is never written over.", "Name a new file.") from error
    except OSError as error:
        raise PalettiError(f"{target} cannot be written: {error.strerror}.", "Make room there, or name another file.") from error
    whole = read(target)
    before = (damaged.messages_good, damaged.beside_good)
    after = (whole.messages_good, whole.beside_good)
    if whole.damage or after != before:
        raise PalettiError(
            f"{target} does not read back as it was written: {after[0]} messages and {after[1]} beside, of {before[0]} and {before[1]}.",
            f"Keep {source}; check the disk and try another place.",
        )
    return whole


def _copy(recording: Recording, file: Any) -> None:
    writer = Writer(file, chunk_size=CHUNK_BYTES, compression=CompressionType.ZSTD)
    writer.start(profile="", library="villa-paletti-rig")
    writer.add_metadata(HEADER_NAME, {**recording.header, HEADER_SUM: header_sum(recording.header)})
    schemas: dict[int, int] = {0: 0}
    channels: dict[int, int] = {}
    for whole in recording.raws():
        for raw in (whole,) if whole.picture is None else (whole.picture, whole):
            channel, record = raw.channel, raw.record
            if raw.schema is not None and raw.schema.id not in schemas:
                schemas[raw.schema.id] = writer.register_schema(raw.schema.name, raw.schema.encoding, raw.schema.data)
            if channel.id not in channels:
                channels[channel.id] = writer.register_channel(
                    channel.topic, channel.message_encoding, schemas.get(channel.schema_id, 0), channel.metadata
                )
            writer.add_message(channels[channel.id], record.log_time, record.data, record.publish_time, record.sequence)
    writer.finish()  # type: ignore[no-untyped-call]
