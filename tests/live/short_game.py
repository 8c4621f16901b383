"""A short game of the twin, small enough for a test: few raises, small pictures, and everything else as in any other game."""

from __future__ import annotations

import time
from collections.abc import Sequence
from pathlib import Path

import msgspec

from rig.cli.screen import recorder_for
from rig.engine.pump import Listener
from rig.exam.games import Result, Watcher, hold_to_truth
from rig.live.listeners import RecordingListener, RulingFile
from rig.live.pouring import Pace, pour
from rig.live.session import Session
from rig.messages import Fact, OutcomeView, Ruling
from rig.rules import Outcome
from rig.twin.session import TwinSession
from rig.twin.setting import Devices, Party
from rig.twin.truth import Truth


class Short(msgspec.Struct, frozen=True):
    """How the game is played."""

    seed: int
    max_raises: int = 2
    cameras: int = 2
    frame_rate: float = 2.0
    picture_px: tuple[int, int] = (360, 640)
    base: str = "auto"


class Played(msgspec.Struct, frozen=True):
    """What came of it: told by the referee, and true."""

    real_firmware: bool
    outcome: OutcomeView | None
    true_outcome: Outcome | None
    facts: list[Fact]
    truths: list[Truth]
    result: Result


def play(game: Short, recording: Path, rulings: Path, listeners: Sequence[Listener] = ()) -> Played:
    """Play and referee it, as fast as it goes, recorded raw with its rulings beside."""
    twin = TwinSession(
        game.seed,
        party=Party(max_raises=game.max_raises),
        devices=Devices(cameras=game.cameras, frame_rate=game.frame_rate, base=game.base, picture_px=game.picture_px),
    )
    recorded = RecordingListener(recorder_for(recording, twin.firmware_version, twin.profile))
    ruled = RulingFile(rulings)
    watcher = Watcher()
    session = Session(twin.profile, [*listeners, recorded, ruled, watcher], on_ask=twin.ask)
    pace = Pace(None, time.monotonic, time.sleep)
    try:
        pour(twin, session, pace, limit_s=600.0)
        referee = session.fold.referee
        return Played(
            real_firmware="AVR binary" in twin.firmware_version,
            outcome=referee.view.outcome if referee.view is not None else None,
            true_outcome=twin.bots.game.outcome,
            facts=watcher.facts,
            truths=list(twin.truth.log),
            result=hold_to_truth(game.seed, twin, watcher, referee.book.game, pace),
        )
    finally:
        session.close()
        twin.close()
        recorded.close()
        ruled.close()


def told(path: Path) -> list[Ruling]:
    """The rulings in a file of them."""
    return [msgspec.json.decode(line, type=Ruling) for line in path.read_bytes().splitlines()]
