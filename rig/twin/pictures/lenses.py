"""Lenses as they are and as a calibration would know them.

The referee's profile holds *estimated* lenses. So that the twin does not hand it the truth, each camera's true lens is drawn from the seed
(`draw_lens`), pictures are drawn through it, and it stays with the truth; `as_calibrated` gives what a careful calibration with a printed
board would have come to, and `profile_as_calibrated` a whole profile with such lenses. A level with `lens_spread` 0 has nominal lenses.

`LensMap` draws a real lens out of an ideal one: OpenGL and Mitsuba draw pinhole pictures a little larger than the sensor, and every pixel
of the sensor takes what lies where OpenCV's model says that its ray goes.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import cv2
import msgspec
import numpy as np
import numpy.typing as npt

from rig.profile import CameraModel, LensKind, Profile

Picture = npt.NDArray[np.uint8]
Floats = npt.NDArray[np.float32]

FOCAL_SPREAD = 0.012
"""Of the focal length among webcams of one make; fy differs from fx by a tenth of that."""
CENTRE_SPREAD_PX = 7.0
"""Of the principal point at 1280 px height: assembly, some 20 um on pixels of 3 um."""

FOCAL_ERROR = 0.0012
CENTRE_ERROR_PX = 0.9
DISTORTION_ERROR = (0.004, 0.02, 0.0003, 0.0003, 0.0)
"""What a calibration of 15 to 20 views of a printed board leaves, as OpenCV states its own uncertainty for such sets, times 1.5 because
the board is paper and the views are alike. At 1280 px height. The errors of k1 and k2 go against each other, as they do in such fits."""


def draw_lens(nominal: CameraModel, seed: int, camera: int, spread: float) -> CameraModel:
    """The true lens of `camera`: the nominal one itself for `spread` 0."""
    if spread == 0.0:
        return nominal
    rng = np.random.default_rng((seed, camera, 0x1E25))
    scale = nominal.height_px / 1280
    focal = 1.0 + spread * float(rng.normal(0, FOCAL_SPREAD))
    k1 = spread * float(rng.uniform(-0.075, 0.045))  # cheap wide lenses are barrels, some a little pincushion
    return CameraModel(
        width_px=nominal.width_px,
        height_px=nominal.height_px,
        fx_px=nominal.fx_px * focal * (1.0 + spread * float(rng.normal(0, FOCAL_SPREAD / 10))),
        fy_px=nominal.fy_px * focal,
        cx_px=nominal.cx_px + spread * scale * float(rng.normal(0, CENTRE_SPREAD_PX)),
        cy_px=nominal.cy_px + spread * scale * float(rng.normal(0, CENTRE_SPREAD_PX)),
        distortion=(
            k1,
            -0.45 * k1 + spread * float(rng.normal(0, 0.012)),
            spread * float(rng.normal(0, 0.0005)),
            spread * float(rng.normal(0, 0.0005)),
            0.0,
        ),
    )


def as_calibrated(true: CameraModel, seed: int, camera: int, error: float = 1.0) -> CameraModel:
    """What a calibration makes of the lens `true`; `error` 1 is a careful one, 0 the truth, 3 a sloppy one."""
    if error == 0.0:
        return true
    rng = np.random.default_rng((seed, camera, 0xCA1B))
    scale = true.height_px / 1280
    focal = 1.0 + error * float(rng.normal(0, FOCAL_ERROR))
    first = float(rng.normal())
    steps = (first, -0.8 * first + 0.6 * float(rng.normal()), *(float(step) for step in rng.normal(size=3)))
    k1, k2, p1, p2, k3 = (
        value + error * spread * step for value, spread, step in zip(true.distortion, DISTORTION_ERROR, steps, strict=True)
    )
    return msgspec.structs.replace(
        true,
        fx_px=true.fx_px * focal * (1.0 + error * float(rng.normal(0, FOCAL_ERROR / 4))),
        fy_px=true.fy_px * focal,
        cx_px=true.cx_px + error * scale * float(rng.normal(0, CENTRE_ERROR_PX)),
        cy_px=true.cy_px + error * scale * float(rng.normal(0, CENTRE_ERROR_PX)),
        distortion=(k1, k2, p1, p2, k3),
    )


def true_lenses(profile: Profile, seed: int, spread: float) -> tuple[CameraModel, ...]:
    """The true lens of each camera of `profile`, in its order."""
    return tuple(draw_lens(camera.model, seed, camera.number, spread) for camera in profile.cameras)


def profile_as_calibrated(profile: Profile, seed: int, spread: float, error: float = 1.0) -> Profile:
    """`profile` with the lenses that a calibration of this seed's true ones would have found: what a referee may be handed."""
    cameras = tuple(
        msgspec.structs.replace(camera, model=as_calibrated(lens, seed, camera.number, error if spread else 0.0))
        for camera, lens in zip(profile.cameras, true_lenses(profile, seed, spread), strict=True)
    )
    return msgspec.structs.replace(profile, cameras=cameras)


def matrix_of(lens: CameraModel) -> npt.NDArray[np.float64]:
    """OpenCV's camera matrix, 3x3."""
    return np.array([[lens.fx_px, 0.0, lens.cx_px], [0.0, lens.fy_px, lens.cy_px], [0.0, 0.0, 1.0]])


def rays_through(lens: CameraModel, pixels: npt.ArrayLike) -> npt.NDArray[np.float64]:
    """Where the rays of pixels (..., 2) meet the plane at depth 1 (..., 2), by OpenCV: the truth shares no formula with the eyes."""
    grid = np.asarray(pixels, np.float64)
    undistort = cv2.fisheye.undistortPoints if lens.kind is LensKind.FISHEYE else cv2.undistortPoints
    rays = undistort(grid.reshape(-1, 1, 2), matrix_of(lens), np.array(lens.distortion))
    return np.asarray(rays, np.float64).reshape(grid.shape)


def seen_through(lens: CameraModel, points_mm: npt.ArrayLike, turn: npt.ArrayLike, shift_mm: npt.ArrayLike) -> npt.NDArray[np.float64]:
    """Pixels (n, 2) of points (n, 3) by OpenCV; `turn` (3,) and `shift_mm` (3,) lead from their frame to the camera's."""
    points = np.asarray(points_mm, np.float64)
    pose = (np.asarray(turn, np.float64), np.asarray(shift_mm, np.float64))
    if lens.kind is LensKind.FISHEYE:
        seen, _ = cv2.fisheye.projectPoints(points[:, None], *pose, matrix_of(lens), np.array(lens.distortion))
    else:
        seen, _ = cv2.projectPoints(points, *pose, matrix_of(lens), np.array(lens.distortion))
    return np.asarray(seen, np.float64).reshape(-1, 2)


@dataclass(frozen=True, slots=True)
class LensMap:
    """The pinhole picture of `width_px` x `height_px` and one focal length, centred, that holds all of a lens's view, and the way from it.

    `maps` are OpenCV's fixed-point maps from the lens's pixels to the pinhole's; None if the lens is such a pinhole itself.
    """

    width_px: int
    height_px: int
    focal_px: float
    maps: tuple[npt.NDArray[np.int16], npt.NDArray[np.uint16]] | None
    floats: tuple[Floats, Floats] | None
    spans: tuple[Floats, Floats, Floats, Floats] | None = None
    """The least and the greatest x that each of the lens's columns shows, the least and the greatest y that each of its rows shows."""

    @classmethod
    def of(cls, lens: CameraModel) -> LensMap:
        """The map of a lens, for pictures drawn by a pinhole."""
        middle = ((lens.width_px - 1) / 2, (lens.height_px - 1) / 2)
        ideal = lens.kind is LensKind.PINHOLE and not any(lens.distortion)
        if ideal and lens.fx_px == lens.fy_px and (lens.cx_px, lens.cy_px) == middle:
            return cls(lens.width_px, lens.height_px, lens.fy_px, None, None)
        rays = rays_through(lens, np.stack(np.meshgrid(np.arange(lens.width_px), np.arange(lens.height_px)), axis=-1))
        seen = lens.fy_px * np.abs(rays)
        width, height = (2 * math.ceil(float(seen[..., axis].max()) + 1.5) for axis in (0, 1))
        source = lens.fy_px * rays + ((width - 1) / 2, (height - 1) / 2)
        x, y = np.asarray(source[..., 0], np.float32), np.asarray(source[..., 1], np.float32)
        whole, part = cv2.convertMaps(x, y, cv2.CV_16SC2)
        spans = (x.min(axis=0), x.max(axis=0), y.min(axis=1), y.max(axis=1))
        return cls(width, height, lens.fy_px, (np.asarray(whole, np.int16), np.asarray(part, np.uint16)), (x, y), spans)

    def apply(self, picture: Picture) -> Picture:
        """The lens's picture out of the pinhole's; a copy."""
        if self.maps is None:
            return picture.copy()
        return np.asarray(cv2.remap(picture, self.maps[0], self.maps[1], cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE), np.uint8)

    def apply_to_light(self, light: Floats) -> Floats:
        """The same for a picture of floating-point numbers, finer than fixed-point maps are."""
        if self.floats is None:
            return light.copy()
        return np.asarray(cv2.remap(light, self.floats[0], self.floats[1], cv2.INTER_CUBIC, borderMode=cv2.BORDER_REPLICATE), np.float32)

    def apply_part(self, picture: Picture, part: tuple[int, int, int, int], out: Picture) -> None:
        """The same into `out`, for all of its pixels that show something of this `part` (left, top, right, bottom) of the pinhole's."""
        left, top, right, bottom = part
        if self.maps is None or self.spans is None:
            out[top:bottom, left:right] = picture[top:bottom, left:right]
            return
        least_x, most_x, least_y, most_y = self.spans
        columns = np.flatnonzero((most_x > left - 1) & (least_x < right))
        rows = np.flatnonzero((most_y > top - 1) & (least_y < bottom))
        if len(rows) and len(columns):
            here = (slice(int(rows[0]), int(rows[-1]) + 1), slice(int(columns[0]), int(columns[-1]) + 1))
            whole, parts = np.ascontiguousarray(self.maps[0][here]), np.ascontiguousarray(self.maps[1][here])
            out[here] = cv2.remap(picture, whole, parts, cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE)
