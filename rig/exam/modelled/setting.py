"""What a modelled game starts from: the set and what a calibration knows of it, people, what they wear, a tower to be played on."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import msgspec
import numpy as np

from rig.exam.modelled.likelihoods import Likelihoods
from rig.exam.modelled.statics import Site, plan_laying
from rig.messages import Tower
from rig.pieces import Colour, Column, Floor
from rig.profile import Profile
from rig.profile.nominal import nominal_profile
from rig.rules import Game
from rig.twin.levels import Level
from rig.twin.people.midgame import begun
from rig.twin.people.persons import Person, draw_people, draw_shirts
from rig.twin.people.plans import plan_set_up
from rig.twin.pictures.cameras import draw_camera_poses
from rig.twin.situations import BELIEVED_DEG, BELIEVED_MM

LEAST_MM = 4.0
"""Margin with which the blue plateau lies at least."""


@dataclass(frozen=True, slots=True)
class Setting:
    """`known` is the referee's profile, without cells: the base is modelled. `believed` is the tower as a careful reading has it."""

    site: Site
    known: Profile
    people: tuple[Person, ...]
    sleeves: tuple[Colour | None, ...]
    game: Game
    tower: Tower
    believed: Tower
    carriers: Mapping[Floor, frozenset[Column]]


def draw_setting(seed: int, level: Level, players: int, cameras: int, likelihoods: Likelihoods) -> Setting:
    """A game set up and drawn for; deterministic by seed."""
    rng = np.random.default_rng((seed, 0x5E7))
    true = nominal_profile(max(cameras, 1))
    site = Site.of(true)
    tower, carriers = _set_up(site, level, rng)
    people = draw_people(level.table, rng, players)
    game = begun(true.pieces, players, rng)
    shirts = draw_shirts(level.table.sleeves, rng, players)
    sleeves: tuple[Colour | None, ...]
    if shirts is None:
        sleeves = tuple(game.position.colours[seat][0] for seat in range(players))
    else:
        sleeves = tuple(shirt if isinstance(shirt, Colour) else None for shirt in shirts)
    return Setting(site, _known(true, seed, cameras, rng, likelihoods), people, sleeves, game, tower, _believed(tower, rng), carriers)


def _set_up(site: Site, level: Level, rng: np.random.Generator) -> tuple[Tower, dict[Floor, frozenset[Column]]]:
    """Twenty columns on the site and the blue plateau on them."""
    least, most = level.table.set_up.outside
    while True:
        outside = least if least == most else int(rng.integers(least, most + 1))
        standing = sorted(plan_set_up(site.profile, rng, outside), key=lambda s: s.column)
        tower = Tower(tuple(standing))
        plan = plan_laying(site, tower, {}, Floor.BLUE, rng, LEAST_MM)
        if plan is not None:
            laid, under = plan
            return Tower(tower.columns, (laid,)), {Floor.BLUE: under}


def _known(true: Profile, seed: int, cameras: int, rng: np.random.Generator, likelihoods: Likelihoods) -> Profile:
    """What a calibration knows: masses with their error, cameras where they stand."""
    poses = draw_camera_poses(max(cameras, 1), seed=seed)
    seen = tuple(msgspec.structs.replace(camera, pose=pose) for camera, pose in zip(true.cameras, poses, strict=True))[:cameras]
    columns = {
        shape: msgspec.structs.replace(size, mass_g=round(size.mass_g + float(rng.normal(0, likelihoods.scale.mass_g)), 2))
        for shape, size in true.columns.items()
    }
    return msgspec.structs.replace(true, cells=(), cameras=seen, columns=columns)


def _believed(tower: Tower, rng: np.random.Generator) -> Tower:
    """The tower with the errors of a careful reading."""

    def off(spread: float) -> float:
        return float(rng.normal(0, spread))

    columns = tuple(
        msgspec.structs.replace(s, x_mm=s.x_mm + off(BELIEVED_MM), y_mm=s.y_mm + off(BELIEVED_MM), yaw_deg=s.yaw_deg + off(BELIEVED_DEG))
        for s in tower.columns
    )
    plateaus = tuple(
        msgspec.structs.replace(p, x_mm=p.x_mm + off(BELIEVED_MM), y_mm=p.y_mm + off(BELIEVED_MM), yaw_deg=p.yaw_deg + off(BELIEVED_DEG))
        for p in tower.plateaus
    )
    return Tower(columns, plateaus)
