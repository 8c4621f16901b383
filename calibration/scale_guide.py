"""Leads a person with one known mass through the five marks of the scale's calibration, in under two minutes.

Only the asking and listening is here; what a reading is worth is `calibration.scale`'s. A reading that was not still is asked for again; a
faulty cell ends the procedure, and the profile stays as it was.
"""

from __future__ import annotations

import time
from collections.abc import Callable

from calibration.scale import SPOTS, ScaleResult, StillReading, solve, still
from rig import profile as profiles
from rig.base.frames import FrameDecoder, Load
from rig.base.port import Port
from rig.base.protocol import CELLS
from rig.errors import PalettiError

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
    """The whole procedure: `ask` puts a request to a person and returns when it is done.

    `cells`: the profile's, in order; `mass_g`: the known mass (g); `collect` gathers samples of all cells; `tell` says how it goes;
    `with_bare`: whether the cells are read without the plate too.
    """
    bare = _reading(cells, "Take the plate off the cells", collect, ask, tell) if with_bare else None
    empty = _reading(cells, "Put the plate on, with the game's base and nothing else", collect, ask, tell)
    loaded = [_reading(cells, f"Put the mass {spot.name}", collect, ask, tell) for spot in SPOTS]
    return solve(cells, empty, loaded, mass_g, bare)


def _reading(
    cells: tuple[profiles.Cell, ...], request: str, collect: Collect, ask: Callable[[str], object], tell: Callable[[str], None]
) -> StillReading:
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
