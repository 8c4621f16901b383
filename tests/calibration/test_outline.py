"""Outlines of plateaus as measured: whatever the pictures gave, the referee must be able to reckon with them."""

from __future__ import annotations

import math

import numpy as np
import pytest
from shapely import Polygon

from calibration.outline import convex_parts, joined
from rig.profile import PlateauSize
from rig.profile.outlines import plateau_size
from vision.scene.solids import outside_mm


def curved(seed: int) -> Polygon:
    """An irregular curved outline with the raggedness of a measured one, about 180 mm across."""
    rng = np.random.default_rng(seed)
    n = int(rng.integers(14, 60))
    angle = np.sort(rng.uniform(0, 2 * math.pi, n))
    bumps = 1 + 0.25 * np.cos(2 * angle + rng.uniform(0, 6)) + 0.12 * np.cos(3 * angle + rng.uniform(0, 6))
    radius = 90 * bumps + rng.normal(0, 0.6, n)
    return Polygon(np.stack((radius * np.cos(angle), radius * np.sin(angle)), axis=1)).simplify(0.8)


def measured_size(outline: Polygon) -> PlateauSize:
    parts = convex_parts(outline)
    return plateau_size(parts, whole=joined(parts))


@pytest.mark.parametrize("seed", [7, 99, 710, 2158, 2899])
def test_a_measured_outline_never_crosses_itself(seed: int) -> None:
    """In all but the first of these, parts met along a slit of a hair's width, which rounding to a thousandth made cross itself.

    What is 5 mm within the rim must be one piece: the eyes look there for a plateau's paint.
    """
    shape = curved(seed)
    assert shape.is_valid
    size = measured_size(shape)
    outline = Polygon(size.outline_mm)
    assert outline.is_valid
    assert outline.area == pytest.approx(shape.area, rel=0.02)
    assert isinstance(outline.buffer(-5.0), Polygon)


@pytest.mark.parametrize("seed", range(12))
def test_no_edge_of_a_measured_plateau_is_without_length(seed: int) -> None:
    size = measured_size(curved(seed))
    for ring in (size.outline_mm, *size.parts_mm):
        corners = np.array(ring)
        assert np.linalg.norm(corners - np.roll(corners, 1, axis=0), axis=1).min() >= 0.01


def test_a_corner_named_twice_changes_nothing() -> None:
    square = np.array(((0.0, 0.0), (10.0, 0.0), (10.0, 10.0), (0.0, 10.0)))
    points = np.array(((5.0, 5.0), (12.0, 5.0)))
    assert outside_mm((square[[0, 1, 1, 2, 3]],), points) == pytest.approx(outside_mm((square,), points))
