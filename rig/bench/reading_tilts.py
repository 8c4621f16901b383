"""How well the tilt of plateaus is read, and how often rest is taken for a tilt: at rest, tilted by 1 to 8 degrees, behind hands."""

from __future__ import annotations

import math
import time

import msgspec
import numpy as np

from rig.bench.reading_shots import known_of, poses_found
from rig.bench.results import Results
from rig.errors import PalettiError
from rig.messages import Tower
from rig.referee.eye import leans
from rig.twin.levels import level_named
from rig.twin.physics.poses import poses_of
from rig.twin.physics.towers import random_tower
from rig.twin.pictures.cameras import Eye
from rig.twin.pictures.contact_sheet import random_hands
from vision.frames.tilt import TiltReading, TiltWatch


def bench_tilts(seeds: range, level: str, results: Results) -> None:
    """Each seed: a plateau at rest, tilted by 1 to 8 degrees, and hands before it, in one camera and in both."""
    said: dict[tuple[str, int], list[list[TiltReading]]] = {}
    scores: list[float] = []
    ms: list[float] = []
    for seed in seeds:
        rng = np.random.default_rng((seed, 0x711))
        rig = known_of(seed, 2, level)
        true, known = rig.true, rig.known
        try:
            tower = random_tower(true, seed, int(rng.integers(1, 6)))
        except PalettiError:
            continue
        laid = tower.plateaus[-int(rng.integers(1, min(2, len(tower.plateaus)) + 1))]
        with Eye(true, seed, level=level_named(level).pictures, lenses=rig.lenses) as eye:
            reference = tuple(eye.delivered(poses_of(true, tower)))
            poses = poses_found(known, reference)
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
        case = f"{kind}, tilted by {tilt} degrees"
        results.share(f"{case}: warned of by any camera", sum(map(any, warned)), len(warned))
        results.share(f"{case}: warned of, each camera", sum(map(sum, warned)), sum(map(len, warned)))
        results.median(f"{case}: tilt read", [one.tilt_deg for readings in seen for one in readings if one.says], "degrees")
    results.number("squared error over variance, mean (1 is calibrated)", float(np.mean(scores)), "", len(scores))
    results.number("the same, median over a calibrated one's", float(np.median(scores)) / math.log(2), "", len(scores))
    results.median("processor time a picture", ms, "ms")
