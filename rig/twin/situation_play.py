"""One action out of the middle of a game, as physics and people make it: what can happen, the tower it starts from, and who does what.

What a rig would send of it is `situations.py`. The kind says only what is tried: whether a tower falls, and what was true of it in the end,
is up to the physics and the truth log as in any game.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from enum import StrEnum

import numpy as np

from rig.errors import PalettiError
from rig.messages import Tower
from rig.pieces import Column, Floor
from rig.rules import Game, Phase, events
from rig.twin.levels import Level
from rig.twin.people import plans
from rig.twin.people.hand import Movement, pause
from rig.twin.people.manner import Manner, draw_manner
from rig.twin.people.midgame import floors_of, played
from rig.twin.people.speech import Press, Say
from rig.twin.physics.placement import standing_tower
from rig.twin.physics.poses import poses_of
from rig.twin.physics.sets import TrueSet
from rig.twin.physics.statics import margin
from rig.twin.physics.towers import tower_with
from rig.twin.physics.world import STEP_S
from rig.twin.play import Play

BEFORE_S = 3.0
"""Seconds of a tower that nobody touches, so that cameras find themselves and the first pictures are kept."""
PUT_UP_S = 1.6
"""Seconds in which a tower put up in the physics comes to rest."""
MARGIN_MM = 3.0
"""A raise that is meant to succeed leaves the tower at least this much."""
SPARED_MM = -3.0
"""A column whose pulling is meant to bring the tower down is missed by more than this."""
TRIES = 24


class Scenario(StrEnum):
    """What happens."""

    RAISE = "raise"
    ABORT = "abort"
    ABORT_OFF = "abort, put back off"
    LAY = "lay"
    REMOVE = "remove"
    CHALLENGE = "challenge"
    NOTHING = "nothing"
    TOUCH = "touch"
    LIFT = "plateau lifted"
    BUMP = "bump"
    NUDGE = "raise, neighbour nudged"
    SHIFT = "raise, plateau shifted"
    OVERHANG = "raise, overhang"
    HELD = "raise, plateau held"
    STACK = "raise, stacked"
    TWO = "two columns"
    WRONG = "wrong column"
    DROP = "drop"
    TOPPLE = "topple"
    FALL_PULL = "fall, pulled"
    FALL_PLACE = "fall, off centre"
    FALL_ARM = "fall, arm"
    FALL_KNOCK = "fall, knock"
    FALL_DRAUGHT = "fall, draught"
    FALL_LATE = "fall, late"


class NoTowerError(PalettiError):
    """None of a seed's towers has room for what is to happen."""


def found(
    seed: int, kind: Scenario, level: Level, players: int, true_set: TrueSet, say: Say = lambda _source, _payload, _delay_s: None,
    wait_for_table: Callable[[], bool] = lambda: False, press: Press = lambda _seat, _delay_s: None,
) -> SituationPlay:  # fmt: skip
    """The first of this seed's towers in which `kind` can happen, standing and at rest. NoTowerError if there is none."""
    for k in range(TRIES):
        rng = np.random.default_rng((seed, k, 0x51A))
        plateaus, on_top = _size(kind, rng)
        game = played(true_set.profile.pieces, players, plateaus, on_top, rng)
        if game is None:
            continue
        game = _led_to(game, kind)
        tower = tower_with(true_set.profile, seed * TRIES + k, floors_of(game)) if game is not None else None
        if game is None or tower is None:
            continue
        play = SituationPlay(seed, level, players, true_set, game, tower, kind, say, wait_for_table, press)
        if play.ready:
            return play
    raise NoTowerError(f"No tower was found in which this can happen: {kind} (seed {seed}, {players} players).", "Take another seed.")


def _size(kind: Scenario, rng: np.random.Generator) -> tuple[int, int]:
    """How many plateaus lie and how many columns at least stand on the topmost."""
    if kind is Scenario.STACK:
        return int(rng.integers(4, 6)), 1
    plateaus = int(rng.choice([1, 2, 3, 4, 5], p=[0.15, 0.27, 0.27, 0.2, 0.11]))
    if kind is Scenario.LAY:
        return min(plateaus, 4), int(rng.integers(4, 6))
    return plateaus, 1 if kind in (Scenario.TOPPLE, Scenario.NUDGE) else int(rng.integers(0, 5))


def _led_to(game: Game, kind: Scenario) -> Game | None:
    """The game up to the moment that the kind asks for; None if it does not come to that."""
    if kind is not Scenario.REMOVE:
        return game
    actor = game.actor
    assert actor is not None
    if game.next_plateau is None or not game.position.eligible(actor):
        return None
    challenger = (actor + 1) % len(game.players)
    return game.play([events.Requested(by=actor), events.Challenged(challenger), events.GaveUp(by=challenger)])


class SituationPlay(Play):
    """A play that starts from a tower and holds one action. `ready`: the tower stands, and the action can happen in it."""

    def __init__(
        self, seed: int, level: Level, players: int, true_set: TrueSet, game: Game, tower: Tower, kind: Scenario, say: Say,
        wait_for_table: Callable[[], bool], press: Press,
    ) -> None:  # fmt: skip
        super().__init__(seed, level, players, true_set=true_set, game=game, say=say, wait_for_table=wait_for_table, press=press)
        self.ready = self._put_up(tower, true_set)
        action = self._action(kind) if self.ready else None
        self.ready = action is not None
        if action is not None:
            self._script = self.bots.ticking(self._around(action))

    def _put_up(self, tower: Tower, true_set: TrueSet) -> bool:
        """The tower in the physics, come to rest; whether it stands as it was put."""
        world, poses = self.world, poses_of(true_set.profile, tower)
        gap_m, gaps = 1e-4, {Floor.GROUND: 1e-4}
        for laid in tower.plateaus:  # a bent plate reaches below its middle
            bend = true_set.bends.get(laid.plateau)
            gap_m += 2e-4 + 1e-3 * abs(bend.warp_mm if bend is not None else 0.0)
            world.put(laid.plateau, poses.position_m[world.order.row[laid.plateau]] + (0, 0, gap_m), laid.yaw_deg)
            gap_m += 2e-4 + 1e-3 * abs(bend.warp_mm if bend is not None else 0.0)
            gaps[laid.plateau] = gap_m
        for s in tower.columns:
            world.put(s.column, poses.position_m[world.order.row[s.column]] + (0, 0, gaps[s.floor]), s.yaw_deg)
        for _ in range(round(PUT_UP_S / STEP_S)):
            world.step()
        world.drain()
        world.data.time = 0.0
        stands = standing_tower(true_set.profile, world.order, world.poses(), world.parked)
        self.truth.tower = stands
        same = {(s.column, s.floor) for s in stands.columns} == {(s.column, s.floor) for s in tower.columns}
        return same and len(stands.plateaus) == len(tower.plateaus) and world.is_still()

    def _around(self, action: Movement) -> Movement:
        """Peace, the action, and what may still fall."""
        table = self.bots.table
        yield from pause(BEFORE_S)
        yield from action
        yield from pause(1.5)
        if table.fallen() and table.game.phase is not Phase.OVER:
            yield from table.finish(None)

    # ------------------------------------------------------------ what happens

    def _action(self, kind: Scenario) -> Movement | None:
        """What is done; None if this tower has no room for it."""
        table, turns = self.bots.table, self.bots.turns
        actor = table.game.actor
        assert actor is not None
        table.sit(actor)
        eligible = turns.eligible(actor)
        if kind in _FALLS:
            return self._fall(kind, actor, eligible)
        match kind:
            case Scenario.NOTHING:
                return pause(10.0)
            case Scenario.BUMP:
                return turns.mishaps.bump()
            case Scenario.LAY | Scenario.CHALLENGE:
                return self._request(kind, actor)
            case Scenario.REMOVE:
                challenger = table.game.challenger
                assert challenger is not None
                return turns.challenges.penalty(actor, challenger) if turns.challenges.spared(challenger) is not None else None
            case Scenario.TOPPLE:
                return self._then_stand_up(turns.mishaps.knock_over(actor))
            case Scenario.TOUCH:
                return turns.mishaps.touch(actor, within) if (within := turns.mishaps.within_reach(eligible)) else None
            case Scenario.LIFT:
                plateau = table.tower.plateaus[int(self.fate.integers(len(table.tower.plateaus)))].plateau
                return self._lift(actor, plateau)
            case Scenario.WRONG:
                own = set(eligible)
                columns = [s.column for s in table.tower.columns if s.column not in own and s.floor is not table.tower.top_floor]
                return self._attempt(kind, actor, columns)
            case _:
                return self._attempt(kind, actor, eligible)

    def _attempt(self, kind: Scenario, actor: int, columns: list[Column]) -> Movement | None:
        table, turns = self.bots.table, self.bots.turns
        plan = self._plan(columns, MARGIN_MM)
        if plan is None or (kind is Scenario.SHIFT and plan.held is None):
            return None
        manner = self._manner(kind, actor)
        if manner.stack and plans.carrier_for(table.tower, plan.column, self.true_profile) is None:
            return None
        if kind in (Scenario.ABORT, Scenario.ABORT_OFF):
            return turns.tug(actor, plan, manner)
        if kind is Scenario.TWO:
            return turns.two(actor, plan, manner)
        return turns.raise_column(actor, plan, manner)

    def _plan(self, columns: list[Column], least_mm: float) -> plans.Raise | None:
        tower = self.bots.table.tower
        ready = [
            p for c in columns if (p := plans.plan_raise(tower, c, self.true_profile, self.fate)) is not None and p.margin_mm >= least_mm
        ]
        return ready[int(self.fate.integers(len(ready)))] if ready else None

    def _manner(self, kind: Scenario, actor: int) -> Manner:
        """As clumsy as the person is, and beside the rules only in what the kind says."""
        deeds, fate = self.table_level.deeds, self.fate
        clumsy = draw_manner(self.table_level, fate, self.bots.people[actor], Floor.GROUND, False)
        plain = replace(clumsy, shift_mm=0.0, off_mm=0.0, nudge_mm=0.0, overhang_mm=0.0, held=False, stack=False, drop=False)
        match kind:
            case Scenario.ABORT_OFF:
                return replace(plain, off_mm=float(fate.uniform(*deeds.put_back_off_mm)))
            case Scenario.NUDGE:
                return replace(plain, nudge_mm=float(fate.uniform(*deeds.nudge_mm)), lean_n=0.0, apron=False)
            case Scenario.SHIFT:
                return replace(plain, shift_mm=float(fate.uniform(*deeds.shift_mm)))
            case Scenario.OVERHANG:
                return replace(plain, overhang_mm=float(fate.uniform(*deeds.overhang_mm)))
            case Scenario.HELD:
                return replace(plain, held=True)
            case Scenario.STACK:
                return replace(plain, stack=True)
            case Scenario.DROP:
                return replace(plain, drop=True)
            case _:
                return plain

    def _request(self, kind: Scenario, actor: int) -> Movement | None:
        table, turns = self.bots.table, self.bots.turns
        plateau = table.game.next_plateau
        if plateau is None or table.game.phase is not Phase.BUILD:
            return None
        if kind is Scenario.LAY:
            laying = plans.plan_laying(table.tower, plateau, self.true_profile, self.fate, MARGIN_MM)
            return turns.request(actor, plateau, may_be_challenged=False) if laying is not None else None
        if not table.game.position.eligible(actor):
            return None
        return turns.request(actor, plateau, challenger=table.another(actor))

    def _lift(self, actor: int, plateau: Floor) -> Movement:
        table = self.bots.table
        yield from table.guard(self.bots.turns.deeds.lift_plateau(plateau, float(self.fate.uniform(*self.table_level.deeds.lift_mm))))
        yield from table.finish(actor)

    def _then_stand_up(self, movement: Movement) -> Movement | None:
        if not self.bots.table.tower.on(self.bots.table.tower.top_floor):
            return None
        return self._and(movement)

    def _and(self, movement: Movement) -> Movement:
        yield from movement
        yield from self.bots.turns.stand_up()

    def _fall(self, kind: Scenario, actor: int, eligible: list[Column]) -> Movement | None:
        """A way in which towers fall, where this one may."""
        mishaps, tower = self.bots.turns.mishaps, self.bots.table.tower
        if kind is Scenario.FALL_PULL:
            weakest = plans.weakest_carrier(tower, eligible, self.true_profile)
            if weakest is None or margin(self.true_profile, plans.without(tower, weakest[0])) > SPARED_MM:
                return None
        if kind in (Scenario.FALL_PLACE, Scenario.FALL_LATE) and self._plan(eligible, 0.5) is None:
            return None
        ways = {
            Scenario.FALL_PULL: mishaps.reckless_pull, Scenario.FALL_PLACE: mishaps.off_centre, Scenario.FALL_ARM: mishaps.sweep,
            Scenario.FALL_KNOCK: mishaps.hard_knock, Scenario.FALL_DRAUGHT: mishaps.draught, Scenario.FALL_LATE: mishaps.late,
        }  # fmt: skip
        return self._and(ways[kind](actor, eligible))


_FALLS = (
    Scenario.FALL_PULL,
    Scenario.FALL_PLACE,
    Scenario.FALL_ARM,
    Scenario.FALL_KNOCK,
    Scenario.FALL_DRAUGHT,
    Scenario.FALL_LATE,
)
