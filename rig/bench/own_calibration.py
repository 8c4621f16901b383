"""Our own calibration of drawn rigs and sets, from the twin's pictures and bytes, with nothing assumed; and how far it is from the truth.

Every procedure is the one that `paletti calibrate` runs, in its order, with a simulated person doing what it asks: each lens from the
printed board (`camera --board`), the poses from the markers (`camera`), the paint from empty base and start position (`colours`), the set
piece by piece, weighed by the twin's base (`pieces`). Seeds draw set, lenses, places of the cameras, room and sensors. One file a set is
left in DIR/LEVEL-WORLD-CAMERAS; what is there is not made again. `calibrated_rig` hands true and known profile
to the other benches; `bench_own_calibration` gives the figures.
"""

from __future__ import annotations

import math
import time
from pathlib import Path

import msgspec
import numpy as np
import numpy.typing as npt
from shapely import Polygon

from calibration.guidance import guide as guide_board
from calibration.paint import measure_paint
from calibration.pieces import set_of
from calibration.pieces_guide import guide as guide_pieces
from calibration.pose import pose_cameras
from calibration.tower import BOARD
from calibration.views import lens_of
from rig.bench.base_load import LoadedBase, at
from rig.bench.board_in_hand import BoardInHand
from rig.errors import PalettiError
from rig.messages import CameraPose, Laid, Standing, StepKind, Stepped, Tower
from rig.pieces import Column, Floor, Shape
from rig.profile import CameraModel, PlateauSize, Profile
from rig.profile.nominal import nominal_profile
from rig.twin.levels import Level, level_named
from rig.twin.physics.poses import poses_of
from rig.twin.physics.sets import draw_set
from rig.twin.physics.towers import random_tower
from rig.twin.pictures.cameras import Eye
from rig.twin.pictures.scene import WorldName
from vision.camera.view import CameraView

Picture = npt.NDArray[np.uint8]
Pictures = dict[int, Picture]

SET_DOWN_S, LOOK_S, AWAY_S = 3.0, 1.0, 2.5
"""From a piece's touching down to the person's Enter, from there to the picture, and the time for taking it off again."""

WEIGH_S = 4.0
TRIES = 4
"""How often a piece is set down anew before the person gives up."""

TOP_MM = np.array([(x, y, 525.0) for x in (-90.0, 0.0, 90.0) for y in (-90.0, 0.0, 90.0)])
"""Places on the fifth floor at which lens and pose together are held to the truth."""


class Off(msgspec.Struct, frozen=True):
    """How far a calibration is from the truth: lists are a value a camera, a plateau (from the bottom) or a shape (thick, hex, thin).

    `top_px`, `top_mm`: rms at the fifth floor, lens and pose together; `top_said_mm` what the procedure itself states. Signed: found minus
    true. `asked_again`: how often a piece had to be set down anew.
    """

    focal_percent: list[float]
    focal_said_percent: list[float]
    top_px: list[float]
    top_mm: list[float]
    top_said_mm: list[float]
    overlap: list[float]
    thickness_mm: list[float]
    radius_mm: list[float]
    height_mm: list[float]
    column_g: list[float]
    plateau_g: list[float]
    split_right: bool
    colours_right: bool
    asked_again: int


class CalibrationOutcome(msgspec.Struct, frozen=True):
    """One set: `refused` is our own procedures' sentence where they refused it; else the profile found and how far off it is.

    `seconds`: processor time of each procedure; `person_s`: what it takes the simulated person, by the twin's clock.
    """

    seed: int
    cameras: int
    level: str
    world: str
    seconds: dict[str, float]
    refused: str = ""
    profile: Profile | None = None
    off: Off | None = None
    person_s: dict[str, float] = {}


def calibrated_rig(set_seed: int, cameras: int, level: str, world: WorldName, folder: Path) -> tuple[Profile, Profile]:
    """The true profile of a drawn set (nominal lenses, as `Eye(true, set_seed, level=…)` wants it) and what our own calibration found of
    rig and set, from `folder` or made now. Lenses and places of the cameras are those that `Eye` draws from `set_seed`.

    The known plateaus' frames are turned to agree with the true ones (which way a frame points is convention). PalettiError for a set that
    was refused; compare `pieces` for one whose split was misread.
    """
    outcome = outcome_of(set_seed, cameras, level, world, folder)
    if outcome.profile is None:
        raise PalettiError(f"Our own calibration refused set {set_seed}: {outcome.refused}")
    return draw_set(set_seed, cameras, world=world).profile, outcome.profile


def outcome_of(set_seed: int, cameras: int, level: str, world: WorldName, folder: Path) -> CalibrationOutcome:
    path = folder / f"{level}-{world}-{cameras}" / f"{set_seed}.json"
    if path.exists():
        return msgspec.json.decode(path.read_bytes(), type=CalibrationOutcome)
    outcome = calibrate(set_seed, cameras, level, world)
    path.parent.mkdir(parents=True, exist_ok=True)
    part = path.with_suffix(".part")
    part.write_bytes(msgspec.json.format(msgspec.json.encode(outcome), indent=1))
    part.replace(path)
    return outcome


def calibrate(seed: int, cameras: int, level: str, world: WorldName) -> CalibrationOutcome:
    """All procedures for one rig and set; a refusal ends them."""
    seconds: dict[str, float] = {}
    person: dict[str, float] = {}
    true = draw_set(seed, cameras, world=world).profile
    try:
        with CalibrationTable(true, seed, level_named(level), world) as table:
            known = nominal_profile(cameras)
            began = time.process_time()
            known, focal_said, person["lenses"] = _lenses(known, table, seed, world)
            seconds["lenses"], began = time.process_time() - began, time.process_time()
            known, reports = pose_cameras(known, {number: [table.shot()[number] for _ in range(3)] for number in range(1, cameras + 1)})
            _insist(*(report.sentence for report in reports))
            known = _colours(known, table, seed)
            person["poses and colours"] = since = table.base.t_s
            seconds["poses and colours"], began = time.process_time() - began, time.process_time()
            known, told = _pieces(known, table, seed)
            seconds["pieces"], person["pieces"] = time.process_time() - began, table.base.t_s - since
            off = _off(true, known, table, focal_said, [report.top_error_mm for report in reports], told)
    except PalettiError as error:
        return CalibrationOutcome(seed, cameras, level, world, seconds, error.sentence)
    return CalibrationOutcome(seed, cameras, level, world, seconds, "", known, off, person)


# ---------------------------------------------------------------- the table with the rig on it


class CalibrationTable:
    """The twin's rig with one set: what stands on the base, what the cameras see of it and what the scale weighs, in one virtual time."""

    def __init__(self, true: Profile, seed: int, level: Level, world: WorldName) -> None:
        self.true, self.level = true, level
        self.eye = Eye(true, seed, level=level.pictures, world=world)
        self._tower, self._load = Tower(), at(0.0)
        self._changes: list[tuple[float, npt.NDArray[np.float64]]] = [(0.0, self._load)]
        self.base = LoadedBase(self._loads, level.sensors, seed, profile=true)
        low, high = level.pictures.quality
        self.quality = int(np.random.default_rng((seed, 0x9A1)).integers(low, high + 1))

    def _loads(self, t_s: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
        """Grams on each cell (n, 4): a piece is let down within 0.3 s."""
        since = np.array([change for change, _ in self._changes])
        loads = np.array([load for _, load in self._changes])
        k = np.searchsorted(since, t_s, side="right") - 1
        part = np.clip((t_s - since[k]) / 0.3, 0, 1)[:, None]
        return np.asarray(loads[np.maximum(k - 1, 0)] * (1 - part) + loads[k] * part)

    def put(self, tower: Tower, load: npt.NDArray[np.float64]) -> None:
        self._tower = tower
        self._changes = [*self._changes[-1:], (self.base.t_s, load)]

    def wait(self, seconds: float) -> None:
        self.base.run(self.base.t_s + seconds)

    def shot(self) -> Pictures:
        """A picture a camera, as delivered, a tenth of a second from now."""
        self.wait(0.1)
        return dict(enumerate(self.eye.delivered(poses_of(self.true, self._tower), (), self.base.t_s), 1))

    def step_g(self) -> float | None:
        """As `paletti calibrate pieces` waits for the scale: the last settled set-down since it was asked before."""
        until = self.base.t_s + WEIGH_S
        while True:
            found = [one.delta_g for one in self.base.found if isinstance(one, Stepped) and one.kind is StepKind.SET_DOWN]
            if found or self.base.t_s >= until:
                self.base.found.clear()
                return found[-1] if found else None
            self.wait(0.1)

    def __enter__(self) -> CalibrationTable:
        self.wait(4.0)  # the base takes its zero
        return self

    def __exit__(self, *_: object) -> None:
        self.eye.close()
        self.base.close()


# ---------------------------------------------------------------- the procedures


def _lenses(known: Profile, table: CalibrationTable, seed: int, world: WorldName) -> tuple[Profile, list[float], float]:
    backgrounds = table.eye.see(poses_of(table.true, Tower()))
    cameras, said, person_s = [], [], 0.0
    for camera, lens, background in zip(known.cameras, table.eye.lenses, backgrounds, strict=True):
        hand = BoardInHand(lens, background, table.level.pictures, seed, camera.number, world == "B", table.quality)
        report = lens_of(guide_board(BOARD, hand.take, hand.told), BOARD)
        _insist(*(f"Camera {camera.number}: {sentence}" for sentence in report.sentences))
        cameras.append(msgspec.structs.replace(camera, model=report.model, doubt=report.doubt))
        said.append(100 * report.focal_sd_px / report.model.focal_px)
        person_s += hand.person_s
    return msgspec.structs.replace(known, cameras=tuple(cameras)), said, person_s


def _insist(*sentences: str) -> None:
    """PalettiError with the first thing that a procedure finds wanting, if there is any."""
    for sentence in filter(None, sentences):
        raise PalettiError(sentence)


def _colours(known: Profile, table: CalibrationTable, seed: int) -> Profile:
    empty = table.shot()
    start = random_tower(table.true, seed, 0)
    table.put(start, at(sum(table.true.columns[one.column.shape].mass_g for one in start.columns)))
    table.wait(30.0)
    report = measure_paint(known, empty, table.shot())
    table.put(Tower(), at(0.0))
    table.wait(AWAY_S)
    _insist(*report.sentences)
    return msgspec.structs.replace(known, paint=report.paint)


class PiecesMeasured(msgspec.Struct, frozen=True):
    """What the pieces' procedure came to against what was set down."""

    colours_right: bool
    split_right: bool
    asked_again: int


class CalibratingPerson:
    """Sets down piece by piece as `paletti calibrate pieces` asks, in the middle, anyhow turned; tries again what is not accepted."""

    def __init__(self, table: CalibrationTable, seed: int) -> None:
        pieces = table.true.pieces
        self._table, self._rng = table, np.random.default_rng((seed, 0x9E2))
        self.order: list[Column | Floor] = [*pieces.columns, *pieces.plateaus]
        self._rng.shuffle(self.order)
        self.accepted: list[tuple[Column | Floor, float]] = []
        self._yaw, self.tries, self.asked_again = 0.0, 0, 0

    def answer(self, question: str) -> str:
        if question.startswith("Piece"):
            number = int(question.removeprefix("Piece").split(":")[0])
            if number > len(self.order):
                return "done"
            self._set_down(self.order[number - 1])
        else:
            self._table.put(Tower(), at(0.0))
            self._table.wait(AWAY_S)
        return ""

    def _set_down(self, piece: Column | Floor) -> None:
        self.tries += 1
        if self.tries > TRIES:
            raise PalettiError(f"{piece} was set down {TRIES} times and never read.")
        true, rng = self._table.true, self._rng
        x, y = (float(value) for value in rng.normal(0, 12, 2))
        self._yaw = float(rng.uniform(-180, 180))
        if isinstance(piece, Floor):
            tower, mass_g = Tower((), (Laid(piece, x, y, 0.0, self._yaw),)), true.plateaus[piece].mass_g
        else:
            tower, mass_g = Tower((Standing(piece, Floor.GROUND, x, y, 0.0, self._yaw),)), true.columns[piece.shape].mass_g
        self._table.put(tower, at(mass_g, x, y))
        self._table.wait(SET_DOWN_S)

    def hear(self, sentence: str) -> None:
        """Two blanks begin what was accepted; anything else asks for the piece again."""
        if sentence.startswith("  "):
            self.accepted.append((self.order[len(self.accepted)], self._yaw))
            self.tries = 0
        else:
            self.asked_again += 1


def _pieces(known: Profile, table: CalibrationTable, seed: int) -> tuple[Profile, PiecesMeasured]:
    person = CalibratingPerson(table, seed)
    posed, seen = guide_pieces(known, table.shot, table.step_g, person.answer, person.hear)
    report = set_of(posed, seen)
    laid = [yaw for piece, yaw in person.accepted if isinstance(piece, Floor)]
    turned = {floor: _turned(one.size, -yaw) for yaw, (one, floor) in zip(laid, report.plateaus, strict=True)}
    columns = [piece for piece, _ in person.accepted if isinstance(piece, Column)]
    colours = all(one.colour is piece.colour for piece, (one, _) in zip(columns, report.columns, strict=True))
    found = msgspec.structs.replace(report.profile, plateaus={floor: turned[floor] for floor in report.profile.plateaus})
    return found, PiecesMeasured(colours, found.pieces == table.true.pieces, person.asked_again)


def _turned(size: PlateauSize, by_deg: float) -> PlateauSize:
    a = math.radians(by_deg)
    matrix = np.array(((math.cos(a), -math.sin(a)), (math.sin(a), math.cos(a))))

    def points(ring: tuple[tuple[float, float], ...]) -> tuple[tuple[float, float], ...]:
        return tuple((round(float(x), 3), round(float(y), 3)) for x, y in np.array(ring) @ matrix.T)

    return msgspec.structs.replace(size, outline_mm=points(size.outline_mm), parts_mm=tuple(points(part) for part in size.parts_mm))


# ---------------------------------------------------------------- how far off


def _off(
    true: Profile, known: Profile, table: CalibrationTable, focal_said: list[float], top_said: list[float], told: PiecesMeasured
) -> Off:
    lenses, poses = table.eye.lenses, table.eye.poses
    tops = [
        _top(lens, pose, camera.model, camera.pose) for lens, pose, camera in zip(lenses, poses, known.cameras, strict=True) if camera.pose
    ]
    floors = [floor for floor in true.pieces.plateaus if floor in known.plateaus]
    size = [(known.columns[shape], true.columns[shape]) for shape in Shape]
    plate = [(known.plateaus[floor], true.plateaus[floor]) for floor in floors]
    return Off(
        focal_percent=[100 * (camera.model.focal_px / lens.focal_px - 1) for camera, lens in zip(known.cameras, lenses, strict=True)],
        focal_said_percent=focal_said,
        top_px=[px for px, _ in tops],
        top_mm=[mm for _, mm in tops],
        top_said_mm=top_said,
        overlap=[_overlap(found, real) for found, real in plate],
        thickness_mm=[found.thickness_mm - real.thickness_mm for found, real in plate],
        radius_mm=[found.radius_mm - real.radius_mm for found, real in size],
        height_mm=[found.height_mm - real.height_mm for found, real in size],
        column_g=[found.mass_g - real.mass_g for found, real in size],
        plateau_g=[found.mass_g - real.mass_g for found, real in plate],
        split_right=told.split_right,
        colours_right=told.colours_right,
        asked_again=told.asked_again,
    )


def _top(lens: CameraModel, pose: CameraPose, found: CameraModel, found_pose: CameraPose) -> tuple[float, float]:
    """Rms distance at the fifth floor (px, mm) between where places are seen and where the profile puts them."""
    real = CameraView.of(lens, pose)
    away = np.linalg.norm(CameraView.of(found, found_pose).project(TOP_MM) - real.project(TOP_MM), axis=1)
    px = float(np.sqrt(np.square(away).mean()))
    return px, px / real.px_per_mm((0.0, 0.0, 525.0))


def _overlap(found: PlateauSize, real: PlateauSize) -> float:
    """Area common to both outlines as a share of what either covers, laid on each other by their centres."""
    a, b = Polygon(found.outline_mm), Polygon(real.outline_mm)
    return float(a.intersection(b).area / a.union(b).area)
