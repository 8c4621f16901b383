"""The tower, the people and the truth of one game, a tick of 10 ms at a time: the twin without cameras and without a base.

What a rig would send of it is `session.py`; alone, it is the physics that benches and tests run in seconds. The set is the nominal one, or
at a level whose sets are drawn one of its own: `true_profile` is what physics and pictures go by, `profile` what a calibration measured.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import msgspec
import numpy as np

from rig.errors import PalettiError
from rig.pieces import PieceSet
from rig.profile import Profile
from rig.rules import Game
from rig.twin.levels import Level
from rig.twin.people import Bots, Person
from rig.twin.people.hand import TICK_S, Movement
from rig.twin.people.speech import Press, Say
from rig.twin.physics.sets import TrueSet, check_set, measured, set_for
from rig.twin.physics.world import STEP_S, World
from rig.twin.pictures.lenses import profile_as_calibrated
from rig.twin.pictures.scene import WorldName
from rig.twin.truth import TruthLog

STEPS = round(TICK_S / STEP_S)


class Play:
    """One game. `tick()` moves it on; `over_t_s` is when its script ended (None: it goes on)."""

    def __init__(
        self,
        seed: int,
        level: Level,
        players: int = 4,
        cameras: int = 2,
        pieces: PieceSet | None = None,
        picture_px: tuple[int, int] = (720, 1280),
        max_raises: int | None = None,
        people: tuple[Person, ...] | None = None,
        true_set: TrueSet | None = None,
        say: Say = lambda _source, _payload, _delay_s: None,
        wait_for_table: Callable[[], bool] = lambda: False,
        game: Game | None = None,
        press: Press = lambda _seat, _delay_s: None,
        world: WorldName = "A",
    ) -> None:
        """`pieces`: the split of shapes, by default the level's; `people`: who plays, by default drawn; `true_set`: the set, by default
        the level's, with plateaus as in `world`; `game`: one that is under way already; `max_raises`: topple the tower after so many, by
        default as is usual at the level. PalettiError for a set that cannot stand."""
        if people is not None and len(people) != players:
            raise PalettiError(f"{players} players were announced, but {len(people)} people sit at the table.", "Name one for each player.")
        true_set = true_set or set_for(level.table, seed, cameras, pieces, picture_px, world)
        check_set(true_set.profile)
        self.level = level
        self.table_level = replace(level.table, friction=true_set.friction)
        self.world = World(true_set.profile, seed, self.table_level, true_set.bends)
        self.true_profile = self._tared(true_set.profile)
        known_set = measured(self.true_profile, seed) if level.table.drawn_set else self.true_profile
        self.profile = profile_as_calibrated(known_set, seed, level.pictures.lens_spread)
        self.truth = TruthLog(true_set.profile, self.world.order)
        rng = np.random.default_rng((seed, 0xB07))
        self.fate = np.random.default_rng((seed, 0xFA7E))
        topple_after = self._length(rng) if max_raises is None else max_raises
        self.bots = Bots(
            self.world, self.truth, self.table_level, rng, self.fate, players, topple_after, say, wait_for_table, people, game, press
        )
        self._script = self._begin()
        self._ticks = 0
        self.over_t_s: float | None = None

    def _length(self, rng: np.random.Generator) -> int | None:
        """After how many raises the table has had enough, if the tower has not fallen by itself; None: never."""
        steady = int(rng.integers(22, 29))
        return None if self.level.table.falls.uncalled else steady

    def _begin(self) -> Movement:
        """What happens at the table, from its beginning."""
        return self.bots.script()

    def _tared(self, profile: Profile) -> Profile:
        """The profile with the cells tared while only the base lies on the plate, as every session of a real rig begins."""
        for _ in range(round(0.2 / STEP_S)):
            self.world.step()
        load_g = self.world.drain().load_g[-50:].mean(axis=0)
        cells = tuple(
            msgspec.structs.replace(cell, tare_counts=round(float(grams) * cell.counts_per_g, 1))
            for cell, grams in zip(profile.cells, load_g, strict=True)
        )
        self.world.data.time = 0.0
        return msgspec.structs.replace(profile, cells=cells)

    def tick(self) -> None:
        """10 ms later: people move their hands, the tower moves, and what is true is written down."""
        self._ticks += 1
        if self.over_t_s is None and next(self._script, True) is True:
            self.over_t_s = self.world.t_s
        for _ in range(STEPS):
            self.world.step()
        if self._ticks % 2 == 0:
            self.truth.observe(self.world)
            if self.bots.handling:
                self.truth.watch(self.world.poses())

    def due(self, until_s: float) -> bool:
        """Whether another tick ends by `until_s`."""
        return (self._ticks + 1) * TICK_S <= until_s + 1e-9
