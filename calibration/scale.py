"""The scale's calibration: from one known mass on five marked spots to gains, effective places of the cells, and their errors. Pure.

A plate on four cells is one more support than statics needs, so no single cell's force is known; what is known of each spot is the weight
and its two moments. Gains and places (which take up cross-talk and the plate's bending, since only weight and moments are ever used) are
solved together by least squares, held near the drawing where the spots say nothing: a stiff plate never excites the four cells' twist.
What would make the answer plausible and wrong is refused by name: a shaking tare, a dead cell, exchanged cells, a reversed one.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import least_squares

from rig.base.cell import NEAR_FULL_SCALE
from rig.base.doctor.figures import bad_reads, neighbour_noise
from rig.errors import PalettiError
from rig.profile import Cell

Floats = NDArray[np.float64]

SPOT_MM = 100.0
LEAST_SAMPLES = 15
LEAST_SHARE = 0.1
"""A cell must answer a mass beside it with at least this share of what the others answer to theirs, and carry so much of the dead load."""
LEAST_MASS_G = 100.0
"""Less than that and a cell's own creep is a visible part of it."""
PLACE_SIGMA_MM = 1.0
"""How well a mass is put on its mark."""
CELL_SIGMA_MM = 5.0
"""How well the cells sit where the drawing says."""
GAIN_SIGMA = 0.15
"""Spread of gains among cells of one make."""
WEIGHT_SIGMA_G = 0.2
WORST_RESIDUAL = 0.01
"""Share of the mass by which a spot may read wrong: bar cells are linear to 0.05 %; a hundredth is a plate that touches something."""
WORST_PLACE_MM = 15.0
"""How far from its mark the mass may read: more is another mark, or cells elsewhere than drawn."""
STILL_NOISES = 6.0
STILL_FLOOR_COUNTS = 60.0


@dataclass(frozen=True, slots=True)
class Spot:
    """Where the mass goes, in words and mm."""

    name: str
    x_mm: float
    y_mm: float


SPOTS = (
    Spot("in the centre", 0.0, 0.0),
    Spot("on the front left mark", -SPOT_MM, -SPOT_MM),
    Spot("on the front right mark", SPOT_MM, -SPOT_MM),
    Spot("on the back right mark", SPOT_MM, SPOT_MM),
    Spot("on the back left mark", -SPOT_MM, SPOT_MM),
    Spot("in the centre once more", 0.0, 0.0),
)


@dataclass(frozen=True, slots=True)
class StillReading:
    """Mean counts of each cell over some still seconds (c,), and the noise of one sample (c,)."""

    counts: Floats
    noise: Floats


@dataclass(frozen=True, slots=True)
class ScaleResult:
    """The solved cells, and how good they are.

    `residuals_g`: weight read minus mass at each spot; `places_mm`: distance between place read and mark; `repeatability_g`: between the
    two placements in the centre; `linearity`: largest residual as a share of the mass (a corner loads its cell four times as much as the
    centre does); `noise_g`: of one sample of the total; `dead_shares`: each cell's share of the dead load (None: bare cells not read).
    """

    cells: tuple[Cell, ...]
    residuals_g: tuple[float, ...]
    places_mm: tuple[float, ...]
    repeatability_g: float
    linearity: float
    noise_g: float
    dead_shares: tuple[float, ...] | None

    @property
    def sentences(self) -> tuple[str, ...]:
        """The report for a person."""
        lines = [
            f"load cell {n}: {cell.counts_per_g:.2f} counts/g at ({cell.x_mm:+.1f}, {cell.y_mm:+.1f}) mm"
            for n, cell in enumerate(self.cells, 1)
        ]
        lines += [
            f"{spot.name}: {residual:+.2f} g, {place:.1f} mm off"
            for spot, residual, place in zip(SPOTS, self.residuals_g, self.places_mm, strict=True)
        ]
        lines.append(
            f"repeatability {self.repeatability_g:.2f} g, linearity {100 * self.linearity:.3f} % of the mass, "
            f"noise {self.noise_g:.2f} g a sample"
        )
        if self.dead_shares is not None:
            lines.append(f"dead load: {', '.join(f'{share:.0%}' for share in self.dead_shares)} on cells 1 to {len(self.dead_shares)}")
        return tuple(lines)


def still(samples: Sequence[Sequence[int]], what: str) -> StillReading:
    """The still reading of `samples` (one sequence of counts per cell); `what` was being measured, for the sentence.

    PalettiError for a silent, saturated or frozen cell, and if anything moved: then nothing may be stored.
    """
    means, noises = [], []
    for number, cell in enumerate(samples, 1):
        values = np.array(cell, dtype=np.float64)
        if len(values) < LEAST_SAMPLES:
            raise PalettiError(
                f"Load cell {number} gives no samples ({what}).", "Check its cable; `paletti doctor` shows every cell. Nothing was stored."
            )
        values = values[~bad_reads(values)]
        if np.mean(np.abs(values) >= NEAR_FULL_SCALE) > 0.1:
            raise PalettiError(f"Load cell {number} is at full scale ({what}).", "Is it overloaded, or a wire broken? Nothing was stored.")
        if np.ptp(values) == 0:
            raise PalettiError(f"Load cell {number} repeats one value ({what}).", "Its board or cable is faulty. Nothing was stored.")
        noise = neighbour_noise(values)
        thirds = [float(np.mean(part)) for part in np.array_split(values, 3)]
        wander = max(thirds) - min(thirds)
        if wander > STILL_NOISES * noise / np.sqrt(len(values) / 3) + STILL_FLOOR_COUNTS or np.std(values) > 2 * noise + STILL_FLOOR_COUNTS:
            raise PalettiError(f"The scale is not still ({what}, load cell {number}).", "Keep hands and table quiet, then try again.")
        means.append(float(np.mean(values)))
        noises.append(noise)
    return StillReading(np.array(means), np.array(noises))


def solve(
    nominal: Sequence[Cell],
    empty: StillReading,
    loaded: Sequence[StillReading],
    mass_g: float,
    bare: StillReading | None = None,
    spots: Sequence[Spot] = SPOTS,
) -> ScaleResult:
    """Cells from readings of the `empty` plate and of `mass_g` on each of `spots`; `bare`: the cells without the plate, if read.

    PalettiError names what is wrong with a cell; nothing is solved then.

    `nominal`: the cells as the profile has them, in order; `loaded`: one reading for each of `spots`; `mass_g` in grams.
    """
    if mass_g < LEAST_MASS_G:
        raise PalettiError(f"A mass of {mass_g:g} g is too small to calibrate with.", f"Take at least {LEAST_MASS_G:g} g: a bag of sugar.")
    if len(loaded) != len(spots):
        raise ValueError(f"{len(spots)} spots, but {len(loaded)} readings")
    answers = np.array([reading.counts - empty.counts for reading in loaded])
    places = np.array([(spot.x_mm, spot.y_mm) for spot in spots])
    _refuse_wrong_cells(nominal, answers, places)
    drawing = np.array([(cell.x_mm, cell.y_mm) for cell in nominal])
    solution = _fit(answers, places, drawing, mass_g)
    cells = tuple(
        Cell(x_mm=round(float(x), 2), y_mm=round(float(y), 2), counts_per_g=float(1 / gain), tare_counts=float(tare))
        for gain, (x, y), tare in zip(solution[0], solution[1], empty.counts, strict=True)
    )
    weights = answers @ solution[0]
    read_mm = (answers * solution[0]) @ solution[1] / weights[:, None]
    residuals = weights - mass_g
    off_mm = np.linalg.norm(read_mm - places, axis=1)
    _refuse_misfit(spots, residuals, off_mm, mass_g)
    centre = [k for k, spot in enumerate(spots) if spot.x_mm == spot.y_mm == 0.0]
    return ScaleResult(
        cells=cells,
        residuals_g=tuple(float(r) for r in residuals),
        places_mm=tuple(float(d) for d in off_mm),
        repeatability_g=float(np.ptp(weights[centre])),
        linearity=float(np.max(np.abs(residuals)) / mass_g),
        noise_g=float(np.linalg.norm(empty.noise * solution[0])),
        dead_shares=None if bare is None else _dead_shares(empty, bare, solution[0]),
    )


def _refuse_wrong_cells(nominal: Sequence[Cell], answers: Floats, places: Floats) -> None:
    beside = [int(np.argmin(np.linalg.norm(places - (cell.x_mm, cell.y_mm), axis=1))) for cell in nominal]
    strength = np.array([np.max(np.abs(answers[:, k])) for k in range(len(nominal))])
    usual = float(np.median(strength))
    dead = [k + 1 for k in range(len(nominal)) if strength[k] < LEAST_SHARE * usual]
    if dead or usual == 0.0:
        names = ", ".join(map(str, dead or range(1, len(nominal) + 1)))
        raise PalettiError(f"Load cell {names} does not answer to the mass.", "Check its wires and whether the plate rests on it.")
    signs = np.array([np.sign(answers[np.argmax(np.abs(answers[:, k])), k]) for k in range(len(nominal))])
    majority = 1.0 if signs.sum() >= 0 else -1.0
    reversed_cells = [k + 1 for k in range(len(nominal)) if signs[k] != majority]
    if reversed_cells:
        names = ", ".join(map(str, reversed_cells))
        raise PalettiError(f"Load cell {names} reads the wrong way round.", "Exchange its two signal wires (usually white and green).")
    felt = [int(np.argmax(majority * answers[:, k])) for k in range(len(nominal))]
    wrong = [
        k for k in range(len(nominal)) if felt[k] != beside[k] and majority * answers[felt[k], k] > 1.2 * majority * answers[beside[k], k]
    ]
    if wrong:
        told = "; ".join(
            f"cell {k + 1} answers where cell {beside.index(felt[k]) + 1 if felt[k] in beside else '?'} should be" for k in wrong
        )
        raise PalettiError(
            f"Load cells are exchanged: {told}.", "Exchange their plugs on the board, or the order in which you load the marks."
        )


def _refuse_misfit(spots: Sequence[Spot], residuals: Floats, off_mm: Floats, mass_g: float) -> None:
    """PalettiError if no gains explain the readings: something else than the mass carried, or was carried."""
    worst = int(np.argmax(np.abs(residuals)))
    if abs(residuals[worst]) > WORST_RESIDUAL * mass_g:
        raise PalettiError(
            f"The readings do not fit one scale: {spots[worst].name} the mass reads {residuals[worst]:+.1f} g wrong.",
            "Does the plate touch its rim, a stop or a cable, or was a hand on it? Then calibrate again.",
        )
    furthest = int(np.argmax(off_mm))
    if off_mm[furthest] > WORST_PLACE_MM:
        raise PalettiError(
            f"The mass that should be {spots[furthest].name} reads {off_mm[furthest]:.0f} mm from there.",
            "Put it on its mark, and check that the cells are where the drawing says.",
        )


def _fit(answers: Floats, places: Floats, drawing: Floats, mass_g: float) -> tuple[Floats, Floats]:
    """Gains (g/count) and places (mm) of the cells."""
    n = drawing.shape[0]
    first = np.linalg.lstsq(answers, np.full(len(answers), mass_g), rcond=1e-2)[0]
    common = float(mass_g / np.median(answers.sum(axis=1)))
    start = np.concatenate([np.where(first * common > 0, first / common, 1.0), drawing.ravel()])

    def residuals(unknown: Floats) -> Floats:
        gains, at = unknown[:n] * common, unknown[n:].reshape(n, 2)
        grams = answers * gains
        weight = grams.sum(axis=1)
        moment = grams @ at
        return np.concatenate(
            [
                (weight - mass_g) / WEIGHT_SIGMA_G,
                ((moment - mass_g * places) / (mass_g * PLACE_SIGMA_MM)).ravel(),
                (unknown[:n] / np.mean(unknown[:n]) - 1) / GAIN_SIGMA,
                ((at - drawing) / CELL_SIGMA_MM).ravel(),
            ]
        )

    solved = least_squares(residuals, start, x_scale="jac")
    unknown = np.asarray(solved.x, dtype=np.float64)
    return unknown[:n] * common, unknown[n:].reshape(n, 2)


def _dead_shares(empty: StillReading, bare: StillReading, gains: Floats) -> tuple[float, ...]:
    """How the dead load rests on the cells; PalettiError if one carries next to nothing (it lifts off when the plate is touched)."""
    dead = (empty.counts - bare.counts) * gains
    shares = dead / dead.sum()
    light = [k + 1 for k in range(len(shares)) if shares[k] < LEAST_SHARE]
    if light:
        names = ", ".join(map(str, light))
        raise PalettiError(
            f"Load cell {names} carries less than a tenth of the plate: the plate rocks.", "Shim it until all four carry their share."
        )
    return tuple(float(share) for share in shares)
