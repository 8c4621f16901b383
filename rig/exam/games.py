"""Plays whole games on the twin, referees them, and holds every ruling to the twin's truth.

The referee gets exactly what a real rig would give it; only this room sees both sides. A game's truth is the twin's log, taken from poses;
the true seal, scores and winner are what the rules make of those true facts.
"""

from __future__ import annotations

import time

import msgspec

from rig.exam.counts import Tally
from rig.live.fold import Said
from rig.live.pouring import Pace, pour
from rig.live.session import Session
from rig.messages import Ask, Fact, FactKind, Message
from rig.twin.session import TwinSession

TOLD = (FactKind.RAISED, FactKind.ABORTED, FactKind.LAID, FactKind.REMOVED, FactKind.COLLAPSED)
"""Deeds of play that are held to the truth; set-up is held to it by what follows."""


class Wrong(msgspec.Struct, frozen=True):
    """One thing that was told wrong, for looking at."""

    t_s: float
    what: str


class Result(msgspec.Struct, frozen=True):
    """One game's figures; several add up."""

    seed: int
    raises: Tally = Tally()
    aborts: Tally = Tally()
    plateaus: Tally = Tally()
    seal_changes: Tally = Tally()
    winners: Tally = Tally()
    collapses: Tally = Tally()
    culprits: Tally = Tally()
    games_perfect: Tally = Tally()
    false_facts: int = 0
    false_collapses: int = 0
    questions: int = 0
    hours: float = 0.0
    wall_hours: float = 0.0
    wrong: tuple[Wrong, ...] = ()


class Watcher:
    """Hears what the referee says."""

    def __init__(self) -> None:
        self.facts: list[Fact] = []
        self.asks: list[Ask] = []
        self.seal: list[tuple[float, int | None]] = []
        self._holder: int | None = None

    def heard(self, message: Message, said: Said) -> None:
        self.facts += said.facts
        self.asks += [request for request in said.requests if isinstance(request, Ask)]
        if said.view is not None and said.view.holder != self._holder:
            self._holder = said.view.holder
            self.seal.append((message.t_s, self._holder))


class Options(msgspec.Struct, frozen=True):
    """How the games are played."""

    level: str = "lab"
    cameras: int = 2
    players: int = 4
    max_raises: int | None = None
    base: str = "auto"


def play(seed: int, options: Options) -> Result:
    """One game, as fast as it goes."""
    twin = TwinSession(
        seed, players=options.players, cameras=options.cameras, level=options.level, max_raises=options.max_raises, base=options.base
    )
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


def hold_to_truth(seed, twin, watcher, game, pace) -> Result:  # type: ignore[no-untyped-def]
    raise NotImplementedError
