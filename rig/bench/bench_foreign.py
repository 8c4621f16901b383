"""How whole readings and judgements fare on the few pictures by another renderer: a regression, no figure for readers.

The folder holds one room with two cameras, its documented calibration and the truth (its README says how they were made). What is right
there says nothing about other rooms; what is wrong there is wrong in a picture that a person reads at a glance.

    python -m rig.bench.bench_foreign                                    # columns, plateaus, usable; judge
    python -m rig.bench.bench_foreign FOLDER --no-reference --out ROWS.json
"""

from __future__ import annotations

import argparse
import json
import time
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import cv2
import msgspec
import numpy as np
import numpy.typing as npt

from rig import profile as profiles
from rig.bench.results import Results, add_json, measured
from rig.bench.whole_rows import SURE, Row, note, tell, tower_row
from rig.messages import CameraPose, Judge, Judged, Laid, Moved, NoneOfThese, PlateauLaid, Standing, Tower
from rig.pieces import Colour, Column, Floor, Shape
from rig.profile import Profile
from rig.referee.hypotheses import Expected, play
from vision.appearance.reference import EmptyBase
from vision.camera.markers import pose_from
from vision.reading.whole_tower import TowerReading, read_tower
from vision.see import look

Picture = npt.NDArray[np.uint8]

FOLDER = Path(__file__).resolve().parents[3] / "shared" / "data" / "foreign"
"""Beside the checkout: the pictures are no part of it."""

TOWERS = ("tower3", "tower4", "tower8", "raise3", "lay3")
SET_UPS = ("free", "laid")
PAIRS = (("tower3", "raise3"), ("tower3", "lay3"))


@dataclass(frozen=True, slots=True)
class Foreign:
    """The folder: its profile, its truth, and the pictures of a scene with the poses that their markers tell."""

    folder: Path
    profile: Profile
    truth: dict[str, Any]

    @classmethod
    def of(cls, folder: Path) -> Foreign:
        truth = json.loads((folder / "truth.json").read_text(encoding="utf-8"))
        return cls(folder, profiles.load(folder / "colours.json"), truth)

    def pictures(self, scene: str) -> list[Picture]:
        found = [cv2.imread(str(self.folder / f"{scene}-c{camera.number}.jpg")) for camera in self.profile.cameras]
        return [np.asarray(one, np.uint8) for one in found]

    def poses(self, scene: str) -> list[CameraPose]:
        """The poses as the markers of these pictures tell."""
        poses = []
        for camera, picture in zip(self.profile.cameras, self.pictures(scene), strict=True):
            pose = pose_from(picture, self.profile, camera, 0).pose
            assert pose is not None
            poses.append(pose)
        return poses

    def tower(self, scene: str) -> Tower:
        said = self.truth[scene]
        plateaus = tuple(Laid(Floor.parse(one["plateau"]), one["x"], one["y"], one["z"], one["yaw"]) for one in said["plateaus"])
        columns = tuple(
            Standing(
                Column(Colour(one["colour"]), Shape(one["shape"]), one["number"]),
                Floor.GROUND if one["floor"] == "ground" else Floor.parse(one["floor"]),
                one["x"], one["y"], one["z"], one["yaw"],
            )
            for one in said["columns"]
        )  # fmt: skip
        return Tower(columns, plateaus)

    def visible(self, scene: str) -> dict[str, float]:
        """The larger share of each column's side that a camera sees; of pictures without such a list all count as seen."""
        return dict(self.truth[scene].get("visible", {}))


def set_up_row(foreign: Foreign, scene: str, reading: TowerReading, seconds: float) -> Row:
    """A set-up of which only the kinds are known: all columns of the box on the ground."""
    box = Counter(column.kind for column in foreign.profile.pieces.columns)
    read = Counter(one.standing.column.kind for one in reading.columns if one.standing.floor is Floor.GROUND)
    right = sum((box & read).values())
    elsewhere = [one for one in reading.columns if one.standing.floor is not Floor.GROUND]
    plateaus = 1 if scene == "laid" else 0
    found = sum(one.laid.plateau is Floor.BLUE for one in reading.plateaus) if plateaus else 0
    wrong = [f"made up {one.standing.column} on {one.standing.floor.word} ({one.confidence:.2f})" for one in elsewhere]
    wrong += [f"{colour} {shape} not seen" for (colour, shape), count in (box - read).items() for _ in range(count)]
    return Row(
        scene, sum(box.values()), right, 0, len(elsewhere), sum(one.confidence >= SURE for one in elsewhere), plateaus, found,
        reading.usable, reading.fit, reading.stray_mm2, round(seconds, 2), reading.sentence, wrong,
    )  # fmt: skip


def read_all(foreign: Foreign, reference: bool, scenes: tuple[str, ...] = (*SET_UPS, *TOWERS), expected: bool = False) -> list[Row]:
    """Every scene read whole, with or without the pictures of the empty base; `expected`: from the true tower as belief."""
    rows = []
    empties = [EmptyBase(pose, picture) for pose, picture in zip(foreign.poses("empty"), foreign.pictures("empty"), strict=True)]
    for scene in scenes:
        pictures, poses = foreign.pictures(scene), foreign.poses(scene)
        began = time.process_time()
        reading = read_tower(pictures, poses, foreign.profile, foreign.tower(scene) if expected else None, empties if reference else ())
        seconds = time.process_time() - began
        if scene in SET_UPS:
            rows.append(set_up_row(foreign, scene, reading, seconds))
        else:
            rows.append(tower_row(scene, foreign.tower(scene), foreign.visible(scene), reading, seconds))
        print(f"{scene} read in {rows[-1].seconds} s of processor time: {'; '.join(rows[-1].wrong) or 'right'}", flush=True)
    return rows


def judged(foreign: Foreign, before: str, after: str, cameras: tuple[int, ...] = (0, 1)) -> tuple[str, bool, float]:
    """What the judge says of a pair, whether it is right, and how likely it is said to be."""
    was, now = foreign.tower(before), foreign.tower(after)
    pictures = {k: foreign.pictures(before)[k] for k in cameras} | {10 + k: foreign.pictures(after)[k] for k in cameras}
    raisable = frozenset(one.column for one in was.columns if one.floor is not was.top_floor)
    layable = next((p for p in foreign.profile.pieces.plateaus if p > was.top_floor), None)
    asked = tuple(w.hypothesis for w in play(was, Expected(raisable, frozenset(), layable), layable))
    poses = foreign.poses(before)
    request = Judge(1, tuple(cameras), tuple(10 + k for k in cameras), tuple(poses[k] for k in cameras), was, asked)
    answer = look(request, pictures, foreign.profile)
    assert isinstance(answer, Judged)
    logs = np.array([one.log_likelihood for one in answer.opinions])
    share = np.exp(logs - logs.max())
    best = asked[int(np.argmax(logs))]
    moved = next((one.column for one in now.columns if (old := was.find(one.column)) is not None and old.floor is not one.floor), None)
    true = (
        Moved(moved, now.top_floor)
        if moved is not None
        else (PlateauLaid(now.top_floor) if now.top_floor != was.top_floor else NoneOfThese())
    )
    right = best == true or (isinstance(best, PlateauLaid) and isinstance(true, PlateauLaid) and best.plateau is true.plateau)
    return str(best), right, float(share.max() / share.sum())


def judge_all(foreign: Foreign, results: Results) -> list[dict[str, Any]]:
    """Every pair judged with both cameras and with each: plain values, and how many were right."""
    told: list[dict[str, Any]] = []
    for before, after in PAIRS:
        for cameras in ((0, 1), (0,), (1,)):
            words, right, sure = judged(foreign, before, after, cameras)
            print(f"judge {before} to {after}, cameras {[k + 1 for k in cameras]}: {words} {'right' if right else 'WRONG'} ({sure:.3f})")
            told.append({"before": before, "after": after, "cameras": list(cameras), "right": right, "sure": sure})
    for count, about in ((2, "two cameras"), (1, "one camera")):
        rights = [one["right"] for one in told if len(one["cameras"]) == count]
        results.share(f"judgements by {about} that are right", sum(rights), len(rights))
    return told


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path, nargs="?", default=FOLDER)
    parser.add_argument("--no-reference", action="store_true", help="read without the pictures of the empty base")
    parser.add_argument("--expected", action="store_true", help="read from the true tower as belief")
    parser.add_argument("--only", nargs="+", help="these scenes only, no judgements")
    parser.add_argument("--out", type=Path, metavar="FILE", help="write every reading and judgement there, as JSON")
    add_json(parser, "foreign")
    options = parser.parse_args()
    if not (options.folder / "truth.json").is_file():
        parser.error(f"{options.folder} holds no truth.json; name the folder with the foreign pictures")
    foreign = Foreign.of(options.folder)
    with measured(options.json, "none drawn", __doc__) as results:
        rows = read_all(foreign, not options.no_reference, tuple(options.only or (*SET_UPS, *TOWERS)), options.expected)
        tell(rows)
        note(results, rows, "without the empty base" if options.no_reference else "with the empty base")
        said = {"readings": [msgspec.to_builtins(row) for row in rows]}
        if not options.only:
            said["judged"] = judge_all(foreign, results)
    if options.out is not None:
        options.out.write_text(json.dumps(said, indent=1), encoding="utf-8")


if __name__ == "__main__":
    main()
