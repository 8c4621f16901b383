"""The cameras' side of a session: when pictures are taken, what becomes of them on their way, and when they arrive.

What a camera can see is drawn by `cameras.py`; here are time and faults: the delay from exposure to arrival, lost, frozen and missing
pictures, knocks. Each fault is written down with its time (`faults`), for the exam; so are each camera's true poses (`poses_at`), lenses
and delays. A lost picture is not drawn.

Where exposures take time, `due` says so twice, when a picture's exposure begins and when it ends, and `take` gives frames the second time.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from enum import StrEnum

import numpy as np

from rig.messages import CameraPose, Frame
from rig.profile import CameraModel, Profile
from rig.twin.physics.poses import HandPose, Poses
from rig.twin.pictures.cameras import Eye, Picture, nudged, to_jpeg
from rig.twin.pictures.level_pictures import PictureLevel
from rig.twin.pictures.moving import Instant
from rig.twin.pictures.scene import WorldName

FIRST_S = 0.1
CodeLight = Callable[[float, float], float]
"""(`t_s`, seconds of the exposure that ends then): how much of it the light was on, 0 to 1."""
LEAST_DELAY_S = 0.04
"""No webcam's picture arrives sooner: readout, compression, bus."""


class CameraFaultKind(StrEnum):
    """What goes wrong with a camera."""

    DROP = "drop"
    FREEZE = "freeze"
    DROPOUT = "dropout"
    NUDGE = "nudge"


@dataclass(frozen=True, slots=True)
class CameraFault:
    """What went wrong with a camera: from `t_s` for `lasts_s` (0: at once, or for good, as a nudge)."""

    t_s: float
    camera: int
    kind: CameraFaultKind
    words: str
    lasts_s: float = 0.0


class _Chance:
    """Strikes by chance, so many times an hour on average."""

    def __init__(self, rng: np.random.Generator, per_hour: float) -> None:
        self._rng = rng
        self._mean_s = 3600.0 / per_hour if per_hour > 0 else float("inf")
        self._next_s = self._wait() if per_hour > 0 else float("inf")

    def _wait(self) -> float:
        return float(self._rng.exponential(self._mean_s))

    def struck(self, t_s: float) -> bool:
        """Whether it has struck since it was last asked."""
        if t_s < self._next_s:
            return False
        self._next_s = t_s + self._wait()
        return True


@dataclass(slots=True)
class _Line:
    """One camera's cable: its delay, what may befall it, and what does."""

    number: int
    delay_s: float
    quality: int
    rng: np.random.Generator
    drops: _Chance
    freezes: _Chance
    dropouts: _Chance
    nudges: _Chance
    frozen_until_s: float = -1.0
    gone_until_s: float = -1.0
    lost: int = 0
    last_jpeg: bytes = b""
    last_arrival_s: float = 0.0
    poses: list[tuple[float, CameraPose]] = field(default_factory=list)


class Webcams:
    """All cameras of one session, `frame_rate` pictures a second each.

    `profile`: the twin's truth (its lenses are the nominal ones round which the true ones are drawn). `code_light`: the base's code light
    is in view, and was on for this share of an exposure of so many seconds that ends at `t_s`.
    """

    def __init__(
        self,
        profile: Profile,
        seed: int,
        level: PictureLevel,
        frame_rate: float,
        world: WorldName = "A",
        code_light: CodeLight | None = None,
    ) -> None:
        self._profile, self._level, self._code_light = profile, level, code_light
        self._eye = Eye(profile, seed, level=level, world=world, code_light=code_light is not None)
        self._rng = np.random.default_rng((seed, 0xCA3))
        self._gap_s = 1.0 / frame_rate
        self._next_s = FIRST_S
        self._open_s = level.readout_s + level.exposure_s
        self._ends_s: float | None = None
        self._began: tuple[float, Instant] | None = None
        self._lines = [self._line(seed, pose) for pose in self._eye.poses]
        self.faults: list[CameraFault] = []

    def _line(self, seed: int, pose: CameraPose) -> _Line:
        level, rng = self._level, np.random.default_rng((seed, pose.camera, 0xFA17))
        low, high = level.quality
        return _Line(
            pose.camera,
            float(rng.uniform(*level.frame_delay_s)),
            int(rng.integers(low, high + 1)),
            rng,
            _Chance(rng, level.drops_per_hour),
            _Chance(rng, level.freezes_per_hour),
            _Chance(rng, level.dropouts_per_hour),
            _Chance(rng, level.nudges_per_hour),
            poses=[(0.0, pose)],
        )

    # ------------------------------------------------------------ the truth, for the exam

    @property
    def lenses(self) -> tuple[CameraModel, ...]:
        """The true lens of each camera."""
        return self._eye.lenses

    @property
    def delays_s(self) -> dict[int, float]:
        """The true mean delay from the middle of the exposure to arrival, by camera."""
        return {line.number: line.delay_s for line in self._lines}

    def poses_at(self, t_s: float) -> tuple[CameraPose, ...]:
        """Where each camera really was."""
        return tuple([pose for since_s, pose in line.poses if since_s <= t_s][-1] for line in self._lines)

    # ------------------------------------------------------------ pictures

    def due(self, t_s: float) -> bool:
        """Whether it is time for pictures (to begin or to end an exposure); says so once for each time."""
        if self._ends_s is not None:
            return t_s >= self._ends_s
        if t_s < self._next_s:
            return False
        self._next_s += self._gap_s
        return True

    def take(self, t_s: float, poses: Poses, hands: Sequence[HandPose]) -> list[tuple[float, Frame]]:
        """One picture a camera, each with the time at which it arrives; nothing when an exposure has only begun."""
        if self._open_s == 0.0:
            return self._deliver(t_s, t_s, self._seeing(t_s, poses, hands))
        now = Instant(Poses(poses.position_m.copy(), poses.turn.copy()), tuple(hands))
        if self._began is None:
            self._began, self._ends_s = (t_s, now), t_s + self._open_s - 1e-9
            return []
        (began_s, first), self._began, self._ends_s = self._began, None, None
        self._befall(began_s)
        if all(self._missing(line, began_s) for line in self._lines):
            return self._deliver(t_s, began_s, None)
        return self._deliver(t_s, began_s, self._eye.see_moving(first, now, began_s, self._code(t_s)))

    def _seeing(self, t_s: float, poses: Poses, hands: Sequence[HandPose]) -> list[Picture]:
        self._befall(t_s)
        return self._eye.see(poses, hands, t_s, self._code(t_s))

    def _code(self, t_s: float) -> float:
        return self._code_light(t_s, self._open_s) if self._code_light is not None else 0.0

    def _deliver(self, now_s: float, began_s: float, pictures: list[Picture] | None) -> list[tuple[float, Frame]]:
        out: list[tuple[float, Frame]] = []
        for k, line in enumerate(self._lines):
            delay_s = self._delay(line)
            if self._missing(line, began_s):
                line.lost += 1
                continue
            if line.drops.struck(began_s):
                line.lost += 1
                self._note(began_s, line, CameraFaultKind.DROP, "a picture is lost on the way")
                continue
            if pictures is not None and (began_s >= line.frozen_until_s or not line.last_jpeg):
                line.last_jpeg = to_jpeg(self._eye.webcam(pictures[k], line.number, began_s), line.quality)
            arrives_s = began_s + self._open_s / 2 + delay_s
            if self._open_s > 0.0:
                arrives_s = max(arrives_s, now_s, line.last_arrival_s + 0.001)
            line.last_arrival_s = arrives_s
            frame = Frame(camera=line.number, jpeg=line.last_jpeg, lag_s=self._profile.camera(line.number).lag_s, dropped=line.lost)
            line.lost = 0
            out.append((arrives_s, frame))
        return out

    def _delay(self, line: _Line) -> float:
        jitter_s = self._level.delay_jitter_s
        if jitter_s is None:
            return float(self._rng.uniform(*self._level.frame_delay_s))
        return max(LEAST_DELAY_S, line.delay_s + float(line.rng.normal(0, jitter_s)))

    # ------------------------------------------------------------ faults

    @staticmethod
    def _missing(line: _Line, t_s: float) -> bool:
        return t_s < line.gone_until_s

    def _note(self, t_s: float, line: _Line, kind: CameraFaultKind, words: str, lasts_s: float = 0.0) -> None:
        self.faults.append(CameraFault(t_s, line.number, kind, words, lasts_s))

    def _befall(self, t_s: float) -> None:
        """What chance has in store for each camera by now."""
        level = self._level
        for line in self._lines:
            if line.freezes.struck(t_s):
                lasts_s = float(line.rng.uniform(*level.freeze_s))
                line.frozen_until_s = t_s + lasts_s
                self._note(t_s, line, CameraFaultKind.FREEZE, f"the same picture again and again for {lasts_s:.1f} s", lasts_s)
            if line.dropouts.struck(t_s):
                lasts_s = float(line.rng.uniform(*level.dropout_s))
                line.gone_until_s = t_s + lasts_s
                self._note(t_s, line, CameraFaultKind.DROPOUT, f"no pictures for {lasts_s:.1f} s", lasts_s)
            if line.nudges.struck(t_s):
                self._nudge(t_s, line)

    def _nudge(self, t_s: float, line: _Line) -> None:
        rng, level = line.rng, self._level
        turn = _any_way(rng) * rng.uniform(*level.nudge_deg)
        shift = _any_way(rng) * rng.uniform(*level.nudge_mm)
        pose = nudged(line.poses[-1][1], turn.tolist(), shift.tolist())
        line.poses.append((t_s, pose))
        self._eye.move_camera(pose)
        turned, shifted = float(np.linalg.norm(turn)), float(np.linalg.norm(shift))
        self._note(t_s, line, CameraFaultKind.NUDGE, f"knocked by {turned:.2f} degrees and {shifted:.1f} mm")

    def close(self) -> None:
        self._eye.close()


def _any_way(rng: np.random.Generator) -> np.ndarray:
    way = rng.normal(size=3)
    return np.asarray(way / float(np.linalg.norm(way)))
