"""Samples of four cells to weight, place and noise, 20 times a second. Pure.

A bin of 50 ms is closed when every cell has been heard beyond its end; each cell gives the mean of its measurements in it. A cell at 10/s
has none in most bins: it keeps its last for two and a half of its own intervals, no longer. With one cell not known the whole weight is not
known, because the other three alone would say something plausible and wrong.
"""

from __future__ import annotations

import math
from collections import deque
from dataclasses import dataclass

from rig.base.cell import CellFilter, CellState, Sample
from rig.messages import Weighed
from rig.profile import Cell

BIN_S = 0.05
HOLD_INTERVALS = 2.5
COP_LEAST_G = 5.0
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
LONGEST_GAP_S = 60.0
CLOSE_DELAY_S = 0.06
"""A bin waits this long for cells that are late or gone (the look-ahead of two samples at 80/s is 25 ms)."""


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
        self.filters = [CellFilter() for _ in cells]
        self._waiting: list[deque[Sample]] = [deque() for _ in cells]
        self._held: list[Sample | None] = [None for _ in cells]
        self._next: int | None = None  # number of the bin to be closed next
        self._totals: deque[tuple[float, float]] = deque()
        self._floor_g = 0.1
        self._floor_age = 0
        self._differences: deque[float] = deque(maxlen=FLOOR_BINS)
        self.zero_g = tuple(0.0 for _ in cells)
        """What each cell reads by the profile's tare when nothing lies on the plate, in this session."""

    def feed(self, cell: int, t_s: float, counts: int) -> None:
        """One sample of cell `cell` (0 based) dated `t_s`."""
        if self._next is None:
            self._next = math.floor(t_s / BIN_S)
        self._waiting[cell].extend(self.filters[cell].feed(t_s, counts))

    def advance(self, now_s: float) -> list[tuple[Bin, Weighed]]:
        """The bins that are complete, seen from device-dated session time `now_s`."""
        out: list[tuple[Bin, Weighed]] = []
        if self._next is not None and now_s - self._next * BIN_S > LONGEST_GAP_S:
            self.restart()  # a session resumed after hours: nobody needs its silence in bins
            self._next = math.floor(now_s / BIN_S)
        while self._next is not None and self._closable((self._next + 1) * BIN_S, now_s):
            out.append(self._close(self._next * BIN_S, (self._next + 1) * BIN_S))
            self._next += 1
        return out

    def rezero(self, zero_g: tuple[float, ...]) -> None:
        """From the next bin on, readings are `zero_g` less per cell than until now."""
        self.zero_g = tuple(old + more for old, more in zip(self.zero_g, zero_g, strict=True))
        self._totals = deque((t_s, total_g - sum(zero_g)) for t_s, total_g in self._totals)

    def restart(self) -> None:
        """After a jump of the time axis: what was waiting is stale."""
        self._next = None
        self._totals.clear()
        for cell in range(len(self.cells)):
            self._waiting[cell].clear()
            self._held[cell] = None

    def _closable(self, end_s: float, now_s: float) -> bool:
        if now_s >= end_s + max(CLOSE_DELAY_S, *(4 * f.interval_s for f in self.filters)):
            return True
        return all(waiting and waiting[-1].t_s >= end_s for waiting in self._waiting)

    def _close(self, start_s: float, end_s: float) -> tuple[Bin, Weighed]:
        middle_s = (start_s + end_s) / 2
        grams: list[float] = []
        variance = 0.0
        faults: list[str] = []
        broken = False
        for number, cell in enumerate(self.cells):
            values, state = self._inside(number, start_s, end_s)
            if state is not CellState.GOOD:
                faults.append(f"load cell {number + 1} is {state}")
                broken = broken or state is not CellState.SILENT
                continue
            mean = sum(values) / len(values)
            grams.append((mean - cell.tare_counts) / cell.counts_per_g - self.zero_g[number])
            if len(values) > 1:
                variance += sum((v - mean) ** 2 for v in values) / (len(values) - 1) / cell.counts_per_g**2
        if faults:
            self._totals.clear()
            fault = "; ".join(faults)
            return Bin(middle_s, None, 0.0, fault, broken), Weighed(
                t_s=middle_s, weight_g=None, cop_x_mm=None, cop_y_mm=None, noise_g=0.0, quiet=False, fault=fault
            )
        total_g = sum(grams)
        noise_g = math.sqrt(variance)
        x_mm = y_mm = None
        if total_g >= COP_LEAST_G:
            x_mm = sum(g * cell.x_mm for g, cell in zip(grams, self.cells, strict=True)) / total_g
            y_mm = sum(g * cell.y_mm for g, cell in zip(grams, self.cells, strict=True)) / total_g
        quiet = self._is_quiet(end_s, total_g)
        reading = Weighed(t_s=middle_s, weight_g=total_g, cop_x_mm=x_mm, cop_y_mm=y_mm, noise_g=noise_g, quiet=quiet)
        return Bin(middle_s, tuple(grams), noise_g, ""), reading

    def _inside(self, number: int, start_s: float, end_s: float) -> tuple[list[float], CellState]:
        """A cell's measurements (counts) in a bin, the last one held where there are none; and how the cell was."""
        waiting, cell_filter = self._waiting[number], self.filters[number]
        inside: list[float] = []
        while waiting and waiting[0].t_s < end_s:
            sample = waiting.popleft()
            self._held[number] = sample
            if sample.t_s >= start_s:
                inside.append(sample.counts)
        held = self._held[number]
        if held is not None and cell_filter.between(held.t_s, held.t_s) is not CellState.GOOD:
            held = self._held[number] = None
        state = cell_filter.state(end_s)
        if state is CellState.GOOD:
            state = cell_filter.between(start_s, end_s)
        if state is CellState.GOOD and not inside and (held is None or end_s - held.t_s > HOLD_INTERVALS * cell_filter.interval_s):
            state = CellState.SILENT
        return inside or ([held.counts] if held else []), state

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
