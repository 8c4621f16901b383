"""The pictures of the empty base that lie beside a profile: `calibrate colours` keeps them, whole readings look for what differs from them.

They are files named after the profile (`profile-empty-1.png` beside `profile.json`), because they are pictures of a room and no part of a
rig. Where a camera stood is told by the markers in the picture itself; a camera that has been moved since is read without it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

import cv2

from rig.cli.files import read_picture, write_bytes
from rig.errors import PalettiError
from rig.profile import Profile
from vision.appearance.reference import EmptyBase
from vision.arrays import Picture
from vision.camera.markers import pose_from
from vision.camera.picture_faults import picture_fault

HUMBLER = "Read without a picture of the empty base, so the room's own colours may be taken for pieces (--empty gives one per camera)."


def path_beside(profile: Path, camera: int) -> Path:
    """Where a camera's picture of the empty base lies."""
    return profile.with_name(f"{profile.stem}-empty-{camera}.png")


def keep_empty(profile: Path, pictures: Mapping[int, Picture]) -> list[Path]:
    """Writes the pictures (BGR) by camera number beside the profile; PalettiError if that cannot be done."""
    paths = []
    for number, picture in sorted(pictures.items()):
        path = path_beside(profile, number)
        write_bytes(path, cv2.imencode(".png", picture)[1].tobytes())
        paths.append(path)
    return paths


def empty_bases(profile: Profile, given: Sequence[Path] | None, beside: Path | None) -> list[EmptyBase]:
    """The empty base as each camera saw it: from the pictures `given`, one a camera, else from those beside the profile's file.

    PalettiError if given pictures cannot be used; of those beside the profile one that cannot is left out.
    """
    if given:
        if len(given) != len(profile.cameras):
            raise PalettiError(
                f"There are {len(given)} pictures of the empty base for {len(profile.cameras)} cameras.", "Give --empty one per camera."
            )
        return [_empty(profile, camera.number, path, strict=True) for camera, path in zip(profile.cameras, given, strict=True)]
    found = []
    for camera in profile.cameras if beside is not None else ():
        path = path_beside(beside, camera.number) if beside is not None else Path()
        if path.is_file():
            try:
                found.append(_empty(profile, camera.number, path, strict=False))
            except PalettiError:
                continue
    return found


def _empty(profile: Profile, number: int, path: Path, strict: bool) -> EmptyBase:
    camera, picture = profile.camera(number), read_picture(path)
    fault = picture_fault(picture, camera)
    posed = None if fault else pose_from(picture, profile, camera, 0)
    if posed is None or posed.pose is None:
        why = fault or (posed.sentence if posed is not None else "")
        raise PalettiError(f"{path}: {why}", "Give a picture of the empty base in which the markers are seen." if strict else "")
    return EmptyBase(posed.pose, picture)
