"""One game of the twin as a source of messages, in its own time: what a real rig would send, and nothing else.

Physics, bots, cameras and the base advance together; everything is drawn from the seed, so a game is the same on every run. The truth log
stays in here for the exam; the referee is handed a nominal profile whose camera poses are still to be found.
"""

from __future__ import annotations

import heapq
from dataclasses import dataclass, field

import msgspec
import numpy as np

from rig.errors import PalettiError
from rig.messages import Answered, Ask, BaseBytes, FactKind, Input
from rig.pieces import STANDARD_SET, PieceSet
from rig.profile import Profile, nominal_profile
from rig.twin.bot import Bots
from rig.twin.hand import TICK_S
from rig.twin.levels import level_named
from rig.twin.physics import STEP_S, World
from rig.twin.sensors import Sensors
from rig.twin.truth import TruthLog
from rig.twin.webcams import Webcams

AFTERWARDS_S = 8.0
"""Seconds the session goes on after the game is over, so that the last ruling is made."""


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
        self._world = World(profile, seed, self.level.table)
        self.profile = self._tared(profile)
        self._webcams = Webcams(profile, seed, self.level.pictures, frame_rate)
        self._sensors = Sensors(self._world, self.profile, self.level.sensors, seed, base)
        self.truth = TruthLog(profile, self._world.order)
        topple_after = int(rng.integers(22, 29)) if max_raises is None else max_raises
        self.bots = Bots(self._world, self.truth, self.level.table, rng, players, topple_after, self._say, lambda: bool(self._open_asks))
        self._script = self.bots.script()
        self._queue: list[_Due] = []
        self._order = 0
        self._open_asks: set[int] = set()
        self._answers: list[tuple[float, Ask]] = []
        self._answer_rng = np.random.default_rng((seed, 0xA5C))
        self._ticks = 0
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
        self._answers.append((self._world.t_s + float(self._answer_rng.uniform(*self.level.table.answer_s)), ask))

    def close(self) -> None:
        self._webcams.close()
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
        if self._webcams.due(self._world.t_s):
            hands = tuple(seen for hand in self.bots.hands if (seen := hand.seen) is not None)
            for arrives_t_s, frame in self._webcams.take(self._world.t_s, self._world.poses(), hands):
                self._post(arrives_t_s, f"camera {frame.camera}", frame)
        self._answer_due()

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
