"""The modelled room: what stands, whose hands are in, what weighs on the plate; and what one exposure of a camera could have caught of it.

The players (`turns.py`, `deeds.py`) change it, the senses (`eyes.py`, `watching.py`, `scale.py`) are drawn from it. The referee knows
nothing of it.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from rig.exam.modelled.statics import Site
from rig.messages import Tower
from rig.pieces import Column, Floor


@dataclass(frozen=True, slots=True)
class Glance:
    """The room at one instant."""

    t_s: float
    tower: Tower
    lying: frozenset[Column]
    """Columns that lie in sight."""
    fallen: bool
    """A plateau has lost its place."""
    hands: tuple[int, ...]
    """Seats whose arms are in the tower's region; -1: something that only looks like an arm."""
    moving: bool
    displaced: Column | None
    """The column that a hand holds out of its place, to be put back."""
    held: Column | None
    """The column in somebody's hand."""
    tilt_deg: float = 0.0
    """How far the top plateau leans."""


@dataclass(slots=True)
class Room:
    """The room as it is now."""

    site: Site
    tower: Tower
    carriers: dict[Floor, frozenset[Column]]
    t_s: float = 0.0
    lying: set[Column] = field(default_factory=set)
    fallen: bool = False
    hands: dict[int, int] = field(default_factory=dict)
    """How many arms each seat has in."""
    stirs_until_s: float = 0.0
    displaced: Column | None = None
    held: Column | None = None
    leans_since_s: float | None = None
    """When the top plateau began to give way for good."""
    hand_g: float = 0.0
    """What hands press, or hold up (negative), on the plate."""
    shaking: bool = False
    """A hand leans on the base: the scale never rests."""
    scattered_g: float = 0.0
    """What of the fallen lies beside the plate."""
    changed_t_s: float = 0.0
    """When anything last changed that a sense could notice."""

    def touch(self) -> None:
        """Something has just changed."""
        self.changed_t_s = self.t_s

    def stir(self, for_s: float) -> None:
        """Things move in the pictures for so long."""
        self.stirs_until_s = max(self.stirs_until_s, self.t_s + for_s)
        self.touch()

    def reach_in(self, seat: int) -> None:
        self.hands[seat] = self.hands.get(seat, 0) + 1
        self.stir(0.4)

    def leave(self, seat: int) -> None:
        left = self.hands.get(seat, 0) - 1
        self.hands.pop(seat, None)
        if left > 0:
            self.hands[seat] = left
        self.stir(0.1)

    def everybody_leaves(self) -> None:
        if self.hands:
            self.hands.clear()
            self.stir(0.1)

    @property
    def moving(self) -> bool:
        return self.t_s < self.stirs_until_s

    @property
    def weight_g(self) -> float:
        """What truly rests on the plate beyond its tare."""
        columns = sum(self.site.mass_g(s.column) for s in self.tower.columns) + sum(self.site.mass_g(c) for c in self.lying)
        plates = sum(self.site.profile.plateaus[laid.plateau].mass_g for laid in self.tower.plateaus)
        return columns + plates + self.hand_g - self.scattered_g

    @property
    def tilt_deg(self) -> float:
        """How far the top plateau leans: a tower that gives way leans for a while before it goes, as an inverted pendulum does."""
        if self.leans_since_s is None:
            return 0.0
        return float(min(60.0, 3.0 * 2.0 ** ((self.t_s - self.leans_since_s) / LEAN_DOUBLES_S)))

    def glance(self) -> Glance:
        return Glance(
            self.t_s, self.tower, frozenset(self.lying), self.fallen, tuple(sorted(self.hands)), self.moving, self.displaced, self.held,
            self.tilt_deg,
        )  # fmt: skip


LEAN_DOUBLES_S = 0.18
"""A leaning tower's tilt doubles in about this: height 0.4 m, so sqrt(0.4 / 9.8) times ln 2 is 0.14 s, longer for what still carries."""
