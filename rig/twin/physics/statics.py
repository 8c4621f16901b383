"""Will it stand? The tower as rigid plates on column tops, each plate's load inside the hull of what carries it.

The bots choose by this, and towers for pictures are drawn by it. It is never the truth: what happens is up to the physics.
"""

from __future__ import annotations

import math
from collections.abc import Iterable

import numpy as np
import numpy.typing as npt
from scipy.spatial import ConvexHull, QhullError
from shapely import Point as ShapelyPoint
from shapely import Polygon
from shapely.affinity import rotate, translate

from rig.messages import Laid, Standing, Tower
from rig.pieces import Floor
from rig.profile import Profile

Array = npt.NDArray[np.float64]


def outline(profile: Profile, laid: Laid) -> Polygon:
    """A laid plateau's outline seen from above, mm."""
    shape = Polygon(profile.plateaus[laid.plateau].outline_mm)
    return translate(rotate(shape, laid.yaw_deg, origin=(0, 0)), laid.x_mm, laid.y_mm)


def footprint(profile: Profile, standing: Standing) -> Polygon:
    """A standing column's cross section seen from above, mm."""
    size = profile.columns[standing.column.shape]
    if not size.sides:
        return ShapelyPoint(standing.x_mm, standing.y_mm).buffer(size.radius_mm, quad_segs=16)
    angles = [math.radians(standing.yaw_deg) + 2 * math.pi * k / size.sides for k in range(size.sides)]
    return Polygon([(standing.x_mm + size.radius_mm * math.cos(a), standing.y_mm + size.radius_mm * math.sin(a)) for a in angles])


def covered(profile: Profile, laid: Laid, below: Iterable[Standing], share: float = 0.25) -> list[Standing]:
    """The columns whose tops lie under the plateau by at least `share` of their area (A3)."""
    shape = outline(profile, laid)
    result = []
    for standing in below:
        foot = footprint(profile, standing)
        if shape.intersection(foot).area >= share * foot.area:
            result.append(standing)
    return result


def hull_margin(points: Array, at: Array) -> float:
    """How far (mm) `at` (2,) lies inside the convex hull of `points` (n, 2); negative outside, -1e3 if there is no hull."""
    if len(points) < 3:
        return -1e3
    try:
        hull = ConvexHull(points)
    except QhullError:
        return -1e3
    return float(-np.max(hull.equations[:, :2] @ at + hull.equations[:, 2]))


def margins(profile: Profile, tower: Tower) -> list[float]:
    """For every plateau from the bottom: how far inside its carriers' hull (through their middles) the load on it acts, mm."""
    mass, moment = 0.0, np.zeros(2)
    result: list[float] = []
    for laid in reversed(tower.plateaus):
        for standing in tower.on(laid.plateau):
            grams = profile.columns[standing.column.shape].mass_g
            mass, moment = mass + grams, moment + grams * np.array([standing.x_mm, standing.y_mm])
        grams = profile.plateaus[laid.plateau].mass_g
        mass, moment = mass + grams, moment + grams * np.array([laid.x_mm, laid.y_mm])
        carriers = covered(profile, laid, tower.on(Floor(laid.plateau - 1)))
        result.append(hull_margin(np.array([[s.x_mm, s.y_mm] for s in carriers]).reshape(-1, 2), moment / mass))
    return result[::-1]


def margin(profile: Profile, tower: Tower) -> float:
    """The least of all margins; 1e3 with no plateau."""
    return min(margins(profile, tower), default=1e3)
