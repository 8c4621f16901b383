"""The tower, the people and the truth of one game, a tick of 10 ms at a time: the twin without cameras and without a base.

What a rig would send of it is `session.py`; alone, it is the physics that benches and tests run in seconds. The set is the nominal one, or
at a level whose sets are drawn one of its own: `true_profile` is what physics and pictures go by, `profile` what a calibration measured.
"""

from __future__ import annotations

from dataclasses import replace

import msgspec
import numpy as np

from rig.profile import Profile
from rig.rules import Game
from rig.twin.levels import Level
from rig.twin.people import Bots
from rig.twin.people.hand import TICK_S, Movement
from rig.twin.people.persons import draw_people
from rig.twin.people.speech import UNHEARD, Outside
from rig.twin.people.table import Chances, TableState
from rig.twin.physics.sets import TrueSet, check_set, measured, set_for
from rig.twin.physics.world import STEP_S, World
from rig.twin.pictures.lenses import profile_as_calibrated
from rig.twin.setting import USUAL_DEVICES, USUAL_PARTY, Devices, Party
from rig.twin.truth import TruthLog

STEPS = round(TICK_S / STEP_S)


class Play:
    """One game. `tick()` moves it on; `over_t_s` is when its script ended (None: it goes on)."""

    def __init__(
        self,
        seed: int,
        level: Level,
        party: Party = USUAL_PARTY,
        devices: Devices = USUAL_DEVICES,
        true_set: TrueSet | None = None,
        game: Game | None = None,
        outside: Outside = UNHEARD,
    ) -> None:
        """`true_set`: the set, by default the level's, with plateaus as in the watched world; `game`: one that is under way.

        PalettiError for a set that cannot stand."""
        true_set = true_set or set_for(level.table, seed, devices.cameras, party.pieces, devices.picture_px, devices.world)
        check_set(true_set.profile)
        self.level = level
        self.table_level = replace(level.table, friction=true_set.friction)
        self.world = World(true_set.profile, seed, self.table_level, true_set.bends)
        self.true_profile = self._tared(true_set.profile)
        known_set = measured(self.true_profile, seed) if level.table.drawn_set else self.true_profile
        self.profile = profile_as_calibrated(known_set, seed, level.pictures.lens_spread)
        self.truth = TruthLog(true_set.profile, self.world.order)
        chances = Chances(np.random.default_rng((seed, 0xB07)), np.random.default_rng((seed, 0xFA7E)))
        self.fate = chances.fate
        topple_after = self._length(chances.rng) if party.max_raises is None else party.max_raises
        people = party.people if party.people is not None else draw_people(self.table_level, chances.fate, party.players)
        table = TableState(self.world, self.truth, self.table_level, chances, people, outside, game)
        self.bots = Bots(table, topple_after)
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
