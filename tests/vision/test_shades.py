"""A paint's shaded side and its sunlit top are still that paint, though the sensor's floor and its white wash the chroma out there."""

from __future__ import annotations

import numpy as np
import pytest

from rig.messages import Tower
from rig.pieces import Colour
from rig.profile import Rgb
from rig.profile.nominal import nominal_profile
from rig.twin.pictures.cameras import draw_camera_poses
from vision.appearance.paints import OTHER_DENSITY, ColourModel, feature_of
from vision.change.evidence import Settled
from vision.scene.silhouettes import Label

SHADED_RED, SUNLIT_ORANGE = (77, 11, 10), (255, 238, 74)
"""A red column's side away from the lamp as a webcam delivered it; nominal orange in four times the light (red, green, blue)."""


def _density(model: ColourModel, rgb: Rgb, label: Label) -> float:
    return float(model.log_densities(feature_of(rgb).astype(np.float32)[:, None, None])[label, 0, 0])


@pytest.mark.parametrize(("rgb", "label", "factor"), [(SHADED_RED, Label.RED_COLUMN, 0.25), (SUNLIT_ORANGE, Label.ORANGE_PLATEAU, 4.0)])
def test_paint_in_shade_or_sun_is_told_by_the_light_it_is_in(rgb: Rgb, label: Label, factor: float) -> None:
    model = ColourModel.guess(nominal_profile(1))
    assert _density(model, rgb, label) < OTHER_DENSITY < _density(model.in_light(factor, 0.45), rgb, label)


def test_light_beyond_the_sensors_white_is_white() -> None:
    model = ColourModel.guess(nominal_profile(1)).in_light(1000.0, 0.45)
    assert np.abs(model.means[:, :2]).max() < 1e-6


def test_same_light_changes_no_paint() -> None:
    model = ColourModel.guess(nominal_profile(1))
    assert np.allclose(model.in_light(1.0, 0.0).means, model.means)


def test_grey_in_shade_is_no_paint() -> None:
    model = ColourModel.guess(nominal_profile(1)).in_light(0.25, 0.45)
    assert max(_density(model, (60, 60, 60), label) for label in Label if label not in (Label.OTHER, Label.BASE)) < OTHER_DENSITY


def _patched(ground: Rgb, book: Rgb, beside: Rgb, box: tuple[int, int, int, int] = (0, 0, 0, 0)) -> np.ndarray:
    """A picture (BGR) of `ground` with a patch of each colour high up in the half-size `box`, twenty half-size pixels wide."""
    picture = np.full((1280, 720, 3), ground[::-1], np.uint8)
    left, top = 2 * box[0], 2 * box[1]
    picture[top + 10 : top + 50, left + 10 : left + 50] = book[::-1]
    picture[top + 10 : top + 50, left + 80 : left + 120] = beside[::-1]
    return picture


def test_green_book_in_other_light_is_no_new_green() -> None:
    profile = nominal_profile(1)
    card, green = profile.paint.base, profile.paint.columns[Colour.GREEN]
    lighter = (green[0] + 15, green[1] + 30, green[2] + 15)
    pose, tower = draw_camera_poses(1, 3)[0], Tower()
    box = Settled.of(profile, tower, pose, _patched(card, card, card)).box
    evidence = Settled.of(profile, tower, pose, _patched(card, green, card, box)).against(_patched(card, lighter, green, box))
    new = evidence.newly(Label.GREEN_COLUMN, np.ones(evidence.same.shape, np.bool_), 0.5)
    assert not new[8:22, 8:22].any()
    assert new[8:22, 43:57].all()
