"""Finding the camera from its markers, on pictures by the twin's renderer; the truth is where the twin put the camera."""

from __future__ import annotations

import cv2
import msgspec
import numpy as np
import numpy.typing as npt
import pytest

from rig.errors import PalettiError
from rig.messages import CameraPose, FindPose, Posed
from rig.profile import Profile
from rig.profile.nominal import nominal_profile
from rig.twin.physics.towers import random_tower
from rig.twin.pictures.cameras import draw_camera_poses, render_tower
from vision.camera.view import CameraView
from vision.see import look

Picture = npt.NDArray[np.uint8]
PROFILE = nominal_profile(2)
SEED = 5101


@pytest.fixture(scope="module")
def pictures() -> list[Picture]:
    return render_tower(PROFILE, random_tower(PROFILE, SEED, 2), SEED)


def find(picture: Picture, profile: Profile = PROFILE, camera: int = 1) -> Posed:
    answer = look(FindPose(id=7, camera=camera, frame=3), {3: picture}, profile)
    assert isinstance(answer, Posed)
    return answer


def error_px(pose: CameraPose | None, true: CameraPose, z_mm: float) -> float:
    assert pose is not None
    model = PROFILE.camera(pose.camera).model
    point = (0.0, 0.0, z_mm)
    return float(np.linalg.norm(CameraView.of(model, pose).project(point) - CameraView.of(model, true).project(point)))


def test_pose_from_markers_is_good_to_a_pixel_up_to_the_fifth_floor(pictures: list[Picture]) -> None:
    for camera, true in enumerate(draw_camera_poses(2, SEED), start=1):
        posed = find(pictures[camera - 1], camera=camera)
        assert posed.id == 7
        assert posed.markers > 15
        assert max(error_px(posed.pose, true, z) for z in (0.0, 300.0, 525.0)) < 1.0
        assert 0 < posed.top_error_mm < 1.0
        assert posed.sentence == ""


def test_bloom_that_eats_a_pixel_of_every_black_edge_does_not_move_the_camera(pictures: list[Picture]) -> None:
    bloomed = np.asarray(cv2.dilate(pictures[0], np.ones((3, 3), np.uint8)), dtype=np.uint8)
    assert error_px(find(bloomed).pose, draw_camera_poses(2, SEED)[0], 525.0) < 1.0


def test_half_of_the_markers_covered_still_give_a_pose(pictures: list[Picture]) -> None:
    covered = pictures[0].copy()
    covered[:, :300] = (90, 120, 150)
    posed = find(covered)
    assert posed.markers < find(pictures[0]).markers
    assert error_px(posed.pose, draw_camera_poses(2, SEED)[0], 525.0) < 3.0


def test_marker_pasted_elsewhere_does_not_pull_the_pose(pictures: list[Picture]) -> None:
    fooled = pictures[0].copy()
    stranger = cv2.cvtColor(
        cv2.aruco.generateImageMarker(cv2.aruco.getPredefinedDictionary(cv2.aruco.DICT_4X4_100), 9, 60), cv2.COLOR_GRAY2BGR
    )
    fooled[80:180, 500:600] = 255
    fooled[100:160, 520:580] = stranger
    assert error_px(find(fooled).pose, draw_camera_poses(2, SEED)[0], 525.0) < 1.0


def _dark(picture: Picture) -> Picture:
    return np.asarray(picture // 40, dtype=np.uint8)


def _blank(picture: Picture) -> Picture:
    return np.full_like(picture, 128)


def _empty_table(picture: Picture) -> Picture:
    flipped = picture.copy()
    flipped[640:] = flipped[639::-1]
    return flipped


def _other_size(picture: Picture) -> Picture:
    return np.asarray(cv2.resize(picture, (480, 640)), dtype=np.uint8)


@pytest.mark.parametrize(("spoil", "word"), [(_dark, "dark"), (_blank, "blank"), (_empty_table, "markers"), (_other_size, "480x640")])
def test_unusable_picture_gets_a_sentence_and_no_pose(pictures: list[Picture], spoil: object, word: str) -> None:
    assert callable(spoil)
    posed = find(spoil(pictures[0]))
    assert posed.pose is None
    assert word in posed.sentence
    assert posed.sentence.startswith("Camera 1")


def test_markers_of_another_dictionary_are_said(pictures: list[Picture]) -> None:
    layout = msgspec.structs.replace(PROFILE.markers, dictionary="DICT_6X6_250")
    posed = find(pictures[0], msgspec.structs.replace(PROFILE, markers=layout))
    assert posed.pose is None
    assert "markers" in posed.sentence


def test_unknown_dictionary_in_the_profile_is_a_sentence(pictures: list[Picture]) -> None:
    layout = msgspec.structs.replace(PROFILE.markers, dictionary="DICT_9X9")
    with pytest.raises(PalettiError, match="DICT_9X9"):
        find(pictures[0], msgspec.structs.replace(PROFILE, markers=layout))


def test_markers_laid_out_otherwise_fit_no_pose(pictures: list[Picture]) -> None:
    ids = [marker.id for marker in PROFILE.markers.markers]
    shuffled = np.random.default_rng(3).permutation(ids)
    markers = tuple(msgspec.structs.replace(m, id=int(k)) for m, k in zip(PROFILE.markers.markers, shuffled, strict=True))
    posed = find(pictures[0], msgspec.structs.replace(PROFILE, markers=msgspec.structs.replace(PROFILE.markers, markers=markers)))
    assert posed.pose is None
    assert "fit no pose" in posed.sentence


def test_camera_that_the_profile_lacks_is_a_sentence(pictures: list[Picture]) -> None:
    with pytest.raises(PalettiError, match="no camera 4"):
        find(pictures[0], camera=4)


def test_missing_frame_is_a_sentence() -> None:
    answer = look(FindPose(id=1, camera=1, frame=3), {}, PROFILE)
    assert isinstance(answer, Posed)
    assert "not at hand" in answer.sentence
