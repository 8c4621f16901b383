"""The nominal rig and set: the twin's first draw, and the first guess for a real rig that nobody has calibrated yet.

It assumes sizes that no source gives (columns 100 mm high, 650 kg/m³; plates 5 mm, 600 kg/m³), so it is called nominal and never claimed
to be a measured set. Lengths are millimetres in the frame of `rig.messages`.
"""

from __future__ import annotations

import math

from shapely import Polygon

from rig.pieces import STANDARD_SET, Colour, Floor, PieceSet, Shape
from rig.profile.outlines import plateau_size
from rig.profile.types import (
    PROFILE_VERSION,
    BaseSize,
    Camera,
    CameraModel,
    Cell,
    ColumnSize,
    Marker,
    MarkerLayout,
    Paint,
    PlateauSize,
    Profile,
)


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
    """The drawn base."""
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
