"""What people say at the desk, over the wire: who may say it, on which state it was said, and one after the other.

Every tap carries the number of the state it was made on. Two phones that tap the same thing at once made both taps on the same state; the
first one changes it, so the second is refused with a sentence and its page shows the new state. So a tap never becomes somebody else's.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Protocol

from flask import Blueprint, jsonify, request
from flask.typing import ResponseReturnValue

from rig import messages as m
from rig.dashboard.bodies import read_body
from rig.dashboard.desk import needs_host, read_answer, read_call, read_draw, read_names, read_tare, read_told
from rig.dashboard.door import Door, Role
from rig.dashboard.hub import Hub
from rig.dashboard.offers import before, offers
from rig.errors import PalettiError
from rig.rules import Game, Phase

STATE_LETTERS = 60


class Actions(Protocol):
    """What the desk can say. Each puts a message through the sequencer and returns once the session has heard it (or after two seconds),
    or raises PalettiError with the sentence to show."""

    def call(self, call: m.Call) -> None: ...

    def answer(self, answered: m.Answered) -> None: ...

    def drew(self, drew: m.Drew) -> None: ...

    def told(self, told: m.Told) -> None: ...

    def tare(self, tare: m.Tare) -> None: ...

    def new_game(self) -> None:
        """The same players begin anew, with the same set and house rules; what was played is left as it is."""

    def back(self) -> None:
        """Take the last `new_game` back: the game before goes on as it stood. PalettiError if there is none."""

    def rename(self, names: tuple[str, ...]) -> None:
        """The same players under these names, by seat."""

    def game(self) -> Game | None:
        """The game as the books have it now, to offer from and to check against; None before there is one."""

    def state(self) -> str:
        """The number of the state that the books are in; another after every change."""

    def can_go_back(self) -> bool:
        """Whether `back` has a game to go back to."""


class StaleError(PalettiError):
    """The tap was made on a state that is gone."""

    def __init__(self) -> None:
        super().__init__("The game has moved on since: look again, then tap.")
        self.german = "Inzwischen ist etwas geschehen: noch einmal hinsehen, dann tippen."


class _Desk:
    """The desk, one tap at a time."""

    def __init__(self, actions: Actions | None, door: Door) -> None:
        self._actions, self._door = actions, door
        self._one_at_a_time = threading.Lock()

    @contextmanager
    def tap(self, least: Role = Role.TABLE) -> Iterator[tuple[Actions, bytes]]:
        """The actions and the body, to whoever may tap, on the state that stands; else PalettiError."""
        if self._actions is None:
            raise PalettiError("The desk is shut: this screen only shows.")
        self._door.speaks(least)
        if not request.is_json:
            raise PalettiError("The desk takes JSON.")
        body = request.get_data()
        state = read_body(body).get("state")
        if not isinstance(state, str) or len(state) > STATE_LETTERS:
            raise PalettiError("A tap carries the number of the state it was made on.", "Reload the page.")
        with self._one_at_a_time:
            if state != self._actions.state():
                raise StaleError
            yield self._actions, body

    def only(self, least: Role) -> None:
        self._door.speaks(least)

    def moment(self, event: str | None) -> object:
        """What may be told now, or could have been told in place of an event; None before there is a game."""
        actions = self._actions
        game = actions.game() if actions is not None else None
        if actions is None or game is None:
            return None
        if event is None:
            return {"state": actions.state(), "back": actions.can_go_back(), **offers(game)}
        return before(game, int(event) if event.isascii() and event.isdigit() and len(event) < 6 else 0)


def desk_routes(hub: Hub, actions: Actions | None, door: Door) -> Blueprint:
    """All that is said, and `GET /desk.json`: what may be said."""
    routes = Blueprint("desk", __name__)
    desk = _Desk(actions, door)
    _add_words(routes, hub, desk)
    _add_host(routes, desk)

    @routes.get("/desk.json")
    def books() -> ResponseReturnValue:
        """What may be told now; with `?event=12`, what could have been told in place of event 12."""
        return jsonify(desk.moment(request.args.get("event")))

    return routes


def _add_words(routes: Blueprint, hub: Hub, desk: _Desk) -> None:
    @routes.post("/call")
    def call() -> ResponseReturnValue:
        with desk.tap() as (actions, body):
            actions.call(read_call(body))
        return jsonify(done=True)

    @routes.post("/answer")
    def answer() -> ResponseReturnValue:
        with desk.tap() as (actions, body):
            actions.answer(read_answer(body, hub.ask()))
        return jsonify(done=True)

    @routes.post("/drew")
    def drew() -> ResponseReturnValue:
        with desk.tap() as (actions, body):
            actions.drew(read_draw(body))
        return jsonify(done=True)

    @routes.post("/told")
    def told() -> ResponseReturnValue:
        with desk.tap() as (actions, body):
            line = read_told(body, actions.game())
            if needs_host(line.line, actions.game()):
                desk.only(Role.HOST)
            actions.told(line)
        return jsonify(done=True)

    @routes.post("/tare")
    def tare() -> ResponseReturnValue:
        with desk.tap() as (actions, body):
            actions.tare(read_tare(body, actions.game()))
        return jsonify(done=True)


def _add_host(routes: Blueprint, desk: _Desk) -> None:
    @routes.post("/new")
    def new() -> ResponseReturnValue:
        """While a game is under way, `sure` must be true: it ends there."""
        with desk.tap(Role.HOST) as (actions, body):
            game = actions.game()
            if game is not None and game.log and game.phase is not Phase.OVER and read_body(body).get("sure") is not True:
                raise PalettiError("A game is under way; a new one ends it.", "Say that you are sure.")
            actions.new_game()
        return jsonify(done=True)

    @routes.post("/back")
    def back() -> ResponseReturnValue:
        with desk.tap(Role.HOST) as (actions, _):
            actions.back()
        return jsonify(done=True)

    @routes.post("/names")
    def names() -> ResponseReturnValue:
        with desk.tap(Role.HOST) as (actions, body):
            game = actions.game()
            if game is None:
                raise PalettiError("No game has begun yet.", "Wait a moment.")
            actions.rename(read_names(body, len(game.table.names)))
        return jsonify(done=True)
