"""What physics says of a plateau's pose: it lies on at least three tops, and what stands on it does not hang in the air.

Outlines turned by half a turn differ by little in a picture that looks along the plate; the columns below and above tell them apart.
"""

from __future__ import annotations

import numpy as np

from rig.messages import Laid, Tower
from rig.pieces import Floor
from rig.profile import Profile
from vision.arrays import Floats
from vision.scene.solids import outside_mm, plateau_prisms

HANGING_COST = 400.0
"""What one thing that cannot be costs, in the pictures' sum: a column whose middle hangs over the edge, a missing third top. A hundred
pixels of paint: more than the edges of a plate turned the wrong way gain, less than a plate that is plainly seen. Set by hand on tuning
seeds; not measured on a spread of rooms."""

SLACK_MM = 4.0
"""How far a column's middle may lie outside before it hangs: places are off by so much at times. Set by hand on tuning seeds; not
measured on a spread of rooms."""

TOPS = 3
"""Columns under a plateau from which no more speak for its lie. By design: three hold a plate."""


def support_cost(profile: Profile, tower: Tower, laid: Laid) -> float:
    """What speaks against `laid` in place of the tower's plateau of that name, in the pictures' sum."""
    parts = tuple(part[1, :, :2] for part in plateau_prisms(profile, laid))
    below = max((one.plateau for one in tower.plateaus if one.plateau < laid.plateau), default=Floor.GROUND)
    return HANGING_COST * (_hanging(parts, tower, laid.plateau) + max(0, min(TOPS, len(tower.on(below))) - _under(parts, tower, below)))


def _places(tower: Tower, floor: Floor) -> Floats:
    return np.array([(one.x_mm, one.y_mm) for one in tower.on(floor)], dtype=np.float64).reshape(-1, 2)


def _hanging(parts: tuple[Floats, ...], tower: Tower, floor: Floor) -> int:
    return int((outside_mm(parts, _places(tower, floor)) > SLACK_MM).sum())


def _under(parts: tuple[Floats, ...], tower: Tower, floor: Floor) -> int:
    return int((outside_mm(parts, _places(tower, floor)) < SLACK_MM).sum())
