"""A session in message time: whatever pours messages in, they are numbered, folded, recorded and shown here.

Used by the twin (virtual time, as fast as it goes or paced to the clock) and by real sources (the same loop fed in real time). Answers of
the eyes enter a nominal time after the request. In virtual time the session waits for them, so a game of the twin is the same on every run;
in real time they enter when they are there, and pictures nobody came to look at are passed over, counted and shown.
"""

from __future__ import annotations

import heapq
from collections.abc import Callable, Iterable
from concurrent.futures import Future
from dataclasses import dataclass, field

from rig.engine.fold import Fold
from rig.engine.pump import NOMINAL_DELAY_S, USUAL_REFEREE, Listener, MakeReferee, Pump
from rig.engine.sequencer import Sequencer
from rig.live.eyes import EyesWorker
from rig.messages import Ask, Input, LookAnswer, LookRequest, ProfileSet, Request, Tick, Watch
from rig.profile import Profile, to_json

TICK_S = 0.1

BACKLOG = 6
"""Looks that may wait in real time before newer pictures are passed over. Larger: later rulings on slow machines; smaller: hands missed."""


@dataclass(order=True)
class _DueAnswer:
    t_s: float
    order: int
    answer: Future[LookAnswer] = field(compare=False)


class Session:
    """Feeds the fold. `pour` takes inputs in time order; `run_to` lets time pass."""

    def __init__(
        self,
        profile: Profile,
        listeners: Iterable[Listener] = (),
        on_ask: Callable[[Ask], None] | None = None,
        real_time: bool = False,
        eyes: EyesWorker | None = None,
        make: MakeReferee = USUAL_REFEREE,
    ) -> None:
        """`eyes`, `make`: other eyes, and what makes another referee of a profile, than the usual ones."""
        self._sequencer = Sequencer()
        self._eyes = eyes or EyesWorker()
        self._pump = Pump(listeners, self._eyes, self._expect, make)
        self._on_ask = on_ask
        self._real_time = real_time
        self.passed_over = 0
        self._due: list[_DueAnswer] = []
        self._order = 0
        self._next_tick_s = TICK_S
        self._enter(0.0, "profile", ProfileSet(profile_json=to_json(profile)))

    @property
    def fold(self) -> Fold:
        return self._pump.fold

    @property
    def t_s(self) -> float:
        return self._sequencer.t_s

    def pour(self, t_s: float, source: str, payload: Input) -> None:
        """One input, after everything that was due before it."""
        self._catch_up(t_s)
        self._enter(t_s, source, payload)

    def run_to(self, t_s: float) -> None:
        """Ticks and answers up to `t_s`."""
        self._catch_up(t_s)

    def close(self) -> None:
        self._eyes.close()

    def _catch_up(self, t_s: float) -> None:
        while True:
            due = self._next_due()
            due_s = due.t_s if due is not None else float("inf")
            if self._next_tick_s <= min(due_s, t_s):
                self._enter(self._next_tick_s, "clock", Tick())
                self._next_tick_s = round(self._next_tick_s + TICK_S, 6)
            elif due is not None and due_s <= t_s:
                self._due.remove(due)
                heapq.heapify(self._due)
                self._enter(t_s if self._real_time else due.t_s, "eyes", due.answer.result())
            else:
                return

    def _next_due(self) -> _DueAnswer | None:
        """The look to be answered next; in real time the first of those that have been answered, so that a slow one holds nothing up."""
        if not self._real_time:
            return self._due[0] if self._due else None
        return min((due for due in self._due if due.answer.done()), default=None)

    def _enter(self, t_s: float, source: str, payload: Input) -> None:
        self._pump.feed(self._sequencer.enter(t_s, source, payload))

    def _expect(self, request: Request, t_s: float) -> None:
        if not isinstance(request, Ask):
            self._look(request, t_s)
        elif self._on_ask is not None:
            self._on_ask(request)

    def _look(self, request: LookRequest, t_s: float) -> None:
        if self._real_time and isinstance(request, Watch) and len(self._due) >= BACKLOG:
            self.passed_over += 1
            return
        self._order += 1
        due_s = t_s + NOMINAL_DELAY_S[type(request)]
        heapq.heappush(self._due, _DueAnswer(due_s, self._order, self._eyes.ask(request)))
