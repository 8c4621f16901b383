"""The folding calibration tower: a square paper tube with markers up to where the fifth floor will be; and the ChArUco board's sheet.

Markers on the apron lie in one low band; how far the picture leans over 0.5 m is a guess from there. A tower with markers at height, stood
on the base for the moment of calibration, turns that guess into a measurement. It is stood by hand, so where it stands is found together
with the camera (`calibration.tall`); what must be true is only its own geometry, which folding gives. It comes in storeys of one page each
that stand on one another.
"""

from __future__ import annotations

from dataclasses import dataclass

from calibration.boards import Board, Kind, charuco_of
from calibration.paper import EDGE_MM, Pages, Sheet
from rig.errors import PalettiError
from rig.profile import Marker, MarkerLayout
from vision.camera.markers import dictionary_of

STOREYS = 3
FACE_MM = 58.0
"""Width of a face: four and a flap fit on Letter as on A4."""

STOREY_MM = 140.0
FLAP_MM, ROOF_MM = 10.0, 14.0
"""Width of the glue flap, and of the roof's flaps on which the next storey stands."""

HEIGHTS_MM = (27.0, 73.0, 119.0)
"""Middles of a face's markers above the storey's foot."""

BOARD = Board(Kind.CHARUCO, 7, 5, 32.0, 23.0, "DICT_5X5_100")
"""The board for lenses; of another dictionary than the rig's markers, so that neither is taken for the other."""


@dataclass(frozen=True, slots=True)
class TowerMarker:
    """A marker of the tower: storey, face (0 front, then counter-clockwise seen from above), height of its middle above the base."""

    id: int
    storey: int
    face: int
    z_mm: float


def tower_markers(layout: MarkerLayout) -> tuple[TowerMarker, ...]:
    """The tower's markers, their ids following the rig's; PalettiError if the dictionary has too few left."""
    first = max((marker.id for marker in layout.markers), default=-1) + 1
    needed = STOREYS * 4 * len(HEIGHTS_MM)
    room = len(dictionary_of(layout).bytesList)
    if first + needed > room:
        raise PalettiError(
            f"The tower needs {needed} markers beyond the rig's {first}; {layout.dictionary} has {room}.", "Choose a larger dictionary."
        )
    places = [(storey, face, height) for storey in range(STOREYS) for face in range(4) for height in HEIGHTS_MM]
    return tuple(
        TowerMarker(first + k, storey, face, round(storey * STOREY_MM + height, 3)) for k, (storey, face, height) in enumerate(places)
    )


def tower_layout(layout: MarkerLayout) -> MarkerLayout:
    """The tower's markers in its own frame: standing on z = 0 in the middle of the base, face 0 to the front."""
    half, out = layout.side_mm / 2, FACE_MM / 2
    markers = []
    for marker in tower_markers(layout):
        ax, ay = ((1.0, 0.0), (0.0, 1.0), (-1.0, 0.0), (0.0, -1.0))[marker.face]
        nx, ny = ay, -ax
        corners = tuple(
            (nx * out + ax * a * half, ny * out + ay * a * half, marker.z_mm + up * half) for a, up in ((-1, 1), (1, 1), (1, -1), (-1, -1))
        )
        markers.append(Marker(marker.id, corners))
    return MarkerLayout(layout.dictionary, layout.side_mm, layout.margin_mm, tuple(markers))


def tower_sheet(layout: MarkerLayout, paper: str = "a4") -> Sheet:
    """The tower's storeys as one PDF, one page each; PalettiError if the rig's markers are too large for its faces."""
    outer = layout.side_mm + 2 * layout.margin_mm
    if outer > FACE_MM or outer > HEIGHTS_MM[1] - HEIGHTS_MM[0]:
        raise PalettiError(
            f"Markers of {layout.side_mm:g} mm with their margin do not fit on the tower's faces.", "Use markers of at most 36 mm."
        )
    pages = Pages(paper, "Calibration tower")
    dictionary = dictionary_of(layout)
    left, top = EDGE_MM, EDGE_MM + 4.0
    roof, foot = top + ROOF_MM, top + ROOF_MM + STOREY_MM
    for storey in range(STOREYS):
        right = left + 4 * FACE_MM
        for face in range(4):
            x = left + face * FACE_MM
            pages.cut((x, roof), (x + 4, top), (x + FACE_MM - 4, top), (x + FACE_MM, roof), closed=False)
            pages.fold((x, roof), (x + FACE_MM, roof))
            pages.fold((x + FACE_MM, roof), (x + FACE_MM, foot))
            pages.text(x + 6, roof - 2, "roof: fold in" if face else "roof: fold in first", 6)
            pages.text(x + 2, foot - 1.5, ("front", "right", "back", "left")[face], 6)
        pages.cut(
            (left, roof), (left, foot), (right, foot), (right + FLAP_MM, foot - 5), (right + FLAP_MM, roof + 5), (right, roof), closed=False
        )
        pages.text(right + 1, (roof + foot) / 2, "glue", 6)
        for marker in tower_markers(layout):
            if marker.storey != storey:
                continue
            x = left + marker.face * FACE_MM + (FACE_MM - layout.side_mm) / 2
            y = foot - (marker.z_mm - storey * STOREY_MM) - layout.side_mm / 2
            pages.marker(dictionary, marker.id, x, y, layout.side_mm)
            pages.text(x - 5.5, y + 2, f"{marker.id}", 6)
        pages.text(left, EDGE_MM + 2, f"Storey {storey + 1} of {STOREYS}, from the bottom: stands {_stands_on(storey)}.", 8)
        pages.end_page(
            f"{layout.dictionary}, black squares {layout.side_mm:g} mm, faces {FACE_MM:g} mm. Stiff paper; cut along grey lines, "
            "fold backward along dashes, glue."
        )
    return pages.done("calibration-tower")


def _stands_on(storey: int) -> str:
    where = "in the middle of the base, front to the front" if storey == 0 else f"on storey {storey}, edge on edge, front over front"
    return f"{where} (its foot {storey * STOREY_MM:g} mm above the base)"


def board_sheet(paper: str = "a4", board: Board = BOARD) -> Sheet:
    """The ChArUco board for `calibrate camera --board`, with the words to type under it."""
    pages = Pages(paper, "ChArUco board")
    width, height = board.columns * board.pitch_mm, board.rows * board.pitch_mm
    room = pages.room_mm
    if width > room[0] or height > room[1]:
        raise PalettiError(f"The board {board} is {width:g} x {height:g} mm and does not fit on this paper.", "Choose smaller squares.")
    x0, y0 = EDGE_MM + (room[0] - width) / 2, EDGE_MM + (room[1] - height) / 2
    dictionary = charuco_of(board).getDictionary()
    number = 0
    for row in range(board.rows):
        for column in range(board.columns):
            x, y = x0 + column * board.pitch_mm, y0 + row * board.pitch_mm
            if (row + column) % 2 == 0:  # OpenCV since 4.6: the upper left square is black
                pages.black(x, y, board.pitch_mm, board.pitch_mm)
            else:
                inset = (board.pitch_mm - board.marker_mm) / 2
                pages.marker(dictionary, number, x + inset, y + inset, board.marker_mm)
                number += 1
    pages.end_page(f"paletti calibrate camera --board {board}      Glue it flat onto something stiff, and leave the white border.")
    return pages.done("charuco-board")
