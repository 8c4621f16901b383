"""The loop of a real rig: threads put what arrives into one queue, and this pours it into the session by the clock.

The serial port is read in a thread of its own; should that thread die, its silence is told within a second, since ticks go on.
"""

from __future__ import annotations

import queue
import threading
from collections.abc import Callable

from rig.base.port import Port
from rig.errors import PalettiError
from rig.live.session import Session
from rig.messages import BaseBytes, Health, Input, SourceNews

POLL_S = 0.02

TELL_EVERY = 25
"""Pictures passed over before it is told again: about two and a half seconds' worth of two cameras."""


class SerialSource:
    """The base's bytes. Opening fails at once with a sentence; a later loss is told and mended by the port itself."""

    def __init__(self, port: Port, put: Callable[[str, Input], None]) -> None:
        self._port, self._put = port, put
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._run, name="base", daemon=True)

    def start(self) -> None:
        """Open the port and begin to send its bytes. PalettiError if it cannot be opened."""
        self._port.open()
        self._thread.start()

    def close(self) -> None:
        """Stop, and let the port go."""
        self._stop.set()
        if self._thread.is_alive():
            self._thread.join(timeout=1.0)
        self._port.close()

    def _run(self) -> None:
        said = ""
        while not self._stop.is_set():
            try:
                data = self._port.read()
            except PalettiError as error:
                if error.sentence != said:
                    said = error.sentence
                    self._put("base", SourceNews(source="base", health=Health.LOST, sentence=str(error)))
                self._stop.wait(0.5)
                continue
            if data:
                if said:
                    said = ""
                    self._put("base", SourceNews(source="base", health=Health.GOOD, sentence="The base is back."))
                self._put("base", BaseBytes(data=data))


def referee_live(
    session: Session,
    inbox: queue.SimpleQueue[tuple[float, str, Input]],
    desk: queue.SimpleQueue[tuple[str, Input]],
    clock: Callable[[], float],
    stopped: Callable[[], bool] = lambda: False,
) -> None:
    """Pour until stopped. Pictures nobody came to look at are told as they are counted."""
    told = 0
    while not stopped():
        if session.passed_over >= told + TELL_EVERY:
            told = session.passed_over
            sentence = f"{told} pictures were passed over: this computer is slow for so many cameras."
            session.pour(clock(), "eyes", SourceNews(source="eyes", health=Health.FAULT, sentence=sentence))
        try:
            t_s, source, payload = inbox.get(timeout=POLL_S)
            session.pour(t_s, source, payload)
        except queue.Empty:
            pass
        while not desk.empty():
            name, word = desk.get_nowait()
            session.pour(clock(), name, word)
        session.run_to(clock())
