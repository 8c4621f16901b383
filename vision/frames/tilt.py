"""Does a plateau tilt? Asked of every frame, for the early warning: the whole outline is held against where it was, in well under 10 ms.

All along the plateau's visible outline the colours on both sides are known from a picture of the settled tower. In a new picture the place
where one turns into the other is found along the outline's normal, to a fraction of a pixel; a hand that covers the outline shows neither
colour, so those points count for nothing. A small motion of the rigid plate (three turns, three shifts) is fitted to what is left.
The answer carries its uncertainty: an alarm that cries wolf is turned off by people.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import cv2
import numpy as np
import numpy.typing as npt

from rig.messages import CameraPose, Laid, Tower
from rig.pieces import Floor
from rig.profile import PlateauSize, Profile
from vision.arrays import Bools, Floats, Maps, Picture
from vision.camera.view import CameraView
from vision.scene.silhouettes import Scene, Stage, code_of, items_of, plateau_layer
from vision.scene.solids import tilt_matrix, turned

REACH_PX = 14
"""How far from its old place (px of the full picture) the outline is sought: 10 degrees of the widest plateau at a metre. By design."""

SIDE_PX = 7
"""How many pixels on each side of the outline give its colours; the two next to it are blurred and do not count. By design."""

RIM_STEP_MM = 6.0
"""Distance between the outline's points. By design: coarse enough that neighbours share few pixels."""

NOISE_LEVEL = 5.0
"""Grey levels (0 to 255) by which a pixel's colour may differ without meaning anything: sensor, JPEG, a step of the exposure. Set by
hand on tuning seeds; not measured on a spread of rooms."""

PLAIN_STEP = 3.0
"""Least difference of the two sides' colours, in their spreads, for a point of the outline to be read at all. By design: three standard
deviations."""

STRANGE = 3.2
"""Mean distance (in spreads) of a point's pixels from both colours beyond which something else covers it. Set by hand on tuning seeds;
not measured on a spread of rooms."""

EDGE_SIGMA_PX = 0.35
"""How well a point of the outline is found; measured on the twin's pictures of towers at rest. Its seeds are not recorded;
`rig.bench.bench_reading tilts` counts how often a tower at rest is taken to lean."""

CORRELATED = 4.0
"""By how much the variance is larger than independent points would have it: neighbours on an outline err together (two or three of them
see the same blur, the same shade). Set so that towers at rest give z-scores of one. Those seeds are not recorded;
`rig.bench.bench_reading tilts` counts how often a tower at rest is taken to lean."""

ENOUGH_POINTS, ENOUGH_SHARE = 14, 0.35
"""Fewer points, or a smaller share of those that could be read, say nothing about a tilt. Set by hand on tuning seeds; not measured on a
spread of rooms."""

MOTION_PRIOR = (4.0, 4.0, 6.0, 8.0, 8.0, 5.0)
"""Spread of a motion nobody knows yet: three turns (degrees) and three shifts (mm). Keeps what a camera cannot see from wandering. By
design: wider than any tower leans that still stands."""

UNKNOWN_DEG = 90.0
"""The uncertainty of a reading that says nothing. By design: says nothing."""


@dataclass(frozen=True, slots=True)
class TiltReading:
    """How far a plateau has tilted since the reference, as one camera sees it.

    `tilt_deg` and its standard deviation `sigma_deg`; the tilts about the world's x and y with their covariance (xx, xy, yy, deg²); how far
    the plateau rose (mm); how many of the outline's points were read, and their share of those that could be. A reading that says nothing
    has tilt 0 and `sigma_deg` 90.
    """

    tilt_deg: float
    sigma_deg: float
    tilt_x_deg: float
    tilt_y_deg: float
    covariance_deg2: tuple[float, float, float]
    lift_mm: float
    points: int
    share: float

    @property
    def says(self) -> bool:
        """Whether the reading says anything at all."""
        return self.sigma_deg < UNKNOWN_DEG


NOTHING_SAID = TiltReading(0.0, UNKNOWN_DEG, 0.0, 0.0, (UNKNOWN_DEG**2, 0.0, UNKNOWN_DEG**2), 0.0, 0, 0.0)


def _rims(size: PlateauSize, laid: Laid) -> tuple[Floats, Floats]:
    """Points along the lower and the upper rim (2, n, 3) of a laid plateau in the world, and the outline's tangents (n, 2) there."""
    outline = np.array(size.outline_mm)
    along = np.roll(outline, -1, axis=0) - outline
    length = np.linalg.norm(along, axis=1)
    at = np.arange(0.0, length.sum(), RIM_STEP_MM)
    edge = np.clip(np.searchsorted(np.cumsum(length), at, side="right"), 0, len(outline) - 1)
    rest = at - (np.cumsum(length) - length)[edge]
    points = outline[edge] + along[edge] * (rest / length[edge])[:, None]
    tangents = along[edge] / length[edge, None]
    rims = np.empty((2, len(points), 3))
    rims[..., :2] = turned(points, laid.yaw_deg)
    rims[0, :, 2], rims[1, :, 2] = 0.0, size.thickness_mm
    if laid.tilt_x_deg or laid.tilt_y_deg:
        rims = rims @ tilt_matrix(laid.tilt_x_deg, laid.tilt_y_deg).T
    return rims + np.array((laid.x_mm, laid.y_mm, laid.z_mm)), turned(tangents, laid.yaw_deg)


def _motions(points: Floats, centre: Floats) -> Floats:
    """Where each point (n, 3) goes under a small unit motion: (6, n, 3), turns by a degree about x, y, z and shifts by 1 mm."""
    arm = points - centre
    degree = math.radians(1.0)
    turns = [np.cross(np.eye(3)[k] * degree, arm) for k in range(3)]
    return np.concatenate((np.array(turns), np.broadcast_to(np.eye(3)[:, None], (3, *points.shape))))


@dataclass(frozen=True, eq=False)
class _Rim:
    """Points (n) along the visible outline of a plateau in one camera's picture: where they fall (n, 2) px, the outward normals there
    (n, 2), and by how much (n, 6) each moves along its normal under the plateau's small unit motions."""

    pixels: Floats
    normals: Floats
    slopes: Floats


def _rim_of(pose: CameraPose, tower: Tower, profile: Profile, plateau: Floor) -> _Rim | None:
    """The outline of `plateau` as the camera at `pose` sees it; None if it does not lie, or reaches behind the camera."""
    laid = next((one for one in tower.plateaus if one.plateau is plateau), None)
    if laid is None:
        return None
    view = CameraView.of(profile.camera(pose.camera).model, pose)
    rims, _ = _rims(profile.plateaus[plateau], laid)
    points = rims.reshape(-1, 3)
    pixels = view.project(points)
    if np.isnan(pixels).any():
        return None
    around = pixels.reshape(2, -1, 2)
    along = np.roll(around, -1, axis=1) - np.roll(around, 1, axis=1)
    normals = np.stack((along[..., 1], -along[..., 0]), axis=-1).reshape(-1, 2)
    normals /= np.maximum(np.linalg.norm(normals, axis=1, keepdims=True), 1e-9)
    normals, kept = _outward(view, profile, tower, plateau, pixels, normals)
    pixels, normals, points = pixels[kept], normals[kept], points[kept]
    moved = np.stack([view.project(points + motion) for motion in _motions(points, np.array((laid.x_mm, laid.y_mm, laid.z_mm)))])
    return _Rim(pixels, normals, ((moved - pixels) * normals).sum(-1).T)


_OFFSETS_PX: Floats = np.arange(-REACH_PX - SIDE_PX, REACH_PX + SIDE_PX + 1, dtype=np.float64)
"""Where along its normal each point of a rim is sampled (px)."""


@dataclass(frozen=True, eq=False)
class _Sides:
    """The colours (n, 3) inside and outside of a rim's points in the reference picture, and their spread (n, 3)."""

    inside: Floats
    outside: Floats
    spread_in: Floats
    spread_out: Floats

    @classmethod
    def of(cls, profiles: Floats) -> _Sides:
        """From colours (n, offsets, 3) along the normals."""
        middle = REACH_PX + SIDE_PX
        inner, outer = profiles[:, middle - SIDE_PX : middle - 1], profiles[:, middle + 2 : middle + SIDE_PX + 1]
        spread_in, spread_out = (NOISE_LEVEL + 1.5 * side.std(1) for side in (inner, outer))
        return cls(np.median(inner, axis=1), np.median(outer, axis=1), spread_in, spread_out)

    @property
    def plain(self) -> Bools:
        """Points (n,) at which one colour plainly turns into another."""
        step = np.abs((self.inside - self.outside) / np.sqrt(self.spread_in * self.spread_out)).max(1)
        return np.asarray(step > PLAIN_STEP)

    def only(self, kept: Bools) -> _Sides:
        return _Sides(self.inside[kept], self.outside[kept], self.spread_in[kept], self.spread_out[kept])

    def edges(self, profiles: Floats) -> tuple[Floats, Bools]:
        """For each point how far outward (px) one colour turns into the other, and whether the pixels show these colours at all."""
        inside = np.square((profiles - self.inside[:, None]) / self.spread_in[:, None]).mean(-1)
        outside = np.square((profiles - self.outside[:, None]) / self.spread_out[:, None]).mean(-1)
        inside, outside = np.minimum(inside, 25.0), np.minimum(outside, 25.0)
        low, high = SIDE_PX - 1, SIDE_PX + 2 * REACH_PX
        window = _windowed(inside, outside)
        at = window[:, low:high].argmin(1) + low
        rows = np.arange(len(at))
        left, here, right = (window[rows, np.clip(at + k, 0, window.shape[1] - 1)] for k in (-1, 0, 1))
        bend = left - 2 * here + right
        share = np.where(bend > 1e-6, np.clip(0.5 * (left - right) / np.maximum(bend, 1e-6), -0.5, 0.5), 0.0)
        edge = _OFFSETS_PX[at] + 0.5 + share
        good = here / (2 * SIDE_PX) < STRANGE
        good &= (at > low) & (at < high - 1)
        return edge, good


class TiltWatch:
    """One plateau in one camera's reference picture, ready to be compared with many frames."""

    def __init__(self, reference: Picture, pose: CameraPose, tower: Tower, profile: Profile, plateau: Floor) -> None:
        """`reference`: the full picture (BGR) of the settled `tower` by the camera at `pose`; `plateau`: the one to watch."""
        nothing = _Rim(np.zeros((0, 2)), np.zeros((0, 2)), np.zeros((0, 6)))
        rim = _rim_of(pose, tower, profile, plateau) or nothing
        places = (rim.pixels[:, None] + _OFFSETS_PX[None, :, None] * rim.normals[:, None]).astype(np.float32)
        profiles = _sampled(reference, places)
        sides = _Sides.of(profiles)
        plain = sides.plain
        self._shape, self._places, self._slopes = reference.shape, places[plain], rim.slopes[plain]
        self._reference, self._sides = profiles[plain], sides.only(plain)
        self._at_rest, self._was_good = self._sides.edges(self._reference)

    def read(self, picture: Picture) -> TiltReading:
        """The tilt in another picture (BGR, full size) of the same camera, which must not have moved."""
        if not len(self._slopes) or picture.shape != self._shape:
            return NOTHING_SAID
        profiles = _sampled(picture, self._places)
        lit = (self._reference > 25) & (profiles > 25) & (profiles < 250)
        gain = np.array([_median_ratio(self._reference[..., k], profiles[..., k], lit[..., k]) for k in range(3)])
        edges, good = self._sides.edges(profiles * gain)
        good &= self._was_good
        could = int(self._was_good.sum())
        if good.sum() < ENOUGH_POINTS or good.sum() < ENOUGH_SHARE * could:
            return NOTHING_SAID
        return _fitted(self._slopes[good], (edges - self._at_rest)[good], float(good.sum()) / max(could, 1))


def _sampled(picture: Picture, places: Maps) -> Floats:
    """Colours (n, offsets, 3) of a picture at `places` (n, offsets, 2)."""
    if not len(places):
        return np.zeros((0, len(_OFFSETS_PX), 3))
    colours = cv2.remap(picture, places[..., 0], places[..., 1], cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE)
    return np.asarray(colours, dtype=np.float64)


def _windowed(inside: Floats, outside: Floats) -> Floats:
    """Cost (n, offsets - 1) of an edge between samples k and k + 1, from the SIDE_PX samples on each side."""
    count = inside.shape[1] - 1
    zero = np.zeros((len(inside), 1))
    sum_in = np.concatenate((zero, np.cumsum(inside, axis=1)), axis=1)
    sum_out = np.concatenate((zero, np.cumsum(outside, axis=1)), axis=1)
    k = np.arange(count)
    first, last = np.maximum(k + 1 - SIDE_PX, 0), np.minimum(k + 1 + SIDE_PX, count + 1)
    return np.asarray(sum_in[:, k + 1] - sum_in[:, first] + sum_out[:, last] - sum_out[:, k + 1])


def _median_ratio(reference: Floats, now: Floats, lit: Bools) -> float:
    """By what to multiply a channel so that most of it looks as it did: exposure and white balance."""
    if int(lit.sum()) < 50:
        return 1.0
    return float(np.clip(np.median(reference[lit] / now[lit]), 0.5, 2.0))


def _outward(view: CameraView, profile: Profile, tower: Tower, plateau: Floor, pixels: Floats, normals: Floats) -> tuple[Floats, Bools]:
    """Normals turned outward, and which points lie on the outline's visible part: the plateau on one side, what is behind on the other."""
    scene = Scene(Stage(view), items_of(profile, tower))
    own = code_of(profile, plateau)
    patch = scene.patches[own]
    mask = np.zeros((view.height, view.width), dtype=np.bool_)
    mask[patch.box][patch.inside] = True
    layers = np.full(256, -9.0)
    for code, item in scene.items.items():
        layers[code] = item.layer

    def look(at: Floats) -> tuple[npt.NDArray[np.intp], npt.NDArray[np.intp], Bools]:
        x, y = np.rint(at[:, 0]).astype(np.intp), np.rint(at[:, 1]).astype(np.intp)
        inside = (x >= 0) & (y >= 0) & (x < view.width) & (y < view.height)
        return np.clip(y, 0, view.height - 1), np.clip(x, 0, view.width - 1), inside

    flip = mask[look(pixels + 2.0 * normals)[:2]] & ~mask[look(pixels - 2.0 * normals)[:2]]
    normals = np.where(flip[:, None], -normals, normals)
    kept = np.ones(len(pixels), dtype=np.bool_)
    for away in (-SIDE_PX, -2.5):
        y, x, inside = look(pixels + away * normals)
        kept &= inside & mask[y, x] & ((scene.code[y, x] == own) | (away < -3))
    for away in (2.5, float(SIDE_PX)):
        y, x, inside = look(pixels + away * normals)
        behind = (scene.code[y, x] < 0) | (layers[scene.code[y, x]] < plateau_layer(plateau))
        kept &= inside & ~mask[y, x] & behind
    return normals, kept


def _fitted(slopes: Floats, shifts: Floats, share: float) -> TiltReading:
    """The small motion of the plate that explains the shifts (px) along the normals best, robustly, with its covariance."""
    prior = np.diag(1.0 / np.square(MOTION_PRIOR))
    weights = np.ones(len(shifts))
    motion: Floats = np.zeros(6)
    sigma = EDGE_SIGMA_PX
    for _ in range(8):
        scaled = slopes * weights[:, None]
        information = scaled.T @ slopes / sigma**2 + prior
        motion = np.asarray(np.linalg.solve(information, scaled.T @ shifts / sigma**2), dtype=np.float64)
        rest = shifts - slopes @ motion
        sigma = max(1.4826 * float(np.median(np.abs(rest))), EDGE_SIGMA_PX)
        weights = 1.0 / (1.0 + np.square(rest / (2.0 * sigma)))  # Cauchy's weights: what a sleeve's edge says, counts little
    covariance = np.linalg.inv((slopes * weights[:, None]).T @ slopes / sigma**2 + prior) * CORRELATED
    return _reading(motion[:2], np.asarray(covariance[:2, :2], dtype=np.float64), float(motion[5]), len(shifts), share)


def _reading(tilts: Floats, covariance: Floats, lift_mm: float, points: int, share: float) -> TiltReading:
    tilt = float(np.hypot(*tilts))
    direction = tilts / tilt if tilt > 1e-9 else np.array((1.0, 0.0))
    sigma = math.sqrt(float(direction @ covariance @ direction))
    return TiltReading(
        tilt_deg=round(tilt, 3),
        sigma_deg=round(min(sigma, UNKNOWN_DEG), 3),
        tilt_x_deg=round(float(tilts[0]), 3),
        tilt_y_deg=round(float(tilts[1]), 3),
        covariance_deg2=(float(covariance[0, 0]), float(covariance[0, 1]), float(covariance[1, 1])),
        lift_mm=round(lift_mm, 2),
        points=points,
        share=round(share, 3),
    )
