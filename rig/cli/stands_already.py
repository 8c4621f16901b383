"""A game that begins with what the set-up left standing: it is told as by a tap, once a camera sees the tower."""

from __future__ import annotations

import queue
from collections import deque
from collections.abc import Iterable

from rig.engine.fold import Said
from rig.messages import Input, Message, RefereeState, Told, Watched

CALM_S = 1.5
"""Seconds between a camera's first look, or the last line told, and the next line: the referee looks at what each of them says."""


class StandsAlready:
    """A listener that tells `lines` one by one through the desk's queue, each once the referee is at rest."""

    def __init__(self, lines: Iterable[str], desk: queue.SimpleQueue[tuple[str, Input]]) -> None:
        self._lines, self._desk = deque(lines), desk
        self._since_s: float | None = None
        self._rests = True

    def heard(self, message: Message, said: Said) -> None:
        """Called by the session for every message."""
        if said.view is not None:
            self._rests = said.view.state is RefereeState.SET_UP
        if self._since_s is None and isinstance(message.payload, Watched) and not message.payload.fault:
            self._since_s = message.t_s
        if self._lines and self._rests and self._since_s is not None and message.t_s - self._since_s >= CALM_S:
            self._since_s = message.t_s
            self._desk.put(("desk", Told(line=self._lines.popleft())))
