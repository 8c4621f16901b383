"""One load cell: which of its samples are measurements, and whether it is well.

An HX711's digital filter needs four conversions to settle (data sheet, table "Output data rate": 50 ms at 80/s), so nothing physical
lasts for one or two samples only: such an excursion is a bad read and is left out, and counted. What lasts is looked at as a state:
pinned at full scale, frozen at one value (24 bits are never still), or noise over the whole range (a floating input). A cell in such a
state weighs nothing at all: its reading is *not known*, never 0 g.
"""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass
from enum import StrEnum
from itertools import pairwise
from statistics import median

FULL_SCALE = 0x7FFFFF
NEAR_FULL_SCALE = FULL_SCALE - 16
SUSPICIOUS = frozenset((1 << bits) - 1 for bits in range(12, 24)) | {0, -1, -0x800000}
"""What bits torn in the middle of a read give: 2^n - 1 and 0, in 1 to 5 % of the reads of many public logs."""

LOOK_AHEAD = 2
"""Samples that must follow before one is judged: bad reads come single and double."""
HISTORY = 5
SPIKE_COUNTS = 2500.0
"""An excursion of one or two samples is a bad read from here on (6 g on a 420 counts/g cell); smaller ones may be a tremor that the samples
only just caught, and do no harm."""
SUSPICIOUS_COUNTS = 150.0
"""The same for a suspicious value, which needs less to be unbelievable."""
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
"""So many such steps among so many: two bad reads in a row make three at most."""
ALIKE = (0.25, 4.0)
"""A jump beyond FLOATING_COUNTS is believed if the two samples after it are off by about as much, on the same side."""
SILENT_INTERVALS = 6.0
SILENT_LEAST_S = 0.15
DEFAULT_INTERVAL_S = 1 / 80
RECENT = 12


class CellState(StrEnum):
    """How a cell is, in the words of the sentence that tells it."""

    GOOD = "good"
    SILENT = "not connected"
    SATURATED = "at full scale"
    FROZEN = "frozen"
    FLOATING = "noise only: not connected"


@dataclass(frozen=True, slots=True)
class Sample:
    """An accepted measurement: session time and counts."""

    t_s: float
    counts: float


class CellFilter:
    """Samples in, measurements out, two samples later."""

    def __init__(self) -> None:
        self.rejected = 0
        self.samples = 0
        self.interval_s = DEFAULT_INTERVAL_S
        self.last_t_s: float | None = None
        self._pending: deque[tuple[float, int]] = deque()
        self._accepted: deque[float] = deque(maxlen=HISTORY)
        self._recent: deque[int] = deque(maxlen=RECENT)
        self._same = 0
        self._wrong = self._last_wrong = CellState.GOOD
        self._wrong_s = (-1.0, -1.0)
        self._discard = 0
        self._strays = 0

    def gap(self) -> None:
        """The next samples may be unsettled: leave them out."""
        self._discard = AFTER_GAP_DISCARD

    def bridge(self) -> None:
        """Frames are missing on the link: neighbours may be far apart now, so what waits to be judged is judged without them."""
        self._accepted.clear()

    def feed(self, t_s: float, counts: int) -> list[Sample]:
        """Takes one sample; returns those that are now known to be measurements, in order."""
        self.samples += 1
        if self.last_t_s is not None:
            step_s = t_s - self.last_t_s
            if 0 < step_s < 1.0:
                self.interval_s += 0.1 * (step_s - self.interval_s)
        self.last_t_s = t_s
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

    def _found_wrong(self) -> CellState:
        """What the latest samples say of the cell."""
        recent = list(self._recent)
        if sum(abs(counts) >= NEAR_FULL_SCALE for counts in recent[-2 * SATURATED_SAMPLES :]) >= SATURATED_SAMPLES:
            return CellState.SATURATED
        most, among = WILD_STEPS
        if sum(abs(b - a) > FLOATING_COUNTS for a, b in pairwise(recent[-among - 1 :])) >= most:
            return CellState.FLOATING
        if self._same >= (DEAD_SAMPLES if recent[-1] in SUSPICIOUS else FROZEN_SAMPLES):
            return CellState.FROZEN
        return CellState.GOOD

    def _judge(self) -> list[Sample]:
        out: list[Sample] = []
        while len(self._pending) > LOOK_AHEAD:
            t_s, counts = self._pending.popleft()
            if self._is_stray(counts):
                self.rejected += 1
                self._strays += 1
                continue
            self._strays = 0
            self._accepted.append(counts)
            out.append(Sample(t_s, float(counts)))
        return out

    def _is_stray(self, counts: int) -> bool:
        """An excursion that is over again within two samples, or a jump beyond all measure that the next two do not bear out."""
        if not self._accepted:
            return abs(counts) >= NEAR_FULL_SCALE
        level = median(self._accepted)
        limit = SUSPICIOUS_COUNTS if counts in SUSPICIOUS else SPIKE_COUNTS
        off = counts - level
        if abs(off) <= limit:
            return False
        if abs(counts) >= NEAR_FULL_SCALE:
            return True  # full scale is no measurement, whatever follows
        later = [(after - level) / off for _, after in self._pending]
        if abs(off) > FLOATING_COUNTS:
            low, high = ALIKE
            return not all(low < share < high for share in later)
        return self._strays < LOOK_AHEAD and any(abs(share) < 0.3 for share in later)
