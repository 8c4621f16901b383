"""Measures reading the whole tower from scratch, and the tilt of plateaus. Run by hand; nothing here asserts.

    python -m tests.bench.bench_reading towers [--first SEED] [--seeds N] [--cameras 2] [--level home] [--world A] [--keep DIR]
    python -m tests.bench.bench_reading tilts  [--first SEED] [--seeds N] [--level home]

Every seed draws another set, tower of one to five floors, room, lamps, lenses and cameras (`lab`: the nominal set and lens). The eyes get
the piece profile and lenses *as a calibration would have measured them* and find the camera poses themselves from the markers. A column
counts if at least a quarter of its silhouette is seen by the camera that sees it best (exact silhouettes of the true tower at the true
poses); it is right if a column of its colour and shape was read on its floor within 20 mm. Times are processor time of one core.
"""

from __future__ import annotations

import argparse
import math
import time
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import cv2
import msgspec
import numpy as np
import numpy.typing as npt
from scipy.optimize import linear_sum_assignment

from rig.errors import PalettiError
from rig.messages import CameraPose, Standing, Tower
from rig.pieces import Colour, Column, Shape
from rig.profile import Profile, nominal_profile
from rig.referee.senses import leans
from rig.twin.cameras import Eye
from rig.twin.contact_sheet import random_hands
from rig.twin.lenses import profile_as_calibrated
from rig.twin.levels import level_named
from rig.twin.poses import poses_of
from rig.twin.scene import WorldName
from rig.twin.sets import draw_set, measured
from rig.twin.towers import random_tower
from tests.bench.bench_vision import interval, spread
from vision.geometry import View
from vision.markers import pose_from
from vision.overlay import draw_tower
from vision.reading import TowerReading, read_tower
from vision.silhouettes import Scene, Stage, code_of, items_of
from vision.tilt import TiltReading, TiltWatch

Picture = npt.NDArray[np.uint8]

NEAR_MM = 20.0
QUARTER = 0.25


@dataclass(frozen=True)
class Shot:
    """One tower and its pictures: what the eyes are given (`known`, `poses`, `pictures`) and the truth."""

    seed: int
    tower: Tower
    true: Profile
    true_poses: tuple[CameraPose, ...]
    known: Profile
    poses: tuple[CameraPose, ...]
    pictures: tuple[Picture, ...]


def _profiles(seed: int, cameras: int, level: str) -> tuple[Profile, Profile]:
    """The set as it is, and as the eyes know it."""
    if level == "lab":
        nominal = nominal_profile(cameras)
        return nominal, nominal
    true = draw_set(seed, cameras).profile
    return true, profile_as_calibrated(measured(true, seed), seed, level_named(level).pictures.lens_spread)


def _posed(known: Profile, pictures: tuple[Picture, ...]) -> tuple[CameraPose, ...] | None:
    found = [pose_from(picture, known, camera, 0).pose for picture, camera in zip(pictures, known.cameras, strict=True)]
    return None if any(pose is None for pose in found) else tuple(pose for pose in found if pose is not None)


def shots(seeds: range, cameras: int, level: str, world: WorldName) -> Iterator[Shot]:
    for seed in seeds:
        floors = int(np.random.default_rng((seed, 0x3EAD)).integers(1, 6))
        true, known = _profiles(seed, cameras, level)
        try:
            tower = random_tower(true, seed, floors)
        except PalettiError:
            continue  # this set has no such tower
        with Eye(true, seed, level=level_named(level).pictures, world=world) as eye:
            pictures = tuple(eye.delivered(poses_of(true, tower)))
            lenses, true_poses = eye.lenses, eye.poses
        poses = _posed(known, pictures)
        if poses is None:
            print(f"seed {seed}: a camera found no pose")
            continue
        seen_by = tuple(msgspec.structs.replace(camera, model=lens) for camera, lens in zip(true.cameras, lenses, strict=True))
        yield Shot(seed, tower, msgspec.structs.replace(true, cameras=seen_by), true_poses, known, poses, pictures)


def best_view(shot: Shot) -> dict[Column, float]:
    """The share of each column's silhouette that the camera with the best view of it sees."""
    best: dict[Column, float] = {}
    for pose in shot.true_poses:
        scene = Scene(Stage(View.of(shot.true.camera(pose.camera).model, pose, 0.5)), items_of(shot.true, shot.tower))
        for standing in shot.tower.columns:
            code = code_of(shot.true, standing.column)
            whole = int(scene.patches[code].inside.sum())
            best[standing.column] = max(best.get(standing.column, 0.0), float(scene.visible(code).sum()) / max(whole, 1))
    return best


def matched(true: Tower, read: Tower) -> dict[Column, Standing]:
    """For each true column the column read in its place, if any: same floor, within 20 mm, one for one."""
    answer: dict[Column, Standing] = {}
    for floor in {standing.floor for standing in true.columns}:
        there, found = true.on(floor), read.on(floor)
        if not found:
            continue
        cost = np.full((len(there), len(found)), 1e3)
        for i, a in enumerate(there):
            for j, b in enumerate(found):
                away = math.hypot(a.x_mm - b.x_mm, a.y_mm - b.y_mm)
                if away < NEAR_MM:
                    cost[i, j] = away + (0.0 if a.column.kind == b.column.kind else NEAR_MM)
        for i, j in zip(*linear_sum_assignment(cost), strict=True):
            if cost[i, j] < 900:
                answer[there[i].column] = found[j]
    return answer


@dataclass
class Tally:
    """What reading came to."""

    n: int = 0
    right: int = 0
    colour_right: int = 0
    shape_right: int = 0
    found: int = 0
    towers: int = 0
    clean: int = 0
    perfect: int = 0
    floors_right: int = 0
    made_up: int = 0
    hidden: int = 0
    hidden_named: int = 0
    place_mm: list[float] = field(default_factory=list)
    plateau_mm: list[float] = field(default_factory=list)
    plateau_deg: list[float] = field(default_factory=list)
    seconds: list[float] = field(default_factory=list)
    sure: list[tuple[float, bool]] = field(default_factory=list)
    colours: Counter[tuple[str, str]] = field(default_factory=Counter)
    shapes: Counter[tuple[str, str]] = field(default_factory=Counter)
    wrong: list[tuple[int, str, Shot, TowerReading]] = field(default_factory=list)

    def add(self, shot: Shot, reading: TowerReading) -> None:
        views, places = best_view(shot), matched(shot.tower, reading.tower)
        faults: list[str] = []
        for standing in shot.tower.columns:
            found = places.get(standing.column)
            if views[standing.column] < QUARTER:
                self.hidden += 1
                self.hidden_named += found is None
                continue
            self._count(standing, found, views[standing.column], faults)
        strangers = [one for one in reading.columns if one.standing not in places.values()]
        faults += [f"made up {one.standing.column} on {one.standing.floor.word}" for one in strangers]
        self.made_up += len(strangers)
        kinds = {place.column: shot.tower.find(column) for column, place in places.items()}
        for one in reading.columns:
            true = kinds.get(one.standing.column)
            self.sure.append((one.confidence, true is not None and true.column.kind == one.standing.column.kind))
        self.towers += 1
        self.clean += not faults
        self.perfect += Counter((s.column.kind, s.floor) for s in shot.tower.columns) == Counter(
            (s.column.kind, s.floor) for s in reading.tower.columns
        )
        self.floors_right += len(shot.tower.plateaus) == len(reading.plateaus)
        for laid, read in zip(shot.tower.plateaus, reading.plateaus, strict=False):
            self.plateau_mm.append(math.hypot(laid.x_mm - read.laid.x_mm, laid.y_mm - read.laid.y_mm))
            self.plateau_deg.append(abs((laid.yaw_deg - read.laid.yaw_deg + 180) % 360 - 180))
        if faults:
            self.wrong.append((len(faults), "; ".join(faults), shot, reading))

    def _count(self, standing: Standing, found: Standing | None, view: float, faults: list[str]) -> None:
        self.n += 1
        read = "none" if found is None else found.column.colour.value
        self.colours[standing.column.colour.value, read] += 1
        self.shapes[standing.column.shape.value, "none" if found is None else found.column.shape.value] += 1
        if found is not None:
            self.found += 1
            self.colour_right += found.column.colour is standing.column.colour
            self.shape_right += found.column.shape is standing.column.shape
            self.place_mm.append(math.hypot(standing.x_mm - found.x_mm, standing.y_mm - found.y_mm))
        if found is not None and found.column.kind == standing.column.kind:
            self.right += 1
        else:
            faults.append(f"{standing.column} on {standing.floor.word} ({100 * view:.0f} % seen) as {found.column if found else 'none'}")

    def tell(self) -> None:
        print(f"columns at least a quarter seen, right in colour, shape and floor: {interval(self.right, self.n)}")
        print(f"    of those found, colour right {interval(self.colour_right, self.found)}")
        print(f"    of those found, shape right {interval(self.shape_right, self.found)}")
        print(f"towers with nothing seen wrong, nothing made up: {interval(self.clean, self.towers)}")
        print(f"towers with all twenty right, hidden ones too: {interval(self.perfect, self.towers)}")
        print(f"number of plateaus right: {interval(self.floors_right, self.towers)}; columns made up: {self.made_up}")
        print(f"columns less than a quarter seen: {self.hidden}, of which {self.hidden_named} were given no place")
        print(f"    place mm: {spread(self.place_mm)}")
        print(f"    plateau mm: {spread(self.plateau_mm)}; turn degrees: {spread(self.plateau_deg)}")
        print(f"    seconds a reading: {spread(self.seconds)}")
        _matrix("colour", self.colours, [colour.value for colour in Colour])
        _matrix("shape", self.shapes, [shape.value for shape in Shape])
        for low, high in ((0.0, 0.6), (0.6, 0.8), (0.8, 0.95), (0.95, 0.99), (0.99, 1.01)):
            those = [(sure, right) for sure, right in self.sure if low <= sure < high]
            if those:
                mean = float(np.mean([sure for sure, _ in those]))
                right = interval(sum(one for _, one in those), len(those))
                print(f"    confidence {low:.2f} to {min(high, 1):.2f}: mean {mean:.3f}, right {right}")
        for count, words, shot, _ in sorted(self.wrong, key=lambda one: -one[0])[:10]:
            print(f"    {count} wrong, seed {shot.seed} ({len(shot.tower.plateaus)} plateaus): {words}")


def _matrix(what: str, counts: Counter[tuple[str, str]], words: list[str]) -> None:
    print(f"    {what}, true down, read across: " + " ".join(f"{word:>7}" for word in (*words, "none")))
    for word in words:
        print(f"    {word:>30}  " + " ".join(f"{counts[word, read]:7d}" for read in (*words, "none")))


def bench_towers(seeds: range, cameras: int, level: str, world: WorldName, keep: Path | None, minutes: float) -> None:
    tally = Tally()
    end_s = time.monotonic() + 60 * minutes
    for shot in shots(seeds, cameras, level, world):
        if time.monotonic() > end_s:
            break
        started = time.process_time()
        reading = read_tower(shot.pictures, shot.poses, shot.known)
        tally.seconds.append(time.process_time() - started)
        tally.add(shot, reading)
        print(f"seed {shot.seed}: {tally.right} of {tally.n}", flush=True)
    tally.tell()
    if keep is not None:
        keep.mkdir(parents=True, exist_ok=True)
        for _, _, shot, reading in sorted(tally.wrong, key=lambda one: -one[0])[:10]:
            rows = [
                np.vstack((picture, draw_tower(picture, shot.known, pose, reading.tower, 0.0)))
                for picture, pose in zip(shot.pictures, shot.poses, strict=True)
            ]
            cv2.imwrite(str(keep / f"{shot.seed}.jpg"), np.hstack(rows))


def bench_tilts(seeds: range, level: str) -> None:
    """Each seed: a plateau at rest, tilted by 1 to 8 degrees, and hands before it, in one camera and in both."""
    said: dict[tuple[str, int], list[list[TiltReading]]] = {}
    scores: list[float] = []
    ms: list[float] = []
    for seed in seeds:
        rng = np.random.default_rng((seed, 0x711))
        true, known = _profiles(seed, 2, level)
        try:
            tower = random_tower(true, seed, int(rng.integers(1, 6)))
        except PalettiError:
            continue
        laid = tower.plateaus[-int(rng.integers(1, min(2, len(tower.plateaus)) + 1))]
        with Eye(true, seed, level=level_named(level).pictures) as eye:
            reference = tuple(eye.delivered(poses_of(true, tower)))
            poses = _posed(known, reference)
            if poses is None:
                continue
            watches = [TiltWatch(picture, pose, tower, known, laid.plateau) for picture, pose in zip(reference, poses, strict=True)]
            for k, (kind, tilt) in enumerate(
                [("no hand", d) for d in (0, 0, 1, 2, 2, 3, 5, 8)] + [("hands", d) for d in (0, 0, 0, 0, 2, 4)]
            ):
                hands = random_hands(rng, tower.plateaus[-1].z_mm) if kind == "hands" else []
                if kind == "hands" and not hands:
                    continue
                way = rng.uniform(0, 2 * math.pi)
                tilted = msgspec.structs.replace(laid, tilt_x_deg=tilt * math.cos(way), tilt_y_deg=tilt * math.sin(way))
                now = Tower(tower.columns, tuple(tilted if one.plateau is laid.plateau else one for one in tower.plateaus))
                readings = []
                for watch, picture in zip(watches, eye.delivered(poses_of(true, now), hands, 0.1 * (k + 1)), strict=True):
                    started = time.process_time()
                    readings.append(watch.read(picture))
                    ms.append((time.process_time() - started) * 1e3)
                said.setdefault((kind, tilt), []).append(readings)
                for one in readings:
                    if one.says and tilt <= 3 and kind == "no hand":
                        xx, xy, yy = one.covariance_deg2
                        off = np.array((one.tilt_x_deg - tilted.tilt_x_deg, one.tilt_y_deg - tilted.tilt_y_deg))
                        scores.append(float(off @ np.linalg.inv(np.array(((xx, xy), (xy, yy)))) @ off) / 2)
    for (kind, tilt), seen in sorted(said.items()):
        warned = [[leans(one.tilt_deg, one.sigma_deg) for one in readings] for readings in seen]
        print(f"{kind}, {tilt} degrees: warning on the screen (by any camera) {interval(sum(map(any, warned)), len(warned))}")
        print(f"    by one camera {interval(sum(map(sum, warned)), sum(map(len, warned)))}")
        print(f"    tilt read, degrees: {spread([one.tilt_deg for readings in seen for one in readings if one.says])}")
    middle = float(np.median(scores)) / math.log(2)
    print(f"squared error over variance (1 is calibrated): mean {np.mean(scores):.2f}, median {middle:.2f}, n {len(scores)}")
    print(f"ms a picture: {spread(ms)}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=("towers", "tilts"))
    parser.add_argument("--first", type=int, default=300_000, help="first seed; those below 10000 were used while building")
    parser.add_argument("--seeds", type=int, default=10)
    parser.add_argument("--cameras", type=int, default=2)
    parser.add_argument("--level", default="home")
    parser.add_argument("--world", choices=("A", "B"), default="A")
    parser.add_argument("--keep", type=Path, help="write the ten worst with what was read drawn below them here")
    parser.add_argument("--minutes", type=float, default=1e9, help="begin no further tower after so long")
    arguments = parser.parse_args()
    cv2.setNumThreads(1)
    seeds = range(arguments.first, arguments.first + arguments.seeds)
    if arguments.what == "tilts":
        bench_tilts(seeds, arguments.level)
    else:
        bench_towers(seeds, arguments.cameras, arguments.level, arguments.world, arguments.keep, arguments.minutes)


if __name__ == "__main__":
    main()
