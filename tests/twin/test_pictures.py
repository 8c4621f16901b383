"""The twin's pictures show what stands where, by OpenCV's own conventions."""

from __future__ import annotations

import importlib
import itertools

import cv2
import msgspec
import numpy as np
import pytest

from rig.errors import PalettiError
from rig.messages import CameraPose, Standing, Tower
from rig.pieces import Colour, Column, Floor, Shape
from rig.profile import CameraModel, Profile
from rig.profile.nominal import nominal_profile
from rig.twin.physics.poses import HandPose, poses_of
from rig.twin.physics.statics import margin
from rig.twin.physics.towers import random_tower
from rig.twin.pictures.cameras import Eye, Picture, draw_camera_poses, render_tower

SMALL = nominal_profile(2, width_px=360, height_px=640)


def project(lens: CameraModel, pose: CameraPose, points_mm: object) -> np.ndarray:
    matrix = np.array([[lens.fx_px, 0, lens.cx_px], [0, lens.fy_px, lens.cy_px], [0, 0, 1]])
    points = np.asarray(points_mm, float).reshape(-1, 3)
    return cv2.projectPoints(points, np.array(pose.rvec), np.array(pose.tvec_mm), matrix, np.array(lens.distortion))[0].reshape(-1, 2)


def markers_found(profile: Profile, picture: Picture) -> dict[int, np.ndarray]:
    settings = cv2.aruco.DetectorParameters()
    settings.cornerRefinementMethod = cv2.aruco.CORNER_REFINE_SUBPIX
    detector = cv2.aruco.ArucoDetector(cv2.aruco.getPredefinedDictionary(getattr(cv2.aruco, profile.markers.dictionary)), settings)
    corners, ids, _ = detector.detectMarkers(picture)
    return {int(i): quad.reshape(4, 2) for i, quad in zip(ids.ravel(), corners, strict=True)}


def marker_errors(profile: Profile, number: int, pose: CameraPose, picture: Picture) -> np.ndarray:
    found = markers_found(profile, picture)
    layout = {marker.id: marker.corners_mm for marker in profile.markers.markers}
    lens = profile.camera(number).model
    return np.array([(quad - project(lens, pose, layout[i])).mean(axis=0) for i, quad in found.items()])


def test_printed_markers_are_found_where_the_true_pose_puts_them() -> None:
    profile = nominal_profile(2)
    pictures = render_tower(profile, random_tower(profile, 5, 2), seed=5)
    for pose, picture in zip(draw_camera_poses(2, 5), pictures, strict=True):
        errors = marker_errors(profile, pose.camera, pose, picture)
        assert len(errors) >= 18
        assert np.abs(errors.mean(axis=0)).max() < 0.15, "pixel centres are integers: half a pixel would show"
        assert np.abs(errors).max() < 1.0


def test_a_lens_that_bends_puts_markers_where_opencv_says() -> None:
    ideal = nominal_profile(1)
    lens = msgspec.structs.replace(ideal.cameras[0].model, cx_px=371.0, cy_px=630.0, distortion=(-0.12, 0.05, 0.001, -0.001, 0.0))
    bent = msgspec.structs.replace(ideal, cameras=(msgspec.structs.replace(ideal.cameras[0], model=lens),))
    [picture] = render_tower(bent, Tower(), seed=2, cameras=1)
    errors = marker_errors(bent, 1, draw_camera_poses(1, 2)[0], picture)
    assert len(errors) >= 15
    assert np.abs(errors).max() < 1.0


@pytest.mark.parametrize("seed", range(20))
def test_every_camera_sees_the_base_and_a_tower_of_seventy_centimetres(seed: int) -> None:
    profile = nominal_profile(4)
    corners = [(x, y, z) for x, y, z in itertools.product((-110, 110), (-110, 110), (0, 700))]
    rim = [(150 * np.cos(a), 150 * np.sin(a), 0) for a in np.linspace(0, 6.28, 24)]
    for pose in draw_camera_poses(4, seed):
        seen = project(profile.camera(pose.camera).model, pose, corners + rim)
        assert (seen > 0).all()
        assert (seen < (720, 1280)).all()


@pytest.mark.parametrize("colour", list(Colour))
def test_a_column_is_painted_in_its_colour_where_it_stands(colour: Colour) -> None:
    tower = Tower((Standing(Column(colour, Shape.THICK), Floor.GROUND, 20.0, -60.0, 0.0),))
    pictures = render_tower(SMALL, tower, seed=1)
    for pose, picture in zip(draw_camera_poses(2, 1), pictures, strict=True):
        x, y = np.rint(project(SMALL.camera(pose.camera).model, pose, (20.0, -60.0, 60.0))[0]).astype(int)
        seen = picture[y - 2 : y + 3, x - 2 : x + 3].reshape(-1, 3).mean(axis=0)[::-1]
        shares = {other: np.array(rgb) / sum(rgb) for other, rgb in SMALL.paint.columns.items()}
        nearest = min(shares, key=lambda other: float(np.abs(seen / seen.sum() - shares[other]).sum()))
        assert nearest is colour


def test_a_hand_hides_what_is_behind_it_and_wears_its_sleeve() -> None:
    tower = random_tower(SMALL, 3, 2)
    with Eye(SMALL, 3) as eye:
        poses = poses_of(SMALL, tower)
        without = eye.see(poses)[0].astype(int)
        with_hand = eye.see(poses, [HandPose((40.0, -90.0, 230.0), (340.0, -260.0, 330.0), Colour.RED)])[0].astype(int)
    changed = np.abs(with_hand - without).sum(axis=2) > 60
    assert 0.01 < changed.mean() < 0.5
    reddish = (with_hand[..., 2] > 1.6 * with_hand[..., 0]) & changed
    assert reddish.mean() > 0.004


def test_drawing_only_what_moved_looks_like_drawing_everything() -> None:
    towers = [random_tower(SMALL, 6, 3), random_tower(SMALL, 6, 3)]
    moved = msgspec.structs.replace(towers[0].columns[-1], x_mm=-90.0, y_mm=150.0, z_mm=300.0)
    towers.append(Tower((*towers[0].columns[:-1], moved), towers[0].plateaus))
    hand, far = HandPose((40.0, -90.0, 230.0), (340.0, -260.0, 330.0), Colour.BLUE), HandPose((500.0, 480.0, 300.0), (730.0, 710.0, 430.0))
    scenes = [(towers[0], []), (towers[1], [hand]), (towers[2], [hand, far]), (towers[2], [far]), (towers[0], []), (Tower(), [])]
    with Eye(SMALL, 6) as one:
        for tower, hands in scenes:
            pictures = one.see(poses_of(SMALL, tower), hands)
            with Eye(SMALL, 6) as fresh:
                whole = fresh.see(poses_of(SMALL, tower), hands)
            for picture, other in zip(pictures, whole, strict=True):
                assert (np.abs(picture.astype(int) - other).max(axis=2) > 8).sum() < 12


def test_the_same_seed_gives_the_same_pixels_and_another_gives_others() -> None:
    tower = random_tower(SMALL, 4, 1)
    first, again, other = (render_tower(SMALL, tower, seed)[1] for seed in (4, 4, 9))
    assert (first == again).all()
    assert (first != other).any()


@pytest.mark.parametrize("plateaus", range(6))
def test_random_towers_hold_the_whole_set_and_stand(plateaus: int) -> None:
    tower = random_tower(SMALL, 22, plateaus)
    assert {standing.column for standing in tower.columns} == set(SMALL.pieces.columns)
    assert [laid.plateau for laid in tower.plateaus] == list(SMALL.pieces.plateaus[:plateaus])
    assert margin(SMALL, tower) >= 8.0


def test_without_an_opengl_library_the_package_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    def missing(name: str) -> object:
        raise AttributeError(f"no library for {name}")

    monkeypatch.setattr(importlib, "import_module", missing)
    with pytest.raises(PalettiError, match="apt-get install libegl1"):
        render_tower(SMALL, Tower(), 1)


@pytest.mark.parametrize("count", [0, 5])
def test_more_cameras_than_four_or_none_is_told(count: int) -> None:
    with pytest.raises(PalettiError, match="1 to 4 cameras"):
        draw_camera_poses(count, 1)
