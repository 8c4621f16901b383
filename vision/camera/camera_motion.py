"""Whether a camera still stands where it stood: a knock in mid-game must read as "camera moved", never as "all columns moved".

The rig's markers are fixed to the apron, so where they are seen against where the pose puts them tells a knock from everything that hands
do: a hand hides markers, it does not shift those that stay visible. Marker centres are compared, because bloom moves corners but not
centres. The new pose is `vision.camera.markers`'; when to look, and what the game makes of it, is the referee's (`rig/referee/knocks.py`).
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from rig.messages import CameraPose
from rig.profile import Camera, Profile
from vision.arrays import Floats
from vision.camera.markers import ENOUGH_MARKERS, find_markers
from vision.camera.picture_faults import picture_fault
from vision.camera.view import CameraView

KNOCK_SHARE = 0.0016
"""Displacement that counts as a knock, as a share of the picture's longer side: 2 px of 1280, four times the scatter of a good pose and
about 2 mm at the tower, where places begin to suffer. Lower, it re-poses on noise; higher, places drift unseen. Set by hand;
`rig.bench.bench_vision --only poses` prints a pose's error, `tests/vision/test_tunables.py` bounds this."""

REACH_SHARE = 0.12
"""How far from their expected places markers are looked for, as a share of the longer side (154 px of 1280). If none is left in that
surrounding the whole picture is searched. By design: a knock beyond that is rare, and the whole picture is the way out."""

AGREE = 0.6
"""Share of the seen markers that must have moved alike: sheets that came loose, or an apron that was hit, move by themselves. By design:
more than half, with one sheet of a few to spare."""


@dataclass(frozen=True, slots=True)
class Displacement:
    """One reading: how far the markers are from where `pose` puts them (median, px), by how many markers; `alike` is the share of them
    that moved too. With fewer than four markers (`seen` False) nothing is known.
    """

    camera: int
    seen: bool
    moved_px: float
    dx_px: float
    dy_px: float
    alike: float
    markers: int
    knocked: bool


def displacement(picture: npt.NDArray[np.uint8], profile: Profile, camera: Camera, pose: CameraPose) -> Displacement:
    """How far the rig's markers in this picture (BGR, full size) are from where `pose` expects them.

    A picture that cannot be read, or that shows fewer than four markers of the layout, gives `seen` False and no knock.
    """
    nothing = Displacement(camera.number, False, 0.0, 0.0, 0.0, 0.0, 0, False)
    if picture_fault(picture, camera):
        return nothing
    view = CameraView.of(camera.model, pose)
    places = {marker.id: np.array(marker.corners_mm).mean(0) for marker in profile.markers.markers}
    expected = view.project(np.array(list(places.values())))
    longer = max(camera.model.width_px, camera.model.height_px)
    box = _box_round(expected, camera, REACH_SHARE * longer)
    seen = find_markers(np.ascontiguousarray(picture[box[1] : box[3], box[0] : box[2]]), profile.markers)
    corner = np.array((box[0], box[1]), dtype=np.float64)
    if len(seen.ids) < ENOUGH_MARKERS:
        seen = find_markers(picture, profile.markers)
        corner = np.zeros(2)
    if len(seen.ids) < ENOUGH_MARKERS:
        return replace(nothing, markers=len(seen.ids))
    where = dict(zip(places, expected, strict=True))
    moved = np.array([_centre(quad) for quad in seen.corners_px]) + corner - np.array([where[number] for number in seen.ids])
    moved = moved[~np.isnan(moved).any(1)]
    if len(moved) < ENOUGH_MARKERS:
        return replace(nothing, markers=len(seen.ids))
    middle = np.median(moved, axis=0)
    far = float(np.median(np.linalg.norm(moved, axis=1)))
    limit = KNOCK_SHARE * longer
    # a turn about the line of sight moves markers to different sides: alike is then that nearly all of them moved
    alike = float((np.linalg.norm(moved, axis=1) > max(limit, 0.3 * far)).mean())
    return Displacement(camera.number, True, far, float(middle[0]), float(middle[1]), alike, len(moved), far > limit and alike >= AGREE)


def _centre(quad: Floats) -> Floats:
    """Where a square's diagonals meet: its centre in perspective, which bloom leaves alone."""
    a, b, c, d = (np.append(corner, 1.0) for corner in quad)
    meet = np.cross(np.cross(a, c), np.cross(b, d))
    return np.asarray(meet[:2] / meet[2]) if abs(meet[2]) > 1e-9 else np.asarray(quad.mean(0))


def _box_round(expected: Floats, camera: Camera, reach_px: float) -> tuple[int, int, int, int]:
    width, height = camera.model.width_px, camera.model.height_px
    inside = expected[
        (~np.isnan(expected).any(1)) & (expected > -reach_px).all(1) & (expected < (width + reach_px, height + reach_px)).all(1)
    ]
    if len(inside) == 0:
        return (0, 0, width, height)
    x0, y0 = np.floor(inside.min(0) - reach_px).astype(int)
    x1, y1 = np.ceil(inside.max(0) + reach_px).astype(int)
    return (max(x0, 0), max(y0, 0), min(x1, width), min(y1, height))
