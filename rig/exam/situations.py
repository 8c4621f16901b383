"""Situations: one action each, out of a settled tower in mid-game; thousands of raises without playing whole games.

The referee is told the game so far and the tower as a careful reading would believe it, and then gets what a rig would send, as in a game.
"""

from __future__ import annotations

import time
from collections.abc import Sequence

from rig.exam.counts import Tally
from rig.exam.games import Options, Result, Watcher, hold_to_truth
from rig.live.pouring import Pace, pour
from rig.live.session import Session
from rig.messages import Resumed
from rig.rules.record import Record, print_record
from rig.twin.situation_play import NoTowerError, Scenario
from rig.twin.situations import SituationSession


def examine(seed: int, options: Options) -> Result:
    """One situation, as fast as it goes; its `kind` is drawn from the seed.

    Of kinds that were asked for, one that none of this seed's towers has room for counts as nothing.
    """
    kind = Scenario(options.kinds[seed % len(options.kinds)]) if options.kinds else None
    try:
        twin = SituationSession(seed, kind, options.level, options.players, options.cameras, base=options.base, world=options.world)
    except NoTowerError as error:
        if kind is None:
            raise
        return Result(seed=seed, kind=str(kind), failed=(str(error),))
    watcher = Watcher(twin.start_game.holder)
    session = Session(twin.profile, [watcher], on_ask=twin.ask)
    pace = Pace(None, time.monotonic, time.sleep)
    try:
        session.pour(0.0, "desk", Resumed(record=print_record(Record.of(twin.start_game)), tower=twin.start_tower))
        pour(twin, session, pace)
        result = hold_to_truth(seed, twin, watcher, session.fold.referee.book.game, pace, twin.start_game.holder)
        return _named(result, str(twin.kind))
    finally:
        session.close()
        twin.close()


def _named(result: Result, kind: str) -> Result:
    return Result(**{name: getattr(result, name) for name in result.__struct_fields__} | {"kind": kind})


def by_kind(results: Sequence[Result]) -> dict[str, Tally]:
    """Situations told right throughout, by kind, the most frequent first."""
    kinds: dict[str, Tally] = {}
    for result in results:
        kinds[result.kind] = kinds.get(result.kind, Tally()) + result.games_perfect
    return dict(sorted(kinds.items(), key=lambda item: -item[1].n))
