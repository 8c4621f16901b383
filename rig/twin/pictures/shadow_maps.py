"""What a parallel lamp sees: the map from which OpenGL knows what lies in shadow.

What has stood still for a while is kept in a map of its own; each time that something moves, that map is copied and only what has moved
lately is drawn over it.
"""

from __future__ import annotations

from typing import Any

import mujoco
import numpy as np
import numpy.typing as npt

from rig.twin.pictures.gl_solids import Solids, any_up, look_along, nearer_is_greater

OFFSET = (-1.5, -4.0)
"""Slope factor and units by which a map is set back, so that nothing shades itself; MuJoCo's own."""


class Restless:
    """Which solids have moved lately, so that all others' shadows may be kept."""

    LATELY = 4
    """Times that something moved. Fewer: what moves now and then has the kept map drawn anew more often; more: more is drawn over it."""

    def __init__(self, count: int) -> None:
        self._time = 0
        self._moved_at = np.full(count, -self.LATELY)
        self.kept = np.zeros(count, np.bool_)
        self.edition = 0
        """Counts the sets of kept solids."""

    def heed(self, moved: npt.NDArray[np.bool_]) -> None:
        """These have moved now (n,)."""
        self._time += 1
        self._moved_at[moved] = self._time
        calm = self._moved_at <= self._time - self.LATELY
        if (self.kept & moved).any() or (calm & ~self.kept).any():
            self.kept = calm
            self.edition += 1


class ShadowMap:
    """One lamp's: square, `size_px` wide, reaching `reach_m` to all sides of the lamp's axis."""

    def __init__(self, gl: Any, size_px: int, reach_m: float) -> None:
        self._gl, self._size_px, self._reach_m = gl, size_px, reach_m
        self._kept, self._all = self._target(), self._target()
        self._edition = -1
        self._planes = np.zeros((4, 4), np.float32)

    def _target(self) -> tuple[int, int]:
        """A frame buffer and its depth texture."""
        gl = self._gl
        buffer, texture = int(gl.glGenFramebuffers(1)), int(gl.glGenTextures(1))
        gl.glActiveTexture(gl.GL_TEXTURE1)
        gl.glBindTexture(gl.GL_TEXTURE_2D, texture)
        gl.glTexStorage2D(gl.GL_TEXTURE_2D, 1, gl.GL_DEPTH24_STENCIL8, self._size_px, self._size_px)
        for what, value in (
            (gl.GL_TEXTURE_MIN_FILTER, gl.GL_NEAREST),
            (gl.GL_TEXTURE_MAG_FILTER, gl.GL_NEAREST),
            (gl.GL_TEXTURE_WRAP_S, gl.GL_CLAMP_TO_EDGE),
            (gl.GL_TEXTURE_WRAP_T, gl.GL_CLAMP_TO_EDGE),
            (gl.GL_TEXTURE_COMPARE_MODE, gl.GL_COMPARE_R_TO_TEXTURE),
            (gl.GL_TEXTURE_COMPARE_FUNC, gl.GL_GEQUAL),
            (gl.GL_DEPTH_TEXTURE_MODE, gl.GL_INTENSITY),
        ):
            gl.glTexParameteri(gl.GL_TEXTURE_2D, what, value)
        gl.glActiveTexture(gl.GL_TEXTURE0)
        gl.glBindFramebuffer(gl.GL_FRAMEBUFFER, buffer)
        gl.glFramebufferTexture2D(gl.GL_FRAMEBUFFER, gl.GL_DEPTH_STENCIL_ATTACHMENT, gl.GL_TEXTURE_2D, texture, 0)
        gl.glDrawBuffer(gl.GL_NONE)
        gl.glReadBuffer(gl.GL_NONE)
        return buffer, texture

    def cast(self, lamp: mujoco.MjvLight, near_m: float, far_m: float, solids: Solids, restless: Restless) -> None:
        """Draws the map for things as they stand."""
        gl = self._gl
        gl.glMatrixMode(gl.GL_PROJECTION)
        gl.glLoadIdentity()
        nearer_is_greater(gl)
        gl.glOrtho(-self._reach_m, self._reach_m, -self._reach_m, self._reach_m, near_m, far_m)
        sight = np.asarray(gl.glGetFloatv(gl.GL_PROJECTION_MATRIX), np.float32)
        way = np.array(lamp.dir, np.float32)
        matrix = look_along(np.array(lamp.pos, np.float32), way, any_up(way))
        gl.glMatrixMode(gl.GL_MODELVIEW)
        gl.glLoadMatrixf(matrix)
        self._planes = _texture_planes(sight, matrix)
        gl.glViewport(1, 1, self._size_px - 2, self._size_px - 2)  # a rim of nothing, so that beyond the map there is light
        gl.glShadeModel(gl.GL_FLAT)
        for state in (gl.GL_LIGHTING, gl.GL_CULL_FACE):
            gl.glDisable(state)
        gl.glColorMask(0, 0, 0, 0)
        gl.glEnable(gl.GL_POLYGON_OFFSET_FILL)
        gl.glPolygonOffset(*OFFSET)
        if self._edition != restless.edition:
            gl.glBindFramebuffer(gl.GL_FRAMEBUFFER, self._kept[0])
            gl.glClear(gl.GL_DEPTH_BUFFER_BIT)
            solids.draw_depth(np.flatnonzero(solids.shown & restless.kept))
            self._edition = restless.edition
        size = self._size_px
        gl.glCopyImageSubData(self._kept[1], gl.GL_TEXTURE_2D, 0, 0, 0, 0, self._all[1], gl.GL_TEXTURE_2D, 0, 0, 0, 0, size, size, 1)
        gl.glBindFramebuffer(gl.GL_FRAMEBUFFER, self._all[0])
        solids.draw_depth(np.flatnonzero(solids.shown & ~restless.kept))
        gl.glDisable(gl.GL_POLYGON_OFFSET_FILL)
        gl.glColorMask(1, 1, 1, 1)
        for state in (gl.GL_LIGHTING, gl.GL_CULL_FACE):
            gl.glEnable(state)
        gl.glShadeModel(gl.GL_SMOOTH)

    def lay_on(self) -> None:
        """From now on what is drawn is lit only where the lamp sees it; the camera's view is loaded."""
        gl = self._gl
        gl.glActiveTexture(gl.GL_TEXTURE1)
        gl.glEnable(gl.GL_TEXTURE_2D)
        gl.glBindTexture(gl.GL_TEXTURE_2D, self._all[1])
        axes = (
            (gl.GL_S, gl.GL_TEXTURE_GEN_S),
            (gl.GL_T, gl.GL_TEXTURE_GEN_T),
            (gl.GL_R, gl.GL_TEXTURE_GEN_R),
            (gl.GL_Q, gl.GL_TEXTURE_GEN_Q),
        )
        for (axis, state), plane in zip(axes, self._planes, strict=True):
            gl.glEnable(state)
            gl.glTexGeni(axis, gl.GL_TEXTURE_GEN_MODE, gl.GL_EYE_LINEAR)
            gl.glTexGenfv(axis, gl.GL_EYE_PLANE, plane)
        gl.glActiveTexture(gl.GL_TEXTURE0)

    def take_off(self) -> None:
        """OpenGL draws without the shadow map again."""
        gl = self._gl
        gl.glActiveTexture(gl.GL_TEXTURE1)
        for state in (gl.GL_TEXTURE_2D, gl.GL_TEXTURE_GEN_S, gl.GL_TEXTURE_GEN_T, gl.GL_TEXTURE_GEN_R, gl.GL_TEXTURE_GEN_Q):
            gl.glDisable(state)
        gl.glActiveTexture(gl.GL_TEXTURE0)


def _texture_planes(sight: np.ndarray, matrix: np.ndarray) -> np.ndarray:
    """From places in the room to the map's s, t, depth and 1: the planes (4, 4) that OpenGL wants. Both matrices column by column."""
    from_minus_one = np.array([[0.5, 0, 0, 0.5], [0, 0.5, 0, 0.5], [0, 0, 1, 0], [0, 0, 0, 1]], np.float32)
    return np.ascontiguousarray(from_minus_one @ (sight.reshape(4, 4).T @ matrix.reshape(4, 4).T), np.float32)
