"""The one message pump: a numbered message goes into the fold, its picture or profile to the eyes, what it led to to everybody who listens.

A live session, the twin and a replay all pump here; they differ in where messages come from and in when an answer of the eyes enters.
The pump starts no thread and reads no clock: the eyes and the listeners are given to it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Protocol, TypeAlias

from rig.engine.fold import Fold, Said
from rig.messages import FindPose, Frame, Judge, Message, ProfileSet, ReadTower, Request, Track, Watch
from rig.profile import Profile, from_json
from rig.referee.referee import Referee

NOMINAL_DELAY_S: dict[type, float] = {Watch: 0.04, FindPose: 0.3, Judge: 0.4, Track: 0.5, ReadTower: 3.0}
"""Message time (s) from a request to its answer, about what a two-core machine takes (`rig.bench.bench_vision`, `bench_reading`).
Larger: the twin's referee rules later; smaller: it rules sooner than a real machine could."""


MakeReferee: TypeAlias = Callable[[Profile], Referee]
"""What makes the referee of a profile."""

USUAL_REFEREE: MakeReferee = Referee


class Listener(Protocol):
    """Hears every message and what it led to: the recorder, the dashboard, the exam."""

    def heard(self, message: Message, said: Said) -> None: ...


class Viewer(Protocol):
    """What the eyes must be told: every frame's JPEG under its message number, and every profile that is set, mid-session ones too."""

    def put(self, n: int, t_s: float, jpeg: bytes) -> None: ...

    def set_profile(self, profile: Profile) -> None: ...


class Pump:
    """`feed(message)` folds one message. `expect(request, t_s)` is called for every request that it led to, before the listeners hear it.

    `viewer` is None where nobody looks at pictures (a replay with recorded eyes). `make` gives the referee of a profile.
    """

    def __init__(
        self,
        listeners: Iterable[Listener],
        viewer: Viewer | None,
        expect: Callable[[Request, float], None],
        make: MakeReferee = Referee,
    ) -> None:
        self.fold = Fold(make)
        self._listeners = list(listeners)
        self._viewer = viewer
        self._expect = expect

    def feed(self, message: Message) -> None:
        """ValueError if a message comes before the first profile; PalettiError if a profile is of no use."""
        payload = message.payload
        if self._viewer is not None:
            if isinstance(payload, ProfileSet):
                self._viewer.set_profile(from_json(payload.profile_json, "the session's profile"))
            elif isinstance(payload, Frame):
                self._viewer.put(message.n, message.t_s, payload.jpeg)
        said = self.fold.step(message)
        for request in said.requests:
            self._expect(request, message.t_s)
        for listener in self._listeners:
            listener.heard(message, said)
