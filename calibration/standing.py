"""Where a single column stands and how large it is, from what is new in each camera's picture.

The column's outline in a picture is the hull of its two end faces. Place, radius and height are those whose outlines cover the masks best
in all cameras at once. A hexagon is measured like a round one: its apparent half width wanders with its turn by 15 %; the mean is taken.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import cv2
import numpy as np
import numpy.typing as npt
from scipy.optimize import minimize

from rig.errors import PalettiError
from vision.geometry import Floats, View, polygon_of, prism

Bools = npt.NDArray[np.bool_]

OVER = 3
"""Pixels are divided by this when outlines are compared: a third of a pixel is a third of a millimetre."""

SIDES = 24

GOOD_FIT = 0.80
"""Share of mask and outline that must be common to both: a hand, a lying column and a plateau give less."""


SURE_FIT = 0.9
"""A fit that no other start of the search would better."""


@dataclass(frozen=True, slots=True)
class StandingFit:
    """A column's place, apparent half width and height (mm), and how much of mask and outline are common (0 to 1)."""

    x_mm: float
    y_mm: float
    half_width_mm: float
    height_mm: float
    fit: float


def fit_standing(views: Sequence[View], masks: Sequence[Bools]) -> StandingFit:
    """The upright column that stands on the base and covers the masks (height, width) best; PalettiError if nothing is new anywhere."""
    crops = [_crop(view, mask) for view, mask in zip(views, masks, strict=True) if mask.any()]
    if not crops:
        raise PalettiError("Nothing new stands on the base.", "Set one piece down in every camera's view.")
    x, y = _foot(views, masks)

    def missing(p: Floats) -> float:
        if p[2] < 2.0 or p[3] < 10.0:
            return 1e3
        return float(sum(1 - _common(view, large, p) for view, large in crops))

    best: StandingFit | None = None
    for half, height in ((8.0, 100.0), (14.0, 80.0)):
        start = np.array((x, y, half, height))
        simplex = np.vstack([start, start + np.diag((6.0, 6.0, 4.0, 25.0))])
        found = minimize(
            missing, start, method="Nelder-Mead", options={"initial_simplex": simplex, "xatol": 0.05, "fatol": 1e-4, "maxfev": 320}
        )
        fit = 1 - float(found.fun) / len(crops)
        if best is None or fit > best.fit:
            best = StandingFit(float(found.x[0]), float(found.x[1]), float(found.x[2]), float(found.x[3]), fit)
        if best.fit > SURE_FIT:
            break
    assert best is not None
    return best


def _crop(view: View, mask: Bools) -> tuple[View, npt.NDArray[np.uint8]]:
    """The view of the mask's surrounding, and the mask there, enlarged."""
    rows, columns = np.flatnonzero(mask.any(1)), np.flatnonzero(mask.any(0))
    x0, x1 = max(int(columns[0]) - 24, 0), min(int(columns[-1]) + 25, mask.shape[1])
    y0, y1 = max(int(rows[0]) - 24, 0), min(int(rows[-1]) + 25, mask.shape[0])
    large = np.repeat(np.repeat(mask[y0:y1, x0:x1].astype(np.uint8), OVER, axis=0), OVER, axis=1)
    return view.cropped((x0, y0, x1, y1)), np.asarray(large, np.uint8)


def _common(view: View, large: npt.NDArray[np.uint8], p: Floats) -> float:
    """Area common to mask and outline, as a share of what either covers."""
    corners = prism(polygon_of(p[2], SIDES) + p[:2], 0.0, p[3]).reshape(-1, 3)
    pixels = view.project(corners)
    if np.isnan(pixels).any():
        return 0.0
    drawn = np.zeros(large.shape, np.uint8)
    fine = ((pixels + 0.5) * OVER - 0.5) * 16
    cv2.fillConvexPoly(drawn, cv2.convexHull(np.rint(fine).astype(np.int32)), 1, cv2.LINE_8, 4)
    both = int(cv2.countNonZero(drawn & large))
    return both / max(int(cv2.countNonZero(drawn)) + int(cv2.countNonZero(large)) - both, 1)


def _foot(views: Sequence[View], masks: Sequence[Bools]) -> tuple[float, float]:
    """A first place: on the base's plane the pictures of an upright column are streaks away from each camera, which cross at its foot."""
    line = np.arange(-150.0, 151.0, 3.0)
    points = np.stack((*np.meshgrid(line, line), np.zeros((len(line),) * 2)), axis=-1)
    common = np.ones(points.shape[:2], np.float32)
    for view, mask in zip(views, masks, strict=True):
        places = np.nan_to_num(view.project(points), nan=-1e4).astype(np.float32)
        common = np.minimum(common, cv2.remap(mask.astype(np.float32), places[..., 0], places[..., 1], cv2.INTER_LINEAR))
    found = points[common > 0.5]
    if len(found) == 0:
        return 0.0, 0.0
    if len(views) > 1:
        return float(found[:, 0].mean()), float(found[:, 1].mean())
    near = found[np.argsort(np.linalg.norm(found[:, :2] - views[0].eye_mm[:2], axis=1))[: max(len(found) // 8, 1)]]
    return float(near[:, 0].mean()), float(near[:, 1].mean())
