"""`paletti judge`: a game record in text to rulings as JSON lines."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from rig.errors import PalettiError
from rig.rules.judge import judge


def add(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    parser = commands.add_parser("judge", help="a game record in text to rulings as JSON lines", description=__doc__)
    parser.add_argument("file", metavar="FILE", help="a game record (see rig/rules/README.md), or - for standard input")
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    if options.file == "-":
        judge(sys.stdin.buffer, sys.stdout)
        return 0
    path = Path(options.file)
    try:
        with path.open("rb") as record:
            judge(record, sys.stdout)
    except OSError as error:
        raise PalettiError(
            f"The record {path} cannot be read: {error.strerror}.", "Name an existing file, or - for standard input."
        ) from error
    return 0
