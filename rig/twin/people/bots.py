"""Everybody at the table, as the session sees them: `script()` is the game, `game` how it truly stands, `hands` what the cameras see."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from rig.rules import Game
from rig.twin.people.hand import Hand, Movement
from rig.twin.people.persons import Person, draw_people
from rig.twin.people.speech import Press, Say
from rig.twin.people.table import TableState
from rig.twin.people.turns import Turns
from rig.twin.physics.level_table import TableLevel
from rig.twin.physics.world import World
from rig.twin.truth import TruthLog


class Bots:
    """`say` hands over what people say and in how many seconds, `press` whose button they press. `rng` draws the careful play, `fate` all
    that is not."""

    def __init__(
        self, world: World, truth: TruthLog, level: TableLevel, rng: np.random.Generator, fate: np.random.Generator, players: int,
        topple_after: int | None, say: Say, wait_for_table: Callable[[], bool], people: tuple[Person, ...] | None = None,
        game: Game | None = None, press: Press = lambda _seat, _delay_s: None,
    ) -> None:  # fmt: skip
        self.people = people if people is not None else draw_people(level, fate, players)
        self.table = TableState(world, truth, level, rng, fate, self.people, say, press, wait_for_table, game)
        self.turns = Turns(self.table, topple_after)

    @property
    def game(self) -> Game:
        """The true game."""
        return self.table.game

    @property
    def handling(self) -> bool:
        """Whether hands are at the tower, or it has not settled since."""
        return self.table.handling

    @property
    def seal(self) -> list[tuple[float, int | None]]:
        """When the seal really passed, and to whom."""
        return self.table.seal

    @property
    def done(self) -> bool:
        """Whether the script of the game is over."""
        return self.turns.over

    @property
    def hands(self) -> tuple[Hand, ...]:
        """The building, the steadying and the other hand."""
        return self.table.hands

    def script(self) -> Movement:
        """The whole game as a movement, a tick at a time."""
        yield from self.ticking(self.turns.game())

    def ticking(self, movement: Movement) -> Movement:
        """`movement`, and what goes on beside it."""
        for _ in movement:
            self.table.tick()
            yield
