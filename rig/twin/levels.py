"""How kind the world is: `lab`, `home` or `rough`, as numbers.

Everything that differs between levels is a field here, so that a harder level is another value and not another code path: what the
sensors do to the truth (`SensorLevel`), what lenses and lamps do to it (`PictureLevel`), and what people, pieces and tables are like
(`TableLevel`). `lab` is even light, nominal noise and no faults.
"""

from __future__ import annotations

from dataclasses import dataclass

from rig.errors import PalettiError
from rig.twin.physics import level_table
from rig.twin.physics.level_table import TableLevel
from rig.twin.pictures import level_pictures
from rig.twin.pictures.level_pictures import PictureLevel
from rig.twin.sensors import level_sensors
from rig.twin.sensors.level_sensors import SensorLevel

__all__ = ["LEVELS", "Level", "PictureLevel", "SensorLevel", "TableLevel", "level_named"]


@dataclass(frozen=True, slots=True)
class Level:
    """One level."""

    name: str
    sensors: SensorLevel
    pictures: PictureLevel
    table: TableLevel


LEVELS = {
    "lab": Level("lab", level_sensors.LAB, level_pictures.LAB, level_table.LAB),
    "home": Level("home", level_sensors.HOME, level_pictures.HOME, level_table.HOME),
    "rough": Level("rough", level_sensors.ROUGH, level_pictures.ROUGH, level_table.ROUGH),
}


def level_named(name: str) -> Level:
    """The level called `name`; PalettiError names those there are."""
    if name not in LEVELS:
        raise PalettiError(f"There is no level called {name!r}.", f"Levels are {', '.join(LEVELS)}.")
    return LEVELS[name]
