"""Replays a recording through the same fold.

*Re-seen* (the default): every answer of the eyes is computed anew from the recorded pictures and enters where the recorded one stood; where
a changed referee looks elsewhere, the answer enters a nominal delay after the request. *Recorded eyes*: the recorded answers are taken,
keyed by what was asked, which is hundreds of times faster and right whenever only the rules or the referee changed.
"""

from __future__ import annotations

import heapq
from collections import defaultdict, deque
from collections.abc import Callable, Iterable

import msgspec

from rig.engine.fold import Fold
from rig.engine.pump import NOMINAL_DELAY_S, Listener, Pump
from rig.errors import PalettiError
from rig.live.eyes import EyesWorker, cannot_see
from rig.live.frames import named
from rig.messages import (
    Ask,
    FindPose,
    Frame,
    Judge,
    Judged,
    LookAnswer,
    LookRequest,
    Message,
    Posed,
    ReadTower,
    Request,
    TowerRead,
    Track,
    Tracked,
    Watch,
    Watched,
    encode,
)
from rig.recording import Recording

_ANSWERS = (Watched, Posed, Judged, Tracked, TowerRead)
_REQUESTS = (Watch, FindPose, Judge, Track, ReadTower)


def _asked(request: LookRequest) -> bytes:
    """What was asked, whatever its number; recordings made before readings had the empty base beside them stay good."""
    if isinstance(request, ReadTower):
        request = msgspec.structs.replace(request, empty=())
    return encode(msgspec.structs.replace(request, id=0))


def _looked_at(request: LookRequest) -> tuple[str, tuple[int, ...]]:
    """Kind and pictures of a request: enough to know which recorded answer stood for it."""
    return type(request).__name__, request.frames if isinstance(request, ReadTower) else named(request)


class Replay:
    """Feeds a recording's inputs to a fresh fold; `recorded_eyes` takes the recorded answers."""

    def __init__(self, recording: Recording, listeners: Iterable[Listener], recorded_eyes: bool = False) -> None:
        self._recording = recording
        self._eyes = None if recorded_eyes else EyesWorker()
        self._pump = Pump(listeners, self._eyes, self._expect)
        self._requests: dict[int, LookRequest] = {}
        self._slots: dict[tuple[str, tuple[int, ...]], deque[int]] = defaultdict(deque)
        self._answers: dict[bytes, deque[LookAnswer]] = defaultdict(deque)
        self._waiting: dict[int, LookRequest] = {}
        self._late: list[tuple[float, int, LookRequest]] = []
        self._gone: set[int] = set()
        self._stood: dict[tuple[str, tuple[int, ...]], deque[LookAnswer]] = defaultdict(deque)
        self.unanswered = 0
        self._read_recorded_looks()

    @property
    def fold(self) -> Fold:
        return self._pump.fold

    def _read_recorded_looks(self) -> None:
        asked: dict[int, LookRequest] = {}
        for beside in self._recording.outputs(*_REQUESTS):
            if isinstance(beside.payload, _REQUESTS):
                asked[beside.payload.id] = beside.payload
        for message in self._recording.messages():
            answer = message.payload
            if isinstance(answer, _ANSWERS) and (request := asked.get(answer.id)) is not None:
                self._slots[_looked_at(request)].append(answer.id)
                self._stood[_looked_at(request)].append(answer)
                self._answers[_asked(request)].append(answer)

    def run(self, paced: Callable[[float], None] = lambda _: None) -> None:
        """All messages; `paced` is called with every message's time before it is fed."""
        try:
            for message in self._recording.messages():
                paced(message.t_s)
                self._answer_late(message)
                if isinstance(message.payload, _ANSWERS):
                    request = self._waiting.pop(message.payload.id, None)
                    if request is not None:
                        self._feed(msgspec.structs.replace(message, payload=self._look(request)))
                else:
                    self._feed(message)
        finally:
            if self._eyes is not None:
                self._eyes.close()

    def _answer_late(self, message: Message) -> None:
        while self._late and self._late[0][0] <= message.t_s:
            due_s, _, request = heapq.heappop(self._late)
            self._feed(Message(message.n, due_s, "eyes", self._look(request)))

    def _feed(self, message: Message) -> None:
        if isinstance(message.payload, Frame) and not message.payload.jpeg:
            self._gone.add(message.n)  # taken out to save room: the recorded answer stands where there is nothing left to look at
        try:
            self._pump.feed(message)
        except ValueError as error:
            raise PalettiError(f"{self._recording.path} cannot be replayed: {error}.", "Its beginning is missing.") from error

    def _expect(self, request: Request, t_s: float) -> None:
        """Wait for the place where the recorded answer stood, or for a nominal delay if there is none."""
        if isinstance(request, Ask):  # its answer is in the recording
            return
        slots = self._slots.get(_looked_at(request))
        if slots:
            self._waiting[slots.popleft()] = request
        else:
            heapq.heappush(self._late, (t_s + NOMINAL_DELAY_S[type(request)], request.id, request))

    def _look(self, request: LookRequest) -> LookAnswer:
        stood = self._stood.get(_looked_at(request))
        if self._eyes is not None and stood and self._gone.intersection(named(request)):
            return msgspec.structs.replace(stood.popleft(), id=request.id)
        if self._eyes is not None:
            return self._eyes.ask(request).result()
        answers = self._answers.get(_asked(request))
        if answers:
            return msgspec.structs.replace(answers.popleft(), id=request.id)
        self.unanswered += 1
        return cannot_see(request, "The recording holds no answer to this look.")
