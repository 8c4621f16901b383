"""`paletti calibrate pieces --live --base` end to end: pieces on the real firmware's scale, before cameras behind http:// addresses."""

from __future__ import annotations

import io
import os
import time
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pytest

from rig import profile as profiles
from rig.base import firmware_tool
from rig.bench.base_load import at
from rig.cli import main
from rig.errors import PalettiError
from rig.live import set_downs
from rig.messages import Laid, Standing, Tower
from rig.pieces import Colour, Column, Floor, Shape
from rig.profile.nominal import nominal_profile
from tests.live.live_table import LiveTable

pytestmark = pytest.mark.skipif(not firmware_tool.has_simulator(), reason="the AVR tools are missing: `paletti firmware build` was not run")

SEED = 6902
NOMINAL = nominal_profile(2, width_px=540, height_px=960)
NOTHING: tuple[Tower, npt.NDArray[np.float64]] = (Tower(), np.zeros(4))
HAND_AWAY_S = 0.6


def alone(column: Column, x_mm: float, y_mm: float) -> tuple[Tower, npt.NDArray[np.float64]]:
    return Tower((Standing(column, Floor.GROUND, x_mm, y_mm, 0.0, 20.0),)), at(NOMINAL.columns[column.shape].mass_g, x_mm, y_mm)


PIECES = (
    alone(Column(Colour.RED, Shape.THIN), 5.0, -8.0),
    (Tower((), (Laid(Floor.BLUE, 3.0, -4.0, 0.0, 25.0),)), at(NOMINAL.plateaus[Floor.BLUE].mass_g, 3.0, -4.0)),
    alone(Column(Colour.RED, Shape.THICK), -12.0, 4.0),
    alone(Column(Colour.RED, Shape.HEX), 0.0, 10.0),
)


class Person(io.TextIOBase):
    """Stands where the keyboard is: at every question does what was asked, takes the hand away and presses Enter."""

    def __init__(self, table: LiveTable) -> None:
        self._table = table
        self._asked = 0

    def readline(self, _: int | None = -1, /) -> str:  # type: ignore[override]
        number, self._asked = self._asked, self._asked + 1
        if number > 2 * len(PIECES):
            return "done\n"
        piece = PIECES[number // 2] if number % 2 else NOTHING  # empty, piece, off again, piece, ...
        self._table.show(*piece)
        time.sleep(HAND_AWAY_S)
        return "\n"


def test_base_that_never_speaks_is_said_and_not_taken_for_a_scale_without_news(monkeypatch: pytest.MonkeyPatch) -> None:
    ours, theirs = os.openpty()
    monkeypatch.setattr(set_downs, "WEIGH_S", 0.3)
    scale = set_downs.SetDowns(NOMINAL, os.ttyname(theirs), time.monotonic)
    try:
        with pytest.raises(PalettiError, match="does not speak"):
            scale.step_g()
    finally:
        scale.close()
        os.close(ours)
        os.close(theirs)


def test_pieces_set_down_before_live_cameras_are_seen_weighed_and_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    start, out = tmp_path / "start.json", tmp_path / "set.json"
    start.write_text(profiles.to_json(NOMINAL))
    with LiveTable(NOMINAL, SEED, {1: 0.06, 2: 0.09}) as table:
        monkeypatch.setattr("sys.stdin", Person(table))
        paths = ["--base", table.port, "--profile", str(start), "--out", str(out)]
        code = main(["calibrate", "pieces", "--live", *table.urls, *paths])
    said = capsys.readouterr()
    assert code == 0, said
    found = profiles.load(out)
    assert sorted(map(str, found.pieces.columns)) == ["red-hex-1", "red-thick-1", "red-thin-1"]
    for shape, true in NOMINAL.columns.items():
        assert found.columns[shape].mass_g == pytest.approx(true.mass_g, abs=0.6)
        assert found.columns[shape].radius_mm == pytest.approx(true.radius_mm, abs=0.8)
    assert found.plateaus[Floor.BLUE].mass_g == pytest.approx(NOMINAL.plateaus[Floor.BLUE].mass_g, abs=1.0)
    assert "not weighed" not in said.out
