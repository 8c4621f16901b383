"""Hands: what a person does to the tower, as small movements in time.

Every movement is a generator that yields once a control tick, so the session decides how time passes. A hand grips a piece, carries it
along a path and lets go; whether the tower bears it is up to the physics. The hand one sees has no weight; what presses and pulls are the
grips.
"""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np
import numpy.typing as npt

from rig.pieces import Colour
from rig.twin.physics.poses import HOOK_M, Cloth, HandPose, Piece, yaw_turn
from rig.twin.physics.world import Grip, World

Array = npt.NDArray[np.float64]
Movement = Iterator[None]

TICK_S = 0.01
"""Control runs at 100 Hz."""

ELBOW_UP_M = 0.130
"""How far the elbow is above the finger tips, unless a hand reaches in flat or from above."""

REACH_MM = 900.0
"""How far from the middle a hand is out of every picture."""


class Hand:
    """One hand of one player, coming in from `azimuth_deg` (their side of the table)."""

    def __init__(self, world: World, grip: Grip, rng: np.random.Generator, tremor_mm: float) -> None:
        self._world, self._grip, self._rng, self._tremor_m = world, grip, rng, tremor_mm / 1e3
        self._goal: Array = np.zeros(3)
        self._sway: Array = np.zeros(3)
        self.azimuth_deg = 0.0
        self.seat = 0
        self.elbow_up_m = ELBOW_UP_M
        self.sleeve: Colour | Cloth | None = None
        self.tip_m: Array | None = None
        self._hook = False
        self._behind_m = 0.0

    def sits(self, azimuth_deg: float, sleeve: Colour | Cloth | None) -> None:
        self.azimuth_deg, self.sleeve = azimuth_deg, sleeve

    def belongs_to(self, seat: int) -> None:
        """Whose hand it is, for the truth."""
        self.seat = seat
        self._world.seat[self._grip] = seat

    def shakes(self, tremor_mm: float) -> None:
        """How steady its owner's hand is."""
        self._tremor_m = tremor_mm / 1e3

    @property
    def seen(self) -> HandPose | None:
        """The hand as the cameras see it; None: out of sight."""
        if self.tip_m is None:
            return None
        tip_m, elbow_m = self.tip_m, self._elbow_m(self.tip_m)
        if self._behind_m and not self._hook:
            tip_m = tip_m + self._behind_m * (elbow_m - tip_m) / float(np.linalg.norm(elbow_m - tip_m))
        tip, (x, y, z) = tip_m * 1e3, (float(value) * 1e3 for value in elbow_m)
        return HandPose((float(tip[0]), float(tip[1]), float(tip[2])), (x, y, z), self.sleeve, self._hook)

    def _elbow_m(self, tip_m: Array) -> Array:
        out = math.radians(self.azimuth_deg)
        away_m = 0.330 + self._behind_m
        elbow_m: Array = tip_m + np.array([away_m * math.cos(out), away_m * math.sin(out), self.elbow_up_m])
        return elbow_m

    @property
    def _outside_m(self) -> Array:
        out = math.radians(self.azimuth_deg)
        return np.array([REACH_MM * math.cos(out), REACH_MM * math.sin(out), 420.0]) / 1e3

    # ------------------------------------------------------------ the hook

    def take_hook(self, hook: bool = True) -> None:
        """The hand comes with the game's hook in it, whose end is where finger tips are otherwise; or without."""
        self._hook, self._behind_m = hook, HOOK_M if hook else 0.0

    def put_hook_away(self, seconds: float = 0.5) -> Movement:
        """The fingers go along the hook to what its end has pulled out, and take hold of that."""
        if not self._hook:
            return
        self._hook = False
        steps = max(1, round(seconds / TICK_S))
        for k in range(1, steps + 1):
            self._behind_m = HOOK_M * (1 - _ease(k / steps))
            self._steer(None)
            yield

    # ------------------------------------------------------------ without a piece

    def reach(self, to_m: Array, seconds: float = 0.55) -> Movement:
        """The empty hand comes to `to_m` (from outside if it was out of sight)."""
        start = self.tip_m if self.tip_m is not None else self._outside_m
        yield from self._glide(start, to_m, seconds)

    def leave(self, seconds: float = 0.5) -> Movement:
        if self.tip_m is not None:
            yield from self._glide(self.tip_m, self._outside_m, seconds)
            self.tip_m = None
        self._hook, self._behind_m = False, 0.0

    def push(self, arm: int, to_m: Array, seconds: float) -> Movement:
        """The fingers go from where they are straight to `to_m` and push what is in their way."""
        start = self.tip_m if self.tip_m is not None else self._outside_m
        self._world.reach_in(arm, self.seat, start, self._elbow_m(start))
        steps = max(1, round(seconds / TICK_S))
        for k in range(1, steps + 1):
            self.tip_m = start + (to_m - start) * _ease(k / steps)
            self._world.reach_in(arm, self.seat, self.tip_m, self._elbow_m(self.tip_m))
            yield

    def pull_back(self, arm: int, seconds: float = 0.5) -> Movement:
        """The pushing hand goes away."""
        self._world.withdraw(arm)
        yield from self.leave(seconds)

    def _glide(self, start: Array, end: Array, seconds: float) -> Movement:
        steps = max(1, round(seconds / TICK_S))
        for k in range(1, steps + 1):
            self.tip_m = start + (end - start) * _ease(k / steps)
            yield

    # ------------------------------------------------------------ with a piece

    def bring(self, piece: Piece, yaw_deg: float, at_m: Array) -> None:
        """A piece from the box, in the hand, at `at_m` (its middle)."""
        self._world.put(piece, at_m, yaw_deg)
        self.take(piece)

    def take(self, piece: Piece) -> None:
        self._world.take(self._grip, piece)
        self._goal = self._world.aim(self._grip)
        self._sway = np.zeros(3)
        self._follow()

    def let_go(self) -> None:
        self._world.let_go(self._grip)

    def move(self, to_m: Array, speed_mm_s: float, yaw_deg: float | None = None) -> Movement:
        """The held piece's middle goes straight to `to_m`, softly at both ends."""
        start = self._goal.copy()
        seconds = 1.4 * float(np.linalg.norm(to_m - start)) * 1e3 / speed_mm_s
        steps = max(1, round(seconds / TICK_S))
        for k in range(1, steps + 1):
            self._goal = start + (to_m - start) * _ease(k / steps)
            self._steer(yaw_deg)
            yield

    def hold(self, seconds: float) -> Movement:
        for _ in range(round(seconds / TICK_S)):
            self._steer(None)
            yield

    def yield_up(self, seconds: float = 0.3) -> Movement:
        """Lets the held piece's weight go over to what is under it, bit by bit, and lets go."""
        steps = max(1, round(seconds / TICK_S))
        for k in range(1, steps + 1):
            self._world.loosen(self._grip, k / steps)
            yield
        self.let_go()

    def _steer(self, yaw_deg: float | None) -> None:
        # A tremor that wanders: first order, about 8 Hz.
        self._sway += -0.4 * self._sway + self._rng.normal(0, 0.5 * self._tremor_m, 3)
        turn = np.array(yaw_turn(yaw_deg)) if yaw_deg is not None else None
        self._world.steer(self._grip, self._goal + self._sway, turn)
        self._follow()

    def _follow(self) -> None:
        """The finger tips are at the piece, a little towards the player."""
        out = math.radians(self.azimuth_deg)
        self.tip_m = self._goal + np.array([0.012 * math.cos(out), 0.012 * math.sin(out), 0.015])


def pause(seconds: float) -> Movement:
    """Nothing, for so many seconds."""
    for _ in range(round(seconds / TICK_S)):
        yield


def _ease(share: float) -> float:
    """Smooth from 0 to 1 with no speed at the ends."""
    return share * share * (3 - 2 * share)
