"""Plays whole games on the twin, referees them, and holds every ruling to the twin's truth.

The referee gets exactly what a real rig would give it; only this room sees both sides. A game's truth is the twin's log, taken from poses;
the true seal, scores and winner are what the rules make of those true facts.
"""

from __future__ import annotations

import time

from rig.exam.holding import held
from rig.exam.results import Options, Result, So, Span, Wrong
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
    session = Session(twin.profile, [watcher], on_ask=twin.ask)
    pace = Pace(None, time.monotonic, time.sleep)
    try:
        pour(twin, session, pace)
        book = session.fold.referee.book
        return hold_to_truth(seed, twin, watcher, book.game, pace)
    finally:
        session.close()
        twin.close()


def hold_to_truth(seed: int, twin: TwinSource, watcher: Watcher, told: Game, pace: Pace, holder: int | None = None) -> Result:
    """Every truth of a twin's play against what was told. `holder`: who held the seal at the start."""
    so = So(twin.truth.log, twin.bots.game, twin.bots.seal, twin.failed)
    return held(seed, so, watcher, told, Span(pace.t_s, pace.factor), holder)
