"""The page's own files, read and compressed once and served from memory.

There are two dozen small ones, and a browser that goes away in the middle of a file must not leave it open on our side, on a machine that
is to run for a whole evening. The server hands them out in its event loop (`PageFiles`): a first visit asks for all of them at once, and
need not wait for the threads that answer everything else.
"""

from __future__ import annotations

import gzip
import mimetypes
import re
from dataclasses import dataclass
from functools import cache
from hashlib import sha256
from pathlib import Path

from flask import Flask, Response, abort, request
from flask.typing import ResponseReturnValue

from rig.dashboard.gate import HEADERS, AsgiApp, Receive, Scope, Send

PREFIX = "/static/"
_FOLDER = Path(__file__).parent / "static"
_KINDS = {".woff2": "font/woff2", ".js": "text/javascript", ".css": "text/css", ".svg": "image/svg+xml"}
_IMPORTED = re.compile(r'^import .* from "\./([^"]+)"', re.MULTILINE)
_PACKED = frozenset({".woff2", ".png", ".jpg"})
"""Kinds that are compressed already."""


@dataclass(frozen=True, slots=True)
class PageFile:
    """A file as it goes over the wire; `packed` None: compression is of no use."""

    data: bytes
    packed: bytes | None
    kind: str
    tag: str


@cache
def page_files() -> dict[str, PageFile]:
    """Everything in `static/`, by its path there."""
    return {path.relative_to(_FOLDER).as_posix(): _read(path) for path in sorted(_FOLDER.rglob("*")) if path.is_file()}


def _read(path: Path) -> PageFile:
    data = path.read_bytes()
    packed = None if path.suffix in _PACKED else gzip.compress(data, 9, mtime=0)
    kind = _KINDS.get(path.suffix) or mimetypes.guess_type(path.name)[0] or "application/octet-stream"
    return PageFile(data, packed, kind, sha256(data).hexdigest()[:20])


def modules_of(*names: str) -> list[str]:
    """These scripts of `static/` and all that they import, so that a page can ask for all at once instead of one after the other."""
    found: dict[str, None] = {}
    waiting = list(names)
    while waiting:
        name = waiting.pop(0)
        if name not in found:
            found[name] = None
            text = page_files()[name].data.decode()
            waiting += [
                line.split('from "./', 1)[1].split('"', 1)[0]
                for line in text.splitlines()
                if line.startswith("import ") and 'from "./' in line
            ]
    return list(found)


def add_files(app: Flask) -> None:
    """Serve everything in `static/` under /static/, for whoever asks the application itself."""

    @app.get(f"{PREFIX}<path:name>")
    def static_file(name: str) -> ResponseReturnValue:
        file = page_files().get(name)
        if file is None:
            abort(404)
        response = Response(file.data, mimetype=file.kind)
        response.set_etag(file.tag)
        return response.make_conditional(request)


class PageFiles:
    """The same in the event loop; what is no such file is left to `rest`."""

    def __init__(self, rest: AsgiApp) -> None:
        self._rest = rest

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        path = str(scope["path"])
        file = page_files().get(path.removeprefix(PREFIX)) if path.startswith(PREFIX) and scope["method"] == "GET" else None
        if file is None:
            await self._rest(scope, receive, send)
            return
        asked = {name: value for name, value in scope["headers"] if name in (b"if-none-match", b"accept-encoding")}
        tag = f'"{file.tag}"'.encode()
        headers = [(b"cache-control", b"no-cache"), (b"etag", tag), (b"vary", b"accept-encoding")]
        headers += [(name.lower().encode(), value.encode()) for name, value in HEADERS]
        if tag in asked.get(b"if-none-match", b""):
            await send({"type": "http.response.start", "status": 304, "headers": headers})
            await send({"type": "http.response.body", "body": b""})
            return
        packed = file.packed if b"gzip" in asked.get(b"accept-encoding", b"") else None
        body = file.data if packed is None else packed
        headers += [(b"content-type", file.kind.encode()), (b"content-length", str(len(body)).encode())]
        headers += [(b"content-encoding", b"gzip")] if packed is not None else []
        await send({"type": "http.response.start", "status": 200, "headers": headers})
        await send({"type": "http.response.body", "body": body})
