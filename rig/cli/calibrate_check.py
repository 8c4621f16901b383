"""`paletti calibrate check`: is the rig as it stands the rig of the profile? Model and ghost tower over each picture, with numbers."""

from __future__ import annotations

import argparse
import glob
import sys
from collections.abc import Mapping
from pathlib import Path

import msgspec
import numpy as np
import numpy.typing as npt

from calibration.camera_timing import time_cameras
from calibration.check import CameraCheck, check_cameras, draw_check
from calibration.delay import Delay
from rig.base.port import Port
from rig.cli.files import read_picture, read_profile, write_profile, write_side_by_side
from rig.errors import PalettiError
from rig.live.live_pictures import LivePictures
from rig.profile import Profile

Picture = npt.NDArray[np.uint8]


def add(what: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add this command, its options and its example."""
    check = what.add_parser("check", help="is the rig as it stands the rig of the profile?", description=__doc__)
    source = check.add_mutually_exclusive_group(required=True)
    source.add_argument("--images", nargs="+", metavar="CAM.png", help="one picture per camera, in order")
    source.add_argument("--live", nargs="+", metavar="URL", help="all cameras by address, in order")
    check.add_argument("--turn", type=int, nargs="+", metavar="DEG", help="by how much each live camera is turned: 0, 90, 180 or 270")
    check.add_argument("--base", metavar="URL", help="with --live: the base's port, to time each camera by the code light")
    check.add_argument("--profile", type=Path, help="the rig's profile (default: the nominal one)")
    check.add_argument("--overlay", type=Path, metavar="OUT.png", help="write the pictures with model and ghost drawn over them")
    check.add_argument("--out", type=Path, metavar="FILE", help="with --base: write the profile with the delays measured")
    check.add_argument("--json", action="store_true", help="print JSON")
    check.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    """Carry the command out; the exit code. PalettiError for what cannot be used."""
    delays: list[Delay] = []
    earlier: dict[int, Picture] = {}
    if options.images:
        if options.base or options.out:
            raise PalettiError("Delays are measured with live cameras only.", "Give --live with --base and --out.")
        paths = [path for pattern in options.images for path in (sorted(glob.glob(pattern)) or [pattern])]  # noqa: PTH207
        pictures: Mapping[int, Picture] = {number: read_picture(Path(path)) for number, path in enumerate(paths, 1)}
        profile = read_profile(options.profile, len(pictures))
    else:
        profile = read_profile(options.profile, len(options.live))
        earlier, pictures, delays = _live(options, profile)
    checks = check_cameras(profile, pictures, earlier)
    if options.json:
        sys.stdout.write(msgspec.json.encode({"cameras": checks, "delays": delays}).decode() + "\n")
    else:
        for check in checks:
            _tell(check)
        for delay in delays:
            print(
                f"camera {delay.camera}: "
                + (delay.sentence or f"{1e3 * (delay.delay_s or 0):.0f} ms late, good to {1e3 * delay.sd_s:.0f} ms")
            )
    if options.overlay is not None:
        write_side_by_side(options.overlay, [draw_check(pictures[check.camera], profile, check) for check in checks])
    if options.out is not None:
        write_profile(options.out, _with_delays(profile, delays), quiet=options.json)
    return 0 if all(check.good for check in checks) and not any(delay.sentence for delay in delays) else 1


def _tell(check: CameraCheck) -> None:
    if check.good:
        seen = f"{check.markers} markers, {check.error_px:.2f} px, {check.top_error_mm:.1f} mm at the fifth floor"
        print(f"camera {check.camera}: good ({seen}, moved by {check.moved_px:.1f} px, {100 * check.cropped:.0f} % of the ghost cut off)")
    for sentence in check.sentences:
        print(f"camera {check.camera}: {sentence}")


def _live(options: argparse.Namespace, profile: Profile) -> tuple[dict[int, Picture], dict[int, Picture], list[Delay]]:
    """Two pictures of each camera, one after the other, and the delays if the base is there."""
    cameras = [profile.camera(number) for number in range(1, len(options.live) + 1)]
    sizes = [(camera.model.width_px, camera.model.height_px) for camera in cameras]
    with LivePictures(options.live, sizes, options.turn or [0] * len(cameras), per_second=20.0) as live:
        earlier = {camera.number: live.next(camera.number)[1] for camera in cameras}
        pictures = {camera.number: live.next(camera.number)[1] for camera in cameras}
        if options.base is None:
            return earlier, pictures, []
        port = Port(options.base)
        port.open()
        try:
            return earlier, pictures, time_cameras(profile, live, port, [camera.number for camera in cameras])
        finally:
            port.close()


def _with_delays(profile: Profile, delays: list[Delay]) -> Profile:
    found = {delay.camera: delay.delay_s for delay in delays if delay.delay_s is not None}
    cameras = tuple(msgspec.structs.replace(camera, lag_s=round(found.get(camera.number, camera.lag_s), 4)) for camera in profile.cameras)
    return msgspec.structs.replace(profile, cameras=cameras)
