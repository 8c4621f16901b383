"""`paletti look`: what the cameras see, in given pictures: where each camera is, and the believed model drawn over it."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

import cv2
import msgspec
import numpy as np

from rig import profile as profiles
from rig.errors import PalettiError
from rig.messages import FindPose, Posed, Tower
from vision.overlay import draw_tower
from vision.see import Eyes


def add(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    parser = commands.add_parser("look", help="what the cameras see in given pictures", description=__doc__)
    parser.add_argument("--images", type=Path, nargs="+", metavar="CAM.png", required=True, help="one picture per camera, in order")
    parser.add_argument("--profile", type=Path, help="the rig's profile (default: the nominal one)")
    parser.add_argument("--json", action="store_true", help="print JSON")
    parser.add_argument("--overlay", type=Path, metavar="OUT.png", help="write the pictures with the model drawn over them")
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    pictures = [read_picture(path) for path in options.images]
    profile = profiles.load(options.profile) if options.profile else profiles.nominal_profile(cameras=len(pictures))
    if len(profile.cameras) < len(pictures):
        raise PalettiError(
            f"There are {len(pictures)} pictures, but the profile knows {len(profile.cameras)} cameras.", "Give one picture per camera."
        )
    eyes = Eyes(profile)
    found: list[Posed] = []
    for number, picture in enumerate(pictures, 1):
        model = profile.camera(number).model
        if picture.shape[:2] != (model.height_px, model.width_px):
            raise PalettiError(
                f"{options.images[number - 1]} is {picture.shape[1]} x {picture.shape[0]}; camera {number} of the profile takes "
                f"{model.width_px} x {model.height_px}.",
                "Give a picture of the mode that was calibrated.",
            )
        answer = eyes.look(FindPose(id=number, camera=number, frame=number), {number: picture})
        if isinstance(answer, Posed):
            found.append(answer)
    if options.json:
        sys.stdout.write(msgspec.json.encode({"cameras": found}).decode() + "\n")
    else:
        for posed in found:
            _tell(posed)
    if options.overlay is not None:
        drawn = [
            picture if posed.pose is None else draw_tower(picture, profile, posed.pose, Tower())
            for picture, posed in zip(pictures, found, strict=True)
        ]
        if not cv2.imwrite(str(options.overlay), np.hstack(drawn)):
            raise PalettiError(f"The picture {options.overlay} cannot be written.", "Name a .png or .jpg file in an existing folder.")
    lost = [posed for posed in found if posed.pose is None]
    if lost:
        raise PalettiError(f"Camera {lost[0].camera}: {lost[0].sentence}", "Turn the camera towards the rig's printed markers.")
    return 0


def _tell(posed: Posed) -> None:
    if posed.pose is not None:
        print(f"camera {posed.camera}: {posed.markers} markers, {posed.error_px:.2f} px, {posed.top_error_mm:.1f} mm at the fifth floor")


def read_picture(path: Path) -> np.ndarray:
    """The picture (height x width x 3, BGR); PalettiError if it is none."""
    try:
        data = path.read_bytes()
    except OSError as error:
        raise PalettiError(f"The picture {path} cannot be read: {error.strerror}.", "Name an existing picture.") from error
    picture = cv2.imdecode(np.frombuffer(data, np.uint8), cv2.IMREAD_COLOR) if data else None
    if picture is None:
        raise PalettiError(f"{path} is no picture that can be read.", "Give a PNG or JPEG file.")
    return picture
