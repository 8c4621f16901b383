"""The pose with the folding tower on the base: drawn corners with noise and bloom, the truth is the pose that drew them."""

from __future__ import annotations

import cv2
import msgspec
import numpy as np
import numpy.typing as npt
import pytest

from calibration.pose import pose_cameras
from calibration.tall import TallFit, find_tall, fit_tall
from calibration.tower import tower_layout
from rig.messages import CameraPose, Tower
from rig.profile import MarkerLayout
from rig.profile.nominal import nominal_profile
from rig.twin.pictures.cameras import draw_camera_poses, render_tower
from vision.camera.markers import SeenMarkers, dictionary_of, fit_pose, outward
from vision.camera.view import CameraView

Floats = npt.NDArray[np.float64]
PROFILE = nominal_profile(1)
MODEL = PROFILE.cameras[0].model
TALL = tower_layout(PROFILE.markers)
TOP = (0.0, 0.0, 525.0)
DRAWN_BLOOM_PX = 0.65
"""How much the drawn markers have bloomed, a corner."""
STOOD_MM, STOOD_DEG = np.array((3.0, -2.0)), 2.5


def seen_markers(
    layout: MarkerLayout, pose: CameraPose, rng: np.random.Generator, moved: bool = False, noise_px: float = 0.3
) -> SeenMarkers:
    """Markers that face the camera and lie in its picture, as a detector finds them: shrunk by bloom, with noise."""
    view = CameraView.of(MODEL, pose)
    c, s = np.cos(np.radians(STOOD_DEG)), np.sin(np.radians(STOOD_DEG))
    ids, quads = [], []
    for marker in layout.markers:
        corners = np.array(marker.corners_mm)
        if moved:
            corners = corners @ np.array(((c, s, 0), (-s, c, 0), (0, 0, 1))) + np.append(STOOD_MM, 0.0)
        normal = np.cross(corners[3] - corners[0], corners[1] - corners[0])
        away = view.eye_mm - corners.mean(0)
        pixels = view.project(corners)
        if normal @ away < 0.25 * np.linalg.norm(normal) * np.linalg.norm(away) or (pixels < 0).any():
            continue
        if (pixels > (MODEL.width_px - 1, MODEL.height_px - 1)).any():
            continue
        ids.append(marker.id)
        quads.append(pixels)
    true = np.array(quads)
    return SeenMarkers(tuple(ids), true - DRAWN_BLOOM_PX * outward(true) + rng.normal(0, noise_px, true.shape), 0)


def off_mm(pose: CameraPose, true: CameraPose) -> float:
    view = CameraView.of(MODEL, true)
    return float(np.linalg.norm(CameraView.of(MODEL, pose).project(TOP) - view.project(TOP))) / view.px_per_mm(TOP)


def fits(seed: int, glue_mm: float = 0.0, rim_markers: int = 99) -> tuple[CameraPose, TallFit, CameraPose]:
    """The pose by the rim alone, with the tower, and the true one; each marker of the frame glued `glue_mm` off, few of them seen."""
    rng = np.random.default_rng(seed)
    true = draw_camera_poses(1, seed)[0]
    glued = []
    for marker in PROFILE.markers.markers:
        x, y, z = rng.normal(0, glue_mm, 3)
        glued.append(msgspec.structs.replace(marker, corners_mm=tuple((a + x, b + y, c + z) for a, b, c in marker.corners_mm)))
    real = msgspec.structs.replace(PROFILE.markers, markers=tuple(glued))
    rim, tall = seen_markers(real, true, rng), seen_markers(TALL, true, rng, moved=True)
    rim = SeenMarkers(rim.ids[:rim_markers], rim.corners_px[:rim_markers], 0)
    low = fit_pose(rim, PROFILE.markers, MODEL, 1)
    high = fit_tall(rim, tall, PROFILE.markers, MODEL, 1)
    assert low is not None
    assert high is not None
    return low.pose, high, true


@pytest.mark.parametrize(("glue_mm", "rim_markers", "better"), [(0.7, 99, 0.85), (0.0, 6, 0.6)])
def test_tower_at_height_betters_a_pose_by_a_frame_glued_a_little_off_or_half_hidden(
    glue_mm: float, rim_markers: int, better: float
) -> None:
    found = [fits(seed, glue_mm, rim_markers) for seed in range(6701, 6709)]
    low = np.sqrt(np.mean([off_mm(rim_only, true) ** 2 for rim_only, _, true in found]))
    high = np.sqrt(np.mean([off_mm(with_tower.pose, true) ** 2 for _, with_tower, true in found]))
    assert high < better * low


def test_stated_error_is_the_real_one() -> None:
    found = [fits(seed) for seed in range(6721, 6733)]
    real = np.sqrt(np.mean([off_mm(high.pose, true) ** 2 for _, high, true in found]))
    stated = np.sqrt(np.mean([high.top_error_mm**2 for _, high, _ in found]))
    assert 0.5 < real / stated < 2.0


def test_where_the_tower_was_stood_is_found_and_bloom_with_it() -> None:
    _, high, _ = fits(6761)
    assert high.tower_mm == pytest.approx(tuple(STOOD_MM), abs=0.6)
    assert high.tower_deg == pytest.approx(STOOD_DEG, abs=0.5)
    assert high.bloom_px == pytest.approx(DRAWN_BLOOM_PX, abs=0.15)


def test_too_few_tower_markers_give_none() -> None:
    rng = np.random.default_rng(1)
    true = draw_camera_poses(1, 1)[0]
    rim, tall = seen_markers(PROFILE.markers, true, rng), seen_markers(TALL, true, rng)
    assert fit_tall(rim, SeenMarkers(tall.ids[:2], tall.corners_px[:2], 0), PROFILE.markers, MODEL, 1) is None


def test_tower_in_a_picture_is_read_and_used_by_the_calibration() -> None:
    seed = 6771
    true = draw_camera_poses(1, seed)[0]
    picture = render_tower(PROFILE, Tower(), seed, cameras=1)[0]
    plain, _ = pose_cameras(PROFILE, {1: [picture]})
    with_tower = paint_tower(picture, true)
    tall = find_tall(with_tower, PROFILE, PROFILE.cameras[0])
    assert tall is not None
    assert tall.tower_markers >= 9
    assert off_mm(tall.pose, true) < 0.8
    posed, (report,) = pose_cameras(PROFILE, {1: [with_tower]})
    assert report.tower_markers == tall.tower_markers
    assert posed.cameras[0].pose == report.pose != plain.cameras[0].pose


def paint_tower(picture: npt.NDArray[np.uint8], true: CameraPose) -> npt.NDArray[np.uint8]:
    """The tower pasted into a picture: white faces with the markers that face the camera, by their homographies."""
    view = CameraView.of(MODEL, true)
    drawn = picture.copy()
    dictionary = dictionary_of(TALL)
    for marker in TALL.markers:
        corners = np.array(marker.corners_mm)
        if np.cross(corners[3] - corners[0], corners[1] - corners[0]) @ (view.eye_mm - corners.mean(0)) <= 0:
            continue
        card = np.full((220, 220, 3), 225, np.uint8)
        card[25:195, 25:195] = cv2.cvtColor(cv2.aruco.generateImageMarker(dictionary, marker.id, 170), cv2.COLOR_GRAY2BGR) // 2 + 40
        inner = np.array(((24.5, 24.5), (194.5, 24.5), (194.5, 194.5), (24.5, 194.5)), np.float32)
        plane = cv2.getPerspectiveTransform(inner, view.project(corners).astype(np.float32))
        size = (picture.shape[1], picture.shape[0])
        face = cv2.warpPerspective(card, plane, size, flags=cv2.INTER_AREA)
        mask = cv2.warpPerspective(np.full((220, 220), 255, np.uint8), plane, size)
        drawn[mask > 200] = face[mask > 200]
    return np.asarray(cv2.GaussianBlur(drawn, (3, 3), 0.6), np.uint8)
