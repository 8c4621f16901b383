"""Figures of the scale in the twin's games: the mass of a moved column from the steps alone, and its shape from that mass alone.

Whole games by physics, hands, cells and the base's bytes; no pictures, no referee. A column's mass is read when it is set down or lifted
for good (set-up, penalties), and when it goes from floor to floor: lifted, and set down to the same weight again. A raise whose hands leave
the scale no such pair has no reading: it is counted, and its shape is unknown from mass alone. Truth is the twin's log and the true set.
"""

from __future__ import annotations

import argparse
from collections import Counter
from dataclasses import dataclass, field

from rig.base.fold import BaseFold
from rig.bench.results import Results, add_json, measured
from rig.messages import FactKind, StepKind, Stepped
from rig.pieces import Column, Shape
from rig.profile import Profile
from rig.twin.levels import level_named
from rig.twin.play import Play
from rig.twin.sensors.base_sensors import Sensors
from rig.twin.truth import Truth

SLICE_S = 0.1
BACK_WITHIN_G = 1.5
"""A column that went from floor to floor leaves the settled weight as it was."""
NEAR_G = 1.0
"""Readings further off than this are somebody's hand and not the scale: told apart, each one by name."""
SPAN_S = 15.0
"""Longest way back that a raise's lift is looked for."""


@dataclass
class MassTally:
    """Errors (g) of readings, and shapes right among what could have been read."""

    errors_g: list[float] = field(default_factory=list)
    wanted: int = 0
    right: int = 0

    def tell(self, what: str, results: Results) -> None:
        n = len(self.errors_g)
        results.share(f"{what}: mass read", n, self.wanted)
        results.rms(f"{what}: error", self.errors_g, "g")
        results.rms(f"{what}: error of those within {NEAR_G:g} g", [error for error in self.errors_g if abs(error) <= NEAR_G], "g")
        results.share(f"{what}: shape told from mass alone", self.right, n)

    def add(self, read_g: float, shape: Shape, true: Profile, known: Profile) -> None:
        self.errors_g.append(read_g - true.columns[shape].mass_g)
        self.right += min(known.columns, key=lambda s: abs(known.columns[s].mass_g - read_g)) is shape


def game(seed: int, level: str, longest_s: float) -> tuple[Play, list[Stepped], float]:
    """A whole game, what the scale said of it, and how long it lasted."""
    play = Play(seed, level_named(level), 2 + seed % 3, cameras=1)
    sensors = Sensors(play.world, play.true_profile, level_named(level).sensors, seed, "standin")
    fold, steps, t_s = BaseFold(play.profile), list[Stepped](), 0.0
    while t_s < longest_s and (play.over_t_s is None or t_s < play.over_t_s + 5):
        t_s = round(t_s + SLICE_S, 6)
        while play.due(t_s):
            play.tick()
        steps += [reading for reading in fold.step(t_s, sensors.bytes_by(t_s)) if isinstance(reading, Stepped)]
    sensors.close()
    return play, steps, t_s


def raised_g(truth: Truth, earlier_s: float, steps: list[Stepped]) -> float | None:
    """The mass of a column that went from floor to floor: the last set-down, if it brings back the weight from before the first lift.

    In between plateaus are held and whole floors hang in a hand, so no other step of a raise is one column's.
    """
    near = [
        step
        for step in steps
        if max(earlier_s, truth.t_s - SPAN_S) < step.end_t_s < truth.t_s + 1 and step.kind in (StepKind.LIFTED, StepKind.SET_DOWN)
    ]
    if len(near) < 2 or near[-1].kind is not StepKind.SET_DOWN:
        return None
    before_g, after_g = near[0].before_g, near[-1].after_g
    back = before_g is not None and after_g is not None and abs(after_g - before_g) < BACK_WITHIN_G
    return near[-1].delta_g if back else None


def placed_g(truth: Truth, steps: list[Stepped]) -> float | None:
    """The mass of a column that came for good: the last set-down before it had settled."""
    near = [step for step in steps if truth.t_s - 4 < step.end_t_s < truth.t_s + 1 and step.kind is StepKind.SET_DOWN]
    return near[-1].delta_g if near else None


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--games", type=int, default=4)
    parser.add_argument("--first", type=int, default=310000)
    parser.add_argument("--level", default="lab")
    parser.add_argument("--longest", type=float, default=900.0, metavar="S")
    add_json(parser, "weight")
    options = parser.parse_args()
    with measured(options.json, range(options.first, options.first + options.games), __doc__) as results:
        weigh_games(options, results)


def weigh_games(options: argparse.Namespace, results: Results) -> None:
    """Every column that a hand moved in all games."""
    raised, placed, kinds, seconds = MassTally(), MassTally(), Counter[str](), 0.0
    for seed in range(options.first, options.first + options.games):
        play, steps, lasted_s = game(seed, options.level, options.longest)
        seconds += lasted_s
        kinds.update(step.kind.value for step in steps)
        earlier_s, stood = 0.0, set[Column]()
        for truth in play.truth.log:
            read_g = None
            if truth.kind is FactKind.RAISED and truth.column is not None:
                raised.wanted += 1
                read_g = raised_g(truth, earlier_s, steps)
                tally = raised
            elif truth.kind is FactKind.STOOD and truth.column is not None and truth.column not in stood:
                stood.add(truth.column)
                placed.wanted += 1
                read_g = placed_g(truth, steps)
                tally = placed
            if read_g is not None and truth.column is not None:
                tally.add(read_g, truth.column.shape, play.true_profile, play.profile)
                if abs(tally.errors_g[-1]) > NEAR_G:
                    near = [f"{s.kind} {s.end_t_s:.1f} s {s.delta_g:+.1f} g" for s in steps if abs(s.end_t_s - truth.t_s) < SPAN_S]
                    print(
                        f"  game {seed}: {truth.column} {truth.kind} at {truth.t_s:.1f} s read as {read_g:.1f} g; steps: {', '.join(near)}"
                    )
            earlier_s = truth.t_s
    print(f"level {options.level}, {options.games} games from seed {options.first}, {seconds / 60:.0f} minutes; steps {dict(kinds)}")
    placed.tell("columns set down in set-up", results)
    raised.tell("columns raised from floor to floor", results)


if __name__ == "__main__":
    main()
