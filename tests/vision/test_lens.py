"""The one camera model against OpenCV, which shares no code with it: forward, back, slopes, poses and profile files, for every kind."""

from __future__ import annotations

import cv2
import msgspec
import numpy as np
import pytest

from rig.errors import PalettiError
from rig.messages import CameraPose, Tower
from rig.profile import CameraModel, LensKind, from_json, to_json
from rig.profile.nominal import nominal_profile
from rig.twin.pictures.cameras import draw_camera_poses, render_tower
from vision.arrays import Floats
from vision.camera.lens import first_pose, parameters, pixels_of, rays_of, slopes_of, with_parameters
from vision.camera.markers import SeenMarkers, fit_pose, outward, pose_from
from vision.camera.view import CameraView

POSE = draw_camera_poses(2, 4711)[0]
PINHOLE = CameraModel(720, 1280, 1140.0, 1155.0, 351.0, 644.5, (0.11, -0.21, 0.002, -0.001, 0.05))
FISHEYE = CameraModel(720, 1280, 610.0, 604.0, 366.0, 629.0, (0.04, -0.012, 0.006, -0.0015), LensKind.FISHEYE)
BOTH = pytest.mark.parametrize("model", [PINHOLE, FISHEYE], ids=["pinhole", "fisheye"])


def matrix_of(model: CameraModel) -> Floats:
    return np.array(((model.fx_px, 0, model.cx_px), (0, model.fy_px, model.cy_px), (0, 0, 1)))


def by_opencv(model: CameraModel, points: Floats, pose: CameraPose) -> tuple[Floats, Floats]:
    """Pixels (n, 2) and their slopes by turn, shift and lens (n, 2, 6 + parameters) as OpenCV has them."""
    turn, shift, matrix, terms = np.array(pose.rvec), np.array(pose.tvec_mm), matrix_of(model), np.array(model.distortion)
    if model.kind is LensKind.PINHOLE:
        seen, slopes = cv2.projectPoints(points, turn, shift, matrix, terms)
        return seen[:, 0], slopes.reshape(len(points), 2, -1)[..., :15]
    seen, slopes = cv2.fisheye.projectPoints(points[:, None], turn, shift, matrix, terms)
    shaped = slopes.reshape(len(points), 2, -1)
    return seen.reshape(-1, 2), np.concatenate((shaped[..., 8:14], shaped[..., :8]), axis=2)


def points_round(spread_mm: float, seed: int) -> Floats:
    return np.random.default_rng(seed).uniform((-spread_mm, -spread_mm, 0), (spread_mm, spread_mm, 600), (200, 3))


@BOTH
def test_projection_agrees_with_opencv(model: CameraModel) -> None:
    points = points_round(300.0, 1)
    assert CameraView.of(model, POSE).project(points) == pytest.approx(by_opencv(model, points, POSE)[0], abs=1e-6)


@BOTH
def test_corners_of_an_upright_solid_fall_where_its_points_do(model: CameraModel) -> None:
    outline = np.array(((20.0, 0.0), (0.0, 15.0), (-20.0, 0.0)))
    places, turns = np.array(((30.0, -40.0), (0.0, 0.0))), np.array((25.0, -70.0))
    corners = CameraView.of(model, POSE, 0.5).project_upright(outline, places, turns, 10.0, 110.0)
    for k, turn in enumerate(np.radians(turns)):
        turned = outline @ np.array(((np.cos(turn), np.sin(turn)), (-np.sin(turn), np.cos(turn)))) + places[k]
        for face, z in enumerate((10.0, 110.0)):
            seen = by_opencv(model, np.column_stack((turned, np.full(3, z))), POSE)[0]
            assert corners[k, face] == pytest.approx((seen + 0.5) * 0.5 - 0.5, abs=1e-6)


@BOTH
def test_pixels_lead_back_to_the_rays_they_came_by(model: CameraModel) -> None:
    grid = np.stack(np.meshgrid(np.arange(0, 720, 40.0), np.arange(0, 1280, 40.0)), axis=-1)
    rays = rays_of(model, grid)
    assert np.abs(pixels_of(model, rays) - grid).max() < 1e-6
    view = CameraView.of(model, POSE)
    there = view.eye_mm + 700 * view.rays(grid)
    assert view.project(there) == pytest.approx(grid, abs=1e-6)


def test_fisheye_rays_agree_with_opencv() -> None:
    pixels = np.random.default_rng(3).uniform((0, 0), (719, 1279), (200, 2))
    truth = cv2.fisheye.undistortPoints(pixels[:, None], matrix_of(FISHEYE), np.array(FISHEYE.distortion)).reshape(-1, 2)
    assert np.abs(pixels_of(FISHEYE, truth) - pixels).max() < 0.01
    assert rays_of(FISHEYE, pixels) == pytest.approx(truth, abs=1e-5)


def test_pixel_outside_a_lens_s_image_circle_has_no_ray() -> None:
    wide = CameraModel(1280, 1280, 300.0, 300.0, 639.5, 639.5, (0.0, 0.0, 0.0, 0.0), LensKind.FISHEYE)
    assert np.isnan(rays_of(wide, (0.0, 0.0))).all()  # 172 degrees from the axis
    assert not np.isnan(rays_of(wide, (400.0, 639.5))).any()


@BOTH
def test_slopes_are_opencv_s(model: CameraModel) -> None:
    points = points_round(120.0, 2)
    by_pose, by_lens = slopes_of(model, POSE, points)
    truth = by_opencv(model, points, POSE)[1]
    found = np.concatenate((by_pose, by_lens), axis=2)
    assert np.abs(found - truth).max(axis=(0, 1)) / np.abs(truth).max(axis=(0, 1)) == pytest.approx(0.0, abs=1e-5)


@BOTH
def test_a_radian_covers_as_many_pixels_as_a_small_turn_shows(model: CameraModel) -> None:
    view = CameraView.of(model, POSE, 0.5)
    point = np.array((0.0, 0.0, 250.0))
    away = (point - view.eye_mm) / np.linalg.norm(point - view.eye_mm)
    sides = np.linalg.svd(away[None])[2][1:] * np.linalg.norm(point - view.eye_mm) * 1e-3
    moved = view.project(point + sides) - view.project(point)
    shown = float(np.sqrt(abs(np.linalg.det(moved)))) / 1e-3
    assert float(view.px_per_rad(point)) == pytest.approx(shown, rel=0.06 if model.kind is LensKind.PINHOLE else 0.005)


@BOTH
def test_first_pose_is_found_among_a_third_of_misread_corners(model: CameraModel) -> None:
    points = points_round(150.0, 4)[:60]
    seen = by_opencv(model, points, POSE)[0]
    seen[::3] += np.random.default_rng(5).uniform(40, 90, (20, 2))
    found = first_pose(model, points, seen)
    assert found is not None
    assert found[0] == pytest.approx(POSE.rvec, abs=1e-4)
    assert found[1] == pytest.approx(POSE.tvec_mm, abs=0.1)


def test_rig_is_posed_through_a_fisheye_to_a_tenth_of_a_millimetre() -> None:
    layout = nominal_profile(1).markers
    corners = np.array([marker.corners_mm for marker in layout.markers])
    eye = CameraView.of(FISHEYE, POSE).eye_mm
    facing = [float(np.cross(quad[3] - quad[0], quad[1] - quad[0]) @ (eye - quad.mean(0))) > 0 for quad in corners]
    pixels = by_opencv(FISHEYE, corners.reshape(-1, 3), POSE)[0].reshape(-1, 4, 2)
    inside = [bool(side and ((quad >= 0) & (quad < (720, 1280))).all()) for side, quad in zip(facing, pixels, strict=True)]
    assert sum(inside) >= 6
    shown = pixels[inside]
    ids = tuple(marker.id for marker, in_view in zip(layout.markers, inside, strict=True) if in_view)
    fit = fit_pose(SeenMarkers(ids, shown - 0.65 * outward(shown), 0), layout, FISHEYE, 1)
    assert fit is not None
    top = np.array(((0.0, 0.0, 525.0), (80.0, 0.0, 525.0)))
    off_px = np.abs(CameraView.of(FISHEYE, fit.pose).project(top) - by_opencv(FISHEYE, top, POSE)[0]).max()
    assert off_px / CameraView.of(FISHEYE, POSE).px_per_mm(top[0]) < 0.1
    assert fit.bloom_px == pytest.approx(0.65, abs=0.02)


def test_eyes_pose_a_fisheye_camera_from_the_twin_s_picture_of_the_rig() -> None:
    nominal = nominal_profile(1)
    lens = CameraModel(720, 1280, 900.0, 896.0, 366.0, 629.0, (0.04, -0.012, 0.006, -0.0015), LensKind.FISHEYE)
    profile = msgspec.structs.replace(nominal, cameras=(msgspec.structs.replace(nominal.cameras[0], model=lens),))
    [picture] = render_tower(profile, Tower(), seed=2, cameras=1)
    posed = pose_from(picture, profile, profile.cameras[0], 1)
    assert posed.pose is not None, posed.sentence
    true, found = CameraView.of(lens, draw_camera_poses(1, 2)[0]), CameraView.of(lens, posed.pose)
    top = np.array((0.0, 0.0, 525.0))
    assert np.linalg.norm(true.project(top) - found.project(top)) / true.px_per_mm(top) < 1.0


@BOTH
def test_parameters_go_out_and_in(model: CameraModel) -> None:
    assert with_parameters(model, parameters(model)) == model


def test_profile_keeps_the_kind_of_a_lens() -> None:
    nominal = nominal_profile(1)
    wide = msgspec.structs.replace(nominal, cameras=(msgspec.structs.replace(nominal.cameras[0], model=FISHEYE),))
    assert from_json(to_json(wide)) == wide


def test_profile_written_before_lenses_had_kinds_is_a_pinhole_s() -> None:
    text = to_json(nominal_profile(1))
    old = msgspec.json.decode(text)
    del old["cameras"][0]["model"]["kind"]
    assert from_json(msgspec.json.encode(old)).cameras[0].model.kind is LensKind.PINHOLE


def test_profile_with_another_number_of_terms_than_its_lens_has_is_refused() -> None:
    text = to_json(nominal_profile(1))
    bad = msgspec.json.decode(text)
    bad["cameras"][0]["model"]["kind"] = "fisheye"
    with pytest.raises(PalettiError, match="4 distortion terms, not 5"):
        from_json(msgspec.json.encode(bad))
