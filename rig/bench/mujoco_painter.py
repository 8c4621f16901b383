"""MuJoCo's own renderer in the place of `rig.twin.pictures.painter.Painter`: what the hand-written drawing is measured against.

It draws a whole picture whenever any part of it is asked for, as `mjr_render` knows no parts, and all shadow maps for every picture. What
has not changed at all costs nothing here either: then no part is asked for.
"""

from __future__ import annotations

from collections.abc import Sequence

import mujoco
import numpy as np
import numpy.typing as npt

from rig.twin.pictures.repaint import Rectangle

Picture = npt.NDArray[np.uint8]


class MujocoPainter:
    """The two methods of `Painter`."""

    def __init__(self, model: mujoco.MjModel, data: mujoco.MjData, context: mujoco.MjrContext) -> None:
        self._model, self._data, self._context = model, data, context
        self._scene = mujoco.MjvScene(model, maxgeom=model.ngeom + 20)
        self._option, self._perturb = mujoco.MjvOption(), mujoco.MjvPerturb()

    def moved(self) -> None:
        """Nothing is kept from one picture to the next."""

    def paint(self, camera: int, size_px: tuple[int, int], parts: Sequence[Rectangle]) -> list[Picture]:
        """These `parts` of the picture (width, height) of the model's camera number `camera`, BGR (height, width, 3)."""
        eye = mujoco.MjvCamera()
        eye.type, eye.fixedcamid = mujoco.mjtCamera.mjCAMERA_FIXED, camera
        everything = mujoco.mjtCatBit.mjCAT_ALL.value
        mujoco.mjv_updateScene(self._model, self._data, self._option, self._perturb, eye, everything, self._scene)
        whole, pixels = mujoco.MjrRect(0, 0, *size_px), np.empty((size_px[1], size_px[0], 3), np.uint8)
        mujoco.mjr_render(whole, self._scene, self._context)
        mujoco.mjr_readPixels(pixels, None, whole, self._context)
        upright = pixels[::-1, :, ::-1]
        return [upright[top:bottom, left:right] for left, top, right, bottom in parts]
