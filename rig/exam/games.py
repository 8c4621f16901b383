"""Plays whole games on the twin, referees them, and holds every ruling to the twin's truth.

The referee gets exactly what a real rig would give it; only this room sees both sides. A game's truth is the twin's log, taken from poses;
the true seal, scores and winner are what the rules make of those true facts.
"""

from __future__ import annotations

import time
from pathlib import Path

from rig.engine.pump import Listener
from rig.exam.holding import held
from rig.exam.referees import referee
from rig.exam.results import Options, Result, So, Span, Wrong
from rig.exam.saving import keep_or_drop, made, recorder, recording_path
from rig.exam.watcher import Watcher
from rig.live.pouring import Pace, pour
from rig.live.session import Session
from rig.rules import Game
from rig.twin.session import TwinSession, TwinSource

__all__ = ["Options", "Result", "So", "Span", "Watcher", "Wrong", "held", "hold_to_truth", "play"]


def play(seed: int, options: Options) -> Result:
    """One game, as fast as it goes."""
    twin = TwinSession(
        seed, players=options.players, cameras=options.cameras, level=options.level, max_raises=options.max_raises, base=options.base,
        world=options.world,
    )  # fmt: skip
    watcher = Watcher()
    path = recording_path(made(Path(options.save)), seed) if options.save else None
    recorded = recorder(path, twin.profile, twin.firmware_version, "twin") if path is not None else None
    listeners: list[Listener] = [watcher] if recorded is None else [watcher, recorded]
    session = Session(twin.profile, listeners, on_ask=twin.ask, make=referee(options.greedy))
    pace = Pace(None, time.monotonic, time.sleep)
    try:
        pour(twin, session, pace)
        result = hold_to_truth(seed, twin, watcher, session.fold.referee.book.game, pace)
    finally:
        session.close()
        twin.close()
        if recorded is not None:
            recorded.close()
    return keep_or_drop(path, result, _so(twin)) if path is not None else result


def hold_to_truth(seed: int, twin: TwinSource, watcher: Watcher, told: Game, pace: Pace, holder: int | None = None) -> Result:
    """Every truth of a twin's play against what was told. `holder`: who held the seal at the start."""
    return held(seed, _so(twin), watcher, told, Span(pace.t_s, pace.factor), holder)


def _so(twin: TwinSource) -> So:
    return So(twin.truth.log, twin.bots.game, twin.bots.seal, twin.failed)
