"""A recording that outlives its file: when the disk refuses, it goes on in a new one as soon as there is room.

The game never waits for the disk. Every reason for which writing stops is told at once, and so is when it goes on and what is missing. A
new file begins with the profile and with the game as it stands, so it can be replayed and resumed by itself.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from rig import messages as m
from rig.errors import PalettiError
from rig.recording.recorder import Recorder
from rig.recording.retention import thin_together
from rig.recording.topics import Beside

RETRY_S = 5.0
"""Seconds of message time between two tries to go on. Shorter: less is missing; longer: fewer files that hold next to nothing."""

ROOM_BYTES = 64 << 20
"""Free space that a new file wants, by design: a minute of a two-camera rig."""


@dataclass(frozen=True, slots=True)
class Words:
    """What the wiring knows and a recording needs: `beginning()` gives the profile and the game as it stands, `told(trouble, sentence)`
    hears every change (`trouble` is empty once all is well again)."""

    beginning: Callable[[], Sequence[m.Input]]
    told: Callable[[str, str], None]


class Parts:
    """Writes to `path`, then to `path` with .2, .3 … before its suffix. `trouble` as in Recorder; `path` is the file in use."""

    def __init__(
        self, path: Path, header: Mapping[str, str], words: Words, room_bytes: int = ROOM_BYTES, keep_bytes: int | None = None
    ) -> None:
        """`keep_bytes`: how much all files may have together. A file is closed at a quarter of that, and pictures are taken out of the
        closed ones (see `retention`). PalettiError if the first file cannot be begun."""
        self._keep_bytes = keep_bytes
        self._thinning = threading.Thread()
        self._first, self._header, self._words, self._room_bytes = Path(path), header, words, room_bytes
        self._recorder = Recorder(self._first, header)
        self._said = ""
        self._stopped_t_s = self._tried_t_s = 0.0
        self._refused: set[type] = set()
        self.paths = [self._first]

    @property
    def path(self) -> Path:
        return self.paths[-1]

    @property
    def trouble(self) -> str:
        return self._recorder.trouble

    @property
    def lost(self) -> int:
        """Records that no file holds, since writing stopped last."""
        return self._recorder.lost

    def write(self, message: m.Message) -> None:
        """Record an input. Nothing is raised: what cannot be recorded is told."""
        if self._keep_bytes is not None and self._recorder.written > self._keep_bytes // 4 and self._go_on(message):
            return
        if self._recorder.trouble and message.t_s - self._tried_t_s >= RETRY_S and self._go_on(message):
            return  # the new file begins with the game as this message has left it
        try:
            self._recorder.write(message)
        except ValueError as error:
            self._refuse(type(message.payload), error)
        self._tell(message.t_s)

    def write_output(self, t_s: float, n: int, payload: Beside) -> None:
        """Record a reading or an output, as `write`."""
        try:
            self._recorder.write_output(t_s, n, payload)
        except ValueError as error:
            self._refuse(type(payload), error)
        self._tell(t_s)

    def flush(self) -> None:
        self._recorder.flush()

    def close(self) -> None:
        self._recorder.close()
        self._tell(self._stopped_t_s)
        if self._keep_bytes is not None:
            if self._thinning.is_alive():
                self._thinning.join()
            self._thin(self.paths, self._keep_bytes)

    def _tell(self, t_s: float) -> None:
        if self._recorder.trouble and self._recorder.trouble != self._said:
            self._said, self._stopped_t_s, self._tried_t_s = self._recorder.trouble, t_s, t_s
            self._words.told(self._said, f"{self._said} It goes on in a new file when there is room.")

    def _refuse(self, kind: type, error: ValueError) -> None:
        if kind not in self._refused:
            self._refused.add(kind)
            self._words.told(self.trouble, f"Left out of the recording: {error}.")

    def _go_on(self, message: m.Message) -> bool:
        """Try a new file; it then holds the game as it stands after `message`."""
        self._tried_t_s = message.t_s
        folder = self._first.parent
        try:
            free = os.statvfs(folder)
            if free.f_bavail * free.f_frsize < self._room_bytes:
                return False
            path = self._next_path()
            new = Recorder(path, self._header)
        except (OSError, PalettiError):
            return False
        for payload in self._words.beginning():
            new.write(m.Message(message.n, message.t_s, "desk", payload))
        new.flush()
        if new.trouble:
            new.close()
            path.unlink(missing_ok=True)
            return False
        stopped = bool(self._recorder.trouble)
        self._recorder.close()
        self._recorder, self._said = new, ""
        self.paths.append(path)
        if stopped:
            lost_s = message.t_s - self._stopped_t_s
            self._words.told("", f"Recording goes on in {path.name}; {lost_s:.0f} s of the game are in no file.")
        else:
            self._words.told("", f"Recording goes on in {path.name}.")
        if self._keep_bytes is not None and not self._thinning.is_alive():
            room = self._keep_bytes - self._keep_bytes // 4
            self._thinning = threading.Thread(target=self._thin, args=(self.paths[:-1], room), name="thinning", daemon=True)
            self._thinning.start()
        return True

    def _thin(self, paths: Sequence[Path], size_bytes: int) -> None:
        try:
            thin_together(paths, size_bytes)
        except (OSError, PalettiError) as error:
            self._words.told(self.trouble, f"Recordings could not be made smaller: {error}")

    def _next_path(self) -> Path:
        number = 2
        while (path := self._first.with_name(f"{self._first.stem}.{number}{self._first.suffix}")).exists():
            number += 1
        return path
