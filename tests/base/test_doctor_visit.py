"""Visiting a base: one that answers nothing, one that is watched while its cables come off, and the report for others."""

from __future__ import annotations

import io
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from rich.console import Console

from rig.base.doctor.patient import examine_base
from rig.base.doctor.report_file import raw_of, report_text, without_names
from rig.base.doctor.visit import visit
from rig.base.doctor.watch import Condition, LiveWatch
from rig.base.frames import FrameDecoder, Load, encode
from rig.base.protocol import Kind
from rig.bench.base_scenario import chunks, resting
from rig.cli import main
from rig.cli.doctor_watch import watch
from rig.errors import PalettiError


class Wire:
    """A base's stream read in its own time; `answers`: its RX line is whole. `gone_s`: the plug is out between these times."""

    url = "/dev/ttyUSB0"

    def __init__(self, stream: Iterator[tuple[float, bytes]], answers: bool = True, gone_s: tuple[float, float] = (1e9, 1e9)) -> None:
        self._stream, self._answers, self._gone_s = stream, answers, gone_s
        self.now_s, self._answer = 0.0, b""

    def clock(self) -> float:
        return self.now_s

    def read(self) -> bytes:
        self.now_s, data = next(self._stream, (self.now_s + 0.01, b""))
        if self._gone_s[0] <= self.now_s < self._gone_s[1]:
            raise PalettiError("The base on /dev/ttyUSB0 has gone.", "Check its cable; it is used again as soon as it is back.")
        data, self._answer = data + self._answer, b""
        return data

    def write(self, data: bytes) -> None:
        if self._answers and len(data) > 8:
            self._answer = b"\0" + encode(Kind.SELF_TEST, 9, 6, 4980, 780, 15, 0x68, 40)


def unplugging(number: int, from_s: float, to_s: float, seconds: float) -> Iterator[tuple[float, bytes]]:
    """A resting base whose load cell `number` sends nothing for a while."""
    for t_s, data in chunks(resting(800), seconds):
        kept = []
        for piece in data.split(b"\0"):
            frames = FrameDecoder().feed(piece + b"\0") if piece else []
            if piece and not (frames and isinstance(frames[0], Load) and frames[0].cell == number - 1 and from_s < t_s < to_s):
                kept.append(piece + b"\0")
        yield t_s, b"".join(kept)


def test_a_base_that_answers_is_well_and_has_tested_itself() -> None:
    wire = Wire(chunks(resting(800), 9))
    found = visit(wire, 5.0, clock=wire.clock)
    assert found.report.wrong == ()
    assert found.report.notes[-1].startswith("self-test: supply 4.98 V")


def test_a_base_that_streams_but_answers_nothing_keeps_its_table_and_has_one_finding() -> None:
    wire = Wire(chunks(resting(800), 9), answers=False)
    found = visit(wire, 5.0, clock=wire.clock)
    assert [round(channel.rate_hz, -1) for channel in found.report.channels] == [80] * 4
    (sentence,) = found.report.wrong
    assert "answers no command" in sentence
    assert "RX pin" in sentence


def test_a_plug_pulled_while_listening_leaves_what_was_heard() -> None:
    wire = Wire(chunks(resting(800), 9), gone_s=(4.0, 99.0))
    report = visit(wire, 8.0, clock=wire.clock).report
    assert report.channels[0].samples > 200
    assert any("has gone" in sentence for sentence in report.wrong)


# ------------------------------------------------------------ the watch


def test_a_wiggled_cable_shows_live_with_its_changes() -> None:
    patient, seen = LiveWatch(), {}
    for t_s, data in unplugging(3, 4.0, 6.0, 8):
        patient.hear(t_s, data)
        seen[round(t_s, 2)] = patient.look(t_s)
    third = {t_s: seen[t_s].channels[2] for t_s in (3.5, 5.0, 7.5)}
    assert [third[t_s].condition for t_s in (3.5, 5.0, 7.5)] == [Condition.WELL, Condition.ILL, Condition.WELL]
    assert third[5.0].state == "not connected"
    assert 4.0 < third[5.0].since_s < 4.6
    assert seen[8.0].channels[2].rate_hz == pytest.approx(80, rel=0.1)
    changes = [change.split("  ")[-1] for change in seen[7.5].changes]  # between the two it may say that few samples came meanwhile
    assert "load cell 3: not connected" in changes and changes[-1] == "load cell 3: good"
    assert all(seen[5.0].channels[k].condition is Condition.WELL for k in (0, 1, 3, 4))


def test_the_watch_draws_words_and_goes_on_when_the_plug_is_out() -> None:
    wire = Wire(chunks(resting(800), 6), gone_s=(3.0, 3.2))
    paper = io.StringIO()
    console = Console(file=paper, force_terminal=True, width=110, color_system=None)
    assert watch(wire, 5.0, console, wire.clock, pause=lambda _: None) == 0
    drawn = paper.getvalue()
    assert re.search(r"load cell 2 .*good", drawn)
    assert "motion chip" in drawn
    assert "The base on /dev/ttyUSB0 has gone." in drawn


# ------------------------------------------------------------ the report


def test_a_report_can_be_examined_again_and_finds_the_same(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    wire = Wire(unplugging(2, 3.0, 99.0, 12))
    found = visit(wire, 8.0, clock=wire.clock)
    text = report_text(["a line"], found.report.versions, found.raw)
    again = examine_base(iter(raw_of(text)), "report")
    assert [channel.samples for channel in again.channels] == [channel.samples for channel in found.report.channels]
    (tmp_path / "report.txt").write_text(text)
    assert main(["doctor", str(tmp_path / "report.txt")]) == 1
    assert "load cell 2: not connected since 3.0 s" in capsys.readouterr().out


def test_a_report_of_a_log_holds_versions_table_findings_and_raw_lines_and_no_folder(tmp_path: Path) -> None:
    folder = tmp_path / "anna"
    folder.mkdir()
    rows = [f"{k / 10},{50 + k % 7 / 10},0" for k in range(900)]
    (folder / "log.csv").write_text("time,left,right\n" + "\n".join(rows))
    assert main(["doctor", "--log", str(folder / "log.csv"), "--report", str(tmp_path / "report.txt")]) == 1
    text = (tmp_path / "report.txt").read_text()
    assert "right: dead: 0" in text
    assert "Python 3." in text
    assert text.splitlines()[-1] == rows[-1]
    assert len(text.splitlines()) < 140
    assert "anna" not in text


@pytest.mark.parametrize(
    ("line", "kept"),
    [
        ("/home/anna/logs/a.csv: 20 s", "a.csv: 20 s"),
        ("../anna/a.csv: 20 s", "a.csv: 20 s"),
        ("camera 1 (rtsp://anna:secret@10.0.0.2/live) is dark", "camera 1 (rtsp://10.0.0.2/live) is dark"),
        ("/dev/ttyUSB0: 10.0 s, counts", "/dev/ttyUSB0: 10.0 s, counts"),
        ("at 2, 1/2 or 1/4 of its counts", "at 2, 1/2 or 1/4 of its counts"),
        ("  cell   samples/s", "  cell   samples/s"),
    ],
)
def test_a_report_names_nobody(line: str, kept: str) -> None:
    assert without_names(line) == kept


@pytest.mark.parametrize("arguments", [["--watch", "--json"], ["--seconds", "-1"], ["--report", "nowhere/at/all.txt", "--log", "LOG"]])
def test_unusable_options_are_refused_with_a_sentence(
    arguments: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("LOG").write_text("time,g\n" + "\n".join(f"{k / 10},{k % 7}" for k in range(90)))
    assert main(["doctor", *arguments]) == 2
    assert capsys.readouterr().err.startswith("paletti: ")


def test_a_damaged_report_is_refused_with_its_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    wire = Wire(chunks(resting(800), 5))
    text = report_text([], (), visit(wire, 3.0, clock=wire.clock).raw)
    (tmp_path / "report.txt").write_text(text + "1.0 %%%\n")
    assert main(["doctor", str(tmp_path / "report.txt")]) == 2
    assert "of the report is damaged" in capsys.readouterr().err
