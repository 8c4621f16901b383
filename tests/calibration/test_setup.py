"""The set-up without a page: what each step refuses, that it can be left and resumed, and what is said of a mat that was taped badly."""

from __future__ import annotations

from collections.abc import Mapping

import msgspec
import numpy as np
import pytest

from calibration.mat import on_mat
from calibration.mat_check import page_of, pages_fault
from calibration.mat_lens import USUAL_DOUBT, MatViews, usual_phone
from calibration.pose import find_pose
from calibration.setup import Kept, SetUp, Step
from rig.errors import PalettiError
from rig.messages import Tower
from rig.profile import Marker, Profile
from rig.profile.nominal import nominal_profile
from rig.twin.physics.poses import poses_of
from rig.twin.pictures.cameras import Eye, draw_camera_poses
from vision.arrays import Picture

PROFILE = on_mat(nominal_profile(cameras=1))
SIZE = (720, 1280)
BLANK = np.full((SIZE[1], SIZE[0], 3), 120, np.uint8)


def seen(profile: Profile, moved_mm: Mapping[tuple[int, int], tuple[float, float] | None]) -> Picture:
    """The mat as a camera sees it whose pages lie beside their places (right, away) or are missing (None)."""
    markers = []
    for marker in profile.markers.markers:
        corners = np.array(marker.corners_mm)
        shift = moved_mm.get(page_of(*corners.mean(0)[:2]), (0.0, 0.0))
        if shift is not None:
            x, y = shift
            markers.append(Marker(marker.id, tuple((float(a + x), float(b + y), float(c)) for a, b, c in corners)))
    true = msgspec.structs.replace(profile, markers=msgspec.structs.replace(profile.markers, markers=tuple(markers)))
    with Eye(true, 5, poses=draw_camera_poses(1, 12)) as eye:
        return eye.see(poses_of(true, Tower()))[0].copy()


@pytest.mark.parametrize(
    ("moved", "english"),
    [
        ({}, None),
        ({(0, 0): None}, "The page back left of the mat is missing or covered: its markers are not seen."),
        ({(2, 1): (5.0, 2.0)}, "The page front right of the mat lies 5 mm beside its place: tape it again, edge to edge."),
    ],
)
def test_a_page_that_is_missing_or_askew_is_named(moved: dict[tuple[int, int], tuple[float, float] | None], english: str | None) -> None:
    picture = seen(PROFILE, moved)
    camera = msgspec.structs.replace(PROFILE.camera(1), pose=find_pose(PROFILE, 1, [picture]).pose)
    fault = pages_fault(picture, PROFILE, camera)
    if english is None:
        assert fault is None
    else:
        assert fault is not None
        assert fault[0].split(" mm")[0][:-1] == english.split(" mm")[0][:-1]


def test_a_mat_printed_at_97_percent_is_refused_and_one_at_100_is_not() -> None:
    setup = SetUp(Kept(Step.PRINT, 1))
    setup.act("printed", "97")
    assert setup.refused
    assert "not printed at 100 %" in setup.said[0]
    setup.act("printed", "keine Ahnung")
    assert setup.step is Step.PRINT
    setup.act("printed", "99,8")
    assert setup.step is Step.LAY


def test_a_tap_of_another_step_is_refused() -> None:
    for name, value in (("empty", ""), ("stand", ""), ("no such", ""), ("have", "7"), ("have", "-1"), ("have", "")):
        setup = SetUp()
        try:
            setup.act(name, value)
        except PalettiError:
            continue
        assert setup.refused


def test_phones_stand_well_before_anything_is_measured() -> None:
    setup = SetUp(Kept(Step.CONNECT, 1))
    setup.see(1, BLANK)
    assert setup.step is Step.LENS
    setup.act("usual")
    assert setup.step is Step.POSE
    setup.see(1, np.zeros_like(BLANK))
    assert "dark" in setup.state()["cameras"][0]["english"]
    setup.act("empty")
    assert setup.refused
    assert setup.step is Step.POSE


def test_it_is_left_and_resumed_where_it_was() -> None:
    kept: list[Kept] = []
    setup = SetUp(keep=kept.append)
    setup.act("have", "2")
    setup.act("printed", "100")
    setup.act("laid")
    again = SetUp(kept[-1])
    assert (again.step, again.phones) == (Step.CONNECT, 2)
    for camera in (1, 2):
        again.see(camera, BLANK)
    assert again.step is Step.LENS


def test_what_was_measured_of_the_empty_base_is_measured_again_after_a_break() -> None:
    assert SetUp(Kept(Step.COLOURS, 1)).step is Step.POSE


def test_every_step_has_a_way_back() -> None:
    setup = SetUp(Kept(Step.PLATEAU, 1))
    for _ in range(12):
        setup.act("back")
    assert setup.step is Step.HAVE


def test_without_a_phone_only_the_names_are_left() -> None:
    setup = SetUp()
    setup.act("have", "0")
    assert setup.step is Step.NAMES
    assert setup.state()["steps"] == ["have", "names"]


def test_a_lens_nobody_measured_carries_its_doubt() -> None:
    camera = usual_phone(1, SIZE)
    assert camera.doubt[0][0] == pytest.approx(USUAL_DOUBT * camera.model.fx_px)
    profile = msgspec.structs.replace(PROFILE, cameras=(camera,))
    sure = msgspec.structs.replace(PROFILE, cameras=(msgspec.structs.replace(camera, doubt=()),))
    picture = seen(PROFILE, {})
    assert find_pose(profile, 1, [picture]).top_error_mm > find_pose(sure, 1, [picture]).top_error_mm


def test_a_picture_without_the_mat_is_asked_for_in_words() -> None:
    views = MatViews(PROFILE.markers)
    assert not views.see(BLANK)
    assert views.sentence[0] == "Show the phone the printed sheet."
