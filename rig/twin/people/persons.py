"""Who plays: three numbers a person, and what follows from them for their hands and their choices."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from rig.pieces import Colour
from rig.twin.physics.level_table import Sleeves, TableLevel
from rig.twin.physics.poses import Cloth

Sleeve = Colour | Cloth | None
"""In a player's colour, in some other cloth, or bare."""


@dataclass(frozen=True, slots=True)
class Person:
    """`skill` (0 clumsy to 1 steady), `boldness` (0 takes the safest column to 1 takes any), `honesty` (0 takes what it likes to 1)."""

    skill: float = 1.0
    boldness: float = 0.0
    honesty: float = 1.0

    @property
    def clumsiness(self) -> float:
        return 1.0 - self.skill

    @property
    def shake(self) -> float:
        """Times the level's tremor."""
        return 1.0 + 2.5 * self.clumsiness

    @property
    def misjudges_mm(self) -> float:
        """Standard deviation with which they judge how much a column can be spared."""
        return 5.0 * self.clumsiness

    def dares_mm(self, safe_mm: float, bold_mm: float) -> float:
        """The least margin with which they try a column while there is another way."""
        return safe_mm + (bold_mm - safe_mm) * self.boldness


STEADY = Person()
"""Everybody at `lab`."""


def draw_people(level: TableLevel, rng: np.random.Generator, players: int) -> tuple[Person, ...]:
    """The people of one game, within the level's ranges."""

    def between(low: float, high: float) -> float:
        return float(rng.uniform(low, high)) if high > low else low

    return tuple(Person(between(*level.skill), between(*level.boldness), between(*level.honesty)) for _ in range(players))


def draw_shirts(level: Sleeves, rng: np.random.Generator, players: int) -> tuple[Sleeve, ...] | None:
    """What each wears; None: at this table everybody puts on sleeves in their own colour, and until then arms are bare."""
    if level.own_colour >= 1.0 or rng.random() < level.own_colour:
        return None
    colours: tuple[Sleeve, ...] = tuple(Colour)
    others: tuple[Sleeve, ...] = (*Cloth, None)

    def shirt() -> Sleeve:
        among = colours if rng.random() < level.any_colour else others
        return among[int(rng.integers(len(among)))]

    return tuple(shirt() for _ in range(players))
