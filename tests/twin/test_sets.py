"""Sets out of boxes differ, can stand, and are never quite what a calibration says of them."""

from __future__ import annotations

import math

import msgspec
import numpy as np
import pytest
from shapely import Polygon

from rig.errors import PalettiError
from rig.pieces import PieceSet, Shape
from rig.profile import Profile
from rig.profile.nominal import nominal_profile
from rig.twin.levels import level_named
from rig.twin.physics.other_outlines import oval
from rig.twin.physics.sets import TrueSet, check_set, draw_set, measured, nominal_set
from rig.twin.play import Play
from rig.twin.setting import Party


def changed(**columns: float) -> Profile:
    """The nominal set with one number of its thin columns changed."""
    profile = nominal_profile()
    thin = msgspec.structs.replace(profile.columns[Shape.THIN], **columns)
    return msgspec.structs.replace(profile, columns={**profile.columns, Shape.THIN: thin})


@pytest.mark.parametrize("seed", range(6))
def test_a_drawn_set_can_stand_and_its_plateaus_shrink_from_floor_to_floor(seed: int) -> None:
    drawn = draw_set(seed).profile
    check_set(drawn)
    areas = [Polygon(drawn.plateaus[floor].outline_mm).area for floor in drawn.pieces.plateaus]
    assert areas == sorted(areas, reverse=True)
    heights = [size.height_mm for size in drawn.columns.values()]
    assert max(heights) - min(heights) <= 1.0


def test_the_same_seed_draws_the_same_set_and_another_another() -> None:
    assert draw_set(4) == draw_set(4)
    assert draw_set(4).profile.columns != draw_set(5).profile.columns


def test_world_b_has_other_outlines_of_the_same_kind_of_plateaus() -> None:
    nominal = nominal_profile()
    for true in (nominal_set(0.4, world="B"), *(draw_set(seed, world="B") for seed in range(5))):
        check_set(true.profile)
        for floor, plate in true.profile.plateaus.items():
            outline, plain = Polygon(plate.outline_mm), Polygon(nominal.plateaus[floor].outline_mm)
            assert 0.75 < outline.area / plain.area < 1.05
            assert all(Polygon(part).is_valid for part in plate.parts_mm)
    assert draw_set(4, world="B") == draw_set(4, world="B")
    assert draw_set(4, world="B").profile.plateaus != draw_set(4).profile.plateaus
    assert nominal_set(0.4).profile == nominal


def test_a_world_b_outline_has_no_pointed_place() -> None:
    for seed in range(20):
        points = np.array(oval(np.random.default_rng(seed)).exterior.coords)[:-1]
        ways = np.diff(np.vstack([points, points[:2]]), axis=0)
        turns = np.diff(np.unwrap(np.arctan2(ways[:, 1], ways[:, 0])))
        assert np.abs(turns).max() < math.radians(40), "40 points to the round: 9 degrees on average"


def test_not_every_set_splits_its_shapes_alike() -> None:
    splits = {tuple(sorted(draw_set(seed).profile.pieces.counts().values())) for seed in range(12)}
    assert len(splits) > 1


def test_plateaus_are_bent_by_two_to_eight_tenths_of_a_millimetre() -> None:
    for seed in range(4):
        true = draw_set(seed)
        for floor, bend in true.bends.items():
            rise = np.concatenate([bend.rise_mm(np.array(part)) for part in true.profile.plateaus[floor].parts_mm])
            assert 0.2 <= abs(bend.warp_mm) <= 0.8
            assert np.abs(rise).max() <= 0.81


def test_a_calibration_is_a_little_wrong_and_only_a_little() -> None:
    true = draw_set(3).profile
    known = measured(true, 3)
    for shape, size in true.columns.items():
        assert abs(known.columns[shape].height_mm - size.height_mm) <= 0.301
        assert abs(known.columns[shape].mass_g - size.mass_g) <= 0.301
    for floor, plate in true.plateaus.items():
        outline, seen = Polygon(plate.outline_mm), Polygon(known.plateaus[floor].outline_mm)
        assert outline.exterior.hausdorff_distance(seen.exterior) < 2.0, "1 mm of tracing, and the middle found from it"
    assert known.columns != true.columns
    assert known.plateaus != true.plateaus


@pytest.mark.parametrize(
    ("columns", "sentence"),
    [
        ({"radius_mm": 90.0}, "a thin column, 180 mm wide, is wider than the"),
        ({"mass_g": -3.0}, "A thin column has a mass of -3"),
        ({"height_mm": float("nan")}, "A thin column has a height of nan"),
    ],
)
def test_a_set_that_cannot_stand_is_refused_with_a_sentence(columns: dict[str, float], sentence: str) -> None:
    with pytest.raises(PalettiError, match=sentence):
        check_set(changed(**columns))
    with pytest.raises(PalettiError, match=sentence):
        Play(1, level_named("home"), true_set=TrueSet(changed(**columns), {}, 0.4))


def test_a_plateau_as_large_as_the_one_below_is_refused() -> None:
    profile = nominal_profile()
    floors = profile.pieces.plateaus
    swapped = {**profile.plateaus, floors[2]: profile.plateaus[floors[0]]}
    with pytest.raises(PalettiError, match="yellow plateau is not smaller"):
        check_set(msgspec.structs.replace(profile, plateaus=swapped))


def test_at_home_the_referee_is_not_handed_the_true_set_and_at_lab_it_is() -> None:
    home, lab = (Play(2, level_named(name), Party(pieces=PieceSet.of({Shape.THIN: 1, Shape.THICK: 1}))) for name in ("home", "lab"))
    assert home.profile.columns != home.true_profile.columns
    assert home.profile.cells == home.true_profile.cells
    assert lab.profile == lab.true_profile
