"""Photorealistic pictures of chosen instants: the same scene by path tracing, with soft shadows, gloss and light that bounces.

What is drawn is not described a second time: every solid, texture and colour is read out of the scene that OpenGL draws, lamps from its
room, and the same true lens bends the picture, so the two renderers differ in light and nothing else. Mitsuba 3 does the work
(`pip install villa-paletti-rig[photo]`): its LLVM variant where a usable LLVM is (16 or newer; older ones end the process), else the scalar
one, some three times slower. Evaluation only: a picture takes seconds.
"""

from __future__ import annotations

import ctypes.util
import importlib
import math
import os
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import numpy.typing as npt

from rig.errors import PalettiError
from rig.messages import CameraPose
from rig.profile import CameraModel, Profile
from rig.twin.lenses import Bend
from rig.twin.level_pictures import LAB, PictureLevel
from rig.twin.light import Lamp, light_of
from rig.twin.photo_solids import Solid, solids_of
from rig.twin.poses import HandPose, Poses
from rig.twin.scene import Scene, WorldName

Picture = npt.NDArray[np.uint8]
Floats = npt.NDArray[np.float32]

OLDEST_LLVM = 16
BOUNCES = 5
SKY = 0.7
FAR_M = 40.0
"""Where daylight comes from."""


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
    """The Mitsuba module with a variant that works here; PalettiError, naming the package, if it is not installed."""
    library = _llvm()
    if library is not None:
        os.environ["DRJIT_LIBLLVM_PATH"] = library
    try:
        mi = importlib.import_module("mitsuba")
    except ImportError as error:
        raise PalettiError(
            f"Photorealistic pictures need Mitsuba: {error}.", "Install it with `pip install villa-paletti-rig[photo]`."
        ) from error
    if mi.variant() is None:
        mi.set_variant("llvm_ad_rgb" if library is not None else "scalar_rgb")
    return mi


def photograph(
    profile: Profile,
    poses: Poses,
    hands: Sequence[HandPose],
    pose: CameraPose,
    lens: CameraModel,
    seed: int,
    level: PictureLevel = LAB,
    world: WorldName = "A",
    spp: int = 32,
    t_s: float = 0.0,
) -> Picture:
    """One picture (BGR, height x width x 3, no sensor noise) of this instant by the camera at `pose` through `lens`.

    `seed`, `level`, `world` and `t_s` choose the room as they do for `Scene`; `spp` is light paths a pixel (16 coarse, 64 fine). What noise
    the paths leave is smoothed away. Developing (`developing.py`) is left to the caller, as after `Eye.see`. PalettiError without Mitsuba.
    """
    scene = Scene(profile, seed, level, world)
    scene.place(poses, hands, t_s)
    return photograph_scene(scene, pose, lens, spp)


def photograph_scene(scene: Scene, pose: CameraPose, lens: CameraModel, spp: int = 32) -> Picture:
    """The same for a scene that has been built and placed already."""
    mi = open_mitsuba()
    bend = Bend.of(lens)
    parts: dict[str, Any] = {"type": "scene", "integrator": {"type": "path", "max_depth": BOUNCES}}
    for k, solid in enumerate(solids_of(scene.model, scene.data)):
        parts[f"solid{k}"] = _shape(mi, f"solid{k}", solid)
    parts.update(_lights(mi, scene))
    traced = mi.load_dict(parts)
    sensor = mi.load_dict(_camera(mi, pose, bend, spp))
    light = np.array(mi.render(traced, sensor=sensor, spp=spp, seed=1), np.float32)[..., ::-1]
    return _develop(bend.apply_to_light(_smooth(np.ascontiguousarray(light), spp)))


# ---------------------------------------------------------------- to Mitsuba


def linear(srgb: npt.ArrayLike) -> Floats:
    """Light of an sRGB value, 0 to 1."""
    value = np.asarray(srgb, np.float32)
    return np.asarray(np.where(value <= 0.04045, value / 12.92, ((value + 0.055) / 1.055) ** 2.4), np.float32)


def _shape(mi: Any, name: str, solid: Solid) -> Any:
    if solid.texture is None:
        albedo: dict[str, Any] = {"type": "rgb", "value": [float(v) for v in linear(solid.rgb)]}
    else:
        picture = linear(solid.texture.astype(np.float32) / 255 * np.asarray(solid.rgb, np.float32))
        albedo = {"type": "bitmap", "bitmap": mi.Bitmap(np.ascontiguousarray(picture)), "raw": True, "filter_type": "bilinear"}
    surface: dict[str, Any] = {"type": "diffuse", "reflectance": albedo}
    if solid.gloss > 0:
        # MuJoCo's shininess is OpenGL's exponent / 128; a Phong lobe of exponent n is about as wide as a microfacet one of width
        # sqrt(2 / (n + 2)) (Walter et al. 2007, section 5), and a principled surface's roughness is that width's root.
        rough = (2 / (128 * solid.shininess + 2)) ** 0.25
        surface = {
            "type": "principled",
            "base_color": albedo,
            "roughness": min(0.9, max(0.18, rough)),
            "specular": min(0.8, 1.2 * solid.gloss),
        }
    properties = mi.Properties()
    properties["surface"] = mi.load_dict({"type": "twosided", "surface": surface} if solid.gloss == 0 else surface)
    if solid.emission > 0:
        glow = [float(v) for v in linear(np.asarray(solid.mean_rgb)) * solid.emission]
        properties["glow"] = mi.load_dict({"type": "area", "radiance": {"type": "rgb", "value": glow}})
    mesh = mi.Mesh(
        name,
        len(solid.vertices_m),
        len(solid.faces),
        has_vertex_normals=solid.normals is not None,
        has_vertex_texcoords=True,
        props=properties,
    )
    values = mi.traverse(mesh)
    values["vertex_positions"] = solid.vertices_m.astype(np.float32).ravel()
    values["faces"] = solid.faces.astype(np.uint32).ravel()
    values["vertex_texcoords"] = solid.texture_at.astype(np.float32).ravel()
    if solid.normals is not None:
        values["vertex_normals"] = solid.normals.astype(np.float32).ravel()
    values.update()
    return mesh


def _lights(mi: Any, scene: Scene) -> dict[str, Any]:
    """Each lamp as a square that shines, and a dim sky for the light from everywhere.

    OpenGL adds up sRGB values, a path tracer light: the sky gets the light of OpenGL's ambient and fill, the lamps share what is missing to
    the light of everything, so that a white card lying on the base, and one in the shadow, come out about as bright in both. What bounces
    off walls comes on top, so the sky gets only `SKY` of it.
    """
    lamps = scene.lamps
    ambient = np.array(scene.room.ambient) + scene.room.fill
    upright = [lamp.strength * max(0.05, -float(lamp.direction[2])) for lamp in lamps]
    dark, lit = float(linear(ambient.mean())), float(linear(min(0.95, float(ambient.mean()) + sum(upright))))
    sky = SKY * linear(ambient)
    out: dict[str, Any] = {"sky": {"type": "constant", "radiance": {"type": "rgb", "value": [float(v) for v in sky]}}}
    for k, lamp in enumerate(lamps):
        out[f"lamp{k}"] = _lamp(mi, lamp, (lit - dark) * lamp.strength / sum(upright))
    return out


def _lamp(mi: Any, lamp: Lamp, white: float) -> dict[str, Any]:
    """`white`: the light that a white card square to the lamp at its target sends back. A white diffuse card returns irradiance / pi, and a
    square of side 2h at distance d gives radiance * (2h)^2 / d^2 of irradiance."""
    at, towards = np.array(lamp.at_m), np.array(lamp.towards_m)
    distance = float(np.linalg.norm(towards - at))
    half = lamp.half_m
    if lamp.far:
        at, half, distance = towards + (at - towards) * (FAR_M / distance), half * FAR_M / distance, FAR_M
    radiance = white * math.pi * distance**2 / (2 * half) ** 2
    red, green, blue = light_of(lamp.kelvin)
    level = 0.2126 * red + 0.7152 * green + 0.0722 * blue
    colour = [radiance * part / level for part in (red, green, blue)]
    place = mi.ScalarTransform4f().look_at(origin=at.tolist(), target=towards.tolist(), up=[0.1, 0.3, 1.0])
    return {
        "type": "rectangle",
        "to_world": place.scale([half, half, 1.0]),
        "emitter": {"type": "area", "radiance": {"type": "rgb", "value": colour}},
    }


def _camera(mi: Any, pose: CameraPose, bend: Bend, spp: int) -> dict[str, Any]:
    rotation = np.asarray(cv2.Rodrigues(np.array(pose.rvec))[0])
    matrix = np.eye(4)
    # Mitsuba's cameras look along +z with x to the left and y up.
    matrix[:3, :3] = rotation.T @ np.diag([-1.0, -1.0, 1.0])
    matrix[:3, 3] = -rotation.T @ np.array(pose.tvec_mm) / 1e3
    return {
        "type": "perspective",
        "fov": 2 * math.degrees(math.atan(bend.height_px / 2 / bend.focal_px)),
        "fov_axis": "y",
        "near_clip": 0.05,
        "far_clip": 20.0,
        "to_world": mi.ScalarTransform4f(matrix),
        "film": {
            "type": "hdrfilm", "width": bend.width_px, "height": bend.height_px, "pixel_format": "rgb",
            "rfilter": {"type": "gaussian", "stddev": 0.45},
        },
        "sampler": {"type": "independent", "sample_count": spp},
    }  # fmt: skip


# ---------------------------------------------------------------- from light to a picture


def _smooth(light: Floats, spp: int) -> Floats:
    """Takes the paths' noise out of flat parts, in logarithms so that bright specks do not spread; edges stay."""
    if spp >= 256:
        return light
    logs = np.log1p(8 * light).astype(np.float32)
    for _ in range(2):
        logs = np.asarray(cv2.bilateralFilter(logs, 7, 0.8 / math.sqrt(spp), 1.5), np.float32)
    return np.asarray(np.expm1(logs) / 8, np.float32)


def _develop(light: Floats) -> Picture:
    """sRGB bytes of the light, its brightest parts rolled off as a camera's."""
    value = np.clip(light, 0, None)
    knee = 0.75
    value = np.where(value > knee, knee + (1 - knee) * (1 - np.exp(-(value - knee) / (1 - knee))), value)
    srgb = np.where(value <= 0.0031308, 12.92 * value, 1.055 * np.power(value, 1 / 2.4) - 0.055)
    return np.asarray(np.rint(np.clip(srgb, 0, 1) * 255), np.uint8)
