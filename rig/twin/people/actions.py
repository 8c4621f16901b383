"""What players do with the tower: pull a column, carry it, set it down, put it back, take it away, lay a plateau, stand up what fell.

A steady player lifts the plateau above by half a millimetre while pulling, takes the straight way out, and sets the column down softly. A
`Manner` says what is clumsy or against the rules about it. Who does what when is in `turns.py`.
"""

from __future__ import annotations

import math

import numpy as np

from rig.messages import Laid, Standing
from rig.pieces import Column, Floor
from rig.rules import Phase
from rig.twin.people import plans
from rig.twin.people.hand import Movement, pause
from rig.twin.people.manner import CAREFUL, Manner
from rig.twin.people.table import TableState
from rig.twin.physics.world import Grip

LIFT_M = 0.0006
"""How far the plateau above is lifted while a column is pulled (measured in physics: without it half of all pulls end badly)."""
CLEAR_M = 0.0002
"""How far the column itself is lifted off its floor."""
BENT_LIFT_M, BENT_CLEAR_M = 0.0016, 0.0009
"""So much further who takes every care lifts both where plates are bent; with less the column drags its floor or the plateau along."""
CARE = 0.25
"""How much the care of one pull differs from the person's skill (standard deviation)."""
OFF_HAND_M = 0.07
"""Where on a plateau the other hand holds it, from the middle."""

OFF_TABLE_M = -0.15
"""What lies lower is no longer on the table."""


class HandActions:
    """The deeds, done by whoever sits at the builder's hands."""

    def __init__(self, table: TableState) -> None:
        self._t = table

    # ------------------------------------------------------------ one column

    def pull(
        self, plan: plans.Raise, carry: Movement | None, reckless: bool = False, manner: Manner = CAREFUL, beside: Movement | None = None
    ) -> Movement:
        """Out of the tower with the column, the plateau above held; then `carry`, or back into its place. `beside`: done once it is out."""
        t, hand, world = self._t, self._t.builder, self._t.world
        place = world.position(plan.column)
        a = math.radians(plan.azimuth_deg)
        way = np.array([math.cos(a), math.sin(a), 0.0])
        t.handling = True
        hand.sits(self._toward(plan.azimuth_deg), hand.sleeve)
        yield from self._other_hand(plan, manner)
        hand.take_hook(manner.hook)
        yield from hand.reach(place + way * 0.02)
        rest = world.position(plan.held) if plan.held is not None else None
        lift_m, clear_m = self._air()
        if plan.held is not None and rest is not None:
            yield from self.hold_plateau(plan.held, rest, lift_m)
        hand.take(plan.column)
        place = world.position(plan.column)
        yield from hand.move(place + (0, 0, clear_m), 4)
        if manner.press_n:
            t.lean(hand.seat, manner.press_n, place[:2])
        if carry is None:
            yield from self._put_back(place, way, clear_m, manner)
        else:
            if plan.held is None and not reckless:  # nothing above: straight up, clear of the neighbours
                height_m = t.profile.columns[plan.column.shape].height_mm / 1e3
                yield from hand.move(place + (0, 0, height_m + 0.015), 250)
                place = world.aim(Grip.BUILDER)
            pace = (150 if plan.held or reckless else 350) * manner.haste
            yield from hand.move(place + way * self.way_m(place, way) + (0, 0, clear_m), pace)
            yield from hand.put_hook_away()
        if manner.press_n:
            t.lean_back()  # with a jerk: from one moment to the next
            if manner.lean_n:
                self._lean(manner)
        if rest is not None:
            yield from self._release_plateau(rest, manner.shift_mm)
        if beside is not None:
            yield from beside
        if carry is not None:
            yield from carry

    def _air(self) -> tuple[float, float]:
        """How far the acting player lifts the plateau above and the column itself this time (m)."""
        t = self._t
        if not t.level.drawn_set:
            return LIFT_M, CLEAR_M
        care = float(np.clip(t.people[t.builder.seat].skill + t.fate.normal(0, CARE), 0, 1))
        return LIFT_M + care * BENT_LIFT_M, CLEAR_M + care * BENT_CLEAR_M

    def _put_back(self, place: np.ndarray, way: np.ndarray, clear_m: float, manner: Manner) -> Movement:
        """By one or two centimetres out, and back again."""
        t, hand = self._t, self._t.builder
        away = float(t.rng.uniform(0.012, 0.022))
        lifted = np.array([0.0, 0.0, clear_m])
        yield from hand.move(place + way * away + lifted, 40)
        yield from hand.hold(float(t.rng.uniform(0.15, 0.4)))
        back = place + np.array([*t.rng.normal(0, t.level.put_back_mm / 1.5e3, 2), 0.00003]) + way * manner.off_mm / 1e3
        yield from hand.move(back + lifted, 30)
        yield from hand.move(back, 2)
        yield from hand.hold(0.1)
        hand.let_go()

    def _other_hand(self, plan: plans.Raise, manner: Manner) -> Movement:
        """The hand that does not pull rests on the apron or leans on the base; if it is to hold a plateau, another player's leans."""
        t = self._t
        if not manner.lean_n and not manner.apron:
            return
        hand = t.steady
        if plan.held is not None:
            t.sit_other(t.another(t.builder.seat))
            hand = t.other
        a = math.radians(hand.azimuth_deg)
        away_m = 0.222 if manner.apron else 0.168
        at = np.array([away_m * math.cos(a), away_m * math.sin(a)])
        yield from hand.reach(np.array([*at, 0.004]), 0.5)
        if manner.lean_n:
            t.lean(hand.seat, manner.lean_n, at)

    def _lean(self, manner: Manner) -> None:
        a = math.radians(self._t.steady.azimuth_deg)
        self._t.lean(self._t.steady.seat, manner.lean_n, 0.168 * np.array([math.cos(a), math.sin(a)]))

    def carry(self, plan: plans.Raise, manner: Manner = CAREFUL) -> Movement:
        """From beside the tower to its place on top."""
        t, hand, tower = self._t, self._t.builder, self._t.tower
        height_m = t.profile.columns[plan.column.shape].height_mm / 1e3
        level_m = plans.level_mm(tower, tower.top_floor, t.profile) / 1e3
        x_mm, y_mm, on_m = plan.x_mm, plan.y_mm, 0.0
        if manner.overhang_mm:
            x_mm, y_mm = plans.over_the_edge(tower, plan, t.profile, manner.overhang_mm)
        elif manner.stack and (under := plans.carrier_for(tower, plan.column, t.profile)) is not None:
            x_mm, y_mm = under.x_mm, under.y_mm
            on_m = (under.z_mm + t.profile.columns[under.column.shape].height_mm) / 1e3 - level_m
        goal = np.array([x_mm / 1e3, y_mm / 1e3, level_m + on_m + height_m / 2])
        out = t.world.aim(Grip.BUILDER)
        over = level_m + height_m * 1.5 + 0.015 + on_m
        if manner.drop:
            yield from hand.move(np.array([out[0] * 1.12, out[1] * 1.12, 0.12]), 400)
            hand.let_go()
            yield from pause(0.8)
            return
        yield from hand.move(np.array([out[0], out[1], over]), 700)
        yield from hand.move(np.array([goal[0], goal[1], over]), 500)
        top = tower.plateaus[-1].plateau if tower.plateaus else None
        if manner.held and top is not None:
            yield from self._steadied(top, goal, manner.jerk_mm)
        else:
            yield from self.set_down(goal, manner.jerk_mm)

    def _steadied(self, top: Floor, goal: np.ndarray, jerk_mm: float) -> Movement:
        """The other hand holds the top plateau while the column is set down, which it must not (B6)."""
        rest = self._t.world.position(top)
        yield from self.hold_plateau(top, rest, 0.0002)
        yield from self.set_down(goal + (0, 0, 0.0002), jerk_mm)
        yield from self._release_plateau(rest)

    def set_down(self, goal: np.ndarray, jerk_mm: float = 0.0) -> Movement:
        """The held column goes down onto `goal` (m, its middle) and is let go."""
        hand = self._t.builder
        yield from hand.move(goal + (0, 0, 0.012), 260)
        yield from hand.move(goal + (0, 0, 0.0003), 40)
        yield from hand.hold(0.15)
        if jerk_mm:
            yield from hand.move(goal - (0, 0, jerk_mm / 1e3), 20)
        hand.let_go()

    def take_away(self) -> Movement:
        """Out of the picture with the held column, and into the box."""
        t, hand = self._t, self._t.builder
        held = t.world.held.get(Grip.BUILDER)
        at = t.world.aim(Grip.BUILDER)
        away = at[:2] / max(float(np.linalg.norm(at[:2])), 1e-6)
        yield from hand.move(np.array([*(0.45 * away), max(0.15, float(at[2]))]), 600)
        yield from hand.move(np.array([*(0.85 * away), 0.2]), 900)
        hand.let_go()
        if held is not None:
            t.world.park(held)

    def fetch(self, standing: Standing) -> Movement:
        """Takes a column off the top, straight up, and away."""
        t, hand = self._t, self._t.builder
        t.handling = True
        place = t.world.position(standing.column)
        yield from hand.reach(place + (0, 0, 0.03))
        hand.take(standing.column)
        yield from hand.move(place + (0, 0, 0.0002), 4)
        yield from hand.move(place + (0, 0, t.profile.columns[standing.column.shape].height_mm / 1e3 + 0.02), 200)
        yield from self.take_away()

    def way_m(self, place: np.ndarray, way: np.ndarray) -> float:
        """Distance along `way` from `place` to the circle of radius OUT_MM."""
        along = float(place[:2] @ way[:2])
        beyond = (plans.OUT_MM / 1e3) ** 2 - float(place[:2] @ place[:2])
        return -along + math.sqrt(max(0.0, along**2 + beyond))

    def _toward(self, azimuth_deg: float) -> float:
        """The arm comes from between the player's side and the way the column goes."""
        side = math.radians(self._t.builder.azimuth_deg)
        out = math.radians(azimuth_deg)
        return math.degrees(math.atan2(math.sin(side) + 1.2 * math.sin(out), math.cos(side) + 1.2 * math.cos(out)))

    # ------------------------------------------------------------ plateaus

    def hold_plateau(self, plateau: Floor, rest: np.ndarray, lift_m: float = LIFT_M) -> Movement:
        hand = self._t.steady
        a = math.radians(hand.azimuth_deg)
        at = (OFF_HAND_M * math.cos(a), OFF_HAND_M * math.sin(a), 0.004)
        yield from hand.reach(rest + at, 0.45)
        hand.take(plateau)
        yield from hand.move(rest + (0, 0, lift_m), 2)
        hand.tip_m = rest + at

    def _release_plateau(self, rest: np.ndarray, shift_mm: float = 0.0) -> Movement:
        """Back where it was; or, `shift_mm` aside, where it was not (B5)."""
        t, hand = self._t, self._t.steady
        tip = hand.tip_m
        if shift_mm:
            a = float(t.fate.uniform(0, 2 * math.pi))
            aside = np.array([math.cos(a), math.sin(a), 0.0]) * shift_mm / 1e3
            yield from hand.move(rest + (0, 0, 0.0025), 8)
            yield from hand.move(rest + aside + (0, 0, 0.0025), 12)
            rest = rest + aside
        yield from hand.move(rest, 2)
        yield from hand.yield_up()
        hand.tip_m = tip
        yield from hand.leave(0.4)

    def lift_plateau(self, plateau: Floor, lift_mm: float) -> Movement:
        """Lifts a plateau with all that stands on it, looks, and puts it back."""
        t = self._t
        t.handling = True
        rest = t.world.position(plateau)
        yield from self.hold_plateau(plateau, rest, lift_mm / 1e3)
        yield from t.steady.hold(float(t.fate.uniform(0.4, 1.5)))
        yield from self._release_plateau(rest)

    def lay(self, plateau: Floor, laying: Laid, seat: int) -> Movement:
        """Lays the plateau as planned."""
        t, hand = self._t, self._t.builder
        half_m = t.profile.plateaus[plateau].thickness_mm / 2e3
        goal = np.array([laying.x_mm / 1e3, laying.y_mm / 1e3, laying.z_mm / 1e3 + half_m])
        t.handling = True
        hand.bring(plateau, laying.yaw_deg, t.edge_m(goal[2] + 0.05))
        yield from hand.move(goal + (0, 0, 0.05), 500, laying.yaw_deg)
        yield from hand.move(goal + (0, 0, 0.006), 80, laying.yaw_deg)
        yield from hand.move(goal + (0, 0, 0.0003), 12, laying.yaw_deg)
        yield from hand.hold(0.2)
        hand.let_go()
        yield from t.finish(seat if t.game.phase is not Phase.SET_UP else None)

    # ------------------------------------------------------------ standing up what fell

    def stand_up(self) -> Movement:
        """Fallen columns are stood up where they were (E7, level B)."""
        t = self._t
        before, fallen = t.last_before, list(t.last_fallen)
        while t.wait_for_table():
            yield
        for column in fallen:
            standing = before.find(column)
            if standing is not None and t.game.phase is not Phase.OVER and t.tower.find(column) is None:
                yield from self._stand_up_one(standing)

    def _stand_up_one(self, standing: Standing) -> Movement:
        """In from the side where it came from, the plateau above held, as it went out; where nothing is above, from above."""
        t, hand = self._t, self._t.builder
        height_m = t.profile.columns[standing.column.shape].height_mm / 1e3
        goal = np.array([standing.x_mm / 1e3, standing.y_mm / 1e3, standing.z_mm / 1e3 + height_m / 2])
        over = plans.plateau_over(t.tower, standing, t.profile)
        azimuth = plans.way_out(t.tower, standing, t.profile)
        if over is not None and azimuth is None:
            return  # it no longer fits in: it stays out, as at any table
        t.handling = True
        if t.level.hands.arms:
            yield from self._pick_up(standing.column)
        if over is None or azimuth is None:
            hand.bring(standing.column, standing.yaw_deg, goal + (0, 0, 0.12))
            yield from self.set_down(goal)
        else:
            rest = t.world.position(over)
            lift_m, clear_m = self._air()
            yield from self.hold_plateau(over, rest, lift_m)
            a = math.radians(azimuth)
            way = np.array([math.cos(a), math.sin(a), 0.0])
            hand.bring(standing.column, standing.yaw_deg, goal + way * self.way_m(goal, way) + (0, 0, clear_m))
            yield from hand.move(goal + way * 0.02 + (0, 0, clear_m), 250)
            yield from hand.move(goal + (0, 0, CLEAR_M), 40)
            yield from hand.hold(0.15)
            hand.let_go()
            yield from self._release_plateau(rest)
        yield from t.finish(None)

    def _pick_up(self, column: Column) -> Movement:
        """The hand goes to where the fallen column lies and is out of the tower with it."""
        t, hand = self._t, self._t.builder
        lies = t.world.position(column)
        if lies[2] < OFF_TABLE_M:  # it fell off the table: somebody bends down for it
            yield from pause(2.0)
            return
        yield from hand.reach(lies + (0, 0, 0.03), 0.7)
        hand.take(column)
        away = lies[:2] / max(float(np.linalg.norm(lies[:2])), 1e-6)
        yield from hand.move(lies + (0, 0, 0.06), 200)
        yield from hand.move(np.array([*(0.30 * away), float(lies[2]) + 0.12]), 400)
        hand.let_go()
