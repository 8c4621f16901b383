"""Pictures with hands in them, drawn by the twin's renderer: reaching in, leaning on the apron, tugging a column and putting it back."""

from __future__ import annotations

import dataclasses
import math
from dataclasses import dataclass

import msgspec
import numpy as np
import numpy.typing as npt

from rig.bench.situations import delivered, fell, rig_of, shaken, stacked_anew, stood_on_top, without
from rig.messages import CameraPose, Standing, Tower, Track, Watch, Watched
from rig.pieces import Colour, Column
from rig.profile import Profile
from rig.profile.nominal import nominal_profile
from rig.twin.levels import level_named
from rig.twin.physics.poses import HandPose
from rig.twin.physics.towers import random_tower
from rig.twin.pictures.cameras import Eye
from rig.twin.pictures.scene import WorldName
from vision.see import Eyes

Picture = npt.NDArray[np.uint8]
SLEEVES: tuple[Colour | None, ...] = (None, *Colour)


def reaching_hand(rng: np.random.Generator, tower: Tower) -> HandPose:
    """A hand whose finger tips are somewhere in the tower, its arm from outside."""
    top = max((laid.z_mm + 5 for laid in tower.plateaus), default=0.0)
    tip = (float(rng.uniform(-80, 80)), float(rng.uniform(-80, 80)), float(rng.uniform(20, top + 100)))
    return _arm(rng, tip, math.atan2(tip[1], tip[0]) + rng.uniform(-0.5, 0.5))


def leaning_hand(rng: np.random.Generator) -> HandPose:
    """A hand that rests beside the base, on the apron or the table."""
    angle, away = rng.uniform(0, 2 * math.pi), rng.uniform(210, 260)
    return _arm(rng, (away * math.cos(angle), away * math.sin(angle), float(rng.uniform(0, 60))), angle)


def _arm(rng: np.random.Generator, tip: tuple[float, float, float], direction: float, rise_mm: float | None = None) -> HandPose:
    rise = float(rng.uniform(20, 150)) if rise_mm is None else rise_mm
    elbow = (tip[0] + 400 * math.cos(direction), tip[1] + 400 * math.sin(direction), tip[2] + rise)
    return HandPose(tip, elbow, SLEEVES[int(rng.integers(len(SLEEVES)))])


@dataclass(frozen=True)
class HandShot:
    """One picture a camera of a kind: `hand` (with its sleeve), `leaning`, `settled`, `moved` or `fallen`, and what the eyes said."""

    kind: str
    sleeve: Colour | None
    watched: tuple[Watched, ...]


def watched_shots(seed: int, level: str = "lab", world: WorldName = "A", cameras: int = 2) -> list[HandShot]:
    """What the eyes say of hands and no hands round one tower, held against its settled picture of some seconds before."""
    rng = np.random.default_rng((seed, 5))
    profile, known = rig_of(seed, cameras, level)
    tower = random_tower(profile, seed, int(rng.integers(0, 5)))
    shots = []
    with Eye(profile, seed, level=level_named(level).pictures, world=world) as eye:
        began_s = float(rng.uniform(10.0, 600.0))
        reference, poses = delivered(eye, tower, t_s=began_s), eye.poses
        nudged = shaken(tower, rng, 1.0, 1.0, 0.5)
        kinds: list[tuple[str, Tower, tuple[HandPose, ...]]] = [("settled", tower, ()), ("settled", nudged, ())]
        kinds += [("hand", nudged, (reaching_hand(rng, tower),)) for _ in range(4)]
        kinds.append(("leaning", tower, (leaning_hand(rng),)))
        if level != "lab":
            kinds.append(("hook", nudged, (dataclasses.replace(reaching_hand(rng, tower), hook=True),)))
        if tower.plateaus:
            lower = [standing.column for standing in tower.columns if standing.floor is not tower.top_floor]
            moved = stood_on_top(profile, without(tower, lower[0]), rng, lower[0])
            if moved is not None:
                kinds.append(("moved", moved, ()))
            kinds.append(("fallen", fell(tower, rng), ()))
        for kind, now, hands in kinds:
            pictures = delivered(eye, now, hands, t_s=began_s + float(rng.uniform(2.0, 20.0)))
            believed = stacked_anew(known, tower)
            answers = tuple(watch_one(k + 1, reference[k], pictures[k], poses[k], believed, known) for k in range(cameras))
            sleeve = hands[0].sleeve if hands else None
            shots.append(HandShot(kind, sleeve if isinstance(sleeve, Colour) else None, answers))
    return shots


def watch_one(
    camera: int, reference: Picture, picture: Picture, pose: CameraPose | None, tower: Tower, profile: Profile | None = None
) -> Watched:
    request = Watch(id=1, camera=camera, frame=2, previous=None, reference=1, pose=pose, tower=tower)
    answer = Eyes(profile or nominal_profile(2)).look(request, {1: reference, 2: picture})
    assert isinstance(answer, Watched)
    return answer


@dataclass(frozen=True)
class Tug:
    """A column pulled some way out and put back (or only touched), with the look that asks about it."""

    seed: int
    column: Column
    request: Track
    frames: dict[int, Picture]


def tug(seed: int, pulled_mm: tuple[float, ...] = (4.0, 10.0, 16.0, 12.0, 3.0), touched_only: bool = False) -> Tug:
    """Five moments of a tug seen by two cameras, the hand at the column in all of them."""
    rng = np.random.default_rng((seed, 6))
    profile = nominal_profile(2)
    tower = random_tower(profile, seed, int(rng.integers(1, 5)))
    lower = [standing for standing in tower.columns if standing.floor is not tower.top_floor]
    tugged = lower[int(rng.integers(len(lower)))]
    direction = math.atan2(tugged.y_mm, tugged.x_mm) + rng.uniform(-0.6, 0.6)
    reach = profile.columns[tugged.column.shape].radius_mm
    frames: dict[int, Picture] = {}
    seen: list[tuple[int, int]] = []
    with Eye(profile, seed) as eye:
        frames.update(enumerate(delivered(eye, tower)))
        poses = eye.poses
        for pulled in pulled_mm:
            away = 0.0 if touched_only else pulled
            aside = msgspec.structs.replace(
                tugged, x_mm=tugged.x_mm + away * math.cos(direction), y_mm=tugged.y_mm + away * math.sin(direction)
            )
            now = Tower(tuple(_replaced(standing, aside) for standing in tower.columns), tower.plateaus)
            height = aside.z_mm + float(rng.uniform(30, 70))
            tip = (aside.x_mm + reach * math.cos(direction), aside.y_mm + reach * math.sin(direction), height)
            hand = _arm(rng, tip, direction, rise_mm=80.0)
            for camera, picture in enumerate(delivered(eye, shaken(now, rng, 0.2, 0.3, 0.1), (hand,)), start=1):
                seen.append((camera, len(frames)))
                frames[len(frames)] = picture
    candidates = tuple(standing.column for standing in lower if standing.column.colour is tugged.column.colour)
    believed = shaken(tower, rng, 0.5, 0.5, 0.2)
    request = Track(id=1, before=(0, 1), frames=tuple(seen), poses=poses, tower=believed, columns=candidates)
    return Tug(seed, tugged.column, request, frames)


def _replaced(standing: Standing, other: Standing) -> Standing:
    return other if standing.column == other.column else standing
