"""Towers out of nowhere: statically stable mid-game ones, for pictures, for tests, and to begin a situation from.

Drawn at random by rejection, held to `statics.py`; heights are the nominal ones. Whether such a tower really stands is for the physics.
"""

from __future__ import annotations

import math

import numpy as np
from shapely import Polygon

from rig.errors import PalettiError
from rig.messages import Laid, Standing, Tower
from rig.pieces import Column, Floor
from rig.profile import Profile
from rig.twin.physics.statics import footprint, margin, outline

GAP_MM = 4.0
"""Air between neighbours."""
EDGE_MM = 3.0
"""Air between a foot and its floor's edge."""


def random_tower(profile: Profile, seed: int, plateaus: int, least_margin_mm: float = 8.0) -> Tower:
    """All columns of the set on the ground and on `plateaus` plateaus, standing with `least_margin_mm` to spare. Deterministic by seed.

    PalettiError if the set has no such tower.
    """
    if not 0 <= plateaus <= len(profile.pieces.plateaus):
        raise PalettiError(f"A tower has 0 to {len(profile.pieces.plateaus)} plateaus, not {plateaus}.")
    rng = np.random.default_rng((seed, plateaus, 0x70E3))
    for _ in range(4000):
        tower = _try(profile, rng, plateaus)
        if tower is not None and margin(profile, tower) >= least_margin_mm:
            return tower
    raise PalettiError(
        f"No stable tower of {plateaus} plateaus was found for the set {profile.name}.", "Columns may be too wide for its plateaus."
    )


def _try(profile: Profile, rng: np.random.Generator, plateaus: int) -> Tower | None:
    columns = [profile.pieces.columns[k] for k in rng.permutation(len(profile.pieces.columns))]
    counts = [int(rng.integers(3, 6)) for _ in range(plateaus)]
    if plateaus:
        counts[-1] = int(rng.integers(0, 5))
    ground = len(columns) - sum(counts)
    if ground < 3:
        return None
    floors: list[list[Column]] = []
    for count in (ground, *counts):
        floors.append(columns[:count])
        columns = columns[count:]
    return _place(profile, rng, floors)


def tower_with(profile: Profile, seed: int, floors: list[list[Column]], least_margin_mm: float = 4.0, tries: int = 600) -> Tower | None:
    """A tower with these columns on the ground, on the blue plateau, …; None if none was found that stands with that much to spare."""
    rng = np.random.default_rng((seed, len(floors), 0x70E4))
    for _ in range(tries):
        tower = _place(profile, rng, floors)
        if tower is not None and margin(profile, tower) >= least_margin_mm:
            return tower
    return None


def _place(profile: Profile, rng: np.random.Generator, floors: list[list[Column]]) -> Tower | None:
    standings: list[Standing] = []
    laid: list[Laid] = []
    z = 0.0
    for floor, columns in enumerate(floors):
        if floor:
            plateau = Floor(floor)
            below = [s for s in standings if s.floor == floor - 1]
            middle = np.mean([[s.x_mm, s.y_mm] for s in below], axis=0) + rng.normal(0, 9, 2)
            under = z + max(profile.columns[s.column.shape].height_mm for s in below)
            laid.append(Laid(plateau, float(middle[0]), float(middle[1]), under, float(rng.uniform(-180, 180))))
            z = under + profile.plateaus[plateau].thickness_mm
        place = outline(profile, laid[-1]) if floor else _site(profile)
        for column in columns:
            standing = stand_somewhere(profile, rng, column, Floor(floor), z, place, [s for s in standings if s.floor == floor])
            if standing is None:
                return None
            standings.append(standing)
    return Tower(tuple(standings), tuple(laid))


def _site(profile: Profile) -> Polygon:
    radius = profile.base.site_radius_mm
    return Polygon([(radius * math.cos(a), radius * math.sin(a)) for a in np.linspace(0, 2 * math.pi, 90, endpoint=False)])


def stand_somewhere(
    profile: Profile, rng: np.random.Generator, column: Column, floor: Floor, z_mm: float, place: Polygon, others: list[Standing]
) -> Standing | None:
    """`column` at a free spot of `place`, clear of its edge and of the others; None after 80 misses."""
    left, bottom, right, top = place.bounds
    inner = place.buffer(-EDGE_MM)
    feet = [footprint(profile, other).buffer(GAP_MM) for other in others]
    for _ in range(80):
        x, y = rng.uniform((left, bottom), (right, top))
        standing = Standing(column, floor, float(x), float(y), z_mm, float(rng.uniform(-30, 30)))
        foot = footprint(profile, standing)
        if inner.contains(foot) and not any(foot.intersects(other) for other in feet):
            return standing
    return None
