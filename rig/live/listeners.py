"""Those who hear everything: the recorder and the file of rulings."""

from __future__ import annotations

import contextlib
import sys
from pathlib import Path
from typing import BinaryIO

import msgspec

from rig.engine.fold import Said
from rig.errors import PalettiError
from rig.messages import Frame, Message, Ruling
from rig.recording import Parts, Recorder


def ruling_line(ruling: Ruling) -> bytes:
    """One JSON line, without the line's end."""
    return msgspec.json.encode(ruling)


class RulingFile:
    """Writes one JSON line a ruling, as it is made. If the disk refuses, it says so once and the game goes on."""

    def __init__(self, path: Path) -> None:
        self._path = path
        try:
            self._file: BinaryIO = path.open("wb")
        except OSError as error:
            raise PalettiError(f"The file {path} cannot be written: {error.strerror}.", "Name another with --rulings.") from error

    def heard(self, message: Message, said: Said) -> None:  # noqa: ARG002
        if not said.rulings or self._file.closed:
            return
        try:
            self._file.write(b"".join(ruling_line(ruling) + b"\n" for ruling in said.rulings))
            self._file.flush()
        except OSError as error:
            self._give_up(error)

    def close(self) -> None:
        try:
            self._file.close()
        except OSError as error:
            self._give_up(error)

    def _give_up(self, error: OSError) -> None:
        print(f"{self._path} takes no more rulings: {error.strerror}. The game goes on.", file=sys.stderr, flush=True)
        with contextlib.suppress(OSError):
            self._file.close()


class Rulings:
    """Keeps all rulings in memory."""

    def __init__(self) -> None:
        self.rulings: list[Ruling] = []

    def heard(self, message: Message, said: Said) -> None:  # noqa: ARG002
        self.rulings += said.rulings


class RecordingListener:
    """Records the inputs raw, and beside them what the fold made of each."""

    def __init__(self, recorder: Recorder | Parts) -> None:
        self._recorder = recorder

    def heard(self, message: Message, said: Said) -> None:
        self._recorder.write(message)
        for payload in (*said.readings, *said.requests, *said.facts, *said.rulings):
            self._recorder.write_output(message.t_s, message.n, payload)
        if said.view is not None and not isinstance(message.payload, Frame):
            self._recorder.write_output(message.t_s, message.n, said.view)

    @property
    def trouble(self) -> str:
        """Why recording has stopped, for the screen; empty while all is well."""
        return self._recorder.trouble

    def close(self) -> None:
        self._recorder.close()
