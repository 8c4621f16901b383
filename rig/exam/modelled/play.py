"""One modelled game in message time: players act, the senses' models answer, and the very same fold and referee hear it all.

Pictures come closely while something goes on and seldom while nothing does, so that a game of ten minutes is some ten thousand messages.
Answers of the eyes enter the nominal time after they were asked for, as in every session in virtual time.
"""

from __future__ import annotations

import heapq
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field

import numpy as np

from rig.engine.fold import Fold, Said
from rig.engine.pump import NOMINAL_DELAY_S, Listener
from rig.engine.sequencer import Sequencer
from rig.exam.modelled.eyes import ModelledEyes
from rig.exam.modelled.likelihoods import FITTED, Likelihoods
from rig.exam.modelled.room import Glance, Room
from rig.exam.modelled.scale import Base
from rig.exam.modelled.setting import Setting, draw_setting
from rig.exam.modelled.table import Table
from rig.exam.modelled.turns import Turns
from rig.exam.modelled.watching import Watching
from rig.messages import (
    Answered,
    Ask,
    Felt,
    Frame,
    Input,
    LookAnswer,
    LookRequest,
    Message,
    ProfileSet,
    RefereeState,
    Resumed,
    Tick,
    Watch,
)
from rig.profile import Profile, to_json
from rig.rules import Phase
from rig.rules.record import Record, print_record
from rig.twin.levels import Level, level_named
from rig.twin.people.answers import answer_to
from rig.twin.people.speech import Mouths

CLOSELY_S, BUSILY_S, SELDOM_S = 0.2, 0.4, 1.0
"""Seconds between two pictures of a camera: around every change, while hands are at work, while nothing happens."""
ALERT_S = 1.6
"""Seconds after a change for which pictures come closely."""
AFTERWARDS_S = 8.0
"""Seconds a session goes on after the game is over, so that the last ruling is made."""
LONGEST_S = 7200.0
LAG_S = (0.04, 0.12)
"""A camera's delay is drawn between these."""
LAG_KNOWN_S = 0.01
"""How well it is known (standard deviation)."""


@dataclass(frozen=True, slots=True)
class Modelled:
    """How a modelled game is played. `without`: senses that are missing (`base`, `imu`, `cameras`)."""

    level: str = "home"
    cameras: int = 2
    players: int = 4
    without: frozenset[str] = frozenset()
    wrong_answers: float | None = None
    """Share of the referee's questions answered wrongly; None: the level's."""
    likelihoods: Likelihoods = FITTED


@dataclass(order=True)
class _Due:
    t_s: float
    order: int
    enter: Callable[[], None] = field(compare=False)


class ModelledGame:
    """One game. `run()` plays it; afterwards `truth`, `game` and `seal` say what was so."""

    def __init__(self, seed: int, how: Modelled, listeners: Iterable[Listener] = (), fold: Fold | None = None) -> None:
        self.how, self.seed = how, seed
        self.level: Level = level_named(how.level)
        cameras = 0 if "cameras" in how.without else how.cameras
        self._setting: Setting = draw_setting(seed, self.level, how.players, cameras, how.likelihoods)
        rng, fate = np.random.default_rng((seed, 0xB07)), np.random.default_rng((seed, 0xFA7E))
        self._rng = np.random.default_rng((seed, 0x5E25E))
        self._answer_rng = np.random.default_rng((seed, 0xA5C))
        setting = self._setting
        self.room = Room(setting.site, setting.tower, dict(setting.carriers))
        present = "base" not in how.without
        self.base = Base(how.likelihoods.scale, self._rng, present, "imu" not in how.without)
        mouths = Mouths(self.level.table.speech, fate, how.players, self._say, self._press)
        self.table = Table(
            setting.site, self.room, self.base, self.level.table, rng, fate, setting.people, setting.game, mouths, self._table_waits
        )
        self.turns = Turns(self.table)
        self._script = self.turns.game()
        self._eyes = ModelledEyes(setting.site, how.likelihoods, seed)
        self._watching = Watching(how.likelihoods.hands, setting.sleeves, self._rng)
        self._cameras = {number: float(self._rng.uniform(*LAG_S)) for number in range(1, cameras + 1)}
        self._lag_s = {number: lag + float(self._rng.normal(0, LAG_KNOWN_S)) for number, lag in self._cameras.items()}
        self._listeners = list(listeners)
        self._fold = fold if fold is not None else Fold()
        self._sequencer = Sequencer()
        self._queue: list[_Due] = []
        self._order = 0
        self._open_asks: set[int] = set()
        self._state = RefereeState.SETTLED
        self.over_t_s: float | None = None

    # ------------------------------------------------------------ what was so

    @property
    def fold(self) -> Fold:
        return self._fold

    @property
    def known(self) -> Profile:
        """The referee's profile."""
        return self._setting.known

    def listen(self, listener: Listener) -> None:
        """One more who hears everything."""
        self._listeners.append(listener)

    @property
    def t_s(self) -> float:
        return self._sequencer.t_s

    # ------------------------------------------------------------ people

    def _say(self, source: str, payload: Input, delay_s: float) -> None:
        self._at(self.room.t_s + delay_s, lambda: self._enter(source, payload))

    def _press(self, seat: int, delay_s: float) -> None:
        self._at(self.room.t_s + delay_s, lambda: self.base.press(self.room.t_s, seat))
        self._at(self.room.t_s + delay_s + 0.02, self._enter_felt)

    def _table_waits(self) -> bool:
        return bool(self._open_asks)

    def _asked(self, ask: Ask) -> None:
        """The table thinks about the question for a few seconds; meanwhile nobody builds."""
        self._open_asks.add(ask.id)
        self._at(self.room.t_s + float(self._answer_rng.uniform(*self.level.table.answer_s)), lambda: self._answer(ask))

    def _answer(self, ask: Ask) -> None:
        self._open_asks.discard(ask.id)
        choice = answer_to(ask, self.table.log, self.table.game)
        wrong = self.level.table.speech.answer_wrong if self.how.wrong_answers is None else self.how.wrong_answers
        if wrong and len(ask.choices) > 1 and self._answer_rng.random() < wrong:
            others = [other for other in ask.choices if other != choice]
            choice = others[int(self._answer_rng.integers(len(others)))]
        self._enter("desk", Answered(ask=ask.id, choice=choice))

    # ------------------------------------------------------------ time

    def _at(self, t_s: float, enter: Callable[[], None]) -> None:
        self._order += 1
        heapq.heappush(self._queue, _Due(t_s, self._order, enter))

    def run(self) -> None:
        """The whole game."""
        setting = self._setting
        self._enter("profile", ProfileSet(profile_json=to_json(setting.known)))
        self._enter("desk", Resumed(record=print_record(Record.of(setting.game)), tower=setting.believed))
        script_s, picture_s, tick_s, weigh_s, false_s = 0.5, 0.05, 0.1, 0.0, self._next_false_s(0.0)
        while not self._finished():
            due_s = self._queue[0].t_s if self._queue else 1e12
            t_s = min(due_s, script_s, picture_s, tick_s, weigh_s)
            self.room.t_s = t_s
            before_s = self.room.changed_t_s
            if t_s == due_s:
                heapq.heappop(self._queue).enter()
            elif t_s == script_s:
                script_s = t_s + self._act()
            elif t_s == picture_s:
                if t_s >= false_s and self._cameras:
                    self._watching.begin_false_arm(int(self._rng.integers(1, len(self._cameras) + 1)), t_s)
                    self.room.touch()
                    false_s = self._next_false_s(t_s)
                self._expose()
                picture_s = t_s + self._gap_s()
            elif t_s == tick_s:
                self._enter("clock", Tick())
                tick_s = t_s + self._gap_s() / (1 if self.room.hands else 2)
            else:
                self._weigh()
                weigh_s = t_s + self._gap_s() / (1 if self.room.hands else 2)
            if self.room.changed_t_s != before_s:  # pictures and weights come closely from here on
                soon_s = t_s + CLOSELY_S
                picture_s, tick_s, weigh_s = min(picture_s, soon_s), min(tick_s, soon_s), min(weigh_s, soon_s)

    def _finished(self) -> bool:
        if self.over_t_s is None:
            return self.room.t_s > LONGEST_S
        return self.room.t_s > self.over_t_s + AFTERWARDS_S and not self._open_asks

    def _gap_s(self) -> float:
        """Seconds to the next picture."""
        room = self.room
        if room.t_s - room.changed_t_s < ALERT_S or room.moving or (not room.hands and self._state in _WAITS):
            return CLOSELY_S
        return BUSILY_S if room.hands or self._state is not RefereeState.SETTLED else SELDOM_S

    def _next_false_s(self, t_s: float) -> float:
        rate = self.how.likelihoods.hands.false_per_h / 3600
        return t_s + float(self._rng.exponential(1 / rate)) if rate else 1e12

    def _act(self) -> float:
        """The players go on; seconds until they do again."""
        if self.over_t_s is not None:
            return 1e12
        wait_s = next(self._script, None)
        if wait_s is None:
            self.over_t_s = self.room.t_s
            return 1e12
        return max(wait_s, 1e-3)

    # ------------------------------------------------------------ senses

    def _expose(self) -> None:
        glance = self.room.glance()
        for camera, lag_s in self._cameras.items():
            self._at(self.room.t_s + lag_s, lambda camera=camera: self._deliver(camera, glance))  # type: ignore[misc]

    def _deliver(self, camera: int, glance: Glance) -> None:
        frame = Frame(camera=camera, jpeg=b"", lag_s=round(self._lag_s[camera], 4))
        self._eyes.glances[self._sequencer.next_n] = glance
        self._enter(f"camera {camera}", frame)

    def _weigh(self) -> None:
        if self.base.present:
            self._enter("base", Felt(readings=(*self.base.take(), self.base.weighed(self.room))))

    def _enter_felt(self) -> None:
        readings = self.base.take()
        if readings:
            self._enter("base", Felt(readings=readings))

    def _look(self, request: LookRequest) -> None:
        if isinstance(request, Watch):
            reference = self._eyes.glances.get(request.reference) if request.reference is not None else None
            answer: LookAnswer = self._watching.answer(request, self._eyes.glances[request.frame], reference)
        else:
            answer = self._eyes.answer(request)
        self._at(self.room.t_s + NOMINAL_DELAY_S[type(request)], lambda: self._enter("eyes", answer))

    # ------------------------------------------------------------ the fold

    def _enter(self, source: str, payload: Input) -> None:
        message: Message = self._sequencer.enter(self.room.t_s, source, payload)
        said: Said = self._fold.step(message)
        for request in said.requests:
            if isinstance(request, Ask):
                self._asked(request)
            else:
                self._look(request)
        if said.view is not None:
            self._state = said.view.state
        for listener in self._listeners:
            listener.heard(message, said)


_WAITS = frozenset({RefereeState.SETTLING, RefereeState.HANDS_IN})
"""States in which the referee is about to decide."""


def over(game: ModelledGame) -> bool:
    """Whether the true game came to its end."""
    return game.table.game.phase is Phase.OVER
