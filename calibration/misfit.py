"""Why a board was not found: the other board that would fit, or what the picture lacks, in words.

The usual slips are tried one by one: columns and rows swapped, the pattern of older OpenCV boards, another size, another dictionary, other
proportions of marker and square; and where no board fits at all, blur and the missing white border are looked at. Nothing here changes
what was declared: a person does, having been told.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

import cv2
import numpy as np
import numpy.typing as npt

from calibration.boards import (
    Board,
    Floats,
    Grey,
    Kind,
    Seen,
    charuco_of,
    chessboard_size,
    detector_of,
    dictionary_names,
    grid_of,
    read_markers,
)
from vision.camera.picture_faults import sharpness

MIRRORED = "The pictures are mirrored: switch off the camera's selfie mode (mirroring)."

FLAT_SHARE = 0.25
"""A marker's corners farther than this share of its side from where the other markers put them contradict the board declared. Raised,
it admits wrong sizes; lowered, it takes a bent sheet or a wide lens for a wrong board."""

LEAST_MARKERS = 4
"""Fewer markers prove no other board and no other dictionary: small dictionaries find one or two in any texture."""

PROPORTION_SHARE = 0.12
"""Measured against declared side of a marker: bloom makes up to 5 % at 640 px, a misunderstood gap makes 15 % and more."""

PROVING = 6
"""Pictures that are enough to tell another board by."""

BLUR_LEVEL = 25.0
"""Mean squared Laplacian over the edges (grey levels squared) below which a picture is called blurred."""


def other_board(pictures: Sequence[Grey], board: Board) -> str:
    """A sentence that names the board that fits these pictures where the declared one does not; empty if none is found."""
    if board.kind is Kind.CHESSBOARD:
        return _other_chessboard(pictures, board)
    best = max((read_markers(picture, board.dictionary) for picture in pictures[:PROVING]), key=len, default={})
    if len(best) < LEAST_MARKERS:
        return mirrored(pictures, board) or _other_dictionary(pictures, board)
    if _fits(best, board):
        return ""
    for candidate in _alternatives(board, max(best)):
        if _fits(best, candidate):
            return _say(board, candidate)
    return ""


def contradiction(pictures: Sequence[Grey], board: Board) -> str:
    """A sentence if the markers lie otherwise than declared, although corners may have been found; empty if all is as declared."""
    if board.kind is Kind.CHESSBOARD:
        return ""
    sides: list[float] = []
    for picture in pictures[:PROVING]:
        found = read_markers(picture, board.dictionary)
        if len(found) < LEAST_MARKERS:
            continue
        if not _fits(found, board):
            if max(found) >= board.markers or len(found) >= 2 * LEAST_MARKERS:
                return other_board([picture], board)
            continue
        sides.append(_measured_side(found, board))
    if not sides:
        return ""
    side = float(np.median(sides))
    if abs(side / board.marker_mm - 1) <= PROPORTION_SHARE:
        return ""
    what = "square" if board.kind is Kind.CHARUCO else "step from one marker to the next"
    return (
        f"In the pictures a marker's side is {side / board.pitch_mm:.2f} of the {what}, by the board {board} it would be "
        f"{board.marker_mm / board.pitch_mm:.2f}: measure the printed {'marker' if board.kind is Kind.CHARUCO else 'marker and gap'} again."
    )


def mirrored(pictures: Sequence[Grey], board: Board) -> str:
    """A sentence if the board declared shows in the pictures held to a mirror; empty if not."""
    for picture in pictures[:PROVING]:
        found = read_markers(np.ascontiguousarray(picture[:, ::-1]), board.dictionary) if board.markers else {}
        if len(found) >= LEAST_MARKERS and (_fits(found, board) or _fits(found, replace(board, columns=board.rows, rows=board.columns))):
            return MIRRORED
    return ""


def never_seen(seen: Sequence[Seen], board: Board) -> tuple[str, ...]:
    """A sentence for every outermost row and column of a declared board of which no picture shows a corner: it may have been counted
    wrongly. A ChArUco board with a row too many declared has the same markers in the same places, so nothing else tells."""
    if board.kind is Kind.CHESSBOARD:
        return ()
    grid = board.kind is Kind.GRID
    across, down = (board.columns, board.rows) if grid else (board.columns - 1, board.rows - 1)
    ids = np.unique(np.concatenate([view.ids for view in seen])) // (4 if grid else 1)
    if not len(ids):
        return ()
    columns, rows = set((ids % across).tolist()), set((ids // across).tolist())
    sides = (
        ("last row", down - 1 not in rows, (0, 1)),
        ("first row", 0 not in rows, (0, 1)),
        ("last column", across - 1 not in columns, (1, 0)),
        ("first column", 0 not in columns, (1, 0)),
    )
    said = []
    for name, missing, (fewer_columns, fewer_rows) in sides:
        if missing:
            size = f"{board.columns - fewer_columns}x{board.rows - fewer_rows}"
            said.append(
                f"No picture shows the {name} of the {board.columns}x{board.rows} board declared. Does it have {size}? Count again."
            )
    return tuple(said)


def picture_trouble(picture: Grey, board: Board) -> str:
    """What one picture without a board lacks, in words for a person."""
    if float(picture.std()) < 4.0:
        return "it is blank or dark"
    if blurred(picture):
        return "it is blurred: hold the board still, and mind the focus"
    if board.kind is Kind.CHESSBOARD:
        return "no such chessboard is in it, whole and with its white border (a board needs a white border round its outer squares)"
    return "no such board is in it (markers need a white border: on a dark table leave white paper round the board)"


def blurred(picture: Grey) -> bool:
    """Whether even the strongest edges are soft: the 99th percentile of the gradient of neighbouring pixels against the contrast."""
    small = cv2.resize(picture, None, fx=640 / picture.shape[1], fy=640 / picture.shape[1], interpolation=cv2.INTER_AREA)
    contrast = float(np.percentile(small, 99) - np.percentile(small, 1))
    steps = np.abs(np.diff(small.astype(np.float32), axis=1))
    return contrast > 20 and float(np.percentile(steps, 99.5)) < 0.16 * contrast and sharpness(np.asarray(small, np.uint8)) < BLUR_LEVEL


# ---------------------------------------------------------------- which board fits


def _places(board: Board) -> Floats:
    """Every marker's corners on the board (n, 4, 2)."""
    made = charuco_of(board) if board.kind is Kind.CHARUCO else grid_of(board)
    return np.asarray(made.getObjPoints(), np.float64)[..., :2]


def _plane(found: Mapping[int, Floats], board: Board) -> tuple[Floats, Floats] | None:
    """The markers' centres put onto the board's plane by a robust homography: the map and the distance of each centre (mm)."""
    if max(found) >= board.markers:
        return None
    places = _places(board)
    ids = sorted(found)
    centres = np.array([found[k].mean(0) for k in ids])
    wanted = np.array([places[k].mean(0) for k in ids])
    plane, _ = cv2.findHomography(centres, wanted, cv2.RANSAC, FLAT_SHARE * board.marker_mm)
    if plane is None or not np.isfinite(plane).all():
        return None
    mapped = cv2.perspectiveTransform(centres[None], plane)[0]
    return np.asarray(plane, np.float64), np.linalg.norm(mapped - wanted, axis=1)


def _fits(found: Mapping[int, Floats], board: Board) -> bool:
    """Whether the markers of one picture lie as on this board, and as printed: not mirrored, not turned."""
    answer = _plane(found, board)
    if answer is None:
        return False
    plane, away = answer
    near = away < FLAT_SHARE * board.marker_mm
    if near.mean() < 0.8 or near.sum() < LEAST_MARKERS:
        return False
    places = _places(board)
    ids = [number for number, good in zip(sorted(found), near, strict=True) if good]
    mapped = cv2.perspectiveTransform(np.array([found[k] for k in ids]).reshape(1, -1, 2), plane).reshape(-1, 4, 2)
    turned = (mapped - mapped.mean(1, keepdims=True)) * (places[ids] - places[ids].mean(1, keepdims=True))
    return bool((turned.sum((1, 2)) > 0).all())


def _measured_side(found: Mapping[int, Floats], board: Board) -> float:
    answer = _plane(found, board)
    assert answer is not None
    ids = sorted(found)
    mapped = cv2.perspectiveTransform(np.array([found[k] for k in ids]).reshape(1, -1, 2), answer[0]).reshape(-1, 4, 2)
    return float(np.median(np.linalg.norm(mapped - np.roll(mapped, 1, axis=1), axis=2)))


def _alternatives(board: Board, highest: int) -> Iterator[Board]:
    """Other boards, the likeliest slips first."""
    swapped = replace(board, columns=board.rows, rows=board.columns)
    yield swapped
    if board.kind is Kind.CHARUCO:
        yield replace(board, legacy=not board.legacy)
        yield replace(swapped, legacy=not board.legacy)
    for total in range(4, 41):
        for columns in range(2, total - 1):
            for legacy in (False, True) if board.kind is Kind.CHARUCO else (False,):
                candidate = replace(board, columns=columns, rows=total - columns, legacy=legacy)
                if (
                    min(columns, total - columns) > 1 + (board.kind is Kind.CHARUCO)
                    and highest < candidate.markers <= highest + 2 * columns
                ):
                    yield candidate


def _say(board: Board, fits: Board) -> str:
    if (fits.columns, fits.rows) == (board.rows, board.columns) and fits.legacy == board.legacy:
        return (
            f"Columns and rows are swapped: the pictures show a board of {fits.columns}x{fits.rows}, not {board.columns}x{board.rows}. "
            f"Write {fits}."
        )
    if fits.legacy != board.legacy:
        age = "the pattern of OpenCV before 4.6 (legacy)" if fits.legacy else "today's pattern, not the legacy one"
        also = "" if (fits.columns, fits.rows) == (board.columns, board.rows) else f", {fits.columns}x{fits.rows}"
        return f"The board in the pictures has {age}{also}. Write {fits}."
    return f"The board in the pictures fits {fits.columns}x{fits.rows}, not {board.columns}x{board.rows}. Write {fits}, or count again."


def _other_dictionary(pictures: Sequence[Grey], board: Board) -> str:
    """The dictionary whose markers lie on the picture as on a board of this size (or of its swapped one)."""
    votes: list[tuple[int, int, str, Board]] = []
    for name in dictionary_names():
        if name == board.dictionary:
            continue
        try:
            tried = replace(board, dictionary=name)
            found = max((read_markers(picture, name) for picture in pictures[:2]), key=len)
        except cv2.error:
            continue
        room = len(cv2.aruco.getPredefinedDictionary(getattr(cv2.aruco, name)).bytesList)
        if room < board.markers or len(found) < LEAST_MARKERS:
            continue
        swapped = replace(tried, columns=board.rows, rows=board.columns)
        both = (tried, swapped, replace(tried, legacy=True), replace(swapped, legacy=True))
        fitting = [candidate for candidate in both if _fits(found, candidate)]
        if fitting:
            votes.append((len(found), -room, name, fitting[0]))
    if not votes:
        return _unknown_markers(pictures)
    markers, _, name, fits = max(votes, key=lambda vote: vote[:2])
    return (
        f"The pictures show markers of {name}, not of {board.dictionary} ({markers} in one picture). Write {fits}, or the larger "
        "dictionary of that kind that it was printed from."
    )


def _unknown_markers(pictures: Sequence[Grey]) -> str:
    """A sentence if a picture shows squares that look like markers and belong to none of OpenCV's dictionaries."""
    most = 0
    for picture in pictures[:PROVING]:
        _, _, rejected = detector_of("DICT_6X6_250").detectMarkers(picture)
        most = max(most, sum(_like_a_marker(picture, np.asarray(quad, np.float32).reshape(4, 2)) for quad in rejected))
    if most < LEAST_MARKERS:
        return ""
    return f"A picture shows {most} squares like markers, but of none of OpenCV's dictionaries: they cannot be read. Print a board anew."


def _like_a_marker(picture: Grey, quad: npt.NDArray[np.float32]) -> bool:
    """A dark rim all round, and dark and light cells inside."""
    if cv2.contourArea(quad) < 200:
        return False
    square = np.array(((0, 0), (32, 0), (32, 32), (0, 32)), np.float32)
    face = cv2.warpPerspective(picture, cv2.getPerspectiveTransform(quad, square), (32, 32))
    level, _ = cv2.threshold(face, 0, 255, cv2.THRESH_OTSU)
    dark = face <= level
    rim = np.concatenate((dark[1:3, 1:-1].ravel(), dark[-3:-1, 1:-1].ravel(), dark[1:-1, 1:3].ravel(), dark[1:-1, -3:-1].ravel()))
    inside = float(dark[5:-5, 5:-5].mean())
    return float(rim.mean()) > 0.9 and 0.15 < inside < 0.9 and float(np.ptp(face)) > 50


def _other_chessboard(pictures: Sequence[Grey], board: Board) -> str:
    """Whether a chessboard of another size is found; squares counted instead of inner corners are the usual slip."""
    sizes = [size for picture in pictures[:PROVING] if (size := chessboard_size(picture)) is not None]
    if not sizes:
        return ""
    columns, rows = max(sizes, key=lambda size: size[0] * size[1])
    if (columns < rows) != (board.columns < board.rows):
        columns, rows = rows, columns
    if (columns, rows) == (board.columns, board.rows):
        return ""
    counted = " (inner corners are counted, not squares)" if (columns, rows) == (board.columns - 1, board.rows - 1) else ""
    found = replace(board, columns=columns, rows=rows)
    part = ", unless only a part of it is in the pictures" if columns * rows < board.columns * board.rows else ""
    return (
        f"The pictures show a chessboard of {columns}x{rows} inner corners, not {board.columns}x{board.rows}{counted}. Write {found}{part}."
    )
