"""`paletti look`: what stands on the base, read by the live cameras or from given pictures, one a camera.

Prints every floor as a small map with its columns, or JSON (documented in `rig.cli.look_text`), and draws the tower it read over the
pictures. Nothing is recorded and nothing is ruled; hands should be out of the pictures.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

import cv2
import msgspec
import numpy as np
import numpy.typing as npt

from calibration.find_cameras import find_cameras
from rig import profile as profiles
from rig.cli.configuration import configuration, list_of
from rig.cli.empty_base import HUMBLER, empty_bases
from rig.cli.files import read_picture, write_bytes, write_side_by_side
from rig.cli.look_since import as_lines, happened_since, happening_as_json, load_look, moved_since, sentence_of
from rig.cli.look_text import as_json, as_text
from rig.errors import PalettiError
from rig.live.one_picture import one_each
from rig.profile import Profile
from rig.profile.nominal import nominal_profile
from vision.reading.overhang import overhangs
from vision.reading.uncertainty import uncertainties
from vision.reading.whole_tower import read_tower
from vision.scene.overlay import draw_tower

Picture = npt.NDArray[np.uint8]

ONLY_PLACES = "The earlier look's pictures cannot be compared with these, so only places are: what was raised or laid is not told."


def add(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add this command, its options and its example."""
    parser = commands.add_parser("look", help="what stands on the base, as the cameras see it", description=__doc__)
    parser.add_argument(
        "--images", type=Path, nargs="+", metavar="CAM.png", help="one picture per camera, in order (default: live cameras)"
    )
    parser.add_argument("--config", type=Path, default=Path("paletti.toml"), help="the rig's configuration, for live cameras")
    parser.add_argument("--profile", type=Path, help="the rig's profile (default: the configuration's, for pictures the nominal one)")
    parser.add_argument(
        "--empty",
        type=Path,
        nargs="+",
        metavar="CAM.png",
        help="the empty base, one picture per camera (else those beside the profile)",
    )
    parser.add_argument("--since", type=Path, metavar="LOOK.json", help="tell what happened since that look (written by --json)")
    parser.add_argument("--keep", type=Path, metavar="FOLDER", help="write the live cameras' pictures there, for a later look with --since")
    parser.add_argument("--json", action="store_true", help="print JSON")
    parser.add_argument("--overlay", type=Path, metavar="OUT.png", help="write the pictures with the tower drawn over them")
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    """Carry the command out; the exit code. PalettiError for what cannot be used."""
    earlier = load_look(options.since) if options.since else None
    profile, pictures, names = _shown(options)
    posed = find_cameras(profile, pictures, names)
    poses = [one.pose for one in posed if one.pose is not None]
    empties = empty_bases(profile, options.empty, options.profile)
    happened = happened_since(earlier, pictures, poses, profile) if earlier is not None else None
    reading = read_tower(pictures, poses, profile, happened.tower if happened is not None else None, empties)
    known = uncertainties(pictures, poses, profile, reading.tower)
    over = overhangs(profile, reading.tower, known)
    if options.overlay is not None:
        drawn = [draw_tower(picture, profile, pose, reading.tower) for picture, pose in zip(pictures, poses, strict=True)]
        write_side_by_side(options.overlay, drawn)
    said = as_json(reading, posed, known, over)
    said["pictures"] = _kept(options, pictures)
    if earlier is not None:
        said["moved"] = moved_since(earlier, said)
        if happened is not None:
            said["happened"] = happening_as_json(happened)
    if options.json:
        sys.stdout.write(msgspec.json.encode(said).decode() + "\n")
        return 0
    for one in posed:
        print(f"camera {one.camera}: {one.markers} markers, {one.error_px:.2f} px, {one.top_error_mm:.1f} mm at the fifth floor")
    print()
    print(as_text(reading, profile, known, over))
    if not empties:
        print(HUMBLER)
    if happened is not None:
        print(sentence_of(happened))
    elif earlier is not None:
        print(ONLY_PLACES)
        print("\n".join(as_lines(said["moved"])))
    return 0


def _shown(options: argparse.Namespace) -> tuple[Profile, list[Picture], list[str]]:
    """The profile, a picture of each of its cameras, and what each is called."""
    named = profiles.load(options.profile) if options.profile else None
    if not options.images:
        profile, pictures = _live(options.config, named)
        return profile, pictures, [f"camera {camera.number}" for camera in profile.cameras]
    pictures = [read_picture(path) for path in options.images]
    profile = named if named is not None else nominal_profile(cameras=len(pictures))
    if len(profile.cameras) != len(pictures):
        raise PalettiError(
            f"There are {len(pictures)} pictures, but the profile {profile.name!r} knows {len(profile.cameras)} cameras.",
            "Give one picture per camera, in the cameras' order.",
        )
    return profile, pictures, [str(path) for path in options.images]


def _kept(options: argparse.Namespace, pictures: Sequence[Picture]) -> list[str]:
    """Where the pictures of this look are to be found by a later one: given files, or those of live cameras written to --keep."""
    if options.images:
        return [str(path.absolute()) for path in options.images]
    if options.keep is None:
        return []
    paths = [options.keep / f"look-{number}.png" for number in range(1, len(pictures) + 1)]
    for path, picture in zip(paths, pictures, strict=True):
        write_bytes(path, cv2.imencode(".png", picture)[1].tobytes())
    return [str(path.absolute()) for path in paths]


def _live(config_path: Path, named: Profile | None) -> tuple[Profile, list[Picture]]:
    """The profile and a picture of each of its cameras, by the rig's configuration."""
    config = configuration(config_path)
    urls = [str(url) for url in list_of(config, "cameras", str, ["0"])]
    turns = list_of(config, "turn_deg", int, [0] * len(urls))
    path = config.get("profile")
    profile = named or (profiles.load(Path(path)) if path else nominal_profile(cameras=len(urls)))
    if len(profile.cameras) != len(urls) or len(turns) != len(urls):
        raise PalettiError(
            f"The configuration names {len(urls)} cameras and {len(turns)} turns; the profile knows {len(profile.cameras)} cameras.",
            "Make them agree, or calibrate again.",
        )
    return profile, one_each(profile, urls, turns)
