"""What the senses say right now: hands in the pictures, motion, weight. It remembers, and judges nothing.

The referee asks three things of it: has somebody begun to act, is everything calm again, and which pictures show the calm tower. Calm is
asked of *exposure* times, since a picture arrives up to 150 ms after what it shows. A camera that has gone silent is left out, so one dead
camera never stops the game; with all of them silent nothing is calm.
"""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass, field

import msgspec

from rig.messages import CameraPose, Frame, Message, StepKind, Stepped, Tilted, Watched, Weighed
from rig.pieces import Colour

HAND_COMES = 0.6
"""Hand probability from which a hand is in. Higher: late to notice; lower: shadows count as hands. Dimensionless, from the eyes."""

HAND_GOES = 0.35
"""Hand probability below which the hand is gone; the gap to HAND_COMES keeps a hand at the border from flickering."""

STILL = 0.004
"""Share of the tower's region that may change between two frames of a still tower (noise, JPEG). Higher: swaying counts as settled."""

MOVES = 0.012
"""The same where one frame is enough: what changes less must change twice in a row, because a lamp that flickers, or a camera that sets its
exposure, changes single frames by up to a hundredth."""

FLICKER, FLICKER_S = 0.015, 3.5
"""Changes below this, with no hand in any picture, hold nothing up for longer than so many seconds: a lamp that flickers, a heavy step. A
tower that sways for longer changes more."""

CALM_S = 0.45
"""Seconds without hands and motion before pictures count as settled. Longer: later rulings; shorter: towers still swaying are judged."""

GLIMPSE_S = 0.1
"""The same for a glimpse that only says what was gone for a moment: one picture without hands and motion of each camera."""

STALE_S = 1.5
"""Seconds without a picture after which a camera is left out."""

QUIET_TIMEOUT_S = 3.0
"""Seconds after which a scale that never gets quiet (or is gone) no longer holds up the eyes."""

LONE_HAND_S = 1.0
"""Seconds of stillness after which a hand that only some cameras see no longer holds up the eyes. Shorter: resting hands are judged."""

EVERY_HAND_S = 3.0
"""The same where every camera sees one."""

REMEMBERED_S = 30.0
"""Seconds for which hands and shocks are remembered: long enough to say who was near before a late fall."""

STIRRED = 0.03
"""Share of the tower's region that must differ from the settled picture to begin an action nobody's hand began (a fall by itself, a scale
that is gone). Higher: a fall unseen; lower: a passing shadow is looked at for nothing."""

FALL_CHANGED = 0.06
"""Share of the tower's region that must look unlike the settled tower, to some camera, for a fall to be looked for while pieces still roll.
Higher: falls are called only when all lies still; lower: time is spent on raises."""

UPSET = 0.2
"""The same from which it is no longer a column in somebody's hand: an arm that has just come in changes half of that."""

FALL_HANDS_S = 0.6
"""Seconds without a hand before a camera's picture of a moving scene is looked at for a fall: an arm before a plateau hides it."""

FALL_WEIGHT_G = 8.0
"""Change of weight that goes with a fall, if the scale is heard at all."""

LEANS_DEG, LEANS_SIGMAS = 1.5, 3.0
"""Tilt of the top plateau that is told as an early warning, and how many of its standard deviations it must be. Lower: people turn the
warning off; higher: the tower is down before it."""

AT_WORK_S = 0.8
"""Pictures are kept as witnesses up to so long after a hand was seen; later ones show a tower that stands."""

WITNESS_GAP_S = 0.35
"""At most about three pictures a second and camera are kept as witnesses of an action; more cost time and say little more."""


def leans(tilt_deg: float, sigma_deg: float) -> bool:
    """Whether a plateau's tilt is beyond doubt: worth an early warning."""
    return tilt_deg > LEANS_DEG and tilt_deg > LEANS_SIGMAS * sigma_deg


@dataclass(slots=True)
class Eye:
    """One camera's latest words."""

    camera: int
    pose: CameraPose | None = None
    frame: int | None = None
    frame_t_s: float = -1e9
    exposed: dict[int, float] = field(default_factory=dict)
    hand: bool = False
    hand_t_s: float = -1e9
    hand_since_t_s: float = -1e9
    """When a hand was last seen, and since when it has been seen without a break."""
    moving: bool = False
    stirred: bool = False
    stirred_t_s: float = -1e9
    """When a hand or more than flicker was last seen."""
    changed: float = 0.0
    leaning_deg: float = 0.0
    seen_frame: int | None = None
    seen_t_s: float = -1e9
    busy_t_s: float = -1e9
    fault: str = ""

    def saw(self, watched: Watched, exposed_t_s: float, referenced: bool) -> None:
        """The latest picture's words. Without a reference nothing is a hand."""
        self.fault = watched.fault
        before, self.hand = self.hand, referenced and watched.hand > (HAND_GOES if self.hand else HAND_COMES)
        if self.hand and not before:
            self.hand_since_t_s = exposed_t_s
        self.moving = watched.moving > MOVES or (watched.moving > STILL and self.stirred)
        self.stirred = watched.moving > STILL
        if self.hand or watched.moving > FLICKER:
            self.stirred_t_s = exposed_t_s
        self.changed = watched.changed
        self.leaning_deg = watched.tilt_deg if leans(watched.tilt_deg, watched.tilt_sigma_deg) else 0.0
        self.seen_frame, self.seen_t_s = watched.frame, exposed_t_s

    def busy_until_s(self, t_s: float) -> float:
        """When hands or motion were last seen; mere flicker counts for a while only."""
        return self.busy_t_s if t_s - self.stirred_t_s < FLICKER_S else self.stirred_t_s

    def calm_frame(self, since_t_s: float, t_s: float) -> int | None:
        """The newest frame seen without hands or motion and exposed after `since_t_s`."""
        moving = self.moving and t_s - self.stirred_t_s < FLICKER_S
        if self.seen_frame is None or self.hand or moving or self.seen_t_s < since_t_s:
            return None
        return self.seen_frame


@dataclass(frozen=True, slots=True)
class SeenHand:
    """A hand in one picture: when, its sleeve, and the share of the tower's region that it changes."""

    t_s: float
    sleeve: Colour | None
    changed: float


@dataclass(slots=True)
class Action:
    """What is remembered of an action in progress, for judging it once things have settled."""

    start_t_s: float
    weight_before_g: float | None
    cop_before_mm: tuple[float, float] | None
    witnesses: list[tuple[int, int]] = field(default_factory=list)
    steps: list[Stepped] = field(default_factory=list)
    last_witness_t_s: dict[int, float] = field(default_factory=dict)
    actor: int | None = None
    """Whose turn to act it was when it began."""
    hands_seen: bool = False
    last_hand_t_s: float = 0.0
    swing_g: float = 0.0
    stirred_t_s: float | None = None
    """When the pictures first moved."""
    upset_t_s: float | None = None
    """When the tower first looked quite unlike itself."""


class Senses:
    """The latest word of every sense, and the action in progress if there is one."""

    def __init__(self, cameras: tuple[int, ...]) -> None:
        self.eyes: dict[int, Eye] = {camera: Eye(camera) for camera in cameras}
        self.weighed: Weighed | None = None
        self.loud_t_s = -1e9
        self.moved_t_s = -1e9
        self.action: Action | None = None
        self.actor: int | None = None
        """Whom the game waits for, as the referee last said."""
        self.t_s = 0.0
        self.hands: deque[SeenHand] = deque()
        """Hands seen at the tower, by any camera."""
        self.shocks: deque[tuple[float, float]] = deque()
        """When the base felt a shock, and how strong (m/s²)."""
        self.referenced = False
        """Without a reference picture nobody can tell a hand from a wooden table; motion alone counts until there is one."""
        self.settled_weight_g: float | None = None
        self.settled_cop_mm: tuple[float, float] | None = None

    def live_eyes(self, t_s: float) -> list[Eye]:
        """Cameras that have a pose and have lately sent a usable picture."""
        return [eye for eye in self.eyes.values() if eye.pose is not None and t_s - eye.frame_t_s < STALE_S and not eye.fault]

    # ------------------------------------------------------------ what comes in

    def hear_frame(self, message: Message, frame: Frame) -> Eye | None:
        eye = self.eyes.get(frame.camera)
        if eye is None:
            return None
        eye.frame, eye.frame_t_s = message.n, message.t_s
        eye.exposed[message.n] = message.t_s - frame.lag_s
        while len(eye.exposed) > 120:
            eye.exposed.pop(next(iter(eye.exposed)))
        return eye

    def hear_watched(self, watched: Watched) -> None:
        eye = self.eyes.get(watched.camera)
        exposed_t_s = eye.exposed.get(watched.frame) if eye else None
        if eye is None or exposed_t_s is None or exposed_t_s < eye.seen_t_s:
            return
        eye.saw(watched, exposed_t_s, self.referenced)
        if eye.moving:
            self.moved_t_s = max(self.moved_t_s, exposed_t_s)
        if eye.hand or eye.moving:
            eye.busy_t_s = exposed_t_s
        if eye.hand:
            eye.hand_t_s = exposed_t_s
            action = self.begin(exposed_t_s)
            action.hands_seen = True
            action.last_hand_t_s = max(action.last_hand_t_s, exposed_t_s)
            self.hands.append(SeenHand(exposed_t_s, watched.sleeve, watched.changed))
            while exposed_t_s - self.hands[0].t_s > REMEMBERED_S:
                self.hands.popleft()
        elif self.referenced and watched.changed > STIRRED and eye.moving:
            self.begin(exposed_t_s)
        if self.action is not None:
            self._witness(self.action, eye, watched, exposed_t_s)

    @staticmethod
    def _witness(action: Action, eye: Eye, watched: Watched, exposed_t_s: float) -> None:
        """What this picture adds to the memory of the action."""
        if eye.moving and action.stirred_t_s is None:
            action.stirred_t_s = exposed_t_s
        if eye.changed > UPSET and action.upset_t_s is None:
            action.upset_t_s = exposed_t_s
        at_work = exposed_t_s - eye.hand_t_s < AT_WORK_S or eye.moving
        if at_work and exposed_t_s - action.last_witness_t_s.get(watched.camera, -1e9) >= WITNESS_GAP_S:
            action.last_witness_t_s[watched.camera] = exposed_t_s
            action.witnesses.append((watched.camera, watched.frame))

    def hear_weighed(self, weighed: Weighed) -> None:
        self.weighed = weighed
        if not weighed.quiet:
            self.loud_t_s = weighed.t_s

    def rezero(self, zeroed_g: float) -> None:
        """The scale has been tared: it reads `zeroed_g` less from now on, so what is remembered does too. Places are known anew."""
        if self.weighed is not None and self.weighed.weight_g is not None:
            self.weighed = msgspec.structs.replace(self.weighed, weight_g=self.weighed.weight_g - zeroed_g, cop_x_mm=None, cop_y_mm=None)
        if self.settled_weight_g is not None:
            self.settled_weight_g -= zeroed_g
        if self.action is not None and self.action.weight_before_g is not None:
            self.action.weight_before_g -= zeroed_g
            self.action.cop_before_mm = None
        self.settled_cop_mm = None

    def hear_stepped(self, step: Stepped) -> None:
        action = self.action
        if step.kind in (StepKind.LIFTED, StepKind.SET_DOWN, StepKind.SWING):
            action = self.begin(step.start_t_s)
        if action is not None:
            action.steps.append(step)
            if step.kind is StepKind.SWING:
                action.swing_g = max(action.swing_g, abs(step.delta_g))

    def hear_tilted(self, tilted: Tilted) -> None:
        self.shocks.append((tilted.t_s, tilted.shock_mps2))
        while tilted.t_s - self.shocks[0][0] > REMEMBERED_S:
            self.shocks.popleft()

    # ------------------------------------------------------------ what the referee asks

    @property
    def leaning_deg(self) -> float:
        """How far the top plateau leans (whole degrees, 0: not beyond doubt), by the camera that sees it lean most."""
        return float(round(max((eye.leaning_deg for eye in self.eyes.values() if not eye.fault), default=0.0)))

    @property
    def quiet_weight_g(self) -> float | None:
        """What lies on the scale; None while it is not quiet, or not heard."""
        return self.weighed.weight_g if self.weighed is not None and self.weighed.quiet else None

    def begin(self, t_s: float) -> Action:
        """The action in progress, begun now if there was none."""
        if self.action is None:
            self.action = Action(t_s, self.settled_weight_g, self.settled_cop_mm, actor=self.actor, last_hand_t_s=t_s)
        return self.action

    def note_settled(self) -> None:
        """Takes the present weight as that of the settled tower, and ends the action."""
        weighed = self.weighed
        if weighed is not None and weighed.quiet and weighed.weight_g is not None:
            self.settled_weight_g = weighed.weight_g
            known = weighed.cop_x_mm is not None and weighed.cop_y_mm is not None
            self.settled_cop_mm = (weighed.cop_x_mm or 0.0, weighed.cop_y_mm or 0.0) if known else None
        elif weighed is None or weighed.weight_g is None:
            self.settled_weight_g = self.settled_cop_mm = None
        self.action = None

    def take_up(self, action: Action) -> None:
        """The action is not over after all: what was taken as the settled weight was not."""
        self.action = action
        self.settled_weight_g, self.settled_cop_mm = action.weight_before_g, action.cop_before_mm

    def calm_frames(self, t_s: float, since_t_s: float = -1e9) -> dict[int, int] | None:
        """Camera to frame, one picture of the calm tower from each live camera; None while it is not calm."""
        eyes = self.live_eyes(t_s)
        if not eyes:
            return None
        busy_t_s = max(eye.busy_until_s(t_s) for eye in eyes)
        if self.weighed is not None and self.weighed.weight_g is not None:
            waited_out = t_s - max(busy_t_s, since_t_s) > QUIET_TIMEOUT_S
            if not waited_out:
                if not self.weighed.quiet:
                    return None
                since_t_s = max(since_t_s, self.loud_t_s)
        frames = {eye.camera: eye.calm_frame(max(since_t_s, busy_t_s + CALM_S), t_s) for eye in eyes}
        return {camera: n for camera, n in frames.items() if n is not None} if None not in frames.values() else None

    def glimpsed_frames(self, t_s: float, since_t_s: float) -> dict[int, int] | None:
        """The same by sight alone, however the scale may still tremble: what stood there before the hands come back."""
        eyes = self.live_eyes(t_s)
        busy_t_s = max((eye.busy_until_s(t_s) for eye in eyes), default=t_s)
        frames = {eye.camera: eye.calm_frame(max(since_t_s, busy_t_s + GLIMPSE_S), t_s) for eye in eyes}
        seen = {camera: n for camera, n in frames.items() if n is not None}
        return seen if seen and len(seen) == len(eyes) else None

    def lone_hand_frames(self, t_s: float) -> dict[int, int] | None:
        """Pictures of a still scene in which not every camera agrees that a hand is there; None if something moves or presses.

        A real hand that keeps quite still, hidden from one camera, is rare; a shadow or a moved piece that looks like skin is not.
        """
        eyes = self.live_eyes(t_s)
        if not eyes or (self.weighed is not None and self.weighed.weight_g is not None and not self.weighed.quiet):
            return None
        patience_s = LONE_HAND_S if any(not eye.hand for eye in eyes) else EVERY_HAND_S
        came_t_s = max((eye.hand_since_t_s for eye in eyes if eye.hand), default=-1e9)
        since_t_s = max(self.loud_t_s, self.moved_t_s, came_t_s)
        if t_s - since_t_s < patience_s or any(eye.seen_t_s < since_t_s for eye in eyes):
            return None
        return {eye.camera: eye.seen_frame for eye in eyes if eye.seen_frame is not None}

    def falling_frames(self, t_s: float) -> dict[int, int] | None:
        """The newest pictures of a scene without hands that looks unlike the settled tower; None if nothing hints at a fall.

        What lies there often looks like a hand to some camera: where the others see the tower quite unlike itself, they are enough.
        """
        live = self.live_eyes(t_s)
        action = self.action
        eyes = [eye for eye in live if eye.seen_frame is not None and eye.seen_t_s - eye.hand_t_s >= FALL_HANDS_S]
        if not eyes or action is None:
            return None
        all_clear = len(eyes) == len(live)
        if max(eye.changed for eye in eyes) < FALL_CHANGED or not (all_clear or min(eye.changed for eye in eyes) >= UPSET):
            return None
        weighed = self.weighed
        if weighed is not None and weighed.weight_g is not None and action.weight_before_g is not None:
            off_g = abs(weighed.weight_g - action.weight_before_g)
            if off_g < FALL_WEIGHT_G and not action.swing_g:
                return None
        return {eye.camera: eye.seen_frame for eye in eyes if eye.seen_frame is not None}

    def still_frames(self, t_s: float, patience_s: float) -> dict[int, int] | None:
        """Pictures of a scene that has stood still for `patience_s` though something like a hand is in it (a fallen tower, a bag).

        The scale is not asked to be quiet: pieces of a fallen tower creep and roll under it for seconds.
        """
        eyes = self.live_eyes(t_s)
        if not eyes or t_s - self.moved_t_s < patience_s:
            return None
        frames = {eye.camera: eye.seen_frame for eye in eyes}
        return {camera: n for camera, n in frames.items() if n is not None} if None not in frames.values() else None
