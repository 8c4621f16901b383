"""The doctor: what is wrong with a base or with anybody's log, named for each channel; and bad input told in a sentence."""

from __future__ import annotations

import contextlib
import json
import os
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rig.base.cell import CellFilter
from rig.base.doctor import DoctorReport, examine_log
from rig.base.doctor.patient import examine_base, with_self_test
from rig.base.frames import SelfTest, encode
from rig.base.logs import parse_log, read_log
from rig.base.protocol import LAYOUT_HASH, Kind
from rig.base.steps import StepFinder
from rig.base.weight import Scale
from rig.bench.base_scenario import at, chunks, resting
from rig.cli import main
from rig.errors import PalettiError
from rig.profile import Cell

REAL = Path(os.environ.get("PALETTI_REALDATA", Path(__file__).parents[2] / "../shared/data")) / "sensors"


def real(name: str) -> Path:
    path = REAL / name
    if not path.is_file():
        pytest.skip(f"the real logs are not here: {path}")
    return path


def quiet(seconds: float = 20, hz: float = 80, level: float = 300_000, noise: float = 25, seed: int = 0) -> tuple[list[float], list[float]]:
    rng = np.random.default_rng(seed)
    n = int(seconds * hz)
    return [k / hz for k in range(n)], [float(round(level + noise * rng.normal())) for _ in range(n)]


def examined(t_s: list[float], *columns: list[float]) -> DoctorReport:
    lines = ["time," + ",".join(f"cell {k + 1}" for k in range(len(columns)))]
    lines += [",".join(f"{value:.6f}" for value in row) for row in zip(t_s, *columns, strict=True)]
    return examine_log(parse_log("\n".join(lines)), "test")


# ------------------------------------------------------------ made-up logs


def test_healthy_cell_is_well_and_its_noise_is_right() -> None:
    report = examined(*quiet())
    (cell,) = report.channels
    assert report.wrong == ()
    assert report.unit == "counts"
    assert cell.rate_hz == pytest.approx(80, rel=0.01)
    assert cell.noise == pytest.approx(25, rel=0.15)
    assert cell.mean == pytest.approx(300_000, abs=5)


def test_bad_reads_are_counted_exactly() -> None:
    t_s, values = quiet()
    for k, place in enumerate(range(50, 1500, 60)):
        values[place] = float((1 << (23 - k % 10)) - 1)
    values[1523] = values[1524] = 8388607.0
    (cell,) = examined(t_s, values).channels
    assert cell.spikes == 27
    assert "27 bad reads" in cell.wrong[0]


@pytest.mark.parametrize(
    ("spoil", "word"),
    [
        (lambda v, _: [838.0 + 0 * x for x in v], "dead"),
        (lambda v, _: [8388607.0 if k > 200 else x for k, x in enumerate(v)], "pinned at 8388607"),
        (lambda v, _: [8388607.0 - (k % 9) if k > 200 else x for k, x in enumerate(v)], "at full scale"),
        (lambda v, rng: [float(rng.integers(-(1 << 23), 1 << 23)) for _ in v], "not connected"),
        (lambda v, _: [x + 9000 * (k // 4 % 2) for k, x in enumerate(v)], "jumps between two levels"),
    ],
)
def test_ills_are_named(spoil, word: str) -> None:  # type: ignore[no-untyped-def]
    t_s, values = quiet()
    (cell,) = examined(t_s, spoil(values, np.random.default_rng(1))).channels
    assert any(word in sentence for sentence in cell.wrong)


def test_rate_that_no_such_chip_has_means_wiring() -> None:
    t_s, values = quiet(seconds=2, hz=1470, noise=0.0)
    assert any(" samples/s is no rate" in sentence and "wiring" in sentence for sentence in examined(t_s, values).wrong)


def test_drifting_scale_gets_advice_to_tare_again() -> None:
    t_s, values = quiet(seconds=300, hz=10)
    values = [value + 2100 * t / 60 for t, value in zip(t_s, values, strict=True)]
    (cell,) = examined(t_s, values).channels
    assert cell.drift_per_minute == pytest.approx(2100, rel=0.05)
    assert any("tare again" in sentence for sentence in cell.wrong)


def test_steps_are_no_ills() -> None:
    t_s, values = quiet(seconds=60)
    values = [value + 5000 * (t > 20) - 12_000 * (t > 40) for t, value in zip(t_s, values, strict=True)]
    assert examined(t_s, values).wrong == ()


@pytest.mark.parametrize(
    "text",
    [
        "time;a;b\n" + "\n".join(f"{k / 10};{300 + k % 3};{200 - k % 2}" for k in range(100)),
        "\n".join(f"{1000 * k}\t{300 + k % 3}\t{200 - k % 2}" for k in range(100)),
        "# a comment\nms,left,right\n" + "\n".join(f"{100 * k},{300 + k % 3},{200 - k % 2}" for k in range(100)) + "\ngarbage,,\n",
        "timestamp,a,b\n" + "\n".join(f"2024-10-31T04:06:{k / 10:06.3f},{300 + k % 3},{200 - k % 2}" for k in range(100)),
    ],
    ids=["semicolons", "tabs, milliseconds, no header", "comment and garbage", "calendar time"],
)
def test_logs_come_in_many_dresses(text: str) -> None:
    log = parse_log(text)
    assert log.columns.shape == (100, 2)
    assert np.median(np.diff(log.t_s)) in (pytest.approx(0.1), pytest.approx(1.0))


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("", "is empty"),
        ("a,b\n1,2\n", "no log to judge"),
        ("lc1,lc2\n" + "1.5,2.5\n" * 30, "has no time column"),
        ("\n".join(f"{k % 5}" for k in range(50)), "has no time column"),
        (
            "time," + ",".join("abcde") + "\n" + "\n".join(f"{k}," + ",".join(str(k % (2 + i)) for i in range(5)) for k in range(50)),
            "5 columns",
        ),
        ("nan\n1e309\n-\nhours\n" * 10, "no log to judge"),
    ],
)
def test_unusable_logs_are_refused_with_a_sentence(text: str, sentence: str) -> None:
    with pytest.raises(PalettiError, match=sentence):
        parse_log(text)


def test_missing_file_and_folder_are_refused_with_a_sentence(tmp_path: Path) -> None:
    for path in (tmp_path / "none.csv", tmp_path):
        with pytest.raises(PalettiError, match="cannot be read"):
            read_log(path)


@settings(max_examples=200, deadline=None)
@given(st.text(alphabet="0123456789.,;-eE \n\tnaif:T", max_size=400))
def test_no_text_whatever_raises_anything_else(text: str) -> None:
    with contextlib.suppress(PalettiError):
        examine_log(parse_log(text), "fuzz")


def test_command_prints_json_and_says_by_its_code_whether_all_is_well(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "log.csv"
    t_s, values = quiet()
    path.write_text("time,counts\n" + "\n".join(f"{t},{v}" for t, v in zip(t_s, values, strict=True)))
    assert main(["doctor", "--log", str(path), "--json"]) == 0
    report = json.loads(capsys.readouterr().out)
    assert report["well"] is True
    assert report["channels"][0]["name"] == "counts"
    path.write_text("time,counts\n" + "\n".join(f"{t},838" for t in t_s))
    assert main(["doctor", "--log", str(path)]) == 1
    assert "dead" in capsys.readouterr().out


# ------------------------------------------------------------ a base


def test_healthy_base_is_well() -> None:
    report = examine_base(chunks(resting(600), 6), "twin")
    assert report.wrong == ()
    assert report.imu is not None
    assert report.imu.rate_hz == pytest.approx(200, rel=0.02)


def test_missing_and_slow_cells_of_a_base_are_named() -> None:
    report = examine_base(chunks(resting(600), 6, missing=frozenset({1}), cell_hz=10), "twin")
    assert any(sentence == "load cell 2: not connected: no samples" for sentence in report.wrong)
    assert any(sentence.startswith("load cell 1: only 10 samples/s") for sentence in report.wrong)


def _with_imu_id(imu_id: int) -> DoctorReport:
    hello = encode(Kind.HELLO, 0, 0, 1, LAYOUT_HASH, 1, 1, 0x10000, 0, imu_id)
    return examine_base(
        ((t_s, hello + data[data.index(b"\0", 1) + 1 :] if k == 0 else data) for k, (t_s, data) in enumerate(heard(6))), "twin"
    )


def heard(seconds: float) -> list[tuple[float, bytes]]:
    return [(t_s, data) for t_s, data in chunks(resting(600), seconds) if data]


@pytest.mark.parametrize("imu_id", [0x70, 0x72, 0x98])
def test_known_clone_of_the_motion_chip_is_accepted_with_a_note(imu_id: int) -> None:
    report = _with_imu_id(imu_id)
    assert report.wrong == ()
    assert f"0x{imu_id:02x}" in report.notes[0]


def test_unknown_motion_chip_is_named() -> None:
    assert any("0x33" in sentence for sentence in _with_imu_id(0x33).wrong)
    assert _with_imu_id(0x68).notes == ()


def test_bad_reads_of_one_cell_of_a_base_are_counted_and_loads_are_not() -> None:
    def spoil(counts: np.ndarray, rng: np.random.Generator) -> np.ndarray:
        return np.where(rng.random(len(counts)) < 0.02, (1 << rng.integers(12, 24, len(counts))) - 1, counts).astype(np.int32)

    spoilt = examine_base(chunks(resting(600), 20, spoil=spoil), "twin")
    assert all("bad reads" in "".join(channel.wrong) for channel in spoilt.channels)
    knocked = examine_base(chunks(lambda t: at(600 + 400 * (abs(t - round(t)) < 0.012)), 10), "twin")
    assert knocked.wrong == ()


def test_weak_supply_is_told_and_a_good_one_noted() -> None:
    report = examine_base(chunks(resting(600), 3), "twin")
    good = with_self_test(report, SelfTest(0, 0, 4980, 780, 15, 0x68, 40))
    assert good.wrong == ()
    assert "supply 4.98 V" in good.notes[-1]
    assert any("3.90 V" in sentence for sentence in with_self_test(report, SelfTest(0, 0, 3900, 780, 15, 0x68, 40)).wrong)


def test_what_is_no_base_is_told() -> None:
    with pytest.raises(PalettiError, match="sends nothing"):
        examine_base(iter([]), "/dev/ttyUSB0")
    with pytest.raises(PalettiError, match="no frame of a base"):
        examine_base(iter([(0.1, b"T:21.4 ok\r\n" * 50)]), "/dev/ttyUSB0")


# ------------------------------------------------------------ real logs (absent here: skipped)


@pytest.mark.parametrize(
    ("name", "least"),
    [
        ("2021-03-27_15-16-30.txt", [18032]),
        ("2021-03-27_16-05-59.txt", [4197]),
        ("2021-03-27_16-08-06.txt", [1888, 18055]),
        ("2021-03-27_16-24-56.txt", [4174, 18032]),
        ("2021-09-25_13-20-53.txt", [26208, 2606]),
    ],
)
def test_real_bit_slips_are_found_by_the_doctor_and_kept_out_by_the_scale(name: str, least: list[int]) -> None:
    log = read_log(real(f"hx711_spikes/{name}"))
    (channel,) = examine_log(log, name).channels
    assert channel.spikes >= len(least)
    cell = CellFilter()
    accepted = [s.counts / 400 for t, g in zip(log.t_s, log.columns[:, 0], strict=True) for s in cell.feed(float(t), round(400 * g))]
    for value in least:
        assert not [g for g in accepted if abs(g - value) < 0.02 * value]
    assert len(accepted) > 0.95 * len(log.t_s)


@pytest.mark.parametrize("name", ["2021-03-27_17-41-40.txt", "2021-03-27_18-02-36.txt"])
def test_real_dead_cells_are_called_dead(name: str) -> None:
    (channel,) = examine_log(read_log(real(f"hx711_spikes/{name}")), name).channels
    assert any("dead" in sentence for sentence in channel.wrong)


def test_real_quarter_of_an_hour_of_drift_has_no_falling_tower() -> None:
    log = read_log(real("hx711_spikes/20240210_172504_longrun.txt"))
    scale, finder = Scale((Cell(0.0, 0.0, 400.0, 0.0),)), StepFinder((Cell(0.0, 0.0, 400.0, 0.0),))
    found = []
    for t_s, grams in zip(log.t_s, log.columns[:, 0], strict=True):
        scale.feed(0, float(t_s), round(400 * grams))
        for reading, weighed in scale.advance(float(t_s)):
            found += finder.step(reading, weighed.quiet, scale.noise_floor_g, scale.interval_s)
    assert not [step for step in found if step.kind.value == "swing"]


def test_real_log_of_somebody_bouncing_has_no_bad_reads() -> None:
    report = examine_log(read_log(real("hx711_4cells_nawaytes/LC1532021-143726.csv")), "bouncing")
    assert len(report.channels) == 4
    assert [channel.spikes for channel in report.channels] == [0, 0, 0, 0]


def test_real_log_without_its_time_column_is_refused() -> None:
    path = real("hx711_4cells_nawaytes/LC1432021-235247.csv")
    with pytest.raises(PalettiError, match="no time column"):
        read_log(path)
    assert len(examine_log(read_log(path, rate_hz=10.3), "dated").channels) == 4


def test_real_loose_contact_is_no_load() -> None:
    report = examine_log(read_log(real("hx711_raw_oangelo/Dados_calibrar_celula.txt")), "flips")
    assert any("two levels" in sentence for sentence in report.channels[0].wrong)
    assert any("runs backwards" in sentence for sentence in report.link)


def test_real_motion_log_is_clipped_and_a_quarter_at_rest() -> None:
    """The log says itself when the motor ran: 629 of 2511 samples at rest, the first of which still hold a handling knock."""
    path = real("mpu6050_motor_willaleyegn/motor_data_20241031_040618.csv")
    imu = examine_log(read_log(path), "motor").imu
    assert imu is not None
    assert imu.rest_share == pytest.approx(629 / 2511, abs=0.03)
    assert imu.gravity_g == pytest.approx(1.0, abs=0.05)
    assert any("clipped" in sentence for sentence in imu.wrong)
