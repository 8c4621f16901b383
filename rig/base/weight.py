"""Counts of the cells to weight, place and noise, 20 times a second. Pure.

What each cell measured, or why it is not known, is `rig.base.bins`'. With one cell not known the whole weight is not known, because the
other three alone would say something plausible and wrong.
"""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass

from rig.base.bins import BIN_S, CellBin, CellBins
from rig.base.cell import CellState
from rig.messages import Weighed
from rig.profile import Cell

COP_LEAST_G = 5.0
MOST_CELL_G = 10_000.0
"""Beyond this no bar cell of 1 to 3 kg with an overload stop measures, in either direction: a wrapped or a broken reading."""
QUIET_S = 0.4
QUIET_BAND_G = 0.8
"""Weight may wander this far within QUIET_S and still be quiet. Larger: a slow hand passes for calm; smaller: a noisy cell never is."""
QUIET_NOISE = 5.0
"""Or this many times the scale's own noise, where that is the larger: rough cells have their calm too. Eight normal readings span 2.9
standard deviations on average and 5 in one window of a hundred."""
NOISE_CAP_G = 1.5
FLOOR_BINS = 600
FLOOR_EVERY = 10
FIFTH_OF_DIFFERENCES = 0.358
"""A fifth of the differences of two normal readings are below 0.358 standard deviations (0.2533 times the root of 2)."""


@dataclass(frozen=True, slots=True)
class Bin:
    """One reading per cell (g), None where not known; `t_s` is the bin's middle; `noise_g` within the bin, of the total; `broken`: a cell
    is not only silent but says nonsense."""

    t_s: float
    cells_g: tuple[float, ...] | None
    noise_g: float
    fault: str
    broken: bool = False


class Scale:
    """Raw samples in (`feed`), bins and `Weighed` out (`advance`)."""

    def __init__(self, cells: tuple[Cell, ...]) -> None:
        self.cells = cells
        self._bins = CellBins(len(cells))
        self.filters = self._bins.filters
        self._totals: deque[tuple[float, float]] = deque()
        self._floor_g = 0.1
        self._floor_age = 0
        self._differences: deque[float] = deque(maxlen=FLOOR_BINS)
        self._overloaded = [False] * len(cells)
        self.stuck = 0
        """Mask of the cells whose data line stays low, as the base says."""
        self.zero_g = tuple(0.0 for _ in cells)
        """What each cell reads by the profile's tare when nothing lies on the plate, in this session."""

    def feed(self, cell: int, t_s: float, counts: int) -> None:
        """One sample of cell `cell` (0 based) dated `t_s`."""
        self._bins.feed(cell, t_s, counts)

    def advance(self, now_s: float) -> list[tuple[Bin, Weighed]]:
        """The bins that are complete, seen from device-dated session time `now_s`."""
        return [self._weigh(closed) for closed in self._bins.advance(now_s)]

    def rezero(self, zero_g: tuple[float, ...]) -> None:
        """From the next bin on, readings are `zero_g` (per cell) less than until now."""
        self.zero_g = tuple(old + more for old, more in zip(self.zero_g, zero_g, strict=True))
        self._totals = deque((t_s, total_g - sum(zero_g)) for t_s, total_g in self._totals)

    def restart(self) -> None:
        """After a jump of the time axis: what was waiting is stale."""
        self._totals.clear()
        self._bins.restart()

    def state(self, cell: int, now_s: float) -> CellState:
        """How a cell is at `now_s`."""
        state = self._bins.state(cell, now_s)
        return CellState.OVERLOADED if state is CellState.GOOD and self._overloaded[cell] else state

    def touched(self, since_s: float) -> tuple[int, ...]:
        """Numbers (from 1) of the cells that have moved all by themselves since `since_s`."""
        return tuple(number for number, t_s in enumerate(self._bins.slips.touched_s, 1) if t_s is not None and t_s > since_s)

    @property
    def rejected(self) -> int:
        """Samples that were no measurements, of all cells."""
        return sum(cell.rejected for cell in self.filters) + sum(self._bins.slips.slips)

    def _weigh(self, closed: CellBin) -> tuple[Bin, Weighed]:
        middle_s = (closed.start_s + closed.end_s) / 2
        grams: list[float] = []
        variance = 0.0
        states: list[CellState] = []
        for number, (cell, read) in enumerate(zip(self.cells, closed.cells, strict=True)):
            state = read.state
            if read.mean is not None:
                cell_g = (read.mean - cell.tare_counts) / cell.counts_per_g - self.zero_g[number]
                self._overloaded[number] = abs(cell_g) > MOST_CELL_G
                state = CellState.OVERLOADED if self._overloaded[number] else state
                grams.append(cell_g)
                variance += read.variance / cell.counts_per_g**2
            states.append(state)
        if any(state is not CellState.GOOD for state in states):
            self._totals.clear()
            fault = fault_sentence(states, self.stuck)
            broken = any(state not in (CellState.GOOD, CellState.SILENT) for state in states)
            return Bin(middle_s, None, 0.0, fault, broken), Weighed(
                t_s=middle_s, weight_g=None, cop_x_mm=None, cop_y_mm=None, noise_g=0.0, quiet=False, fault=fault
            )
        total_g = sum(grams)
        noise_g = math.sqrt(variance)
        x_mm = y_mm = None
        if total_g >= COP_LEAST_G:
            x_mm = sum(g * cell.x_mm for g, cell in zip(grams, self.cells, strict=True)) / total_g
            y_mm = sum(g * cell.y_mm for g, cell in zip(grams, self.cells, strict=True)) / total_g
        quiet = self._is_quiet(closed.end_s, total_g)
        reading = Weighed(t_s=middle_s, weight_g=total_g, cop_x_mm=x_mm, cop_y_mm=y_mm, noise_g=noise_g, quiet=quiet)
        return Bin(middle_s, tuple(grams), noise_g, ""), reading

    def _is_quiet(self, end_s: float, total_g: float) -> bool:
        self._totals.append((end_s, total_g))
        while self._totals[0][0] < end_s - QUIET_S + 1e-6:
            self._totals.popleft()
        if len(self._totals) > 1:
            self._learn_floor(abs(total_g - self._totals[-2][1]))
        if len(self._totals) < round(QUIET_S / BIN_S):
            return False
        totals = [total for _, total in self._totals]
        band_g = max(QUIET_BAND_G, QUIET_NOISE * self.noise_floor_g)
        return max(totals) - min(totals) <= band_g

    def _learn_floor(self, difference_g: float) -> None:
        """From differences between neighbouring bins, whatever the cells' rate; the lowest fifth of the last half minute, so that a hand
        does not make itself the measure."""
        self._differences.append(difference_g)
        self._floor_age += 1
        if self._floor_age >= FLOOR_EVERY or len(self._differences) <= FLOOR_EVERY:
            self._floor_age = 0
            fifth_g = sorted(self._differences)[len(self._differences) // 5]
            self._floor_g = min(fifth_g / FIFTH_OF_DIFFERENCES, NOISE_CAP_G)

    @property
    def interval_s(self) -> float:
        """Between samples of the slowest cell."""
        return max(cell.interval_s for cell in self.filters)

    @property
    def noise_floor_g(self) -> float:
        """The scale's own noise at rest: standard deviation of one bin's total, g."""
        return self._floor_g


def fault_sentence(states: Sequence[CellState], stuck: int = 0) -> str:
    """What is wrong with the cells, one sentence for each cause; `stuck`: mask of those whose data line stays low.

    Empty if all are well, and if *all* are silent: then no cell is the cause but what they hang on, and the base's own link tells that.
    """
    if len(states) > 1 and all(state is CellState.SILENT for state in states):
        return ""
    causes: dict[str, list[str]] = {}
    for number, state in enumerate(states):
        if state is not CellState.GOOD:
            low = state is CellState.SILENT and stuck >> number & 1
            causes.setdefault("not connected: the data line stays low (a short, or no supply)" if low else state, []).append(
                f"{number + 1}"
            )
    return " ".join(f"Load cell{'s' * (len(cells) > 1)} {_listed(cells)} {_verb(cells)} {cause}." for cause, cells in causes.items())


def _listed(names: Sequence[str]) -> str:
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"


def _verb(names: Sequence[str]) -> str:
    return "is" if len(names) == 1 else "are"
