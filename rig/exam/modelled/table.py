"""The people at the modelled table: what they share, how a deed ends, and how a mishap is told by the truth log.

Shares, fumbles, words and their delays are the twin's own (`rig.twin.physics.level_table`, `rig.twin.people`); only physics is replaced,
by the statics of `statics.py` and by the probabilities here. A script is a generator of waits in seconds.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np

from rig.exam.modelled.room import Room
from rig.exam.modelled.scale import Base
from rig.exam.modelled.statics import Site
from rig.messages import CallWord, FactKind, StepKind, Tower
from rig.pieces import Column, Floor
from rig.rules import Game, OutsideChoice, Phase, events
from rig.twin.people.announcing import events_of
from rig.twin.people.persons import Person
from rig.twin.people.speech import Mouths
from rig.twin.physics.fall_cause import Cause
from rig.twin.physics.level_table import TableLevel
from rig.twin.truth import Truth

Script = Iterator[float]

SETTLE_S = 0.35
"""Seconds of stillness after which the truth log is written, as at the twin's table."""


@dataclass(frozen=True, slots=True)
class Pace:
    """How long hands take, seconds (low, high), as the twin's hands do (`rig.twin.people.actions`)."""

    reach: tuple[float, float] = (0.8, 1.4)
    hold: tuple[float, float] = (0.5, 0.9)
    """A plateau is taken hold of and lifted."""
    pull: tuple[float, float] = (1.2, 2.2)
    carry: tuple[float, float] = (0.8, 1.4)
    set_down: tuple[float, float] = (0.5, 0.8)
    leave: tuple[float, float] = (0.3, 0.6)
    away: tuple[float, float] = (0.2, 0.6)
    """Hands are out of the tower's region, but not yet at rest."""
    tug: tuple[float, float] = (0.6, 1.1)
    """A column is out of its place before it is put back."""
    lay: tuple[float, float] = (1.6, 2.4)
    think: tuple[float, float] = (1.4, 2.0)
    sway: tuple[float, float] = (0.0, 0.5)
    """The tower still moves after the hands have left."""
    falls: tuple[float, float] = (1.2, 3.0)
    """Pieces still roll after the tower has begun to give way."""


class FellError(Exception):
    """The tower gives way: whatever was going on ends here."""


class Table:
    """The shared state of a modelled game."""

    def __init__(
        self, site: Site, room: Room, base: Base, level: TableLevel, rng: np.random.Generator, fate: np.random.Generator,
        people: tuple[Person, ...], game: Game, mouths: Mouths, waits: Callable[[], bool],
    ) -> None:  # fmt: skip
        self.site, self.room, self.base, self.level = site, room, base, level
        self.rng, self.fate, self.people = rng, fate, people
        self.game, self.mouths, self.waits = game, mouths, waits
        self.pace = Pace()
        self.log: list[Truth] = []
        self.seal: list[tuple[float, int | None]] = [(0.0, game.holder)] if game.holder is not None else []
        self.last_actor: int | None = None
        self.raises = 0

    @property
    def players(self) -> int:
        return len(self.people)

    @property
    def tower(self) -> Tower:
        return self.room.tower

    @property
    def t_s(self) -> float:
        return self.room.t_s

    def chance(self, share: float) -> bool:
        """Whether fate has it."""
        return share > 0 and bool(self.fate.random() < share)

    def some(self, low_high: tuple[float, float]) -> float:
        return float(self.fate.uniform(*low_high))

    def another(self, seat: int) -> int:
        return (seat + 1 + int(self.fate.integers(self.players - 1))) % self.players

    # ------------------------------------------------------------ time and words

    def wait_for_table(self) -> Script:
        """While a question of the referee's is open nobody builds."""
        while self.waits():
            yield 0.2

    def breathe(self) -> Script:
        yield self.some(self.pace.think)
        yield from self.wait_for_table()

    def call(self, word: CallWord, seat: int, event: events.Event) -> Script:
        """Thinks, speaks, and the game goes on by what was meant."""
        yield self.some(self.level.call_lag_s)
        yield self.mouths.call(word, seat)
        if self.game.phase is not Phase.OVER:
            self.game = self.game.apply(event)
            self._note_seal()

    # ------------------------------------------------------------ hands

    def reach(self, seat: int) -> Script:
        self.room.reach_in(seat)
        yield self.some(self.pace.reach)

    def hold_up(self, plateau: Floor) -> float:
        """A plateau with all on it hangs in a hand: grams off the plate."""
        site, tower = self.site, self.tower
        grams = sum(site.profile.plateaus[laid.plateau].mass_g for laid in tower.plateaus if laid.plateau >= plateau)
        grams += sum(site.mass_g(s.column) for s in tower.columns if s.floor >= plateau)
        held_g = grams * float(self.fate.uniform(0.3, 1.0))
        self.room.hand_g -= held_g
        self.room.stir(0.2)
        self.base.step(StepKind.LIFTED, self.room, -held_g)
        return held_g

    def release(self, held_g: float) -> None:
        self.room.hand_g += held_g
        self.room.stir(0.2)
        self.base.step(StepKind.SET_DOWN, self.room, held_g)

    # ------------------------------------------------------------ how a deed ends

    def finish(self, seat: int | None, truths: Callable[[float], list[Truth]], spoken: CallWord | None = None) -> Script:
        """Hands leave, the tower settles, and what was so goes into the game."""
        said_s = self.some(self.level.call_lag_s) if spoken is not None else None
        leave_s = self.some(self.pace.leave)
        if spoken is not None and said_s is not None and seat is not None:
            yield min(said_s, leave_s)
            self.mouths.call(spoken, seat)
            yield max(0.0, leave_s - said_s)
        else:
            yield leave_s
        self.room.hand_g, self.room.shaking = 0.0, False
        self.room.everybody_leaves()
        self.base.left(self.t_s)
        sway_s = self.some(self.pace.sway)
        self.room.stir(sway_s)
        yield max(sway_s, self.some(self.pace.away)) + SETTLE_S
        self.settle(seat, truths(self.t_s))

    def settle(self, seat: int | None, truths: list[Truth]) -> None:
        """These truths of now go into the game."""
        for truth in truths:
            self.log.append(truth)
            for event in events_of(truth, self.tower, self.game):
                if self.game.phase is not Phase.OVER:
                    self.game = self.game.apply(event)
            if self.game.phase is Phase.DECISION:  # nobody's doing: at this table the holder has won (E8)
                self.game = self.game.apply(events.OutsideDecided(OutsideChoice.HOLDER_WINS))
        if seat is not None:
            self.last_actor = seat
        self._note_seal()

    def _note_seal(self) -> None:
        if self.game.holder != (self.seal[-1][1] if self.seal else None):
            self.seal.append((self.t_s, self.game.holder))

    # ------------------------------------------------------------ falls

    def collapse(self, culprit: int | None, cause: Cause) -> Script:
        """A plateau gives way: it leans, goes, and pieces roll; then it is over."""
        room = self.room
        lost = self.tower.plateaus[int(self.fate.integers(len(self.tower.plateaus))) :]
        onset_s = room.t_s
        room.leans_since_s = onset_s
        room.stir(0.6)
        for _ in range(5):
            yield 0.1
            room.touch()
        floors = {laid.plateau for laid in lost}
        gone = {s.column for s in self.tower.columns if s.floor in floors}
        plates_g = sum(self.site.profile.plateaus[laid.plateau].mass_g for laid in lost)
        before_g = room.weight_g
        room.tower = Tower(
            tuple(s for s in self.tower.columns if s.column not in gone),
            tuple(laid for laid in self.tower.plateaus if laid.plateau not in floors),
        )
        room.lying |= gone
        room.fallen, room.leans_since_s, room.held, room.displaced = True, None, None, None
        room.scattered_g += float(self.fate.uniform(0.1, 0.9)) * sum(self.site.mass_g(c) for c in gone) - plates_g * float(
            self.fate.uniform(0, 1)
        )
        self.base.step(StepKind.SWING, room, 150.0 + 300.0 * float(self.fate.random()), 0.5)
        self.base.shock(room.t_s + 0.3, float(self.fate.uniform(5, 25)))
        rolls_s = self.some(self.pace.falls)
        room.stir(rolls_s)
        yield 0.3
        room.everybody_leaves()
        room.hand_g, room.shaking = 0.0, False
        yield rolls_s
        self.base.step(StepKind.LIFTED if room.weight_g < before_g else StepKind.SET_DOWN, room, room.weight_g - before_g)
        yield SETTLE_S + 0.3
        details = {"plateaus_lost": float(len(lost)), "onset_t_s": round(onset_s, 2)}
        self.settle(culprit, [Truth(room.t_s, FactKind.COLLAPSED, culprit, floor=min(floors), details=details, cause=cause)])

    def fell_over(self, columns: list[Column], out_of_sight: bool = False) -> None:
        """These fall, and every plateau stays."""
        room = self.room
        room.tower = Tower(tuple(s for s in room.tower.columns if s.column not in columns), room.tower.plateaus)
        if not out_of_sight:
            room.lying |= set(columns)
        if room.held in columns:
            room.held = None
        room.stir(0.8)
        self.base.shock(room.t_s, float(self.fate.uniform(0.5, 3.0)))
