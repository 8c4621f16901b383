"""Pictures that the twin's rig is clad in: the printed markers, wood, printed card, a table and walls.

Grey textures are multiplied with a piece's colour by the renderer. Everything is drawn from a seed and handed over as PNG bytes, so the
scene needs no files.
"""

from __future__ import annotations

import cv2
import numpy as np
import numpy.typing as npt

from rig.profile import MarkerLayout

Picture = npt.NDArray[np.uint8]

PX_PER_MM = 3.0
"""Resolution of the marker sheet: about twice what a camera sees at 0.8 m."""
SHEET_COLUMNS = 8


def png(picture: Picture) -> bytes:
    """A picture (height, width, 3), RGB, as PNG bytes."""
    ok, data = cv2.imencode(".png", picture, [cv2.IMWRITE_PNG_COMPRESSION, 1])
    if not ok:
        raise ValueError("a texture cannot be written as PNG")
    return data.tobytes()


def sheet_cell_px(layout: MarkerLayout) -> int:
    """Side of a marker with its white margin on the sheet, pixels."""
    return round((layout.side_mm + 2 * layout.margin_mm) * PX_PER_MM)


def marker_sheet(layout: MarkerLayout) -> Picture:
    """All markers with their white margins on one sheet, row by row in the layout's order, eight a row."""
    dictionary = cv2.aruco.getPredefinedDictionary(getattr(cv2.aruco, layout.dictionary))
    cell, side = sheet_cell_px(layout), round(layout.side_mm * PX_PER_MM)
    rows = -(-len(layout.markers) // SHEET_COLUMNS)
    sheet = np.full((rows * cell, SHEET_COLUMNS * cell), 235, np.uint8)
    edge = (cell - side) // 2
    for k, marker in enumerate(layout.markers):
        top, left = (k // SHEET_COLUMNS) * cell + edge, (k % SHEET_COLUMNS) * cell + edge
        ink = cv2.aruco.generateImageMarker(dictionary, marker.id, side, borderBits=1)
        sheet[top : top + side, left : left + side] = np.where(ink > 127, 235, 28)
    return np.repeat(sheet[:, :, None], 3, axis=2)


def wood(rng: np.random.Generator, size_px: int = 256, grain: float = 0.07, stretch: float = 30.0) -> Picture:
    """Grey wood, mean near 235: fine grain along the picture's height and slow bands across it."""
    fine = cv2.GaussianBlur(rng.normal(size=(size_px, size_px)).astype(np.float32), (0, 0), sigmaX=1.2, sigmaY=stretch)
    slow = cv2.GaussianBlur(rng.normal(size=(size_px, size_px)).astype(np.float32), (0, 0), sigmaX=size_px / 12, sigmaY=size_px / 4)
    pattern = 0.6 * fine / float(fine.std()) + 0.6 * slow / float(slow.std())
    level = np.clip(235.0 * (1.0 + grain * pattern), 0, 255).astype(np.uint8)
    return np.repeat(level[:, :, None], 3, axis=2)


def card(rng: np.random.Generator, radius_mm: float, site_radius_mm: float, size_px: int = 512) -> Picture:
    """The base's printed upper face: the outer ring darker, a line round the building site, faint paving inside."""
    picture = np.full((size_px, size_px, 3), 238, np.uint8)
    scale = size_px / 2 / radius_mm
    middle = (size_px // 2, size_px // 2)
    cv2.circle(picture, middle, size_px, (196, 202, 206), -1)
    cv2.circle(picture, middle, round(site_radius_mm * scale), (240, 240, 240), -1, cv2.LINE_AA)
    for _ in range(90):
        x, y = rng.integers(0, size_px, 2)
        width, height = rng.integers(14, 40, 2)
        if np.hypot(x - middle[0], y - middle[1]) < (site_radius_mm - 18) * scale:
            tone = int(rng.integers(222, 236))
            cv2.rectangle(picture, (int(x), int(y)), (int(x + width), int(y + height)), (tone, tone, tone), 1, cv2.LINE_AA)
    cv2.circle(picture, middle, round(site_radius_mm * scale), (120, 128, 132), 2, cv2.LINE_AA)
    return picture


def cloth(rng: np.random.Generator, size_px: int = 256) -> Picture:
    """A wall's or a rug's uneven paint."""
    noise = cv2.GaussianBlur(rng.normal(size=(size_px, size_px)).astype(np.float32), (0, 0), 9)
    fine = rng.normal(size=(size_px, size_px)).astype(np.float32)
    level = np.clip(226 + 9 * noise / float(noise.std()) + 2.5 * fine, 0, 255).astype(np.uint8)
    return np.repeat(level[:, :, None], 3, axis=2)
