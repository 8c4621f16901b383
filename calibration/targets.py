"""The marker frame of the rig as sheets to print, cut, fold and glue: for each side of the apron its upper rim and its skirt in one piece.

The two rows of a side hang together at a fold that lies on the apron's outer edge, so a piece that is folded over the edge with its end at
the stated distance from the corner has every marker where the profile says it is. Markers of a layout that lie on neither face come on
sheets of their own, one by one. Places and ids are the layout's; nothing is laid out here.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from calibration.paper import EDGE_MM, Pages, Sheet
from rig.errors import PalettiError
from rig.profile import BaseSize, Marker, MarkerLayout
from vision.camera.markers import dictionary_of

CAPTION_MM = 4.0

ORDER = "Cut along the grey line with its steps, fold along dashes, glue flat in the order of the numbers; no piece covers another."
"""The foot of every piece's page."""

GAP_MM = 8.0
"""Between two loose markers: room for scissors and a caption."""

FRONT_MM = 1.0
"""A marker's corners may lie this far off the rim's or the skirt's plane and still belong to it."""

SIDES: tuple[tuple[str, tuple[float, float]], ...] = (
    ("front", (0.0, -1.0)), ("right", (1.0, 0.0)), ("back", (0.0, 1.0)), ("left", (-1.0, 0.0)),
)  # fmt: skip
"""The apron's sides as camera 1 sees them, with the direction in which each faces."""


@dataclass(frozen=True, slots=True)
class MarkerPlace:
    """A marker on an unfolded side: its centre along the side (mm, to the right seen from outside, 0 in the middle) and above the fold."""

    id: int
    along_mm: float
    above_mm: float


def unfolded(layout: MarkerLayout, base: BaseSize) -> tuple[dict[str, list[MarkerPlace]], list[Marker]]:
    """Each side's markers on its unfolded rim and skirt, and the markers that lie on neither."""
    sides: dict[str, list[MarkerPlace]] = {name: [] for name, _ in SIDES}
    loose: list[Marker] = []
    for marker in layout.markers:
        corners = np.array(marker.corners_mm)
        for name, (nx, ny) in SIDES:
            out = np.array((nx, ny, 0.0))
            along = np.array((-ny, nx, 0.0))
            right, up = corners[1] - corners[0], corners[0] - corners[3]
            if float(right @ along) < 0.99 * float(np.linalg.norm(right)):
                continue
            centre = corners.mean(0)
            if np.abs(corners[:, 2] - base.rim_z_mm).max() < FRONT_MM and float(up @ out) < 0:
                sides[name].append(MarkerPlace(marker.id, float(centre @ along), base.apron_outer_mm - float(centre @ out)))
                break
            if np.abs(corners @ out - base.apron_outer_mm).max() < FRONT_MM:
                sides[name].append(MarkerPlace(marker.id, float(centre @ along), float(centre[2]) - base.rim_z_mm))
                break
        else:
            loose.append(marker)
    return sides, loose


def marker_frame(layout: MarkerLayout, base: BaseSize, paper: str = "a4") -> Sheet:
    """All markers of a layout as one PDF; PalettiError for an unknown paper or markers that do not fit on it."""
    pages = Pages(paper, "Marker frame")
    sides, loose = unfolded(layout, base)
    for name, placed in sides.items():
        pieces = _pieces(placed, layout, pages.room_mm[0])
        for number, piece in enumerate(pieces, 1):
            _draw_piece(pages, layout, base, name, piece, number, len(pieces))
    _draw_loose(pages, layout, loose)
    return pages.done("marker-frame")


def _pieces(placed: Sequence[MarkerPlace], layout: MarkerLayout, room_mm: float) -> list[list[MarkerPlace]]:
    """The side's markers in pieces that fit on the paper; no cut goes through a marker or its white margin."""
    half = layout.side_mm / 2 + layout.margin_mm
    if 2 * half > room_mm:
        raise PalettiError(f"Markers of {layout.side_mm:g} mm do not fit on this paper.", "Choose a larger paper or smaller markers.")
    stacks: list[list[MarkerPlace]] = []
    for marker in sorted(placed, key=lambda marker: marker.along_mm):
        if stacks and marker.along_mm - half < max(other.along_mm for other in stacks[-1]) + half - 0.01:
            stacks[-1].append(marker)
        else:
            stacks.append([marker])
    pieces: list[list[MarkerPlace]] = []
    for stack in stacks:
        reach = max(marker.along_mm for marker in stack) + half
        if pieces and reach - (min(marker.along_mm for marker in pieces[-1]) - half) <= room_mm:
            pieces[-1].extend(stack)
        else:
            pieces.append(list(stack))
    return pieces


def _outline(piece: Sequence[MarkerPlace], half: float) -> list[tuple[float, float]]:
    """The piece's cut line: corners (along, above) in mm, clockwise from the upper left. The rim's strip ends with its own last marker
    (`half`: half a marker with its margin), the side's strip with its own, so that at the apron's corner no piece reaches under or over
    the next side's."""
    rows = [[one for one in piece if one.above_mm > 0], [one for one in piece if one.above_mm <= 0]]
    strips = [
        (min(m.along_mm for m in row) - half, max(m.along_mm for m in row) + half, max(m.above_mm for m in row) + half,
         min(m.above_mm for m in row) - half)
        for row in rows if row
    ]  # fmt: skip
    if len(strips) == 1:
        left, right, top, bottom = strips[0]
        return [(left, top), (right, top), (right, bottom), (left, bottom)]
    (left, right, top, _), (low_left, low_right, _, bottom) = strips
    return [
        (left, top),
        (right, top),
        (right, 0.0),
        (low_right, 0.0),
        (low_right, bottom),
        (low_left, bottom),
        (low_left, 0.0),
        (left, 0.0),
    ]


def _draw_piece(
    pages: Pages, layout: MarkerLayout, base: BaseSize, side: str, piece: Sequence[MarkerPlace], number: int, count: int
) -> None:
    half, black = layout.side_mm / 2 + layout.margin_mm, layout.side_mm / 2
    start, end = min(m.along_mm for m in piece) - half, max(m.along_mm for m in piece) + half
    top, bottom = max(m.above_mm for m in piece) + half, min(m.above_mm for m in piece) - half
    if top - bottom > pages.room_mm[1] - 3 * CAPTION_MM:
        raise PalettiError(f"A side {top - bottom:.0f} mm high does not fit on this paper.", "Choose a larger paper or smaller markers.")
    x0, y0 = EDGE_MM - start, EDGE_MM + 2 * CAPTION_MM + top

    def at(along: float, above: float) -> tuple[float, float]:
        return x0 + along, y0 - above

    outline = _outline(piece, half)
    pages.cut(*(at(along, above) for along, above in outline))
    if top > 0 > bottom:
        rim_start, rim_end = (pick(along for along, above in outline if above > 0) for pick in (min, max))
        pages.fold(at(max(start, rim_start), 0.0), at(min(end, rim_end), 0.0))
        pages.text(at(rim_end, 0.0)[0] - 48, at(rim_end, 0.0)[1] - 0.8, "fold down here: the apron's outer edge", 6)
    dictionary = dictionary_of(layout)
    for marker in piece:
        left, upper = at(marker.along_mm - black, marker.above_mm + black)
        pages.marker(dictionary, marker.id, left, upper, layout.side_mm)
        pages.text(left, upper - 1.2, f"{marker.id}", 6)
    if start <= 0 <= end:
        pages.tick(at(0, 0)[0], at(0, top)[1] - 3.0, at(0, top)[1])
        pages.text(at(0, 0)[0] + 1, at(0, top)[1] - 1.0, "middle of the side", 6)
    upper_left = min(along for along, above in outline if above == top)
    name = f"{pages.count + 1}. {side.capitalize()} side, piece {number} of {count}"
    place = f"upper left corner {upper_left + base.apron_outer_mm:.1f} mm from the apron's left corner (seen from outside)"
    pages.text(EDGE_MM, EDGE_MM + CAPTION_MM - 1, f"{name}: {place}, fold on its outer edge. Upper row: rim, lower row: side.", 8)
    pages.end_page(f"{layout.dictionary}, black squares {layout.side_mm:g} mm. {ORDER}")


def _draw_loose(pages: Pages, layout: MarkerLayout, loose: Sequence[Marker]) -> None:
    """Markers that lie on no side, one by one with their place."""
    if not loose:
        return
    outer = layout.side_mm + 2 * layout.margin_mm
    pitch = outer + GAP_MM
    across, down = (int((room + GAP_MM - CAPTION_MM) // pitch) for room in pages.room_mm)
    if across < 1 or down < 1:
        raise PalettiError(f"Markers of {layout.side_mm:g} mm do not fit on this paper.", "Choose a larger paper or smaller markers.")
    dictionary = dictionary_of(layout)
    for first in range(0, len(loose), across * down):
        for k, marker in enumerate(loose[first : first + across * down]):
            left, top = EDGE_MM + (k % across) * pitch, EDGE_MM + (k // across) * pitch
            pages.cut((left, top), (left + outer, top), (left + outer, top + outer), (left, top + outer))
            pages.marker(dictionary, marker.id, left + layout.margin_mm, top + layout.margin_mm, layout.side_mm)
            x, y, z = np.array(marker.corners_mm).mean(0)
            pages.text(left, top + outer + 3, f"{marker.id}: x {x:.0f} y {y:.0f} z {z:.0f}", 6)
        pages.end_page(f"{layout.dictionary}, black squares {layout.side_mm:g} mm. Each marker's middle goes to x, y, z (mm).")
