"""`paletti firmware`: build, flash or simulate the base's firmware."""

from __future__ import annotations

import argparse

from rig.base import firmware_tool
from rig.twin.simulate import simulate


def add(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    parser = commands.add_parser("firmware", help="build, flash or simulate the base's firmware", description=__doc__)
    firmware_tool.add_arguments(parser)
    parser.set_defaults(run=lambda options: firmware_tool.run(options, simulate))
