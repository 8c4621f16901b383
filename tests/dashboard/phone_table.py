"""A table at which phones are cameras, for tests: the https page and the link as `paletti run` wires them; what enters is kept."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

from rig.cli.phones import PhoneTable, phone_table
from rig.cli.screen import Screen
from rig.dashboard import Access, Limits
from rig.dashboard.hub import Hub
from rig.live.phones import PhoneSource
from rig.messages import Frame, Input, SourceNews

CODE = "the-code-of-the-qr"


class Phones:
    """Use it as a context manager. `heard` is what entered the game: time (s), source, message."""

    def __init__(self, folder: Path, size_px: tuple[int, int], room: int = 2) -> None:
        with pytest.MonkeyPatch.context() as patch:
            patch.setenv("XDG_CONFIG_HOME", str(folder))
            start = time.monotonic()
            self.clock: Callable[[], float] = lambda: time.monotonic() - start
            self.news = threading.Condition()
            self.heard: list[tuple[float, str, Input]] = []
            self.sources = [PhoneSource(number, size_px, self._put, self.clock) for number in range(1, room + 1)]
            self.table: PhoneTable = phone_table(self.sources, self.clock, "127.0.0.1", 0, CODE)
        limits = Limits(burst=100_000)
        self.screen = Screen(Hub(), None, 0, access=Access("table1", "host12"), limits=limits, phones=self.table)

    def _put(self, source: str, payload: Input) -> None:
        with self.news:
            self.heard.append((self.clock(), source, payload))
            self.news.notify_all()

    @property
    def link(self) -> str:
        return self.table.way.link

    @property
    def port(self) -> int:
        return int(self.table.way.url.rsplit(":", 1)[1].strip("/"))

    def frames(self, camera: int = 1) -> list[Frame]:
        with self.news:
            return [payload for _, _, payload in self.heard if isinstance(payload, Frame) and payload.camera == camera]

    def told(self) -> list[SourceNews]:
        with self.news:
            return [payload for _, _, payload in self.heard if isinstance(payload, SourceNews)]

    def wait(self, true: Callable[[], bool], what: str, patience_s: float = 60.0) -> None:
        """Until it is true; the patience is for a machine that other work stops."""
        until = time.monotonic() + patience_s
        with self.news:
            while not true():
                if not self.news.wait(0.2) and time.monotonic() > until:
                    pytest.fail(f"never came: {what}; told: {self.told()[-3:]}")

    def wait_for_more(self, camera: int = 1, more: int = 4) -> None:
        before = len(self.frames(camera))
        self.wait(lambda: len(self.frames(camera)) >= before + more, f"{more} more pictures of camera {camera}")

    def state(self, camera: int = 1) -> Mapping[str, object]:
        return self.table.cameras.state(camera)

    def __enter__(self) -> Phones:
        return self

    def __exit__(self, *_: object) -> None:
        self.screen.close()
