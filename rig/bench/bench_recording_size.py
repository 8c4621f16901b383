"""How much an hour of a recording takes for each kind of rig, whole and as it is kept, and whether a second look at what is kept decides as
the whole did.

    python -m rig.bench.bench_recording_size [--recording FILE] [--seed 4711] [--no-replay]

The game is one of the twin at full size (synthetic; two cameras of 720 x 1280, five pictures a second each, firmware in its simulator).
The smaller rigs are the same game without what that rig does not have: its pictures, looks and bytes are left out of the file. The desk
alone is a session of ten minutes with a tap every ten seconds. A second look replays the kept recording, every judgement computed anew
from its pictures, and compares the rulings with those of the whole.
"""

from __future__ import annotations

import argparse
import shutil
import tempfile
from collections.abc import Callable
from pathlib import Path

import msgspec

from rig import messages as m
from rig.bench.page_shots import PLAYERS, SEED, TOLD, played
from rig.bench.recorded_session import HEADER
from rig.bench.results import Results, add_json, measured
from rig.cli.resume import from_nothing
from rig.live.listeners import RecordingListener, Rulings
from rig.live.replay import Replay
from rig.live.session import Session
from rig.profile.nominal import nominal_profile
from rig.recording import Derived, Recorder, read, thin_watched
from rig.rules import RULEBOOK

_EYES = (m.Watched, m.Posed, m.Judged, m.Tracked, m.TowerRead, m.Watch, m.FindPose, m.Judge, m.Track, m.ReadTower)
DESK_S = 600.0


def without(whole: Path, path: Path, drop: Callable[[m.Payload], bool]) -> None:
    """The recording without the payloads that `drop` names."""
    with Recorder(path, read(whole).header, durable=False) as recorder:
        for item in read(whole).everything():
            if drop(item.payload):
                continue
            recorder.write_output(item.t_s, item.n, item.payload) if isinstance(item, Derived) else recorder.write(item)


def _second_camera(payload: m.Payload) -> bool:
    return isinstance(payload, m.Frame | m.Watch | m.Watched | m.FindPose | m.Posed) and payload.camera == 2


def _all_sight(payload: m.Payload) -> bool:
    return isinstance(payload, (m.Frame, *_EYES))


def desk(path: Path) -> None:
    """A game told by tap, in message time."""
    profile = msgspec.structs.replace(nominal_profile(), cells=(), cameras=())
    recording = RecordingListener(Recorder(path, HEADER, durable=False))
    session = Session(profile, [recording])
    session.pour(0.0, "desk", from_nothing(profile.pieces, PLAYERS, RULEBOOK))
    for k, line in enumerate(TOLD):
        session.pour(10.0 * (k + 1), "desk", m.Told(line=line))
    session.run_to(DESK_S)
    session.close()
    recording.close()


def sizes(name: str, path: Path, folder: Path, results: Results) -> Path:
    """Megabytes an hour before and after; the file that is kept."""
    recording, before = read(path), path.stat().st_size
    hours = recording.seconds / 3600
    kept = folder / f"kept-{path.name}"
    shutil.copy(path, kept)
    thin_watched(kept)
    results.number(f"{name}: every picture", before / 1e6 / hours, "MB/h", 1)
    results.number(f"{name}: as it is kept", kept.stat().st_size / 1e6 / hours, "MB/h", 1)
    return kept


def rulings(path: Path) -> list[str]:
    """What a second look rules."""
    heard = Rulings()
    Replay(read(path), [heard]).run()
    return [ruling.english for ruling in heard.rulings]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--recording", type=Path, help="a game recorded with --keep all, instead of playing one")
    parser.add_argument("--seed", type=int, default=SEED)
    parser.add_argument("--no-replay", action="store_true", help="only sizes")
    add_json(parser, "recording-size")
    options = parser.parse_args()
    with measured(options.json, str(options.seed), __doc__) as results, tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        whole = options.recording or played(options.seed, folder)
        one, base, told = (folder / f"{rig}.mcap" for rig in ("one", "base", "desk"))
        without(whole, one, _second_camera)
        without(whole, base, _all_sight)
        desk(told)
        sizes("desk alone", told, folder, results)
        sizes("base alone", base, folder, results)
        sizes("one camera and the base", one, folder, results)
        kept = sizes("two cameras and the base", whole, folder, results)
        if not options.no_replay:
            first, second = rulings(whole), rulings(kept)
            same = sum(a == b for a, b in zip(first, second, strict=False))
            results.share("rulings of a second look at what is kept that are those of the whole", same, max(len(first), len(second)))


if __name__ == "__main__":
    main()
