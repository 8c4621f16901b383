"""`paletti calibrate print`: what has to be printed, true to scale: the marker frame or mat, a ChArUco board, the calibration tower."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from pathlib import Path

from calibration.mat import mat_sheet
from calibration.paper import Sheet
from calibration.targets import marker_frame
from calibration.tower import board_sheet, tower_sheet
from rig.cli.files import read_profile, write_bytes
from rig.profile import Profile

WHAT: dict[str, Callable[[Profile, str], Sheet]] = {
    "frame": lambda profile, paper: marker_frame(profile.markers, profile.base, paper),
    "mat": lambda profile, paper: mat_sheet(profile.base, paper),
    "board": lambda _, paper: board_sheet(paper),
    "tower": lambda profile, paper: tower_sheet(profile.markers, paper),
}


def add(what: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    printing = what.add_parser("print", help="marker frame or mat, board and calibration tower, true to scale, as PDF", description=__doc__)
    printing.add_argument("sheets", nargs="*", metavar="WHAT", help=f"{', '.join(WHAT)} (default: all)")
    printing.add_argument("--paper", default="a4", help="a4 (default) or letter")
    printing.add_argument("--profile", type=Path, help="the rig's profile (default: the nominal one)")
    printing.add_argument("--out", type=Path, default=Path(), metavar="FOLDER", help="where to write the files (default: here)")
    printing.set_defaults(run=run, parser=printing)


def run(options: argparse.Namespace) -> int:
    unknown = [name for name in options.sheets if name not in WHAT]
    if unknown:
        options.parser.error(f"there is no sheet {unknown[0]!r}: choose from {', '.join(WHAT)}")
    profile = read_profile(options.profile, 1)
    for name in options.sheets or WHAT:
        sheet = WHAT[name](profile, options.paper)
        write_bytes(options.out / sheet.name, sheet.pdf)
        print(options.out / sheet.name)
    print("Print at 100 % (no fitting to the page) and check both rulers on each page.")
    return 0
