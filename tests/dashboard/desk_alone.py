"""A table without any hardware, for tests: the session, the desk and the page as `paletti run --no-sensors` wires them, in this process."""

from __future__ import annotations

import queue
import threading
import time
from pathlib import Path

import msgspec

from rig.cli.desk import DeskActions
from rig.cli.recording import recorder_for
from rig.cli.resume import from_nothing
from rig.cli.screen import Screen, ScreenListener
from rig.dashboard import Access, Limits
from rig.dashboard.hub import Hub
from rig.engine.pump import Listener
from rig.live.listeners import RecordingListener, Rulings
from rig.live.realtime import referee_live
from rig.live.session import Session
from rig.messages import Input, Told
from rig.profile import Profile
from rig.profile.nominal import nominal_profile
from rig.rules import RULEBOOK, Game

TABLE_CODE, HOST_CODE = "table1", "host12"
PLAYERS = ("Anna", "Ben", "Cleo", "Dan")


def profile() -> Profile:
    return msgspec.structs.replace(nominal_profile(), cells=(), cameras=())


class DeskAlone:
    """Plays until closed. `game` is what the books have now, `rulings` all that was ruled."""

    def __init__(self, recording: Path | None = None, players: tuple[str, ...] = PLAYERS, limits: Limits | None = None) -> None:
        hub, desk = Hub(), queue.SimpleQueue[tuple[str, Input]]()
        self._actions = DeskActions(desk)
        self._screen = Screen(hub, self._actions, 0, access=Access(TABLE_CODE, HOST_CODE), limits=limits)
        hub.info({"desk_alone": True, "players": players})
        self._heard = Rulings()
        self._recorder = RecordingListener(recorder_for(recording, "none", profile())) if recording is not None else None
        listeners: list[Listener] = [
            ScreenListener(hub),
            self._actions,
            self._heard,
            *([self._recorder] if self._recorder is not None else []),
        ]
        self._session = Session(profile(), listeners, real_time=True)
        self._actions.follow(self._session)
        self._session.pour(0.0, "desk", from_nothing(profile().pieces, players, RULEBOOK))
        start, self._end = time.monotonic(), threading.Event()
        nothing = queue.SimpleQueue[tuple[float, str, Input]]()
        self._thread = threading.Thread(
            target=referee_live, args=(self._session, nothing, desk, lambda: time.monotonic() - start, self._end.is_set), daemon=True
        )
        self._thread.start()

    @property
    def url(self) -> str:
        """Opens the page as the host."""
        return f"{self._screen.url}#code={HOST_CODE}"

    @property
    def plain_url(self) -> str:
        return self._screen.url

    @property
    def port(self) -> int:
        return self._screen.port

    @property
    def game(self) -> Game:
        game = self._actions.game()
        assert game is not None
        return game

    @property
    def told(self) -> list[str]:
        return [ruling.english for ruling in self._heard.rulings]

    def tell(self, line: str) -> None:
        """As by tap, and wait until it is in the books."""
        before = len(self.game.log)
        self._actions.told(Told(line=line))
        for _ in range(500):
            if len(self.game.log) > before:
                return
            time.sleep(0.01)
        raise AssertionError(f"never entered: {line}")

    def close(self) -> None:
        self._end.set()
        self._thread.join()
        self._session.close()
        self._screen.close()
        if self._recorder is not None:
            self._recorder.close()
