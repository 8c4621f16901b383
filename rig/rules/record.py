"""A game record in text: a header (set, players, switches), then one event a line, with comments. Reading and writing agree exactly.

Reading is line by line, so that a judge can rule while it reads and hostile input costs bounded time and memory. The grammar is in
README.md, the events' words are in `notation.py`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from itertools import chain
from typing import Protocol

from rig.errors import PalettiError
from rig.pieces import STANDARD_SET, Column, PieceSet, Shape
from rig.rules.events import WORDS, Event, Seat
from rig.rules.game import Game
from rig.rules.house import PRESETS, RULEBOOK, HouseRules
from rig.rules.notation import EVENT_WORDS, print_event, read_event
from rig.rules.words import NotationError, Words, read_count

FIRST_WORDS = "villa-paletti"
VERSION = 1
LONGEST_LINE_BYTES = 20_000
"""A correction of many events is the longest honest line; this is ten times that."""
MOST_LINES = 20_000
MOST_EVENTS = 2_000
"""A long game has 200."""
MOST_CORRECTIONS = 100
"""Each correction, and each ruling of the table, works the whole game out anew: this bounds the time a hostile record can cost."""
MOST_COLUMNS_A_SHAPE = 20


class RecordError(PalettiError):
    """A record that cannot be read: `line` and `column` count from 1 (column 0: the whole line)."""

    def __init__(self, cause: str, line: int, column: int = 0, hint: str = "The record's grammar is in rig/rules/README.md.") -> None:
        where = f"Line {line}, column {column}" if column else f"Line {line}"
        super().__init__(f"{where}: {cause}", hint)
        self.line = line
        self.column = column
        self.cause = cause


@dataclass(frozen=True, slots=True)
class Entry:
    """One line after the header: an event, a comment, or both."""

    event: Event | None = None
    comment: str | None = None

    def __post_init__(self) -> None:
        if self.event is None and self.comment is None:
            raise PalettiError("A line of a record holds an event, a comment or both.")
        _check_comment(self.comment)


@dataclass(frozen=True, slots=True)
class Header:
    """What a record says before the first event; `remarks` are its comments."""

    pieces: PieceSet = STANDARD_SET
    players: tuple[str, ...] = ()
    youngest: Seat = 0
    rules: HouseRules = RULEBOOK
    remarks: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        for remark in self.remarks:
            _check_comment(remark)

    def start(self) -> Game:
        """The game about to be set up; PalettiError if players or set are unusable."""
        return Game.new(self.pieces, self.players, self.rules, self.youngest)


@dataclass(frozen=True, slots=True)
class Record:
    """A whole record."""

    header: Header
    entries: tuple[Entry, ...] = ()

    @classmethod
    def of(cls, game: Game) -> Record:
        """The record of `game` so far, corrections included."""
        header = Header(game.pieces, game.table.names, game.table.youngest, game.rules)
        return cls(header, tuple(Entry(event) for event in game.log))

    @property
    def events(self) -> tuple[Event, ...]:
        return tuple(entry.event for entry in self.entries if entry.event is not None)

    def game(self) -> Game:
        """The game after all events; ImpossibleEventError if one cannot have happened."""
        return self.header.start().play(self.events)


def _check_comment(comment: str | None) -> None:
    if comment is not None and (comment != comment.strip() or "\n" in comment):
        raise PalettiError("A comment is one line without blanks around it.")


# --- writing ---


def print_record(record: Record) -> str:
    """The record as text; `parse_record` gives it back."""
    header = record.header
    lines = [f"{FIRST_WORDS} {VERSION}", *(_comment(remark) for remark in header.remarks), _print_set(header.pieces)]
    lines += [f'player "{name}"{" youngest" if seat == header.youngest else ""}' for seat, name in enumerate(header.players)]
    preset = next((name for name, rules in PRESETS.items() if rules == header.rules), None)
    if preset is not None:
        lines.append(f"rules {preset}")
    else:
        lines += [f"switch {name} {value}" for name, value in header.rules.changed().items()]
    lines.append("")
    for entry in record.entries:
        event = "" if entry.event is None else print_event(entry.event, header.players)
        comment = "" if entry.comment is None else _comment(entry.comment)
        lines.append(f"{event}  {comment}" if event and comment else event + comment)
    return "\n".join(lines) + "\n"


def _comment(text: str) -> str:
    return f"# {text}".rstrip()


def _print_set(pieces: PieceSet) -> str:
    first = pieces.columns[0].colour
    split = {shape: sum(column.kind == (first, shape) for column in pieces.columns) for shape in Shape}
    if max(split.values()) <= MOST_COLUMNS_A_SHAPE and pieces == PieceSet.of(split, plateaus=len(pieces.plateaus)):
        held = " ".join(f"{shape} {number}" for shape, number in split.items())
    else:
        held = "columns " + ",".join(map(str, pieces.columns))
    return f"set {held} plateaus {len(pieces.plateaus)}"


# --- reading ---


class ByteStream(Protocol):
    """What a record is read from: an open binary file, or standard input's buffer."""

    def readline(self, size: int, /) -> bytes: ...


Line = tuple[int, str]
"""A line's number, from 1, and its text."""


def lines_of(stream: ByteStream) -> Iterator[Line]:
    """The numbered lines of a stream. RecordError for a line that is too long, not UTF-8, or cut off at the end of the file."""
    for number in range(1, MOST_LINES + 1):
        raw = stream.readline(LONGEST_LINE_BYTES)
        if not raw:
            return
        if not raw.endswith(b"\n"):
            if len(raw) >= LONGEST_LINE_BYTES:
                raise RecordError(f"The line is longer than {LONGEST_LINE_BYTES} bytes; this is no game record.", number)
            _decoded(raw, number)
            raise RecordError("The last line is cut off.", number, hint="If it is complete, end it with a line break.")
        yield number, _decoded(raw, number)
    if stream.readline(1):
        raise RecordError(f"A record has at most {MOST_LINES} lines.", MOST_LINES + 1)


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
    if text and not text.endswith("\n"):
        raise RecordError("The last line is cut off.", text.count("\n") + 1, hint="If it is complete, end it with a line break.")
    header, entries = read_record(enumerate((line.removesuffix("\r") for line in text.split("\n")[:-1]), 1))
    return Record(header, tuple(entry for _, entry in entries))


def read_record(lines: Iterable[Line]) -> tuple[Header, Iterator[tuple[int, Entry]]]:
    """The header, and the entries with their line numbers as they are read."""
    rest = iter(lines)
    reader = _HeaderReader()
    first = reader.read(rest)
    return reader.header(), _entries(first, rest, reader.names)


def _entries(first: Line | None, rest: Iterator[Line], names: tuple[str, ...]) -> Iterator[tuple[int, Entry]]:
    events = corrections = 0
    for number, text in chain([] if first is None else [first], rest):
        entry = _entry(number, text, names)
        if entry is None:
            continue
        events += entry.event is not None
        corrections += isinstance(entry.event, WORDS)
        if events > MOST_EVENTS:
            raise RecordError(f"A record has at most {MOST_EVENTS} events.", number)
        if corrections > MOST_CORRECTIONS:
            raise RecordError(f"A record has at most {MOST_CORRECTIONS} corrections and rulings of the table.", number)
        yield number, entry


def _entry(number: int, text: str, names: tuple[str, ...]) -> Entry | None:
    """The line's entry; none for a blank line."""
    try:
        words = Words(text, names)
        event = None
        if words.peek() is not None:
            event = read_event(words)
            words.end()
    except NotationError as error:
        raise RecordError(error.cause, number, error.column) from None
    return None if event is None and words.comment is None else Entry(event, words.comment)


class _HeaderReader:
    """Reads header lines until a blank line, an event or the end."""

    def __init__(self) -> None:
        self.names: tuple[str, ...] = ()
        self._youngest: Seat | None = None
        self._pieces: PieceSet | None = None
        self._rules: HouseRules | None = None
        self._remarks: list[str] = []
        self._last = 0

    def read(self, lines: Iterator[Line]) -> Line | None:
        """Read the header; the first event's line if no blank line parts it from the header."""
        number, text = next(lines, (1, ""))
        self._guarded(number, text, self._first_line)
        for number, text in lines:
            self._last = number
            if not text.strip():
                return None
            if text.split()[0] in EVENT_WORDS:
                return number, text
            self._guarded(number, text, self._line)
        return None

    def header(self) -> Header:
        """What was read; RecordError if the players or the set are unusable."""
        try:
            header = Header(self._pieces or STANDARD_SET, self.names, self._youngest or 0, self._rules or RULEBOOK, tuple(self._remarks))
            header.start()
        except PalettiError as error:
            raise RecordError(error.sentence, max(self._last, 1), hint=error.hint) from None
        return header

    def _guarded(self, number: int, text: str, read: Callable[[Words], None]) -> None:
        try:
            words = Words(text)
            read(words)
            words.end()
        except NotationError as error:
            raise RecordError(error.cause, number, error.column) from None
        if words.comment is not None:
            self._remarks.append(words.comment)

    def _first_line(self, words: Words) -> None:
        token = words.take(f"{FIRST_WORDS} {VERSION}")
        if token.text != FIRST_WORDS:
            raise NotationError(f"a game record begins with {FIRST_WORDS} {VERSION}.", token.column)
        version = words.take("the version")
        if version.text != str(VERSION):
            raise NotationError(f"only version {VERSION} of the record can be read.", version.column)

    def _line(self, words: Words) -> None:
        if words.peek() is None:
            return
        token = words.take("a header line")
        read = {"set": self._set, "player": self._player, "rules": self._preset, "switch": self._switch}.get(token.text)
        if read is None:
            raise NotationError(f"{token.text[:40]!r} is neither a header line nor an event.", token.column)
        try:
            read(words)
        except PalettiError as error:
            if isinstance(error, NotationError):
                raise
            raise NotationError(str(error), token.column) from None
        except ValueError as error:
            raise NotationError(f"{error}.", token.column) from None

    def _set(self, words: Words) -> None:
        if self._pieces is not None:
            raise PalettiError("The set is told twice.")
        split: dict[Shape, int] = {}
        columns: tuple[Column, ...] | None = None
        plateaus = len(STANDARD_SET.plateaus)
        while (word := words.peek()) is not None:
            words.take(word)
            if word in set(Shape):
                split[Shape(word)] = read_count(words.take("a number").text, MOST_COLUMNS_A_SHAPE)
            elif word == "plateaus":
                plateaus = read_count(words.take("a number").text, len(STANDARD_SET.plateaus))
            elif word == "columns":
                columns = tuple(map(Column.parse, words.take("columns").text.split(",")))
            else:
                raise ValueError(f"{word[:40]!r} is neither a shape nor plateaus nor columns")
        if columns is not None and split:
            raise ValueError("a set is told either by a split or by its columns")
        whole = PieceSet.of(split or None, plateaus=plateaus)
        self._pieces = whole if columns is None else PieceSet(columns, whole.plateaus)

    def _player(self, words: Words) -> None:
        self.names += (words.take("a name").text.strip('"'),)
        if words.peek() == "youngest":
            words.take("youngest")
            if self._youngest is not None:
                raise PalettiError("Only one player is the youngest.")
            self._youngest = len(self.names) - 1

    def _preset(self, words: Words) -> None:
        name = words.take("a preset").text
        if name not in PRESETS:
            raise PalettiError(f"There are no house rules called {name[:40]!r}; write {', '.join(PRESETS)}.")
        if self._rules is not None:
            raise PalettiError("The preset is told twice, or after a switch.")
        self._rules = PRESETS[name]

    def _switch(self, words: Words) -> None:
        name, value = words.take("a switch").text, words.take("a value").text
        self._rules = (self._rules or RULEBOOK).with_switch(name, value)
