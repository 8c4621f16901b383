"""What stands between the network and the application: which names it answers to, and how much one address may ask at once.

An ASGI middleware, so that it also bounds what never becomes a whole request. A page of another site that has its own name lead to this
machine (DNS rebinding) is turned away by its `Host`; half-sent bodies are ended by the clock; floods are slowed by a token bucket per
address. Headers that never end are the server's business (hypercorn closes a connection that stays without a request).
"""

from __future__ import annotations

import asyncio
import json
import time
from collections import defaultdict
from collections.abc import Awaitable, Callable, Iterable, MutableMapping
from dataclasses import dataclass
from typing import Any

from rig.dashboard.bodies import BODY_BYTES

Scope = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[MutableMapping[str, Any]]]
Send = Callable[[MutableMapping[str, Any]], Awaitable[None]]
AsgiApp = Callable[[Scope, Receive, Send], Awaitable[None]]

_POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; font-src 'self'; connect-src 'self'; base-uri 'none'; "
    "form-action 'none'; frame-ancestors 'none'"
)
HEADERS: tuple[tuple[str, str], ...] = (
    (
        "Content-Security-Policy",
        _POLICY,
    ),
    ("X-Content-Type-Options", "nosniff"),
    ("Referrer-Policy", "no-referrer"),
    ("X-Frame-Options", "DENY"),
    ("Cross-Origin-Opener-Policy", "same-origin"),
    ("Cross-Origin-Resource-Policy", "same-origin"),
)
"""On every answer. Nothing inline, nothing from elsewhere, nobody's frame."""


@dataclass(frozen=True, slots=True)
class Limits:
    """How much one address may ask. `burst` requests at once and `per_second` in the long run (a page with two cameras asks about ten a
    second); `open_requests` unanswered at a time, `arriving` whose bodies are still on their way, for `body_s` seconds at most; `streams`
    and `streams_in_all` open screens."""

    burst: int = 400
    per_second: float = 60.0
    open_requests: int = 32
    arriving: int = 512
    body_s: float = 5.0
    streams: int = 64
    streams_in_all: int = 256


STREAM = "/events"
"""The path of the stream of changes."""

_OTHER_NAME = "This screen is not reached by that name. Open the address printed at the start, or allow this one with --allow-host."


_AT_ONCE = "Too much is asked from this device at once: wait a moment."


class _Counted:
    """Counts what an address has under way; False within where it has `most` already."""

    def __init__(self, counts: defaultdict[str, int], address: str, most: int) -> None:
        self._counts, self._address, self._may = counts, address, counts[address] < most

    async def __aenter__(self) -> bool:
        self._counts[self._address] += 1
        return self._may

    async def __aexit__(self, *_: object) -> None:
        self._counts[self._address] -= 1
        if not self._counts[self._address]:
            del self._counts[self._address]


class Gate:
    """Wraps an ASGI application."""

    def __init__(self, app: AsgiApp, hosts: Iterable[str], limits: Limits, clock: Callable[[], float] = time.monotonic) -> None:
        """`hosts`: the names and addresses it answers to, without port, lower case."""
        self._app, self._limits, self._clock = app, limits, clock
        self._hosts = frozenset(host.lower() for host in hosts)
        self._open: defaultdict[str, int] = defaultdict(int)
        self._arriving: defaultdict[str, int] = defaultdict(int)
        self._buckets: dict[str, tuple[float, float]] = {}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] not in ("http", "websocket"):
            await self._app(scope, receive, send)
            return
        why = self._turned_away(scope)
        if why is not None:
            await refuse(scope, send, *why)
            return
        if scope["type"] == "websocket" or scope["path"] == STREAM:  # what stays open is counted where it is kept open
            await self._app(scope, receive, send)
            return
        address = address_of(scope)
        async with _Counted(self._arriving, address, self._limits.arriving) as may:
            body = await self._body(scope, receive, send) if may else None
            if not may:
                await refuse(scope, send, 429, _AT_ONCE)
        if body is None:
            return
        first: list[MutableMapping[str, Any]] = [{"type": "http.request", "body": body, "more_body": False}]

        async def again() -> MutableMapping[str, Any]:
            return first.pop() if first else await receive()

        async with _Counted(self._open, address, self._limits.open_requests) as may:
            if may:
                await self._app(scope, again, send)
            else:
                await refuse(scope, send, 429, _AT_ONCE)

    async def _body(self, scope: Scope, receive: Receive, send: Send) -> bytes | None:
        """The whole body; None if it did not come, and that has been said."""
        body = bytearray()
        try:
            async with asyncio.timeout(self._limits.body_s):
                while True:
                    message = await receive()
                    if message["type"] != "http.request":
                        return None
                    body += message.get("body", b"")
                    if len(body) > BODY_BYTES:
                        await refuse(scope, send, 413, f"That is longer than {BODY_BYTES} bytes.")
                        return None
                    if not message.get("more_body"):
                        return bytes(body)
        except TimeoutError:
            await refuse(scope, send, 408, "The rest of the request did not come.")
            return None

    def _turned_away(self, scope: Scope) -> tuple[int, str] | None:
        headers = scope.get("headers", [])
        named = [value for name, value in headers if name == b"host"]
        if len(named) != 1 or host_name(named[0]) not in self._hosts:
            return 421, _OTHER_NAME
        for value in (value for name, value in headers if name == b"origin"):
            if not self._own(value):
                return 403, "Another page tried to speak here. Open this screen's own address."
        if not self._may_ask(address_of(scope)):
            return 429, "Too much is asked from this device: wait a moment."
        return None

    def _own(self, origin: bytes) -> bool:
        scheme, found, rest = origin.partition(b"://")
        return bool(found) and scheme in (b"http", b"https") and host_name(rest) in self._hosts

    def _may_ask(self, address: str) -> bool:
        now, limits = self._clock(), self._limits
        tokens, at = self._buckets.get(address, (float(limits.burst), now))
        tokens = min(float(limits.burst), tokens + (now - at) * limits.per_second)
        if len(self._buckets) > 4096:
            self._buckets = {}
        self._buckets[address] = (max(0.0, tokens - 1.0), now)
        return tokens >= 1.0


def address_of(scope: Scope) -> str:
    """The network address that asks."""
    client = scope.get("client")
    return str(client[0]) if client else "?"


def host_name(header: bytes) -> str:
    """The name in a `Host` header, without its port and lower case; empty if it is none."""
    text = header.decode("latin-1").strip().lower()
    if text.startswith("["):
        name, closed, port = text[1:].partition("]")
        return name if closed and (not port or (port[0] == ":" and port[1:].isdigit())) else ""
    name, colon, port = text.partition(":")
    return "" if colon and not port.isdigit() else name.rstrip(".")


async def refuse(scope: Scope, send: Send, code: int, sentence: str) -> None:
    """Answer with a sentence; a websocket is closed."""
    if scope["type"] == "websocket":
        await send({"type": "websocket.close", "code": 1008})
        return
    body = json.dumps({"sentence": sentence, "hint": ""}).encode()
    headers = [(b"content-type", b"application/json"), (b"content-length", str(len(body)).encode()), (b"cache-control", b"no-store")]
    headers += [(name.lower().encode(), value.encode()) for name, value in HEADERS]
    await send({"type": "http.response.start", "status": code, "headers": headers})
    await send({"type": "http.response.body", "body": b"" if scope["method"] == "HEAD" else body})
