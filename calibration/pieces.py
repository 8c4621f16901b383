"""The set at hand, as its pieces are set down one by one: what kind each is, how large, how heavy, which colour. Nothing is assumed.

Each piece is what is new against the picture before. What lies flat and wide is a plateau: its outline is measured and, when all are known,
plateaus are told apart by size, the largest being blue (P2). What stands is a column: its width and height come from the pictures, its mass
from the scale's step. Columns fall into three classes of mass (without a scale: of width), and the classes are thin, hexagonal and thick by
weight (P3, P4); how many of each there are is counted, never presumed. Whatever contradicts itself is said and nothing is written.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

import cv2
import msgspec
import numpy as np
import numpy.typing as npt
from shapely.affinity import translate

from calibration.cutout import Cover, cover_of
from calibration.outline import COARSE_MM, convex_parts, joined, outline_of, thickness_of
from calibration.paint import light_of_pixels, neutral_rgb, whites_of
from calibration.standing import GOOD_FIT, StandingFit, fit_standing
from rig.errors import PalettiError
from rig.pieces import PLATEAUS, Colour, Column, Floor, PieceSet, Shape
from rig.profile import ColumnSize, PlateauSize, Profile, Rgb
from rig.profile.outlines import plateau_size
from vision.appearance.paints import feature_of
from vision.arrays import Floats
from vision.camera.markers import find_markers
from vision.camera.picture_faults import picture_fault
from vision.camera.view import CameraView

Picture = npt.NDArray[np.uint8]
Bools = npt.NDArray[np.bool_]

FLAT_MM2 = 4000.0
"""Area on the base above which what lies there is a plateau: the smallest has some 10000 mm², the thickest column's foot 600."""

CLASS_GAP = 0.25
"""Least step from one class of columns to the next, relative: by mass the shapes differ by a factor of two, within a shape by per cents."""


@dataclass(frozen=True, eq=False)
class PieceShown:
    """One piece as it was set down: pictures by camera before and after, and the scale's step (None: there is no scale)."""

    before: Mapping[int, Picture]
    after: Mapping[int, Picture]
    mass_g: float | None = None


@dataclass(frozen=True, slots=True)
class ColumnMeasured:
    """A column as measured: colour by its paint, apparent half width, height and fit by the pictures, mass by the scale."""

    colour: Colour
    standing: StandingFit
    mass_g: float | None


@dataclass(frozen=True, slots=True)
class PlateauMeasured:
    """A plateau as measured: outline and parts round its own centre, and its paint in neutral light."""

    size: PlateauSize
    area_mm2: float
    rgb: Rgb
    mass_g: float | None


@dataclass(frozen=True, slots=True)
class SetReport:
    """The set found: written into `profile`, with what a person should read."""

    profile: Profile
    columns: tuple[tuple[ColumnMeasured, Shape], ...]
    plateaus: tuple[tuple[PlateauMeasured, Floor], ...]
    sentences: tuple[str, ...]


def look_at(profile: Profile, placed: PieceShown) -> ColumnMeasured | PlateauMeasured:
    """What was set down. PalettiError if it is neither a standing column nor a plateau that lies flat."""
    views, covers, numbers = [], [], []
    for number in sorted(placed.after):
        camera = profile.camera(number)
        for picture in (placed.before[number], placed.after[number]):
            fault = picture_fault(picture, camera)
            if fault:
                raise PalettiError(fault, "Then set the piece down again.")
        if camera.pose is None:
            raise PalettiError(f"Camera {number} has no pose in the profile.", "Run `paletti calibrate camera` first.")
        view = CameraView.of(camera.model, camera.pose)
        cover = cover_of(view, profile, placed.before[number], placed.after[number])
        if cover.any():
            views.append(view)
            covers.append(cover)
            numbers.append(number)
    if not covers:
        raise PalettiError("Nothing new is to be seen on the base.", "Set one piece down in the middle, and take your hand away.")
    area = _flat_area_mm2(views, covers)
    rgb = _paint(profile, placed, numbers, [cover > 0.5 for cover in covers], upright=area < FLAT_MM2)
    if area >= FLAT_MM2:
        return _plateau(profile, views, covers, rgb, placed.mass_g)
    standing = fit_standing(views, covers)
    if standing.fit < GOOD_FIT:
        raise PalettiError(
            f"What was set down is neither a standing column nor a flat plateau (fit {standing.fit:.2f}).",
            "Set down one piece, upright or flat, alone, and take your hand away.",
        )
    return ColumnMeasured(_colour(profile, rgb), standing, placed.mass_g)


def _flat_area_mm2(views: Sequence[CameraView], covers: Sequence[Cover]) -> float:
    """Area on the base's plane that is covered in every picture: a plateau's outline, or little more than a column's foot."""
    try:
        return float(outline_of(views, covers, 3.0, COARSE_MM).area)
    except PalettiError:
        return 0.0


def _plateau(profile: Profile, views: Sequence[CameraView], covers: Sequence[Cover], rgb: Rgb, mass_g: float | None) -> PlateauMeasured:
    guess = float(np.median([size.thickness_mm for size in profile.plateaus.values()])) if profile.plateaus else 5.0
    thickness = round(thickness_of(views, covers, guess), 2)
    outline = outline_of(views, covers, thickness)
    middle = outline.centroid
    moved = translate(outline, -middle.x, -middle.y)
    parts = convex_parts(moved)
    size = plateau_size(parts, thickness, whole=joined(parts))
    if mass_g is not None:
        size = msgspec.structs.replace(size, mass_g=round(mass_g, 2))
    return PlateauMeasured(size, float(outline.area), rgb, mass_g)


def _paint(profile: Profile, placed: PieceShown, numbers: Sequence[int], masks: Sequence[Bools], upright: bool) -> Rgb:
    """The piece's paint in neutral light, as `calibration.paint` has it."""
    lights: list[Floats] = []
    for number, mask in zip(numbers, masks, strict=True):
        picture = placed.after[number]
        flat, standing = whites_of(picture, find_markers(picture, profile.markers), profile.markers)
        white = (standing if upright else flat) or flat or standing
        if white is None:
            continue
        inner = cv2.erode(mask.astype(np.uint8), np.ones((5, 5), np.uint8)).astype(np.bool_)
        lights.append(light_of_pixels(picture[inner if inner.any() else mask], white))
    if not lights:
        raise PalettiError(
            "No camera sees the white margins of enough markers to tell paint by.", "Light the markers, and keep them clear."
        )
    return neutral_rgb(np.concatenate(lights))


def _colour(profile: Profile, rgb: Rgb) -> Colour:
    seen = feature_of(rgb)[:2]
    hue = float(np.arctan2(seen[1], seen[0]))

    def away(colour: Colour) -> float:
        known = feature_of(profile.paint.columns[colour])[:2]
        return abs((hue - float(np.arctan2(known[1], known[0])) + np.pi) % (2 * np.pi) - np.pi)

    return min(profile.paint.columns, key=away)


# ---------------------------------------------------------------- the whole set


def set_of(profile: Profile, seen: Sequence[ColumnMeasured | PlateauMeasured]) -> SetReport:
    """The set at hand from all its pieces. PalettiError if they make up none: classes that run into one another, colours of unequal splits,
    more plateaus than there are."""
    columns = [one for one in seen if isinstance(one, ColumnMeasured)]
    plateaus = [one for one in seen if isinstance(one, PlateauMeasured)]
    shapes = _classes(columns)
    sizes = {shape: _size(shape, [one for one, kind in zip(columns, shapes, strict=True) if kind is shape]) for shape in Shape}
    pieces = _pieces(columns, shapes, len(plateaus))
    floors = _floors(plateaus)
    paint = msgspec.structs.replace(
        profile.paint, plateaus={**profile.paint.plateaus, **{floor: one.rgb for one, floor in zip(plateaus, floors, strict=True)}}
    )
    changed = msgspec.structs.replace(
        profile,
        pieces=pieces,
        columns=sizes,
        plateaus={floor: one.size for one, floor in sorted(zip(plateaus, floors, strict=True), key=lambda pair: pair[1])},
        paint=paint,
    )
    return SetReport(
        changed, tuple(zip(columns, shapes, strict=True)), tuple(zip(plateaus, floors, strict=True)), _say(sizes, pieces, changed)
    )


def _classes(columns: Sequence[ColumnMeasured]) -> list[Shape]:
    """Each column's shape by classes of mass, or of width where nothing was weighed."""
    if len(columns) < 3:
        raise PalettiError(f"Only {len(columns)} columns were set down.", "Set all columns down one by one.")
    weighed = all(one.mass_g is not None and one.mass_g > 0 for one in columns)
    values = np.array([one.mass_g if weighed else one.standing.half_width_mm for one in columns], np.float64)
    order = np.argsort(values)
    steps = np.diff(np.log(values[order]))
    gap = np.log(1 + (CLASS_GAP if weighed else CLASS_GAP / 2))
    cuts = np.flatnonzero(steps > gap)
    what = "masses" if weighed else "widths"
    if len(cuts) != 2:
        listed = ", ".join(f"{value:.1f}" for value in values[order])
        raise PalettiError(
            f"The columns' {what} fall into {len(cuts) + 1} classes instead of three ({listed} {'g' if weighed else 'mm'}).",
            "Was a column set down twice, two at once, or one shape left out?",
        )
    rank = np.zeros(len(columns), int)
    rank[order] = np.searchsorted(cuts, np.arange(len(columns)), side="left")
    shapes = [(Shape.THIN, Shape.HEX, Shape.THICK)[k] for k in rank]
    widths = [float(np.median([c.standing.half_width_mm for c, s in zip(columns, shapes, strict=True) if s is shape])) for shape in
              (Shape.THIN, Shape.HEX, Shape.THICK)]  # fmt: skip
    if not widths[0] < widths[1] < widths[2]:
        raise PalettiError(
            f"Scale and cameras disagree: the classes by mass are {widths[0]:.1f}, {widths[1]:.1f} and {widths[2]:.1f} mm in half width.",
            "Calibrate the scale and the cameras again, then the pieces.",
        )
    return shapes


def _size(shape: Shape, own: Sequence[ColumnMeasured]) -> ColumnSize:
    """The size of a shape: each of its columns measured as what it is, the median of them."""
    sides = 6 if shape is Shape.HEX else 0
    fits = [one.standing for one in own]
    radius = float(np.median([fit.hexagonal.radius_mm if sides else fit.half_width_mm for fit in fits]))
    height = float(np.median([fit.hexagonal.height_mm if sides else fit.height_mm for fit in fits]))
    masses = [one.mass_g for one in own if one.mass_g is not None]
    area = 1.5 * np.sqrt(3) * radius**2 if sides else np.pi * radius**2
    mass = float(np.median(masses)) if masses else 0.65e-3 * area * height  # wood of 650 kg/m³ until it is weighed
    return ColumnSize(round(radius, 2), round(height, 2), round(mass, 2), sides)


def _pieces(columns: Sequence[ColumnMeasured], shapes: Sequence[Shape], plateaus: int) -> PieceSet:
    counts = Counter((one.colour, shape) for one, shape in zip(columns, shapes, strict=True))
    each = Counter(one.colour for one in columns)
    if len(set(each.values())) > 1:
        told = ", ".join(f"{number} {colour}" for colour, number in sorted(each.items()))
        raise PalettiError(
            f"The colours have unequal numbers of columns: {told}.", "Was one set down twice, or left out, or its colour misread?"
        )
    if not 1 <= plateaus <= len(PLATEAUS):
        raise PalettiError(f"{plateaus} plateaus were laid down; a set has one to {len(PLATEAUS)}.", "Lay each down once.")
    found = [Column(colour, shape, number) for (colour, shape), many in counts.items() for number in range(1, many + 1)]
    return PieceSet(tuple(found), PLATEAUS[:plateaus])


def _floors(plateaus: Sequence[PlateauMeasured]) -> list[Floor]:
    """Which plateau each is: by size, the largest lying lowest (P2)."""
    order = np.argsort([-one.area_mm2 for one in plateaus])
    areas = [plateaus[k].area_mm2 for k in order]
    for larger, smaller in pairwise(areas):
        if smaller > 0.97 * larger:
            raise PalettiError(
                f"Two plateaus are of one size ({larger / 100:.0f} and {smaller / 100:.0f} cm²).",
                "Was one laid down twice? Each is smaller than the one below.",
            )
    floors = [Floor.BLUE] * len(plateaus)
    for floor, k in zip(PLATEAUS, order, strict=False):
        floors[int(k)] = floor
    return floors


def _say(sizes: Mapping[Shape, ColumnSize], pieces: PieceSet, profile: Profile) -> tuple[str, ...]:
    said = []
    for shape, size in sizes.items():
        many = sum(column.shape is shape for column in pieces.columns)
        said.append(f"{many} {shape}: radius {size.radius_mm:.1f} mm, height {size.height_mm:.1f} mm, {size.mass_g:.1f} g")
    colours = sorted({column.colour for column in pieces.columns})
    splits = {
        colour: tuple(pieces.counts().get((colour, shape), 0) for shape in (Shape.THIN, Shape.HEX, Shape.THICK)) for colour in colours
    }
    if len(set(splits.values())) == 1:
        thin, hexagonal, thick = splits[colours[0]]
        said.append(f"every colour has {thin} thin, {hexagonal} hexagonal, {thick} thick")
    else:
        said.extend(f"{colour}: {thin} thin, {hexagonal} hexagonal, {thick} thick" for colour, (thin, hexagonal, thick) in splits.items())
    for floor, plateau in profile.plateaus.items():
        corners = np.array(plateau.outline_mm)
        size = np.ptp(corners, axis=0)
        said.append(f"{floor.word} plateau: {size[0]:.0f} x {size[1]:.0f} mm, {plateau.thickness_mm:.1f} mm thick, {plateau.mass_g:.1f} g")
    return tuple(said)
