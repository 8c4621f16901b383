"""Measures reading the whole tower, and the tilt of plateaus. Run by hand; nothing here asserts.

    python -m tests.bench.bench_reading towers|hands|set-up|part|blue [--first SEED] [--seeds N] [--cameras 2] [--level home] [--world A]
                                        [--believed] [--jobs 2] [--out ROWS.jsonl] [--keep DIR] [--minutes M]
    python -m tests.bench.bench_reading report ROWS.jsonl …
    python -m tests.bench.bench_reading tilts [--first SEED] [--seeds N] [--level home]

Every seed draws another set, tower, room, lamps, lenses and cameras (see `reading_shots`). The eyes get the piece profile and lenses
*as a calibration would have measured them* and find the camera poses themselves. A column counts if at least a quarter of its
silhouette is seen by the camera that sees it best (exact silhouettes of the true tower at the true poses, less what hands cover); it is
right if a column of its colour and shape was read on its floor within 20 mm. `--believed` gives the reading a believed tower to start from:
the truth a few millimetres aside, in half of the seeds with one thing wrong. Times are processor time of one core.

A long run can be split: every tower is a line in `--out`, seeds already there are left out, and `report` sums up any number of such files.
"""

from __future__ import annotations

import argparse
import multiprocessing
import sys
import time
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from dataclasses import dataclass
from pathlib import Path

import cv2
import numpy as np

from rig.twin.scene import WorldName
from tests.bench.reading_believed import believed_of
from tests.bench.reading_rows import TowerRow, append_row, load_rows, row_of, tell
from tests.bench.reading_shots import SCENES, SceneName, Shot, shot_of
from tests.bench.reading_tilts import bench_tilts
from vision.overlay import draw_tower
from vision.reading import TowerReading, read_tower


@dataclass(frozen=True)
class Way:
    """How towers are shown and read."""

    scene: SceneName
    cameras: int
    level: str
    world: WorldName
    believed: bool
    keep: Path | None


def read_seed(way: Way, seed: int) -> TowerRow | str:
    """The row of one seed, or why it has none."""
    cv2.setNumThreads(1)
    shot = shot_of(seed, way.cameras, way.level, way.world, way.scene)
    if isinstance(shot, str):
        return shot
    believed = believed_of(shot) if way.believed else None
    started = time.process_time()
    reading = read_tower(shot.pictures, shot.poses, shot.known, believed)
    row = row_of(shot, reading, way.level, way.world, way.believed, time.process_time() - started)
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
    before = load_rows([out]) if out is not None and out.exists() else []
    same = [row for row in before if (row.scene, row.cameras, row.level, row.world, row.believed) == _key(way)]
    done = {row.seed for row in same}
    rows = [row for row in same if row.seed in seeds]
    left = iter([seed for seed in seeds if seed not in done])
    end_s = time.monotonic() + 60 * minutes
    with ProcessPoolExecutor(jobs, mp_context=multiprocessing.get_context("spawn")) as pool:
        pending: dict[Future[TowerRow | str], int] = {}
        while True:
            while len(pending) < jobs and time.monotonic() < end_s and (seed := next(left, None)) is not None:
                pending[pool.submit(read_seed, way, seed)] = seed
            if not pending:
                return rows
            for future in wait(pending, return_when=FIRST_COMPLETED).done:
                seed, row = pending.pop(future), future.result()
                if isinstance(row, str):
                    print(f"seed {seed}: {row}", file=sys.stderr, flush=True)
                    continue
                rows.append(row)
                if out is not None:
                    append_row(out, row)
                print(f"seed {seed}, {len(rows)} read: {'; '.join(row.faults) or 'right'}", file=sys.stderr, flush=True)


def _key(way: Way) -> tuple[str, int, str, str, bool]:
    return way.scene, way.cameras, way.level, way.world, way.believed


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
    given = parser.parse_args()
    cv2.setNumThreads(1)
    seeds = range(given.first, given.first + given.seeds)
    if given.what == "tilts":
        bench_tilts(seeds, given.level)
    elif given.what == "report":
        tell(load_rows(given.rows))
    else:
        way = Way(given.what, given.cameras, given.level, given.world, given.believed, given.keep)
        tell(read_seeds(way, seeds, given.jobs, given.out, given.minutes))


if __name__ == "__main__":
    main()
