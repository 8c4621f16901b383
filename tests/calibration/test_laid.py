"""The blue plateau's paint from the start position, as `paletti calibrate colours` measures it from files and before live cameras."""

from __future__ import annotations

import io
import time
from pathlib import Path

import cv2
import numpy as np
import numpy.typing as npt
import pytest

from calibration.paint_laid import measure_laid
from rig import profile as profiles
from rig.base import firmware_tool
from rig.cli import main
from rig.errors import PalettiError
from rig.messages import Laid, Tower
from rig.pieces import Floor
from rig.profile import Profile
from rig.profile.nominal import nominal_profile
from rig.twin.levels import level_named
from rig.twin.physics.poses import poses_of
from rig.twin.physics.sets import draw_set
from rig.twin.physics.towers import random_tower
from rig.twin.pictures.cameras import Eye
from tests.live.live_table import LiveTable
from vision.appearance.paints import feature_of

Picture = npt.NDArray[np.uint8]
SIZE = (540, 960)
NOMINAL = nominal_profile(2, width_px=SIZE[0], height_px=SIZE[1])
SEED = 6511


def start_of(profile: Profile, seed: int, plateau: Floor = Floor.BLUE) -> tuple[Tower, Tower]:
    """The columns on the building site, and the same with a plateau laid on them."""
    columns = random_tower(profile, seed, 0).columns
    z_mm = max(profile.columns[one.column.shape].height_mm for one in columns)
    return Tower(columns), Tower(columns, (Laid(plateau, 4.0, -6.0, z_mm, 30.0),))


def pictures(profile: Profile, seed: int, level: str, towers: tuple[Tower, ...]) -> list[dict[int, Picture]]:
    with Eye(profile, seed, level=level_named(level).pictures) as eye:
        return [dict(enumerate(eye.delivered(poses_of(profile, tower), (), 20.0 * k), 1)) for k, tower in enumerate(towers)]


@pytest.mark.parametrize(("seed", "level"), [(SEED, "lab"), (6512, "home"), (6513, "home")])
def test_blue_plateaus_paint_is_found_as_it_is_laid_on_the_columns(seed: int, level: str) -> None:
    true = draw_set(seed, 2, picture_px=SIZE).profile
    start, laid = pictures(true, seed, level, start_of(true, seed))
    away = np.abs(feature_of(measure_laid(NOMINAL, start, laid)) - feature_of(true.paint.plateaus[Floor.BLUE]))
    assert away[:2].max() < 0.25  # log chroma; the eyes' own first guess is good to 0.3


def test_another_plateau_or_none_is_said() -> None:
    start, green = pictures(NOMINAL, SEED, "lab", start_of(NOMINAL, SEED, Floor.GREEN))
    with pytest.raises(PalettiError, match="looks green, not blue"):
        measure_laid(NOMINAL, start, green)
    with pytest.raises(PalettiError, match="No camera sees a plateau where the blue one was to be laid"):
        measure_laid(NOMINAL, start, start)
    with pytest.raises(PalettiError, match="Each camera must show"):
        measure_laid(NOMINAL, start, {1: green[1]})


def test_command_writes_the_plateaus_paint_beside_the_columns(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    names = ("empty", "start", "laid")
    for name, views in zip(names, pictures(NOMINAL, SEED, "lab", (Tower(), *start_of(NOMINAL, SEED))), strict=True):
        for number, picture in views.items():
            cv2.imwrite(str(tmp_path / f"{name}-{number}.png"), picture)
    empty, start, laid = ([str(tmp_path / f"{name}-{number}.png") for number in (1, 2)] for name in names)
    (tmp_path / "first.json").write_text(profiles.to_json(NOMINAL))
    out = tmp_path / "out.json"
    given = ["--profile", str(tmp_path / "first.json"), "--out", str(out)]
    assert main(["calibrate", "colours", "--empty", *empty, "--images", *start, "--laid", *laid, *given]) == 0
    assert "blue plateau: (" in capsys.readouterr().out
    found = profiles.load(out).paint
    assert found.plateaus[Floor.BLUE] != NOMINAL.paint.plateaus[Floor.BLUE]
    assert found.plateaus[Floor.GREEN] == NOMINAL.paint.plateaus[Floor.GREEN]


class Person(io.TextIOBase):
    """Does what is asked before live cameras: clears the base, shows plateaus alone, stands the columns up, lays the blue one."""

    def __init__(self, table: LiveTable, towers: tuple[Tower, ...]) -> None:
        self._table, self._towers = table, list(towers)

    def readline(self, _: int | None = -1, /) -> str:  # type: ignore[override]
        self._table.show(self._towers.pop(0), np.zeros(4))
        time.sleep(0.6)
        return "\n"


@pytest.mark.skipif(not firmware_tool.has_simulator(), reason="the AVR tools are missing: `paletti firmware build` was not run")
def test_start_position_before_network_cameras_is_measured_and_their_missing_controls_are_said(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "first.json").write_text(profiles.to_json(NOMINAL))
    out = tmp_path / "out.json"
    others = [plateau for plateau in NOMINAL.pieces.plateaus if plateau is not Floor.BLUE]
    alone = tuple(Tower((), (Laid(plateau, 0.0, 0.0, 0.0, 0.0),)) for plateau in others)
    with LiveTable(NOMINAL, SEED, {1: 0.06, 2: 0.09}) as table:
        monkeypatch.setattr("sys.stdin", Person(table, (Tower(), *alone, *start_of(NOMINAL, SEED))))
        code = main(["calibrate", "colours", "--live", *table.urls, "--profile", str(tmp_path / "first.json"), "--out", str(out)])
    said = capsys.readouterr()
    assert code == 0, said
    assert said.out.count("has no controls here") == 2
    found = profiles.load(out).paint
    for colour, rgb in found.columns.items():
        away = {known: np.linalg.norm((feature_of(rgb) - feature_of(paint))[:2]) for known, paint in NOMINAL.paint.columns.items()}
        assert min(away, key=lambda known: float(away[known])) is colour
    for plateau, rgb in found.plateaus.items():
        assert np.abs(feature_of(rgb) - feature_of(NOMINAL.paint.plateaus[plateau]))[:2].max() < 0.25, plateau
