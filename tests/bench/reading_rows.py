"""What a reading of a tower came to: one row a tower, which goes into a file of JSON lines, and the sums over many rows."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Sequence
from pathlib import Path

import msgspec
import numpy as np
from scipy.optimize import linear_sum_assignment

from rig.messages import Laid, Standing, Tower
from rig.pieces import Colour, Column, Shape
from tests.bench.bench_vision import interval, spread
from tests.bench.reading_shots import Shot, best_view, on_hand
from vision.overhang import overhangs
from vision.plateau_sigma import PlateauSigma
from vision.reading import TowerReading
from vision.uncertainty import PlaceSigma, Uncertainties, uncertainties

NEAR_MM, CLOSE_MM = 20.0, 10.0
"""A column was read in its place within the first; set-up asks for the second."""

QUARTER = 0.25
"""Share of its silhouette that some camera must see of a column that counts."""

ON_HAND = 0.3
"""Share of what a made-up column shows that lies on a hand, from which it is a false column on a hand."""


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


def matched(true: Tower, read: Tower) -> dict[Column, Standing]:
    """For each true column the column read in its place, if any: same floor, within 20 mm, one for one."""
    answer: dict[Column, Standing] = {}
    for floor in {standing.floor for standing in true.columns}:
        there, found = true.on(floor), read.on(floor)
        if not found:
            continue
        cost = np.full((len(there), len(found)), 1e3)
        for i, a in enumerate(there):
            for j, b in enumerate(found):
                away = math.hypot(a.x_mm - b.x_mm, a.y_mm - b.y_mm)
                if away < NEAR_MM:
                    cost[i, j] = away + (0.0 if a.column.kind == b.column.kind else NEAR_MM)
        for i, j in zip(*linear_sum_assignment(cost), strict=True):
            if cost[i, j] < 900:
                answer[there[i].column] = found[j]
    return answer


def row_of(shot: Shot, reading: TowerReading, level: str, world: str, believed: bool, seconds: float) -> TowerRow:
    """A reading held to its shot's truth."""
    whole = Tower((*reading.tower.columns, *reading.unseen), reading.tower.plateaus)
    views, places = best_view(shot), matched(shot.tower, whole)
    sure = {one.standing.column: one.confidence for one in reading.columns}
    known = uncertainties(shot.pictures, shot.poses, shot.known, whole)
    columns = []
    for one in shot.tower.columns:
        row = ColumnRow(one.column.colour.value, one.column.shape.value, one.floor.word, round(views[one.column], 3))
        found = places.get(one.column)
        if found is not None:
            row.read_colour, row.read_shape = found.column.colour.value, found.column.shape.value
            row.off_mm = round(math.hypot(one.x_mm - found.x_mm, one.y_mm - found.y_mm), 2)
            row.confidence = sure.get(found.column)
            if row.confidence is not None:
                row.squared_z = _squared_z((one.x_mm - found.x_mm, one.y_mm - found.y_mm), known.columns[found.column])
        columns.append(row)
    strangers = [
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
    )


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
        if (what, one.over) in true:
            rows.append(OverhangRow(one.over, true[what, one.over], one.mm, one.sigma_mm))
    return rows


def _kinds(tower: Tower) -> Counter[object]:
    return Counter((one.column.kind, one.floor) for one in tower.columns)


def append_row(path: Path, row: TowerRow) -> None:
    with path.open("ab") as file:
        file.write(msgspec.json.encode(row) + b"\n")


def load_rows(paths: Iterable[Path]) -> list[TowerRow]:
    """The rows of several files; a seed read twice in the same way counts once, the later one."""
    rows: dict[tuple[object, ...], TowerRow] = {}
    for path in paths:
        for line in path.read_bytes().splitlines():
            row = msgspec.json.decode(line, type=TowerRow)
            rows[row.seed, row.scene, row.cameras, row.level, row.world, row.believed] = row
    return list(rows.values())


def tell(rows: Sequence[TowerRow], worst: int = 12) -> None:
    """The sums over rows, one block for each way of reading."""
    ways = sorted({(row.scene, row.level, row.world, row.cameras, row.believed) for row in rows})
    for way in ways:
        scene, level, world, cameras, believed = way
        from_ = ", from a believed tower" if believed else ""
        print(f"== {scene}, {level}, world {world}, {cameras} camera{'s' if cameras > 1 else ''}{from_}")
        _tell_one([row for row in rows if (row.scene, row.level, row.world, row.cameras, row.believed) == way], worst)


def _tell_one(rows: Sequence[TowerRow], worst: int) -> None:
    columns = [one for row in rows for one in row.columns]
    plain = [one for one in columns if one.seen >= QUARTER]
    found = [one for one in plain if one.read_colour is not None]
    strangers = [one for row in rows for one in row.strangers]
    hidden = [one for one in columns if one.seen < QUARTER]
    print(f"columns at least a quarter seen, right in colour, shape and floor: {interval(sum(one.right for one in plain), len(plain))}")
    print(f"    of those found, colour right {interval(sum(one.read_colour == one.colour for one in found), len(found))}")
    print(f"    of those found, shape right {interval(sum(one.read_shape == one.shape for one in found), len(found))}")
    print(f"    right and within {CLOSE_MM:.0f} mm: {interval(sum(map(_close, plain)), len(plain))}")
    print(f"all columns, hidden ones too, right and within {CLOSE_MM:.0f} mm: {interval(sum(map(_close, columns)), len(columns))}")
    print(f"towers with every column right and within {CLOSE_MM:.0f} mm: {interval(sum(map(_all_close, rows)), len(rows))}")
    print(f"towers with nothing seen wrong, nothing made up: {interval(sum(not row.faults for row in rows), len(rows))}")
    print(f"towers with every column's kind and floor right: {interval(sum(row.kinds_right for row in rows), len(rows))}")
    print(f"number of plateaus right: {interval(sum(row.plateaus_true == row.plateaus_read for row in rows), len(rows))}")
    on_hands = sum(one.on_hand >= ON_HAND for one in strangers)
    print(f"columns made up: {len(strangers)} in {len(rows)} readings, of which on a hand: {on_hands}")
    print(f"columns less than a quarter seen: {len(hidden)}, of which {sum(one.read_colour is None for one in hidden)} were given no place")
    usable = [row for row in rows if row.usable]
    hands = sum(one.on_hand >= ON_HAND for row in usable for one in row.strangers)
    print(f"readings called usable: {interval(len(usable), len(rows))}")
    print(f"    of these with nothing seen wrong, nothing made up: {interval(sum(not row.faults for row in usable), len(usable))}")
    print(f"    columns made up in these: {sum(len(row.strangers) for row in usable)}, of which on a hand: {hands}")
    print(f"    place mm: {spread([one.off_mm for one in plain if one.off_mm is not None])}")
    plateaus = [one for row in rows for one in row.plateaus]
    _calibration("column's place", [one.squared_z for one in columns if one.squared_z is not None])
    _calibration("plateau's place", [one.squared_z for one in plateaus])
    _calibration("plateau's turn", [one.turn_z**2 for one in plateaus], axes=1)
    _calibration("plateau's tilt", [one.tilt_squared_z for one in plateaus])
    over = [one for row in rows for one in row.overhangs]
    for word in ("base", "building site", "plateau"):
        those = [one for one in over if (one.over if one.over in ("base", "building site") else "plateau") == word]
        if not those:
            continue
        _calibration(f"overhang over a {word}'s edge", [((one.read_mm - one.true_mm) / one.sigma_mm) ** 2 for one in those], axes=1)
        print(f"        off mm: {spread([abs(one.read_mm - one.true_mm) for one in those])}")
    print(f"    plateau mm: {spread([one.off_mm for one in plateaus])}; turn degrees: {spread([one.turn_deg for one in plateaus])}")
    print(f"    tilt off degrees: {spread([one.tilt_off_deg for one in plateaus])}")
    print(f"    seconds a reading: {spread([row.seconds for row in rows])}")
    _matrix("colour", Counter((one.colour, one.read_colour or "none") for one in plain), [colour.value for colour in Colour])
    _matrix("shape", Counter((one.shape, one.read_shape or "none") for one in plain), [shape.value for shape in Shape])
    _confidences(columns, [one.confidence for one in strangers])
    faulty = sorted((row for row in rows if row.faults), key=lambda row: -len(row.faults))
    for row in faulty[:worst]:
        print(f"    {len(row.faults)} wrong, seed {row.seed} ({row.plateaus_true} plateaus): {'; '.join(row.faults)}")


def _calibration(what: str, squares: Sequence[float], axes: int = 2) -> None:
    """Squared errors over variances: their mean and median, both 1 if uncertainties are right, and the shares within 1 and 2 deviations."""
    if not squares:
        return
    middle = {1: 0.4549, 2: math.log(2)}[axes]
    within = [sum(one < limit for one in squares) / len(squares) for limit in ((1.0, 4.0) if axes == 1 else (1.1394, 2.9957))]
    print(
        f"    {what}: squared error over variance: mean {np.mean(squares):.2f}, median {np.median(squares) / middle:.2f}, "
        f"within the 68 % region {100 * within[0]:.0f} %, the 95 % region {100 * within[1]:.0f} %, n {len(squares)}"
    )


def _close(one: ColumnRow) -> bool:
    return one.right and one.off_mm is not None and one.off_mm <= CLOSE_MM


def _all_close(row: TowerRow) -> bool:
    return all(map(_close, row.columns)) and not row.strangers


def _confidences(columns: Sequence[ColumnRow], strangers: Sequence[float]) -> None:
    sure = [(one.confidence, one.right) for one in columns if one.confidence is not None] + [(one, False) for one in strangers]
    for low, high in ((0.0, 0.6), (0.6, 0.8), (0.8, 0.95), (0.95, 0.99), (0.99, 1.01)):
        those = [(value, right) for value, right in sure if low <= value < high]
        if those:
            mean = float(np.mean([value for value, _ in those]))
            print(
                f"    confidence {low:.2f} to {min(high, 1):.2f}: mean {mean:.3f}, right {interval(sum(r for _, r in those), len(those))}"
            )


def _matrix(what: str, counts: Counter[tuple[str, str]], words: list[str]) -> None:
    print(f"    {what}, true down, read across: " + " ".join(f"{word:>7}" for word in (*words, "none")))
    for word in words:
        print(f"    {word:>30}  " + " ".join(f"{counts[word, read]:7d}" for read in (*words, "none")))
