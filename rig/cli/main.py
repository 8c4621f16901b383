"""Reads the command line, runs one command, and turns every foreseeable trouble into a sentence and exit code 2.

A command's module is imported when it is asked for: `paletti judge` does not wait for cameras and calibration to be imported.
"""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Callable, Sequence
from importlib import import_module

from rig.cli.examples import give_examples
from rig.errors import PalettiError

COMMANDS = ("start", "demo", "run", "replay", "exam", "judge", "calibrate", "look", "doctor", "firmware")
"""The commands in the order of the help, each a module beside this one."""

CANNOT = 2


def parser(command: str | None = None) -> argparse.ArgumentParser:
    """The command line with that one command, or with all of them if it is none."""
    top = argparse.ArgumentParser(
        prog="paletti",
        description="Referees a game of Villa Paletti: cameras, a weighing base, the rules, and a live screen.",
        epilog="Example: paletti demo. Exit codes: 0 done, 1 what was checked does not hold, 2 unusable input: a sentence says what to do.",
    )
    commands = top.add_subparsers(title="commands", metavar="COMMAND", required=True)
    for name in (command,) if command in COMMANDS else COMMANDS:
        import_module(f"rig.cli.{name}").add(commands)
        give_examples(commands.choices[name], name)
    return top


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command; returns the exit code."""
    told = sys.argv[1:] if arguments is None else arguments
    options = parser(next(iter(told), None)).parse_args(told)
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
