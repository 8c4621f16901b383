"""Server-sent events: how the hub's changes reach the pages, and how many pages may listen.

Browsers reopen a broken stream by themselves and name the last event they saw, so a reconnect has no holes. All streams live in the
server's one event loop: a page costs a coroutine, not a thread, and each event is put into words once for all. A client (a browser, known
by its signed cookie) has two streams at most, and a third ends the oldest. An address has a number of them, and where it wants more, its
own oldest is ended first; so nobody can lock out others by opening many.
"""

from __future__ import annotations

import asyncio
import contextlib
import time
from collections import Counter
from collections.abc import AsyncIterator, Callable
from urllib.parse import parse_qs

from rig.dashboard.gate import HEADERS, Limits, Receive, Scope, Send, address_of
from rig.dashboard.hub import Hub
from rig.dashboard.journal import Event, dumps, wire_text

STREAMS_A_CLIENT = 2
BEAT_S = 0.4
"""A sign of life at least this often. The page calls the picture stale after a second without one."""

FEW = 12
"""So many pages get every change at once, a tableful of phones among them."""

GATHERED_S, MOST_GATHERED_S = 0.002, 0.4
"""With more pages, each gathers changes for so many seconds a page, so that the cost of an audience grows slowly; at most so long."""

SEND_S = 20.0
"""A client that takes nothing for so long is gone."""


class Stream:
    """One open stream. `ended` is why it was ended from outside, empty while it goes on."""

    def __init__(self, address: str, client: str | None) -> None:
        self.address, self.client = address, client
        self.ended = ""


class Streams:
    """The ASGI application behind `/events`. `client_of` gives the identity in a request's cookie, None if it was not issued here."""

    def __init__(self, hub: Hub, limits: Limits, client_of: Callable[[Scope], str | None]) -> None:
        self._hub, self._limits, self._client_of = hub, limits, client_of
        self._open: list[Stream] = []
        self._news = asyncio.Event()

    def count(self, client: str | None = None) -> int:
        """How many streams are open, in all or of one client."""
        return sum(client is None or stream.client == client for stream in list(self._open))

    def wake(self) -> None:
        """Something has changed. To be called in the event loop."""
        self._news.set()
        self._news = asyncio.Event()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        stream = self._admit(address_of(scope), self._client_of(scope))
        gone = asyncio.ensure_future(_gone(receive))
        try:
            headers = [(b"content-type", b"text/event-stream"), (b"cache-control", b"no-store"), (b"x-accel-buffering", b"no")]
            headers += [(name.lower().encode(), value.encode()) for name, value in HEADERS]
            await send({"type": "http.response.start", "status": 200, "headers": headers})
            async for text in self._texts(stream, _last_of(scope)):
                if gone.done():
                    return
                async with asyncio.timeout(SEND_S):
                    await send({"type": "http.response.body", "body": text, "more_body": True})
            await send({"type": "http.response.body", "body": b""})
        except TimeoutError:
            pass
        finally:
            gone.cancel()
            if stream in self._open:
                self._open.remove(stream)

    def _admit(self, address: str, client: str | None) -> Stream:
        """A new stream; whoever has too many loses the oldest."""
        if client is not None:
            self._end([one for one in self._open if one.client == client], STREAMS_A_CLIENT - 1, "elsewhere")
        self._end(self._first_to_go(address), self._limits.streams - 1, "crowded")
        if len(self._open) >= self._limits.streams_in_all:
            crowd, many = Counter(one.address for one in self._open).most_common(1)[0]
            self._end(self._first_to_go(crowd), many - 1, "crowded")
        stream = Stream(address, client)
        self._open.append(stream)
        return stream

    def _first_to_go(self, address: str) -> list[Stream]:
        """An address's streams: first those without an issued cookie, then the others; each oldest first."""
        return sorted((one for one in self._open if one.address == address), key=lambda one: one.client is not None)

    def _end(self, streams: list[Stream], keep: int, why: str) -> None:
        for one in streams[: max(0, len(streams) - keep)]:
            one.ended = why
            self._open.remove(one)
            self.wake()

    async def _texts(self, stream: Stream, last: str | None) -> AsyncIterator[bytes]:
        """The stream in pieces, for ever: first what `last` (an event's id) has missed, then changes as they come."""
        hub = self._hub
        events: list[Event] | None
        state, events, number = hub.catch_up(last)
        yield b"retry: 500\n\n"
        beat_at = 0.0
        while not stream.ended and not hub.closed:
            news = self._news
            if state is not None:
                yield wire_text("state", dumps(state), hub.name(number))
                state = None
            if events:
                number = events[-1].number
                yield b"".join(event.wire for event in events)
            if time.monotonic() - beat_at >= BEAT_S * 0.9:
                beat_at = time.monotonic()
                yield wire_text("beat", dumps(hub.beat()))
            events = hub.since(number)
            if events == []:
                with contextlib.suppress(TimeoutError):
                    async with asyncio.timeout(BEAT_S):
                        await news.wait()
                if len(self._open) > FEW:
                    await asyncio.sleep(min(MOST_GATHERED_S, GATHERED_S * len(self._open)))
                events = hub.since(number)
            if events is None:  # this client is so slow that what it missed is no longer kept
                state, events, number = hub.catch_up(None)
        yield wire_text("bye", dumps({"why": "closed" if hub.closed else stream.ended}))


async def _gone(receive: Receive) -> None:
    """Returns when the client has gone."""
    while (await receive())["type"] != "http.disconnect":
        pass


def _last_of(scope: Scope) -> str | None:
    for name, value in scope["headers"]:
        if name == b"last-event-id":
            return str(value.decode("latin-1"))
    given: list[str] = parse_qs(str(scope["query_string"].decode("latin-1"))).get("last", [])
    return given[0] if given else None
