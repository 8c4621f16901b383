"""The dashboard's wiring: what it shows, what its buttons do, and the header of a recording."""

from __future__ import annotations

import queue
import time
from pathlib import Path

from rig.cli.resume import from_nothing
from rig.dashboard.app import create_app
from rig.dashboard.hub import Hub, Shown
from rig.dashboard.server import Server
from rig.engine.fold import Said
from rig.errors import PalettiError
from rig.live.session import Session
from rig.messages import (
    Answered,
    Ask,
    BaseBytes,
    Call,
    Drew,
    Frame,
    Input,
    LinkNews,
    Message,
    ProfileSet,
    Resumed,
    SourceNews,
    Tare,
    Tick,
    Told,
)
from rig.profile import Profile
from rig.recording import Recorder, versions
from rig.rules import Game

HEARD_S = 2.0
"""Seconds that a tap waits at most until the session has taken it; it enters whether or not it is waited for."""


class DeskActions:
    """The desk's buttons become messages."""

    def __init__(self, inbox: queue.SimpleQueue[tuple[str, Input]]) -> None:
        self._inbox = inbox
        self._session: Session | None = None

    def follow(self, session: Session) -> None:
        """The session whose books the desk offers from. A game is an immutable value, so looking at it from another thread is safe."""
        self._session = session

    def new_game(self) -> None:
        game = self.game()
        if game is None:
            raise PalettiError("No game has begun yet.", "Wait a moment.")
        self._inbox.put(("desk", from_nothing(game.pieces, game.table.names, game.rules)))

    def game(self) -> Game | None:
        return self._session.fold.referee.book.game if self._session is not None else None

    def call(self, call: Call) -> None:
        self._inbox.put((f"seat {call.seat + 1}", call))

    def answer(self, answered: Answered) -> None:
        self._inbox.put(("desk", answered))

    def drew(self, drew: Drew) -> None:
        self._inbox.put(("desk", drew))

    def tare(self, tare: Tare) -> None:
        self._inbox.put(("desk", tare))

    def told(self, told: Told) -> None:
        """Returns once the books have it, so that the next tap is held against them as they are then."""
        before = self.game()
        self._inbox.put(("desk", told))
        deadline = time.monotonic() + HEARD_S
        while self.game() is before and time.monotonic() < deadline:
            time.sleep(0.01)


class Screen:
    """The live page, served until closed."""

    def __init__(self, hub: Hub, actions: DeskActions | None, port: int, host: str = "127.0.0.1", recordings: Path | None = None) -> None:
        self._hub = hub
        self._server = Server(create_app(hub, actions, recordings), hub, host, port)

    @property
    def url(self) -> str:
        return self._server.url

    @property
    def url_from_elsewhere(self) -> str | None:
        return self._server.url_from_elsewhere

    def close(self) -> None:
        self._hub.close()
        self._server.close()


class ScreenListener:
    """Hands everything worth seeing to the hub."""

    def __init__(self, hub: Hub) -> None:
        self._hub = hub

    def heard(self, message: Message, said: Said) -> None:
        self._show(message)
        shown: list[Shown] = [*said.facts, *said.rulings, *(request for request in said.requests if isinstance(request, Ask))]
        for payload in shown:
            self._hub.publish(payload, message.t_s)
        if said.view is not None:
            self._hub.publish(said.view, message.t_s)
        if isinstance(message.payload, BaseBytes):
            for reading in said.readings:
                self._hub.publish(reading, message.t_s)
        elif isinstance(message.payload, Tare):
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
            case Resumed():
                self._hub.new_game()
            case _:
                pass


def recorder_for(path: Path, firmware: str, profile: Profile) -> Recorder:
    """A recorder with the header that says what made the recording."""
    return Recorder(path, versions(firmware=firmware, profile=f"{profile.name} (version {profile.version})"))
