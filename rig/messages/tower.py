"""The tower as believed, and where a camera is."""

from __future__ import annotations

import msgspec

from rig.pieces import Column, Floor


class Standing(msgspec.Struct, frozen=True):
    """A column on a floor; (x_mm, y_mm) is its foot's centre, z_mm its foot's height, yaw_deg matters for hexagons only."""

    column: Column
    floor: Floor
    x_mm: float
    y_mm: float
    z_mm: float
    yaw_deg: float = 0.0


class Laid(msgspec.Struct, frozen=True):
    """A plateau in its place: its outline's origin (its centre of mass) and the height of its *underside*; tilts about x and y."""

    plateau: Floor
    x_mm: float
    y_mm: float
    z_mm: float
    yaw_deg: float
    tilt_x_deg: float = 0.0
    tilt_y_deg: float = 0.0


class Tower(msgspec.Struct, frozen=True):
    """All that stands, as somebody believes it (or, in the twin's truth, as it is)."""

    columns: tuple[Standing, ...] = ()
    plateaus: tuple[Laid, ...] = ()

    @property
    def top_floor(self) -> Floor:
        """The topmost floor on which columns can stand."""
        return self.plateaus[-1].plateau if self.plateaus else Floor.GROUND

    def on(self, floor: Floor) -> tuple[Standing, ...]:
        """The columns on `floor`."""
        return tuple(standing for standing in self.columns if standing.floor is floor)

    def find(self, column: Column) -> Standing | None:
        """Where `column` stands; None if it does not."""
        return next((standing for standing in self.columns if standing.column == column), None)


class CameraPose(msgspec.Struct, frozen=True):
    """Where camera `camera` is: world (mm) to camera by rotation vector `rvec` (radians, OpenCV) and translation `tvec_mm`."""

    camera: int
    rvec: tuple[float, float, float]
    tvec_mm: tuple[float, float, float]
