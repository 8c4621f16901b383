"""`paletti look`: what stands on the base, read by the live cameras or from given pictures, one a camera.

Prints every floor as a small map with its columns, or JSON (documented in `rig.cli.look_text`), and draws the tower it read over the
pictures. Nothing is recorded and nothing is ruled; hands should be out of the pictures.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from itertools import combinations
from pathlib import Path

import cv2
import msgspec
import numpy as np
import numpy.typing as npt

from calibration.check import mode_fault, other_rig, stretched, swapped
from rig import profile as profiles
from rig.cli.look_live import live_pictures
from rig.cli.look_since import as_lines, load_look, moved_since
from rig.cli.look_text import as_json, as_text
from rig.cli.writing import write_side_by_side
from rig.errors import PalettiError
from rig.messages import CameraPose, FindPose, Posed
from rig.profile import Profile
from rig.profile.nominal import nominal_profile
from vision.frames.picture_faults import frozen, picture_fault
from vision.reading.overhang import overhangs
from vision.reading.uncertainty import uncertainties
from vision.reading.whole_tower import read_tower
from vision.scene.overlay import draw_tower
from vision.see import Eyes

Picture = npt.NDArray[np.uint8]

DOUBTFUL_PX = 1.2
"""Error of a pose above which another explanation is tried: a stretched mode, markers of another rig."""


def add(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    parser = commands.add_parser("look", help="what stands on the base, as the cameras see it", description=__doc__)
    parser.add_argument(
        "--images", type=Path, nargs="+", metavar="CAM.png", help="one picture per camera, in order (default: live cameras)"
    )
    parser.add_argument("--config", type=Path, default=Path("paletti.toml"), help="the rig's configuration, for live cameras")
    parser.add_argument("--profile", type=Path, help="the rig's profile (default: the configuration's, for pictures the nominal one)")
    parser.add_argument("--since", type=Path, metavar="LOOK.json", help="tell what moved since that look (written by --json)")
    parser.add_argument("--json", action="store_true", help="print JSON")
    parser.add_argument("--overlay", type=Path, metavar="OUT.png", help="write the pictures with the tower drawn over them")
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    earlier = load_look(options.since) if options.since else None
    if options.images:
        names = [str(path) for path in options.images]
        pictures = [read_picture(path) for path in options.images]
        profile = profiles.load(options.profile) if options.profile else nominal_profile(cameras=len(pictures))
        if len(profile.cameras) != len(pictures):
            raise PalettiError(
                f"There are {len(pictures)} pictures, but the profile {profile.name!r} knows {len(profile.cameras)} cameras.",
                "Give one picture per camera, in the cameras' order.",
            )
    else:
        named = profiles.load(options.profile) if options.profile else None
        profile, pictures = live_pictures(options.config, named)
        names = [f"camera {camera.number}" for camera in profile.cameras]
    posed = find_cameras(profile, pictures, names)
    poses = [one.pose for one in posed if one.pose is not None]
    reading = read_tower(pictures, poses, profile)
    known = uncertainties(pictures, poses, profile, reading.tower)
    over = overhangs(profile, reading.tower, known)
    if options.overlay is not None:
        drawn = [draw_tower(picture, profile, pose, reading.tower) for picture, pose in zip(pictures, poses, strict=True)]
        write_side_by_side(options.overlay, drawn)
    said = as_json(reading, posed, known, over)
    if earlier is not None:
        said["moved"] = moved_since(earlier, said)
    if options.json:
        sys.stdout.write(msgspec.json.encode(said).decode() + "\n")
    else:
        for one in posed:
            print(f"camera {one.camera}: {one.markers} markers, {one.error_px:.2f} px, {one.top_error_mm:.1f} mm at the fifth floor")
        print()
        print(as_text(reading, profile, known, over))
        if earlier is not None:
            print("\n".join(as_lines(said["moved"])))
    return 0


def find_cameras(profile: Profile, pictures: Sequence[Picture], names: Sequence[str]) -> list[Posed]:
    """Where every camera is; PalettiError with the first thing that is wrong with a picture."""
    numbered = dict(zip((camera.number for camera in profile.cameras), pictures, strict=True))
    for camera, name in zip(profile.cameras, names, strict=True):
        picture = numbered[camera.number]
        mode = mode_fault(picture, camera)
        if mode:
            height, width = picture.shape[:2]
            wanted = f"{camera.model.width_px} x {camera.model.height_px}"
            raise PalettiError(
                f"{name} is {width} x {height}; camera {camera.number} of the profile takes {wanted}. {mode}",
                "Give a picture of the mode that was calibrated.",
            )
        fault = picture_fault(picture, camera)
        if fault:
            raise PalettiError(f"{name}: {fault}")
    for (first, one), (second, other) in combinations(zip(names, pictures, strict=True), 2):
        if frozen(one, other):
            raise PalettiError(f"{first} and {second} are the very same picture.", "Give one picture of every camera.")
    for number, other_number in swapped(profile, numbered).items():
        raise PalettiError(
            f"Camera {number} shows what camera {other_number} saw when it was calibrated: the two are swapped.",
            "Give the pictures in the cameras' order, or exchange their addresses.",
        )
    eyes = Eyes(profile)
    found: list[Posed] = []
    for camera, name in zip(profile.cameras, names, strict=True):
        picture = numbered[camera.number]
        answer = eyes.look(FindPose(id=camera.number, camera=camera.number, frame=camera.number), {camera.number: picture})
        assert isinstance(answer, Posed)
        if answer.pose is None or answer.error_px > DOUBTFUL_PX:
            said = stretched(picture, profile, camera) or other_rig(picture, profile, camera) or answer.sentence
            if said:
                raise PalettiError(f"Camera {camera.number} ({name}): {said}", "Turn the camera towards the rig's printed markers.")
        found.append(answer)
    _check_order(found)
    return found


def _check_order(found: Sequence[Posed]) -> None:
    """Camera 1 sees x to the right and y away; with no calibrated poses this alone tells swapped cameras."""
    azimuths = [_azimuth_deg(one.pose) for one in found if one.pose is not None]
    off = [abs((azimuth + 90.0 + 180.0) % 360.0 - 180.0) for azimuth in azimuths]
    nearest = int(np.argmin(off)) if off else 0
    if nearest and off[0] > 60.0 and off[nearest] < 30.0:
        raise PalettiError(
            f"Camera 1 does not look from the rig's front, camera {found[nearest].camera} does: the two are swapped.",
            "Give the picture of the camera in front (x to the right) first, or exchange the cameras' addresses.",
        )


def _azimuth_deg(pose: CameraPose) -> float:
    """Where round the base the camera stands, counter-clockwise from +x."""
    rotation = cv2.Rodrigues(np.array(pose.rvec))[0]
    eye = -rotation.T @ np.array(pose.tvec_mm)
    return float(np.degrees(np.arctan2(eye[1], eye[0])))


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
