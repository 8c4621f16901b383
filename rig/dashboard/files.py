"""The page's own files, read once and served from memory.

There are a dozen small ones, and a browser that goes away in the middle of a file must not leave it open on our side (Werkzeug's server
skips closing it when the connection was reset), on a machine that is to run for a whole evening.
"""

from __future__ import annotations

import mimetypes
from hashlib import sha256
from pathlib import Path

from flask import Flask, Response, abort, request
from flask.typing import ResponseReturnValue

_FOLDER = Path(__file__).parent / "static"
_KINDS = {".woff2": "font/woff2", ".js": "text/javascript", ".css": "text/css", ".svg": "image/svg+xml"}


def add_files(app: Flask) -> None:
    """Serve everything in `static/` under /static/."""
    files = {path.relative_to(_FOLDER).as_posix(): path.read_bytes() for path in sorted(_FOLDER.rglob("*")) if path.is_file()}
    tags = {name: sha256(data).hexdigest()[:20] for name, data in files.items()}

    @app.get("/static/<path:name>")
    def static_file(name: str) -> ResponseReturnValue:
        if name not in files:
            abort(404)
        suffix = Path(name).suffix
        response = Response(files[name], mimetype=_KINDS.get(suffix) or mimetypes.guess_type(name)[0] or "application/octet-stream")
        response.set_etag(tags[name])
        return response.make_conditional(request)
