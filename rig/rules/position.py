"""Where a game stands: the table's fixed facts, and one immutable position, with the questions a player would ask of them.

Floors of columns are kept as a tuple beside `Table.columns`, so that a position is small and comparing two is cheap. What follows from an
event is in `steps.py`, what an event may break in `faults.py`.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from enum import StrEnum
from functools import lru_cache
from typing import NamedTuple

from rig.errors import PalettiError
from rig.pieces import Colour, Column, Floor, PieceSet
from rig.rules.events import Aborted, Raised, Seat, TakenOut
from rig.rules.house import ColourMode, HouseRules
from rig.rules.rulings import Outcome


class Phase(StrEnum):
    """What the game waits for."""

    SET_UP = "set_up"
    """Columns, then the blue plateau (U1, U2)."""
    DRAW = "draw"
    """Colours (U3)."""
    BUILD = "build"
    """The player in turn begins: a column, a request, nothing (B1, A1)."""
    RETRY = "retry"
    """After an abort, where the house allows another own column (B3)."""
    OWN = "own"
    """Three players, after the neutral column: an own one, or stop (T1, T3)."""
    PROOF = "proof"
    """Three players: an opponent shows that another neutral can be raised (T3)."""
    CLAIM = "claim"
    """A request was spoken: will it be challenged (A2, C1)?"""
    CHALLENGE = "challenge"
    """The challenger raises a column of the claimant's (C2)."""
    PENALTY = "penalty"
    """The challenge failed: the claimant may take one of the challenger's columns out (C4)."""
    LAY = "lay"
    """The plateau is to be laid (A2, A3)."""
    DECISION = "decision"
    """Nobody playing toppled it: the table decides (E8)."""
    OVER = "over"


@dataclass(frozen=True, slots=True)
class Player:
    """A player at the table; no colours before the draw."""

    seat: Seat
    name: str
    colours: tuple[Colour, ...]


Plain = tuple[tuple[Raised, Aborted], TakenOut]
"""A column's plain events, the attempts and the taking out: values, so made once."""


@lru_cache(maxsize=16)
def _looked_up(pieces: PieceSet) -> tuple[dict[Column, int], tuple[Plain, ...], tuple[int, ...], tuple[str, ...]]:
    """What a table looks up by column, worked out once for each set."""
    columns = pieces.columns
    return (
        {column: i for i, column in enumerate(columns)},
        tuple(((Raised(column), Aborted(column)), TakenOut(column)) for column in columns),
        tuple(column.points for column in columns),
        tuple(map(str, columns)),
    )


@dataclass(frozen=True, slots=True)
class Table:
    """What does not change in a game: the set, the players' names clockwise, the house rules, and who is youngest."""

    pieces: PieceSet
    names: tuple[str, ...]
    rules: HouseRules
    youngest: Seat = 0
    index: dict[Column, int] = field(init=False, repr=False, compare=False)
    """Each column's place in `columns`, by which positions speak of it."""
    plain: tuple[Plain, ...] = field(init=False, repr=False, compare=False)
    points: tuple[int, ...] = field(init=False, repr=False, compare=False)
    words: tuple[str, ...] = field(init=False, repr=False, compare=False)
    """The plain events, the points and the text of each column."""

    def __post_init__(self) -> None:
        if not 2 <= len(self.names) <= 4:
            raise PalettiError(f"The game is for two, three or four players, not {len(self.names)}.", "Name two to four players.")
        if len(set(self.names)) != len(self.names):
            raise PalettiError("Two players have the same name.", "Give each player a name of their own.")
        if not all(name and name == name.strip() and name.isprintable() and '"' not in name for name in self.names):
            raise PalettiError("A player's name is empty or not printable.", "A name is printable text without double quotes.")
        if not 0 <= self.youngest < len(self.names):
            raise PalettiError("The youngest player is none of those at the table.", "Name one of the players as the youngest.")
        if {column.colour for column in self.pieces.columns} != set(Colour):
            raise PalettiError("The set lacks a colour.", "A set holds columns of red, blue, yellow and green.")
        for name, value in zip(("index", "plain", "points", "words"), _looked_up(self.pieces), strict=True):
            object.__setattr__(self, name, value)

    @property
    def columns(self) -> tuple[Column, ...]:
        return self.pieces.columns

    @property
    def seats(self) -> range:
        return range(len(self.names))

    @property
    def colours_each(self) -> int:
        """How many colours each player takes (D1)."""
        return 2 if len(self.names) == 2 else 1

    def rolls(self, drawn: int) -> bool:
        """Whether the next colour is rolled, after `drawn` colours; otherwise it is chosen (U3)."""
        return drawn == 0 or self.rules.colour_mode is ColourMode.ALL_ROLL

    def needed(self, plateau: Floor) -> int:
        """How many columns `plateau` must cover at least (A3, U2)."""
        return 1 if self.rules.two_from_orange and plateau >= Floor.ORANGE else 3


class Moment:
    """What a position holds and can be asked. `scores` and `since` are by seat; `floors` and `owners` by column as in `Table.columns`."""

    __slots__ = ()
    table: Table
    phase: Phase
    turn: Seat | None
    actor: Seat | None
    """Whom the game waits for: the player in turn, the challenger, the prover; None: anybody."""
    floors: tuple[Floor | None, ...]
    """None: not stood up yet, or out of the game."""
    owners: tuple[Seat | None, ...]
    """None: neutral; empty before the draw."""
    holdings: tuple[tuple[int, ...], ...]
    """The indices of each seat's columns, and last those of the neutral ones; empty before the draw."""
    locked_at: frozenset[int]
    """The indices of the locked columns."""
    stacks: tuple[tuple[Column, Column], ...]
    """(upper, carrier) for each column stacked on another (B8)."""
    laid: tuple[Floor, ...]
    colours: tuple[tuple[Colour, ...], ...]
    scores: tuple[int, ...]
    since: tuple[int, ...]
    """The tick at which each score came to be what it is (S6)."""
    holder: Seat | None
    predecessor: Seat | None
    fresh: bool
    """No own column has been placed on the tallest plateau yet (S1, S4)."""
    ticks: int
    """How many events led here."""
    idle: int
    """How many turns in a row count as nobody being able to add (E5)."""
    challenged_by: tuple[Seat, ...]
    """Who has challenged this request (C1)."""
    proof_open: bool
    """A neutral was abandoned in this turn, and nobody has tried a proof yet (T3)."""
    last_actor: Seat | None
    aborted_by: Seat | None
    """Whose turn just ended with an abort (B3, B11)."""
    resume: tuple[Phase, Seat | None] | None
    """Where play goes on if the table decides to rebuild (E8)."""
    outcome: Outcome | None

    def floor_of(self, column: Column) -> Floor | None:
        return self.floors[self.table.index[column]]

    def owner_of(self, column: Column) -> Seat | None:
        """The seat that owns `column`; None: neutral, or not drawn yet."""
        return self.owners[self.table.index[column]] if self.owners else None

    def is_neutral(self, column: Column) -> bool:
        """Whether it is of the colour nobody has (T1)."""
        return len(self.holdings) > len(self.table.names) and self.owners[self.table.index[column]] is None

    @property
    def top(self) -> Floor:
        """The tallest floor."""
        return self.laid[-1] if self.laid else Floor.GROUND

    @property
    def next_plateau(self) -> Floor | None:
        """The lowest plateau not laid yet (P2)."""
        for plateau in self.table.pieces.plateaus:
            if plateau not in self.laid:
                return plateau
        return None

    @property
    def face(self) -> Colour | None:
        """The seal's shown colour: the previous holder's; without one, the holder's own (P5)."""
        shown = self.holder if self.predecessor is None else self.predecessor
        return None if shown is None else self.colours[shown][0]

    @property
    def locked(self) -> frozenset[Column]:
        """The columns that can never be used for building again (B10)."""
        return frozenset(self.table.columns[i] for i in self.locked_at)

    def usable(self, seat: Seat) -> list[int]:
        """The indices of the player's columns that may be raised: on a lower floor and not locked (B1, B2, B10)."""
        floors, top, locked = self.floors, self.top, self.locked_at
        return [i for i in self.holdings[seat] if (floor := floors[i]) is not None and floor is not top and i not in locked]

    def eligible(self, seat: Seat) -> list[Column]:
        """The player's columns that may be raised (B1, B2, B10)."""
        return [self.table.columns[i] for i in self.usable(seat)]

    def movable_neutrals(self) -> list[int]:
        """The indices of the neutral columns that may be raised (T2)."""
        if len(self.holdings) <= len(self.table.names):
            return []
        floors, top, locked = self.floors, self.top, self.locked_at
        standing = [i for i in self.holdings[-1] if floors[i] is not None and floors[i] is not top]
        on = [floors[i] for i in standing]
        return [i for i in standing if i not in locked and on.count(floors[i]) > 1]

    def may_be_laid(self) -> bool:
        """Whether enough columns stand on top for the next plateau; whether it fits, only the table sees (A3)."""
        plateau = self.next_plateau
        return plateau is not None and self.floors.count(self.top) >= self.table.needed(plateau)

    def carries(self, column: Column) -> bool:
        """Whether another column stands on it (B8)."""
        return any(carrier == column for _, carrier in self.stacks)

    def takeable(self, seat: Seat) -> list[int]:
        """The indices of the columns of `seat` that can be taken as a penalty (C4, B8)."""
        columns = self.table.columns
        return [i for i in self.holdings[seat] if self.floors[i] is not None and not self.carries(columns[i])]

    def opponents(self) -> Iterator[Seat]:
        """Everybody but the player in turn, clockwise from there."""
        assert self.turn is not None
        players = len(self.table.names)
        return ((self.turn + step) % players for step in range(1, players))

    def drawer(self) -> Seat:
        """Who rolls or chooses next; the youngest first, then clockwise (U3). With everything drawn: the youngest again."""
        players = len(self.table.names)
        taken = sum(map(len, self.colours))
        return (self.table.youngest + taken) % players

    def free_colours(self) -> list[Colour]:
        """The colours nobody has drawn."""
        taken = {colour for colours in self.colours for colour in colours}
        return [colour for colour in Colour if colour not in taken]


class _Fields(NamedTuple):
    """A moment's fields. A tuple, because nothing is made as often as positions, and nothing else is made as fast."""

    table: Table
    phase: Phase
    turn: Seat | None
    actor: Seat | None
    floors: tuple[Floor | None, ...]
    owners: tuple[Seat | None, ...]
    holdings: tuple[tuple[int, ...], ...]
    locked_at: frozenset[int]
    stacks: tuple[tuple[Column, Column], ...]
    laid: tuple[Floor, ...]
    colours: tuple[tuple[Colour, ...], ...]
    scores: tuple[int, ...]
    since: tuple[int, ...]
    holder: Seat | None
    predecessor: Seat | None
    fresh: bool
    ticks: int
    idle: int
    challenged_by: tuple[Seat, ...]
    proof_open: bool
    last_actor: Seat | None
    aborted_by: Seat | None
    resume: tuple[Phase, Seat | None] | None
    outcome: Outcome | None


class Position(Moment, _Fields):
    """One immutable moment of the game."""

    __slots__ = ()

    @classmethod
    def start(cls, table: Table) -> Position:
        """An empty base: all columns beside it, nothing drawn."""
        nobody = tuple(0 for _ in table.seats)
        return cls(
            table=table,
            phase=Phase.SET_UP,
            turn=None,
            actor=None,
            floors=(None,) * len(table.columns),
            owners=(),
            holdings=(),
            locked_at=frozenset(),
            stacks=(),
            laid=(),
            colours=tuple(() for _ in table.seats),
            scores=nobody,
            since=nobody,
            holder=None,
            predecessor=None,
            fresh=False,
            ticks=0,
            idle=0,
            challenged_by=(),
            proof_open=False,
            last_actor=None,
            aborted_by=None,
            resume=None,
            outcome=None,
        )
