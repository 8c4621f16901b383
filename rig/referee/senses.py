"""What the senses say right now: hands in the pictures, motion, weight. It remembers, and judges nothing.

The referee asks three things of it: has somebody begun to act, is everything calm again, and which pictures show the calm tower. Calm is
asked of *exposure* times, since a picture arrives up to 150 ms after what it shows. A camera that has gone silent is left out, so one dead
camera never stops the game; with all of them silent nothing is calm. The action in progress is a value: it goes in with each message and
comes back fuller.
"""

from __future__ import annotations

from collections import deque
from dataclasses import replace

import msgspec

from rig.messages import Frame, Message, StepKind, Stepped, Tilted, Watched, Weighed
from rig.referee.action import Action, SeenHand
from rig.referee.eye import Eye
from rig.referee.tunables import TUNED, Tunables

FRAMES = 120
"""Exposure times kept for each camera: eight seconds at 15 frames a second (by design; an answer of the eyes takes less)."""


class Senses:
    """The latest word of every sense."""

    def __init__(self, cameras: tuple[int, ...], tuned: Tunables = TUNED) -> None:
        self._tuned = tuned
        self.eyes: dict[int, Eye] = {camera: Eye(camera, tuned) for camera in cameras}
        self.weighed: Weighed | None = None
        self.loud_t_s = -1e9
        self.moved_t_s = -1e9
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
        stale_s = self._tuned.stale_s
        return [eye for eye in self.eyes.values() if eye.pose is not None and t_s - eye.frame_t_s < stale_s and not eye.fault]

    # ------------------------------------------------------------ what comes in

    def hear_frame(self, message: Message, frame: Frame) -> Eye | None:
        eye = self.eyes.get(frame.camera)
        if eye is None:
            return None
        eye.frame, eye.frame_t_s = message.n, message.t_s
        eye.exposed[message.n] = message.t_s - frame.lag_s
        while len(eye.exposed) > FRAMES:
            eye.exposed.pop(next(iter(eye.exposed)))
        return eye

    def hear_watched(self, watched: Watched, action: Action | None) -> Action | None:
        """What a picture shows; gives back the action in progress, begun by it if there was none."""
        eye = self.eyes.get(watched.camera)
        exposed_t_s = eye.exposed.get(watched.frame) if eye else None
        if eye is None or exposed_t_s is None or exposed_t_s < eye.seen_t_s:
            return action
        eye.saw(watched, exposed_t_s, self.referenced)
        if eye.moving:
            self.moved_t_s = max(self.moved_t_s, exposed_t_s)
        if eye.hand:
            action = self._begun(action, exposed_t_s).with_hand(exposed_t_s)
            self.hands.append(SeenHand(exposed_t_s, watched.sleeve, watched.changed))
            while exposed_t_s - self.hands[0].t_s > self._tuned.remembered_s:
                self.hands.popleft()
        elif self.referenced and watched.changed > self._tuned.stirred and eye.moving:
            action = self._begun(action, exposed_t_s)
        return self._witnessed(action, eye, watched, exposed_t_s) if action is not None else None

    def _witnessed(self, action: Action, eye: Eye, watched: Watched, exposed_t_s: float) -> Action:
        """What this picture adds to the memory of the action."""
        if eye.moving and action.stirred_t_s is None:
            action = replace(action, stirred_t_s=exposed_t_s)
        if eye.changed > self._tuned.upset and action.upset_t_s is None:
            action = replace(action, upset_t_s=exposed_t_s)
        if exposed_t_s - eye.hand_t_s < self._tuned.at_work_s or eye.moving:
            action = action.with_witness(watched.camera, watched.frame, exposed_t_s, self._tuned.witness_gap_s)
        return action

    def hear_weighed(self, weighed: Weighed) -> None:
        self.weighed = weighed
        if not weighed.quiet:
            self.loud_t_s = weighed.t_s

    def rezero(self, zeroed_g: float, action: Action | None) -> Action | None:
        """The scale has been tared: it reads `zeroed_g` less from now on, so what is remembered does too. Places are known anew."""
        if self.weighed is not None and self.weighed.weight_g is not None:
            self.weighed = msgspec.structs.replace(self.weighed, weight_g=self.weighed.weight_g - zeroed_g, cop_x_mm=None, cop_y_mm=None)
        if self.settled_weight_g is not None:
            self.settled_weight_g -= zeroed_g
        self.settled_cop_mm = None
        return action.rezeroed(zeroed_g) if action is not None else None

    def hear_stepped(self, step: Stepped, action: Action | None) -> Action | None:
        if step.kind in (StepKind.LIFTED, StepKind.SET_DOWN, StepKind.SWING):
            action = self._begun(action, step.start_t_s)
        return action.with_step(step) if action is not None else None

    def hear_tilted(self, tilted: Tilted) -> None:
        self.shocks.append((tilted.t_s, tilted.shock_mps2))
        while tilted.t_s - self.shocks[0][0] > self._tuned.remembered_s:
            self.shocks.popleft()

    def _begun(self, action: Action | None, t_s: float) -> Action:
        """The action in progress, begun now if there was none."""
        return action if action is not None else Action(t_s, self.settled_weight_g, self.settled_cop_mm, last_hand_t_s=t_s)

    # ------------------------------------------------------------ what the referee asks

    def hands_in(self, t_s: float) -> bool:
        """Whether some live camera sees a hand."""
        return any(eye.hand for eye in self.live_eyes(t_s))

    @property
    def leaning_deg(self) -> float:
        """How far the top plateau leans (whole degrees, 0: not beyond doubt), by the camera that sees it lean most."""
        return float(round(max((eye.leaning_deg for eye in self.eyes.values() if not eye.fault), default=0.0)))

    @property
    def quiet_weight_g(self) -> float | None:
        """What lies on the scale; None while it is not quiet, or not heard."""
        return self.weighed.weight_g if self.weighed is not None and self.weighed.quiet else None

    @property
    def scale_heard(self) -> bool:
        """Whether the scale says a weight at all."""
        return self.weighed is not None and self.weighed.weight_g is not None

    def note_settled(self) -> None:
        """Takes the present weight as that of the settled tower."""
        weighed = self.weighed
        if weighed is not None and weighed.quiet and weighed.weight_g is not None:
            self.settled_weight_g = weighed.weight_g
            known = weighed.cop_x_mm is not None and weighed.cop_y_mm is not None
            self.settled_cop_mm = (weighed.cop_x_mm or 0.0, weighed.cop_y_mm or 0.0) if known else None
        elif weighed is None or weighed.weight_g is None:
            self.settled_weight_g = self.settled_cop_mm = None

    def take_up(self, action: Action) -> None:
        """The action is not over after all: what was taken as the settled weight was not."""
        self.settled_weight_g, self.settled_cop_mm = action.weight_before_g, action.cop_before_mm

    def calm_frames(self, t_s: float, since_t_s: float = -1e9, scale_s: float | None = None) -> dict[int, int] | None:
        """Camera to frame, one picture of the calm tower from each live camera; None while it is not calm.

        `scale_s`: how long a scale that is not quiet is waited for (None: the usual time).
        """
        eyes = self.live_eyes(t_s)
        if not eyes:
            return None
        busy_t_s = max(eye.busy_until_s(t_s) for eye in eyes)
        if self.scale_heard:
            waited_out = t_s - max(busy_t_s, since_t_s) > (self._tuned.quiet_timeout_s if scale_s is None else scale_s)
            if not waited_out:
                if self.quiet_weight_g is None:
                    return None
                since_t_s = max(since_t_s, self.loud_t_s)
        frames = {eye.camera: eye.calm_frame(max(since_t_s, busy_t_s + self._tuned.calm_s), t_s) for eye in eyes}
        return {camera: n for camera, n in frames.items() if n is not None} if None not in frames.values() else None

    def glimpsed_frames(self, t_s: float, since_t_s: float) -> dict[int, int] | None:
        """The same by sight alone, however the scale may still tremble: what stood there before the hands come back."""
        eyes = self.live_eyes(t_s)
        busy_t_s = max((eye.busy_until_s(t_s) for eye in eyes), default=t_s)
        frames = {eye.camera: eye.calm_frame(max(since_t_s, busy_t_s + self._tuned.glimpse_s), t_s) for eye in eyes}
        seen = {camera: n for camera, n in frames.items() if n is not None}
        return seen if seen and len(seen) == len(eyes) else None

    def lone_hand_frames(self, t_s: float) -> dict[int, int] | None:
        """Pictures of a still scene in which not every camera agrees that a hand is there; None if something moves or presses.

        A real hand that keeps quite still, hidden from one camera, is rare; a shadow or a moved piece that looks like skin is not.
        """
        eyes = self.live_eyes(t_s)
        if not eyes or (self.scale_heard and self.quiet_weight_g is None):
            return None
        patience_s = self._tuned.lone_hand_s if any(not eye.hand for eye in eyes) else self._tuned.every_hand_s
        came_t_s = max((eye.hand_since_t_s for eye in eyes if eye.hand), default=-1e9)
        since_t_s = max(self.loud_t_s, self.moved_t_s, came_t_s)
        if t_s - since_t_s < patience_s or any(eye.seen_t_s < since_t_s for eye in eyes):
            return None
        return {eye.camera: eye.seen_frame for eye in eyes if eye.seen_frame is not None}

    def falling_frames(self, t_s: float, action: Action) -> dict[int, int] | None:
        """The newest pictures of a scene that looks unlike the settled tower; None if nothing hints at a fall.

        What lies there often looks like a hand to some camera, and an arm may still be in sight: where every camera that sees no hand sees
        the tower quite unlike itself, or the weight has swung as no hand swings it, that is enough.
        """
        live, tuned = self.live_eyes(t_s), self._tuned
        clear = [eye for eye in live if eye.seen_frame is not None and eye.seen_t_s - eye.hand_t_s >= tuned.fall_hands_s]
        behind = action.swing_g >= tuned.fall_swing_g and bool(live) and min(eye.changed for eye in live) >= tuned.upset
        eyes = clear or ([eye for eye in live if eye.seen_frame is not None] if behind else [])
        if not eyes:
            return None
        all_clear = len(clear) == len(live)
        if max(eye.changed for eye in eyes) < tuned.fall_changed or not (all_clear or min(eye.changed for eye in eyes) >= tuned.upset):
            return None
        if self.weighed is not None and self.weighed.weight_g is not None and action.weight_before_g is not None:
            off_g = abs(self.weighed.weight_g - action.weight_before_g)
            if off_g < tuned.fall_weight_g and not action.swing_g:
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
