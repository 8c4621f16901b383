"""One game of the twin as a source of messages, in its own time: what a real rig would send, and nothing else.

Physics, bots, cameras and the base advance together; everything is drawn from the seed, so a game is the same on every run. The truth log
stays in here for the exam; the referee is handed a nominal profile whose camera poses are still to be found.
"""

from __future__ import annotations

import heapq
from dataclasses import dataclass, field

import msgspec
import numpy as np
import numpy.typing as npt

from rig.base.firmware_tool import elf_path, has_simulator, library_path
from rig.errors import PalettiError
from rig.messages import Answered, Ask, BaseBytes, FactKind, Frame, Input
from rig.pieces import STANDARD_SET, PieceSet
from rig.profile import Profile, nominal_profile
from rig.twin.avr import AvrBase
from rig.twin.bot import Bots
from rig.twin.cameras import Eye, to_jpeg
from rig.twin.chips import ChipClocks, Due, SensingBase
from rig.twin.hand import TICK_S
from rig.twin.levels import Level, level_named
from rig.twin.physics import STEP_S, World
from rig.twin.standin import StandInBase
from rig.twin.truth import TruthLog

AFTERWARDS_S = 8.0
"""Seconds the session goes on after the game is over, so that the last ruling is made."""

IMU_COUNTS_PER_G = 16384.0
IMU_COUNTS_PER_DPS = 131.0
IMU_TEMPERATURE = -3920
"""25 degrees in the MPU-6050's scale (340 counts a degree, 36.53 degrees at 0)."""


@dataclass(order=True)
class _Due:
    t_s: float
    order: int
    source: str = field(compare=False)
    payload: Input = field(compare=False)


class TwinSession:
    """`advance(until_s)` gives what the rig would have sent by then, in time order."""

    def __init__(
        self,
        seed: int,
        players: int = 4,
        cameras: int = 2,
        level: str = "lab",
        pieces: PieceSet = STANDARD_SET,
        frame_rate: float = 5.0,
        base: str = "auto",
        max_raises: int | None = None,
        picture_px: tuple[int, int] = (720, 1280),
    ) -> None:
        if not 1 <= cameras <= 4:
            raise PalettiError(f"The twin has one to four cameras, not {cameras}.", "Give --cameras 1, 2, 3 or 4.")
        self.level = level_named(level)
        rng = np.random.default_rng((seed, 0xB07))
        profile = nominal_profile(cameras, pieces, *picture_px)
        self._world = World(profile, seed, self.level)
        self.profile = self._tared(profile)
        self._eye = Eye(profile, seed)
        self._sensors = _Sensors(self._world, self.profile, self.level, seed, base)
        self._picture_rng = np.random.default_rng((seed, 0xCA3))
        self.truth = TruthLog(profile, self._world.order)
        topple_after = int(rng.integers(22, 29)) if max_raises is None else max_raises
        self.bots = Bots(self._world, self.truth, self.level, rng, players, topple_after, self._say, lambda: bool(self._open_asks))
        self._script = self.bots.script()
        self._queue: list[_Due] = []
        self._order = 0
        self._open_asks: set[int] = set()
        self._answers: list[tuple[float, Ask]] = []
        self._answer_rng = np.random.default_rng((seed, 0xA5C))
        self._ticks = 0
        self._frame_gap_s = 1.0 / frame_rate
        self._next_frame_s = 0.1
        self._over_t_s: float | None = None

    def _tared(self, profile: Profile) -> Profile:
        """The profile with the cells tared while only the base lies on the plate, as every session of a real rig begins."""
        for _ in range(round(0.2 / STEP_S)):
            self._world.step()
        load_g = self._world.drain().load_g[-50:].mean(axis=0)
        cells = tuple(
            msgspec.structs.replace(cell, tare_counts=round(float(grams) * cell.counts_per_g, 1))
            for cell, grams in zip(profile.cells, load_g, strict=True)
        )
        self._world.data.time = 0.0
        return msgspec.structs.replace(profile, cells=cells)

    # ------------------------------------------------------------ what the wiring asks

    @property
    def real_parts(self) -> tuple[str, ...]:
        parts = ["pictures rendered and JPEG-encoded, the serial protocol's bytes, the referee, the rules, the recording, the screen."]
        if self._sensors.real:
            parts.append("the base's firmware, the AVR binary itself, in its simulator.")
        return tuple(parts)

    @property
    def stand_ins(self) -> tuple[str, ...]:
        parts = ["the tower and the players are simulated (MuJoCo), the chips and cameras too."]
        if not self._sensors.real:
            parts.append("a pure-Python base for the firmware (no AVR tools here; proven byte-equal by a test).")
        return tuple(parts)

    @property
    def firmware_version(self) -> str:
        return "the AVR binary in its simulator" if self._sensors.real else "pure-Python stand-in"

    @property
    def finished(self) -> bool:
        return self._over_t_s is not None and self._world.t_s > self._over_t_s + AFTERWARDS_S

    def ask(self, ask: Ask) -> None:
        """The table thinks about the referee's question for a few seconds; meanwhile nobody builds."""
        self._open_asks.add(ask.id)
        self._answers.append((self._world.t_s + float(self._answer_rng.uniform(*self.level.answer_s)), ask))

    def close(self) -> None:
        self._eye.close()
        self._sensors.close()

    def advance(self, until_s: float) -> list[tuple[float, str, Input]]:
        """Everything sent by `until_s` since the last call."""
        while (self._ticks + 1) * TICK_S <= until_s + 1e-9:
            self._tick()
        data = self._sensors.bytes_by(until_s)
        if data:
            self._post(until_s, "base", BaseBytes(data=data))
        out: list[tuple[float, str, Input]] = []
        while self._queue and self._queue[0].t_s <= until_s:
            due = heapq.heappop(self._queue)
            out.append((due.t_s, due.source, due.payload))
        return out

    # ------------------------------------------------------------ time

    def _tick(self) -> None:
        self._ticks += 1
        if self._over_t_s is None and next(self._script, True) is True:
            self._over_t_s = self._world.t_s
        for _ in range(round(TICK_S / STEP_S)):
            self._world.step()
        if self.bots.handling and self._ticks % 2 == 0:
            self.truth.watch(self._world.poses())
        if self._ticks * TICK_S >= self._next_frame_s:
            self._next_frame_s += self._frame_gap_s
            self._take_pictures()
        self._answer_due()

    def _take_pictures(self) -> None:
        hands = tuple(seen for hand in self.bots.hands if (seen := hand.seen) is not None)
        low, high = self.level.frame_delay_s
        for number, picture in enumerate(self._eye.see(self._world.poses(), hands), 1):
            delay_s = float(self._picture_rng.uniform(low, high))
            frame = Frame(camera=number, jpeg=to_jpeg(self._eye.webcam(picture)), lag_s=self.profile.camera(number).lag_s)
            self._post(self._world.t_s + delay_s, f"camera {number}", frame)

    def _say(self, source: str, payload: Input) -> None:
        self._post(self._world.t_s, source, payload)

    def _post(self, t_s: float, source: str, payload: Input) -> None:
        self._order += 1
        heapq.heappush(self._queue, _Due(t_s, self._order, source, payload))

    # ------------------------------------------------------------ the table answers

    def _answer_due(self) -> None:
        for due in [due for due in self._answers if due[0] <= self._world.t_s]:
            self._answers.remove(due)
            self._open_asks.discard(due[1].id)
            self._post(self._world.t_s, "desk", Answered(ask=due[1].id, choice=self._answer_to(due[1])))

    def _answer_to(self, ask: Ask) -> str:
        """What a person at the table would say: the latest thing that really happened."""
        told = [truth for truth in self.truth.log if ask.t_s - truth.t_s < 8.0 and truth.kind is not FactKind.INCIDENT]
        latest = told[-1] if told else None
        choices = ask.choices
        wanted = "nothing"
        if latest is not None:
            match latest.kind:
                case FactKind.RAISED | FactKind.STOOD:
                    wanted = str(latest.column)
                case FactKind.LAID if latest.floor is not None:
                    wanted = f"plateau {latest.floor.word}"
                case FactKind.COLLAPSED:
                    wanted = "collapse"
                case FactKind.ABORTED:
                    wanted = str(latest.column) if "nothing" not in choices else "nothing"
                case _:
                    pass
        return wanted if wanted in choices else choices[-1]


class _Sensors:
    """From the physics to the chips to the base's bytes, with the errors that real cells and chips have."""

    def __init__(self, world: World, profile: Profile, level: Level, seed: int, base: str) -> None:
        self._world, self._level = world, level
        self._cells = profile.cells
        self._rng = np.random.default_rng((seed, 0xCE11))
        self._gain = 1 + self._rng.normal(0, self._level.cell_gain_spread, 4)
        self._offset_g = self._rng.normal(0, self._level.cell_offset_g, 4)
        self._drift_g_s = self._rng.normal(0, self._level.cell_drift_g_per_min / 60, 4)
        self._bias = np.concatenate([self._rng.normal(0, self._level.imu_bias_g, 3), self._rng.normal(0, self._level.imu_bias_dps, 3)])
        self._clocks = ChipClocks(seed)
        self._t_s: npt.NDArray[np.float64] = np.zeros(1)
        self._load_g: npt.NDArray[np.float64] = np.zeros((1, 4))
        self._imu: npt.NDArray[np.float64] = np.array([[0.0, 0.0, 1.0, 0.0, 0.0, 0.0]])
        if base not in ("auto", "avr", "standin"):
            raise PalettiError(f"There is no base called {base!r}.", "Bases are auto, avr and standin.")
        self.real = base != "standin" and has_simulator()
        if base == "avr" and not self.real:
            raise PalettiError("The firmware's simulator has not been built.", "Build it with `paletti firmware build`.")
        self._base: SensingBase = AvrBase(elf_path(), library_path()) if self.real else StandInBase()

    def bytes_by(self, until_s: float) -> bytes:
        signals = self._world.drain()
        keep = self._t_s > until_s - 0.2
        self._t_s = np.concatenate([self._t_s[keep], signals.t_s])
        self._load_g = np.concatenate([self._load_g[keep], signals.load_g])
        self._imu = np.concatenate([self._imu[keep], signals.imu])
        due = self._clocks.due(until_s)
        return self._base.advance(until_s, due, self._counts(due), self._motion(due))

    def _counts(self, due: Due) -> npt.NDArray[np.int32]:
        t_s, cell = due.load_t_s, due.load_cell
        grams = np.empty(len(t_s))
        for k in range(4):
            mine = cell == k
            grams[mine] = np.interp(t_s[mine], self._t_s, self._load_g[:, k])
        grams = grams * self._gain[cell] + self._offset_g[cell] + self._drift_g_s[cell] * t_s
        grams = grams + self._rng.normal(0, self._level.cell_noise_g, len(t_s))
        per_g = np.array([c.counts_per_g for c in self._cells])[cell]
        return np.asarray(np.clip(np.rint(grams * per_g), -(2**23), 2**23 - 1), np.int32)

    def _motion(self, due: Due) -> npt.NDArray[np.int16]:
        t_s = due.imu_t_s
        values = np.column_stack([np.interp(t_s, self._t_s, self._imu[:, k]) for k in range(6)]) if len(t_s) else np.empty((0, 6))
        noise = self._rng.normal(0, 1, values.shape) * np.array([self._level.imu_noise_g] * 3 + [self._level.imu_noise_dps] * 3)
        scale = np.array([IMU_COUNTS_PER_G] * 3 + [IMU_COUNTS_PER_DPS] * 3)
        counts = np.rint((values + self._bias + noise) * scale)
        with_temperature = np.column_stack([counts, np.full(len(t_s), IMU_TEMPERATURE)])
        return np.asarray(np.clip(with_temperature, -32768, 32767), np.int16)

    def close(self) -> None:
        self._base.close()
