"""Leaves nothing of a picture but the tower's surroundings, before anybody sees, records or shows it: for tables whose people are not to be
filmed (`--crop tower`).

What stays: base and apron with their markers, and the room a tower of this set can fill, with a hand's breadth round it. Everything else is
painted with the pixels at that region's edge, row by row, so that an arm still reaches in from the picture's border and nothing behind it
can be made out. Where the region lies is found from the rig's markers in the whole picture, which is then thrown away. Until they have been
found, the picture is black. What comes out is a picture like any other: the eyes and a replay see what is recorded.
"""

from __future__ import annotations

from collections.abc import Sequence

import cv2
import msgspec
import numpy as np
import numpy.typing as npt

from rig.errors import PalettiError
from rig.live.pouring import Source
from rig.messages import Ask, CameraPose, Frame, Input
from rig.profile import Camera, Profile
from vision.camera.markers import pose_from
from vision.camera.view import CameraView
from vision.scene.solids import polygon_of, prism

Picture = npt.NDArray[np.uint8]

BESIDE_MM = 45.0
"""Beyond the base's radius, by design: fingers that hold a column at the base's edge."""

ABOVE_MM = 120.0
"""Above the highest tower of the set, by design: a hand with a column over it."""

AGAIN_S = 2.0
"""Seconds between two searches for the markers, by design: a camera that was knocked finds its region again in that time. Lower: sooner,
and about 40 ms of a core for each search."""

JPEG_QUALITY = 90
"""Of a picture that came as JPEG and is encoded again; above the cameras' own, so that little is lost by it."""


class TowerCrop:
    """Crops the pictures of one profile's cameras."""

    def __init__(self, profile: Profile) -> None:
        self._profile = profile
        self._regions: dict[int, tuple[npt.NDArray[np.intp], npt.NDArray[np.intp]]] = {}
        self._looked_t_s: dict[int, float] = {}

    def picture(self, camera: int, t_s: float, picture: Picture) -> Picture:
        """`picture` (h, w, BGR) of this camera at `t_s` with the tower's surroundings alone; black while they are not known."""
        if t_s - self._looked_t_s.get(camera, -AGAIN_S) >= AGAIN_S:
            self._looked_t_s[camera] = t_s
            self._look(self._profile.camera(camera), picture)
        found = self._regions.get(camera)
        if found is None:
            return np.zeros_like(picture)
        rows, columns = found
        return np.asarray(picture[rows[:, None], columns], np.uint8)

    def frame(self, t_s: float, frame: Frame) -> Frame:
        """The same for a picture that has been encoded; one that does not decode is left empty."""
        decoded = cv2.imdecode(np.frombuffer(frame.jpeg, np.uint8), cv2.IMREAD_COLOR) if frame.jpeg else None
        if decoded is None:
            return msgspec.structs.replace(frame, jpeg=b"")
        cropped = self.picture(frame.camera, t_s, np.asarray(decoded, np.uint8))
        good, jpeg = cv2.imencode(".jpg", cropped, [cv2.IMWRITE_JPEG_QUALITY, JPEG_QUALITY])
        return msgspec.structs.replace(frame, jpeg=jpeg.tobytes() if good else b"")

    def _look(self, camera: Camera, picture: Picture) -> None:
        pose = pose_from(picture, self._profile, camera, 0).pose
        if pose is not None:
            self._regions[camera.number] = region(self._profile, camera, pose)


def region(profile: Profile, camera: Camera, pose: CameraPose) -> tuple[npt.NDArray[np.intp], npt.NDArray[np.intp]]:
    """For every pixel of a cropped picture the row (h,) and the column (h, w) that it is taken from: its own within the region, else the
    nearest in the same row; above and below the region, those of its first and last row."""
    view = CameraView.of(camera.model, pose)
    highest = (len(profile.plateaus) + 1) * max(size.height_mm for size in profile.columns.values())
    highest += sum(size.thickness_mm for size in profile.plateaus.values())
    room = prism(polygon_of(profile.base.radius_mm + BESIDE_MM, 32), 0.0, highest + ABOVE_MM)
    half = profile.base.apron_outer_mm
    apron = prism(np.array(((-half, -half), (half, -half), (half, half), (-half, half))), profile.base.table_z_mm, profile.base.rim_z_mm)
    layout = profile.markers
    corners = np.array([marker.corners_mm for marker in layout.markers])
    centres = corners.mean(axis=1, keepdims=True)  # each with twice the white margin that it needs to be found
    markers = (centres + (corners - centres) * (1 + 4 * layout.margin_mm / layout.side_mm)).reshape(-1, 3)
    shape = (camera.model.height_px, camera.model.width_px)
    mask = np.zeros(shape, np.uint8)
    for points in (room.reshape(-1, 3), np.concatenate((apron.reshape(-1, 3), markers))):
        pixels = view.project(points)
        hull = cv2.convexHull(np.clip(pixels[np.isfinite(pixels).all(axis=1)], -1e5, 1e5).astype(np.float32))
        cv2.fillConvexPoly(mask, np.rint(hull).astype(np.int32), 1)
    filled = np.flatnonzero(mask.any(axis=1))
    if not len(filled):
        raise PalettiError(f"Camera {camera.number} does not see the tower's place.", "Turn it to the base.")
    rows = np.clip(np.arange(shape[0]), filled[0], filled[-1])
    left, right = mask.argmax(axis=1)[rows], shape[1] - 1 - mask[:, ::-1].argmax(axis=1)[rows]
    return rows, np.clip(np.arange(shape[1])[None, :], left[:, None], right[:, None])


class CroppedSource:
    """A source whose pictures are cropped on their way in."""

    def __init__(self, source: Source, crop: TowerCrop) -> None:
        self._source, self._crop = source, crop

    @property
    def finished(self) -> bool:
        return self._source.finished

    def advance(self, until_s: float) -> Sequence[tuple[float, str, Input]]:
        return [
            (t_s, name, self._crop.frame(t_s, payload) if isinstance(payload, Frame) else payload)
            for t_s, name, payload in self._source.advance(until_s)
        ]

    def ask(self, ask: Ask) -> None:
        self._source.ask(ask)
