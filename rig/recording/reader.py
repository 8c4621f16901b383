"""Reads a recording back, as much of it as is good, and says how much that is.

A file is always read from its beginning, in the order in which it was written; the index at its end is for viewers. So one way of reading
serves whole files, files cut anywhere and files with flipped bits: what is damaged is skipped, chunk by chunk (see `walk`), and the time
that is missing is told. Opening goes through the whole file once and checks every chunk's checksum, so that damage is known before the
first message is poured into anything.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

import msgspec
from mcap.records import Channel, DataEnd, Footer, McapRecord, Metadata, Schema, Statistics
from mcap.records import Message as Record

from rig import messages as m
from rig.errors import PalettiError
from rig.recording.pictures import OldBinary, joined
from rig.recording.recorder import HEADER_NAME, HEADER_SUM, header_sum
from rig.recording.topics import Derived, derived_from_json, message_from_json
from rig.recording.walk import MAGIC, Skipped, walk

_PAUSE_S = 10.0
"""Messages come ten a second at least; a longer step is a time that is wrong, not a pause, and counts for nothing in `seconds`."""


@dataclass(frozen=True, slots=True)
class Raw:
    """One record as it lies in the file; `schema` is None only in files of others. `picture`: an input's picture, where it has one."""

    channel: Channel
    schema: Schema | None
    record: Record
    picture: Raw | None = None

    @property
    def role(self) -> str:
        """`input`, `picture` (a part of the input with the same number) or `beside`."""
        return self.channel.metadata.get("role", "")

    @property
    def is_input(self) -> bool:
        return self.role == "input"


@dataclass(frozen=True, slots=True)
class Gap:
    """Inputs that cannot be read: how many (None: unknown, the file ends there), between which session times in seconds."""

    from_s: float
    to_s: float | None
    messages: int | None

    def __str__(self) -> str:
        if self.to_s is None:
            return f"everything after {self.from_s:.1f} s"
        return f"{self.messages} messages between {self.from_s:.1f} s and {self.to_s:.1f} s"


@dataclass(slots=True)
class _Walk:
    """One pass over a file: `raws()` yields what is good, the rest is known when it is through."""

    path: Path
    header: dict[str, str] | None = None
    sealed: bool = False
    """The header's checksum is right."""
    whole: bool = False
    """The footer was reached."""
    all_there: bool = False
    """The end of the data was reached, though perhaps not the index behind it."""
    good_bytes: int = 0
    skipped: int = 0
    """Places that were skipped with something good behind them."""
    stated: int | None = None
    _schemas: dict[int, Schema] = field(default_factory=dict)
    _channels: dict[int, Channel] = field(default_factory=dict)

    def raws(self) -> Iterator[Raw]:
        for part in walk(self.path):
            if isinstance(part, Skipped):
                self.skipped += part.end is not None
                self.whole = self.whole and part.end is not None
                continue
            for record in part.records:
                raw = self._raw(record, part.in_chunk)
                if raw is not None:
                    yield raw
            self.good_bytes = part.end

    def _raw(self, record: McapRecord, in_chunk: bool) -> Raw | None:
        match record:
            case Record() if record.channel_id in self._channels:
                channel = self._channels[record.channel_id]
                return Raw(channel, self._schemas.get(channel.schema_id), record)
            case Schema():  # outside a chunk no checksum protects it: there it only fills a hole
                self._schemas[record.id] = record if in_chunk else self._schemas.get(record.id, record)
            case Channel():
                self._channels[record.id] = record if in_chunk else self._channels.get(record.id, record)
            case Metadata() if record.name == HEADER_NAME and not self.sealed:
                self.sealed = record.metadata.get(HEADER_SUM) == header_sum(record.metadata)
                if self.header is None or self.sealed:
                    self.header = {key: value for key, value in record.metadata.items() if key != HEADER_SUM}
            case DataEnd():
                self.all_there = True
            case Statistics():
                self.stated = record.message_count
            case Footer():
                self.whole = True
        return None


def _joined(raws: Iterator[Raw]) -> Iterator[Raw]:
    """The records with every picture joined to its input; an input whose picture is damaged is left out, it would be a false one."""
    pictures: dict[str, Raw] = {}
    for raw in raws:
        if raw.role == "picture":
            pictures[raw.channel.topic] = raw
            continue
        if raw.is_input and raw.channel.topic.endswith("/arrival"):
            picture = pictures.pop(raw.channel.topic.removesuffix("/arrival"), None)
            if picture is None or picture.record.sequence != raw.record.sequence:
                continue
            raw = Raw(raw.channel, raw.schema, raw.record, picture)
        yield raw


@dataclass(frozen=True, slots=True)
class Recording:
    """An opened recording. `messages_good` inputs and `beside_good` readings and outputs over `seconds` are good; `damage` is empty if that
    is all there ever was, else a sentence; `gaps` say which inputs are missing before or between those that are good."""

    path: Path
    header: Mapping[str, str]
    messages_good: int
    beside_good: int
    seconds: float
    damage: str
    gaps: tuple[Gap, ...] = ()
    closed: bool = True

    def raws(self) -> Iterator[Raw]:
        """Every good record as it lies in the file, in the order of writing, a picture with the input it belongs to."""
        return _joined(_Walk(self.path).raws())

    def everything(self) -> Iterator[m.Message | Derived]:
        """Inputs and what lies beside, interleaved as they were written."""
        old = OldBinary()
        for raw in self.raws():
            yield _message(self.path, raw, old) if raw.is_input else _derived(self.path, raw)

    def messages(self) -> Iterator[m.Message]:
        """The inputs of the session, in order."""
        old = OldBinary()
        return (_message(self.path, raw, old) for raw in self.raws() if raw.is_input)

    def outputs(self, *kinds: type) -> Iterator[Derived]:
        """Readings and outputs of these classes (all, if none is named), in order."""
        names = {f"paletti.{kind.__name__}" for kind in kinds}
        for raw in self.raws():
            if raw.role == "beside" and (not names or (raw.schema is not None and raw.schema.name in names)):
                yield _derived(self.path, raw)


@dataclass(slots=True)
class _Tally:
    """Counts what is good."""

    inputs: int = 0
    beside: int = 0
    records: int = 0
    seconds: float = 0.0
    gaps: list[Gap] = field(default_factory=list)
    _last_s: float | None = None
    _last_n: int | None = None

    def add(self, raw: Raw) -> None:
        self.records += 1 if raw.picture is None else 2
        if not raw.is_input:
            self.beside += 1
            return
        self.inputs += 1
        now_s, n = raw.record.log_time / 1e9, raw.record.sequence
        if self._last_s is not None and 0 < now_s - self._last_s <= _PAUSE_S:
            self.seconds += now_s - self._last_s
        if self._last_n is not None and n > self._last_n + 1:
            self.gaps.append(Gap(self._last_s or 0.0, now_s, n - self._last_n - 1))
        self._last_s, self._last_n = now_s, n

    @property
    def last_s(self) -> float:
        return self._last_s or 0.0


def read(path: Path) -> Recording:
    """Open the recording at `path` and check it. PalettiError if nothing of it can be used."""
    path = Path(path)
    file, tally = _Walk(path), _Tally()
    try:
        for raw in _joined(file.raws()):
            tally.add(raw)
        _check_beginning(path, file)
    except OSError as error:
        raise PalettiError(f"The recording {path} cannot be read: {error.strerror}.", "Name an existing recording (*.mcap).") from error
    gaps = tally.gaps
    if not file.all_there and file.good_bytes < path.stat().st_size:
        gaps = [*gaps, Gap(tally.last_s, None, None)]
    damage = _damage(file, tally)
    return Recording(
        path, dict(file.header or {}), tally.inputs, tally.beside, tally.seconds, damage, tuple(gaps), file.whole or file.all_there
    )


def _check_beginning(path: Path, file: _Walk) -> None:
    """PalettiError if `path` is no recording of ours that can be read."""
    with path.open("rb") as opened:
        start = opened.read(len(MAGIC))
    if not start:
        raise PalettiError(f"The recording {path} is empty.", "Nothing was recorded there, or it was lost before the first second.")
    if file.header is None and not MAGIC.startswith(start):
        raise PalettiError(f"{path} is not a recording: it does not begin like an MCAP file.", "Name a file that `--record` wrote.")
    if file.header is None:
        if file.good_bytes and (file.whole or file.all_there):
            raise PalettiError(f"{path} is an MCAP file, but not a recording of a game.", "Name a file that `--record` wrote.")
        raise PalettiError(
            f"The recording {path} breaks off before its header; nothing of it can be used.", "Use another copy if there is one."
        )
    version = file.header.get("schema", "unknown")
    if version != str(m.SCHEMA_VERSION):
        raise PalettiError(
            f"{path} was recorded with messages of version {version}; this program reads version {m.SCHEMA_VERSION}.",
            f"Replay it with the version that wrote it (code {file.header.get('code', 'unknown')}).",
        )


def _damage(file: _Walk, tally: _Tally) -> str:
    name, size = file.path, file.path.stat().st_size
    good = f"{tally.inputs} messages ({tally.seconds:.1f} s)"
    if tally.gaps:
        missing = "; ".join(map(str, tally.gaps[:5])) + ("; …" if len(tally.gaps) > 5 else "")
        return f"The recording {name} is damaged: {missing} cannot be read. All else is good: {good}."
    if file.all_there and file.stated not in (None, tally.records):
        return f"The recording {name} is damaged in the middle: {tally.records} of {file.stated} records can be read, with {good}."
    if file.skipped:
        return f"The recording {name} is damaged, but not where messages are: all its {good} are good."
    if file.whole:
        return ""
    if file.all_there:
        return f"The recording {name} lacks the index at its end; all its {good} are good."
    if file.good_bytes == size:
        return f"The recording {name} was not closed; the {good} in it are good."
    return (
        f"The recording {name} is damaged or cut short at byte {file.good_bytes} of {size}: the first {good} are good, "
        "what follows cannot be read."
    )


def _message(path: Path, raw: Raw, old: OldBinary) -> m.Message:
    try:
        if raw.channel.message_encoding == "protobuf" and raw.schema is not None:
            return old.message(raw.schema, raw.record.data)
        message = message_from_json(raw.record.data)
        return message if raw.picture is None else joined(message, raw.picture.record.data)
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
