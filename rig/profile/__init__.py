"""The calibrated rig and set as typed, versioned data; its files. The nominal set, drawn by us, is apart in `rig.profile.nominal`."""

from rig.profile.files import from_json, load, to_json
from rig.profile.types import (
    PROFILE_VERSION,
    BaseSize,
    Camera,
    CameraModel,
    Cell,
    ColumnSize,
    LensDoubt,
    LensKind,
    Marker,
    MarkerLayout,
    Paint,
    PlateauSize,
    Point,
    Profile,
    Rgb,
)

__all__ = [
    "PROFILE_VERSION",
    "BaseSize",
    "Camera",
    "CameraModel",
    "Cell",
    "ColumnSize",
    "LensDoubt",
    "LensKind",
    "Marker",
    "MarkerLayout",
    "Paint",
    "PlateauSize",
    "Point",
    "Profile",
    "Rgb",
    "from_json",
    "load",
    "to_json",
]
