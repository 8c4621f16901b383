"""The tower as it must be when a person says what happened and the eyes found no place for it.

A column raised somewhere unseen is put where there is most room on the floor, so that the books are right and the next look can find it.
"""

from __future__ import annotations

import msgspec
import numpy as np
import shapely
from shapely import Point

from rig.messages import Added, Hypothesis, Laid, Moved, MovedTwo, PlateauLaid, Removed, Stacked, Standing, Toppled, Tower
from rig.pieces import Column, Floor
from rig.profile import Profile
from rig.referee.measure import outline

GRID_MM = 10.0
"""Step of the grid on which room is looked for; a tenth of the smallest plateau is fine enough for a guess (by design)."""

COLUMN_MM = 14.0
"""How far a column's side is from its middle, the widest of the nominal set (by design: a guess needs no more)."""


def predicted(tower: Tower, hypothesis: Hypothesis, profile: Profile) -> Tower:
    """`tower` after `hypothesis`, with places guessed where they are not known."""
    match hypothesis:
        case Moved(column=column, floor=floor) | Added(column=column, floor=floor):
            rest = Tower(tuple(s for s in tower.columns if s.column != column), tower.plateaus)
            x_mm, y_mm = _most_room(rest, floor, profile)
            standing = Standing(column, floor, x_mm, y_mm, _floor_mm(rest, floor, profile))
            return msgspec.structs.replace(rest, columns=(*rest.columns, standing))
        case Removed(column=column):
            return msgspec.structs.replace(tower, columns=tuple(s for s in tower.columns if s.column != column))
        case Toppled(columns=columns):
            return msgspec.structs.replace(tower, columns=tuple(s for s in tower.columns if s.column not in columns))
        case MovedTwo(columns=(first, second), floor=floor):
            once = predicted(tower, Moved(column=first, floor=floor), profile)
            return predicted(once, Moved(column=second, floor=floor), profile)
        case Stacked(column=column, on=on):
            return _stacked(tower, column, on, profile)
        case PlateauLaid(plateau=plateau):
            below = tower.on(tower.top_floor)
            x_mm = sum(s.x_mm for s in below) / max(1, len(below))
            y_mm = sum(s.y_mm for s in below) / max(1, len(below))
            top_mm = max((s.z_mm + profile.columns[s.column.shape].height_mm for s in below), default=0.0)
            return msgspec.structs.replace(tower, plateaus=(*tower.plateaus, Laid(plateau, x_mm, y_mm, top_mm, 0.0)))
        case _:
            return tower


def _stacked(tower: Tower, column: Column, on: Column, profile: Profile) -> Tower:
    """`column` right on top of `on`."""
    rest = tuple(s for s in tower.columns if s.column != column)
    under = tower.find(on)
    if under is None:
        return msgspec.structs.replace(tower, columns=rest)
    z_mm = under.z_mm + profile.columns[on.shape].height_mm
    return msgspec.structs.replace(tower, columns=(*rest, Standing(column, under.floor, under.x_mm, under.y_mm, z_mm)))


def _floor_mm(tower: Tower, floor: Floor, profile: Profile) -> float:
    laid = next((laid for laid in tower.plateaus if laid.plateau is floor), None)
    return laid.z_mm + profile.plateaus[floor].thickness_mm if laid is not None else 0.0


def _most_room(tower: Tower, floor: Floor, profile: Profile) -> tuple[float, float]:
    """The point of the floor (mm) farthest from its edge and from what stands there, on a grid of `GRID_MM`."""
    laid = next((laid for laid in tower.plateaus if laid.plateau is floor), None)
    area = outline(laid, profile) if laid is not None else Point(0, 0).buffer(profile.base.site_radius_mm)
    x0, y0, x1, y1 = area.bounds
    best = (laid.x_mm, laid.y_mm) if laid is not None else (0.0, 0.0)
    xs, ys = (low + GRID_MM * np.arange(int((high - low) / GRID_MM) + 1) for low, high in ((x0, x1), (y0, y1)))
    grid = np.stack(np.meshgrid(xs, ys, indexing="ij"), -1).reshape(-1, 2)
    points = shapely.points(grid)
    inside = shapely.contains(area, points)
    if not inside.any():
        return best
    room = np.asarray(shapely.distance(area.exterior, points))
    for other in tower.on(floor):
        room = np.minimum(room, np.hypot(grid[:, 0] - other.x_mm, grid[:, 1] - other.y_mm) - COLUMN_MM)
    roomiest = int(np.argmax(np.where(inside, room, -np.inf)))
    return (float(grid[roomiest, 0]), float(grid[roomiest, 1])) if room[roomiest] > -1.0 else best
