"""The pages of figures are what the benches' files give, and a bench's file says where its figures are from."""

from __future__ import annotations

import argparse
import subprocess
import sys
from pathlib import Path

import pytest

from rig.bench import results, write_results
from rig.bench.__main__ import BENCHES
from rig.bench.results import Figure, Machine, Measurement, add_json, in_words, measured, read, variant
from rig.bench.write_results import BEGIN, END, HEADLINES, MOST_HEADLINES, README, RESULTS, Headline
from rig.errors import PalettiError

ONE = Measurement(
    "link",
    "About | it.",
    "python -m rig.bench.bench_link",
    "abc1234",
    "2026-01-02",
    "1 to 3",
    4.0,
    Machine("A chip", 2, 8.0, "3.11.1", {"numpy": "2.0"}, 0.5),
    (Figure("frames right", 200, right=199, low=0.972, high=0.999, span="95 % interval"), Figure("rate", 5, 1234.5, "frames/s")),
)


def test_the_results_page_is_what_the_files_give() -> None:
    assert RESULTS.read_text(encoding="utf-8") == write_results.results_page(write_results.measurements()), (
        "run python -m rig.bench.write_results"
    )


def test_the_readme_s_figures_are_what_the_files_give() -> None:
    table = write_results.headline_table(write_results.measurements())
    text = README.read_text(encoding="utf-8")
    if BEGIN in text:
        assert write_results.with_table(text, table) == text, "run python -m rig.bench.write_results"
    assert len(HEADLINES) <= MOST_HEADLINES


def test_a_page_has_figure_n_interval_command_commit_and_date() -> None:
    page = write_results.results_page([ONE])
    for words in ("199 = 99.5 %", "97.2 to 99.9 %", "| 200 |", "1,234 frames/s", ONE.command, ONE.commit, ONE.date, "1 to 3", "A chip"):
        assert words in page


def test_a_headline_stands_with_its_n_and_a_link_to_its_section() -> None:
    table = write_results.headline_table([ONE], [Headline("link", "frames right", "Frames")])
    assert "| Frames | 99.5 % (97.2 to 99.9) | 200 | [link](rig/bench/RESULTS.md#link) |" in table
    with pytest.raises(PalettiError, match="no figure"):
        write_results.headline_table([ONE], [Headline("link", "another", "Frames")])
    with pytest.raises(PalettiError, match="11 rows"):
        write_results.headline_table([ONE], [Headline("link", "rate", "Rate")] * 11)


def test_the_table_stands_between_its_markers_or_nowhere() -> None:
    assert write_results.with_table(f"a\n{BEGIN}\nold\n{END}\nb", "new") == f"a\n{BEGIN}\nnew\n{END}\nb"
    with pytest.raises(PalettiError, match="lacks"):
        write_results.with_table("no markers", "new")


def test_a_bench_writes_what_it_measured_and_where(tmp_path: Path) -> None:
    path = tmp_path / "some" / "link.json"
    with measured(path, range(7, 10), "First\nparagraph.\n\nSecond.") as found:
        found.share("right", 9, 10)
        found.median("time", [1.0, 2.0, 9.0], "ms")
        found.rms("error", [-3.0, 4.0], "g")
    kept = read(path)
    assert (kept.name, kept.about, kept.seeds) == ("link", "First paragraph.", "7 to 9")
    assert kept.machine.cores >= 1 and kept.commit and kept.date and kept.command.startswith("python -m rig.bench.")
    right, time, error = kept.figures
    assert (right.right, right.n) == (9, 10) and right.low is not None and 0.59 < right.low < 0.6
    assert (time.what, time.value, time.n) == ("time, median", 2.0, 3)
    assert (error.value, error.low, error.high) == (pytest.approx(12.5**0.5), -3.0, 4.0)


def test_a_bench_that_fails_leaves_the_last_whole_run(tmp_path: Path) -> None:
    path = tmp_path / "link.json"
    with measured(path, "none", "x") as found:
        found.number("rate", 1.0, "Hz", 1)
    before = path.read_bytes()
    with pytest.raises(KeyboardInterrupt), measured(path, "none", "x"):
        raise KeyboardInterrupt
    assert path.read_bytes() == before


def test_two_figures_of_one_name_are_refused() -> None:
    with measured(None, "none", "x") as found:
        found.number("rate", 1.0, "Hz", 1)
        with pytest.raises(PalettiError, match="two figures"):
            found.number("rate", 2.0, "Hz", 1)


def test_a_broken_file_is_refused_with_what_to_do(tmp_path: Path) -> None:
    path = tmp_path / "x.json"
    path.write_text("{}")
    with pytest.raises(PalettiError, match="Run the bench again"):
        read(path)


def test_the_command_is_kept_without_the_file_s_name(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.argv", ["somewhere/bench_link.py", "--frames", "9", "--json", "x.json"])
    assert results.this_command() == "python -m rig.bench.bench_link --frames 9"


def test_a_variant_has_a_file_of_its_own_unless_one_is_named(tmp_path: Path) -> None:
    parser = argparse.ArgumentParser()
    add_json(parser, "reading")
    assert variant(parser.parse_args([]).json, "reading-tilts") == results.FOLDER / "reading-tilts.json"
    assert variant(parser.parse_args(["--json", str(tmp_path / "a.json")]).json, "reading-tilts") == tmp_path / "a.json"
    assert variant(parser.parse_args(["--no-json"]).json, "reading-tilts") is None


def test_numbers_are_told_with_the_digits_that_matter() -> None:
    assert in_words(Figure("x", 3, 0.12345, "g")) == "0.123 g, n = 3"
    assert in_words(Figure("x", 3, 12345.6)) == "12,346, n = 3"


def test_every_bench_stands_in_the_table_of_benches_and_notes_its_figures() -> None:
    page = (RESULTS.parent / "README.md").read_text(encoding="utf-8")
    assert [line.split("`")[1] for line in page.splitlines() if line.startswith("| `")] == list(BENCHES)
    for name in BENCHES:
        source = (RESULTS.parent / f"bench_{name}.py").read_text(encoding="utf-8")
        assert "add_json(" in source and "measured(" in source, name


def test_a_bench_that_is_not_there_is_named() -> None:
    done = subprocess.run([sys.executable, "-m", "rig.bench", "nothing"], capture_output=True, text=True, check=False)
    assert done.returncode == 2 and "no bench 'nothing'" in done.stderr
