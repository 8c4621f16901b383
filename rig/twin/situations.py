"""Situations: one action out of a settled tower in the middle of a game, about twenty seconds, of a kind that can be asked for.

Thousands of raises and hundreds of collapses can so be examined without playing whole games. A situation is a source like a session, with
two things more: `start_tower`, the tower as a careful reading would believe it, and `start_game`, the game that led to it. What happens is
done by the same hands as in whole games; what was true of it, the truth log says.
"""

from __future__ import annotations

import msgspec
import numpy as np

from rig.errors import PalettiError
from rig.messages import Tower
from rig.pieces import Floor, PieceSet
from rig.profile import Profile
from rig.twin.levels import level_named
from rig.twin.physics.sets import set_for
from rig.twin.pictures.scene import WorldName
from rig.twin.session import TwinSource
from rig.twin.situation_play import Scenario, found

BELIEVED_MM, BELIEVED_DEG = 0.6, 0.3
"""Standard deviations of what the referee believes of the tower at the start: places and turns."""


SHARES: dict[Scenario, float] = {
    Scenario.RAISE: 30, Scenario.ABORT: 10, Scenario.ABORT_OFF: 2, Scenario.LAY: 8, Scenario.REMOVE: 4, Scenario.CHALLENGE: 2,
    Scenario.NOTHING: 2, Scenario.TOUCH: 2, Scenario.LIFT: 2, Scenario.BUMP: 2, Scenario.NUDGE: 3, Scenario.SHIFT: 2,
    Scenario.OVERHANG: 3, Scenario.HELD: 2, Scenario.STACK: 2, Scenario.TWO: 2, Scenario.WRONG: 3, Scenario.DROP: 1, Scenario.TOPPLE: 3,
    Scenario.FALL_PULL: 5, Scenario.FALL_PLACE: 3, Scenario.FALL_ARM: 3, Scenario.FALL_KNOCK: 2, Scenario.FALL_DRAUGHT: 1,
    Scenario.FALL_LATE: 1,
}  # fmt: skip
"""Per cent of a long row of situations; raises most, because they are what has to be right most often."""


def kind_of(seed: int) -> Scenario:
    """The kind of situation number `seed`: of any hundred in a row each kind has its share, in an order that is shuffled once."""
    row = [kind for kind, share in SHARES.items() for _ in range(round(share))]
    return row[int(np.random.default_rng(0x51C).permutation(len(row))[seed % len(row)])]


class SituationSession(TwinSource):
    """One situation. `kind`, `start_tower` and `start_game` say what it is and where it starts; else as a session."""

    def __init__(
        self,
        seed: int,
        kind: Scenario | None = None,
        level: str = "home",
        players: int = 4,
        cameras: int = 2,
        pieces: PieceSet | None = None,
        frame_rate: float = 5.0,
        base: str = "auto",
        picture_px: tuple[int, int] = (720, 1280),
        world: WorldName = "A",
    ) -> None:
        """`kind`: by default `kind_of(seed)`. PalettiError if no tower is found in which it can happen, or as a session."""
        if not 1 <= cameras <= 4:
            raise PalettiError(f"The twin has one to four cameras, not {cameras}.", "Give --cameras 1, 2, 3 or 4.")
        super().__init__(seed, level_named(level), frame_rate, base, world)
        self.kind = kind if kind is not None else kind_of(seed)
        true_set = set_for(self.level.table, seed, cameras, pieces, picture_px, world)
        play = found(seed, self.kind, self.level, players, true_set, self.say, self.table_waits, self.press)
        self.start_game = play.bots.game
        self.start_tower = believed(play.truth.tower, play.true_profile, play.profile, np.random.default_rng((seed, 0xBE11)))
        self._watch(play)


def believed(tower: Tower, true: Profile, measured: Profile, rng: np.random.Generator) -> Tower:
    """The tower as the referee would believe it after a game's worth of re-fitting: places a little off, heights by the measured set."""
    off: dict[Floor, np.ndarray] = {laid.plateau: rng.normal(0, BELIEVED_MM, 2) for laid in tower.plateaus}
    shorter = {shape: true.columns[shape].height_mm - measured.columns[shape].height_mm for shape in true.columns}
    columns = []
    for s in tower.columns:
        dx, dy = rng.normal(0, BELIEVED_MM, 2) + off.get(s.floor, np.zeros(2))
        z_mm = s.z_mm - int(s.floor) * shorter[s.column.shape] * 0.5
        columns.append(msgspec.structs.replace(s, x_mm=s.x_mm + float(dx), y_mm=s.y_mm + float(dy), z_mm=z_mm))
    plateaus = [
        msgspec.structs.replace(
            laid, x_mm=laid.x_mm + float(off[laid.plateau][0]), y_mm=laid.y_mm + float(off[laid.plateau][1]),
            yaw_deg=laid.yaw_deg + float(rng.normal(0, BELIEVED_DEG)),
        )
        for laid in tower.plateaus
    ]  # fmt: skip
    return Tower(tuple(columns), tuple(plateaus))
