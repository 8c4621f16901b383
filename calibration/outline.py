"""A plateau's outline from what covers the base in each camera's picture, and the convex parts that make it up.

A plate that lies flat is an upright extrusion of its outline. A point belongs to the outline only if both its foot and its top fall on
the plate in every picture; so putting each cover onto the base's plane and onto the plate's upper face, and keeping what is covered in all,
gives the outline itself, near edges and far ones alike. How thick the plate is shows where two cameras agree best.
"""

from __future__ import annotations

from collections.abc import Sequence

import cv2
import numpy as np
import numpy.typing as npt
import shapely
from shapely import Polygon
from shapely.ops import unary_union

from calibration.cutout import Cover
from rig.errors import PalettiError
from vision.arrays import Floats
from vision.camera.view import CameraView

STEP_MM = 0.5
"""Raster of the base's plane."""

REACH_MM = 200.0
"""Half width of that raster: the base and what protrudes over it."""

COARSE_MM = 1.0
"""Raster while the thickness is searched."""

SMOOTH_MM = 0.8
"""Tolerance of the outline's polygon: what the pictures' pixels allow."""

DENT_SHARE = 0.003
"""Two parts become one convex part if that adds no more than this share of the plateau's area."""

SLIT_MM = 0.5
"""Half the width of what counts as a slit."""

OVER = 3
"""Pixels are divided by this when a plate's picture is compared: OpenCV draws a border half a pixel outside."""

MARGIN_PX = 12
"""Round the covered pixels, where a thicker plate may show."""

THICKNESSES_MM = (2.0, 9.0, 0.5)
"""From, to, step: thin plywood (P2)."""


def outline_of(views: Sequence[CameraView], covers: Sequence[Cover], thickness_mm: float, step_mm: float = STEP_MM) -> Polygon:
    """The outline (mm, the base's frame) of a plate of this thickness, flat on the base, from each camera's cover (height, width)."""
    covered = np.ones((round(2 * REACH_MM / step_mm) + 1,) * 2, np.float32)
    for view, cover in zip(views, covers, strict=True):
        for z_mm in (0.0, thickness_mm):
            covered = np.minimum(covered, _rectified(view, cover, z_mm, step_mm))
    solid = cv2.morphologyEx((covered > 0.5).astype(np.uint8), cv2.MORPH_OPEN, np.ones((round(3 / step_mm) | 1,) * 2, np.uint8))
    contours, _ = cv2.findContours(solid, cv2.RETR_EXTERNAL, cv2.CHAIN_APPROX_NONE)
    if not contours:
        raise PalettiError("No plateau is to be seen lying on the base.", "Lay it flat in the middle of the base, in every camera's view.")
    largest = max(contours, key=cv2.contourArea)[:, 0, :].astype(np.float64)
    # contours run through pixel middles: half a step of the plate lies outside
    polygon = Polygon(largest * step_mm - REACH_MM).buffer(step_mm / 2).simplify(SMOOTH_MM)
    if not isinstance(polygon, Polygon) or polygon.is_empty:
        raise PalettiError("What lies on the base has no outline that could be measured.", "Lay it flat, alone, and light it evenly.")
    return polygon


def _rectified(view: CameraView, cover: Cover, z_mm: float, step_mm: float) -> npt.NDArray[np.float32]:
    """How much of each raster point at this height is covered (0 to 1)."""
    line = np.arange(-REACH_MM, REACH_MM + step_mm / 2, step_mm)
    points = np.stack((*np.meshgrid(line, line), np.full((len(line),) * 2, z_mm)), axis=-1)
    places = np.nan_to_num(view.project(points), nan=-1e4).astype(np.float32)
    return np.asarray(cv2.remap(cover, places[..., 0], places[..., 1], cv2.INTER_LINEAR), np.float32)


def thickness_of(views: Sequence[CameraView], covers: Sequence[Cover], guess_mm: float) -> float:
    """The thickness (mm) with which the outline, seen again by every camera, matches what is covered best; `guess_mm` from one camera."""
    if len(views) < 2:
        return guess_mm
    heights = np.arange(*THICKNESSES_MM)
    misses = []
    for thickness in heights:
        try:
            outline = outline_of(views, covers, float(thickness), COARSE_MM)
        except PalettiError:
            misses.append(np.inf)
            continue
        misses.append(sum(_miss(view, cover, outline, float(thickness)) for view, cover in zip(views, covers, strict=True)))
    best = int(np.argmin(misses))
    if not np.isfinite(misses[best]):
        return guess_mm
    if 0 < best < len(heights) - 1 and np.isfinite(misses[best - 1 : best + 2]).all():
        low, middle, high = misses[best - 1 : best + 2]
        bend = low - 2 * middle + high
        return float(heights[best] + (0.5 * (low - high) / bend * THICKNESSES_MM[2] if bend > 0 else 0.0))
    return float(heights[best])


def _miss(view: CameraView, cover: Cover, outline: Polygon, thickness_mm: float) -> float:
    """Share of pixels that belong to only one of what is covered and the plate's picture."""
    rows, columns = (np.flatnonzero((cover > 0.5).any(axis)) for axis in (1, 0))
    x0, x1 = max(int(columns[0]) - MARGIN_PX, 0), min(int(columns[-1]) + MARGIN_PX, cover.shape[1])
    y0, y1 = max(int(rows[0]) - MARGIN_PX, 0), min(int(rows[-1]) + MARGIN_PX, cover.shape[0])
    large = cv2.resize(cover[y0:y1, x0:x1], None, fx=OVER, fy=OVER, interpolation=cv2.INTER_LINEAR) > 0.5
    ring = np.array(outline.exterior.coords)
    drawn = np.zeros(large.shape, np.uint8)
    layers = [(view.project(np.column_stack((ring, np.full(len(ring), z)))) - (x0, y0) + 0.5) * OVER - 0.5 for z in (0.0, thickness_mm)]
    for k in range(len(ring) - 1):  # the wall between the two faces, edge by edge, and the faces themselves
        _fill(drawn, np.array((layers[0][k], layers[0][k + 1], layers[1][k + 1], layers[1][k])))
    for layer in layers:
        cv2.fillPoly(drawn, [np.rint(layer * 16).astype(np.int32)], 1, cv2.LINE_8, 4)
    return float((drawn.astype(np.bool_) ^ large).sum() / max(int(large.sum()), 1))


def _fill(drawn: npt.NDArray[np.uint8], corners: Floats) -> None:
    cv2.fillConvexPoly(drawn, cv2.convexHull(np.rint(corners * 16).astype(np.int32)), 1, cv2.LINE_8, 4)


def joined(parts: Sequence[Polygon]) -> Polygon:
    """The outline that parts cut out of one plate make up, the slits of a hair's width between them closed."""
    closed = unary_union(list(parts)).buffer(SLIT_MM).buffer(-SLIT_MM).simplify(0.05)
    whole = max(shapely.get_parts(closed), key=lambda piece: float(piece.area))
    return Polygon(whole.exterior)


def convex_parts(outline: Polygon) -> list[Polygon]:
    """Few convex polygons that together make up the outline: triangles, joined as long as their hull adds next to nothing."""
    triangles = list(shapely.constrained_delaunay_triangles(outline).geoms)
    parts = [part for part in triangles if isinstance(part, Polygon) and part.area > 1e-6]
    room = DENT_SHARE * outline.area
    joined = True
    while joined:
        joined = False
        best: tuple[float, int, int, Polygon] | None = None
        for a in range(len(parts)):
            for b in range(a + 1, len(parts)):
                if parts[a].distance(parts[b]) > 1e-6:
                    continue
                hull = unary_union([parts[a], parts[b]]).convex_hull
                added = hull.difference(outline).area
                if isinstance(hull, Polygon) and added <= room and (best is None or hull.area > best[0]):
                    best = (hull.area, a, b, hull)
        if best is not None:
            _, a, b, hull = best
            parts = [part for k, part in enumerate(parts) if k not in (a, b) and not hull.buffer(1e-6).contains(part)] + [hull]
            joined = True
    # parts that only touch are no one outline: each is let into its neighbours by a hair
    hair = 0.02 if len(parts) > 1 else 0.0
    grown = [part.buffer(hair, join_style="mitre").simplify(0.05) for part in parts]
    return [part for part in grown if isinstance(part, Polygon)]
