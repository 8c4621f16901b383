"""What a reading of a tower came to: one row a tower, which goes into a file of JSON lines. `reading_told` sums rows up."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import TypeAlias

import msgspec
import numpy as np

from rig.bench.reading_shots import Shot, best_view, on_hand
from rig.bench.tower_matching import matched
from rig.messages import Laid, Standing, Tower
from rig.pieces import Column
from vision.reading.overhang import overhangs
from vision.reading.plateau_sigma import PlateauSigma
from vision.reading.uncertainty import PlaceSigma, Uncertainties, uncertainties
from vision.reading.whole_tower import TowerReading

QUARTER = 0.25
"""Share of its silhouette that some camera must see of a column that counts."""

Way: TypeAlias = tuple[str, str, str, int, bool, bool]
"""Scene, level, world, number of cameras, from a believed tower, known by our own calibration."""


class ColumnRow(msgspec.Struct):
    """A true column: the share of it that its best camera sees, and what was read in its place (`read_…` None: nothing;
    no confidence: nobody sees it, and it was believed to stand there). `squared_z`: squared error of the place over its
    variance, halved (two axes): 1 on the average if the uncertainty is right."""

    colour: str
    shape: str
    floor: str
    seen: float
    read_colour: str | None = None
    read_shape: str | None = None
    off_mm: float | None = None
    confidence: float | None = None
    squared_z: float | None = None

    @property
    def right(self) -> bool:
        return self.read_colour == self.colour and self.read_shape == self.shape


class StrangerRow(msgspec.Struct):
    """A column that was read where none stands; `on_hand`: share of what it shows that lies on a hand."""

    colour: str
    shape: str
    floor: str
    confidence: float
    on_hand: float


class PlateauRow(msgspec.Struct):
    """A plateau that lies and was read: errors of its place, turn and tilt, and the same in their uncertainties (squared ones halved)."""

    plateau: str
    off_mm: float
    turn_deg: float
    tilt_off_deg: float
    squared_z: float
    turn_z: float
    tilt_squared_z: float


class OverhangRow(msgspec.Struct):
    """How far something reaches over an edge, truly and as read, with the uncertainty told."""

    over: str
    true_mm: float
    read_mm: float
    sigma_mm: float


class TowerRow(msgspec.Struct):
    """One reading held to the truth."""

    seed: int
    scene: str
    cameras: int
    level: str
    world: str
    believed: bool
    columns: list[ColumnRow]
    strangers: list[StrangerRow]
    plateaus: list[PlateauRow]
    overhangs: list[OverhangRow]
    plateaus_true: int
    plateaus_read: int
    kinds_right: bool
    usable: bool
    fit: float
    seconds: float
    own: bool = False
    """The rig is known by our own calibration alone."""

    @property
    def way(self) -> Way:
        """How the tower was shown and read."""
        return self.scene, self.level, self.world, self.cameras, self.believed, self.own

    @property
    def faults(self) -> list[str]:
        """What was told wrong, of what can be seen."""
        wrong = [one for one in self.columns if one.seen >= QUARTER and not one.right]
        words = [
            f"{one.colour} {one.shape} on {one.floor} ({100 * one.seen:.0f} % seen) as {one.read_colour or 'none'} {one.read_shape or ''}"
            for one in wrong
        ]
        words += [f"made up {one.colour} {one.shape} on {one.floor} ({one.confidence:.2f})" for one in self.strangers]
        if self.plateaus_true != self.plateaus_read:
            words.append(f"{self.plateaus_read} plateaus instead of {self.plateaus_true}")
        return words


def row_of(shot: Shot, reading: TowerReading, level: str, world: str, believed: bool, seconds: float, own: bool = False) -> TowerRow:
    """A reading held to its shot's truth."""
    whole = Tower((*reading.tower.columns, *reading.unseen), reading.tower.plateaus)
    views, places = best_view(shot), matched(shot.tower, whole)
    sure = {one.standing.column: one.confidence for one in reading.columns}
    known = uncertainties(shot.pictures, shot.poses, shot.known, whole)
    columns = [_column_row(one, places.get(one.column), views[one.column], sure, known) for one in shot.tower.columns]
    strangers = _stranger_rows(shot, reading, places)
    plateaus = [
        _plateau_row(laid, read.laid, known.plateaus[read.laid.plateau])
        for laid, read in zip(shot.tower.plateaus, reading.plateaus, strict=False)
    ]
    return TowerRow(
        seed=shot.seed,
        scene=shot.scene,
        cameras=len(shot.poses),
        level=level,
        world=world,
        believed=believed,
        columns=columns,
        strangers=strangers,
        plateaus=plateaus,
        overhangs=_overhang_rows(shot, whole, known, {found.column: column for column, found in places.items()}),
        plateaus_true=len(shot.tower.plateaus),
        plateaus_read=len(reading.plateaus),
        kinds_right=_kinds(shot.tower) == _kinds(whole),
        usable=reading.usable,
        fit=reading.fit,
        seconds=round(seconds, 3),
        own=own,
    )


def _column_row(true: Standing, found: Standing | None, seen: float, sure: Mapping[Column, float], known: Uncertainties) -> ColumnRow:
    """A column that is there, of which a share `seen` shows, and what was read in its place, if anything was."""
    row = ColumnRow(true.column.colour.value, true.column.shape.value, true.floor.word, round(seen, 3))
    if found is not None:
        off = (true.x_mm - found.x_mm, true.y_mm - found.y_mm)
        row.read_colour, row.read_shape = found.column.colour.value, found.column.shape.value
        row.off_mm = round(math.hypot(*off), 2)
        row.confidence = sure.get(found.column)
        if row.confidence is not None:
            row.squared_z = _squared_z(off, known.columns[found.column])
    return row


def _stranger_rows(shot: Shot, reading: TowerReading, places: Mapping[Column, Standing]) -> list[StrangerRow]:
    """What was read where nothing is."""
    return [
        StrangerRow(
            one.standing.column.colour.value,
            one.standing.column.shape.value,
            one.standing.floor.word,
            one.confidence,
            round(on_hand(shot, reading.tower, one.standing.column), 3),
        )
        for one in reading.columns
        if one.standing not in places.values()
    ]


def _squared_z(off: tuple[float, float], sigma: PlaceSigma) -> float:
    xx, xy, yy = sigma.covariance_mm2
    return round(float(np.array(off) @ np.linalg.solve(np.array(((xx, xy), (xy, yy))), np.array(off))) / 2, 4)


def _plateau_row(true: Laid, read: Laid, sigma: PlateauSigma) -> PlateauRow:
    off = np.array((true.x_mm - read.x_mm, true.y_mm - read.y_mm))
    tilt = np.array((true.tilt_x_deg - sigma.tilt_x_deg, true.tilt_y_deg - sigma.tilt_y_deg))
    covariance = np.array(sigma.covariance)
    turn = math.remainder(true.yaw_deg - read.yaw_deg, 360.0)
    return PlateauRow(
        true.plateau.word,
        off_mm=round(float(np.hypot(*off)), 2),
        turn_deg=round(abs(turn), 2),
        tilt_off_deg=round(float(np.hypot(*tilt)), 3),
        squared_z=round(float(off @ np.linalg.solve(covariance[:2, :2], off)) / 2, 4),
        turn_z=round(turn / sigma.sigmas[2], 4),
        tilt_squared_z=round(float(tilt @ np.linalg.solve(covariance[3:, 3:], tilt)) / 2, 4),
    )


def _overhang_rows(shot: Shot, read: Tower, known: Uncertainties, true_of: dict[Column, Column]) -> list[OverhangRow]:
    """Every overhang read of a piece that is truly there, held to the true tower's."""
    exact = Uncertainties(
        {one.column: PlaceSigma(one.column, (0.0, 0.0, 0.0), 0.0) for one in shot.tower.columns},
        {one.plateau: PlateauSigma(one.plateau, 0.0, 0.0, ((0.0,) * 5,) * 5) for one in shot.tower.plateaus},
    )
    true = {(one.what, one.over): one.mm for one in overhangs(shot.true, shot.tower, exact)}
    rows = []
    for one in overhangs(shot.known, read, known):
        what = true_of.get(one.what) if isinstance(one.what, Column) else one.what
        if what is not None and (what, one.over) in true:
            rows.append(OverhangRow(one.over, true[what, one.over], one.mm, one.sigma_mm))
    return rows


def _kinds(tower: Tower) -> Counter[object]:
    return Counter((one.column.kind, one.floor) for one in tower.columns)


class Skipped(msgspec.Struct):
    """A seed that has no reading, and why: it need not be tried again."""

    seed: int
    way: Way
    skipped: str


def append_row(path: Path, row: TowerRow | Skipped) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("ab") as file:
        file.write(msgspec.json.encode(row) + b"\n")


def _lines(paths: Iterable[Path]) -> list[TowerRow | Skipped]:
    lines: list[TowerRow | Skipped] = []
    for path in paths:
        for line in path.read_bytes().splitlines():
            said = msgspec.json.decode(line)
            lines.append(msgspec.convert(said, Skipped) if "skipped" in said else msgspec.convert(said, TowerRow))
    return lines


def load_rows(paths: Iterable[Path]) -> list[TowerRow]:
    """The rows of several files; a seed read twice in the same way counts once, the later one."""
    return list({(row.seed, row.way): row for row in _lines(paths) if isinstance(row, TowerRow)}.values())


def seeds_done(path: Path, way: Way) -> set[int]:
    """The seeds of a file that were read in this way, or that have nothing to read."""
    return {line.seed for line in _lines([path]) if line.way == way}
