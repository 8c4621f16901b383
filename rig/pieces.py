"""What is in the box: colours, shapes, floors, columns, and the set at hand.

Names only, no sizes (those are measured and live in the profile) and no rules. Standard library only: the rules engine builds on this.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from enum import IntEnum, StrEnum


class Colour(StrEnum):
    """A player colour: of columns, of the seal's sides and of sleeves. Never a plateau's."""

    RED = "red"
    BLUE = "blue"
    YELLOW = "yellow"
    GREEN = "green"

    __hash__ = str.__hash__  # an enum's own is written in Python, and columns are looked up in every event


class Shape(StrEnum):
    """A column's shape; `points` is what it scores on the top floor (P4)."""

    THICK = "thick"
    HEX = "hex"
    THIN = "thin"

    __hash__ = str.__hash__

    @property
    def points(self) -> int:
        return {Shape.THICK: 3, Shape.HEX: 2, Shape.THIN: 1}[self]


class Floor(IntEnum):
    """What a column stands on, from the bottom: the ground (the base's building site) or one of the five plateaus (P2)."""

    GROUND = 0
    BLUE = 1
    GREEN = 2
    YELLOW = 3
    ORANGE = 4
    RED = 5

    @property
    def word(self) -> str:
        return self.name.lower()

    @classmethod
    def parse(cls, word: str) -> Floor:
        """The floor called `word` (`ground`, `blue`, …); ValueError if there is none."""
        try:
            return cls[word.upper()]
        except KeyError:
            raise ValueError(f"{word!r} is no floor; floors are {', '.join(f.word for f in cls)}") from None


PLATEAUS: tuple[Floor, ...] = tuple(floor for floor in Floor if floor is not Floor.GROUND)
"""The plateaus in their fixed order from the bottom (P2)."""

_COLUMN = re.compile(r"(?P<colour>[a-z]+)-(?P<shape>[a-z]+)-(?P<number>[1-9][0-9]?)")


@dataclass(frozen=True, slots=True, order=True)
class Column:
    """One wooden column. Columns alike in colour and shape look the same; `number` tells them apart in the books."""

    colour: Colour
    shape: Shape
    number: int = 1

    def __str__(self) -> str:
        return f"{self.colour}-{self.shape}-{self.number}"

    @property
    def kind(self) -> tuple[Colour, Shape]:
        """What an eye can tell: colour and shape."""
        return (self.colour, self.shape)

    @property
    def points(self) -> int:
        return self.shape.points

    @classmethod
    def parse(cls, text: str) -> Column:
        """The column written as `red-thin-2`; ValueError says what is wrong."""
        match = _COLUMN.fullmatch(text)
        if match is None:
            raise ValueError(f"{text!r} is no column; write colour-shape-number, such as red-thin-2")
        colour, shape = match["colour"], match["shape"]
        if colour not in set(Colour):
            raise ValueError(f"{colour!r} is no colour; colours are {', '.join(Colour)}")
        if shape not in set(Shape):
            raise ValueError(f"{shape!r} is no shape; shapes are {', '.join(Shape)}")
        return cls(Colour(colour), Shape(shape), int(match["number"]))


@dataclass(frozen=True, slots=True)
class PieceSet:
    """The set at hand: its columns (sorted) and its plateaus (from the bottom). The split of shapes is data, never a constant (P3)."""

    columns: tuple[Column, ...]
    plateaus: tuple[Floor, ...] = PLATEAUS

    def __post_init__(self) -> None:
        if len(set(self.columns)) != len(self.columns):
            twice = sorted(str(column) for column, times in Counter(self.columns).items() if times > 1)
            raise ValueError(f"columns listed twice: {', '.join(twice)}")
        if not self.columns:
            raise ValueError("a set has at least one column")
        if self.plateaus != PLATEAUS[: len(self.plateaus)] or not self.plateaus:
            raise ValueError("plateaus come in their fixed order from the bottom, beginning with blue (P2)")
        object.__setattr__(self, "columns", tuple(sorted(self.columns)))

    @classmethod
    def of(
        cls,
        split: Mapping[Shape, int] | None = None,
        colours: Iterable[Colour] = tuple(Colour),
        plateaus: int = len(PLATEAUS),
    ) -> PieceSet:
        """A set with the same `split` of shapes in every colour; by default the usual 3 thin, 1 hexagonal, 1 thick (P3)."""
        counts = {Shape.THICK: 1, Shape.HEX: 1, Shape.THIN: 3} if split is None else dict(split)
        columns = [Column(colour, shape, number) for colour in colours for shape in Shape for number in range(1, counts.get(shape, 0) + 1)]
        return cls(tuple(columns), PLATEAUS[:plateaus])

    def counts(self) -> Mapping[tuple[Colour, Shape], int]:
        """How many columns of each colour and shape the box holds."""
        return Counter(column.kind for column in self.columns)


STANDARD_SET = PieceSet.of()
"""Twenty columns, 3 thin, 1 hexagonal and 1 thick in each of four colours, and five plateaus (P2, P3)."""
