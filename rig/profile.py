"""The calibrated rig and set, as typed, versioned data: what the procedures in `calibration/` write and everybody else reads.

Nothing here measures; nothing here is a constant of the game. `nominal_profile()` is the twin's first draw and the first guess for a
real rig before calibration. It assumes sizes that no source gives (columns 100 mm high, 650 kg/m³; plates 5 mm, 600 kg/m³), so it is
called nominal and never claimed to be a measured set. Lengths are millimetres in the frame of `rig.messages`.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from pathlib import Path

import msgspec
from shapely import Polygon
from shapely.affinity import translate
from shapely.geometry.polygon import orient
from shapely.ops import unary_union

from rig.errors import PalettiError
from rig.messages import CameraPose
from rig.pieces import STANDARD_SET, Colour, Floor, PieceSet, Shape

PROFILE_VERSION = 1

Point = tuple[float, float]
Rgb = tuple[int, int, int]


class Cell(msgspec.Struct, frozen=True):
    """One load cell: its place under the sensing plate, counts per gram (signed: polarity) and counts with the bare plate (tare)."""

    x_mm: float
    y_mm: float
    counts_per_g: float
    tare_counts: float


class CameraModel(msgspec.Struct, frozen=True):
    """Pinhole with OpenCV's five distortion terms; pixel centres are integers, so an ideal principal point is (width - 1) / 2."""

    width_px: int
    height_px: int
    fx_px: float
    fy_px: float
    cx_px: float
    cy_px: float
    distortion: tuple[float, float, float, float, float] = (0.0, 0.0, 0.0, 0.0, 0.0)


LensDoubt = tuple[tuple[float, ...], ...]
"""Ways, independent of one another, in which a lens may be off by one standard deviation: fx, fy, cx, cy (px), k1, k2, p1, p2, k3 each."""


class Camera(msgspec.Struct, frozen=True):
    """A camera of the rig, numbered from 1. `pose` is None until it has been found; `lag_s` is exposure to arrival. `doubt` is what the
    lens's calibration left open; a lens taken as given has none."""

    number: int
    model: CameraModel
    pose: CameraPose | None = None
    lag_s: float = 0.08
    doubt: LensDoubt = ()


class Marker(msgspec.Struct, frozen=True):
    """A printed square marker: corners (mm) in ArUco's order (top left, top right, bottom right, bottom left as printed)."""

    id: int
    corners_mm: tuple[tuple[float, float, float], ...]


class MarkerLayout(msgspec.Struct, frozen=True):
    """OpenCV's dictionary by name, the black square's side, the white margin round it, and where each marker is."""

    dictionary: str
    side_mm: float
    margin_mm: float
    markers: tuple[Marker, ...]


class ColumnSize(msgspec.Struct, frozen=True):
    """A shape's size: for round ones the radius, for the hexagon the circumscribed circle's; `sides` 0 means round."""

    radius_mm: float
    height_mm: float
    mass_g: float
    sides: int = 0


class PlateauSize(msgspec.Struct, frozen=True):
    """A plateau: its outline and the convex parts that make it up, both round its own centre of mass; thickness and mass."""

    outline_mm: tuple[Point, ...]
    parts_mm: tuple[tuple[Point, ...], ...]
    thickness_mm: float
    mass_g: float


class BaseSize(msgspec.Struct, frozen=True):
    """The game's round card base (upper face z = 0), its building site, the sensing plate under it and the unweighed apron round that.

    The plate is a square of half side `plate_half_mm`, its upper face at z = -thickness. The apron is a square frame from `apron_inner_mm`
    to `apron_outer_mm` (half sides) with its rim at z = `rim_z_mm` and its skirt down to the table at z = `table_z_mm`.
    """

    radius_mm: float
    thickness_mm: float
    site_radius_mm: float
    mass_g: float
    plate_half_mm: float
    plate_mass_g: float
    apron_inner_mm: float
    apron_outer_mm: float
    rim_z_mm: float
    table_z_mm: float


class Paint(msgspec.Struct, frozen=True):
    """Colours as sRGB bytes in neutral light: a first guess that the eyes adapt."""

    columns: Mapping[Colour, Rgb]
    plateaus: Mapping[Floor, Rgb]
    base: Rgb


class Profile(msgspec.Struct, frozen=True):
    """Everything calibrated about one rig and one set."""

    version: int
    name: str
    pieces: PieceSet
    cells: tuple[Cell, ...]
    cameras: tuple[Camera, ...]
    markers: MarkerLayout
    columns: Mapping[Shape, ColumnSize]
    plateaus: Mapping[Floor, PlateauSize]
    base: BaseSize
    paint: Paint

    def camera(self, number: int) -> Camera:
        return next(camera for camera in self.cameras if camera.number == number)


def to_json(profile: Profile) -> str:
    return msgspec.json.format(msgspec.json.encode(profile), indent=1).decode()


def from_json(text: str | bytes, where: str = "the profile") -> Profile:
    """The profile written by `to_json`; PalettiError if it is none, or of another version."""
    try:
        profile = msgspec.json.decode(text, type=Profile)
    except (msgspec.DecodeError, msgspec.ValidationError, ValueError, UnicodeDecodeError) as error:
        raise PalettiError(
            f"{where} is not a usable profile: {error}.", "Calibrate again with `paletti calibrate`, or name another file."
        ) from error
    if profile.version != PROFILE_VERSION:
        raise PalettiError(
            f"{where} is a profile of version {profile.version}; this program reads version {PROFILE_VERSION}.",
            "Calibrate again with `paletti calibrate`.",
        )
    return profile


def load(path: Path) -> Profile:
    try:
        return from_json(path.read_bytes(), str(path))
    except OSError as error:
        raise PalettiError(f"The profile {path} cannot be read: {error.strerror}.", "Name an existing file with --profile.") from error


# ---------------------------------------------------------------- the nominal set and rig


def _blob(x: float, y: float, rx: float, ry: float, turn_deg: float, power: float = 2.0, points: int = 28) -> Polygon:
    """A convex curved shape: a superellipse of half axes rx, ry and this power, turned, round (x, y)."""
    turn = math.radians(turn_deg)
    corners = []
    for k in range(points):
        angle = 2 * math.pi * k / points
        u = rx * math.copysign(abs(math.cos(angle)) ** (2 / power), math.cos(angle))
        v = ry * math.copysign(abs(math.sin(angle)) ** (2 / power), math.sin(angle))
        corners.append((x + u * math.cos(turn) - v * math.sin(turn), y + u * math.sin(turn) + v * math.cos(turn)))
    return Polygon(corners)


LEAST_EDGE_MM = 0.01
"""No edge of a plateau is shorter: rounding would leave it none of its direction."""


def _ring(polygon: Polygon) -> tuple[Point, ...]:
    """Its corners to a thousandth of a millimetre, none nearly twice in a row: an edge without length has no direction."""
    corners: list[Point] = []
    for x, y in list(polygon.exterior.coords)[:-1]:
        corner = (round(x, 3), round(y, 3))
        if not corners or math.dist(corner, corners[-1]) >= LEAST_EDGE_MM:
            corners.append(corner)
    return tuple(corners if math.dist(corners[0], corners[-1]) >= LEAST_EDGE_MM else corners[:-1])


def plateau_size(
    parts: Sequence[Polygon], thickness_mm: float = 5.0, density_g_mm3: float = 0.6e-3, whole: Polygon | None = None
) -> PlateauSize:
    """The plateau made of these overlapping convex parts, moved so that its centre of mass is the origin.

    `whole` is the outline where it was there before its parts: parts that were cut out of it may leave slits of a hair's width.
    """
    outline = unary_union(list(parts)) if whole is None else whole
    if not isinstance(outline, Polygon) or outline.interiors:
        raise PalettiError("A plateau's parts must overlap to one outline without holes.")
    dx, dy = -outline.centroid.x, -outline.centroid.y
    return PlateauSize(
        outline_mm=_ring(translate(outline, dx, dy)),
        parts_mm=tuple(_ring(orient(translate(part, dx, dy))) for part in parts),  # what lies inside is told by this sense
        thickness_mm=thickness_mm,
        mass_g=round(outline.area * thickness_mm * density_g_mm3, 2),
    )


def _nominal_plateaus() -> dict[Floor, PlateauSize]:
    """Five different irregular curved outlines, each smaller than the one below (P2)."""
    return {
        Floor.BLUE: plateau_size([_blob(-38, -4, 82, 92, 8, 2.2), _blob(52, 14, 72, 74, -20)]),
        Floor.GREEN: plateau_size([_blob(0, 12, 102, 66, 12, 2.3), _blob(-20, -34, 58, 52, 0)]),
        Floor.YELLOW: plateau_size([_blob(-26, 0, 64, 74, -12, 2.4), _blob(40, -12, 56, 52, 25)]),
        Floor.ORANGE: plateau_size([_blob(0, 0, 86, 52, 18, 2.2), _blob(28, 26, 46, 42, 0)]),
        Floor.RED: plateau_size([_blob(-8, 0, 70, 52, -10, 2.5), _blob(24, -10, 44, 46, 30)]),
    }


def _nominal_columns() -> dict[Shape, ColumnSize]:
    """15 mm thin, 20 mm across flats, 28 mm thick, all 100 mm high at 650 kg/m³."""
    height, density = 100.0, 0.65e-3
    return {
        Shape.THICK: ColumnSize(14.0, height, round(math.pi * 14.0**2 * height * density, 2)),
        Shape.HEX: ColumnSize(round(20 / math.sqrt(3), 3), height, round(20**2 * math.sqrt(3) / 2 * height * density, 2), 6),
        Shape.THIN: ColumnSize(7.5, height, round(math.pi * 7.5**2 * height * density, 2)),
    }


def nominal_base() -> BaseSize:
    return BaseSize(
        radius_mm=150.0, thickness_mm=4.0, site_radius_mm=130.0, mass_g=180.0, plate_half_mm=190.0, plate_mass_g=900.0,
        apron_inner_mm=194.0, apron_outer_mm=245.0, rim_z_mm=-4.0, table_z_mm=-56.0,
    )  # fmt: skip


def _square(
    centre: tuple[float, float, float], right: tuple[float, float, float], up: tuple[float, float, float], half: float
) -> tuple[tuple[float, float, float], ...]:
    def corner(a: float, b: float) -> tuple[float, float, float]:
        x, y, z = (round(c + half * (a * r + b * u), 4) for c, r, u in zip(centre, right, up, strict=True))
        return (x, y, z)

    return (corner(-1, 1), corner(1, 1), corner(1, -1), corner(-1, -1))


def nominal_markers(base: BaseSize) -> MarkerLayout:
    """Markers of 34 mm on the apron's upper rim (ids 0 to 23, read from outside) and on its four sides (ids 24 to 51)."""
    side = 34.0
    markers: list[Marker] = []
    middle = (base.apron_inner_mm + base.apron_outer_mm) / 2
    skirt_z = (base.rim_z_mm + base.table_z_mm) / 2
    quarter_turns = ((1.0, 0.0), (0.0, 1.0), (-1.0, 0.0), (0.0, -1.0))  # along the side, counter-clockwise from the front
    for ax, ay in quarter_turns:
        nx, ny = ay, -ax  # outward
        for k in range(-3, 3):
            along = k * 66.0 if k > -3 else -middle  # each side owns the corner at its left
            markers.append(
                Marker(
                    len(markers),
                    _square((nx * middle + ax * along, ny * middle + ay * along, base.rim_z_mm), (ax, ay, 0.0), (-nx, -ny, 0.0), side / 2),
                )
            )
    for ax, ay in quarter_turns:
        nx, ny = ay, -ax
        for k in range(-3, 4):
            along = k * 66.0
            centre = (nx * base.apron_outer_mm + ax * along, ny * base.apron_outer_mm + ay * along, skirt_z)
            markers.append(Marker(len(markers), _square(centre, (ax, ay, 0.0), (0.0, 0.0, 1.0), side / 2)))
    return MarkerLayout("DICT_4X4_100", side, 5.0, tuple(markers))


def portrait_camera(width_px: int = 720, height_px: int = 1280) -> CameraModel:
    """A usual webcam turned upright: about 58 degrees tall."""
    focal = 1150.0 * height_px / 1280
    return CameraModel(width_px, height_px, focal, focal, (width_px - 1) / 2, (height_px - 1) / 2)


NOMINAL_PAINT = Paint(
    columns={Colour.RED: (186, 34, 30), Colour.BLUE: (28, 58, 158), Colour.YELLOW: (226, 176, 28), Colour.GREEN: (22, 112, 48)},
    plateaus={
        Floor.BLUE: (52, 104, 186), Floor.GREEN: (74, 150, 70), Floor.YELLOW: (240, 206, 74),
        Floor.ORANGE: (236, 126, 34), Floor.RED: (198, 48, 42),
    },
    base=(206, 190, 152),
)  # fmt: skip


def nominal_profile(cameras: int = 2, pieces: PieceSet = STANDARD_SET, width_px: int = 720, height_px: int = 1280) -> Profile:
    """The nominal rig: four cells under the plate's corners, upright cameras whose poses are still to be found, the nominal set."""
    base = nominal_base()
    plateaus = _nominal_plateaus()
    return Profile(
        version=PROFILE_VERSION,
        name="nominal",
        pieces=pieces,
        cells=tuple(Cell(x, y, 420.0, 0.0) for x, y in ((-140.0, -140.0), (140.0, -140.0), (140.0, 140.0), (-140.0, 140.0))),
        cameras=tuple(Camera(number, portrait_camera(width_px, height_px)) for number in range(1, cameras + 1)),
        markers=nominal_markers(base),
        columns=_nominal_columns(),
        plateaus={plateau: plateaus[plateau] for plateau in pieces.plateaus},
        base=base,
        paint=NOMINAL_PAINT,
    )
