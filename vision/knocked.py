"""Whether a camera still stands where it stood: a knock in mid-game must read as "camera moved", never as "all columns moved".

The rig's markers are fixed to the apron, so where they are seen against where the pose puts them tells a knock from everything that hands
do: a hand hides markers, it does not shift those that stay visible. Marker centres are compared, because bloom moves corners but not
centres. One picture gives a reading (`displacement`); `Steadiness` folds readings into at most one piece of news per knock, once the camera
has come to rest, within two seconds of message time at two or more readings a second. The new pose is `vision.markers`'; when to look, and
what the game makes of it, is the referee's.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field, replace

import numpy as np
import numpy.typing as npt

from rig.messages import CameraPose
from rig.profile import Camera, Profile
from vision.faults import picture_fault
from vision.geometry import Floats, View
from vision.markers import ENOUGH_MARKERS, TOP_POINT_MM, find_markers, pose_from

KNOCK_SHARE = 0.0016
"""Displacement that counts as a knock, as a share of the picture's longer side: 2 px of 1280, four times the scatter of a good pose and
about 2 mm at the tower, where places begin to suffer. Lower, it re-poses on noise; higher, places drift unseen."""

REACH_SHARE = 0.12
"""How far from their expected places markers are looked for, as a share of the longer side (154 px of 1280). If none is left in that
surrounding the whole picture is searched."""

AGREE = 0.6
"""Share of the seen markers that must have moved alike: sheets that came loose, or an apron that was hit, move by themselves."""


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


@dataclass(frozen=True, slots=True)
class Knock:
    """News of a knock: by how much (px in the picture, mm at the fifth floor), the new pose (None if it could not be had), its error."""

    camera: int
    moved_px: float
    top_mm: float
    pose: CameraPose | None
    top_error_mm: float
    sentence: str


def displacement(picture: npt.NDArray[np.uint8], profile: Profile, camera: Camera, pose: CameraPose) -> Displacement:
    """How far the rig's markers in this picture (BGR, full size) are from where `pose` expects them.

    A picture that cannot be read, or that shows fewer than four markers of the layout, gives `seen` False and no knock.
    """
    nothing = Displacement(camera.number, False, 0.0, 0.0, 0.0, 0.0, 0, False)
    if picture_fault(picture, camera):
        return nothing
    view = View.of(camera.model, pose)
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


def repose(picture: npt.NDArray[np.uint8], profile: Profile, camera: Camera, pose: CameraPose, moved_px: float) -> Knock:
    """The news of a knock that this settled picture shows: the camera finds itself again, or says why it cannot."""
    name = f"Camera {camera.number}"
    posed = pose_from(picture, profile, camera, 0)
    if posed.pose is None:
        return Knock(camera.number, moved_px, 0.0, None, 0.0, f"{name} moved by {moved_px:.0f} px and cannot find itself: {posed.sentence}")
    was, now = View.of(camera.model, pose), View.of(camera.model, posed.pose)
    top_mm = float(
        np.nanmean(np.linalg.norm(was.project(TOP_POINT_MM) - now.project(TOP_POINT_MM), axis=1)) / now.px_per_mm(TOP_POINT_MM[0])
    )
    return Knock(
        camera.number, moved_px, top_mm, posed.pose, posed.top_error_mm,
        f"{name} moved by {moved_px:.0f} px ({top_mm:.0f} mm at the fifth floor) and found itself again, "
        f"good to {posed.top_error_mm:.1f} mm there.",
    )  # fmt: skip


# ---------------------------------------------------------------- from readings to news

REST_S = 0.35
"""A camera has come to rest when two readings at least this far apart agree. Shorter, and it is posed while it still swings."""

REST_SHARE = 0.0008
"""Agreement of two readings that counts as rest, as a share of the longer side: 1 px of 1280."""

LOST_S = 2.0
"""So long without four markers and without hands in the picture is told as "cannot see the markers": a camera turned right away."""


@dataclass(frozen=True, slots=True)
class Steadiness:
    """What is remembered of one camera's readings: the first of those that agree with the latest, and since when markers are missing."""

    since_s: float | None = None
    dx_px: float = 0.0
    dy_px: float = 0.0
    moved_px: float = 0.0
    blind_since_s: float | None = None
    told_blind: bool = field(default=False)

    def after(self, t_s: float, reading: Displacement, longer_px: int, hands: bool = False) -> tuple[Steadiness, str]:
        """The state after a reading at `t_s`, and what to do.

        "" is nothing; "repose": knocked and at rest again, call `repose` with this picture; "blind": no markers for two seconds although
        no hand is in the picture (said once until they are back).
        """
        if not reading.seen:
            if hands:
                return replace(self, blind_since_s=None), ""
            since = t_s if self.blind_since_s is None else self.blind_since_s
            late = t_s - since >= LOST_S and not self.told_blind
            return replace(self, blind_since_s=since, told_blind=self.told_blind or late), "blind" if late else ""
        if not reading.knocked:
            return Steadiness(), ""
        same = math.hypot(reading.dx_px - self.dx_px, reading.dy_px - self.dy_px) + abs(reading.moved_px - self.moved_px)
        if self.since_s is None or same > REST_SHARE * longer_px:
            return Steadiness(t_s, reading.dx_px, reading.dy_px, reading.moved_px), ""
        if t_s - self.since_s < REST_S:
            return replace(self, blind_since_s=None, told_blind=False), ""
        return Steadiness(), "repose"
