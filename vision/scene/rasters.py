"""The inner loops of silhouettes: where prisms' edges cross the rows of a picture, sums over what lies between, and drawing in depth order.

A judgement asks for ten thousand small silhouettes and a thousand partly redrawn scenes; in numpy nine tenths of its time went into
handling arrays of a few dozen numbers. How these loops are compiled is in `vision.compiling`; their callers are `vision.scene.silhouettes`
and the searches in `vision.change`.
"""

from __future__ import annotations

import math
from typing import TypeAlias

import numpy as np

from vision.arrays import Bools, Codes, Floats, Longs, Maps
from vision.compiling import compiled

Real: TypeAlias = float | np.float32


@compiled("void(f8[:,:,::1], i8, i8, f8[::1], f8[::1], i8)")
def _cross_rows(points: Floats, start: int, stop: int, left: Floats, right: Floats, height: int) -> None:
    """Widen `left` and `right` (height,) by the crossings with each row of the edges of one prism: corners `start` to `stop` of both faces
    of `points` (2, n, 2), px."""
    for kind in range(3):
        for k in range(start, stop):
            after = k + 1 if k + 1 < stop else start
            a, i, b, j = (0, k, 0, after) if kind == 0 else ((1, k, 1, after) if kind == 1 else (0, k, 1, k))
            x0, y0, x1, y1 = points[a, i, 0], points[a, i, 1], points[b, j, 0], points[b, j, 1]
            if y0 > y1:
                x0, y0, x1, y1 = x1, y1, x0, y0
            first, last = max(math.ceil(y0), 0), min(math.floor(y1), height - 1)
            if last < first:
                continue
            slope = (x1 - x0) / max(y1 - y0, 1e-9)
            for y in range(first, last + 1):
                x = x0 + (y - y0) * slope
                left[y] = min(left[y], x)
                right[y] = max(right[y], x)


@compiled("Tuple((i8[::1], f8[:,::1], f8[:,::1]))(f8[:,:,:,::1], i8)")
def prism_spans(points: Floats, height: int) -> tuple[Longs, Floats, Floats]:
    """First row (N,), left and right ends (N, rows) of N prisms' silhouettes from their corners in pixels (N, 2, n, 2)."""
    count, n = points.shape[0], points.shape[2]
    top = np.empty(count, np.int64)
    rows = 0
    for m in range(count):
        low, high = np.inf, -np.inf
        for a in range(2):
            for k in range(n):
                low, high = min(low, points[m, a, k, 1]), max(high, points[m, a, k, 1])
        top[m] = int(min(max(math.ceil(low), 0), height))
        rows = max(rows, int(min(max(math.floor(high), -1), height - 1)) - top[m] + 1)
    left, right = np.full((count, rows), np.inf), np.full((count, rows), -np.inf)
    whole_left, whole_right = np.empty(height), np.empty(height)
    for m in range(count):
        whole_left[:], whole_right[:] = np.inf, -np.inf
        _cross_rows(points[m], 0, n, whole_left, whole_right, height)
        for r in range(min(rows, height - top[m])):
            left[m, r], right[m, r] = whole_left[top[m] + r], whole_right[top[m] + r]
    return top, left, right


@compiled("f8(f8[:,::1], i8, f8, f8)")
def _row_sum(total: Floats, y: int, left: float, right: float) -> float:
    """Sum of row y between two ends from its running sum; border pixels count by the share that is covered."""
    most = total.shape[1] - 1 - 1e-6
    high, low = min(max(right + 0.5, 0.0), most), min(max(left + 0.5, 0.0), most)
    i, j = int(high), int(low)
    above = total[y, i] + (total[y, i + 1] - total[y, i]) * (high - i)
    below = total[y, j] + (total[y, j + 1] - total[y, j]) * (low - j)
    return float(above - below)


@compiled("f8[::1](f8[:,::1], i8[::1], f8[:,::1], f8[:,::1])")
def span_sums(total: Floats, top: Longs, left: Floats, right: Floats) -> Floats:
    """Sum (N,) over each silhouette from the map's running sum (h, w + 1)."""
    result = np.zeros(len(top))
    last = total.shape[0] - 1
    for m in range(len(top)):
        for r in range(left.shape[1]):
            if right[m, r] >= left[m, r]:
                result[m] += _row_sum(total, min(top[m] + r, last), left[m, r], right[m, r])
    return result


@compiled("f8[::1](f8[:,::1], i8, i8, i8, f8[:,:,:,::1], i8[::1])")
def placed_sums(total: Floats, x0: int, y0: int, height: int, corners: Floats, starts: Longs) -> Floats:
    """Sums (m,) over the silhouettes of one upright solid at m places, from where its corners fall: `corners` (m, 2, n, 2), px.

    `total` (h, w + 1) is the running sum of the part of a picture of `height` rows whose upper left pixel is (`x0`, `y0`), all else being
    0; the solid's convex parts are the corners `starts[k]` to `starts[k + 1]` of its two faces.
    """
    result = np.zeros(len(corners))
    left, right = np.empty(height), np.empty(height)
    last = min(y0 + total.shape[0], height)
    for m in range(len(corners)):
        left[:], right[:] = np.inf, -np.inf
        for part in range(len(starts) - 1):
            _cross_rows(corners[m], starts[part], starts[part + 1], left, right, height)
        for y in range(y0, last):
            if right[y] >= left[y]:
                result[m] += _row_sum(total, y - y0, left[y] - x0, right[y] - x0)
    return result


@compiled("void(i2[:,:], f4[:,:], f4[:,:], b1[:,:], i8, f4, f4)")
def draw(codes: Codes, front: Maps, down: Maps, inside: Bools, code: int, layer: Real, near: Real) -> None:
    """Show an item in a box of a scene where it is in front.

    `codes` and `front` (h, w) are the scene's, changed in place: what shows, and how near. `down` (h, w): the depth's slope; `inside` (h,
    w): the item's silhouette; `code`, `layer`, `near`: the item's; depth is `down * layer + near`. Positional arrays, since numba
    compiles this loop for plain arrays and packing them would cost more than the loop.
    """
    for y in range(codes.shape[0]):
        for x in range(codes.shape[1]):
            if inside[y, x]:
                depth = down[y, x] * layer + near
                if depth > front[y, x]:
                    front[y, x] = depth
                    codes[y, x] = code


@compiled("void(i2[:,:], f4[:,:], f4[:,:], b1[:,:], b1[:,:], i8, f4, f4)")
def draw_in(codes: Codes, front: Maps, down: Maps, inside: Bools, hole: Bools, code: int, layer: Real, near: Real) -> None:
    """The same, only in the `hole`.

    `hole` (h, w): pixels that may be drawn; `codes`, `front`, `down`, `inside`, `code`, `layer` and `near`, and why they are positional:
    see `draw`.
    """
    for y in range(codes.shape[0]):
        for x in range(codes.shape[1]):
            if inside[y, x] and hole[y, x]:
                depth = down[y, x] * layer + near
                if depth > front[y, x]:
                    front[y, x] = depth
                    codes[y, x] = code
