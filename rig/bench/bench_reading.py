"""Measures reading the whole tower, and the tilt of plateaus. Run by hand; nothing here asserts.

    python -m rig.bench.bench_reading towers|hands|set-up|part|blue [--first SEED] [--seeds N] [--cameras 2] [--level home] [--world A]
                                        [--believed] [--jobs 2] [--out ROWS.jsonl] [--keep DIR] [--minutes M]
                                        [--profiles FOLDER [--first-set 700000] [--sets 20] [--rig-cameras 3]]
    python -m rig.bench.bench_reading report ROWS.jsonl …
    python -m rig.bench.bench_reading --report ROWS.jsonl …
    python -m rig.bench.bench_reading tilts [--first SEED] [--seeds N] [--level home]

Every seed draws another set, tower, room, lamps, lenses and cameras (see `reading_shots`). The eyes get the piece profile and lenses
*as a calibration would have measured them* and find the camera poses themselves. A column counts if at least a quarter of its
silhouette is seen by the camera that sees it best (exact silhouettes of the true tower at the true poses, less what hands cover); it is
right if a column of its colour and shape was read on its floor within 20 mm. `--believed` gives the reading a believed tower to start from:
the truth a few millimetres aside, in half of the seeds with one thing wrong. Times are processor time of one core.

`--profiles` takes sets and lenses as our own calibration knows them (`own_calibration`'s --out folder; made when missing), some rigs
in turn.

A long run can be split: every tower is a line in `--out`, seeds already there are left out. `report` sums up any number of such files in
full, `--report` as tables for the README.
"""

from __future__ import annotations

import argparse
import multiprocessing
import sys
import time
from collections.abc import Iterator
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from dataclasses import dataclass
from pathlib import Path

import cv2
import numpy as np

from rig.bench.reading_believed import believed_of
from rig.bench.reading_rows import Skipped, TowerRow, append_row, load_rows, row_of, seeds_done
from rig.bench.reading_rows import Way as WayKey
from rig.bench.reading_shots import SCENES, Rigs, SceneName, Shot, shot_of
from rig.bench.reading_tilts import bench_tilts
from rig.bench.reading_told import note, table, tell
from rig.bench.results import add_json, measured, variant
from rig.twin.pictures.scene import WorldName
from vision.reading.whole_tower import TowerReading, read_tower
from vision.scene.overlay import draw_tower

SEEDS_A_PROCESS = 15
"""Seeds after which processes are replaced: the graphics library keeps some 40 MB of each."""


@dataclass(frozen=True)
class Way:
    """How towers are shown and read."""

    scene: SceneName
    cameras: int
    level: str
    world: WorldName
    believed: bool
    keep: Path | None = None
    rigs: Rigs | None = None

    @property
    def name(self) -> str:
        """The name of the file of its figures."""
        words = ["reading", self.scene, str(self.cameras), "" if self.level == "home" else self.level]
        words += ["" if self.world == "A" else self.world, "believed" if self.believed else "", "own" if self.rigs else ""]
        return "-".join(word for word in words if word)

    @property
    def key(self) -> WayKey:
        return self.scene, self.level, self.world, self.cameras, self.believed, self.rigs is not None


def read_seed(way: Way, seed: int) -> TowerRow | str:
    """The row of one seed, or why it has none."""
    cv2.setNumThreads(1)
    shot = shot_of(seed, way.cameras, way.level, way.world, way.scene, way.rigs)
    if isinstance(shot, str):
        return shot
    believed = believed_of(shot) if way.believed else None
    started = time.process_time()
    reading = read_tower(shot.pictures, shot.poses, shot.known, believed)
    row = row_of(shot, reading, way.level, way.world, way.believed, time.process_time() - started, way.rigs is not None)
    if way.keep is not None and row.faults:
        _keep(way.keep, shot, reading)
    return row


def _keep(folder: Path, shot: Shot, reading: TowerReading) -> None:
    """The pictures, with what was read drawn below them."""
    folder.mkdir(parents=True, exist_ok=True)
    rows = [
        np.vstack((picture, draw_tower(picture, shot.known, pose, reading.tower, 0.0)))
        for picture, pose in zip(shot.pictures, shot.poses, strict=True)
    ]
    cv2.imwrite(str(folder / f"{shot.scene}_{shot.seed}_{len(shot.poses)}.png"), np.hstack(rows))


def read_seeds(way: Way, seeds: range, jobs: int, out: Path | None, minutes: float) -> list[TowerRow]:
    """The rows of many seeds, each appended to `out` as it comes; no further one is begun after so many minutes."""
    at_hand = out is not None and out.exists()
    rows = [row for row in load_rows([out]) if row.way == way.key and row.seed in seeds] if out is not None and at_hand else []
    done = seeds_done(out, way.key) if out is not None and at_hand else set()
    todo = [seed for seed in seeds if seed not in done]
    print(f"{len(todo)} seeds to read, {len(rows)} at hand", file=sys.stderr, flush=True)
    began_s = time.monotonic()
    told = 0
    for first in range(0, len(todo), jobs * SEEDS_A_PROCESS):
        for seed, row in _side_by_side(way, todo[first : first + jobs * SEEDS_A_PROCESS], jobs, began_s + 60 * minutes):
            told += 1
            if isinstance(row, str):
                said = row
            else:
                rows.append(row)
                said = "; ".join(row.faults) or "right"
            if out is not None:
                append_row(out, Skipped(seed, way.key, row) if isinstance(row, str) else row)
            each_s = (time.monotonic() - began_s) / told
            print(f"{told} of {len(todo)}, {each_s:.1f} s each: seed {seed}, {said}", file=sys.stderr, flush=True)
    return rows


def _side_by_side(way: Way, seeds: list[int], jobs: int, end_s: float) -> Iterator[tuple[int, TowerRow | str]]:
    """Every seed with what came of it, `jobs` at a time; none is begun after `end_s` of the monotonic clock."""
    left = iter(seeds)
    with ProcessPoolExecutor(jobs, mp_context=multiprocessing.get_context("spawn")) as pool:
        pending: dict[Future[TowerRow | str], int] = {}
        while True:
            while len(pending) < jobs and time.monotonic() < end_s and (seed := next(left, None)) is not None:
                pending[pool.submit(read_seed, way, seed)] = seed
            if not pending:
                return
            for future in wait(pending, return_when=FIRST_COMPLETED).done:
                yield pending.pop(future), future.result()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", nargs="?", default="towers", choices=(*SCENES, "tilts", "report"))
    parser.add_argument("rows", type=Path, nargs="*", help="for a report: files that --out wrote")
    parser.add_argument("--first", type=int, default=300_000, help="first seed; those below 900000 are for tuning")
    parser.add_argument("--seeds", type=int, default=10)
    parser.add_argument("--cameras", type=int, default=2)
    parser.add_argument("--level", default="home")
    parser.add_argument("--world", choices=("A", "B"), default="A")
    parser.add_argument("--believed", action="store_true", help="start from a believed tower")
    parser.add_argument("--jobs", type=int, default=1, help="processes")
    parser.add_argument("--out", type=Path, help="append a line for every tower here, and leave out the seeds that are there")
    parser.add_argument("--keep", type=Path, help="write pictures of what was told wrong here, with what was read drawn below them")
    parser.add_argument("--minutes", type=float, default=1e9, help="begin no further tower after so long")
    parser.add_argument("--profiles", type=Path, help="folder of what our own calibrations know of the rigs")
    parser.add_argument("--first-set", type=int, default=700_000, help="with --profiles: the first rig's number")
    parser.add_argument("--sets", type=int, default=20, help="with --profiles: how many rigs are used in turn")
    parser.add_argument("--rig-cameras", type=int, default=3, help="with --profiles: how many cameras the rigs have")
    parser.add_argument("--report", type=Path, nargs="+", help="print the tables of these files, and read nothing")
    add_json(parser, "reading")
    given = parser.parse_args()
    if given.report:
        table(load_rows(given.report))
        return
    cv2.setNumThreads(1)
    seeds = range(given.first, given.first + given.seeds)
    if given.what == "tilts":
        with measured(variant(given.json, "reading-tilts"), seeds, __doc__) as results:
            bench_tilts(seeds, given.level, results)
    elif given.what == "report":
        tell(load_rows(given.rows))
    else:
        rigs = Rigs(given.profiles, given.first_set, given.sets, given.rig_cameras) if given.profiles else None
        if rigs is not None and given.cameras > rigs.cameras:
            parser.error(f"the rigs have {rigs.cameras} cameras, not {given.cameras}")
        way = Way(given.what, given.cameras, given.level, given.world, given.believed, given.keep, rigs)
        with measured(variant(given.json, way.name), seeds, __doc__) as results:
            rows = read_seeds(way, seeds, given.jobs, given.out, given.minutes)
            tell(rows)
            note(rows, results)


if __name__ == "__main__":
    main()
