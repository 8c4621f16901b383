"""Which pieces stand in their places, from their poses alone.

A column stands on a floor if it is upright with its foot on that floor, or on a column of the top floor; a plateau is in its place if it is
level and rests on column tops. What changed, and by whose doing, is `truth.py`.
"""

from __future__ import annotations

import math
from collections.abc import Iterable

import numpy as np
import numpy.typing as npt

from rig.messages import Laid, Standing, Tower
from rig.pieces import Column, Floor
from rig.profile import Profile
from rig.twin.physics.poses import PieceOrder, Poses, laid_of, rotation, standing_of
from rig.twin.physics.statics import covered, footprint, outline

Array = npt.NDArray[np.float64]

UPRIGHT_DEG = 12.0
"""A column that leans more is falling or lies."""

LEVEL_DEG = 5.0
"""A plateau that tilts more has lost its place."""

FOOT_MM = 3.0
"""How far a foot may be from its floor's height and still stand on it (columns differ by tenths, plates bend by less)."""


def tilt_deg(turn: Array) -> float:
    """How far a piece's own axis is from upright, 0 to 180 degrees, of its quaternion (w, x, y, z)."""
    return math.degrees(math.acos(float(np.clip(rotation(turn)[2, 2], -1.0, 1.0))))


def standing_tower(profile: Profile, order: PieceOrder, poses: Poses, parked: set[Column | Floor]) -> Tower:
    """The pieces that stand in their places, from the bottom; whatever lies, leans or hangs is left out."""
    laid: list[Laid] = []
    columns: list[Standing] = []
    waiting = [column for column in profile.pieces.columns if column not in parked]
    level_mm = 0.0
    for floor in (Floor.GROUND, *profile.pieces.plateaus):
        if floor is not Floor.GROUND:
            plate = _plateau_in_place(profile, order, poses, floor, parked, columns)
            if plate is None:
                break
            laid.append(plate)
            level_mm = plate.z_mm + profile.plateaus[floor].thickness_mm
        here = [s for column in waiting if (s := _stands(profile, order, poses, column, floor, level_mm, laid)) is not None]
        columns += here
        waiting = [column for column in waiting if all(s.column != column for s in here)]
    top = laid[-1].plateau if laid else Floor.GROUND
    carriers = [standing for standing in columns if standing.floor is top]
    columns += [s for column in waiting if (s := _stacked(profile, order, poses, column, top, carriers)) is not None]
    return Tower(tuple(columns), tuple(laid))


def _stacked(profile: Profile, order: PieceOrder, poses: Poses, column: Column, floor: Floor, carriers: list[Standing]) -> Standing | None:
    """A column that stands upright on another one of the top floor."""
    lean_deg = tilt_deg(poses.turn[order.row[column]])
    if min(lean_deg, 180.0 - lean_deg) > UPRIGHT_DEG:
        return None
    standing = standing_of(profile, poses, column, floor)
    return standing if carrier_of(profile, standing, carriers) is not None else None


def carrier_of(profile: Profile, standing: Standing, others: Iterable[Standing]) -> Column | None:
    """The column that `standing` is stacked on (B8); None: it stands on its floor."""
    for other in others:
        top_mm = other.z_mm + profile.columns[other.column.shape].height_mm
        near = math.hypot(other.x_mm - standing.x_mm, other.y_mm - standing.y_mm) < profile.columns[other.column.shape].radius_mm
        if other.column != standing.column and near and abs(standing.z_mm - top_mm) < FOOT_MM:
            return other.column
    return None


def _plateau_in_place(
    profile: Profile, order: PieceOrder, poses: Poses, floor: Floor, parked: set[Column | Floor], columns: list[Standing]
) -> Laid | None:
    if floor in parked or tilt_deg(poses.turn[order.row[floor]]) > LEVEL_DEG:
        return None
    plate = laid_of(profile, poses, floor)
    below = covered(profile, plate, [s for s in columns if s.floor == floor - 1])
    tops = [s.z_mm + profile.columns[s.column.shape].height_mm for s in below]
    return plate if len(tops) >= 1 and abs(plate.z_mm - max(tops)) < FOOT_MM else None


def _stands(
    profile: Profile, order: PieceOrder, poses: Poses, column: Column, floor: Floor, level_mm: float, laid: list[Laid]
) -> Standing | None:
    lean_deg = tilt_deg(poses.turn[order.row[column]])
    if min(lean_deg, 180.0 - lean_deg) > UPRIGHT_DEG:  # it may stand on either end
        return None
    standing = standing_of(profile, poses, column, floor)
    if abs(standing.z_mm - level_mm) > FOOT_MM:
        return None
    if floor is Floor.GROUND:
        within = math.hypot(standing.x_mm, standing.y_mm) < profile.base.radius_mm
    else:
        within = bool(outline(profile, laid[-1]).intersects(footprint(profile, standing)))
    return standing if within else None
