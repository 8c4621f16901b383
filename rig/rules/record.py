"""A game record in text: a header (set, players, switches), then one event a line, with comments. Reading and writing agree exactly.

Reading is line by line, so that a judge can rule while it reads and hostile input costs bounded time and memory. The grammar is in
README.md, the events' words are in `notation.py`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import chain
from typing import Protocol

from rig.errors import PalettiError
from rig.rules.events import WORDS, Event
from rig.rules.game import Game
from rig.rules.header import Header, HeaderReader, Line, RecordError, check_comment, comment_line, print_header
from rig.rules.notation import print_event, read_event
from rig.rules.words import Known, NotationError, Words

__all__ = ["Entry", "Header", "Record", "RecordError", "lines_of", "parse_record", "print_record", "read_record"]

LONGEST_LINE_BYTES = 20_000
"""A correction of many events is the longest honest line; this is ten times that."""
MOST_LINES = 20_000
MOST_EVENTS = 2_000
"""A long game has 200."""
MOST_CORRECTIONS = 100
"""Each correction, and each ruling of the table, works out anew what follows: this bounds the time a hostile record can cost."""


@dataclass(frozen=True, slots=True)
class Entry:
    """One line after the header: an event, a comment, or both."""

    event: Event | None = None
    comment: str | None = None

    def __post_init__(self) -> None:
        if self.event is None and self.comment is None:
            raise PalettiError("A line of a record holds an event, a comment or both.")
        check_comment(self.comment)


@dataclass(frozen=True, slots=True)
class Record:
    """A whole record."""

    header: Header
    entries: tuple[Entry, ...] = ()

    @classmethod
    def of(cls, game: Game) -> Record:
        """The record of `game` so far, corrections included."""
        return cls(Header.of(game.start), tuple(Entry(event) for event in game.log))

    @property
    def events(self) -> tuple[Event, ...]:
        return tuple(entry.event for entry in self.entries if entry.event is not None)

    def game(self) -> Game:
        """The game after all events; ImpossibleEventError if one cannot have happened."""
        return self.header.start().play(self.events)


# --- writing ---


def print_record(record: Record) -> str:
    """The record as text; `parse_record` gives it back."""
    lines = [*print_header(record.header), ""]
    for entry in record.entries:
        event = "" if entry.event is None else print_event(entry.event, record.header.players)
        comment = "" if entry.comment is None else comment_line(entry.comment)
        lines.append(f"{event}  {comment}" if event and comment else event + comment)
    return "\n".join(lines) + "\n"


# --- reading ---


class ByteStream(Protocol):
    """What a record is read from: an open binary file, or standard input's buffer."""

    def readline(self, size: int, /) -> bytes: ...


def lines_of(stream: ByteStream) -> Iterator[Line]:
    """The numbered lines of a stream. RecordError for a line that is too long, not UTF-8, or cut off at the end of the file."""
    for number in range(1, MOST_LINES + 1):
        raw = stream.readline(LONGEST_LINE_BYTES)
        if not raw:
            return
        if b"\r" in raw.removesuffix(b"\n").removesuffix(b"\r"):
            raise _only_returns(number)
        if not raw.endswith(b"\n"):
            if len(raw) >= LONGEST_LINE_BYTES:
                raise RecordError(f"The line is longer than {LONGEST_LINE_BYTES} bytes; this is no game record.", number)
            _decoded(raw, number)
            raise RecordError("The last line is cut off.", number, hint="If it is complete, end it with a line break.")
        yield number, _decoded(raw, number)
    if stream.readline(1):
        raise RecordError(f"A record has at most {MOST_LINES} lines.", MOST_LINES + 1)


def _only_returns(number: int) -> RecordError:
    cause = "Lines end in carriage returns alone, as on very old computers, so all is one line."
    return RecordError(cause, number, hint="Save the record with line feeds (LF), as any editor can.")


def _decoded(raw: bytes, number: int) -> str:
    try:
        text = raw.decode("utf-8-sig" if number == 1 else "utf-8")
    except UnicodeDecodeError as error:
        raise RecordError(f"Byte {error.start + 1} of the line is not UTF-8.", number, hint="Save the record as UTF-8 text.") from None
    if "\0" in text:
        raise RecordError("The line holds a zero byte.", number, text.index("\0") + 1, "Save the record as UTF-8 text.")
    return text.removesuffix("\n").removesuffix("\r")


def parse_record(text: str) -> Record:
    """The record written in `text`; RecordError says in which line and column what is wrong."""
    if "\r" in text.replace("\r\n", "\n"):
        raise _only_returns(text.replace("\r\n", "\n").partition("\r")[0].count("\n") + 1)
    if text and not text.endswith("\n"):
        raise RecordError("The last line is cut off.", text.count("\n") + 1, hint="If it is complete, end it with a line break.")
    header, entries = read_record(enumerate((line.removesuffix("\r") for line in text.split("\n")[:-1]), 1))
    return Record(header, tuple(entry for _, entry in entries))


def read_record(lines: Iterable[Line]) -> tuple[Header, Iterator[tuple[int, Entry]]]:
    """The header, and the entries with their line numbers as they are read."""
    rest = iter(lines)
    reader = HeaderReader()
    first = reader.read(rest)
    header = reader.header()
    return header, _entries(chain(first, rest), Known(header.players, header.pieces))


def _entries(lines: Iterable[Line], known: Known) -> Iterator[tuple[int, Entry]]:
    events = corrections = 0
    for number, text in lines:
        entry = _entry(number, text, known)
        if entry is None:
            continue
        events += entry.event is not None
        corrections += isinstance(entry.event, WORDS)
        if events > MOST_EVENTS:
            raise RecordError(f"A record has at most {MOST_EVENTS} events.", number)
        if corrections > MOST_CORRECTIONS:
            raise RecordError(f"A record has at most {MOST_CORRECTIONS} corrections and rulings of the table.", number)
        yield number, entry


def _entry(number: int, text: str, known: Known) -> Entry | None:
    """The line's entry; none for a blank line."""
    try:
        words = Words(text, known)
        event = None
        if words.peek() is not None:
            event = read_event(words)
            words.end()
    except NotationError as error:
        raise RecordError(error.cause, number, error.column) from None
    return None if event is None and words.comment is None else Entry(event, words.comment)
