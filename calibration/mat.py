"""The flat mat: pages taped to one sheet that lies on the table, with markers round a printed circle on which the game's base lies.

It stands in for the frame where there is no sensing base: no apron, no box. All markers lie in the plane of the table, the base's lower
face. No marker and no white margin crosses a seam, so a page taped a little off takes whole markers with it and no marker is bent.
"""

from __future__ import annotations

import math
from itertools import pairwise

import msgspec
from shapely import LineString, Point, box, get_parts

from calibration.paper import EDGE_MM, Pages, Sheet
from rig.errors import PalettiError
from rig.profile import BaseSize, Marker, MarkerLayout, Profile
from vision.camera.markers import dictionary_of

HALF_MM = 245.0
"""Half the side of the square mat."""

ACROSS, DOWN = 2, 3
"""Pages side by side and one below the other: the fewest that A4 and Letter, landscape, need."""

TILE_MM = (2 * HALF_MM / ACROSS, 2 * HALF_MM / DOWN)

SIDE_MM, MARGIN_MM = 40.0, 5.0

RING_MM = 215.0
"""From the middle of the mat to the middles of the outer ring of markers."""

ALONG_X_MM = (-215.0, -154.0, -93.0, -32.0, 32.0, 93.0, 154.0, 215.0)
ALONG_Y_MM = (-160.0, -108.0, -54.0, 0.0, 54.0, 108.0, 160.0)
"""Middles of the markers along the front and the back, and along the sides between them: clear of the seams."""

INNER_MM = 154.0
"""The four markers inside the ring stand so far out in x and in y."""

LAST_ID = 51
"""The frame's last id too: the calibration tower's ids follow it, so one printed tower serves frame and mat."""

CROP_MM, CROP_GAP_MM = 5.0, 1.0
"""Length of a crop mark, and how far off the corner it begins."""

ROWS, COLUMNS = ("back", "middle", "front"), ("left", "right")


def mat_layout(base: BaseSize) -> MarkerLayout:
    """Where the mat's markers are (mm, the frame of `rig.messages`), all read from the front; PalettiError for a base that covers some."""
    ring = [(x, y) for y in (-RING_MM, RING_MM) for x in ALONG_X_MM] + [(x, y) for x in (-RING_MM, RING_MM) for y in ALONG_Y_MM]
    middles = ring + [(x, y) for x in (-INNER_MM, INNER_MM) for y in (-INNER_MM, INNER_MM)]
    reach = SIDE_MM / 2 + MARGIN_MM
    room = math.hypot(INNER_MM - reach, INNER_MM - reach)
    if base.radius_mm > room:
        raise PalettiError(
            f"A base of {2 * base.radius_mm:.0f} mm would cover the mat's markers; there is room for {2 * room:.0f} mm.",
            "Use the marker frame (`paletti calibrate print frame`).",
        )
    z, half, first = -base.thickness_mm, SIDE_MM / 2, LAST_ID + 1 - len(middles)
    markers = tuple(
        Marker(first + k, tuple((x + half * u, y + half * v, z) for u, v in ((-1, 1), (1, 1), (1, -1), (-1, -1))))
        for k, (x, y) in enumerate(middles)
    )
    return MarkerLayout("DICT_4X4_100", SIDE_MM, MARGIN_MM, markers)


def on_mat(profile: Profile) -> Profile:
    """The profile of a table where the game's base lies on the mat: its markers, no load cells, the ring of markers flat on the table."""
    layout, z = mat_layout(profile.base), -profile.base.thickness_mm
    reach = SIDE_MM / 2 + MARGIN_MM
    flat = msgspec.structs.replace(profile.base, apron_inner_mm=RING_MM - reach, apron_outer_mm=RING_MM + reach, rim_z_mm=z, table_z_mm=z)
    return msgspec.structs.replace(profile, markers=layout, base=flat, cells=())


def mat_sheet(base: BaseSize, paper: str = "a4") -> Sheet:
    """The mat as one PDF, a page a tile, from the back left to the front right; PalettiError for an unknown paper or too large a base."""
    layout = mat_layout(base)
    pages = Pages(paper, "Calibration mat")
    for row in range(DOWN):
        for column in range(ACROSS):
            _draw_tile(pages, layout, base, row, column)
    return pages.done("mat")


def _draw_tile(pages: Pages, layout: MarkerLayout, base: BaseSize, row: int, column: int) -> None:
    width, height = TILE_MM
    left, top = column * width - HALF_MM, HALF_MM - row * height

    def at(x: float, y: float) -> tuple[float, float]:
        return EDGE_MM + x - left, EDGE_MM + top - y

    _crop_marks(pages)
    dictionary = dictionary_of(layout)
    for marker in layout.markers:
        x, y, _ = marker.corners_mm[0]
        if left < x < left + width and top - height < y < top:
            pages.marker(dictionary, marker.id, *at(x, y), layout.side_mm)
    tile = box(left, top - height, left + width, top)
    circle = Point(0.0, 0.0).buffer(base.radius_mm, quad_segs=90).exterior
    for part in get_parts(circle.intersection(tile)):
        if isinstance(part, LineString):
            points = [at(x, y) for x, y in part.coords]
            for a, b in pairwise(points):
                pages.line(a, b, 0.3)
    name = f"{ROWS[row]} {COLUMNS[column]}"
    x, y = (column - 0.5) * base.radius_mm, (1 - row) * 0.6 * base.radius_mm
    pages.text(at(x - 25, 0)[0], at(0, y)[1], f"Mat, {name}. The game's base lies in this circle.", 7)
    pages.end_page(
        f"Mat, {name} ({row * ACROSS + column + 1} of {ACROSS * DOWN}). Cut from crop mark to crop mark, tape edge to edge from behind, "
        f"flat: {2 * HALF_MM:.0f} mm square. Front: camera 1's side."
    )


def _crop_marks(pages: Pages) -> None:
    """Two short lines off each corner of the tile, along the cuts."""
    width, height = TILE_MM
    for x, outward in ((EDGE_MM, -1), (EDGE_MM + width, 1)):
        for y, upward in ((EDGE_MM, -1), (EDGE_MM + height, 1)):
            near, far = CROP_GAP_MM, CROP_GAP_MM + CROP_MM
            pages.line((x + outward * near, y), (x + outward * far, y), 0.2)
            pages.line((x, y + upward * near), (x, y + upward * far), 0.2)
