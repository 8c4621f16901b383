"""The calibrated rig and set, as typed, versioned data: what the procedures in `calibration/` write and everybody else reads.

Nothing here measures, and nothing here is a constant of the game. Lengths are millimetres in the frame of `rig.messages`.
"""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum

import msgspec

from rig.messages import CameraPose
from rig.pieces import Colour, Floor, PieceSet, Shape

PROFILE_VERSION = 1

Point = tuple[float, float]
Rgb = tuple[int, int, int]


class Cell(msgspec.Struct, frozen=True):
    """One load cell: its place under the sensing plate, counts per gram (signed: polarity) and counts with the bare plate (tare)."""

    x_mm: float
    y_mm: float
    counts_per_g: float
    tare_counts: float


class LensKind(StrEnum):
    """By which formula a lens bends rays, and its distortion terms in their order. Files that name none mean the first."""

    PINHOLE = "pinhole"
    """OpenCV's pinhole: k1, k2, p1, p2, k3."""
    FISHEYE = "fisheye"
    """OpenCV's fisheye model, for wide lenses such as phones have: k1, k2, k3, k4."""

    @property
    def terms(self) -> tuple[str, ...]:
        """The names of its distortion terms, as OpenCV has them."""
        return _TERMS[self]


_TERMS: Mapping[LensKind, tuple[str, ...]] = {LensKind.PINHOLE: ("k1", "k2", "p1", "p2", "k3"), LensKind.FISHEYE: ("k1", "k2", "k3", "k4")}


class CameraModel(msgspec.Struct, frozen=True):
    """A lens and its picture's size; pixel centres are integers, so an ideal principal point is (width - 1) / 2.

    `distortion` holds the terms of its `kind` (`LensKind.terms`); ValueError if they are not as many. The formulas are in
    `vision.camera.projection`.
    """

    width_px: int
    height_px: int
    fx_px: float
    fy_px: float
    cx_px: float
    cy_px: float
    distortion: tuple[float, ...] = (0.0, 0.0, 0.0, 0.0, 0.0)
    kind: LensKind = LensKind.PINHOLE

    def __post_init__(self) -> None:
        if len(self.distortion) != len(self.kind.terms):
            raise ValueError(f"a {self.kind.value} lens has {len(self.kind.terms)} distortion terms, not {len(self.distortion)}")

    @property
    def focal_px(self) -> float:
        """The mean of both focal lengths."""
        return (self.fx_px + self.fy_px) / 2


LensDoubt = tuple[tuple[float, ...], ...]
"""Ways, independent of one another, in which a lens may be off by one standard deviation: fx, fy, cx, cy (px) and the distortion terms of
its kind each."""


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
        """The camera of this number. StopIteration if there is none."""
        return next(camera for camera in self.cameras if camera.number == number)
