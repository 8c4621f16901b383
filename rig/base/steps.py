"""Steps on the scale: lifted, set down, knock, swing, by differences round an event and never by absolute weight. Pure.

A level (grams per cell) is held while the scale is quiet and follows creep and drift, whose pace it learns and goes on with while hands are
at work. What leaves it begins an event; the event ends when the scale is quiet again. A new level makes it a lift or a set-down; the old
level makes it a knock (short, sharp) or a press (slow); and hundreds of grams within a tenth of a second are a swing, told at once, because
that is what a falling tower does. A shift that weighs less than any piece is a hand that rests: the level before it is kept beside the new
one for a while, and steps count from there.
"""

from __future__ import annotations

import math
from collections import deque
from dataclasses import dataclass, field, replace

from rig.base.bins import BIN_S
from rig.base.weight import QUIET_S, Bin
from rig.messages import StepKind, Stepped
from rig.profile import Cell

STEP_LEAST_G = 3.0
"""Smallest lasting change that is a step: below half the lightest column (thin, about 11 g), above what a minute of creep does."""
STIR_LEAST_G = 2.0
"""Smallest excursion from the level that begins an event on its own while the scale counts as quiet."""
KNOCK_LEAST_G = 4.0
KNOCK_NOISES = 8.0
"""Or this many times the scale's own noise, where that is the larger."""
SLOW_INTERVAL_S = 0.05
SLOW_KNOCK_NOISES, SLOW_KNOCK_MOST_G = 25.0, 10.0
"""The same for cells at fewer than 20 samples a second, up to this limit: their filter smears a knock over 0.4 s (HX711 data sheet, output
settling time at 10/s), and the wander of real cells in that time looks alike: up to 7 g in 132 moves with the noise of a real log."""
PRESS_LEAST_G = 15.0
KNOCK_LONGEST_S = 0.8
"""A knock's ringing is over by then; what takes longer is a hand."""
SWING_G = 330.0
SWING_WITHIN_S = 0.1
"""In simulated games no normal move swung 330 g within 0.1 s, and two of three collapses did; the rest are found by the settled weight.
Cells at 10/s are given two of their own intervals, since they take turns."""
CREEP_G_PER_S = 0.15
"""The level follows no faster. Creep of a bar cell is far below (10 g/h is 0.003 g/s); warming up was seen to reach 0.12 g/s. A thin column
would have to be lifted over more than a minute to be taken for it."""
PACE_S = 30.0
"""Time in which the pace of drift is learnt. Longer: steadier; shorter: follows a lamp that warms one cell sooner."""
PACE_KEPT_S = 30.0
"""An event is bridged with the learnt pace for so long at the most."""
REST_LEAST_G = 0.6
"""Smallest lasting shift that may be a resting hand (it must exceed the noise, too)."""
REST_S = 10.0
"""A shift too small for a piece that lasts longer is no hand but how things lie now."""
SETTLE_S = 1.0
"""For so long after an event the level is the mean of the quiet readings, unhurried by CREEP_G_PER_S: the band of quiet lets it be off."""
FORGET_S = 10.0
"""After so long without a known weight the old level says nothing about the new one."""
PLACE_LEAST_G = 8.0


@dataclass(slots=True)
class _Event:
    start_s: float
    before: list[float]
    """Grams per cell before it; goes on with the pace of drift while the event lasts."""
    before_variance: float
    rested_g: float = 0.0
    """What a hand that rested just before it had shifted the level by."""
    low_g: float = 0.0
    high_g: float = 0.0
    swung: bool = False

    @property
    def excursion_g(self) -> float:
        """The largest excursion from the level before, with its sign."""
        return self.high_g if self.high_g >= -self.low_g else self.low_g


@dataclass(slots=True)
class _Level:
    grams: list[float]
    since_s: float
    readings: int = 1
    variance: float = 0.01
    known_s: float = field(default=0.0)

    @property
    def total_g(self) -> float:
        return sum(self.grams)


class StepFinder:
    """Bins in, steps out."""

    def __init__(self, cells: tuple[Cell, ...]) -> None:
        self.cells = cells
        self._level: _Level | None = None
        self._event: _Event | None = None
        self._swing: Stepped | None = None
        """Told one reading later, if then no cell turns out to have failed: a broken wire swings the scale by kilograms at first."""
        self._swing_s = SWING_WITHIN_S
        self._knock_least_g = KNOCK_LEAST_G
        self._recent: deque[Bin] = deque(maxlen=round(QUIET_S / BIN_S))
        self._pace = [0.0 for _ in cells]
        self._rest: _Level | None = None
        """The level before a hand began to rest, if one may be resting."""
        self.drift_g = 0.0
        """How far the level has crept since the last tare, steps not counted."""

    @property
    def level_g(self) -> tuple[float, ...] | None:
        """Grams per cell of what rests on the scale, None while something happens or nothing is known."""
        return tuple(self._level.grams) if self._level is not None and self._event is None else None

    def rezero(self, zero_g: tuple[float, ...]) -> None:
        """From now on bins read `zero_g` less (per cell): what is remembered follows, and drift is counted anew."""
        self.drift_g = 0.0
        held = [level.grams for level in (self._level, self._rest) if level is not None]
        for grams in held + ([self._event.before] if self._event is not None else []):
            grams[:] = [g - zero for g, zero in zip(grams, zero_g, strict=True)]
        recent = [
            bin_ if bin_.cells_g is None else replace(bin_, cells_g=tuple(g - z for g, z in zip(bin_.cells_g, zero_g, strict=True)))
            for bin_ in self._recent
        ]
        self._recent.clear()
        self._recent.extend(recent)

    def step(self, reading: Bin, quiet: bool, noise_floor_g: float, interval_s: float = 0.0) -> list[Stepped]:
        """Takes the next bin; `quiet` as the scale says, `noise_floor_g` its own noise, `interval_s` of the slowest cell's samples."""
        if reading.cells_g is None:
            self._recent.clear()
            if self._swing is not None and reading.broken:
                self._swing = self._event = None  # it was the failing cell
            if self._level is not None and reading.t_s - self._level.known_s > FORGET_S:
                self._level = self._event = self._rest = None
            return []
        self._recent.append(reading)
        level = self._level
        if level is None:
            if quiet:
                self._hold(reading.t_s, noise_floor_g)
            return []
        level.known_s = reading.t_s
        off_g = sum(reading.cells_g) - level.total_g
        if self._event is None:
            stir_g = max(STIR_LEAST_G, 6 * noise_floor_g)
            if abs(off_g) < stir_g:
                if quiet:
                    self._follow(level, reading)
                return []
            self._event = self._begin(reading.t_s - BIN_S / 2, level)
        self._swing_s = max(SWING_WITHIN_S, 2 * interval_s)
        slow_g = min(SLOW_KNOCK_NOISES * noise_floor_g, SLOW_KNOCK_MOST_G) if interval_s > SLOW_INTERVAL_S else 0.0
        self._knock_least_g = max(KNOCK_LEAST_G, KNOCK_NOISES * noise_floor_g, slow_g)
        return self._in_event(self._event, reading, quiet, noise_floor_g)

    def _begin(self, start_s: float, level: _Level) -> _Event:
        if self._rest is not None and start_s - level.since_s > REST_S:
            self._rest = None
        if self._rest is None:
            return _Event(start_s, list(level.grams), level.variance)
        return _Event(start_s, list(self._rest.grams), self._rest.variance, level.total_g - self._rest.total_g)

    def _in_event(self, event: _Event, reading: Bin, quiet: bool, noise_floor_g: float) -> list[Stepped]:
        assert reading.cells_g is not None
        if reading.t_s - event.start_s < PACE_KEPT_S:
            event.before = [grams + pace * BIN_S for grams, pace in zip(event.before, self._pace, strict=True)]
        off_g = sum(reading.cells_g) - sum(event.before)
        event.low_g, event.high_g = min(event.low_g, off_g), max(event.high_g, off_g)
        steps: list[Stepped] = [self._swing] if self._swing is not None else []
        self._swing = None
        swing_g = self._swing_g(reading)
        if not event.swung and abs(swing_g) >= SWING_G:
            event.swung = True
            self._swing = self._stepped(StepKind.SWING, event, reading.t_s, None, swing_g, 0.0)
        # quiet must have begun inside the event, not before it
        if quiet and reading.t_s - event.start_s >= QUIET_S:
            steps += self._settle(event, reading, noise_floor_g)
        return steps

    def _settle(self, event: _Event, reading: Bin, noise_floor_g: float) -> list[Stepped]:
        end_s = reading.t_s - QUIET_S
        self._event = None
        self._hold(reading.t_s, noise_floor_g)
        level = self._level
        assert level is not None
        delta_g = level.total_g - sum(event.before)
        spread_g = math.sqrt(event.before_variance + level.variance)
        sigma_g = math.hypot(spread_g, CREEP_G_PER_S * 0.1 * (end_s - event.start_s), event.rested_g / 2)
        if abs(delta_g) >= STEP_LEAST_G:
            self._rest = None
            kind = StepKind.SET_DOWN if delta_g > 0 else StepKind.LIFTED
            return [self._stepped(kind, event, end_s, level, delta_g, sigma_g)]
        # too little for a piece: a hand may be resting now, and steps still count from the level before it
        resting = abs(delta_g) >= max(REST_LEAST_G, 4 * spread_g)
        self._rest = _Level(list(event.before), level.since_s, 1, event.before_variance) if resting else None
        if event.swung:
            return []
        excursion_g = event.excursion_g
        if end_s - event.start_s <= KNOCK_LONGEST_S and abs(excursion_g) >= self._knock_least_g:
            return [self._stepped(StepKind.KNOCK, event, end_s, level, excursion_g, sigma_g)]
        if abs(excursion_g) >= PRESS_LEAST_G:
            return [self._stepped(StepKind.PRESSED, event, end_s, level, excursion_g, sigma_g)]
        return []

    def _hold(self, t_s: float, noise_floor_g: float) -> None:
        bins = [bin_.cells_g for bin_ in self._recent if bin_.cells_g is not None]
        means = [sum(column) / len(bins) for column in zip(*bins, strict=True)]
        self._level = _Level(means, t_s, len(bins), noise_floor_g**2 / len(bins) + 0.01, t_s)

    def _follow(self, level: _Level, reading: Bin) -> None:
        assert reading.cells_g is not None
        if reading.t_s - level.since_s < SETTLE_S:
            level.readings += 1
            level.grams = [held + (grams - held) / level.readings for held, grams in zip(level.grams, reading.cells_g, strict=True)]
            return
        # an alpha-beta tracker (position and pace) of the drift, held to what creep and warmth can do
        expected = [held + pace * BIN_S for held, pace in zip(level.grams, self._pace, strict=True)]
        moves = [0.05 * (grams - held) for grams, held in zip(reading.cells_g, expected, strict=True)]
        most_g = CREEP_G_PER_S * BIN_S
        share = min(1.0, most_g / max(abs(sum(moves)), *map(abs, moves), 1e-12))
        moves = [share * move for move in moves]
        steps_g = [pace * BIN_S + move for pace, move in zip(self._pace, moves, strict=True)]
        level.grams = [held + step_g for held, step_g in zip(level.grams, steps_g, strict=True)]
        self.drift_g += sum(steps_g)
        if self._rest is not None:
            self._rest.grams = [held + step_g for held, step_g in zip(self._rest.grams, steps_g, strict=True)]
        self._pace = [min(max(pace + move / PACE_S, -CREEP_G_PER_S), CREEP_G_PER_S) for pace, move in zip(self._pace, moves, strict=True)]

    def _swing_g(self, reading: Bin) -> float:
        assert reading.cells_g is not None
        total_g = sum(reading.cells_g)
        swings = [
            total_g - sum(bin_.cells_g)
            for bin_ in self._recent
            if bin_.cells_g is not None and 0 < reading.t_s - bin_.t_s <= self._swing_s + BIN_S / 2
        ]
        return max(swings, key=abs, default=0.0)

    def _stepped(self, kind: StepKind, event: _Event, end_s: float, level: _Level | None, delta_g: float, sigma_g: float) -> Stepped:
        x_mm = y_mm = None
        if level is not None and kind in (StepKind.LIFTED, StepKind.SET_DOWN) and abs(delta_g) >= PLACE_LEAST_G:
            changes = [after - before for after, before in zip(level.grams, event.before, strict=True)]
            x_mm = sum(change * cell.x_mm for change, cell in zip(changes, self.cells, strict=True)) / delta_g
            y_mm = sum(change * cell.y_mm for change, cell in zip(changes, self.cells, strict=True)) / delta_g
        return Stepped(
            kind=kind,
            start_t_s=event.start_s,
            end_t_s=end_s,
            before_g=sum(event.before),
            after_g=level.total_g if level is not None else None,
            delta_g=delta_g,
            sigma_g=sigma_g,
            x_mm=x_mm,
            y_mm=y_mm,
        )
