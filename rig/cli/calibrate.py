"""`paletti calibrate`: the procedures that measure this rig and this set and write the profile."""

from __future__ import annotations

import argparse

from rig.cli import calibrate_camera, calibrate_check, calibrate_colours, calibrate_pieces, calibrate_print, calibrate_scale


def add(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add this command, its options and its example."""
    parser = commands.add_parser("calibrate", help="measure this rig and write its profile", description=__doc__)
    what = parser.add_subparsers(title="procedures", metavar="WHAT", required=True)
    calibrate_print.add(what)
    calibrate_camera.add(what)
    calibrate_check.add(what)
    calibrate_colours.add(what)
    calibrate_pieces.add(what)
    calibrate_scale.add(what)
