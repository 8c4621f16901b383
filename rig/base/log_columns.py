"""What is each column of somebody's log? By its name, by its values, or by a person's word. Pure.

A column is a time, a count of the rows, a cell, the sum of the cells, an axis of a motion chip, or left out. Names decide first; values
only where they leave no doubt: a clock runs forward, and a total is the sum of the others. Nothing else is guessed.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum, StrEnum

import numpy as np
from numpy.typing import NDArray

from rig.errors import PalettiError

Floats = NDArray[np.float64]

FORWARD_SHARE = 0.95
"""Share of steps that go forward in a column that is a clock (a log may hold several runs)."""
TOTAL_SHARE = 0.005
"""A total may be off the sum of the cells by this share of itself (rounding, a sample's delay)."""

TIME_WORDS = {"time", "timestamp", "datetime", "date", "millis", "micros", "elapsed", "uptime", "runtime", "zeit", "uhrzeit", "clock"}
WHOLE_TIME_NAMES = {"t", "ts", "ms", "us", "s", "sec", "secs", "seconds", "milliseconds", "microseconds"}
INDEX_WORDS = {"index", "idx", "sample", "samples", "no", "nr", "number", "row", "line", "n", "i", "id", "count"}
TOTAL_WORDS = {"total", "sum", "gesamt", "summe"}
ACCELERATION = re.compile(r"(acc|accel|a)[ _]?([xyz])(\W.*)?", re.IGNORECASE)


class Role(StrEnum):
    """What a column is, in the words that `--columns` takes (units beside them: see `columns_by_word`)."""

    TIME = "time"
    INDEX = "index"
    CELL = "cell"
    TOTAL = "total"
    ACCELERATION = "acceleration"
    LEFT_OUT = "skip"


class TimeUnit(Enum):
    """The unit of a time column, by its name for people."""

    SECONDS = "seconds"
    MILLISECONDS = "milliseconds"
    MICROSECONDS = "microseconds"

    @property
    def seconds(self) -> float:
        """One of the unit in seconds."""
        return {"seconds": 1.0, "milliseconds": 1e-3, "microseconds": 1e-6}[self.value]


@dataclass(frozen=True, slots=True)
class Columns:
    """The role of each column; `unit` of the cells: "counts", "g", "kg", or empty where nothing says it; `time_unit`: the same."""

    roles: tuple[Role, ...]
    unit: str = ""
    time_unit: TimeUnit | None = None

    def of(self, role: Role) -> tuple[int, ...]:
        """The columns of a role, 0 based; of acceleration in the order x, y, z."""
        return tuple(k for k, one in enumerate(self.roles) if one is role)

    def example(self) -> str:
        """Words for `--columns` that would do for a file of this width."""
        words = ["time", *["cell"] * min(4, len(self.roles) - 1), *["skip"] * (len(self.roles) - 5)]
        return ",".join(words[: len(self.roles)])


_WORDS: dict[str, tuple[Role, str, TimeUnit | None]] = {
    "time": (Role.TIME, "", None),
    "time_s": (Role.TIME, "", TimeUnit.SECONDS),
    "time_ms": (Role.TIME, "", TimeUnit.MILLISECONDS),
    "time_us": (Role.TIME, "", TimeUnit.MICROSECONDS),
    "index": (Role.INDEX, "", None),
    "cell": (Role.CELL, "", None),
    "counts": (Role.CELL, "counts", None),
    "g": (Role.CELL, "g", None),
    "kg": (Role.CELL, "kg", None),
    "total": (Role.TOTAL, "", None),
    "skip": (Role.LEFT_OUT, "", None),
}


def columns_by_word(words: str, width: int, where: str) -> Columns:
    """What a person says of the `width` columns of the log `where`, one word a column with commas between: time (also time_s, time_ms,
    time_us), index, cell (also counts, g, kg), total, skip. PalettiError for another word or another number of them."""
    said = [word.strip().lower() for word in words.split(",")]
    strange = [word for word in said if word not in _WORDS]
    if strange:
        raise PalettiError(f"--columns does not know {strange[0]!r}.", f"Words are {', '.join(_WORDS)}.")
    if len(said) != width:
        raise PalettiError(f"--columns names {len(said)} columns, and {where} has {width}.", "Give one word for each, skip for the rest.")
    units = {unit for word in said if (unit := _WORDS[word][1])}
    if len(units) > 1:
        raise PalettiError("--columns names cells in different units.", "All cells of a log have one unit: counts, g or kg.")
    time_units = [_WORDS[word][2] for word in said if _WORDS[word][2]]
    return Columns(tuple(_WORDS[word][0] for word in said), next(iter(units), ""), time_units[0] if time_units else None)


def recognise(numbers: Floats, names: Sequence[str], named: bool) -> Columns:
    """The columns of `numbers` (n, c) by their names (if `named`) and values."""
    roles = [Role.CELL] * len(names)
    words = [_words(name) for name in names] if named else [[] for _ in names]
    axes = {match[2].lower(): k for k, name in enumerate(names) if named and (match := ACCELERATION.fullmatch(name.strip()))}
    times = [k for k, name in enumerate(words) if _is_time(name)] if named else _clock(numbers)
    for k in times[1:]:
        roles[k] = Role.LEFT_OUT
    if times:
        roles[times[0]] = Role.TIME
    if set(axes) == {"x", "y", "z"} and axes["x"] < axes["y"] < axes["z"]:
        roles = [role if role is Role.TIME else Role.LEFT_OUT for role in roles]
        for k in axes.values():
            roles[k] = Role.ACCELERATION
        return Columns(tuple(roles), "", _time_unit(words[times[0]]) if times else None)
    for k, name in enumerate(words):
        if roles[k] is Role.CELL and name and name[0] in INDEX_WORDS and len(name) == 1 and _counts_up(numbers[:, k]):
            roles[k] = Role.INDEX
    total = _total(numbers, [k for k, role in enumerate(roles) if role is Role.CELL], words)
    if total is not None:
        roles[total] = Role.TOTAL
    cell_words = [word for k, role in enumerate(roles) if role is Role.CELL for word in words[k]]
    unit = next((unit for word, unit in _UNIT_WORDS.items() if word in cell_words), "")
    return Columns(tuple(roles), unit, _time_unit(words[times[0]]) if times else None)


_UNIT_WORDS = {"kg": "kg", "kilogram": "kg", "kilograms": "kg", "g": "g", "gram": "g", "grams": "g", "counts": "counts", "raw": "counts"}


def _words(name: str) -> list[str]:
    """A name in its words: `DeviceTime_ms` is device, time, ms."""
    parted = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", " ", name)
    return [word.lower() for word in re.split(r"[^A-Za-z0-9]+", parted) if word]


def _is_time(words: Sequence[str]) -> bool:
    return bool(words) and (not TIME_WORDS.isdisjoint(words) or words[0] in WHOLE_TIME_NAMES)


def _time_unit(words: Sequence[str]) -> TimeUnit | None:
    last = words[-1] if words else ""
    if last in ("ms", "millis", "milliseconds"):
        return TimeUnit.MILLISECONDS
    if last in ("us", "micros", "microseconds"):
        return TimeUnit.MICROSECONDS
    return TimeUnit.SECONDS if last in ("s", "sec", "secs", "seconds") else None


def _clock(numbers: Floats) -> list[int]:
    """The column that runs forward, if one does: the first or the last one, where nothing is named."""
    n = numbers.shape[1]
    return [k for k in dict.fromkeys((0, n - 1)) if n > 1 and np.mean(np.diff(numbers[:, k]) > 0) > FORWARD_SHARE][:1]


def _counts_up(column: Floats) -> bool:
    return bool(np.mean(np.diff(column) == 1) > FORWARD_SHARE)


def _total(numbers: Floats, cells: Sequence[int], words: Sequence[Sequence[str]]) -> int | None:
    """Which of the columns is the sum of the others: the last one whose name says so, or whose values do."""
    if len(cells) < 2:
        return None
    named = [k for k in cells if not TOTAL_WORDS.isdisjoint(words[k])]
    if named:
        return named[-1]
    if len(cells) < 3:
        return None
    for k in reversed(cells):
        off = numbers[:, k] - numbers[:, [other for other in cells if other != k]].sum(axis=1)
        size = float(np.median(np.abs(numbers[:, k])))
        spread = float(np.ptp(np.percentile(numbers[:, k], [5, 95])))
        if size > 0 and np.percentile(np.abs(off), 90) <= TOTAL_SHARE * size and np.ptp(np.percentile(off, [5, 95])) <= 0.5 * spread:
            return k
    return None
