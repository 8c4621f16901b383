"""Fallen columns that must be stood up again before play goes on (E7, level B): what is missing, and where it stood.

While anything is missing the referee is in its state *repair*: it expects each fallen column back in its old place and says so.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from rig.messages import Added, Moved, Standing, Toppled, Tower
from rig.pieces import Column
from rig.referee.hypotheses import Weighted

NOT_YET, ALIKE = -1.5, -4.0
"""Log priors of a raise while a fallen column is waited for: of any, and of one that looks like the fallen column and would stand on its
floor. Higher: a column stood up again is taken for a raise of its double that no camera sees; lower: who builds on without standing it up
is asked about it."""


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

    def stood_up(self, believed: Tower, found: Tower) -> Tower:
        """`believed` with the missing columns that `found` has on their floors again."""
        again = [s for s in found.columns if (fell := self._fallen.get(s.column)) is not None and s.floor is fell.floor]
        return Tower((*believed.columns, *(s for s in again if believed.find(s.column) is None)), believed.plateaus)

    def hypotheses(self, tower: Tower) -> tuple[Weighted, ...]:
        """Each missing column back near its old place."""
        return tuple(
            Weighted(Added(column=column, floor=standing.floor, near_x_mm=standing.x_mm, near_y_mm=standing.y_mm), 0.0, weightless=True)
            for column, standing in sorted(self._fallen.items())
            if tower.find(column) is None
        )

    def comes_first(self, listed: Iterable[Weighted]) -> tuple[Weighted, ...]:
        """`listed` with the raises made less likely while a column is missing, because it is stood up before play goes on."""
        if not self._fallen:
            return tuple(listed)
        return tuple(
            replace(w, log_prior=min(w.log_prior, self._of_raise(w.hypothesis))) if isinstance(w.hypothesis, Moved) else w for w in listed
        )

    def _of_raise(self, moved: Moved) -> float:
        alike = any(column.kind == moved.column.kind and s.floor is moved.floor for column, s in self._fallen.items())
        return ALIKE if alike else NOT_YET
