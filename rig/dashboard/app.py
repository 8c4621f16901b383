"""The web application: put together from its parts, each a blueprint of its own.

It decides nothing about the game. What is shown comes from the hub; what people say is checked for form and for who says it, and handed to
the injected `Actions`, which put it through the one sequencer. Without actions the desk is shut and the page only shows. What must hold for
every request that reaches this machine (names, floods, half-sent bodies) is in `gate`, what must hold for every tap in `door` and
`desk_routes`.
"""

from __future__ import annotations

import logging
from pathlib import Path

from flask import Flask, Response, jsonify, request
from flask.typing import ResponseReturnValue
from werkzeug.exceptions import HTTPException

from rig.dashboard.archive import Archive
from rig.dashboard.bodies import BODY_BYTES
from rig.dashboard.desk import AgainstTheRulesError
from rig.dashboard.desk_routes import Actions, StaleError, desk_routes
from rig.dashboard.door import Access, Door, NotAllowedError, door_routes, prepare
from rig.dashboard.files import add_files
from rig.dashboard.gate import HEADERS
from rig.dashboard.hub import Hub
from rig.dashboard.openapi import openapi_routes
from rig.dashboard.pages import archive_routes, page_routes
from rig.errors import PalettiError

_log = logging.getLogger("rig.dashboard")


def create_app(
    hub: Hub,
    actions: Actions | None = None,
    recordings: Path | None = None,
    access: Access | None = None,
    secure: bool = False,
) -> Flask:
    """The application over `hub`; `recordings` is the folder whose *.mcap the archive shows (None: no archive), `access` the codes (None:
    drawn by chance), `secure`: it is served by https alone. Further pages are further blueprints, registered on what this returns; the
    door is `app.extensions["paletti-door"]`."""
    app = Flask(__name__, static_folder=None)
    prepare(app, secure)
    add_files(app)
    app.config["MAX_CONTENT_LENGTH"] = BODY_BYTES
    app.json.sort_keys = False  # type: ignore[attr-defined]
    door = app.extensions["paletti-door"] = Door(access or Access())
    if door.access.private:
        hub.info({"private": True})
    app.register_blueprint(door_routes(door))
    app.register_blueprint(page_routes(hub, door, desk=actions is not None, archive=recordings is not None))
    app.register_blueprint(desk_routes(hub, actions, door))
    app.register_blueprint(openapi_routes())
    if recordings is not None:
        app.register_blueprint(archive_routes(Archive(recordings, lambda: str(hub.told_info("recording") or "")), door))
    _answers(app)
    return app


def _answers(app: Flask) -> None:
    """Bad input gets a sentence, here as everywhere; nothing is kept by browsers, nothing comes from elsewhere."""

    @app.errorhandler(AgainstTheRulesError)
    def against(error: AgainstTheRulesError) -> ResponseReturnValue:
        return jsonify(sentence=error.sentence, german=error.german, rules=error.rules), 409 if error.may_be else 400

    @app.errorhandler(StaleError)
    def stale(error: StaleError) -> ResponseReturnValue:
        return jsonify(sentence=error.sentence, german=error.german, stale=True), 409

    @app.errorhandler(NotAllowedError)
    def not_allowed(error: NotAllowedError) -> ResponseReturnValue:
        return jsonify(sentence=error.sentence, german=error.german, hint=""), error.code

    @app.errorhandler(PalettiError)
    def unusable(error: PalettiError) -> ResponseReturnValue:
        return jsonify(sentence=error.sentence, hint=error.hint, german=getattr(error, "german", "")), 400

    @app.errorhandler(HTTPException)
    def refused(error: HTTPException) -> ResponseReturnValue:
        return jsonify(sentence=error.description or error.name, hint=""), error.code or 500

    @app.errorhandler(Exception)
    def failed(error: Exception) -> ResponseReturnValue:
        _log.error("a request failed", exc_info=error)
        return jsonify(sentence="That did not work, and it is this program's fault.", hint="The game goes on; the log says more."), 500

    @app.after_request
    def headers(response: Response) -> Response:
        response.headers["Cache-Control"] = "no-cache" if request.path.startswith("/static/") else "no-store"
        for name, value in HEADERS:
            response.headers[name] = value
        return response
