"""The scene's solids as OpenGL is to draw them: one display list each, kept where they stand, and which of them reach into a rectangle."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import mujoco
import numpy as np
import numpy.typing as npt

Array = npt.NDArray[np.float64]
Floats = npt.NDArray[np.float32]
Rectangle = tuple[int, int, int, int]
"""Left, top, right, bottom in pixels; right and bottom are outside."""

NEAR_M = 0.05
"""What is not at least so far before the lens has no bounds in the picture."""

_SPHERE, _TOP, _BOTTOM, _CYLINDER, _TUBE, _, _BOX = range(7)
"""MuJoCo's unit solids, by their place among its display lists (mjrSPHERE and so on in its render_context.h)."""
_PLACE, _SEEN, _UNGLOWING, _DEPTH = range(4)
"""Display lists of one solid."""


@dataclass(frozen=True, slots=True, eq=False)
class GlCamera:
    """A camera's eye: `matrix` (16,) from the room to the eye, column by column; `frustum` for glFrustum."""

    matrix: Floats
    frustum: tuple[float, float, float, float, float, float]
    size_px: tuple[int, int]
    pixel: float
    """A pixel's side on the near plane."""

    @property
    def near_m(self) -> float:
        """Distance of the near plane."""
        return self.frustum[4]

    @property
    def far_m(self) -> float:
        """Distance of the far plane."""
        return self.frustum[5]

    @classmethod
    def of(cls, scene: mujoco.MjvScene, size_px: tuple[int, int]) -> GlCamera:
        """The eye of MuJoCo's scene, which looks at a picture of this width and height."""
        eye = mujoco.mjv_averageCamera(scene.camera[0], scene.camera[1])  # MuJoCo draws the mean of two eyes
        low, high = float(eye.frustum_bottom), float(eye.frustum_top)
        pixel = (high - low) / size_px[1]
        half_width = float(np.float32(size_px[0] / 2 * pixel))
        frustum = (-half_width, half_width, low, high, float(eye.frustum_near), float(eye.frustum_far))
        matrix = look_along(*(np.array(part, np.float32) for part in (eye.pos, eye.forward, eye.up)))
        return cls(matrix, frustum, size_px, float(pixel))

    def load(self, gl: Any) -> None:
        """Makes OpenGL look through it."""
        gl.glMatrixMode(gl.GL_PROJECTION)
        gl.glLoadIdentity()
        nearer_is_greater(gl)
        gl.glFrustum(*self.frustum)
        gl.glMatrixMode(gl.GL_MODELVIEW)
        gl.glLoadMatrixf(self.matrix)


def nearer_is_greater(gl: Any) -> None:
    """Depth from 1 at the near plane to 0 at the far one: there is more room for what is far."""
    gl.glTranslatef(0.0, 0.0, 0.5)
    gl.glScalef(1.0, 1.0, -0.5)


def look_along(at: npt.NDArray[np.floating], way: npt.NDArray[np.floating], up: npt.NDArray[np.floating]) -> Floats:
    """The matrix (16,), column by column, from the room to an eye at `at` that looks along `way`."""
    ahead = _unit(way)
    right = _unit(np.cross(ahead, up))
    above = _unit(np.cross(right, ahead))
    matrix = np.eye(4, dtype=np.float32)
    for row, axis in enumerate((right, above, -ahead)):
        matrix[row, :3] = axis
        matrix[row, 3] = -(axis[0] * at[0] + axis[1] * at[1] + axis[2] * at[2])
    return np.ascontiguousarray(matrix.T).ravel()


def any_up(way: npt.NDArray[np.floating]) -> Floats:
    """A unit vector across `way`: across the x axis too, unless they are parallel."""
    up = np.cross(way, np.array([-1, 0, 0], np.float32))
    if float(up @ up) <= 0.01:
        up = np.cross(way, np.array([0, 1, 0], np.float32))
    return np.asarray(up / np.sqrt((up * up).sum(dtype=np.float32)), np.float32)


def _unit(way: npt.NDArray[np.floating]) -> Floats:
    length = np.sqrt(way[0] * way[0] + way[1] * way[1] + way[2] * way[2])
    return np.asarray(way * (np.float32(1) / length), np.float32)


class Solids:
    """All solids of a model."""

    def __init__(self, gl: Any, model: mujoco.MjModel, context: mujoco.MjrContext) -> None:
        self._gl, self._model, self._context = gl, model, context
        self._lists = int(gl.glGenLists(4 * model.ngeom)) + np.arange(4 * model.ngeom, dtype=np.uint32).reshape(-1, 4)
        self._at: Floats = np.full((model.ngeom, 3), np.nan, np.float32)
        self._turn: Floats = np.full((model.ngeom, 9), np.nan, np.float32)
        self._look = np.full((model.ngeom, 5), np.nan)
        self._shown = np.zeros(model.ngeom, np.bool_)

    @property
    def shown(self) -> npt.NDArray[np.bool_]:
        """Which of them are to be seen (n,)."""
        return self._shown

    def follow(self, data: mujoco.MjData) -> npt.NDArray[np.bool_]:
        """Takes places and colours from the model and its data; which solids stand elsewhere, have come or gone (n,)."""
        model = self._model
        glow = np.where(model.geom_matid >= 0, model.mat_emission[model.geom_matid], 0.0) if model.nmat else np.zeros(model.ngeom)
        rgba = np.where((model.geom_matid >= 0)[:, None], model.mat_rgba[model.geom_matid], model.geom_rgba)
        look = np.column_stack((rgba, glow))
        shown = look[:, 3] > 0
        at, turn = data.geom_xpos.astype(np.float32), data.geom_xmat.reshape(-1, 9).astype(np.float32)
        moved = (at != self._at).any(1) | (turn != self._turn).any(1)
        for k in np.flatnonzero(moved):
            self._keep_place(int(k), at[k], turn[k])
        for k in np.flatnonzero((look != self._look).any(1) & shown):
            self._keep_look(int(k), look[k])
            self._look[k] = look[k]
        moved = (moved & shown) | (shown != self._shown)
        self._at, self._turn, self._shown = at, turn, shown
        return np.asarray(moved)

    def reaching_into(self, view: GlCamera, part: Rectangle) -> npt.NDArray[np.intp]:
        """Numbers of the solids whose balls reach into this rectangle, the nearest first: what they hide need not be filled."""
        matrix = view.matrix.reshape(4, 4).T.astype(float)
        eye = self._at.astype(float) @ matrix[:3, :3].T + matrix[:3, 3]
        radius, away = self._model.geom_rbound, -eye[:, 2]
        nearest = away - radius
        bounded = nearest > NEAR_M
        scale = view.near_m / view.pixel / np.where(bounded, nearest, 1.0)
        centre = (eye[:, :2] * (1, -1)) * (view.near_m / view.pixel / np.where(bounded, away, 1.0))[:, None] + np.array(view.size_px) / 2
        reach = radius * scale * (1 + np.abs(eye[:, :2]).max(axis=1) / np.where(bounded, nearest, 1.0)) + 2.0
        outside = (centre + reach[:, None] < part[:2]).any(1) | (centre - reach[:, None] > part[2:]).any(1)
        behind = away + radius < NEAR_M
        numbers = np.flatnonzero(self._shown & ~behind & ~(bounded & outside))
        return np.asarray(numbers[np.argsort(away[numbers], kind="stable")])

    def draw(self, numbers: npt.NDArray[np.intp], glowing: bool = True) -> None:
        """These, by whatever light is on; not `glowing`: without their own."""
        self._gl.glCallLists(np.ascontiguousarray(self._lists[numbers, _SEEN if glowing else _UNGLOWING]))

    def draw_depth(self, numbers: npt.NDArray[np.intp]) -> None:
        """Their bare shapes."""
        self._gl.glCallLists(np.ascontiguousarray(self._lists[numbers, _DEPTH]))

    # ------------------------------------------------------------ display lists

    def _keep_place(self, k: int, at: Floats, turn: Floats) -> None:
        gl = self._gl
        matrix = np.eye(4, dtype=np.float32)
        matrix[:3, :3] = turn.reshape(3, 3).T
        gl.glNewList(int(self._lists[k, _PLACE]), gl.GL_COMPILE)
        gl.glTranslatef(*(float(part) for part in at))
        gl.glMultMatrixf(matrix)
        gl.glEndList()

    def _keep_look(self, k: int, look: Array) -> None:
        gl = self._gl
        rgba = np.asarray(look[:4], np.float32)
        for kind, glow in ((_SEEN, float(look[4])), (_UNGLOWING, 0.0)):
            gl.glNewList(int(self._lists[k, kind]), gl.GL_COMPILE)
            textured = self._texture(k)
            self._material(k, rgba, glow)
            gl.glCallList(int(self._lists[k, _DEPTH]))
            if textured:
                gl.glMatrixMode(gl.GL_TEXTURE)
                gl.glLoadIdentity()
                gl.glMatrixMode(gl.GL_MODELVIEW)
                gl.glDisable(gl.GL_TEXTURE_2D)
            gl.glEndList()
        gl.glNewList(int(self._lists[k, _DEPTH]), gl.GL_COMPILE)
        gl.glPushMatrix()
        gl.glCallList(int(self._lists[k, _PLACE]))
        self._shape(k)
        gl.glPopMatrix()
        gl.glEndList()

    def _material(self, k: int, rgba: Floats, glow: float) -> None:
        gl, material = self._gl, int(self._model.geom_matid[k])
        shininess, gloss = (
            (float(self._model.mat_shininess[material]), float(self._model.mat_specular[material])) if material >= 0 else (0.5, 0.5)
        )
        both = gl.GL_FRONT_AND_BACK
        gl.glMaterialfv(both, gl.GL_EMISSION, np.array([*(np.float32(glow) * rgba[:3]), 1], np.float32))
        gl.glColor4f(*(float(part) for part in rgba))
        gl.glMaterialf(both, gl.GL_SHININESS, shininess * 128)
        gl.glMaterialfv(both, gl.GL_SPECULAR, np.array([gloss, gloss, gloss, 1], np.float32))

    def _texture(self, k: int) -> bool:
        """Puts the solid's texture on, if it has one: repeated as its material says."""
        gl, model, material = self._gl, self._model, int(self._model.geom_matid[k])
        name = int(model.mat_texid[material, mujoco.mjtTextureRole.mjTEXROLE_RGB]) if material >= 0 else -1
        if name < 0:
            return False
        gl.glEnable(gl.GL_TEXTURE_2D)
        gl.glBindTexture(gl.GL_TEXTURE_2D, int(self._context.texture[name]))
        gl.glMatrixMode(gl.GL_TEXTURE)
        gl.glScalef(*(float(times) for times in model.mat_texrepeat[material]), 1.0)
        gl.glMatrixMode(gl.GL_MODELVIEW)
        return True

    def _shape(self, k: int) -> None:
        gl, kind, unit = self._gl, mujoco.mjtGeom(int(self._model.geom_type[k])), int(self._context.baseBuiltin)
        x, y, z = (float(part) for part in _half_sizes(self._model, k))
        shapes = mujoco.mjtGeom
        if kind == shapes.mjGEOM_MESH:
            gl.glCallList(int(self._context.baseMesh) + 2 * int(self._model.geom_dataid[k]))
            return
        gl.glScalef(x, y, z)
        if kind == shapes.mjGEOM_CAPSULE:  # a tube with half a ball at each end
            gl.glCallList(unit + _TUBE)
            gl.glScalef(1.0, 1.0, x / z)
            gl.glTranslatef(0.0, 0.0, (z - x) / x)
            gl.glCallList(unit + _TOP)
            gl.glTranslatef(0.0, 0.0, 2 * (x - z) / x)
            gl.glCallList(unit + _BOTTOM)
            return
        one = {
            shapes.mjGEOM_SPHERE: _SPHERE,
            shapes.mjGEOM_ELLIPSOID: _SPHERE,
            shapes.mjGEOM_CYLINDER: _CYLINDER,
            shapes.mjGEOM_BOX: _BOX,
        }
        gl.glCallList(unit + one[kind])


def _half_sizes(model: mujoco.MjModel, k: int) -> tuple[float, float, float]:
    """Along x, y and z, as MuJoCo scales its unit solids."""
    a, b, c = (float(part) for part in model.geom_size[k])
    kind = mujoco.mjtGeom(int(model.geom_type[k]))
    if kind == mujoco.mjtGeom.mjGEOM_SPHERE:
        return a, a, a
    if kind in (mujoco.mjtGeom.mjGEOM_CAPSULE, mujoco.mjtGeom.mjGEOM_CYLINDER):
        return a, a, b
    return a, b, c
