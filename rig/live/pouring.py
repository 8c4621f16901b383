"""Pours a source that has its own time (the twin) into a session, as fast as it goes or paced to the clock.

The clock is injected, so tests need none. Where the source is slower than asked, the session simply runs late and says by what factor.
"""

from __future__ import annotations

import queue
from collections.abc import Callable, Sequence
from typing import Protocol

from rig.live.session import Session
from rig.messages import Ask, Input

SLICE_S = 0.05


class Source(Protocol):
    """Something with its own time that pours messages: `advance` gives what happened up to `until_s`, in time order."""

    @property
    def finished(self) -> bool:
        """Whether nothing more will come."""

    def advance(self, until_s: float) -> Sequence[tuple[float, str, Input]]:
        """What was sent until `until_s`: (time, source, payload), in time order."""

    def ask(self, ask: Ask) -> None:
        """The referee asks the table."""


class Pace:
    """Holds message time back to wall time: `speed` 1 is real time, None as fast as it goes. `factor` is message time over wall time."""

    def __init__(self, speed: float | None, clock: Callable[[], float], sleep: Callable[[float], None]) -> None:
        self._speed, self._clock, self._sleep = speed, clock, sleep
        self._start = clock()
        self._ahead_start = self._start
        self.t_s = 0.0

    @property
    def factor(self) -> float:
        """Seconds of message time in one second of the clock so far."""
        wall_s = self._clock() - self._start
        return self.t_s / wall_s if wall_s > 0 else 0.0

    def wait(self, t_s: float) -> None:
        """Return when wall time has come to `t_s`; time lost to a slow source is not made up by a rush later."""
        self.t_s = t_s
        if self._speed is None:
            return
        due = self._ahead_start + t_s / self._speed
        late = self._clock() - due
        if late < 0:
            self._sleep(-late)
        elif late > 0.5:
            self._ahead_start += late


def pour(
    source: Source,
    session: Session,
    pace: Pace,
    inbox: queue.SimpleQueue[tuple[str, Input]] | None = None,
    stopped: Callable[[], bool] = lambda: False,
    limit_s: float = 7200.0,
) -> bool:
    """Pour until the source is finished; True if it finished, False if it was stopped or ran into `limit_s` of message time."""
    t_s = 0.0
    while not source.finished:
        if stopped() or t_s > limit_s:
            return False
        t_s = round(t_s + SLICE_S, 6)
        for at_s, name, payload in source.advance(t_s):
            session.pour(at_s, name, payload)
        while inbox is not None and not inbox.empty():
            name, payload = inbox.get_nowait()
            session.pour(t_s, name, payload)
        session.run_to(t_s)
        pace.wait(t_s)
    return True
