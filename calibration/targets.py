"""Printable sheets, true to scale: the marker frame of the rig, one SVG page per sheet, with a ruler to check the printer.

An SVG's millimetres are millimetres in every browser's print dialogue at 100 %, so no PDF library is needed. Each marker is cut out along
its dashed line, which includes the white margin that the reader needs, and glued where its caption says.
"""

from __future__ import annotations

from dataclasses import dataclass
from xml.sax.saxutils import escape

import cv2
import numpy as np

from rig.errors import PalettiError
from rig.profile import Marker, MarkerLayout
from vision.markers import dictionary_of

PAPERS_MM: dict[str, tuple[float, float]] = {"a4": (210.0, 297.0), "letter": (215.9, 279.4)}

EDGE_MM = 12.0
"""White edge that every printer leaves."""

GAP_MM = 8.0
"""Between two markers: room for scissors and a caption."""

RULER_MM = 150


@dataclass(frozen=True, slots=True)
class Sheet:
    """One page: a name for its file and its SVG text."""

    name: str
    svg: str


def marker_sheets(layout: MarkerLayout, paper: str = "a4") -> tuple[Sheet, ...]:
    """All markers of a layout on as few pages of `paper` as they need; PalettiError for an unknown paper or markers wider than it."""
    size = PAPERS_MM.get(paper.lower())
    if size is None:
        raise PalettiError(f"{paper!r} is no paper this program prints on.", f"Choose one of {', '.join(PAPERS_MM)}.")
    width, height = size
    pitch = layout.side_mm + 2 * layout.margin_mm + GAP_MM
    across, down = int((width - 2 * EDGE_MM + GAP_MM) // pitch), int((height - 2 * EDGE_MM - 22.0) // pitch)
    if across < 1 or down < 1:
        raise PalettiError(f"Markers of {layout.side_mm:g} mm do not fit on {paper}.", "Choose a larger paper or smaller markers.")
    bits = _bits(layout)
    pages = [layout.markers[k : k + across * down] for k in range(0, len(layout.markers), across * down)]
    return tuple(
        Sheet(f"markers-{paper.lower()}-{number}-of-{len(pages)}.svg", _page(layout, page, bits, size, across, pitch, number, len(pages)))
        for number, page in enumerate(pages, start=1)
    )


def _bits(layout: MarkerLayout) -> dict[int, np.ndarray[tuple[int, ...], np.dtype[np.bool_]]]:
    """For each marker its cells, border included: True is black."""
    dictionary = dictionary_of(layout)
    cells = dictionary.markerSize + 2
    return {marker.id: np.asarray(cv2.aruco.generateImageMarker(dictionary, marker.id, cells) < 128) for marker in layout.markers}


def _place_of(marker: Marker) -> str:
    """Where a marker goes, in words a person with glue can use."""
    corners = np.array(marker.corners_mm)
    x, y, z = corners.mean(0)
    flat = float(np.ptp(corners[:, 2])) < 1.0
    side = ("front" if y < 0 else "back") if abs(y) >= abs(x) else ("left" if x < 0 else "right")
    return f"{'rim' if flat else 'side'}, {side}, x {x:.0f} y {y:.0f} z {z:.0f}"


def _page(
    layout: MarkerLayout,
    page: tuple[Marker, ...],
    bits: dict[int, np.ndarray[tuple[int, ...], np.dtype[np.bool_]]],
    size: tuple[float, float],
    across: int,
    pitch: float,
    number: int,
    pages: int,
) -> str:
    width, height = size
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}mm" height="{height}mm" viewBox="0 0 {width} {height}">',
        f'<rect width="{width}" height="{height}" fill="white"/>',
        '<g font-family="sans-serif" font-size="3.2">',
    ]
    outer = layout.side_mm + 2 * layout.margin_mm
    for k, marker in enumerate(page):
        left, top = EDGE_MM + (k % across) * pitch, EDGE_MM + (k // across) * pitch
        parts.append(
            f'<rect x="{left:.3f}" y="{top:.3f}" width="{outer:.3f}" height="{outer:.3f}" fill="none" stroke="#999" stroke-width="0.15"'
            ' stroke-dasharray="1.5 1"/>'
        )
        parts.append(_cells(bits[marker.id], left + layout.margin_mm, top + layout.margin_mm, layout.side_mm))
        parts.append(f'<text x="{left:.3f}" y="{top + outer + 3.4:.3f}">{marker.id}: {escape(_place_of(marker))}</text>')
    parts.append(_ruler(EDGE_MM, height - EDGE_MM - 8.0))
    parts.append(
        f'<text x="{EDGE_MM}" y="{height - EDGE_MM + 2:.1f}">{escape(layout.dictionary)}, black side {layout.side_mm:g} mm, page {number} '
        f"of {pages}. Print at 100 %: the ruler must measure {RULER_MM} mm. Up on the sheet is up, or inward on the rim.</text>"
    )
    return "\n".join([*parts, "</g>", "</svg>"]) + "\n"


def _cells(black: np.ndarray[tuple[int, ...], np.dtype[np.bool_]], left: float, top: float, side: float) -> str:
    """The marker as one path of whole rows of black cells, so that no hairlines show between them."""
    step = side / len(black)
    path = []
    for row, cells in enumerate(black):
        start = None
        for column in range(len(cells) + 1):
            on = column < len(cells) and bool(cells[column])
            if on and start is None:
                start = column
            elif not on and start is not None:
                path.append(
                    f"M{left + start * step:.4f} {top + row * step:.4f}h{(column - start) * step:.4f}v{step:.4f}H{left + start * step:.4f}z"
                )
                start = None
    return f'<path d="{"".join(path)}" fill="black" shape-rendering="crispEdges"/>'


def _ruler(left: float, top: float) -> str:
    ticks = "".join(
        f'<path d="M{left + k} {top}v{4 if k % 50 == 0 else 2.5 if k % 10 == 0 else 1.2}" stroke="black" stroke-width="0.2"/>'
        for k in range(RULER_MM + 1)
    )
    return f'<path d="M{left} {top}h{RULER_MM}" stroke="black" stroke-width="0.2"/>{ticks}'
