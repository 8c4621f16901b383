"""`paletti calibrate scale`: the load cells, with one known mass."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from pathlib import Path

import msgspec

from calibration.scale_guide import collect_from, guide
from rig.base.port import Port
from rig.cli.files import read_profile, write_profile
from rig.errors import PalettiError


def add(what: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add this command, its options and its example."""
    parser = what.add_parser("scale", help="the load cells, guided, with one known mass", description=__doc__)
    parser.add_argument("--mass", type=float, required=True, metavar="G", help="the known mass in grams, such as 1000 for a bag of sugar")
    parser.add_argument("--base", default="", metavar="URL", help="the base's port (default: the only USB serial port)")
    parser.add_argument("--profile", type=Path, metavar="FILE", help="the profile to begin with (default: the nominal rig)")
    parser.add_argument("--out", type=Path, default=Path("profile.json"), metavar="FILE", help="where to write it (default profile.json)")
    parser.add_argument("--fixed-plate", action="store_true", help="the plate is screwed to the cells: do not ask to take it off first")
    parser.set_defaults(run=run)


def ask_at_the_keyboard(request: str) -> None:
    """Waits for Enter; PalettiError if there is no keyboard."""
    try:
        input(request + " ")
    except EOFError as error:
        raise PalettiError("Nobody can press Enter: there is no keyboard.", "Run it in a terminal. Nothing was stored.") from error


def run(options: argparse.Namespace, ask: Callable[[str], object] | None = None) -> int:
    """Guides, prints the report, writes the profile."""
    before = read_profile(options.profile, 0)
    port = Port(options.base)
    port.open()
    try:
        result = guide(before.cells, options.mass, collect_from(port), ask or ask_at_the_keyboard, with_bare=not options.fixed_plate)
    finally:
        port.close()
    for sentence in result.sentences:
        print(sentence)
    write_profile(options.out, msgspec.structs.replace(before, cells=result.cells))
    return 0
