"""The tower's solids in the world: columns, plateaus and base as convex prisms, floors and where they lie, the region a tower fills.

A solid is a stack of convex prisms given by corner points in the world (mm). How they fall in a picture is `vision.camera.view`'s affair;
rasters of them are made in `vision.scene.silhouettes`. Nothing here knows colours or pictures.
"""

from __future__ import annotations

import math

import numpy as np

from rig.messages import Laid, Standing, Tower
from rig.pieces import Floor, Shape
from rig.profile import Profile
from vision.arrays import Floats
from vision.camera.view import CameraView
from vision.compiling import compiled

ROUND_SIDES = 12
"""Corners that stand for a circle: its polygon, scaled to the circle's own area, is off by at most 2 % of a column's radius (0.3 mm).
Geometry: the radius of a polygon of n corners and the circle's area is sqrt(2 pi / (n sin(2 pi / n))) times the circle's."""


def polygon_of(radius_mm: float, sides: int, yaw_deg: float = 0.0) -> Floats:
    """A regular polygon (n, 2) round the origin; `sides` 0 is a circle, drawn as a polygon of the circle's own area."""
    n = sides or ROUND_SIDES
    step = 2 * math.pi / n
    radius = radius_mm if sides else radius_mm * math.sqrt(step / math.sin(step))
    angles = np.arange(n) * step + math.radians(yaw_deg)
    return np.stack((np.cos(angles), np.sin(angles)), axis=-1) * radius


def prism(outline_mm: Floats, low_mm: float, high_mm: float) -> Floats:
    """Corners (2, n, 3) of an upright prism over `outline_mm` (n, 2)."""
    corners = np.empty((2, len(outline_mm), 3))
    corners[:, :, :2] = outline_mm
    corners[0, :, 2], corners[1, :, 2] = low_mm, high_mm
    return corners


def column_prism(profile: Profile, standing: Standing) -> Floats:
    """Corners (2, n, 3) of a standing column."""
    size = profile.columns[standing.column.shape]
    outline = polygon_of(size.radius_mm, size.sides, standing.yaw_deg) + np.array((standing.x_mm, standing.y_mm))
    return prism(outline, standing.z_mm, standing.z_mm + size.height_mm)


def column_prisms_at(profile: Profile, shape: Shape, places_mm: Floats, z_mm: float, yaw_deg: float = 0.0) -> Floats:
    """Corners (m, 2, n, 3) of the same column at each of `places_mm` (m, 2), its foot at height z.

    `profile` gives the size of `shape`; `z_mm`: the height; `yaw_deg`: the turn of a hexagon.
    """
    size = profile.columns[shape]
    outline = polygon_of(size.radius_mm, size.sides, yaw_deg)
    corners = np.empty((len(places_mm), 2, len(outline), 3))
    corners[..., :2] = (outline[None] + places_mm[:, None])[:, None]
    corners[:, 0, :, 2], corners[:, 1, :, 2] = z_mm, z_mm + size.height_mm
    return corners


def turned(points_mm: Floats, yaw_deg: float) -> Floats:
    c, s = math.cos(math.radians(yaw_deg)), math.sin(math.radians(yaw_deg))
    return np.asarray(points_mm @ np.array(((c, s), (-s, c))))


def tilt_matrix(tilt_x_deg: float, tilt_y_deg: float) -> Floats:
    """Rotation by `tilt_x_deg` about x, then `tilt_y_deg` about y."""
    a, b = math.radians(tilt_x_deg), math.radians(tilt_y_deg)
    about_x = np.array(((1, 0, 0), (0, math.cos(a), -math.sin(a)), (0, math.sin(a), math.cos(a))))
    about_y = np.array(((math.cos(b), 0, math.sin(b)), (0, 1, 0), (-math.sin(b), 0, math.cos(b))))
    return np.asarray(about_y @ about_x)


def plateau_prisms(profile: Profile, laid: Laid) -> tuple[Floats, ...]:
    """The convex parts of a laid plateau, each (2, n, 3); tilted round its centre of mass at its underside."""
    size = profile.plateaus[laid.plateau]
    parts = []
    for part in size.parts_mm:
        corners = prism(turned(np.array(part), laid.yaw_deg), 0.0, size.thickness_mm)
        if laid.tilt_x_deg or laid.tilt_y_deg:
            corners = corners @ tilt_matrix(laid.tilt_x_deg, laid.tilt_y_deg).T
        parts.append(corners + np.array((laid.x_mm, laid.y_mm, laid.z_mm)))
    return tuple(parts)


def base_prism(profile: Profile) -> Floats:
    base = profile.base
    n = 48
    angles = np.arange(n) * 2 * math.pi / n
    return prism(np.stack((np.cos(angles), np.sin(angles)), axis=-1) * base.radius_mm, -base.thickness_mm, 0.0)


# ---------------------------------------------------------------- floors


def floor_z_mm(profile: Profile, tower: Tower, floor: Floor) -> float:
    """Height of a floor's upper face: the base's, or that of the plateau as it lies."""
    laid = next((laid for laid in tower.plateaus if laid.plateau is floor), None)
    return 0.0 if laid is None else laid.z_mm + profile.plateaus[floor].thickness_mm


def rest_z_mm(profile: Profile, tower: Tower) -> float:
    """Height of the underside of a plateau laid on the top floor now: on the tallest of the columns that stand on that floor."""
    floor = tower.top_floor
    shapes = {standing.column.shape for standing in tower.on(floor)} or set(profile.columns)
    return floor_z_mm(profile, tower, floor) + max(profile.columns[shape].height_mm for shape in shapes)


def floor_outline_mm(profile: Profile, tower: Tower, floor: Floor) -> tuple[Floats, ...]:
    """The convex parts (n, 2) of what a column may stand on: the base's disc, or the plateau's parts in place."""
    laid = next((laid for laid in tower.plateaus if laid.plateau is floor), None)
    if laid is None:
        return (base_prism(profile)[1, :, :2],)
    return tuple(part[1, :, :2] for part in plateau_prisms(profile, laid))


@compiled("void(f8[:,::1], f8[:,::1], f8[::1])")
def _outside_part(part: Floats, points: Floats, best: Floats) -> None:
    """Lowers `best` (m,) to how far each of `points` (m, 2) lies outside a convex, counter-clockwise `part` (n, 2), where that is less."""
    for k in range(len(points)):
        x, y = points[k, 0], points[k, 1]
        most = -np.inf
        for i in range(len(part)):
            j = i + 1 if i + 1 < len(part) else 0
            along_x, along_y = part[j, 0] - part[i, 0], part[j, 1] - part[i, 1]
            length = math.sqrt(along_x * along_x + along_y * along_y)
            if length > 0:  # a profile from elsewhere may have a corner twice
                most = max(most, (x - part[i, 0]) * (along_y / length) - (y - part[i, 1]) * (along_x / length))
        best[k] = min(best[k], most)


def outside_mm(parts: tuple[Floats, ...], points_mm: Floats) -> Floats:
    """How far each point (m, 2) lies outside the union of the convex, counter-clockwise `parts`; negative inside (roughly the depth)."""
    best = np.full(len(points_mm), np.inf)
    points = np.ascontiguousarray(points_mm, dtype=np.float64)
    for part in parts:
        _outside_part(np.ascontiguousarray(part, dtype=np.float64), points, best)
    return best


# ---------------------------------------------------------------- the tower's region


TOP_ROOM_MM = 150.0
"""Free height above the tower that still counts as the tower's region: a column being stood there, and the hand that holds it. By
design."""


def tower_top_mm(profile: Profile, tower: Tower) -> float:
    """Height up to which the tower may reach after the next action: columns on the top floor and a plateau over them."""
    tallest = max(size.height_mm for size in profile.columns.values())
    return floor_z_mm(profile, tower, tower.top_floor) + tallest + 10.0


def region_box(
    view: CameraView, profile: Profile, tower: Tower, margin_mm: float = 25.0, room_mm: float = 0.0
) -> tuple[int, int, int, int]:
    """The box (x0, y0, x1, y1) of this view's pixels that holds the base and the tower up to `room_mm` above its next top.

    `profile` gives base and plateaus; `margin_mm`: added to their reach.
    """
    reach = profile.base.radius_mm + margin_mm
    for laid in tower.plateaus:  # a plateau may protrude beyond the base (A4)
        outline = turned(np.array(profile.plateaus[laid.plateau].outline_mm), laid.yaw_deg) + np.array((laid.x_mm, laid.y_mm))
        reach = max(reach, float(np.linalg.norm(outline, axis=1).max()) + margin_mm)
    ring = polygon_of(reach, 24)
    points = prism(ring, -profile.base.thickness_mm - 8.0, tower_top_mm(profile, tower) + room_mm)
    pixels = view.project(points).reshape(-1, 2)
    if np.isnan(pixels).any():
        return (0, 0, view.width, view.height)
    x0, y0 = np.floor(pixels.min(0)).astype(int)
    x1, y1 = np.ceil(pixels.max(0)).astype(int) + 1
    x0, x1 = (int(np.clip(x, 0, view.width)) for x in (x0, x1))
    y0, y1 = (int(np.clip(y, 0, view.height)) for y in (y0, y1))
    return (x0, y0, max(x1, x0 + 1), max(y1, y0 + 1))
