"""What the base would have said: settled weights with their error, lifts and set-downs where hands leave the scale a quiet moment, swings,
shocks and buttons."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass, field

import numpy as np

from rig.exam.modelled.likelihoods import Scale
from rig.exam.modelled.room import Room
from rig.messages import Pressed, Reading, StepKind, Stepped, Tilted, Weighed


@dataclass(slots=True)
class Base:
    """One game's base. `present`: whether there is one; `imu`: whether shocks are felt."""

    model: Scale
    rng: np.random.Generator
    present: bool = True
    imu: bool = True
    trembles_until_s: float = 0.0
    """After some actions the scale does not come to rest for a while."""
    error_g: float = 0.0
    """Of the present settled weight: it is drawn anew with every change."""
    loud_until_s: float = 0.0
    _weight_g: float = 0.0
    _waiting: deque[Reading] = field(default_factory=deque)

    def weighed(self, room: Room) -> Weighed:
        """The reading of now."""
        weight_g = room.weight_g
        if abs(weight_g - self._weight_g) > 0.3:
            self._weight_g = weight_g
            self.error_g = float(self.rng.normal(0, self.model.settled_g / 2**0.5))
            self.loud_until_s = room.t_s + self.model.quiet_after_s
        quiet = room.t_s >= self.loud_until_s and not room.shaking and room.t_s >= self.trembles_until_s
        wobble = 0.02 if quiet else 0.5
        felt_g = weight_g + self.error_g + float(self.rng.normal(0, wobble))
        return Weighed(
            t_s=round(room.t_s, 3), weight_g=round(felt_g, 3), cop_x_mm=None, cop_y_mm=None, noise_g=wobble, quiet=quiet
        )  # fmt: skip

    def take(self) -> tuple[Reading, ...]:
        """What has been felt since the last call."""
        found = tuple(self._waiting)
        self._waiting.clear()
        return found

    def step(self, kind: StepKind, room: Room, delta_g: float, lasts_s: float = 0.3) -> None:
        """A step of this size was felt, just now."""
        if not self.present:
            return
        felt_g = delta_g + float(self.rng.normal(0, self.model.hand_g))
        settled = kind in (StepKind.LIFTED, StepKind.SET_DOWN)
        before_g = room.weight_g - delta_g if settled else None
        self._waiting.append(
            Stepped(
                kind=kind, start_t_s=round(room.t_s - lasts_s, 3), end_t_s=round(room.t_s, 3), before_g=before_g,
                after_g=room.weight_g if settled else None, delta_g=round(felt_g, 3), sigma_g=self.model.hand_g,
            )
        )  # fmt: skip

    def left(self, t_s: float) -> None:
        """The hands have left; now and then the scale goes on trembling."""
        if self.rng.random() < self.model.unsettled:
            self.trembles_until_s = t_s + float(self.rng.uniform(*self.model.trembles_s))

    def shock(self, t_s: float, mps2: float) -> None:
        """The table was shaken so hard."""
        if self.present and self.imu:
            self._waiting.append(Tilted(t_s=round(t_s, 3), tilt_x_deg=0.0, tilt_y_deg=0.0, shock_mps2=round(mps2, 2)))

    def press(self, t_s: float, seat: int) -> None:
        """A seat's button."""
        if self.present:
            self._waiting.append(Pressed(t_s=round(t_s, 3), button=seat, pressed=True))
