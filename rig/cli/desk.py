"""The desk's buttons become messages, and a tap is done once the session has heard it."""

from __future__ import annotations

import queue
import threading
from dataclasses import replace

from rig.cli.resume import from_nothing
from rig.dashboard.archive import NAMES
from rig.engine.fold import Said
from rig.errors import PalettiError
from rig.live.session import Session
from rig.messages import Answered, Call, Drew, Input, Message, RefereeState, Resumed, Tare, Told
from rig.rules import Game
from rig.rules.record import Record, print_record

HEARD_S = 2.0
"""Seconds that a tap waits at most until the session has taken it; it enters whether or not it is waited for."""

_STILL = (RefereeState.SET_UP, RefereeState.SETTLED, RefereeState.OVER)


class DeskActions:
    """Implements the dashboard's `Actions`. Hears the session as a listener, so that a tap returns when its message has been folded."""

    def __init__(self, inbox: queue.SimpleQueue[tuple[str, Input]]) -> None:
        self._inbox = inbox
        self._session: Session | None = None
        self._games = 0
        self._waiting: dict[int, threading.Event] = {}
        self._before: Resumed | None = None

    def follow(self, session: Session) -> None:
        """The session whose books the desk offers from. A game is an immutable value, so looking at it from another thread is safe."""
        self._session = session

    def heard(self, message: Message, said: Said) -> None:  # noqa: ARG002
        """Called by the session for every message."""
        if isinstance(message.payload, Resumed):
            self._games += 1
        if self._waiting and (heard := self._waiting.pop(id(message.payload), None)) is not None:
            heard.set()

    def game(self) -> Game | None:
        return self._session.fold.referee.book.game if self._session is not None else None

    def state(self) -> str:
        game = self.game()
        return "none" if game is None else f"{self._games}.{len(game.log)}"

    def new_game(self) -> None:
        game = self._playing()
        self._before = self._as_it_stands(game.table.names)
        self._say("desk", from_nothing(game.pieces, game.table.names, game.rules))

    def back(self) -> None:
        if self._before is None:
            raise PalettiError("There is no game to go back to.", "The last one was not left by `new game`.")
        before, self._before = self._before, None
        self._say("desk", before)

    def can_go_back(self) -> bool:
        game = self.game()
        return self._before is not None and game is not None and not game.log

    def rename(self, names: tuple[str, ...]) -> None:
        self._playing()
        view = self._session.fold.referee.view if self._session is not None else None
        if view is not None and view.state not in _STILL:
            raise PalettiError("Names can be changed while nothing moves and no question waits.", "Wait until the tower is settled.")
        self._say(NAMES, self._as_it_stands(names))

    def call(self, call: Call) -> None:
        self._say(f"seat {call.seat + 1}", call)

    def answer(self, answered: Answered) -> None:
        self._say("desk", answered)

    def drew(self, drew: Drew) -> None:
        self._say("desk", drew)

    def tare(self, tare: Tare) -> None:
        self._say("desk", tare)

    def told(self, told: Told) -> None:
        self._say("desk", told)

    def _playing(self) -> Game:
        game = self.game()
        if game is None:
            raise PalettiError("No game has begun yet.", "Wait a moment.")
        return game

    def _as_it_stands(self, names: tuple[str, ...]) -> Resumed:
        """The game as it stands, its players under these names."""
        assert self._session is not None
        referee = self._session.fold.referee
        record = Record.of(referee.book.game)
        return Resumed(record=print_record(replace(record, header=replace(record.header, players=names))), tower=referee.tower)

    def _say(self, source: str, payload: Input) -> None:
        heard = self._waiting[id(payload)] = threading.Event()
        self._inbox.put((source, payload))
        if not heard.wait(HEARD_S):
            self._waiting.pop(id(payload), None)
