"""One modelled game held to its truth: what `paletti exam --senses model` does for each seed."""

from __future__ import annotations

import time
from pathlib import Path

from rig.engine.fold import Fold
from rig.exam.games import Options, Result, So, Span, Watcher, held
from rig.exam.modelled.play import Modelled, ModelledGame
from rig.exam.referees import referee
from rig.exam.saving import MODELLED, is_faulty, keep_or_drop, made, recorder, recording_path


def play(seed: int, options: Options) -> Result:
    """One game, as fast as it goes."""
    began = time.monotonic()
    watcher = Watcher()
    game = ModelledGame(seed, _how(options), [watcher], Fold(referee(options.greedy)))
    watcher.begin(game.table.game.holder)
    game.run()
    so = So(game.table.log, game.table.game, game.table.seal)
    span = Span(game.t_s, game.t_s / max(time.monotonic() - began, 1e-6))
    result = held(seed, so, watcher, game.fold.referee.book.game, span)
    return _kept(seed, options, result, so) if options.save and is_faulty(result) else result


def _how(options: Options) -> Modelled:
    return Modelled(
        level=options.level, cameras=options.cameras, players=options.players, without=options.without, wrong_answers=options.wrong_answers
    )


def _kept(seed: int, options: Options, result: Result, so: So) -> Result:
    """The faulty game once more, recorded: the same seed is the same game."""
    path = recording_path(made(Path(options.save)), seed)
    game = ModelledGame(seed, _how(options), (), Fold(referee(options.greedy)))
    recorded = recorder(path, game.known, "none: the base is modelled", MODELLED)
    game.listen(recorded)
    try:
        game.run()
    finally:
        recorded.close()
    return keep_or_drop(path, result, so)
