"""Solids for the renderer, with texture coordinates: prisms over an outline, and the sheet of printed markers.

Only for the eye. What collides is made of MuJoCo's own primitives and convex parts in `physics.py`.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import shapely

from rig.profile import ColumnSize, MarkerLayout, Point
from rig.twin.pictures.textures import SHEET_COLUMNS, marker_sheet, sheet_cell_px

Array = npt.NDArray[np.float64]

TEXTURE_MM = 160.0
"""One repeat of the wood texture on a face."""


@dataclass(frozen=True, slots=True)
class Mesh:
    """`vertices_m` (n, 3), `texture` (n, 2) with v downwards from the picture's top, `faces` (m, 3) counter-clockwise seen from outside."""

    vertices_m: Array
    texture: Array
    faces: npt.NDArray[np.int64]

    def xml(self, name: str, shell: bool = False) -> str:
        """MJCF of the mesh; a `shell` has its mass in its skin."""
        inertia = ' inertia="shell"' if shell else ""
        return (
            f'<mesh name="{name}"{inertia} vertex="{_numbers(self.vertices_m)}" texcoord="{_numbers(self.texture)}"'
            f' face="{" ".join(str(k) for k in self.faces.ravel())}"/>'
        )


def _numbers(values: Array) -> str:
    return " ".join(f"{value:.6f}" for value in values.ravel())


def _ccw(outline: Sequence[Point]) -> list[Point]:
    ring = list(outline)
    return ring if shapely.LinearRing(ring).is_ccw else ring[::-1]


def prism(outline_mm: Sequence[Point], thickness_mm: float, round_side: bool = True, texture_mm: float = TEXTURE_MM) -> Mesh:
    """The solid between z = -thickness/2 and +thickness/2 over an outline that need not be convex.

    `round_side` lets neighbouring side faces share their corners, so that the renderer shades them as one curve.
    """
    ring = _ccw(outline_mm)
    half = thickness_mm / 2
    points: list[tuple[float, float, float]] = []
    texture: list[tuple[float, float]] = []
    faces: list[tuple[int, int, int]] = []
    walked = 0.0
    count = len(ring)
    if round_side:
        for k in range(count + 1):
            x, y = ring[k % count]
            points += [(x, y, -half), (x, y, half)]
            texture += [(walked / texture_mm, 0.0), (walked / texture_mm, thickness_mm / texture_mm)]
            walked += math.dist(ring[k % count], ring[(k + 1) % count])
        for k in range(count):
            a = 2 * k
            faces += [(a, a + 2, a + 3), (a, a + 3, a + 1)]
    else:
        for k in range(count):
            (x0, y0), (x1, y1) = ring[k], ring[(k + 1) % count]
            a = len(points)
            points += [(x0, y0, -half), (x1, y1, -half), (x1, y1, half), (x0, y0, half)]
            after = walked + math.dist(ring[k], ring[(k + 1) % count])
            high = thickness_mm / texture_mm
            texture += [(walked / texture_mm, 0.0), (after / texture_mm, 0.0), (after / texture_mm, high), (walked / texture_mm, high)]
            faces += [(a, a + 1, a + 2), (a, a + 2, a + 3)]
            walked = after
    triangles = [
        _ccw(shapely.get_coordinates(part)[:3].tolist()) for part in shapely.constrained_delaunay_triangles(shapely.Polygon(ring)).geoms
    ]
    for upper in (True, False):
        for triangle in triangles:
            a = len(points)
            points += [(x, y, half if upper else -half) for x, y in triangle]
            texture += [(x / texture_mm + 0.5, y / texture_mm + 0.5) for x, y in triangle]
            faces.append((a, a + 1, a + 2) if upper else (a, a + 2, a + 1))
    return Mesh(np.array(points) / 1e3, np.array(texture), np.array(faces))


def column_outline(size: ColumnSize, sides: int = 28) -> list[Point]:
    """A column's cross section: its hexagon, or a circle in `sides` steps of the same area-preserving radius."""
    n = size.sides or sides
    radius = size.radius_mm if size.sides else size.radius_mm * math.sqrt(2 * math.pi / n / math.sin(2 * math.pi / n))
    return [(radius * math.cos(2 * math.pi * k / n), radius * math.sin(2 * math.pi * k / n)) for k in range(n)]


def disc(radius_mm: float, thickness_mm: float) -> Mesh:
    """The round base, its upper face's texture spanning the whole disc."""
    outline = [(radius_mm * math.cos(a), radius_mm * math.sin(a)) for a in np.linspace(0, 2 * math.pi, 72, endpoint=False)]
    return prism(outline, thickness_mm, texture_mm=2 * radius_mm)


def panel(wide_m: float, high_m: float) -> Mesh:
    """An upright rectangle that faces +x, its picture upright as seen from there."""
    y, z = wide_m / 2, high_m / 2
    corners = [(0.0, -y, z), (0.0, y, z), (0.0, y, -z), (0.0, -y, -z)]
    return Mesh(np.array(corners), np.array([(0.0, 0.0), (1.0, 0.0), (1.0, 1.0), (0.0, 1.0)]), np.array([(0, 3, 2), (0, 2, 1)]))


def markers(layout: MarkerLayout, lift_mm: float = 0.15) -> Mesh:
    """Every marker as a quad with its white margin, `lift_mm` in front of the apron so that the two do not fight for the pixel."""
    sheet_height, sheet_width = marker_sheet(layout).shape[:2]
    cell = sheet_cell_px(layout)
    grow = (layout.side_mm / 2 + layout.margin_mm) / (layout.side_mm / 2)
    points: list[Array] = []
    texture: list[tuple[float, float]] = []
    faces: list[tuple[int, int, int]] = []
    for k, marker in enumerate(layout.markers):
        corners = np.array(marker.corners_mm)
        centre = corners.mean(axis=0)
        outward = np.cross(corners[1] - corners[0], corners[0] - corners[3])
        outward /= float(np.linalg.norm(outward))
        a = len(points)
        points += list(centre + (corners - centre) * grow + outward * lift_mm)
        left, top = (k % SHEET_COLUMNS) * cell / sheet_width, (k // SHEET_COLUMNS) * cell / sheet_height
        right, bottom = left + cell / sheet_width, top + cell / sheet_height
        texture += [(left, top), (right, top), (right, bottom), (left, bottom)]
        faces += [(a, a + 2, a + 1), (a, a + 3, a + 2)]
    return Mesh(np.array(points) / 1e3, np.array(texture), np.array(faces))
