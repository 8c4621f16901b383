"""Measures a believed tower: what covers what, what hangs over an edge, what has shifted. Geometry only, by DESIGN's definitions.

The twin's truth measures with its own geometry (`rig/twin/physics/statics.py`), on purpose: the exam must not hold this to itself.
The tolerances say when a measured number is a fact; between one millimetre and the tolerance it is too close to call, and nothing is said.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import replace

from shapely import Point, Polygon
from shapely.affinity import rotate, translate

from rig.messages import Laid, Standing, Tower
from rig.pieces import Column, Floor
from rig.profile import Profile
from rig.referee.tunables import TUNED, Tunables

DOUBTED_SHARE = 0.4
"""Part of the share that must be covered from which a column may count as covered: a tenth of its top (by design)."""

WHOLE = 0.98
"""Share of a column's top that lies under a plateau covering it wholly: the rest is the polygon's (by design)."""


def outline(laid: Laid, profile: Profile) -> Polygon:
    """A laid plateau's outline in the base's frame (mm), seen from above."""
    flat = Polygon(profile.plateaus[laid.plateau].outline_mm)
    return translate(rotate(flat, laid.yaw_deg, origin=(0, 0)), laid.x_mm, laid.y_mm)


def footprint(standing: Standing, profile: Profile) -> Polygon:
    """A column's foot (or top) from above, mm."""
    size = profile.columns[standing.column.shape]
    if size.sides:
        turn = math.radians(standing.yaw_deg)
        step = 2 * math.pi / size.sides
        return Polygon(
            [
                (standing.x_mm + size.radius_mm * math.cos(turn + k * step), standing.y_mm + size.radius_mm * math.sin(turn + k * step))
                for k in range(size.sides)
            ]
        )
    return Point(standing.x_mm, standing.y_mm).buffer(size.radius_mm, quad_segs=16)


def underside_mm(laid: Laid, x_mm: float, y_mm: float) -> float:
    """Height of the plateau's underside above (x, y), tilts included (small angles: tilt about x raises +y)."""
    return (
        laid.z_mm
        + math.tan(math.radians(laid.tilt_x_deg)) * (y_mm - laid.y_mm)
        - math.tan(math.radians(laid.tilt_y_deg)) * (x_mm - laid.x_mm)
    )


def covered(tower: Tower, laid: Laid, profile: Profile, tuned: Tunables = TUNED) -> tuple[tuple[Column, bool], ...]:
    """Columns of the floor below that the plateau covers (A3), each with whether it covers it wholly.

    Covered: at least a quarter of the column's top lies under the outline and reaches up to it with a gap under the tolerance.
    """
    shape = outline(laid, profile)
    below = Floor(laid.plateau - 1)
    found: list[tuple[Column, bool]] = []
    for standing in tower.on(below):
        top = footprint(standing, profile)
        share = shape.intersection(top).area / top.area
        top_mm = standing.z_mm + profile.columns[standing.column.shape].height_mm
        if share >= tuned.covered_share and abs(underside_mm(laid, standing.x_mm, standing.y_mm) - top_mm) < tuned.gap_mm:
            found.append((standing.column, share > WHOLE))
    return tuple(found)


def may_cover(tower: Tower, laid: Laid, profile: Profile, tuned: Tunables = TUNED) -> tuple[tuple[Column, bool], ...]:
    """The same with the benefit of the doubt: places are known to a millimetre or so, and nobody is accused on less."""
    kind = replace(tuned, covered_share=tuned.covered_share * DOUBTED_SHARE, gap_mm=tuned.gap_mm + tuned.accuse_mm)
    return covered(tower, laid, profile, kind)


def overhang_mm(tower: Tower, standing: Standing, profile: Profile) -> float:
    """How far the column's foot reaches over the edge of what it stands on, mm (0: wholly on it)."""
    foot = footprint(standing, profile)
    if standing.floor is Floor.GROUND:
        support: Polygon = Point(0, 0).buffer(profile.base.radius_mm, quad_segs=64)
    else:
        laid = next((laid for laid in tower.plateaus if laid.plateau is standing.floor), None)
        if laid is None:
            return 0.0
        support = outline(laid, profile)
    outside = [support.exterior.distance(Point(x, y)) for x, y in foot.exterior.coords if not support.contains(Point(x, y))]
    return max(outside, default=0.0)


def beyond_base(laid: Laid, profile: Profile) -> float:
    """How far a plateau protrudes beyond the base's edge, mm (0: not)."""
    return max(0.0, max(math.hypot(x, y) for x, y in outline(laid, profile).exterior.coords) - profile.base.radius_mm)


def shifted(before: Tower, after: Tower, tuned: Tunables = TUNED) -> Iterator[tuple[Floor, float, float]]:
    """Plateaus that did not come back where they were (B5): plateau, mm, degrees."""
    then = {laid.plateau: laid for laid in before.plateaus}
    for laid in after.plateaus:
        if (old := then.get(laid.plateau)) is not None:
            by_mm = math.hypot(laid.x_mm - old.x_mm, laid.y_mm - old.y_mm)
            by_deg = abs((laid.yaw_deg - old.yaw_deg + 180) % 360 - 180)
            if by_mm >= tuned.shifted_mm or by_deg >= tuned.shifted_deg:
                yield laid.plateau, by_mm, by_deg


def _carried(old: Standing, before: Tower, after: Tower) -> tuple[float, float]:
    """Where the column would stand had it only ridden along with the plateau under it."""
    then = next((laid for laid in before.plateaus if laid.plateau is old.floor), None)
    now = next((laid for laid in after.plateaus if laid.plateau is old.floor), None)
    if then is None or now is None:
        return old.x_mm, old.y_mm
    turn = math.radians(now.yaw_deg - then.yaw_deg)
    x_mm, y_mm = old.x_mm - then.x_mm, old.y_mm - then.y_mm
    return (
        now.x_mm + x_mm * math.cos(turn) - y_mm * math.sin(turn),
        now.y_mm + x_mm * math.sin(turn) + y_mm * math.cos(turn),
    )


def nudged(before: Tower, after: Tower, but: Column | None, tuned: Tunables = TUNED) -> Iterator[tuple[Column, float]]:
    """Columns other than `but` that moved on the floor they stand on (B3), riding along with a shifted plateau not counted: column, mm."""
    for standing in after.columns:
        old = before.find(standing.column)
        if old is not None and standing.column != but and standing.floor is old.floor:
            x_mm, y_mm = _carried(old, before, after)
            by_mm = math.hypot(standing.x_mm - x_mm, standing.y_mm - y_mm)
            if by_mm >= tuned.nudged_mm:
                yield standing.column, by_mm
