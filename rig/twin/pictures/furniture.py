"""What stands round the table and on it in world A's living rooms: walls with pictures, shelves, a window, chairs, people, mugs.

Nothing of it may hide the rig from a camera: furniture stands beyond 1.5 m, people at the table sit between the cameras' directions, and
things on the table stay low and clear of the apron.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from rig.profile import BaseSize, Rgb
from rig.twin.pictures import meshes
from rig.twin.pictures.geoms import box, capsule, cylinder, ellipsoid, mesh, rgba
from rig.twin.pictures.wall_pictures import any_colour, books, curtain, photograph_of_something, planks, wallpaper, window

Picture = npt.NDArray[np.uint8]

FLOOR_M = -0.78
WALL_M = 2.6
SEATS_DEG = (45.0, 150.0, 238.0, 315.0)
"""Where somebody may sit: between the cameras' directions."""
_HAIR: tuple[Rgb, ...] = ((38, 30, 26), (70, 48, 34), (120, 84, 52), (176, 140, 92), (140, 138, 136))


@dataclass(frozen=True, slots=True)
class Furniture:
    """`pictures` are RGB, by texture name."""

    pictures: dict[str, Picture]
    assets: list[str]
    geoms: str


class _Shop:
    """Collects panels: textured rectangles that hang or stand."""

    def __init__(self, rng: np.random.Generator) -> None:
        self.rng = rng
        self.pictures: dict[str, Picture] = {}
        self.assets: list[str] = []
        self.geoms: list[str] = []

    def picture(self, name: str, picture: Picture) -> str:
        """A texture; its name."""
        self.pictures[name] = picture
        self.assets.append(f'<material name="{name}" texture="{name}" specular="0" shininess="0"/>')
        return f'material="{name}"'

    def panel(self, name: str, look: str, wide_m: float, high_m: float, at: tuple[float, float, float], facing_deg: float) -> None:
        """A rectangle of this size, upright, facing this way."""
        self.assets.append(meshes.panel(wide_m, high_m).xml(name, shell=True))
        self.geoms.append(mesh(name, look, at, facing_deg))


def _colour(rng: np.random.Generator, value: tuple[float, float] = (0.15, 0.8)) -> Rgb:
    red, green, blue = (int(part) for part in any_colour(rng, (0.05, 0.65), value))
    return (red, green, blue)


def draw(rng: np.random.Generator, skin: Rgb) -> Furniture:
    """The room of one seed."""
    shop = _Shop(rng)
    floor = shop.picture("floor", planks(rng, 256, boards=6))
    paper = shop.picture("paper", wallpaper(rng))
    shop.assets.append(meshes.prism([(-3900, -3900), (3900, -3900), (3900, 3900), (-3900, 3900)], 40, texture_mm=900).xml("floor"))
    shop.geoms.append(mesh("floor", floor, (0, 0, FLOOR_M - 0.02)))
    if rng.random() < 0.6:
        shop.geoms.append(cylinder((0, 0, FLOOR_M), (0, 0, FLOOR_M + 0.01), float(rng.uniform(1.2, 1.9)), f'rgba="{rgba(_colour(rng))}"'))
    turn = float(rng.uniform(-25, 25))  # the table does not stand square in the room
    for side in range(4):
        _wall(shop, side, turn + 90.0 * side, paper)
    for azimuth in SEATS_DEG:
        if rng.random() < 0.5:
            _person(shop, math.radians(azimuth + float(rng.normal(0, 3))), skin)
        elif rng.random() < 0.5:
            _chair(shop, math.radians(azimuth + float(rng.normal(0, 8))))
    return Furniture(shop.pictures, shop.assets, "".join(shop.geoms))


def _wall(shop: _Shop, side: int, azimuth_deg: float, paper: str) -> None:
    rng = shop.rng
    a = math.radians(azimuth_deg)
    outward, along = np.array([math.cos(a), math.sin(a), 0.0]), np.array([-math.sin(a), math.cos(a), 0.0])

    def at(sideways: float, height: float, before: float) -> tuple[float, float, float]:
        x, y, z = outward * (WALL_M - before) + along * sideways + np.array([0.0, 0.0, height])
        return (float(x), float(y), float(z))

    shop.panel(f"wall{side}", paper, 5.6, 2.5, at(0, FLOOR_M + 1.25, 0.0), azimuth_deg + 180)
    shop.panel(f"skirting{side}", 'rgba="0.82 0.8 0.77 1"', 5.6, 0.09, at(0, FLOOR_M + 0.045, 0.012), azimuth_deg + 180)
    kinds: list[Callable[[str, float], None]] = [
        lambda name, x: _photographs(shop, name, x, at, azimuth_deg),
        lambda name, x: _shelf(shop, name, x, at, azimuth_deg),
        lambda name, x: _window(shop, name, x, at, azimuth_deg),
        lambda name, x: _sofa(shop, name, x, at),
        lambda name, x: _plant(shop, name, x, at),
    ]
    places = [-1.5, -0.6, 0.3, 1.2]
    for k, sideways in enumerate(places):
        if rng.random() < 0.8:
            kinds[int(rng.choice(len(kinds), p=(0.36, 0.2, 0.12, 0.2, 0.12)))](f"{side}{k}", sideways + float(rng.uniform(-0.2, 0.2)))


At = Callable[[float, float, float], tuple[float, float, float]]


def _photographs(shop: _Shop, name: str, x: float, at: At, azimuth_deg: float) -> None:
    rng = shop.rng
    for k in range(int(rng.integers(1, 3))):
        picture = photograph_of_something(rng)
        high = float(rng.uniform(0.25, 0.6))
        wide = high * picture.shape[1] / picture.shape[0]
        look = shop.picture(f"photo{name}{k}", picture)
        shop.panel(f"photo{name}{k}", look, wide, high, at(x + 0.7 * k, float(rng.uniform(0.1, 0.75)), 0.025), azimuth_deg + 180)


def _shelf(shop: _Shop, name: str, x: float, at: At, azimuth_deg: float) -> None:
    high = float(shop.rng.uniform(0.8, 1.7))
    look = shop.picture(f"books{name}", books(shop.rng, rows=max(2, round(high / 0.36))))
    shop.panel(f"books{name}", look, 0.8, high, at(x, FLOOR_M + high / 2, 0.26), azimuth_deg + 180)
    for side in (-0.4, 0.4):
        low, top = at(x + side, FLOOR_M, 0.13), at(x + side, FLOOR_M + high, 0.13)
        shop.geoms.append(capsule(low, top, 0.02, 'rgba="0.4 0.32 0.24 1"'))


def _window(shop: _Shop, name: str, x: float, at: At, azimuth_deg: float) -> None:
    look = shop.picture(f"window{name}", window(shop.rng))
    shop.assets[-1] = shop.assets[-1].replace('specular="0"', 'specular="0" emission="0.5"')
    shop.panel(f"window{name}", look, 0.9, 1.2, at(x, 0.75, 0.02), azimuth_deg + 180)
    folds = shop.picture(f"curtain{name}", curtain(shop.rng))
    for k, side in enumerate((-0.62, 0.62)):
        shop.panel(f"curtain{name}{k}", folds, 0.42, 1.75, at(x + side, 0.55, 0.06), azimuth_deg + 180)


def _sofa(shop: _Shop, name: str, x: float, at: At) -> None:  # noqa: ARG001 - as its neighbours
    rng = shop.rng
    look, cushion = f'rgba="{rgba(_colour(rng))}"', f'rgba="{rgba(_colour(rng, (0.3, 0.9)))}"'
    for height, before, radius in ((0.22, 0.55, 0.2), (0.22, 0.35, 0.2), (0.55, 0.2, 0.16), (0.4, 0.2, 0.16)):
        shop.geoms.append(capsule(at(x - 0.5, FLOOR_M + height, before), at(x + 0.5, FLOOR_M + height, before), radius, look))
    shop.geoms.append(ellipsoid(at(x + float(rng.uniform(-0.4, 0.4)), FLOOR_M + 0.55, 0.5), (0.19, 0.19, 0.13), cushion))


def _plant(shop: _Shop, name: str, x: float, at: At) -> None:  # noqa: ARG001 - as its neighbours
    rng = shop.rng
    foot = at(x, FLOOR_M, 0.4)
    shop.geoms.append(cylinder(foot, at(x, FLOOR_M + 0.3, 0.4), 0.15, f'rgba="{rgba(_colour(rng))}"'))
    for _ in range(9):
        tip = np.array(at(x, FLOOR_M + 0.3, 0.4)) + rng.normal(0, 1, 3) * (0.2, 0.2, 0.15) + (0.0, 0.0, float(rng.uniform(0.2, 0.7)))
        green = (int(rng.integers(20, 90)), int(rng.integers(70, 150)), int(rng.integers(20, 80)))
        shop.geoms.append(capsule(at(x, FLOOR_M + 0.3, 0.4), tip.tolist(), 0.02, f'rgba="{rgba(green)}"'))


def _chair(shop: _Shop, azimuth: float) -> None:
    rng = shop.rng
    look = f'rgba="{rgba(_colour(rng, (0.1, 0.6)))}"'
    out, along = np.array([math.cos(azimuth), math.sin(azimuth), 0]), np.array([-math.sin(azimuth), math.cos(azimuth), 0])

    def at(reach: float, side: float, height: float) -> list[float]:
        return [float(v) for v in out * reach + along * side + (0.0, 0.0, height)]

    for side in (-0.2, 0.2):
        shop.geoms.append(capsule(at(1.32, side, FLOOR_M), at(1.38, side, 0.16), 0.02, look))
    for height in (-0.1, 0.0, 0.1):
        shop.geoms.append(capsule(at(1.35, -0.2, height), at(1.35, 0.2, height), 0.025, look))


def _person(shop: _Shop, azimuth: float, skin: Rgb) -> None:
    """Chest, neck and chin of somebody at the table; their arms are hands with a `HandPose`."""
    rng = shop.rng
    coat = f'rgba="{rgba(_colour(rng, (0.1, 0.85)))}"'
    out, along = np.array([math.cos(azimuth), math.sin(azimuth), 0]), np.array([-math.sin(azimuth), math.cos(azimuth), 0])
    reach, broad = float(rng.uniform(1.0, 1.2)), float(rng.uniform(0.13, 0.19))

    def at(back: float, side: float, height: float) -> list[float]:
        return [float(v) for v in out * (reach + back) + along * side + (0.0, 0.0, height)]

    turn = math.degrees(azimuth)
    shop.geoms.append(ellipsoid(at(0.05, 0, 0.22), (0.095, broad + 0.075, 0.10), coat, turn))
    shop.geoms.append(ellipsoid(at(0.06, 0, 0.02), (0.125, broad + 0.02, 0.34), coat, turn))
    for side in (-1, 1):
        elbow = at(-0.12, side * (broad + 0.12), -0.04)
        shop.geoms.append(capsule(at(0.05, side * (broad + 0.02), 0.22), elbow, 0.055, coat))
        shop.geoms.append(capsule(elbow, at(-0.32, side * (broad - 0.02), -0.10), 0.045, coat))
    own = f'rgba="{rgba(skin)}"'
    shop.geoms.append(capsule(at(0.04, 0, 0.3), at(0.03, 0, 0.4), 0.055, own))
    shop.geoms.append(ellipsoid(at(0.0, 0, 0.52), (0.085, 0.085, 0.12), own))
    hair = f'rgba="{rgba(_HAIR[int(rng.integers(len(_HAIR)))])}"'
    shop.geoms.append(ellipsoid(at(0.035, 0, 0.57), (0.092, 0.092, 0.10), hair))


def clutter(rng: np.random.Generator, base: BaseSize, half_m: tuple[float, float]) -> str:
    """Mugs, bowls, a pad, the game's box: on the table, clear of the apron, low."""
    z = base.table_z_mm / 1e3
    parts: list[str] = []
    taken: list[tuple[float, float]] = []
    clear = base.apron_outer_mm / 1e3
    for _ in range(int(rng.integers(1, 7))):
        x, y = (float(v) for v in rng.uniform(-1, 1, 2) * np.array(half_m))
        free = all(math.hypot(x - u, y - v) > 0.16 for u, v in taken)
        if max(abs(x), abs(y)) < clear + 0.12 or max(abs(x) / half_m[0], abs(y) / half_m[1]) > 0.92 or not free:
            continue
        taken.append((x, y))
        look = f'rgba="{rgba(_colour(rng, (0.2, 0.95)))}"'
        match int(rng.integers(4)):
            case 0:
                parts.append(cylinder((x, y, z), (x, y, z + 0.09), 0.04, look))
                parts.append(cylinder((x, y, z + 0.089), (x, y, z + 0.0905), 0.036, 'rgba="0.14 0.08 0.05 1"'))
                parts.append(capsule((x + 0.045, y, z + 0.03), (x + 0.045, y, z + 0.07), 0.006, look))
            case 1:
                parts.append(ellipsoid((x, y, z + 0.02), (0.09, 0.09, 0.035), look))
            case 2:
                parts.append(box((x, y, z + 0.004), (0.055, 0.08, 0.004), look))
            case _:
                parts.append(box((x, y, z + 0.002), (0.075, 0.105, 0.002), 'rgba="0.93 0.93 0.9 1"'))
    return "".join(parts)
