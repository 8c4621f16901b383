"""The recordings of a folder, to be looked at and not to be changed.

A recording is shown by the very page that shows a live game: what lies beside the inputs in the file is published to a hub of its own, and
the page gets that hub's last state. Going through a file costs seconds for a long game, so summaries are kept until the file changes.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

from rig import messages as m
from rig.dashboard.hub import Hub
from rig.errors import PalettiError
from rig.recording import Derived, Recording, read

_Stamp = tuple[int, int]
NAMES = "names"
"""The source of a `Resumed` that changes nothing but the players' names."""

SHOWN = (m.View, m.Ruling, m.Fact, m.Weighed, m.Tilted, m.Stepped, m.LinkNews)


class Archive:
    """Read-only looks at the *.mcap in `folder`. `running()` is the name of the file that is being recorded, empty if none is."""

    def __init__(self, folder: Path, running: Callable[[], str] = lambda: "") -> None:
        self._folder = folder
        self._running = running
        self._lock = threading.Lock()
        self._seen: dict[str, tuple[_Stamp, dict[str, Any]]] = {}
        self._opened: tuple[str, _Stamp, Hub, dict[str, Any]] | None = None

    def list(self) -> list[dict[str, Any]]:
        """A summary of each recording, newest first; one that cannot be read has its sentence in `damage` and nothing else."""
        paths = [path for path in self._folder.glob("*.mcap") if path.is_file()] if self._folder.is_dir() else []
        paths.sort(key=lambda path: (-path.stat().st_mtime_ns, path.name))
        now = self._running()
        summaries = [{**self._summary(path), "running": path.name == now} for path in paths]
        return [{**one, "damage": ""} if one["running"] else one for one in summaries]

    def find(self, name: str) -> Path:
        """The recording called `name`; PalettiError if the folder has none."""
        path = self._folder / name
        try:
            there = path.name == name and path.suffix == ".mcap" and path.is_file()
        except (OSError, ValueError):  # longer than a name may be, or with a null byte
            there = False
        if not there:
            raise PalettiError(f"There is no recording called {name}.", "Choose one from the archive's list.")
        return path

    def state(self, name: str) -> dict[str, Any]:
        """The state in which the recorded game ended, as the live page takes it."""
        hub, about = self._open(name)
        running = name == self._running()
        return {**hub.state(), "about": {**about, "running": running, "damage": "" if running else about["damage"]}}

    def picture(self, name: str, camera: int) -> bytes | None:
        """The last picture of `camera` in the recording."""
        newest = self._open(name)[0].newest(camera)
        return newest[0] if newest else None

    def _summary(self, path: Path) -> dict[str, Any]:
        with self._lock:
            stamp = _stamp(path)
            kept = self._seen.get(path.name)
            if kept is not None and kept[0] == stamp:
                return kept[1]
            try:
                summary = _about(read(path), path)
            except PalettiError as error:
                summary = {
                    "name": path.name,
                    "bytes": stamp[1],
                    "changed_at": stamp[0] / 1e9,
                    "damage": _without_folder(str(error), path),
                    "readable": False,
                }
            self._seen[path.name] = (stamp, summary)
            return summary

    def _open(self, name: str) -> tuple[Hub, dict[str, Any]]:
        path = self.find(name)
        with self._lock:
            stamp = _stamp(path)
            if self._opened is None or self._opened[:2] != (name, stamp):
                try:
                    recording = read(path)
                except PalettiError as error:
                    raise PalettiError(_without_folder(error.sentence, path), error.hint) from error
                self._opened = (name, stamp, _played(recording), _about(recording, path))
            return self._opened[2], self._opened[3]


def _without_folder(sentence: str, path: Path) -> str:
    """The sentence without where on this machine the file lies."""
    return sentence.replace(str(path), path.name)


def _stamp(path: Path) -> _Stamp:
    status = path.stat()
    return status.st_mtime_ns, status.st_size


def _about(recording: Recording, path: Path) -> dict[str, Any]:
    rulings, last = 0, None
    players: list[str] = []
    outcome: dict[str, str] | None = None
    for derived in recording.outputs(m.Ruling, m.View):
        if isinstance(derived.payload, m.Ruling):
            rulings, last = rulings + 1, derived.payload
        elif isinstance(derived.payload, m.View):
            players = [seat.name for seat in derived.payload.seats] or players
            if (end := derived.payload.outcome) is not None:
                outcome = {"english": end.english, "german": end.german}
    modified_ns, size = _stamp(path)
    return {
        "name": path.name, "bytes": size, "changed_at": modified_ns / 1e9, "readable": True, "seconds": round(recording.seconds, 1),
        "messages": recording.messages_good, "rulings": rulings, "players": players, "outcome": outcome,
        "damage": _without_folder(recording.damage, path),
        "last": {"english": last.english, "german": last.german} if last else None, "header": dict(recording.header),
    }  # fmt: skip


def _played(recording: Recording) -> Hub:
    hub = Hub()
    pictures: dict[int, tuple[bytes, float, int]] = {}
    for item in recording.everything():
        payload = item.payload
        if isinstance(item, Derived):
            if isinstance(payload, SHOWN):
                hub.publish(payload, item.t_s)
        elif isinstance(payload, m.Frame):
            pictures[payload.camera] = (payload.jpeg, item.t_s, item.n)
        elif isinstance(payload, m.ProfileSet | m.SourceNews):
            hub.publish(payload, item.t_s)
        elif isinstance(payload, m.Resumed) and item.source != NAMES:
            hub.new_game()
    for camera, (jpeg, t_s, n) in pictures.items():
        hub.picture(camera, jpeg, t_s, n)
    return hub
