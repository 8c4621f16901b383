"""MuJoCo's XML for solids that are only looked at: they touch nothing and weigh next to nothing. Lengths in metres."""

from __future__ import annotations

from collections.abc import Sequence

from rig.profile import Rgb

_UNTOUCHED = 'contype="0" conaffinity="0"'


def rgba(rgb: Rgb) -> str:
    """MuJoCo's colour of an sRGB byte colour."""
    return " ".join(f"{value / 255:.4f}" for value in rgb) + " 1"


def lift(rgb: Rgb) -> Rgb:
    """Textures are a little darker than white; lifts the colour so that the mean comes out as the profile says."""
    return (min(255, round(rgb[0] * 1.06)), min(255, round(rgb[1] * 1.06)), min(255, round(rgb[2] * 1.06)))


def box(centre: Sequence[float], half: Sequence[float], look: str) -> str:
    """A box for MuJoCo: half sides and middle in metres."""
    return (
        f'<geom type="box" pos="{" ".join(f"{v:.5f}" for v in centre)}" size="{" ".join(f"{v:.5f}" for v in half)}" {look} {_UNTOUCHED}/>'
    )


def capsule(a: Sequence[float], b: Sequence[float], radius: float, look: str) -> str:
    """A capsule for MuJoCo between two points, metres."""
    ends = " ".join(f"{v:.4f}" for v in (*a, *b))
    return f'<geom type="capsule" fromto="{ends}" size="{radius}" {look} {_UNTOUCHED} mass="0.01"/>'


def cylinder(a: Sequence[float], b: Sequence[float], radius: float, look: str) -> str:
    """A cylinder for MuJoCo, metres."""
    ends = " ".join(f"{v:.4f}" for v in (*a, *b))
    return f'<geom type="cylinder" fromto="{ends}" size="{radius:.4f}" {look} {_UNTOUCHED} mass="0.01"/>'


def ellipsoid(centre: Sequence[float], half: Sequence[float], look: str, turn_deg: float = 0.0) -> str:
    """An ellipsoid for MuJoCo: half axes and middle in metres."""
    turn = f' euler="0 0 {turn_deg:.3f}"' if turn_deg else ""
    return (
        f'<geom type="ellipsoid" pos="{" ".join(f"{v:.4f}" for v in centre)}" size="{" ".join(f"{v:.4f}" for v in half)}"'
        f'{turn} {look} {_UNTOUCHED} mass="0.01"/>'
    )


def mesh(name: str, look: str, at: Sequence[float] = (0.0, 0.0, 0.0), turn_deg: float = 0.0) -> str:
    """A mesh of the assets, turned about the vertical."""
    place = " ".join(f"{v:.5f}" for v in at)
    return f'<geom type="mesh" mesh="{name}" pos="{place}" euler="0 0 {turn_deg:.3f}" {look} {_UNTOUCHED} mass="0.01"/>'


def body(name: str, content: str, at: Sequence[float] = (0.0, 6.0, -3.0)) -> str:
    """A body that is put where it is wanted; at first behind the wall."""
    return f'<body name="{name}" mocap="true" pos="{" ".join(f"{v:g}" for v in at)}">{content}</body>'
