"""Sets as they come out of boxes: drawn from a seed, each a little different, and what a calibration would have measured of them.

No source gives the sizes of the real set, and no two wooden sets are alike; so a game at home is played with a set of its own: column
heights by shape, thicknesses, masses, densities, five irregular outlines, bent plywood, paint, the split of shapes, the card base. The
referee is never handed that set: `measured` gives it with a careful calibration's errors. What is physically impossible is refused.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass

import msgspec
import numpy as np
import numpy.typing as npt
from shapely import Polygon
from shapely.affinity import scale as scaled

from rig.errors import PalettiError
from rig.pieces import STANDARD_SET, Colour, Floor, PieceSet, Shape
from rig.profile import BaseSize, ColumnSize, Paint, PlateauSize, Profile, Rgb
from rig.profile.nominal import nominal_profile
from rig.profile.outlines import plateau_size
from rig.twin.physics.level_table import TableLevel
from rig.twin.physics.other_outlines import other_plateau
from rig.twin.pictures.scene import WorldName

Array = npt.NDArray[np.float64]

SPLITS: tuple[tuple[float, dict[Shape, int]], ...] = (
    (0.70, {Shape.THICK: 1, Shape.HEX: 1, Shape.THIN: 3}),
    (0.15, {Shape.THICK: 1, Shape.HEX: 2, Shape.THIN: 2}),
    (0.15, {Shape.THICK: 2, Shape.HEX: 1, Shape.THIN: 2}),
)
"""How often each split of shapes is drawn (P3: most sources say 3/1/1, the maker's text leaves it open)."""

MEASURED_SIZE_MM, MEASURED_MASS_G, MEASURED_OUTLINE_MM, MEASURED_PAINT = 0.3, 0.3, 1.0, 4.0
"""A calibration's largest errors: uniform within these (a vernier and the scale; outlines are traced from pictures)."""


@dataclass(frozen=True, slots=True)
class Warp:
    """A bent plate: along the line through `hinge_mm`, across `azimuth_deg`, each of its parts slopes off on its own side.

    Plywood cups along the grain; two planes that meet in a line are the simplest plate that rests on some columns and not on others.
    `warp_mm` is how far the far edges lie above (negative: below) the middle; the thickness stays.
    """

    warp_mm: float
    azimuth_deg: float
    hinge_mm: tuple[float, float]
    reach_mm: float

    def rise_mm(self, outline_mm: Array) -> Array:
        """How far the points (n, 2) of one part's outline lie above the flat plate: a plane a part, so that each stays convex."""
        a = math.radians(self.azimuth_deg)
        along = (outline_mm - np.array(self.hinge_mm)) @ np.array([math.cos(a), math.sin(a)])
        side = 1.0 if float(along.mean()) >= 0 else -1.0
        return np.asarray(side * along * self.warp_mm / self.reach_mm, np.float64)


@dataclass(frozen=True, slots=True)
class TrueSet:
    """The set as it is: its profile (sizes, masses, outlines, paint) and how its plateaus are bent; `friction` of wood on wood."""

    profile: Profile
    bends: Mapping[Floor, Warp]
    friction: float


def set_for(
    level: TableLevel, seed: int, cameras: int = 2, pieces: PieceSet | None = None, picture_px: tuple[int, int] = (720, 1280),
    world: WorldName = "A",
) -> TrueSet:  # fmt: skip
    """The set that a game of this level is played with."""
    if level.drawn_set:
        return draw_set(seed, cameras, pieces, picture_px, world)
    return nominal_set(level.friction, cameras, pieces, picture_px, world)


def draw_set(
    seed: int, cameras: int = 2, pieces: PieceSet | None = None, picture_px: tuple[int, int] = (720, 1280), world: WorldName = "A"
) -> TrueSet:
    """A set out of its box, deterministic by seed; `pieces` fixes the split of shapes, `world` the family of outlines. It can stand:
    `check_set` holds."""
    rng = np.random.default_rng((seed, 0x5E7))
    if pieces is None:
        share = rng.random() - np.cumsum([weight for weight, _ in SPLITS])
        pieces = PieceSet.of(SPLITS[int(np.argmax(share < 0))][1])
    nominal = nominal_profile(cameras, pieces, *picture_px)
    plateaus = _draw_plateaus(rng, nominal, world)
    profile = msgspec.structs.replace(
        nominal, name=f"drawn {seed}", columns=_draw_columns(rng), plateaus=plateaus, base=_draw_base(rng, nominal.base),
        paint=_shade(nominal.paint, rng, 9.0),
    )  # fmt: skip
    check_set(profile)
    bends = {plateau: _draw_bend(rng, size) for plateau, size in plateaus.items()}
    return TrueSet(profile, bends, float(rng.uniform(0.34, 0.5)))


def nominal_set(
    friction: float, cameras: int = 2, pieces: PieceSet | None = None, picture_px: tuple[int, int] = (720, 1280), world: WorldName = "A"
) -> TrueSet:
    """The nominal set: one draw like any other, with flat plates. World B's has outlines of its own, the same in every game."""
    profile = nominal_profile(cameras, pieces or STANDARD_SET, *picture_px)
    if world == "B":
        profile = msgspec.structs.replace(profile, plateaus=_draw_plateaus(np.random.default_rng(0xB0B), profile, world))
    return TrueSet(profile, {}, friction)


def _draw_plateaus(rng: np.random.Generator, nominal: Profile, world: WorldName) -> dict[Floor, PlateauSize]:
    """Each smaller than the one below (P2)."""
    draw = _draw_plateau if world == "A" else other_plateau
    plateaus: dict[Floor, PlateauSize] = {}
    area_mm2 = math.inf
    for plateau in nominal.pieces.plateaus:
        plateaus[plateau] = draw(rng, nominal.plateaus[plateau], area_mm2)
        area_mm2 = Polygon(plateaus[plateau].outline_mm).area
    return plateaus


def _draw_columns(rng: np.random.Generator) -> dict[Shape, ColumnSize]:
    """Heights of one turner's batch: the shapes within a millimetre of each other; beech to pine by density."""
    height_mm, density = rng.uniform(96.0, 104.0), rng.uniform(0.56e-3, 0.72e-3)
    thick, flats, thin = rng.uniform(13.0, 14.6), rng.uniform(18.5, 21.0), rng.uniform(7.1, 8.2)
    areas = {Shape.THICK: math.pi * thick**2, Shape.HEX: flats**2 * math.sqrt(3) / 2, Shape.THIN: math.pi * thin**2}
    radius = {Shape.THICK: thick, Shape.HEX: flats / math.sqrt(3), Shape.THIN: thin}
    found = {}
    for shape in Shape:
        height = height_mm + rng.uniform(-0.5, 0.5)
        grams = areas[shape] * height * density * rng.uniform(0.96, 1.04)
        found[shape] = ColumnSize(round(radius[shape], 3), round(height, 3), round(grams, 2), 6 if shape is Shape.HEX else 0)
    return found


def _draw_plateau(rng: np.random.Generator, nominal: PlateauSize, below_mm2: float) -> PlateauSize:
    """The nominal parts turned, stretched and moved against each other; always smaller than the plateau below (P2)."""
    thickness_mm, density = rng.uniform(4.2, 5.2), rng.uniform(0.52e-3, 0.66e-3)
    while True:
        parts = []
        for part in nominal.parts_mm:
            shape = scaled(Polygon(part), rng.uniform(0.95, 1.05), rng.uniform(0.95, 1.05), origin="centroid")
            dx, dy = rng.uniform(-5, 5, 2)
            waves, phase = rng.uniform(0, 0.012, 2), rng.uniform(0, 2 * math.pi, 2)
            parts.append(_waved(shape, dx, dy, waves, phase))
        size = plateau_size(parts, round(thickness_mm, 2), density)
        if Polygon(size.outline_mm).area < 0.97 * below_mm2:
            return size


def _waved(shape: Polygon, dx: float, dy: float, waves: Array, phase: Array) -> Polygon:
    """The outline a little egg-shaped and a little three-cornered, and convex still."""
    x0, y0 = shape.centroid.x, shape.centroid.y
    points = []
    for x, y in list(shape.exterior.coords)[:-1]:
        angle = math.atan2(y - y0, x - x0)
        grow = 1 + waves[0] * math.cos(2 * angle + phase[0]) + waves[1] * math.cos(3 * angle + phase[1])
        points.append((x0 + dx + (x - x0) * grow, y0 + dy + (y - y0) * grow))
    hull = Polygon(points).convex_hull
    assert isinstance(hull, Polygon)
    return hull


def _draw_base(rng: np.random.Generator, nominal: BaseSize) -> BaseSize:
    radius_mm = rng.uniform(145.0, 156.0)
    return msgspec.structs.replace(
        nominal,
        radius_mm=round(radius_mm, 1),
        site_radius_mm=round(radius_mm - rng.uniform(17.0, 22.0), 1),
        thickness_mm=round(rng.uniform(3.0, 4.5), 2),
        mass_g=round(rng.uniform(150.0, 210.0), 1),
    )


def _draw_bend(rng: np.random.Generator, size: PlateauSize) -> Warp:
    """0.2 to 0.8 mm, cupped or bowed, bent where the parts meet."""
    first, second = (np.array(Polygon(part).centroid.coords[0]) for part in (size.parts_mm[0], size.parts_mm[-1]))
    way = second - first
    azimuth = math.degrees(math.atan2(way[1], way[0])) + float(rng.normal(0, 12)) if np.linalg.norm(way) > 1e-6 else 0.0
    middle = (first + second) / 2
    reach = float(max(np.linalg.norm(np.array(size.outline_mm) - middle, axis=1)))
    warp = float(rng.uniform(0.2, 0.8)) * (1 if rng.random() < 0.5 else -1)
    return Warp(warp, azimuth, (float(middle[0]), float(middle[1])), reach)


def _shade(paint: Paint, rng: np.random.Generator, spread: float) -> Paint:
    """Every colour a little lighter or darker, and a little off."""

    def off(rgb: Rgb) -> Rgb:
        light = rng.normal(0, spread)
        red, green, blue = (int(np.clip(value + light + rng.normal(0, spread / 2), 6, 248)) for value in rgb)
        return (red, green, blue)

    columns: dict[Colour, Rgb] = {colour: off(rgb) for colour, rgb in paint.columns.items()}
    return Paint(columns, {floor: off(rgb) for floor, rgb in paint.plateaus.items()}, off(paint.base))


def measured(true: Profile, seed: int) -> Profile:
    """What a calibration makes of the set: sizes within 0.3 mm, masses within 0.3 g, outlines within 1 mm, paint within a few levels."""
    rng = np.random.default_rng((seed, 0x3EA5))

    def near(value: float, most: float) -> float:
        return round(value + float(rng.uniform(-most, most)), 3)

    columns = {
        shape: msgspec.structs.replace(
            size,
            radius_mm=near(size.radius_mm, MEASURED_SIZE_MM / 2),
            height_mm=near(size.height_mm, MEASURED_SIZE_MM),
            mass_g=near(size.mass_g, MEASURED_MASS_G),
        )
        for shape, size in true.columns.items()
    }
    plateaus = {}
    for floor, size in true.plateaus.items():
        grow, phase = float(rng.uniform(0.2, 1.0)) * MEASURED_OUTLINE_MM, float(rng.uniform(0, 2 * math.pi))
        parts = [_traced(part, grow, phase) for part in size.parts_mm]
        again = plateau_size(parts, near(size.thickness_mm, MEASURED_SIZE_MM / 2))
        plateaus[floor] = msgspec.structs.replace(again, mass_g=near(size.mass_g, MEASURED_MASS_G))
    return msgspec.structs.replace(true, name="measured", columns=columns, plateaus=plateaus, paint=_shade(true.paint, rng, MEASURED_PAINT))


def _traced(part: tuple[tuple[float, float], ...], most_mm: float, phase: float) -> Polygon:
    """An outline traced from a picture: everywhere within `most_mm` of the true one, in slow waves."""
    points = []
    for x, y in part:
        angle, away = math.atan2(y, x), math.hypot(x, y)
        off = most_mm * math.cos(2 * angle + phase)
        points.append((x + off * x / max(away, 1.0), y + off * y / max(away, 1.0)))
    hull = Polygon(points).convex_hull
    assert isinstance(hull, Polygon)
    return hull


def check_set(profile: Profile) -> None:
    """PalettiError if the set cannot be or cannot stand: no mass, no size, a column wider than a plateau, plateaus that do not shrink."""
    for shape, size in profile.columns.items():
        _positive(f"A {shape} column", {"mass": size.mass_g, "radius": size.radius_mm, "height": size.height_mm})
    area_mm2 = math.inf
    for floor in profile.pieces.plateaus:
        plate = profile.plateaus[floor]
        _positive(f"The {floor.word} plateau", {"mass": plate.mass_g, "thickness": plate.thickness_mm})
        shape_mm = Polygon(plate.outline_mm)
        for shape in {column.shape for column in profile.pieces.columns}:
            radius_mm = profile.columns[shape].radius_mm
            if shape_mm.buffer(-radius_mm).is_empty:
                raise PalettiError(
                    f"This set cannot stand: a {shape} column, {2 * radius_mm:.0f} mm wide, is wider than the {floor.word} plateau.",
                    "Check the sizes: lengths are in millimetres.",
                )
        if shape_mm.area >= area_mm2:
            raise PalettiError(f"The {floor.word} plateau is not smaller than the one below it (P2).", "Check the outlines.")
        area_mm2 = shape_mm.area
    _positive("The base", {"mass": profile.base.mass_g, "radius": profile.base.radius_mm})
    widest_mm = max(profile.columns[column.shape].radius_mm for column in profile.pieces.columns)
    if profile.base.site_radius_mm <= widest_mm:
        raise PalettiError(
            "This set cannot stand: a column is wider than the building site.", "Check the sizes: lengths are in millimetres."
        )


def _positive(what: str, values: Mapping[str, float]) -> None:
    for name, value in values.items():
        if not (math.isfinite(value) and value > 0):
            raise PalettiError(f"{what} has a {name} of {value:g}; it must be more than nothing.", "Correct the set's sizes and masses.")
