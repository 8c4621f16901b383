"""How things go wrong at a table: what brings the tower down, and what only gives everybody a fright.

Each is done by hands, arms, the table or the air, in the physics; whether the tower falls, and who is to blame, is found there and not
decided here. A mishap that does no harm is one the game goes on from.
"""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np

from rig.messages import Standing, Tower
from rig.pieces import Column, Floor
from rig.twin.people import plans
from rig.twin.people.actions import HandActions
from rig.twin.people.hand import ELBOW_UP_M, Hand, Movement, pause
from rig.twin.people.table import TableState
from rig.twin.physics.statics import margin

KNOCK_S = 0.08
"""How long a knee against the table pushes."""
FINGER_M = 0.008
FOOT_M = 0.011
"""Height at which a neighbour is pushed: higher up a thin column would tip and not slide (radius over friction, 19 mm)."""
FLAT_M, STEEP_M = 0.025, 0.36
"""How far the elbow is above the finger tips between two plateaus, and from above."""
WITHIN_REACH_M = 0.19
"""How far from the rim a finger gets between the columns."""
SWAY_HZ = 2.2
"""Heavy steps on a wooden floor."""


class Mishaps:
    """Mishaps of whoever acts, of others, and of nobody."""

    def __init__(self, table: TableState, deeds: HandActions) -> None:
        self._t, self._deeds = table, deeds

    # ------------------------------------------------------------ ends

    def bring_down(self, actor: int, eligible: list[Column]) -> Movement:
        """One of the ways in which towers fall, drawn by the level's weights."""
        falls = self._t.level.falls
        ways: list[tuple[float, Callable[[int, list[Column]], Movement]]] = [
            (falls.pull, self.reckless_pull), (falls.off_centre, self.off_centre), (falls.arm, self.sweep), (falls.knock, self.hard_knock),
            (falls.draught, self.draught), (falls.late, self.late),
        ]  # fmt: skip
        possible = [way for way in ways if way[0] > 0]
        if len(possible) == 1:
            yield from possible[0][1](actor, eligible)
            return
        weights = np.array([weight for weight, _ in possible])
        yield from possible[int(self._t.fate.choice(len(possible), p=weights / weights.sum()))][1](actor, eligible)

    def uncalled(self, actor: int, eligible: list[Column]) -> Movement:
        """Somebody else's arm, a knock, a draught, or the actor's raise onto the brink: what nobody waited for, by the level's weights."""
        falls = self._t.level.falls
        ways = ((falls.arm, self.sweep), (falls.knock, self.hard_knock), (falls.draught, self.draught), (falls.late, self.late))
        weights = np.array([weight for weight, _ in ways])
        yield from ways[int(self._t.fate.choice(len(ways), p=weights / weights.sum()))][1](actor, eligible)

    def reckless_pull(self, actor: int, eligible: list[Column]) -> Movement:
        """The weakest carrier is pulled with nobody holding anything."""
        t = self._t
        columns = eligible or [s.column for s in t.tower.columns if s.floor is not t.tower.top_floor]
        weakest = plans.weakest_carrier(t.tower, columns, t.profile)
        if weakest is None:
            return
        column, azimuth = weakest
        plan = plans.plan_raise(t.tower, column, t.profile, t.rng)
        if plan is None:
            plan = plans.Raise(column, azimuth, t.tower.plateaus[-1].x_mm, t.tower.plateaus[-1].y_mm, None, -1.0)
        reckless = plans.Raise(column, azimuth, plan.x_mm, plan.y_mm, None, plan.margin_mm)
        yield from t.guard(self._deeds.pull(reckless, self._deeds.carry(reckless), reckless=True))
        t.raises += 1
        yield from t.finish(actor)

    def off_centre(self, actor: int, eligible: list[Column]) -> Movement:
        """A column is stood where the tower bears it least, and pressed down."""
        t = self._t
        plans_ = [p for c in eligible if (p := plans.plan_raise(t.tower, c, t.profile, t.rng)) is not None and p.margin_mm > 0]
        if not plans_:
            yield from self.reckless_pull(actor, eligible)
            return
        plan = max(plans_, key=lambda p: t.profile.columns[p.column.shape].mass_g + p.margin_mm)
        x_mm, y_mm = self._worst_place(plan.column)
        plan = plans.Raise(plan.column, plan.azimuth_deg, x_mm, y_mm, plan.held, plan.margin_mm)
        yield from t.guard(self._place_and_press(plan))
        t.raises += 1
        yield from t.finish(actor)

    def _place_and_press(self, plan: plans.Raise) -> Movement:
        t, hand = self._t, self._t.builder
        yield from self._deeds.pull(plan, self._deeds.carry(plan))
        yield from hand.reach(t.world.position(plan.column) + (0, 0, 0.075), 0.2)
        at = t.world.position(plan.column) + (0, 0, 0.056)
        yield from hand.push(0, at, 0.3)
        for deeper in range(1, 7):  # it will not stand firmly, so it is pressed
            yield from hand.push(0, at - (0, 0, 0.006 * deeper), 0.2)
        yield from hand.pull_back(0)

    def _worst_place(self, column: Column) -> tuple[float, float]:
        t = self._t
        rest = plans.without(t.tower, column)
        spots = plans.places(rest, column, t.profile, t.rng)[:40]
        z_mm = plans.level_mm(t.tower, t.tower.top_floor, t.profile)
        if not spots:
            laid = t.tower.plateaus[-1]
            return laid.x_mm, laid.y_mm

        def left(spot: tuple[float, float]) -> float:
            standing = Standing(column, t.tower.top_floor, *spot, z_mm)
            return margin(t.profile, Tower((*rest.columns, standing), rest.plateaus))

        return min(spots, key=left)

    def sweep(self, actor: int, _eligible: list[Column]) -> Movement:
        """Somebody else reaches across the table and catches the tower with the arm."""
        t = self._t
        t.sit_other(t.another(actor))
        t.handling = True
        yield from self._together_with_actor(self._sweep(t.other))
        yield from t.finish(actor)

    def _together_with_actor(self, mishap: Movement) -> Movement:
        """Half of the time the acting player's hands are at the tower meanwhile."""
        t = self._t
        if t.chance(0.5):
            a = math.radians(t.builder.azimuth_deg)
            yield from t.builder.reach(np.array([0.17 * math.cos(a), 0.17 * math.sin(a), 0.05]))
        yield from t.guard(mishap)

    def _sweep(self, hand: Hand) -> Movement:
        t = self._t
        top = t.tower.plateaus[-1]
        a = math.radians(hand.azimuth_deg)
        out, across = np.array([math.cos(a), math.sin(a), 0.0]), np.array([-math.sin(a), math.cos(a), 0.0])
        middle = np.array([top.x_mm, top.y_mm, top.z_mm + 2.0]) / 1e3
        side = 1.0 if t.fate.random() < 0.5 else -1.0
        yield from hand.reach(middle + out * 0.03 - side * across * 0.24, 0.6)
        yield from hand.push(1, middle + out * 0.01 + side * across * float(t.fate.uniform(0.10, 0.22)), float(t.fate.uniform(0.4, 0.8)))
        yield from pause(0.2)
        yield from hand.pull_back(1)

    def hard_knock(self, actor: int, _eligible: list[Column]) -> Movement:
        """Somebody gets up and takes the table along; a little harder until it falls, or three times."""
        t = self._t
        seat = t.another(actor)
        t.handling = True
        yield from t.guard(self._knocks(seat, [4.0, 6.5, 9.0]))
        yield from t.finish(actor)

    def _knocks(self, seat: int | None, strengths: list[float]) -> Movement:
        t = self._t
        for mps2 in strengths:
            a = float(t.fate.uniform(0, 2 * math.pi))
            for way in (1.0, -0.8):
                t.world.shove[:] = (way * mps2 * math.cos(a), way * mps2 * math.sin(a), 0.0)
                t.world.shove_by = seat
                yield from pause(KNOCK_S * (2.0 if mps2 > 3 else 0.5))
            t.world.shove[:] = 0.0
            yield from pause(0.9)

    def draught(self, _actor: int, _eligible: list[Column]) -> Movement:
        """The window opens, or the cat: nobody playing."""
        t = self._t
        top = t.tower.plateaus[-1].plateau
        t.handling = True
        yield from t.guard(self._blow(top))
        t.world.blow(np.zeros(3), None)
        yield from t.finish(None)

    def _blow(self, top: Floor) -> Movement:
        a = float(self._t.fate.uniform(0, 2 * math.pi))
        for k in range(250):
            newtons = 3.0 * k / 250
            self._t.world.blow(np.array([newtons * math.cos(a), newtons * math.sin(a), 0.0]), top)
            yield
        self._t.world.blow(np.zeros(3), None)

    def late(self, actor: int, eligible: list[Column]) -> Movement:
        """A raise that leaves the tower on the brink. It passes; then steps on the floor are enough, or they are not."""
        t = self._t
        ready = [p for c in eligible if (p := plans.plan_raise(t.tower, c, t.profile, t.rng)) is not None and p.margin_mm > 0.5]
        if not ready:
            yield from self.reckless_pull(actor, eligible)
            return
        plan = min(ready, key=lambda p: p.margin_mm)
        x_mm, y_mm = self._worst_place(plan.column)
        plan = plans.Raise(plan.column, plan.azimuth_deg, x_mm, y_mm, plan.held, plan.margin_mm)
        yield from t.guard(self._deeds.pull(plan, self._deeds.carry(plan)))
        t.raises += 1
        yield from t.finish(actor)
        if t.tower.plateaus and not t.game.outcome:
            yield from t.guard(self._steps())
            if t.fallen():
                yield from t.finish(None)

    def _steps(self) -> Movement:
        """Somebody walks by: the table sways ever so little, more and more, for six seconds, below what anybody would call a knock."""
        t = self._t
        a = float(t.fate.uniform(0, 2 * math.pi))
        yield from pause(float(t.fate.uniform(1.0, 3.0)))
        for k in range(600):
            mps2 = 0.48 * min(1.0, k / 300) * math.sin(2 * math.pi * SWAY_HZ * k / 100)
            t.world.shove[:] = (mps2 * math.cos(a), mps2 * math.sin(a), 0.0)
            t.world.shove_by = None
            yield
        t.world.shove[:] = 0.0

    # ------------------------------------------------------------ frights

    def bump(self) -> Movement:
        """Somebody bumps the table, as happens; mostly nothing comes of it."""
        t = self._t
        yield from t.guard(self._knocks(int(t.fate.integers(t.players)), [float(t.fate.uniform(0.8, 2.0))]))

    def knock_over(self, actor: int) -> Movement:
        """Fingers catch a column of the top floor high up; it falls, and maybe others with it."""
        t, hand = self._t, self._t.builder
        top = t.tower.on(t.tower.top_floor)
        if not top:
            return
        victim = top[int(t.fate.integers(len(top)))]
        t.handling = True
        yield from t.guard(self._flick(hand, victim))
        yield from t.finish(actor)

    def _flick(self, hand: Hand, victim: Standing) -> Movement:
        t = self._t
        a = math.radians(hand.azimuth_deg)
        out = np.array([math.cos(a), math.sin(a), 0.0])
        high = t.profile.columns[victim.column.shape].height_mm * 0.85 / 1e3
        at = np.array([victim.x_mm / 1e3, victim.y_mm / 1e3, victim.z_mm / 1e3 + high])
        hand.elbow_up_m = STEEP_M
        yield from hand.reach(at + out * (0.02 + t.profile.columns[victim.column.shape].radius_mm / 1e3), 0.6)
        yield from hand.push(0, at - out * 0.03, 0.3)
        yield from hand.pull_back(0)
        hand.elbow_up_m = ELBOW_UP_M

    def nudge(self, beside: np.ndarray, but: Column, by_mm: float) -> Movement:
        """The other fingers push the neighbour nearest to `beside` (m) aside, low at its foot; one that carries nothing."""
        t, hand = self._t, self._t.steady
        free = [s for s in t.tower.columns if s.column != but and plans.plateau_over(t.tower, s, t.profile) is None]
        if not free or hand.tip_m is not None:
            return
        hit = min(free, key=lambda s: math.hypot(s.x_mm - beside[0] * 1e3, s.y_mm - beside[1] * 1e3) + abs(s.z_mm - beside[2] * 1e3) / 4)
        radius_m = t.profile.columns[hit.column.shape].radius_mm / 1e3
        foot = np.array([hit.x_mm / 1e3, hit.y_mm / 1e3, hit.z_mm / 1e3 + FOOT_M])
        middle = np.array([t.tower.plateaus[-1].x_mm, t.tower.plateaus[-1].y_mm]) / 1e3
        out = math.atan2(*(foot[:2] - middle)[::-1])
        side = out + (math.pi / 2 if t.fate.random() < 0.5 else -math.pi / 2)
        way = np.array([math.cos(side), math.sin(side), 0.0])
        hand.sits(math.degrees(out), hand.sleeve)
        hand.elbow_up_m = STEEP_M
        yield from hand.reach(foot - way * (radius_m + 0.016), 0.4)
        yield from hand.push(0, foot - way * (radius_m + FINGER_M - 0.001 - by_mm / 1e3), 0.8)
        yield from hand.push(0, foot - way * (radius_m + 0.020), 0.25)
        yield from hand.pull_back(0, 0.4)
        hand.elbow_up_m = ELBOW_UP_M

    def touch(self, actor: int, columns: list[Column]) -> Movement:
        """A finger rests on a column near the rim, that does not move, and lets go (B4)."""
        t, hand = self._t, self._t.builder
        near = [(column, azimuth) for column in columns if (azimuth := self._within_reach(column)) is not None]
        if not near:
            return
        column, azimuth = near[int(t.fate.integers(len(near)))]
        place = t.world.position(column)
        a = math.radians(azimuth)
        out = np.array([math.cos(a), math.sin(a), 0.0])
        radius_m = t.profile.columns[column.shape].radius_mm / 1e3
        t.handling = True
        hand.sits(azimuth, hand.sleeve)
        hand.elbow_up_m = FLAT_M
        yield from hand.reach(place + out * (radius_m + 0.016))
        yield from t.guard(self._press(hand, place + out * (radius_m + FINGER_M - 0.0002)))
        hand.elbow_up_m = ELBOW_UP_M
        yield from t.finish(actor)

    def within_reach(self, columns: list[Column]) -> list[Column]:
        """Those that a finger gets at."""
        return [column for column in columns if self._within_reach(column) is not None]

    def _press(self, hand: Hand, at: np.ndarray) -> Movement:
        yield from hand.push(0, at, 0.4)
        yield from pause(float(self._t.fate.uniform(0.2, 0.8)))
        yield from hand.pull_back(0)

    def _within_reach(self, column: Column) -> float | None:
        """From where (degrees) a finger gets at a column without touching another; None: from nowhere."""
        t = self._t
        standing = t.tower.find(column)
        azimuth = plans.way_out(t.tower, standing, t.profile) if standing is not None else None
        if standing is None or azimuth is None:
            return None
        place = np.array([standing.x_mm, standing.y_mm]) / 1e3
        a = math.radians(azimuth)
        along = plans.OUT_MM / 1e3 - float(place @ np.array([math.cos(a), math.sin(a)]))
        return azimuth if along < WITHIN_REACH_M else None
