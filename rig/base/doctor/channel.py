"""Load cells, from a base or from a log: figures of each, and sentences about what is wrong with it. Pure.

What is a bad read and when a cell was not well comes from the game's own judgement, kept in a `PlateWatch`; here it is put into words, with
the figures beside it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from rig.base.bins import BIN_S
from rig.base.cell import NEAR_FULL_SCALE, SUSPICIOUS, CellState
from rig.base.doctor.figures import Floats, drift_per_minute, neighbour_noise, runs, stirred, two_states
from rig.base.doctor.plate import MERGE_S, PlateWatch, StateSpell
from rig.base.doctor.report import ChannelReport, Spell

SLOWEST_HZ, FASTEST_HZ = 8.0, 100.5
"""An HX711 gives 10 or 80 samples a second, within some ten percent (data sheet); anything else is read from a wire that is not one."""
GAP_INTERVALS = 2.5
SPIKE_SHARE = 0.006
"""Bad reads beyond this share, by more than chance makes of it, are worth looking for their cause; fewer are left out and noted."""
CHANCE = 2.0
"""Standard deviations of the number of times bad reads came (Poisson: its root) that count as chance; they come single and double."""
DEAD_SHARE = 0.95
"""A value that fills this share of the time is no frozen cell but a dead one."""
TOGETHER_S = 0.02
"""Cells take turns and share one plate: what loads one moves the others within a sample or two."""
DRIFT_PER_MINUTE_NOISES = 20.0
MOST_SPELLS = 3
"""So many spells of one kind are told one by one."""


@dataclass(frozen=True, slots=True)
class CellSamples:
    """One cell's samples: `values` (n,) in counts or grams, dated `t_s` (n,); `per_unit`: counts that the judgement took one unit for."""

    name: str
    t_s: Floats
    values: Floats
    per_unit: float = 1.0


@dataclass(frozen=True, slots=True)
class _Plate:
    """What is the same for all cells of a plate: see `examine_cells`."""

    watch: PlateWatch
    end_s: float
    is_counts: bool
    has_rate: bool
    ignored: Sequence[Spell]


def examine_cells(
    cells: Sequence[CellSamples],
    watch: PlateWatch,
    end_s: float,
    *,
    is_counts: bool,
    has_rate: bool = True,
    ignored: Sequence[Spell] = (),
) -> tuple[ChannelReport, ...]:
    """The reports of a plate's cells, whose samples `watch` has been fed. `end_s`: when listening ended; `is_counts`: the values are
    counts, else grams; `has_rate`: the dates are real, so that a rate can be wrong; `ignored`: silences that are no cell's."""
    plate = _Plate(watch, end_s, is_counts, has_rate, ignored)
    moving_s = [cell.t_s[stirred(cell.values)] if len(cell.values) > 1 else np.empty(0) for cell in cells]
    reports = []
    for number, cell in enumerate(cells):
        others_s = np.sort(np.concatenate([np.empty(0), *(dates for k, dates in enumerate(moving_s) if k != number)]))
        reports.append(_examine(number, cell, plate, others_s))
    return tuple(reports)


def _examine(number: int, cell: CellSamples, plate: _Plate, others_s: Floats) -> ChannelReport:
    n, watch = len(cell.values), plate.watch
    if n < 8:
        return ChannelReport(cell.name, n, 0.0, 0.0, 0.0, 0.0, 0, 0.0, 0.0, 0, ("not connected: no samples",))
    steps = np.diff(cell.t_s)
    interval_s = float(np.median(steps))
    rate_hz = 1 / interval_s if interval_s > 0 else 0.0
    bad = _bad(cell, watch.bad(number), others_s)
    spells = [_exact(spell, cell) for spell in watch.spells(number) if not _ignored(spell, plate.ignored)]
    good = ~bad & ~_within(cell.t_s, spells)
    kept = good if good.sum() >= 8 else np.ones(n, dtype=np.bool_)
    values, t_s = cell.values[kept], cell.t_s[kept]
    noise, drift = neighbour_noise(values), drift_per_minute(t_s, values)
    slips = watch.bins.slips.slips[number]
    told = tuple(
        Spell(_words(spell, cell, plate.is_counts), spell.start_s, spell.end_s, _lasts(spell, plate.end_s, interval_s)) for spell in spells
    )
    wrong: list[str] = []
    if plate.has_rate and not SLOWEST_HZ <= rate_hz <= FASTEST_HZ:
        wrong.append(f"{rate_hz:.4g} samples/s is no rate an HX711 has (10 or 80): look at the wiring")
    dead = _dead(cell)
    if dead:
        wrong.append(dead)
    else:
        wrong += _spell_sentences([spell for spell in told if spell.what != CellState.SLIPPED])  # those are counted one by one
        wrong += _sample_sentences(bad, slips, values)
        touches = watch.bins.slips.touches[number]
        if touches:
            wrong.append(f"moved by itself {touches} time{'s' * (touches > 1)} while no other cell did: look at its cable and plug")
        if float(t_s[-1] - t_s[0]) > 60 and noise > 0 and abs(drift) > DRIFT_PER_MINUTE_NOISES * noise:
            wrong.append(f"drifts {drift:+.3g} a minute: let it warm up, then tare again")
    gaps = int(np.sum(steps > GAP_INTERVALS * interval_s)) if interval_s > 0 else 0
    saturated = float(np.mean(np.abs(cell.values) >= NEAR_FULL_SCALE)) if plate.is_counts else 0.0
    return ChannelReport(
        name=cell.name, samples=n, rate_hz=rate_hz, mean=float(np.median(values)), noise=noise, drift_per_minute=drift,
        spikes=int(bad.sum()), frozen_share=_share(spells, CellState.FROZEN, cell), saturated_share=saturated, gaps=gaps,
        wrong=tuple(wrong), slips=slips, spells=told,
    )  # fmt: skip


def bad_read_note(channel: ChannelReport) -> str:
    """What to note of bad reads that are too few to be a fault; empty if there are none, or if they are told as a fault."""
    if not channel.spikes or any("bad read" in sentence for sentence in channel.wrong):
        return ""
    return f"{channel.name}: {channel.spikes} bad read{'s' * (channel.spikes > 1)} ({channel.spikes / channel.samples:.2%}), left out"


def _bad(cell: CellSamples, found: Sequence[tuple[float, float]], others_s: Floats) -> NDArray[np.bool_]:
    """Which samples are bad reads (n,): where other cells move too it is load, unless the value is one that only torn bits make."""
    out = np.zeros(len(cell.t_s), dtype=np.bool_)
    for t_s, counts in found:
        nearest = int(np.searchsorted(others_s, t_s - TOGETHER_S))
        shared = nearest < len(others_s) and others_s[nearest] <= t_s + TOGETHER_S
        if not shared or (cell.per_unit == 1.0 and counts in SUSPICIOUS):
            out[int(np.searchsorted(cell.t_s, t_s))] = True
    return out


def _exact(spell: StateSpell, cell: CellSamples) -> StateSpell:
    """A frozen spell from the first of its equal samples to the last; a silent one from the last sample heard."""
    if spell.state is CellState.FROZEN:
        starts, ends = runs(cell.values)
        lasting = [(float(cell.t_s[a]), float(cell.t_s[b])) for a, b in zip(starts, ends, strict=True) if b - a >= 2]
        inside = [(a, b) for a, b in lasting if a <= spell.end_s and b >= spell.start_s]
        if inside:
            return StateSpell(spell.state, min(a for a, _ in inside), max(b for _, b in inside))
    if spell.state is CellState.SILENT:
        before = cell.t_s[cell.t_s <= spell.start_s + 2 * BIN_S]
        after = cell.t_s[cell.t_s >= spell.end_s - 1e-9]
        return StateSpell(
            spell.state,
            float(before[-1]) if len(before) else spell.start_s,
            min(spell.end_s, float(after[0])) if len(after) else spell.end_s,
        )
    return spell


def _ignored(spell: StateSpell, silences: Sequence[Spell]) -> bool:
    """Is it the silence of the whole base?"""
    middle_s = (spell.start_s + spell.end_s) / 2
    return spell.state is CellState.SILENT and any(silence.start_s - MERGE_S <= middle_s <= silence.end_s + MERGE_S for silence in silences)


def _within(t_s: Floats, spells: Sequence[StateSpell]) -> NDArray[np.bool_]:
    out = np.zeros(len(t_s), dtype=np.bool_)
    for spell in spells:
        out |= (t_s >= spell.start_s) & (t_s <= spell.end_s)
    return out


def _lasts(spell: StateSpell, end_s: float, interval_s: float) -> bool:
    return spell.end_s >= end_s - max(0.2, 3 * interval_s)


def _share(spells: Sequence[StateSpell], state: CellState, cell: CellSamples) -> float:
    whole_s = float(cell.t_s[-1] - cell.t_s[0])
    lasted_s = sum(spell.end_s - spell.start_s for spell in spells if spell.state is state)
    return min(lasted_s / whole_s, 1.0) if whole_s > 0 else 0.0


def _words(spell: StateSpell, cell: CellSamples, is_counts: bool) -> str:
    held = cell.values[(cell.t_s >= spell.start_s) & (cell.t_s <= spell.end_s)]
    value = float(np.median(held)) if len(held) else 0.0
    constant = len(held) > 0 and float(np.mean(held == value)) > DEAD_SHARE
    match spell.state:
        case CellState.FROZEN:
            return f"frozen at {value:.10g}"
        case CellState.SATURATED if constant and is_counts:
            return f"at full scale, pinned at {value:.10g}"
        case CellState.FLOATING:
            return "noise over the whole range, not connected"
        case _:
            return spell.state.value


def _dead(cell: CellSamples) -> str:
    value = float(np.median(cell.values))
    same = float(np.mean(cell.values == value))
    full = " (full scale)" if abs(value) >= NEAR_FULL_SCALE and cell.per_unit == 1.0 else ""
    return f"dead: {value:.10g}{full} for {same:.0%} of the time" if same > DEAD_SHARE else ""


def _spell_sentences(spells: Sequence[Spell]) -> list[str]:
    out = []
    for what in dict.fromkeys(spell.what for spell in spells):
        mine = [spell for spell in spells if spell.what == what]
        more = f" and {len(mine) - MOST_SPELLS} times more" if len(mine) > MOST_SPELLS else ""
        out.append(f"{what} {', '.join(spell.when for spell in mine[:MOST_SPELLS])}{more}")
    return out


def _sample_sentences(bads: NDArray[np.bool_], slips: int, values: Floats) -> list[str]:
    """What to say of single samples; `bads`: which are bad reads (n,)."""
    bad, samples = int(bads.sum()), len(bads)
    times = int(bads[0]) + int(np.sum(bads[1:] & ~bads[:-1]))
    out = []
    if times and bad * (1 - CHANCE / times**0.5) > SPIKE_SHARE * samples:
        out.append(f"{bad} bad reads ({bad / samples:.1%}): look at power and cable")
    if slips:
        out.append(f"{slips} samples at exactly 2, 1/2 or 1/4 of its counts: bits or the chip's gain slip, look at its clock wire")
    if two_states(values):
        out.append("jumps between two levels: a loose contact or slipping bits, no load")
    return out
