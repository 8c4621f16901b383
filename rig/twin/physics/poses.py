"""Where every piece is at one instant, and how that becomes a `rig.messages.Tower` and back.

The physics, the renderer and the truth log all speak of pieces by the same row numbers and in metres, as MuJoCo does; everything outside
the twin speaks of towers in millimetres. This file is the only place where the two meet. It judges nothing: what stands or has fallen is
decided in `truth.py`.

A column's own frame has its origin in its middle; a plateau's in its centre of mass, half-way through its thickness.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum

import numpy as np
import numpy.typing as npt

from rig.messages import Laid, Standing, Tower
from rig.pieces import Colour, Column, Floor, PieceSet
from rig.profile import Profile

Piece = Column | Floor
"""A column, or a plateau by its floor."""

Array = npt.NDArray[np.float64]

PARKED_M = (0.0, 5.0, -3.0)
"""Where pieces not in play are kept: behind the room's wall, out of every picture."""


class Cloth(StrEnum):
    """Sleeves in no player's colour."""

    WHITE = "white"
    GREY = "grey"
    BLACK = "black"


@dataclass(frozen=True, slots=True)
class HandPose:
    """A hand with its forearm, for the eye only: where the finger tips and the elbow are (mm), and the sleeve (None: bare).

    `hook`: the hand holds the game's wooden hook, and `tip_mm` is where the hook's end is; the fingers are `HOOK_M` behind it.
    """

    tip_mm: tuple[float, float, float]
    elbow_mm: tuple[float, float, float]
    sleeve: Colour | Cloth | None = None
    hook: bool = False


HOOK_M = 0.15
"""From the fingers to the hook's end, along the forearm."""


@dataclass(frozen=True, slots=True)
class PieceOrder:
    """The row of every piece in a `Poses`: columns as in the set, then plateaus from the bottom."""

    pieces: tuple[Piece, ...]
    row: Mapping[Piece, int] = field(repr=False)

    @classmethod
    def of(cls, pieces: PieceSet) -> PieceOrder:
        order: tuple[Piece, ...] = (*pieces.columns, *pieces.plateaus)
        return cls(order, {piece: k for k, piece in enumerate(order)})


@dataclass(frozen=True, slots=True)
class Poses:
    """`position_m` (n, 3) and unit quaternions `turn` (n, 4), w first, one row a piece, in the base's frame."""

    position_m: Array
    turn: Array

    @classmethod
    def parked(cls, count: int) -> Poses:
        """So many pieces, each in its place beside the base."""
        position = np.tile(np.array(PARKED_M), (count, 1))
        position[:, 0] += 0.3 * np.arange(count)
        turn = np.zeros((count, 4))
        turn[:, 0] = 1.0
        return cls(position, turn)


def yaw_turn(yaw_deg: float) -> tuple[float, float, float, float]:
    """The quaternion (w, x, y, z) of a turn about the vertical."""
    half = math.radians(yaw_deg) / 2
    return (math.cos(half), 0.0, 0.0, math.sin(half))


def rotation(turn: Array) -> Array:
    """The 3x3 matrix of a unit quaternion, w first."""
    w, x, y, z = (float(q) for q in turn)
    return np.array(
        [
            [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
            [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
            [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)],
        ]
    )


def piece_name(piece: Piece) -> str:
    """The name of a piece in MuJoCo's model."""
    return piece.word if isinstance(piece, Floor) else str(piece)


def height_mm(profile: Profile, piece: Piece) -> float:
    """A column's height or a plateau's thickness."""
    return profile.plateaus[piece].thickness_mm if isinstance(piece, Floor) else profile.columns[piece.shape].height_mm


def poses_of(profile: Profile, tower: Tower) -> Poses:
    """Every piece of `tower` where it says (plateaus with their small tilts), all others parked."""
    order = PieceOrder.of(profile.pieces)
    poses = Poses.parked(len(order.pieces))
    for standing in tower.columns:
        row = order.row[standing.column]
        middle = standing.z_mm + height_mm(profile, standing.column) / 2
        poses.position_m[row] = (standing.x_mm / 1e3, standing.y_mm / 1e3, middle / 1e3)
        poses.turn[row] = yaw_turn(standing.yaw_deg)
    for laid in tower.plateaus:
        row = order.row[laid.plateau]
        middle = laid.z_mm + height_mm(profile, laid.plateau) / 2
        poses.position_m[row] = (laid.x_mm / 1e3, laid.y_mm / 1e3, middle / 1e3)
        poses.turn[row] = _tilted_turn(laid)
    return poses


def _tilted_turn(laid: Laid) -> tuple[float, float, float, float]:
    """Small tilts about the world's x and y axes on top of the yaw (exact to second order, tilts of a laid plateau are under a degree)."""
    w, _, _, z = yaw_turn(laid.yaw_deg)
    a, b = math.radians(laid.tilt_x_deg) / 2, math.radians(laid.tilt_y_deg) / 2
    quaternion = np.array([w, a * w + b * z, b * w - a * z, z])
    quaternion /= float(np.linalg.norm(quaternion))
    return (float(quaternion[0]), float(quaternion[1]), float(quaternion[2]), float(quaternion[3]))


def yaw_deg(turn: Array) -> float:
    """The turn about the vertical, degrees in (-180, 180]."""
    matrix = rotation(turn)
    return math.degrees(math.atan2(matrix[1, 0], matrix[0, 0]))


def standing_of(profile: Profile, poses: Poses, column: Column, floor: Floor) -> Standing:
    """A column as a message tells it, from where it is."""
    row = PieceOrder.of(profile.pieces).row[column]
    matrix = rotation(poses.turn[row])
    half = profile.columns[column.shape].height_mm / 2
    end = -1.0 if matrix[2, 2] >= 0 else 1.0  # a column may stand on either end
    foot = poses.position_m[row] * 1e3 + end * half * matrix[:, 2]
    return Standing(column, floor, float(foot[0]), float(foot[1]), float(foot[2]), yaw_deg(poses.turn[row]))


def laid_of(profile: Profile, poses: Poses, plateau: Floor) -> Laid:
    """A plateau as a message tells it, from where it is."""
    row = PieceOrder.of(profile.pieces).row[plateau]
    matrix = rotation(poses.turn[row])
    under = poses.position_m[row] * 1e3 - profile.plateaus[plateau].thickness_mm / 2 * matrix[:, 2]
    normal = matrix[:, 2]
    return Laid(
        plateau,
        float(under[0]),
        float(under[1]),
        float(under[2]),
        yaw_deg(poses.turn[row]),
        tilt_x_deg=math.degrees(math.asin(max(-1.0, min(1.0, -float(normal[1]))))),
        tilt_y_deg=math.degrees(math.asin(max(-1.0, min(1.0, float(normal[0]))))),
    )
