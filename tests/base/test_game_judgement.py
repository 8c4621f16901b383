"""What the game makes of sick cells and a sick link: no false steps, one sentence for one cause, and numbers in proportion."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from numpy.typing import NDArray

from rig.base.bins import CellBins
from rig.base.books import LinkBooks
from rig.base.cell import CellState
from rig.base.fold import BaseFold
from rig.base.frames import FrameDecoder, Load, encode
from rig.base.protocol import Kind
from rig.bench.base_scenario import PROFILE, at, chunks, of, ramp, readings, resting
from rig.messages import Health, LinkNews, Reading, StepKind, Stepped, Weighed

Spoil = Callable[[float, int, int], int]


def respelt(wire: bytes, t_s: float, spoil: Spoil) -> bytes:
    """One frame as it comes, a load cell's with other counts."""
    (frame,) = FrameDecoder().feed(wire)
    return encode(Kind.LOAD, frame.sequence, *frame[1:4], spoil(t_s, frame.cell, frame.counts)) if isinstance(frame, Load) else wire


def felt(spoil: Spoil, seconds: float, load: Callable[[float], NDArray[np.float64]] | None = None, seed: int = 1) -> list[Reading]:
    """The game's readings of a base whose counts become what `spoil(time, cell, counts)` says."""
    fold, found = BaseFold(PROFILE), list[Reading]()
    for t_s, data in chunks(load or resting(800, 20, -30), seconds, seed=seed):
        found += fold.step(t_s, b"".join(respelt(piece + b"\0", t_s, spoil) for piece in data.split(b"\0") if piece))
    return found


@pytest.mark.parametrize("factor", [2.0, 0.5, 0.25])
@pytest.mark.parametrize("samples", [3, 8, 24, 40])
def test_a_slip_to_an_exact_factor_of_one_cells_counts_is_no_step(factor: float, samples: int) -> None:
    found = felt(lambda t_s, cell, counts: round(factor * counts) if cell == 1 and 5 < t_s <= 5 + samples / 80 else counts, 9)
    assert of(Stepped, found) == []
    weights = [w.weight_g for w in of(Weighed, found) if w.weight_g is not None and w.t_s > 3]
    assert max(abs(weight - 800) for weight in weights) < 1.5


def test_a_cell_that_has_slipped_for_good_is_named_and_weighs_nothing() -> None:
    found = felt(lambda t_s, cell, counts: 2 * counts if cell == 1 and t_s > 5 else counts, 9)
    assert all(w.weight_g is None for w in of(Weighed, found) if w.t_s > 5.5)
    assert of(LinkNews, found)[-1].sentence == "Load cell 2 is out of step: exactly 2, 1/2 or 1/4 of the counts."
    assert not [step for step in of(Stepped, found) if step.kind is not StepKind.SWING]


def test_a_load_is_weighed_though_it_doubles_one_cell() -> None:
    """40 g close to a cell that carries 40 g: its counts double, and the others move too."""
    found = felt(lambda _, __, counts: counts, 9, lambda t_s: at(160) + at(50, 100, 100) * ramp(t_s, 5, 0.3))
    (step,) = of(Stepped, found)
    assert step.delta_g == pytest.approx(50, abs=0.5)


@pytest.mark.parametrize("seed", range(4))
def test_an_input_that_wanders_slowly_is_doubted_and_soon_weighs_nothing(seed: int) -> None:
    rng = np.random.default_rng((seed, 17))
    wander = np.concatenate([[0.0], np.cumsum(rng.normal(0, 420 * 1.5, 400))])  # 1.5 g a tenth of a second, as an open input
    found = felt(lambda t_s, cell, counts: counts + round(float(np.interp(t_s, np.arange(401) / 10, wander))) * (cell == 2), 36, seed=seed)
    late = [w for w in of(Weighed, found) if w.t_s > 18]
    assert np.mean([w.weight_g is None for w in late]) > 0.95
    assert any("Load cell 3 is in doubt: wandering by itself" in w.fault for w in late)
    assert not [step for step in of(Stepped, found) if step.start_t_s > 18]


def test_a_reading_that_wrapped_round_the_24_bits_is_at_full_scale_and_no_minus_20_kg() -> None:
    found = felt(lambda t_s, cell, counts: -8_316_000 + counts % 500 if cell == 0 and t_s > 5 else counts, 9)
    assert all(w.weight_g is None or abs(w.weight_g - 800) < 2 for w in of(Weighed, found) if w.t_s > 3)
    assert of(LinkNews, found)[-1].sentence == "Load cell 1 is at full scale."
    assert [step.kind for step in of(Stepped, found)] == []


def test_a_reading_beyond_what_a_cell_bears_is_told() -> None:
    found = felt(lambda t_s, cell, counts: counts - 5_000_000 if cell == 0 and t_s > 5 else counts, 9)
    assert of(LinkNews, found)[-1].sentence == "Load cell 1 is beyond what any such cell bears."


def test_a_slip_among_the_very_first_samples_is_no_measurement() -> None:
    bins = CellBins(4)
    rng = np.random.default_rng(0)
    for k in range(40):
        for cell in range(4):
            bins.feed(cell, k / 80, 65535 if k < 2 and cell == 0 else round(300_000 + 20 * rng.normal()))
    means = [one.cells[0].mean for one in bins.advance(0.45) if one.cells[0].state is CellState.GOOD]
    assert means
    assert all(mean is None or abs(mean - 300_000) < 100 for mean in means)
    assert bins.filters[0].bad_reads == 2


# ------------------------------------------------------------ the link, in proportion


def test_a_leap_of_the_frame_number_is_a_leap_and_no_loss() -> None:
    books = LinkBooks()
    for sequence in (10, 11, 12):
        books.enter(Load(sequence, 10 * sequence, 0, 0, 0))
    books.enter(Load(12, 130, 0, 0, 0))  # the same number once more
    assert (books.lost, books.leaps) == (0, 1)
    books.enter(Load(13, 140, 0, 0, 0))
    books.enter(Load(20, 700, 0, 0, 0))
    assert (books.lost, books.leaps) == (6, 1)


def dropping(share: float, seconds: float) -> list[LinkNews]:
    rng, decoder, fold = np.random.default_rng(3), FrameDecoder(), BaseFold(PROFILE)
    found = list[Reading]()
    for t_s, data in chunks(resting(800), seconds):
        pieces = [piece for piece in data.split(b"\0") if piece and rng.random() >= share]
        found += fold.step(t_s, b"".join(piece + b"\0" for piece in pieces))
        decoder.feed(data)
    return of(LinkNews, found)


def test_many_lost_frames_are_a_fault_and_few_are_a_number() -> None:
    many = dropping(0.02, 8)[-1]
    assert many.health is Health.FAULT
    assert "look at the USB cable" in many.sentence
    few = dropping(0.0006, 12)[-1]
    assert few.lost_frames > 0
    assert few.health is Health.GOOD


def test_the_well_base_says_how_many_frames_are_lost_so_far() -> None:
    stream = list(chunks(resting(20), 16))
    found = readings(iter([(t_s, data if round(100 * t_s) != 350 else b"") for t_s, data in stream]))
    assert of(LinkNews, found)[-1].health is Health.GOOD
    assert "frames have been lost so far" in of(LinkNews, found)[-1].sentence


# ------------------------------------------------------------ one cause, one sentence


def test_a_pulled_plug_accuses_no_cell() -> None:
    fold = BaseFold(PROFILE)
    readings(chunks(resting(800), 4), fold)
    quiet = [reading for k in range(60) for reading in fold.step(4.1 + 0.1 * k, b"")]
    sentences = {news.sentence for news in of(LinkNews, quiet)}
    assert not any("cell" in sentence for sentence in sentences if "well" not in sentence)
    unknown = [w for w in of(Weighed, quiet) if w.weight_g is None]
    assert unknown
    assert {w.fault for w in unknown[-20:]} == {""}


def test_cells_with_one_ill_share_a_sentence_that_link_and_scale_tell_alike() -> None:
    found = readings(chunks(resting(800), 6, missing=frozenset({1, 3})))
    assert of(Weighed, found)[-1].fault == "Load cells 2 and 4 are not connected."
    assert of(LinkNews, found)[-1].sentence == "Load cells 2 and 4 are not connected."


def test_what_the_scale_reads_at_the_start_does_not_creep_along_with_the_drift() -> None:
    found = readings(chunks(lambda t_s: at(205 + 0.4 * t_s), 14))
    told = {news.sentence for news in of(LinkNews, found) if "at the start" in news.sentence}
    assert len(told) == 1
