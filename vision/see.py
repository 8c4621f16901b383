"""The eyes' one door: a request to look and the frames it names in, an answer out. Pure: no clock, no state that an answer depends on.

`Eyes` remembers what it computed for frames and poses it has just seen, because the same frame is asked about again and again; forgetting
all of it changes no answer. Pictures are the decoded JPEGs as OpenCV gives them (height, width, BGR bytes), keyed by message number.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Hashable, Mapping
from typing import TypeVar

import msgspec

from rig.errors import PalettiError
from rig.messages import ColumnSeen, FindPose, Judge, LookAnswer, LookRequest, Posed, ReadTower, TowerRead, Track, Watch, Watched
from rig.profile import Camera, Profile
from vision.appearance.reference import EmptyBase
from vision.arrays import Picture
from vision.camera.camera_motion import displacement
from vision.camera.markers import pose_from
from vision.camera.picture_faults import picture_fault
from vision.change.judge import judge
from vision.change.track import track
from vision.frames.hands import ShrunkFrame, region_of, shrunk_frame, watch
from vision.frames.tilt import TiltReading, TiltWatch
from vision.reading.whole_tower import read_tower

T = TypeVar("T")

REMEMBERED = 24
"""How many values of each kind are kept: a few frames of each of a few cameras. By design: bounds the memory."""


class _Memory:
    """The last values of one function, by its arguments."""

    def __init__(self, room: int = REMEMBERED) -> None:
        self._kept: OrderedDict[Hashable, object] = OrderedDict()
        self._room = room

    def get(self, key: Hashable, make: Callable[[], T]) -> T:
        if key in self._kept:
            self._kept.move_to_end(key)
            return self._kept[key]  # type: ignore[return-value]
        value = make()
        self._kept[key] = value
        while len(self._kept) > self._room:
            self._kept.popitem(last=False)
        return value


class Eyes:
    """Looks for one profile, remembering what the next look is likely to need again. A message number must always mean the same frame."""

    def __init__(self, profile: Profile) -> None:
        self.profile = profile
        self._glances = _Memory()
        self._regions = _Memory()
        self._tilts = _Memory()

    def look(self, request: LookRequest, frames: Mapping[int, Picture]) -> LookAnswer:
        """The answer to any request. PalettiError if it names a camera that the profile does not have."""
        match request:
            case Watch():
                return self._watch(request, frames)
            case FindPose():
                return self._find_pose(request, frames)
            case Judge():
                for pose in request.poses:
                    self._camera(pose.camera)
                return judge(request, frames, self.profile)
            case Track():
                for pose in request.poses:
                    self._camera(pose.camera)
                return track(request, frames, self.profile)
            case ReadTower():
                for pose in request.poses:
                    self._camera(pose.camera)
                return read(request, frames, self.profile)

    def _camera(self, number: int) -> Camera:
        for camera in self.profile.cameras:
            if camera.number == number:
                return camera
        known = ", ".join(str(camera.number) for camera in self.profile.cameras) or "none"
        raise PalettiError(f"The profile {self.profile.name!r} has no camera {number}; it has {known}.", "Name a profile of this rig.")

    def _find_pose(self, request: FindPose, frames: Mapping[int, Picture]) -> Posed:
        camera = self._camera(request.camera)
        picture = frames.get(request.frame)
        if picture is None:
            sentence = f"Camera {request.camera}'s picture {request.frame} is not at hand."
            return Posed(id=request.id, camera=request.camera, pose=None, markers=0, error_px=0.0, top_error_mm=0.0, sentence=sentence)
        posed = pose_from(picture, self.profile, camera, request.id)
        if request.believed is None:
            return posed
        moved = displacement(picture, self.profile, camera, request.believed)
        return msgspec.structs.replace(posed, moved_px=round(moved.moved_px, 2) if moved.knocked else 0.0)

    def _watch(self, request: Watch, frames: Mapping[int, Picture]) -> Watched:
        camera = self._camera(request.camera)
        shrunk: dict[int, ShrunkFrame] = {}
        for number in (request.frame, request.previous, request.reference):
            picture = None if number is None else frames.get(number)
            if number is not None and picture is not None:
                seen = self._glances.get(number, lambda picture=picture: None if picture_fault(picture, camera) else shrunk_frame(picture))  # type: ignore[misc]
                if seen is not None:
                    shrunk[number] = seen
        region = self._regions.get(
            (request.camera, request.pose, request.tower), lambda: region_of(camera, request.pose, self.profile, request.tower)
        )
        watched = watch(request, frames, self.profile, shrunk, region)
        tilt = self._tilt(request, frames) if not watched.fault else None
        if tilt is None:
            return watched
        return msgspec.structs.replace(watched, tilt_deg=tilt.tilt_deg, tilt_sigma_deg=tilt.sigma_deg)

    def _tilt(self, request: Watch, frames: Mapping[int, Picture]) -> TiltReading | None:
        """How far the top plateau has tilted since the reference; None where there is nothing to compare."""
        picture = frames.get(request.frame)
        reference = frames.get(request.reference) if request.reference is not None else None
        pose, tower = request.pose, request.tower
        if picture is None or reference is None or pose is None or not tower.plateaus:
            return None
        key = (request.reference, pose, tower)
        tilts = self._tilts.get(key, lambda: TiltWatch(reference, pose, tower, self.profile, tower.top_floor))
        return tilts.read(picture)


def read(request: ReadTower, frames: Mapping[int, Picture], profile: Profile) -> TowerRead:
    """The whole tower from the pictures that are at hand."""
    at_hand = [(frames[n], pose) for n, pose in zip(request.frames, request.poses, strict=True) if n in frames]
    empties = [EmptyBase(view.pose, frames[view.frame]) for view in request.empty if view.frame in frames]
    reading = read_tower([picture for picture, _ in at_hand], [pose for _, pose in at_hand], profile, request.expected, empties)
    return TowerRead(
        id=request.id,
        columns=tuple(ColumnSeen(one.standing, one.confidence, one.visible) for one in reading.columns),
        plateaus=reading.tower.plateaus,
        fit=reading.fit,
        usable=reading.usable,
        cameras=reading.cameras,
        sentence=reading.sentence,
        unseen=reading.unseen,
    )


def look(request: LookRequest, frames: Mapping[int, Picture], profile: Profile) -> LookAnswer:
    """The answer to one request, remembering nothing."""
    return Eyes(profile).look(request, frames)
