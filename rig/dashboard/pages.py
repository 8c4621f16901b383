"""What anybody may look at: the screen, its state, its pictures, and the archive of recordings."""

from __future__ import annotations

from flask import Blueprint, Response, jsonify, render_template
from flask.typing import ResponseReturnValue

from rig.dashboard.archive import Archive
from rig.dashboard.door import Door, NotAllowedError, begin_session
from rig.dashboard.files import modules_of
from rig.dashboard.hub import Hub


class NotThereError(NotAllowedError):
    """There is no such picture."""

    def __init__(self, english: str, german: str) -> None:
        super().__init__(english, german, 404)


def page_routes(hub: Hub, door: Door, *, desk: bool, archive: bool) -> Blueprint:
    """`GET /`, `/state.json`, `/camera/1.jpg`, `/frame/4001.jpg`. The changes (`/events`) are served by the event loop, see `streams`."""
    routes = Blueprint("pages", __name__)
    modules = modules_of("screen.js")

    @routes.get("/")
    def screen() -> str:
        begin_session()
        return render_template("screen.html", mode="live", desk=desk, archive=archive, source="/state.json", name="", modules=modules)

    @routes.get("/state.json")
    def state() -> Response:
        return jsonify(hub.state())

    @routes.get("/camera/<int:camera>.jpg")
    def camera(camera: int) -> ResponseReturnValue:
        _may_see(door)
        newest = hub.newest(camera)
        if newest is None:
            raise NotThereError(f"Camera {camera} has sent no picture yet.", f"Kamera {camera} hat noch kein Bild geschickt.")
        return Response(newest[0], mimetype="image/jpeg")

    @routes.get("/frame/<int:n>.jpg")
    def frame(n: int) -> ResponseReturnValue:
        _may_see(door)
        jpeg = hub.frame(n)
        if jpeg is None:
            raise NotThereError(f"Picture {n} is no longer kept; the recording has it.", f"Bild {n} ist nur noch in der Aufnahme.")
        return Response(jpeg, mimetype="image/jpeg")

    return routes


def archive_routes(archive: Archive, door: Door) -> Blueprint:
    """`GET /archive`, `/archive.json`, and under each recording's name what `page_routes` has for the live game."""
    routes = Blueprint("archive", __name__)
    modules = modules_of("screen.js")

    @routes.get("/archive")
    def listing() -> str:
        begin_session()
        return render_template("archive.html")

    @routes.get("/archive.json")
    def listed() -> Response:
        return jsonify(archive.list())

    @routes.get("/archive/<name>")
    def one(name: str) -> str:
        archive.find(name)
        return render_template(
            "screen.html", mode="archive", desk=False, archive=True, source=f"/archive/{name}/state.json", name=name, modules=modules
        )

    @routes.get("/archive/<name>/state.json")
    def one_state(name: str) -> Response:
        return jsonify(archive.state(name))

    @routes.get("/archive/<name>/camera/<int:camera>.jpg")
    def one_camera(name: str, camera: int) -> ResponseReturnValue:
        _may_see(door)
        jpeg = archive.picture(name, camera)
        if jpeg is None:
            raise NotThereError(f"{name} holds no picture of camera {camera}.", f"{name} hat kein Bild von Kamera {camera}.")
        return Response(jpeg, mimetype="image/jpeg")

    return routes


def _may_see(door: Door) -> None:
    """NotAllowedError where pictures are kept from whoever asks."""
    if door.access.private:
        raise NotAllowedError("The cameras are kept off the screen.", "Die Kameras werden nicht gezeigt.")
    if not door.sees_pictures():
        raise NotAllowedError("To see the cameras from another device, give the code.", "Kamerabilder gibt es nur mit dem Code.", 401)
