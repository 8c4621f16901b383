"""What a careful player thinks out before reaching in: which column can go, which way out, where it may stand, how a plateau may lie.

Plans are made with rigid plates and straight paths on the tower as it stands; they are intentions, never truth.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import msgspec
import numpy as np
import numpy.typing as npt
from shapely import LineString, Point

from rig.messages import Laid, Standing, Tower
from rig.pieces import Column, Floor
from rig.profile import Profile
from rig.twin.physics.statics import covered, footprint, margin, margins, outline

FINGER_MM = 3.5
"""Air a column needs on both sides on its way out."""
OUT_MM = 225.0
"""Distance from the middle at which a pulled column is clear of everything."""
EDGE_MM = 4.0
"""Air between a placed foot and the edge."""
NEIGHBOUR_MM = 6.0
"""Air between a placed foot and its neighbours: room for fingers."""

RIM_MM = 5.0
"""How near to the rim of the site a column is stood that is to be outside the blue plateau."""


@dataclass(frozen=True, slots=True)
class Raise:
    """A plan to raise `column` out towards `azimuth_deg` and onto (x_mm, y_mm) of the top floor; `held` is the plateau lifted meanwhile."""

    column: Column
    azimuth_deg: float
    x_mm: float
    y_mm: float
    held: Floor | None
    margin_mm: float


def without(tower: Tower, column: Column) -> Tower:
    """The tower less one column."""
    return msgspec.structs.replace(tower, columns=tuple(s for s in tower.columns if s.column != column))


def level_mm(tower: Tower, floor: Floor, profile: Profile) -> float:
    """Height of the floor columns stand on."""
    laid = next((laid for laid in tower.plateaus if laid.plateau is floor), None)
    return laid.z_mm + profile.plateaus[floor].thickness_mm if laid is not None else 0.0


def way_out(tower: Tower, standing: Standing, profile: Profile) -> float | None:
    """The azimuth (degrees) of the clearest straight way out; None if there is none."""
    radius_mm = profile.columns[standing.column.shape].radius_mm
    feet = [footprint(profile, s) for s in tower.on(standing.floor) if s.column != standing.column]
    best, most = None, FINGER_MM
    for azimuth in range(0, 360, 10):
        a = math.radians(azimuth)
        path = LineString([(standing.x_mm, standing.y_mm), (standing.x_mm + 400 * math.cos(a), standing.y_mm + 400 * math.sin(a))])
        room = min((path.distance(foot) - radius_mm for foot in feet), default=50.0)
        # A way that begins outward is shorter; two millimetres of room decide before that.
        room = min(room, 12.0) + 1.5 * math.cos(a - math.atan2(standing.y_mm, standing.x_mm))
        if room > most + 1.5:
            best, most = float(azimuth), room
    return best


def plateau_over(tower: Tower, standing: Standing, profile: Profile) -> Floor | None:
    """The plateau right above a column, None if its floor is the top or it stands beside the plateau."""
    above = next((laid for laid in tower.plateaus if laid.plateau == standing.floor + 1), None)
    return above.plateau if above is not None and outline(profile, above).intersects(footprint(profile, standing)) else None


def places(tower: Tower, column: Column, profile: Profile, rng: np.random.Generator) -> list[tuple[float, float]]:
    """Free places for `column` on the top floor, in random order."""
    floor = tower.top_floor
    laid = tower.plateaus[-1]
    radius_mm = profile.columns[column.shape].radius_mm
    inner = outline(profile, laid).buffer(-(radius_mm + EDGE_MM))
    if inner.is_empty:
        return []
    others = [(s.x_mm, s.y_mm, profile.columns[s.column.shape].radius_mm) for s in tower.on(floor)]
    left, bottom, right, top = inner.bounds
    free: list[tuple[float, float]] = []
    for x, y in rng.uniform((left, bottom), (right, top), (160, 2)):
        apart = all(math.hypot(x - ox, y - oy) > radius_mm + r + NEIGHBOUR_MM for ox, oy, r in others)
        if apart and inner.contains(Point(x, y)):
            free.append((float(x), float(y)))
    return free


def plan_raise(tower: Tower, column: Column, profile: Profile, rng: np.random.Generator) -> Raise | None:
    """The safest way to raise `column`; None if it cannot be got out or put anywhere."""
    standing = tower.find(column)
    if standing is None or standing.floor is tower.top_floor:
        return None
    azimuth = way_out(tower, standing, profile)
    if azimuth is None:
        return None
    rest = without(tower, column)
    alone_mm = margin(profile, rest)
    best: Raise | None = None
    z_mm = level_mm(tower, tower.top_floor, profile)
    spots = places(rest, column, profile, rng)[:24]
    held = plateau_over(tower, standing, profile)
    for x_mm, y_mm in spots:
        after = msgspec.structs.replace(rest, columns=(*rest.columns, Standing(column, tower.top_floor, x_mm, y_mm, z_mm)))
        least = min(alone_mm, margin(profile, after))
        value = least + 0.04 * _spread(after, x_mm, y_mm)
        if best is None or value > best.margin_mm:
            best = Raise(column, azimuth, x_mm, y_mm, held, value)
    return best


def over_the_edge(tower: Tower, plan: Raise, profile: Profile, overhang_mm: float) -> tuple[float, float]:
    """The place of `plan` moved outward until the foot reaches `overhang_mm` beyond the top plateau's edge, where neighbours allow it."""
    laid = tower.plateaus[-1]
    shape = outline(profile, laid)
    radius_mm = profile.columns[plan.column.shape].radius_mm
    # No further than where the column's middle is still well on the plateau.
    edge = shape.buffer(-max(radius_mm - overhang_mm, 2.5)).exterior
    others = [(s.x_mm, s.y_mm, profile.columns[s.column.shape].radius_mm) for s in tower.on(tower.top_floor)]
    spots = [edge.interpolate(share, normalized=True) for share in np.linspace(0, 1, 60, endpoint=False)]
    free = [p for p in spots if all(math.hypot(p.x - x, p.y - y) > radius_mm + r + NEIGHBOUR_MM for x, y, r in others)]
    if not free:
        return plan.x_mm, plan.y_mm
    nearest = min(free, key=lambda p: math.hypot(p.x - plan.x_mm, p.y - plan.y_mm))
    return float(nearest.x), float(nearest.y)


def carrier_for(tower: Tower, column: Column, profile: Profile) -> Standing | None:
    """The broadest column of the top floor that carries nothing yet: where `column` could be stacked. One whose axis lies over a column's
    top stands on it."""
    floor_mm = level_mm(tower, tower.top_floor, profile)
    top = [s for s in tower.on(tower.top_floor) if s.column != column]
    upper = [s for s in top if s.z_mm > floor_mm + 20]

    def carries(s: Standing) -> bool:
        return any(math.hypot(s.x_mm - u.x_mm, s.y_mm - u.y_mm) <= profile.columns[s.column.shape].radius_mm for u in upper)

    free = [s for s in top if s not in upper and not carries(s)]
    return max(free, key=lambda s: profile.columns[s.column.shape].radius_mm, default=None)


def _spread(tower: Tower, x_mm: float, y_mm: float) -> float:
    """Places far from the others on the floor make a broader footing for the next plateau."""
    others = [(s.x_mm, s.y_mm) for s in tower.on(tower.top_floor) if (s.x_mm, s.y_mm) != (x_mm, y_mm)]
    return min((math.hypot(x_mm - x, y_mm - y) for x, y in others), default=30.0)


def plan_laying(tower: Tower, plateau: Floor, profile: Profile, rng: np.random.Generator, least_mm: float, tries: int = 160) -> Laid | None:
    """How `plateau` can lie on the top floor with at least `least_mm` to spare, covering three or more (A3); None if it cannot."""
    below = tower.on(tower.top_floor)
    if len(below) < 3:
        return None
    z_mm = max(s.z_mm + profile.columns[s.column.shape].height_mm for s in below)
    points = np.array([[s.x_mm, s.y_mm] for s in below])
    middle = points.mean(axis=0)
    best, most = None, least_mm
    for _ in range(tries):
        x, y = middle + rng.normal(0, 12, 2)
        laid = Laid(plateau, float(x), float(y), z_mm, float(rng.uniform(-180, 180)))
        if len(_reaching(profile, laid, below)) < 3 or (plateau is Floor.BLUE and _beyond(laid, profile)):
            continue
        after = msgspec.structs.replace(tower, plateaus=(*tower.plateaus, laid))
        value = margin(profile, after)
        if value > most:
            best, most = laid, value
    return best


def _reaching(profile: Profile, laid: Laid, below: tuple[Standing, ...]) -> list[Standing]:
    """The covered columns that reach up to the plateau (where one is stacked on another, the others do not)."""
    under = covered(profile, laid, below)
    return [s for s in under if s.z_mm + profile.columns[s.column.shape].height_mm > laid.z_mm - 3.0]


def _beyond(laid: Laid, profile: Profile) -> bool:
    reach = max(math.hypot(x, y) for x, y in outline(profile, laid).exterior.coords)
    return reach > profile.base.radius_mm - 2.0


def plan_set_up(profile: Profile, rng: np.random.Generator, outside: int = 0, gap_mm: float = 9.0) -> list[Standing]:
    """Places for all columns on the building site, with room for fingers; columns alike in ascending number. The last `outside` of them
    stand at the site's rim."""
    columns = list(profile.pieces.columns)
    order = [columns[k] for k in rng.permutation(len(columns))]
    numbered = {kind: iter(sorted(c for c in columns if c.kind == kind)) for kind in {c.kind for c in columns}}
    site_mm = profile.base.site_radius_mm
    while True:
        found: list[tuple[float, float, float]] = []
        for k, column in enumerate(order):
            radius_mm = profile.columns[column.shape].radius_mm
            rim = k >= len(order) - outside
            for x, y in _at_the_rim(rng, site_mm - radius_mm) if rim else rng.uniform(-site_mm, site_mm, (60, 2)):
                inside = math.hypot(x, y) + radius_mm + 2 < site_mm
                if inside and all(math.hypot(x - ox, y - oy) > radius_mm + r + gap_mm for ox, oy, r in found):
                    found.append((float(x), float(y), radius_mm))
                    break
        if len(found) == len(order):
            return [
                Standing(next(numbered[c.kind]), Floor.GROUND, x, y, 0.0, float(rng.uniform(-30, 30)))
                for c, (x, y, _) in zip(order, found, strict=True)
            ]


def _at_the_rim(rng: np.random.Generator, reach_mm: float) -> npt.NDArray[np.float64]:
    """60 places (x, y) within `RIM_MM` of the circle of this radius."""
    angle, away = rng.uniform(0, 2 * math.pi, 60), reach_mm - 2 - rng.uniform(0.1, RIM_MM, 60)
    return np.column_stack([away * np.cos(angle), away * np.sin(angle)])


def weakest_carrier(tower: Tower, columns: list[Column], profile: Profile) -> tuple[Column, float] | None:
    """Of `columns`, one whose loss the tower bears least and that can be got out, with its way out; None if none can."""
    chosen: tuple[float, Column, float] | None = None
    for column in columns:
        standing = tower.find(column)
        if standing is None or standing.floor is tower.top_floor:
            continue
        azimuth = way_out(tower, standing, profile)
        left = min(margins(profile, without(tower, column)), default=1e3)
        if azimuth is not None and (chosen is None or left < chosen[0]):
            chosen = (left, column, azimuth)
    return (chosen[1], chosen[2]) if chosen is not None else None
