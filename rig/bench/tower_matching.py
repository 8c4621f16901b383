"""Which column of a true tower a read one stands for: by floor and place, kinds only deciding among near ones."""

from __future__ import annotations

import math

import numpy as np
from scipy.optimize import linear_sum_assignment

from rig.messages import Standing, Tower
from rig.pieces import Column

NEAR_MM = 20.0
"""A column was read in its place within so much."""


def matched(true: Tower, read: Tower) -> dict[Column, Standing]:
    """For each true column the column read in its place, if any: same floor, within 20 mm, one for one."""
    answer: dict[Column, Standing] = {}
    for floor in {standing.floor for standing in true.columns}:
        there, found = true.on(floor), read.on(floor)
        if not found:
            continue
        cost = np.full((len(there), len(found)), 1e3)
        for i, a in enumerate(there):
            for j, b in enumerate(found):
                away = math.hypot(a.x_mm - b.x_mm, a.y_mm - b.y_mm)
                if away < NEAR_MM:
                    cost[i, j] = away + (0.0 if a.column.kind == b.column.kind else NEAR_MM)
        for k, m in zip(*linear_sum_assignment(cost), strict=True):
            if cost[k, m] < 900:
                answer[there[k].column] = found[m]
    return answer
