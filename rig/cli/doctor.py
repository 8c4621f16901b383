"""`paletti doctor`: what is connected, how fast, how noisy, what is wrong."""

from __future__ import annotations

import argparse

from rig.base import doctor_tool


def add(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    parser = commands.add_parser("doctor", help="what is connected, how fast, how noisy, what is wrong", description=__doc__)
    doctor_tool.add_arguments(parser)
    parser.set_defaults(run=doctor_tool.run)
