"""What a room has to say to the scene, and the plainest room: even light, a table, walls, a few boxes.

A *room* is everything in the picture that no profile holds: lamps, table, walls, what is in front of them, skin, how paint shines. The
scene asks it in a fixed order, so that a seed always draws the same room. `household.py` and `other_world.py` are the other rooms.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from rig.pieces import Colour
from rig.profile import BaseSize, Profile, Rgb
from rig.twin.physics.poses import Cloth
from rig.twin.pictures import arm_solids, textures
from rig.twin.pictures.geoms import box, lift, rgba
from rig.twin.pictures.light import Lamp

Place = tuple[float, float, float]


class Room(Protocol):
    """Everything but the rig and the pieces."""

    @property
    def lamps(self) -> tuple[Lamp, ...]: ...

    @property
    def ambient(self) -> tuple[float, float, float]:
        """Light from everywhere, on OpenGL's scale."""

    @property
    def fill(self) -> float:
        """Light from where the camera is, on OpenGL's scale."""

    @property
    def table_half_m(self) -> tuple[float, float]: ...

    @property
    def shadow_px(self) -> int:
        """Side of the shadow map."""

    @property
    def slices(self) -> int:
        """Into how many faces a round solid is cut; MuJoCo's own are 28."""

    @property
    def sleeves(self) -> Mapping[Colour | Cloth | None, Rgb]: ...

    def pictures(self) -> dict[str, bytes]:
        """PNG files by texture name: `grain` (of painted wood), `card` (the base's print) and the room's own."""

    def assets(self) -> list[str]:
        """Materials `card` and `table`, and the room's own materials and meshes."""

    def paint(self, name: str, rgb: Rgb) -> str:
        """A piece's material: no two are painted quite alike."""

    def hand(self, k: int) -> str: ...

    def surroundings(self) -> str:
        """Lamps, table, walls, furniture."""

    def wandering(self, step: int) -> Mapping[str, Place]:
        """Where bodies that wander (what throws shadows) are at a step."""


def jitter(rgb: Rgb, rng: np.random.Generator, spread: float = 3.0) -> Rgb:
    """No two pieces are painted quite alike."""
    red, green, blue = (int(np.clip(value + rng.normal(0, spread), 4, 250)) for value in rgb)
    return (red, green, blue)


_TABLES: tuple[Rgb, ...] = ((150, 106, 68), (178, 140, 96), (92, 74, 60), (196, 190, 180), (84, 98, 92))
_WALLS: tuple[Rgb, ...] = ((206, 200, 188), (186, 196, 204), (214, 208, 200), (170, 176, 160), (196, 180, 176))


@dataclass(frozen=True, slots=True)
class PlainLook:
    """What the seed decides about a plain room. `lamp_m` casts the shadows."""

    table: Rgb
    wall: Rgb
    floor: Rgb
    skin: Rgb
    lamp_m: Place
    lamp: float
    ambient: float

    @classmethod
    def draw(cls, rng: np.random.Generator) -> PlainLook:
        azimuth = rng.uniform(0, 2 * math.pi)
        return cls(
            table=_TABLES[rng.integers(len(_TABLES))],
            wall=_WALLS[rng.integers(len(_WALLS))],
            floor=(int(rng.integers(70, 130)), int(rng.integers(60, 110)), int(rng.integers(50, 100))),
            skin=arm_solids.SKINS[rng.integers(len(arm_solids.SKINS))],
            lamp_m=(0.7 * math.cos(azimuth), 0.7 * math.sin(azimuth), 1.9),
            lamp=float(rng.uniform(0.34, 0.44)),
            ambient=float(rng.uniform(0.40, 0.48)),
        )


class PlainRoom:
    """The room of `lab`."""

    fill = 0.22
    table_half_m = (0.72, 0.62)
    shadow_px = 1024
    slices = 28
    sleeves: Mapping[Colour | Cloth | None, Rgb] = arm_solids.SLEEVES

    def __init__(self, profile: Profile, seed: int) -> None:
        self._rng = np.random.default_rng((seed, 0x5CE4E))
        self._profile = profile
        self.look = PlainLook.draw(self._rng)
        self.ambient = (self.look.ambient,) * 3

    @property
    def lamps(self) -> tuple[Lamp, ...]:
        x, y, z = self.look.lamp_m
        return (
            Lamp((x, y, z), 6500.0, self.look.lamp, half_m=0.25, casts=True, towards_m=(0.0, 0.0, 0.2)),
            Lamp((-x, -y, 2.0), 6500.0, 0.16, half_m=0.5, gloss=0.0),
        )

    def pictures(self) -> dict[str, bytes]:
        rng, base = self._rng, self._profile.base
        return {
            "grain": textures.png(textures.wood(rng, 256, grain=0.055)),
            "boards": textures.png(textures.wood(rng, 512, grain=0.09, stretch=60)),
            "card": textures.png(textures.card(rng, base.radius_mm, base.site_radius_mm)),
            "cloth": textures.png(textures.cloth(rng)),
        }

    def assets(self) -> list[str]:
        look = self.look
        return [
            f'<material name="card" texture="card" rgba="{rgba(lift(self._profile.paint.base))}" specular="0.05"/>',
            f'<material name="table" texture="boards" texrepeat="1.5 1.5" rgba="{rgba(look.table)}" specular="0.15" shininess="0.4"/>',
            f'<material name="wall" texture="cloth" texrepeat="1 1" rgba="{rgba(look.wall)}" specular="0"/>',
            f'<material name="room" texture="boards" texrepeat="2 2" rgba="{rgba(look.floor)}" specular="0"/>',
        ]

    def paint(self, name: str, rgb: Rgb) -> str:
        colour = rgba(lift(jitter(rgb, self._rng)))
        return f'<material name="{name}" texture="grain" rgba="{colour}" specular="0.12" shininess="0.35"/>'

    def hand(self, k: int) -> str:
        return arm_solids.hand_body(k, self.look.skin)

    def surroundings(self) -> str:
        return f"{self._lights()}{self._furniture()}{_table(self._profile.base)}"

    def wandering(self, step: int) -> Mapping[str, Place]:  # noqa: ARG002 - the protocol's
        return {}

    def _lights(self) -> str:
        x, y, z = self.look.lamp_m
        key, fill = self.look.lamp, 0.16
        return (
            f'<light pos="{x} {y} {z}" dir="{-x} {-y} {0.2 - z}" directional="true"'
            f' diffuse="{key} {key} {key * 0.97}" specular=".25 .25 .25" ambient="0 0 0" castshadow="true"/>'
            f'<light pos="{-x} {-y} 2" dir="{x} {y} -2" directional="true" diffuse="{fill} {fill} {fill}" specular="0 0 0"'
            ' castshadow="false"/>'
        )

    def _furniture(self) -> str:
        """Floor, four walls and a few pieces of furniture: what is behind the table in the picture."""
        rng = self._rng
        parts = [box((0, 0, -0.80), (3.2, 3.2, 0.02), 'material="room"')]
        for x, y in ((3.0, 0.0), (-3.0, 0.0), (0.0, 3.0), (0.0, -3.0)):
            half = (0.02, 3.0, 1.6) if x else (3.0, 0.02, 1.6)
            parts.append(box((x, y, 0.8), half, 'material="wall"'))
        for _ in range(9):
            azimuth, distance = rng.uniform(0, 2 * math.pi), rng.uniform(1.9, 2.7)
            size = rng.uniform((0.12, 0.12, 0.2), (0.5, 0.4, 0.9))
            colour = " ".join(f"{v:.3f}" for v in rng.uniform(0.15, 0.75, 3))
            centre = (distance * math.cos(azimuth), distance * math.sin(azimuth), -0.78 + size[2])
            parts.append(box(centre, size.tolist(), f'rgba="{colour} 1"'))
        return "".join(parts)


def _table(base: BaseSize) -> str:
    return box((0, 0, base.table_z_mm / 1e3 - 0.015), (*PlainRoom.table_half_m, 0.015), 'material="table"')
