"""Where a single column stands and how large it is, from what is new in each camera's picture.

The column's outline in a picture is the hull of its two end faces. Place, radius and height are those whose outlines fit the covers best
in all cameras at once. A hexagon's apparent half width wanders with its turn by 15 %, and its end faces are smaller than a disc of their
mean width, which makes a round outline come out half a millimetre too low; so every column is measured both ways, and what it is decides.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import cv2
import numpy as np
import numpy.typing as npt
from scipy.optimize import minimize

from calibration.cutout import Cover
from rig.errors import PalettiError
from vision.arrays import Floats
from vision.camera.view import CameraView
from vision.scene.solids import polygon_of, prism

OVER = 3
"""Pixels are divided by this when outlines are compared: a third of a pixel is a third of a millimetre."""

SIDES = 24

HEX_TURNS_DEG = (0.0, 15.0, 30.0, 45.0)
"""Turns of a hexagon from which the search begins; it is the same again at 60."""

GOOD_FIT = 0.80
"""Share of cover and outline that must be common to both: a hand, a lying column and a plateau give less."""


HEX_MEAN = 0.9549
"""Mean apparent half width of a hexagon over all turns, as a share of its circumscribed radius: 3 / pi."""

SURE_FIT = 0.9
"""A fit that no other start of the search would better."""


@dataclass(frozen=True, slots=True)
class HexFit:
    """The same column measured as a hexagon: its circumscribed radius, its height (mm), how much is common."""

    radius_mm: float
    height_mm: float
    fit: float


@dataclass(frozen=True, slots=True)
class StandingFit:
    """A column's place, apparent half width and height (mm), and how much of cover and outline are common (0 to 1)."""

    x_mm: float
    y_mm: float
    half_width_mm: float
    height_mm: float
    fit: float
    hexagonal: HexFit


def fit_standing(views: Sequence[CameraView], covers: Sequence[Cover]) -> StandingFit:
    """The upright column on the base that covers best what is covered (height, width; 0 to 1); PalettiError if nothing is anywhere."""
    crops = [_crop(view, cover) for view, cover in zip(views, covers, strict=True) if (cover > 0.5).any()]
    if not crops:
        raise PalettiError("Nothing new stands on the base.", "Set one piece down in every camera's view.")
    x, y = _foot(views, covers)

    def missing(p: Floats) -> float:
        if p[2] < 2.0 or p[3] < 10.0:
            return 1e3
        return float(sum(1 - _common(view, large, p) for view, large in crops))

    best, least = np.zeros(4), np.inf
    for half, height in ((8.0, 100.0), (14.0, 80.0)):
        found, left = _search(missing, np.array((x, y, half, height)), np.array((6.0, 6.0, 4.0, 25.0)), 320)
        if left < least:
            best, least = found, left
        if 1 - least / len(crops) > SURE_FIT:
            break
    starts = [np.array((best[0], best[1], best[2] / HEX_MEAN, best[3], math.radians(turn))) for turn in HEX_TURNS_DEG]
    six, left = _search(missing, min(starts, key=missing), np.array((1.0, 1.0, 0.6, 1.5, 0.15)), 200)
    hexagonal = HexFit(float(six[2]), float(six[3]), 1 - left / len(crops))
    return StandingFit(float(best[0]), float(best[1]), float(best[2]), float(best[3]), 1 - least / len(crops), hexagonal)


def _search(missing: Callable[[Floats], float], start: Floats, reach: Floats, most: int) -> tuple[Floats, float]:
    """Where `missing` is least, and how little that is, from `start` with first steps of `reach`."""
    simplex = np.vstack([start, start + np.diag(reach)])
    found = minimize(
        missing, start, method="Nelder-Mead", options={"initial_simplex": simplex, "xatol": 0.05, "fatol": 1e-4, "maxfev": most}
    )
    return np.asarray(found.x, np.float64), float(found.fun)


def _crop(view: CameraView, cover: Cover) -> tuple[CameraView, npt.NDArray[np.uint8]]:
    """The view of the covered pixels' surrounding, and what is more than half covered there, enlarged."""
    rows, columns = (np.flatnonzero((cover > 0.5).any(axis)) for axis in (1, 0))
    x0, x1 = max(int(columns[0]) - 24, 0), min(int(columns[-1]) + 25, cover.shape[1])
    y0, y1 = max(int(rows[0]) - 24, 0), min(int(rows[-1]) + 25, cover.shape[0])
    large = cv2.resize(cover[y0:y1, x0:x1], None, fx=OVER, fy=OVER, interpolation=cv2.INTER_LINEAR)
    return view.cropped((x0, y0, x1, y1)), np.asarray(large > 0.5, np.uint8)


def _common(view: CameraView, large: npt.NDArray[np.uint8], p: Floats) -> float:
    """Area common to cover and outline, as a share of what either covers. `p`: x, y, radius, height (mm), and a hexagon's turn (rad)."""
    around = polygon_of(p[2], SIDES)
    if len(p) > 4:
        c, s = math.cos(p[4]), math.sin(p[4])
        around = polygon_of(p[2], 6) @ np.array(((c, s), (-s, c)))
    corners = prism(around + p[:2], 0.0, p[3]).reshape(-1, 3)
    pixels = view.project(corners)
    if np.isnan(pixels).any():
        return 0.0
    drawn = np.zeros(large.shape, np.uint8)
    outline = np.asarray(cv2.convexHull(((pixels + 0.5) * OVER - 0.5).astype(np.float32))[:, 0], np.float64)
    cv2.fillConvexPoly(drawn, np.rint(_inset(outline) * 16).astype(np.int32), 1, cv2.LINE_8, 4)
    both = int(cv2.countNonZero(drawn & large))
    return both / max(int(cv2.countNonZero(drawn)) + int(cv2.countNonZero(large)) - both, 1)


def _inset(outline: Floats) -> Floats:
    """A convex outline (n, 2) half a pixel smaller all round, because OpenCV fills the pixels that its border touches as well."""
    along = np.roll(outline, -1, axis=0) - outline
    along = along / np.maximum(np.linalg.norm(along, axis=1, keepdims=True), 1e-9)
    across = np.column_stack((-along[:, 1], along[:, 0]))
    area = np.sum(outline[:, 0] * np.roll(outline[:, 1], -1) - np.roll(outline[:, 0], -1) * outline[:, 1])
    inward = (across + np.roll(across, 1, axis=0)) * np.sign(area)
    return np.asarray(outline + inward / np.maximum(np.square(inward).sum(1, keepdims=True), 0.5))


def _foot(views: Sequence[CameraView], covers: Sequence[Cover]) -> tuple[float, float]:
    """A first place: on the base's plane the pictures of an upright column are streaks away from each camera, which cross at its foot."""
    line = np.arange(-150.0, 151.0, 3.0)
    points = np.stack((*np.meshgrid(line, line), np.zeros((len(line),) * 2)), axis=-1)
    common = np.ones(points.shape[:2], np.float32)
    for view, cover in zip(views, covers, strict=True):
        places = np.nan_to_num(view.project(points), nan=-1e4).astype(np.float32)
        common = np.minimum(common, cv2.remap(cover, places[..., 0], places[..., 1], cv2.INTER_LINEAR))
    found = points[common > 0.5]
    if len(found) == 0:
        return 0.0, 0.0
    if len(views) > 1:
        return float(found[:, 0].mean()), float(found[:, 1].mean())
    near = found[np.argsort(np.linalg.norm(found[:, :2] - views[0].eye_mm[:2], axis=1))[: max(len(found) // 8, 1)]]
    return float(near[:, 0].mean()), float(near[:, 1].mean())
