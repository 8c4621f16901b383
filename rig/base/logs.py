"""Anybody's log of load cells or of a motion chip as a table: cutting the text into numbers and dates. Pure but for `read_log`.

Logs of our kind come with commas, semicolons, tabs or blanks, with a header or without, in seconds, milliseconds or calendar time, with an
index, a total, kilograms. What each column is, is decided in `rig.base.log_columns`; what was understood is said in words with the table.
What cannot be told is refused with a sentence, never guessed. Judging is `rig.base.doctor`'s.
"""

from __future__ import annotations

import csv
import math
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from rig.base.log_columns import Columns, Role, TimeUnit, columns_by_word, recognise
from rig.errors import PalettiError

Floats = NDArray[np.float64]

MOST_CELLS = 4
MOST_BYTES = 200_000_000
LEAST_ROWS = 8
SNIFFED_LINES = 40
SEPARATORS = ";,\t "
INDEX_HZ = 10.0
"""Rows of a log that counts its rows but has no time are dated as if there were so many a second (an HX711's slower rate); that is said."""


@dataclass(frozen=True, slots=True)
class Log:
    """`t_s` (n,) from 0; `columns` (n, c): counts or grams as logged (kilograms become grams); `names` of the columns; `acceleration`: the
    columns are x, y, z in g. `is_counts`: None where only the values can tell. `dated`: False if the rows were only counted.

    `skipped` lines held no numbers. `restarts`: times at which the clock ran backwards (the pieces are joined with one interval between).
    `understood`: what was taken for what, for a person.
    """

    t_s: Floats
    columns: Floats
    names: tuple[str, ...]
    acceleration: bool
    skipped: int
    restarts: int
    is_counts: bool | None = None
    dated: bool = True
    understood: str = ""


def read_log(path: Path, rate_hz: float | None = None, columns: str = "") -> Log:
    """The log in `path`. `rate_hz` dates the samples of a file without a time column; `columns` says what the columns are, in the words of
    `rig.base.log_columns.columns_by_word`. PalettiError says what is wrong with the file or the words."""
    try:
        if path.stat().st_size > MOST_BYTES:
            raise PalettiError(f"{path} is larger than {MOST_BYTES // 1_000_000} MB.", "Cut out the part in question.")
        text = path.read_text(encoding="utf-8", errors="replace")
    except OSError as error:
        raise PalettiError(f"The log {path} cannot be read: {error.strerror}.", "Name an existing file with --log.") from error
    return parse_log(text, str(path), rate_hz, columns)


def parse_log(text: str, where: str = "the log", rate_hz: float | None = None, columns: str = "") -> Log:
    """The log in `text`, see `read_log`; `where` it is from, for the sentences."""
    if rate_hz is not None and not 0 < rate_hz < 1e6:
        raise PalettiError(f"A log cannot have {rate_hz:g} lines a second.", "Give --rate as a number of lines a second, such as 80.")
    rows = _rows(text, where)
    if not rows:
        raise PalettiError(f"{where} is empty.", "A log has a time column and one to four columns of counts or grams.")
    header = rows[0] if all(_number(field) is None for field in (rows[0][0], rows[0][-1])) else None
    numbers, skipped = _numbers(rows[1:] if header else rows)
    if len(numbers) < LEAST_ROWS:
        raise PalettiError(
            f"{where} has {len(numbers)} lines of numbers; that is no log to judge.", "Give one with some seconds of samples at least."
        )
    named = header is not None and len(header) == numbers.shape[1]
    names = tuple(field.strip() for field in header) if header and named else tuple(f"column {k + 1}" for k in range(numbers.shape[1]))
    known = columns_by_word(columns, numbers.shape[1], where) if columns else recognise(numbers, names, named)
    return _log(numbers, names, known, skipped, where, rate_hz)


def _log(numbers: Floats, names: tuple[str, ...], known: Columns, skipped: int, where: str, rate_hz: float | None) -> Log:
    t_s, restarts, how, dated = _dates(numbers, names, known, where, rate_hz)
    axes = known.of(Role.ACCELERATION)
    if axes:
        said = f"{how}; acceleration of {', '.join(names[k] for k in axes)} in g"
        return Log(t_s, numbers[:, list(axes)], ("x", "y", "z"), True, skipped, restarts, None, dated, said)
    cells = known.of(Role.CELL)
    if not 1 <= len(cells) <= MOST_CELLS:
        raise PalettiError(
            f"{where} has {len(cells)} columns that may be cells, a base one to {MOST_CELLS}: {', '.join(names[k] for k in cells)}.",
            f"Say what each column is, for example --columns {known.example()}.",
        )
    data = numbers[:, list(cells)]
    if known.unit == "kg":
        data = 1000 * data
    is_counts = None if not known.unit else known.unit == "counts"
    words = [how, f"{', '.join(names[k] for k in cells)} as {_unit_words(known.unit, data)}"]
    words += [f"{names[k]} as the sum of the cells" for k in known.of(Role.TOTAL)]
    left = known.of(Role.LEFT_OUT)
    words += [f"{', '.join(names[k] for k in left)} left out"] if left else []
    return Log(t_s, data, tuple(names[k] for k in cells), False, skipped, restarts, is_counts, dated, "; ".join(words))


def looks_like_counts(columns: Floats) -> bool:
    """Counts are whole numbers, and some of them large; grams are neither for long. `columns` (n, c)."""
    return bool(np.all(columns == np.round(columns)) and np.max(np.abs(columns)) > 2000)


def _unit_words(unit: str, data: Floats) -> str:
    if unit == "kg":
        return "cells in kilograms"
    if unit == "counts" or (not unit and looks_like_counts(data)):
        return "cells in counts"
    return "cells in grams" + ("" if unit else " (if these are kilograms, say so with --columns)" if np.abs(data).max() < 20 else "")


# ------------------------------------------------------------ text to numbers


def _rows(text: str, where: str) -> list[list[str]]:
    """The lines as fields. Comments are left out, but for one that heads the columns (`#Sample, cell 1, …`)."""
    lines = [line.strip() for line in text.replace("\0", " ").splitlines()]
    lines = [line for line in lines if line]
    comments = [line for line in lines if line.startswith("#")]
    data = [line for line in lines if not line.startswith("#")]
    if not data:
        return []
    separator = _separator(data)
    try:
        rows = [[field.strip() for field in row] for row in csv.reader(data, delimiter=separator, skipinitialspace=True)]
    except csv.Error as error:
        raise PalettiError(f"{where} cannot be cut into columns: {error}.", "Give a text file with one sample a line.") from error
    if separator == ";" and any("," in field for field in rows[-1]):
        rows = [[field.replace(",", ".") for field in row] for row in rows]
    rows = [row for row in rows if any(row)]
    heading = [field.strip() for field in comments[0].lstrip("# ").split(separator)] if comments else []
    is_heading = rows and len(heading) == len(rows[0]) > 1 and all(_number(field) is None for field in heading)
    return [heading, *rows] if is_heading and _number(rows[0][0]) is not None else rows


def _separator(lines: Sequence[str]) -> str:
    """What stands between the fields; a file of single numbers has none, and any will do."""
    middle = len(lines) // 2
    sample = [line[:500] for line in (lines[1:][-SNIFFED_LINES:] if len(lines) < SNIFFED_LINES else lines[middle : middle + SNIFFED_LINES])]
    for sure in ";\t":  # a decimal comma or a date with a blank stands beside these
        if sample and all(sure in line for line in sample):
            return sure
    try:
        return csv.Sniffer().sniff("\n".join(sample), delimiters=SEPARATORS).delimiter
    except csv.Error:
        return next((separator for separator in SEPARATORS if any(separator in line for line in sample)), ",")


def _number(field: str) -> float | None:
    """A finite number or a calendar time (as seconds); None for anything else, "nan" and "1e309" included."""
    try:
        value = float(field)
    except ValueError:
        if len(field) < 8 or ":" not in field:
            return None
        try:
            return datetime.fromisoformat(field).timestamp()
        except (ValueError, OverflowError, OSError):
            return None
    return value if math.isfinite(value) and abs(value) < 1e18 else None


def _numbers(rows: Sequence[Sequence[str]]) -> tuple[Floats, int]:
    """Rows of the commonest width that are numbers throughout, and how many were not."""
    parsed = [[_number(field) for field in row] for row in rows]
    whole = [[value for value in row if value is not None] for row in parsed if all(value is not None for value in row)]
    if not whole:
        return np.empty((0, 1)), len(rows)
    widths = [len(row) for row in whole]
    width = max(set(widths), key=widths.count)
    kept = [row for row in whole if len(row) == width]
    return np.array(kept, dtype=np.float64), len(rows) - len(kept)


# ------------------------------------------------------------ dates


def _dates(numbers: Floats, names: tuple[str, ...], known: Columns, where: str, rate_hz: float | None) -> tuple[Floats, int, str, bool]:
    """Seconds from 0 (n,), how often the clock ran backwards, what dates the rows in words, and whether anything really does."""
    times, indices = known.of(Role.TIME), known.of(Role.INDEX)
    if times:
        t_s, restarts, unit = _seconds(numbers[:, times[0]], known.time_unit)
        return t_s, restarts, f"{names[times[0]]} as time in {unit.value}", True
    if rate_hz is not None:
        return np.arange(len(numbers)) / rate_hz, 0, f"{rate_hz:g} lines a second as you said", True
    if indices:
        said = f"{names[indices[0]]} as a count of the rows (no time: dated as if {INDEX_HZ:g} a second; --rate says better)"
        return np.arange(len(numbers)) / INDEX_HZ, 0, said, False
    or_name = f", or which column is the time, for example --columns {known.example()}" if len(names) > 1 else ""
    raise PalettiError(f"{where} has no time column.", f"Say how many lines a second it has with --rate{or_name}.")


def _seconds(column: Floats, unit: TimeUnit | None) -> tuple[Floats, int, TimeUnit]:
    """Seconds from 0. A unit that no name tells is told from the steps. A clock that runs backwards begins a new piece."""
    steps = np.diff(column)
    forward = steps[steps > 0]
    typical = float(np.median(forward)) if len(forward) else 1.0
    restarts = int(np.sum(steps < 0))
    steps = np.where(steps < 0, typical, steps)
    if unit is None:
        unit = TimeUnit.SECONDS if typical <= 1.5 else TimeUnit.MILLISECONDS if typical <= 2000 else TimeUnit.MICROSECONDS
    return np.concatenate([[0.0], np.cumsum(steps)]) * unit.seconds, restarts, unit
