"""Lamps: what colour light of a temperature has, where a room's lamps hang, and how OpenGL is told.

Light of a lamp is a colour that a camera with a daylight white balance would see; the cameras of the twin balance it away only in part
(`developing.py`), so lamps of two temperatures leave two tints in one picture, as they do at home. For OpenGL all lamps are far away
(parallel light, hard shadows); the photorealistic renderer gives each the size it has.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

Point3 = tuple[float, float, float]

_PRIMARIES_UM = (0.611, 0.549, 0.465)
"""Dominant wavelengths of sRGB's red, green and blue."""
_C2_UM_K = 14388.0
"""Planck's second radiation constant."""


def light_of(kelvin: float) -> Point3:
    """Linear red, green, blue of a black body of this temperature against daylight of 6500 K, green 1 (Planck's law at the primaries)."""
    ratios = [
        math.expm1(_C2_UM_K / (wave * 6500.0)) / math.expm1(_C2_UM_K / (wave * kelvin)) for wave in _PRIMARIES_UM
    ]  # the wavelength's own power cancels
    return (ratios[0] / ratios[1], 1.0, ratios[2] / ratios[1])


def shade_of(kelvin: float) -> Point3:
    """The same for a renderer that works on sRGB values as if they were light: the 2.2th root, brightness kept."""
    red, green, blue = (value ** (1 / 2.2) for value in light_of(kelvin))
    mean = 0.3 * red + 0.6 * green + 0.1 * blue
    return (red / mean, green / mean, blue / mean)


@dataclass(frozen=True, slots=True)
class Lamp:
    """`at_m`: where it is; it shines at `towards_m`. `strength`: what a white card square to it adds to sRGB brightness (0 to 1).

    `half_m`: half the side of the square that shines, for soft shadows. `casts`: whether OpenGL draws its shadows.
    """

    at_m: Point3
    kelvin: float
    strength: float
    half_m: float = 0.1
    casts: bool = False
    towards_m: Point3 = (0.0, 0.0, 0.0)
    gloss: float = 0.25
    """Strength of its mirror image on glossy paint."""
    far: bool = False
    """Daylight: its light comes from outside, parallel for any renderer; `at_m` only says from where."""

    @property
    def direction(self) -> np.ndarray:
        """Where its light goes, a unit vector."""
        way = np.array(self.towards_m) - np.array(self.at_m)
        return np.asarray(way / float(np.linalg.norm(way)))

    def xml(self) -> str:
        """MuJoCo's light element."""
        colour = " ".join(f"{self.strength * part:.4f}" for part in shade_of(self.kelvin))
        gloss = " ".join(f"{self.gloss * part:.4f}" for part in shade_of(self.kelvin)) if self.gloss else "0 0 0"
        place, way = (" ".join(f"{v:.5f}" for v in values) for values in (self.at_m, self.direction))
        return (
            f'<light pos="{place}" dir="{way}" directional="true" diffuse="{colour}" specular="{gloss}" ambient="0 0 0"'
            f' castshadow="{"true" if self.casts else "false"}"/>'
        )


def somewhere(rng: np.random.Generator, distance_m: tuple[float, float], height_m: tuple[float, float]) -> Point3:
    """A place round the tower."""
    azimuth, distance = rng.uniform(0, 2 * math.pi), rng.uniform(*distance_m)
    return (float(distance * math.cos(azimuth)), float(distance * math.sin(azimuth)), float(rng.uniform(*height_m)))
