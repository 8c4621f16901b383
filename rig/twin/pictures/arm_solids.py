"""Hands, forearms, sleeves and the game's wooden hook, to be seen: their solids, their colours, and where they go for a `HandPose`.

A hand's own frame has its origin at the finger tips and the forearm along +x. They touch nothing: what pulls and presses is `physics.py`.
"""

from __future__ import annotations

import mujoco
import numpy as np

from rig.pieces import Colour
from rig.profile import Rgb
from rig.twin.physics.poses import HOOK_M, Cloth, HandPose
from rig.twin.pictures.geoms import body, capsule, ellipsoid, rgba

HANDS = 4
"""Hands that can be in the picture at once: two of the acting player, two of somebody else."""

SKINS: tuple[Rgb, ...] = ((214, 162, 132), (176, 122, 92), (232, 188, 164), (120, 82, 60))
BARE: Rgb = (104, 100, 108)
"""Of a sleeve that is in no colour at all: a bare arm's shirt."""
SLEEVES: dict[Colour | Cloth | None, Rgb] = {
    Colour.RED: (158, 40, 44), Colour.BLUE: (44, 62, 142), Colour.YELLOW: (212, 174, 52), Colour.GREEN: (42, 104, 62),
    Cloth.WHITE: (226, 224, 218), Cloth.GREY: (122, 124, 128), Cloth.BLACK: (32, 31, 34), None: BARE,
}  # fmt: skip

_HOOK_WOOD = 'rgba="0.74 0.58 0.38 1"'


def hand_frame(hand: HandPose) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """The hook's end and the finger tips (m), and the turn (w first) of both: x towards the elbow, z as far up as can be."""
    tip, elbow = np.array(hand.tip_mm) / 1e3, np.array(hand.elbow_mm) / 1e3
    x = (elbow - tip) / max(float(np.linalg.norm(elbow - tip)), 1e-6)
    y = np.cross((0.0, 0.0, 1.0), x)
    y = y / max(float(np.linalg.norm(y)), 1e-6)
    turn = np.zeros(4)
    mujoco.mju_mat2Quat(turn, np.stack([x, y, np.cross(x, y)], axis=1).ravel())
    return tip, tip + HOOK_M * x if hand.hook else tip, turn


def hand_body(k: int, skin: Rgb) -> str:
    """Finger tips at the origin, the forearm along +x: thumb and forefinger pinch, three fingers are curled beside them."""
    look = f'rgba="{rgba(skin)}"'
    parts = []
    for side, reach, height in ((0.012, 0.004, 0.006), (0.030, 0.014, 0.016), (0.047, 0.026, 0.020)):
        parts.append(capsule((reach, side, 0.0), (0.045, side * 1.05, height + 0.012), 0.0078, look))
        parts.append(capsule((0.045, side * 1.05, height + 0.012), (0.088, side * 0.9, 0.014), 0.0088, look))
    parts.append(capsule((0.002, -0.012, 0.0), (0.034, -0.030, 0.002), 0.0088, look))
    parts.append(capsule((0.034, -0.030, 0.002), (0.080, -0.030, 0.004), 0.0105, look))
    parts.append(ellipsoid((0.112, 0.008, 0.008), (0.052, 0.042, 0.021), look))
    parts.append(capsule((0.150, 0.004, 0.008), (0.250, 0.0, 0.010), 0.026, look))
    parts.append(sleeve(k, (0.235, 0.0, 0.010), (0.80, 0.0, 0.012), 0.042))
    return body(f"hand{k}", "".join(parts))


def sleeve(k: int, a: tuple[float, float, float], b: tuple[float, float, float], radius: float) -> str:
    """The geom whose colour follows the `HandPose`."""
    return capsule(a, b, radius, f'name="sleeve{k}" rgba="0.5 0.5 0.5 1"')


def hook_body(k: int) -> str:
    """A thin rod with a bent end, its end at the origin, running back through the fingers."""
    end, bend = (0.0, 0.0, 0.0), (0.006, 0.016, 0.0)
    parts = capsule(end, bend, 0.0026, _HOOK_WOOD) + capsule(bend, (0.022, 0.018, 0.001), 0.0026, _HOOK_WOOD)
    parts += capsule((0.022, 0.018, 0.001), (0.05, 0.006, 0.003), 0.0027, _HOOK_WOOD)
    parts += capsule((0.05, 0.006, 0.003), (HOOK_M + 0.06, 0.002, 0.006), 0.0029, _HOOK_WOOD)
    return body(f"hook{k}", parts)
