"""Photographs put their light paths where it matters, and nothing but their noise tells."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest

from rig.profile.nominal import nominal_profile
from rig.twin.photo import path_tracer as photo
from rig.twin.photo.path_tracer import Space, photograph_scene
from rig.twin.physics.poses import poses_of
from rig.twin.physics.towers import random_tower
from rig.twin.pictures.cameras import Picture, draw_camera_poses
from rig.twin.pictures.scene import RenderScene

pytest.importorskip("mitsuba", reason="photorealistic pictures need the extra `photo`")

PROFILE = nominal_profile(1, width_px=180, height_px=320)
LENS = PROFILE.cameras[0].model
POSE = draw_camera_poses(1, seed=3)[0]
SCENE = RenderScene(PROFILE, seed=3)
SCENE.place(poses_of(PROFILE, random_tower(PROFILE, 3, 2)), (), 0.0)
TOWER = Space((-160.0, -160.0, 0.0), (160.0, 160.0, 300.0))


def photographed(closely: Sequence[Space] = (), draw: int = 0, spp: int = 4) -> Picture:
    return photograph_scene(SCENE, [POSE], [LENS], spp, closely, draw)[0]


def test_a_space_is_seen_where_its_corners_are() -> None:
    seen = TOWER.seen(POSE, LENS)
    rows, columns = np.nonzero(seen)
    assert seen.shape == (320, 180)
    assert 0.15 < seen.mean() < 0.5
    assert abs(columns.mean() - 90) < 15
    assert rows.min() > 20, "above a low tower there is room left"


def test_where_fewer_paths_are_drawn_the_picture_is_as_bright() -> None:
    whole, part = photographed(spp=16).astype(float), photographed([TOWER]).astype(float)
    beside = ~TOWER.seen(POSE, LENS)
    assert part[beside].mean() == pytest.approx(whole[beside].mean(), abs=2.0)
    assert part[~beside].mean() == pytest.approx(whole[~beside].mean(), abs=2.0)
    assert np.abs(part - whole)[~beside].mean() < 8.0


def test_noise_is_the_draws_own_and_comes_again(monkeypatch: pytest.MonkeyPatch) -> None:
    first = photographed([TOWER], draw=1)
    assert np.array_equal(first, photographed([TOWER], draw=1))
    assert not np.array_equal(first, photographed([TOWER], draw=2))
    monkeypatch.setattr(photo, "LANES", 10_000)
    assert np.abs(first.astype(float) - photographed([TOWER], draw=1)).mean() < 5.0, "how many are traced at a time shows in noise alone"
