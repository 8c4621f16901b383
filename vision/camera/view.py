"""Where things of the tower fall in a picture: the camera's projection and the solids it projects.

Everything the eyes compare with a picture starts here: a `View` is one camera looking from one pose, at one scale and crop; a solid is a
stack of convex prisms given by corner points in the world. Nothing here knows colours or pictures; rasters of these solids are made in
`vision.scene.silhouettes`. Pixel centres are integers, as in OpenCV.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import cv2
import numpy as np
import numpy.typing as npt

from rig.messages import CameraPose
from rig.profile import CameraModel

Floats = npt.NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class View:
    """A camera at a pose, delivering pictures scaled by `scale` and cropped to `width` x `height` px from `origin` (x, y in scaled px)."""

    model: CameraModel
    rotation: Floats
    translation_mm: Floats
    scale: float
    origin: tuple[int, int]
    width: int
    height: int

    @classmethod
    def of(cls, model: CameraModel, pose: CameraPose, scale: float = 1.0) -> View:
        """The whole picture of this camera, scaled."""
        rotation = cv2.Rodrigues(np.array(pose.rvec, dtype=np.float64))[0].astype(np.float64)
        size = (round(model.width_px * scale), round(model.height_px * scale))
        return cls(model, rotation, np.array(pose.tvec_mm, dtype=np.float64), scale, (0, 0), *size)

    def cropped(self, box: tuple[int, int, int, int]) -> View:
        """The same camera, only the pixels of box (x0, y0, x1, y1), which is given in this view's own pixels."""
        x0, y0, x1, y1 = box
        return View(
            self.model, self.rotation, self.translation_mm, self.scale, (self.origin[0] + x0, self.origin[1] + y0), x1 - x0, y1 - y0
        )

    @cached_property
    def numbers(self) -> Floats:
        """All that projecting needs, (24,): rotation by rows, translation, fx fy cx cy, distortion (5), scale, origin."""
        lens = self.model
        focal = (lens.fx_px, lens.fy_px, lens.cx_px, lens.cy_px)
        return np.array(
            (*self.rotation.ravel(), *self.translation_mm, *focal, *lens.distortion, self.scale, *self.origin), dtype=np.float64
        )

    @property
    def eye_mm(self) -> Floats:
        """The camera's place in the world (3,)."""
        return np.asarray(-self.rotation.T @ self.translation_mm)

    def project(self, points_mm: npt.ArrayLike) -> Floats:
        """World points (..., 3) in mm to pixels (..., 2) of this view. Points behind the camera come out as NaN.

        OpenCV's lens model with five terms (k1 k2 p1 p2 k3; OpenCV's calib3d documentation), written out because `cv2.projectPoints`
        also computes derivatives, which costs more than all the rest for the thousands of points of a search.
        """
        seen = np.asarray(points_mm, dtype=np.float64) @ self.rotation.T + self.translation_mm
        depth = np.where(seen[..., 2] > 1.0, seen[..., 2], np.nan)
        x, y = seen[..., 0] / depth, seen[..., 1] / depth
        k1, k2, p1, p2, k3 = self.model.distortion
        if k1 or k2 or p1 or p2 or k3:
            r2 = x * x + y * y
            radial = 1 + r2 * (k1 + r2 * (k2 + r2 * k3))
            x, y = x * radial + 2 * p1 * x * y + p2 * (r2 + 2 * x * x), y * radial + p1 * (r2 + 2 * y * y) + 2 * p2 * x * y
        u = self.model.fx_px * x + self.model.cx_px
        v = self.model.fy_px * y + self.model.cy_px
        return np.stack(((u + 0.5) * self.scale - 0.5 - self.origin[0], (v + 0.5) * self.scale - 0.5 - self.origin[1]), axis=-1)

    def px_per_mm(self, point_mm: npt.ArrayLike = (0.0, 0.0, 250.0)) -> float:
        """Pixels that one millimetre across the line of sight covers at this point."""
        depth = float((self.rotation @ np.asarray(point_mm, dtype=np.float64) + self.translation_mm)[2])
        return self.model.fx_px * self.scale / max(depth, 1.0)

    def looks_down(self) -> npt.NDArray[np.float32]:
        """For every pixel +1 where its ray descends, -1 where it climbs (height, width).

        A descending ray meets the upper of two level layers first, a climbing one the lower: this decides what hides what.
        """
        third = self.rotation[:, 2]  # the world's z seen from the camera
        u = (np.arange(self.width) + self.origin[0] + 0.5) / self.scale - 0.5
        v = (np.arange(self.height) + self.origin[1] + 0.5) / self.scale - 0.5
        x, y = (u - self.model.cx_px) / self.model.fx_px, (v - self.model.cy_px) / self.model.fy_px
        climb = third[0] * x[None, :] + third[1] * y[:, None] + third[2]
        return np.where(climb < 0, np.float32(1), np.float32(-1))
