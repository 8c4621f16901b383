"""Makes a closed recording smaller by taking pictures out, those first that matter least; nothing else is ever taken.

Nearly all of a recording is pictures, and most of them were only watched for hands. A second look at what was *decided* needs those that a
judgement named, and a person who doubts a ruling needs its evidence. So pictures go in that order: watched only (every second, then all),
then judged, the evidence of a ruling last. A message whose picture is gone stays, with an empty picture: numbers keep their order, and a
replay takes the recorded answer where there is nothing left to look at.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path

import msgspec

from rig import messages as m
from rig.errors import PalettiError
from rig.recording.reader import Recording, read
from rig.recording.recorder import Recorder
from rig.recording.topics import Derived

THINNED = "pictures_taken_out"
"""The header's entry with how many pictures are gone."""

DAY_S = 86_400.0


@dataclass(frozen=True, slots=True)
class Keep:
    """How much is kept: `size_bytes` of recordings of this session, and the pictures of `days`; None: all."""

    size_bytes: int | None = None
    days: float | None = None


@dataclass(frozen=True, slots=True)
class _Picture:
    n: int
    size: int
    worth: int
    """0 watched only, 1 judged, 2 evidence of a fact."""


def thin(path: Path, size_bytes: int) -> int:
    """Rewrite the recording at `path` with so few pictures taken out that it has at most `size_bytes`; how many were. It is replaced only
    once the new file is whole and on the disk. PalettiError if it cannot be read or written."""
    recording, size = read(path), path.stat().st_size
    if size <= size_bytes:
        return 0
    gone = _chosen(_pictures(recording), size - size_bytes)
    if not gone:
        return 0
    before = int(recording.header.get(THINNED, "0"))
    part = path.with_name(f".{path.name}.part")
    part.unlink(missing_ok=True)
    try:
        with Recorder(part, {**recording.header, THINNED: str(before + len(gone))}, durable=False) as recorder:
            for item in recording.everything():
                if isinstance(item, Derived):
                    recorder.write_output(item.t_s, item.n, item.payload)
                elif isinstance(item.payload, m.Frame) and item.n in gone:
                    recorder.write(msgspec.structs.replace(item, payload=msgspec.structs.replace(item.payload, jpeg=b"")))
                else:
                    recorder.write(item)
        if recorder.trouble:
            raise PalettiError(f"{path.name} could not be made smaller: {recorder.trouble}", "It is as it was.")
        times = path.stat()
        os.utime(part, ns=(times.st_atime_ns, times.st_mtime_ns))
        part.replace(path)
    finally:
        part.unlink(missing_ok=True)
    return len(gone)


def thin_together(paths: Iterable[Path], size_bytes: int) -> int:
    """Thin these recordings, oldest first, until they have at most `size_bytes` together; how many pictures were taken out."""
    paths = [path for path in paths if path.exists()]
    out = 0
    for path in paths:
        over = sum(one.stat().st_size for one in paths) - size_bytes
        if over > 0:
            out += thin(path, max(0, path.stat().st_size - over))
    return out


def forget_pictures(folder: Path, days: float, now_s: Callable[[], float] = time.time) -> list[str]:
    """Take all pictures out of the recordings in `folder` last written more than `days` ago; the names of those that had any. What cannot
    be read is left alone."""
    done = []
    for path in sorted(folder.glob("*.mcap")):
        if now_s() - path.stat().st_mtime < days * DAY_S:
            continue
        try:
            if any(picture.size for picture in _pictures(read(path))) and thin(path, 0):
                done.append(path.name)
        except PalettiError:
            continue
    return done


def _pictures(recording: Recording) -> list[_Picture]:
    sizes: dict[int, int] = {}
    judged: set[int] = set()
    evidence: set[int] = set()
    for item in recording.everything():
        payload = item.payload
        if isinstance(payload, m.Frame):
            sizes[item.n] = len(payload.jpeg)
        elif isinstance(payload, m.Fact):
            evidence.update(n for one in payload.evidence for n in one.frames)
        else:
            judged.update(_named(payload))
    return [_Picture(n, size, 2 if n in evidence else 1 if n in judged else 0) for n, size in sizes.items() if size]


def _named(payload: object) -> tuple[int, ...]:
    """The frames that a judgement, a pose, a track or a reading looks at."""
    match payload:
        case m.Judge():
            return payload.before + payload.after
        case m.Track():
            return payload.before + tuple(n for _, n in payload.frames)
        case m.ReadTower():
            return payload.frames
        case m.FindPose():
            return (payload.frame,)
    return ()


def _chosen(pictures: list[_Picture], bytes_out: int) -> set[int]:
    """The numbers of the pictures to take out: within each worth every second first, so that what is left is spread over the game."""
    order: list[_Picture] = []
    for worth in (0, 1, 2):
        alike = [picture for picture in pictures if picture.worth == worth]
        order += alike[1::2] + alike[0::2]
    gone: set[int] = set()
    for picture in order:
        if bytes_out <= 0:
            break
        gone.add(picture.n)
        bytes_out -= picture.size
    return gone
