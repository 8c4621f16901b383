"""`paletti calibrate camera`: the lens of a camera from views of a board (`--board`), or where each camera is, from the rig's markers."""

from __future__ import annotations

import argparse
import glob
import json
import sys
from pathlib import Path

import cv2
import msgspec
import numpy as np
import numpy.typing as npt

from calibration.boards import Board, parse_board
from calibration.guidance import guide
from calibration.lens import LensReport
from calibration.mat import on_mat
from calibration.pose import PoseReport, pose_cameras
from calibration.tower import BOARD
from calibration.views import json_of, lens_of, sentences_of
from rig import profile as profiles
from rig.cli import options as kinds
from rig.cli.files import read_picture, read_profile, write_profile
from rig.errors import PalettiError
from rig.live.live_pictures import LivePictures
from rig.profile.nominal import nominal_profile

Grey = npt.NDArray[np.uint8]


def add(what: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add this command, its options and its example."""
    camera = what.add_parser("camera", help="a camera's lens from a board, or where the cameras are", description=__doc__)
    source = camera.add_mutually_exclusive_group(required=True)
    source.add_argument(
        "--images",
        nargs="+",
        metavar="GLOB",
        help="with --board: pictures of the board by one camera; else one picture per camera, in order",
    )
    source.add_argument("--live", nargs="+", metavar="URL", help="with --board: one camera by its address; else all cameras, in order")
    camera.add_argument(
        "--board",
        metavar="BOARD",
        nargs="?",
        const=str(BOARD),
        help=f"the board held before the camera: alone for the one that `print board` prints, {BOARD}; or such as chessboard:9x6:25mm or "
        "grid:4x5:30mm:6mm:DICT_4X4_100",
    )
    camera.add_argument("--camera", type=kinds.count(1, 4, "a camera"), default=1, help="whose lens this is (default 1)")
    camera.add_argument(
        "--model",
        choices=[kind.value for kind in profiles.LensKind],
        default=profiles.LensKind.PINHOLE.value,
        help="with --board: the lens's kind (default pinhole)",
    )
    camera.add_argument("--turn", type=int, nargs="+", metavar="DEG", help="by how much each live camera is turned: 0, 90, 180 or 270")
    camera.add_argument("--size", metavar="WxH", help="the live camera's mode after turning, such as 720x1280 (default: the profile's)")
    camera.add_argument("--mat", action="store_true", help="the base lies on the flat mat (`print mat`): find the cameras by its markers")
    camera.add_argument("--json", action="store_true", help="print JSON")
    camera.add_argument("--profile", type=Path, help="the profile to begin with (default: nominal; a lens: --out's)")
    camera.add_argument("--out", type=Path, metavar="FILE", help="where to write it (default profile.json; with --board --json: nowhere)")
    camera.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    """Carry the command out; the exit code. PalettiError for what cannot be used."""
    if options.mat and options.board:
        raise PalettiError(
            "--mat finds where the cameras are; a lens is found from a board.", "Give --board or --mat, one after the other."
        )
    return _lens(options, parse_board(options.board)) if options.board else _pose(options)


# ---------------------------------------------------------------- the lens


def _lens(options: argparse.Namespace, board: Board) -> int:
    pictures = named_pictures(options.images) if options.images else _guided(options, board)
    report = lens_of(pictures, board, profiles.LensKind(options.model))
    if options.json:
        sys.stdout.write(json.dumps(json_of(report, board)) + "\n")
    else:
        for line in sentences_of(report):
            print(line)
    if not report.good:
        raise PalettiError(
            f"This lens of camera {options.camera} is not good enough, and nothing was written: {report.sentences[0]}",
            "Take more pictures, tilted to all sides, and calibrate again.",
        )
    out = options.out or (None if options.json else Path("profile.json"))
    if out is not None:
        profile = _with_lens(_begun(options, out), options.camera, report)
        write_profile(out, profile, quiet=options.json)
        if not options.json:
            print(_lenses(profile))
    return 0


def _begun(options: argparse.Namespace, out: Path) -> profiles.Profile:
    """The profile that the lens goes into, so that the lenses of all cameras come together in one whatever their order."""
    path = options.profile or (out if out.is_file() else None)
    return read_profile(path, 1 if path else options.camera)


def _lenses(profile: profiles.Profile) -> str:
    """Whose lenses are measured by now."""
    measured = [str(camera.number) for camera in profile.cameras if camera.doubt]
    missing = [str(camera.number) for camera in profile.cameras if not camera.doubt]
    return f"Lenses measured: camera {', '.join(measured)}." + (f" Not yet: camera {', '.join(missing)}." if missing else "")


def _with_lens(profile: profiles.Profile, number: int, report: LensReport) -> profiles.Profile:
    """The profile with this camera's lens; its pose is forgotten, because it was found with the old one. Cameras that the profile does not
    have are added with the nominal lens, up to this one."""
    nominal = nominal_profile(cameras=number).cameras
    known = {camera.number: camera for camera in nominal} | {camera.number: camera for camera in profile.cameras}
    known[number] = msgspec.structs.replace(known[number], model=report.model, pose=None, doubt=report.doubt)
    return msgspec.structs.replace(profile, cameras=tuple(known[at] for at in sorted(known)))


def named_pictures(patterns: list[str]) -> dict[str, Grey]:
    """Grey pictures by name, from paths and patterns; PalettiError if a pattern matches nothing."""
    paths: list[Path] = []
    for pattern in patterns:
        matched = [Path(pattern)] if Path(pattern).is_file() else [Path(name) for name in sorted(glob.glob(pattern))]  # noqa: PTH207 - a pattern may be absolute
        if not matched:
            raise PalettiError(f"No picture is called {pattern}.", "Name pictures, or a pattern such as 'views/*.jpg'.")
        paths.extend(path for path in matched if path not in paths)
    short = {path: path.name for path in paths}
    unique = len(set(short.values())) == len(paths)
    return {short[path] if unique else str(path): grey_of(read_picture(path)) for path in paths}


def grey_of(picture: npt.NDArray[np.uint8]) -> Grey:
    """The picture in grey."""
    return np.asarray(cv2.cvtColor(picture, cv2.COLOR_BGR2GRAY), np.uint8)


def _guided(options: argparse.Namespace, board: Board) -> dict[str, Grey]:
    """Pictures taken one by one as a person holds the board as told."""
    if len(options.live) != 1:
        raise PalettiError("One lens is calibrated at a time.", "Give --live one camera's address, and --camera its number.")
    size = _size(options.size) if options.size else None
    if size is None:
        model = read_profile(options.profile, options.camera).camera(options.camera).model
        size = (model.width_px, model.height_px)
    with LivePictures(options.live, [size], options.turn or [0]) as live:
        return guide(board, lambda: grey_of(live.next(1)[1]))


def _size(text: str) -> tuple[int, int]:
    width, _, height = text.lower().partition("x")
    if not (width.isdigit() and height.isdigit() and int(width) and int(height)):
        raise PalettiError(f"{text!r} is no picture size.", "Write it as 1280x720.")
    return int(width), int(height)


# ---------------------------------------------------------------- the pose


def _pose(options: argparse.Namespace) -> int:
    if options.images:
        paths = [path for pattern in options.images for path in (sorted(glob.glob(pattern)) or [pattern])]  # noqa: PTH207
        pictures = {number: [read_picture(Path(path))] for number, path in enumerate(paths, 1)}
        profile = read_profile(options.profile, len(pictures))
    else:
        profile = read_profile(options.profile, len(options.live))
        pictures = live_pictures(profile, options.live, options.turn, 3)
    posed, reports = pose_cameras(on_mat(profile) if options.mat else profile, pictures)
    if options.json:
        sys.stdout.write(msgspec.json.encode({"cameras": reports}).decode() + "\n")
    else:
        for report in reports:
            for line in pose_lines(report):
                print(line)
    write_profile(options.out or Path("profile.json"), posed, quiet=options.json)
    return 0 if all(report.good for report in reports) else 1


def pose_lines(report: PoseReport) -> list[str]:
    """The report in words, a line each."""
    error = f"{report.error_px:.2f} px, {report.top_error_mm:.1f} mm at the fifth floor"
    tower = f" and {report.tower_markers} of the tower's" if report.tower_markers else ""
    line = f"camera {report.camera}: {report.markers} markers{tower}, {error}"
    return [line, f"  {report.sentence}"] if report.sentence else [line]


def live_pictures(profile: profiles.Profile, urls: list[str], turns: list[int] | None, each: int) -> dict[int, list[npt.NDArray[np.uint8]]]:
    """The next pictures of all live cameras."""
    cameras = [profile.camera(number) for number in range(1, len(urls) + 1)]
    sizes = [(camera.model.width_px, camera.model.height_px) for camera in cameras]
    with LivePictures(urls, sizes, turns or [0] * len(urls)) as live:
        return {camera.number: [live.next(camera.number)[1] for _ in range(each)] for camera in cameras}
