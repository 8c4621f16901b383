"""Steps on the scale: lifted, set down, knock, swing, by differences round an event and never by absolute weight. Pure.

A level (grams per cell) is held while the scale is quiet and follows creep and drift slowly. What leaves it begins an event; the event
ends when the scale is quiet again. A new level makes it a lift or a set-down; the old level makes it a knock (short, sharp) or a press
(slow); and hundreds of grams within a tenth of a second are a swing, told at once, because that is what a falling tower does.
"""

from __future__ import annotations

import math
from collections import deque
from dataclasses import dataclass, field

from rig.base.scale import BIN_S, QUIET_S, Bin
from rig.messages import StepKind, Stepped
from rig.profile import Cell

STEP_LEAST_G = 3.0
"""Smallest lasting change that is a step: below half the lightest column (thin, about 11 g), above what a minute of creep does."""
STIR_LEAST_G = 2.0
"""Smallest excursion from the level that begins an event on its own while the scale counts as quiet."""
KNOCK_LEAST_G = 4.0
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
SETTLE_S = 1.0
"""For so long after an event the level is the mean of the quiet readings, unhurried by CREEP_G_PER_S: the band of quiet lets it be off."""
FORGET_S = 10.0
"""After so long without a known weight the old level says nothing about the new one."""
PLACE_LEAST_G = 8.0


@dataclass(slots=True)
class _Event:
    start_s: float
    before: list[float]
    before_variance: float
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
        self._swing_s = SWING_WITHIN_S
        self._recent: deque[Bin] = deque(maxlen=round(QUIET_S / BIN_S))

    def step(self, reading: Bin, quiet: bool, noise_floor_g: float, interval_s: float = 0.0) -> list[Stepped]:
        """Takes the next bin; `quiet` as the scale says, `noise_floor_g` its own noise, `interval_s` of the slowest cell's samples."""
        if reading.cells_g is None:
            self._recent.clear()
            if self._level is not None and reading.t_s - self._level.known_s > FORGET_S:
                self._level = self._event = None
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
            self._event = _Event(reading.t_s - BIN_S / 2, list(level.grams), level.variance)
        self._swing_s = max(SWING_WITHIN_S, 2 * interval_s)
        return self._in_event(self._event, reading, quiet, noise_floor_g)

    def _in_event(self, event: _Event, reading: Bin, quiet: bool, noise_floor_g: float) -> list[Stepped]:
        assert reading.cells_g is not None
        off_g = sum(reading.cells_g) - sum(event.before)
        event.low_g, event.high_g = min(event.low_g, off_g), max(event.high_g, off_g)
        steps: list[Stepped] = []
        swing_g = self._swing_g(reading)
        if not event.swung and abs(swing_g) >= SWING_G:
            event.swung = True
            steps.append(self._stepped(StepKind.SWING, event, reading.t_s, None, swing_g, 0.0))
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
        sigma_g = math.hypot(math.sqrt(event.before_variance + level.variance), CREEP_G_PER_S * 0.1 * (end_s - event.start_s))
        if abs(delta_g) >= STEP_LEAST_G:
            kind = StepKind.SET_DOWN if delta_g > 0 else StepKind.LIFTED
            return [self._stepped(kind, event, end_s, level, delta_g, sigma_g)]
        if event.swung:
            return []
        excursion_g = event.excursion_g
        if end_s - event.start_s <= KNOCK_LONGEST_S and abs(excursion_g) >= max(KNOCK_LEAST_G, 8 * noise_floor_g):
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
        settling = reading.t_s - level.since_s < SETTLE_S
        if settling:
            level.readings += 1
        most_g = CREEP_G_PER_S * BIN_S / len(level.grams)
        for cell, grams in enumerate(reading.cells_g):
            off_g = grams - level.grams[cell]
            level.grams[cell] += off_g / level.readings if settling else min(max(off_g * 0.05, -most_g), most_g)

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
