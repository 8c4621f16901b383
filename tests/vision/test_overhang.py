"""What reaches over an edge, and how sure that is: on exact towers by hand, and a plate's tilt from pictures."""

from __future__ import annotations

import math

import pytest

from rig.messages import Laid, Standing, Tower
from rig.pieces import Colour, Column, Floor, Shape
from rig.profile import Profile
from rig.profile.nominal import nominal_profile
from rig.twin.physics.poses import poses_of
from rig.twin.pictures.cameras import Eye
from vision.reading.overhang import EDGE_SIGMA_MM, Overhang, overhangs
from vision.reading.plateau_sigma import PlateauSigma
from vision.reading.uncertainty import PlaceSigma, Uncertainties, uncertainties

THIN, THICK = Column(Colour.RED, Shape.THIN), Column(Colour.BLUE, Shape.THICK)


@pytest.fixture
def profile() -> Profile:
    return nominal_profile(2)


def _known(tower: Tower, column_mm: float = 1.0, plateau_mm: float = 1.0, turn_deg: float = 0.0) -> Uncertainties:
    variances = (plateau_mm**2, plateau_mm**2, turn_deg**2, 0.1, 0.1)
    covariance = tuple(tuple(variances[i] if i == j else 0.0 for j in range(5)) for i in range(5))
    return Uncertainties(
        {one.column: PlaceSigma(one.column, (column_mm**2, 0.0, column_mm**2), column_mm) for one in tower.columns},
        {one.plateau: PlateauSigma(one.plateau, 0.0, 0.0, covariance) for one in tower.plateaus},
    )


def _over(found: tuple[Overhang, ...], what: Column | Floor, edge: str) -> Overhang:
    return next(one for one in found if one.what == what and one.over == edge)


def test_a_column_on_the_outer_ring_is_beyond_the_building_site_and_within_the_base(profile: Profile) -> None:
    radius = profile.columns[Shape.THIN].radius_mm
    tower = Tower((Standing(THIN, Floor.GROUND, profile.base.site_radius_mm - radius + 4.0, 0.0, 0.0),))
    found = overhangs(profile, tower, _known(tower))
    site, base = _over(found, THIN, "building site"), _over(found, THIN, "base")
    assert site.mm == pytest.approx(4.0, abs=0.1)
    assert site.chance > 0.99
    assert base.mm == pytest.approx(profile.base.site_radius_mm + 4.0 - profile.base.radius_mm, abs=0.1)
    assert base.chance < 0.01


def test_an_overhang_is_as_uncertain_as_foot_and_plate_together(profile: Profile) -> None:
    laid = Laid(Floor.BLUE, 0.0, 0.0, 100.0, 0.0)
    tower = Tower((Standing(THIN, Floor.BLUE, 0.0, 0.0, 105.0),), (laid,))
    one = _over(overhangs(profile, tower, _known(tower, 1.0, 2.0)), THIN, "blue")
    assert one.mm < -20
    assert one.sigma_mm == pytest.approx(math.sqrt(1.0 + 4.0 + EDGE_SIGMA_MM**2), abs=0.02)
    turning = _over(overhangs(profile, tower, _known(tower, 1.0, 2.0, 3.0)), THIN, "blue")
    assert turning.sigma_mm >= one.sigma_mm


def test_blue_pushed_aside_protrudes_beyond_the_base_by_so_much_more(profile: Profile) -> None:
    by_mm = [
        _over(overhangs(profile, tower, _known(tower)), Floor.BLUE, "base").mm
        for x_mm in (0.0, 30.0)
        for tower in (Tower((), (Laid(Floor.BLUE, x_mm, 0.0, 100.0, 0.0),)),)
    ]
    assert 15.0 < by_mm[1] - by_mm[0] <= 30.1


def test_a_column_on_a_column_is_held_against_that_ones_top(profile: Profile) -> None:
    carrier = Standing(THICK, Floor.GROUND, 10.0, 0.0, 0.0)
    aside = profile.columns[Shape.THICK].radius_mm
    tower = Tower((carrier, Standing(THIN, Floor.GROUND, 10.0 + aside, 0.0, profile.columns[Shape.THICK].height_mm)))
    one = _over(overhangs(profile, tower, _known(tower)), THIN, str(THICK))
    assert one.mm == pytest.approx(profile.columns[Shape.THIN].radius_mm, abs=0.2)
    assert one.sigma_mm == pytest.approx(math.sqrt(2.0 + EDGE_SIGMA_MM**2), abs=0.05)


@pytest.mark.parametrize("tilt", [(0.0, 0.0), (3.0, 0.0)])
def test_a_tilt_is_read_within_its_uncertainty(profile: Profile, tilt: tuple[float, float]) -> None:
    standing = tuple(
        Standing(column, Floor.GROUND, x, y, 0.0)
        for column, x, y in ((THIN, 60.0, 0.0), (THICK, -50.0, 50.0), (Column(Colour.GREEN, Shape.HEX), -40.0, -60.0))
    )
    level = Laid(Floor.BLUE, 0.0, 0.0, 100.0, 20.0)
    with Eye(profile, 11) as eye:
        leaning = Laid(Floor.BLUE, 0.0, 0.0, 100.0, 20.0, *tilt)
        pictures, poses = eye.delivered(poses_of(profile, Tower(standing, (leaning,)))), eye.poses
    sigma = uncertainties(pictures, poses, profile, Tower(standing, (level,))).plateaus[Floor.BLUE]
    assert sigma.tilt_sigma_deg < 1.5
    assert abs(sigma.tilt_x_deg - tilt[0]) < 3 * sigma.sigmas[3]
    assert abs(sigma.tilt_y_deg - tilt[1]) < 3 * sigma.sigmas[4]
    assert sigma.place_mm < 2.0
