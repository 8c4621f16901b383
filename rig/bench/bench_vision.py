"""Measures the eyes: how often they are right, how far off, how fast. Run by hand or `make bench`; nothing here asserts.

    python -m rig.bench.bench_vision [--first SEED] [--seeds N] [--cameras 1 2] [--only moved laid …]

Every seed draws another tower, room, lamp, cameras and noise; the poses are found by the eyes themselves. Hypotheses are every column below
the top floor moved there, nothing, fallen, none of these, and what the happening adds. Intervals are 95 % (Wilson). Times are processor
time of one core (run with OMP_NUM_THREADS=1).
"""

from __future__ import annotations

import argparse
import time
from dataclasses import dataclass, field

import cv2
import numpy as np

from rig.bench.hands_in import tug, watched_shots
from rig.bench.results import Results, add_json, measured, variant
from rig.bench.situations import Happening, Situation, asked, delivered, draw_situation
from rig.errors import PalettiError
from rig.messages import (
    Added,
    Fallen,
    FindPose,
    Judged,
    Laid,
    Moved,
    NoneOfThese,
    Nothing,
    PlateauLaid,
    Removed,
    Stacked,
    Standing,
    Toppled,
    Tower,
    Tracked,
    Watch,
)
from rig.profile.nominal import nominal_profile
from rig.twin.physics.towers import random_tower
from rig.twin.pictures.cameras import Eye
from vision.camera.view import CameraView
from vision.see import Eyes, look


@dataclass
class HappeningTally:
    """What one kind of happening came to."""

    n: int = 0
    right: int = 0
    kinds_right: int = 0
    place_mm: list[float] = field(default_factory=list)
    turn_deg: list[float] = field(default_factory=list)
    ms: list[float] = field(default_factory=list)
    sure: list[tuple[float, bool]] = field(default_factory=list)
    wrong: list[str] = field(default_factory=list)


def _apart(a: Standing | Laid, b: Standing | Laid) -> float:
    return float(np.hypot(a.x_mm - b.x_mm, a.y_mm - b.y_mm))


def judge_one(of: Situation, tally: HappeningTally) -> None:
    request = asked(of)
    started = time.process_time()
    answer = look(request, of.frames, of.profile)
    tally.ms.append((time.process_time() - started) * 1e3)
    assert isinstance(answer, Judged)
    values = np.array([opinion.log_likelihood for opinion in answer.opinions])
    best = int(values.argmax())
    believed, tower = request.hypotheses[best], answer.opinions[best].tower
    right = is_right(of, believed)
    tally.n += 1
    tally.right += right
    if isinstance(believed, Moved | Added) and of.column is not None:
        tally.kinds_right += believed.column.kind == of.column.kind
    tally.sure.append((float(1 / np.exp(values - values.max()).sum()), right))
    if not right:
        tally.wrong.append(f"seed {of.seed} ({len(of.before.plateaus)} plateaus): {believed}, truth {of.column or of.plateau or ''}")
    elif tower is not None:
        _measure(of, tower, tally)


def is_right(of: Situation, believed: object) -> bool:
    match of.happening:
        case Happening.MOVED:
            return isinstance(believed, Moved) and believed.column == of.column
        case Happening.ADDED:
            return isinstance(believed, Added) and of.column is not None and believed.column.kind == of.column.kind
        case Happening.REMOVED:
            return isinstance(believed, Removed) and believed.column == of.column
        case Happening.TOPPLED:
            return isinstance(believed, Toppled) and (of.column,) == believed.columns
        case Happening.STACKED:
            return isinstance(believed, Stacked) and (believed.column, believed.on) == (of.column, *of.others)
        case Happening.LAID:
            return isinstance(believed, PlateauLaid)
        case Happening.FALLEN:
            return isinstance(believed, Fallen)
        case Happening.NOTHING:
            return isinstance(believed, Nothing)
        case _:
            return isinstance(believed, NoneOfThese)


def _measure(of: Situation, tower: Tower, tally: HappeningTally) -> None:
    if of.happening is Happening.LAID:
        found, true = tower.plateaus[-1], of.after.plateaus[-1]
        tally.place_mm.append(_apart(found, true))
        tally.turn_deg.append(abs((found.yaw_deg - true.yaw_deg + 180) % 360 - 180))
    elif of.column is not None and (place := of.after.find(of.column)) is not None:
        alike = [standing for standing in tower.columns if standing.column.kind == of.column.kind]
        tally.place_mm.append(min(_apart(standing, place) for standing in alike))


def bench_judging(cameras: int, seeds: range, only: list[str], results: Results) -> None:
    for happening in Happening:
        if only and happening.value not in only:
            continue
        tally = HappeningTally()
        for seed in seeds:
            try:
                of = draw_situation(seed, happening, cameras)
            except PalettiError:
                continue  # this seed has no such tower
            if of is not None:
                judge_one(of, tally)
        case = f"{cameras} camera{'s' if cameras > 1 else ''}, {happening.value}"
        results.share(f"{case}: right", tally.right, tally.n)
        if happening in (Happening.MOVED, Happening.ADDED):
            results.share(f"{case}: colour and shape right", tally.kinds_right, tally.n)
        if tally.place_mm:
            results.median(f"{case}: place error", tally.place_mm, "mm")
        if tally.turn_deg:
            results.median(f"{case}: turn error", tally.turn_deg, "degrees")
        results.median(f"{case}: processor time a look", tally.ms, "ms")
        surest_wrong = max((sure for sure, right in tally.sure if not right), default=0.0)
        print(f"    mean confidence {np.mean([sure for sure, _ in tally.sure]):.3f}, highest when wrong {surest_wrong:.3f}")
        for line in tally.wrong[:10]:
            print(f"    wrong: {line}")


def bench_hands(seeds: range, results: Results) -> None:
    either: dict[str, list[float]] = {}
    both: dict[str, list[float]] = {}
    sleeves = [0, 0]
    for seed in seeds:
        try:
            shots = watched_shots(seed)
        except PalettiError:
            continue
        for shot in shots:
            either.setdefault(shot.kind, []).append(max(watched.hand for watched in shot.watched))
            both.setdefault(shot.kind, []).append(min(watched.hand for watched in shot.watched))
            if shot.kind == "hand":
                sleeves[0] += sum(watched.sleeve == shot.sleeve for watched in shot.watched)
                sleeves[1] += len(shot.watched)
    for word, seen in (("either camera", either), ("both cameras", both)):
        for kind, values in seen.items():
            results.share(f"hands, {kind}: a hand said by {word}", sum(value > 0.5 for value in values), len(values))
    results.share("hands, sleeve right (each camera)", sleeves[0], sleeves[1])


def bench_tracking(seeds: range, results: Results) -> None:
    caught = best = n = false = still = 0
    ms: list[float] = []
    for seed in seeds:
        try:
            of = tug(seed, touched_only=seed % 2 == 1)
        except PalettiError:
            continue
        started = time.process_time()
        answer = look(of.request, of.frames, nominal_profile(2))
        ms.append((time.process_time() - started) * 1e3 / len(of.request.frames))
        assert isinstance(answer, Tracked)
        odds = {trace.column: trace.log_odds for trace in answer.traces}
        if seed % 2 == 0:
            n += 1
            caught += odds[of.column] > 0
            best += max(odds, key=lambda column: odds[column]) == of.column
        others = [value for column, value in odds.items() if seed % 2 == 1 or column != of.column]
        false, still = false + sum(value > 0 for value in others), still + len(others)
    results.share("tugged columns: log odds above 0", caught, n)
    results.share("tugged columns: foremost of their colour", best, n)
    results.share("columns not tugged: log odds above 0", false, still)
    results.median("tracking: processor time a frame", ms, "ms")


def bench_poses_and_speed(seeds: range, results: Results) -> None:
    profile = nominal_profile(2)
    errors: list[float] = []
    missed = 0
    pose_ms: list[float] = []
    watch_ms: list[float] = []
    for seed in seeds:
        try:
            tower = random_tower(profile, seed, seed % 5)
        except PalettiError:
            continue
        with Eye(profile, seed) as eye:
            first, second, poses = delivered(eye, tower), delivered(eye, tower), eye.poses
        eyes = Eyes(profile)
        for camera, (picture, again, true) in enumerate(zip(first, second, poses, strict=True), start=1):
            frames = {2 * camera: picture, 2 * camera + 1: again}
            started = time.process_time()
            posed = eyes.look(FindPose(id=0, camera=camera, frame=2 * camera), frames)
            pose_ms.append((time.process_time() - started) * 1e3)
            pose = getattr(posed, "pose", None)
            if pose is None:
                missed += 1
                continue
            model = profile.camera(camera).model
            point = (0.0, 0.0, 525.0)
            errors.append(float(np.linalg.norm(CameraView.of(model, pose).project(point) - CameraView.of(model, true).project(point))))
            for frame in (2 * camera, 2 * camera + 1):
                request = Watch(id=0, camera=camera, frame=frame, previous=2 * camera, reference=2 * camera, pose=true, tower=tower)
                started = time.process_time()
                eyes.look(request, frames)
                if frame % 2:  # the first one pays for the region, which later frames reuse
                    watch_ms.append((time.process_time() - started) * 1e3)
    results.median("pose error at the fifth floor", errors, "px")
    results.share("pictures in which no pose was found", missed, missed + len(errors))
    results.median("processor time a pose", pose_ms, "ms")
    results.median("watching: processor time a frame of 720x1280", watch_ms, "ms")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--first", type=int, default=100_000, help="first seed; those below 10000 were used while building")
    parser.add_argument("--seeds", type=int, default=10)
    parser.add_argument("--cameras", type=int, nargs="*", default=[2, 1])
    parser.add_argument("--only", nargs="*", default=[], help="happenings, and hands, tracking, poses")
    add_json(parser, "vision")
    arguments = parser.parse_args()
    cv2.setNumThreads(1)
    seeds = range(arguments.first, arguments.first + arguments.seeds)
    path = variant(arguments.json, "-".join(["vision", *arguments.only]))
    with measured(path, seeds, __doc__) as results:
        bench_all(arguments, seeds, results)


def bench_all(arguments: argparse.Namespace, seeds: range, results: Results) -> None:
    """What `--only` names, or everything."""
    others = {"poses": bench_poses_and_speed, "hands": bench_hands, "tracking": bench_tracking}
    for name, bench in others.items():
        if not arguments.only or name in arguments.only:
            bench(seeds, results)
    happenings = [word for word in arguments.only if word not in others]
    if happenings or not arguments.only:
        for cameras in arguments.cameras:
            bench_judging(cameras, seeds, happenings, results)


if __name__ == "__main__":
    main()
