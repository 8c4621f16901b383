"""What the eyes cost, against a detector network of YOLOv8n's size run by the same OpenCV on the same pictures, one thread each.

    python -m rig.bench.bench_yolo_speed [--first SEED] [--seeds N] [--level home]

The network has random weights (`nano_network`; speed does not depend on them) and runs in `cv2.dnn`, its picture made by `blobFromImage`.
The eyes: one look of each camera at every frame (hand, motion, camera's health, tilt of the top plateau), a decision who moved which column
(two cameras, before and after), and a whole reading of the tower (two cameras), from scratch and from a believed tower. Work on a seed's
pictures is interleaved, so that a busy machine slows all alike. Times are processor time.
"""

from __future__ import annotations

import argparse
import contextlib
import sys
import time
from collections.abc import Callable
from functools import partial

import cv2
import numpy as np

from rig.bench.nano_network import SIDE_PX, nano_network
from rig.bench.reading_shots import Shot, shot_of
from rig.bench.results import Results, add_json, measured
from rig.bench.situations import Happening, Situation, asked, draw_situation
from rig.errors import PalettiError
from rig.messages import CameraPose, Tower, Watch
from vision.reading.whole_tower import read_tower
from vision.see import Eyes

NETWORK, FRAME, DECISION, READING, AGAIN = (
    "network, one picture", "every frame: hand, motion, tilt", "decision: which column was moved", "whole reading, from scratch",
    "whole reading, from a believed tower",
)  # fmt: skip


class Stopwatch:
    """Milliseconds of processor time by what was done."""

    def __init__(self) -> None:
        self.ms: dict[str, list[float]] = {}

    def time(self, what: str, work: Callable[[], object]) -> None:
        started = time.process_time()
        work()
        self.ms.setdefault(what, []).append((time.process_time() - started) * 1e3)

    def tell(self, results: Results) -> None:
        unit = float(np.median(self.ms[NETWORK]))
        for what, values in self.ms.items():
            results.median(what, values, "ms")
            results.number(f"{what}, beside the network", float(np.median(values)) / unit, "runs of the network", len(values))


def network() -> cv2.dnn.Net:
    data, parameters, operations = nano_network()
    print(
        f"network: {parameters / 1e6:.2f} million parameters, {operations / 1e9:.2f} thousand million operations a picture of {SIDE_PX} px"
    )
    return cv2.dnn.readNetFromONNX(np.frombuffer(data, np.uint8))


def run(net: cv2.dnn.Net, picture: np.ndarray) -> None:
    net.setInput(cv2.dnn.blobFromImage(picture, 1 / 255.0, (SIDE_PX, SIDE_PX), swapRB=True))
    net.forward()


def time_frames(shot: Shot, pose: CameraPose, picture: np.ndarray, tower: Tower, net: cv2.dnn.Net, watch: Stopwatch) -> None:
    """Frames of one camera; the first look pays for what later ones reuse, and does not count."""
    eyes = Eyes(shot.known)
    frames = {n: np.asarray(cv2.convertScaleAbs(picture, alpha=1.0, beta=n), np.uint8) for n in range(4)}
    looks = [Watch(id=n, camera=pose.camera, frame=n, previous=n - 1, reference=0, pose=pose, tower=tower) for n in range(1, 4)]
    eyes.look(looks[0], frames)
    for look in looks[1:]:
        watch.time(FRAME, partial(eyes.look, look, frames))
        watch.time(NETWORK, partial(run, net, frames[look.frame]))


def time_tower(shot: Shot, net: cv2.dnn.Net, watch: Stopwatch) -> None:
    """Frames and readings of one tower."""
    reading = read_tower(shot.pictures, shot.poses, shot.known)
    for pose, picture in zip(shot.poses, shot.pictures, strict=True):
        time_frames(shot, pose, picture, reading.tower, net, watch)
    watch.time(READING, lambda: read_tower(shot.pictures, shot.poses, shot.known))
    watch.time(AGAIN, lambda: read_tower(shot.pictures, shot.poses, shot.known, reading.tower))


def time_decision(of: Situation, net: cv2.dnn.Net, watch: Stopwatch) -> None:
    request = asked(of)
    watch.time(DECISION, lambda: Eyes(of.profile).look(request, of.frames))
    for picture in of.after_pictures:
        watch.time(NETWORK, partial(run, net, picture))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--first", type=int, default=310_000, help="first seed; those below 900000 are for tuning")
    parser.add_argument("--seeds", type=int, default=6)
    parser.add_argument("--level", default="home")
    add_json(parser, "yolo-speed")
    given = parser.parse_args()
    cv2.setNumThreads(1)
    seeds = range(given.first, given.first + given.seeds)
    with measured(given.json, seeds, __doc__) as results:
        bench_speed(seeds, given.level, results)


def bench_speed(seeds: range, level: str, results: Results) -> None:
    """Everything of each seed, interleaved with the network."""
    net, watch = network(), Stopwatch()
    for seed in seeds:
        shot = shot_of(seed, 2, level, "A", "towers")
        if isinstance(shot, str):
            print(f"seed {seed}: {shot}", file=sys.stderr)
            continue
        run(net, shot.pictures[0])
        time_tower(shot, net, watch)
        with contextlib.suppress(PalettiError):  # not every set has such a situation
            of = draw_situation(seed, Happening.MOVED, 2, level=level)
            if of is not None:
                time_decision(of, net, watch)
        print(f"seed {seed} done", file=sys.stderr, flush=True)
    watch.tell(results)


if __name__ == "__main__":
    main()
