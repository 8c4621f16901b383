"""Files that commands read and write: profiles, pictures, pages; with a sentence where a file cannot be read or written."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import cv2
import numpy as np
import numpy.typing as npt

from rig import profile as profiles
from rig.errors import PalettiError
from rig.profile.nominal import nominal_profile

Picture = npt.NDArray[np.uint8]


def read_profile(path: Path | None, cameras: int) -> profiles.Profile:
    """The named profile, or the nominal one with so many cameras; PalettiError if the profile has fewer."""
    if path is None:
        return nominal_profile(cameras=max(cameras, 1))
    profile = profiles.load(path)
    if len(profile.cameras) < cameras:
        raise PalettiError(f"{path} knows {len(profile.cameras)} cameras, not {cameras}.", "Give one picture or address per camera.")
    return profile


def write_bytes(path: Path, data: bytes) -> None:
    """Write the file. PalettiError if that fails."""
    try:
        path.write_bytes(data)
    except OSError as error:
        raise PalettiError(f"{path} cannot be written: {error.strerror}.", "Name an existing folder with --out.") from error


def write_profile(path: Path, profile: profiles.Profile, quiet: bool = False) -> None:
    """Write the profile, and say where unless `quiet`. PalettiError if that fails."""
    write_bytes(path, (profiles.to_json(profile) + "\n").encode())
    if not quiet:
        print(f"Written to {path}.")


def write_side_by_side(path: Path, pictures: Sequence[Picture]) -> None:
    """The pictures (BGR) side by side as one file; PalettiError if it cannot be written."""
    height = max(picture.shape[0] for picture in pictures)
    padded = [cv2.copyMakeBorder(picture, 0, height - picture.shape[0], 0, 0, cv2.BORDER_CONSTANT) for picture in pictures]
    try:
        written = cv2.imwrite(str(path), np.hstack(padded))
    except cv2.error:
        written = False
    if not written:
        raise PalettiError(f"The picture {path} cannot be written.", "Name a .png or .jpg file in an existing folder.")


def read_picture(path: Path) -> Picture:
    """The picture (height x width x 3, BGR); PalettiError if it is none."""
    try:
        data = path.read_bytes()
    except OSError as error:
        raise PalettiError(f"The picture {path} cannot be read: {error.strerror}.", "Name an existing picture.") from error
    picture = cv2.imdecode(np.frombuffer(data, np.uint8), cv2.IMREAD_COLOR) if data else None
    if picture is None:
        raise PalettiError(f"{path} is no picture that can be read.", "Give a PNG or JPEG file.")
    return np.asarray(picture, np.uint8)
