"""`paletti calibrate scale`: leads a person with one known mass through the marks, in under two minutes, and writes the profile.

Only the asking and listening is here; what a reading is worth is `calibration.scale`'s. A reading that was not still is asked for again; a
faulty cell ends the procedure, and the profile stays as it was.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable
from pathlib import Path

import msgspec

from calibration.scale import SPOTS, ScaleResult, Still, solve, still
from rig import profile as profiles
from rig.base.frames import FrameDecoder, Load
from rig.base.port import Port
from rig.base.protocol import CELLS
from rig.errors import PalettiError
from rig.profile.nominal import nominal_profile

SETTLE_S = 1.0
READ_S = 4.0
TRIES = 3

Collect = Callable[[float], list[list[int]]]
"""Counts of each cell over so many seconds from now."""


def collect_from(port: Port) -> Collect:
    """Listens to an open port."""

    def collect(seconds: float) -> list[list[int]]:
        decoder = FrameDecoder()
        cells: list[list[int]] = [[] for _ in range(CELLS)]
        until = time.monotonic() + seconds
        while time.monotonic() < until:
            for frame in decoder.feed(port.read()):
                if isinstance(frame, Load) and frame.cell < CELLS:
                    cells[frame.cell].append(frame.counts)
        return cells

    return collect


def guide(
    cells: tuple[profiles.Cell, ...],
    mass_g: float,
    collect: Collect,
    ask: Callable[[str], object],
    tell: Callable[[str], None] = print,
    with_bare: bool = True,
) -> ScaleResult:
    """The whole procedure: `ask` puts a request to a person and returns when it is done."""
    bare = _reading(cells, "Take the plate off the cells", collect, ask, tell) if with_bare else None
    empty = _reading(cells, "Put the plate on, with the game's base and nothing else", collect, ask, tell)
    loaded = [_reading(cells, f"Put the mass {spot.name}", collect, ask, tell) for spot in SPOTS]
    return solve(cells, empty, loaded, mass_g, bare)


def _reading(
    cells: tuple[profiles.Cell, ...], request: str, collect: Collect, ask: Callable[[str], object], tell: Callable[[str], None]
) -> Still:
    for attempt in range(1, TRIES + 1):
        ask(f"{request}, take your hands off, then press Enter.")
        collect(SETTLE_S)
        try:
            return still(collect(READ_S)[: len(cells)], request.lower())
        except PalettiError as error:
            if attempt == TRIES or "not still" not in error.sentence:
                raise
            tell(str(error))
    raise AssertionError("unreachable")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The options of `paletti calibrate scale`."""
    parser.add_argument("--mass", type=float, required=True, metavar="G", help="the known mass in grams, such as 1000 for a bag of sugar")
    parser.add_argument("--base", default="", metavar="URL", help="the base's port (default: the only USB serial port)")
    parser.add_argument("--profile", type=Path, metavar="FILE", help="the profile to begin with (default: the nominal rig)")
    parser.add_argument("--out", type=Path, default=Path("profile.json"), metavar="FILE", help="where to write it (default profile.json)")
    parser.add_argument("--fixed-plate", action="store_true", help="the plate is screwed to the cells: do not ask to take it off first")


def ask_at_the_keyboard(request: str) -> None:
    """Waits for Enter; PalettiError if there is no keyboard."""
    try:
        input(request + " ")
    except EOFError as error:
        raise PalettiError("Nobody can press Enter: there is no keyboard.", "Run it in a terminal. Nothing was stored.") from error


def run(options: argparse.Namespace, ask: Callable[[str], object] = ask_at_the_keyboard) -> int:
    """Guides, prints the report, writes the profile."""
    before = profiles.load(options.profile) if options.profile is not None else nominal_profile()
    port = Port(options.base)
    port.open()
    try:
        result = guide(before.cells, options.mass, collect_from(port), ask, with_bare=not options.fixed_plate)
    finally:
        port.close()
    for sentence in result.sentences:
        print(sentence)
    after = msgspec.structs.replace(before, cells=result.cells)
    try:
        options.out.write_text(profiles.to_json(after) + "\n", encoding="utf-8")
    except OSError as error:
        raise PalettiError(f"The profile cannot be written to {options.out}: {error.strerror}.", "Name another file with --out.") from error
    print(f"Written to {options.out}.")
    return 0
