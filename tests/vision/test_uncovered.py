"""What comes into sight where something was, and what only seems to be news."""

from __future__ import annotations

from types import SimpleNamespace
from typing import cast

import msgspec
import numpy as np

from rig.messages import Fallen, Judge, Judged, NoneOfThese, Nothing, Tower
from rig.pieces import Floor
from rig.profile.nominal import nominal_profile
from rig.twin.physics.towers import random_tower
from rig.twin.pictures.cameras import draw_camera_poses, render_tower
from vision.change.disocclusion import like_what_lies_round
from vision.change.evidence import PixelEvidence, Settled
from vision.change.hypothesis_scorer import own_light
from vision.scene.silhouettes import Label, Scene
from vision.see import look

PROFILE = nominal_profile(2)


def test_sun_beside_the_spot_makes_sun_in_the_spot_nothing_strange_and_red_stays_strange() -> None:
    code = np.full((40, 40), int(Floor.GROUND), np.int16)
    stood = code.copy()
    stood[10:30, 15:20] = 12
    spots = stood == 12
    now = np.zeros((3, 40, 40), np.float32)
    now[2, :, 20:] = 1.5  # the sun, up to where the column's right half was
    now[2, 10:30, 18:20] = 1.5
    now[0, 10:14, 15:20] = 0.6  # something red at its foot
    evidence = SimpleNamespace(now=now, before=SimpleNamespace(code=stood), same=np.ones((40, 40), np.float32), mm2=3.0)
    alike = like_what_lies_round(cast(PixelEvidence, evidence), cast(Scene, SimpleNamespace(code=code)), spots)
    assert alike[14:30, 15:20].all()
    assert not alike[10:14, 15:20].any()
    assert not alike[~spots].any()


def test_green_behind_the_tower_is_no_news_in_another_light_and_a_green_plate_before_grey_is() -> None:
    tower = random_tower(PROFILE, seed=5, plateaus=1)
    pose = draw_camera_poses(1, seed=5)[0]
    was = render_tower(PROFILE, tower, seed=5, cameras=1)[0]
    green = np.array(PROFILE.paint.plateaus[Floor.GREEN][::-1], dtype=float)
    sofa, lit, grey = (np.zeros_like(was) + np.asarray(np.rint(paint), np.uint8) for paint in (0.4 * green, green, (120, 120, 120)))

    def gain(before: np.ndarray[tuple[int, ...], np.dtype[np.uint8]], after: np.ndarray[tuple[int, ...], np.dtype[np.uint8]]) -> float:
        """What a pixel beside the tower gains on average by newly showing green's plateau."""
        settled = Settled.of(PROFILE, tower, pose, np.where(mask, before, was))
        evidence = settled.against(np.where(mask, after, was))
        beside = (settled.labels == Label.OTHER) & inside
        return float((evidence.changed[Label.GREEN_PLATEAU] - evidence.same)[beside].mean())

    first = Settled.of(PROFILE, tower, pose, was)
    x0, y0, x1, _ = first.box
    mask = np.zeros(was.shape, np.bool_)
    mask[2 * y0 : 2 * y0 + 120, 2 * x0 : 2 * x1] = True
    inside = np.zeros(first.labels.shape, np.bool_)
    inside[5:55, 5:-5] = True
    assert gain(sofa, lit) < 1.0
    assert gain(grey, lit) > 2.5


def test_a_plate_that_came_down_where_it_lay_with_all_columns_gone_has_fallen() -> None:
    before = random_tower(PROFILE, seed=5, plateaus=1)
    blue = before.plateaus[0]
    after = Tower((), (msgspec.structs.replace(blue, z_mm=blue.z_mm - 75.0),))
    poses = draw_camera_poses(2, seed=5)
    pictures = [picture for tower in (before, after) for picture in render_tower(PROFILE, tower, seed=5)]
    hypotheses = (Nothing(), Fallen(), NoneOfThese())
    answer = look(
        Judge(id=1, before=(0, 1), after=(2, 3), poses=poses, tower=before, hypotheses=hypotheses), dict(enumerate(pictures)), PROFILE
    )
    assert isinstance(answer, Judged)
    assert min(answer.plateaus_seen) > 0.35
    assert max(zip(answer.opinions, hypotheses, strict=True), key=lambda one: one[0].log_likelihood)[1] == Fallen()


def test_sunlit_top_of_a_new_column_is_its_own_and_a_patch_as_large_as_half_of_it_is_not() -> None:
    before = SimpleNamespace(code=np.full((60, 40), int(Floor.GROUND), np.int16))
    scene = SimpleNamespace(code=before.code.copy())
    scene.code[5:55, 10:20] = 12
    stands_newly = cast(PixelEvidence, SimpleNamespace(before=before))
    stood = cast(PixelEvidence, SimpleNamespace(before=scene))
    top, half, beside = (np.zeros((60, 40), np.bool_) for _ in range(3))
    top[5:8, 10:20], half[5:30, 10:20], beside[5:8, 18:24] = True, True, True
    assert own_light(stands_newly, cast(Scene, scene), top)
    assert not own_light(stands_newly, cast(Scene, scene), half)
    foot = np.zeros((60, 40), np.bool_)
    foot[46:58, 11:19] = True  # the plate's glow on it, and its image in the plate
    assert own_light(stands_newly, cast(Scene, scene), foot)
    assert not own_light(stands_newly, cast(Scene, scene), foot[::-1])
    assert not own_light(stands_newly, cast(Scene, scene), beside)
    assert not own_light(stood, cast(Scene, scene), top)
