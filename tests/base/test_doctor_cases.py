"""What the doctor must tell, case by case: small logs with a known ill (absent: skipped), and the twin's base while it fails."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from rig.base.doctor import DoctorReport, examine_log
from rig.base.doctor.patient import examine_base
from rig.base.frames import FrameDecoder, Load, encode
from rig.base.logs import parse_log, read_log
from rig.base.protocol import Kind
from rig.bench.base_scenario import at, chunks, resting
from rig.errors import PalettiError

FAULTS = Path(os.environ.get("PALETTI_REALDATA", Path(__file__).parents[2] / "../shared/data")) / "faults"
Counts = NDArray[np.int32]


def told(name: str) -> DoctorReport:
    path = FAULTS / name
    if not path.is_file():
        pytest.skip(f"the logs with faults are not here: {path}")
    return examine_log(read_log(path), name)


def log_of(*columns: list[float], hz: float = 80.0) -> DoctorReport:
    lines = ["time," + ",".join(f"c{k + 1}" for k in range(len(columns)))]
    lines += [f"{k / hz:.4f}," + ",".join(f"{value:.3f}" for value in row) for k, row in enumerate(zip(*columns, strict=True))]
    return examine_log(parse_log("\n".join(lines)), "log")


def cell(level: float, n: int = 1600, seed: int = 0, noise: float = 20.0) -> list[float]:
    return [float(round(level + noise * x)) for x in np.random.default_rng(seed).normal(size=n)]


def spoilt(spoil: Callable[[float, int, int], int | None], seconds: float = 12.0) -> list[tuple[float, bytes]]:
    """A resting base's bytes, each cell's counts as `spoil(time, cell, counts)` says; None: the sample never comes."""
    decoder, out = FrameDecoder(), []
    for t_s, data in chunks(resting(800, 20, -30), seconds):
        kept = b""
        for frame in decoder.feed(data):
            if isinstance(frame, Load):
                counts = spoil(t_s, frame.cell, frame.counts)
                if counts is not None:
                    kept += encode(Kind.LOAD, frame.sequence, *frame[1:4], counts)
        out.append((t_s, kept))
    return out


# ------------------------------------------------------------ the logs


def test_a_light_touch_is_a_load_and_no_bad_read() -> None:
    report = told("f1_touch_min.csv")
    assert report.wrong == ()
    assert report.channels[0].spikes == 0


@pytest.mark.parametrize("name", ["f2_dead_cell_with_total.csv", "f2_dead_cell_without_total.csv"])
def test_a_dead_cell_is_told_beside_a_total_too(name: str) -> None:
    report = told(name)
    assert [channel.name for channel in report.channels] == ["TL", "TR", "BL", "BR"]
    assert [sentence.split(" for ")[0] for sentence in report.wrong] == ["TR: dead: 0"]
    assert ("Total as the sum of the cells" in report.understood) == ("with_total" in name)


@pytest.mark.parametrize(
    ("name", "sentence"),
    [
        ("f3_frozen_min.csv", "counts: frozen at 300123 since 17.0 s"),
        ("f3_pinned_min.csv", "counts: at full scale, pinned at 8388607 since 16.9 s"),
        ("f3_one_of_four_frozen_40pct.csv", "c3: frozen at 299123 since 6.0 s"),
    ],
)
def test_a_cell_that_fails_for_less_than_half_of_the_log_is_told_with_its_time(name: str, sentence: str) -> None:
    assert told(name).wrong == (sentence,)


@pytest.mark.parametrize(
    ("name", "cells"), [("f4_all_torn_together.csv", "1234"), ("f4_one_torn.csv", "1"), ("f4_torn_in_turn.csv", "1234")]
)
def test_torn_reads_are_told_on_all_cells_that_have_them(name: str, cells: str) -> None:
    wrong = told(name).wrong
    assert [sentence[:2] for sentence in wrong] == [f"c{number}" for number in cells]
    assert all("bad reads" in sentence for sentence in wrong)


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("f5_devicetime.csv", "DeviceTime_ms as time in milliseconds; V1, V2 as cells in counts"),
        ("f5_index.csv", "Index as a count of the rows"),
        ("f5_time_last.csv", "column 3 as time in seconds; column 1, column 2 as cells in grams"),
    ],
)
def test_odd_columns_are_read_and_said(name: str, words: str) -> None:
    report = told(name)
    assert words in report.understood
    assert report.wrong == ()


# ------------------------------------------------------------ made-up logs


@pytest.mark.parametrize("place", [0, 1, 2])
def test_a_slip_within_the_first_three_samples_is_found(place: int) -> None:
    values = cell(300_000)
    values[place] = 65535.0
    (channel,) = log_of(values).channels
    assert channel.spikes == 1
    assert channel.mean == pytest.approx(300_000, abs=5)


def test_a_spell_in_the_middle_has_its_beginning_and_end() -> None:
    values = cell(300_000)
    values[400:560] = [300_123.0] * 160
    assert log_of(values).wrong == ("c1: frozen at 300123 from 5.0 s to 7.0 s",)


@pytest.mark.parametrize("factor", [2.0, 0.5, 0.25])
def test_a_cell_at_exactly_a_factor_of_its_counts_has_slipped(factor: float) -> None:
    columns = [cell(20_000 + 9_000 * k, seed=k) for k in range(4)]
    columns[1][600:612] = [factor * value for value in columns[1][600:612]]
    report = log_of(*columns)
    assert report.channels[1].slips == 12
    assert [sentence[:2] for sentence in report.wrong] == ["c2"]
    assert "exactly 2, 1/2 or 1/4" in report.wrong[0]


def test_a_load_that_doubles_one_cell_and_moves_the_others_is_no_slip() -> None:
    columns = [cell(20_000, seed=k) for k in range(4)]
    for k, change in enumerate((20_000, 4_000, 4_000, 1_000)):
        columns[k][600:] = [value + change for value in columns[k][600:]]
    assert log_of(*columns).wrong == ()


def test_a_cell_that_wanders_by_itself_is_doubted_and_one_in_a_hand_is_not() -> None:
    rng = np.random.default_rng(5)
    wander = np.cumsum(rng.normal(0, 60, 4800))
    columns = [cell(100_000, 4800, seed=k) for k in range(4)]
    alone = [*columns[:3], [float(round(value + w)) for value, w in zip(columns[3], wander, strict=True)]]
    assert any(sentence.startswith("c4: in doubt: wandering by itself") for sentence in log_of(*alone).wrong)
    held = [
        [float(round(v + share * w)) for v, w in zip(c, wander, strict=True)]
        for c, share in zip(columns, (0.6, 0.2, 0.15, 0.05), strict=True)
    ]
    assert log_of(*held).wrong == ()


@pytest.mark.parametrize(
    ("text", "said", "names"),
    [
        (
            "#Sample, left, right\n" + "\n".join(f"{k}, {300000 + k % 7}, {200000 - k % 5}" for k in range(99)),
            "Sample as a count",
            ("left", "right"),
        ),
        ("t_ms,a_kg\n" + "\n".join(f"{100 * k},{0.6 + 0.001 * (k % 7)}" for k in range(99)), "kilograms", ("a_kg",)),
        (
            "time,a,b,c,d,e\n" + "\n".join(f"{k / 10},{k % 3},{k % 5},{k % 7},{k % 2},{k % 3 + k % 5 + k % 7 + k % 2}" for k in range(99)),
            "e as the sum of the cells",
            ("a", "b", "c", "d"),
        ),
        ("zeit;links\n" + "\n".join(f"{k / 10:.1f};{50 + k % 4 / 7:.3f}".replace(".", ",") for k in range(99)), "zeit as time", ("links",)),
        ("\n".join(f"{100 * k}  {300 + k % 6}   {200 - k % 5}" for k in range(99)), "milliseconds", ("column 2", "column 3")),
    ],
    ids=["#Sample heads the columns", "kilograms", "a total without a name", "decimal commas", "columns of blanks"],
)
def test_logs_of_many_makes_are_read(text: str, said: str, names: tuple[str, ...]) -> None:
    log = parse_log(text)
    assert said in log.understood
    assert log.names == names


def test_kilograms_become_grams() -> None:
    log = parse_log("t_ms,a_kg\n" + "\n".join(f"{100 * k},{0.6 + 0.001 * (k % 7):.3f}" for k in range(99)))
    assert np.median(log.columns) == pytest.approx(603, abs=0.01)


FIVE = "time," + ",".join("abcde") + "\n" + "\n".join(f"{k}," + ",".join(str(k % (2 + i)) for i in range(5)) for k in range(50))


def test_what_cannot_be_told_is_asked_for_and_taken_by_word() -> None:
    with pytest.raises(PalettiError, match="5 columns") as caught:
        parse_log(FIVE)
    assert "--columns time,cell,cell,cell,cell,skip" in str(caught.value)
    log = parse_log(FIVE, columns="time_s,kg,kg,skip,kg,kg")
    assert log.names == ("a", "b", "d", "e")
    assert "kilograms" in log.understood
    assert "c left out" in log.understood


@pytest.mark.parametrize(
    ("words", "sentence"),
    [("time,weight", "does not know 'weight'"), ("time,cell", "names 2 columns"), ("time,g,kg,g,g,skip", "different units")],
)
def test_unusable_words_for_columns_are_refused(words: str, sentence: str) -> None:
    with pytest.raises(PalettiError, match=sentence):
        parse_log(FIVE, columns=words)


# ------------------------------------------------------------ a base while it is listened to


def test_a_cell_that_falls_silent_while_listening_is_named_with_its_time() -> None:
    report = examine_base(spoilt(lambda t_s, number, counts: None if number == 2 and t_s > 7 else counts), "base")
    (silent,) = [sentence for sentence in report.wrong if "load cell 3" in sentence]
    assert silent == "load cell 3: not connected since 7.0 s"


def test_a_cell_that_freezes_for_a_part_of_the_time_is_named() -> None:
    report = examine_base(spoilt(lambda t_s, number, counts: 77_777 if number == 1 and t_s > 7.2 else counts), "base")
    assert any(sentence.startswith("load cell 2: frozen at 77777 since 7.2 s") for sentence in report.wrong)


def test_bad_reads_of_all_cells_at_once_are_told_of_a_base_too() -> None:
    def torn(t_s: float, _: int, counts: int) -> int:
        return 4_194_303 if round(t_s * 100) % 50 == 0 else counts

    report = examine_base(spoilt(torn), "base")
    assert [any("bad reads" in sentence for sentence in channel.wrong) for channel in report.channels] == [True] * 4


def test_a_base_that_goes_silent_is_one_finding_and_no_cells() -> None:
    heard = [(t_s, data if not 6 < t_s < 8 else b"") for t_s, data in chunks(resting(800), 12)]
    wrong = examine_base(iter(heard), "base").wrong
    assert any(sentence.startswith("the whole base was silent from 6.0 s to 8.0 s") for sentence in wrong)
    assert not any("load cell" in sentence or "motion chip" in sentence for sentence in wrong)


def test_a_hand_on_the_plate_accuses_nobody() -> None:
    def leaning(t_s: float) -> NDArray[np.float64]:
        return at(800) + (at(150 * np.sin(np.pi * (t_s - 3) / 4) ** 2 + 4 * np.sin(50 * t_s), 100, 90) if 3 < t_s < 7 else 0.0)

    assert examine_base(chunks(leaning, 12), "base").wrong == ()
