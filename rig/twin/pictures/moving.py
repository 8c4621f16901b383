"""Time within one exposure: where things are between its first and its last moment, and which lines of a sensor saw how much of when.

The sensor's lines are exposed one after the other (rolling shutter) and each for a while (motion blur). Both are reckoned with a few drawn
instants between which a picture is taken to change evenly.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from rig.twin.physics.poses import HandPose, Poses

STILL_MM = 2.0
SLOW_MM = 20.0
"""What moves by less within an exposure is drawn once, or twice; all that is faster three times."""


@dataclass(frozen=True, slots=True)
class Instant:
    """Pieces and hands at one moment."""

    poses: Poses
    hands: Sequence[HandPose]

    def furthest_mm(self, other: Instant) -> float:
        """How far anything is from where it is in `other`."""
        far = float(np.abs(self.poses.position_m - other.poses.position_m).max()) * 1e3
        if len(self.hands) != len(other.hands):
            return max(far, SLOW_MM)
        for a, b in zip(self.hands, other.hands, strict=True):
            far = max(far, *(abs(u - v) for u, v in zip((*a.tip_mm, *a.elbow_mm), (*b.tip_mm, *b.elbow_mm), strict=True)))
        return far


def instants_for(moved_mm: float) -> int:
    """How many instants of an exposure are drawn in which something moves so far."""
    return 1 if moved_mm < STILL_MM else 2 if moved_mm < SLOW_MM else 3


def between(first: Instant, last: Instant, share: float) -> Instant:
    """What stands where at `share` (0 to 1) of the way; hands that come or go in between are as in `first`."""
    if share >= 1.0:
        return last
    a, b = first.poses, last.poses
    towards = np.where((a.turn * b.turn).sum(axis=1, keepdims=True) < 0, -b.turn, b.turn)
    turn = (1 - share) * a.turn + share * towards
    poses = Poses((1 - share) * a.position_m + share * b.position_m, turn / np.linalg.norm(turn, axis=1, keepdims=True))
    if len(first.hands) != len(last.hands):
        return Instant(poses, first.hands)
    return Instant(poses, [_hand_between(one, other, share) for one, other in zip(first.hands, last.hands, strict=True)])


def _hand_between(a: HandPose, b: HandPose, share: float) -> HandPose:
    def mix(p: tuple[float, float, float], q: tuple[float, float, float]) -> tuple[float, float, float]:
        x, y, z = (u + share * (v - u) for u, v in zip(p, q, strict=True))
        return (x, y, z)

    return HandPose(mix(a.tip_mm, b.tip_mm), mix(a.elbow_mm, b.elbow_mm), a.sleeve, a.hook)


def line_weights(lines: int, readout_s: float, exposure_s: float, instants: int) -> npt.NDArray[np.float32]:
    """How much of each instant (row) each line (column) takes; every column sums to 1. (instants, lines)."""
    whole_s = readout_s + exposure_s
    if whole_s <= 0.0 or instants == 1:
        weights = np.zeros((instants, lines), np.float32)
        weights[0] = 1.0
        return weights
    begins = np.linspace(0, readout_s, lines)[:, None] / whole_s
    moments = begins + (np.arange(16) + 0.5) / 16 * exposure_s / whole_s  # (lines, 16), 0 to 1
    at = moments * (instants - 1)
    hats = [np.clip(1 - np.abs(at - k), 0, 1).mean(axis=1) for k in range(instants)]
    return np.asarray(hats, np.float32)
