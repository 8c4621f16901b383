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
from typing import Protocol

from rig.live.eyes import EyesWorker
from rig.live.fold import Fold, Said
from rig.live.sequencer import Sequencer
from rig.messages import (
    Ask,
    FindPose,
    Frame,
    Input,
    Judge,
    LookAnswer,
    LookRequest,
    Message,
    ProfileSet,
    ReadTower,
    Tick,
    Track,
    Watch,
)
from rig.profile import Profile, to_json
from rig.referee.referee import Referee

TICK_S = 0.1

NOMINAL_DELAY_S: dict[type, float] = {Watch: 0.04, FindPose: 0.3, Judge: 0.4, Track: 0.5, ReadTower: 3.0}
"""Message time from a request to its answer, about what a two-core machine takes."""


BACKLOG = 6
"""Looks that may wait in real time before newer pictures are passed over. Larger: later rulings on slow machines; smaller: hands missed."""


class Listener(Protocol):
    """Hears every message and what it led to: the recorder, the dashboard, the exam."""

    def heard(self, message: Message, said: Said) -> None: ...


@dataclass(order=True)
class _Due:
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
        make: Callable[[Profile], Referee] = Referee,
    ) -> None:
        """`make`: the referee of a profile, where another than the usual one is to rule."""
        self._sequencer = Sequencer()
        self._fold = Fold(make)
        self._eyes = EyesWorker(profile)
        self._listeners = list(listeners)
        self._on_ask = on_ask
        self._real_time = real_time
        self.passed_over = 0
        self._due: list[_Due] = []
        self._order = 0
        self._next_tick_s = TICK_S
        self._enter(0.0, "profile", ProfileSet(profile_json=to_json(profile)))

    @property
    def fold(self) -> Fold:
        return self._fold

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

    def _next_due(self) -> _Due | None:
        """The look to be answered next; in real time the first of those that have been answered, so that a slow one holds nothing up."""
        if not self._real_time:
            return self._due[0] if self._due else None
        return min((due for due in self._due if due.answer.done()), default=None)

    def _enter(self, t_s: float, source: str, payload: Input) -> None:
        message = self._sequencer.enter(t_s, source, payload)
        if isinstance(payload, Frame):
            self._eyes.put(message.n, message.t_s, payload.jpeg)
        said = self._fold.step(message)
        for request in said.requests:
            if isinstance(request, Ask):
                if self._on_ask is not None:
                    self._on_ask(request)
            else:
                self._look(request, message.t_s)
        for listener in self._listeners:
            listener.heard(message, said)

    def _look(self, request: LookRequest, t_s: float) -> None:
        if self._real_time and isinstance(request, Watch) and len(self._due) >= BACKLOG:
            self.passed_over += 1
            return
        self._order += 1
        due_s = t_s + NOMINAL_DELAY_S[type(request)]
        heapq.heappush(self._due, _Due(due_s, self._order, self._eyes.ask(request)))
