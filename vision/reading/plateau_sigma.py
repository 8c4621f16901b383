"""How a plateau lies, and how well that is known: place, turn and tilt, from how the pictures' sum falls as the plate is moved and tilted.

The sum is laid under a quadric in five variables: x, y, turn, and the tilts about x and y. Its top says how the plate tilts, which nothing
else measures when there is no picture of the plate at rest; its curvature says how well all five are known. As for columns the curvature's
scale is not to be had from the pixels; it is set so that on tuning renders errors divided by these figures have a spread of about one.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from itertools import combinations

import msgspec
import numpy as np

from rig.messages import Laid
from rig.pieces import Floor
from rig.profile import Profile
from vision.arrays import Floats
from vision.reading.tower_state import State
from vision.reading.tunables import PLACE_TEMPER
from vision.scene.silhouettes import Stage, plateau_item, running_sum, spans_of_parts, sums_within
from vision.scene.solids import plateau_prisms

CURVATURE_STEPS = (1.5, 1.5, 1.0, 1.0, 1.0)
"""How far the plate is moved (mm), turned and tilted (degrees): beyond a pixel at its rim, so that the sum over pixels is smooth. By
design."""

LEAST = (0.5, 0.5, 0.45, 0.55, 0.55)
"""What poses and the plate's measured outline leave uncertain in any case: mm, mm, degrees, degrees, degrees. Set by hand on tuning
seeds; `rig.bench.bench_reading towers` prints errors over these sigmas."""

UNSEEN = (40.0, 40.0, 30.0, 6.0, 6.0)
"""What is said where nobody sees anything of it: a plate that leans more has fallen. By design: as wide as what may stand there."""

MOST_TILT_DEG = 6.0
"""Tilt up to which a plateau is sought (degrees). By design: one that leans more has fallen (`UNSEEN`)."""


@dataclass(frozen=True, slots=True)
class PlateauSigma:
    """How a plateau tilts (degrees about x and y), and the covariance (5 x 5) of x, y (mm), turn and the two tilts (degrees)."""

    plateau: Floor
    tilt_x_deg: float
    tilt_y_deg: float
    covariance: tuple[tuple[float, ...], ...]

    @property
    def sigmas(self) -> tuple[float, ...]:
        """Standard deviations of x, y (mm), turn, tilt about x, tilt about y (degrees)."""
        return tuple(math.sqrt(self.covariance[k][k]) for k in range(5))

    @property
    def place_mm(self) -> float:
        """Standard deviation of the place along its worst direction."""
        return math.sqrt(float(np.linalg.eigvalsh(np.array(self.covariance)[:2, :2])[-1]))

    @property
    def tilt_deg(self) -> float:
        return math.hypot(self.tilt_x_deg, self.tilt_y_deg)

    @property
    def tilt_sigma_deg(self) -> float:
        """Standard deviation of the tilt along its own direction."""
        c, s = (self.tilt_x_deg / self.tilt_deg, self.tilt_y_deg / self.tilt_deg) if self.tilt_deg else (1.0, 0.0)
        xx, xy, yy = self.covariance[3][3], self.covariance[3][4], self.covariance[4][4]
        return math.sqrt(max(c * c * xx + 2 * c * s * xy + s * s * yy, 0.0))

    def edge_mm(self, arm_mm: tuple[float, float], normal: tuple[float, float]) -> float:
        """Standard deviation along `normal` (unit) of a point of the plate that lies `arm_mm` from its centre of mass."""
        turn = math.radians(1.0) * (normal[1] * arm_mm[0] - normal[0] * arm_mm[1])
        slope = np.array((*normal, turn))
        return math.sqrt(max(float(slope @ np.array(self.covariance)[:3, :3] @ slope), 0.0))


def plateau_sigma(profile: Profile, state: State, laid: Laid) -> PlateauSigma:
    """The same for one plateau of a tower fitted to pictures."""
    stages, sums = [], []
    for background in state.backgrounds:
        rest = background.instead(background.scene.without(int(laid.plateau)))
        height, width = background.evidence.stage.shape
        sums.append(running_sum(rest.gain_map(plateau_item(profile, laid), (slice(0, height), slice(0, width)))))
        stages.append(background.evidence.stage)
    tilt = _tilt_climbed(profile, stages, sums, laid)
    top, covariance = _quadric(profile, stages, sums, laid, tilt)
    return PlateauSigma(laid.plateau, round(float(top[0]), 3), round(float(top[1]), 3), tuple(tuple(row) for row in covariance.tolist()))


def _gains(profile: Profile, stages: list[Stage], sums: list[Floats], laid: Laid, moves: Floats) -> Floats:
    """The pictures' sum (m,) for the plate moved by each of `moves` (m, 5)."""
    moved = [plateau_prisms(profile, _moved(laid, move)) for move in moves]
    parts = [np.stack([one[k] for one in moved]) for k in range(len(moved[0]))]
    total = np.zeros(len(moves))
    for stage, summed in zip(stages, sums, strict=True):
        total += sums_within(summed, spans_of_parts(stage.view, parts))
    return total


def _moved(laid: Laid, move: Floats) -> Laid:
    x, y, turn, about_x, about_y = (float(value) for value in move)
    return msgspec.structs.replace(
        laid, x_mm=laid.x_mm + x, y_mm=laid.y_mm + y, yaw_deg=laid.yaw_deg + turn,
        tilt_x_deg=laid.tilt_x_deg + about_x, tilt_y_deg=laid.tilt_y_deg + about_y,
    )  # fmt: skip


def _tilt_climbed(profile: Profile, stages: list[Stage], sums: list[Floats], laid: Laid) -> Floats:
    """The tilts (2,) about x and y uphill from level."""
    around = np.array([(0, 0), (1, 0), (-1, 0), (0, 1), (0, -1), (1, 1), (-1, -1), (1, -1), (-1, 1)], dtype=np.float64)
    tilt = np.zeros(2)
    for step in (1.5, 0.75):
        for _ in range(4):
            tries = np.clip(tilt + step * around, -MOST_TILT_DEG, MOST_TILT_DEG)
            at = int(np.argmax(_gains(profile, stages, sums, laid, np.column_stack((np.zeros((len(tries), 3)), tries)))))
            tilt = tries[at]
            if at == 0:
                break
    return tilt


def _quadric(profile: Profile, stages: list[Stage], sums: list[Floats], laid: Laid, tilt: Floats) -> tuple[Floats, Floats]:
    """Where the quadric has its top in tilt (2,), and the covariance (5, 5)."""
    unit = np.eye(5)
    signs = ((1, 1), (1, -1), (-1, 1), (-1, -1))
    steps = [np.zeros(5), *unit, *-unit, *(a * unit[i] + b * unit[j] for i, j in combinations(range(5), 2) for a, b in signs)]
    scaled = np.array(steps)
    gains = _gains(profile, stages, sums, laid, scaled * CURVATURE_STEPS + np.array((0, 0, 0, *tilt)))
    pairs = [(i, j) for i in range(5) for j in range(i, 5)]
    terms = np.column_stack((np.ones(len(scaled)), scaled, *(scaled[:, i] * scaled[:, j] for i, j in pairs)))
    fit = np.linalg.lstsq(terms, gains, rcond=None)[0]
    curvature = np.zeros((5, 5))
    for (i, j), value in zip(pairs, fit[6:], strict=True):
        curvature[i, j] = curvature[j, i] = 2 * value if i == j else value
    values, vectors = np.linalg.eigh(-PLACE_TEMPER * curvature)
    unseen, least = np.array(UNSEEN) / CURVATURE_STEPS, np.array(LEAST)
    prior = np.diag(1.0 / unseen**2)
    precision = vectors @ np.diag(np.maximum(values, 0.0)) @ vectors.T + prior
    covariance = np.linalg.inv(precision)
    top = covariance @ (PLACE_TEMPER * fit[1:6])
    scale = np.diag(CURVATURE_STEPS)
    wide = np.asarray(scale @ covariance @ scale + np.diag(least**2), dtype=np.float64)
    off = np.clip(np.asarray(scale @ top)[3:], -1.0, 1.0)
    return tilt + off, wide
