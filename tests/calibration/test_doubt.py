"""What is stated of a pose against what it is off by: drawn corners, the truth is the pose, the lens and the frame that drew them."""

from __future__ import annotations

import msgspec
import numpy as np
import numpy.typing as npt
import pytest

from rig.profile import CameraModel, LensDoubt
from rig.profile.nominal import nominal_profile
from rig.twin.pictures.cameras import draw_camera_poses
from vision.camera.markers import MarkerFit, SeenMarkers, fit_pose, outward
from vision.camera.pose_doubt import TOP_POINT_MM
from vision.camera.view import CameraView

Floats = npt.NDArray[np.float64]
PROFILE = nominal_profile(1)
MODEL = PROFILE.cameras[0].model
DOUBT: LensDoubt = ((6.0, 6.0, 0, 0, 0, 0, 0, 0, 0), (0, 0, 4.0, 0, 0, 0, 0, 0, 0), (0, 0, 0, 4.0, 0, 0, 0, 0, 0))


def drawn(seed: int, noise_px: float, glue_mm: float, doubt: LensDoubt) -> tuple[MarkerFit, float]:
    """The pose of a frame whose markers are glued a little off, by a lens that is off as `doubt` says; and the error up there (mm)."""
    rng = np.random.default_rng(seed)
    true = draw_camera_poses(1, seed)[0]
    lens = off_by(np.asarray(rng.normal(0, 1, len(doubt)) @ np.array(doubt).reshape(-1, 9)))
    view = CameraView.of(lens, true)
    ids, quads = [], []
    for marker in PROFILE.markers.markers:
        corners = np.array(marker.corners_mm)
        away = view.eye_mm - corners.mean(0)
        normal = np.cross(corners[3] - corners[0], corners[1] - corners[0])
        pixels = view.project(corners + rng.normal(0, glue_mm, 3))
        inside = (pixels >= 0).all() and (pixels <= (MODEL.width_px - 1, MODEL.height_px - 1)).all()
        if inside and normal @ away > 0.25 * np.linalg.norm(normal) * np.linalg.norm(away):
            ids.append(marker.id)
            quads.append(pixels)
    shape = np.array(quads)
    seen = SeenMarkers(tuple(ids), shape - 0.65 * outward(shape) + rng.normal(0, noise_px, shape.shape), 0)
    fit = fit_pose(seen, PROFILE.markers, MODEL, 1, doubt)
    assert fit is not None
    return fit, top_mm(view, CameraView.of(MODEL, fit.pose))


def off_by(change: Floats) -> CameraModel:
    fx, fy, cx, cy = (float(value) for value in np.array((MODEL.fx_px, MODEL.fy_px, MODEL.cx_px, MODEL.cy_px)) + change[:4])
    return msgspec.structs.replace(MODEL, fx_px=fx, fy_px=fy, cx_px=cx, cy_px=cy)


def top_mm(real: CameraView, found: CameraView) -> float:
    away = found.project(TOP_POINT_MM) - real.project(TOP_POINT_MM)
    return float(np.sqrt(np.square(away).sum(1).mean())) / real.px_per_mm(TOP_POINT_MM[0])


@pytest.mark.parametrize(
    ("noise_px", "glue_mm", "doubt"), [(0.3, 0.0, ()), (0.1, 0.0, DOUBT), (0.1, 0.4, ())], ids=["noise", "lens in doubt", "glued off"]
)
def test_pose_is_off_by_as_much_as_it_states(noise_px: float, glue_mm: float, doubt: LensDoubt) -> None:
    found = [drawn(seed, noise_px, glue_mm, doubt) for seed in range(6720, 6760)]
    off = np.sqrt(np.mean([mm**2 for _, mm in found]))
    stated = np.sqrt(np.mean([fit.top_error_mm**2 for fit, _ in found]))
    assert 1 / 1.3 < off / stated < 1.3
