"""The one projection of the project: world points to pixels, and pixels back to rays, for every kind of lens, compiled.

Everybody who asks where something falls in a picture comes here, through `vision.camera.view.CameraView` or `vision.camera.lens`; no other
file knows a lens's formula. The searches project a million points for one judgement, which is why this is compiled and not
`cv2.projectPoints`, which also computes derivatives. A kind of lens is two functions, `_bend_…` and `_straighten_…`, and a line in `_bend`
and in `_straighten`.

Source of the formulas: OpenCV's documentation, "Camera Calibration and 3D Reconstruction" (pinhole with k1 k2 p1 p2 k3) and "Fisheye camera
model" (k1 k2 k3 k4), which is that of Kannala and Brandt (IEEE PAMI 28, 2006): a ray at an angle falls at a polynomial of that angle.
"""

from __future__ import annotations

import math

import numba
import numpy as np
import numpy.typing as npt

from vision.arrays import Floats
from vision.compiling import compiled

PINHOLE, FISHEYE = 0, 1
"""`CAMERA["kind"]` of `rig.profile.LensKind`, by its place in the enum. By design: numbers, as compiled loops need them."""

CAMERA = np.dtype(
    [
        ("kind", "i8"),
        ("rotation", "f8", (3, 3)),
        ("shift_mm", "f8", (3,)),
        ("fx", "f8"),
        ("fy", "f8"),
        ("cx", "f8"),
        ("cy", "f8"),
        ("terms", "f8", (8,)),
        ("scale", "f8"),
        ("left", "f8"),
        ("top", "f8"),
    ]
)
"""All that projecting needs, by name: the kind of lens, the turn and shift from the world to the camera (mm), focal lengths and centre
(px of the whole picture), the distortion terms (those not used are 0), then the picture's scale and the crop's corner (scaled px). By
design: one record for compiled loops. Terms are OpenCV's (calib3d: `projectPoints`, `fisheye`)."""

BEHIND_PX = -1e6
"""Where `upright_corners` puts a corner behind the camera: outside every picture, and a number, as rasters need it. By design."""

NEAREST_MM = 1.0
"""Least depth of a point that has a place in the picture. By design: nothing is seen so near; keeps a division from overflowing."""

ROUNDS, CLOSE = 30, 1e-12
"""Newton steps at most when a lens is inverted, and the step (normalised coordinates) at which it is done. By design: Newton's method
doubles the digits with each step, so that a handful does where the lens can be inverted."""

TINY = 1e-9
"""Distance from the axis (normalised) below which a ray goes straight through. By design: rounding would rule below."""

_record = numba.from_dtype(CAMERA)
_cameras = numba.types.Array(_record, 1, "C", readonly=True)
_pair = numba.types.Tuple((numba.float64, numba.float64))  # type: ignore[no-untyped-call]


@compiled(_pair(_record, numba.float64, numba.float64))
def _bend_pinhole(camera: npt.NDArray[np.void], x: float, y: float) -> tuple[float, float]:
    terms = camera.terms  # type: ignore[attr-defined]
    k1, k2, p1, p2, k3 = terms[0], terms[1], terms[2], terms[3], terms[4]
    r2 = x * x + y * y
    radial = 1 + r2 * (k1 + r2 * (k2 + r2 * k3))
    return x * radial + 2 * p1 * x * y + p2 * (r2 + 2 * x * x), y * radial + p1 * (r2 + 2 * y * y) + 2 * p2 * x * y


@compiled(_pair(_record, numba.float64, numba.float64))
def _straighten_pinhole(camera: npt.NDArray[np.void], u: float, v: float) -> tuple[float, float]:
    """Newton's method in both directions from (u, v); NaN where it does not settle, that is beyond where the polynomial folds over."""
    terms = camera.terms  # type: ignore[attr-defined]
    k1, k2, p1, p2, k3 = terms[0], terms[1], terms[2], terms[3], terms[4]
    x, y = u, v
    for _ in range(ROUNDS):
        r2 = x * x + y * y
        radial, slope = 1 + r2 * (k1 + r2 * (k2 + r2 * k3)), k1 + r2 * (2 * k2 + 3 * r2 * k3)
        off_x = x * radial + 2 * p1 * x * y + p2 * (r2 + 2 * x * x) - u
        off_y = y * radial + p1 * (r2 + 2 * y * y) + 2 * p2 * x * y - v
        xx = radial + 2 * x * x * slope + 2 * p1 * y + 6 * p2 * x
        yy = radial + 2 * y * y * slope + 6 * p1 * y + 2 * p2 * x
        xy = 2 * x * y * slope + 2 * p1 * x + 2 * p2 * y
        whole = xx * yy - xy * xy
        if whole <= 0:
            return math.nan, math.nan
        step_x, step_y = (yy * off_x - xy * off_y) / whole, (xx * off_y - xy * off_x) / whole
        x, y = x - step_x, y - step_y
        if abs(step_x) + abs(step_y) < CLOSE:
            return x, y
    return math.nan, math.nan


@compiled(_pair(_record, numba.float64, numba.float64))
def _bend_fisheye(camera: npt.NDArray[np.void], x: float, y: float) -> tuple[float, float]:
    terms = camera.terms  # type: ignore[attr-defined]
    r = math.sqrt(x * x + y * y)
    if r < TINY:
        return x, y
    angle = math.atan(r)
    a2 = angle * angle
    bent = angle * (1 + a2 * (terms[0] + a2 * (terms[1] + a2 * (terms[2] + a2 * terms[3]))))
    return x * bent / r, y * bent / r


@compiled(_pair(_record, numba.float64, numba.float64))
def _straighten_fisheye(camera: npt.NDArray[np.void], u: float, v: float) -> tuple[float, float]:
    """Newton's method on the angle; NaN where the polynomial folds over, and where the ray is 90 degrees or more from the axis."""
    terms = camera.terms  # type: ignore[attr-defined]
    bent = math.sqrt(u * u + v * v)
    if bent < TINY:
        return u, v
    angle = min(bent, 1.5)
    for _ in range(ROUNDS):
        a2 = angle * angle
        off = angle * (1 + a2 * (terms[0] + a2 * (terms[1] + a2 * (terms[2] + a2 * terms[3])))) - bent
        slope = 1 + a2 * (3 * terms[0] + a2 * (5 * terms[1] + a2 * (7 * terms[2] + a2 * 9 * terms[3])))
        if slope <= 0:
            return math.nan, math.nan
        step = off / slope
        angle -= step
        if abs(step) < CLOSE:
            if angle >= math.pi / 2 or angle < 0:
                return math.nan, math.nan
            return u * math.tan(angle) / bent, v * math.tan(angle) / bent
    return math.nan, math.nan


@compiled(_pair(_record, numba.float64, numba.float64))
def _bend(camera: npt.NDArray[np.void], x: float, y: float) -> tuple[float, float]:
    """From the plane at depth 1 through the lens, both in units of the focal length."""
    if camera.kind == FISHEYE:  # type: ignore[attr-defined]
        return _bend_fisheye(camera, x, y)
    return _bend_pinhole(camera, x, y)


@compiled(_pair(_record, numba.float64, numba.float64))
def _straighten(camera: npt.NDArray[np.void], u: float, v: float) -> tuple[float, float]:
    """The inverse of `_bend`; NaN where a ray has none."""
    if camera.kind == FISHEYE:  # type: ignore[attr-defined]
        return _straighten_fisheye(camera, u, v)
    return _straighten_pinhole(camera, u, v)


@compiled(_pair(_record, numba.float64, numba.float64, numba.float64))
def _pixel(camera: npt.NDArray[np.void], x_mm: float, y_mm: float, z_mm: float) -> tuple[float, float]:
    """One point of the world in the picture; NaN behind the camera."""
    turn, shift = camera.rotation, camera.shift_mm  # type: ignore[attr-defined]
    x = turn[0, 0] * x_mm + turn[0, 1] * y_mm + turn[0, 2] * z_mm + shift[0]
    y = turn[1, 0] * x_mm + turn[1, 1] * y_mm + turn[1, 2] * z_mm + shift[1]
    depth = turn[2, 0] * x_mm + turn[2, 1] * y_mm + turn[2, 2] * z_mm + shift[2]
    if not depth > NEAREST_MM:
        return math.nan, math.nan
    u, v = _bend(camera, x / depth, y / depth)
    u, v = camera.fx * u + camera.cx, camera.fy * v + camera.cy  # type: ignore[attr-defined]
    return (u + 0.5) * camera.scale - 0.5 - camera.left, (v + 0.5) * camera.scale - 0.5 - camera.top  # type: ignore[attr-defined]


@compiled(numba.float64[:, ::1](_cameras, numba.types.Array(numba.float64, 2, "C", readonly=True)))
def project_points(camera: npt.NDArray[np.void], points_mm: Floats) -> Floats:
    """World points (n, 3) in mm to pixels (n, 2); NaN for points less than `NEAREST_MM` before the camera. `camera`: (1,) of `CAMERA`."""
    pixels = np.empty((len(points_mm), 2))
    for k in range(len(points_mm)):
        pixels[k, 0], pixels[k, 1] = _pixel(camera[0], points_mm[k, 0], points_mm[k, 1], points_mm[k, 2])
    return pixels


@compiled(numba.float64[:, ::1](_cameras, numba.types.Array(numba.float64, 2, "C", readonly=True)))
def straighten_pixels(camera: npt.NDArray[np.void], pixels: Floats) -> Floats:
    """Pixels (n, 2) to where their rays meet the plane at depth 1 (n, 2), seen from the camera; NaN where the lens has no such ray."""
    rays = np.empty((len(pixels), 2))
    lens = camera[0]
    for k in range(len(pixels)):
        u = (pixels[k, 0] + lens.left + 0.5) / lens.scale - 0.5
        v = (pixels[k, 1] + lens.top + 0.5) / lens.scale - 0.5
        rays[k, 0], rays[k, 1] = _straighten(lens, (u - lens.cx) / lens.fx, (v - lens.cy) / lens.fy)
    return rays


@compiled(
    numba.float64[:, :, :, ::1](
        _cameras,
        numba.types.Array(numba.float64, 2, "C", readonly=True),
        numba.types.Array(numba.float64, 2, "C", readonly=True),
        numba.types.Array(numba.float64, 1, "C", readonly=True),
        numba.float64,
        numba.float64,
    )
)
def upright_corners(
    camera: npt.NDArray[np.void], outline_mm: Floats, places_mm: Floats, turns_deg: Floats, low_mm: float, high_mm: float
) -> Floats:
    """Corners in pixels (m, 2, n, 2) of one upright solid at m places.

    `camera` (1,) of `CAMERA`; `outline_mm` (n, 2) the corners round the solid's own middle; `places_mm` (m, 2) and `turns_deg` (m,) where
    its middle stands and how it is turned; `low_mm` and `high_mm` the heights of its lower (first) and upper (second) face. Corners behind
    the camera are at `BEHIND_PX`.
    """
    m, n = len(places_mm), len(outline_mm)
    pixels = np.empty((m, 2, n, 2))
    for k in range(m):
        c, s = math.cos(math.radians(turns_deg[k])), math.sin(math.radians(turns_deg[k]))
        for i in range(n):
            x, y = outline_mm[i, 0], outline_mm[i, 1]
            across, along = places_mm[k, 0] + c * x - s * y, places_mm[k, 1] + s * x + c * y
            for face in range(2):
                u, v = _pixel(camera[0], across, along, low_mm if face == 0 else high_mm)
                if math.isnan(u) or math.isnan(v):
                    u = v = BEHIND_PX
                pixels[k, face, i, 0], pixels[k, face, i, 1] = u, v
    return pixels
