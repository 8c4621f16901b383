"""What everybody at the table shares: the tower, the hands, the game as it truly stands, and how a deed ends.

`rng` is what the careful play of every level is drawn from; `fate` is what goes wrong, gets said badly or is done beside the rules, so that
a level without such things plays exactly the same games whatever is added to the others.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator

import numpy as np

from rig.messages import CallWord, FactKind, Tower
from rig.pieces import Column
from rig.profile import Profile
from rig.rules import Game, OutsideChoice, Phase, events
from rig.twin.people.announcing import events_of
from rig.twin.people.hand import TICK_S, Hand, Movement, pause
from rig.twin.people.persons import Person, Sleeve, draw_shirts
from rig.twin.people.speech import Mouths, Press, Say
from rig.twin.physics.level_table import TableLevel
from rig.twin.physics.world import Grip, World
from rig.twin.truth import TruthLog

NAMES = ("Anna", "Ben", "Cleo", "Dan")
SETTLE_S = 0.35
"""Seconds of stillness after which the tower counts as settled in the truth log."""
SETTLE_LIMIT_S = 4.0
FALLEN_M = 0.03
"""A plateau that has sunk by this much is seen to fall."""


class TableState:
    """The shared state."""

    def __init__(
        self, world: World, truth: TruthLog, level: TableLevel, rng: np.random.Generator, fate: np.random.Generator,
        people: tuple[Person, ...], say: Say, press: Press, wait_for_table: Callable[[], bool], game: Game | None = None,
    ) -> None:  # fmt: skip
        self.world, self.truth, self.level, self.rng, self.fate = world, truth, level, rng, fate
        self.profile: Profile = world.profile
        self.people, self.say, self.wait_for_table = people, say, wait_for_table
        self.mouths = Mouths(level.speech, fate, len(people), say, press)
        self.shirts = draw_shirts(level.sleeves, fate, len(people))
        self.builder = Hand(world, Grip.BUILDER, rng, level.tremor_mm)
        self.steady = Hand(world, Grip.STEADY, rng, level.tremor_mm)
        self.other = Hand(world, Grip.OTHER, fate, level.tremor_mm)
        self.game = game if game is not None else Game.new(self.profile.pieces, NAMES[: len(people)])
        self.handling = False
        self.raises = 0
        self.last_actor: int | None = None
        self.seal: list[tuple[float, int | None]] = []
        self._leaning: tuple[int, float, np.ndarray] | None = None
        self._sway = 0.0

    @property
    def players(self) -> int:
        return len(self.people)

    @property
    def tower(self) -> Tower:
        return self.truth.tower

    def phase_is(self, phase: Phase) -> bool:
        """What the game waits for now."""
        return self.game.phase is phase

    @property
    def hands(self) -> tuple[Hand, ...]:
        return self.builder, self.steady, self.other

    # ------------------------------------------------------------ who sits where

    def sleeve_of(self, seat: int) -> Sleeve:
        if self.shirts is not None:
            return self.shirts[seat]
        colours = self.game.position.colours[seat]
        return colours[0] if colours else None

    def sit(self, seat: int) -> None:
        """The acting player's two hands come from their side of the table."""
        sleeve = self.sleeve_of(seat)
        side = 45.0 + 360.0 * seat / self.players + float(self.rng.normal(0, 8))
        self.builder.sits(side, sleeve)
        self.steady.sits(side + 24, sleeve)
        for hand in (self.builder, self.steady):
            hand.belongs_to(seat)
            hand.shakes(self.level.tremor_mm * self.people[seat].shake)

    def sit_other(self, seat: int) -> None:
        """Another player's hand comes from theirs."""
        self.other.sits(45.0 + 360.0 * seat / self.players + float(self.fate.normal(0, 8)), self.sleeve_of(seat))
        self.other.belongs_to(seat)

    def another(self, seat: int) -> int:
        """Some other player."""
        return (seat + 1 + int(self.fate.integers(self.players - 1))) % self.players

    def chance(self, share: float) -> bool:
        """Whether fate has it; nothing is drawn where it never does."""
        return share > 0 and bool(self.fate.random() < share)

    # ------------------------------------------------------------ time

    def tick(self) -> None:
        """What goes on beside the script: a leaning hand's force wanders."""
        if self._leaning is not None:
            seat, newtons, at_m = self._leaning
            self._sway += -0.18 * self._sway + float(self.fate.normal(0, 0.55 * self.level.hands.lean_sway))
            self.world.press_n[:] = (max(0.05, newtons * (1 + self._sway)), *at_m)
            self.world.press_by = seat

    def lean(self, seat: int, newtons: float, at_m: np.ndarray) -> None:
        """A hand leans on the base at (x, y) until `lean_back`."""
        self._leaning, self._sway = (seat, newtons, at_m), 0.0

    def lean_back(self) -> None:
        if self._leaning is not None:
            self._leaning = None
            self.world.press_n[:] = 0.0
            self.world.press_by = None

    def breathe(self) -> Movement:
        yield from pause(float(self.rng.uniform(1.4, 2.0)))
        while self.wait_for_table():
            yield

    def call(self, word: CallWord, seat: int, event: events.Event) -> Movement:
        """Thinks, speaks, and the game goes on by what was meant."""
        yield from pause(float(self.rng.uniform(*self.level.call_lag_s)))
        yield from pause(self.mouths.call(word, seat))
        if self.game.phase is not Phase.OVER:
            self.game = self.game.apply(event)

    def abort_spoken(self, actor: int) -> Movement:
        yield from pause(float(self.rng.uniform(*self.level.call_lag_s)))
        self.mouths.call(CallWord.ABORT, actor)

    # ------------------------------------------------------------ falling and settling

    def fallen(self) -> bool:
        """Whether a plateau of the settled tower is seen to be down."""
        for laid in self.tower.plateaus:
            middle_m = (laid.z_mm + self.profile.plateaus[laid.plateau].thickness_mm / 2) / 1e3
            if self.world.position(laid.plateau)[2] < middle_m - FALLEN_M:
                return True
        return False

    def guard(self, movement: Movement) -> Movement:
        """Does `movement` until the tower is seen to fall; then everything is let go."""
        heights = {laid.plateau: self.world.position(laid.plateau)[2] for laid in self.tower.plateaus}
        for k, _ in enumerate(movement):
            if k % 5 == 0 and any(self.world.position(plateau)[2] < height - FALLEN_M for plateau, height in heights.items()):
                break
            yield
        for hand in self.hands:
            hand.let_go()
        for arm in (0, 1):
            self.world.withdraw(arm)
        self.world.shove[:] = 0.0
        self.world.blow(np.zeros(3), None)

    def finish(self, seat: int | None, spoken: Movement | None = None) -> Iterator[None]:
        """Hands leave, the tower settles, and the truth goes into the game. Returns (through `last_fallen`) what fell."""
        self.last_before, self.last_fallen = self.tower, []
        leaving: list[Movement] = [hand.leave() for hand in self.hands]
        if spoken is not None:
            leaving.append(spoken)
        yield from together(leaving)
        self.lean_back()
        still_s, waited_s = 0.0, 0.0
        while still_s < SETTLE_S and waited_s < SETTLE_LIMIT_S:
            still_s = still_s + TICK_S if self.world.is_still() else 0.0
            waited_s += TICK_S
            yield
        self.handling = False
        self.settle(seat)

    last_before: Tower
    last_fallen: list[Column]

    def settle(self, seat: int | None) -> None:
        """The truths of now go into the game."""
        blamed = seat if seat is not None else self.last_actor
        for truth in self.truth.settle(self.world.t_s, self.world.poses(), seat, self.world.parked, blamed):
            for event in events_of(truth, self.tower, self.game):
                if self.game.phase is not Phase.OVER:  # what else falls after the end changes nothing
                    self.game = self.game.apply(event)
            if self.game.phase is Phase.DECISION:  # nobody's doing: at this table the holder has won (E8)
                self.game = self.game.apply(events.OutsideDecided(OutsideChoice.HOLDER_WINS))
            if truth.kind is FactKind.INCIDENT:
                self.last_fallen += truth.columns
        if seat is not None:
            self.last_actor = seat
        if self.game.holder != (self.seal[-1][1] if self.seal else None):
            self.seal.append((self.world.t_s, self.game.holder))

    def edge_m(self, z_m: float) -> np.ndarray:
        a = math.radians(self.builder.azimuth_deg)
        return np.array([0.40 * math.cos(a), 0.40 * math.sin(a), z_m])


def together(movements: list[Movement]) -> Movement:
    """All at once, until the last is through."""
    running: list[Iterator[None]] = list(movements)
    while running:
        running = [movement for movement in running if next(movement, True) is None]
        if running:
            yield
