"""Random pictures of a level side by side, to be looked at: is this what a living room gives?

`python -m rig.twin.pictures.contact_sheet --help` says how.

Each picture is another seed's: another room, lens, tower, with hands or without, one camera of one to four. Half of them are taken
while hands move, so that the shutter shows.
"""

from __future__ import annotations

import argparse
import contextlib
import sys
from pathlib import Path

import cv2
import numpy as np

from rig.errors import PalettiError
from rig.messages import Tower
from rig.pieces import Colour
from rig.profile import Profile
from rig.profile.nominal import nominal_profile
from rig.twin.levels import level_named
from rig.twin.physics.poses import Cloth, HandPose, poses_of
from rig.twin.physics.towers import random_tower
from rig.twin.pictures.cameras import Eye, Picture, from_jpeg, to_jpeg
from rig.twin.pictures.level_pictures import PictureLevel
from rig.twin.pictures.moving import Instant
from rig.twin.pictures.scene import WorldName

COLUMNS = 8
CAMERAS = 4


def random_hands(rng: np.random.Generator, height_mm: float) -> list[HandPose]:
    """No hand, one or two at a tower of this height, from anywhere, in any sleeve, one in six with the hook."""
    sleeves: list[Colour | Cloth | None] = [*Colour, *Cloth, None]
    hands = []
    for _ in range(int(rng.choice((0, 1, 1, 2)))):
        way, reach = float(rng.uniform(0, 2 * np.pi)), float(rng.uniform(0, 130))
        side = np.array([np.cos(way), np.sin(way)])
        tip = (*(side * reach + rng.normal(0, 20, 2)), float(rng.uniform(0.3, 1.1) * max(height_mm, 100.0)))
        elbow = (*(side * (reach + 330)), tip[2] + float(rng.uniform(-20, 110)))
        sleeve = sleeves[int(rng.integers(len(sleeves)))]
        hands.append(
            HandPose((float(tip[0]), float(tip[1]), tip[2]), (float(elbow[0]), float(elbow[1]), elbow[2]), sleeve, rng.random() < 1 / 6)
        )
    return hands


def _moved(hand: HandPose, step_mm: np.ndarray) -> HandPose:
    x, y, z = (float(v) for v in np.array(hand.tip_mm) + step_mm)
    u, v, w = (float(v) for v in np.array(hand.elbow_mm) + step_mm)
    return HandPose((x, y, z), (u, v, w), hand.sleeve, hand.hook)


def any_tower(profile: Profile, seed: int, plateaus: int) -> Tower:
    """A random tower of so many plateaus, or of fewer where the seed has none."""
    for fewer in range(plateaus, 0, -1):
        with contextlib.suppress(PalettiError):
            return random_tower(profile, seed, fewer)
    return random_tower(profile, seed, 0)


def random_picture(seed: int, level: PictureLevel, world: WorldName = "A") -> Picture:
    """One picture (BGR) as a camera of this seed's room delivers it."""
    rng = np.random.default_rng((seed, 0x5EE7))
    camera = int(rng.integers(CAMERAS))
    profile = nominal_profile(CAMERAS)
    tower = any_tower(profile, seed, int(rng.integers(0, 6)))
    top_mm = max(standing.z_mm for standing in tower.columns) + 100.0
    hands = random_hands(rng, top_mm)
    moved = [_moved(hand, rng.normal(0, 14, 3)) if rng.random() < 0.5 else hand for hand in hands]
    t_s = float(rng.uniform(0, 600))
    poses = poses_of(profile, tower)
    with Eye(profile, seed, level=level, world=world) as eye:
        pictures = eye.see_moving(Instant(poses, hands), Instant(poses, moved), t_s)
        spoilt = eye.webcam(pictures[camera], camera + 1, t_s)
    return from_jpeg(to_jpeg(spoilt, int(rng.integers(level.quality[0], level.quality[1] + 1))))


def contact_sheet(level: PictureLevel, seed: int, count: int = 24, world: WorldName = "A", width_px: int = 240) -> Picture:
    """`count` pictures of seeds `seed`, `seed` + 1, … in rows of eight, each `width_px` wide."""
    shrunk = []
    for k in range(count):
        picture = random_picture(seed + k, level, world)
        height_px = round(width_px * picture.shape[0] / picture.shape[1])
        shrunk.append(cv2.resize(picture, (width_px, height_px), interpolation=cv2.INTER_AREA))
    blank = np.full_like(shrunk[0], 255)
    while len(shrunk) % min(COLUMNS, count):
        shrunk.append(blank)
    across = min(COLUMNS, count)
    rows = [np.hstack(shrunk[k : k + across]) for k in range(0, len(shrunk), across)]
    return np.asarray(np.vstack(rows), np.uint8)


def main(arguments: list[str] | None = None) -> int:
    """The command line; the exit code."""
    parser = argparse.ArgumentParser(prog="python -m rig.twin.pictures.contact_sheet", description=__doc__)
    parser.add_argument("out", type=Path, help="the picture to write, .jpg or .png")
    parser.add_argument("--level", default="home", help="lab, home or rough")
    parser.add_argument("--world", default="A", choices=("A", "B"))
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--count", type=int, default=24)
    parser.add_argument("--width", type=int, default=240, help="of one picture, pixels")
    options = parser.parse_args(arguments)
    try:
        if options.count < 1 or options.width < 16:
            raise PalettiError("A contact sheet has at least one picture of at least 16 pixels.", "Give --count 24 --width 240.")  # noqa: TRY301
        level = level_named(options.level).pictures
        sheet = contact_sheet(level, options.seed, options.count, options.world, options.width)
        quality = [cv2.IMWRITE_JPEG_QUALITY, 80] if options.out.suffix.lower() in (".jpg", ".jpeg") else []
        try:
            written = cv2.imwrite(str(options.out), sheet, quality)
        except cv2.error:
            written = False
        if not written:
            raise PalettiError(f"The picture {options.out} cannot be written.", "Name a .jpg or .png in a folder that exists.")  # noqa: TRY301
    except PalettiError as error:
        print(error, file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main())
