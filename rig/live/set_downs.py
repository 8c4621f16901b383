"""What was set down on the base, for a procedure that asks for one piece after the other: the scale heard beside the questions."""

from __future__ import annotations

import queue
from collections.abc import Callable

from rig.base.fold import BaseFold
from rig.base.port import Port
from rig.errors import PalettiError
from rig.live.realtime import SerialSource
from rig.messages import BaseBytes, Input, StepKind, Stepped
from rig.profile import Profile

WEIGH_S = 4.0
"""How long the scale may take to settle after a piece is set down."""


class SetDowns:
    """Hears the port all the time, and tells the last settled set-down when asked."""

    def __init__(self, profile: Profile, url: str, clock: Callable[[], float]) -> None:
        self._clock = clock
        self._inbox: queue.SimpleQueue[tuple[float, Input]] = queue.SimpleQueue()
        self._fold = BaseFold(profile)
        self._source = SerialSource(Port(url), lambda _, payload: self._inbox.put((clock(), payload)))
        self._source.start()

    def step_g(self) -> float | None:
        """Grams of the last piece set down since asked before; None if none settles in time. PalettiError if the base does not speak."""
        until = self._clock() + WEIGH_S
        found: float | None = None
        while self._clock() < until:
            try:
                t_s, payload = self._inbox.get(timeout=0.1)
            except queue.Empty:
                continue
            data = payload.data if isinstance(payload, BaseBytes) else b""
            for reading in self._fold.step(t_s, data):
                if isinstance(reading, Stepped) and reading.kind is StepKind.SET_DOWN:
                    found = reading.delta_g
            if found is not None and self._inbox.empty():
                return found
        if self._fold.device_s(self._clock()) is None:
            raise PalettiError("The base does not speak, so nothing can be weighed.", "Check its port with `paletti doctor`.")
        return found

    def close(self) -> None:
        """Let the port go."""
        self._source.close()
