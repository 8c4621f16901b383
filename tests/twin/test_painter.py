"""The painter: its pictures are MuJoCo's own (in `lab` to the last pixel, elsewhere but for a few on edges), in parts or whole."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from rig.bench.mujoco_painter import MujocoPainter
from rig.pieces import Colour
from rig.profile.nominal import nominal_profile
from rig.twin.levels import level_named
from rig.twin.physics.poses import HandPose, poses_of
from rig.twin.physics.towers import random_tower
from rig.twin.pictures.cameras import Eye, Picture
from rig.twin.pictures.lenses import LensMap, draw_lens
from rig.twin.pictures.repaint import cut_out

SMALL = nominal_profile(cameras=1, width_px=270, height_px=480)
HAND = HandPose((40.0, -90.0, 230.0), (340.0, -260.0, 330.0), Colour.BLUE)


def by_mujoco(eye: Eye, size_px: tuple[int, int]) -> Picture:
    """The whole ideal picture of camera 1, BGR, by MuJoCo's own renderer."""
    painter = MujocoPainter(eye.scene.model, eye.scene.data, eye.context)
    return painter.paint(eye.scene.model.camera("camera1").id, size_px, [(0, 0, *size_px)])[0]


@pytest.mark.parametrize("level", ["lab", "home", "rough"])
@pytest.mark.parametrize("world", ["A", "B"])
def test_what_is_painted_is_what_mujoco_draws(level: str, world: str) -> None:
    with Eye(SMALL, 5, level=level_named(level).pictures, world=world) as eye:  # type: ignore[arg-type]
        for tower, hands in ((random_tower(SMALL, 5, 3), [HAND]), (random_tower(SMALL, 6, 2), [])):
            eye.see(poses_of(SMALL, tower), hands)
            painted = eye._last[0]
            whole = by_mujoco(eye, (painted.shape[1], painted.shape[0]))
            assert (painted != whole).any(axis=2).sum() <= (0 if (level, world) == ("lab", "A") else 12)


@given(arrays(np.bool_, st.tuples(st.integers(1, 20), st.integers(1, 20))))
def test_what_is_cut_out_holds_every_marked_cell_once(marked: np.ndarray) -> None:
    times = np.zeros(marked.shape, int)
    for left, top, right, bottom in cut_out(marked):
        times[top:bottom, left:right] += 1
    assert times.max(initial=0) <= 1
    assert (times[marked] == 1).all()


def test_two_far_corners_are_cut_out_apart() -> None:
    marked = np.zeros((80, 60), np.bool_)
    marked[:5, :5] = marked[-5:, -5:] = True
    assert sorted(cut_out(marked)) == [(0, 0, 5, 5), (55, 75, 60, 80)]


def test_a_part_bent_anew_is_as_if_all_were() -> None:
    bend = LensMap.of(draw_lens(SMALL.cameras[0].model, 3, 1, 1.0))
    rng = np.random.default_rng(1)
    before = rng.integers(0, 255, (bend.height_px, bend.width_px, 3), np.uint8)
    out, after = bend.apply(before), before.copy()
    part = (60, 100, 140, 260)
    after[100:260, 60:140] = 255 - after[100:260, 60:140]
    bend.apply_part(after, part, out)
    assert np.array_equal(out, bend.apply(after))


def test_shadows_of_what_comes_to_rest_are_those_of_what_always_lay_there() -> None:
    tower, home = random_tower(SMALL, 7, 3), level_named("home").pictures
    with Eye(SMALL, 7, level=home) as one, Eye(SMALL, 7, level=home) as fresh:
        for k in range(7):
            tip = (40.0 + 5 * min(k, 2), -90.0, 230.0)
            pictures = one.see(poses_of(SMALL, tower), [HandPose(tip, HAND.elbow_mm, Colour.BLUE)])
        whole = fresh.see(poses_of(SMALL, tower), [HandPose((50.0, -90.0, 230.0), HAND.elbow_mm, Colour.BLUE)])
    assert (pictures[0] != whole[0]).any(axis=2).sum() <= 12
