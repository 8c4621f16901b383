"""The exam's figures say what was examined, and stand beside those of another exam."""

from __future__ import annotations

from pathlib import Path

import msgspec
import pytest

from rig.errors import PalettiError
from rig.exam import report
from rig.exam.counts import Tally
from rig.exam.games import Options, Result

RESULT = Result(7, raises=Tally(28, 29, 25), games_perfect=Tally(1, 2), hours=0.1, wall_hours=0.2, cpu_hours=0.08)


def test_table_and_json_say_which_world_it_was() -> None:
    options = Options(level="home", world="B")
    assert "level home, world B, seeds 7 to 8" in report.table(RESULT, "games", options, [7, 8]).splitlines()[0]
    figures = msgspec.json.decode(report.as_json(RESULT, "games", options, [7, 8]))
    assert (figures["examined"], figures["level"], figures["world"], figures["seeds"]) == ("games", "home", "B", [7, 8])
    assert (figures["real_time_factor"], figures["real_time_factor_of_one_core"]) == (0.5, 1.25)
    assert "0.50 times real time each, 1.25 by one core's processor time" in report.table(RESULT, "games", options, [7, 8])
    assert figures["raises"] == {"right": 28, "n": 29, "unaided": 25}


def test_world_b_stands_beside_world_a(tmp_path: Path) -> None:
    earlier = tmp_path / "a.json"
    earlier.write_bytes(report.as_json(Result(1, raises=Tally(60, 60)), "situations", Options(level="home"), [1, 90]))
    lines = report.beside(RESULT, Options(level="home", world="B"), report.read_json(earlier)).splitlines()
    assert lines[0].split() == ["level", "home,", "world", "B", "level", "home,", "world", "A"]
    [raises] = [line for line in lines if line.split()[0] == "raises"]
    assert raises.split() == ["raises", "28", "of", "29", "(82.8%", "to", "99.4%)", "60", "of", "60", "(94.0%", "to", "100.0%)"]
    [aborts] = [line for line in lines if line.split()[0] == "aborts"]
    assert aborts.split() == ["aborts", "-", "-"]


@pytest.mark.parametrize(("content", "sentence"), [(b"no", "cannot be read"), (b'{"level": "lab"}', "has no world")])
def test_what_is_no_exams_file_is_told(content: bytes, sentence: str, tmp_path: Path) -> None:
    wrong = tmp_path / "wrong.json"
    wrong.write_bytes(content)
    with pytest.raises(PalettiError, match=sentence):
        report.read_json(wrong)


def test_a_file_that_is_not_there_is_told(tmp_path: Path) -> None:
    with pytest.raises(PalettiError, match=r"none\.json cannot be read"):
        report.read_json(tmp_path / "none.json")
