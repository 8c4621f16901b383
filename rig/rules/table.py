"""What does not change in a game: the set of pieces, the players' names clockwise, the house rules, and who is youngest.

What is looked up by column (its index, its points, its plain events) is worked out once for each set, because every event asks for it.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import lru_cache

from rig.errors import PalettiError
from rig.pieces import Colour, Column, Floor, PieceSet
from rig.rules.events import Aborted, Raised, Seat, TakenOut
from rig.rules.house import ColourMode, HouseRules


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
