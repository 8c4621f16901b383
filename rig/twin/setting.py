"""What a game of the twin is set up with: who plays it, and what watches it."""

from __future__ import annotations

from dataclasses import dataclass

from rig.errors import PalettiError
from rig.pieces import PieceSet
from rig.twin.people.persons import Person
from rig.twin.pictures.scene import WorldName


@dataclass(frozen=True, slots=True, kw_only=True)
class Party:
    """Who plays, and with how much of the set. PalettiError if `people` are not as many as `players`."""

    players: int = 4
    people: tuple[Person, ...] | None = None
    """None: drawn by the level."""
    pieces: PieceSet | None = None
    """The split of shapes; None: the level's."""
    max_raises: int | None = None
    """The tower is toppled after so many; None: as is usual at the level."""

    def __post_init__(self) -> None:
        if self.people is not None and len(self.people) != self.players:
            raise PalettiError(
                f"{self.players} players were announced, but {len(self.people)} people sit at the table.", "Name one for each player."
            )


@dataclass(frozen=True, slots=True, kw_only=True)
class Devices:
    """The cameras and the base that watch, and the world that they are in. PalettiError for more cameras than the twin has."""

    cameras: int = 2
    frame_rate: float = 5.0
    """Pictures a second of each camera."""
    picture_px: tuple[int, int] = (720, 1280)
    """Width and height."""
    base: str = "auto"
    """`firmware`, `standin`, or `auto`: the firmware where it can be simulated."""
    world: WorldName = "A"
    """Whose rooms, hands and cameras."""

    def __post_init__(self) -> None:
        if not 1 <= self.cameras <= 4:
            raise PalettiError(f"The twin has one to four cameras, not {self.cameras}.", "Give --cameras 1, 2, 3 or 4.")


USUAL_PARTY = Party()
USUAL_DEVICES = Devices()
