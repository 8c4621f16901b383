"""Keeps the pictures that may still be looked at, as the JPEGs that were recorded, and decodes them once when somebody looks.

The eyes see only decoded JPEG, the same bytes the recorder writes, so a replay sees exactly what the live session saw. Memory is bounded:
the last `SPAN_S` seconds, and whatever the latest requests to judge still name as their before and after.
"""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Iterable

import cv2
import numpy as np
from numpy.typing import NDArray

from rig.messages import FindPose, Judge, LookRequest, ReadTower, Tower, Track, Watch

Picture = NDArray[np.uint8]

SPAN_S = 60.0
"""Seconds of pictures kept; longer actions than this are judged on what is left. Costs about 1 MB a second for two 720p cameras."""

KEPT_JUDGEMENTS = 4
"""How many of the latest judgements keep their pictures whatever their age: a tower may stand untouched for an hour."""

DECODED = 48
"""Decoded pictures held (2.8 MB each at 720p)."""


def named(request: LookRequest) -> tuple[int, ...]:
    """The message numbers of the frames that a request looks at."""
    match request:
        case Watch():
            return tuple(n for n in (request.frame, request.previous, request.reference) if n is not None)
        case FindPose():
            return (request.frame,)
        case Judge():
            return request.before + request.after
        case Track():
            return request.before + tuple(n for _, n in request.frames)
        case ReadTower():
            return request.frames + tuple(view.frame for view in request.empty)


class FrameStore:
    """Frames by message number."""

    def __init__(self) -> None:
        self._jpegs: OrderedDict[int, tuple[float, bytes]] = OrderedDict()
        self._decoded: OrderedDict[int, Picture] = OrderedDict()
        self._judged: list[frozenset[int]] = []
        self._empty: dict[int, int] = {}
        self._decoding = threading.Lock()

    def put(self, n: int, t_s: float, jpeg: bytes) -> None:
        """Keep the picture of message `n`; the oldest that nothing needs any more goes."""
        self._jpegs[n] = (t_s, jpeg)
        kept = frozenset(self._empty.values()).union(*self._judged)
        for old, (old_t_s, _) in list(self._jpegs.items()):
            if old_t_s >= t_s - SPAN_S:
                break
            if old not in kept:
                del self._jpegs[old]

    def hold(self, request: LookRequest) -> None:
        """Keeps the frames of a judgement for as long as it is among the latest, and each camera's last picture of the empty base."""
        if isinstance(request, Watch) and request.reference is not None and request.tower == Tower():
            self._empty[request.camera] = request.reference
        if isinstance(request, Judge):
            self._judged = [*self._judged, frozenset(named(request))][-KEPT_JUDGEMENTS:]

    def jpegs(self, numbers: Iterable[int]) -> dict[int, bytes]:
        """The JPEGs still here among these numbers."""
        return {n: self._jpegs[n][1] for n in numbers if n in self._jpegs}

    def pictures(self, jpegs: dict[int, bytes]) -> dict[int, Picture]:
        """Decoded pictures (height x width x 3, BGR); one that does not decode is left out, so the eyes say that it is missing."""
        with self._decoding:  # two threads look
            found = {n: self._picture(n, jpeg) for n, jpeg in jpegs.items()}
        return {n: picture for n, picture in found.items() if picture is not None}

    def _picture(self, n: int, jpeg: bytes) -> Picture | None:
        if n in self._decoded:
            self._decoded.move_to_end(n)
            return self._decoded[n]
        decoded = cv2.imdecode(np.frombuffer(jpeg, np.uint8), cv2.IMREAD_COLOR) if jpeg else None
        if decoded is None:
            return None
        self._decoded[n] = np.asarray(decoded, np.uint8)
        while len(self._decoded) > DECODED:
            self._decoded.popitem(last=False)
        return self._decoded[n]
