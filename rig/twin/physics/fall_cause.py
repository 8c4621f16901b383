"""Who or what brought the tower down, from forces and poses over time; never from what anybody meant to do.

Rule E8 and the design's *culprit*: whoever's action is in progress or who acted last until the tower had settled; somebody else's arm or
knock makes that player the culprit; a draught is nobody's. So every tenth of a second what works on the tower is written down (whose hand
holds which piece, whose arm presses on which, shoves of the table, draughts, hands leaning on the base), and when a plateau has lost its
place, what was at work just before it began to go decides.
"""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass
from enum import StrEnum

from rig.pieces import Floor
from rig.twin.physics.poses import Piece
from rig.twin.physics.world import World

WINDOW_S = 1.2
"""Seconds: what worked on the tower this long before it gave way may have caused it; longer ago, it fell by itself."""
LETTING_GO_S = 2.5
"""A placed column or plateau is held responsible this long after it was let go: tipping begins slowly."""
ARM_N = 0.05
"""An arm that presses less only brushes by (a thin column's weight is 0.11 N)."""
SHOVE_MPS2 = 0.5
"""A table shaken less is not knocked (heavy steps in an old house stay below)."""
GUST_N = 0.05
PRESS_N = 8.0
"""A hand leaning on the base with less bends nothing."""
KEPT_S = 12.0


class Cause(StrEnum):
    """What made the tower give way."""

    PULLED = "pulled"
    """A column was held that stood on a lower floor."""
    PLACED = "placed"
    """A column had just been stood on the top floor, or was in the hand above it."""
    LAID = "laid"
    """A plateau was being laid or held."""
    ARM = "arm"
    """An arm pressed against a piece of the tower."""
    KNOCK = "knock"
    """The table was knocked."""
    DRAUGHT = "draught"
    LEANT = "leant"
    """A hand leant on the base."""
    LATE = "late"
    """Nothing worked on the tower any more: it fell after all."""


_ORDER = (Cause.ARM, Cause.KNOCK, Cause.DRAUGHT, Cause.PULLED, Cause.PLACED, Cause.LAID, Cause.LEANT)
"""Where several worked at once: what has no business at the tower first."""


@dataclass(frozen=True, slots=True)
class Act:
    """Something worked on the tower at `t_s`: as what, whose (None: nobody's), on which piece."""

    t_s: float
    cause: Cause
    seat: int | None
    piece: Piece | None = None


@dataclass(frozen=True, slots=True)
class FallCause:
    """The verdict."""

    cause: Cause
    seat: int | None
    outside: bool


class Witness:
    """Writes down what works on the tower, and says afterwards what made it fall."""

    def __init__(self) -> None:
        self._acts: deque[Act] = deque()

    def watch(self, world: World, top_m: float) -> None:
        """Writes down this instant. `top_m`: height of the settled tower's top floor; a held column above it is being placed."""
        t_s = world.t_s
        while self._acts and self._acts[0].t_s < t_s - KEPT_S:
            self._acts.popleft()
        for grip, piece in world.held.items():
            below = Cause.PULLED if world.position(piece)[2] < top_m else Cause.PLACED
            self._note(Act(t_s, Cause.LAID if isinstance(piece, Floor) else below, world.seat.get(grip), piece))
        for seat, piece, newtons in world.arm_forces():
            if newtons > ARM_N:
                self._note(Act(t_s, Cause.ARM, seat, piece))
        if float(abs(world.shove).max()) >= SHOVE_MPS2:
            self._note(Act(t_s, Cause.KNOCK, world.shove_by))
        if world.gust_on is not None and float(abs(world.gust_n).max()) >= GUST_N:
            self._note(Act(t_s, Cause.DRAUGHT, None, world.gust_on))
        if world.press_n[0] >= PRESS_N:
            self._note(Act(t_s, Cause.LEANT, world.press_by))

    def _note(self, act: Act) -> None:
        self._acts.append(act)

    def blame(self, onset_t_s: float, last_actor: int | None) -> FallCause:
        """What made the tower give way at `onset_t_s`; `last_actor` is blamed for a fall by itself, and where nobody is known."""
        near = [act for act in self._acts if onset_t_s - WINDOW_S <= act.t_s <= onset_t_s + 0.05]
        slow = [
            act for act in self._acts
            if onset_t_s - LETTING_GO_S <= act.t_s <= onset_t_s + 0.05 and act.cause in (Cause.PLACED, Cause.LAID, Cause.PULLED)
        ]  # fmt: skip
        for cause in _ORDER:
            mine = [act for act in near if act.cause is cause]
            if not mine and not near:
                mine = [act for act in slow if act.cause is cause]
            if mine:
                latest = mine[-1]
                outside = cause is Cause.DRAUGHT or (cause is Cause.KNOCK and latest.seat is None)
                return FallCause(cause, None if outside else latest.seat if latest.seat is not None else last_actor, outside)
        return FallCause(Cause.LATE, last_actor, False)
