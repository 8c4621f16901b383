"""What is believed of a tower before it is read, and what that is worth: a column that stands where it was believed to stand has credit.

A belief never overrules pictures that show something else plainly. It decides where pictures say little: of which shape a strip of paint
is, and whether a column that no camera sees still stands.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import msgspec
import numpy as np

from rig.messages import Laid, Standing, Tower
from rig.pieces import Floor
from vision.reading.tower_state import COLUMN_COST
from vision.scene.solids import turned

CREDIT = COLUMN_COST + 60.0
"""What standing where believed is worth, in the pictures' sum. Less than the cost of a column: what no camera sees is given up. Higher:
a column that was exchanged for another shape is overlooked. Set by hand on tuning seeds; not measured on a spread of rooms."""

BELIEVED_MM = 12.0
"""How far from its believed place a column may be found and still be the one believed. Set by hand on tuning seeds: less than the
thinnest column's width."""


@dataclass(frozen=True, slots=True)
class Belief:
    """Columns with the places where they are believed to stand."""

    standings: tuple[Standing, ...] = ()

    def credit(self, standing: Standing) -> float:
        """What it is worth that a column of this kind stands here."""
        return CREDIT if any(_same(one, standing) for one in self.standings) else 0.0

    def worth(self, tower: Tower) -> float:
        return sum(self.credit(standing) for standing in tower.columns) if self.standings else 0.0

    def at(self, floor: Floor) -> tuple[Standing, ...]:
        return tuple(one for one in self.standings if one.floor is floor)


def _same(one: Standing, other: Standing) -> bool:
    near = math.hypot(one.x_mm - other.x_mm, one.y_mm - other.y_mm) <= BELIEVED_MM
    return near and one.floor is other.floor and one.column.kind == other.column.kind


def carried(believed: Tower, laid: tuple[Laid, ...]) -> Tower:
    """The believed columns on the plateaus as they now lie: each moves with the plateau it stands on, one on a plateau that lies no more is
    left out."""
    now = {one.plateau: one for one in laid}
    columns = []
    for standing in believed.columns:
        if standing.floor is Floor.GROUND:
            columns.append(standing)
            continue
        was = next((one for one in believed.plateaus if one.plateau is standing.floor), None)
        lies = now.get(standing.floor)
        if was is not None and lies is not None:
            columns.append(_moved(standing, was, lies))
    return Tower(tuple(columns), laid)


def _moved(standing: Standing, was: Laid, now: Laid) -> Standing:
    offset = turned(np.array((standing.x_mm - was.x_mm, standing.y_mm - was.y_mm)), now.yaw_deg - was.yaw_deg)
    x, y = now.x_mm + float(offset[0]), now.y_mm + float(offset[1])
    yaw = standing.yaw_deg + now.yaw_deg - was.yaw_deg
    return msgspec.structs.replace(standing, x_mm=round(x, 2), y_mm=round(y, 2), yaw_deg=round(yaw % 360.0, 2))
