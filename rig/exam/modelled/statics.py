"""Will it stand, and where is room? The same statics as the twin's people use, light enough for thousands of games.

Carriers are kept from when a plateau was laid instead of being worked out anew; hulls are of the carriers' middles.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
import shapely
from shapely import Point, Polygon
from shapely.affinity import rotate, translate

from rig.messages import Laid, Standing, Tower
from rig.pieces import Column, Floor, Shape
from rig.profile import Profile
from rig.twin.people.plans import level_mm

EDGE_MM, NEIGHBOUR_MM = 1.0, 6.0
"""Air between a placed foot and the edge, and its neighbours: as the twin's people leave (`rig.twin.people.plans`)."""

FAR_MM = 1e3
"""The margin of a tower with nothing on it."""

Spot = tuple[float, float]


@dataclass(frozen=True, slots=True)
class Site:
    """The set's outlines, made once a game, and who carries each plateau that lies."""

    profile: Profile
    outlines: Mapping[Floor, Polygon]
    inner: dict[tuple[Floor, Shape], Polygon] = field(default_factory=dict)

    @classmethod
    def of(cls, profile: Profile) -> Site:
        return cls(profile, {floor: Polygon(size.outline_mm) for floor, size in profile.plateaus.items()})

    def outline(self, laid: Laid) -> Polygon:
        """Where the plateau lies, seen from above."""
        return translate(rotate(self.outlines[laid.plateau], laid.yaw_deg, origin=(0, 0)), laid.x_mm, laid.y_mm)

    def radius_mm(self, column: Column) -> float:
        return self.profile.columns[column.shape].radius_mm

    def height_mm(self, column: Column) -> float:
        return self.profile.columns[column.shape].height_mm

    def mass_g(self, column: Column) -> float:
        return self.profile.columns[column.shape].mass_g


def laid_of(tower: Tower, floor: Floor) -> Laid | None:
    return next((laid for laid in tower.plateaus if laid.plateau is floor), None)


def covered(site: Site, laid: Laid, below: Iterable[Standing]) -> list[Standing]:
    """The columns under the plateau whose tops reach up to it (A3), a quarter of the top counting."""
    shape = site.outline(laid)
    found = []
    for standing in below:
        top_mm = standing.z_mm + site.height_mm(standing.column)
        foot = Point(standing.x_mm, standing.y_mm).buffer(site.radius_mm(standing.column), quad_segs=4)
        if abs(top_mm - laid.z_mm) < 3.0 and shape.intersection(foot).area >= 0.25 * foot.area:
            found.append(standing)
    return found


def inside_mm(points: Sequence[Spot], at: Spot) -> float:
    """How far `at` lies inside the convex hull of `points`; negative outside, -FAR_MM if there is no hull."""
    hull = _hull(sorted(set(points)))
    if len(hull) < 3:
        return -FAR_MM
    least = FAR_MM
    for (x0, y0), (x1, y1) in zip(hull, (*hull[1:], hull[0]), strict=True):
        length = math.hypot(x1 - x0, y1 - y0)
        least = min(least, ((x1 - x0) * (at[1] - y0) - (y1 - y0) * (at[0] - x0)) / length)
    return least


def _hull(points: Sequence[Spot]) -> list[Spot]:
    """Andrew's monotone chain, counter-clockwise (Andrew 1979)."""
    if len(points) < 3:
        return list(points)

    def half(ordered: Iterable[Spot]) -> list[Spot]:
        chain: list[Spot] = []
        for point in ordered:
            while len(chain) > 1 and _turn(chain[-2], chain[-1], point) <= 0:
                chain.pop()
            chain.append(point)
        return chain[:-1]

    return half(points) + half(reversed(points))


def _turn(a: Spot, b: Spot, c: Spot) -> float:
    return (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0])


Carriers = Mapping[Floor, frozenset[Column]]
"""For each plateau that lies, the columns that it covers and that reach up to it."""


def margin_mm(site: Site, tower: Tower, carriers: Carriers) -> float:
    """The least, over all plateaus, of how far inside its carriers' hull the load on it acts."""
    mass = sx = sy = 0.0
    least = FAR_MM
    for laid in reversed(tower.plateaus):
        for standing in tower.columns:
            if standing.floor is laid.plateau:
                grams = site.mass_g(standing.column)
                mass, sx, sy = mass + grams, sx + grams * standing.x_mm, sy + grams * standing.y_mm
        grams = site.profile.plateaus[laid.plateau].mass_g
        mass, sx, sy = mass + grams, sx + grams * laid.x_mm, sy + grams * laid.y_mm
        below = Floor(laid.plateau - 1)
        mine = carriers[laid.plateau]
        points = [(s.x_mm, s.y_mm) for s in tower.columns if s.floor is below and s.column in mine]
        least = min(least, inside_mm(points, (sx / mass, sy / mass)))
    return least


def free_spots(site: Site, tower: Tower, column: Column, rng: np.random.Generator, number: int = 60) -> list[Spot]:
    """Free places for `column` on the top floor, in random order."""
    laid = tower.plateaus[-1]
    radius_mm = site.radius_mm(column)
    key = laid.plateau, column.shape
    if key not in site.inner:
        site.inner[key] = site.outlines[laid.plateau].buffer(-(radius_mm + EDGE_MM))
    inner = site.inner[key]
    if inner.is_empty:
        return []
    left, bottom, right, top = inner.bounds
    local = rng.uniform((left, bottom), (right, top), (number, 2))
    local = local[shapely.contains_xy(inner, local)]
    a = math.radians(laid.yaw_deg)
    x = laid.x_mm + local[:, 0] * math.cos(a) - local[:, 1] * math.sin(a)
    y = laid.y_mm + local[:, 0] * math.sin(a) + local[:, 1] * math.cos(a)
    others = [(s.x_mm, s.y_mm, site.radius_mm(s.column)) for s in tower.on(laid.plateau) if s.column != column]
    free = np.ones(len(x), dtype=bool)
    for ox, oy, r in others:
        free &= np.hypot(x - ox, y - oy) > radius_mm + r + NEIGHBOUR_MM
    return [(float(u), float(v)) for u, v in zip(x[free], y[free], strict=True)]


def without(tower: Tower, *columns: Column) -> Tower:
    return Tower(tuple(s for s in tower.columns if s.column not in columns), tower.plateaus)


def stood(tower: Tower, standing: Standing) -> Tower:
    return Tower((*tower.columns, standing), tower.plateaus)


@dataclass(frozen=True, slots=True)
class Plan:
    """A raise thought out: where it goes, and how much the tower has to spare."""

    column: Column
    x_mm: float
    y_mm: float
    margin_mm: float
    held: bool
    """A plateau lies on the column and is lifted meanwhile."""


def plan_raise(site: Site, tower: Tower, carriers: Carriers, column: Column, rng: np.random.Generator) -> Plan | None:
    """The safest of a few places; None if the column stands on top or there is no room."""
    standing = tower.find(column)
    if standing is None or standing.floor is tower.top_floor:
        return None
    rest = without(tower, column)
    best: Plan | None = None
    held = column in carriers.get(Floor(standing.floor + 1), frozenset())
    z_mm = level_mm(tower, tower.top_floor, site.profile)
    for x_mm, y_mm in free_spots(site, rest, column, rng)[:6]:
        after = stood(rest, Standing(column, tower.top_floor, x_mm, y_mm, z_mm))
        left = margin_mm(site, after, carriers) + 0.04 * _spread(after, x_mm, y_mm)
        if best is None or left > best.margin_mm:
            best = Plan(column, x_mm, y_mm, left, held)
    return best


def _spread(tower: Tower, x_mm: float, y_mm: float) -> float:
    others = [(s.x_mm, s.y_mm) for s in tower.on(tower.top_floor) if (s.x_mm, s.y_mm) != (x_mm, y_mm)]
    return min((math.hypot(x_mm - x, y_mm - y) for x, y in others), default=30.0)


def plan_laying(
    site: Site, tower: Tower, carriers: Carriers, plateau: Floor, rng: np.random.Generator, least_mm: float, tries: int = 24
) -> tuple[Laid, frozenset[Column]] | None:
    """How `plateau` can lie with `least_mm` to spare, and what it then covers; None if it cannot."""
    below = tower.on(tower.top_floor)
    if len(below) < 3:
        return None
    z_mm = max(s.z_mm + site.height_mm(s.column) for s in below)
    points = np.array([[s.x_mm, s.y_mm] for s in below])
    middle = points.mean(axis=0)
    best, most = None, least_mm
    for _ in range(tries):
        x, y = middle + rng.normal(0, 12, 2)
        laid = Laid(plateau, float(x), float(y), z_mm, float(rng.uniform(-180, 180)))
        shape = site.outline(laid)
        if plateau is Floor.BLUE and float(np.hypot(*np.array(shape.exterior.coords).T).max()) > site.profile.base.radius_mm - 2:
            continue
        if int(shapely.contains_xy(shape, points).sum()) < 3:
            continue
        under = frozenset(s.column for s in covered(site, laid, below))
        after = Tower(tower.columns, (*tower.plateaus, laid))
        left = margin_mm(site, after, {**carriers, plateau: under}) if len(under) >= 3 else -FAR_MM
        if left > most:
            best, most = (laid, under), left
    return best


def moved(tower: Tower, column: Column, dx_mm: float, dy_mm: float) -> Tower:
    """`tower` with one column pushed aside."""
    return Tower(tuple(_replaced(s, s.x_mm + dx_mm, s.y_mm + dy_mm) if s.column == column else s for s in tower.columns), tower.plateaus)


def _replaced(s: Standing, x_mm: float, y_mm: float) -> Standing:
    return Standing(s.column, s.floor, x_mm, y_mm, s.z_mm, s.yaw_deg)


def shifted(tower: Tower, plateau: Floor, dx_mm: float, dy_mm: float) -> Tower:
    """`tower` with a plateau, and all that stands on it, carried aside."""
    plateaus = tuple(
        Laid(p.plateau, p.x_mm + dx_mm, p.y_mm + dy_mm, p.z_mm, p.yaw_deg) if p.plateau >= plateau else p for p in tower.plateaus
    )
    columns = tuple(_replaced(s, s.x_mm + dx_mm, s.y_mm + dy_mm) if s.floor >= plateau else s for s in tower.columns)
    return Tower(columns, plateaus)


def less(carriers: Carriers, column: Column) -> Carriers:
    """The carriers once `column` is out."""
    return {plateau: some - {column} for plateau, some in carriers.items()}
