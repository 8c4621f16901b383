"""A living room round the table, world A's: lamps of all tints, daylight, shadows that wander, glossy paint, cloths, and people.

Everything is drawn from the seed alone. The main lamp casts shadows; where there is daylight (or `rough`'s direct sun) it falls through a
window's frame that hangs out of every camera's sight, so a patch of it lies across table and tower; somebody beyond the lamp throws a soft
shadow's place on the table. Both wander slowly, in steps. What things look like is `photographs.py`, where furniture stands `furniture.py`.
"""

from __future__ import annotations

import math
from collections.abc import Mapping

import cv2
import numpy as np

from rig.pieces import Colour
from rig.profile import Profile, Rgb
from rig.twin.physics.poses import Cloth
from rig.twin.pictures import arm_solids, furniture, meshes, textures
from rig.twin.pictures.geoms import body, box, capsule, lift, mesh, rgba
from rig.twin.pictures.level_pictures import PictureLevel
from rig.twin.pictures.light import Lamp, Point3, somewhere
from rig.twin.pictures.rooms import jitter
from rig.twin.pictures.wall_pictures import any_colour, planks, tablecloth

Place = tuple[float, float, float]

LAMP_KELVIN = (2700.0, 2700.0, 3000.0, 4000.0, 5000.0, 6500.0)
DAYLIGHT_KELVIN = 6500.0
SUN_KELVIN = 5500.0
DAYLIGHT_SHARE = 0.55
"""Of rooms with a patch of daylight at `home`."""
WINDOW_M = 2.2
"""From the table to the frame that the daylight falls through: beyond every camera's upper edge for light from 48 degrees up."""
SHADE_M = 1.25


class HouseholdRoom:
    """The rooms of `home` and `rough`."""

    fill = 0.07
    shadow_px = 512
    slices = 20

    def __init__(self, profile: Profile, seed: int, level: PictureLevel) -> None:
        rng = self._rng = np.random.default_rng((seed, 0x40DE))
        self._profile = profile
        self._skin = arm_solids.SKINS[rng.integers(len(arm_solids.SKINS))]
        self.sleeves: Mapping[Colour | Cloth | None, Rgb] = {
            key: jitter(colour, rng, 3.0 if key is None else 11.0) for key, colour in arm_solids.SLEEVES.items()
        }
        self._gloss = float(rng.uniform(0.05, 0.55))
        self._shine = float(rng.uniform(0.3, 0.8))
        self._cloth = rng.random() < 0.35
        self._round = rng.random() < 0.25
        self.table_half_m = (float(rng.uniform(0.52, 0.85)), float(rng.uniform(0.48, 0.65)))
        if self._round:
            self.table_half_m = (self.table_half_m[0] * 0.9,) * 2
        self._daylight = level.sun or rng.random() < DAYLIGHT_SHARE
        self.lamps, self.ambient = self._light(level)
        self._drift = rng.uniform(0, 2 * math.pi, 4)

    # ------------------------------------------------------------ light

    def _light(self, level: PictureLevel) -> tuple[tuple[Lamp, ...], tuple[float, float, float]]:
        """The first lamp is the one whose shadows are drawn; daylight or sun, where there is any, is the second."""
        rng = self._rng
        main = float(rng.choice(LAMP_KELVIN))
        lamps = [
            Lamp(
                somewhere(rng, (0.2, 1.1), (1.5, 2.0)),
                main,
                float(rng.uniform(0.30, 0.46)),
                half_m=float(rng.uniform(0.04, 0.16)),
                casts=True,
            )
        ]
        if self._daylight:
            strength = float(rng.uniform(0.45, 0.65) if level.sun else rng.uniform(0.16, 0.34))
            way, height = float(rng.uniform(0, 2 * math.pi)), math.radians(float(rng.uniform(48, 62)))
            target: Point3 = (float(rng.normal(0, 0.16)), float(rng.normal(0, 0.16)), 0.05)
            at = tuple(
                t + 2.7 * part
                for t, part in zip(
                    target, (math.cos(height) * math.cos(way), math.cos(height) * math.sin(way), math.sin(height)), strict=True
                )
            )
            kelvin = SUN_KELVIN if level.sun else DAYLIGHT_KELVIN
            half = 0.02 if level.sun else 0.12
            lamps.append(Lamp((at[0], at[1], at[2]), kelvin, strength, half_m=half, casts=True, towards_m=target, gloss=strength, far=True))
        for _ in range(int(rng.integers(0, 3))):
            near = main if rng.random() < 0.5 else float(rng.choice(LAMP_KELVIN))
            lamps.append(Lamp(somewhere(rng, (1.0, 2.2), (0.9, 1.9)), near, float(rng.uniform(0.06, 0.16)), half_m=0.12, gloss=0.12))
        level_of_all = float(rng.uniform(0.30, 0.42))
        tint = float(rng.uniform(-0.05, 0.07))  # light off walls and curtains is a little warmer or colder
        return tuple(lamps), (level_of_all * (1 + tint), level_of_all, level_of_all * (1 - tint))

    def wandering(self, step: int) -> Mapping[str, Place]:
        """Somebody's head sways in the lamp's light, and a curtain's edge moves in the daylight."""
        a, b, c, d = (math.sin(step / period + phase) for period, phase in zip((3.1, 5.3, 4.3, 9.1), self._drift, strict=True))
        lamp = self.lamps[0]
        reach = 0.42 + 0.05 * a
        side = float(self._drift[0]) + 0.12 * b
        spot = np.array([reach * math.cos(side), reach * math.sin(side), -0.05])
        back = -lamp.direction
        shade = spot + back * (SHADE_M / float(back[2]))
        places = {"shade": (float(shade[0]), float(shade[1]), float(shade[2]))}
        if self._daylight:
            window = self._window_at() + 0.03 * c * self._window_across() + 0.012 * d * np.array([0.0, 0.0, 1.0])
            places["window"] = (float(window[0]), float(window[1]), float(window[2]))
        return places

    def _window_at(self) -> np.ndarray:
        sun = self.lamps[1]
        return np.array(sun.towards_m) - WINDOW_M * sun.direction

    def _window_across(self) -> np.ndarray:
        across = np.cross(self.lamps[1].direction, (0.0, 0.0, 1.0))
        return np.asarray(across / float(np.linalg.norm(across)))

    # ------------------------------------------------------------ what things are made of

    def pictures(self) -> dict[str, bytes]:
        rng, base = self._rng, self._profile.base
        board = tablecloth(rng) if self._cloth else self._board()
        pictures = {
            "grain": textures.png(textures.wood(rng, 256, grain=float(rng.uniform(0.05, 0.13)), stretch=float(rng.uniform(18, 45)))),
            "card": textures.png(textures.card(rng, base.radius_mm, base.site_radius_mm)),
            "tabletop": _rgb_png(board),
        }
        self._furniture = furniture.draw(rng, self._skin)
        return pictures | {name: _rgb_png(picture) for name, picture in self._furniture.pictures.items()}

    def _board(self) -> np.ndarray:
        """Wood mostly; else a lacquered or a stone top."""
        rng = self._rng
        if rng.random() < 0.7:
            return planks(rng, boards=int(rng.integers(1, 8)))
        plain = np.tile(any_colour(rng, (0.0, 0.3), (0.12, 0.95)), (256, 256, 1))
        mottle = textures.cloth(rng)[..., :1].astype(np.float32) / 226
        return np.asarray(np.clip(plain * mottle ** float(rng.uniform(0.3, 2.0)), 0, 255), np.uint8)

    def assets(self) -> list[str]:
        rng, base = self._rng, self._profile.base
        shine = 0.0 if self._cloth else float(rng.uniform(0.1, 0.5))
        half_x, half_y = self.table_half_m
        if self._round:
            outline = [(1e3 * half_x * math.cos(a), 1e3 * half_x * math.sin(a)) for a in np.linspace(0, 2 * math.pi, 60, endpoint=False)]
        else:
            outline = [(1e3 * x * half_x, 1e3 * y * half_y) for x, y in ((-1, -1), (1, -1), (1, 1), (-1, 1))]
        thick = 160.0 if self._cloth else float(rng.uniform(18, 40))
        self._top_m = base.table_z_mm / 1e3 - thick / 2e3
        return [
            f'<material name="card" texture="card" rgba="{rgba(lift(self._profile.paint.base))}" specular="0.08"/>',
            f'<material name="table" texture="tabletop" specular="{shine:.3f}" shininess="0.5"/>',
            meshes.prism(outline, thick, round_side=self._round, texture_mm=float(rng.uniform(500, 900))).xml("tabletop"),
            *self._furniture.assets,
        ]

    def paint(self, name: str, rgb: Rgb) -> str:
        colour = rgba(lift(jitter(rgb, self._rng, 4.0)))
        return f'<material name="{name}" texture="grain" rgba="{colour}" specular="{self._gloss:.3f}" shininess="{self._shine:.3f}"/>'

    def hand(self, k: int) -> str:
        return arm_solids.hand_body(k, self._skin)

    def surroundings(self) -> str:
        parts = [lamp.xml() for lamp in self.lamps]
        parts.append(self._furniture.geoms)
        turn = 0.0 if not self._round else float(self._rng.uniform(0, 360))
        parts.append(mesh("tabletop", 'material="table"', (0.0, 0.0, self._top_m), turn))
        parts.append(furniture.clutter(self._rng, self._profile.base, self.table_half_m))
        parts.append(body("shade", capsule((0.0, 0.0, 0.0), (0.05, 0.03, 0.14), 0.075, 'rgba="0.3 0.25 0.2 1"')))
        if self._daylight:
            parts.append(self._window_frame())
        return "".join(parts)

    def _window_frame(self) -> str:
        """A board with a window in it, square to the light: four boards round a hole, a crossbar through it."""
        rng = self._rng
        across, up = self._window_across(), np.cross(self._window_across(), self.lamps[1].direction)
        width, height, reach = float(rng.uniform(0.12, 0.30)), float(rng.uniform(0.10, 0.22)), 0.5
        dull = 'rgba="0.5 0.5 0.5 1"'
        rest_x, rest_y = (reach - width) / 2, (reach - height) / 2
        boards = [
            box((width + rest_x, 0, 0), (rest_x, reach, 0.01), dull),
            box((-width - rest_x, 0, 0), (rest_x, reach, 0.01), dull),
            box((0, height + rest_y, 0), (width, rest_y, 0.01), dull),
            box((0, -height - rest_y, 0), (width, rest_y, 0.01), dull),
            box((float(rng.uniform(-0.3, 0.3)) * width, 0, 0), (0.012, height, 0.01), dull),
        ]
        facing = np.stack([across, up, np.cross(across, up)], axis=1)
        turned = f'<frame xyaxes="{" ".join(f"{v:.5f}" for v in (*facing[:, 0], *facing[:, 1]))}">{"".join(boards)}</frame>'
        return body("window", turned)


def _rgb_png(picture: np.ndarray) -> bytes:
    return textures.png(np.asarray(cv2.cvtColor(np.asarray(picture, np.uint8), cv2.COLOR_RGB2BGR), np.uint8))
