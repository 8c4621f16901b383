"""Reads the line of a position, section by section; `position_line.py` writes it and says what it is for.

What fits together is checked at the end, in `position_whole.py`. Every error says in which column it is.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from rig.errors import PalettiError
from rig.pieces import STANDARD_SET, Colour, Column, Floor
from rig.rules.events import Seat
from rig.rules.header_words import read_rules, read_set
from rig.rules.house import RULEBOOK
from rig.rules.position import Phase, Position
from rig.rules.position_line import FIRST_WORDS
from rig.rules.position_whole import fits, owned
from rig.rules.rulings import Outcome, Why
from rig.rules.table import Table
from rig.rules.words import COLOUR, COLUMN, COLUMNS, COUNT, FLOORS, SEAT, Kind, Known, NotationError, Words, shown


def read_position(line: str) -> Position:
    """The position written in `line`; NotationError says in which column what is wrong, and what does not fit together."""
    return position_in(Words(line))


def position_in(words: Words) -> Position:
    """The position that the rest of the words say; NotationError as for `read_position`."""
    for expected in FIRST_WORDS.split():
        token = words.take(FIRST_WORDS)
        if token.text != expected:
            raise NotationError(f"a position begins with {FIRST_WORDS}.", token.column)
    reader = _Reader(words)
    while words.peek() is not None:
        reader.section()
    try:
        return reader.position()
    except PalettiError as error:
        raise NotationError(error.sentence, 1) from None


class _Reader:
    """Reads section by section; what fits together is checked at the end."""

    def __init__(self, words: Words) -> None:
        self.words = words
        self.pieces, self.rules = STANDARD_SET, RULEBOOK
        self.names: tuple[str, ...] = ()
        self.colours: tuple[tuple[Colour, ...], ...] = ()
        self.youngest = 0
        self.told: dict[str, Any] = {}
        self.unlaid: dict[str, Any] | None = None
        self._seen: set[str] = set()

    def section(self) -> None:
        """Read one section, from its semicolon on."""
        semicolon = self.words.take("a semicolon")
        if semicolon.text != ";":
            raise NotationError(f"{shown(semicolon.text)} does not belong here.", semicolon.column)
        token = self.words.take("a section")
        read = _SECTIONS.get(token.text)
        if read is None:
            raise NotationError(f"{shown(token.text)} is no section; sections are {', '.join(_SECTIONS)}.", token.column)
        if token.text in self._seen and token.text != "player":
            raise NotationError(f"{token.text} is told twice.", token.column)
        self._seen.add(token.text)
        self.words.known = Known(self.names, self.pieces)
        try:
            read(self)
        except (ValueError, PalettiError) as error:
            if isinstance(error, NotationError):
                raise
            raise NotationError(f"{error}" if isinstance(error, PalettiError) else f"{error}.", token.column) from None

    def value(self, kind: Kind) -> Any:
        token = self.words.take(kind.name)
        try:
            return kind.read(token.text, self.words.known)
        except ValueError as error:
            raise NotationError(f"{error}.", token.column) from None

    def options(self, kinds: dict[str, Kind]) -> dict[str, Any]:
        """The words of `kinds` that follow, each with its value."""
        found: dict[str, Any] = {}
        while (word := self.words.peek()) in kinds:
            assert word is not None
            self.words.take(word)
            found[word] = self.value(kinds[word])
        return found

    def seats(self) -> tuple[Seat, ...]:
        found = []
        while self.words.peek() not in (";", None):
            found.append(self.value(SEAT))
        return tuple(found)

    def position(self) -> Position:
        """What was read, as a position; PalettiError if it does not fit together."""
        table = Table(self.pieces, self.names, self.rules, self.youngest)
        told = dict(self.told)
        floors: dict[Column, Floor] = told.pop("standing", {})
        since = told.pop("since", (0,) * len(self.names))
        if unknown := sorted(str(column) for column in floors if column not in table.index):
            raise PalettiError(f"There is no column {unknown[0]} in the set.")
        told["floors"] = tuple(floors.get(column) for column in table.columns)
        for name in ("locked_at", "stacks", "abandoned", "settled"):
            if name in told:
                told[name] = told[name](table)
        position = Position.start(table)._replace(colours=self.colours, since=since, **told)
        fits(position)
        position = owned(position)
        if self.unlaid is not None:
            before: dict[str, Any] = {
                "phase": Phase.LAY,
                "ticks": 0,
                "outcome": None,
                "abandoned": None,
                "challenged_by": (),
                "aborted_by": None,
            }
            before |= {"actor": self.unlaid["turn"], **self.unlaid}
            position = position._replace(unlaid=position._replace(**before))
        return position


def _player(reader: _Reader) -> None:
    reader.names += (reader.words.take("a name").text.strip('"'),)
    if reader.words.peek() == "youngest":
        reader.words.take("youngest")
        reader.youngest = len(reader.names) - 1
    colours: tuple[Colour, ...] = ()
    if reader.words.peek() not in (";", None):
        colours = tuple(COLOUR.read(part, reader.words.known) for part in reader.words.take("colours").text.split("+"))
    reader.colours += (colours,)


def _set(reader: _Reader) -> None:
    reader.pieces = read_set(reader.words)


def _rules(reader: _Reader) -> None:
    reader.rules = read_rules(reader.words)


def _standing(floor: Floor) -> Callable[[_Reader], None]:
    def read(reader: _Reader) -> None:
        standing = reader.told.setdefault("standing", {})
        for column in reader.value(COLUMNS):
            if column in standing:
                raise ValueError(f"{column} stands twice")
            standing[column] = floor

    return read


def _laid(reader: _Reader) -> None:
    reader.told["laid"] = reader.value(FLOORS)


def _index(table: Table, column: Any) -> int:
    if column not in table.index:
        raise PalettiError(f"There is no column {column} in the set.")
    return table.index[column]


def _locked(reader: _Reader) -> None:
    columns = reader.value(COLUMNS)
    reader.told["locked_at"] = lambda table: frozenset(_index(table, column) for column in columns)


def _stacked(reader: _Reader) -> None:
    pairs = []
    while reader.words.peek() not in (";", None):
        pair = reader.value(COLUMNS)
        if len(pair) != 2:
            raise ValueError("a stack is an upper column and its carrier, with a comma between")
        pairs.append(pair)
    reader.told["stacks"] = lambda table: tuple((table.columns[_index(table, a)], table.columns[_index(table, b)]) for a, b in pairs)


def _phase(reader: _Reader) -> None:
    reader.told["phase"] = Phase(reader.words.take("a phase").text)
    reader.told |= reader.options({"turn": SEAT, "actor": SEAT})


def _seal(reader: _Reader) -> None:
    found = reader.options({"holder": SEAT, "before": SEAT})
    reader.told |= {"holder": found.get("holder"), "predecessor": found.get("before")}
    if reader.words.peek() == "fresh":
        reader.words.take("fresh")
        reader.told["fresh"] = True


def _count(reader: _Reader) -> None:
    reader.told["ticks"] = reader.value(COUNT)
    numbers = Kind("numbers", lambda text, known: tuple(COUNT.read(part, known) for part in text.split(",")), lambda _v, _n: "")
    reader.told |= reader.options({"idle": COUNT, "since": numbers})


def _who_challenged(reader: _Reader) -> None:
    reader.told["challenged_by"] = reader.seats()


def _abandoned(reader: _Reader) -> None:
    column = reader.value(COLUMN)
    reader.told["abandoned"] = lambda table: _index(table, column)


def _settled(reader: _Reader) -> None:
    column = reader.value(COLUMN)
    by = reader.options({"by": SEAT}).get("by")
    reader.told["settled"] = lambda table: (by, _index(table, column))


def _last(reader: _Reader) -> None:
    found = reader.options({"actor": SEAT, "aborted": SEAT})
    reader.told |= {"last_actor": found.get("actor"), "aborted_by": found.get("aborted")}


def _resume(reader: _Reader) -> None:
    phase = Phase(reader.words.take("a phase").text)
    reader.told["resume"] = (phase, reader.options({"actor": SEAT}).get("actor"))


def _unlaid(reader: _Reader) -> None:
    found = reader.options({"by": SEAT, "idle": COUNT, "aborted": SEAT})
    if "by" not in found:
        raise ValueError("by is missing")
    reader.unlaid = {"turn": found["by"], "idle": found.get("idle", 0), "aborted_by": found.get("aborted")}
    if reader.words.peek() == "challenged":
        reader.words.take("challenged")
        reader.unlaid["challenged_by"] = reader.seats()


def _over(reader: _Reader) -> None:
    why = Why(reader.words.take("why").text)
    found = reader.options({"rules": Kind("rule ids", lambda text, _known: tuple(text.split(",")), lambda _v, _n: ""), "culprit": SEAT})
    reader.words.take("winners")
    reader.told["outcome"] = Outcome(reader.seats(), why, found.get("rules", ()), found.get("culprit"))


_SECTIONS: dict[str, Callable[[_Reader], None]] = {
    "set": _set,
    "rules": _rules,
    "player": _player,
    "laid": _laid,
    **{floor.word: _standing(floor) for floor in Floor},
    "locked": _locked,
    "stacked": _stacked,
    "phase": _phase,
    "seal": _seal,
    "count": _count,
    "challenged": _who_challenged,
    "abandoned": _abandoned,
    "settled": _settled,
    "last": _last,
    "resume": _resume,
    "unlaid": _unlaid,
    "over": _over,
}
