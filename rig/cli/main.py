"""Reads the command line, runs one command, and turns every foreseeable trouble into a sentence and exit code 2."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Callable, Sequence

from rig.cli import calibrate, demo, doctor, exam, firmware, judge, look, replay, run
from rig.errors import PalettiError

COMMANDS = (demo, run, replay, exam, judge, calibrate, look, doctor, firmware)

CANNOT = 2


def parser() -> argparse.ArgumentParser:
    """The whole command line."""
    top = argparse.ArgumentParser(
        prog="paletti",
        description="Referees a game of Villa Paletti: cameras, a weighing base, the rules, and a live screen.",
        epilog="Exit codes: 0 done, 1 the thing checked does not hold, 2 unusable input (a sentence says what to do).",
    )
    commands = top.add_subparsers(title="commands", metavar="COMMAND", required=True)
    for command in COMMANDS:
        command.add(commands)
    return top


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command; returns the exit code."""
    options = parser().parse_args(arguments)
    command: Callable[[argparse.Namespace], int] = options.run
    try:
        return command(options)
    except PalettiError as error:
        print(f"paletti: {error.sentence}", file=sys.stderr)
        if error.hint:
            print(f"         {error.hint}", file=sys.stderr)
        return CANNOT
    except KeyboardInterrupt:
        return 130
    except BrokenPipeError:
        # Whoever read our output has gone: nothing more to say, and Python must not complain at exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0


if __name__ == "__main__":
    sys.exit(main())
