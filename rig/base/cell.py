"""One load cell: which of its samples are measurements, and whether it is well. The game and the doctor share this judgement.

An HX711's digital filter needs four conversions to settle (data sheet, "Output settling time": 50 ms at 80/s, 400 ms at 10/s). So nothing
physical lasts for one or two samples with its neighbours still at the level: such an excursion is a bad read. It is left out and counted.
What lasts is a state: out of range, frozen at one value (24 bits are never still), or noise over the whole range (a floating input). A cell
in such a state weighs nothing at all: its reading is *not known*, never 0 g. What only the cells together can tell is `rig.base.bins`'.
"""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass
from enum import StrEnum
from itertools import pairwise
from statistics import median

FULL_SCALE = 0x7FFFFF
NEAR_FULL_SCALE = round(0.9 * FULL_SCALE)
"""Counts beyond which nothing is a measurement: a bar cell of 2 mV/V gives half of full scale at its rated load (HX711 data sheet: 20 mV
full scale at gain 128 and 5 V), and what wraps round the 24 bits lies close to full scale on the other side."""
WRAP_COUNTS = float(1 << 23)
"""A jump of half the range is a wrap of the 24 bits, or a broken wire, however long it lasts."""
SUSPICIOUS = frozenset((1 << bits) - 1 for bits in range(12, 24)) | {0, -1, -0x800000}
"""What bits torn in the middle of a read give: 2^n - 1 and 0, in 1 to 5 % of the reads of many public logs."""

LOOK_AHEAD = 2
"""Samples that must follow before one is judged: bad reads come single and double."""
START_AHEAD = 4
"""The same for the very first samples, which have no level before them: of five samples the median is right if two are bad."""
HISTORY = 5
SPIKE_COUNTS = 2500.0
"""An excursion of one or two samples is a bad read from here on (6 g on a 420 counts/g cell); smaller ones may be a tremor that the samples
only just caught, and do no harm."""
SUSPICIOUS_COUNTS = 150.0
"""The same for a suspicious value, which needs less to be unbelievable."""
AT_LEVEL = 0.1
"""Share of an excursion by which the samples beside it may be off the level. A touch of a tenth of a second leaves its neighbours at an
eighth or more of its peak (three averages in a row, as the filter is modelled in `rig.twin`); a torn read leaves them where they were."""
AT_LEVEL_NOISES, MOST_AT_LEVEL = 3.0, 0.25
"""Besides, they may be off by so many times the noise, but never by more than this share of the excursion (in motion noise seems large)."""
AFTER_GAP_DISCARD = 3
"""Samples after an overrun or a chip's reset that may still carry the old gain or an unsettled filter."""

FROZEN_SAMPLES = 6
"""Equal samples in a row that are no measurement: the chip's own noise (90 nV at 80/s, 50 nV at 10/s: 38 and 21 counts) gives as many by
chance once in months, and before a wrong weight could stand for a step (QUIET_S) they are there, at 10/s too."""
DEAD_SAMPLES = 3
"""The same for 0, -1 and 2^n - 1: a dead line gives nothing else."""
SATURATED_SAMPLES = 3
FLOATING_COUNTS = 300_000.0
"""Step between neighbouring samples, up and down, that only a floating input makes again and again: far beyond any shaking of a settled
filter (700 g on a 420 counts/g cell)."""
WILD_STEPS = (4, 6)
"""So many such steps among so many, and most of the samples as far from their median: two bad reads with a good sample between make four
steps, but leave the median where it was."""
ALIKE = (0.25, 4.0)
"""A jump beyond FLOATING_COUNTS is believed if the two samples after it are off by about as much, on the same side."""
SILENT_INTERVALS = 6.0
SILENT_LEAST_S = 0.15
DEFAULT_INTERVAL_S = 1 / 80
RECENT = 12


class CellState(StrEnum):
    """How a cell is, in the words of the sentence that tells it ("load cell 3 is …")."""

    GOOD = "good"
    SILENT = "not connected"
    SATURATED = "at full scale"
    FROZEN = "frozen"
    FLOATING = "noise only: not connected"
    SLIPPED = "out of step: exactly 2, 1/2 or 1/4 of the counts"
    WANDERING = "in doubt: wandering by itself, as an open input does"
    OVERLOADED = "beyond what any such cell bears"


@dataclass(frozen=True, slots=True)
class CellLimits:
    """The limits of one cell's judgement, in the unit of its values; `COUNTS` holds for raw HX711 counts.

    `near_full_scale`: values from here on are out of range. `spike`, `suspicious`: least excursions of a bad read, of any value and of one
    in `torn`. `floating`: least step of a floating input. `frozen`, `dead`: equal samples in a row that are no measurement, of any value
    and of one in `torn`.
    """

    near_full_scale: float = NEAR_FULL_SCALE
    wrap: float = WRAP_COUNTS
    spike: float = SPIKE_COUNTS
    suspicious: float = SUSPICIOUS_COUNTS
    floating: float = FLOATING_COUNTS
    frozen: int = FROZEN_SAMPLES
    dead: int = DEAD_SAMPLES
    torn: frozenset[int] = SUSPICIOUS


COUNTS = CellLimits()


@dataclass(frozen=True, slots=True)
class Sample:
    """An accepted measurement: session time and counts."""

    t_s: float
    counts: float


class CellFilter:
    """Samples in, measurements out, two samples later.

    `samples`, `rejected`: all so far, and those that were no measurements. `bad_reads`: of the rejected, the excursions of one or two
    samples, the latest in `newest_bad`. `interval_s`: between samples, smoothed. `last_t_s`, `last`: of the newest sample, None before the
    first.
    """

    def __init__(self, limits: CellLimits = COUNTS) -> None:
        self.limits = limits
        self.rejected = 0
        self.bad_reads = 0
        self.newest_bad: Sample | None = None
        self.samples = 0
        self.interval_s = DEFAULT_INTERVAL_S
        self.last_t_s: float | None = None
        self.last: float | None = None
        self._pending: deque[tuple[float, float]] = deque()
        self._accepted: deque[float] = deque(maxlen=RECENT)
        self._started = False
        self._recent: deque[float] = deque(maxlen=RECENT)
        self._same = 0
        self._wrong = self._last_wrong = CellState.GOOD
        self._wrong_s = (-1.0, -1.0)
        self._discard = 0
        self._strays = 0
        self._wrapped = 0
        self._noise = 0.0

    def gap(self) -> None:
        """The next samples may be unsettled: leave them out."""
        self._discard = AFTER_GAP_DISCARD

    def bridge(self) -> None:
        """Frames are missing on the link: neighbours may be far apart now, so what waits to be judged is judged without them."""
        self._accepted.clear()

    def feed(self, t_s: float, counts: float) -> list[Sample]:
        """Takes one sample; returns those that are now known to be measurements, in order."""
        self.samples += 1
        if self.last_t_s is not None:
            step_s = t_s - self.last_t_s
            if 0 < step_s < 1.0:
                self.interval_s += 0.1 * (step_s - self.interval_s)
        self.last_t_s, self.last = t_s, counts
        if self._discard:
            self._discard -= 1
            self.rejected += 1
            return []
        self._same = self._same + 1 if self._recent and self._recent[-1] == counts else 1
        self._recent.append(counts)
        wrong = self._found_wrong()
        if wrong is not CellState.GOOD:
            # what led to the finding is part of it
            began_s = self._wrong_s[0] if self._wrong is wrong and t_s - self._wrong_s[1] < 1.0 else t_s - WILD_STEPS[1] * self.interval_s
            self._wrong_s, self._last_wrong = (began_s, t_s), wrong
            self.rejected += 1 + len(self._pending)
            self._pending.clear()
            self._wrong = wrong
            return []
        self._wrong = wrong
        self._pending.append((t_s, counts))
        return self._judge()

    def state(self, now_s: float) -> CellState:
        """How the cell is at session time `now_s`."""
        if self.last_t_s is None or now_s - self.last_t_s > max(SILENT_LEAST_S, SILENT_INTERVALS * self.interval_s):
            return CellState.SILENT
        return self._wrong

    def between(self, start_s: float, end_s: float) -> CellState:
        """What was wrong with the cell's samples in this time, as far as is known by now."""
        began_s, ended_s = self._wrong_s
        return self._last_wrong if began_s <= end_s and start_s <= ended_s else CellState.GOOD

    @property
    def noise(self) -> float:
        """Standard deviation of a measurement, from the last differences of neighbours (median absolute, so that steps do not count)."""
        if len(self._accepted) >= HISTORY:
            self._noise = 1.4826 / 2**0.5 * median(abs(b - a) for a, b in pairwise(self._accepted))
        return self._noise

    def _found_wrong(self) -> CellState:
        """What the latest samples say of the cell."""
        recent, limits = self._recent, self.limits
        newest = recent[-1]
        if abs(newest) >= limits.near_full_scale or self._wrong is CellState.SATURATED:
            latest = list(recent)[-2 * SATURATED_SAMPLES :]
            if sum(abs(counts) >= limits.near_full_scale for counts in latest) >= SATURATED_SAMPLES:
                return CellState.SATURATED
        most, among = WILD_STEPS
        latest = list(recent)[-among - 1 :]
        if max(latest) - min(latest) > limits.floating and sum(abs(b - a) > limits.floating for a, b in pairwise(latest)) >= most:
            level = median(latest)
            if median(abs(counts - level) for counts in latest) > limits.floating:
                return CellState.FLOATING
        if self._same >= (limits.dead if newest in limits.torn else limits.frozen):
            return CellState.FROZEN
        self._wrapped = self._wrapped + 1 if self._accepted and abs(newest - self._accepted[-1]) > limits.wrap else 0
        return CellState.SATURATED if self._wrapped >= SATURATED_SAMPLES else CellState.GOOD

    def _judge(self) -> list[Sample]:
        out: list[Sample] = []
        ahead = LOOK_AHEAD if self._started else START_AHEAD
        while len(self._pending) > ahead:
            t_s, counts = self._pending.popleft()
            if self._is_stray(counts):
                self.rejected += 1
                self.bad_reads += 1
                self.newest_bad = Sample(t_s, float(counts))
                self._strays += 1
                continue
            self._strays = 0
            self._accepted.append(counts)
            out.append(Sample(t_s, float(counts)))
        self._started = self._started or len(self._accepted) >= HISTORY
        return out

    def _level(self, counts: float) -> float:
        """What the cell read before `counts`; with too little before it, what it reads around it."""
        before = list(self._accepted)[-HISTORY:]
        if len(before) < LOOK_AHEAD + 1:
            before = [*before, counts, *(after for _, after in self._pending)]
        return median(before)

    def _is_stray(self, counts: float) -> bool:
        """An excursion that is over again within two samples, or a jump beyond all measure that the next two do not bear out."""
        limits = self.limits
        level = self._level(counts)
        limit = limits.suspicious if counts in limits.torn else limits.spike
        off = counts - level
        if abs(off) <= limit:
            return abs(counts) >= limits.near_full_scale
        if abs(counts) >= limits.near_full_scale or abs(off) > limits.wrap:
            return True  # whatever follows
        if abs(off) > limits.floating:
            low, high = ALIKE
            return not all(low < (after - level) / off < high for _, after in list(self._pending)[:LOOK_AHEAD])
        if self._strays >= LOOK_AHEAD:
            return False
        before = list(self._accepted)[-2:] or [level]
        return any(self._stands_alone(counts, [*before, after]) for _, after in list(self._pending)[:LOOK_AHEAD])

    def _stands_alone(self, counts: float, neighbours: list[float]) -> bool:
        """Is `counts` far off its neighbours, of which the last comes after it, while these are at one level?"""
        limits = self.limits
        level = (neighbours[-2] + neighbours[-1]) / 2
        off = abs(counts - level)
        torn = counts in limits.torn
        if off <= (limits.suspicious if torn else limits.spike):
            return False
        near = AT_LEVEL * off + AT_LEVEL_NOISES * self.noise
        if not torn:
            near = min(near, MOST_AT_LEVEL * off)
        return all(abs(neighbour - level) <= near for neighbour in neighbours)
