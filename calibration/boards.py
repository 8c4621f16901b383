"""The board in a person's hand, as written on the command line, and where its corners are in a picture.

Three kinds: a ChArUco board, a plain chessboard, a grid of ArUco markers. Here only what is declared is looked for; what is wrong with a
picture in which it is not found, and which other board would fit, is `calibration.misfit`'s. Board points are millimetres in the board's
plane, x along its columns, y down its rows.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import StrEnum

import cv2
import numpy as np
import numpy.typing as npt

from rig.errors import PalettiError

Grey = npt.NDArray[np.uint8]
Floats = npt.NDArray[np.float64]

LEAST_CORNERS = 6
"""A view with fewer corners pins down no pose together with a lens (four fix the homography, the rest is what can be checked)."""

LINE_SHARE = 0.08
"""Corners whose spread across their main direction is below this share of the spread along it lie on one line: no plane, no view."""

_EXAMPLES = "charuco:7x5:32mm:23mm:DICT_5X5_100, chessboard:9x6:25mm or grid:4x5:37.5mm:5mm:DICT_6X6_1000"
_UNITS_MM = {"mm": 1.0, "cm": 10.0, "m": 1000.0, "in": 25.4}
_LENGTH = re.compile(r"(\d+(?:\.\d+)?|\.\d+)(mm|cm|m|in)?")


class Kind(StrEnum):
    """What is printed on the board."""

    CHARUCO = "charuco"
    CHESSBOARD = "chessboard"
    GRID = "grid"


@dataclass(frozen=True, slots=True)
class Board:
    """A board: `columns` x `rows` squares (ChArUco), inner corners (chessboard) or markers (grid).

    `pitch_mm` is the side of a square, or from one marker of a grid to the next; `marker_mm` a marker's side (0: a chessboard has none).
    `legacy`: ChArUco boards of OpenCV before 4.6 begin with a black square also where the rows are even.
    """

    kind: Kind
    columns: int
    rows: int
    pitch_mm: float
    marker_mm: float = 0.0
    dictionary: str = ""
    legacy: bool = False

    def __str__(self) -> str:
        size = f"{self.kind}:{self.columns}x{self.rows}"
        match self.kind:
            case Kind.CHESSBOARD:
                return f"{size}:{self.pitch_mm:g}mm"
            case Kind.GRID:
                return f"{size}:{self.marker_mm:g}mm:{round(self.pitch_mm - self.marker_mm, 4):g}mm:{self.dictionary}"
            case Kind.CHARUCO:
                return f"{size}:{self.pitch_mm:g}mm:{self.marker_mm:g}mm:{self.dictionary}{':legacy' if self.legacy else ''}"

    @property
    def markers(self) -> int:
        """How many markers are printed on it."""
        return {Kind.CHARUCO: self.columns * self.rows // 2, Kind.GRID: self.columns * self.rows, Kind.CHESSBOARD: 0}[self.kind]

    @property
    def corners(self) -> int:
        """How many corners a whole view of it shows."""
        match self.kind:
            case Kind.CHARUCO:
                return (self.columns - 1) * (self.rows - 1)
            case Kind.CHESSBOARD:
                return self.columns * self.rows
            case Kind.GRID:
                return 4 * self.columns * self.rows


@dataclass(frozen=True, eq=False)
class Seen:
    """A board in one picture: its corners' ids (n,), places on the board (n, 3) in mm, and in the picture (n, 2) in px.

    `push` (n, 2): the direction in which a pixel of bloom has drawn each corner inward, negated; zeros for chess corners, which white and
    black share evenly. `markers` is how many of its markers were read.
    """

    name: str
    ids: npt.NDArray[np.intp]
    board_mm: Floats
    pixels: Floats
    push: Floats
    markers: int
    size_px: tuple[int, int]

    def only(self, kept: npt.NDArray[np.bool_]) -> Seen:
        return Seen(self.name, self.ids[kept], self.board_mm[kept], self.pixels[kept], self.push[kept], self.markers, self.size_px)

    @property
    def on_one_line(self) -> bool:
        return on_one_line(self.board_mm[:, :2])


def on_one_line(points: Floats) -> bool:
    """Whether points (n, 2) lie on one line (a board of which only a diagonal is seen), all of them or all but one: no plane then."""
    if len(points) < 4:
        return True
    middle = points - points.mean(0)
    across = middle @ np.linalg.svd(middle)[2][1]
    for rest in (
        points,
        np.delete(points, int(np.abs(across).argmax()), axis=0),
        *(np.delete(points, k, axis=0) for k in range(len(points))),
    ):
        along, wide = np.linalg.svd(rest - rest.mean(0), compute_uv=False)[:2]
        if wide < LINE_SHARE * along:
            return True
        if len(points) > 12:  # one of many is never what makes the plane, unless it is the farthest
            break
    return False


# ---------------------------------------------------------------- the declaration


def parse_board(text: str) -> Board:
    """The board written as `charuco:COLSxROWS:SQUARE:MARKER:DICT`, `chessboard:COLSxROWS:SQUARE` (inner corners) or
    `grid:COLSxROWS:MARKER:GAP:DICT`, lengths with their unit; PalettiError says what is wrong with it."""
    parts = text.strip().split(":")
    word = parts[0].lower()
    if word not in set(Kind):
        raise PalettiError(f"{parts[0]!r} is no kind of board.", f"Write one such as {_EXAMPLES}.")
    kind = Kind(word)
    legacy = kind is Kind.CHARUCO and parts[-1].lower() == "legacy"
    fields = parts[1 : -1 if legacy else None]
    wanted = 2 if kind is Kind.CHESSBOARD else 4
    if len(fields) != wanted:
        raise PalettiError(f"The board {text!r} has {len(fields)} parts after {kind}; {wanted} are needed.", f"Write it as in {_EXAMPLES}.")
    size = re.fullmatch(r"(\d{1,3})[xX](\d{1,3})", fields[0])
    if size is None:
        raise PalettiError(f"{fields[0]!r} is no board size.", "Write columns x rows, such as 7x5.")
    columns, rows = int(size[1]), int(size[2])
    least = 1 if kind is Kind.GRID else 3
    if not (least <= columns <= 60 and least <= rows <= 60):
        raise PalettiError(f"A {kind} of {columns}x{rows} cannot be used.", f"Columns and rows are from {least} to 60.")
    first = _length_mm(fields[1], "square" if kind is not Kind.GRID else "marker")
    if kind is Kind.CHESSBOARD:
        return Board(kind, columns, rows, first)
    second = _length_mm(fields[2], "marker" if kind is Kind.CHARUCO else "gap")
    name = _dictionary_name(fields[3])
    if kind is Kind.GRID:
        board = Board(kind, columns, rows, first + second, first, name)
    else:
        if second >= first:
            raise PalettiError(
                f"Markers of {second:g} mm do not fit into squares of {first:g} mm.", "The square comes first, then the smaller marker."
            )
        board = Board(kind, columns, rows, first, second, name, legacy)
    room = len(dictionary(name).bytesList)
    if board.markers > room:
        raise PalettiError(f"{name} has {room} markers, the board {fields[0]} needs {board.markers}.", "Name a larger dictionary.")
    return board


def _length_mm(text: str, what: str) -> float:
    match = _LENGTH.fullmatch(text.strip().lower())
    if match is None:
        raise PalettiError(f"{text!r} is no length of a {what}.", "Write it with its unit, such as 20mm.")
    if match[2] is None:
        raise PalettiError(
            f"The {what}'s length {text!r} has no unit: millimetres, metres, or a share of the square?", "Write it with its unit: 20mm."
        )
    length = float(match[1]) * _UNITS_MM[match[2]]
    if not 2.0 <= length <= 1000.0:
        other = f"{float(match[1]):g} m" if match[2] == "mm" else f"{float(match[1]):g} mm"
        raise PalettiError(f"A {what} of {text} is {length:g} mm: that is no board to hold in hands.", f"Was {other} meant? Mind the unit.")
    return length


def _dictionary_name(text: str) -> str:
    name = text.strip()
    name = name if name.upper().startswith("DICT_") else f"DICT_{name}"
    for known in dictionary_names():
        if known.lower() == name.lower():
            return known
    raise PalettiError(f"{text!r} is no marker dictionary that OpenCV has.", f"It has {', '.join(dictionary_names())}.")


def dictionary_names() -> tuple[str, ...]:
    """OpenCV's predefined dictionaries, one spelling each."""
    return tuple(name for name in dir(cv2.aruco) if name.startswith("DICT_") and not re.search(r"_\d+h", name))


def dictionary(name: str) -> cv2.aruco.Dictionary:
    return cv2.aruco.getPredefinedDictionary(getattr(cv2.aruco, name))


# ---------------------------------------------------------------- finding it


def charuco_of(board: Board) -> cv2.aruco.CharucoBoard:
    printed = cv2.aruco.CharucoBoard((board.columns, board.rows), board.pitch_mm, board.marker_mm, dictionary(board.dictionary))
    printed.setLegacyPattern(board.legacy)
    return printed


def grid_of(board: Board) -> cv2.aruco.GridBoard:
    gap = board.pitch_mm - board.marker_mm
    return cv2.aruco.GridBoard((board.columns, board.rows), board.marker_mm, gap, dictionary(board.dictionary))


def detector_of(name: str) -> cv2.aruco.ArucoDetector:
    parameters = cv2.aruco.DetectorParameters()
    parameters.cornerRefinementMethod = cv2.aruco.CORNER_REFINE_SUBPIX
    parameters.cornerRefinementWinSize = 4
    return cv2.aruco.ArucoDetector(dictionary(name), parameters)


def read_markers(grey: Grey, name: str) -> dict[int, Floats]:
    """The markers of a dictionary in a picture: id to corners (4, 2); one that is seen twice counts as neither."""
    corners, ids, _ = detector_of(name).detectMarkers(grey)
    numbers = [] if ids is None else [int(number) for number in ids.ravel()]
    return {number: np.asarray(quad[0], np.float64) for number, quad in zip(numbers, corners, strict=True) if numbers.count(number) == 1}


def find_board(grey: Grey, board: Board, name: str = "the picture") -> Seen:
    """What a picture shows of the declared board; a `Seen` with no corners if it shows none."""
    match board.kind:
        case Kind.CHARUCO:
            return _find_charuco(grey, board, name)
        case Kind.CHESSBOARD:
            return _find_chessboard(grey, board, name)
        case Kind.GRID:
            return _find_grid(grey, board, name)


def _seen(grey: Grey, name: str, ids: npt.ArrayLike, board_mm: npt.ArrayLike, pixels: npt.ArrayLike, markers: int) -> Seen:
    places = np.asarray(pixels, np.float64).reshape(-1, 2)
    size = (grey.shape[1], grey.shape[0])
    return Seen(
        name,
        np.asarray(ids, np.intp).ravel(),
        np.asarray(board_mm, np.float64).reshape(-1, 3),
        places,
        np.zeros_like(places),
        markers,
        size,
    )


def _find_charuco(grey: Grey, board: Board, name: str) -> Seen:
    printed = charuco_of(board)
    corners, ids, _, markers = cv2.aruco.CharucoDetector(printed).detectBoard(grey)
    read = 0 if markers is None else len(markers)
    if ids is None or len(ids) == 0:
        return _seen(grey, name, [], [], [], read)
    numbers = np.asarray(ids, np.intp).ravel()
    return _seen(grey, name, numbers, np.asarray(printed.getChessboardCorners())[numbers], corners, read)


def _find_chessboard(grey: Grey, board: Board, name: str) -> Seen:
    larger = chessboard_size(grey, board.columns, board.rows)
    if larger is None or sorted(larger) != sorted((board.columns, board.rows)):  # a part of a larger board is another board
        return _seen(grey, name, [], [], [], 0)
    flags = cv2.CALIB_CB_ACCURACY | cv2.CALIB_CB_NORMALIZE_IMAGE
    found, corners = cv2.findChessboardCornersSB(grey, (board.columns, board.rows), flags=flags)
    if not found or corners is None:
        return _seen(grey, name, [], [], [], 0)
    numbers = np.arange(board.columns * board.rows)
    places = np.stack((numbers % board.columns, numbers // board.columns, np.zeros_like(numbers)), axis=-1) * board.pitch_mm
    return _seen(grey, name, numbers, places, corners, 0)


def chessboard_size(grey: Grey, columns: int = 3, rows: int = 3) -> tuple[int, int] | None:
    """Inner corners (columns, rows) of the chessboard in a picture, of at least the given size; None if there is none."""
    flags = cv2.CALIB_CB_NORMALIZE_IMAGE | cv2.CALIB_CB_LARGER
    found, _, cells = cv2.findChessboardCornersSBWithMeta(grey, (columns, rows), flags)
    return (int(cells.shape[1]), int(cells.shape[0])) if found and cells is not None else None


def _find_grid(grey: Grey, board: Board, name: str) -> Seen:
    found = read_markers(grey, board.dictionary)
    mine = sorted(number for number in found if number < board.markers)
    if not mine:
        return _seen(grey, name, [], [], [], 0)
    places = np.asarray(grid_of(board).getObjPoints(), np.float64)
    quads = np.array([found[number] for number in mine])
    ids = (np.array(mine)[:, None] * 4 + np.arange(4)).ravel()
    seen = _seen(grey, name, ids, places[mine], quads, len(mine))
    along = np.roll(quads, -1, axis=1) - quads
    along /= np.linalg.norm(along, axis=2, keepdims=True)
    push = (np.roll(along, 1, axis=1) - along).reshape(-1, 2)
    return Seen(seen.name, seen.ids, seen.board_mm, seen.pixels, push, seen.markers, seen.size_px)
