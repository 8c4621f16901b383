"""The truth log says what really happened, from poses alone."""

from __future__ import annotations

import math

import numpy as np
import pytest

from rig.messages import FactKind, Laid, Standing, Tower
from rig.pieces import Colour, Column, Floor, Shape
from rig.profile.nominal import nominal_profile
from rig.twin.physics.placement import standing_tower
from rig.twin.physics.poses import PieceOrder, Poses, poses_of, yaw_turn
from rig.twin.physics.towers import random_tower
from rig.twin.truth import Truth, TruthLog

PROFILE = nominal_profile()
ORDER = PieceOrder.of(PROFILE.pieces)
THIN, HEX, THICK, OTHER = (
    Column(Colour.RED, Shape.THIN),
    Column(Colour.BLUE, Shape.HEX),
    Column(Colour.GREEN, Shape.THICK),
    Column(Colour.YELLOW, Shape.THIN),
)


def small_tower(*more: Standing, blue: bool = True) -> Tower:
    """Four columns on the ground under the blue plateau, and whatever is added."""
    feet = (Standing(THIN, Floor.GROUND, -50, -40, 0), Standing(HEX, Floor.GROUND, 50, -30, 0), Standing(THICK, Floor.GROUND, 0, 55, 0))
    plateaus = (Laid(Floor.BLUE, 0, 0, 100, 0),) if blue else ()
    return Tower((*feet, *more), plateaus)


ON_GROUND = Standing(OTHER, Floor.GROUND, 110, 40, 0)
ON_BLUE = Standing(OTHER, Floor.BLUE, 20, 0, 105)


def parked(tower: Tower) -> set[Column | Floor]:
    there = {standing.column for standing in tower.columns} | {laid.plateau for laid in tower.plateaus}
    return {piece for piece in ORDER.pieces if piece not in there}


def told(before: Tower, after: Tower, seat: int | None = 1, on_the_way: Poses | None = None) -> list[Truth]:
    """The truths when `before` becomes `after`."""
    log = TruthLog(PROFILE, ORDER)
    log.settle(0.0, poses_of(PROFILE, before), None, parked(before))
    for poses in (poses_of(PROFILE, before), *([on_the_way] if on_the_way is not None else []), poses_of(PROFILE, after)):
        log.watch(poses)
    return log.settle(5.0, poses_of(PROFILE, after), seat, parked(after))


def tipped(poses: Poses, piece: Column | Floor, degrees: float, sink_m: float = 0.0) -> Poses:
    """`piece` tilted about x, and lower by `sink_m`."""
    row = ORDER.row[piece]
    half = math.radians(degrees) / 2
    poses.turn[row] = (math.cos(half), math.sin(half), 0.0, 0.0)
    poses.position_m[row, 2] -= sink_m
    return poses


@pytest.mark.parametrize("plateaus", range(6))
def test_a_standing_tower_is_read_back_from_its_poses(plateaus: int) -> None:
    tower = random_tower(PROFILE, 21, plateaus)
    read = standing_tower(PROFILE, ORDER, poses_of(PROFILE, tower), parked(tower))
    assert {(s.column, s.floor) for s in read.columns} == {(s.column, s.floor) for s in tower.columns}
    for standing in tower.columns:
        seen = read.find(standing.column)
        assert seen is not None
        assert (seen.x_mm, seen.y_mm, seen.z_mm, seen.yaw_deg) == pytest.approx(
            (standing.x_mm, standing.y_mm, standing.z_mm, standing.yaw_deg), abs=1e-6
        )
    for seen, laid in zip(read.plateaus, tower.plateaus, strict=True):
        assert (seen.x_mm, seen.y_mm, seen.z_mm, seen.yaw_deg) == pytest.approx((laid.x_mm, laid.y_mm, laid.z_mm, laid.yaw_deg), abs=1e-6)


def test_a_plateaus_small_tilts_survive_the_way_to_poses_and_back() -> None:
    tower = Tower(small_tower().columns, (Laid(Floor.BLUE, 1.0, -2.0, 100.0, 35.0, tilt_x_deg=0.4, tilt_y_deg=-0.7),))
    [laid] = standing_tower(PROFILE, ORDER, poses_of(PROFILE, tower), parked(tower)).plateaus
    assert (laid.tilt_x_deg, laid.tilt_y_deg, laid.yaw_deg) == pytest.approx((0.4, -0.7, 35.0), abs=0.01)


def test_a_column_standing_on_its_head_stands_all_the_same() -> None:
    tower = small_tower()
    poses = poses_of(PROFILE, tower)
    poses.turn[ORDER.row[THIN]] = (0.0, 1.0, 0.0, 0.0)
    log = TruthLog(PROFILE, ORDER)
    log.settle(0.0, poses_of(PROFILE, tower), None, parked(tower))
    assert [truth.kind for truth in log.settle(1.0, poses, 0, parked(tower))] == []


def test_a_raised_column_is_told_with_its_new_floor_and_no_overhang() -> None:
    [truth] = told(small_tower(ON_GROUND), small_tower(ON_BLUE))
    assert (truth.kind, truth.seat, truth.column, truth.floor) == (FactKind.RAISED, 1, OTHER, Floor.BLUE)
    assert truth.details["overhang_mm"] == 0.0
    assert truth.details["nudged_mm"] == 0.0


def test_a_foot_over_the_edge_is_measured() -> None:
    edge = max(x for x, y in PROFILE.plateaus[Floor.BLUE].outline_mm if abs(y - 14) < 20)
    [truth] = told(small_tower(ON_GROUND), small_tower(Standing(OTHER, Floor.BLUE, edge - 2.5, 14, 105)))
    assert truth.details["overhang_mm"] == pytest.approx(5.0, abs=0.7)


def test_a_neighbour_that_was_nudged_and_a_plateau_that_was_shifted_are_measured() -> None:
    after = small_tower(ON_BLUE)
    nudged = tuple(Standing(s.column, s.floor, s.x_mm + 5, s.y_mm, s.z_mm) if s.column == HEX else s for s in after.columns)
    [truth] = told(small_tower(ON_GROUND), Tower(nudged, (Laid(Floor.BLUE, 3, 4, 100, 6),)))
    assert truth.details["nudged_mm"] == pytest.approx(5.0, abs=0.01)
    assert truth.details["shifted_mm"] == pytest.approx(5.0, abs=0.01)
    assert truth.details["turned_deg"] == pytest.approx(6.0, abs=0.01)
    assert (truth.nudged, truth.shifted) == ((HEX,), (Floor.BLUE,))


def test_what_the_design_tolerates_is_measured_but_not_held_against_anybody() -> None:
    [truth] = told(small_tower(ON_GROUND), Tower(small_tower(ON_BLUE).columns, (Laid(Floor.BLUE, 3, 3.5, 100, 2.5),)))
    assert truth.details["shifted_mm"] == pytest.approx(4.61, abs=0.01)
    assert truth.shifted == ()


def test_a_column_tugged_and_put_back_is_an_abort() -> None:
    away = poses_of(PROFILE, small_tower(ON_GROUND))
    away.position_m[ORDER.row[HEX], 0] += 0.015
    [truth] = told(small_tower(ON_GROUND), small_tower(ON_GROUND), on_the_way=away)
    assert (truth.kind, truth.column, truth.floor) == (FactKind.ABORTED, HEX, Floor.GROUND)
    assert truth.details["moved_mm"] == pytest.approx(15.0, abs=0.1)


def test_a_wobble_of_three_millimetres_is_nothing() -> None:
    away = poses_of(PROFILE, small_tower(ON_GROUND))
    away.position_m[ORDER.row[HEX], 0] += 0.003
    assert told(small_tower(ON_GROUND), small_tower(ON_GROUND), on_the_way=away) == []


@pytest.mark.parametrize(("gap_mm", "covers"), [(0.0, 4), (1.0, 4), (2.5, 3)])
def test_a_plateau_covers_what_reaches_up_to_it(gap_mm: float, covers: int) -> None:
    lower = Standing(OTHER, Floor.GROUND, 10, -60, -gap_mm)
    [truth] = told(small_tower(lower, blue=False), small_tower(lower))
    assert (truth.kind, truth.floor) == (FactKind.LAID, Floor.BLUE)
    assert truth.details["covers"] == covers


def test_a_quarter_of_a_top_is_enough_to_be_covered() -> None:
    edge = max(x for x, y in PROFILE.plateaus[Floor.BLUE].outline_mm if abs(y - 14) < 20)
    inside = [
        told(small_tower(s, blue=False), small_tower(s)) for s in (Standing(OTHER, Floor.GROUND, edge + d, 14, 0) for d in (2.0, 5.5))
    ]
    assert [int(truths[0].details["covers"]) for truths in inside] == [4, 3]


def test_a_plateau_that_slid_off_is_a_collapse_and_nothing_else_is_told() -> None:
    tower = small_tower(ON_BLUE)
    log = TruthLog(PROFILE, ORDER)
    log.settle(0.0, poses_of(PROFILE, tower), None, parked(tower))
    after = tipped(tipped(poses_of(PROFILE, tower), Floor.BLUE, 25, 0.04), OTHER, 90, 0.09)
    [truth] = log.settle(3.0, after, 2, parked(tower))
    assert (truth.kind, truth.seat, truth.floor) == (FactKind.COLLAPSED, 2, Floor.BLUE)
    assert log.tower.plateaus == ()


def test_a_column_that_fell_while_every_plateau_kept_its_place_is_an_incident() -> None:
    tower = small_tower(ON_BLUE)
    log = TruthLog(PROFILE, ORDER)
    log.settle(0.0, poses_of(PROFILE, tower), None, parked(tower))
    [truth] = log.settle(3.0, tipped(poses_of(PROFILE, tower), OTHER, 90, 0.042), 2, parked(tower))
    assert (truth.kind, truth.column) == (FactKind.INCIDENT, OTHER)


def test_a_column_taken_out_of_the_game_is_removed() -> None:
    [truth] = told(small_tower(ON_GROUND), small_tower())
    assert (truth.kind, truth.column) == (FactKind.REMOVED, OTHER)


def test_yaw_is_kept_by_a_turn_about_the_vertical() -> None:
    assert np.linalg.norm(yaw_turn(77.0)) == pytest.approx(1.0)
