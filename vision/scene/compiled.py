"""The inner loops of the eyes, compiled by numba: what numpy would do in many passes over many small arrays is one pass here.

A judgement asks for ten thousand small silhouettes and a thousand partly redrawn scenes; in numpy nine tenths of its time went into
handling arrays of a few dozen numbers. Signatures are given, so that everything is compiled (or fetched from the cache on disk) when the
module is imported, never in the middle of a game. No `fastmath`: the same numbers give the same answer. Callers and meanings are in
`vision.scene.silhouettes`, `vision.change.evidence`, `vision.change.refit` and `vision.change.column_placement`.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, TypeAlias, TypeVar, cast

import numba
import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]
Maps = npt.NDArray[np.float32]
Codes = npt.NDArray[np.int16]
Bools = npt.NDArray[np.bool_]
Longs = npt.NDArray[np.int64]
Real: TypeAlias = float | np.float32
F = TypeVar("F", bound=Callable[..., Any])


def _compiled(signature: str) -> Callable[[F], F]:
    """numba's compiler with a type that keeps the function's own."""
    return cast("Callable[[F], F]", numba.njit(signature, cache=True, nogil=True, error_model="numpy"))


@_compiled("void(f8[:,:,::1], f8[::1], f8[::1], i8)")
def _cross_rows(points: Floats, left: Floats, right: Floats, height: int) -> None:
    """Widen `left` and `right` (height,) by the crossings of one prism's edges (2, n, 2) with each row."""
    n = points.shape[1]
    for kind in range(3):
        for k in range(n):
            after = k + 1 if k + 1 < n else 0
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


@_compiled("Tuple((i8[::1], f8[:,::1], f8[:,::1]))(f8[:,:,:,::1], i8)")
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
        _cross_rows(points[m], whole_left, whole_right, height)
        for r in range(min(rows, height - top[m])):
            left[m, r], right[m, r] = whole_left[top[m] + r], whole_right[top[m] + r]
    return top, left, right


@_compiled("f8(f8[:,::1], i8, f8, f8)")
def _row_sum(total: Floats, y: int, left: float, right: float) -> float:
    """Sum of row y between two ends from its running sum; border pixels count by the share that is covered."""
    most = total.shape[1] - 1 - 1e-6
    high, low = min(max(right + 0.5, 0.0), most), min(max(left + 0.5, 0.0), most)
    i, j = int(high), int(low)
    above = total[y, i] + (total[y, i + 1] - total[y, i]) * (high - i)
    below = total[y, j] + (total[y, j + 1] - total[y, j]) * (low - j)
    return float(above - below)


@_compiled("f8[::1](f8[:,::1], i8[::1], f8[:,::1], f8[:,::1])")
def span_sums(total: Floats, top: Longs, left: Floats, right: Floats) -> Floats:
    """Sum (N,) over each silhouette from the map's running sum (h, w + 1)."""
    result = np.zeros(len(top))
    last = total.shape[0] - 1
    for m in range(len(top)):
        for r in range(left.shape[1]):
            if right[m, r] >= left[m, r]:
                result[m] += _row_sum(total, min(top[m] + r, last), left[m, r], right[m, r])
    return result


@_compiled("void(f8[::1], f8, f8, f8, f8[:])")
def _project(lens: Floats, x_mm: float, y_mm: float, z_mm: float, pixel: Floats) -> None:
    """`View.project` of one point; `lens` is `View.numbers`."""
    x = lens[0] * x_mm + lens[1] * y_mm + lens[2] * z_mm + lens[9]
    y = lens[3] * x_mm + lens[4] * y_mm + lens[5] * z_mm + lens[10]
    depth = lens[6] * x_mm + lens[7] * y_mm + lens[8] * z_mm + lens[11]
    if depth <= 1.0:
        pixel[0] = pixel[1] = -1e6
        return
    x, y = x / depth, y / depth
    k1, k2, p1, p2, k3 = lens[16], lens[17], lens[18], lens[19], lens[20]
    r2 = x * x + y * y
    radial = 1 + r2 * (k1 + r2 * (k2 + r2 * k3))
    u = x * radial + 2 * p1 * x * y + p2 * (r2 + 2 * x * x)
    v = y * radial + p1 * (r2 + 2 * y * y) + 2 * p2 * x * y
    pixel[0] = (lens[12] * u + lens[14] + 0.5) * lens[21] - 0.5 - lens[22]
    pixel[1] = (lens[13] * v + lens[15] + 0.5) * lens[21] - 0.5 - lens[23]


@_compiled("f8[::1](f8[::1], f8[:,::1], i8, i8, i8, f8[:,::1], i8[::1], f8[:,::1], f8[::1], f8, f8)")
def placed_sums(
    lens: Floats, total: Floats, x0: int, y0: int, height: int, outline: Floats, starts: Longs, places: Floats, turns: Floats,
    low_mm: float, high_mm: float,
) -> Floats:  # fmt: skip
    """Sums (m,) over the silhouettes of one upright solid at m places (mm) and turns (degrees).

    `total` is the running sum of a box of the picture whose upper left pixel is (x0, y0), all else being 0; the solid's convex parts are
    `outline[starts[k]:starts[k + 1]]`, from `low_mm` to `high_mm`.
    """
    result = np.zeros(len(places))
    left, right = np.empty(height), np.empty(height)
    last = min(y0 + total.shape[0], height)
    for m in range(len(places)):
        c, s = math.cos(math.radians(turns[m])), math.sin(math.radians(turns[m]))
        left[:], right[:] = np.inf, -np.inf
        for part in range(len(starts) - 1):
            n = starts[part + 1] - starts[part]
            pixels = np.empty((2, n, 2))
            for k in range(n):
                x, y = outline[starts[part] + k, 0], outline[starts[part] + k, 1]
                across, along = places[m, 0] + c * x - s * y, places[m, 1] + s * x + c * y
                _project(lens, across, along, low_mm, pixels[0, k])
                _project(lens, across, along, high_mm, pixels[1, k])
            _cross_rows(pixels, left, right, height)
        for y in range(y0, last):
            if right[y] >= left[y]:
                result[m] += _row_sum(total, y - y0, left[y] - x0, right[y] - x0)
    return result


@_compiled("f8[:,::1](f4[:,:], f4[:,:], i2[:,:], f4[:,:], f4[:,:], f4[:,:], i8, f4, f4)")
def gain_sums(down: Maps, front: Maps, was: Codes, same: Maps, newly: Maps, value: Maps, code: int, layer: Real, near: Real) -> Floats:
    """Running sum (h, w + 1) of what each pixel of a box gains if it comes to show an item; see `Under.gain_map`."""
    height, width = down.shape
    total = np.zeros((height, width + 1))
    for y in range(height):
        run = 0.0
        for x in range(width):
            if down[y, x] * layer + near > front[y, x]:
                own = same[y, x] if was[y, x] == code else newly[y, x]
                run += own - value[y, x]
            total[y, x + 1] = run
    return total


@_compiled("f8(f4[:,:], f4[:,:], i2[:,:], f4[:,:], f4[:,:], f4[:,:], b1[:,:], i8, f4, f4)")
def gain_within(
    down: Maps, front: Maps, was: Codes, same: Maps, newly: Maps, value: Maps, inside: Bools, code: int, layer: Real, near: Real
) -> float:
    """The same summed over the pixels `inside`."""
    gained = 0.0
    for y in range(down.shape[0]):
        for x in range(down.shape[1]):
            if inside[y, x] and down[y, x] * layer + near > front[y, x]:
                own = same[y, x] if was[y, x] == code else newly[y, x]
                gained += own - value[y, x]
    return gained


@_compiled("void(i2[:,:], f4[:,:], f4[:,:], b1[:,:], i8, f4, f4)")
def draw(codes: Codes, front: Maps, down: Maps, inside: Bools, code: int, layer: Real, near: Real) -> None:
    """Show an item in a box of a scene where it is in front."""
    for y in range(codes.shape[0]):
        for x in range(codes.shape[1]):
            if inside[y, x]:
                depth = down[y, x] * layer + near
                if depth > front[y, x]:
                    front[y, x] = depth
                    codes[y, x] = code


@_compiled("void(i2[:,:], f4[:,:], f4[:,:], b1[:,:], b1[:,:], i8, f4, f4)")
def draw_in(codes: Codes, front: Maps, down: Maps, inside: Bools, hole: Bools, code: int, layer: Real, near: Real) -> None:
    """The same, only in the `hole`."""
    for y in range(codes.shape[0]):
        for x in range(codes.shape[1]):
            if inside[y, x] and hole[y, x]:
                depth = down[y, x] * layer + near
                if depth > front[y, x]:
                    front[y, x] = depth
                    codes[y, x] = code


@_compiled("f8(f4[:,::1], i2[:,::1], i2[:,::1], i2[:,::1], f4[:,::1], f4[:,:,::1], u1[::1])")
def revalue(value: Maps, old: Codes, new: Codes, was: Codes, same: Maps, changed: Maps, labels: npt.NDArray[np.uint8]) -> float:
    """Value anew, in place, the pixels that two scenes show differently; returns what the sum gains."""
    gained = 0.0
    for y in range(value.shape[0]):
        for x in range(value.shape[1]):
            code = new[y, x]
            if code != old[y, x]:
                now = same[y, x] if code == was[y, x] else changed[labels[code & 0xFF], y, x]
                gained += now - value[y, x]
                value[y, x] = now
    return gained


@_compiled("void(f4[:,::1], i2[:,::1], i2[:,::1], f4[:,::1], f4[:,:,::1], u1[::1])")
def value_all(value: Maps, codes: Codes, was: Codes, same: Maps, changed: Maps, labels: npt.NDArray[np.uint8]) -> None:
    """The value of every pixel of a scene."""
    for y in range(value.shape[0]):
        for x in range(value.shape[1]):
            code = codes[y, x]
            value[y, x] = same[y, x] if code == was[y, x] else changed[labels[code & 0xFF], y, x]
