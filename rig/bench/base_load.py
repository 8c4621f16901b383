"""A known load on the twin's whole base: cells, chips, firmware, cable, and what `rig.base` reads of it. Truth is the load."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from rig.base.fold import BaseFold
from rig.messages import LinkNews, Reading, Stepped, Tilted, Weighed
from rig.profile import Profile
from rig.profile.nominal import nominal_profile
from rig.twin.physics.world import Signals
from rig.twin.sensors.base_sensors import Sensors
from rig.twin.sensors.hardware_faults import BaseFault
from rig.twin.sensors.level_sensors import SensorLevel

PROFILE = nominal_profile()
HALF_MM = 140.0
ROW_S = 0.002
Load = Callable[[NDArray[np.float64]], NDArray[np.float64]]
Kind = TypeVar("Kind")


def at(mass_g: float, x_mm: float = 0.0, y_mm: float = 0.0) -> NDArray[np.float64]:
    """Grams on each of the four cells for a mass on a stiff plate (4,)."""
    u, v = (x_mm + HALF_MM) / (2 * HALF_MM), (y_mm + HALF_MM) / (2 * HALF_MM)
    return mass_g * np.array([(1 - u) * (1 - v), u * (1 - v), u * v, (1 - u) * v])


def resting(mass_g: float, x_mm: float = 0.0, y_mm: float = 0.0) -> Load:
    return lambda t_s: np.tile(at(mass_g, x_mm, y_mm), (len(t_s), 1))


@dataclass
class LoadedBase:
    """A load (times (n,) to grams (n, 4)) on a base that stands level; slices of `slice_s` as a session makes them."""

    load: Load
    level: SensorLevel
    seed: int = 1
    base: str = "standin"
    faults: Sequence[BaseFault] | None = None
    profile: Profile = PROFILE
    slice_s: float = 0.05
    found: list[Reading] = field(default_factory=list)
    stream: bytearray = field(default_factory=bytearray)

    def __post_init__(self) -> None:
        self.t_s, self._rows = 0.0, 0
        self.sensors = Sensors(self, self.profile, self.level, self.seed, self.base, self.faults)
        self.fold = BaseFold(self.profile)

    def drain(self) -> Signals:
        rows = round(self.t_s / ROW_S)
        t_s = np.asarray(ROW_S * np.arange(self._rows + 1, rows + 1), np.float64)
        self._rows = rows
        return Signals(t_s, self.load(t_s), np.tile([0.0, 0.0, 1.0, 0.0, 0.0, 0.0], (len(t_s), 1)))

    def run(self, until_s: float) -> LoadedBase:
        while self.t_s < until_s - 1e-9:
            self.t_s = round(self.t_s + self.slice_s, 6)
            data = self.sensors.bytes_by(self.t_s)
            self.stream += data
            self.found += self.fold.step(self.t_s, data)
        return self

    def close(self) -> None:
        self.sensors.close()

    def of(self, kind: type[Kind], from_s: float = 0.0, to_s: float = 1e9) -> list[Kind]:
        """Readings of one kind, by their own dates where they have one."""
        dated = [reading for reading in self.found if isinstance(reading, kind)]
        return [reading for reading in dated if from_s <= _date(reading) <= to_s]

    def said(self) -> list[str]:
        """What the link said, each sentence once, in order."""
        out: list[str] = []
        for news in self.of(LinkNews):
            if not out or out[-1] != news.sentence:
                out.append(news.sentence)
        return out


def _date(reading: object) -> float:
    if isinstance(reading, Stepped):
        return reading.start_t_s
    return reading.t_s if isinstance(reading, Weighed | Tilted) else 0.0
