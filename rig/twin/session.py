"""One game of the twin as a source of messages, in its own time: what a real rig would send, and nothing else.

Physics, bots, cameras and the base advance together; everything is drawn from the seed, so a game is the same on every run. The truth log
stays in here for the exam. `profile` is the referee's: the nominal one, or at a level whose sets are drawn what a calibration measured of
this one; camera poses are still to be found. `true_profile` is what physics and pictures go by.
"""

from __future__ import annotations

import heapq
from dataclasses import dataclass, field

import numpy as np

from rig.errors import PalettiError
from rig.messages import Answered, Ask, BaseBytes, Input
from rig.pieces import PieceSet
from rig.profile import Profile
from rig.twin.levels import Level, level_named
from rig.twin.people import Bots, Person
from rig.twin.people.answers import answer_to
from rig.twin.physics.sets import TrueSet
from rig.twin.pictures.scene import WorldName
from rig.twin.pictures.webcams import Webcams
from rig.twin.play import Play
from rig.twin.sensors.base_sensors import Sensors
from rig.twin.truth import TruthLog

AFTERWARDS_S = 8.0
"""Seconds the session goes on after the game is over, so that the last ruling is made."""


@dataclass(order=True)
class _DueMessage:
    t_s: float
    order: int
    source: str = field(compare=False)
    payload: Input = field(compare=False)


class TwinSource:
    """A play as a rig would send it: `advance(until_s)` gives what was sent by then, in time order."""

    def __init__(self, seed: int, level: Level, frame_rate: float, base: str, world: WorldName = "A") -> None:
        self.level, self.in_world = level, world
        self._seed, self._frame_rate, self._base = seed, frame_rate, base
        self._queue: list[_DueMessage] = []
        self._order = 0
        self._open_asks: set[int] = set()
        self._answers: list[tuple[float, Ask]] = []
        self._answered_t_s = 0.0
        self._answer_rng = np.random.default_rng((seed, 0xA5C))

    def _watch(self, play: Play) -> None:
        """Cameras and base around the play; called once, when it is there."""
        self.play = play
        self._world = play.world
        light = self.code_light if self.level.pictures.household else None
        self._webcams = Webcams(play.true_profile, self._seed, self.level.pictures, self._frame_rate, self.in_world, light)
        self._sensors = Sensors(play.world, play.true_profile, self.level.sensors, self._seed, self._base)

    @property
    def profile(self) -> Profile:
        """The referee's: what a calibration knows."""
        return self.play.profile

    @property
    def true_profile(self) -> Profile:
        """The rig as it is; never the referee's."""
        return self.play.true_profile

    @property
    def truth(self) -> TruthLog:
        """What really happened."""
        return self.play.truth

    @property
    def bots(self) -> Bots:
        """The people of this game."""
        return self.play.bots

    def table_waits(self) -> bool:
        """Whether people wait for an answer to the referee's question."""
        return bool(self._open_asks)

    # ------------------------------------------------------------ what the wiring asks

    @property
    def real_parts(self) -> tuple[str, ...]:
        """What of it is real, in words."""
        parts = ["pictures rendered and JPEG-encoded, the serial protocol's bytes, the referee, the rules, the recording, the screen."]
        if self._sensors.real:
            parts.append("the base's firmware, the AVR binary itself, in its simulator.")
        return tuple(parts)

    @property
    def stand_ins(self) -> tuple[str, ...]:
        """What stands in for something real, in words."""
        parts = ["the tower and the players are simulated (MuJoCo), the chips and cameras too."]
        if not self._sensors.real:
            parts.append("a pure-Python base for the firmware (no AVR tools here; proven byte-equal by a test).")
        return tuple(parts)

    @property
    def firmware_version(self) -> str:
        """Of the binary, or of the stand-in."""
        return "the AVR binary in its simulator" if self._sensors.real else "pure-Python stand-in"

    @property
    def finished(self) -> bool:
        """Whether the game is over and its last ruling due."""
        over_t_s = self.play.over_t_s
        return over_t_s is not None and self._world.t_s > max(over_t_s, self._answered_t_s) + AFTERWARDS_S and not self._answers

    def ask(self, ask: Ask) -> None:
        """The table thinks about the referee's question for a few seconds; meanwhile nobody builds."""
        self._open_asks.add(ask.id)
        self._answers.append((self._world.t_s + float(self._answer_rng.uniform(*self.level.table.answer_s)), ask))

    def close(self) -> None:
        self._webcams.close()
        self._sensors.close()

    def advance(self, until_s: float) -> list[tuple[float, str, Input]]:
        """Everything sent by `until_s` since the last call."""
        while self.play.due(until_s):
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
        self.play.tick()
        if self._webcams.due(self._world.t_s):
            hands = tuple(seen for hand in self.bots.hands if (seen := hand.seen) is not None)
            for arrives_t_s, frame in self._webcams.take(self._world.t_s, self._world.poses(), hands):
                self._post(arrives_t_s, f"camera {frame.camera}", frame)
        self._answer_due()

    def say(self, source: str, payload: Input, delay_s: float = 0.0) -> None:
        """Somebody says something, `delay_s` from now."""
        self._post(self._world.t_s + delay_s, source, payload)

    def press(self, seat: int, delay_s: float = 0.0) -> None:
        """A finger on the button of `seat` (0 to 3), `delay_s` from now: through bouncing contacts, firmware and cable."""
        self._sensors.press(seat, self._world.t_s + delay_s)

    def code_light(self, t_s: float, exposure_s: float = 0.0) -> float:
        """How much of an exposure that ends at `t_s` the base's code light was on, 0 to 1."""
        return self._sensors.code_light(t_s, exposure_s)

    @property
    def failed(self) -> tuple[str, ...]:
        """What of the base and the cameras has failed so far, in words and in time order: for the exam to show, never for the referee."""
        told = [(one.t_s, one.words) for one in self._sensors.told_by(self._world.t_s)]
        told += [(one.t_s, one.words) for one in self._webcams.faults]
        return tuple(f"{t_s:.1f} s {words}" for t_s, words in sorted(told))

    def _post(self, t_s: float, source: str, payload: Input) -> None:
        self._order += 1
        heapq.heappush(self._queue, _DueMessage(t_s, self._order, source, payload))

    # ------------------------------------------------------------ the table answers

    def _answer_due(self) -> None:
        for due in [due for due in self._answers if due[0] <= self._world.t_s]:
            self._answers.remove(due)
            self._open_asks.discard(due[1].id)
            self._answered_t_s = self._world.t_s
            choice = answer_to(due[1], self.truth.log, self.bots.game)
            wrong = self.level.table.speech.answer_wrong
            if wrong and len(due[1].choices) > 1 and self._answer_rng.random() < wrong:
                others = [other for other in due[1].choices if other != choice]
                choice = others[int(self._answer_rng.integers(len(others)))]
            self._post(self._world.t_s, "desk", Answered(ask=due[1].id, choice=choice))


class TwinSession(TwinSource):
    """One whole game."""

    def __init__(
        self,
        seed: int,
        players: int = 4,
        cameras: int = 2,
        level: str = "lab",
        pieces: PieceSet | None = None,
        frame_rate: float = 5.0,
        base: str = "auto",
        max_raises: int | None = None,
        picture_px: tuple[int, int] = (720, 1280),
        people: tuple[Person, ...] | None = None,
        true_set: TrueSet | None = None,
        world: WorldName = "A",
    ) -> None:
        """As `Play`; rooms, hands and cameras are those of `world`, too. PalettiError for a set that cannot stand, an unknown level or
        base, or too many cameras."""
        if not 1 <= cameras <= 4:
            raise PalettiError(f"The twin has one to four cameras, not {cameras}.", "Give --cameras 1, 2, 3 or 4.")
        super().__init__(seed, level_named(level), frame_rate, base, world)
        self._watch(
            Play(
                seed, self.level, players, cameras, pieces, picture_px, max_raises, people, true_set, self.say, self.table_waits,
                press=self.press, world=world,
            )
        )  # fmt: skip
