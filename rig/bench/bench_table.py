"""The twin's table alone, no cameras: how games go, by skill and by players; what brings towers down; how quiet the scale is; the speed.

`python -m rig.bench.bench_table --games 8 --seed 500 --level home --jobs 2`. Everything is counted from the truth log, which physics
alone writes, and from the physics' own load. Shares with Wilson's 95 % interval. A line a game on standard error as they are done.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from rig.bench.results import Results, add_json, measured
from rig.exam.counts import Tally
from rig.exam.many import side_by_side
from rig.messages import FactKind
from rig.pieces import Column, Floor
from rig.twin.levels import level_named
from rig.twin.people import Person
from rig.twin.physics.fall_cause import Cause
from rig.twin.physics.statics import covered
from rig.twin.physics.world import STEP_S, Grip
from rig.twin.play import Play

QUIET_S, QUIET_G = 0.3, 0.5
"""A quiet moment: total load within this standard deviation for so long (the simulated cells' own noise is not counted)."""
LIMIT_S = 3600.0
PLAIN = (Cause.PULLED, Cause.PLACED, Cause.LAID)
BOLDNESS, HONESTY = 0.4, 0.9
"""Of everybody in a row whose skill is given."""


@dataclass(frozen=True)
class Row:
    """One line of the table: who plays. `skill` None: drawn as at the level."""

    name: str
    players: int
    skill: float | None


@dataclass(frozen=True)
class Job:
    row: Row
    seed: int
    level: str


@dataclass(frozen=True)
class PlayedGame:
    """What was counted in one game."""

    job: Job
    kinds: Counter[str]
    end: str
    """The collapse's cause, or why it ended, or that it did not."""
    fell_in_attempt: bool
    others_doing: bool
    """A collapse that was not the acting player's plain doing."""
    plateaus: int
    free_standing: int
    """Columns that the blue plateau did not cover when it was laid."""
    raises_up: int
    raises_never_quiet: int
    length_s: float
    cpu_s: float

    @property
    def collapsed(self) -> bool:
        return self.kinds["collapsed"] > 0

    @property
    def line(self) -> str:
        raised, aborted = self.kinds["raised"], self.kinds["aborted"]
        return (
            f"{self.job.row.name}, seed {self.job.seed}: {raised} raised, {aborted} aborted, {self.plateaus} plateaus, "
            f"{self.length_s / 60:.1f} min, ended by {self.end}"
        )


def play(job: Job) -> PlayedGame:
    """One game to its end."""
    skill, players = job.row.skill, job.row.players
    people = None if skill is None else tuple(Person(skill, BOLDNESS, HONESTY) for _ in range(players))
    game = Play(job.seed, level_named(job.level), players, people=people)
    started = time.process_time()
    quiet = Quiet(game)
    actor: int | None = None
    free_standing: int | None = None
    game.world.drain()
    while game.over_t_s is None and game.world.t_s < LIMIT_S:
        game.tick()
        actor = game.bots.table.builder.seat
        quiet.hear(game.world.drain().load_g.sum(axis=1))
        if free_standing is None and game.truth.tower.plateaus:
            free_standing = _free_standing(game)
    falls = [truth for truth in game.truth.log if truth.kind is FactKind.COLLAPSED]
    outcome = game.bots.game.outcome
    plain = [truth.cause in PLAIN and truth.seat == actor for truth in falls]
    return PlayedGame(
        job,
        Counter(truth.kind.value for truth in game.truth.log),
        str(falls[0].cause) if falls else str(outcome.why) if outcome is not None else "nothing yet",
        any(plain),
        any(truth.cause is Cause.LATE or truth.seat != actor for truth in falls),
        len(game.bots.game.laid),
        free_standing or 0,
        quiet.up,
        quiet.never,
        game.world.t_s,
        time.process_time() - started,
    )


class Quiet:
    """Whether the scale had a quiet moment while a column was out of the tower and in the hand, raise by raise."""

    def __init__(self, game: Play) -> None:
        self._game = game
        self._load_g: list[np.ndarray] = []
        self._held = False
        self.up = self.never = 0

    def hear(self, load_g: np.ndarray) -> None:
        """The total load of the last tick."""
        now = self._game.world.held.get(Grip.BUILDER)
        if isinstance(now, Column) and self._game.bots.game.turn is not None and self._out(now):
            self._held = True
            self._load_g.append(load_g)
        elif self._held and now is None:
            self.up += 1
            self.never += not _quiet(np.concatenate(self._load_g))
            self._load_g, self._held = [], False

    def _out(self, column: Column) -> bool:
        """Whether the held column is clear of its place."""
        standing = self._game.truth.tower.find(column)
        if standing is None:
            return False
        x, y, _ = self._game.world.position(column) * 1e3
        return float(np.hypot(x - standing.x_mm, y - standing.y_mm)) > 120


def _quiet(load_g: np.ndarray) -> bool:
    n = round(QUIET_S / STEP_S)
    return any(float(load_g[k : k + n].std()) < QUIET_G for k in range(0, len(load_g) - n + 1, 5))


def _free_standing(game: Play) -> int:
    tower = game.truth.tower
    ground = tower.on(Floor.GROUND)
    return len(ground) - len(covered(game.true_profile, tower.plateaus[0], ground, share=0.01))


# ---------------------------------------------------------------- the table


def share(right: int, n: int) -> str:
    tally = Tally(right, n)
    low, high = tally.interval()
    return f"{tally.share:6.1%} ({low:.0%}-{high:.0%})" if n else "      -"


def row_line(row: Row, games: Sequence[PlayedGame]) -> str:
    raised, aborted = (sum(game.kinds[kind] for game in games) for kind in ("raised", "aborted"))
    toppled = sum(game.fell_in_attempt for game in games)
    n = raised + aborted + toppled
    raises = np.median([game.kinds["raised"] for game in games])
    minutes = np.median([game.length_s for game in games]) / 60
    shares = "".join(f"{share(count, n):>18}" for count in (raised, aborted, toppled))
    return f"{row.name:>12}{len(games):>7}{n:>10}{shares}{raises:>9.0f}{minutes:>9.1f}"


def note(row: Row, games: Sequence[PlayedGame], results: Results) -> None:
    """A row's figures."""
    kinds = {kind: sum(game.kinds[kind] for game in games) for kind in ("raised", "aborted")}
    kinds["toppled"] = sum(game.fell_in_attempt for game in games)
    for kind, count in kinds.items():
        results.share(f"{row.name}: attempts that are {kind}", count, sum(kinds.values()))
    results.median(f"{row.name}: raises a game", [game.kinds["raised"] for game in games], "raises")
    results.median(f"{row.name}: length of a game", [game.length_s / 60 for game in games], "min")


def note_all(games: Sequence[PlayedGame], results: Results) -> None:
    """The figures of all rows together."""
    fell = [game for game in games if game.collapsed]
    results.share("games that end by a collapse", len(fell), len(games))
    results.share("collapses that are not the acting player's plain doing", sum(game.others_doing for game in fell), len(fell))
    results.share(f"columns up without a quiet {QUIET_S} s", sum(g.raises_never_quiet for g in games), sum(g.raises_up for g in games))
    speed = sum(game.length_s for game in games) / sum(game.cpu_s for game in games)
    results.number("physics alone, by processor time", speed, "times real time", len(games))


def summary(games: Sequence[PlayedGame]) -> str:
    kinds: Counter[str] = sum((game.kinds for game in games), Counter())
    fell = [game for game in games if game.collapsed]
    raises = sorted(game.kinds["raised"] for game in games)
    up, never = sum(game.raises_up for game in games), sum(game.raises_never_quiet for game in games)
    lines = [
        f"all rows: deeds {dict(kinds)}",
        f"games ended by {dict(Counter(game.end for game in games).most_common())}",
        f"raises a game {raises}; plateaus {sorted(game.plateaus for game in games)}",
        f"collapses {share(len(fell), len(games))} of games; before the tenth raise {sum(game.kinds['raised'] < 10 for game in fell)}",
        f"collapses not the acting player's plain doing {share(sum(game.others_doing for game in fell), len(fell))} of {len(fell)}",
        f"columns up without a quiet {QUIET_S} s {share(never, up)} of {up}",
        f"columns that blue did not cover, a game {sorted(game.free_standing for game in games)}",
        f"physics alone {sum(game.length_s for game in games) / sum(game.cpu_s for game in games):.1f} times real time (processor time)",
    ]
    return "\n".join(lines)


def rows(options: argparse.Namespace) -> list[Row]:
    found = []
    for name in options.skills.split(",") if options.skills else []:
        skill = None if name == "drawn" else float(name)
        found.append(Row("drawn" if skill is None else f"skill {name}", options.players, skill))
    found += [Row(f"{players} players", players, None) for players in (map(int, options.tables.split(",")) if options.tables else [])]
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--games", type=int, default=3, help="games a row")
    parser.add_argument("--seed", type=int, default=500)
    parser.add_argument("--level", default="home")
    parser.add_argument("--players", type=int, default=4, help="in the rows by skill")
    parser.add_argument("--skills", default="drawn,0.2,0.5,0.8,1.0", help="rows by skill: drawn, or numbers from 0 to 1; '' for none")
    parser.add_argument("--tables", default="2,3", help="rows by players, of drawn skill; '' for none")
    parser.add_argument("--jobs", type=int, default=1, help="games at a time")
    add_json(parser, "table")
    options = parser.parse_args()
    with measured(options.json, range(options.seed, options.seed + options.games), __doc__) as results:
        play_all(options, results)


def play_all(options: argparse.Namespace, results: Results) -> None:
    """Every row's games, and the table of them."""
    table = rows(options)
    jobs = [Job(row, seed, options.level) for row in table for seed in range(options.seed, options.seed + options.games)]
    games: list[PlayedGame] = []
    for _, game in side_by_side(play, jobs, options.jobs):
        games.append(game)
        print(f"[{len(games)} of {len(jobs)}] {game.line}", file=sys.stderr, flush=True)
    print(f"level {options.level}, {options.games} games a row from seed {options.seed}; shares of attempts with 95 % intervals")
    print(f"{'':>12}{'games':>7}{'attempts':>10}{'raised':>18}{'aborted':>18}{'toppled':>18}{'raises':>9}{'minutes':>9}   (medians)")
    for row in table:
        print(row_line(row, [game for game in games if game.job.row == row]))
    print(summary(games))
    for row in table:
        note(row, [game for game in games if game.job.row == row], results)
    note_all(games, results)


if __name__ == "__main__":
    main()
