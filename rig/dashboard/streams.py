"""Server-sent events: how the hub's changes reach the pages, and how many pages may listen.

Browsers reopen a broken stream by themselves and name the last event they saw, so a reconnect has no holes. A page reloaded fifty times
would leave fifty streams if each lived until its next write failed; so a client (a browser, known by its cookie) has two at most, and a
third ends the oldest.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from typing import Any

from rig.dashboard.hub import Hub
from rig.dashboard.journal import Event, dumps

STREAMS_A_CLIENT = 2
STREAMS_IN_ALL = 200
"""Each stream is a thread; beyond this the server says so instead of groaning."""

BEAT_S = 0.4
"""A sign of life at least this often. The page calls the picture stale after a second without one."""


class Stream:
    """One open stream; `ended` is set to end it from outside."""

    def __init__(self, client: str) -> None:
        self.client = client
        self.ended = threading.Event()


class Streams:
    """The open streams."""

    def __init__(self, hub: Hub) -> None:
        self._hub = hub
        self._lock = threading.Lock()
        self._open: list[Stream] = []

    def count(self, client: str | None = None) -> int:
        """How many streams are open, in all or of one client."""
        with self._lock:
            return sum(client is None or stream.client == client for stream in self._open)

    def open(self, client: str) -> Stream | None:
        """A new stream for `client`, whose oldest is ended if it has too many; None if the house is full."""
        with self._lock:
            own = [stream for stream in self._open if stream.client == client]
            for oldest in own[: max(0, len(own) - STREAMS_A_CLIENT + 1)]:
                oldest.ended.set()
                self._open.remove(oldest)
            if len(self._open) >= STREAMS_IN_ALL:
                return None
            stream = Stream(client)
            self._open.append(stream)
            return stream

    def close(self, stream: Stream) -> None:
        with self._lock:
            if stream in self._open:
                self._open.remove(stream)

    def events(self, stream: Stream, last: str | None) -> Iterator[str]:
        """The text of the stream, for ever: first what `last` (an event's id) has missed, then changes as they come."""
        hub = self._hub
        try:
            yield "retry: 500\n\n"
            events: list[Event] | None
            state, events, number = hub.catch_up(last)
            if state is not None:
                yield _text("state", state, hub.name(number))
            beat_at = 0.0
            while not stream.ended.is_set() and not hub.closed:
                for event in events or ():
                    yield _text(event.kind, event.data, hub.name(event.number))
                    number = event.number
                if time.monotonic() - beat_at >= BEAT_S * 0.9:
                    beat_at = time.monotonic()
                    yield _text("beat", hub.beat())
                events = hub.wait(number, BEAT_S)
                if events is None:  # this client is so slow that what it missed is no longer kept
                    state, events, number = hub.catch_up(None)
                    yield _text("state", state, hub.name(number))
            yield _text("bye", {"why": "closed" if hub.closed else "elsewhere"})
        finally:
            self.close(stream)


def _text(kind: str, data: Any, name: str | None = None) -> str:
    line = data if isinstance(data, str) else dumps(data)
    return (f"id: {name}\n" if name else "") + f"event: {kind}\ndata: {line}\n\n"
