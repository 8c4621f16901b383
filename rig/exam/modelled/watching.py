"""What each picture would have said of hands, sleeves, motion and a leaning tower, and the false arms that nobody's body made."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from rig.exam.modelled.likelihoods import Hands
from rig.exam.modelled.room import Glance
from rig.messages import Watch, Watched
from rig.pieces import Colour

ARM = 0.08
"""Share of the tower's region that an arm changes, about."""
STANDS_CHANGED = 0.015
"""The same that a column moved from floor to floor changes."""
FALLEN_CHANGED = 0.17
TILT_SIGMA_DEG = 0.35
"""Standard deviation of the top plateau's tilt as seen in one picture."""


@dataclass(slots=True)
class Watching:
    """One game's watching: what each camera takes for an arm, and who wears what (None: nothing that tells)."""

    model: Hands
    sleeves: tuple[Colour | None, ...]
    rng: np.random.Generator
    fooled: dict[int, bool] = field(default_factory=dict)
    """Cameras to which what fell passes for an arm."""
    false_until_s: dict[int, float] = field(default_factory=dict)

    away: dict[int, bool] = field(default_factory=dict)
    """Cameras that do not see the arm that carries a column."""

    def begin_false_arm(self, camera: int, t_s: float) -> None:
        """Something passes for an arm in this camera's pictures for a moment."""
        self.false_until_s[camera] = t_s + float(self.rng.uniform(*self.model.false_s))

    def answer(self, request: Watch, now: Glance, reference: Glance | None) -> Watched:
        """What this frame's picture says."""
        rng = self.rng
        out_of_sight = self._carries_out_of_sight(request.camera, now)
        seen = [] if out_of_sight else [seat for seat in now.hands if rng.random() < self.model.seen]
        false = now.t_s < self.false_until_s.get(request.camera, -1.0)
        if now.fallen and not now.hands:
            false = false or self.fooled.setdefault(request.camera, bool(rng.random() < self.model.fallen_hand))
        hand = float(rng.uniform(0.8, 1.0)) if seen or false else float(rng.uniform(0.0, 0.2))
        sleeve = None
        for seat in seen:
            if self.sleeves[seat] is not None and rng.random() < self.model.sleeve:
                sleeve = self.sleeves[seat]
            elif rng.random() < self.model.sleeve_wrong:
                sleeve = tuple(Colour)[int(rng.integers(len(Colour)))]
        moving = float(rng.uniform(0.02, 0.15)) if now.moving or (seen and rng.random() < 0.8) else float(rng.uniform(0.0, 0.003))
        return Watched(
            id=request.id, camera=request.camera, frame=request.frame, hand=round(hand, 3), sleeve=sleeve, moving=round(moving, 4),
            changed=round(self._changed(now, reference, bool(seen)), 4), shift_px=0.0,
            tilt_deg=round(max(0.0, now.tilt_deg + float(rng.normal(0, TILT_SIGMA_DEG))), 2),
            tilt_sigma_deg=90.0 if seen and rng.random() < 0.3 else TILT_SIGMA_DEG,
        )  # fmt: skip

    def _carries_out_of_sight(self, camera: int, now: Glance) -> bool:
        """Whether the arm that carries a column is out of this camera's sight for now."""
        if now.held is None:
            self.away.pop(camera, None)
            return False
        if camera not in self.away:
            self.away[camera] = bool(self.rng.random() < self.model.away)
        return self.away[camera]

    def _changed(self, now: Glance, reference: Glance | None, arm: bool) -> float:
        """Share of the tower's region that differs from the settled picture."""
        share = float(self.rng.uniform(0.0, 0.004))
        if arm:
            share += ARM * float(self.rng.uniform(0.5, 1.5))
        if reference is not None:
            if now.fallen and not reference.fallen:
                share += FALLEN_CHANGED * float(self.rng.uniform(0.3, 1.7))
            elif now.tilt_deg > 10.0:
                share += 0.1
            elif now.tower is not reference.tower:
                share += STANDS_CHANGED * float(self.rng.uniform(0.5, 1.5))
        return share
