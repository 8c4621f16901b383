"""What a referee might believe of a tower before it is read: the truth a little aside, often with one thing wrong."""

from __future__ import annotations

import msgspec
import numpy as np

from rig.bench.reading_shots import Shot
from rig.bench.situations import shaken, stacked_anew
from rig.messages import Tower

WRONG_SHARE = 0.5


def believed_of(shot: Shot) -> Tower:
    """The true tower with every place off by 2 mm (standard deviation), as high as the known set stacks it; in half of the seeds one column
    is missing, or far from its place, or two have each other's places."""
    rng = np.random.default_rng((shot.seed, 0xBE1))
    tower = stacked_anew(shot.known, shaken(shot.tower, rng, 2.0, 2.0, 1.0))
    if rng.random() >= WRONG_SHARE:
        return tower
    columns = list(tower.columns)
    first, second = (int(k) for k in rng.choice(len(columns), 2, replace=False))
    error = int(rng.integers(3))
    if error == 0:
        del columns[first]
    elif error == 1:
        x, y = rng.normal(0, 35, 2)
        columns[first] = msgspec.structs.replace(columns[first], x_mm=columns[first].x_mm + float(x), y_mm=columns[first].y_mm + float(y))
    else:
        one, other = columns[first], columns[second]
        columns[first] = msgspec.structs.replace(other, column=one.column)
        columns[second] = msgspec.structs.replace(one, column=other.column)
    return Tower(tuple(columns), tower.plateaus)
