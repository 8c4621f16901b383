"""What a game record says before the first event: the set, the players, the house rules; or a position that the game begins at.

Comments and blank lines may stand anywhere. The header ends with the first event; comments after a blank line belong to what follows it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from rig.errors import PalettiError
from rig.pieces import STANDARD_SET, PieceSet
from rig.rules.events import Seat
from rig.rules.game import Game
from rig.rules.header_words import preset_called, preset_of, print_set, read_set
from rig.rules.house import RULEBOOK, HouseRules
from rig.rules.notation import EVENT_WORDS
from rig.rules.position import Position
from rig.rules.position_line import print_position
from rig.rules.position_reading import position_in
from rig.rules.words import NotationError, Words, shown

FIRST_WORDS = "villa-paletti"
VERSION = 1

Line = tuple[int, str]
"""A line's number, from 1, and its text."""


class RecordError(PalettiError):
    """A record that cannot be read: `line` and `column` count from 1 (column 0: the whole line)."""

    def __init__(self, cause: str, line: int, column: int = 0, hint: str = "The record's grammar is in rig/rules/README.md.") -> None:
        where = f"Line {line}, column {column}" if column else f"Line {line}"
        super().__init__(f"{where}: {cause}", hint)
        self.line = line
        self.column = column
        self.cause = cause


@dataclass(frozen=True, slots=True)
class Header:
    """What a record says before the first event; `remarks` are its comments. With `begins`, the game begins at that position, and the other
    fields repeat what it says."""

    pieces: PieceSet = STANDARD_SET
    players: tuple[str, ...] = ()
    youngest: Seat = 0
    rules: HouseRules = RULEBOOK
    remarks: tuple[str, ...] = ()
    begins: Position | None = None

    def __post_init__(self) -> None:
        for remark in self.remarks:
            check_comment(remark)

    @classmethod
    def of(cls, start: Position) -> Header:
        """The header of a game that begins at `start`."""
        table = start.table
        begins = None if start == Position.start(table) else start
        return cls(table.pieces, table.names, table.youngest, table.rules, (), begins)

    def start(self) -> Game:
        """The game about to begin; PalettiError if players or set are unusable."""
        if self.begins is not None:
            return Game.beginning(self.begins)
        return Game.new(self.pieces, self.players, self.rules, self.youngest)


def check_comment(comment: str | None) -> None:
    """PalettiError unless the comment can stand on a line and be read back."""
    if comment is not None and (comment != comment.strip() or "\n" in comment):
        raise PalettiError("A comment is one line without blanks around it.")


def comment_line(text: str) -> str:
    """The comment as a record holds it."""
    return f"# {text}".rstrip()


def print_header(header: Header) -> list[str]:
    """The header's lines."""
    lines = [f"{FIRST_WORDS} {VERSION}", *map(comment_line, header.remarks)]
    if header.begins is not None:
        return [*lines, f"start {print_position(header.begins)}"]
    lines.append(print_set(header.pieces))
    lines += [f'player "{name}"{" youngest" if seat == header.youngest else ""}' for seat, name in enumerate(header.players)]
    preset = preset_of(header.rules)
    if preset is not None:
        return [*lines, f"rules {preset}"]
    return [*lines, *(f"switch {name} {value}" for name, value in header.rules.changed().items())]


class HeaderReader:
    """Reads header lines until an event or the end."""

    def __init__(self) -> None:
        self._names: tuple[str, ...] = ()
        self._youngest: Seat | None = None
        self._pieces: PieceSet | None = None
        self._rules: HouseRules | None = None
        self._begins: Position | None = None
        self._remarks: list[str] = []
        self._last = 0

    def read(self, lines: Iterator[Line]) -> list[Line]:
        """Read the header. What belongs to the record's body already is given back: comments after a blank line, and the first event."""
        begun, aside, blank = False, list[Line](), False
        for number, text in lines:
            self._last = number
            word = next(iter(text.split(maxsplit=1)), "")
            if not begun and word and not word.startswith("#"):
                self._guarded(number, text, self._first_line)
                begun = True
            elif not word:
                blank = begun
            elif word in EVENT_WORDS:
                return [*aside, (number, text)]
            elif word.startswith("#") and blank:
                aside.append((number, text))
            else:
                for earlier, comment in aside:
                    self._guarded(earlier, comment, self._line)
                aside, blank = [], False
                self._guarded(number, text, self._line)
        if not begun:
            self._guarded(max(self._last, 1), "", self._first_line)
        return aside

    def header(self) -> Header:
        """What was read; RecordError if the players or the set are unusable."""
        if self._begins is not None:
            header = Header.of(self._begins)
            # An empty base told as a position reads as the plain header that it is.
            return Header(header.pieces, header.players, header.youngest, header.rules, tuple(self._remarks), header.begins)
        pieces, rules = self._pieces or STANDARD_SET, self._rules or RULEBOOK
        try:
            header = Header(pieces, self._names, self._youngest or 0, rules, tuple(self._remarks))
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
        readers = {"set": self._set, "player": self._player, "rules": self._preset, "switch": self._switch, "start": self._start}
        if token.text not in readers:
            raise NotationError(f"{shown(token.text)} is neither a header line nor an event.", token.column)
        if self._begins is not None:
            raise NotationError("after start nothing else is told in the header, the position says it.", token.column)
        try:
            readers[token.text](words)
        except NotationError:
            raise
        except PalettiError as error:
            raise NotationError(str(error), token.column) from None
        except ValueError as error:
            raise NotationError(f"{error}.", token.column) from None

    def _set(self, words: Words) -> None:
        if self._pieces is not None:
            raise PalettiError("The set is told twice.")
        self._pieces = read_set(words)

    def _player(self, words: Words) -> None:
        name = words.take("a name").text.strip('"')
        if name in self._names:
            raise PalettiError(f"Two players have the same name, {shown(name)}.", "Give each player a name of their own.")
        self._names += (name,)
        if words.peek() == "youngest":
            words.take("youngest")
            if self._youngest is not None:
                raise PalettiError("Only one player is the youngest.")
            self._youngest = len(self._names) - 1

    def _preset(self, words: Words) -> None:
        rules = preset_called(words.take("a preset").text)
        if self._rules is not None:
            raise PalettiError("The preset is told twice, or after a switch.")
        self._rules = rules

    def _switch(self, words: Words) -> None:
        name, value = words.take("a switch").text, words.take("a value").text
        self._rules = (self._rules or RULEBOOK).with_switch(name, value)

    def _start(self, words: Words) -> None:
        if self._pieces is not None or self._names or self._rules is not None:
            raise PalettiError("A position says the set, the players and the rules itself.", "Leave those lines out.")
        self._begins = position_in(words)
