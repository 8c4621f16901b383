"""Profiles as JSON files: written by the calibration, read by everybody, refused with a sentence when they are of no use."""

from __future__ import annotations

from pathlib import Path

import msgspec

from rig.errors import PalettiError
from rig.profile.types import PROFILE_VERSION, Profile


def to_json(profile: Profile) -> str:
    """The profile as the text of its file."""
    return msgspec.json.format(msgspec.json.encode(profile), indent=1).decode()


def from_json(text: str | bytes, where: str = "the profile") -> Profile:
    """The profile written by `to_json`; PalettiError if it is none, or of another version."""
    try:
        profile = msgspec.json.decode(text, type=Profile)
    except (msgspec.DecodeError, msgspec.ValidationError, ValueError, UnicodeDecodeError) as error:
        raise PalettiError(
            f"{where} is not a usable profile: {error}.", "Calibrate again with `paletti calibrate`, or name another file."
        ) from error
    if profile.version != PROFILE_VERSION:
        raise PalettiError(
            f"{where} is a profile of version {profile.version}; this program reads version {PROFILE_VERSION}.",
            "Calibrate again with `paletti calibrate`.",
        )
    return profile


def load(path: Path) -> Profile:
    """The profile in the file `path`. PalettiError if it cannot be read or is no profile."""
    try:
        return from_json(path.read_bytes(), str(path))
    except OSError as error:
        raise PalettiError(f"The profile {path} cannot be read: {error.strerror}.", "Name an existing file with --profile.") from error
