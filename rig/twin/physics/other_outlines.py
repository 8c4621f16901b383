"""World B's plateaus: of about the size of world A's, of another family of outlines, never tuned on.

World A cuts its outlines from superellipses. Here each is two ovals of changing curvature, drawn by their support function (how far the
outline reaches in every direction), which is convex as long as h + h'' is positive (Schneider, Convex Bodies, 1.7); joined off-centre they
make pears, beans and leaves.
"""

from __future__ import annotations

import math

import numpy as np
from shapely import Polygon
from shapely.affinity import scale, translate

from rig.profile import PlateauSize
from rig.profile.outlines import plateau_size

POINTS = 40
WAVES = (2, 3, 4)
ROUND = 0.75
"""How far an oval may be from a circle: 1 has places where its outline is pointed."""
LONGEST = 1.28
"""How far a plateau reaches from its middle, as a share of the radius of a disc of its size: blue must find room on the base (U2)."""


def oval(rng: np.random.Generator) -> Polygon:
    """A convex outline of mean radius 1 without corners, round the origin."""
    share = rng.dirichlet((2.0, 1.6, 1.0)) * ROUND
    sizes = [float(part) / (n * n - 1) for part, n in zip(share, WAVES, strict=True)]  # h + h'' is 1 - sum(size (n² - 1) cos …)
    phases = rng.uniform(0, 2 * math.pi, len(WAVES))
    a = np.linspace(0, 2 * math.pi, POINTS, endpoint=False)
    reach = 1 + sum(size * np.cos(n * a + phase) for size, n, phase in zip(sizes, WAVES, phases, strict=True))
    slope = -sum(size * n * np.sin(n * a + phase) for size, n, phase in zip(sizes, WAVES, phases, strict=True))
    hull = Polygon(np.column_stack([reach * np.cos(a) - slope * np.sin(a), reach * np.sin(a) + slope * np.cos(a)])).convex_hull
    assert isinstance(hull, Polygon)
    return hull


def other_plateau(rng: np.random.Generator, nominal: PlateauSize, below_mm2: float) -> PlateauSize:
    """A plateau of about `nominal`'s area, always smaller than the one below (P2)."""
    thickness_mm, density = rng.uniform(4.2, 5.2), rng.uniform(0.52e-3, 0.66e-3)
    wanted_mm2 = min(Polygon(nominal.outline_mm).area * rng.uniform(0.92, 1.02), 0.95 * below_mm2)
    while True:
        way, apart, smaller = rng.uniform(0, 2 * math.pi), rng.uniform(0.55, 0.95), rng.uniform(0.62, 0.9)
        parts = [oval(rng), translate(scale(oval(rng), smaller, smaller, origin=(0, 0)), apart * math.cos(way), apart * math.sin(way))]
        grow = math.sqrt(wanted_mm2 / Polygon(plateau_size(parts).outline_mm).area)
        size = plateau_size([scale(part, grow, grow, origin=(0, 0)) for part in parts], round(thickness_mm, 2), density)
        if np.hypot(*np.array(size.outline_mm).T).max() < LONGEST * math.sqrt(wanted_mm2 / math.pi):
            return size
