"""Everybody at the table, as the session sees them: `script()` is the game, `game` how it truly stands, `hands` what the cameras see."""

from __future__ import annotations

from rig.rules import Game
from rig.twin.people.hand import Hand, Movement
from rig.twin.people.table import TableState
from rig.twin.people.turns import Turns


class Bots:
    """The people at `table`; after `topple_after` raises they have had enough and topple the tower (None: never)."""

    def __init__(self, table: TableState, topple_after: int | None) -> None:
        self.table = table
        self.people = table.people
        self.turns = Turns(table, topple_after)

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
