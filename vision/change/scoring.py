"""The inner loops of scoring: what a picture's pixels gain or lose if a tower comes to show something else, compiled (`vision.compiling`).

Codes name what a pixel shows (`vision.scene.silhouettes.Scene`), values are nats (`vision.change.evidence`). An item's depth at a pixel is
`down * layer + near`, larger in front (`vision.scene.silhouettes.Stage.depth`).
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from vision.arrays import Bools, Codes, Floats, Maps
from vision.compiling import compiled
from vision.scene.rasters import Real


@compiled("f8[:,::1](f4[:,:], f4[:,:], i2[:,:], f4[:,:], f4[:,:], f4[:,:], i8, f4, f4)")
def gain_sums(down: Maps, front: Maps, was: Codes, same: Maps, newly: Maps, value: Maps, code: int, layer: Real, near: Real) -> Floats:
    """Running sum (h, w + 1) of what each pixel of a box gains if it comes to show an item; see `BackgroundScore.gain_map`.

    All maps are (h, w), of one box: `down` and `front` the depth's slope and what is in front (`Stage.depth`), `was` the codes before,
    `same` and `newly` the values (nats) of showing the same and of newly showing the item's paint, `value` what each pixel counts now.
    The item's `code`, `layer` and `near` as in the first paragraph of this module. Positional arrays: numba compiles this loop for plain
    arrays, and packing them for ten thousand calls a judgement would cost more than the loop.
    """
    height, width = down.shape
    total = np.zeros((height, width + 1))
    for y in range(height):
        run = 0.0
        for x in range(width):
            if down[y, x] * layer + near > front[y, x]:
                own = same[y, x] if was[y, x] == code else newly[y, x]
                run += own - value[y, x]
            total[y, x + 1] = run
    return total


@compiled("f8(f4[:,:], f4[:,:], i2[:,:], f4[:,:], f4[:,:], f4[:,:], b1[:,:], i8, f4, f4)")
def gain_within(
    down: Maps, front: Maps, was: Codes, same: Maps, newly: Maps, value: Maps, inside: Bools, code: int, layer: Real, near: Real
) -> float:
    """The same summed over the pixels `inside`.

    `inside` (h, w): the item's silhouette. The maps `down`, `front`, `was`, `same`, `newly`, `value`, the item's `code`, `layer` and
    `near`, and why they are positional: see `gain_sums`.
    """
    gained = 0.0
    for y in range(down.shape[0]):
        for x in range(down.shape[1]):
            if inside[y, x] and down[y, x] * layer + near > front[y, x]:
                own = same[y, x] if was[y, x] == code else newly[y, x]
                gained += own - value[y, x]
    return gained


@compiled("f8(f4[:,::1], i2[:,::1], i2[:,::1], i2[:,::1], f4[:,::1], f4[:,:,::1], u1[::1])")
def revalue(value: Maps, old: Codes, new: Codes, was: Codes, same: Maps, changed: Maps, labels: npt.NDArray[np.uint8]) -> float:
    """Value anew, in place, the pixels that two scenes show differently; returns what the sum gains.

    `value` (h, w) is changed in place; `old` and `new`: both scenes' codes, `was` the codes before; `same` (h, w) and `changed` (11, h,
    w): what showing the same, or newly a paint, is worth (nats); `labels`: the paint of each code.
    """
    gained = 0.0
    for y in range(value.shape[0]):
        for x in range(value.shape[1]):
            code = new[y, x]
            if code != old[y, x]:
                now = same[y, x] if code == was[y, x] else changed[labels[code & 0xFF], y, x]
                gained += now - value[y, x]
                value[y, x] = now
    return gained


@compiled("void(f4[:,::1], i2[:,::1], i2[:,::1], f4[:,::1], f4[:,:,::1], u1[::1])")
def value_all(value: Maps, codes: Codes, was: Codes, same: Maps, changed: Maps, labels: npt.NDArray[np.uint8]) -> None:
    """The value of every pixel of a scene.

    Written to `value` (h, w). `codes`: the scene's, `was`: before; `same`, `changed` and `labels` as in `revalue`.
    """
    for y in range(value.shape[0]):
        for x in range(value.shape[1]):
            code = codes[y, x]
            value[y, x] = same[y, x] if code == was[y, x] else changed[labels[code & 0xFF], y, x]
