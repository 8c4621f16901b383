"""The web server: hypercorn, in a thread of its own with its own event loop, on a port that is really free.

Why hypercorn: it runs inside this process (gunicorn wants to be the parent of its workers), it bounds clients that are slow or silent
without giving each a thread (waitress does too), and it carries what a table needs beside plain requests: streams by the hundred,
websockets and https. The pages themselves stay Flask, in a small pool of threads behind it.
"""

from __future__ import annotations

import asyncio
import contextlib
import errno
import resource
import socket
import threading
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from types import TracebackType
from typing import Any, Protocol

from a2wsgi import WSGIMiddleware
from flask import Flask
from hypercorn.asyncio import serve
from hypercorn.config import Config

from rig.dashboard.certificate import Certificate
from rig.dashboard.door import client_in
from rig.dashboard.files import PageFiles
from rig.dashboard.gate import STREAM, AsgiApp, Gate, Limits, Receive, Scope, Send, refuse
from rig.dashboard.hub import SPACING_S, Hub
from rig.dashboard.streams import Streams
from rig.errors import PalettiError

DEFAULT_PORT = 8080
SECURE_PORT = 8443
"""By https, where phones are cameras."""

GOODBYE_S = 0.5
"""How long the other side may take to end an encrypted connection; asyncio's own 30 s would hold up the end of the program."""

PICTURE_BYTES = 2_000_000
"""The longest message of a websocket: a phone's picture."""

THREADS = 12
"""Requests answered at a time; a tap takes one until the session has heard it."""

SILENT_S = 5.0
"""A connection without a whole request head is closed after so many seconds."""

HEAD_BYTES = 16 * 1024
"""The longest request head."""

FILES = 8192
"""Open files wished for: every connection is one."""

_EVERYWHERE = ("", "0.0.0.0", "::")
_HERE = ("127.0.0.1", "localhost", "::1")
_NOWHERE = ("192.0.2.1", 9)
"""An address for documentation (RFC 5737), which nobody has."""


class Line(Protocol):
    """An ASGI application that speaks by websocket, and can be asked to end all it has open."""

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None: ...

    async def close(self) -> None: ...


@dataclass(frozen=True, slots=True)
class Secure:
    """What is served by https besides: to whom and where (port 0: any free one), with which certificate; websockets by path."""

    certificate: Certificate
    sockets: Mapping[str, Line]
    host: str = "0.0.0.0"
    port: int = SECURE_PORT


class _Loop(asyncio.SelectorEventLoop):
    """An event loop whose https connections are gone soon after they are closed: a phone asleep does not answer a goodbye."""

    async def create_server(self, *args: Any, **how: Any) -> asyncio.Server:
        if how.get("ssl") is not None:
            how.setdefault("ssl_shutdown_timeout", GOODBYE_S)
        return await super().create_server(*args, **how)


class Server:
    """The page being served, until closed."""

    def __init__(
        self,
        app: Flask,
        hub: Hub,
        host: str = "127.0.0.1",
        port: int = DEFAULT_PORT,
        allow_hosts: Iterable[str] = (),
        limits: Limits | None = None,
        secure: Secure | None = None,
    ) -> None:
        """Serve at once. Port 0 takes any free one. `allow_hosts`: further names it is reached by; `secure`: what is served by https and
        by websockets besides. PalettiError if an address cannot be had."""
        listening = _listen(host, port)
        also = _listen_besides(secure, listening) if secure is not None else None
        _more_files()
        self._hub = hub
        self.host = host
        self.port: int = listening.getsockname()[1]
        self.secure_port: int | None = also.getsockname()[1] if also is not None else None
        self._secure = secure
        limits = limits or Limits()
        self.streams = Streams(hub, limits, lambda scope: client_in(app, scope))
        app.extensions["paletti-streams"] = self.streams
        names = names_of(host) | (names_of(secure.host) if secure is not None else set())
        self._app = Gate(_dispatch(app, self.streams, secure.sockets if secure is not None else {}), (*names, *allow_hosts), limits)
        self._loop = _Loop()
        self._stop = asyncio.Event()
        started = threading.Event()
        self._thread = threading.Thread(target=self._run, args=(listening, also, started), name="dashboard", daemon=True)
        self._thread.start()
        started.wait(10.0)

    def _run(self, listening: socket.socket, also: socket.socket | None, started: threading.Event) -> None:
        asyncio.set_event_loop(self._loop)
        self._hub.listen(self._news)
        config = Config()
        config.bind = [f"fd://{listening.detach()}"]
        if also is not None and self._secure is not None:
            config.insecure_bind, config.bind = config.bind, [f"fd://{also.detach()}"]
            config.certfile, config.keyfile = str(self._secure.certificate.chain), str(self._secure.certificate.key)
            config.websocket_max_message_size = PICTURE_BYTES
        config.accesslog = config.errorlog = None
        config.alpn_protocols = ["http/1.1"]
        config.include_server_header = False
        config.keep_alive_timeout = SILENT_S
        config.h11_max_incomplete_size = HEAD_BYTES
        config.graceful_timeout = config.shutdown_timeout = 1.0
        self._loop.set_exception_handler(_unheard)
        with contextlib.suppress(asyncio.CancelledError, OSError):  # OSError: one connection that ended badly while all are being ended
            self._loop.run_until_complete(self._serve(config, started))
        self._loop.run_until_complete(_end_all())
        self._loop.run_until_complete(self._loop.shutdown_default_executor())
        self._loop.close()

    async def _serve(self, config: Config, started: threading.Event) -> None:
        gathering = asyncio.ensure_future(self._gather())
        self._loop.call_soon(started.set)
        try:
            await serve(self._app, config, shutdown_trigger=self._stop.wait)  # type: ignore[arg-type]
        finally:
            gathering.cancel()

    async def _gather(self) -> None:
        """Sends what the hub has gathered, though nothing new comes in."""
        while True:
            await asyncio.sleep(SPACING_S / 4)
            self._hub.gather()

    def _news(self) -> None:
        with contextlib.suppress(RuntimeError):  # the loop is closed: the last words go nowhere
            self._loop.call_soon_threadsafe(self.streams.wake)

    @property
    def url(self) -> str:
        """What to type into a browser on this machine."""
        return self._url("127.0.0.1" if self.host in _EVERYWHERE else self.host)

    @property
    def url_from_elsewhere(self) -> str | None:
        """What to type into a phone on the same network; None if the page is served to this machine alone."""
        if self.host not in _EVERYWHERE:
            return None if self.host in _HERE else self.url
        address = _address()
        return None if address is None else self._url(address)

    @property
    def secure_url(self) -> str:
        """The same by https, as other devices reach it; empty if there is none."""
        if self._secure is None:
            return ""
        host = self._secure.host if self._secure.host not in _EVERYWHERE else _address() or "127.0.0.1"
        return f"https://{f'[{host}]' if ':' in host else host}:{self.secure_port}/"

    def _url(self, host: str) -> str:
        return f"http://{f'[{host}]' if ':' in host else host}:{self.port}/"

    def close(self) -> None:
        """End all streams and stop serving."""
        self._hub.close()
        with contextlib.suppress(RuntimeError):
            for link in self._secure.sockets.values() if self._secure is not None else ():
                asyncio.run_coroutine_threadsafe(link.close(), self._loop)
            self._loop.call_soon_threadsafe(self._loop.call_later, 0.2, self._stop.set)  # time for the streams to say goodbye
        self._thread.join(10.0)

    def __enter__(self) -> Server:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self.close()


def names_of(host: str) -> set[str]:
    """What this machine is called by those who may open a page served to `host`."""
    names = set(_HERE)
    if host not in _EVERYWHERE:
        return names | {host.lower()}
    name = socket.gethostname().lower()
    found = {name, f"{name}.local", *([address] if (address := _address()) else [])}
    with contextlib.suppress(OSError):
        found |= {str(entry[4][0]) for entry in socket.getaddrinfo(socket.gethostname(), None)}
    return names | found


def _dispatch(app: Flask, streams: Streams, sockets: Mapping[str, Line]) -> AsgiApp:
    """Streams, websockets and the page's own files in the event loop, all else in Flask's threads."""
    pages = PageFiles(WSGIMiddleware(app, workers=THREADS))  # type: ignore[arg-type]

    async def dispatch(scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http" and scope["path"] == STREAM and scope["method"] == "GET":
            await streams(scope, receive, send)
        elif scope["type"] == "http":
            await pages(scope, receive, send)
        elif scope["type"] == "websocket" and scope["path"] in sockets:
            await sockets[scope["path"]](scope, receive, send)
        elif scope["type"] == "websocket":
            await refuse(scope, send, 404, "Nothing is spoken of there.")

    return dispatch


def _unheard(loop: asyncio.AbstractEventLoop, context: dict[str, Any]) -> None:
    """A phone that leaves in the middle of a TLS record is no fault of ours; anything else is told as ever."""
    if not isinstance(context.get("exception"), (OSError, asyncio.CancelledError)):
        loop.default_exception_handler(context)


async def _end_all() -> None:
    """Connections that are still open are cut."""
    others = asyncio.all_tasks() - {asyncio.current_task()}
    for task in others:
        task.cancel()
    await asyncio.gather(*others, return_exceptions=True)
    await asyncio.sleep(0.05)  # transports close in the loop's next rounds


def _address() -> str | None:
    """This machine's address on its network, None if it is on none."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        try:
            probe.connect(_NOWHERE)  # datagrams: this sends nothing, but chooses the address that others see
        except OSError:
            return None
        return str(probe.getsockname()[0])


def _listen_besides(secure: Secure, first: socket.socket) -> socket.socket:
    """The second address; the first is given back where it cannot be had."""
    try:
        return _listen(secure.host, secure.port, "--secure-port")
    except PalettiError:
        first.close()
        raise


def _more_files() -> None:
    """As many open files as the system lets us have, so that many idle connections do no harm."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if soft < FILES:
        with contextlib.suppress(ValueError, OSError):
            resource.setrlimit(resource.RLIMIT_NOFILE, (FILES if hard == resource.RLIM_INFINITY else min(FILES, hard), hard))


def _listen(host: str, port: int, option: str = "--port") -> socket.socket:
    if not 0 <= port <= 65535:
        raise PalettiError(f"There is no port {port}.", "Ports are numbers from 1 to 65535; 0 takes any free one.")
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    listening = socket.socket(family, socket.SOCK_STREAM)
    listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listening.bind((host, port))
        listening.listen(128)
    except PermissionError as error:
        listening.close()
        raise PalettiError(f"Port {port} may not be used by this user.", f"Choose one above 1023 with {option}.") from error
    except socket.gaierror as error:
        listening.close()
        raise PalettiError(
            f"There is no address called {host}.", "Use 127.0.0.1 for this machine alone, 0.0.0.0 for the whole network."
        ) from error
    except OSError as error:
        listening.close()
        sentence = (
            f"Port {port} on {host} is already in use."
            if error.errno == errno.EADDRINUSE
            else f"Port {port} on {host} cannot be had: {error.strerror}."
        )
        raise PalettiError(sentence, f"Stop the other program (perhaps another paletti), or choose another port with {option}.") from error
    return listening
