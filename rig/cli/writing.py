"""Reading and writing profiles and pages for the procedures that measure a rig, with a sentence where a file cannot be."""

from __future__ import annotations

from pathlib import Path

from rig import profile as profiles
from rig.errors import PalettiError


def read_profile(path: Path | None, cameras: int) -> profiles.Profile:
    """The named profile, or the nominal one with so many cameras; PalettiError if the profile has fewer."""
    if path is None:
        return profiles.nominal_profile(cameras=max(cameras, 1))
    profile = profiles.load(path)
    if len(profile.cameras) < cameras:
        raise PalettiError(f"{path} knows {len(profile.cameras)} cameras, not {cameras}.", "Give one picture or address per camera.")
    return profile


def write_bytes(path: Path, data: bytes) -> None:
    try:
        path.write_bytes(data)
    except OSError as error:
        raise PalettiError(f"{path} cannot be written: {error.strerror}.", "Name an existing folder with --out.") from error


def write_profile(path: Path, profile: profiles.Profile, quiet: bool = False) -> None:
    write_bytes(path, (profiles.to_json(profile) + "\n").encode())
    if not quiet:
        print(f"Written to {path}.")
