"""The steady bots: they set up, play by the rules as careful people would, and topple the tower in the end.

One script for the whole table, a generator that yields once a control tick. The bots know the tower as the truth log has it and the game as
`rig.rules` makes it of those truths; what they intend stays in here. A steady bot lifts the plateau above by half a millimetre while it
pulls, takes the column the tower misses least, and sets it down where the tower stands firmest. Things go wrong all the same.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator

import numpy as np

from rig.messages import Call, CallWord, Drew, FactKind, Input, SeatColours, Standing, Tower
from rig.pieces import Colour, Column, Floor
from rig.profile import Profile
from rig.rules import Game, Phase, events
from rig.twin import plans
from rig.twin.hand import Hand, Movement, pause
from rig.twin.levels import TableLevel
from rig.twin.physics import Grip, World
from rig.twin.truth import Truth, TruthLog

NAMES = ("Anna", "Ben", "Cleo", "Dan")
LIFT_M = 0.0006
"""How far the plateau above is lifted while a column is pulled (measured in physics: without it half of all pulls end badly)."""
ABORT_SHARE = 0.10
"""Share of attempts that a steady bot breaks off."""
SAFE_MM = 5.0
"""A raise whose plan leaves less than this is not tried while there is another way."""
BOLD_MM = 1.5
"""With no safer way left, this much is dared; below it lies recklessness."""
LAY_MM = 9.0
"""A plateau is laid only with this much to spare."""
SETTLE_S = 0.35
"""Seconds of stillness after which the tower counts as settled in the truth log."""
SETTLE_LIMIT_S = 4.0
OVERHANG_MM = 4.0
"""A foot counts as over the edge from here on (the design's tolerance for B7)."""


class Bots:
    """Everybody at the table. `say` hands over what people say; `script()` is the game."""

    def __init__(
        self, world: World, truth: TruthLog, level: TableLevel, rng: np.random.Generator, players: int, topple_after: int,
        say: Callable[[str, Input], None], wait_for_table: Callable[[], bool],
    ) -> None:  # fmt: skip
        self._world, self._truth, self._level, self._rng = world, truth, level, rng
        self._profile: Profile = world.profile
        self._say, self._wait_for_table = say, wait_for_table
        self._topple_after = topple_after
        self._builder = Hand(world, Grip.BUILDER, rng, level.tremor_mm)
        self._steady = Hand(world, Grip.STEADY, rng, level.tremor_mm)
        self._players = players
        self._raises = 0
        self.game = Game.new(self._profile.pieces, NAMES[:players])
        self.handling = False
        self.done = False
        self.seal: list[tuple[float, int | None]] = []
        """When the seal really passed, and to whom."""

    @property
    def hands(self) -> tuple[Hand, Hand]:
        return self._builder, self._steady

    @property
    def _tower(self) -> Tower:
        return self._truth.tower

    # ------------------------------------------------------------ the game

    def script(self) -> Movement:
        yield from pause(1.8)
        yield from self._set_up()
        while self.game.phase is not Phase.OVER:
            yield from self._breathe()
            yield from self._turn()
        self.done = True

    def _breathe(self) -> Movement:
        yield from pause(float(self._rng.uniform(1.4, 2.0)))
        while self._wait_for_table():
            yield

    def _set_up(self) -> Movement:
        seats = self._players
        for k, standing in enumerate(plans.plan_set_up(self._profile, self._rng)):
            self._sit(k % seats, None)
            height_m = self._profile.columns[standing.column.shape].height_mm / 1e3
            goal = np.array([standing.x_mm / 1e3, standing.y_mm / 1e3, height_m / 2])
            self.handling = True
            self._builder.bring(standing.column, standing.yaw_deg, goal * (0, 0, 1) + self._edge_m(0.25))
            yield from self._builder.move(goal + (0, 0, 0.13), 900, standing.yaw_deg)
            yield from self._set_down(goal)
            yield from self._finish(None)
            yield from pause(float(self._rng.uniform(0.9, 1.2)))
            while self._wait_for_table():
                yield
        while Floor.BLUE not in self.game.laid and self.game.phase is Phase.SET_UP:
            yield from self._lay(Floor.BLUE, self._players - 1)
            if not self._tower.plateaus:
                break
        yield from pause(2.0)
        colours = [Colour(c) for c in self._rng.permutation(list(Colour))]
        each = self.game.table.colours_each
        seats_colours = tuple(tuple(colours[each * s : each * s + each]) for s in range(self._players))
        first = int(self._rng.integers(self._players))
        self._say(
            "desk",
            Drew(seats=tuple(SeatColours(n, c) for n, c in zip(NAMES[: self._players], seats_colours, strict=True)), first=first),
        )
        self.game = self.game.apply(events.ColoursAssigned(seats_colours, first))

    def _sit(self, seat: int, sleeve: Colour | None) -> None:
        side = 45.0 + 360.0 * seat / self._players + float(self._rng.normal(0, 8))
        self._builder.sits(side, sleeve)
        self._steady.sits(side + 24, sleeve)

    def _edge_m(self, z_m: float) -> np.ndarray:
        a = math.radians(self._builder.azimuth_deg)
        return np.array([0.40 * math.cos(a), 0.40 * math.sin(a), z_m])

    def _turn(self) -> Movement:
        actor = self.game.actor
        if actor is None:
            self.done = True
            return
        colours = self.game.position.colours[actor]
        self._sit(actor, colours[0] if colours else None)
        neutral = self.game.position.movable_neutrals() if self.game.phase is Phase.BUILD else []
        eligible = self.game.position.eligible(actor)
        if neutral:
            eligible = [self._profile.pieces.columns[k] for k in neutral]
        if self._raises >= self._topple_after:
            yield from self._topple(actor, eligible)
            return
        ready = [plan for c in eligible if (plan := plans.plan_raise(self._tower, c, self._profile, self._rng)) is not None]
        ready.sort(key=lambda plan: -plan.margin_mm)
        safe = [plan for plan in ready if plan.margin_mm >= SAFE_MM]
        daring = [plan for plan in ready if plan.margin_mm >= BOLD_MM][:1]
        crowded = len(self._tower.on(self._tower.top_floor)) >= int(self._rng.integers(4, 7))
        if ((crowded or not safe) and self._can_lay(LAY_MM)) or (not safe and self._can_lay(BOLD_MM)):
            plateau = self.game.next_plateau
            assert plateau is not None
            yield from self._request(actor, plateau)
        elif safe or daring:
            yield from self._attempt(actor, safe[:3] or daring)
        elif not eligible:
            yield from self._nothing_to_build(actor)
        else:
            yield from self._topple(actor, eligible)

    def _can_lay(self, least_mm: float) -> bool:
        """Whether the actor may ask for a plateau, and sees a place for it with this much to spare."""
        plateau = self.game.next_plateau
        if plateau is None or self.game.phase is not Phase.BUILD:
            return False
        return plans.plan_laying(self._tower, plateau, self._profile, self._rng, least_mm) is not None

    def _attempt(self, actor: int, choice: list[plans.Raise]) -> Movement:
        plan = choice[int(self._rng.integers(len(choice)))]
        if self._rng.random() < ABORT_SHARE:
            yield from self._tug(actor, plan)
        else:
            yield from self._raise(actor, plan)

    def _nothing_to_build(self, actor: int) -> Movement:
        """No own column is left: the next plateau is laid if it can be, else the turn counts for the end."""
        plateau = self.game.next_plateau
        if plateau is None:
            yield from self._call(CallWord.NOTHING, actor, events.BuiltNothing(by=actor))
            return
        yield from self._request(actor, plateau)

    # ------------------------------------------------------------ deeds

    def _raise(self, actor: int, plan: plans.Raise) -> Movement:
        yield from self._pull(plan, self._carry(plan))
        self._raises += 1
        yield from self._finish(actor)

    def _tug(self, actor: int, plan: plans.Raise) -> Movement:
        """Pulls a column by one or two centimetres, thinks better of it, and puts it back."""
        yield from self._pull(plan, None)
        yield from self._finish(actor, spoken=self._abort_spoken(actor))

    def _abort_spoken(self, actor: int) -> Movement:
        yield from pause(float(self._rng.uniform(*self._level.call_lag_s)))
        self._say(f"seat {actor + 1}", Call(word=CallWord.ABORT, seat=actor))

    def _pull(self, plan: plans.Raise, carry: Movement | None, reckless: bool = False) -> Movement:
        """Out of the tower with the column, the plateau above held; then `carry`, or back into its place."""
        hand, world = self._builder, self._world
        place = world.position(plan.column)
        a = math.radians(plan.azimuth_deg)
        way = np.array([math.cos(a), math.sin(a), 0.0])
        self.handling = True
        hand.sits(self._toward(plan.azimuth_deg), hand.sleeve)
        yield from hand.reach(place + way * 0.02)
        rest = world.position(plan.held) if plan.held is not None else None
        if plan.held is not None and rest is not None:
            yield from self._hold_plateau(plan.held, rest)
        hand.take(plan.column)
        place = world.position(plan.column)
        yield from hand.move(place + (0, 0, 0.0002), 4)
        if carry is None:
            away = float(self._rng.uniform(0.012, 0.022))
            lifted = np.array([0.0, 0.0, 0.0002])
            yield from hand.move(place + way * away + lifted, 40)
            yield from hand.hold(float(self._rng.uniform(0.15, 0.4)))
            back = place + np.array([*self._rng.normal(0, self._level.put_back_mm / 1.5e3, 2), 0.00003])
            yield from hand.move(back + lifted, 30)
            yield from hand.move(back, 2)
            yield from hand.hold(0.1)
            hand.let_go()
        else:
            if plan.held is None and not reckless:  # nothing above: straight up, clear of the neighbours
                height_m = self._profile.columns[plan.column.shape].height_mm / 1e3
                yield from hand.move(place + (0, 0, height_m + 0.015), 250)
                place = self._world.aim(Grip.BUILDER)
            yield from hand.move(place + way * self._clear_m(place, way) + (0, 0, 0.0002), 150 if plan.held or reckless else 350)
        if rest is not None:
            yield from self._release_plateau(rest)
        if carry is not None:
            yield from carry

    def _clear_m(self, place: np.ndarray, way: np.ndarray) -> float:
        """Distance along `way` from `place` to the circle of radius OUT_MM."""
        along = float(place[:2] @ way[:2])
        beyond = (plans.OUT_MM / 1e3) ** 2 - float(place[:2] @ place[:2])
        return -along + math.sqrt(max(0.0, along**2 + beyond))

    def _toward(self, azimuth_deg: float) -> float:
        """The arm comes from between the player's side and the way the column goes."""
        side = math.radians(self._builder.azimuth_deg)
        out = math.radians(azimuth_deg)
        return math.degrees(math.atan2(math.sin(side) + 1.2 * math.sin(out), math.cos(side) + 1.2 * math.cos(out)))

    def _hold_plateau(self, plateau: Floor, rest: np.ndarray) -> Movement:
        a = math.radians(self._steady.azimuth_deg)
        yield from self._steady.reach(rest + (0.07 * math.cos(a), 0.07 * math.sin(a), 0.004), 0.45)
        self._steady.take(plateau)
        yield from self._steady.move(rest + (0, 0, LIFT_M), 2)
        self._steady.tip_m = rest + (0.07 * math.cos(a), 0.07 * math.sin(a), 0.004)

    def _release_plateau(self, rest: np.ndarray) -> Movement:
        tip = self._steady.tip_m
        yield from self._steady.move(rest, 2)
        yield from self._steady.yield_up()
        self._steady.tip_m = tip
        yield from self._steady.leave(0.4)

    def _carry(self, plan: plans.Raise) -> Movement:
        hand, tower = self._builder, self._tower
        height_m = self._profile.columns[plan.column.shape].height_mm / 1e3
        level_m = plans.level_mm(tower, tower.top_floor, self._profile) / 1e3
        goal = np.array([plan.x_mm / 1e3, plan.y_mm / 1e3, level_m + height_m / 2])
        out = self._world.aim(Grip.BUILDER)
        over = level_m + height_m * 1.5 + 0.015
        yield from hand.move(np.array([out[0], out[1], over]), 700)
        yield from hand.move(np.array([goal[0], goal[1], over]), 500)
        yield from self._set_down(goal)

    def _set_down(self, goal: np.ndarray) -> Movement:
        hand = self._builder
        yield from hand.move(goal + (0, 0, 0.012), 260)
        yield from hand.move(goal + (0, 0, 0.0003), 40)
        yield from hand.hold(0.15)
        hand.let_go()

    def _lay(self, plateau: Floor, seat: int) -> Movement:
        """Lays the plateau where it lies firmest; if no place is good enough the player takes the best there is."""
        laying = None
        for least_mm in (LAY_MM, 4.0, 0.5):
            laying = laying or plans.plan_laying(self._tower, plateau, self._profile, self._rng, least_mm)
        if laying is None:
            if plateau is Floor.BLUE:
                return
            yield from self._call(CallWord.CANNOT_LAY, seat, events.CannotLay(by=seat))
            return
        hand = self._builder
        half_m = self._profile.plateaus[plateau].thickness_mm / 2e3
        goal = np.array([laying.x_mm / 1e3, laying.y_mm / 1e3, laying.z_mm / 1e3 + half_m])
        self.handling = True
        hand.bring(plateau, laying.yaw_deg, self._edge_m(goal[2] + 0.05))
        yield from hand.move(goal + (0, 0, 0.05), 500, laying.yaw_deg)
        yield from hand.move(goal + (0, 0, 0.006), 80, laying.yaw_deg)
        yield from hand.move(goal + (0, 0, 0.0003), 12, laying.yaw_deg)
        yield from hand.hold(0.2)
        hand.let_go()
        yield from self._finish(seat if self.game.phase is not Phase.SET_UP else None)

    def _request(self, actor: int, plateau: Floor) -> Movement:
        yield from self._call(CallWord.REQUEST, actor, events.Requested(by=actor))
        if self.game.phase is Phase.CLAIM:
            yield from pause(float(self._rng.uniform(0.8, 1.6)))
            yield from self._call(CallWord.UNCHALLENGED, (actor + 1) % self._players, events.Unchallenged())
        if self.game.phase is Phase.LAY:
            yield from pause(0.6)
            yield from self._lay(plateau, actor)

    def _call(self, word: CallWord, seat: int, event: events.Event) -> Movement:
        yield from pause(float(self._rng.uniform(*self._level.call_lag_s)))
        self._say(f"seat {seat + 1}", Call(word=word, seat=seat))
        self.game = self.game.apply(event)

    def _topple(self, actor: int, eligible: list[Column]) -> Movement:
        """Recklessness: the weakest carrier is pulled with nobody holding anything."""
        columns = eligible or [s.column for s in self._tower.columns if s.floor is not self._tower.top_floor]
        weakest = plans.weakest_carrier(self._tower, columns, self._profile)
        if weakest is None:
            yield from self._call(CallWord.NOTHING, actor, events.BuiltNothing(by=actor))
            self.done = True
            return
        column, azimuth = weakest
        plan = plans.plan_raise(self._tower, column, self._profile, self._rng)
        if plan is None:
            plan = plans.Raise(column, azimuth, self._tower.plateaus[-1].x_mm, self._tower.plateaus[-1].y_mm, None, -1.0)
        reckless = plans.Raise(column, azimuth, plan.x_mm, plan.y_mm, None, plan.margin_mm)
        yield from self._guard(self._pull(reckless, self._carry(reckless), reckless=True))
        self._raises += 1
        yield from self._finish(actor)

    def _guard(self, movement: Movement) -> Movement:
        """Does `movement` until the tower is seen to fall; then everything is let go."""
        heights = {laid.plateau: self._world.position(laid.plateau)[2] for laid in self._tower.plateaus}
        for k, _ in enumerate(movement):
            if k % 5 == 0 and any(self._world.position(plateau)[2] < height - 0.03 for plateau, height in heights.items()):
                break
            yield
        for hand in self.hands:
            hand.let_go()

    # ------------------------------------------------------------ after a deed

    def _finish(self, seat: int | None, spoken: Movement | None = None) -> Movement:
        """Hands leave, the tower settles, and the truth goes into the game."""
        leaving: list[Movement] = [hand.leave() for hand in self.hands]
        if spoken is not None:
            leaving.append(spoken)
        yield from together(leaving)
        still_s, waited_s = 0.0, 0.0
        while still_s < SETTLE_S and waited_s < SETTLE_LIMIT_S:
            still_s = still_s + 0.01 if self._world.is_still() else 0.0
            waited_s += 0.01
            yield
        self.handling = False
        fallen: list[Column] = []
        before = self._tower
        for truth in self._truth.settle(self._world.t_s, self._world.poses(), seat, self._world.parked):
            for event in event_of(truth, self._tower):
                if self.game.phase is not Phase.OVER:  # what else falls after the end changes nothing
                    self.game = self.game.apply(event)
            if truth.kind is FactKind.INCIDENT and truth.column is not None:
                fallen.append(truth.column)
        if self.game.holder != (self.seal[-1][1] if self.seal else None):
            self.seal.append((self._world.t_s, self.game.holder))
        if fallen and self.game.phase is not Phase.OVER:
            yield from self._stand_up(before, fallen)

    def _stand_up(self, before: Tower, fallen: list[Column]) -> Movement:
        """Fallen columns are stood up where they were (E7, level B)."""
        while self._wait_for_table():
            yield
        for column in fallen:
            standing = before.find(column)
            if standing is not None and self.game.phase is not Phase.OVER:
                yield from self._stand_up_one(standing)

    def _stand_up_one(self, standing: Standing) -> Movement:
        """In from the side where it came from, the plateau above held, as it went out; where nothing is above, from above."""
        height_m = self._profile.columns[standing.column.shape].height_mm / 1e3
        goal = np.array([standing.x_mm / 1e3, standing.y_mm / 1e3, standing.z_mm / 1e3 + height_m / 2])
        over = plans.plateau_over(self._tower, standing, self._profile)
        azimuth = plans.way_out(self._tower, standing, self._profile)
        if over is not None and azimuth is None:
            return  # it no longer fits in: it stays out, as at any table
        self.handling = True
        if over is None or azimuth is None:
            self._builder.bring(standing.column, standing.yaw_deg, goal + (0, 0, 0.12))
            yield from self._set_down(goal)
        else:
            rest = self._world.position(over)
            yield from self._hold_plateau(over, rest)
            a = math.radians(azimuth)
            way = np.array([math.cos(a), math.sin(a), 0.0])
            self._builder.bring(standing.column, standing.yaw_deg, goal + way * self._clear_m(goal, way) + (0, 0, 0.0002))
            yield from self._builder.move(goal + way * 0.02 + (0, 0, 0.0002), 250)
            yield from self._builder.move(goal + (0, 0, 0.0002), 40)
            yield from self._builder.hold(0.15)
            self._builder.let_go()
            yield from self._release_plateau(rest)
        yield from self._finish(None)


def together(movements: list[Movement]) -> Movement:
    """All at once, until the last is through."""
    running: list[Iterator[None]] = list(movements)
    while running:
        running = [movement for movement in running if next(movement, True) is None]
        if running:
            yield


def event_of(truth: Truth, tower: Tower) -> list[events.Event]:
    """What the rules hear of a truth."""
    match truth.kind:
        case FactKind.STOOD if truth.column is not None:
            return [events.Placed(truth.column, truth.floor if truth.floor is not None else Floor.GROUND)]
        case FactKind.RAISED if truth.column is not None:
            overhang_mm = truth.details["overhang_mm"]
            over = overhang_mm if overhang_mm >= OVERHANG_MM else 0.0
            return [events.Raised(truth.column, truth.floor, overhang_mm=over, shifted=truth.shifted, nudged=truth.nudged)]
        case FactKind.ABORTED if truth.column is not None:
            return [events.Aborted(truth.column, shifted=truth.shifted, nudged=truth.nudged)]
        case FactKind.LAID:
            return [events.PlateauLaid(truth.floor, covers=int(truth.details["covers"]), nudged=truth.nudged)]
        case FactKind.COLLAPSED:
            return [events.Collapsed()]
        case FactKind.INCIDENT if truth.column is not None:
            return [events.Incident(None, fallen=(truth.column,))] if tower.plateaus else []
        case _:
            return []
