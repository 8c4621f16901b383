"""How long the twin's pictures take, and the hand-written drawing beside MuJoCo's own renderer on the same rooms, in the same run.

    python -m rig.bench.bench_pictures [--renderer own|mujoco|both] [--rooms N] [--first SEED] [--levels lab home …]

Two cameras of 1280x720 with shadows, at each level and in each world. Processor time a picture, OpenGL's own threads included, and sensor
and JPEG too: with everything drawn anew, with a hand moving through the picture at 0.5 m/s (what moved is drawn anew, the shutter's
instants included), and with nothing moving. `frames/s` is what two whole cores give each of two cameras while that hand moves all the time;
asked for are 8. Both renderers draw the same instants in turn, so that a busy machine slows both alike.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Sequence
from functools import partial

import cv2
import numpy as np

from rig.bench.mujoco_painter import MujocoPainter
from rig.bench.results import Results, add_json, measured
from rig.pieces import Colour
from rig.profile import Profile
from rig.profile.nominal import nominal_profile
from rig.twin.levels import level_named
from rig.twin.physics.poses import HandPose, Poses, poses_of
from rig.twin.pictures.cameras import Eye, to_jpeg
from rig.twin.pictures.contact_sheet import any_tower
from rig.twin.pictures.level_pictures import PictureLevel
from rig.twin.pictures.moving import Instant
from rig.twin.pictures.scene import WorldName

PICTURES = 5
"""Of each camera, in each room and situation."""
CASES: tuple[tuple[str, WorldName], ...] = (("lab", "A"), ("home", "A"), ("rough", "A"), ("home", "B"))
SPEED_MM_S = 500.0
CAMERAS = 2
SITUATIONS = {"all": "all drawn anew", "hand": "a hand moves", "still": "nothing moves"}


class TimedRoom:
    """One drawn room with a tower, seen by one renderer."""

    def __init__(self, profile: Profile, seed: int, level: PictureLevel, world: WorldName, renderer: str) -> None:
        self._eye = Eye(profile, seed, level=level, world=world)
        if renderer == "mujoco":
            self._eye.painter = MujocoPainter(self._eye.scene.model, self._eye.scene.data, self._eye.context)
        self._poses: Poses = poses_of(profile, any_tower(profile, seed, 4))
        self._step_mm = SPEED_MM_S * (level.readout_s + level.exposure_s)

    def anew(self, _: int) -> None:
        """Everything is drawn anew."""
        self._eye.move_camera(self._eye.poses[0])
        for number, picture in enumerate(self._eye.see(self._poses, hand(0.0)), 1):
            to_jpeg(self._eye.webcam(picture, number))

    def shoot(self, k: int, moving: bool) -> None:
        """The k-th exposure, of a moving hand or of one at rest."""
        at_mm = 100.0 * k * moving
        first = Instant(self._poses, hand(at_mm))
        last = Instant(self._poses, hand(at_mm + self._step_mm * moving))
        for number, picture in enumerate(self._eye.see_moving(first, last), 1):
            to_jpeg(self._eye.webcam(picture, number))

    def close(self) -> None:
        self._eye.close()


def hand(at_mm: float) -> list[HandPose]:
    """A red sleeve before the tower, so far to the right."""
    return [HandPose((-60.0 + at_mm, -90.0, 230.0), (240.0 + at_mm, -260.0, 330.0), Colour.RED)]


def times_of(seed: int, case: tuple[str, WorldName], renderers: Sequence[str]) -> dict[tuple[str, str], float]:
    """Milliseconds of processor time a picture, by renderer and situation, of one room."""
    profile, level = nominal_profile(CAMERAS), level_named(case[0]).pictures
    took: dict[tuple[str, str], float] = {}
    rooms = {renderer: TimedRoom(profile, seed, level, case[1], renderer) for renderer in renderers}
    for room in rooms.values():
        room.anew(0)
    for situation in SITUATIONS:
        for k in range(PICTURES):
            for renderer, room in rooms.items():
                act = room.anew if situation == "all" else partial(room.shoot, moving=situation == "hand")
                began = time.process_time()
                act(k)
                spent_ms = (time.process_time() - began) * 1e3 / PICTURES / CAMERAS
                took[renderer, situation] = took.get((renderer, situation), 0.0) + spent_ms
    for room in rooms.values():
        room.close()
    return took


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--renderer", choices=("own", "mujoco", "both"), default="both")
    parser.add_argument("--rooms", type=int, default=6, help="of each level and world")
    parser.add_argument("--first", type=int, default=1, help="the first room's seed")
    parser.add_argument("--levels", nargs="+", choices=("lab", "home", "rough"), default=["lab", "home", "rough"])
    add_json(parser, "pictures")
    options = parser.parse_args()
    cv2.setNumThreads(1)
    seeds = range(options.first, options.first + options.rooms)
    renderers = ("own", "mujoco") if options.renderer == "both" else (options.renderer,)
    with measured(options.json, seeds, __doc__) as results:
        for case in (case for case in CASES if case[0] in options.levels):
            note(case, [times_of(seed, case, renderers) for seed in seeds], renderers, results)


def note(case: tuple[str, WorldName], rooms: Sequence[dict[tuple[str, str], float]], renderers: Sequence[str], results: Results) -> None:
    """A case's figures out of its rooms' times."""
    where = f"{case[0]}, world {case[1]}"
    for renderer in renderers:
        for situation, words in SITUATIONS.items():
            results.median(f"{where}, {renderer}, {words}: processor time a picture", [room[renderer, situation] for room in rooms], "ms")
        per_s = 2 * 1000 / CAMERAS / float(np.mean([room[renderer, "hand"] for room in rooms]))
        results.number(f"{where}, {renderer}, a hand moves: frames/s of each of two cameras on two cores", per_s, "frames/s", len(rooms))
    if len(renderers) == 2:
        for situation, words in SITUATIONS.items():
            ratios = [room["mujoco", situation] / room["own", situation] for room in rooms]
            results.median(f"{where}, {words}: time of MuJoCo's renderer beside the own drawing", ratios, "times")


if __name__ == "__main__":
    main()
