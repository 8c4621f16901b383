"""How a new plateau lies on the top floor's columns: a search over its place and turn, then a refinement with exact silhouettes.

Its height is not searched: its underside is where the columns of the floor below end. Whether it covers enough columns, or any, is for
the rules to say.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import msgspec
import numpy as np
from shapely import Polygon, contains_xy, get_parts

from rig.messages import Laid, Tower
from rig.pieces import Floor
from rig.profile import Profile
from vision.arrays import Floats, Maps
from vision.camera.view import CameraView
from vision.change.evidence import BackgroundScore
from vision.scene.silhouettes import plateau_item, running_sum
from vision.scene.solids import rest_z_mm, turned
from vision.scene.upright import Upright

LAY_GRID_MM, LAY_TURN_DEG = 10.0, 12.0
"""Steps of the search: a plateau's outline differs enough from itself only beyond these. Set by hand on tuning seeds; not measured on a
spread of rooms."""

PLATEAU_NEAR_SIGMA_MM = 8.0
"""How well the scale knows where the plateau's centre of mass is, with a calm hand. Set by hand; not measured against
`rig.bench.bench_scale`."""

LAY_REACH_MM, LAY_REACH_NEAR_MM = 70.0, 30.0
"""How far from the tower's middle, or from the place the scale names, a plateau's centre is sought. The first is set by hand; the second
is by design more than three times `PLATEAU_NEAR_SIGMA_MM`."""

LAY_STARTS = 4
"""Places of the grid from which the best lie is sought uphill. By hand: more cost time."""

_CROSS = np.array([(0, 0), (1, 0), (-1, 0), (0, 1), (0, -1), (1, 1), (-1, -1), (1, -1), (-1, 1)], dtype=np.float64)


@dataclass(frozen=True, slots=True)
class Lay:
    """A pose found for the plateau, and what the pictures' sum gains by it."""

    laid: Laid
    gain: float


def _samples(profile: Profile, plateau: Floor) -> tuple[Floats, Floats]:
    """Points of the plateau's own frame (m, 2): inside it with weight 1, close outside it with weight -0.7; the weights (m,)."""
    outline = Polygon(profile.plateaus[plateau].outline_mm)
    x0, y0, x1, y1 = outline.bounds
    grid = np.stack(np.meshgrid(np.arange(x0, x1, 13.0), np.arange(y0, y1, 13.0)), axis=-1).reshape(-1, 2)
    inner = outline.buffer(-4.0)
    inside = grid[contains_xy(inner, grid[:, 0], grid[:, 1])]
    ring = outline.buffer(8.0).exterior
    outside = np.array([ring.interpolate(share, normalized=True).coords[0] for share in np.arange(0, 1, 1 / 32)])
    rim = max(get_parts(outline.buffer(-5.0)), key=lambda part: float(part.area)).exterior  # a waist narrower than that parts it
    edge = np.array([rim.interpolate(share, normalized=True).coords[0] for share in np.arange(0, 1, 1 / 32)])
    points = np.concatenate((inside, edge, outside))
    weights = np.concatenate((np.ones(len(inside) + len(edge)), np.full(len(outside), -0.7)))
    return points, weights


def _gain_maps(
    backgrounds: Sequence[BackgroundScore], profile: Profile, laid: Laid
) -> list[np.ndarray[tuple[int, ...], np.dtype[np.float32]]]:
    item = plateau_item(profile, laid)
    maps = []
    for background in backgrounds:
        height, width = background.evidence.stage.shape
        maps.append(background.gain_map(item, (slice(0, height), slice(0, width))))
    return maps


def _coarse(
    profile: Profile,
    start: Laid,
    backgrounds: Sequence[BackgroundScore],
    maps: Sequence[Maps],
    turns: Floats,
    offsets: Floats,
) -> Floats:
    """What the plateau gains at each turn (k,) and offset from `start` (m, 2): (k, m), by its sample points in the gain maps."""
    points, weights = _samples(profile, start.plateau)
    height = start.z_mm + profile.plateaus[start.plateau].thickness_mm / 2
    scores = np.zeros((len(turns), len(offsets)))
    for background, gains in zip(backgrounds, maps, strict=True):
        view = background.evidence.stage.view
        for k, turn in enumerate(turns):
            places = turned(points, float(turn))[None] + offsets[:, None] + (start.x_mm, start.y_mm)
            pixels = np.nan_to_num(view.project(np.concatenate((places, np.full((*places.shape[:2], 1), height)), axis=-1)), nan=-1.0)
            x, y = np.rint(pixels[..., 0]).astype(np.intp), np.rint(pixels[..., 1]).astype(np.intp)
            inside = (x >= 0) & (y >= 0) & (x < view.width) & (y < view.height)
            value = np.where(inside, gains[np.where(inside, y, 0), np.where(inside, x, 0)], 0.0)
            scores[k] += value @ weights
    return scores


def find_laid(
    profile: Profile, tower: Tower, plateau: Floor, backgrounds: Sequence[BackgroundScore], near_mm: tuple[float, float] | None
) -> Lay | None:
    """The best pose of `plateau` on the tower's top floor; None if no camera sees any of it.

    `profile` gives outlines, `tower` what stands, `backgrounds` (one a camera) the pixels' values; `near_mm`: where the scale puts its
    centre of mass, if known.
    """
    z = rest_z_mm(profile, tower)
    top = tower.on(tower.top_floor) or tower.columns
    middle = near_mm if near_mm is not None else tuple(np.mean([(s.x_mm, s.y_mm) for s in top], axis=0)) if top else (0.0, 0.0)
    reach = LAY_REACH_MM if near_mm is None else LAY_REACH_NEAR_MM
    start = Laid(plateau, float(middle[0]), float(middle[1]), z, 0.0)
    maps = _gain_maps(backgrounds, profile, start)
    axis = np.arange(-reach, reach + 1, LAY_GRID_MM)
    offsets = np.stack(np.meshgrid(axis, axis), axis=-1).reshape(-1, 2)
    turns = np.arange(0.0, 360.0, LAY_TURN_DEG)
    scores = _coarse(profile, start, backgrounds, maps, turns, offsets)
    scores -= _pull(offsets, near_mm is not None, 1.5)[None]
    views = [background.evidence.stage.view for background in backgrounds]
    hill = _Hill(start, Upright.of(profile, start), views, [running_sum(gains) for gains in maps], near_mm is not None)
    found: list[Lay] = []
    for _ in range(LAY_STARTS):
        k, at = divmod(int(np.argmax(scores)), scores.shape[1])
        if not np.isfinite(scores[k, at]):
            break
        found.append(hill.climb(offsets[at], float(turns[k]), ((4.0, 5.0),)))
        away = np.hypot(*(offsets - offsets[at]).T) < 15.0
        close = np.abs((turns - turns[k] + 180) % 360 - 180) < 30.0
        scores[np.ix_(close, away)] = -np.inf
    found.sort(key=lambda lay: -lay.gain)
    steps = ((2.0, 2.5), (1.0, 1.0), (0.4, 0.4))

    def finer(lay: Lay, turn: float) -> Lay:
        offset = np.array((lay.laid.x_mm - start.x_mm, lay.laid.y_mm - start.y_mm))
        return hill.climb(offset, turn, steps)

    fine = [finer(lay, lay.laid.yaw_deg) for lay in found[:2]]
    # an outline that nearly maps onto itself by half a turn hides the right turn from a coarse search
    fine += [finer(lay, lay.laid.yaw_deg + 180.0) for lay in fine[:1]]
    best = max(fine, key=lambda lay: lay.gain, default=None)
    return best if best is not None and best.gain > 0 else None


def _pull(offsets: Floats, known: bool, weight: float) -> Floats:
    if not known:
        return np.zeros(len(offsets))
    return np.asarray(weight * np.minimum(((offsets / PLATEAU_NEAR_SIGMA_MM) ** 2).sum(1), 30.0))


@dataclass(frozen=True, eq=False, slots=True)
class _Hill:
    """What a plateau's pose is sought on: its solid at `start`, the cameras, the running sums of what their pixels gain, and whether the
    place is `known` (the scale names it)."""

    start: Laid
    solid: Upright
    views: Sequence[CameraView]
    sums: Sequence[Floats]
    known: bool

    def climb(self, offset: Floats, turn: float, steps: tuple[tuple[float, float], ...]) -> Lay:
        """Step by step to the best pose near one (`offset` (2,) mm from the start, `turn` degrees), at ever smaller steps (mm, degrees)."""
        gain = -np.inf
        for step, turn_step in steps:
            for _ in range(4):
                offsets = offset + np.tile(_CROSS * step, (3, 1))
                turns = turn + np.repeat((0.0, turn_step, -turn_step), len(_CROSS))
                total = -_pull(offsets, self.known, 40.0)
                for view, summed in zip(self.views, self.sums, strict=True):
                    total += self.solid.sums(view, summed, offsets, turns)
                at = int(np.argmax(total))
                still = at == 0
                offset, turn, gain = offsets[at], float(turns[at]), float(total[at])
                if still:
                    break
        x_mm, y_mm = self.start.x_mm + float(offset[0]), self.start.y_mm + float(offset[1])
        return Lay(msgspec.structs.replace(self.start, x_mm=round(x_mm, 2), y_mm=round(y_mm, 2), yaw_deg=round(turn % 360.0, 2)), gain)
