"""What is remembered of one action in progress: when it began, what the scale showed, which pictures bear witness to it.

A frozen value: the states that an action passes through carry it, and the senses hand back a fuller one with every message.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from rig.messages import StepKind, Stepped
from rig.pieces import Colour


@dataclass(frozen=True, slots=True)
class SeenHand:
    """A hand in one picture: when, its sleeve, and the share of the tower's region that it changes."""

    t_s: float
    sleeve: Colour | None
    changed: float


@dataclass(frozen=True, slots=True)
class Action:
    """An action in progress, for judging it once things have settled."""

    start_t_s: float
    weight_before_g: float | None
    cop_before_mm: tuple[float, float] | None
    witnesses: tuple[tuple[int, int], ...] = ()
    """(camera, message number) of pictures taken while hands were at work, in time order."""
    steps: tuple[Stepped, ...] = ()
    last_witness_t_s: tuple[tuple[int, float], ...] = ()
    hands_seen: bool = False
    last_hand_t_s: float = 0.0
    swing_g: float = 0.0
    """The largest swing of the weight."""
    stirred_t_s: float | None = None
    """When the pictures first moved."""
    upset_t_s: float | None = None
    """When the tower first looked quite unlike itself."""

    def with_hand(self, t_s: float) -> Action:
        return replace(self, hands_seen=True, last_hand_t_s=max(self.last_hand_t_s, t_s))

    def with_step(self, step: Stepped) -> Action:
        swing_g = max(self.swing_g, abs(step.delta_g)) if step.kind is StepKind.SWING else self.swing_g
        return replace(self, steps=(*self.steps, step), swing_g=swing_g)

    def with_witness(self, camera: int, frame: int, t_s: float, gap_s: float) -> Action:
        """With one more picture as a witness, if the camera's last is `gap_s` seconds old."""
        last = dict(self.last_witness_t_s)
        if t_s - last.get(camera, -1e9) < gap_s:
            return self
        last[camera] = t_s
        return replace(self, witnesses=(*self.witnesses, (camera, frame)), last_witness_t_s=tuple(last.items()))

    def rezeroed(self, zeroed_g: float) -> Action:
        """After a tare: the scale reads `zeroed_g` grams less, and places are known anew."""
        if self.weight_before_g is None:
            return self
        return replace(self, weight_before_g=self.weight_before_g - zeroed_g, cop_before_mm=None)
