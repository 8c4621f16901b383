"""What four real load cells with their HX711s make of the true load: everything between the plate's force and 24 bits.

In signal order: off-axis error and gain, creep, temperature and drift of the zero, the chip's digital filter, noise, a touched cable, a
failed part, a torn read. Each is switched off by a 0 in the level. All is drawn from the seed, a stream each, and every sample takes the
same number of draws, so the counts do not depend on the slices in which they are asked for.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt
from scipy.signal import lfilter

from rig.base.protocol import CELL_HZ, CELLS
from rig.profile import Cell
from rig.twin.sensors.chips import Due
from rig.twin.sensors.hardware_faults import HORIZON_S, BaseFault, BaseFaultKind
from rig.twin.sensors.level_sensors import SensorLevel
from rig.twin.sensors.room_air import RoomAir

Array = npt.NDArray[np.float64]

FULL_SCALE = (-(1 << 23), (1 << 23) - 1)
FILTER_PERIODS = 3
"""The filter's memory in conversions: an HX711's output has settled four conversions after a step (data sheet: output settling time 50 ms
at 80/s, 400 ms at 10/s), as three cascaded averages of one conversion each do. So a sample tells of 1.5 conversions ago."""
FILTER_POINTS = {True: 96, False: 12}
"""Points at which the load is taken over that memory (strapped to 10/s or not): every 3 ms, close to the physics' own steps."""
SLOW_HZ = 10.0
SLOW_NOISE = 0.56
"""Noise at 10/s over that at 80/s: 50 nV to 90 nV (data sheet)."""
WANDER_S = 4.0
WANDER_STEP_S = 0.5
WIGGLE_S = 0.12
"""A touched contact opens and closes at random, after so long on average."""
FLOATING_COUNTS = 3.0e6
DOUBLE_OF = (0.3, 97)
"""Share of torn reads that come twice in a row, picked by the draw's lower digits (those after multiplying by the second number)."""
_LOWEST_BIT, _BITS = 12, 12
"""Torn reads of 2^n - 1 for n from 12 to 23."""


class LoadCells:
    """Rows of true load in (`feel`), counts of conversions out (`counts`). Times are seconds of the world."""

    def __init__(self, cells: Sequence[Cell], level: SensorLevel, seed: int, air: RoomAir, faults: Sequence[BaseFault]) -> None:
        rng = np.random.default_rng((seed, 0xCE11))
        self._level, self._air, self._seed = level, air, seed
        self._per_g = np.array([cell.counts_per_g for cell in cells])
        gain = 1 + rng.normal(0, level.cell_gain_spread, CELLS)
        self._offset_g = rng.normal(0, level.cell_offset_g, CELLS)
        self._drift_g_s = rng.normal(0, level.cell_drift_g_per_min / 60, CELLS)
        mixing = rng.normal(0, 1, (CELLS, CELLS)) * level.corner_spread
        np.fill_diagonal(mixing, 0.0)
        self._mix = (np.eye(CELLS) + mixing) * gain[:, None]
        self._zero_g_c = rng.normal(0, 1, CELLS) * level.zero_g_per_c
        self._span_c = rng.normal(0, 1, CELLS) * level.span_per_c
        self._creep_share = level.creep_share * np.abs(1 + 0.3 * rng.normal(0, 1, CELLS))
        self._gain, self._mixed = gain, bool(level.corner_spread)
        self._slow = any(fault.kind is BaseFaultKind.SLOW_CHIPS for fault in faults)
        self.cell_hz = (SLOW_HZ if self._slow else float(CELL_HZ),) * CELLS
        self._filter()
        self._noise_g = level.cell_noise_g * (SLOW_NOISE if self._slow else 1.0)
        self._noise = np.random.default_rng((seed, 0xCE12))
        self._wander = self._wandering(np.random.default_rng((seed, 0xCE13)))
        self._torn = np.random.default_rng((seed, 0xCE14))
        self._torn_share = level.spikes_per_min / 60 / CELL_HZ
        self._floating = np.random.default_rng((seed, 0xCE15))
        self._torn_again: dict[int, float] = {}
        self._last: dict[int, int] = {}
        self._faults = [fault for fault in faults if fault.cell is not None]
        self._t_s: Array = np.zeros(0)
        self._load_g: Array = np.zeros((0, CELLS))
        self._creep_g: Array | None = None

    def _filter(self) -> None:
        points = FILTER_POINTS[self._slow]
        period_s = 1 / self.cell_hz[0]
        ago = FILTER_PERIODS * (np.arange(points) + 0.5) / points
        weight = np.where(ago < 1, ago**2 / 2, np.where(ago < 2, 0.75 - (ago - 1.5) ** 2, (3 - ago) ** 2 / 2))
        self._ago_s, self._weight = ago * period_s, weight / weight.sum()
        self._memory_s = FILTER_PERIODS * period_s + 0.2

    def _wandering(self, rng: np.random.Generator) -> Array | None:
        """Flicker as a first-order wander on a grid of WANDER_STEP_S, (n, 4) in grams."""
        if not self._level.slow_noise_g:
            return None
        keep = np.exp(-WANDER_STEP_S / WANDER_S)
        steps = rng.normal(0, self._level.slow_noise_g, (round(HORIZON_S / WANDER_STEP_S), CELLS))
        return np.asarray(lfilter([np.sqrt(1 - keep**2)], [1, -keep], steps, axis=0), dtype=np.float64)

    def feel(self, t_s: Array, load_g: Array) -> None:
        """True load (n, 4) in grams beyond the bare plate, at times (n,) that go on from the last call."""
        if not len(t_s):
            return
        shown = load_g @ self._mix.T if self._mixed else load_g * self._gain
        if self._level.creep_share:
            shown = shown + self._creep(t_s, shown)
        since = self._t_s > t_s[0] - self._memory_s
        self._t_s = np.concatenate([self._t_s[since], t_s])
        self._load_g = np.concatenate([self._load_g[since], shown])

    def _creep(self, t_s: Array, load_g: Array) -> Array:
        """First-order creep, exact for a load that is constant between rows. What lay there at the start has done its creeping."""
        goal = load_g * self._creep_share
        if self._creep_g is None:
            self._creep_g = goal[0]
            self._row_s = float(t_s[1] - t_s[0]) if len(t_s) > 1 else 0.002
        keep = np.exp(-self._row_s / self._level.creep_s)
        crept, _ = lfilter([1 - keep], [1, -keep], goal, axis=0, zi=keep * self._creep_g[None])
        self._creep_g = crept[-1]
        return np.asarray(crept, dtype=np.float64)

    def counts(self, due: Due) -> npt.NDArray[np.int32]:
        """What the chips measure for the load conversions of `due`, which must lie within what was felt."""
        t_s, cell = due.load_t_s, due.load_cell
        if not len(t_s):
            return np.zeros(0, np.int32)
        if not len(self._t_s):
            self.feel(np.zeros(1), np.zeros((1, CELLS)))
        grams = self._filtered(t_s, cell)
        if self._air.warms:
            warmer_c = self._air.warmer_c(t_s)
            grams = grams * (1 + self._span_c[cell] * warmer_c) + self._zero_g_c[cell] * warmer_c
        grams = grams + self._offset_g[cell] + self._drift_g_s[cell] * t_s
        grams = grams + self._noise.normal(0, 1, len(t_s)) * self._noise_g
        if self._wander is not None:
            step = t_s / WANDER_STEP_S
            before = np.minimum(step.astype(np.int64), len(self._wander) - 2)
            part = np.clip(step - before, 0, 1)
            grams = grams + self._wander[before, cell] * (1 - part) + self._wander[before + 1, cell] * part
        for index, fault in enumerate(self._faults):
            if fault.kind is BaseFaultKind.CABLE_WIGGLE and fault.t_s <= t_s[-1] and fault.until_s > t_s[0]:
                grams = grams + self._wiggle(fault, index, t_s) * (cell == fault.cell)
        counts = np.rint(grams * self._per_g[cell])
        counts = self._tear(counts, cell)
        counts = np.clip(counts, *FULL_SCALE)
        self._fail(counts, t_s, cell)
        return counts.astype(np.int32)

    def _filtered(self, t_s: Array, cell: npt.NDArray[np.uint8]) -> Array:
        grams = np.empty(len(t_s))
        for k in range(CELLS):
            mine = cell == k
            times = t_s[mine, None] - self._ago_s
            grams[mine] = np.interp(times, self._t_s, self._load_g[:, k]) @ self._weight
        return grams

    def _wiggle(self, fault: BaseFault, index: int, t_s: Array) -> Array:
        """Grams that the contact adds at `t_s`: all or nothing, and noisy while it is touched."""
        rng = np.random.default_rng((self._seed, 0xCE16, index))
        toggles = fault.t_s + np.cumsum(rng.exponential(WIGGLE_S, 200))
        held = (t_s >= fault.t_s) & (t_s < fault.until_s)
        return np.asarray(held * (np.searchsorted(toggles, t_s) % 2) * fault.size, dtype=np.float64)

    def _tear(self, counts: Array, cell: npt.NDArray[np.uint8]) -> Array:
        """Bits lost or gained in the middle of a read, once or twice in a row."""
        if not self._torn_share:
            return counts
        draws = self._torn.random(len(counts))
        torn = {row: float(draws[row] / self._torn_share) for row in np.flatnonzero(draws < self._torn_share).tolist()}
        second: dict[int, float] = {}
        for k in list(self._torn_again):  # the second half of a double whose first came in the last call
            if (cell == k).any():
                second[int(np.argmax(cell == k))] = self._torn_again.pop(k)
        for row, pick in torn.items():
            if pick * DOUBLE_OF[1] % 1 < DOUBLE_OF[0]:
                later = np.flatnonzero(cell[row + 1 :] == cell[row])
                if len(later):
                    second[row + 1 + int(later[0])] = pick
                else:
                    self._torn_again[int(cell[row])] = pick
        for row, pick in (torn | second).items():
            counts[row] = _torn_value(counts[row], pick)
        return counts

    def _fail(self, counts: Array, t_s: Array, cell: npt.NDArray[np.uint8]) -> None:
        """Overwrites what a broken cell cannot measure, in place."""
        for fault in self._faults:
            struck = (cell == fault.cell) & (t_s >= fault.t_s) & (t_s < fault.until_s)
            if not struck.any():
                continue
            match fault.kind:
                case BaseFaultKind.CELL_FROZEN:
                    first = int(np.argmax(struck))
                    counts[struck] = self._last.setdefault(fault.cell or 0, int(counts[first]))
                case BaseFaultKind.CELL_DEAD:
                    counts[struck] = 0
                case BaseFaultKind.CELL_SATURATED:
                    counts[struck] = FULL_SCALE[fault.size > 0]
                case BaseFaultKind.CELL_FLOATING:
                    counts[struck] = np.clip(self._floating.normal(0, FLOATING_COUNTS, int(struck.sum())), *FULL_SCALE)
                case _:
                    pass  # the chip itself, or its cable: the base's affair


def _torn_value(counts: float, pick: float) -> float:
    """Most torn reads have lost or doubled a clock pulse; the rest are all-ones from some bit on, or nothing at all."""
    kind, rest = divmod(pick * 4, 1)
    if kind < 2:
        slipped = int(counts) * 2 + (rest < 0.5)
        return float((slipped + (1 << 23)) % (1 << 24) - (1 << 23))
    if kind < 3:
        return float((1 << (_LOWEST_BIT + int(rest * _BITS))) - 1)
    return 0.0 if rest < 0.5 else -1.0
