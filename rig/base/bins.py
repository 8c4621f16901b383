"""The cells of one plate, sample by sample in, 20 readings a second out: what each cell measured, or why it is not known. Pure.

A bin of 50 ms is closed when every cell has been heard beyond its end; each cell gives the mean of its measurements in it. A cell at 10/s
has none in most bins: it keeps its last for two and a half of its own intervals, no longer. Here is also the judgement that needs the cells
side by side (`rig.base.side_by_side`). The game weighs by these bins (`rig.base.weight`), and the doctor judges by them
(`rig.base.doctor`), so both say the same of a cell.
"""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass

from rig.base.cell import COUNTS, CellFilter, CellLimits, CellState, Sample
from rig.base.side_by_side import SlipWatch, WanderWatch

BIN_S = 0.05
HOLD_INTERVALS = 2.5
"""Of its own sample intervals a cell's last measurement stands for. Longer: a cell that falls silent is noticed later."""
LONGEST_GAP_S = 60.0
CLOSE_DELAY_S = 0.06
"""A bin waits this long for cells that are late or gone (the look-ahead of two samples at 80/s is 25 ms)."""


@dataclass(frozen=True, slots=True)
class CellReading:
    """One cell in one bin: the mean of its measurements (in their unit) and the variance between them (0 of a single one); `values` how
    many there are in the bin itself (0: the last one is held). `mean` is None unless `state` is GOOD."""

    state: CellState
    mean: float | None
    variance: float = 0.0
    values: int = 0


@dataclass(frozen=True, slots=True)
class CellBin:
    """All cells between `start_s` and `end_s` (session time)."""

    start_s: float
    end_s: float
    cells: tuple[CellReading, ...]


class CellBins:
    """Raw samples in (`feed`), bins out (`advance`). `limits`: one for all cells, or one each."""

    def __init__(self, cells: int, limits: CellLimits | Sequence[CellLimits] = COUNTS) -> None:
        each = [limits] * cells if isinstance(limits, CellLimits) else list(limits)
        self.filters = [CellFilter(limit) for limit in each]
        self._waiting: list[deque[Sample]] = [deque() for _ in each]
        self._held: list[Sample | None] = [None for _ in each]
        self._next: int | None = None  # number of the bin to be closed next
        self.slips = SlipWatch(cells)
        self.wander = WanderWatch(cells)

    def feed(self, cell: int, t_s: float, counts: float) -> None:
        """One sample of cell `cell` (0 based) dated `t_s`."""
        if self._next is None:
            self._next = math.floor(t_s / BIN_S)
        self._waiting[cell].extend(self.filters[cell].feed(t_s, counts))

    def advance(self, now_s: float) -> list[CellBin]:
        """The bins that are complete, seen from device-dated session time `now_s`."""
        out: list[CellBin] = []
        if self._next is not None and now_s - self._next * BIN_S > LONGEST_GAP_S:
            self.restart()  # a session resumed after hours: nobody needs its silence in bins
            self._next = math.floor(now_s / BIN_S)
        while self._next is not None and self._closable((self._next + 1) * BIN_S, now_s):
            out.append(self._close(self._next * BIN_S, (self._next + 1) * BIN_S))
            self._next += 1
        return out

    def restart(self) -> None:
        """After a jump of the time axis: what was waiting is stale."""
        self._next = None
        for cell in range(len(self.filters)):
            self._waiting[cell].clear()
            self._held[cell] = None

    def state(self, cell: int, now_s: float) -> CellState:
        """How a cell is at `now_s`: what its own samples say, and what the cells side by side say."""
        own = self.filters[cell].state(now_s)
        return self._beside(cell) if own is CellState.GOOD else own

    def _beside(self, cell: int) -> CellState:
        if self.slips.slipped(cell):
            return CellState.SLIPPED
        return CellState.WANDERING if self.wander.doubted(cell) else CellState.GOOD

    def _closable(self, end_s: float, now_s: float) -> bool:
        if now_s >= end_s + max(CLOSE_DELAY_S, *(4 * f.interval_s for f in self.filters)):
            return True
        return all(waiting and waiting[-1].t_s >= end_s for waiting in self._waiting)

    def _close(self, start_s: float, end_s: float) -> CellBin:
        inside, states = zip(*(self._inside(cell, start_s, end_s) for cell in range(len(self.filters))), strict=True)
        noises = [f.noise for f in self.filters]
        kept = self.slips.keep(end_s, list(inside), noises)
        for cell, values in enumerate(kept):
            held = self._held[cell]
            if values and held is not None:
                self._held[cell] = Sample(held.t_s, values[-1])  # never a slip
        means = [sum(values) / len(values) if values else None for values in kept]
        self.wander.step(means, noises)
        return CellBin(start_s, end_s, tuple(self._reading(cell, states[cell], kept[cell], end_s) for cell in range(len(self.filters))))

    def _reading(self, cell: int, state: CellState, values: list[float], end_s: float) -> CellReading:
        if state is CellState.GOOD:
            state = self._beside(cell)
        held = self._held[cell]
        if state is CellState.GOOD and not values and (held is None or end_s - held.t_s > HOLD_INTERVALS * self.filters[cell].interval_s):
            state = CellState.SILENT
        if state is not CellState.GOOD:
            return CellReading(state, None)
        if not values:
            return CellReading(state, held.counts if held else None)
        mean = sum(values) / len(values)
        variance = sum((v - mean) ** 2 for v in values) / (len(values) - 1) if len(values) > 1 else 0.0
        return CellReading(state, mean, variance, len(values))

    def _inside(self, cell: int, start_s: float, end_s: float) -> tuple[list[float], CellState]:
        """A cell's measurements in a bin, and what its own samples say of it then; the last measurement is held."""
        waiting, cell_filter = self._waiting[cell], self.filters[cell]
        inside: list[float] = []
        while waiting and waiting[0].t_s < end_s:
            sample = waiting.popleft()
            self._held[cell] = sample
            if sample.t_s >= start_s:
                inside.append(sample.counts)
        held = self._held[cell]
        if held is not None and cell_filter.between(held.t_s, held.t_s) is not CellState.GOOD:
            self._held[cell] = None
        state = cell_filter.state(end_s)
        return inside, cell_filter.between(start_s, end_s) if state is CellState.GOOD else state
