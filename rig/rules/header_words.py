"""The set of pieces and the house rules as words, the same in a record's header and in the line of a position."""

from __future__ import annotations

from rig.errors import PalettiError
from rig.pieces import STANDARD_SET, Column, PieceSet, Shape
from rig.rules.house import PRESETS, RULEBOOK, HouseRules
from rig.rules.words import Words, read_count

MOST_COLUMNS_A_SHAPE = 20


def print_set(pieces: PieceSet) -> str:
    """`set thick 1 hex 1 thin 3 plateaus 5`, or the columns one by one where the colours differ."""
    first = pieces.columns[0].colour
    split = {shape: sum(column.kind == (first, shape) for column in pieces.columns) for shape in Shape}
    if max(split.values()) <= MOST_COLUMNS_A_SHAPE and pieces == PieceSet.of(split, plateaus=len(pieces.plateaus)):
        held = " ".join(f"{shape} {number}" for shape, number in split.items())
    else:
        held = "columns " + ",".join(map(str, pieces.columns))
    return f"set {held} plateaus {len(pieces.plateaus)}"


def read_set(words: Words) -> PieceSet:
    """What follows the word `set`; ValueError or NotationError if that is no set."""
    split: dict[Shape, int] = {}
    columns: tuple[Column, ...] | None = None
    plateaus = len(STANDARD_SET.plateaus)
    while (word := words.peek()) not in (None, ";"):
        assert word is not None
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
    return whole if columns is None else PieceSet(columns, whole.plateaus)


def preset_of(rules: HouseRules) -> str | None:
    """The name of the preset that these rules are; None if they are none."""
    return next((name for name, preset in PRESETS.items() if rules == preset), None)


def print_rules(rules: HouseRules) -> str:
    """`rules guide`, or the switches that differ from the rulebook: `rules retry_after_abort true`."""
    preset = preset_of(rules)
    return f"rules {preset}" if preset is not None else "rules " + " ".join(f"{name} {value}" for name, value in rules.changed().items())


def read_rules(words: Words) -> HouseRules:
    """What follows the word `rules`: a preset, or switches with their values, or a preset and then switches."""
    rules = RULEBOOK
    if words.peek() in PRESETS:
        rules = PRESETS[words.take("a preset").text]
    while words.peek() not in (";", None):
        rules = rules.with_switch(words.take("a switch").text, words.take("a value").text)
    return rules


def preset_called(name: str) -> HouseRules:
    """The preset called `name`; PalettiError if there is none."""
    if name not in PRESETS:
        raise PalettiError(f"There are no house rules called {name[:40]!r}; write {', '.join(PRESETS)}.")
    return PRESETS[name]
