"""How well a column's place is known: well across two lines of sight, badly along a single one, not at all where nobody looks."""

from __future__ import annotations

import math

import pytest

from rig.messages import Standing, Tower
from rig.pieces import Colour, Column, Floor, Shape
from rig.profile.nominal import nominal_profile
from rig.twin.physics.poses import poses_of
from rig.twin.pictures.cameras import Eye
from vision.reading.uncertainty import PlaceSigma, uncertainties

NEAR = Column(Colour.RED, Shape.THICK)
BEHIND = Column(Colour.RED, Shape.THIN)
TOWER = Tower((Standing(NEAR, Floor.GROUND, 0.0, -60.0, 0.0), Standing(BEHIND, Floor.GROUND, 0.0, 60.0, 0.0)))


@pytest.fixture(scope="module")
def sigmas() -> tuple[dict[Column, PlaceSigma], dict[Column, PlaceSigma], tuple[float, float]]:
    """By camera 1 alone, by two cameras, and the direction in which camera 1 looks at the near column."""
    profile = nominal_profile(2)
    with Eye(profile, 7) as eye:
        pictures, poses = eye.delivered(poses_of(profile, TOWER)), eye.poses
    one = uncertainties(pictures[:1], poses[:1], profile, TOWER).columns
    two = uncertainties(pictures, poses, profile, TOWER).columns
    return dict(one), dict(two), (0.0, 1.0)


def test_one_camera_knows_a_place_better_across_than_along_its_line_of_sight(
    sigmas: tuple[dict[Column, PlaceSigma], dict[Column, PlaceSigma], tuple[float, float]],
) -> None:
    one, _, (x, y) = sigmas
    assert one[NEAR].along_mm(-y, x) < one[NEAR].along_mm(x, y)


def test_two_cameras_know_a_place_better_than_one(
    sigmas: tuple[dict[Column, PlaceSigma], dict[Column, PlaceSigma], tuple[float, float]],
) -> None:
    one, two, _ = sigmas
    assert two[NEAR].worst_mm < one[NEAR].worst_mm
    assert two[NEAR].worst_mm < 1.5


def test_the_worst_direction_is_the_worst(
    sigmas: tuple[dict[Column, PlaceSigma], dict[Column, PlaceSigma], tuple[float, float]],
) -> None:
    for sigma in sigmas[1].values():
        along = [sigma.along_mm(math.cos(a), math.sin(a)) for a in (0.0, 0.5, 1.0, 1.5, 2.0, 2.5, 3.0)]
        assert max(along) <= sigma.worst_mm + 1e-3
