"""Is the mat taped as it should be? A page that is missing, covered or askew is told by its name, from one picture whose pose is known.

The pose is found by all pages together, so a page that lies askew is out of step with the rest: its markers, put back onto the table, lie
beside their places, all of them in one way.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from calibration.mat import ACROSS, COLUMNS, DOWN, HALF_MM, ROWS, TILE_MM
from rig.profile import Camera, Profile
from vision.arrays import Picture
from vision.camera.markers import find_markers
from vision.camera.view import CameraView

ASKEW_MM = 2.0
"""A page whose markers lie so far from their places (mean, after the other pages' own) was taped askew. By design: 1 mm is a careful
hand's, and 2 mm on the table are 2 mm on a column."""

SEEN_SHARE = 0.5
"""A page of which nothing is seen counts as missing where the others show this share of their markers."""

LEAST_MARKERS = 3

_GERMAN_ROWS = {"back": "hinten", "middle": "Mitte", "front": "vorn"}
_GERMAN_COLUMNS = {"left": "links", "right": "rechts"}


def page_of(x_mm: float, y_mm: float) -> tuple[int, int]:
    """The row and column of the page on which a place lies."""
    row = min(DOWN - 1, max(0, int((HALF_MM - y_mm) // TILE_MM[1])))
    return row, min(ACROSS - 1, max(0, int((x_mm + HALF_MM) // TILE_MM[0])))


def pages_fault(picture: Picture, profile: Profile, camera: Camera) -> tuple[str, str] | None:
    """What is wrong with the mat's pages, in English and German; None if nothing is. The camera must have a pose."""
    if camera.pose is None:
        return None
    view = CameraView.of(camera.model, camera.pose)
    found = find_markers(picture, profile.markers)
    quads = dict(zip(found.ids, found.corners_px, strict=True))
    off_mm: dict[tuple[int, int], list[npt.NDArray[np.float64]]] = {}
    wanted: dict[tuple[int, int], int] = {}
    for marker in profile.markers.markers:
        corners = np.array(marker.corners_mm)
        middle = corners.mean(0)
        page = page_of(float(middle[0]), float(middle[1]))
        wanted[page] = wanted.get(page, 0) + _inside(view, camera, corners)
        if marker.id in quads:
            px_per_mm = _jacobian(view, middle)
            off_px = quads[marker.id].mean(0) - view.project(middle)
            off_mm.setdefault(page, []).append(np.linalg.solve(px_per_mm, off_px))
    return _missing(wanted, off_mm) or _askew(off_mm)


def _missing(wanted: dict[tuple[int, int], int], seen: dict[tuple[int, int], list[npt.NDArray[np.float64]]]) -> tuple[str, str] | None:
    shares = {page: len(seen.get(page, ())) / count for page, count in wanted.items() if count >= LEAST_MARKERS}
    gone = [page for page, share in shares.items() if share == 0]
    others = [share for share in shares.values() if share > 0]
    if len(gone) != 1 or not others or min(others) < SEEN_SHARE:
        return None
    english, german = _name(gone[0])
    return (
        f"The page {english} of the mat is missing or covered: its markers are not seen.",
        f"Die Seite {german} fehlt oder ist verdeckt: Ihre Marken sind nicht zu sehen.",
    )


def _askew(off_mm: dict[tuple[int, int], list[npt.NDArray[np.float64]]]) -> tuple[str, str] | None:
    means = {page: np.mean(each, axis=0) for page, each in off_mm.items() if len(each) >= LEAST_MARKERS}
    if len(means) < LEAST_MARKERS:
        return None
    usual = np.median(list(means.values()), axis=0)
    far = {page: float(np.linalg.norm(mean - usual)) for page, mean in means.items()}
    page = max(far, key=lambda one: far[one])
    if far[page] < ASKEW_MM:
        return None
    english, german = _name(page)
    return (
        f"The page {english} of the mat lies {far[page]:.0f} mm beside its place: tape it again, edge to edge.",
        f"Die Seite {german} liegt {far[page]:.0f} mm daneben: noch einmal Kante an Kante kleben.",
    )


def _inside(view: CameraView, camera: Camera, corners: npt.NDArray[np.float64]) -> bool:
    pixels = view.project(corners)
    width, height = camera.model.width_px, camera.model.height_px
    return bool(np.isfinite(pixels).all() and (pixels > 2).all() and (pixels < (width - 3, height - 3)).all())


def _jacobian(view: CameraView, place: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    """By how many pixels (2, 2) a point of the table moves for a millimetre along x and y."""
    here = view.project(place)
    return np.stack([view.project(place + step) - here for step in ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0))], axis=1)


def _name(page: tuple[int, int]) -> tuple[str, str]:
    row, column = ROWS[page[0]], COLUMNS[page[1]]
    return f"{row} {column}", f"{_GERMAN_ROWS[row]} {_GERMAN_COLUMNS[column]}"
