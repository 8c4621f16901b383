"""`paletti calibrate colours`: the paint of this set's columns, base and blue plateau, from the empty base and the start position.

The columns stand on the building site in any order; then the blue plateau is laid on them. The other plateaus are measured one by one by
`paletti calibrate pieces`.
"""

from __future__ import annotations

import argparse
import glob
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import cv2
import msgspec
import numpy as np
import numpy.typing as npt

from calibration.locking import Locked, lock
from calibration.paint import PaintReport, kelvin_of, measure_paint
from calibration.paint_laid import measure_laid
from rig.cli.files import read_picture, read_profile, write_profile
from rig.errors import PalettiError
from rig.live.cameras import address
from rig.live.live_pictures import LivePictures
from rig.pieces import Floor
from rig.profile import Profile

Picture = npt.NDArray[np.uint8]


def add(what: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    colours = what.add_parser("colours", help="the paint of columns and base, from the start position", description=__doc__)
    source = colours.add_mutually_exclusive_group(required=True)
    source.add_argument("--images", nargs="+", metavar="CAM.png", help="all columns standing on the building site, one picture per camera")
    source.add_argument("--live", nargs="+", metavar="URL", help="all cameras by address, in order; exposure and white balance are locked")
    colours.add_argument("--empty", nargs="+", metavar="CAM.png", help="with --images: the empty base, one picture per camera")
    colours.add_argument(
        "--laid", nargs="+", metavar="CAM.png", help="with --images: the blue plateau laid on the columns, one picture per camera"
    )
    colours.add_argument("--turn", type=int, nargs="+", metavar="DEG", help="by how much each live camera is turned: 0, 90, 180 or 270")
    colours.add_argument("--profile", type=Path, help="the profile to begin with (default: the nominal one)")
    colours.add_argument("--out", type=Path, default=Path("profile.json"), metavar="FILE", help="where to write it (default profile.json)")
    colours.add_argument("--json", action="store_true", help="print JSON")
    colours.set_defaults(run=run)


def run(options: argparse.Namespace, ask: Callable[[str], object] = input) -> int:
    locks: list[Locked] = []
    if options.images:
        if not options.empty or len(options.empty) != len(options.images):
            raise PalettiError("The empty base is needed from the same cameras.", "Give --empty as many pictures as --images.")
        start, empty = _read(options.images), _read(options.empty)
        laid = _read(options.laid) if options.laid else None
        profile = read_profile(options.profile, len(start))
    else:
        profile = read_profile(options.profile, len(options.live))
        locks = [_lock(number, url) for number, url in enumerate(options.live, 1)]
        empty, start, laid = _shown(options, profile, ask)
    report = measure_paint(profile, empty, start)
    if laid is not None:
        plateaus = {**report.paint.plateaus, Floor.BLUE: measure_laid(profile, start, laid)}
        report = replace(report, paint=msgspec.structs.replace(report.paint, plateaus=plateaus))
    if options.json:
        sys.stdout.write(msgspec.json.encode({"paint": report, "locked": locks}).decode() + "\n")
    else:
        measured = [] if laid is None else [f"blue plateau: {report.paint.plateaus[Floor.BLUE]}"]
        for line in [*(sentence for one in locks for sentence in one.sentences), *lines_of(report), *measured]:
            print(line)
    if not report.good:
        raise PalettiError(f"Nothing was written: {report.sentences[0]}")
    write_profile(options.out, msgspec.structs.replace(profile, paint=report.paint), quiet=options.json)
    return 0


def lines_of(report: PaintReport) -> list[str]:
    first, second, apart = report.apart
    return [
        *(f"camera {number}: white as of about {kelvin_of(white):.0f} K" for number, white in report.white.items()),
        *(f"{colour}: {rgb} from {report.area_mm2[colour]:.0f} mm²" for colour, rgb in report.paint.columns.items()),
        f"base: {report.paint.base}",
        f"nearest: {first} and {second}, {apart:.0f} standard deviations apart",
        *report.sentences,
    ]


def _read(patterns: list[str]) -> dict[int, Picture]:
    paths = [path for pattern in patterns for path in (sorted(glob.glob(pattern)) or [pattern])]  # noqa: PTH207
    return {number: read_picture(Path(path)) for number, path in enumerate(paths, 1)}


def _lock(number: int, url: str) -> Locked:
    """Locks a camera; network cameras and files have no controls, which is said."""
    where = address(url)
    if not isinstance(where, int):
        return Locked(
            False, False, 0.0, 0.0, (f"Camera {number} ({url}) has no controls here: lock exposure and white balance in itself.",)
        )
    capture = cv2.VideoCapture(where)
    if not capture.isOpened():
        raise PalettiError(f"Camera {number} ({url}) does not open.", "Is it plugged in, and used by nobody else?")

    def take() -> Picture:
        good, picture = capture.read()
        if not good or picture is None:
            raise PalettiError(f"Camera {number} has stopped sending pictures.", "Check its cable.")
        return np.asarray(picture, np.uint8)

    try:
        return lock(number, capture, take)
    finally:
        capture.release()


def _shown(
    options: argparse.Namespace, profile: Profile, ask: Callable[[str], object]
) -> tuple[dict[int, Picture], dict[int, Picture], dict[int, Picture] | None]:
    """Pictures of the empty base, of the columns, and of the blue plateau on them (None: skipped)."""
    cameras = [profile.camera(number) for number in range(1, len(options.live) + 1)]
    sizes = [(camera.model.width_px, camera.model.height_px) for camera in cameras]
    with LivePictures(options.live, sizes, options.turn or [0] * len(cameras)) as live:
        ask("Take everything off the base, and your hands out of the picture, then press Enter.")
        empty = {camera.number: live.next(camera.number)[1] for camera in cameras}
        ask("Stand all columns on the building site, in any order, then press Enter.")
        start = {camera.number: live.next(camera.number)[1] for camera in cameras}
        said = ask("Lay the blue plateau on them as for a game, then press Enter; or write skip.")
        if str(said).strip().lower() in ("skip", "s"):
            return empty, start, None
        return empty, start, {camera.number: live.next(camera.number)[1] for camera in cameras}
