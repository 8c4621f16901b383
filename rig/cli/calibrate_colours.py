"""`paletti calibrate colours`: the paint of this set's columns, base and plateaus, from the empty base and the start position.

The plateaus lie on the empty base one after the other, a few seconds each; then the columns stand on the building site in any order, and
the blue plateau is laid on them. Plateaus that are not shown are guessed, with doubt, until `paletti calibrate pieces` has measured them.
The pictures of the empty base are kept beside the profile, because whole readings look for what differs from them.
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
from rig.cli.empty_base import keep_empty
from rig.cli.files import read_picture, read_profile, write_profile
from rig.errors import PalettiError
from rig.live.cameras import address
from rig.live.live_pictures import LivePictures
from rig.pieces import Floor
from rig.profile import Profile

Picture = npt.NDArray[np.uint8]


def add(what: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add this command, its options and its example."""
    colours = what.add_parser("colours", help="the paint of columns and base, from the start position", description=__doc__)
    source = colours.add_mutually_exclusive_group(required=True)
    source.add_argument("--images", nargs="+", metavar="CAM.png", help="all columns standing on the building site, one picture per camera")
    source.add_argument("--live", nargs="+", metavar="URL", help="all cameras by address, in order; exposure and white balance are locked")
    colours.add_argument("--empty", nargs="+", metavar="CAM.png", help="with --images: the empty base, one picture per camera")
    colours.add_argument(
        "--laid", nargs="+", metavar="CAM.png", help="with --images: the blue plateau laid on the columns, one picture per camera"
    )
    colours.add_argument(
        "--plateau",
        nargs="+",
        action="append",
        metavar=("NAME", "CAM.png"),
        default=[],
        help="with --images: a plateau's colour and one picture per camera of it alone on the base; once for each plateau",
    )
    colours.add_argument("--turn", type=int, nargs="+", metavar="DEG", help="by how much each live camera is turned: 0, 90, 180 or 270")
    colours.add_argument("--profile", type=Path, help="the profile to begin with (default: the nominal one)")
    colours.add_argument("--out", type=Path, default=Path("profile.json"), metavar="FILE", help="where to write it (default profile.json)")
    colours.add_argument("--json", action="store_true", help="print JSON")
    colours.set_defaults(run=run)


def run(options: argparse.Namespace, asking: Callable[[str], object] | None = None) -> int:
    """Carry the command out; the exit code. PalettiError for what cannot be used."""
    ask: Callable[[str], object] = asking or input
    locks: list[Locked] = []
    if options.images:
        if not options.empty or len(options.empty) != len(options.images):
            raise PalettiError("The empty base is needed from the same cameras.", "Give --empty as many pictures as --images.")
        start, empty = _read(options.images), _read(options.empty)
        laid = _read(options.laid) if options.laid else None
        alone = {_plateau(name): _read(paths) for name, *paths in options.plateau}
        profile = read_profile(options.profile, len(start))
    else:
        profile = read_profile(options.profile, len(options.live))
        locks = [_lock(number, url) for number, url in enumerate(options.live, 1)]
        empty, start, laid, alone = _shown(options, profile, ask)
    report = measure_paint(profile, empty, start)
    shown = {plateau: measure_laid(profile, empty, pictures, plateau) for plateau, pictures in alone.items()}
    if laid is not None:
        shown[Floor.BLUE] = measure_laid(profile, start, laid)
    report = replace(report, paint=msgspec.structs.replace(report.paint, plateaus={**report.paint.plateaus, **shown}))
    if options.json:
        sys.stdout.write(msgspec.json.encode({"paint": report, "locked": locks}).decode() + "\n")
    else:
        measured = [f"{plateau.word} plateau: {rgb}" for plateau, rgb in sorted(shown.items())]
        guessed = [plateau.word for plateau in profile.pieces.plateaus if plateau not in shown]
        measured += [f"guessed, not measured: the plateaus {', '.join(guessed)}"] if guessed else []
        for line in [*(sentence for one in locks for sentence in one.sentences), *lines_of(report), *measured]:
            print(line)
    if not report.good:
        raise PalettiError(f"Nothing was written: {report.sentences[0]}")
    write_profile(options.out, msgspec.structs.replace(profile, paint=report.paint), quiet=options.json)
    keep_empty(options.out, empty)
    return 0


def lines_of(report: PaintReport) -> list[str]:
    """The report in words, a line each."""
    first, second, apart = report.apart
    return [
        *(f"camera {number}: white as of about {kelvin_of(white):.0f} K" for number, white in report.white.items()),
        *(f"{colour}: {rgb} from {report.area_mm2[colour]:.0f} mm²" for colour, rgb in report.paint.columns.items()),
        f"base: {report.paint.base}",
        f"nearest: {first} and {second}, {apart:.0f} standard deviations apart",
        *report.sentences,
    ]


def _plateau(name: str) -> Floor:
    """The plateau of this name; PalettiError if there is none."""
    try:
        plateau = Floor.parse(name)
    except ValueError as error:
        raise PalettiError(f"There is no plateau {name!r}.", "Name blue, green, yellow, orange or red.") from error
    if plateau is Floor.GROUND:
        raise PalettiError("The ground is no plateau.", "Name blue, green, yellow, orange or red.")
    return plateau


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
) -> tuple[dict[int, Picture], dict[int, Picture], dict[int, Picture] | None, dict[Floor, dict[int, Picture]]]:
    """Pictures of the empty base, of the columns, of the blue plateau on them (None: skipped), and of the other plateaus one by one."""
    cameras = [profile.camera(number) for number in range(1, len(options.live) + 1)]
    sizes = [(camera.model.width_px, camera.model.height_px) for camera in cameras]
    alone: dict[Floor, dict[int, Picture]] = {}
    with LivePictures(options.live, sizes, options.turn or [0] * len(cameras)) as live:

        def take() -> dict[int, Picture]:
            return {camera.number: live.next(camera.number)[1] for camera in cameras}

        ask("Take everything off the base, and your hands out of the picture, then press Enter.")
        empty = take()
        for plateau in profile.pieces.plateaus:
            if plateau is not Floor.BLUE and not _skips(
                ask(f"Lay the {plateau.word} plateau alone on the base, then press Enter; or write skip.")
            ):
                alone[plateau] = take()
        ask("Take the plateaus away and stand all columns on the building site, in any order, then press Enter.")
        start = take()
        if _skips(ask("Lay the blue plateau on them as for a game, then press Enter; or write skip.")):
            return empty, start, None, alone
        return empty, start, take(), alone


def _skips(said: object) -> bool:
    return str(said).strip().lower() in ("skip", "s")
