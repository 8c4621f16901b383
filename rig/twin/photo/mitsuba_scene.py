"""A scene of the twin as Mitsuba holds it: every solid that can be seen with its surface, every lamp with its size, and a dim sky.

`Studio` keeps the surfaces (their textures cost most) while pieces and hands move, and builds everything once for all cameras that look at
an instant. Solids that look alike share one surface, so that the compiled program stays the same from room to room.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import numpy.typing as npt

from rig.twin.photo.triangles import TriangleMesh, solids_of
from rig.twin.pictures.light import Lamp, light_of
from rig.twin.pictures.scene import RenderScene

Floats = npt.NDArray[np.float32]

BOUNCES = 5
SKY = 0.7
FAR_M = 40.0
"""Where daylight comes from."""
GLOW_WEIGHT = 0.1
"""How often paths ask for a thing that glows, on the scale of the root of a lamp's light: a window's picture lights a table hardly at all.

It glows evenly, since a textured light would cost a fifth of all time."""


def linear(srgb: npt.ArrayLike) -> Floats:
    """Light of an sRGB value, 0 to 1."""
    value = np.asarray(srgb, np.float32)
    return np.asarray(np.where(value <= 0.04045, value / 12.92, ((value + 0.055) / 1.055) ** 2.4), np.float32)


class Studio:
    """Mitsuba's copy of one scene. `mi` is the Mitsuba module with its variant chosen."""

    def __init__(self, mi: Any, scene: RenderScene) -> None:
        self.mi, self._scene = mi, scene
        self._surfaces: dict[tuple[int, tuple[float, float, float]], Any] = {}

    def instant(self) -> Any:
        """Mitsuba's scene of what the twin's scene shows now."""
        parts: dict[str, Any] = {"type": "scene", "integrator": {"type": "path", "max_depth": BOUNCES}}
        for k, solid in enumerate(solids_of(self._scene.model, self._scene.data)):
            parts[f"solid{k}"] = self._mesh(f"solid{k}", solid)
        parts.update(_lights(self.mi, self._scene))
        return self.mi.load_dict(parts)

    def _surface(self, solid: TriangleMesh) -> Any:
        key = (solid.material, solid.rgb)
        if key not in self._surfaces:
            self._surfaces[key] = _surface(self.mi, solid)
        return self._surfaces[key]

    def _mesh(self, name: str, solid: TriangleMesh) -> Any:
        mi = self.mi
        properties = mi.Properties()
        properties["surface"] = self._surface(solid)
        if solid.emission > 0:
            glow = {"type": "rgb", "value": [float(v) * solid.emission for v in linear(np.asarray(solid.mean_rgb))]}
            properties["glow"] = mi.load_dict({"type": "area", "radiance": glow, "sampling_weight": GLOW_WEIGHT})
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


def _surface(mi: Any, solid: TriangleMesh) -> Any:
    if solid.texture is None:
        albedo: dict[str, Any] = {"type": "rgb", "value": [float(v) for v in linear(solid.rgb)]}
    else:
        picture = linear(solid.texture.astype(np.float32) / 255 * np.asarray(solid.rgb, np.float32))
        albedo = {"type": "bitmap", "bitmap": mi.Bitmap(np.ascontiguousarray(picture)), "raw": True, "filter_type": "bilinear"}
    if solid.gloss == 0:
        return mi.load_dict({"type": "twosided", "surface": {"type": "diffuse", "reflectance": albedo}})
    # MuJoCo's shininess is OpenGL's exponent / 128; a Phong lobe of exponent n is about as wide as a microfacet one of width
    # sqrt(2 / (n + 2)) (Walter et al. 2007, section 5), and a principled surface's roughness is that width's root.
    rough = (2 / (128 * solid.shininess + 2)) ** 0.25
    return mi.load_dict({
        "type": "principled",
        "base_color": albedo,
        "roughness": min(0.9, max(0.18, rough)),
        "specular": min(0.8, 1.2 * solid.gloss),
    })  # fmt: skip


def _lights(mi: Any, scene: RenderScene) -> dict[str, Any]:
    """Each lamp as a square that shines, and a dim sky for the light from everywhere.

    OpenGL adds up sRGB values, a path tracer light: the sky gets the light of OpenGL's ambient and fill, the lamps share what is missing to
    the light of everything, so that a white card lying on the base, and one in the shadow, come out about as bright in both. What bounces
    off walls comes on top, so the sky gets only `SKY` of it. Paths ask for each as often as the root of its light: in proportion to it the
    lit parts would be smoothest, but parts in the main lamp's shadow see the weak ones alone.
    """
    lamps = scene.lamps
    ambient = np.array(scene.room.ambient) + scene.room.fill
    upright = [lamp.strength * max(0.05, -float(lamp.direction[2])) for lamp in lamps]
    dark, lit = float(linear(ambient.mean())), float(linear(min(0.95, float(ambient.mean()) + sum(upright))))
    sky = SKY * linear(ambient)
    radiance = {"type": "rgb", "value": [float(v) for v in sky]}
    out: dict[str, Any] = {"sky": {"type": "constant", "radiance": radiance, "sampling_weight": math.sqrt(float(sky.mean()))}}
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
        "emitter": {"type": "area", "radiance": {"type": "rgb", "value": colour}, "sampling_weight": math.sqrt(white)},
    }
