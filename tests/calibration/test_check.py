"""What `calibrate check` says of cameras: right, moved, swapped, cropped, in another mode, of another rig; by the twin's pictures."""

from __future__ import annotations

import json
import re
from pathlib import Path

import cv2
import msgspec
import numpy as np
import numpy.typing as npt
import pytest

from calibration.check import check_cameras, draw_check, ghost_tower
from calibration.delay import camera_delay
from calibration.pose import pose_cameras
from rig import profile as profiles
from rig.base.code_light import CODE_PERIOD_S, code_level
from rig.cli import main
from rig.messages import Tower
from rig.pieces import Floor
from rig.profile import Profile
from rig.profile.nominal import nominal_profile
from rig.twin.physics.poses import poses_of
from rig.twin.pictures.cameras import Eye, render_tower

Picture = npt.NDArray[np.uint8]
NOMINAL = nominal_profile(2)
SEED = 6401


@pytest.fixture(scope="module")
def pictures() -> list[Picture]:
    return render_tower(NOMINAL, Tower(), SEED)


@pytest.fixture(scope="module")
def calibrated(pictures: list[Picture]) -> Profile:
    return pose_cameras(NOMINAL, {1: [pictures[0]], 2: [pictures[1]]})[0]


def said(profile: Profile, *pictures: Picture) -> list[str]:
    return [" ".join(check.sentences) for check in check_cameras(profile, dict(enumerate(pictures, 1)))]


def test_rig_as_it_was_calibrated_is_good(calibrated: Profile, pictures: list[Picture]) -> None:
    checks = check_cameras(calibrated, {1: pictures[0], 2: pictures[1]})
    assert all(check.good for check in checks)
    assert all(check.moved_px < 1.0 and check.cropped == 0.0 for check in checks)


def test_two_cameras_swapped_are_told_apart_from_moved_ones(calibrated: Profile, pictures: list[Picture]) -> None:
    first, second = said(calibrated, pictures[1], pictures[0])
    assert "what camera 2 saw" in first
    assert "swapped" in first
    assert "what camera 1 saw" in second


def test_camera_moved_since_calibration_is_said_with_pixels(calibrated: Profile, pictures: list[Picture]) -> None:
    moved = cv2.warpAffine(pictures[0], np.array(((1.0, 0, 12), (0, 1, 9))), (720, 1280), borderMode=cv2.BORDER_REPLICATE)
    assert "has moved by 15 px" in said(calibrated, np.asarray(moved, np.uint8))[0]


def test_4_to_3_mode_is_said_by_size_and_by_shape_when_stretched(calibrated: Profile, pictures: list[Picture]) -> None:
    classic = np.asarray(cv2.resize(pictures[0], (480, 640)), np.uint8)
    assert re.search(r"480x640 \(4:3\), but was calibrated at 720x1280 \(16:9\)", said(calibrated, classic)[0])
    stretched = np.asarray(cv2.resize(pictures[0][160:1120], (720, 1280)), np.uint8)
    assert "only as a 4:3 mode stretched" in said(calibrated, stretched)[0]


def test_picture_turned_on_its_side_is_said(calibrated: Profile, pictures: list[Picture]) -> None:
    assert "turn_deg" in said(calibrated, np.asarray(cv2.rotate(pictures[0], cv2.ROTATE_90_CLOCKWISE), np.uint8))[0]


def test_profile_of_another_rig_is_said(calibrated: Profile, pictures: list[Picture]) -> None:
    other = msgspec.structs.replace(calibrated.markers, dictionary="DICT_5X5_100")
    assert "profile of another rig" in said(msgspec.structs.replace(calibrated, markers=other), *pictures)[0]
    ids = [marker.id for marker in calibrated.markers.markers]
    shuffled = np.random.default_rng(4).permutation(ids)
    markers = tuple(msgspec.structs.replace(m, id=int(k)) for m, k in zip(calibrated.markers.markers, shuffled, strict=True))
    otherwise = msgspec.structs.replace(calibrated, markers=msgspec.structs.replace(calibrated.markers, markers=markers))
    assert "fit no pose" in said(otherwise, *pictures)[0]


def test_view_that_crops_the_ghost_is_refused_with_side_pixels_and_degrees(calibrated: Profile, pictures: list[Picture]) -> None:
    model = calibrated.cameras[0].model
    low = msgspec.structs.replace(calibrated.cameras[0], model=msgspec.structs.replace(model, height_px=1000, cy_px=model.cy_px - 280))
    sentence = said(msgspec.structs.replace(calibrated, cameras=(low,)), np.ascontiguousarray(pictures[0][280:]))[0]
    assert re.search(r"cuts off \d+ % of a five-floor tower: \d+ px are missing at the top\. Turn it up by \d+ degrees", sentence)


def test_view_too_close_is_told_by_how_much_to_move_back(calibrated: Profile, pictures: list[Picture]) -> None:
    model = msgspec.structs.replace(calibrated.cameras[0].model, height_px=560, cy_px=calibrated.cameras[0].model.cy_px - 360)
    near = msgspec.structs.replace(calibrated, cameras=(msgspec.structs.replace(calibrated.cameras[0], model=model),))
    assert re.search(r"move it back by about \d+ cm", said(near, np.ascontiguousarray(pictures[0][360:920]))[0])


@pytest.mark.parametrize(("level", "word"), [(2, "dark"), (128, "blank")])
def test_covered_lens_is_a_sentence(calibrated: Profile, pictures: list[Picture], level: int, word: str) -> None:
    assert word in said(calibrated, np.full_like(pictures[0], level))[0]


def test_ghost_has_five_floors_and_every_column_of_the_set() -> None:
    ghost = ghost_tower(NOMINAL)
    assert [laid.plateau for laid in ghost.plateaus] == [floor for floor in Floor if floor is not Floor.GROUND]
    assert len(ghost.columns) == len(NOMINAL.pieces.columns)
    assert max(standing.z_mm for standing in ghost.columns) > 500


def test_overlay_draws_model_ghost_and_words_without_touching_the_picture(calibrated: Profile, pictures: list[Picture]) -> None:
    before = pictures[0].copy()
    (check,) = check_cameras(calibrated, {1: pictures[0]})
    drawn = draw_check(pictures[0], calibrated, check)
    assert np.array_equal(before, pictures[0])
    changed = np.abs(drawn.astype(int) - before).max(2) > 20
    assert changed[:640].mean() > 0.03  # the ghost's upper floors
    assert changed[1000:].any()  # the markers


def test_command_checks_pictures_writes_the_overlay_and_answers_by_its_exit_code(
    calibrated: Profile, pictures: list[Picture], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for number, picture in enumerate(pictures, 1):
        cv2.imwrite(str(tmp_path / f"{number}.png"), picture)
    (tmp_path / "p.json").write_text(profiles.to_json(calibrated))
    where = ["--profile", str(tmp_path / "p.json"), "--images"]
    right = [*where, str(tmp_path / "1.png"), str(tmp_path / "2.png")]
    assert main(["calibrate", "check", *right, "--json", "--overlay", str(tmp_path / "o.png")]) == 0
    assert [camera["sentences"] for camera in json.loads(capsys.readouterr().out)["cameras"]] == [[], []]
    assert cv2.imread(str(tmp_path / "o.png")).shape == (1280, 1440, 3)
    assert main(["calibrate", "check", *where, str(tmp_path / "2.png"), str(tmp_path / "1.png")]) == 1
    assert "swapped" in capsys.readouterr().out
    assert main(["calibrate", "check", *where, str(tmp_path / "none.png")]) == 2
    assert main(["calibrate", "check", *right, "--overlay", str(tmp_path / "no" / "o.png")]) == 2


# ---------------------------------------------------------------- the code light


def lit(count: int, delay_s: float, camera_seed: int, gap_s: float = 1 / 15, jitter_s: float = 0.004) -> tuple[list[Picture], list[float]]:
    """Pictures of the twin's rig with its code light, and when they arrived on the base's clock."""
    rng = np.random.default_rng(camera_seed)
    small = nominal_profile(1, width_px=360, height_px=640)
    arrived, shown = [], []
    with Eye(small, SEED, code_light=True) as eye:
        poses = poses_of(small, Tower())
        for k in range(count):
            middle_s = 100.0 + k * gap_s
            code = float(code_level(middle_s + 0.005, 0.01))
            shown.append(eye.webcam(eye.see(poses, (), 0.0, code)[0]))
            arrived.append(middle_s + delay_s + float(rng.normal(0, jitter_s)))
    return shown, arrived


@pytest.mark.parametrize("delay_s", [0.043, 0.118])
def test_delay_is_found_by_the_code_light_within_its_stated_uncertainty(delay_s: float) -> None:
    pictures, arrived = lit(70, delay_s, 3)
    found = camera_delay(1, pictures, arrived)
    assert found.delay_s is not None, found.sentence
    assert found.sd_s < 0.01
    assert found.delay_s == pytest.approx(delay_s, abs=max(3 * found.sd_s, 0.006))
    assert found.light_px is not None


def test_light_that_is_off_and_a_frozen_camera_are_sentences() -> None:
    pictures, arrived = lit(30, 0.05, 4)
    dark = camera_delay(1, [pictures[0] // 2 + np.uint8(k % 3) for k in range(30)], arrived)
    assert dark.delay_s is None
    assert "does not see the code light" in dark.sentence
    assert "frozen" in camera_delay(1, [pictures[0]] * 30, arrived).sentence
    assert "are needed" in camera_delay(1, pictures[:5], arrived[:5]).sentence


def test_lamp_that_flickers_is_not_taken_for_the_code() -> None:
    pictures, arrived = lit(60, 0.05, 5)
    fooled = []
    for k in range(60):
        still = pictures[0].copy()
        still[500:540, 60:100] = 240 if int(arrived[k] / (CODE_PERIOD_S / 9)) % 2 else 40
        fooled.append(still)
    assert camera_delay(1, fooled, arrived).delay_s is None
