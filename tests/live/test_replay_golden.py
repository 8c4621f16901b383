"""A committed recording of a short game replays to its golden rulings, with the eyes looking again and with the recorded ones."""

from __future__ import annotations

from pathlib import Path

import pytest

from rig.cli.main import main

DATA = Path(__file__).parents[1] / "data"
RECORDING, GOLDEN = DATA / "short_game.mcap", DATA / "short_game.rulings.jsonl"


@pytest.mark.parametrize("eyes", [[], ["--recorded-eyes"]])
def test_the_recorded_game_is_ruled_as_it_was(eyes: list[str]) -> None:
    assert main(["replay", str(RECORDING), "--check", str(GOLDEN), *eyes]) == 0


def test_other_rulings_than_the_golden_ones_are_told(tmp_path: Path) -> None:
    other = tmp_path / "other.jsonl"
    other.write_bytes(b"".join(GOLDEN.read_bytes().splitlines(keepends=True)[:-1]))
    assert main(["replay", str(RECORDING), "--check", str(other), "--recorded-eyes"]) == 1
