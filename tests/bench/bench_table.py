"""The twin's table alone, no cameras: how games go, by skill; what brings towers down; how quiet the scale is; how fast it all runs.

`python -m tests.bench.bench_table --games 8 --seed 500 --level home`. Everything is counted from the truth log and the physics' own load.
"""

from __future__ import annotations

import argparse
import time
from collections import Counter
from dataclasses import dataclass, field

import numpy as np

from rig.messages import FactKind
from rig.pieces import Column
from rig.twin.blame import Cause
from rig.twin.levels import level_named
from rig.twin.physics import STEP_S, Grip
from rig.twin.play import Play
from rig.twin.table import Person

QUIET_S, QUIET_G = 0.3, 0.5
"""A quiet moment: total load within this standard deviation for so long (the simulated cells' own noise is not counted)."""
LIMIT_S = 2400.0
PLAIN = (Cause.PULLED, Cause.PLACED, Cause.LAID)


@dataclass
class Counts:
    """What was counted in several games."""

    kinds: Counter[str] = field(default_factory=Counter)
    causes: Counter[str] = field(default_factory=Counter)
    fell_in_attempt: int = 0
    not_the_actors: int = 0
    raises_up: int = 0
    raises_never_quiet: int = 0
    lengths_s: list[float] = field(default_factory=list)
    wall_s: float = 0.0

    def add(self, more: Counts) -> None:
        self.kinds += more.kinds
        self.causes += more.causes
        self.not_the_actors += more.not_the_actors
        self.raises_up += more.raises_up
        self.raises_never_quiet += more.raises_never_quiet
        self.lengths_s += more.lengths_s
        self.wall_s += more.wall_s


def play(seed: int, level: str, players: int, skill: float | None, counts: Counts) -> None:
    people = None if skill is None else tuple(Person(skill, 0.4, 0.9) for _ in range(players))
    game = Play(seed, level_named(level), players, people=people)
    started = time.process_time()
    up: list[np.ndarray] = []
    held: Column | None = None
    actor: int | None = None
    game.world.drain()
    while game.over_t_s is None and game.world.t_s < LIMIT_S:
        game.tick()
        actor = game.bots.table.builder.seat
        load_g = game.world.drain().load_g.sum(axis=1)
        now = game.world.held.get(Grip.BUILDER)
        if isinstance(now, Column) and game.bots.game.turn is not None and _out(game, now):
            held = now
            up.append(load_g)
        elif up and held is not None and now is None:
            counts.raises_up += 1
            counts.raises_never_quiet += not _quiet(np.concatenate(up))
            up, held = [], None
    for truth in game.truth.log:
        counts.kinds[truth.kind.value] += 1
        if truth.kind is FactKind.COLLAPSED:
            counts.causes[str(truth.cause)] += 1
            counts.fell_in_attempt += truth.cause in PLAIN
            counts.not_the_actors += truth.cause not in PLAIN and (truth.seat != actor or truth.cause is Cause.LATE)
    counts.lengths_s.append(game.world.t_s)
    counts.wall_s += time.process_time() - started


def _out(game: Play, column: Column) -> bool:
    """Whether the held column is clear of its place."""
    standing = game.truth.tower.find(column)
    if standing is None:
        return False
    x, y, _ = game.world.position(column) * 1e3
    return float(np.hypot(x - standing.x_mm, y - standing.y_mm)) > 120


def _quiet(load_g: np.ndarray) -> bool:
    n = round(QUIET_S / STEP_S)
    return any(float(load_g[k : k + n].std()) < QUIET_G for k in range(0, len(load_g) - n + 1, 5))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--games", type=int, default=6)
    parser.add_argument("--seed", type=int, default=500)
    parser.add_argument("--level", default="home")
    parser.add_argument("--players", type=int, default=4)
    parser.add_argument("--skills", default="drawn,0.2,0.5,0.8,1.0", help="rows of the table: drawn, or numbers from 0 to 1")
    options = parser.parse_args()
    print(f"level {options.level}, {options.games} games a row from seed {options.seed}, {options.players} players; share of attempts")
    print(f"{'skill':>8}{'attempts':>10}{'raised':>9}{'aborted':>9}{'toppled':>9}{'minutes (median)':>18}")
    everything = Counts()
    for name in options.skills.split(","):
        skill = None if name == "drawn" else float(name)
        counts = Counts()
        for seed in range(options.seed, options.seed + options.games):
            play(seed, options.level, options.players, skill, counts)
        raised, aborted = counts.kinds["raised"], counts.kinds["aborted"]
        n = max(1, raised + aborted + counts.fell_in_attempt)
        minutes = float(np.median(counts.lengths_s)) / 60
        shares = f"{raised / n:9.1%}{aborted / n:9.1%}{counts.fell_in_attempt / n:9.1%}"
        print(f"{name:>8}{n:>10}{shares}{minutes:>18.1f}", flush=True)
        everything.add(counts)
    fell = sum(everything.causes.values())
    print(f"all rows: deeds {dict(everything.kinds)}")
    print(f"collapses by cause {dict(everything.causes)}; not the acting player's plain doing {everything.not_the_actors} of {fell}")
    print(f"columns up without a quiet {QUIET_S} s: {everything.raises_never_quiet} of {everything.raises_up}")
    print(f"physics alone: {sum(everything.lengths_s) / everything.wall_s:.1f} times real time (processor time)")


if __name__ == "__main__":
    main()
