"""Towers to be read, drawn by the twin: what the eyes are given (pictures, the set as calibrated, poses they found) and the truth.

Every seed draws another set, tower, room, lamps, lenses and cameras (`lab`: the nominal set and lens). With `Rigs` sets and lenses are
those of a few rigs in turn, known by our own calibration alone; room, lamps and cameras' places are the seed's. The camera poses are
found in the pictures themselves, from the markers.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Literal, get_args

import cv2
import msgspec
import numpy as np
import numpy.typing as npt

from rig.bench.own_calibration import calibrated_rig
from rig.errors import PalettiError
from rig.messages import CameraPose, Laid, Tower
from rig.pieces import Column, Floor
from rig.profile import CameraModel, Profile
from rig.profile.nominal import nominal_profile
from rig.twin.levels import level_named
from rig.twin.people.plans import plan_set_up
from rig.twin.physics.poses import HandPose, poses_of
from rig.twin.physics.sets import draw_set, measured
from rig.twin.physics.statics import covered, margin
from rig.twin.physics.towers import random_tower
from rig.twin.pictures.cameras import Eye
from rig.twin.pictures.contact_sheet import random_hands
from rig.twin.pictures.lenses import profile_as_calibrated, true_lenses
from rig.twin.pictures.scene import WorldName
from vision.camera.markers import pose_from
from vision.camera.view import CameraView
from vision.scene.silhouettes import Scene, Stage, code_of, items_of

Picture = npt.NDArray[np.uint8]
Bools = npt.NDArray[np.bool_]

SceneName = Literal["towers", "hands", "set-up", "part", "blue"]
"""`towers`: one to five floors. `hands`: the same with hands and forearms in the pictures. `set-up`: all columns stand on the ground as
players put them, no plateau lies. `part`: some of them stand there, the others not yet. `blue`: all of them, and blue was laid."""

SCENES: tuple[SceneName, ...] = get_args(SceneName)

COVERED_LEVEL = 24
"""Grey levels by which a pixel differs between the picture with hands and the same without where a hand covers it."""


@dataclass(frozen=True)
class Shot:
    """One tower and its pictures. `covered`: for each camera the pixels (half size) where a hand or its shadow is, none without hands."""

    seed: int
    scene: SceneName
    tower: Tower
    true: Profile
    true_poses: tuple[CameraPose, ...]
    known: Profile
    poses: tuple[CameraPose, ...]
    pictures: tuple[Picture, ...]
    covered: tuple[Bools, ...]


@dataclass(frozen=True, slots=True)
class Rigs:
    """Rigs that `own_calibration` calibrated (or does when missing): its folder, the first one's number, how many, with how many cameras;
    the eyes are given the first of these."""

    folder: Path
    first: int
    sets: int
    cameras: int = 3


@dataclass(frozen=True)
class Known:
    """A set as it is, as the eyes know it, and the lenses that see it."""

    true: Profile
    known: Profile
    lenses: tuple[CameraModel, ...]


def known_of(seed: int, cameras: int, level: str, world: WorldName = "A", rigs: Rigs | None = None) -> Known:
    """The set and lenses of a seed. PalettiError if our own calibration refused its rig or took it for another set."""
    spread = level_named(level).pictures.lens_spread
    if rigs is not None:
        rig = rigs.first + seed % rigs.sets
        true, known = calibrated_rig(rig, rigs.cameras, level, world, rigs.folder)
        if known.pieces.counts() != true.pieces.counts():
            raise PalettiError(f"Our own calibration misread the split of set {rig}.")
        return Known(true, known, true_lenses(true, rig, spread))
    if level == "lab":
        nominal = nominal_profile(cameras)
        return Known(nominal, nominal, true_lenses(nominal, seed, spread))
    true = draw_set(seed, cameras, world=world).profile
    return Known(true, profile_as_calibrated(measured(true, seed), seed, spread), true_lenses(true, seed, spread))


def poses_found(known: Profile, pictures: tuple[Picture, ...]) -> tuple[CameraPose, ...] | None:
    """The cameras' poses from the markers; None if one shows too few."""
    found = [pose_from(picture, known, camera, 0).pose for picture, camera in zip(pictures, known.cameras, strict=True)]
    return None if any(pose is None for pose in found) else tuple(pose for pose in found if pose is not None)


def tower_of(true: Profile, seed: int, scene: SceneName) -> Tower:
    """The tower of a seed; PalettiError if this set has no such tower."""
    if scene in ("towers", "hands"):
        return random_tower(true, seed, int(np.random.default_rng((seed, 0x3EAD)).integers(1, 6)))
    rng = np.random.default_rng((seed, 0x5E70))
    standing = plan_set_up(true, rng, gap_mm=float(rng.uniform(6.0, 14.0)))
    if scene == "part":
        return Tower(tuple(standing[: int(rng.integers(3, len(standing)))]))
    if scene == "set-up":
        return Tower(tuple(standing))
    return _blue_laid(true, rng, Tower(tuple(standing)))


def _blue_laid(true: Profile, rng: np.random.Generator, tower: Tower) -> Tower:
    heights = {one.column: true.columns[one.column.shape].height_mm for one in tower.columns}
    for _ in range(200):
        x, y = rng.normal(0, 18, 2)
        laid = Laid(Floor.BLUE, float(x), float(y), 0.0, float(rng.uniform(-180, 180)))
        carriers = covered(true, laid, tower.columns, 0.01)
        if len(carriers) >= 3:
            laid = msgspec.structs.replace(laid, z_mm=max(heights[one.column] for one in carriers))
            covering = Tower(tower.columns, (laid,))
            if margin(true, covering) >= 5.0:
                return covering
    raise PalettiError("Blue can be laid nowhere on these columns.")


def shot_of(seed: int, cameras: int, level: str, world: WorldName, scene: SceneName, rigs: Rigs | None = None) -> Shot | str:
    """The shot of a seed, or why it has none."""
    try:
        rig = known_of(seed, cameras, level, world, rigs)
    except PalettiError as error:
        return error.sentence
    true = rig.true
    try:
        tower = tower_of(true, seed, scene)
    except PalettiError:
        return "this set has no such tower"
    with Eye(true, seed, level=level_named(level).pictures, world=world, lenses=rig.lenses) as eye:
        pictures = tuple(eye.delivered(poses_of(true, tower)))
        hands = _hands(seed, tower, true) if scene == "hands" else []
        bare = pictures
        if hands:
            pictures = tuple(eye.delivered(poses_of(true, tower), hands))
        true_poses = eye.poses
    seen_by = tuple(msgspec.structs.replace(camera, model=lens) for camera, lens in zip(true.cameras, rig.lenses, strict=True))[:cameras]
    known = msgspec.structs.replace(rig.known, cameras=rig.known.cameras[:cameras])
    bare, pictures = bare[:cameras], pictures[:cameras]
    poses = poses_found(known, bare)
    if poses is None:
        return "a camera found no pose"
    hidden = tuple(_covered(before, now) for before, now in zip(bare, pictures, strict=True))
    true = msgspec.structs.replace(true, cameras=seen_by)
    return Shot(seed, scene, tower, true, true_poses[:cameras], known, poses, pictures, hidden)


def _hands(seed: int, tower: Tower, true: Profile) -> list[HandPose]:
    """One or two hands at the tower."""
    rng = np.random.default_rng((seed, 0x4A4D))
    top_mm = max(one.z_mm + true.columns[one.column.shape].height_mm for one in tower.columns)
    while True:
        hands = random_hands(rng, top_mm)
        if hands:
            return hands


def _covered(bare: Picture, now: Picture) -> Bools:
    size = (bare.shape[1] // 2, bare.shape[0] // 2)
    before, after = (cv2.resize(one, size, interpolation=cv2.INTER_AREA).astype(np.int16) for one in (bare, now))
    changed = (np.abs(after - before).max(-1) > COVERED_LEVEL).astype(np.uint8)
    return np.asarray(cv2.morphologyEx(changed, cv2.MORPH_OPEN, np.ones((3, 3), np.uint8)), np.bool_)


def best_view(shot: Shot) -> dict[Column, float]:
    """The share of each column's silhouette that the camera with the best view of it sees: neither pieces nor hands before it."""
    best: dict[Column, float] = {}
    for pose, covered_px in zip(shot.true_poses, shot.covered, strict=True):
        scene = Scene(Stage(CameraView.of(shot.true.camera(pose.camera).model, pose, 0.5)), items_of(shot.true, shot.tower))
        for standing in shot.tower.columns:
            code = code_of(shot.true, standing.column)
            whole = int(scene.patches[code].inside.sum())
            seen = float((scene.visible(code) & ~covered_px).sum()) / max(whole, 1)
            best[standing.column] = max(best.get(standing.column, 0.0), seen)
    return best


def on_hand(shot: Shot, read: Tower, column: Column) -> float:
    """The largest share, over the cameras, of what a read column shows that lies on a hand."""
    shares = [0.0]
    for pose, covered_px in zip(shot.poses, shot.covered, strict=True):
        scene = Scene(Stage(CameraView.of(shot.known.camera(pose.camera).model, pose, 0.5)), items_of(shot.known, read))
        shown = scene.visible(code_of(shot.known, column))
        if int(shown.sum()) > 20:
            shares.append(float((shown & covered_px).sum()) / float(shown.sum()))
    return max(shares)
