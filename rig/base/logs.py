"""Anybody's log of load cells or of a motion chip, as a table: a time column and one to four columns of counts or grams.

Logs of our kind come with commas, semicolons, tabs or blanks, with a header or without, in seconds, milliseconds or calendar time. What can
be told from the file is told; what cannot (no time column) is refused with a sentence, never guessed. Judging is `rig.base.doctor`'s.
"""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from rig.errors import PalettiError

MOST_COLUMNS = 4
TIME_NAMES = re.compile(r"(time|t|ts|timestamp|ms|millis|seconds|sec|s|date|datetime)(\W.*|_.*)?", re.IGNORECASE)
ACCELERATION = re.compile(r"(acc|accel|a)[ _]?([xyz])(\W.*)?", re.IGNORECASE)
MOST_BYTES = 200_000_000


@dataclass(frozen=True, slots=True)
class Log:
    """`t_s` (n,) from 0; `columns` (n, c) as logged; `names` of the columns; `acceleration`: the columns are x, y, z in g.

    `skipped` lines held no numbers. `restarts`: times at which the clock ran backwards (the pieces are joined with one interval between).
    """

    t_s: NDArray[np.float64]
    columns: NDArray[np.float64]
    names: tuple[str, ...]
    acceleration: bool
    skipped: int
    restarts: int


def read_log(path: Path, rate_hz: float | None = None) -> Log:
    """The log in `path`; `rate_hz` dates the samples of a file without a time column. PalettiError says what is wrong with it."""
    try:
        if path.stat().st_size > MOST_BYTES:
            raise PalettiError(f"{path} is larger than {MOST_BYTES // 1_000_000} MB.", "Cut out the part in question.")
        text = path.read_text(encoding="utf-8", errors="replace")
    except OSError as error:
        raise PalettiError(f"The log {path} cannot be read: {error.strerror}.", "Name an existing file with --log.") from error
    return parse_log(text, str(path), rate_hz)


def parse_log(text: str, where: str = "the log", rate_hz: float | None = None) -> Log:
    """The log in `text`, see `read_log`."""
    rows = [_fields(line) for line in text.splitlines() if line.strip() and not line.lstrip().startswith("#")]
    rows = [row for row in rows if row]
    if not rows:
        raise PalettiError(f"{where} is empty.", "A log has a time column and one to four columns of counts or grams.")
    header = rows[0] if _number(rows[0][-1]) is None and _number(rows[0][0]) is None else None
    numbers, skipped = _numbers(rows[1:] if header else rows)
    if len(numbers) < 8:
        raise PalettiError(
            f"{where} has {len(numbers)} lines of numbers; that is no log to judge.", "Give one with some seconds of samples at least."
        )
    names = header if header and len(header) == numbers.shape[1] else [f"column {k + 1}" for k in range(numbers.shape[1])]
    time = _time_column(numbers, names, header is not None)
    if time is None:
        if rate_hz is None:
            raise PalettiError(f"{where} has no time column.", "Add one, or say how many lines a second it has with --rate.")
        t_s, restarts, data, kept = np.arange(len(numbers)) / rate_hz, 0, numbers, list(names)
    else:
        t_s, restarts = _seconds(numbers[:, time])
        data = np.delete(numbers, time, axis=1)
        kept = [name for k, name in enumerate(names) if k != time]
    axes = {match[2].lower(): k for k, name in enumerate(kept) if (match := ACCELERATION.fullmatch(name.strip()))}
    if set(axes) == {"x", "y", "z"}:
        order = [axes[axis] for axis in "xyz"]
        return Log(t_s, data[:, order], ("x", "y", "z"), True, skipped, restarts)
    moving = [k for k in range(data.shape[1]) if np.ptp(data[:, k]) > 0] or [0]
    if data.shape[1] > MOST_COLUMNS and len(moving) > MOST_COLUMNS:
        raise PalettiError(
            f"{where} has {data.shape[1]} columns beside the time.", "A base has one to four cells: keep the time and one to four columns."
        )
    chosen = list(range(data.shape[1])) if data.shape[1] <= MOST_COLUMNS else moving
    return Log(t_s, data[:, chosen], tuple(kept[k].strip() for k in chosen), False, skipped, restarts)


def _fields(line: str) -> list[str]:
    for separator in (";", ",", "\t"):
        if separator in line:
            return [field.strip().strip('"') for field in line.split(separator)]
    return line.split()


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
    return value if math.isfinite(value) else None


def _numbers(rows: Sequence[Sequence[str]]) -> tuple[NDArray[np.float64], int]:
    """Rows of the commonest width that are numbers throughout, and how many were not."""
    parsed = [[_number(field) for field in row] for row in rows]
    whole = [[value for value in row if value is not None] for row in parsed if all(value is not None for value in row)]
    if not whole:
        return np.empty((0, 1)), len(rows)
    widths = [len(row) for row in whole]
    width = max(set(widths), key=widths.count)
    kept = [row for row in whole if len(row) == width]
    return np.array(kept, dtype=np.float64), len(rows) - len(kept)


def _time_column(numbers: NDArray[np.float64], names: Sequence[str], named: bool) -> int | None:
    if named:
        by_name = [k for k, name in enumerate(names) if TIME_NAMES.fullmatch(name.strip())]
        return by_name[0] if by_name else None
    if numbers.shape[1] < 2:
        return None
    steps = np.diff(numbers[:, 0])
    return 0 if np.mean(steps > 0) > 0.95 else None


def _seconds(column: NDArray[np.float64]) -> tuple[NDArray[np.float64], int]:
    """Seconds from 0: steps above 1.5 between neighbours are milliseconds. A clock that runs backwards begins a new piece."""
    steps = np.diff(column)
    forward = steps[steps > 0]
    typical = float(np.median(forward)) if len(forward) else 1.0
    restarts = int(np.sum(steps < 0))
    steps = np.where(steps < 0, typical, steps)
    scale = 1e-3 if typical > 1.5 else 1.0
    return np.concatenate([[0.0], np.cumsum(steps)]) * scale, restarts
