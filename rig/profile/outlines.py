"""A plateau from the outlines that make it up: moved to its centre of mass, with no edge too short to have a direction."""

from __future__ import annotations

import math
from collections.abc import Sequence

from shapely import Polygon
from shapely.affinity import translate
from shapely.geometry.polygon import orient
from shapely.ops import unary_union

from rig.errors import PalettiError
from rig.profile.types import PlateauSize, Point

LEAST_EDGE_MM = 0.01
"""No edge of a plateau is shorter: rounding would leave it none of its direction."""


def _ring(polygon: Polygon) -> tuple[Point, ...]:
    """Its corners to a thousandth of a millimetre, none nearly twice in a row: an edge without length has no direction."""
    corners: list[Point] = []
    for x, y in list(polygon.exterior.coords)[:-1]:
        corner = (round(x, 3), round(y, 3))
        if not corners or math.dist(corner, corners[-1]) >= LEAST_EDGE_MM:
            corners.append(corner)
    return tuple(corners if math.dist(corners[0], corners[-1]) >= LEAST_EDGE_MM else corners[:-1])


def plateau_size(
    parts: Sequence[Polygon], thickness_mm: float = 5.0, density_g_mm3: float = 0.6e-3, whole: Polygon | None = None
) -> PlateauSize:
    """The plateau made of these overlapping convex parts, moved so that its centre of mass is the origin.

    `whole` is the outline where it was there before its parts: parts that were cut out of it may leave slits of a hair's width.
    """
    outline = unary_union(list(parts)) if whole is None else whole
    if not isinstance(outline, Polygon) or outline.interiors:
        raise PalettiError("A plateau's parts must overlap to one outline without holes.")
    dx, dy = -outline.centroid.x, -outline.centroid.y
    return PlateauSize(
        outline_mm=_ring(translate(outline, dx, dy)),
        parts_mm=tuple(_ring(orient(translate(part, dx, dy))) for part in parts),  # what lies inside is told by this sense
        thickness_mm=thickness_mm,
        mass_g=round(outline.area * thickness_mm * density_g_mm3, 2),
    )
