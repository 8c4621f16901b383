"""How far things reach over an edge, in millimetres with a standard deviation: feet over their floor's, plateaus over the base's.

Positive is beyond the edge, negative inside it. A column on the ground is held against the base's edge and against the building site's,
beyond which the outer ring begins; one that stands on another column against that one's top. What is uncertain is the column's place and
the plateau's, each along the edge's normal, and the edge's own line.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from shapely import Point, Polygon

from rig.messages import Laid, Standing, Tower
from rig.pieces import Column, Floor
from rig.profile import Profile
from vision.reading.plateau_sigma import PlateauSigma
from vision.reading.uncertainty import PlaceSigma, Uncertainties
from vision.scene.solids import floor_z_mm, polygon_of, turned

EDGE_SIGMA_MM = 0.6
"""How well an edge's line is known from calibration: outlines are traced from pictures to a millimetre at most. Set by hand;
`rig.bench.bench_reading towers` prints how far overhangs are off in their own sigmas."""

STACKED_MM = 30.0
"""A foot so far above its floor stands on another column (B8). By design: far less than a column is high, and many times a place's
error."""

_FOOT_CORNERS = 48

BASE, SITE = "base", "building site"


@dataclass(frozen=True, slots=True)
class Overhang:
    """`what` reaches `mm` (negative: stays inside) over the edge of `over`: `base`, `building site`, a plateau's word, a column."""

    what: Column | Floor
    over: str
    mm: float
    sigma_mm: float

    @property
    def chance(self) -> float:
        """Probability that it is beyond the edge at all."""
        return 0.5 * math.erfc(-self.mm / (math.sqrt(2.0) * self.sigma_mm))


def overhangs(profile: Profile, tower: Tower, known: Uncertainties) -> tuple[Overhang, ...]:
    """Of every column and plateau whose uncertainty is given."""
    places, plateaus = known.columns, known.plateaus
    found: list[Overhang] = []
    for standing in tower.columns:
        if standing.column in places:
            found += _of_column(profile, tower, standing, known)
    base = _disc(profile.base.radius_mm)
    for laid in tower.plateaus:
        if laid.plateau in plateaus:
            mm, normal, at = _farthest(base, list(_outline(profile, laid).exterior.coords))
            arm = (at[0] - laid.x_mm, at[1] - laid.y_mm)
            sigma = math.hypot(plateaus[laid.plateau].edge_mm(arm, normal), EDGE_SIGMA_MM)
            found.append(Overhang(laid.plateau, BASE, round(mm, 2), round(sigma, 2)))
    return tuple(found)


def _of_column(profile: Profile, tower: Tower, standing: Standing, known: Uncertainties) -> list[Overhang]:
    own = known.columns[standing.column]
    foot = list(_foot(profile, standing).exterior.coords)
    carrier = _carrier(profile, tower, standing)
    laid = next((one for one in tower.plateaus if one.plateau is standing.floor), None)

    def over(word: str, edge: Polygon, sigma_of: PlaceSigma | PlateauSigma | None) -> Overhang:
        mm, normal, at = _farthest(edge, foot)
        of_edge = 0.0
        if isinstance(sigma_of, PlaceSigma):
            of_edge = sigma_of.along_mm(*normal)
        elif sigma_of is not None and laid is not None:
            of_edge = sigma_of.edge_mm((at[0] - laid.x_mm, at[1] - laid.y_mm), normal)
        sigma = math.sqrt(own.along_mm(*normal) ** 2 + of_edge**2 + EDGE_SIGMA_MM**2)
        return Overhang(standing.column, word, round(mm, 2), round(sigma, 2))

    if carrier is not None:
        return [over(str(carrier.column), _foot(profile, carrier), known.columns.get(carrier.column))]
    if laid is None:
        return [over(BASE, _disc(profile.base.radius_mm), None), over(SITE, _disc(profile.base.site_radius_mm), None)]
    return [over(laid.plateau.word, _outline(profile, laid), known.plateaus.get(laid.plateau))]


def _carrier(profile: Profile, tower: Tower, standing: Standing) -> Standing | None:
    """The column that this one is stacked on, if any: the nearest on its floor that stands lower."""
    if standing.z_mm - floor_z_mm(profile, tower, standing.floor) < STACKED_MM:
        return None
    lower = [one for one in tower.on(standing.floor) if one.z_mm < standing.z_mm - STACKED_MM]
    return min(lower, key=lambda one: math.hypot(one.x_mm - standing.x_mm, one.y_mm - standing.y_mm), default=None)


def _disc(radius_mm: float) -> Polygon:
    return Point(0.0, 0.0).buffer(radius_mm, quad_segs=64)


def _foot(profile: Profile, standing: Standing) -> Polygon:
    size = profile.columns[standing.column.shape]
    corners = polygon_of(size.radius_mm, size.sides or _FOOT_CORNERS, standing.yaw_deg)
    return Polygon(corners + (standing.x_mm, standing.y_mm))


def _outline(profile: Profile, laid: Laid) -> Polygon:
    return Polygon(turned(np.array(profile.plateaus[laid.plateau].outline_mm), laid.yaw_deg) + (laid.x_mm, laid.y_mm))


def _farthest(edge: Polygon, points: list[tuple[float, ...]]) -> tuple[float, tuple[float, float], tuple[float, float]]:
    """How far (mm) the farthest of `points` lies beyond the edge, the outward normal there, and the edge's point nearest to it."""
    rim = edge.exterior
    signed = [(rim.distance(Point(p)) * (-1.0 if edge.contains(Point(p)) else 1.0), (p[0], p[1])) for p in points]
    mm, at = max(signed)
    near = rim.interpolate(rim.project(Point(at)))
    dx, dy = at[0] - near.x, at[1] - near.y
    if math.hypot(dx, dy) < 1e-6:  # right on the edge
        dx, dy = near.x - edge.centroid.x, near.y - edge.centroid.y
    elif mm < 0:
        dx, dy = -dx, -dy
    length = math.hypot(dx, dy)
    return mm, (dx / length, dy / length), (near.x, near.y)
