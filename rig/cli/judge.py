"""`paletti judge`: a game record in text to rulings as JSON lines."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from rig.errors import PalettiError
from rig.rules.json_lines import judge


def add(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add the command and its options."""
    parser = commands.add_parser(
        "judge", help="a game record in text to rulings as JSON lines", description=__doc__, epilog="Example: paletti judge game.villa"
    )
    parser.add_argument("file", metavar="FILE", help="a game record (see rig/rules/README.md), or - for standard input")
    parser.add_argument("--history", action="store_true", help="print rulings as they are made, and again after each correction")
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    """Judge the record; PalettiError if it cannot be opened, read, or its rulings not be written."""
    if options.file == "-":
        judge(sys.stdin.buffer, sys.stdout, history=options.history)
    else:
        path = Path(options.file)
        try:
            record = path.open("rb")
        except OSError as error:
            raise PalettiError(
                f"The record {path} cannot be read: {error.strerror}.", "Name an existing file, or - for standard input."
            ) from error
        with record:
            judge(record, sys.stdout, history=options.history)
    try:
        sys.stdout.flush()
    except BrokenPipeError:
        raise
    except OSError as error:
        raise PalettiError(f"The rulings cannot be written: {error.strerror}.", "Free some space, or write them elsewhere.") from error
    return 0
