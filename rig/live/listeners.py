"""Those who hear everything: the recorder and the file of rulings."""

from __future__ import annotations

from pathlib import Path
from typing import BinaryIO

import msgspec

from rig.engine.fold import Said
from rig.errors import PalettiError
from rig.messages import Frame, Message, Ruling
from rig.recording import Recorder


def ruling_line(ruling: Ruling) -> bytes:
    """One JSON line, without the line's end."""
    return msgspec.json.encode(ruling)


class RulingFile:
    """Writes one JSON line a ruling, as it is made."""

    def __init__(self, path: Path) -> None:
        try:
            self._file: BinaryIO = path.open("wb")
        except OSError as error:
            raise PalettiError(f"The file {path} cannot be written: {error.strerror}.", "Name another with --rulings.") from error

    def heard(self, message: Message, said: Said) -> None:  # noqa: ARG002
        for ruling in said.rulings:
            self._file.write(ruling_line(ruling) + b"\n")
        if said.rulings:
            self._file.flush()

    def close(self) -> None:
        self._file.close()


class Rulings:
    """Keeps all rulings in memory."""

    def __init__(self) -> None:
        self.rulings: list[Ruling] = []

    def heard(self, message: Message, said: Said) -> None:  # noqa: ARG002
        self.rulings += said.rulings


class RecordingListener:
    """Records the inputs raw, and beside them what the fold made of each."""

    def __init__(self, recorder: Recorder) -> None:
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
