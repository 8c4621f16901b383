"""Fallen columns that must be stood up again before play goes on (E7, level B): what is missing, and where it stood.

While anything is missing the referee is in its state *repair*: it expects each fallen column back in its old place and says so.
"""

from __future__ import annotations

from rig.messages import Added, Standing, Toppled, Tower
from rig.pieces import Column
from rig.referee.hypotheses import Weighted

AWAY = -1.5
"""Log prior of a fallen column standing up while the game goes on; less likely than nothing, likelier than a cheat."""


class Repair:
    """The columns that fell and have not been stood up."""

    def __init__(self) -> None:
        self._fallen: dict[Column, Standing] = {}

    @property
    def open(self) -> bool:
        return bool(self._fallen)

    @property
    def columns(self) -> tuple[Column, ...]:
        return tuple(sorted(self._fallen))

    def fell(self, before: Tower, toppled: Toppled) -> None:
        """These fell from where `before` has them."""
        self._fallen |= {column: standing for column in toppled.columns if (standing := before.find(column)) is not None}

    def settle(self, tower: Tower) -> None:
        """What stands again, or is on a plateau that another covered for good, is no longer missing."""
        self._fallen = {column: standing for column, standing in self._fallen.items() if tower.find(column) is None}

    def hypotheses(self, tower: Tower) -> tuple[Weighted, ...]:
        """Each missing column back near its old place."""
        return tuple(
            Weighted(Added(column=column, floor=standing.floor, near_x_mm=standing.x_mm, near_y_mm=standing.y_mm), AWAY, weightless=True)
            for column, standing in sorted(self._fallen.items())
            if tower.find(column) is None
        )
