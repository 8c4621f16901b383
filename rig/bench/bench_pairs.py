"""How often the eyes are right about real pairs: pictures before and after one action that hands and physics made, in a drawn living room.

    python -m rig.bench.bench_pairs --first 100000 --seeds 200 --out pairs.jsonl [--jobs 2] [--keep FOLDER]
    python -m rig.bench.bench_pairs --report pairs.jsonl

Each seed draws an action, a tower, a room, cameras' places and noise; `--sets` rigs (true set and lenses) are used in turn, numbered from
`--first-set`. All of `--judge` cameras are judged out of the same pictures of `--cameras`. Seeds already in the file are skipped, so a run
may be split over time and processes. `--profiles` takes what is known of a rig from our own calibration (`own_calibration`, its --out
folder; made when missing) instead of the truth with a calibration's stated errors. `--renderer both` photographs the same instants by
Mitsuba as well (extra `photo`).
Run it with OMP_NUM_THREADS=1: times are processor time of one core.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from rig.bench.own_calibration import calibrated_rig
from rig.bench.pair_judging import judge_pair
from rig.bench.pair_panels import write_wrong
from rig.bench.pair_report import note, report
from rig.bench.pairs import RAISES, act, as_measured, kind_drawn, pairs_of
from rig.bench.results import Results, add_json, measured, variant
from rig.errors import PalettiError
from rig.exam.many import side_by_side
from rig.profile import Profile
from rig.twin.levels import Level, level_named
from rig.twin.photo.path_tracer import SPP
from rig.twin.physics.sets import TrueSet
from rig.twin.pictures.scene import WorldName


@dataclass(frozen=True, slots=True)
class PairOptions:
    """What all seeds of a run have in common. `spp`: light paths a pixel of the photographs (None: OpenGL alone)."""

    level: str
    world: WorldName
    cameras: int
    judge: tuple[int, ...]
    sets: int
    first_set: int
    profiles: Path | None = None
    spp: int | None = None
    keep: Path | None = None


def known_rig(true_set: TrueSet, rig: int, cameras: int, level: Level, world: WorldName, folder: Path) -> Profile:
    """What our own calibration found of rig number `rig`; PalettiError if it was refused or took another set for it."""
    known = calibrated_rig(rig, cameras, level.name, world, folder)[1]
    if known.pieces.counts() != true_set.profile.pieces.counts():
        raise PalettiError(f"Our own calibration misread the split of set {rig}.")
    return known


def examine(seed: int, options: PairOptions) -> list[dict[str, Any]]:
    """One seed: a line for each renderer and number of cameras, or one that says why there is none."""
    began = time.process_time()
    level, rig = level_named(options.level), options.first_set + seed % options.sets
    head = {"seed": seed, "rig": rig, "level": options.level, "world": options.world}
    try:
        acted = act(seed, rig, options.cameras, level, world=options.world)
    except PalettiError as error:
        return [head | {"skipped": str(error)}]
    if acted is None:
        return [head | {"skipped": "The action did not come to an end."}]
    known = as_measured if options.profiles is None else partial(known_rig, folder=options.profiles)
    try:
        pairs = pairs_of(acted, level, options.world, known, options.spp)
    except PalettiError as error:
        return [head | {"skipped": str(error)}]
    lines: list[dict[str, Any]] = []
    for pair in pairs:
        for cameras in options.judge:
            judgement = judge_pair(pair, cameras)
            lines.append(head | judgement.line)
            if options.keep is not None:
                write_wrong(options.keep, pair, judgement)
    if not lines:
        return [head | {"skipped": "A camera found no pose."}]
    lines[0]["whole_s"] = round(time.process_time() - began, 2)
    return lines


def run(seeds: list[int], options: PairOptions, jobs: int, out: Path) -> None:
    """Every seed that is not in `out` yet, `jobs` at a time; lines are appended as they come."""
    todo = [seed for seed in seeds if seed not in _done(out)]
    began, told = time.monotonic(), 0
    with out.open("a", encoding="utf-8") as file:
        for _, lines in side_by_side(partial(examine, options=options), todo, jobs):
            told += 1
            file.writelines(json.dumps(line) + "\n" for line in lines)
            file.flush()
            rate_s = (time.monotonic() - began) / told
            words = lines[0].get("skipped") or f"{lines[0]['what']}, {lines[-1]['all']['best']}"
            left = f"{told} of {len(todo)}, {rate_s:.1f} s each"
            print(f"{left}: seed {lines[0]['seed']}, {words}", file=sys.stderr)


def _done(out: Path) -> set[int]:
    if not out.exists():
        return set()
    return {int(json.loads(line)["seed"]) for line in out.read_text(encoding="utf-8").splitlines() if line}


def _report(paths: list[Path], results: Results | None = None) -> None:
    lines = [json.loads(line) for path in paths for line in path.read_text(encoding="utf-8").splitlines() if line]
    report(lines)
    if results is not None:
        note(lines, results)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--first", type=int, default=100_000, help="first seed")
    parser.add_argument("--seeds", type=int, default=20)
    parser.add_argument("--raises", action="store_true", help="only the seeds under which some sort of raise is tried")
    parser.add_argument("--level", default="home")
    parser.add_argument("--world", default="A", choices=("A", "B"))
    parser.add_argument("--cameras", type=int, default=3, help="how many see it")
    parser.add_argument("--judge", type=int, nargs="+", help="with how many of them it is judged; default: each number from one")
    parser.add_argument("--sets", type=int, default=20, help="how many rigs are used in turn")
    parser.add_argument("--first-set", type=int, default=700_000)
    parser.add_argument("--profiles", type=Path, help="folder of what calibrations know of the rigs")
    parser.add_argument("--renderer", default="opengl", choices=("opengl", "both"))
    parser.add_argument("--spp", type=int, default=SPP, help="light paths a pixel of photographs")
    parser.add_argument("--keep", type=Path, help="folder for pictures of what went wrong")
    parser.add_argument("--jobs", type=int, default=2, help="seeds at a time; one at a time gathers 40 MB of the graphics library's a seed")
    parser.add_argument("--out", type=Path, default=Path("build/pairs.jsonl"), help="where lines are appended (default build/pairs.jsonl)")
    parser.add_argument("--report", type=Path, nargs="+", help="print what these files say, and judge nothing")
    add_json(parser, "pairs")
    given = parser.parse_args()
    if given.report:
        _report(given.report)
        return 0
    judge = tuple(given.judge or range(1, given.cameras + 1))
    spp = given.spp if given.renderer == "both" else None
    options = PairOptions(given.level, given.world, given.cameras, judge, given.sets, given.first_set, given.profiles, spp, given.keep)
    try:
        level_named(given.level)
        given.out.parent.mkdir(parents=True, exist_ok=True)
        seeds = [seed for seed in range(given.first, given.first + given.seeds) if not given.raises or kind_drawn(seed) in RAISES]
        words = ["pairs", given.level, "" if given.world == "A" else given.world, "own" if given.profiles else "", "photo" if spp else ""]
        where = variant(given.json, "-".join(filter(None, words)))
        with measured(where, range(given.first, given.first + given.seeds), __doc__) as results:
            run(seeds, options, given.jobs, given.out)
            _report([given.out], results)
    except PalettiError as error:
        print(error, file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main())
