"""Ctrl-C ends a session between two messages, never in the middle of one: whatever was heard is recorded."""

from __future__ import annotations

import signal
import threading
from types import FrameType


class Stopping:
    """A context in which SIGINT and SIGTERM are noted instead of raised; `asked()` says whether one came. The second is raised at once, for
    the impatient. Outside the main thread, where no signal arrives, it does nothing."""

    def __init__(self) -> None:
        self._asked = threading.Event()
        self._before: dict[int, object] = {}

    def asked(self) -> bool:
        """Whether somebody asked the program to stop."""
        return self._asked.is_set()

    def __enter__(self) -> Stopping:
        if threading.current_thread() is threading.main_thread():
            for number in (signal.SIGINT, signal.SIGTERM):
                self._before[number] = signal.signal(number, self._note)
        return self

    def __exit__(self, *_: object) -> None:
        for number, handler in self._before.items():
            signal.signal(number, handler)  # type: ignore[arg-type]
        self._before = {}

    def _note(self, _number: int, _frame: FrameType | None) -> None:
        if self._asked.is_set():
            raise KeyboardInterrupt
        self._asked.set()
