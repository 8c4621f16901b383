"""How late each camera's pictures come: pictures and the base's bytes heard side by side, for the code light's clock."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

import numpy as np
import numpy.typing as npt

from calibration.delay import Delay, camera_delay
from rig.base.fold import BaseFold
from rig.base.port import Port
from rig.errors import PalettiError
from rig.profile import Profile

TIMING_S = 6.5
"""How long pictures are collected to time a camera: three rounds of the code light."""


class Pictures(Protocol):
    """Live pictures: the clock they are dated by (s), and of each camera how many have come, when the last one came (s), and its JPEG."""

    @property
    def now_s(self) -> float: ...

    def newest(self, camera: int) -> tuple[int, float, bytes]: ...

    def decoded(self, jpeg: bytes, camera: int) -> npt.NDArray[np.uint8]: ...


def time_cameras(profile: Profile, live: Pictures, port: Port, numbers: Sequence[int]) -> list[Delay]:
    """Each camera's delay from pictures and the base's clock, both heard for `TIMING_S`."""
    fold = BaseFold(profile)
    shots: dict[int, list[tuple[float, bytes]]] = {number: [] for number in numbers}
    heard = {number: live.newest(number)[0] for number in numbers}
    until = live.now_s + TIMING_S
    while live.now_s < until:
        data = port.read()  # waits for bytes: they are dated when they have come
        fold.step(live.now_s, data)
        for number in numbers:
            count, t_s, jpeg = live.newest(number)
            if count != heard[number]:
                heard[number] = count
                shots[number].append((t_s, jpeg))
    if fold.device_s(live.now_s) is None:
        raise PalettiError("The base does not speak, so no camera can be timed.", "Check its port with `paletti doctor`.")
    answers = []
    for number, taken in shots.items():
        dated = [(device_s, jpeg) for t_s, jpeg in taken if (device_s := fold.device_s(t_s)) is not None]
        answers.append(camera_delay(number, [live.decoded(jpeg, number) for _, jpeg in dated], [device_s for device_s, _ in dated]))
    return answers
