"""`paletti calibrate`: the procedures that measure this rig and this set and write the profile."""

from __future__ import annotations

import argparse
from pathlib import Path

from calibration import scale_tool
from calibration.pose import pose_cameras
from calibration.targets import marker_sheets
from rig import profile as profiles
from rig.cli.look import read_picture
from rig.errors import PalettiError


def add(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    parser = commands.add_parser("calibrate", help="measure this rig and write its profile", description=__doc__)
    what = parser.add_subparsers(title="procedures", metavar="WHAT", required=True)
    printing = what.add_parser("print", help="the marker frame, true to scale, as SVG pages")
    printing.add_argument("--paper", default="a4", help="a4 (default) or letter")
    printing.add_argument("--profile", type=Path, help="the rig's profile (default: the nominal one)")
    printing.add_argument("--out", type=Path, default=Path(), metavar="FOLDER", help="where to write the pages (default: here)")
    printing.set_defaults(run=_print)
    camera = what.add_parser("camera", help="where each camera is, from pictures of the rig")
    camera.add_argument("--images", type=Path, nargs="+", metavar="CAM.png", required=True, help="one picture per camera, in order")
    camera.add_argument("--profile", type=Path, help="the profile to begin with (default: the nominal one)")
    camera.add_argument("--out", type=Path, default=Path("profile.json"), metavar="FILE", help="where to write it (default profile.json)")
    camera.set_defaults(run=_camera)
    scale = what.add_parser("scale", help="the load cells, guided, with one known mass")
    scale_tool.add_arguments(scale)
    scale.set_defaults(run=scale_tool.run)


def _write(path: Path, text: str) -> None:
    try:
        path.write_text(text, encoding="utf-8")
    except OSError as error:
        raise PalettiError(f"{path} cannot be written: {error.strerror}.", "Name an existing folder with --out.") from error


def _print(options: argparse.Namespace) -> int:
    profile = profiles.load(options.profile) if options.profile else profiles.nominal_profile()
    for sheet in marker_sheets(profile.markers, options.paper):
        _write(options.out / sheet.name, sheet.svg)
        print(options.out / sheet.name)
    print("Print at 100 % (no fitting to the page) and check the ruler on each page.")
    return 0


def _camera(options: argparse.Namespace) -> int:
    pictures = {number: [read_picture(path)] for number, path in enumerate(options.images, 1)}
    profile = profiles.load(options.profile) if options.profile else profiles.nominal_profile(cameras=len(pictures))
    posed, reports = pose_cameras(profile, pictures)
    for report in reports:
        print(
            f"camera {report.camera}: {report.markers} markers, {report.error_px:.2f} px, {report.top_error_mm:.1f} mm at the fifth floor"
        )
        if report.sentence:
            print(f"  {report.sentence}")
    _write(options.out, profiles.to_json(posed) + "\n")
    print(f"Written to {options.out}.")
    return 0 if all(report.good for report in reports) else 1
