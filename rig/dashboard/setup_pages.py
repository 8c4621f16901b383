"""The set-up in the browser: one page, its state a few times a second, its taps, its pictures and the sheet to print.

What a step wants and when it is good is not known here: the procedures are injected (`SetUpActions`).
"""

from __future__ import annotations

from typing import Any, Protocol

from flask import Blueprint, Response, jsonify, render_template, request
from flask.typing import ResponseReturnValue

from rig.dashboard.bodies import read_body, text_of
from rig.dashboard.door import Door, NotAllowedError, Role, begin_session
from rig.dashboard.pages import NotThereError
from rig.errors import PalettiError

PAPERS = ("a4", "letter")
MOST_PLAYERS = 4


class SetUpActions(Protocol):
    """What the page shows and does. Called from the server's threads."""

    def state(self) -> dict[str, Any]:
        """The step and all that is shown of it."""

    def act(self, name: str, value: str) -> None:
        """A tap; PalettiError if it makes no sense."""

    def play(self, names: tuple[str, ...], rules: str) -> str:
        """Write down what was set up and begin the game; the address at which it will be. PalettiError if it cannot."""

    def picture(self, camera: int) -> bytes | None:
        """A camera's newest picture as JPEG, with what is wanted drawn over it."""

    def sheet(self, paper: str) -> bytes:
        """The sheet to print, as PDF."""


def setup_routes(door: Door, actions: SetUpActions) -> Blueprint:
    """`GET /setup`, `/setup.json`, `/setup/picture/1.jpg`, `/setup/sheet-a4.pdf`; `POST /setup/act`, `/setup/play` (host)."""
    routes = Blueprint("setup", __name__)

    @routes.get("/setup")
    def page() -> str:
        begin_session()
        return render_template("setup.html")

    @routes.get("/setup.json")
    def state() -> Response:
        return jsonify(actions.state())

    @routes.post("/setup/act")
    def act() -> ResponseReturnValue:
        door.speaks(Role.HOST)
        body = read_body(request.get_data())
        actions.act(text_of(body, "act"), text_of(body, "value") if "value" in body else "")
        return state()

    @routes.post("/setup/play")
    def play() -> ResponseReturnValue:
        door.speaks(Role.HOST)
        body = read_body(request.get_data())
        names = body.get("names")
        if not isinstance(names, list) or not 2 <= len(names) <= MOST_PLAYERS or not all(isinstance(name, str) for name in names):
            raise PalettiError("Two, three or four players, each with a name.")
        return jsonify(url=actions.play(tuple(name.strip() for name in names), text_of(body, "rules")))

    _shown(routes, door, actions)
    return routes


def _shown(routes: Blueprint, door: Door, actions: SetUpActions) -> None:
    """Pictures and the sheet."""

    @routes.get("/setup/picture/<int:camera>.jpg")
    def picture(camera: int) -> ResponseReturnValue:
        if not door.sees_pictures():
            raise NotAllowedError("To see the cameras from another device, give the code.", "Kamerabilder gibt es nur mit dem Code.", 401)
        jpeg = actions.picture(camera)
        if jpeg is None:
            raise NotThereError(f"Camera {camera} has sent no picture yet.", f"Kamera {camera} hat noch kein Bild geschickt.")
        return Response(jpeg, mimetype="image/jpeg")

    @routes.get("/setup/sheet-<paper>.pdf")
    def sheet(paper: str) -> ResponseReturnValue:
        if paper not in PAPERS:
            raise NotThereError(f"There is no paper {paper}.", f"Das Papier {paper} gibt es nicht.")
        return Response(actions.sheet(paper), mimetype="application/pdf")
