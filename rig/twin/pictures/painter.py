"""Paints parts of a picture as MuJoCo's renderer would paint the whole: the same lamps, shadows, solids and pixels, for less work.

MuJoCo's own renderer draws every shadow map anew for every picture, and fills every pixel of a rectangle, changed or not. Here the shadows
of what never moves are kept (`shadow_maps.py`), and only the parts asked for are filled, with only those solids that reach into them
(`gl_solids.py`). Display lists and textures are MuJoCo's, which has put them into OpenGL; a test holds the pixels to MuJoCo's: the same but
for a few on edges, in `lab` all. Drawn are opaque solids under parallel lamps: all that the twin's rooms have.

What it saves: with a hand moving through the picture MuJoCo's renderer takes 1.9 times as long at `lab`, 1.8 at `home` and 2.0 at `home` of
world B, sensor and JPEG included; with everything drawn anew 1.2 to 1.4 times (`python -m rig.bench.bench_pictures --rooms 1 --first 914000
--levels lab home`: one room each, 10 pictures a room and situation, processor time, both in one process). Light is no reason to keep it:
the pixels are MuJoCo's.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

import cv2
import mujoco
import numpy as np
import numpy.typing as npt

from rig.twin.pictures.gl_solids import GlCamera, Rectangle, Solids
from rig.twin.pictures.opengl import bindings
from rig.twin.pictures.shadow_maps import Restless, ShadowMap

Picture = npt.NDArray[np.uint8]
Box = tuple[int, int, int, int]
"""OpenGL's: left, bottom, width, height."""

LIT = 0.99
"""Share of light beyond which a pixel is lit by a lamp with shadows; MuJoCo's own."""


class Paints(Protocol):
    """What draws a scene: the parts of a picture that are asked for."""

    def moved(self) -> None: ...

    def paint(self, camera: int, size_px: tuple[int, int], parts: Sequence[Rectangle]) -> list[Picture]: ...


class Painter:
    """One scene's. Say `moved` when things stand elsewhere; then `paint` as many parts of as many cameras' pictures as wanted."""

    def __init__(self, model: mujoco.MjModel, data: mujoco.MjData, context: mujoco.MjrContext) -> None:
        self._gl = bindings()
        self._model, self._data, self._context = model, data, context
        self._scene = mujoco.MjvScene(model, maxgeom=model.ngeom + 20)
        self._option, self._perturb = mujoco.MjvOption(), mujoco.MjvPerturb()
        self._solids = Solids(self._gl, model, context)
        self._restless = Restless(model.ngeom)
        self._shadows: dict[int, ShadowMap] = {}
        self._cast = False

    def moved(self) -> None:
        """Things stand elsewhere, or look otherwise, than when last painted."""
        self._restless.heed(self._solids.follow(self._data))
        self._cast = False

    def paint(self, camera: int, size_px: tuple[int, int], parts: Sequence[Rectangle]) -> list[Picture]:
        """These `parts` (none over another) of the picture (width, height) of the model's camera number `camera`, BGR."""
        gl, scene = self._gl, self._look_through(camera)
        view = GlCamera.of(scene, size_px)
        self._begin()
        if not self._cast:
            self._cast_shadows(scene, view)
            self._cast = True
        gl.glBindFramebuffer(gl.GL_FRAMEBUFFER, self._context.offFBO)
        gl.glViewport(0, 0, *size_px)
        view.load(gl)
        for number in range(scene.nlight):
            self._place_lamp(number, scene.lights[number])
        boxes = [(left, size_px[1] - bottom, right - left, bottom - top) for left, top, right, bottom in parts]
        seen = [self._solids.reaching_into(view, part) for part in parts]
        self._fill(scene, boxes, seen)
        return [self._read(box) for box in boxes]

    def _look_through(self, camera: int) -> mujoco.MjvScene:
        """MuJoCo's scene, for its lamps and its eye."""
        eye = mujoco.MjvCamera()
        eye.type, eye.fixedcamid = mujoco.mjtCamera.mjCAMERA_FIXED, camera
        everything = mujoco.mjtCatBit.mjCAT_ALL.value
        mujoco.mjv_updateScene(self._model, self._data, self._option, self._perturb, eye, everything, self._scene)
        return self._scene

    def _begin(self) -> None:
        """OpenGL as everything here expects it."""
        gl = self._gl
        for state in (gl.GL_LIGHTING, gl.GL_NORMALIZE, gl.GL_DEPTH_TEST, gl.GL_CULL_FACE, gl.GL_COLOR_MATERIAL):
            gl.glEnable(state)
        for state in (gl.GL_BLEND, gl.GL_FOG, gl.GL_ALPHA_TEST, gl.GL_SCISSOR_TEST, gl.GL_STENCIL_TEST):
            gl.glDisable(state)
        gl.glClipControl(gl.GL_LOWER_LEFT, gl.GL_ZERO_TO_ONE)
        gl.glDepthFunc(gl.GL_GEQUAL)
        gl.glDepthRange(0, 1)
        gl.glClearDepth(0)
        gl.glClearColor(0, 0, 0, 0)
        gl.glAlphaFunc(gl.GL_GEQUAL, LIT)
        gl.glBlendFunc(gl.GL_ONE, gl.GL_ONE)
        gl.glColorMaterial(gl.GL_FRONT_AND_BACK, gl.GL_AMBIENT_AND_DIFFUSE)
        gl.glLightModelfv(gl.GL_LIGHT_MODEL_AMBIENT, np.array([0, 0, 0, 1], np.float32))
        gl.glLightModeli(gl.GL_LIGHT_MODEL_LOCAL_VIEWER, 1)
        for unit in (gl.GL_TEXTURE1, gl.GL_TEXTURE0):
            gl.glActiveTexture(unit)
            gl.glTexEnvi(gl.GL_TEXTURE_ENV, gl.GL_TEXTURE_ENV_MODE, gl.GL_MODULATE)

    def _place_lamp(self, number: int, lamp: mujoco.MjvLight) -> None:
        gl = self._gl
        name = gl.GL_LIGHT0 + number
        for kind, light in ((gl.GL_AMBIENT, lamp.ambient), (gl.GL_DIFFUSE, lamp.diffuse), (gl.GL_SPECULAR, lamp.specular)):
            gl.glLightfv(name, kind, np.array([*light[:3], 1.0], np.float32))
        gl.glLightfv(name, gl.GL_POSITION, np.array([*(-part for part in lamp.dir), 0.0], np.float32))

    def _cast_shadows(self, scene: mujoco.MjvScene, view: GlCamera) -> None:
        for number in range(scene.nlight):
            lamp = scene.lights[number]
            if lamp.castshadow:
                if number not in self._shadows:
                    self._shadows[number] = ShadowMap(self._gl, int(self._context.shadowSize), float(self._context.shadowClip))
                self._shadows[number].cast(lamp, view.near_m, view.far_m, self._solids, self._restless)

    def _fill(self, scene: mujoco.MjvScene, boxes: Sequence[Box], seen: Sequence[npt.NDArray[np.intp]]) -> None:
        """First by all lamps without shadows, then one lamp with shadows after the other is added."""
        gl = self._gl
        casting = [number for number in range(scene.nlight) if scene.lights[number].castshadow]
        gl.glEnable(gl.GL_SCISSOR_TEST)
        self._light_only([number for number in range(scene.nlight) if number not in casting], scene.nlight)
        for box, solids in zip(boxes, seen, strict=True):
            gl.glScissor(*box)
            gl.glClear(gl.GL_COLOR_BUFFER_BIT | gl.GL_DEPTH_BUFFER_BIT)
            self._solids.draw(solids)
        gl.glEnable(gl.GL_ALPHA_TEST)
        gl.glEnable(gl.GL_BLEND)
        for number in casting:
            self._light_only([number], scene.nlight)
            self._shadows[number].lay_on()
            for box, solids in zip(boxes, seen, strict=True):
                gl.glScissor(*box)
                self._solids.draw(solids, glowing=False)
            self._shadows[number].take_off()
        for state in (gl.GL_ALPHA_TEST, gl.GL_BLEND, gl.GL_SCISSOR_TEST):
            gl.glDisable(state)

    def _light_only(self, numbers: Sequence[int], of: int) -> None:
        for number in range(of):
            (self._gl.glEnable if number in numbers else self._gl.glDisable)(self._gl.GL_LIGHT0 + number)

    def _read(self, box: Box) -> Picture:
        pixels = np.empty((box[3], box[2], 3), np.uint8)
        mujoco.mjr_readPixels(pixels, None, mujoco.MjrRect(*box), self._context)
        return np.asarray(cv2.cvtColor(cv2.flip(pixels, 0), cv2.COLOR_RGB2BGR), np.uint8)
