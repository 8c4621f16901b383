"""What only the cells of one plate together can tell: one that slips while the others stay, one that wanders by itself. Pure.

All cells carry one stiff plate, so a load moves several of them, by shares that its place sets: within the tower's area the most loaded
cell takes at most four times the next. What moves one cell alone is no load. It is a slip if the cell reads exactly 2, 1/2 or 1/4 of its
counts (a bit or the chip's gain: 128, 64, 32; HX711 data sheet, table "Input channel and gain selection"), and an input in doubt if it
goes on and on (an open input picks up charge and wanders slowly).
"""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from statistics import median

FACTORS = (2.0, 0.5, 0.25)
SLIP_LEAST_COUNTS = 800.0
"""A slip must change the counts by this (2 g on a 420 counts/g cell): nearer to 0, twice the counts is nothing to tell from the counts."""
SLIP_NOISES = 5.0
"""Within so many times the noise (of a doubled read, twice the noise) the counts are exactly a factor."""
SLIP_SPARE_COUNTS = 3.0
STILL_COUNTS = 250.0
"""What the others may be off their level, or six times their noise, and still count as unmoved (0.6 g on a 420 counts/g cell)."""
LEVEL_BINS = 12
"""Bins whose median is a cell's level."""
TOUCHED_COUNTS = 1500.0
"""Least movement of one cell alone that is told as a touched cable (3.6 g on a 420 counts/g cell)."""
TOUCHED_NOISES = 8.0
TOUCHED_ALONE = 20.0
"""Times the movement of any other cell: a load at the plate's edge, 20 mm from a cell, moves that cell 13 times as much as the next."""
TOUCHED_BINS = 2
"""Bins in a row: a load that comes at a bin's end may have reached one cell's samples only."""

BLOCK_BINS = 10
"""Bins in a block of the wander's watch: half a second."""
BLOCKS = 40
WANDER_BLOCKS = 20
"""So many of the last BLOCKS (20 s) must change alone for a cell to be in doubt, half as many keep it there. A hand that leans on one
corner for ten seconds without rest is taken for a wandering cell; fewer blocks would take shorter leaning for it, more would tell it
later."""
WANDER_COUNTS = 100.0
"""Least change of a block that counts (0.24 g on a 420 counts/g cell): warmth moves a cell by less than 0.06 g in that time."""
WANDER_NOISES = 4.0
"""The same in noises of one sample."""
ALONE = 6.0
"""Times the largest change of the other cells."""


class SlipWatch:
    """Finds samples at exactly 2, 1/2 or 1/4 of a cell's level while no other cell moves. It needs three cells at least.

    `slips`: samples refused so far, per cell. `touched_s`: when each cell last moved all by itself for some bins, as a cable that is
    touched makes it (None: never); told only of cells at 80 samples a second, since slower ones hear of a load one after the other.
    """

    def __init__(self, cells: int) -> None:
        self.slips = [0] * cells
        self.touched_s: list[float | None] = [None] * cells
        self.touches = [0] * cells
        self._alone_bins = [0] * cells
        self._levels: list[deque[float]] = [deque(maxlen=LEVEL_BINS) for _ in range(cells)]
        self._factor: list[float | None] = [None] * cells
        self._empty = [False] * cells

    def slipped(self, cell: int) -> bool:
        """Had the cell nothing but slips in the latest bin?"""
        return self._empty[cell]

    def keep(self, end_s: float, inside: Sequence[list[float]], noises: Sequence[float]) -> list[list[float]]:
        """Of each cell's measurements in a bin that ends at `end_s` those that are no slips; `noises` of one sample of each."""
        kept = list(inside)
        if len(inside) >= 3:
            moved = [self._moves(cell, values, noises[cell]) for cell, values in enumerate(inside)]
            for cell, values in enumerate(inside):
                others_moved = any(moves for other, moves in enumerate(moved) if other != cell)
                kept[cell] = self._kept(cell, values, noises[cell], others_moved)
            self._watch_alone(end_s, kept, noises)
        for cell, values in enumerate(kept):
            if values:
                self._levels[cell].append(sum(values) / len(values))
        return kept

    def _watch_alone(self, end_s: float, kept: Sequence[list[float]], noises: Sequence[float]) -> None:
        known = all(len(values) > 1 and len(levels) == LEVEL_BINS for values, levels in zip(kept, self._levels, strict=True))
        offs = [
            abs(sum(values) / len(values) - median(levels)) if known else 0.0 for values, levels in zip(kept, self._levels, strict=True)
        ]
        for cell, off in enumerate(offs):
            others = max(other for k, other in enumerate(offs) if k != cell)
            alone = off > max(TOUCHED_COUNTS, TOUCHED_NOISES * noises[cell], TOUCHED_ALONE * others)
            self._alone_bins[cell] = self._alone_bins[cell] + 1 if alone else 0
            if self._alone_bins[cell] >= TOUCHED_BINS:
                self.touches[cell] += self._alone_bins[cell] == TOUCHED_BINS
                self.touched_s[cell] = end_s

    def _moves(self, cell: int, values: list[float], noise: float) -> bool:
        levels = self._levels[cell]
        if len(levels) < LEVEL_BINS // 2:
            return True
        if not values:
            return False
        return abs(sum(values) / len(values) - median(levels)) > max(STILL_COUNTS, 6 * noise)

    def _kept(self, cell: int, values: list[float], noise: float, others_moved: bool) -> list[float]:
        levels = self._levels[cell]
        if len(levels) < LEVEL_BINS // 2 or not values:
            return values
        level = median(levels)
        kept = []
        for counts in values:
            factor = self._factor_of(cell, counts, level, noise, others_moved)
            self._factor[cell] = factor
            if factor is None:
                kept.append(counts)
            else:
                self.slips[cell] += 1
        self._empty[cell] = not kept
        return kept

    def _factor_of(self, cell: int, counts: float, level: float, noise: float, others_moved: bool) -> float | None:
        factor = self._factor[cell]
        if factor is not None:  # it lasts until the counts are nearer to the level than to the slip
            return factor if abs(counts - factor * level) < abs(counts - level) else None
        if others_moved:
            return None
        for factor in FACTORS:
            exact = SLIP_NOISES * max(noise, 1.0) * max(factor, 1.0) + SLIP_SPARE_COUNTS
            if abs(counts - factor * level) <= exact and abs(counts - level) > max(SLIP_LEAST_COUNTS, 4 * exact):
                return factor
        return None


class WanderWatch:
    """Finds a cell that goes on moving by itself. It needs two cells at least."""

    def __init__(self, cells: int) -> None:
        self._sums = [0.0] * cells
        self._numbers = [0] * cells
        self._bins = 0
        self._before: list[float | None] = [None] * cells
        self._alone: list[deque[bool]] = [deque(maxlen=BLOCKS) for _ in range(cells)]
        self._doubted = [False] * cells

    def doubted(self, cell: int) -> bool:
        """Is the cell in doubt?"""
        return self._doubted[cell]

    def step(self, means: Sequence[float | None], noises: Sequence[float]) -> None:
        """Takes the means of a bin (None: nothing measured) and the noise of one sample of each cell."""
        for cell, mean in enumerate(means):
            if mean is not None:
                self._sums[cell] += mean
                self._numbers[cell] += 1
        self._bins += 1
        if self._bins < BLOCK_BINS or len(means) < 2:
            return
        blocks = [total / number if number else None for total, number in zip(self._sums, self._numbers, strict=True)]
        changes = [None if now is None or before is None else abs(now - before) for now, before in zip(blocks, self._before, strict=True)]
        self._before, self._bins = blocks, 0
        self._sums, self._numbers = [0.0] * len(means), [0] * len(means)
        for cell, change in enumerate(changes):
            others = [other for k, other in enumerate(changes) if k != cell and other is not None]
            if change is None or not others:
                continue
            least = max(WANDER_COUNTS, WANDER_NOISES * noises[cell])
            alone = self._alone[cell]
            alone.append(change > least and change > ALONE * max(others))
            self._doubted[cell] = sum(alone) >= (WANDER_BLOCKS // 2 if self._doubted[cell] else WANDER_BLOCKS)
