"""Pairs of pictures before and after something happened, drawn by the twin's renderer, with the truth beside them.

For measuring the eyes: towers, rooms, lamps, cameras and noise are drawn from the seed. What the eyes believe of the tower before is the
truth with an error of its own, as after a game's worth of re-fitting, and an action shifts the bystanders a little, as hands do.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from itertools import combinations

import msgspec
import numpy as np
import numpy.typing as npt

from rig.messages import (
    Added,
    CameraPose,
    Fallen,
    FindPose,
    Hypothesis,
    Judge,
    Laid,
    Moved,
    MovedTwo,
    NoneOfThese,
    Nothing,
    PlateauLaid,
    Posed,
    Removed,
    Stacked,
    Standing,
    Toppled,
    Tower,
)
from rig.pieces import Colour, Column, Floor, Shape
from rig.profile import Profile
from rig.profile.nominal import nominal_profile
from rig.twin.levels import level_named
from rig.twin.physics.poses import HandPose, PieceOrder, poses_of
from rig.twin.physics.sets import draw_set, measured
from rig.twin.physics.statics import outline
from rig.twin.physics.towers import random_tower, stand_somewhere
from rig.twin.pictures.cameras import Eye
from rig.twin.pictures.lenses import profile_as_calibrated
from rig.twin.pictures.scene import WorldName
from vision.scene.solids import floor_outline_mm, floor_z_mm, outside_mm, rest_z_mm
from vision.see import look

Picture = npt.NDArray[np.uint8]


class PairKind(StrEnum):
    NOTHING = "nothing"
    MOVED = "moved"
    ADDED = "added"
    REMOVED = "removed"
    LAID = "laid"
    FALLEN = "fallen"
    TWO_MOVED = "two moved"
    FOREIGN = "foreign"
    STACKED = "stacked"
    TOPPLED = "toppled"


@dataclass(frozen=True)
class Situation:
    """What happened, the true towers, the tower as believed before, and the pictures of all cameras."""

    seed: int
    happening: PairKind
    before: Tower
    after: Tower
    believed: Tower
    profile: Profile
    """The rig as the eyes know it."""
    poses: tuple[CameraPose, ...]
    true_poses: tuple[CameraPose, ...]
    before_pictures: tuple[Picture, ...]
    after_pictures: tuple[Picture, ...]
    column: Column | None = None
    plateau: Floor | None = None
    others: tuple[Column, ...] = ()
    """What else it is about: the second column of two, the carrier of a stacked one."""
    frames: dict[int, Picture] = field(default_factory=dict)


def delivered(
    eye: Eye, tower: Tower, hands: tuple[HandPose, ...] = (), lying: Mapping[Column, Lying] | None = None, t_s: float = 0.0
) -> tuple[Picture, ...]:
    """What the cameras deliver of this tower, and of columns `lying` beside it, at a time: noise and JPEG included."""
    poses = poses_of(eye.profile, tower)
    for column, lies in (lying or {}).items():
        row = PieceOrder.of(eye.profile.pieces).row[column]
        half, turn = math.radians(lies.yaw_deg) / 2, math.sqrt(0.5)
        poses.position_m[row] = (lies.x_mm / 1e3, lies.y_mm / 1e3, lies.z_mm / 1e3)
        poses.turn[row] = (turn * math.cos(half), -turn * math.sin(half), turn * math.cos(half), turn * math.sin(half))
    return tuple(eye.delivered(poses, hands, t_s))


@dataclass(frozen=True)
class Lying:
    """A column on its side, its middle at (x, y, z), its axis turned by `yaw_deg` from x."""

    x_mm: float
    y_mm: float
    z_mm: float
    yaw_deg: float


def lies_somewhere(profile: Profile, tower: Tower, rng: np.random.Generator, column: Column) -> Lying:
    """A place for a column that toppled: between the columns of the base or on a plateau where there is room, or on the table beside."""
    size = profile.columns[column.shape]
    for _ in range(60):
        floor = [Floor.GROUND, *(laid.plateau for laid in tower.plateaus)][int(rng.integers(len(tower.plateaus) + 1))]
        angle, away, yaw = rng.uniform(0, 2 * math.pi), 150.0 * math.sqrt(rng.uniform()), rng.uniform(0, math.pi)
        middle = np.array((away * math.cos(angle), away * math.sin(angle)))
        along = np.array((math.cos(yaw), math.sin(yaw)))
        points = [middle + k * along for k in np.linspace(-0.5, 0.5, 7) * size.height_mm]
        parts = floor_outline_mm(profile, tower, floor)
        if float(outside_mm(parts, np.array(points)).max()) > 0:
            continue
        others = [(s.x_mm, s.y_mm) for s in tower.on(floor)]
        if all(np.hypot(*(np.array(place) - point)) > 2 * size.radius_mm + 6.0 for place in others for point in points):
            return Lying(float(middle[0]), float(middle[1]), floor_z_mm(profile, tower, floor) + size.radius_mm, math.degrees(yaw))
    angle, away = rng.uniform(0, 2 * math.pi), rng.uniform(230, 290)
    return Lying(away * math.cos(angle), away * math.sin(angle), profile.base.table_z_mm + size.radius_mm, float(rng.uniform(0, 180)))


def found_poses(profile: Profile, pictures: tuple[Picture, ...]) -> tuple[CameraPose, ...] | None:
    """Poses by the eyes themselves, from the markers; None if one is missing."""
    poses = []
    for number, picture in enumerate(pictures, start=1):
        posed = look(FindPose(id=0, camera=number, frame=0), {0: picture}, profile)
        if not isinstance(posed, Posed) or posed.pose is None:
            return None
        poses.append(posed.pose)
    return tuple(poses)


def shaken(tower: Tower, rng: np.random.Generator, column_mm: float, plateau_mm: float, yaw_deg: float) -> Tower:
    """The tower with everything a little aside; what stands on a plateau goes along with it."""
    moves = {laid.plateau: rng.normal(0, plateau_mm, 2) for laid in tower.plateaus}
    columns = []
    for standing in tower.columns:
        dx, dy = rng.normal(0, column_mm, 2) + moves.get(standing.floor, np.zeros(2))
        columns.append(msgspec.structs.replace(standing, x_mm=standing.x_mm + float(dx), y_mm=standing.y_mm + float(dy)))
    plateaus = [
        msgspec.structs.replace(
            laid, x_mm=laid.x_mm + float(moves[laid.plateau][0]), y_mm=laid.y_mm + float(moves[laid.plateau][1]),
            yaw_deg=laid.yaw_deg + float(rng.normal(0, yaw_deg)),
        )
        for laid in tower.plateaus
    ]  # fmt: skip
    return Tower(tuple(columns), tuple(plateaus))


def without(tower: Tower, *columns: Column) -> Tower:
    return Tower(tuple(standing for standing in tower.columns if standing.column not in columns), tower.plateaus)


def stood_on_top(profile: Profile, tower: Tower, rng: np.random.Generator, column: Column) -> Tower | None:
    """`column` stood somewhere on the top floor."""
    laid = tower.plateaus[-1]
    z = laid.z_mm + profile.plateaus[laid.plateau].thickness_mm
    standing = stand_somewhere(profile, rng, column, laid.plateau, z, outline(profile, laid), list(tower.on(laid.plateau)))
    return None if standing is None else Tower((*tower.columns, standing), tower.plateaus)


def fell(tower: Tower, rng: np.random.Generator) -> Tower:
    """The top plateau slid down: it leans at the tower's side, and what stood on it lies about. Sometimes more than one."""
    gone = int(rng.integers(1, len(tower.plateaus) + 1))
    kept, lost = tower.plateaus[:-gone], tower.plateaus[-gone:]
    plateaus = list(kept)
    for laid in lost:
        angle, away = rng.uniform(0, 2 * math.pi), rng.uniform(90, 260)
        plateaus.append(
            Laid(
                laid.plateau, away * math.cos(angle), away * math.sin(angle), float(rng.uniform(0, 40)), float(rng.uniform(0, 360)),
                float(rng.normal(0, 25)), float(rng.normal(0, 25)),
            )
        )  # fmt: skip
    floors = {laid.plateau for laid in lost}
    columns = []
    for standing in tower.columns:
        if standing.floor in floors:
            angle, away = rng.uniform(0, 2 * math.pi), rng.uniform(60, 240)
            columns.append(Standing(standing.column, Floor.GROUND, away * math.cos(angle), away * math.sin(angle), -80.0))
        else:
            columns.append(standing)
    return Tower(tuple(columns), tuple(plateaus))


def _leaning(tower: Tower, rng: np.random.Generator) -> Tower | None:
    """Something that does not belong there: the next plateau, not laid but leaning steeply on the top floor."""
    if not tower.plateaus or tower.top_floor is Floor.RED:
        return None
    top = tower.plateaus[-1]
    leaning = Laid(
        Floor(tower.top_floor + 1), top.x_mm, top.y_mm, top.z_mm + 45.0, float(rng.uniform(0, 360)), float(rng.uniform(55, 75)), 0.0
    )
    return Tower(tower.columns, (*tower.plateaus, leaning))


Change = tuple[Tower, Tower, Column | None, Floor | None, tuple[Column, ...]]
"""The tower before and after, the column or plateau it is about, and other columns that it is about."""


def _stacked(profile: Profile, tower: Tower, lower: Sequence[Column], rng: np.random.Generator) -> Change | None:
    """A lower column stood on top of one of the top floor's."""
    on_top = tower.on(tower.top_floor)
    if not on_top or not lower:
        return None
    column, carrier = lower[int(rng.integers(len(lower)))], on_top[int(rng.integers(len(on_top)))]
    x, y = rng.normal(0, 1.5, 2) + (carrier.x_mm, carrier.y_mm)
    z = carrier.z_mm + profile.columns[carrier.column.shape].height_mm
    stood = Standing(column, carrier.floor, float(x), float(y), z, float(rng.uniform(0, 60)))
    rest = without(tower, column)
    return tower, Tower((*rest.columns, stood), rest.plateaus), column, None, (carrier.column,)


def _change(profile: Profile, tower: Tower, happening: PairKind, rng: np.random.Generator) -> Change | None:
    """What happens to a tower; None if this tower has no room for it."""
    lower = [standing.column for standing in tower.columns if standing.floor is not tower.top_floor]
    after: Tower | None = tower
    match happening:
        case PairKind.MOVED | PairKind.TWO_MOVED:
            picked = [lower[int(k)] for k in rng.choice(len(lower), 1 if happening is PairKind.MOVED else 2, replace=False)]
            for column in picked:
                after = None if after is None else stood_on_top(profile, without(after, column), rng, column)
            return None if after is None else (tower, after, picked[0], None, tuple(picked[1:]))
        case PairKind.ADDED:
            # set-up: some of the columns stand on the ground, and one more is stood there
            standing = [tower.columns[int(k)] for k in rng.permutation(len(tower.columns))[: int(rng.integers(1, len(tower.columns) + 1))]]
            after = Tower(tuple(standing))
            return without(after, standing[0].column), after, standing[0].column, None, ()
        case PairKind.REMOVED | PairKind.TOPPLED:
            some = lower if happening is PairKind.REMOVED else [standing.column for standing in tower.columns]
            column = some[int(rng.integers(len(some)))]
            return tower, without(tower, column), column, None, ()
        case PairKind.STACKED:
            return _stacked(profile, tower, lower, rng)
        case PairKind.LAID:
            plateau = tower.top_floor
            before = Tower(tuple(standing for standing in tower.columns if standing.floor is not plateau), tower.plateaus[:-1])
            return before, Tower(before.columns, tower.plateaus), None, plateau, ()
        case PairKind.FALLEN | PairKind.FOREIGN:
            after = fell(tower, rng) if happening is PairKind.FALLEN else _leaning(tower, rng)
            return None if after is None else (tower, after, None, None, ())
        case PairKind.NOTHING:
            return tower, tower, None, None, ()


def rig_of(seed: int, cameras: int, level: str, world: WorldName = "A") -> tuple[Profile, Profile]:
    """The rig as it is (nominal lenses: the true ones are drawn with the pictures) and as its calibration knows it."""
    if level == "lab":
        return nominal_profile(cameras), nominal_profile(cameras)
    true = draw_set(seed, cameras, world=world).profile
    return true, profile_as_calibrated(measured(true, seed), seed, level_named(level).pictures.lens_spread)


def stacked_anew(profile: Profile, tower: Tower) -> Tower:
    """The same places with the heights that follow from the sizes as `profile` has them."""
    built = Tower(tower.on(Floor.GROUND), ())
    for laid in tower.plateaus:
        built = Tower(built.columns, (*built.plateaus, msgspec.structs.replace(laid, z_mm=rest_z_mm(profile, built))))
        z_mm = floor_z_mm(profile, built, laid.plateau)
        on = tuple(msgspec.structs.replace(standing, z_mm=z_mm) for standing in tower.on(laid.plateau))
        built = Tower((*built.columns, *on), built.plateaus)
    order = {standing.column: k for k, standing in enumerate(tower.columns)}
    return Tower(tuple(sorted(built.columns, key=lambda standing: order[standing.column])), built.plateaus)


def draw_situation(
    seed: int,
    happening: PairKind,
    cameras: int = 2,
    plateaus: int | None = None,
    shake_mm: float = 1.0,
    level: str = "lab",
    world: WorldName = "A",
) -> Situation | None:
    """A situation of this kind; None if this seed has none (no free place, no marker seen …). Beyond `lab` the set is drawn, the eyes know
    it and the lenses only as well as a calibration does, and some seconds pass between the pictures."""
    rng = np.random.default_rng((seed, 0x517))
    profile, known = rig_of(seed, cameras, level, world)
    floors = int(rng.integers(1, 6)) if plateaus is None else plateaus
    tower = random_tower(profile, seed, 0 if happening is PairKind.ADDED else floors)
    change = _change(profile, tower, happening, rng)
    if change is None:
        return None
    before, after, column, plateau, others = change
    if happening not in (PairKind.FALLEN, PairKind.FOREIGN):
        after = shaken(after, rng, 0.3 * shake_mm, shake_mm, 0.3 * shake_mm)
    believed = stacked_anew(known, shaken(before, rng, 0.7, 0.7, 0.3))
    with Eye(profile, seed, level=level_named(level).pictures, world=world) as eye:
        lying = {column: lies_somewhere(profile, after, rng, column)} if happening is PairKind.TOPPLED and column is not None else {}
        began_s = float(rng.uniform(10.0, 600.0))
        first = delivered(eye, before, t_s=began_s)
        second = delivered(eye, after, lying=lying, t_s=began_s + float(rng.uniform(4.0, 25.0)))
        true_poses = eye.poses
    poses = found_poses(known, first)
    if poses is None:
        return None
    frames = dict(enumerate((*first, *second)))
    return Situation(seed, happening, before, after, believed, known, poses, true_poses, first, second, column, plateau, others, frames)


def hypotheses_for(of: Situation, wide: bool = False) -> tuple[Hypothesis, ...]:
    """All that could have happened in the eyes of a referee who knows only roughly what to expect: every column of a lower floor moved …

    `wide`: as well what it asks when nothing of that explains the pictures: any column toppled or taken away, two of one colour raised,
    one stacked on another.
    """
    top = of.believed.top_floor
    lower = [standing.column for standing in of.believed.columns if standing.floor is not top]
    hypotheses: list[Hypothesis] = [Nothing(), *(Moved(column=column, floor=top) for column in lower)]
    if of.happening is PairKind.REMOVED or wide:
        hypotheses += [Removed(column=column) for column in lower]
    if wide:
        colour = of.column.colour if of.column is not None else Colour.RED
        own = [column for column in lower if column.colour is colour or column in of.others]
        hypotheses += [Toppled(columns=(standing.column,)) for standing in of.believed.columns]
        hypotheses += [MovedTwo(columns=pair, floor=top) for pair in combinations(own, 2)]
        hypotheses += [Stacked(column=column, on=standing.column) for column in own for standing in of.believed.on(top)]
    if of.happening is PairKind.ADDED and of.column is not None:
        standing = of.after.find(of.column)
        floor = standing.floor if standing is not None else Floor.GROUND
        hypotheses += [Added(column=Column(colour, shape), floor=floor) for colour in Colour for shape in Shape]
    if of.plateau is not None:
        hypotheses.append(PlateauLaid(plateau=of.plateau))
    return (*hypotheses, Fallen(), NoneOfThese())


def asked(of: Situation, wide: bool = False, cameras: int | None = None) -> Judge:
    """The look a referee would ask for, of the first `cameras` only; frames are numbered cameras first, before then after."""
    n = len(of.poses)
    used = n if cameras is None else cameras
    hypotheses = hypotheses_for(of, wide or of.happening in (PairKind.TOPPLED, PairKind.STACKED))
    return Judge(
        id=1, before=tuple(range(used)), after=tuple(range(n, n + used)), poses=of.poses[:used], tower=of.believed, hypotheses=hypotheses
    )
