"""What people do with a board that is not what the procedure means: bursts and copies, mirrored pictures, a row too many, cameras in any
order. The truth is the lens that drew the pictures."""

from __future__ import annotations

from pathlib import Path

import cv2
import numpy as np
import pytest

from calibration.boards import parse_board
from calibration.guidance import guide
from calibration.views import lens_of
from rig import profile as profiles
from rig.bench.board_views import Held, photograph
from rig.cli.main import main
from rig.errors import PalettiError
from rig.messages import Tower
from rig.profile.nominal import nominal_profile
from rig.twin.pictures.cameras import render_tower
from tests.calibration.test_lens import CHARUCO, GRID, LENS, Grey, pictures_in, real, views
from vision.camera.markers import pose_from


def mirrored(pictures: dict[str, Grey]) -> dict[str, Grey]:
    return {name: np.ascontiguousarray(picture[:, ::-1]) for name, picture in pictures.items()}


def test_burst_of_two_views_is_no_set_of_views() -> None:
    held = (Held(30, 0, 0, 0, 0, 180), Held(0, -30, 0, 0, 0, 190))
    burst = {f"{k}": photograph(CHARUCO, LENS, held[k % 2], k) for k in range(8)}
    report = lens_of(burst, CHARUCO)
    assert not report.good
    assert any("8 pictures show only 2 different views" in sentence for sentence in report.sentences)


def test_copies_change_neither_the_lens_nor_how_well_it_is_known() -> None:
    once = views(CHARUCO)
    twice = once | {f"copy of {name}": picture for name, picture in once.items()}
    alone, copied = lens_of(once, CHARUCO), lens_of(twice, CHARUCO)
    assert copied.focal_sd_px == pytest.approx(alone.focal_sd_px, rel=1e-3)
    assert len(copied.views) == len(alone.views)
    assert "a view counts once" in dict(copied.skipped)["copy of view 0"]


@real
def test_real_views_that_are_refused_stay_refused_when_each_is_there_six_times() -> None:
    board = parse_board("charuco:7x5:20mm:10mm:DICT_6X6_250")
    shown = {name: picture for name, picture in pictures_in("charuco_industrial_saroj").items() if name in ("1.jpg", "2.jpg", "7.jpg")}
    copies = {f"{k} {name}": picture for k in range(6) for name, picture in shown.items()}
    alone, copied = lens_of(shown, board), lens_of(copies, board)
    assert not alone.good
    assert not copied.good
    assert copied.focal_sd_px == pytest.approx(alone.focal_sd_px, rel=1e-3)


@pytest.mark.parametrize("board", [CHARUCO, GRID], ids=["charuco", "grid"])
def test_mirrored_pictures_are_called_mirrored(board: object) -> None:
    declared = CHARUCO if board is CHARUCO else GRID
    with pytest.raises(PalettiError, match="mirrored: switch off the camera's selfie mode"):
        lens_of(mirrored(dict(list(views(declared).items())[:4])), declared)


def test_mirrored_live_camera_is_told_when_no_picture_can_be_taken() -> None:
    picture = mirrored({"": photograph(CHARUCO, LENS, Held(0, 0, 0, 0, 0, 160))})[""]
    with pytest.raises(PalettiError, match="mirrored"):
        guide(CHARUCO, lambda: picture, lambda _: None, patience=3)


def test_mirrored_picture_of_the_rig_is_called_mirrored() -> None:
    profile = nominal_profile(cameras=1)
    picture = render_tower(profile, Tower(), 3, cameras=1)[0]
    assert pose_from(picture, profile, profile.cameras[0], 0).pose is not None
    said = pose_from(np.ascontiguousarray(picture[:, ::-1]), profile, profile.cameras[0], 0)
    assert said.pose is None
    assert "mirrored: switch off its selfie mode" in said.sentence


@pytest.mark.parametrize(
    ("declared", "words"),
    [("charuco:7x6:20mm:14mm:DICT_5X5_100", "last row of the 7x6 board"), ("grid:4x4:30mm:8mm:DICT_4X4_100", "last row of the 4x4 board")],
)
def test_row_too_many_declared_is_said_with_the_size_that_was_seen(declared: str, words: str) -> None:
    board = parse_board(declared)
    true = CHARUCO if "charuco" in declared else GRID
    report = lens_of(views(true), board)
    assert any(words in remark and f"{true.columns}x{true.rows}" in remark for remark in report.remarks)
    assert not any("No picture shows" in remark for remark in lens_of(views(true), true).remarks)


def test_lenses_come_together_in_one_profile_whatever_their_order(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    names = [f"{k}.png" for k in range(len(views(CHARUCO)))]
    for name, picture in zip(names, views(CHARUCO).values(), strict=True):
        cv2.imwrite(name, picture)
    for number, said in (("3", "Not yet: camera 1, 2."), ("1", "Not yet: camera 2."), ("2", "Lenses measured: camera 1, 2, 3.")):
        assert main(["calibrate", "camera", "--board", str(CHARUCO), "--images", *names, "--camera", number]) == 0
        assert said in capsys.readouterr().out
    made = profiles.load(tmp_path / "profile.json")
    assert [camera.number for camera in made.cameras] == [1, 2, 3]
    assert {camera.model.fx_px for camera in made.cameras} == {made.cameras[0].model.fx_px}
