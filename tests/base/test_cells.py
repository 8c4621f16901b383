"""What a load cell says and what it is worth: bad reads left out and counted, dead and floating cells told, nothing of it ever a weight."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from numpy.typing import NDArray

from rig.base.cell import CellFilter, CellState
from rig.bench.base_scenario import PROFILE, at, chunks, of, ramp, readings, resting
from rig.messages import Health, LinkNews, StepKind, Stepped, Weighed

SUSPICIOUS = [(1 << n) - 1 for n in range(12, 24)] + [0]


def rested(level: int = 300_000, n: int = 40, seed: int = 0) -> tuple[CellFilter, float, np.random.Generator]:
    rng = np.random.default_rng(seed)
    cell = CellFilter()
    for k in range(n):
        cell.feed(k / 80, level + int(rng.normal(0, 20)))
    return cell, n / 80, rng


@pytest.mark.parametrize("value", SUSPICIOUS)
@pytest.mark.parametrize("times", [1, 2])
def test_bad_reads_single_and_double_are_rejected_and_counted(value: int, times: int) -> None:
    cell, t_s, rng = rested()
    out = []
    for k in range(30):
        bad = 10 <= k < 10 + times
        out += cell.feed(t_s + k / 80, value if bad else 300_000 + int(rng.normal(0, 20)))
    assert cell.rejected == times
    assert all(abs(sample.counts - 300_000) < 200 for sample in out)
    assert cell.state(t_s + 30 / 80) is CellState.GOOD


def test_two_bad_reads_with_a_good_sample_between_are_no_open_input() -> None:
    cell, t_s, rng = rested()
    for k in range(30):
        cell.feed(t_s + k / 80, {10: 2_097_151, 12: 1_048_575}.get(k, 300_000 + int(rng.normal(0, 20))))
        assert cell.state(t_s + k / 80) is CellState.GOOD
    assert cell.bad_reads == 2


def test_step_that_stays_is_a_measurement_however_sudden() -> None:
    cell, t_s, _ = rested()
    out = [sample for k in range(20) for sample in cell.feed(t_s + k / 80, 360_000 + k % 7)]
    assert cell.rejected == 0
    assert sum(sample.counts > 359_000 for sample in out) >= 17


def test_pinned_cell_is_at_full_scale() -> None:
    for value in (0x7FFFFF, -0x800000):
        cell, t_s, _ = rested()
        out = [sample for k in range(80) for sample in cell.feed(t_s + k / 80, value)]
        assert cell.state(t_s + 1) is CellState.SATURATED
        assert all(abs(sample.counts) < 400_000 for sample in out)


def test_cell_that_repeats_one_value_is_frozen() -> None:
    cell, t_s, _ = rested()
    for k in range(120):
        cell.feed(t_s + k / 80, 838)
    assert cell.state(t_s + 1.5) is CellState.FROZEN


def test_white_noise_over_the_whole_range_is_not_connected() -> None:
    cell, t_s, rng = rested()
    for k in range(120):
        cell.feed(t_s + k / 80, int(rng.integers(-(1 << 23), 1 << 23)))
    assert cell.state(t_s + 1.5) is CellState.FLOATING


def test_cell_that_says_nothing_is_not_connected() -> None:
    cell, t_s, _ = rested()
    assert cell.state(t_s + 0.05) is CellState.GOOD
    assert cell.state(t_s + 0.5) is CellState.SILENT
    assert CellFilter().state(0.0) is CellState.SILENT


def test_samples_after_a_gap_are_left_out() -> None:
    cell, t_s, _ = rested()
    cell.gap()
    out = [sample for k in range(20) for sample in cell.feed(t_s + k / 80, 9_000_000 if k < 3 else 300_000 + k)]
    assert cell.rejected == 3
    assert all(abs(sample.counts - 300_000) < 200 for sample in out)


# ------------------------------------------------------------ through the whole base


def spikes(share: float) -> Callable[[NDArray[np.int32], np.random.Generator], NDArray[np.int32]]:
    def spoil(counts: NDArray[np.int32], rng: np.random.Generator) -> NDArray[np.int32]:
        bad = rng.random(len(counts)) < share
        return np.where(bad, rng.choice(SUSPICIOUS, len(counts)), counts).astype(np.int32)

    return spoil


def test_three_percent_of_bad_reads_are_no_steps_and_no_falling_tower() -> None:
    found = readings(chunks(resting(800, 20, -30), 30, spoil=spikes(0.03)))
    assert of(Stepped, found) == []
    weights = [w.weight_g for w in of(Weighed, found) if w.weight_g is not None]
    assert max(abs(w - 800) for w in weights) < 1.0
    assert of(LinkNews, found)[-1].rejected_samples > 200


def test_bad_reads_do_not_hide_a_lifted_column() -> None:
    found = readings(chunks(lambda t: at(800) - at(11.5, 40, 40) * ramp(t, 5, 0.3), 9, spoil=spikes(0.02)))
    (step,) = of(Stepped, found)
    assert step.kind is StepKind.LIFTED
    assert step.delta_g == pytest.approx(-11.5, abs=0.3)


@pytest.mark.parametrize("missing", range(4))
def test_with_one_cell_gone_the_total_is_not_known(missing: int) -> None:
    found = readings(chunks(resting(800), 6, missing=frozenset({missing})))
    weights = of(Weighed, found)
    assert weights
    assert all(w.weight_g is None and w.cop_x_mm is None and not w.quiet for w in weights)
    assert f"cell {missing + 1} is not connected" in weights[-1].fault
    assert of(Stepped, found) == []
    news = of(LinkNews, found)[-1]
    assert news.health is Health.FAULT
    assert f"oad cell {missing + 1}" in news.sentence


@pytest.mark.parametrize("value", [0x7FFFFF, -0x800000, 838])
def test_one_dead_cell_makes_the_total_unknown_and_no_step(value: int) -> None:
    """The tenth second on, cell 2 is pinned or repeats itself; nothing plausible may come of it."""
    from rig.base.fold import BaseFold
    from rig.base.frames import FrameDecoder, Load, encode
    from rig.base.protocol import FrameKind

    fold, decoder, found = BaseFold(PROFILE), FrameDecoder(), []
    for t_s, data in chunks(resting(800), 8):
        for frame in decoder.feed(data):
            if isinstance(frame, Load):
                counts = value if frame.cell == 1 and t_s > 4 else frame.counts
                found += fold.step(t_s, encode(FrameKind.LOAD, frame.sequence, *frame[1:4], counts))
    late = [w for w in of(Weighed, found) if w.t_s > 6]
    assert late
    assert all(w.weight_g is None for w in late)
    assert not [step for step in of(Stepped, found) if step.after_g is not None and value != 838]
