"""Who may speak: codes, roles, and the session cookie that remembers them.

The screen only shows. To speak, a phone gives the code that is printed at the start, once; a signed cookie keeps its role. The *table*
tells what happened; the *host* may also correct, name the players, begin and end games. A cookie alone is not enough to speak: every tap
also carries the session's token, which only the page itself can read.
"""

from __future__ import annotations

import hmac
import secrets
import threading
import time
from collections import defaultdict, deque
from collections.abc import Callable, MutableMapping
from dataclasses import dataclass, field
from enum import IntEnum
from typing import Any

from flask import Blueprint, Flask, Response, jsonify, request, session
from flask.sessions import SecureCookieSessionInterface
from flask.typing import ResponseReturnValue
from itsdangerous import BadSignature
from werkzeug.http import parse_cookie

from rig.dashboard.bodies import read_body, text_of
from rig.errors import PalettiError

_LETTERS = "23456789abcdefghjkmnpqrstuvwxyz"
"""Without those that are taken for one another when read aloud or typed from a screen."""

CODE_LETTERS = 6
"""31^6 is nine hundred million codes; at WRONG_A_MINUTE an address tries one in eighty thousand of them in an evening."""

LEAST_LETTERS = 4
"""A code set by hand has at least so many."""

WRONG_A_MINUTE = 10
"""Wrong codes an address may give in a minute before it has to wait."""

COOKIE = "paletti"
TOKEN_HEADER = "X-Paletti-Token"


class Role(IntEnum):
    """What a session may do; each may do what those before it may."""

    SEES = 0
    TABLE = 1
    HOST = 2


_SAID = {
    "code": ("To speak here, give the code from the start of the program first.", "Zum Mitreden erst den Code eingeben.", 401),
    "token": ("That did not come from the desk's own page. Reload it.", "Das kam nicht von dieser Seite. Bitte neu laden.", 403),
    "host": ("Only the host may do that: give the host's code.", "Das darf nur die Spielleitung: deren Code eingeben.", 403),
    "many": ("Too many wrong codes: wait a minute.", "Zu viele falsche Codes: eine Minute warten.", 429),
    "wrong": ("That is not the code. It is printed where the program was started.", "Das ist nicht der Code. Er steht im Terminal.", 403),
}


class NotAllowedError(PalettiError):
    """The session's role or token does not allow what was asked. `german` is the sentence in German."""

    def __init__(self, english: str, german: str, code: int = 403) -> None:
        super().__init__(english)
        self.german, self.code = german, code


def new_code() -> str:
    """A code to be read aloud and typed."""
    return "".join(secrets.choice(_LETTERS) for _ in range(CODE_LETTERS))


@dataclass(frozen=True, slots=True)
class Access:
    """The two codes, and whether the cameras are kept off every page (`private`)."""

    table_code: str = field(default_factory=new_code)
    host_code: str = field(default_factory=new_code)
    private: bool = False

    def __post_init__(self) -> None:
        for code in (self.table_code, self.host_code):
            if len(code) < LEAST_LETTERS or not code.isascii() or not code.isprintable() or " " in code:
                raise PalettiError(
                    f"{code!r} is no code.", f"A code has at least {LEAST_LETTERS} letters or digits, without spaces or accents."
                )
        if self.table_code.lower() == self.host_code.lower():
            raise PalettiError("The table's code and the host's are the same.", "Choose two, or leave one out.")


class Door:
    """Checks codes, roles and tokens. One for an application."""

    def __init__(self, access: Access, clock: Callable[[], float] = time.monotonic) -> None:
        self.access = access
        self._clock = clock
        self._wrong: defaultdict[str, deque[float]] = defaultdict(deque)
        self._lock = threading.Lock()

    def role(self) -> Role:
        """The role of the session that asks now."""
        kept = session.get("role", 0)
        return Role(kept) if isinstance(kept, int) and kept in set(Role) else Role.SEES

    def speaks(self, least: Role = Role.TABLE) -> None:
        """NotAllowedError unless the request comes from the page itself, in a session of at least this role."""
        role = self.role()
        if role < Role.TABLE:
            raise NotAllowedError(*_SAID["code"])
        token = session.get("token", "")
        if not hmac.compare_digest(str(token).encode(), request.headers.get(TOKEN_HEADER, "").encode()):
            raise NotAllowedError(*_SAID["token"])
        if role < least:
            raise NotAllowedError(*_SAID["host"])

    def sees_pictures(self) -> bool:
        """Pictures of people: never where they are private, else for this computer and for whoever gave a code."""
        if self.access.private:
            return False
        return self.role() >= Role.TABLE or request.remote_addr in ("127.0.0.1", "::1", None)

    def join(self, code: str) -> Role:
        """The role that `code` opens; NotAllowedError if none, or after too many wrong ones."""
        address, now = request.remote_addr or "?", self._clock()
        with self._lock:
            wrong = self._wrong[address]
            while wrong and wrong[0] < now - 60.0:
                wrong.popleft()
            if len(wrong) >= WRONG_A_MINUTE:
                raise NotAllowedError(*_SAID["many"])
            given = code.strip().lower().encode()
            for role, right in ((Role.HOST, self.access.host_code), (Role.TABLE, self.access.table_code)):
                if hmac.compare_digest(given, right.lower().encode()):
                    return role
            wrong.append(now)
        raise NotAllowedError(*_SAID["wrong"])


def begin_session() -> None:
    """A session for whoever opens the page: an identity that cannot be forged, and no rights."""
    if "client" not in session:
        session["client"] = secrets.token_urlsafe(12)
        session.permanent = False


def door_routes(door: Door) -> Blueprint:
    """`POST /join` and `/leave`, `GET /me`."""
    routes = Blueprint("door", __name__)

    @routes.get("/me")
    def me() -> Response:
        return jsonify(role=door.role().name.lower(), token=session.get("token", ""), pictures=door.sees_pictures())

    @routes.post("/join")
    def join() -> ResponseReturnValue:
        role = door.join(text_of(read_body(request.get_data()), "code"))
        begin_session()
        session["role"], session["token"] = int(role), secrets.token_urlsafe(24)
        return me()

    @routes.post("/leave")
    def leave() -> ResponseReturnValue:
        door.speaks()
        session.pop("role", None)
        session.pop("token", None)
        return me()

    return routes


def prepare(app: Flask, secure: bool = False) -> None:
    """Set up the signed cookie. `secure`: it travels by https alone."""
    app.secret_key = secrets.token_bytes(32)
    app.config.update(
        SESSION_COOKIE_NAME=COOKIE, SESSION_COOKIE_HTTPONLY=True, SESSION_COOKIE_SAMESITE="Strict", SESSION_COOKIE_SECURE=secure
    )


def client_in(app: Flask, scope: MutableMapping[str, Any]) -> str | None:
    """The identity in the cookie of an ASGI request, None if there is none that was issued here."""
    serializer = SecureCookieSessionInterface().get_signing_serializer(app)
    cookie = next((value for name, value in scope["headers"] if name == b"cookie"), b"").decode("latin-1")
    kept = parse_cookie(cookie).get(COOKIE)
    if serializer is None or kept is None:
        return None
    try:
        client = serializer.loads(kept).get("client")
    except (BadSignature, AttributeError):
        return None
    return client if isinstance(client, str) else None
