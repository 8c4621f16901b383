"""Bystanders: what stands on a shifted plateau rides along, and a neighbour that really moved is still told."""

from __future__ import annotations

from types import SimpleNamespace
from typing import cast

import cv2
import msgspec
import numpy as np
import pytest

from rig.messages import Judge, Judged, Nothing, Tower
from rig.pieces import Floor
from rig.profile.nominal import nominal_profile
from rig.referee import measure
from rig.twin.physics.towers import random_tower
from rig.twin.pictures.cameras import draw_camera_poses, render_tower
from vision.arrays import Floats
from vision.change.evidence import BackgroundScore
from vision.change.refit import REACH_MM, RigidCarry, _Fit, _refit_piece
from vision.scene.upright import Upright
from vision.see import look

PROFILE = nominal_profile(1)


def shifted(tower: Tower, plateau: Floor, by_mm: tuple[float, float]) -> Tower:
    """The tower with a plateau and all above it gone aside together."""
    columns = [
        msgspec.structs.replace(s, x_mm=s.x_mm + by_mm[0], y_mm=s.y_mm + by_mm[1]) if s.floor >= plateau else s for s in tower.columns
    ]
    plateaus = [
        msgspec.structs.replace(p, x_mm=p.x_mm + by_mm[0], y_mm=p.y_mm + by_mm[1]) if p.plateau >= plateau else p for p in tower.plateaus
    ]
    return Tower(tuple(columns), tuple(plateaus))


def believed_after(seed: int, along_sight: float, aside: float) -> tuple[Tower, Tower, Tower]:
    """Before, after and what one camera believes after, the green plateau shifted along its line of sight and aside (mm)."""
    before = random_tower(PROFILE, seed=seed, plateaus=3)
    pose = draw_camera_poses(1, seed=seed)[0]
    eye_mm = -np.asarray(cv2.Rodrigues(np.array(pose.rvec))[0]).T @ np.array(pose.tvec_mm)
    away = -eye_mm[:2] / np.hypot(*eye_mm[:2])
    by = along_sight * away + aside * np.array((-away[1], away[0]))
    after = shifted(before, Floor.GREEN, (float(by[0]), float(by[1])))
    frames = {k: render_tower(PROFILE, tower, seed=seed, cameras=1)[0] for k, tower in enumerate((before, after))}
    answer = look(Judge(id=1, before=(0,), after=(1,), poses=(pose,), tower=before, hypotheses=(Nothing(),)), frames, PROFILE)
    assert isinstance(answer, Judged)
    found = answer.opinions[0].tower
    assert found is not None
    return before, after, found


@pytest.mark.parametrize(("along_mm", "aside_mm"), [(7.0, 0.0), (-7.0, 0.0), (0.0, 7.0)])
def test_columns_on_a_shifted_plateau_are_not_said_to_have_been_nudged_by_one_camera(along_mm: float, aside_mm: float) -> None:
    for seed in (3, 5):
        before, after, found = believed_after(seed, along_mm, aside_mm)
        assert not list(measure.nudged(before, found, None))
        off = [np.hypot(a.x_mm - b.x_mm, a.y_mm - b.y_mm) for a, b in zip(after.columns, found.columns, strict=True)]
        assert max(off) < 5.0


def test_what_lies_on_a_turned_plateau_rides_round_with_it() -> None:
    before = random_tower(PROFILE, seed=3, plateaus=2)
    blue = before.plateaus[0]
    turned = Tower(before.columns, (msgspec.structs.replace(blue, yaw_deg=blue.yaw_deg + 10.0), *before.plateaus[1:]))
    standing = before.on(Floor.BLUE)[0]
    carry = RigidCarry.along(before, turned, standing)
    arm_mm = np.hypot(standing.x_mm - blue.x_mm, standing.y_mm - blue.y_mm)
    assert np.hypot(*carry.offset_mm) == pytest.approx(2 * arm_mm * np.sin(np.radians(5.0)))
    assert carry.turn_deg == pytest.approx(10.0)
    assert not RigidCarry.along(before, before, standing).offset_mm.any()


class AlongTheSight(_Fit):
    """One camera's sums for a piece that has moved aside by 7 mm, and for which farther away is always a little better."""

    def __init__(self) -> None:
        self.backgrounds = (cast(BackgroundScore, SimpleNamespace(evidence=SimpleNamespace(stage=SimpleNamespace(view=None)))),)
        self.turning = False
        self.sums = [(np.zeros(0), 0, 0)]
        self.solid = cast(
            Upright, SimpleNamespace(sums=lambda _view, _sums, offsets, *_: 2000.0 - 200.0 * abs(offsets[:, 0] - 7.0) + 8.0 * offsets[:, 1])
        )


def test_neighbour_that_one_camera_saw_move_is_not_lost_along_its_line_of_sight() -> None:
    piece = random_tower(PROFILE, seed=3, plateaus=1).columns[0]
    found = _refit_piece(AlongTheSight(), piece, RigidCarry.none())
    assert found.x_mm - piece.x_mm == pytest.approx(7.0, abs=1.0)
    assert np.hypot(found.x_mm - piece.x_mm, found.y_mm - piece.y_mm) <= REACH_MM


class BeyondAValley(AlongTheSight):
    """Two cameras' sums for a piece that has gone 15 mm aside, with a smaller gain at 5 mm where one of them alone sees it agree."""

    def __init__(self) -> None:
        super().__init__()

        def sums(_view: object, _sums: object, offsets: Floats, *_: object) -> Floats:
            there, here = np.hypot(offsets[:, 0] - 15.0, offsets[:, 1]), np.hypot(offsets[:, 0] - 5.0, offsets[:, 1])
            return np.asarray(np.maximum(4000.0 - 1000.0 * there, 1500.0 - 500.0 * here).clip(-2000.0))

        self.solid = cast(Upright, SimpleNamespace(sums=sums))


def test_neighbour_that_went_far_aside_is_found_beyond_a_place_where_one_camera_agrees() -> None:
    piece = random_tower(PROFILE, seed=3, plateaus=1).columns[0]
    found = _refit_piece(BeyondAValley(), piece, RigidCarry.none())
    assert np.hypot(found.x_mm - piece.x_mm - 15.0, found.y_mm - piece.y_mm) < 1.5
