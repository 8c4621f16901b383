"""World B: another table in another room, under other lamps, with other hands, other paint and another print on the base.

Nothing in the project is tuned on it; results in it are reported beside world A's, to show how much of them is the twin's own handwriting.
So it shares as little as can be with the rooms of world A: a hall with a panorama round it instead of walls with furniture, brushed paint
instead of grain, a hand with stretched fingers in a cuff, lamps in a row under the ceiling. Its cameras' own faults are in `developing.py`.
"""

from __future__ import annotations

import math
from collections.abc import Mapping

import cv2
import numpy as np
import numpy.typing as npt

from rig.pieces import Colour
from rig.profile import Profile, Rgb
from rig.twin.physics.poses import Cloth
from rig.twin.pictures import meshes, textures
from rig.twin.pictures.geoms import body, box, capsule, cylinder, ellipsoid, mesh, rgba
from rig.twin.pictures.level_pictures import PictureLevel
from rig.twin.pictures.light import Lamp

Place = tuple[float, float, float]
Picture = npt.NDArray[np.uint8]

_SKINS: tuple[Rgb, ...] = ((198, 150, 118), (148, 98, 70), (240, 202, 182), (92, 60, 44), (222, 178, 140))
_SLEEVES: dict[Colour | Cloth | None, Rgb] = {
    Colour.RED: (186, 62, 74), Colour.BLUE: (62, 92, 170), Colour.YELLOW: (196, 168, 84), Colour.GREEN: (70, 122, 76),
    Cloth.WHITE: (206, 208, 212), Cloth.GREY: (96, 100, 96), Cloth.BLACK: (44, 42, 40), None: (138, 128, 116),
}  # fmt: skip
_TOPS: tuple[Rgb, ...] = ((58, 60, 66), (214, 206, 190), (120, 70, 44), (52, 84, 74), (168, 168, 172))
HALL_M = 2.9
FLOOR_M = -0.78


class OtherRoom:
    """A hall."""

    shadow_px = 1024
    slices = 20
    sleeves: Mapping[Colour | Cloth | None, Rgb] = _SLEEVES

    def __init__(self, profile: Profile, seed: int, level: PictureLevel) -> None:
        rng = self._rng = np.random.default_rng((seed, 0xB0B))
        self._profile, self._household = profile, level.household
        self._skin = _SKINS[rng.integers(len(_SKINS))]
        self._top = _TOPS[rng.integers(len(_TOPS))]
        self._corners = int(rng.choice((6, 8, 48)))
        reach = float(rng.uniform(0.62, 0.80))
        self.table_half_m = (reach * 0.85, reach * 0.85)
        self._reach_m = reach
        self.fill = 0.04 if level.household else 0.18
        self.lamps = self._row_of_lamps(level)
        share = float(rng.uniform(0.30, 0.40)) if level.household else 0.44
        cold = float(rng.uniform(-0.06, 0.06)) if level.household else 0.0
        self.ambient = (share * (1 - cold), share, share * (1 + cold))
        self._phase = float(rng.uniform(0, 2 * math.pi))

    def _row_of_lamps(self, level: PictureLevel) -> tuple[Lamp, ...]:
        """A row under the ceiling, the nearest of which casts the shadows; `rough` has a skylight's sun as well."""
        rng = self._rng
        if not level.household:
            return (Lamp((-0.5, 0.6, 2.1), 5000.0, 0.36, half_m=0.3, casts=True), Lamp((0.9, -0.6, 1.8), 5000.0, 0.14, gloss=0.0))
        kelvin = float(rng.choice((3200.0, 3800.0, 4500.0, 5600.0)))
        way, step = float(rng.uniform(0, math.pi)), float(rng.uniform(0.7, 1.1))
        offset = float(rng.uniform(-0.5, 0.5))
        lamps = []
        for k, strength in ((0, rng.uniform(0.26, 0.38)), (1, rng.uniform(0.08, 0.16)), (-1, rng.uniform(0.04, 0.12))):
            x, y = (offset + k * step) * math.cos(way), (offset + k * step) * math.sin(way)
            height = 1.85 + 0.1 * abs(k)
            own = kelvin + float(rng.normal(0, 250))
            lamps.append(Lamp((x, y, height), own, float(strength), half_m=0.3, casts=k == 0, gloss=0.3))
        if level.sun:
            side = float(rng.uniform(0, 2 * math.pi))
            at = (1.3 * math.cos(side), 1.3 * math.sin(side), 1.9)
            lamps.append(Lamp(at, 5800.0, float(rng.uniform(0.4, 0.6)), half_m=0.02, casts=True, gloss=0.5, far=True))
        return tuple(lamps)

    def wandering(self, step: int) -> Mapping[str, Place]:
        """A lamp that swings a little under the ceiling throws its shade's edge about."""
        if not self._household:
            return {}
        lamp = self.lamps[0]
        swing = 0.04 * math.sin(step / 2.7 + self._phase)
        spot = np.array([0.38 * math.cos(self._phase), 0.38 * math.sin(self._phase) + swing, -0.05])
        back = -lamp.direction
        at = spot + back * (1.3 / float(back[2]))
        return {"mobile": (float(at[0]), float(at[1]), float(at[2]))}

    def pictures(self) -> dict[str, bytes]:
        """The textures' PNG files by name."""
        rng, base = self._rng, self._profile.base
        return {
            "grain": _png(brushed(rng)),
            "card": _png(plan(rng, base.site_radius_mm / base.radius_mm)),
            "stone": _png(terrazzo(rng, self._top)),
            "panorama": _png(panorama(rng)),
            "tiles": _png(tiles(rng)),
        }

    def assets(self) -> list[str]:
        """MJCF of materials and meshes."""
        corners = np.linspace(0, 2 * math.pi, self._corners, endpoint=False)
        outline = [(1e3 * self._reach_m * math.cos(a), 1e3 * self._reach_m * math.sin(a)) for a in corners]
        red, green, blue = (min(255, round(value * 1.04)) for value in self._profile.paint.base)
        return [
            f'<material name="card" texture="card" rgba="{rgba((red, green, blue))}" specular="0.2" shininess="0.6"/>',
            '<material name="table" texture="stone" specular="0.4" shininess="0.8"/>',
            '<material name="panorama" texture="panorama" specular="0"/>',
            '<material name="tiles" texture="tiles" specular="0.1"/>',
            meshes.prism(outline, 24, round_side=self._corners > 8, texture_mm=620).xml("tabletop"),
            meshes.prism([(-3200, -3200), (3200, -3200), (3200, 3200), (-3200, 3200)], 40, texture_mm=1100).xml("floor"),
            _wall_all_round().xml("hall", shell=True),
        ]

    def paint(self, name: str, rgb: Rgb) -> str:
        """MJCF of the material `name` in about this colour."""
        rng = self._rng
        tone = float(rng.normal(1.0, 0.025))
        shift = rng.normal(0, 2.0, 3)
        red, green, blue = (int(np.clip(value * tone * 1.03 + step, 4, 250)) for value, step in zip(rgb, shift, strict=True))
        return f'<material name="{name}" texture="grain" rgba="{rgba((red, green, blue))}" specular="0.4" shininess="0.75"/>'

    def hand(self, k: int) -> str:
        """A slim hand that takes things between stretched fingers and a thumb below, a watch, a cuff, a sleeve that widens."""
        own = f'rgba="{rgba(self._skin)}"'
        parts = []
        for side, reach in ((-0.024, 0.012), (-0.008, 0.0), (0.008, 0.003), (0.024, 0.016)):
            parts.append(capsule((reach, side * 0.8, 0.004), (0.075, side * 1.15, 0.016), 0.0072, own))
        parts.append(capsule((0.004, 0.002, -0.017), (0.05, -0.020, -0.022), 0.0095, own))
        parts.append(capsule((0.05, -0.020, -0.022), (0.095, -0.020, -0.004), 0.0125, own))
        parts.append(box((0.105, 0.0, 0.014), (0.036, 0.034, 0.0115), own))
        parts.append(ellipsoid((0.142, 0.0, 0.012), (0.034, 0.032, 0.018), own))
        parts.append(capsule((0.15, 0.0, 0.012), (0.24, 0.0, 0.012), 0.0215, own))
        if k % 2 == 0:
            parts.append(cylinder((0.178, 0.0, 0.012), (0.196, 0.0, 0.012), 0.0245, 'rgba="0.12 0.12 0.13 1"'))
        parts.append(cylinder((0.226, 0.0, 0.012), (0.262, 0.0, 0.012), 0.036, 'rgba="0.86 0.86 0.86 1"'))
        parts.append(
            f'<geom name="sleeve{k}" type="cylinder" fromto="0.25 0 0.012 0.80 0 0.012" size="0.047" rgba="0.5 0.5 0.5 1"'
            ' contype="0" conaffinity="0" mass="0.01"/>'
        )
        return body(f"hand{k}", "".join(parts))

    def surroundings(self) -> str:
        """MJCF of lamps, table and what stands round it."""
        rng = self._rng
        top = self._profile.base.table_z_mm / 1e3
        parts = [lamp.xml() for lamp in self.lamps]
        parts.append(mesh("floor", 'material="tiles"', (0, 0, FLOOR_M - 0.02)))
        parts.append(mesh("hall", 'material="panorama"', (0, 0, 0.6)))
        parts.append(mesh("tabletop", 'material="table"', (0, 0, top - 0.012), float(rng.uniform(0, 60))))
        parts.append(cylinder((0, 0, FLOOR_M), (0, 0, top - 0.03), 0.06, 'rgba="0.2 0.2 0.22 1"'))
        for k in range(int(rng.integers(0, 4))):
            a = self._phase + 1.9 * k
            x, y = 0.92 * self._reach_m * math.cos(a), 0.92 * self._reach_m * math.sin(a)
            tint = " ".join(f"{v:.3f}" for v in rng.uniform(0.1, 0.9, 3))
            if max(abs(x), abs(y)) > self._profile.base.apron_outer_mm / 1e3 + 0.12:
                parts.append(box((x, y, top + 0.012), (0.05, 0.035, 0.012), f'rgba="{tint} 1"'))
        if self._household:
            parts.append(body("mobile", ellipsoid((0, 0, 0), (0.07, 0.05, 0.03), 'rgba="0.4 0.4 0.4 1"')))
        return "".join(parts)


def _wall_all_round() -> meshes.Mesh:
    """A cylinder seen from within, its picture once round, upright."""
    count, half = 48, 1.5
    points, texture, faces = [], [], []
    for k in range(count + 1):
        a = 2 * math.pi * k / count
        x, y = HALL_M * math.cos(a), HALL_M * math.sin(a)
        points += [(x, y, -half), (x, y, half)]
        texture += [(1 - k / count, 1.0), (1 - k / count, 0.0)]
    for k in range(count):
        a = 2 * k
        faces += [(a, a + 3, a + 2), (a, a + 1, a + 3)]
    return meshes.Mesh(np.array(points), np.array(texture), np.array(faces))


# ---------------------------------------------------------------- surfaces


def _png(picture: Picture) -> bytes:
    return textures.png(np.asarray(picture[..., ::-1], np.uint8))


def brushed(rng: np.random.Generator, size_px: int = 256) -> Picture:
    """Paint laid on with a brush: strokes of their own tone, all lengths, slightly crossing. Mean near 240."""
    level = np.full((size_px, size_px), 240.0, np.float32)
    for _ in range(260):
        x, y, length = int(rng.integers(size_px)), int(rng.integers(size_px)), float(rng.uniform(20, 90))
        slope = float(rng.normal(0, 0.12))
        end = (round(x + length * slope), round(y + length))
        cv2.line(level, (x, y), end, float(240 + rng.normal(0, 7)), int(rng.integers(2, 7)), cv2.LINE_AA)
    return np.repeat(np.clip(level, 0, 255).astype(np.uint8)[..., None], 3, axis=2)


def plan(rng: np.random.Generator, site_share: float, size_px: int = 512) -> Picture:
    """The base's print: a ground plan in thin lines, a band of bricks round the site."""
    picture = np.full((size_px, size_px, 3), 226, np.uint8)
    middle, radius = size_px // 2, size_px / 2
    site = round(site_share * radius)
    for k in range(72):
        a = 2 * math.pi * k / 72
        near, far = (middle + round(site * math.cos(a)), middle + round(site * math.sin(a))), (
            middle + round(radius * math.cos(a)), middle + round(radius * math.sin(a)))  # fmt: skip
        cv2.line(picture, near, far, (184, 178, 172), 2, cv2.LINE_AA)
    cv2.circle(picture, (middle, middle), site, (244, 242, 238), -1, cv2.LINE_AA)
    cv2.circle(picture, (middle, middle), site, (96, 88, 84), 3, cv2.LINE_AA)
    for _ in range(26):
        start, end = rng.uniform(-0.62, 0.62, 2) * site, rng.uniform(-0.62, 0.62, 2) * site
        corner = (round(middle + start[0]), round(middle + start[1]))
        along = (round(middle + end[0]), corner[1]) if rng.random() < 0.5 else (corner[0], round(middle + end[1]))
        cv2.line(picture, corner, along, (206, 202, 198), 2, cv2.LINE_AA)
    return picture


def terrazzo(rng: np.random.Generator, ground: Rgb, size_px: int = 512) -> Picture:
    """Chips of stone in a ground, or nearly plain."""
    picture = np.tile(np.array(ground, np.uint8), (size_px, size_px, 1))
    picture = np.ascontiguousarray(picture)
    for _ in range(int(rng.choice((0, 300, 900)))):
        x, y = (int(v) for v in rng.integers(0, size_px, 2))
        half = (int(rng.integers(1, 7)), int(rng.integers(1, 5)))
        tone = [float(np.clip(value + rng.normal(0, 42), 10, 245)) for value in ground]
        cv2.ellipse(picture, (x, y), half, float(rng.uniform(0, 180)), 0, 360, tone, -1, cv2.LINE_AA)
    return picture


def _muted(rng: np.random.Generator) -> npt.NDArray[np.float64]:
    """A colour of cloth or plaster, rather dull."""
    colour = rng.uniform(20, 240, 3)
    return np.asarray(colour.mean() + float(rng.uniform(0.15, 0.6)) * (colour - colour.mean()))


def tiles(rng: np.random.Generator, size_px: int = 256) -> Picture:
    """A chequered floor."""
    pair = np.array([_muted(rng), _muted(rng)])
    half = size_px // 2
    picture = np.empty((size_px, size_px, 3), np.uint8)
    for row in range(2):
        for column in range(2):
            picture[row * half : (row + 1) * half, column * half : (column + 1) * half] = pair[(row + column) % 2]
    return picture


def panorama(rng: np.random.Generator, height_px: int = 384, width_px: int = 2304) -> Picture:
    """The hall's wall all round: arches, banners, niches, people as dim shapes, more out of focus than world A's walls."""
    upper, lower = 0.5 * _muted(rng) + 100, 0.6 * _muted(rng) + 20
    picture = np.tile(upper.astype(np.float32), (height_px, width_px, 1))
    picture[int(height_px * 0.62) :] = lower
    x = 0
    while x < width_px:
        wide = int(rng.integers(60, 260))
        tone = _muted(rng).tolist()
        match int(rng.integers(5)):
            case 0:
                cv2.ellipse(picture, (x + wide // 2, int(height_px * 0.55)), (wide // 2 - 8, int(height_px * 0.4)), 0, 180, 360, tone, -1)
                cv2.rectangle(picture, (x + 8, int(height_px * 0.55)), (x + wide - 8, height_px), tone, -1)
            case 1:
                cv2.rectangle(picture, (x + 10, int(rng.integers(20, 120))), (x + wide - 10, int(rng.integers(150, 300))), tone, -1)
            case 2:
                for k in range(0, wide, 14):
                    cv2.rectangle(picture, (x + k, 30), (x + k + 6, height_px), tone, -1)
            case 3:
                cv2.ellipse(picture, (x + wide // 2, 150), (22, 28), 0, 0, 360, (150.0, 110.0, 90.0), -1)
                cv2.ellipse(picture, (x + wide // 2, 290), (52, 110), 0, 0, 360, tone, -1)
            case _:
                pass
        x += wide
    shaded = picture * (1 + 0.06 * cv2.GaussianBlur(rng.normal(size=(height_px, width_px)).astype(np.float32), (0, 0), 20)[..., None] * 20)
    return np.asarray(np.clip(cv2.GaussianBlur(shaded, (0, 0), float(rng.uniform(1.5, 4.0))), 0, 255), np.uint8)
