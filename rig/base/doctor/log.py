"""Anybody's log as the doctor's patient. Pure; reading the file is `rig.base.logs`'."""

from __future__ import annotations

import math

import numpy as np

from rig.base.cell import COUNTS, FROZEN_SAMPLES, CellLimits
from rig.base.doctor.channel import CellSamples, bad_read_note, examine_cells
from rig.base.doctor.figures import Floats, neighbour_noise
from rig.base.doctor.motion import examine_imu
from rig.base.doctor.plate import PlateWatch
from rig.base.doctor.report import DoctorReport
from rig.base.logs import Log, looks_like_counts

COUNTS_PER_G = 420.0
"""What a gram is taken for in the judgement, whose limits are counts: a 1 kg bar cell of 1 mV/V at gain 128 (the nominal profile's)."""
SPIKE_NOISES = 12.0
"""Times the noise between neighbours that an excursion must have to be a bad read, where the limit in counts is less."""
FROZEN_CHANCE = 1e-3
"""How often a whole log may call a cell frozen by chance: what was rounded repeats itself now and then."""
SKIPPED_SHARE = 0.01
GAP_SHARE = 0.02


def examine_log(log: Log, source: str, is_counts: bool | None = None) -> DoctorReport:
    """The report on `log`, called `source`. Whether it holds counts or grams is told from the values unless the log or `is_counts` say."""
    link: list[str] = []
    if log.restarts:
        link.append(f"its clock runs backwards {log.restarts} time{'s' * (log.restarts > 1)}: several runs in one file, or a reset")
    if log.skipped > SKIPPED_SHARE * len(log.t_s):
        link.append(f"{log.skipped} lines hold no numbers: a garbled line or a wrong baud rate")
    seconds = float(log.t_s[-1])
    if log.acceleration:
        return DoctorReport(source, seconds, "g", (), examine_imu(log.t_s, log.columns), tuple(link), (), log.understood)
    counts = is_counts if is_counts is not None else log.is_counts if log.is_counts is not None else looks_like_counts(log.columns)
    per_unit = 1.0 if counts else COUNTS_PER_G
    cells = [CellSamples(name, log.t_s, log.columns[:, k], per_unit) for k, name in enumerate(log.names)]
    watch = PlateWatch(len(cells), [limits_of(cell.values, counts) for cell in cells], tells_silence=False)
    _pour(log.t_s, per_unit * log.columns, watch)
    channels = examine_cells(cells, watch, seconds, is_counts=counts, has_rate=log.dated)
    gaps = max(channel.gaps for channel in channels)
    if gaps > GAP_SHARE * len(log.t_s):
        link.append(f"{gaps} gaps in {len(log.t_s)} samples: lines get lost")
    notes = tuple(filter(None, map(bad_read_note, channels)))
    return DoctorReport(source, seconds, "counts" if counts else "grams", channels, None, tuple(link), notes, log.understood)


def limits_of(values: Floats, is_counts: bool) -> CellLimits:
    """The judgement's limits for a column (n,) of a log: the game's, but for a noisy column's bad reads and a rounded column's repeats.

    Grams are judged as counts of COUNTS_PER_G, without what only raw 24 bit values have (full scale, torn bits, a floating input).
    """
    per_unit = 1.0 if is_counts else COUNTS_PER_G
    spike = max(COUNTS.spike, SPIKE_NOISES * per_unit * neighbour_noise(values))
    same = float(np.mean(np.diff(values) == 0)) if len(values) > 1 else 0.0
    chance = math.log(FROZEN_CHANCE / max(len(values), 1)) / math.log(min(max(same, 1e-6), 0.98))
    frozen = max(FROZEN_SAMPLES, math.ceil(chance))
    if is_counts:
        return CellLimits(spike=spike, suspicious=max(COUNTS.suspicious, 6 * neighbour_noise(values)), frozen=frozen)
    never = math.inf
    return CellLimits(near_full_scale=never, wrap=never, spike=spike, floating=never, frozen=frozen, torn=frozenset())


def _pour(t_s: Floats, counts: Floats, watch: PlateWatch) -> None:
    """Rows of `counts` (n, c) dated `t_s` (n,) through the judgement."""
    for moment_s, row in zip(t_s.tolist(), counts.tolist(), strict=True):
        for cell, value in enumerate(row):
            watch.feed(cell, moment_s, value)
        watch.advance(moment_s)
    watch.finish(float(t_s[-1]))
