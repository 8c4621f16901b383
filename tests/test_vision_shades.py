"""A paint's shaded side and its sunlit top are still that paint, though the sensor's floor and its white wash the chroma out there."""

from __future__ import annotations

import numpy as np
import pytest

from rig.profile import nominal_profile
from vision.colours import OTHER_DENSITY, ColourModel, feature_of
from vision.silhouettes import Label

SHADED_RED, SUNLIT_ORANGE = (77, 11, 10), (255, 238, 74)
"""A red column's side away from the lamp as a webcam delivered it; nominal orange in four times the light (red, green, blue)."""


def _density(model: ColourModel, rgb: tuple[int, int, int], label: Label) -> float:
    return float(model.log_densities(feature_of(rgb).astype(np.float32)[:, None, None])[label, 0, 0])


@pytest.mark.parametrize(("rgb", "label", "factor"), [(SHADED_RED, Label.RED_COLUMN, 0.25), (SUNLIT_ORANGE, Label.ORANGE_PLATEAU, 4.0)])
def test_paint_in_shade_or_sun_is_told_by_the_light_it_is_in(rgb: tuple[int, int, int], label: Label, factor: float) -> None:
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
