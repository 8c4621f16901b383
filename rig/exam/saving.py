"""Keeps the recording and the true log of a faulty game, so that it can be replayed and looked at.

Beside `game-SEED.mcap` lies `game-SEED.truth.jsonl`: a line for each thing that was so, and a line for each that was told wrong. `paletti
replay` shows both in time order when it finds the second file beside the first.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import msgspec

from rig.errors import PalettiError
from rig.exam.results import Result, So, Wrong
from rig.live.listeners import RecordingListener
from rig.messages import Ruling
from rig.profile import Profile
from rig.recording import Recorder, versions
from rig.twin.truth import Truth

TRUTH = ".truth.jsonl"

MODELLED = "modelled"
"""What the header's entry `senses` says of a recording without pictures and bytes."""


class Line(msgspec.Struct, frozen=True, omit_defaults=True):
    """A line of the true log: when, what was so, or what was told wrong."""

    t_s: float
    so: str = ""
    wrong: str = ""


def recording_path(folder: Path, seed: int) -> Path:
    return folder / f"game-{seed}.mcap"


def truth_path(recording: Path) -> Path:
    """Where the true log of a recording lies."""
    return recording.with_name(recording.name.removesuffix(".mcap") + TRUTH)


def made(folder: Path) -> Path:
    """The folder, made if need be; PalettiError if that cannot be."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise PalettiError(f"Nothing can be kept in {folder}: {error.strerror}.", "Name another folder with --save.") from error
    return folder


def recorder(path: Path, profile: Profile, firmware: str, senses: str) -> RecordingListener:
    """Records one game; an earlier recording of the same game makes way."""
    path.unlink(missing_ok=True)
    truth_path(path).unlink(missing_ok=True)
    header = versions(firmware=firmware, profile=f"{profile.name} (version {profile.version})") | {"senses": senses}
    return RecordingListener(Recorder(path, header, durable=False))


def is_faulty(result: Result) -> bool:
    """Whether anything was told wrong, or asked for nothing."""
    return bool(result.wrong or result.needless) or result.games_perfect.right < result.games_perfect.n


def keep_or_drop(path: Path, result: Result, so: So) -> Result:
    """Keeps what was recorded of a faulty game, with the truth beside it."""
    if not is_faulty(result):
        path.unlink(missing_ok=True)
        return result
    write_truth(truth_path(path), so.log, result.wrong)
    return msgspec.structs.replace(result, saved=str(path))


def write_truth(path: Path, log: Sequence[Truth], wrong: Sequence[Wrong]) -> None:
    """The true log of a game as lines of JSON."""
    lines = [Line(round(truth.t_s, 2), so=told(truth)) for truth in log]
    lines += [Line(round(one.t_s, 2), wrong=one.what) for one in wrong]
    try:
        path.write_bytes(b"".join(msgspec.json.encode(line) + b"\n" for line in sorted(lines, key=lambda line: line.t_s)))
    except OSError as error:
        raise PalettiError(f"{path} cannot be written: {error.strerror}.", "Name another folder with --save.") from error


def told(truth: Truth) -> str:
    """What was so, in words."""
    what = " ".join(map(str, truth.columns)) if truth.columns else str(truth.column or "")
    where = f" {truth.floor.word}" if truth.floor is not None else ""
    whose = f", seat {truth.seat + 1}" if truth.seat is not None else ""
    why = f", {truth.cause}" if truth.cause is not None else ""
    beside = f", moved {' '.join(map(str, truth.nudged))}" if truth.nudged else ""
    return f"{truth.kind} {what}{where}{whose}{why}{beside}".replace("  ", " ")


def read_truth(path: Path) -> list[Line]:
    """The lines of a true log; PalettiError if the file is none."""
    try:
        return [msgspec.json.decode(line, type=Line) for line in path.read_bytes().splitlines() if line]
    except (OSError, msgspec.DecodeError) as error:
        raise PalettiError(f"{path} is no true log: {error}.", "Remove it, or keep the game again with `paletti exam --save`.") from error


def beside(lines: Sequence[Line], rulings: Sequence[Ruling]) -> str:
    """What was so and what was told, in time order."""
    rows = [(line.t_s, f"{'so' if line.so else 'WRONG':<6}{line.so or line.wrong}") for line in lines]
    rows += [(ruling.t_s, f"{'told':<6}{ruling.english}") for ruling in rulings]
    return "\n".join(f"{t_s:8.1f} s  {words}" for t_s, words in sorted(rows, key=lambda row: row[0]))
