"""A page true to scale: millimetres from its upper left corner, cut and fold lines, captions, markers, and rulers to check the printer.

Printers shrink pages "to fit" unless told not to, and then every marker lies; so each page carries rulers along both edges and says what
they must measure. PDF pages are drawn with reportlab: their millimetres are the paper's.
"""

from __future__ import annotations

import io
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import cv2
import numpy as np
import numpy.typing as npt
from reportlab.lib.units import mm
from reportlab.pdfgen.canvas import Canvas

from rig.errors import PalettiError

PAPERS_MM: dict[str, tuple[float, float]] = {"a4": (210.0, 297.0), "letter": (215.9, 279.4)}

EDGE_MM = 12.0
"""White edge that every printer leaves."""

FOOT_MM = 16.0
"""Height kept at the foot of the page for the ruler and its words."""

RULER_MM, UPRIGHT_MM = 150, 100
"""Lengths of the two rulers."""

Bools = npt.NDArray[np.bool_]


@dataclass(frozen=True, slots=True)
class Sheet:
    """One printable file: its name and its PDF."""

    name: str
    pdf: bytes


class Pages:
    """Pages of one paper, landscape. Places are (x, y) in mm from the upper left corner, y down."""

    def __init__(self, paper: str, title: str) -> None:
        size = PAPERS_MM.get(paper.lower())
        if size is None:
            raise PalettiError(f"{paper!r} is no paper this program prints on.", f"Choose one of {', '.join(PAPERS_MM)}.")
        self.height_mm, self.width_mm = size
        self.paper = paper.lower()
        self._file = io.BytesIO()
        # invariant: the same sheets give the same bytes
        self._canvas = Canvas(self._file, pagesize=(self.width_mm * mm, self.height_mm * mm), invariant=1)
        self._canvas.setTitle(title)
        self._canvas.setAuthor("paletti calibrate print")
        self.count = 0

    @property
    def room_mm(self) -> tuple[float, float]:
        """Width and height inside the edges, above the foot."""
        return self.width_mm - 2 * EDGE_MM, self.height_mm - 2 * EDGE_MM - FOOT_MM

    def end_page(self, note: str) -> None:
        """Draws the rulers and the note at the foot and begins a new page."""
        self.count += 1
        top = self.height_mm - EDGE_MM - 6.0
        self._ruler(EDGE_MM, top)
        self.text(EDGE_MM + RULER_MM + 6, top + 2.5, "Print at 100 % (not “fit to page”):", 8)
        self.text(EDGE_MM + RULER_MM + 6, top + 6, f"this ruler measures {RULER_MM} mm, the upright one {UPRIGHT_MM} mm.", 8)
        self.text(EDGE_MM, top - 3.0, note, 8)
        self._canvas.showPage()

    def done(self, name: str) -> Sheet:
        self._canvas.save()
        return Sheet(f"{name}-{self.paper}.pdf", self._file.getvalue())

    # ------------------------------------------------------------ strokes

    def _y(self, y: float) -> float:
        return float((self.height_mm - y) * mm)

    def line(self, a: tuple[float, float], b: tuple[float, float], width_mm: float = 0.2, dash_mm: Sequence[float] = ()) -> None:
        self._canvas.setLineWidth(width_mm * mm)
        self._canvas.setDash([length * mm for length in dash_mm])
        self._canvas.line(a[0] * mm, self._y(a[1]), b[0] * mm, self._y(b[1]))
        self._canvas.setDash([])

    def cut(self, *corners: tuple[float, float], closed: bool = True) -> None:
        """A cut line: solid and grey."""
        self._canvas.setStrokeGray(0.55)
        ends = [*corners, corners[0]] if closed else list(corners)
        for a, b in pairwise(ends):
            self.line(a, b, 0.15)
        self._canvas.setStrokeGray(0.0)

    def fold(self, a: tuple[float, float], b: tuple[float, float]) -> None:
        """A fold line: dashed."""
        self._canvas.setStrokeGray(0.35)
        self.line(a, b, 0.2, (2.0, 1.5))
        self._canvas.setStrokeGray(0.0)

    def tick(self, x: float, y0: float, y1: float) -> None:
        self.line((x, y0), (x, y1), 0.25)

    def text(self, x: float, y: float, words: str, points: float = 7.0) -> None:
        self._canvas.setFont("Helvetica", points)
        self._canvas.setFillGray(0.0)
        self._canvas.drawString(x * mm, self._y(y), words)

    def black(self, x: float, y: float, width: float, height: float) -> None:
        self._canvas.setFillGray(0.0)
        self._canvas.rect(x * mm, self._y(y + height), width * mm, height * mm, stroke=0, fill=1)

    def marker(self, dictionary: cv2.aruco.Dictionary, number: int, x: float, y: float, side_mm: float) -> None:
        """A marker's black square with its upper left corner at (x, y).

        `dictionary` and `number` name it (OpenCV's aruco module); `side_mm`: the black square's side.
        """
        cells = dictionary.markerSize + 2
        image = np.asarray(cv2.aruco.generateImageMarker(dictionary, number, cells))
        # the black square first and the white cells on it: a rim without seams
        self.black(x, y, side_mm, side_mm)
        self._canvas.setFillGray(1.0)
        step = side_mm / cells
        path = self._canvas.beginPath()
        for row, column in zip(*np.nonzero(image >= 128), strict=True):
            path.rect((x + column * step) * mm, self._y(y + (row + 1) * step), step * mm, step * mm)
        self._canvas.drawPath(path, stroke=0, fill=1)
        self._canvas.setFillGray(0.0)

    def _ruler(self, x: float, y: float) -> None:
        self.line((x, y), (x + RULER_MM, y))
        for k in range(RULER_MM + 1):
            self.tick(x + k, y, y + (4.0 if k % 50 == 0 else 2.5 if k % 10 == 0 else 1.2))
        side = self.width_mm - EDGE_MM / 2
        top = EDGE_MM
        self.line((side, top), (side, top + UPRIGHT_MM))
        for k in range(UPRIGHT_MM + 1):
            self.line((side, top + k), (side - (4.0 if k % 50 == 0 else 2.5 if k % 10 == 0 else 1.2), top + k))
