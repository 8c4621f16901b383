"""`paletti firmware`: build, flash or simulate the base's firmware."""

from __future__ import annotations

import argparse

from rig.base import firmware_tool


def add(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add this command, its options and its example."""
    parser = commands.add_parser("firmware", help="build, flash or simulate the base's firmware", description=__doc__)
    firmware_tool.add_arguments(parser)
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    """Carry the command out; the exit code. PalettiError for what cannot be used."""
    return firmware_tool.run(options, _simulate)


def _simulate(options: argparse.Namespace) -> int:
    from rig.twin.sensors.simulate import simulate

    return simulate(options)
