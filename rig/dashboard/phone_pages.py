"""The phone's own page, and the page that shows the QR code by which a phone becomes a camera."""

from __future__ import annotations

import io
from dataclasses import dataclass

import segno
from flask import Blueprint, Response, jsonify, render_template, request

from rig.dashboard.door import Door, NotAllowedError, Role, begin_session
from rig.dashboard.gate import HEADERS
from rig.dashboard.phone_link import Phones

_SECURE_SOCKETS = dict(HEADERS)["Content-Security-Policy"].replace("connect-src 'self'", "connect-src 'self' wss:")
"""Safari before 15.4 does not count a WebSocket of the page's own address as the page's own."""


@dataclass(slots=True)
class PhoneDoor:
    """How phones get in: the address of the page by https (empty: not served), its code, the certificate's fingerprint."""

    code: str
    url: str = ""
    fingerprint: str = ""

    @property
    def link(self) -> str:
        """What the QR code says. The part behind # stays in the phone."""
        return f"{self.url}phone#code={self.code}"


def phone_routes(door: Door, phones: Phones, way: PhoneDoor) -> Blueprint:
    """`GET /phone`, `/phones`, `/phones.json`, `/phones/qr.svg`."""
    routes = Blueprint("phones", __name__)

    @routes.get("/phone")
    def phone() -> Response:
        answer = Response(render_template("phone.html", secure=way.url + "phone"))
        answer.headers["Content-Security-Policy"] = _SECURE_SOCKETS
        return answer

    @routes.get("/phones")
    def connect() -> str:
        begin_session()
        return render_template("phones.html")

    @routes.get("/phones.json")
    def states() -> Response:
        _may(door)
        return jsonify(
            url=way.url + "phone", fingerprint=way.fingerprint, link=way.link, phones=[phones.state(camera) for camera in phones.numbers()]
        )

    @routes.get("/phones/qr.svg")
    def qr() -> Response:
        _may(door)
        drawn = io.BytesIO()
        segno.make(way.link, error="m", micro=False).save(drawn, kind="svg", scale=8, border=3, dark="#15100c", light="#fff", xmldecl=False)
        return Response(drawn.getvalue(), mimetype="image/svg+xml")

    return routes


def _may(door: Door) -> None:
    """The code makes a camera: it is shown to this computer, and to whoever gave a code."""
    if door.role() < Role.TABLE and request.remote_addr not in ("127.0.0.1", "::1", None):
        raise NotAllowedError("To connect a phone from another device, give the code.", "Zum Verbinden erst den Code eingeben.", 401)
