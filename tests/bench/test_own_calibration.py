"""The stand-ins by which our own calibration is measured: the board in a hand shows the true lens, refused rigs are not handed out."""

from __future__ import annotations

from pathlib import Path

import msgspec
import numpy as np
import pytest

from calibration.guidance import guide
from calibration.tower import BOARD
from calibration.views import lens_of
from rig.bench import own_calibration
from rig.bench.board_in_hand import BoardInHand
from rig.bench.own_calibration import CalibrationOutcome, calibrated_rig
from rig.errors import PalettiError
from rig.pieces import Floor
from rig.profile.nominal import nominal_profile, portrait_camera
from rig.twin.levels import level_named
from rig.twin.physics.sets import draw_set
from rig.twin.pictures.lenses import draw_lens


def test_board_in_hand_is_what_the_guide_asks_for_and_shows_the_lens_it_is_seen_through() -> None:
    true = draw_lens(portrait_camera(540, 960), 6801, 1, 1.0)
    background = np.full((true.height_px, true.width_px, 3), 120, np.uint8)
    hand = BoardInHand(true, background, level_named("home").pictures, 6801, 1, coarse=False, quality=85)
    report = lens_of(guide(BOARD, hand.take, hand.told, patience=120), BOARD)
    assert report.good
    assert report.model.fy_px == pytest.approx(true.fy_px, rel=0.004)
    assert (report.model.cx_px, report.model.cy_px) == pytest.approx((true.cx_px, true.cy_px), abs=3.0)


def test_known_rig_comes_from_the_folder_and_a_refused_one_is_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    made: list[int] = []

    def made_up(seed: int, cameras: int, level: str, world: str) -> CalibrationOutcome:
        made.append(seed)
        if seed != 1:
            return CalibrationOutcome(seed, cameras, level, world, {}, "The board was held too much alike.")
        return CalibrationOutcome(seed, cameras, level, world, {}, "", nominal_profile(cameras))

    monkeypatch.setattr(own_calibration, "calibrate", made_up)
    for _ in range(2):
        true, known = calibrated_rig(1, 2, "home", "A", tmp_path)
    assert made == [1]  # the second time it was read
    assert (true, known) == (draw_set(1, 2).profile, nominal_profile(2))
    with pytest.raises(PalettiError, match="refused set 2: The board was held"):
        calibrated_rig(2, 2, "home", "A", tmp_path)
    assert msgspec.json.decode((tmp_path / "home-A-2" / "2.json").read_bytes())["profile"] is None


def test_outline_turned_as_it_lay_covers_the_true_one_again() -> None:
    size = draw_set(6802, 1).profile.plateaus[Floor.GREEN]
    assert own_calibration._overlap(own_calibration._turned(own_calibration._turned(size, 73.0), -73.0), size) > 0.999
    assert own_calibration._overlap(own_calibration._turned(size, 73.0), size) < 0.9
