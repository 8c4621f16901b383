"""The same instants drawn by both renderers, so that what is decided from them can be compared: does it hinge on OpenGL's handwriting?

An instant is a random tower, hands or none, a room, a true lens and a true pose for every camera; it is drawn by OpenGL and photographed by
Mitsuba, and both pictures go through the same sensor and the same JPEG. `rig/bench/bench_renderers.py` is one use of it.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from rig.messages import CameraPose, Tower
from rig.profile import CameraModel, Profile
from rig.profile.nominal import nominal_profile
from rig.twin.photo.path_tracer import SPP, photograph_scene
from rig.twin.physics.poses import HandPose, poses_of
from rig.twin.pictures.cameras import Eye, Picture, from_jpeg, to_jpeg
from rig.twin.pictures.contact_sheet import any_tower, random_hands
from rig.twin.pictures.lenses import profile_as_calibrated
from rig.twin.pictures.level_pictures import HOME, PictureLevel
from rig.twin.pictures.scene import WorldName


@dataclass(frozen=True, slots=True)
class TwiceDrawn:
    """One instant. Pictures BGR, one a camera, as delivered; `known` is the profile a referee would have (lenses as calibrated)."""

    seed: int
    true: Profile
    known: Profile
    tower: Tower
    hands: tuple[HandPose, ...]
    poses: tuple[CameraPose, ...]
    lenses: tuple[CameraModel, ...]
    drawn: tuple[Picture, ...]
    photographed: tuple[Picture, ...]


def instant_drawn_twice(
    seed: int,
    cameras: int = 1,
    level: PictureLevel = HOME,
    world: WorldName = "A",
    spp: int = SPP,
    with_hands: bool = False,
    picture_px: tuple[int, int] = (720, 1280),
) -> TwiceDrawn:
    """The instant of this seed by both renderers; PalettiError without Mitsuba. Some five seconds of processor time a picture."""
    rng = np.random.default_rng((seed, 0x2D4))
    profile = nominal_profile(cameras, width_px=picture_px[0], height_px=picture_px[1])
    tower = any_tower(profile, seed, int(rng.integers(1, 5)))
    hands = tuple(random_hands(rng, max(standing.z_mm for standing in tower.columns) + 100.0)) if with_hands else ()
    poses = poses_of(profile, tower)
    with Eye(profile, seed, level=level, world=world) as eye:
        ideal = eye.see(poses, hands)
        traced = photograph_scene(eye.scene, eye.poses, eye.lenses, spp)
        drawn = _delivered(eye, ideal)
    with Eye(profile, seed, level=level, world=world) as other:  # its cameras find their exposure on the photographs
        photographed = _delivered(other, traced)
    known = profile_as_calibrated(profile, seed, level.lens_spread)
    return TwiceDrawn(seed, profile, known, tower, hands, eye.poses, eye.lenses, drawn, photographed)


def _delivered(eye: Eye, pictures: list[Picture]) -> tuple[Picture, ...]:
    return tuple(from_jpeg(to_jpeg(eye.webcam(picture, pose.camera))) for picture, pose in zip(pictures, eye.poses, strict=True))


def instants_drawn_twice(
    count: int, seed: int, cameras: int = 1, level: PictureLevel = HOME, world: WorldName = "A", spp: int = SPP
) -> Iterator[TwiceDrawn]:
    """`count` of them, one after the other: seeds `seed`, `seed` + 1, …"""
    for k in range(count):
        yield instant_drawn_twice(seed + k, cameras, level, world, spp)
