"""Where a camera stands, from the rig's printed markers in one picture.

Black squares on white paper come out too small, because light spreads in the lens and on the sensor (bloom, about 0.65 px a corner in
rendered pictures); left alone this pulls the camera away from the tower by centimetres. So the shrinkage is estimated together with the
pose, one figure for the picture. Markers that are not in the layout, and single corners that do not fit, do not count.
"""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np
import numpy.typing as npt
from scipy.optimize import least_squares

from rig.errors import PalettiError
from rig.messages import CameraPose, Posed
from rig.profile import Camera, CameraModel, LensDoubt, MarkerLayout, Profile
from vision.arrays import Floats
from vision.camera.lens import first_pose
from vision.camera.picture_faults import picture_fault
from vision.camera.pose_doubt import top_error_mm
from vision.camera.view import CameraView

BLOOM_PX = 0.65
"""First guess of how far each corner is drawn inward (px). Measured on drawn pictures of the marker frame; every fit then estimates its
own."""

INLIER_PX = 2.5
"""A corner farther than this from where the pose puts it does not count. Raising it admits bent paper and false corners. By design:
about four times what bloom shifts a corner (`BLOOM_PX`)."""

ENOUGH_MARKERS = 4
"""Fewer give a pose only in name: a centimetre at the fifth floor. Set by hand; `rig.bench.bench_vision --only poses` prints a pose's
error."""


@dataclass(frozen=True, slots=True)
class SeenMarkers:
    """Markers of the layout found in a picture: their ids and corners (n, 4, 2) in px."""

    ids: tuple[int, ...]
    corners_px: Floats
    strangers: int


@dataclass(frozen=True, slots=True)
class MarkerFit:
    """A pose and what the markers say about it: shrinkage (px), corners used, rms error (px), the error at the fifth floor (mm)."""

    pose: CameraPose
    bloom_px: float
    corners: int
    error_px: float
    top_error_mm: float


def dictionary_of(layout: MarkerLayout) -> cv2.aruco.Dictionary:
    number = getattr(cv2.aruco, layout.dictionary, None)
    if not isinstance(number, int):
        raise PalettiError(f"The profile names the marker dictionary {layout.dictionary!r}, which OpenCV does not have.")
    return cv2.aruco.getPredefinedDictionary(number)


def find_markers(picture: npt.NDArray[np.uint8], layout: MarkerLayout) -> SeenMarkers:
    """Markers of the layout in a picture (height, width, 3); each at most once."""
    parameters = cv2.aruco.DetectorParameters()
    parameters.cornerRefinementMethod = cv2.aruco.CORNER_REFINE_SUBPIX
    parameters.cornerRefinementWinSize = 3
    parameters.cornerRefinementMaxIterations = 40
    parameters.adaptiveThreshWinSizeMin = 5
    parameters.adaptiveThreshWinSizeMax = 45
    parameters.adaptiveThreshWinSizeStep = 10
    parameters.minMarkerPerimeterRate = 0.015
    grey = cv2.cvtColor(picture, cv2.COLOR_BGR2GRAY)
    corners, ids, _ = cv2.aruco.ArucoDetector(dictionary_of(layout), parameters).detectMarkers(grey)
    known = {marker.id for marker in layout.markers}
    found: dict[int, Floats] = {}
    doubtful: set[int] = set()
    strangers = 0
    numbers = [] if ids is None else [int(number) for number in ids.ravel()]
    for number, quad in zip(numbers, corners, strict=True):
        if number not in known:
            strangers += 1
        elif number in found:
            doubtful.add(number)
        else:
            found[number] = np.asarray(quad[0], dtype=np.float64)
    kept = sorted(set(found) - doubtful)
    quads = np.array([found[number] for number in kept]) if kept else np.zeros((0, 4, 2))
    return SeenMarkers(tuple(kept), quads, strangers)


def outward(corners_px: Floats) -> Floats:
    """For each corner the direction (n, 4, 2) in which one px of bloom on both adjoining sides has drawn it inward, negated."""
    along = np.roll(corners_px, -1, axis=1) - corners_px
    along /= np.linalg.norm(along, axis=2, keepdims=True)
    return np.asarray(np.roll(along, 1, axis=1) - along)


def fit_pose(seen: SeenMarkers, layout: MarkerLayout, model: CameraModel, camera: int, doubt: LensDoubt = ()) -> MarkerFit | None:
    """The pose and the bloom that put the layout's corners where they were seen; None if they fit no pose. `doubt` of the lens counts in
    the error that is stated.

    `seen`: the markers found in the picture of the camera numbered `camera`, whose lens is `model`; `layout`: where they are on the frame
    (mm).
    """
    if not seen.ids:
        return None
    places = {marker.id: np.array(marker.corners_mm) for marker in layout.markers}
    world = np.concatenate([places[number] for number in seen.ids])
    pixels = seen.corners_px.reshape(-1, 2)
    push = outward(seen.corners_px).reshape(-1, 2)
    first = first_pose(model, world, pixels + BLOOM_PX * push)
    if first is None:
        return None

    def pose_of(x: Floats) -> CameraPose:
        return CameraPose(camera, (float(x[0]), float(x[1]), float(x[2])), (float(x[3]), float(x[4]), float(x[5])))

    def misfit(x: Floats, used: npt.NDArray[np.bool_]) -> Floats:
        projected = CameraView.of(model, pose_of(x)).project(world[used])
        return np.asarray(np.nan_to_num(projected - (pixels[used] + x[6] * push[used]), nan=1e3).ravel())

    used = np.ones(len(world), dtype=np.bool_)
    x = np.concatenate((*first, [BLOOM_PX]))
    scale = np.array([0.01, 0.01, 0.01, 5.0, 5.0, 5.0, 0.5])
    everything = used
    for _ in range(3):
        solution = least_squares(misfit, x, args=(used,), loss="soft_l1", f_scale=0.5, x_scale=scale)
        x = np.asarray(solution.x, dtype=np.float64)
        away = misfit(x, everything).reshape(-1, 2)
        distance = np.linalg.norm(away, axis=1)
        again = distance < max(INLIER_PX, 3 * float(np.median(distance)))
        if again.sum() < 8 or (again == used).all():
            break
        used = again
    error_px = float(np.sqrt((distance[used] ** 2).mean()))
    pose = pose_of(x)
    return MarkerFit(
        pose, float(x[6]), int(used.sum()), error_px, top_error_mm(model, pose, world, push[..., None], away, used, doubt)
    )  # fmt: skip


def mirrored(picture: npt.NDArray[np.uint8], layout: MarkerLayout) -> bool:
    """Whether a picture (BGR) shows the layout's markers as in a mirror."""
    return len(find_markers(np.ascontiguousarray(picture[:, ::-1]), layout).ids) >= ENOUGH_MARKERS


def pose_from(picture: npt.NDArray[np.uint8], profile: Profile, camera: Camera, request: int) -> Posed:
    """The answer to `FindPose`: a pose with its errors, or a sentence that says why there is none."""

    def none(sentence: str, markers: int = 0) -> Posed:
        return Posed(id=request, camera=camera.number, pose=None, markers=markers, error_px=0.0, top_error_mm=0.0, sentence=sentence)

    name = f"Camera {camera.number}"
    fault = picture_fault(picture, camera)
    if fault:
        return none(fault)
    seen = find_markers(picture, profile.markers)
    if len(seen.ids) < ENOUGH_MARKERS and mirrored(picture, profile.markers):
        return none(f"{name}'s pictures are mirrored: switch off its selfie mode (mirroring).", len(seen.ids))
    if not seen.ids:
        if seen.strangers:
            return none(
                f"{name} sees {seen.strangers} markers, but none of this rig's layout ({profile.markers.dictionary}): "
                "print the sheets again with `paletti calibrate print`, or name the profile that belongs to this rig."
            )
        return none(f"{name} sees none of the rig's markers: turn it to the base, and light the markers; they need their white border.")
    if len(seen.ids) < ENOUGH_MARKERS:
        return none(
            f"{name} sees {len(seen.ids)} of the rig's markers; at least {ENOUGH_MARKERS} are needed: clear the apron or move the camera.",
            len(seen.ids),
        )
    fit = fit_pose(seen, profile.markers, camera.model, camera.number, camera.doubt)
    if fit is None or fit.error_px > 4.0:
        return none(
            f"{name} sees {len(seen.ids)} markers that fit no pose: the lens model or the marker layout in the profile is not this rig's.",
            len(seen.ids),
        )
    below = CameraView.of(camera.model, fit.pose).eye_mm[2] < 0
    if below:
        return none(
            f"{name} seems to look from below the table: the markers are read mirrored or the layout is not this rig's.", len(seen.ids)
        )
    sentence = ""
    if fit.top_error_mm > 3.0:
        sentence = f"{name}'s pose is uncertain by {fit.top_error_mm:.1f} mm at the fifth floor: show it more markers."
    return Posed(
        id=request,
        camera=camera.number,
        pose=fit.pose,
        markers=len(seen.ids),
        error_px=round(fit.error_px, 3),
        top_error_mm=round(fit.top_error_mm, 3),
        sentence=sentence,
    )
