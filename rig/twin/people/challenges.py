"""A request that is challenged: the challenger tries, wins or breaks off, and the claimant takes a column in return (C1 to C6)."""

from __future__ import annotations

from rig.messages import CallWord, Standing
from rig.pieces import Column
from rig.rules import Phase, events
from rig.twin.people import plans
from rig.twin.people.actions import HandActions
from rig.twin.people.hand import Movement, pause
from rig.twin.people.manner import draw_manner
from rig.twin.people.table import TableState
from rig.twin.physics.statics import margin

BREAKS_OFF = 0.35
"""Share of challenges in which the challenger moves a column and thinks better of it."""
GIVES_UP_MM = 0.5
"""A challenger who sees no column that leaves more than this gives up without touching one."""
PENALTY_MM = 4.0
"""A penalty column is taken only if the tower bears it with this much to spare."""


class Challenges:
    """Challenges and penalties."""

    def __init__(self, table: TableState, deeds: HandActions) -> None:
        self._t, self._deeds = table, deeds

    def challenger(self, claimant: int) -> int | None:
        """Who challenges the request, if somebody does: the bolder the likelier."""
        t = self._t
        if not t.chance(t.level.deeds.challenge):
            return None
        seat = t.another(claimant)
        return seat if t.fate.random() < 0.4 + t.people[seat].boldness else None

    def challenge(self, seat: int, claimant: int) -> Movement:
        t = self._t
        yield from pause(float(t.fate.uniform(0.6, 1.6)))
        t.mouths.repeat(CallWord.REQUEST)  # "did you ask for a plateau?"
        yield from t.call(CallWord.CHALLENGE, seat, events.Challenged(seat))
        t.sit(seat)
        ready = [p for c in t.game.position.eligible(claimant) if (p := plans.plan_raise(t.tower, c, t.profile, t.fate)) is not None]
        best = max(ready, key=lambda plan: plan.margin_mm, default=None)
        yield from pause(float(t.fate.uniform(0.5, 2.0)))
        if best is None or best.margin_mm < GIVES_UP_MM:
            yield from t.call(CallWord.GIVE_UP, seat, events.GaveUp(by=seat))
        elif t.chance(BREAKS_OFF):
            manner = draw_manner(t.level, t.fate, t.people[seat], t.tower.top_floor, False)
            yield from t.guard(self._deeds.pull(best, None, manner=manner))
            yield from t.finish(seat, spoken=t.abort_spoken(seat))
        else:
            yield from t.guard(self._deeds.pull(best, self._deeds.carry(best)))
            yield from t.finish(seat)
            yield from self._take_out_refuted(best.column, seat)
        if t.phase_is(Phase.PENALTY):
            yield from self.penalty(claimant, seat)

    def _take_out_refuted(self, column: Column, seat: int) -> Movement:
        """The column that proved it leaves the game (C3)."""
        t = self._t
        standing = t.tower.find(column)
        if standing is None or t.game.phase is Phase.OVER or t.game.where(column) is not None:
            return
        yield from pause(float(t.fate.uniform(1.5, 3.0)))
        while t.wait_for_table():
            yield
        yield from t.guard(self._deeds.fetch(standing))
        yield from t.finish(seat)

    def penalty(self, claimant: int, challenger: int) -> Movement:
        """The claimant takes a column of the challenger's, or waives it (C4)."""
        t = self._t
        yield from pause(float(t.fate.uniform(1.5, 3.0)))
        while t.wait_for_table():
            yield
        t.sit(claimant)
        chosen = None if t.chance(t.level.deeds.waive) else self.spared(challenger)
        if chosen is None:
            yield from t.call(CallWord.WAIVE, claimant, events.PenaltyWaived(by=claimant))
            return
        standing, azimuth = chosen
        if azimuth is None:
            yield from t.guard(self._deeds.fetch(standing))
        else:
            over = plans.plateau_over(t.tower, standing, t.profile)
            plan = plans.Raise(standing.column, azimuth, 0.0, 0.0, over, 0.0)
            yield from t.guard(self._deeds.pull(plan, self._deeds.take_away()))
        yield from t.finish(claimant)

    def spared(self, challenger: int) -> tuple[Standing, float | None] | None:
        """The most valuable of the challenger's columns that the tower can spare, and its way out (None: straight up)."""
        t = self._t
        columns = t.profile.pieces.columns
        found: list[tuple[int, Standing, float | None]] = []
        for k in t.game.position.takeable(challenger):
            standing = t.tower.find(columns[k])
            if standing is None:
                continue
            over = plans.plateau_over(t.tower, standing, t.profile)
            azimuth = plans.way_out(t.tower, standing, t.profile) if over is not None else None
            stuck = over is not None and azimuth is None
            if not stuck and margin(t.profile, plans.without(t.tower, standing.column)) >= PENALTY_MM:
                found.append((standing.column.points * (3 if standing.floor is t.tower.top_floor else 1), standing, azimuth))
        if not found:
            return None
        _, standing, azimuth = max(found, key=lambda one: one[0])
        return standing, azimuth
