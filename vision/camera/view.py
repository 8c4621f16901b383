"""A camera looking from one pose, at one scale and crop: where things of the world fall in its picture.

Everything the eyes compare with a picture starts with a `CameraView`. What a lens does to a ray is `vision.camera.projection`'s; which
solids stand in the world is `vision.scene.solids`'. Nothing here knows colours or pictures. Pixel centres are integers, as in OpenCV.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import cv2
import numpy as np
import numpy.typing as npt

from rig.messages import CameraPose
from rig.profile import CameraModel, LensKind
from vision.arrays import Floats
from vision.camera.lens import px_per_rad, record
from vision.camera.projection import project_points, straighten_pixels, upright_corners

HORIZON_STEP_PX = 16
"""Spacing at which rays are computed when the horizon is drawn (px); between them they are interpolated. By design: a ray's slope changes
almost linearly over so few pixels (exactly, without distortion)."""


@dataclass(frozen=True, eq=False)
class CameraView:
    """A camera at a pose, delivering pictures scaled by `scale` and cropped to `width` x `height` px from `origin` (x, y in scaled px)."""

    model: CameraModel
    rotation: Floats
    translation_mm: Floats
    scale: float
    origin: tuple[int, int]
    width: int
    height: int

    @classmethod
    def of(cls, model: CameraModel, pose: CameraPose, scale: float = 1.0) -> CameraView:
        """The whole picture of this camera, scaled."""
        rotation = cv2.Rodrigues(np.array(pose.rvec, dtype=np.float64))[0].astype(np.float64)
        size = (round(model.width_px * scale), round(model.height_px * scale))
        return cls(model, rotation, np.array(pose.tvec_mm, dtype=np.float64), scale, (0, 0), *size)

    def cropped(self, box: tuple[int, int, int, int]) -> CameraView:
        """The same camera, only the pixels of box (x0, y0, x1, y1), which is given in this view's own pixels."""
        x0, y0, x1, y1 = box
        return CameraView(
            self.model, self.rotation, self.translation_mm, self.scale, (self.origin[0] + x0, self.origin[1] + y0), x1 - x0, y1 - y0
        )

    @cached_property
    def _record(self) -> npt.NDArray[np.void]:
        return record(self.model, self.rotation, self.translation_mm, self.scale, self.origin)

    @property
    def eye_mm(self) -> Floats:
        """The camera's place in the world (3,)."""
        return np.asarray(-self.rotation.T @ self.translation_mm)

    def project(self, points_mm: npt.ArrayLike) -> Floats:
        """World points (..., 3) in mm to pixels (..., 2) of this view. Points behind the camera come out as NaN."""
        points = np.asarray(points_mm, dtype=np.float64)
        return project_points(self._record, np.ascontiguousarray(points.reshape(-1, 3))).reshape(*points.shape[:-1], 2)

    def project_upright(self, outline_mm: Floats, places_mm: Floats, turns_deg: Floats, low_mm: float, high_mm: float) -> Floats:
        """Corners in pixels (m, 2, n, 2) of one upright solid at m places: see `vision.camera.projection.upright_corners`, which says what
        `outline_mm` (n, 2), `places_mm` (m, 2), `turns_deg` (m,), `low_mm` and `high_mm` are."""
        return upright_corners(self._record, outline_mm, places_mm, turns_deg, low_mm, high_mm)

    def rays(self, pixels: npt.ArrayLike) -> Floats:
        """Directions (..., 3) in the world, of depth 1 along the optical axis, in which these pixels (..., 2) look; NaN where the lens
        has no ray."""
        places = np.asarray(pixels, dtype=np.float64)
        flat = straighten_pixels(self._record, np.ascontiguousarray(places.reshape(-1, 2)))
        return (np.column_stack((flat, np.ones(len(flat)))) @ self.rotation).reshape(*places.shape[:-1], 3)

    def px_per_rad(self, points_mm: npt.ArrayLike) -> Floats:
        """Pixels of this view (...,) that one radian across the line of sight covers at these points (..., 3)."""
        seen = np.asarray(points_mm, dtype=np.float64) @ self.rotation.T + self.translation_mm
        return px_per_rad(self.model, seen[..., :2] / np.maximum(seen[..., 2:], 1.0)) * self.scale

    def px_per_mm(self, point_mm: npt.ArrayLike = (0.0, 0.0, 250.0)) -> float:
        """Pixels that one millimetre across the line of sight covers at this point."""
        seen = self.rotation @ np.asarray(point_mm, dtype=np.float64) + self.translation_mm
        far = seen[2] if self.model.kind is LensKind.PINHOLE else np.linalg.norm(seen)  # a pinhole's picture is flat
        return float(self.px_per_rad(point_mm)) / max(float(far), 1.0)

    def looks_down(self) -> npt.NDArray[np.float32]:
        """For every pixel +1 where its ray descends, -1 where it climbs (height, width).

        A descending ray meets the upper of two level layers first, a climbing one the lower: this decides what hides what.
        """
        x, y = (np.arange(0, size + HORIZON_STEP_PX, HORIZON_STEP_PX) for size in (self.width, self.height))
        climb = self.rays(np.stack(np.meshgrid(x, y), axis=-1))[..., 2]
        columns = np.arange(self.width) / HORIZON_STEP_PX
        left = columns.astype(np.intp)
        down = np.ones((self.height, self.width), np.float32)
        for block in np.flatnonzero(~(np.maximum(climb[:-1], climb[1:]) < 0).all(1)).tolist():
            rows = slice(block * HORIZON_STEP_PX, min((block + 1) * HORIZON_STEP_PX, self.height))
            upper, lower = (edge[left] * (1 - columns + left) + edge[left + 1] * (columns - left) for edge in climb[block : block + 2])
            share = (np.arange(rows.start, rows.stop) / HORIZON_STEP_PX - block)[:, None]
            down[rows] = np.where(upper * (1 - share) + lower * share < 0, np.float32(1), np.float32(-1))
        return down
