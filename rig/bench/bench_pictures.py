"""How long the twin's pictures take: `python -m rig.bench.bench_pictures`. Two cameras of 1280x720 with shadows, each level and world.

Processor time a picture, OpenGL's own threads included: with everything drawn anew, with a hand moving through the picture at 0.5 m/s
(what moved is drawn anew, the shutter's instants included), and with nothing moving. `frames/s` is what two whole cores give each of two
cameras while that hand moves all the time; asked for are 8.
"""

from __future__ import annotations

import time
from collections.abc import Callable

import cv2
import numpy as np

from rig.pieces import Colour
from rig.profile.nominal import nominal_profile
from rig.twin.levels import level_named
from rig.twin.physics.poses import HandPose, poses_of
from rig.twin.pictures.cameras import Eye, to_jpeg
from rig.twin.pictures.contact_sheet import any_tower
from rig.twin.pictures.moving import Instant

SEEDS = range(1, 7)
PICTURES = 5
CASES = ("lab A", "home A", "rough A", "home B")
SPEED_MM_S = 500.0


def main() -> None:
    cv2.setNumThreads(1)
    profile = nominal_profile(2)
    print("ms of processor time a picture      all anew    hand moves    nothing moves    frames/s, two cameras, two cores")
    for case in CASES:
        name, world = case.split()
        level = level_named(name).pictures
        took: dict[str, list[float]] = {"all": [], "hand": [], "still": []}
        for seed in SEEDS:
            poses = poses_of(profile, any_tower(profile, seed, 4))
            step_mm = SPEED_MM_S * (level.readout_s + level.exposure_s)
            with Eye(profile, seed, level=level, world=world) as eye:  # type: ignore[arg-type]

                def hand(at_mm: float) -> list[HandPose]:
                    return [HandPose((-60.0 + at_mm, -90.0, 230.0), (240.0 + at_mm, -260.0, 330.0), Colour.RED)]

                def shoot(k: int, moving: bool, eye: Eye = eye, step_mm: float = step_mm) -> None:
                    at_mm = 100.0 * k * moving
                    first, last = Instant(poses, hand(at_mm)), Instant(poses, hand(at_mm + step_mm * moving))  # noqa: B023 - called at once
                    for number, picture in enumerate(eye.see_moving(first, last), 1):
                        to_jpeg(eye.webcam(picture, number))

                def anew(k: int, eye: Eye = eye) -> None:  # noqa: ARG001 - called as the others
                    eye.move_camera(eye.poses[0])
                    for number, picture in enumerate(eye.see(poses, hand(0.0)), 1):  # noqa: B023 - called at once
                        to_jpeg(eye.webcam(picture, number))

                anew(0)
                took["all"].append(_ms(anew))
                took["hand"].append(_ms(lambda k: shoot(k, True)))
                took["still"].append(_ms(lambda k: shoot(0, False)))  # noqa: ARG005 - called at once
        whole, moving, still = (float(np.mean(took[key])) for key in ("all", "hand", "still"))
        print(f"{case:34s} {whole:9.0f} {moving:13.0f} {still:16.1f} {2 * 1000 / moving / 2:20.1f}")


def _ms(call: Callable[[int], None]) -> float:
    """Processor time a picture; every call takes two."""
    began = time.process_time()
    for k in range(PICTURES):
        call(k)
    return (time.process_time() - began) * 1e3 / PICTURES / 2


if __name__ == "__main__":
    main()
