"""What modelled players do with the tower, second by second: pull, carry, put back, lay, stand up again, and what goes wrong meanwhile."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from shapely import Point, get_coordinates

from rig.exam.modelled import statics
from rig.exam.modelled.statics import Plan
from rig.exam.modelled.table import Script, Table
from rig.messages import CallWord, FactKind, Laid, Standing, StepKind, Tower
from rig.pieces import Column, Floor
from rig.rules import Phase
from rig.twin.people import plans
from rig.twin.people.manner import Manner
from rig.twin.physics.fall_cause import Cause
from rig.twin.truth import NUDGED_MM, SHIFTED_MM, Truth

TOPPLES = 0.034
"""Share of attempts that bring the tower down (twin at home: 2.8 to 4.4 % by skill, `python -m rig.bench.bench_table`)."""
TOPPLES_MM = 6.0
"""Margin over which that share falls to a third."""
JITTER_MM = 0.4
"""How far neighbours and plateaus are shaken by any raise (standard deviation)."""
OUT_OF_SIGHT = 0.15
"""Share of columns that fall where no camera sees them lie, or off the table."""


@dataclass(frozen=True, slots=True)
class Attempt:
    """One column's way: what was planned, how it is gone about, and by whom."""

    seat: int
    plan: Plan
    manner: Manner


class Deeds:
    """The deeds of one table."""

    def __init__(self, table: Table) -> None:
        self._t = table
        self._held_g = self._grams = 0.0
        self._felt = False
        self._on: Column | None = None
        """What the column raised last is stacked on."""
        self._stood: Standing
        """Where the column in hand stood."""

    # ------------------------------------------------------------ pulling

    def _begin(self, attempt: Attempt) -> Script:
        """Hands in, the plateau above lifted, the column taken hold of."""
        t = self._t
        yield from t.reach(attempt.seat)
        if attempt.manner.lean_n:
            t.room.shaking = True
            t.room.hand_g += attempt.manner.lean_n * 102.0
        standing = t.tower.find(attempt.plan.column)
        self._held_g = 0.0
        if attempt.plan.held and standing is not None:
            self._held_g = t.hold_up(Floor(standing.floor + 1))
            yield t.some(t.pace.hold)

    def _let_down(self) -> None:
        if self._held_g:
            self._t.release(self._held_g)
        self._held_g = 0.0

    def _take(self, column: Column) -> None:
        """The column leaves its place, in a hand."""
        t = self._t
        standing = t.tower.find(column)
        assert standing is not None
        t.room.tower = statics.without(t.tower, column)
        t.room.held = column
        t.room.stir(0.4)
        self._stood = standing

    def topples(self, attempt: Attempt) -> bool:
        """Whether this pull brings the tower down."""
        t = self._t
        person = t.people[attempt.seat]
        share = TOPPLES * (0.6 + 0.8 * person.clumsiness) * (0.5 + 2.0 * math.exp(-max(0.0, attempt.plan.margin_mm) / TOPPLES_MM))
        return bool(t.tower.plateaus) and t.chance(share)

    def raise_column(self, attempt: Attempt) -> Script:
        """From a lower floor onto the top, with whatever is clumsy or against the rules about it."""
        t, seat = self._t, attempt.seat
        before = t.tower
        yield from self.carry_up(attempt)
        if t.room.fallen or attempt.manner.drop:
            return
        self._nudge(attempt, before)
        telling = self.telling(attempt, before)
        t.raises += 1
        yield from t.finish(seat, lambda t_s: [telling(t_s)])
        t.mouths.false_abort(seat)

    def carry_up(self, attempt: Attempt) -> Script:
        """Until the column stands on top, the hands still there; or the tower fell, or the column slipped out of the hand."""
        t, plan, manner = self._t, attempt.plan, attempt.manner
        yield from self._begin(attempt)
        if self.topples(attempt):
            yield from t.collapse(attempt.seat, Cause.PULLED)
            return
        yield from self._out(attempt)
        if manner.drop:
            yield from self._dropped(attempt.seat, plan.column)
            return
        yield t.some(t.pace.carry)
        yield from self._set_down(attempt, plans.carrier_for(t.tower, plan.column, t.site.profile) if manner.stack else None)

    def _out(self, attempt: Attempt) -> Script:
        """Out of the tower; the scale may feel the column alone for a moment."""
        t, plan = self._t, attempt.plan
        self._take(plan.column)
        self._grams = t.site.mass_g(plan.column)
        yield t.some(t.pace.pull)
        if attempt.manner.shift_mm and plan.held:
            self._shift(attempt.manner.shift_mm)
        self._let_down()
        model = t.base.model
        self._felt = not attempt.manner.lean_n and not attempt.manner.press_n and t.chance(model.read)
        if self._felt:
            off_g = t.some((20.0, 60.0)) if t.chance(model.misread) else 0.0
            t.base.step(StepKind.LIFTED, t.room, -(self._grams + off_g))

    def _shift(self, by_mm: float) -> None:
        """The held plateau comes back aside (B5)."""
        t = self._t
        a = t.some((0.0, 2 * math.pi))
        t.room.tower = statics.shifted(t.tower, Floor(self._stood.floor + 1), by_mm * math.cos(a), by_mm * math.sin(a))

    def _set_down(self, attempt: Attempt, on: Standing | None) -> Script:
        t, plan = self._t, attempt.plan
        top = t.tower.top_floor
        z_mm = plans.level_mm(t.tower, top, t.site.profile)
        x_mm, y_mm = plan.x_mm, plan.y_mm
        if on is not None:
            x_mm, y_mm, z_mm = on.x_mm, on.y_mm, on.z_mm + t.site.height_mm(on.column)
        elif attempt.manner.overhang_mm:
            x_mm, y_mm = self._over_the_edge(plan.column, x_mm, y_mm, attempt.manner.overhang_mm)
        self._on = on.column if on is not None else None
        yield t.some(t.pace.set_down)
        t.room.tower = statics.stood(t.tower, Standing(plan.column, top, x_mm, y_mm, z_mm, t.some((-30, 30))))
        t.room.held = None
        t.room.stir(0.3)
        if self._felt:
            t.base.step(StepKind.SET_DOWN, t.room, self._grams)

    def _over_the_edge(self, column: Column, x_mm: float, y_mm: float, by_mm: float) -> tuple[float, float]:
        """The nearest place by the edge where the foot reaches so far beyond it, if the neighbours leave one."""
        t = self._t
        laid = t.tower.plateaus[-1]
        radius_mm = t.site.radius_mm(column)
        edge = t.site.outline(laid).buffer(-max(radius_mm - by_mm, 2.5)).exterior
        others = [(s.x_mm, s.y_mm, t.site.radius_mm(s.column)) for s in t.tower.on(laid.plateau)]
        spots = [edge.interpolate(k / 40, normalized=True) for k in range(40)]
        free = [p for p in spots if all(math.hypot(p.x - x, p.y - y) > radius_mm + r + statics.NEIGHBOUR_MM for x, y, r in others)]
        if not free:
            return x_mm, y_mm
        nearest = min(free, key=lambda p: math.hypot(p.x - x_mm, p.y - y_mm))
        return float(nearest.x), float(nearest.y)

    def _nudge(self, attempt: Attempt, before: Tower) -> None:
        """A neighbour pushed aside by clumsy fingers, if any stands free (B3)."""
        t, by_mm = self._t, attempt.manner.nudge_mm
        top = t.tower.top_floor
        free = [s for s in t.tower.on(top) if s.column != attempt.plan.column and before.find(s.column) is not None]
        if not by_mm or not free:
            return
        hit = min(free, key=lambda s: math.hypot(s.x_mm - attempt.plan.x_mm, s.y_mm - attempt.plan.y_mm))
        a = t.some((0.0, 2 * math.pi))
        t.room.tower = statics.moved(t.tower, hit.column, by_mm * math.cos(a), by_mm * math.sin(a))
        t.room.stir(0.3)

    def telling(self, attempt: Attempt, before: Tower) -> Callable[[float], Truth]:
        """What the truth log says of this raise, once settled."""
        t, column, on = self._t, attempt.plan.column, self._on

        def truth(t_s: float) -> Truth:
            after = t.tower
            standing = after.find(column)
            assert standing is not None
            details, nudged, shifted = disturbance(before, after, column)
            over_mm = 0.0 if on is not None else round(overhang_mm(t, standing), 1)
            return Truth(
                t_s, FactKind.RAISED, attempt.seat, column, standing.floor, {"overhang_mm": over_mm} | details, nudged, shifted,
                on_column=on, held_plateau=attempt.manner.held,
            )  # fmt: skip

        return truth

    def _dropped(self, seat: int, column: Column) -> Script:
        """It slips out of the hand on its way."""
        t = self._t
        yield 0.6
        t.fell_over([column], t.chance(OUT_OF_SIGHT))
        yield 0.8
        yield from t.finish(seat, lambda t_s: [Truth(t_s, FactKind.INCIDENT, seat, column, columns=(column,), handled=True)])
        yield from self.stand_up([self._stood])

    # ------------------------------------------------------------ tugging

    def tug(self, attempt: Attempt) -> Script:
        """Out by a centimetre or two, and back again."""
        t, plan, seat = self._t, attempt.plan, attempt.seat
        before = t.tower
        yield from self._begin(attempt)
        if self.topples(attempt):
            yield from t.collapse(seat, Cause.PULLED)
            return
        t.room.displaced = plan.column
        t.room.stir(0.3)
        yield t.some(t.pace.tug)
        t.room.displaced = None
        off_mm = attempt.manner.off_mm + abs(float(t.rng.normal(0, t.level.put_back_mm / 1.5)))
        a = t.some((0.0, 2 * math.pi))
        t.room.tower = statics.moved(t.tower, plan.column, off_mm * math.cos(a), off_mm * math.sin(a))
        t.room.stir(0.2)
        self._let_down()

        def truth(t_s: float) -> list[Truth]:
            details, nudged, shifted = disturbance(before, t.tower, plan.column)
            standing = t.tower.find(plan.column)
            floor = standing.floor if standing is not None else None
            told = details | {"moved_mm": 15.0, "off_mm": round(off_mm, 2)}
            return [Truth(t_s, FactKind.ABORTED, seat, plan.column, floor, told, nudged, shifted)]

        yield from t.finish(seat, truth, spoken=CallWord.ABORT)

    # ------------------------------------------------------------ taking out, laying, standing up

    def take_out(self, attempt: Attempt) -> Script:
        """A column leaves the tower and the table."""
        t, plan, seat = self._t, attempt.plan, attempt.seat
        before = t.tower
        yield from self._begin(attempt)
        if self.topples(attempt):
            yield from t.collapse(seat, Cause.PULLED)
            return
        self._take(plan.column)
        yield t.some(t.pace.pull)
        self._let_down()
        t.room.held = None
        t.base.step(StepKind.LIFTED, t.room, -t.site.mass_g(plan.column))
        yield t.some(t.pace.carry)

        def truth(t_s: float) -> list[Truth]:
            details, nudged, shifted = disturbance(before, t.tower, plan.column)
            return [Truth(t_s, FactKind.REMOVED, seat, plan.column, None, details, nudged, shifted)]

        yield from t.finish(seat, truth)

    def lay(self, plateau: Floor, laid: Laid, under: frozenset[Column], seat: int) -> Script:
        """Lays the plateau as planned."""
        t = self._t
        yield from t.reach(seat)
        yield t.some(t.pace.lay)
        t.room.tower = Tower(t.tower.columns, (*t.tower.plateaus, laid))
        t.room.carriers[plateau] = under
        t.room.stir(0.4)
        t.base.step(StepKind.SET_DOWN, t.room, t.site.profile.plateaus[plateau].mass_g)
        truth_seat = seat if t.game.phase is not Phase.SET_UP else None
        details = {"covers": float(len(under)), "nudged_mm": 0.0, "shifted_mm": 0.0, "turned_deg": 0.0}
        yield from t.finish(truth_seat, lambda t_s: [Truth(t_s, FactKind.LAID, truth_seat, None, plateau, details)])

    def stand_up(self, fallen: Sequence[Standing]) -> Script:
        """Fallen columns are stood up where they were (E7, level B)."""
        t = self._t
        yield from t.wait_for_table()
        for standing in fallen:
            if t.game.phase is Phase.OVER or t.tower.find(standing.column) is not None:
                continue
            seat = t.last_actor if t.last_actor is not None else 0
            yield t.some((0.6, 2.0))
            yield from t.reach(seat)
            t.room.lying.discard(standing.column)
            t.room.held = standing.column
            t.room.stir(0.4)
            yield t.some(t.pace.carry)
            yield t.some(t.pace.set_down)
            a, off_mm = t.some((0.0, 2 * math.pi)), abs(float(t.rng.normal(0, 1.0)))
            again = Standing(
                standing.column, standing.floor, standing.x_mm + off_mm * math.cos(a), standing.y_mm + off_mm * math.sin(a), standing.z_mm,
                standing.yaw_deg,
            )  # fmt: skip
            t.room.tower = statics.stood(t.tower, again)
            t.room.held = None
            t.room.stir(0.3)
            t.base.step(StepKind.SET_DOWN, t.room, t.site.mass_g(standing.column))
            column, floor = standing.column, standing.floor
            yield from t.finish(None, lambda t_s, column=column, floor=floor: [Truth(t_s, FactKind.STOOD, None, column, floor)])  # type: ignore[misc]

    # ------------------------------------------------------------ what changes nothing

    def touch(self, seat: int, column: Column) -> Script:
        """A finger rests on a column, that does not move (B4)."""
        t = self._t
        yield from t.reach(seat)
        yield t.some((0.6, 1.2))
        yield from t.finish(seat, lambda t_s: [Truth(t_s, FactKind.UNCHANGED, seat, column, None, {"touched": 1.0})])

    def lift_plateau(self, seat: int, plateau: Floor) -> Script:
        """A plateau is lifted by millimetres, looked under, and put back."""
        t = self._t
        yield from t.reach(seat)
        held_g = t.hold_up(plateau)
        yield t.some((0.8, 2.0))
        t.release(held_g)
        lifted = {"lifted_mm": 3.0}
        yield from t.finish(seat, lambda t_s: [Truth(t_s, FactKind.UNCHANGED, seat, None, plateau, lifted)])


def disturbance(before: Tower, after: Tower, handled: Column | None) -> tuple[dict[str, float], tuple[Column, ...], tuple[Floor, ...]]:
    """How far the other columns and the plateaus have come from their places, as the twin's truth has it."""
    was = {laid.plateau: laid for laid in before.plateaus}
    moved = {
        laid.plateau: (laid.x_mm - was[laid.plateau].x_mm, laid.y_mm - was[laid.plateau].y_mm)
        for laid in after.plateaus
        if laid.plateau in was
    }
    nudged_mm: dict[Column, float] = {}
    for s in after.columns:
        old = before.find(s.column)
        if s.column != handled and old is not None and old.floor is s.floor:
            dx, dy = moved.get(s.floor, (0.0, 0.0))
            nudged_mm[s.column] = math.hypot(s.x_mm - old.x_mm - dx, s.y_mm - old.y_mm - dy)
    shifted_mm = {plateau: math.hypot(*by) for plateau, by in moved.items()}
    details = {
        "nudged_mm": round(max(nudged_mm.values(), default=0.0), 2), "shifted_mm": round(max(shifted_mm.values(), default=0.0), 2),
        "turned_deg": 0.0,
    }  # fmt: skip
    return (
        details,
        tuple(column for column, mm in nudged_mm.items() if mm >= NUDGED_MM),
        tuple(plateau for plateau, mm in shifted_mm.items() if mm >= SHIFTED_MM),
    )


def overhang_mm(table: Table, standing: Standing) -> float:
    """How far a foot reaches beyond its floor's edge (B7)."""
    laid = statics.laid_of(table.tower, standing.floor)
    if laid is None:
        return 0.0
    shape = table.site.outline(laid)
    foot = Point(standing.x_mm, standing.y_mm).buffer(table.site.radius_mm(standing.column), quad_segs=16)
    beyond = foot.difference(shape)
    if beyond.is_empty:
        return 0.0
    return max(float(shape.distance(Point(x, y))) for x, y in get_coordinates(beyond))
