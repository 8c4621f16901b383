"""How well each piece's place is known: from how fast the pictures' sum falls as the column is moved aside.

A column seen whole by two cameras is known to half a millimetre; one of which a single camera sees a strip is known across the line of
sight and hardly along it. The curvature of the fit says which. Its scale is not to be had from the pixels, which err together; it is set so
that on tuning renders errors divided by these figures have a spread of about one.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from rig.messages import CameraPose, Standing, Tower
from rig.pieces import Column, Floor
from rig.profile import Profile
from vision.arrays import Floats, Picture
from vision.change.floor_search import FloorSearch
from vision.reading.plateau_sigma import PlateauSigma, plateau_sigma
from vision.reading.single_view import SingleView
from vision.reading.tower_state import State
from vision.reading.tunables import PLACE_TEMPER
from vision.scene.silhouettes import Label

PLACE_STEP_MM = 1.5
"""How far a column is moved aside: beyond a pixel, so that the sum over pixels is smooth, and within the width of its edge. By design."""

LEAST_SIGMA_MM, UNSEEN_SIGMA_MM = 0.4, 40.0
"""What poses and piece sizes leave uncertain in any case; what is said of a column nobody sees. Set by hand on tuning seeds;
`rig.bench.bench_reading towers` prints errors over these sigmas."""

_DIRECTIONS = np.array([(0.0, 0.0), (1.0, 0.0), (-1.0, 0.0), (0.0, 1.0), (0.0, -1.0), (1.0, 1.0), (-1.0, -1.0), (1.0, -1.0), (-1.0, 1.0)])


@dataclass(frozen=True, slots=True)
class PlaceSigma:
    """Uncertainty of a column's foot: covariance (xx, xy, yy, mm²) and the standard deviation along its worst direction (mm)."""

    column: Column
    covariance_mm2: tuple[float, float, float]
    worst_mm: float

    def along_mm(self, x: float, y: float) -> float:
        """Standard deviation (mm) along the direction (x, y): for an overhang, the edge's normal."""
        xx, xy, yy = self.covariance_mm2
        length = max(math.hypot(x, y), 1e-9)
        u, v = x / length, y / length
        return math.sqrt(max(u * u * xx + 2 * u * v * xy + v * v * yy, 0.0))


@dataclass(frozen=True, slots=True)
class Uncertainties:
    """How well the pieces' places are known; how plateaus tilt is first measured here."""

    columns: Mapping[Column, PlaceSigma]
    plateaus: Mapping[Floor, PlateauSigma]


def uncertainties(pictures: Sequence[Picture], poses: Sequence[CameraPose], profile: Profile, tower: Tower) -> Uncertainties:
    """For every piece of a tower fitted to these pictures how well its place is known. Pictures as for `read_tower`."""
    views = [SingleView(profile, pose, picture) for picture, pose in zip(pictures, poses, strict=True)]
    for view in views:
        view.adapt(tower)
    state = State.of(profile, [view.evidence() for view in views], tower)
    grids = {floor: FloorSearch(profile, tower, floor, state.backgrounds) for floor in {standing.floor for standing in tower.columns}}
    columns = {standing.column: place_sigma(state, grids[standing.floor], standing) for standing in tower.columns}
    plateaus = {laid.plateau: plateau_sigma(profile, state, laid) for laid in tower.plateaus}
    return Uncertainties(columns, plateaus)


def place_sigma(state: State, grid: FloorSearch, standing: Standing) -> PlaceSigma:
    """The same for one column of a state."""
    rest = state.without(standing.column)
    places = np.array((standing.x_mm, standing.y_mm)) + PLACE_STEP_MM * _DIRECTIONS
    label = Label.of_colour(standing.column.colour)
    gains = grid.exact(rest.backgrounds, rest.tower, label, standing.column.shape, places, standing.yaw_deg)
    covariance = _covariance(gains)
    worst = math.sqrt(float(np.linalg.eigvalsh(covariance)[-1]))
    return PlaceSigma(standing.column, (float(covariance[0, 0]), float(covariance[0, 1]), float(covariance[1, 1])), round(worst, 3))


def _covariance(gains: Floats) -> Floats:
    """Covariance (2, 2) from the gains at _DIRECTIONS: a quadric by least squares, its curvature tempered and never below 0."""
    x, y = _DIRECTIONS.T * PLACE_STEP_MM
    terms = np.column_stack((np.ones_like(x), x, y, 0.5 * x * x, x * y, 0.5 * y * y))
    fit = np.linalg.lstsq(terms, gains, rcond=None)[0]
    values, vectors = np.linalg.eigh(-PLACE_TEMPER * np.array(((fit[3], fit[4]), (fit[4], fit[5]))))
    variances = np.minimum(1.0 / np.maximum(values, 1e-9), UNSEEN_SIGMA_MM**2) + LEAST_SIGMA_MM**2
    return np.asarray(vectors @ np.diag(variances) @ vectors.T, dtype=np.float64)
