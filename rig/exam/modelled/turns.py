"""The modelled players' turns: the choices of the twin's people (`rig.twin.people.turns`), by statics instead of physics."""

from __future__ import annotations

import math
from dataclasses import replace

from rig.exam.modelled import statics
from rig.exam.modelled.deeds import OUT_OF_SIGHT, Attempt, Deeds
from rig.exam.modelled.statics import Plan
from rig.exam.modelled.table import Script, Table
from rig.messages import CallWord, FactKind, Standing, StepKind
from rig.pieces import Column, Floor
from rig.rules import Phase, events
from rig.twin.people.challenges import BREAKS_OFF, GIVES_UP_MM, PENALTY_MM
from rig.twin.people.manner import CAREFUL, draw_manner
from rig.twin.people.turns import ABORT_SHARE, BOLD_MM, IDLE_S, LAY_MM, SAFE_MM, TRIES_ANYWAY
from rig.twin.physics.fall_cause import Cause
from rig.twin.truth import Truth

UNCALLED_FALLS = 0.75
"""Share of arms, knocks and draughts nobody waited for that bring the tower down; the others do no harm."""
ANOTHER_GOES = 0.35
"""Probability that a column knocked over takes the next along."""


class Turns:
    """A game from the draw of colours to its end."""

    def __init__(self, table: Table) -> None:
        self._t = table
        self.deeds = Deeds(table)
        self.over = False

    def game(self) -> Script:
        t = self._t
        yield 2.0
        while t.game.phase is not Phase.OVER and t.game.actor is not None and not t.room.fallen:
            yield from t.breathe()
            yield from self._turn()
        self.over = True

    # ------------------------------------------------------------ a turn

    def _turn(self) -> Script:
        t = self._t
        actor = t.game.actor
        assert actor is not None
        yield from self._before(actor, self._eligible(actor))
        if t.room.fallen or t.game.phase is Phase.OVER or t.game.actor != actor:
            return
        eligible = self._eligible(actor)
        person = t.people[actor]
        ready = sorted(self._plans(eligible), key=lambda plan: -plan.margin_mm)
        least_mm = person.dares_mm(SAFE_MM, BOLD_MM)
        safe = [plan for plan in ready if plan.margin_mm + float(t.fate.normal(0, person.misjudges_mm)) >= least_mm]
        daring = [plan for plan in ready if plan.margin_mm >= BOLD_MM][:1]
        crowded = len(t.tower.on(t.tower.top_floor)) >= int(t.rng.integers(4, 7))
        if ((crowded or not safe) and self._can_lay(LAY_MM)) or (not safe and self._can_lay(BOLD_MM)):
            yield from self.request(actor)
        elif safe or daring:
            yield from self._attempt(actor, (safe[:3] if person.boldness < 0.5 else safe[:5]) or daring)
        elif t.game.phase in (Phase.OWN, Phase.RETRY):
            yield from t.call(CallWord.PASS, actor, events.Stopped(by=actor))
        elif not eligible:
            yield from self._nothing_to_build(actor)
        elif ready and t.fate.random() < TRIES_ANYWAY + person.boldness:
            yield from self._attempt(actor, ready[:1])
        else:
            yield from self._nothing_to_build(actor)

    def _eligible(self, actor: int) -> list[Column]:
        t = self._t
        neutral = t.game.position.movable_neutrals() if t.game.phase is Phase.BUILD else []
        return [t.site.profile.pieces.columns[k] for k in neutral] or list(t.game.position.eligible(actor))

    def _plans(self, columns: list[Column]) -> list[Plan]:
        t = self._t
        found = (statics.plan_raise(t.site, t.tower, t.room.carriers, column, t.rng) for column in columns)
        return [plan for plan in found if plan is not None]

    def _can_lay(self, least_mm: float) -> bool:
        t = self._t
        plateau = t.game.next_plateau
        if plateau is None or t.game.phase is not Phase.BUILD:
            return False
        return statics.plan_laying(t.site, t.tower, t.room.carriers, plateau, t.rng, least_mm) is not None

    def _before(self, actor: int, eligible: list[Column]) -> Script:
        """What people do before they begin in earnest."""
        t, deeds = self._t, self._t.level.deeds
        if t.chance(deeds.idle):
            yield IDLE_S
        if t.chance(deeds.bump):
            yield from self._bump()
        if t.chance(t.level.falls.uncalled * len(t.tower.plateaus)):
            yield from self._uncalled(actor)
            if t.room.fallen:
                return
        if t.chance(deeds.topple):
            yield from self._knock_over(actor)
        if t.room.fallen or t.game.phase is Phase.OVER or t.game.actor != actor:
            return
        if eligible and t.chance(deeds.touch):
            yield from self.deeds.touch(actor, eligible[int(t.fate.integers(len(eligible)))])
        if t.tower.plateaus and t.chance(deeds.plateau_lift):
            plateau = t.tower.plateaus[int(t.fate.integers(len(t.tower.plateaus)))].plateau
            yield from self.deeds.lift_plateau(actor, plateau)

    # ------------------------------------------------------------ attempts

    def _attempt(self, actor: int, choice: list[Plan]) -> Script:
        t = self._t
        plan = choice[int(t.rng.integers(len(choice)))]
        aborts = t.rng.random() < ABORT_SHARE
        plan = self._dishonest(actor) or plan
        manner = draw_manner(t.level, t.fate, t.people[actor], t.tower.top_floor, bool(t.tower.on(t.tower.top_floor)))
        if aborts:
            yield from self.deeds.tug(Attempt(actor, plan, manner))
        elif t.chance(t.level.deeds.two):
            yield from self._two(actor, plan)
        else:
            yield from self.deeds.raise_column(Attempt(actor, plan, manner))

    def _dishonest(self, actor: int) -> Plan | None:
        """Now and then somebody takes what is not theirs to take, or what is locked."""
        t = self._t
        if not t.chance(t.level.deeds.wrong_colour * (0.4 + 2.0 * (1 - t.people[actor].honesty))):
            return None
        own = set(t.game.position.eligible(actor))
        standing = [s.column for s in t.tower.columns if s.column not in own and s.floor is not t.tower.top_floor]
        ready = [plan for plan in self._plans(standing) if plan.margin_mm >= SAFE_MM]
        return ready[int(t.fate.integers(len(ready)))] if ready else None

    def _two(self, actor: int, plan: Plan) -> Script:
        """One column, and at once another in the same go (B3)."""
        t, deeds = self._t, self.deeds
        before = t.tower
        first = Attempt(actor, plan, CAREFUL)
        yield from deeds.carry_up(first)
        others = [c for c in self._eligible(actor) if c != plan.column]
        clear = [p for p in self._plans(others) if p.margin_mm >= SAFE_MM]
        tellings = [deeds.telling(first, before)]
        if clear and not t.room.fallen:
            second = Attempt(actor, clear[0], CAREFUL)
            yield from deeds.carry_up(second)
            tellings.append(deeds.telling(second, before))
        if t.room.fallen:
            return
        t.raises += len(tellings)
        yield from t.finish(actor, lambda t_s: [telling(t_s) for telling in tellings])

    # ------------------------------------------------------------ requests, challenges, penalties

    def request(self, actor: int) -> Script:
        """Asks for the plateau, is challenged or not, and lays it."""
        t = self._t
        plateau = t.game.next_plateau
        assert plateau is not None
        yield from t.call(CallWord.REQUEST, actor, events.Requested(by=actor))
        if t.game.phase is Phase.CLAIM:
            challenger = self._challenger(actor)
            if challenger is not None:
                yield from self._challenge(challenger, actor)
            else:
                yield t.some((0.8, 1.6))
                yield from t.call(CallWord.UNCHALLENGED, (actor + 1) % t.players, events.Unchallenged())
        if t.game.phase is Phase.LAY and not t.room.fallen:
            yield 0.6
            yield from self._lay(plateau, actor)

    def _lay(self, plateau: Floor, seat: int) -> Script:
        t = self._t
        plan = None
        if t.chance(t.level.deeds.askew):
            plan = statics.plan_laying(t.site, t.tower, t.room.carriers, plateau, t.fate, 3.0, tries=4)
        for least_mm in (LAY_MM, 4.0, 0.5):
            plan = plan or statics.plan_laying(t.site, t.tower, t.room.carriers, plateau, t.rng, least_mm)
        if plan is None:
            yield from t.call(CallWord.CANNOT_LAY, seat, events.CannotLay(by=seat))
            return
        yield from self.deeds.lay(plateau, *plan, seat)

    def _challenger(self, claimant: int) -> int | None:
        t = self._t
        if not t.chance(t.level.deeds.challenge):
            return None
        seat = t.another(claimant)
        return seat if t.fate.random() < 0.4 + t.people[seat].boldness else None

    def _challenge(self, seat: int, claimant: int) -> Script:
        t = self._t
        yield t.some((0.6, 1.6))
        t.mouths.repeat(CallWord.REQUEST)
        yield from t.call(CallWord.CHALLENGE, seat, events.Challenged(seat))
        ready = self._plans(list(t.game.position.eligible(claimant)))
        best = max(ready, key=lambda plan: plan.margin_mm, default=None)
        yield t.some((0.5, 2.0))
        if best is None or best.margin_mm < GIVES_UP_MM:
            yield from t.call(CallWord.GIVE_UP, seat, events.GaveUp(by=seat))
        elif t.chance(BREAKS_OFF):
            manner = draw_manner(t.level, t.fate, t.people[seat], t.tower.top_floor, False)
            yield from self.deeds.tug(Attempt(seat, best, replace(manner, drop=False)))
        else:
            yield from self.deeds.raise_column(Attempt(seat, best, CAREFUL))
            if not t.room.fallen:
                yield from self._take_out_refuted(best.column, seat)
        if t.game.phase is Phase.PENALTY and not t.room.fallen:
            yield from self._penalty(claimant, seat)

    def _take_out_refuted(self, column: Column, seat: int) -> Script:
        """The column that proved it leaves the game (C3)."""
        t = self._t
        if t.tower.find(column) is None or t.game.phase is Phase.OVER or t.game.where(column) is not None:
            return
        yield t.some((1.5, 3.0))
        yield from t.wait_for_table()
        yield from self.deeds.take_out(Attempt(seat, Plan(column, 0.0, 0.0, statics.FAR_MM, False), CAREFUL))

    def _penalty(self, claimant: int, challenger: int) -> Script:
        """The claimant takes a column of the challenger's, or waives it (C4)."""
        t = self._t
        yield t.some((1.5, 3.0))
        yield from t.wait_for_table()
        chosen = None if t.chance(t.level.deeds.waive) else self._spared(challenger)
        if chosen is None:
            yield from t.call(CallWord.WAIVE, claimant, events.PenaltyWaived(by=claimant))
            return
        yield from self.deeds.take_out(Attempt(claimant, chosen, CAREFUL))

    def _spared(self, challenger: int) -> Plan | None:
        """The most valuable of the challenger's columns that the tower can spare."""
        t = self._t
        found: list[tuple[int, Plan]] = []
        for k in t.game.position.takeable(challenger):
            standing = t.tower.find(t.site.profile.pieces.columns[k])
            if standing is None:
                continue
            margin_mm = statics.margin_mm(t.site, statics.without(t.tower, standing.column), t.room.carriers)
            if margin_mm >= PENALTY_MM:
                on_top = standing.floor is t.tower.top_floor
                held = not on_top and standing.column in t.room.carriers.get(Floor(standing.floor + 1), frozenset())
                found.append((standing.column.points * (3 if on_top else 1), Plan(standing.column, 0.0, 0.0, margin_mm, held)))
        return max(found, key=lambda one: one[0])[1] if found else None

    def _nothing_to_build(self, actor: int) -> Script:
        """The next plateau is laid if it can be, else the turn counts for the end."""
        t = self._t
        if t.game.next_plateau is None:
            yield from t.call(CallWord.NOTHING, actor, events.BuiltNothing(by=actor))
            return
        yield from self.request(actor)

    # ------------------------------------------------------------ mishaps

    def _bump(self) -> Script:
        """Somebody bumps the table; nothing comes of it."""
        t = self._t
        t.base.shock(t.t_s, t.some((0.8, 2.5)))
        t.room.stir(0.4)
        yield 1.0

    def _uncalled(self, actor: int) -> Script:
        """Somebody else's arm, a knock, a draught, or the actor's raise onto the brink, by the level's weights."""
        t, falls = self._t, self._t.level.falls
        ways = [(falls.arm, self._sweep), (falls.knock, self._hard_knock), (falls.draught, self._draught), (falls.late, self._late)]
        at = t.some((0.0, sum(weight for weight, _ in ways)))
        for weight, way in ways:
            at -= weight
            if at <= 0:
                yield from way(actor)
                return

    def _sweep(self, actor: int) -> Script:
        t = self._t
        other = t.another(actor)
        if t.chance(0.5):
            t.room.reach_in(actor)
            yield 0.8
        yield from t.reach(other)
        yield t.some((0.2, 0.6))
        if t.chance(UNCALLED_FALLS):
            yield from t.collapse(other, Cause.ARM)
            return
        yield from t.finish(actor, lambda _: [])

    def _hard_knock(self, actor: int) -> Script:
        t = self._t
        seat = t.another(actor)
        for mps2 in (4.0, 6.5, 9.0):
            t.base.shock(t.t_s, mps2 * t.some((0.6, 1.2)))
            t.room.stir(0.5)
            if t.chance(UNCALLED_FALLS / 2):
                yield 0.3
                yield from t.collapse(seat, Cause.KNOCK)
                return
            yield 1.2

    def _draught(self, _actor: int) -> Script:
        t = self._t
        yield 2.0
        if t.chance(UNCALLED_FALLS):
            yield from t.collapse(None, Cause.DRAUGHT)

    def _late(self, actor: int) -> Script:
        """A raise that leaves the tower on the brink; it falls after all, or it does not."""
        t = self._t
        ready = [plan for plan in self._plans(self._eligible(actor)) if plan.margin_mm > 0.5]
        if not ready:
            return
        plan = min(ready, key=lambda one: one.margin_mm)
        yield from self.deeds.raise_column(Attempt(actor, plan, CAREFUL))
        if t.room.fallen or t.game.phase is Phase.OVER:
            return
        yield t.some((1.0, 9.0))
        if t.chance(UNCALLED_FALLS):
            yield from t.collapse(t.last_actor, Cause.LATE)

    def _knock_over(self, actor: int) -> Script:
        """Fingers catch a column of the top floor; it falls, and maybe others with it."""
        t = self._t
        top = list(t.tower.on(t.tower.top_floor))
        if not top or not t.tower.plateaus:
            return
        fallen: list[Standing] = [top.pop(int(t.fate.integers(len(top))))]
        while top and t.chance(ANOTHER_GOES):
            near = min(top, key=lambda s: math.hypot(s.x_mm - fallen[-1].x_mm, s.y_mm - fallen[-1].y_mm))
            top.remove(near)
            fallen.append(near)
        yield from t.reach(actor)
        columns = sorted(s.column for s in fallen)
        t.fell_over(columns, t.chance(OUT_OF_SIGHT))
        t.base.step(StepKind.SWING, t.room, 20.0)
        yield 0.8
        yield from t.finish(actor, lambda t_s: [Truth(t_s, FactKind.INCIDENT, actor, columns[0], columns=tuple(columns))])
        if t.game.phase is not Phase.OVER:
            yield from self.deeds.stand_up(fallen)
