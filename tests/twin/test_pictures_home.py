"""What a household does to the twin's pictures, and that it is written down."""

from __future__ import annotations

import itertools
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path

import cv2
import msgspec
import numpy as np
import pytest

from rig.base.code_light import code_delay, code_level
from rig.errors import PalettiError
from rig.messages import Frame, Tower
from rig.pieces import Colour
from rig.profile.nominal import nominal_profile
from rig.twin.physics.poses import Cloth, HandPose, Poses, poses_of
from rig.twin.physics.towers import random_tower
from rig.twin.pictures import contact_sheet
from rig.twin.pictures.cameras import Eye, from_jpeg, nudged
from rig.twin.pictures.developing import Sensor
from rig.twin.pictures.lenses import LensMap, as_calibrated, draw_lens, matrix_of, profile_as_calibrated, true_lenses
from rig.twin.pictures.level_pictures import HOME, LAB, ROUGH, PictureLevel
from rig.twin.pictures.light import light_of
from rig.twin.pictures.moving import Instant, line_weights
from rig.twin.pictures.scene import CODE_LIGHT_MM, RenderScene
from rig.twin.pictures.webcams import CameraFaultKind, Webcams
from tests.twin.test_pictures import marker_errors, project

SMALL = nominal_profile(2, width_px=216, height_px=384)
LARGE = nominal_profile(1)
NOTHING = poses_of(SMALL, Tower())
HAND = HandPose((40.0, -90.0, 130.0), (340.0, -260.0, 230.0), Colour.RED)


def frames_of(webcams: Webcams, seconds: float, poses: Poses = NOTHING, hands: Iterable[HandPose] = ()) -> list[tuple[float, float, Frame]]:
    """(taken, arrived, frame) of so many seconds in ticks of 10 ms."""
    out = []
    for tick in range(1, round(seconds / 0.01) + 1):
        t_s = tick * 0.01
        if webcams.due(t_s):
            out += [(t_s, arrives_s, frame) for arrives_s, frame in webcams.take(t_s, poses, tuple(hands))]
    return out


# ---------------------------------------------------------------- lenses


def test_a_household_lens_is_not_the_nominal_one_and_markers_are_where_it_puts_them() -> None:
    with Eye(LARGE, 31, level=HOME) as eye:
        [picture] = eye.delivered(poses_of(LARGE, random_tower(LARGE, 31, 2)))
        [pose], [lens] = eye.poses, eye.lenses
    true = msgspec.structs.replace(LARGE, cameras=(msgspec.structs.replace(LARGE.cameras[0], model=lens),))
    errors = marker_errors(true, 1, pose, picture)
    assert len(errors) >= 15
    assert np.abs(errors.mean(axis=0)).max() < 0.25
    as_nominal = marker_errors(LARGE, 1, pose, picture)
    assert np.linalg.norm(as_nominal, axis=1).mean() > 2.0, "the true lens must not be the one the referee is told"


def test_a_calibrated_lens_is_near_the_true_one_but_not_it() -> None:
    corners = np.array([[x, y, 1.0] for x, y in itertools.product((-0.25, 0.0, 0.25), (-0.45, 0.0, 0.45))])
    off = []
    for seed in range(60):
        true = draw_lens(LARGE.cameras[0].model, seed, 1, 1.0)
        known = as_calibrated(true, seed, 1)
        assert known != true
        shown = [cv2.projectPoints(corners, np.zeros(3), np.zeros(3), matrix_of(m), np.array(m.distortion))[0] for m in (true, known)]
        off.append(float(np.abs(shown[0] - shown[1]).mean()))
    assert 0.3 < np.median(off) < 2.0
    assert max(off) < 6.0


def test_where_lenses_are_ideal_a_calibration_knows_them_exactly() -> None:
    assert profile_as_calibrated(SMALL, 5, LAB.lens_spread) == SMALL
    assert true_lenses(SMALL, 5, HOME.lens_spread) == true_lenses(SMALL, 5, HOME.lens_spread) != true_lenses(SMALL, 6, HOME.lens_spread)


def test_the_ideal_picture_is_large_enough_for_every_bent_lens() -> None:
    for seed in range(30):
        bend = LensMap.of(draw_lens(SMALL.cameras[0].model, seed, 1, ROUGH.lens_spread))
        assert bend.floats is not None
        x, y = bend.floats
        assert x.min() >= 0
        assert y.min() >= 0
        assert x.max() <= bend.width_px - 1
        assert y.max() <= bend.height_px - 1


# ---------------------------------------------------------------- the sensor


def grey_steps() -> np.ndarray:
    return np.repeat(np.tile(np.array([30, 120, 220], np.uint8).repeat(72), (384, 1))[..., None], 3, axis=2)


def test_noise_is_stronger_in_the_dark() -> None:
    sensor = Sensor(216, 384, 3, 1, replace(HOME, vignette=0.0))
    shots = np.array([sensor.spoil(grey_steps()) for _ in range(12)], float)[:, 50:300, :, 1]
    dark, _, light = (shots[:, :, k * 72 + 10 : k * 72 + 62].std(axis=0).mean() for k in range(3))
    assert dark > 1.15 * light


def test_brightness_and_white_wander_slowly() -> None:
    sensor = Sensor(216, 384, 8, 1, HOME)
    means = np.array([sensor.spoil(grey_steps(), t_s)[:, 80:130].reshape(-1, 3).mean(axis=0) for t_s in range(0, 300, 2)])
    assert means[:, 1].std() > 2.0
    assert (means[:, 2] / means[:, 1]).std() > 0.008
    assert np.abs(np.diff(means[:, 1])).max() < 12.0, "no jump within two seconds"


def test_corners_are_darker_than_the_middle() -> None:
    flat = np.full((384, 216, 3), 120, np.uint8)
    out = Sensor(216, 384, 3, 1, replace(HOME, vignette=0.3)).spoil(flat).astype(float)
    assert out[:20, :20].mean() < 0.95 * out[180:200, 100:120].mean()


def test_lamplight_is_red_against_daylight() -> None:
    warm, day = light_of(2700.0), light_of(6500.0)
    assert warm[0] > 1.5
    assert warm[2] < 0.5
    assert day == pytest.approx((1.0, 1.0, 1.0))


# ---------------------------------------------------------------- the shutter


def test_lines_take_each_moment_of_their_own_exposure() -> None:
    weights = line_weights(100, readout_s=0.03, exposure_s=0.01, instants=3)
    assert weights.sum(axis=0) == pytest.approx(np.ones(100), abs=1e-5)
    assert weights[0, 0] > 0.7
    assert weights[2, -1] > 0.7


def test_a_moving_hand_is_smeared_and_what_stands_still_is_not() -> None:
    far = HandPose((100.0, -90.0, 130.0), (400.0, -260.0, 230.0), Colour.RED)
    poses = poses_of(SMALL, random_tower(SMALL, 3, 2))
    with Eye(SMALL, 3, level=HOME) as eye:
        moving = eye.see_moving(Instant(poses, [HAND]), Instant(poses, [far]))[0].astype(int)
        first, last = (eye.see(poses, [hand])[0].astype(int) for hand in (HAND, far))
    differs = np.abs(first - last).sum(axis=2) > 60
    assert np.abs(moving - first)[~differs].mean() < 1.0
    between = (np.abs(moving - first).sum(axis=2) > 30) & (np.abs(moving - last).sum(axis=2) > 30)
    assert between.sum() > 0.3 * differs.sum()


# ---------------------------------------------------------------- time and faults


def test_every_camera_has_its_own_delay_and_pictures_never_overtake_each_other() -> None:
    webcams = Webcams(SMALL, 4, replace(HOME, drops_per_hour=0.0, freezes_per_hour=0.0), 5.0)
    got = frames_of(webcams, 6.0)
    true = webcams.delays_s
    webcams.close()
    for camera in (1, 2):
        lags = np.array([arrived - taken for taken, arrived, frame in got if frame.camera == camera])
        arrivals = [arrived for _, arrived, frame in got if frame.camera == camera]
        assert len(arrivals) >= 28
        assert arrivals == sorted(arrivals)
        # `take` gives frames at the exposure's end; the delay counts from its middle
        assert np.mean(lags) + (HOME.readout_s + HOME.exposure_s) / 2 == pytest.approx(true[camera], abs=0.015)
        assert 0.001 < lags.std() < 0.02
    assert true[1] != true[2]
    assert all(0.04 <= delay_s <= 0.15 for delay_s in true.values())


def test_lost_pictures_are_counted_on_the_next_and_written_down() -> None:
    webcams = Webcams(SMALL, 4, replace(HOME, drops_per_hour=4000.0, freezes_per_hour=0.0, nudges_per_hour=0.0), 5.0)
    got = frames_of(webcams, 20.0)
    webcams.close()
    drops = [fault for fault in webcams.faults if fault.kind is CameraFaultKind.DROP]
    assert len(drops) > 15
    for camera in (1, 2):
        lost = sum(frame.dropped for _, _, frame in got if frame.camera == camera)
        arrived = sum(1 for _, _, frame in got if frame.camera == camera)
        mine = sum(1 for fault in drops if fault.camera == camera)
        assert mine - 2 <= lost <= mine, "those after the last delivered picture are not told yet"
        assert arrived + mine in (99, 100)


def test_a_frozen_camera_sends_the_same_bytes_while_the_fault_says_so() -> None:
    level = replace(HOME, drops_per_hour=0.0, freezes_per_hour=600.0, freeze_s=(1.5, 1.5), nudges_per_hour=0.0)
    webcams = Webcams(SMALL, 9, level, 5.0)
    got = frames_of(webcams, 20.0)
    webcams.close()
    freezes = [fault for fault in webcams.faults if fault.kind is CameraFaultKind.FREEZE]
    assert freezes
    for camera in (1, 2):
        mine = [frame.jpeg for _, _, frame in got if frame.camera == camera]
        same = sum(a == b for a, b in itertools.pairwise(mine))
        assert (same > 0) == any(fault.camera == camera for fault in freezes)


def test_a_cable_that_gives_out_brings_no_pictures() -> None:
    level = replace(ROUGH, drops_per_hour=0.0, dropouts_per_hour=400.0, dropout_s=(3.0, 4.0), nudges_per_hour=0.0)
    webcams = Webcams(SMALL, 2, level, 5.0)
    got = frames_of(webcams, 30.0)
    webcams.close()
    gone = [fault for fault in webcams.faults if fault.kind is CameraFaultKind.DROPOUT]
    assert gone
    for fault in gone:
        within = [taken for taken, _, frame in got if frame.camera == fault.camera and fault.t_s + 0.1 < taken < fault.t_s + fault.lasts_s]
        assert within == []


def test_a_knocked_camera_is_elsewhere_from_then_on() -> None:
    level = replace(HOME, nudges_per_hour=400.0, nudge_deg=(1.0, 2.0), drops_per_hour=0.0, freezes_per_hour=0.0)
    webcams = Webcams(SMALL, 7, level, 2.0)
    got = frames_of(webcams, 30.0)
    nudges = [fault for fault in webcams.faults if fault.kind is CameraFaultKind.NUDGE]
    assert nudges
    first = nudges[0]
    before, after = webcams.poses_at(first.t_s - 0.01), webcams.poses_at(first.t_s)
    webcams.close()
    assert before[first.camera - 1] != after[first.camera - 1]
    pictures = {taken: from_jpeg(frame.jpeg).astype(int) for taken, _, frame in got if frame.camera == first.camera}
    earlier = [picture for taken, picture in pictures.items() if taken < first.t_s]
    later = [picture for taken, picture in pictures.items() if taken > first.t_s + 0.1]
    assert np.abs(later[0] - earlier[-1]).mean() > 3 * np.abs(earlier[-1] - earlier[-2]).mean()


def test_a_knock_turns_a_camera_about_its_own_eye() -> None:
    with Eye(SMALL, 1) as eye:
        pose = eye.poses[0]
    turned = nudged(pose, (0.0, 1.0, 0.0), (0.0, 0.0, 0.0))
    places = []
    for one in (pose, turned):
        matrix = np.asarray(cv2.Rodrigues(np.array(one.rvec))[0])
        places.append(-matrix.T @ np.array(one.tvec_mm))
    assert places[0] == pytest.approx(places[1])


def test_the_code_light_in_the_pictures_tells_each_cameras_delay() -> None:
    profile = nominal_profile(1, width_px=360, height_px=640)
    level = replace(HOME, drops_per_hour=0.0, freezes_per_hour=0.0, household=False)
    webcams = Webcams(profile, 12, level, 15.0, code_light=lambda t_s, exposure_s: float(code_level(t_s, exposure_s)))
    got = frames_of(webcams, 6.0, poses_of(profile, Tower()))
    [lens], [pose] = webcams.lenses, webcams.poses_at(0.0)
    webcams.close()
    true = msgspec.structs.replace(profile, cameras=(msgspec.structs.replace(profile.cameras[0], model=lens),))
    x, y = np.rint(project(true.cameras[0].model, pose, (*CODE_LIGHT_MM, -3.0))[0]).astype(int)
    bright = [int(from_jpeg(frame.jpeg)[y - 1 : y + 2, x - 1 : x + 2, 2].max()) for _, _, frame in got]
    found = code_delay([arrived for _, arrived, _ in got], bright, longest_s=0.5)
    assert found.delay_s is not None, found.sentence
    assert found.delay_s == pytest.approx(webcams.delays_s[1], abs=0.02)


# ---------------------------------------------------------------- rooms


@pytest.mark.parametrize(("level", "world"), [(HOME, "A"), (ROUGH, "A"), (LAB, "B"), (HOME, "B"), (ROUGH, "B")])
def test_every_room_is_the_same_on_every_run_and_another_for_another_seed(level: PictureLevel, world: str) -> None:
    poses = poses_of(SMALL, random_tower(SMALL, 4, 2))
    shots = []
    for seed in (4, 4, 5):
        with Eye(SMALL, seed, level=level, world=world) as eye:  # type: ignore[arg-type]
            shots.append(eye.delivered(poses, (HAND,), t_s=33.0)[1])
    assert (shots[0] == shots[1]).all()
    assert np.abs(shots[0].astype(int) - shots[2]).mean() > 5


@pytest.mark.parametrize("world", ["A", "B"])
def test_in_every_room_the_rig_is_free_to_see(world: str) -> None:
    """Furniture, people and mugs hide no marker: as many are found as in an empty room, in most rooms."""
    profile = nominal_profile(1)
    counts = []
    for seed in range(50, 54):
        with Eye(profile, seed, level=HOME, world=world) as eye:  # type: ignore[arg-type]
            [picture] = eye.delivered(poses_of(profile, Tower()))
            [pose], [lens] = eye.poses, eye.lenses
        true = msgspec.structs.replace(profile, cameras=(msgspec.structs.replace(profile.cameras[0], model=lens),))
        counts.append(len(marker_errors(true, 1, pose, picture)))
    assert np.median(counts) >= 18
    assert min(counts) >= 12


def test_shadows_wander_from_step_to_step_and_stand_still_within_one() -> None:
    with Eye(SMALL, 21, level=ROUGH) as eye:
        now, soon, later = (eye.see(NOTHING, t_s=t_s)[0].astype(int) for t_s in (0.2, 0.7, 30.0))
    assert (now == soon).all()
    assert (np.abs(now - later).sum(axis=2) > 30).mean() > 0.002


@pytest.mark.parametrize("cloth", list(Cloth))
def test_sleeves_may_be_in_no_players_colour(cloth: Cloth) -> None:
    bare = HandPose(HAND.tip_mm, HAND.elbow_mm)
    with Eye(SMALL, 3, level=HOME) as eye:
        shots = [eye.see(NOTHING, (hand,))[0].astype(int) for hand in (bare, HandPose(HAND.tip_mm, HAND.elbow_mm, cloth))]
    changed = np.abs(shots[0] - shots[1]).sum(axis=2) > 20
    assert changed.mean() > 0.005
    seen = shots[1][changed]
    assert (seen.max(axis=1) - seen.min(axis=1)).mean() < 60, "none of them is a strong colour"


def test_the_hook_reaches_out_from_the_fingers_to_its_end() -> None:
    profile = nominal_profile(1, width_px=540, height_px=960)
    hook = HandPose((0.0, -60.0, 130.0), (0.0, -400.0, 190.0), Colour.BLUE, hook=True)
    with Eye(profile, 2) as eye:
        without, shown = (eye.see(poses_of(profile, Tower()), hands)[0].astype(int) for hands in ((), (hook,)))
        x, y = np.rint(project(profile.cameras[0].model, eye.poses[0], hook.tip_mm)[0]).astype(int)
    changed = np.abs(without - shown).sum(axis=2) > 40
    near = changed[y - 6 : y + 7, x - 6 : x + 7]
    assert near.any()
    assert near.mean() < 0.6, "a thin rod, no hand"


def test_drawing_only_what_moved_looks_like_drawing_everything_in_a_household() -> None:
    towers = [random_tower(SMALL, 6, 3), random_tower(SMALL, 6, 3)]
    moved = msgspec.structs.replace(towers[0].columns[-1], x_mm=-90.0, y_mm=110.0, z_mm=250.0)
    towers.append(Tower((*towers[0].columns[:-1], moved), towers[0].plateaus))
    hook = HandPose(HAND.tip_mm, HAND.elbow_mm, Cloth.BLACK, hook=True)
    scenes = [(towers[0], []), (towers[1], [HAND]), (towers[2], [hook]), (towers[2], []), (Tower(), [])]
    with Eye(SMALL, 21, level=ROUGH) as one:
        for tower, hands in scenes:
            pictures = one.see(poses_of(SMALL, tower), hands)
            with Eye(SMALL, 21, level=ROUGH) as fresh:
                whole = fresh.see(poses_of(SMALL, tower), hands)
            for picture, other in zip(pictures, whole, strict=True):
                assert (np.abs(picture.astype(int) - other).max(axis=2) > 12).sum() < 12


# ---------------------------------------------------------------- bad input


def test_a_world_that_is_not_there_is_told() -> None:
    with pytest.raises(PalettiError, match="no world called 'C'"):
        RenderScene(SMALL, 1, world="C")  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("arguments", "words"),
    [(["--level", "heaven"], "no level called"), (["--count", "0"], "at least one picture")],
)
def test_a_contact_sheet_that_cannot_be_is_refused_in_a_sentence(
    arguments: list[str], words: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert contact_sheet.main([*arguments, str(tmp_path / "sheet.png")]) == 2
    assert words in capsys.readouterr().err


def test_a_contact_sheet_has_one_picture_a_seed(tmp_path: Path) -> None:
    assert contact_sheet.main(["--count", "2", "--seed", "4104", "--width", "90", str(tmp_path / "sheet.png")]) == 0
    sheet = cv2.imread(str(tmp_path / "sheet.png"))
    assert sheet is not None
    assert sheet.shape == (160, 180, 3)
    assert contact_sheet.main(["--count", "1", str(tmp_path / "nowhere" / "sheet.png")]) == 2
