"""The twin's tower stands, weighs, sleeps, wakes and falls as a real one would."""

from __future__ import annotations

import numpy as np
import pytest

from rig.messages import Tower
from rig.pieces import Column
from rig.profile import Profile
from rig.profile.nominal import nominal_profile
from rig.twin.levels import level_named
from rig.twin.people.plans import weakest_carrier
from rig.twin.physics.poses import poses_of
from rig.twin.physics.statics import margin
from rig.twin.physics.towers import random_tower
from rig.twin.physics.world import STEP_S, Grip, World

PROFILE = nominal_profile()


def built(tower: Tower, seed: int = 1) -> World:
    """The tower put up in the physics and come to rest."""
    world = World(PROFILE, seed, level_named("lab").table)
    poses = poses_of(PROFILE, tower)
    for standing in tower.columns:
        world.put(
            standing.column, poses.position_m[world.order.row[standing.column]] + (0, 0, 1e-4 + 2e-4 * standing.floor), standing.yaw_deg
        )
    for laid in tower.plateaus:
        world.put(laid.plateau, poses.position_m[world.order.row[laid.plateau]] + (0, 0, 2e-4 * laid.plateau), laid.yaw_deg)
    run(world, 1.2)
    return world


def run(world: World, seconds: float) -> None:
    for _ in range(round(seconds / STEP_S)):
        world.step()


def weight_g(world: World, seconds: float = 0.3) -> float:
    world.drain()
    run(world, seconds)
    return float(world.drain().load_g.sum(axis=1).mean())


def true_weight_g(profile: Profile, tower: Tower) -> float:
    columns = sum(profile.columns[s.column.shape].mass_g for s in tower.columns)
    return profile.base.mass_g + columns + sum(profile.plateaus[laid.plateau].mass_g for laid in tower.plateaus)


def lift(world: World, column: Column, height_m: float, seconds: float = 0.6) -> None:
    world.take(Grip.BUILDER, column)
    start = world.aim(Grip.BUILDER)
    steps = round(seconds / STEP_S)
    for k in range(steps):
        world.steer(Grip.BUILDER, start + (0, 0, height_m * (k + 1) / steps))
        world.step()


def test_a_settled_tower_of_five_floors_creeps_less_than_a_fiftieth_of_a_millimetre_in_ten_seconds() -> None:
    world = built(random_tower(PROFILE, 22, 5))
    before = world.poses().position_m
    run(world, 10.0)
    assert np.abs(world.poses().position_m - before).max() < 2e-5


@pytest.mark.parametrize("plateaus", [0, 2, 5])
def test_the_cells_carry_the_weight_of_all_that_stands(plateaus: int) -> None:
    tower = random_tower(PROFILE, 22, plateaus)
    assert weight_g(built(tower)) == pytest.approx(true_weight_g(PROFILE, tower), abs=0.6)


def test_each_cell_carries_what_the_lever_says() -> None:
    tower = random_tower(PROFILE, 7, 0)
    column = tower.columns[0]
    only = Tower((column,))
    world = built(only)
    world.drain()
    run(world, 0.2)
    load_g = world.drain().load_g.mean(axis=0) - PROFILE.base.mass_g / 4
    mass_g = PROFILE.columns[column.column.shape].mass_g
    x_mm = sum(g * cell.x_mm for g, cell in zip(load_g, PROFILE.cells, strict=True)) / mass_g
    y_mm = sum(g * cell.y_mm for g, cell in zip(load_g, PROFILE.cells, strict=True)) / mass_g
    assert (x_mm, y_mm) == pytest.approx((column.x_mm, column.y_mm), abs=0.5)


def test_a_lifted_column_is_missed_by_the_scale_and_comes_back_when_let_go() -> None:
    tower = random_tower(PROFILE, 2, 3)
    column = next(s.column for s in tower.columns if s.floor is tower.top_floor)
    mass_g = PROFILE.columns[column.shape].mass_g
    world = built(tower)
    full_g = weight_g(world)
    lift(world, column, 0.03)
    assert full_g - weight_g(world) == pytest.approx(mass_g, abs=0.6)
    lift(world, column, -0.0298)
    world.let_go(Grip.BUILDER)
    run(world, 0.8)
    assert weight_g(world) == pytest.approx(full_g, abs=0.6), "asleep or not, what is let go falls onto its floor"


def test_a_sleeping_tower_wakes_when_the_table_is_knocked() -> None:
    world = built(random_tower(PROFILE, 2, 2))
    run(world, 1.0)
    world.drain()
    world.shove[:] = (2.0, 0.0, 0.0)
    run(world, 0.03)
    world.shove[:] = 0.0
    run(world, 0.1)
    signals = world.drain()
    assert np.abs(signals.imu[:, 0]).max() > 0.15
    assert signals.load_g.sum(axis=1).std() > 0.05


def test_a_tower_shoved_hard_falls_over() -> None:
    tower = random_tower(PROFILE, 22, 5)
    world = built(tower)
    top = tower.top_floor
    before = world.position(top)[2]
    world.shove[:] = (6.0, 0.0, 0.0)
    run(world, 0.4)
    world.shove[:] = 0.0
    run(world, 1.0)
    assert world.position(top)[2] < before - 0.05


def test_pulling_a_column_the_tower_cannot_miss_brings_it_down() -> None:
    fell = 0
    seeds = (3, 5, 8)
    for seed in seeds:
        tower = random_tower(PROFILE, seed, 3)
        weakest = weakest_carrier(tower, [s.column for s in tower.columns], PROFILE)
        assert weakest is not None
        column, azimuth = weakest
        rest = Tower(tuple(s for s in tower.columns if s.column != column), tower.plateaus)
        if margin(PROFILE, rest) > -5.0:
            continue
        world = built(tower)
        heights = {laid.plateau: world.position(laid.plateau)[2] for laid in tower.plateaus}
        world.take(Grip.BUILDER, column)
        start, way = world.aim(Grip.BUILDER), np.array([np.cos(np.radians(azimuth)), np.sin(np.radians(azimuth)), 0.0])
        for k in range(600):
            world.steer(Grip.BUILDER, start + way * 0.10 * (k + 1) / 600)
            world.step()
        run(world, 1.0)
        fell += any(world.position(plateau)[2] < height - 0.03 for plateau, height in heights.items())
    assert fell >= 2
