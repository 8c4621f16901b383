"""One camera's latest words: a hand, motion, a lean, a fault, each with the time at which the picture was taken."""

from __future__ import annotations

from dataclasses import dataclass, field

from rig.messages import CameraPose, Watched
from rig.referee.tunables import TUNED, Tunables


def leans(tilt_deg: float, sigma_deg: float, tuned: Tunables = TUNED) -> bool:
    """Whether a plateau's tilt is beyond doubt: worth an early warning."""
    return tilt_deg > tuned.leans_deg and tilt_deg > tuned.leans_sigmas * sigma_deg


@dataclass(slots=True)
class Eye:
    """One camera. All times are times of exposure, seconds of the session."""

    camera: int
    tuned: Tunables = TUNED
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
        tuned = self.tuned
        self.fault = watched.fault
        before, self.hand = self.hand, referenced and watched.hand > (tuned.hand_goes if self.hand else tuned.hand_comes)
        if self.hand and not before:
            self.hand_since_t_s = exposed_t_s
        # A lamp that flickers changes single frames; what changes less must change twice in a row.
        self.moving = watched.moving > tuned.moves or (watched.moving > tuned.still and self.stirred)
        self.stirred = watched.moving > tuned.still
        if self.hand or watched.moving > tuned.flicker:
            self.stirred_t_s = exposed_t_s
        self.changed = watched.changed
        self.leaning_deg = watched.tilt_deg if leans(watched.tilt_deg, watched.tilt_sigma_deg, tuned) else 0.0
        self.seen_frame, self.seen_t_s = watched.frame, exposed_t_s
        if self.hand or self.moving:
            self.busy_t_s = exposed_t_s
        if self.hand:
            self.hand_t_s = exposed_t_s

    def busy_until_s(self, t_s: float) -> float:
        """When hands or motion were last seen; mere flicker counts for a while only."""
        return self.busy_t_s if t_s - self.stirred_t_s < self.tuned.flicker_s else self.stirred_t_s

    def calm_frame(self, since_t_s: float, t_s: float) -> int | None:
        """The newest frame seen without hands or motion and exposed after `since_t_s`."""
        moving = self.moving and t_s - self.stirred_t_s < self.tuned.flicker_s
        if self.seen_frame is None or self.hand or moving or self.seen_t_s < since_t_s:
            return None
        return self.seen_frame
