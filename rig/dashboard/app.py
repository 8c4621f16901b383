"""The web application: the screen, its stream, its pictures, the desk's words and the archive.

It decides nothing about the game. What is shown comes from the hub; what people say is checked for form here and handed to the injected
`Actions`, which put it through the one sequencer. Without actions the desk is shut and the page only shows.
"""

from __future__ import annotations

import secrets
from pathlib import Path
from typing import Protocol
from urllib.parse import urlsplit

from flask import Flask, Response, jsonify, make_response, render_template, request
from flask.typing import ResponseReturnValue
from werkzeug.exceptions import HTTPException

from rig import messages as m
from rig.dashboard.archive import Archive
from rig.dashboard.desk import AgainstTheRulesError, read_answer, read_call, read_draw, read_tare, read_told
from rig.dashboard.files import add_files
from rig.dashboard.hub import Hub
from rig.dashboard.offers import before, offers
from rig.dashboard.streams import Streams
from rig.errors import PalettiError
from rig.rules import Game

_COOKIE = "paletti-client"
_POLICY = (
    "default-src 'self'; img-src 'self' data:; style-src 'self' 'unsafe-inline'; object-src 'none'; base-uri 'none'; "
    "form-action 'self'; frame-ancestors 'none'"
)
BODY_BYTES = 20_000
"""The largest thing a page has to say is a draw of four players."""


class Actions(Protocol):
    """What the desk can say. Each puts a message through the sequencer, or raises PalettiError with the sentence to show."""

    def call(self, call: m.Call) -> None: ...

    def answer(self, answered: m.Answered) -> None: ...

    def drew(self, drew: m.Drew) -> None: ...

    def told(self, told: m.Told) -> None: ...

    def tare(self, tare: m.Tare) -> None: ...

    def new_game(self) -> None:
        """The same players begin anew, with the same set and house rules; what was played is left as it is."""

    def game(self) -> Game | None:
        """The game as the books have it now, to offer from and to check against; None before there is one."""


def create_app(hub: Hub, actions: Actions | None = None, recordings: Path | None = None) -> Flask:
    """The application over `hub`; `recordings` is the folder whose *.mcap the archive shows (None: no archive)."""
    app = Flask(__name__, static_folder=None)
    add_files(app)
    app.config["MAX_CONTENT_LENGTH"] = BODY_BYTES
    app.json.sort_keys = False  # type: ignore[attr-defined]
    streams = Streams(hub)
    app.extensions["paletti-streams"] = streams
    _screen(app, hub, streams, actions is not None, recordings is not None)
    _pictures(app, hub)
    _desk(app, hub, actions)
    _telling(app, actions)
    if recordings is not None:
        _archive(app, Archive(recordings))
    _manners(app)
    return app


def _screen(app: Flask, hub: Hub, streams: Streams, desk: bool, archive: bool) -> None:
    @app.get("/")
    def screen() -> Response:
        response = make_response(render_template("screen.html", mode="live", desk=desk, archive=archive, source="/state.json", name=""))
        if _COOKIE not in request.cookies:
            response.set_cookie(_COOKIE, secrets.token_urlsafe(12), samesite="Strict", httponly=True)
        return response

    @app.get("/state.json")
    def state() -> Response:
        return jsonify(hub.state())

    @app.get("/events")
    def events() -> Response:
        client = request.cookies.get(_COOKIE) or request.remote_addr or "?"
        stream = streams.open(client)
        if stream is None:
            raise PalettiError("Too many screens are open.", "Close some, or wait a moment.")
        last = request.headers.get("Last-Event-ID") or request.args.get("last")
        response = Response(streams.events(stream, last), mimetype="text/event-stream")
        response.headers["X-Accel-Buffering"] = "no"
        response.call_on_close(lambda: streams.close(stream))
        return response


def _pictures(app: Flask, hub: Hub) -> None:
    @app.get("/camera/<int:camera>.jpg")
    def camera(camera: int) -> ResponseReturnValue:
        newest = hub.newest(camera)
        if newest is None:
            return _refuse(f"Camera {camera} has sent no picture yet.", "", 404)
        return Response(newest[0], mimetype="image/jpeg")

    @app.get("/frame/<int:n>.jpg")
    def frame(n: int) -> ResponseReturnValue:
        jpeg = hub.frame(n)
        if jpeg is None:
            return _refuse(f"Picture {n} is no longer kept.", "The recording has it.", 404)
        return Response(jpeg, mimetype="image/jpeg")


def _at_desk(actions: Actions | None) -> Actions:
    """The desk, open to this request; PalettiError if it is shut or the request is not from its own page."""
    if actions is None:
        raise PalettiError("The desk is shut: this screen only shows.")
    origin = request.headers.get("Origin")
    if origin is not None and urlsplit(origin).netloc != request.host:
        raise PalettiError("Another page tried to speak at this desk.", "Open the desk's own address.")
    if not request.is_json:
        raise PalettiError("The desk takes JSON.")
    return actions


def _desk(app: Flask, hub: Hub, actions: Actions | None) -> None:
    @app.post("/call")
    def call() -> ResponseReturnValue:
        _at_desk(actions).call(read_call(request.get_data()))
        return jsonify(done=True)

    @app.post("/answer")
    def answer() -> ResponseReturnValue:
        _at_desk(actions).answer(read_answer(request.get_data(), hub.ask()))
        return jsonify(done=True)

    @app.post("/drew")
    def drew() -> ResponseReturnValue:
        _at_desk(actions).drew(read_draw(request.get_data()))
        return jsonify(done=True)


def _telling(app: Flask, actions: Actions | None) -> None:
    @app.post("/told")
    def told() -> ResponseReturnValue:
        desk = _at_desk(actions)
        desk.told(read_told(request.get_data(), desk.game()))
        return jsonify(done=True)

    @app.post("/tare")
    def tare() -> ResponseReturnValue:
        desk = _at_desk(actions)
        desk.tare(read_tare(request.get_data(), desk.game()))
        return jsonify(done=True)

    @app.post("/new")
    def new() -> ResponseReturnValue:
        _at_desk(actions).new_game()
        return jsonify(done=True)

    @app.get("/desk.json")
    def books() -> ResponseReturnValue:
        """What may be told now; with `?event=12`, what could have been told in place of event 12."""
        game = actions.game() if actions is not None else None
        if game is None:
            return jsonify(None)
        number = request.args.get("event")
        if number is None:
            return jsonify(offers(game))
        return jsonify(before(game, int(number) if number.isascii() and number.isdigit() and len(number) < 6 else 0))


def _archive(app: Flask, archive: Archive) -> None:
    @app.get("/archive")
    def listing() -> str:
        return render_template("archive.html")

    @app.get("/archive.json")
    def listed() -> Response:
        return jsonify(archive.list())

    @app.get("/archive/<name>")
    def one(name: str) -> str:
        archive.find(name)
        return render_template("screen.html", mode="archive", desk=False, archive=True, source=f"/archive/{name}/state.json", name=name)

    @app.get("/archive/<name>/state.json")
    def one_state(name: str) -> Response:
        return jsonify(archive.state(name))

    @app.get("/archive/<name>/camera/<int:camera>.jpg")
    def one_camera(name: str, camera: int) -> ResponseReturnValue:
        jpeg = archive.picture(name, camera)
        if jpeg is None:
            return _refuse(f"{name} holds no picture of camera {camera}.", "", 404)
        return Response(jpeg, mimetype="image/jpeg")


def _manners(app: Flask) -> None:
    """Bad input gets a sentence, here as everywhere; nothing is kept by browsers, nothing comes from elsewhere."""

    @app.errorhandler(AgainstTheRulesError)
    def against(error: AgainstTheRulesError) -> ResponseReturnValue:
        return jsonify(sentence=error.sentence, german=error.german, rules=error.rules), 409 if error.may_be else 400

    @app.errorhandler(PalettiError)
    def unusable(error: PalettiError) -> ResponseReturnValue:
        return jsonify(sentence=error.sentence, hint=error.hint, german=getattr(error, "german", "")), 400

    @app.errorhandler(HTTPException)
    def refused(error: HTTPException) -> ResponseReturnValue:
        return _refuse(error.description or error.name, "", error.code or 500)

    @app.after_request
    def headers(response: Response) -> Response:
        response.headers["Cache-Control"] = "no-cache" if request.path.startswith("/static/") else "no-store"
        response.headers["Content-Security-Policy"] = _POLICY
        response.headers["X-Content-Type-Options"] = "nosniff"
        response.headers["Referrer-Policy"] = "no-referrer"
        return response


def _refuse(sentence: str, hint: str, code: int) -> ResponseReturnValue:
    return jsonify(sentence=sentence, hint=hint), code
