"""What a picture of the empty base says of a later one: the room as it was, shadows, and what is new."""

from __future__ import annotations

import cv2
import numpy as np

from rig.messages import CameraPose
from rig.profile.nominal import nominal_profile
from vision.appearance.gloss import GLOSS, best_gloss_densities, gloss_of, glossy
from vision.appearance.paints import OTHER_DENSITY, ColourModel, features
from vision.appearance.reference import EmptyBase, Reference, reference_for
from vision.arrays import Picture
from vision.camera.view import CameraView
from vision.scene.silhouettes import Label

RED, TABLE, YELLOW = (40, 30, 170), (110, 150, 190), (50, 170, 220)


def _room(seed: int = 1) -> Picture:
    """A table with a red cushion on its left, noisy."""
    picture = np.zeros((120, 160, 3), np.uint8)
    picture[:] = TABLE
    picture[20:100, 10:60] = RED
    noisy = picture + np.random.default_rng(seed).normal(0.0, 2.0, picture.shape)
    return np.asarray(np.clip(noisy, 0, 255), np.uint8)


def test_what_was_there_when_the_base_was_empty_is_no_news_whatever_its_colour() -> None:
    reference = Reference.of(_room(2), _room(1))
    assert reference.changed.mean() < 0.01
    assert float(np.median(reference.room[30:90, 15:55])) > OTHER_DENSITY + 4


def test_a_piece_before_the_cushion_and_one_before_the_table_are_news() -> None:
    now = _room(2)
    now[40:90, 30:40] = YELLOW
    now[40:90, 100:110] = RED
    reference = Reference.of(now, _room(1))
    assert reference.changed[42:88, 32:38].mean() > 0.95
    assert reference.changed[42:88, 102:108].mean() > 0.95
    assert reference.changed[:, 115:].mean() < 0.01


def test_dimmer_and_warmer_light_over_all_of_it_is_no_news() -> None:
    now = np.asarray(np.clip(_room(2) * np.array((0.6, 0.7, 0.8)), 0, 255), np.uint8)
    assert Reference.of(now, _room(1)).changed.mean() < 0.02


def test_a_shadow_on_the_table_is_no_news() -> None:
    now = _room(2)
    now[60:110, 80:150] = (now[60:110, 80:150] * 0.55).astype(np.uint8)
    assert Reference.of(now, _room(1)).changed[62:108, 82:148].mean() < 0.1


def test_a_camera_that_was_moved_is_read_without_its_reference() -> None:
    profile = nominal_profile(1)
    camera = profile.cameras[0]
    pose = CameraPose(1, (1.9, 0.0, 0.0), (0.0, 200.0, 900.0))
    knocked = CameraPose(1, (1.9, 0.02, 0.0), (0.0, 200.0, 900.0))
    empty = EmptyBase(pose, np.zeros((camera.model.height_px, camera.model.width_px, 3), np.uint8))
    assert reference_for(pose, CameraView.of(camera.model, pose), [empty]) is empty
    assert reference_for(knocked, CameraView.of(camera.model, knocked), [empty]) is None
    assert reference_for(CameraPose(2, pose.rvec, pose.tvec_mm), CameraView.of(camera.model, pose), [empty]) is None


def test_a_satin_plate_seen_edge_on_is_still_orange() -> None:
    model = ColourModel.guess(nominal_profile(1))
    pale = cv2.merge([np.full((4, 4), value, np.uint8) for value in (121, 147, 224)])
    seen = features(np.asarray(pale, np.uint8))
    plain = model.log_densities(seen)[Label.ORANGE_PLATEAU]
    glossed = best_gloss_densities(model, (Label.ORANGE_PLATEAU,), seen, np.zeros(3))[0]
    assert float(glossed.min()) > float(plain.max()) + 3
    assert gloss_of(model, Label.ORANGE_PLATEAU, seen.reshape(3, -1).astype(np.float64), np.zeros(3)) in GLOSS[1:]
    assert glossy(model, (Label.ORANGE_PLATEAU,), 0.0, np.zeros(3)) is model
