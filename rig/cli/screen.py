"""The dashboard's wiring: the page that is served, and what it is shown of the session."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from rig.cli.desk import DeskActions
from rig.cli.phones import PhoneTable
from rig.cli.recording import recorder_for
from rig.dashboard import Access, Limits, Server, create_app
from rig.dashboard.archive import NAMES
from rig.dashboard.hub import Hub, Shown
from rig.dashboard.setup_pages import SetUpActions, setup_routes
from rig.engine.fold import Said
from rig.messages import Ask, BaseBytes, Frame, LinkNews, Message, ProfileSet, Resumed, SourceNews, Tare, Tick
from rig.rules.record import parse_record

__all__ = ["DeskActions", "Screen", "ScreenListener", "recorder_for"]


class Screen:
    """The live page, served until closed."""

    def __init__(
        self,
        hub: Hub,
        actions: DeskActions | None,
        port: int,
        host: str = "127.0.0.1",
        recordings: Path | None = None,
        access: Access | None = None,
        allow_hosts: Sequence[str] = (),
        limits: Limits | None = None,
        phones: PhoneTable | None = None,
        setup: SetUpActions | None = None,
    ) -> None:
        """PalettiError if the address cannot be had."""
        self._hub = hub
        self.access = access or Access()
        app = create_app(hub, actions, recordings, self.access)
        if phones is not None:
            phones.register(app)
        if setup is not None:
            app.register_blueprint(setup_routes(app.extensions["paletti-door"], setup))
        self._server = Server(app, hub, host, port, allow_hosts, limits, phones.secure if phones is not None else None)
        if phones is not None:
            phones.way.url = self._server.secure_url

    @property
    def url(self) -> str:
        """Its address on this machine."""
        return self._server.url

    @property
    def port(self) -> int:
        """The TCP port that it listens on."""
        return self._server.port

    @property
    def secure_port(self) -> int | None:
        return self._server.secure_port

    @property
    def url_from_elsewhere(self) -> str | None:
        """Its address for other machines; None if only this one can open it."""
        return self._server.url_from_elsewhere

    def close(self) -> None:
        """Stop serving."""
        self._hub.close()
        self._server.close()


class ScreenListener:
    """Hands everything worth seeing to the hub."""

    def __init__(self, hub: Hub) -> None:
        self._hub = hub
        self._names: tuple[str, ...] = ()

    def heard(self, message: Message, said: Said) -> None:
        self._show(message)
        shown: list[Shown] = [*said.facts, *said.rulings, *(request for request in said.requests if isinstance(request, Ask))]
        if said.view is not None:
            self._names = tuple(seat.name for seat in said.view.seats)
            shown.append(said.view)
        if isinstance(message.payload, BaseBytes):
            shown += said.readings
        if shown:
            self._hub.publish_all(shown, message.t_s)
        if isinstance(message.payload, Tare):
            for reading in said.readings:
                if isinstance(reading, LinkNews):
                    self._hub.tared(reading, message.t_s)

    def _show(self, message: Message) -> None:
        match message.payload:
            case Frame() as frame:
                self._hub.picture(frame.camera, frame.jpeg, message.t_s, message.n)
            case ProfileSet() | SourceNews() as news:
                self._hub.publish(news, message.t_s)
            case Tick():
                self._hub.alive(message.t_s)
            case Resumed() as resumed if message.source == NAMES:
                self._rename(parse_record(resumed.record).header.players)
            case Resumed():
                self._hub.new_game()
            case _:
                pass

    def _rename(self, names: tuple[str, ...]) -> None:
        self._hub.renamed({old: new for old, new in zip(self._names, names, strict=False) if old != new})
