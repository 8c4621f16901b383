"""Projection and silhouettes against OpenCV and shapely, which know nothing of our code."""

from __future__ import annotations

import cv2
import numpy as np
import pytest
from shapely import MultiPoint, box

from rig.messages import Laid, Standing, Tower
from rig.pieces import Column, Floor, Shape
from rig.profile import CameraModel
from rig.profile.nominal import nominal_profile
from rig.twin.pictures.cameras import draw_camera_poses
from vision.camera.view import CameraView
from vision.scene.silhouettes import Scene, Stage, code_of, items_of, patch_of, running_sum, spans_of, sums_within
from vision.scene.solids import column_prism, outside_mm, plateau_prisms

PROFILE = nominal_profile(2)
POSE = draw_camera_poses(2, 4711)[0]
RED = Column.parse("red-thick-1")
BLUE = Column.parse("blue-thin-1")


@pytest.mark.parametrize("lens", [(0.0, 0.0, 0.0, 0.0, 0.0), (0.11, -0.21, 0.002, -0.001, 0.05)])
def test_projection_agrees_with_opencv(lens: tuple[float, float, float, float, float]) -> None:
    model = CameraModel(720, 1280, 1140.0, 1155.0, 351.0, 644.5, lens)
    points = np.random.default_rng(1).uniform((-150, -150, 0), (150, 150, 600), (50, 3))
    matrix = np.array([[model.fx_px, 0, model.cx_px], [0, model.fy_px, model.cy_px], [0, 0, 1]])
    truth = cv2.projectPoints(points, np.array(POSE.rvec), np.array(POSE.tvec_mm), matrix, np.array(lens))[0][:, 0]
    assert CameraView.of(model, POSE).project(points) == pytest.approx(truth, abs=1e-6)


def test_half_size_keeps_pixel_centres_at_integers() -> None:
    whole, half = CameraView.of(PROFILE.cameras[0].model, POSE), CameraView.of(PROFILE.cameras[0].model, POSE, 0.5)
    point = (12.0, -40.0, 333.0)
    # pixels 2k and 2k + 1 of the whole become pixel k of the half, whose centre lies between them
    assert half.project(point) == pytest.approx((whole.project(point) - 0.5) / 2)


def test_point_behind_the_camera_has_no_place_in_the_picture() -> None:
    view = CameraView.of(PROFILE.cameras[0].model, POSE)
    assert np.isnan(view.project(view.eye_mm * 2)).all()


@pytest.mark.parametrize("shape", list(Shape))
def test_silhouette_has_the_area_of_the_convex_hull_of_its_corners(shape: Shape) -> None:
    view = CameraView.of(PROFILE.cameras[0].model, POSE, 0.5)
    standing = Standing(Column(RED.colour, shape), Floor.GREEN, 31.0, -22.0, 210.0, 17.0)
    corners = view.project(column_prism(PROFILE, standing))
    hull = MultiPoint(corners.reshape(-1, 2)).convex_hull
    spans = spans_of(corners[None], view.height)
    covered = sums_within(running_sum(np.ones((view.height, view.width), dtype=np.float32)), spans)[0]
    assert covered == pytest.approx(hull.area, rel=0.02)
    patch = patch_of(spans, view.width)
    rows, columns = np.nonzero(patch.inside)
    assert all(hull.intersects(box(x, y, x, y)) for x, y in zip(columns + patch.x0, rows + patch.y0, strict=True))


def test_silhouette_cut_by_the_picture_covers_what_is_inside_only() -> None:
    view = CameraView.of(PROFILE.cameras[0].model, POSE, 0.5)
    corners = view.project(column_prism(PROFILE, Standing(RED, Floor.GROUND, 0.0, 0.0, 0.0)))
    corners = corners - corners.reshape(-1, 2).mean(0)  # centred on the upper left pixel
    hull = MultiPoint(corners.reshape(-1, 2)).convex_hull.intersection(box(-0.5, -0.5, view.width, view.height))
    covered = sums_within(running_sum(np.ones((view.height, view.width), dtype=np.float32)), spans_of(corners[None], view.height))[0]
    assert covered == pytest.approx(hull.area, rel=0.05)


def _scene(*standings: Standing, plateaus: tuple[Laid, ...] = ()) -> Scene:
    return Scene(Stage(CameraView.of(PROFILE.cameras[0].model, POSE, 0.5)), items_of(PROFILE, Tower(standings, plateaus)))


def test_nearer_column_of_a_floor_hides_the_farther() -> None:
    eye = CameraView.of(PROFILE.cameras[0].model, POSE).eye_mm[:2]
    toward = eye / np.linalg.norm(eye) * 60
    x, y = (float(value) for value in toward)
    near, far = Standing(RED, Floor.GROUND, x, y, 0.0), Standing(BLUE, Floor.GROUND, 0.3 * x, 0.3 * y, 0.0)
    for order in ((near, far), (far, near)):
        scene = _scene(*order)
        patch = scene.patches[code_of(PROFILE, RED)]
        assert (scene.code[patch.box][patch.inside] == code_of(PROFILE, RED)).all()


def test_plateau_below_the_eye_hides_the_column_that_carries_it_only_where_it_lies_over_it() -> None:
    column = Standing(RED, Floor.GROUND, 0.0, 0.0, 0.0)
    scene = _scene(column, plateaus=(Laid(Floor.BLUE, 0.0, 0.0, 100.0, 0.0),))
    shown = scene.visible(code_of(PROFILE, RED))
    alone = _scene(column).visible(code_of(PROFILE, RED))
    assert 0 < shown.sum() < alone.sum()
    assert not (shown & ~alone).any()
    rows = np.nonzero(alone & ~shown)[0]
    assert rows.max() < np.nonzero(shown)[0].max()  # the foot stays in sight


def test_taken_away_column_shows_what_is_behind_it() -> None:
    both = _scene(Standing(RED, Floor.GROUND, 0.0, 0.0, 0.0), Standing(BLUE, Floor.GROUND, 40.0, 30.0, 0.0))
    assert (both.without(code_of(PROFILE, RED)).code == _scene(Standing(BLUE, Floor.GROUND, 40.0, 30.0, 0.0)).code).all()


def test_distance_outside_a_plateau_is_negative_inside() -> None:
    laid = Laid(Floor.BLUE, 10.0, 5.0, 100.0, 33.0)
    parts = tuple(part[1, :, :2] for part in plateau_prisms(PROFILE, laid))
    inside, outside = outside_mm(parts, np.array([[10.0, 5.0], [300.0, 5.0]]))
    assert inside < -20
    assert outside > 100
