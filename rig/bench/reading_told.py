"""The sums over many readings of towers: in full for the person at work, and as a table for the README."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Sequence

import numpy as np

from rig.bench.reading_rows import QUARTER, ColumnRow, TowerRow, Way
from rig.bench.results import Results, interval, spread
from rig.pieces import Colour, Shape

CLOSE_MM = 10.0
"""How near to its place set-up asks a column to be read."""

ON_HAND = 0.3
"""Share of what a made-up column shows that lies on a hand, from which it is a false column on a hand."""


def words_of(way: Way) -> str:
    """A way of reading for people."""
    scene, level, world, cameras, believed, own = way
    from_ = ", from a believed tower" if believed else ""
    by = ", known by our own calibration" if own else ""
    return f"{scene}, {level}, world {world}, {cameras} camera{'s' if cameras > 1 else ''}{from_}{by}"


def tell(rows: Sequence[TowerRow], worst: int = 12) -> None:
    """The sums over rows, one block for each way of reading, for people only."""
    for way in sorted({row.way for row in rows}):
        print(f"== {words_of(way)}")
        _tell_one([row for row in rows if row.way == way], worst)


def note(rows: Sequence[TowerRow], results: Results) -> None:
    """The figures of one way of reading."""
    columns = [one for row in rows for one in row.columns]
    plain, found = _plain(rows), _found(rows)
    hidden = [one for one in columns if one.seen < QUARTER]
    results.share("columns at least a quarter visible: right in colour, shape and floor", sum(one.right for one in plain), len(plain))
    results.share("of those found: colour right", sum(one.read_colour == one.colour for one in found), len(found))
    results.share("of those found: shape right", sum(one.read_shape == one.shape for one in found), len(found))
    results.share("columns less visible: right", sum(one.right for one in hidden), len(hidden))
    results.share("columns less visible: left open", sum(one.read_colour is None for one in hidden), len(hidden))
    results.share("towers with all that is visible right and nothing made up", sum(not row.faults for row in rows), len(rows))
    results.share(f"towers with every column right and within {CLOSE_MM:.0f} mm", sum(map(_all_close, rows)), len(rows))
    results.share("number of plateaus right", sum(row.plateaus_true == row.plateaus_read for row in rows), len(rows))
    strangers = [one for row in rows for one in row.strangers]
    results.number("columns made up", len(strangers), "columns", len(rows))
    results.number("columns made up on hands", sum(one.on_hand >= ON_HAND for one in strangers), "columns", len(rows))
    results.share("readings called usable", sum(row.usable for row in rows), len(rows))
    results.median("place of a column: error", [one.off_mm for one in plain if one.off_mm is not None], "mm")
    results.median("processor time a reading", [row.seconds for row in rows], "s")


def _tell_one(rows: Sequence[TowerRow], worst: int) -> None:
    columns = [one for row in rows for one in row.columns]
    plain = [one for one in columns if one.seen >= QUARTER]
    found = [one for one in plain if one.read_colour is not None]
    strangers = [one for row in rows for one in row.strangers]
    hidden = [one for one in columns if one.seen < QUARTER]
    print(f"columns at least a quarter seen, right in colour, shape and floor: {interval(sum(one.right for one in plain), len(plain))}")
    print(f"    of those found, colour right {interval(sum(one.read_colour == one.colour for one in found), len(found))}")
    print(f"    of those found, shape right {interval(sum(one.read_shape == one.shape for one in found), len(found))}")
    print(f"    right and within {CLOSE_MM:.0f} mm: {interval(sum(map(_close, plain)), len(plain))}")
    print(f"all columns, hidden ones too, right and within {CLOSE_MM:.0f} mm: {interval(sum(map(_close, columns)), len(columns))}")
    print(f"towers with every column right and within {CLOSE_MM:.0f} mm: {interval(sum(map(_all_close, rows)), len(rows))}")
    print(f"towers with nothing seen wrong, nothing made up: {interval(sum(not row.faults for row in rows), len(rows))}")
    print(f"towers with every column's kind and floor right: {interval(sum(row.kinds_right for row in rows), len(rows))}")
    print(f"number of plateaus right: {interval(sum(row.plateaus_true == row.plateaus_read for row in rows), len(rows))}")
    on_hands = sum(one.on_hand >= ON_HAND for one in strangers)
    print(f"columns made up: {len(strangers)} in {len(rows)} readings, of which on a hand: {on_hands}")
    print(f"columns less than a quarter seen: {len(hidden)}, of which {sum(one.read_colour is None for one in hidden)} were given no place")
    usable = [row for row in rows if row.usable]
    hands = sum(one.on_hand >= ON_HAND for row in usable for one in row.strangers)
    print(f"readings called usable: {interval(len(usable), len(rows))}")
    print(f"    of these with nothing seen wrong, nothing made up: {interval(sum(not row.faults for row in usable), len(usable))}")
    print(f"    columns made up in these: {sum(len(row.strangers) for row in usable)}, of which on a hand: {hands}")
    print(f"    place mm: {spread([one.off_mm for one in plain if one.off_mm is not None])}")
    plateaus = [one for row in rows for one in row.plateaus]
    _calibration("column's place", [one.squared_z for one in columns if one.squared_z is not None])
    _calibration("plateau's place", [one.squared_z for one in plateaus])
    _calibration("plateau's turn", [one.turn_z**2 for one in plateaus], axes=1)
    _calibration("plateau's tilt", [one.tilt_squared_z for one in plateaus])
    over = [one for row in rows for one in row.overhangs]
    for word in ("base", "building site", "plateau"):
        those = [one for one in over if (one.over if one.over in ("base", "building site") else "plateau") == word]
        if not those:
            continue
        _calibration(f"overhang over a {word}'s edge", [((one.read_mm - one.true_mm) / one.sigma_mm) ** 2 for one in those], axes=1)
        print(f"        off mm: {spread([abs(one.read_mm - one.true_mm) for one in those])}")
    print(f"    plateau mm: {spread([one.off_mm for one in plateaus])}; turn degrees: {spread([one.turn_deg for one in plateaus])}")
    print(f"    tilt off degrees: {spread([one.tilt_off_deg for one in plateaus])}")
    print(f"    seconds a reading: {spread([row.seconds for row in rows])}")
    _matrix("colour", Counter((one.colour, one.read_colour or "none") for one in plain), [colour.value for colour in Colour])
    _matrix("shape", Counter((one.shape, one.read_shape or "none") for one in plain), [shape.value for shape in Shape])
    _confidences(columns, [one.confidence for one in strangers])
    faulty = sorted((row for row in rows if row.faults), key=lambda row: -len(row.faults))
    for row in faulty[:worst]:
        print(f"    {len(row.faults)} wrong, seed {row.seed} ({row.plateaus_true} plateaus): {'; '.join(row.faults)}")


def _calibration(what: str, squares: Sequence[float], axes: int = 2) -> None:
    """Squared errors over variances: their mean and median, both 1 if uncertainties are right, and the shares within 1 and 2 deviations."""
    if not squares:
        return
    middle = {1: 0.4549, 2: math.log(2)}[axes]
    within = [sum(one < limit for one in squares) / len(squares) for limit in ((1.0, 4.0) if axes == 1 else (1.1394, 2.9957))]
    print(
        f"    {what}: squared error over variance: mean {np.mean(squares):.2f}, median {np.median(squares) / middle:.2f}, "
        f"within the 68 % region {100 * within[0]:.0f} %, the 95 % region {100 * within[1]:.0f} %, n {len(squares)}"
    )


def _close(one: ColumnRow) -> bool:
    return one.right and one.off_mm is not None and one.off_mm <= CLOSE_MM


def _all_close(row: TowerRow) -> bool:
    return all(map(_close, row.columns)) and not row.strangers


def _confidences(columns: Sequence[ColumnRow], strangers: Sequence[float]) -> None:
    sure = [(one.confidence, one.right) for one in columns if one.confidence is not None] + [(one, False) for one in strangers]
    for low, high in ((0.0, 0.6), (0.6, 0.8), (0.8, 0.95), (0.95, 0.99), (0.99, 1.01)):
        those = [(value, right) for value, right in sure if low <= value < high]
        if those:
            mean = float(np.mean([value for value, _ in those]))
            print(
                f"    confidence {low:.2f} to {min(high, 1):.2f}: mean {mean:.3f}, right {interval(sum(r for _, r in those), len(those))}"
            )


def _matrix(what: str, counts: Counter[tuple[str, str]], words: list[str]) -> None:
    print(f"    {what}, true down, read across: " + " ".join(f"{word:>7}" for word in (*words, "none")))
    for word in words:
        print(f"    {word:>30}  " + " ".join(f"{counts[word, read]:7d}" for read in (*words, "none")))


def table(rows: Sequence[TowerRow]) -> None:
    """A table in Markdown for each scene and way of knowing, one column for each number of cameras."""
    for kind in sorted({(*row.way[:3], *row.way[4:]) for row in rows}):
        scene, level, world, believed, own = kind
        ways: list[Way] = sorted({row.way for row in rows if (*row.way[:3], *row.way[4:]) == kind}, key=lambda way: way[3])
        named = words_of((scene, level, world, 1, believed, own)).replace(", 1 camera", "")
        towers = ", ".join(str(sum(row.way == way for row in rows)) for way in ways)
        print(f"| {named} ({towers} towers) | " + " | ".join(("one camera", "two", "three", "four")[way[3] - 1] for way in ways) + " |")
        print("|---" * (len(ways) + 1) + "|")
        for what, said in MEASURES:
            print(f"| {what} | " + " | ".join(said([row for row in rows if row.way == way]) for way in ways) + " |")
        print()


def _of(right: int, whole: int) -> str:
    if not whole:
        return "none"
    return f"{right} of {whole} ({interval(right, whole).partition('(')[2].rstrip(')')} %)"


def _plain(rows: Sequence[TowerRow]) -> list[ColumnRow]:
    return [one for row in rows for one in row.columns if one.seen >= QUARTER]


def _found(rows: Sequence[TowerRow]) -> list[ColumnRow]:
    return [one for one in _plain(rows) if one.read_colour is not None]


def _apart(rows: Sequence[TowerRow]) -> str:
    hidden = [one for row in rows for one in row.columns if one.seen < QUARTER]
    right, none = sum(one.right for one in hidden), sum(one.read_colour is None for one in hidden)
    return f"{len(hidden)}: {right} right, {none} left open, {len(hidden) - right - none} wrong"


def _off(rows: Sequence[TowerRow]) -> str:
    off = [one.off_mm for one in _plain(rows) if one.right and one.off_mm is not None]
    return f"{np.median(off):.2f}, {np.quantile(off, 0.95):.1f}" if off else "none"


def _made_up(rows: Sequence[TowerRow]) -> str:
    strangers = [one for row in rows for one in row.strangers]
    usable = [one for row in rows if row.usable for one in row.strangers]
    on_hands, there = (sum(one.on_hand >= ON_HAND for one in those) for those in (strangers, usable))
    return f"{len(strangers)}, {on_hands} on hands; of usable readings {len(usable)}, {there}"


MEASURES: tuple[tuple[str, Callable[[Sequence[TowerRow]], str]], ...] = (
    (
        "columns at least a quarter visible, right in colour, shape and floor",
        lambda r: _of(sum(c.right for c in _plain(r)), len(_plain(r))),
    ),
    ("of those found: colour right", lambda r: _of(sum(c.read_colour == c.colour for c in _found(r)), len(_found(r)))),
    ("of those found: shape right", lambda r: _of(sum(c.read_shape == c.shape for c in _found(r)), len(_found(r)))),
    ("columns less visible, counted apart", _apart),
    ("towers with all that is visible right and nothing made up", lambda r: _of(sum(not row.faults for row in r), len(r))),
    (
        f"towers perfect: every column, hidden ones too, right and within {CLOSE_MM:.0f} mm",
        lambda r: _of(sum(map(_all_close, r)), len(r)),
    ),
    ("number of plateaus right", lambda r: _of(sum(row.plateaus_true == row.plateaus_read for row in r), len(r))),
    ("place of a column, mm: median, p95", _off),
    ("columns made up", _made_up),
    ("readings called usable", lambda r: _of(sum(row.usable for row in r), len(r))),
    ("processor time of a reading, s: median", lambda r: f"{np.median([row.seconds for row in r]):.1f}"),
)
