"""One modelled game held to its truth: what `paletti exam --senses model` does for each seed."""

from __future__ import annotations

import time

from rig.exam.games import Options, Result, So, Span, Watcher, held
from rig.exam.modelled.play import Modelled, ModelledGame


def play(seed: int, options: Options) -> Result:
    """One game, as fast as it goes."""
    began = time.monotonic()
    how = Modelled(level=options.level, cameras=options.cameras, players=options.players, without=options.without)
    watcher = Watcher()
    game = ModelledGame(seed, how, [watcher])
    watcher.begin(game.table.game.holder)
    game.run()
    so = So(game.table.log, game.table.game, game.table.seal)
    span = Span(game.t_s, game.t_s / max(time.monotonic() - began, 1e-6))
    return held(seed, so, watcher, game.fold.referee.book.game, span)
