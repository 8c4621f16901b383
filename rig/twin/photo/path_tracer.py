"""Photorealistic pictures of chosen instants: the same scene by path tracing, with soft shadows, gloss and light that bounces.

What is drawn is not described a second time: every solid, texture and colour is read out of the scene that OpenGL draws, lamps from its
room, and paths start along the rays of the same true lens, so the two renderers differ in light and nothing else. Mitsuba 3 does the work
(`pip install villa-paletti-rig[photo]`) by its LLVM variant, which wants LLVM 16 or newer. Evaluation only: a picture takes seconds.

Nearly all of a picture's time is paths, a microsecond each. So where the caller names the `Space` that matters, its pixels get all their
paths and the others one; what noise that leaves is smoothed. Rays are data to one compiled program: another lens or another part of the
picture compiles nothing anew, as another film of Mitsuba's own cameras would.
"""

from __future__ import annotations

import ctypes.util
import importlib
import os
import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import product
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import numpy.typing as npt

from rig.errors import PalettiError
from rig.messages import CameraPose
from rig.profile import CameraModel, Profile
from rig.twin.photo.mitsuba_scene import Studio
from rig.twin.physics.poses import HandPose, Poses
from rig.twin.pictures.lenses import LensMap, seen_through
from rig.twin.pictures.level_pictures import LAB, PictureLevel
from rig.twin.pictures.scene import RenderScene, WorldName

Picture = npt.NDArray[np.uint8]
Floats = npt.NDArray[np.float32]
Mask = npt.NDArray[np.bool_]

OLDEST_LLVM = 16
SPP = 4
"""Light paths a pixel: the eyes mostly work on half-size pictures, which makes 16 of them."""
FILTER_PX = 0.45
"""Standard deviation of where in a pixel paths start: a Gaussian filter by sampling it, so that neighbours' noise is their own."""
LANES = 320_000
"""Paths traced at a time, always as many, because their number is part of the compiled program; a multiple of most numbers of paths."""

OUT_OF_FOCUS_PX = 1.8
"""Standard deviation of the blur over pixels of one path: some 40 of them make one."""


def _llvm() -> str | None:
    """The newest usable LLVM library."""
    given = os.environ.get("DRJIT_LIBLLVM_PATH")
    if given:
        return given
    found: list[tuple[int, str]] = []
    for folder in ("/usr/lib", "/usr/lib64", "/usr/local/lib", "/opt/homebrew/opt/llvm/lib"):
        for path in [*Path(folder).glob("libLLVM*"), *Path(folder).glob("*/libLLVM*")]:
            match = re.search(r"libLLVM[.-](?:so\.)?(\d+)", path.name)
            if match and int(match[1]) >= OLDEST_LLVM:
                found.append((int(match[1]), str(path)))
    if found:
        return max(found)[1]
    name = ctypes.util.find_library("LLVM")
    return name if name and any(int(n) >= OLDEST_LLVM for n in re.findall(r"\d+", name)) else None


def open_mitsuba() -> Any:
    """The Mitsuba module with its LLVM variant chosen; PalettiError, naming what is missing, if it or LLVM is not installed."""
    library = _llvm()
    if library is not None:
        os.environ["DRJIT_LIBLLVM_PATH"] = library
    try:
        mi = importlib.import_module("mitsuba")
    except ImportError as error:
        raise PalettiError(
            f"Photorealistic pictures need Mitsuba: {error}.", "Install it with `pip install villa-paletti-rig[photo]`."
        ) from error
    if library is None:  # Mitsuba would end the process on an older one
        raise PalettiError(
            f"Photorealistic pictures need LLVM {OLDEST_LLVM} or newer, and none is here.",
            "Install it (Debian: `apt install llvm-19`) or say where it is in DRJIT_LIBLLVM_PATH.",
        )
    if mi.variant() is None:
        mi.set_variant("llvm_ad_rgb")
    return mi


@dataclass(frozen=True, slots=True)
class Space:
    """A block of the room along its axes, mm: two opposite corners."""

    low_mm: tuple[float, float, float]
    high_mm: tuple[float, float, float]

    def seen(self, pose: CameraPose, lens: CameraModel) -> Mask:
        """Where the picture (height x width) shows the block; it must lie in front of the camera."""
        corners = np.array(list(product(*zip(self.low_mm, self.high_mm, strict=True))))
        at_px = seen_through(lens, corners, pose.rvec, pose.tvec_mm)
        mask = np.zeros((lens.height_px, lens.width_px), np.uint8)
        hull = cv2.convexHull(np.rint(np.clip(at_px, -1e4, 1e4)).astype(np.int32))
        return np.asarray(cv2.fillConvexPoly(mask, hull, 1), np.uint8) > 0


def photograph(
    profile: Profile,
    poses: Poses,
    hands: Sequence[HandPose],
    pose: CameraPose,
    lens: CameraModel,
    seed: int,
    level: PictureLevel = LAB,
    world: WorldName = "A",
    spp: int = SPP,
    t_s: float = 0.0,
) -> Picture:
    """One picture (BGR, height x width x 3, no sensor noise) of this instant by the camera at `pose` through `lens`.

    `seed`, `level`, `world` and `t_s` choose the room as they do for `Scene`; `spp` is light paths a pixel (4 coarse, 16 fine). What noise
    the paths leave is smoothed away. Developing (`developing.py`) is left to the caller, as after `Eye.see`. PalettiError without Mitsuba.
    """
    scene = RenderScene(profile, seed, level, world)
    scene.place(poses, hands, t_s)
    return photograph_scene(scene, [pose], [lens], spp)[0]


def photograph_scene(
    scene: RenderScene,
    poses: Sequence[CameraPose],
    lenses: Sequence[CameraModel],
    spp: int = SPP,
    closely: Sequence[Space] = (),
    draw: int = 0,
    studio: Studio | None = None,
) -> list[Picture]:
    """The same for a scene that has been built and placed already, one picture a camera.

    Pixels that show one of the spaces `closely` get `spp` paths, the rest one; without any, all get `spp`. `draw` numbers the paths' random
    choices: two pictures of one number have the same noise. `studio`: kept by who photographs the scene again after it has changed.
    """
    mi = open_mitsuba()
    instant = (studio or Studio(mi, scene)).instant()
    pictures = []
    for k, (pose, lens) in enumerate(zip(poses, lenses, strict=True)):
        fine = np.full((lens.height_px, lens.width_px), not closely)
        for space in closely:
            fine |= space.seen(pose, lens)
        light = _trace(mi, instant, pose, lens, fine, spp, draw * len(poses) + k)
        pictures.append(_develop(_smooth(light, fine, spp)))
    return pictures


# ---------------------------------------------------------------- paths


def _trace(mi: Any, instant: Any, pose: CameraPose, lens: CameraModel, fine: Mask, spp: int, draw: int) -> Floats:
    """Light (BGR, height x width x 3) along the rays of each pixel: `spp` paths where `fine`, else one.

    Paths are drawn in groups of `spp` that share out their choices among them (multi-jittered): those of a pixel, or of as many single-path
    pixels in a row.
    """
    if spp < 1:
        raise PalettiError(f"A pixel needs at least one light path, not {spp}.", "Say --spp 4.")
    bend = LensMap.of(lens)
    if bend.floats is None:
        x, y = (axis.astype(np.float32) for axis in np.meshgrid(np.arange(lens.width_px), np.arange(lens.height_px)))
    else:
        x, y = bend.floats
    ideal = np.stack([x - (bend.width_px - 1) / 2, y - (bend.height_px - 1) / 2], axis=-1)
    directions = np.asarray(ideal / bend.focal_px, np.float32).reshape(-1, 2)
    sampler = mi.load_dict({"type": "multijitter", "sample_count": spp})
    group = int(sampler.sample_count())  # the nearest it can do
    at_once = LANES // group * group
    pixels = np.concatenate([np.repeat(np.flatnonzero(fine), group), np.flatnonzero(~fine)])
    pixels = np.append(pixels, np.repeat(pixels[-1:], -len(pixels) % at_once))
    light = np.zeros((fine.size, 3), np.float32)
    for number, start in enumerate(range(0, len(pixels), at_once)):
        some = pixels[start : start + at_once]
        np.add.at(light, some, _radiance(mi, instant, pose, directions[some], FILTER_PX / bend.focal_px, group, draw * 1000 + number))
    light /= np.bincount(pixels, minlength=fine.size)[:, None]
    return light.reshape(*fine.shape, 3)


def _radiance(mi: Any, instant: Any, pose: CameraPose, directions: Floats, spread: float, group: int, draw: int) -> Floats:
    """Light (BGR, n x 3) of one path along each of n directions, `group` after `group` sharing out their choices among them."""
    sampler = mi.load_dict({"type": "multijitter", "sample_count": group})
    sampler.set_samples_per_wavefront(group)
    sampler.seed(draw, len(directions))
    radiance, _, _ = instant.integrator().sample(instant, sampler, _rays(mi, sampler, pose, directions, spread))
    return np.array(radiance, np.float32).reshape(3, -1)[::-1].T


def _rays(mi: Any, sampler: Any, pose: CameraPose, directions: Floats, spread: float) -> Any:
    """Rays of the pinhole's `directions` (n x 2: x and y at depth 1), each turned a little by chance.

    All numbers come in one array: a number of Python's would become part of the program, and the order of several arrays may differ from
    call to call; either would have it compiled anew.
    """
    turn = np.asarray(cv2.Rodrigues(np.array(pose.rvec))[0])
    eye_m = -turn.T @ np.array(pose.tvec_mm) / 1e3
    first = np.concatenate([turn.ravel(), eye_m, [spread]])
    numbers = mi.Float(np.concatenate([first, directions.ravel()]).astype(np.float32))

    def number(at: Any) -> Any:
        return drjit.gather(mi.Float, numbers, mi.UInt32(at))

    def vector(at: int) -> Any:
        return mi.Vector3f(number(at), number(at + 1), number(at + 2))

    drjit = importlib.import_module("drjit")
    lane = drjit.arange(mi.UInt32, len(directions)) * 2 + len(first)
    beside = mi.warp.square_to_std_normal(sampler.next_2d()) * number(12)
    x, y = number(lane) + beside.x, number(lane + 1) + beside.y
    towards = x * vector(0) + y * vector(3) + vector(6)
    length = drjit.sqrt(x * x + y * y + 1.0)
    return mi.RayDifferential3f(o=mi.Point3f(vector(9)), d=towards / length)


# ---------------------------------------------------------------- from light to a picture


_ROUND = np.array([[1, 1, 1], [1, 0, 1], [1, 1, 1]], np.uint8)
"""A pixel's neighbours without itself."""


def _smooth(light: Floats, fine: Mask, spp: int) -> Floats:
    """Takes the paths' noise out of flat parts, in logarithms so that bright specks do not spread; edges stay.

    A pixel brighter than all its neighbours is a path that met a lamp by chance. Where only one path was drawn the picture is out of focus.
    """
    if spp >= 256:
        return light
    clean = np.minimum(light, np.asarray(cv2.dilate(light, _ROUND), np.float32))
    if not fine.all():
        clean = np.where(fine[..., None], clean, np.asarray(cv2.GaussianBlur(clean, (0, 0), OUT_OF_FOCUS_PX), np.float32))
    logs = np.asarray(np.log1p(8 * clean), np.float32)
    for _ in range(2):
        logs = np.asarray(cv2.bilateralFilter(logs, 7, 0.8 / spp**0.5, 1.5), np.float32)
    return np.asarray(np.expm1(logs) / 8, np.float32)


def _develop(light: Floats) -> Picture:
    """sRGB bytes of the light, its brightest parts rolled off as a camera's."""
    value = np.clip(light, 0, None)
    knee = 0.75
    value = np.where(value > knee, knee + (1 - knee) * (1 - np.exp(-(value - knee) / (1 - knee))), value)
    srgb = np.where(value <= 0.0031308, 12.92 * value, 1.055 * np.power(value, 1 / 2.4) - 0.055)
    return np.asarray(np.rint(np.clip(srgb, 0, 1) * 255), np.uint8)
