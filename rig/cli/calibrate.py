"""`paletti calibrate`: the procedures that measure this rig and this set and write the profile."""

from __future__ import annotations

import argparse
from pathlib import Path

from calibration import scale_tool
from calibration.targets import marker_sheets
from rig.cli import calibrate_camera
from rig.cli.writing import read_profile, write_bytes


def add(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    parser = commands.add_parser("calibrate", help="measure this rig and write its profile", description=__doc__)
    what = parser.add_subparsers(title="procedures", metavar="WHAT", required=True)
    printing = what.add_parser("print", help="the marker frame, true to scale, as SVG pages")
    printing.add_argument("--paper", default="a4", help="a4 (default) or letter")
    printing.add_argument("--profile", type=Path, help="the rig's profile (default: the nominal one)")
    printing.add_argument("--out", type=Path, default=Path(), metavar="FOLDER", help="where to write the pages (default: here)")
    printing.set_defaults(run=_print)
    calibrate_camera.add(what)
    scale = what.add_parser("scale", help="the load cells, guided, with one known mass")
    scale_tool.add_arguments(scale)
    scale.set_defaults(run=scale_tool.run)


def _print(options: argparse.Namespace) -> int:
    profile = read_profile(options.profile, 1)
    for sheet in marker_sheets(profile.markers, options.paper):
        write_bytes(options.out / sheet.name, sheet.svg.encode())
        print(options.out / sheet.name)
    print("Print at 100 % (no fitting to the page) and check the ruler on each page.")
    return 0
