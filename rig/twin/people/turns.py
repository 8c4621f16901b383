"""Whose turn it is and what they make of it: a raise, an abort, a request, a challenge, a penalty, and the end.

The people play by the rules as careful players would, each as bold and as honest as they are. Actions are in `actions.py`, mishaps in
`mishaps.py`, what comes before the first turn in `setting_up.py`.
"""

from __future__ import annotations

import numpy as np

from rig.messages import CallWord, Laid
from rig.pieces import Column, Floor
from rig.rules import Phase, events
from rig.twin.people import plans
from rig.twin.people.actions import HandActions
from rig.twin.people.challenges import Challenges
from rig.twin.people.hand import Movement, pause
from rig.twin.people.manner import CAREFUL, Manner, draw_manner
from rig.twin.people.mishaps import Mishaps
from rig.twin.people.setting_up import blue_is_wanted, draw_colours, stand_up_all
from rig.twin.people.table import TableState
from rig.twin.physics.world import Grip

ABORT_SHARE = 0.10
"""Share of attempts that a steady player breaks off."""
SAFE_MM = 5.0
"""A raise whose plan leaves less than this is not tried while there is another way."""
BOLD_MM = 1.5
"""With no safer way left, this much is dared; below it lies recklessness."""
LAY_MM = 9.0
"""A plateau is laid only with this much to spare."""
IDLE_S = 60.0
TRIES_ANYWAY = 0.35
"""Share of the timid who try a column although none looks safe; the boldest always do."""


class Turns:
    """The game as it is played, to its end."""

    def __init__(self, table: TableState, topple_after: int | None) -> None:
        """`topple_after`: so many raises, after which the table has had enough; None: the game lasts until it ends of itself."""
        self._t = table
        self._topple_after = topple_after
        self.deeds = HandActions(table)
        self.mishaps = Mishaps(table, self.deeds)
        self.challenges = Challenges(table, self.deeds)
        self.over = False

    def game(self) -> Movement:
        """From the empty base to the end."""
        yield from pause(1.8)
        yield from self._set_up()
        yield from self.play_on()

    def play_on(self) -> Movement:
        """Turn after turn."""
        t = self._t
        while t.game.phase is not Phase.OVER and t.game.actor is not None:
            yield from t.breathe()
            if t.fallen():  # a late fall
                yield from t.finish(None)
                continue
            yield from self.turn()
        self.over = True

    def _set_up(self) -> Movement:
        t = self._t
        yield from stand_up_all(t, self.deeds)
        while blue_is_wanted(t):
            yield from self.lay(Floor.BLUE, t.players - 1)
            if not t.tower.plateaus:
                break
        yield from draw_colours(t)

    # ------------------------------------------------------------ a turn

    def turn(self) -> Movement:
        t = self._t
        actor = t.game.actor
        assert actor is not None
        t.sit(actor)
        eligible = self.eligible(actor)
        if self._topple_after is not None and t.raises >= self._topple_after:
            yield from self._end(actor, eligible)
            return
        yield from self._before(actor, eligible)
        if t.game.phase is Phase.OVER or t.game.actor != actor:
            return
        eligible = self.eligible(actor)
        person = t.people[actor]
        ready = [plan for c in eligible if (plan := plans.plan_raise(t.tower, c, t.profile, t.rng)) is not None]
        ready.sort(key=lambda plan: -plan.margin_mm)
        least_mm = person.dares_mm(SAFE_MM, BOLD_MM)
        safe = [plan for plan in ready if self._judged(plan, actor) >= least_mm]
        daring = [plan for plan in ready if plan.margin_mm >= BOLD_MM][:1]
        crowded = len(t.tower.on(t.tower.top_floor)) >= int(t.rng.integers(4, 7))
        if ((crowded or not safe) and self._can_lay(LAY_MM)) or (not safe and self._can_lay(BOLD_MM)):
            plateau = t.game.next_plateau
            assert plateau is not None
            yield from self.request(actor, plateau)
        elif safe or daring:
            yield from self._attempt(actor, (safe[:3] if person.boldness < 0.5 else safe[:5]) or daring)
        elif t.game.phase in (Phase.OWN, Phase.RETRY) and t.level.hands.arms:
            yield from t.call(CallWord.PASS, actor, events.Stopped(by=actor))
        elif not eligible:
            yield from self._nothing_to_build(actor)
        elif self._topple_after is None:
            yield from self._cornered(actor, ready)
        else:
            yield from self._end(actor, eligible)

    def eligible(self, actor: int) -> list[Column]:
        t = self._t
        neutral = t.game.position.movable_neutrals() if t.game.phase is Phase.BUILD else []
        if neutral:
            return [t.profile.pieces.columns[k] for k in neutral]
        return list(t.game.position.eligible(actor))

    def _judged(self, plan: plans.Raise, actor: int) -> float:
        """The margin as the player judges it."""
        off_mm = self._t.people[actor].misjudges_mm
        return plan.margin_mm + (float(self._t.fate.normal(0, off_mm)) if off_mm else 0.0)

    def _before(self, actor: int, eligible: list[Column]) -> Movement:
        """What people do before they begin in earnest."""
        t, deeds = self._t, self._t.level.deeds
        if t.chance(deeds.idle):
            yield from pause(IDLE_S)
        if t.chance(deeds.bump):
            yield from self.mishaps.bump()
        if t.chance(t.level.falls.uncalled * len(t.tower.plateaus)):
            yield from self.mishaps.uncalled(actor, eligible)
            yield from self.stand_up()
            if t.game.phase is Phase.OVER or t.game.actor != actor:
                return
            t.sit(actor)
        if t.chance(deeds.topple):
            yield from self.mishaps.knock_over(actor)
            yield from self.stand_up()
            t.sit(actor)
        if eligible and t.chance(deeds.touch):
            yield from self.mishaps.touch(actor, eligible)
        if t.tower.plateaus and t.chance(deeds.plateau_lift):
            plateau = t.tower.plateaus[int(t.fate.integers(len(t.tower.plateaus)))].plateau
            yield from t.guard(self.deeds.lift_plateau(plateau, float(t.fate.uniform(*deeds.lift_mm))))
            yield from t.finish(actor)

    def _can_lay(self, least_mm: float) -> bool:
        """Whether the actor may ask for a plateau, and sees a place for it with this much to spare."""
        t = self._t
        plateau = t.game.next_plateau
        if plateau is None or t.game.phase is not Phase.BUILD:
            return False
        return plans.plan_laying(t.tower, plateau, t.profile, t.rng, least_mm) is not None

    def _attempt(self, actor: int, choice: list[plans.Raise]) -> Movement:
        t = self._t
        plan = choice[int(t.rng.integers(len(choice)))]
        aborts = t.rng.random() < ABORT_SHARE
        plan = self._dishonest(actor) or plan
        manner = draw_manner(t.level, t.fate, t.people[actor], t.tower.top_floor, bool(t.tower.on(t.tower.top_floor)))
        if aborts:
            yield from self.tug(actor, plan, manner)
        elif t.chance(t.level.deeds.two):
            yield from self.two(actor, plan, manner)
        else:
            yield from self.raise_column(actor, plan, manner)

    def _dishonest(self, actor: int) -> plans.Raise | None:
        """Now and then somebody takes what is not theirs to take, or what is locked."""
        t = self._t
        if not t.chance(t.level.deeds.wrong_colour * (0.4 + 2.0 * (1 - t.people[actor].honesty))):
            return None
        own = set(t.game.position.eligible(actor))
        standing = [s.column for s in t.tower.columns if s.column not in own and s.floor is not t.tower.top_floor]
        ready = [p for c in standing if (p := plans.plan_raise(t.tower, c, t.profile, t.fate)) is not None and p.margin_mm >= SAFE_MM]
        return ready[int(t.fate.integers(len(ready)))] if ready else None

    # ------------------------------------------------------------ attempts

    def raise_column(self, actor: int, plan: plans.Raise, manner: Manner = CAREFUL) -> Movement:
        yield from self._guarded(self.deeds.pull(plan, self.deeds.carry(plan, manner), manner=manner, beside=self._nudge(plan, manner)))
        self._t.raises += 1
        yield from self._t.finish(actor)
        self._t.mouths.false_abort(actor)
        yield from self.stand_up()

    def tug(self, actor: int, plan: plans.Raise, manner: Manner = CAREFUL) -> Movement:
        """Pulls a column by one or two centimetres, thinks better of it, and puts it back."""
        yield from self._guarded(self.deeds.pull(plan, None, manner=manner, beside=self._nudge(plan, manner)))
        yield from self._t.finish(actor, spoken=self._t.abort_spoken(actor))
        yield from self.stand_up()

    def two(self, actor: int, plan: plans.Raise, manner: Manner) -> Movement:
        """One column, and at once another, though a turn has only one (B3)."""
        t = self._t
        yield from self._guarded(self.deeds.pull(plan, self.deeds.carry(plan), manner=manner))
        t.raises += 1
        radius_mm = t.profile.columns[plan.column.shape].radius_mm
        others = [c for c in t.game.position.eligible(actor) if c != plan.column]
        more = [p for c in others if (p := plans.plan_raise(t.tower, c, t.profile, t.fate)) is not None and p.margin_mm >= SAFE_MM]
        clear = [p for p in more if np.hypot(p.x_mm - plan.x_mm, p.y_mm - plan.y_mm) > radius_mm + 26]
        if clear and not t.fallen():
            yield from self._guarded(self.deeds.pull(clear[0], self.deeds.carry(clear[0])))
            t.raises += 1
        yield from t.finish(actor)
        yield from self.stand_up()

    def _nudge(self, plan: plans.Raise, manner: Manner) -> Movement | None:
        if not manner.nudge_mm:
            return None
        beside = self._t.world.aim(Grip.BUILDER) if self._t.fate.random() < 0.4 else np.array([plan.x_mm, plan.y_mm, 0.0]) / 1e3
        top_m = plans.level_mm(self._t.tower, self._t.tower.top_floor, self._t.profile) / 1e3
        return self.mishaps.nudge(np.array([beside[0], beside[1], top_m]), plan.column, manner.nudge_mm)

    def _guarded(self, movement: Movement) -> Movement:
        """Where hands fumble, everybody lets go once the tower is seen to fall."""
        yield from self._t.guard(movement) if self._t.level.hands.arms else movement

    def stand_up(self) -> Movement:
        t = self._t
        if t.last_fallen and t.game.phase is not Phase.OVER:
            yield from self.deeds.stand_up()

    # ------------------------------------------------------------ plateaus and the end

    def request(self, actor: int, plateau: Floor, may_be_challenged: bool = True, challenger: int | None = None) -> Movement:
        """Asks for the plateau, and lays it; `challenger`: who challenges, by default drawn."""
        t = self._t
        yield from t.call(CallWord.REQUEST, actor, events.Requested(by=actor))
        if t.game.phase is Phase.CLAIM:
            if challenger is None and may_be_challenged:
                challenger = self.challenges.challenger(actor)
            if challenger is not None:
                yield from self.challenges.challenge(challenger, actor)
                yield from self.stand_up()
            else:
                yield from pause(float(t.rng.uniform(0.8, 1.6)))
                yield from t.call(CallWord.UNCHALLENGED, (actor + 1) % t.players, events.Unchallenged())
        if t.game.phase is Phase.LAY:
            yield from pause(0.6)
            yield from self.lay(plateau, actor)

    def lay(self, plateau: Floor, seat: int) -> Movement:
        """Lays the plateau where it lies firmest; if no place is good enough the player takes the best there is."""
        t = self._t
        laying: Laid | None = None
        wanted = (LAY_MM, 4.0, 0.5)
        if plateau is not Floor.BLUE and t.chance(t.level.deeds.askew):
            laying = plans.plan_laying(t.tower, plateau, t.profile, t.fate, 3.0, tries=4)
        for least_mm in wanted:
            laying = laying or plans.plan_laying(t.tower, plateau, t.profile, t.rng, least_mm)
        if laying is None:
            if plateau is Floor.BLUE:
                return
            yield from t.call(CallWord.CANNOT_LAY, seat, events.CannotLay(by=seat))
            return
        if t.game.phase is not Phase.SET_UP:
            self._sit_again(seat)
        yield from self.deeds.lay(plateau, laying, seat)
        yield from self.stand_up()

    def _sit_again(self, seat: int) -> None:
        """After a challenge the claimant's hands are wanted again."""
        t = self._t
        if t.builder.seat != seat:
            t.sit(seat)

    def _nothing_to_build(self, actor: int) -> Movement:
        """No own column is left: the next plateau is laid if it can be, else the turn counts for the end."""
        plateau = self._t.game.next_plateau
        if plateau is None:
            yield from self._t.call(CallWord.NOTHING, actor, events.BuiltNothing(by=actor))
            return
        yield from self.request(actor, plateau)

    def _cornered(self, actor: int, ready: list[plans.Raise]) -> Movement:
        """No column looks safe and no plateau can be laid: the bold try the best there is, the others ask all the same, or give in."""
        t = self._t
        if ready and t.fate.random() < TRIES_ANYWAY + t.people[actor].boldness:
            yield from self._attempt(actor, ready[:1])
        else:
            yield from self._nothing_to_build(actor)

    def _end(self, actor: int, eligible: list[Column]) -> Movement:
        """Enough: it is brought down, or, with nothing to pull, given up."""
        t = self._t
        columns = eligible or [s.column for s in t.tower.columns if s.floor is not t.tower.top_floor]
        if plans.weakest_carrier(t.tower, columns, t.profile) is None:
            yield from self._nothing_to_build(actor)
            return
        yield from self.mishaps.bring_down(actor, eligible)
        yield from self.stand_up()
