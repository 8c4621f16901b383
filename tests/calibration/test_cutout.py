"""A piece cut out of pictures to a fraction of a pixel: columns drawn with a lit top, before a dark room, with a shadow beside the foot."""

from __future__ import annotations

import cv2
import numpy as np
import numpy.typing as npt
import pytest

from calibration.cutout import Cover, cover_of
from calibration.standing import fit_standing
from rig.profile.nominal import nominal_profile
from rig.twin.pictures.cameras import draw_camera_poses
from vision.camera.view import CameraView
from vision.scene.solids import polygon_of, prism

Picture = npt.NDArray[np.uint8]
PROFILE = nominal_profile(2)
VIEWS = [CameraView.of(camera.model, pose) for camera, pose in zip(PROFILE.cameras, draw_camera_poses(2, 6730), strict=True)]
OVER = 4
GREEN, YELLOW, SUNLESS = np.array((60.0, 110.0, 35.0)), np.array((40.0, 125.0, 150.0)), np.array((0.75, 0.5, 0.36))
"""Paints (BGR) of the column's side, and what is left of the light in a shadow: bluer than the sun's."""


def shaped(view: CameraView, corners_mm: npt.NDArray[np.float64]) -> npt.NDArray[np.float32]:
    """How much of each pixel (height, width, 1) the hull of these corners covers."""
    size = (view.model.width_px, view.model.height_px)
    fine = np.zeros((size[1] * OVER, size[0] * OVER), np.uint8)
    hull = cv2.convexHull((((view.project(corners_mm) + 0.5) * OVER - 0.5) * 16).astype(np.float32))
    middle = hull.mean(0)
    inner = middle + (hull - middle) * (1 - 8 / np.linalg.norm(hull - middle, axis=2, keepdims=True))  # half a pixel of its border
    cv2.fillConvexPoly(fine, np.rint(inner).astype(np.int32), 255, cv2.LINE_8, 4)
    return np.asarray(cv2.resize(fine, size, interpolation=cv2.INTER_AREA)[..., None].astype(np.float32) / 255)


def delivered(light: npt.NDArray[np.float32], seed: int) -> Picture:
    soft = cv2.GaussianBlur(light, (5, 5), 0.8) + np.random.default_rng(seed).normal(0, 2.0, light.shape)
    _, data = cv2.imencode(".jpg", np.clip(np.rint(soft), 0, 255).astype(np.uint8), [cv2.IMWRITE_JPEG_QUALITY, 85])
    return np.asarray(cv2.imdecode(data, cv2.IMREAD_COLOR), np.uint8)


def shots(view: CameraView, sides: int, shadow: bool, paint: npt.NDArray[np.float64] = GREEN) -> tuple[Picture, Picture]:
    """The base before a dark room, without and with a column of radius 10 and height 97 mm."""
    disc = np.column_stack((polygon_of(150.0, 90), np.zeros(90)))
    room = np.full((view.model.height_px, view.model.width_px, 3), (48, 45, 42), np.float32)
    base = shaped(view, disc)
    empty = room * (1 - base) + np.array((150.0, 190.0, 205.0), np.float32) * base
    foot = polygon_of(10.0, sides)
    solid = prism(foot, 0.0, 97.0).reshape(-1, 3)
    lid = np.column_stack((foot, np.full(len(foot), 97.0)))
    with_shadow = empty
    if shadow:
        streak = np.array([(x, y, 0.0) for x, y in ((-6, -6), (6, 6), (76, -64), (64, -76))])
        dark = shaped(view, streak)
        with_shadow = empty * (1 - dark) + empty * SUNLESS.astype(np.float32) * dark
    side, top = shaped(view, solid), shaped(view, lid)
    column = paint * (1 - top) + np.minimum(paint * 1.7, 250) * top
    return delivered(empty, 1), delivered(np.asarray(with_shadow * (1 - side) + column * side, np.float32), 2)


def covers(sides: int, shadow: bool) -> list[Cover]:
    return [cover_of(view, PROFILE, *shots(view, sides, shadow)) for view in VIEWS]


@pytest.mark.parametrize("shadow", [False, True])
def test_column_with_a_lit_top_is_measured_to_a_quarter_of_a_millimetre(shadow: bool) -> None:
    fit = fit_standing(VIEWS, covers(48, shadow))
    assert fit.height_mm == pytest.approx(97.0, abs=0.3)
    assert fit.half_width_mm == pytest.approx(10.0, abs=0.2)
    assert (fit.x_mm, fit.y_mm) == pytest.approx((0.0, 0.0), abs=0.3)


def test_hexagonal_column_is_as_high_as_it_is_when_measured_as_a_hexagon() -> None:
    fit = fit_standing(VIEWS, covers(6, False))
    assert fit.hexagonal.height_mm == pytest.approx(97.0, abs=0.3)
    assert fit.hexagonal.radius_mm == pytest.approx(10.0, abs=0.25)
    assert fit.hexagonal.fit > fit.fit


def test_shadow_of_another_colour_is_no_part_of_the_piece() -> None:
    plain, shaded = (cover_of(VIEWS[0], PROFILE, *shots(VIEWS[0], 48, shadow, YELLOW)) for shadow in (False, True))
    assert float(shaded.sum()) == pytest.approx(float(plain.sum()), rel=0.03)


def test_nothing_new_covers_nothing() -> None:
    before, _ = shots(VIEWS[0], 48, False)
    assert not cover_of(VIEWS[0], PROFILE, before, before).any()
