"""Is the mat taped as it should be? A page that is missing, covered or askew is told by its name, from one picture whose pose is known.

A page that lies askew is out of step with the rest: without it the others fit, and its markers, put back onto the table, lie beside their
places, all of them in one way.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

import numpy as np
import numpy.typing as npt

from calibration.mat import ACROSS, COLUMNS, DOWN, HALF_MM, ROWS, TILE_MM
from rig.profile import Camera, Profile
from vision.arrays import Picture
from vision.camera.markers import SeenMarkers, find_markers, fit_pose
from vision.camera.view import CameraView

ASKEW_MM = 2.0
"""A page whose markers lie so far from their places (mean) was taped askew. By design: 1 mm is a careful
hand's, and 2 mm on the table are 2 mm on a column."""

SEEN_SHARE = 0.5
"""A page of which nothing is seen counts as missing where the others show this share of their markers."""

LEAST_MARKERS = 3

Page = tuple[int, int]
"""Row from the back and column from the left."""

_GERMAN_ROWS = {"back": "hinten", "middle": "Mitte", "front": "vorn"}
_GERMAN_COLUMNS = {"left": "links", "right": "rechts"}


def page_of(x_mm: float, y_mm: float) -> Page:
    """The row and column of the page on which a place lies."""
    row = min(DOWN - 1, max(0, int((HALF_MM - y_mm) // TILE_MM[1])))
    return row, min(ACROSS - 1, max(0, int((x_mm + HALF_MM) // TILE_MM[0])))


def pages_fault(picture: Picture, profile: Profile, camera: Camera) -> tuple[str, str] | None:
    """What is wrong with the mat's pages, in English and German; None if nothing is. The camera must have a pose."""
    if camera.pose is None:
        return None
    view = CameraView.of(camera.model, camera.pose)
    found = find_markers(picture, profile.markers)
    places = {marker.id: np.array(marker.corners_mm) for marker in profile.markers.markers}
    pages = {number: page_of(*map(float, corners.mean(0)[:2])) for number, corners in places.items()}
    wanted = Counter(pages[number] for number, corners in places.items() if _inside(view, camera, corners))
    seen = Counter(pages[number] for number in found.ids)
    return _missing(wanted, seen) or _askew(found, profile, camera, pages)


def _missing(wanted: Counter[Page], seen: Counter[Page]) -> tuple[str, str] | None:
    shares = {page: seen[page] / count for page, count in wanted.items() if count >= LEAST_MARKERS}
    gone = [page for page, share in shares.items() if share == 0]
    others = [share for share in shares.values() if share > 0]
    if len(gone) != 1 or not others or min(others) < SEEN_SHARE:
        return None
    english, german = _name(gone[0])
    return (
        f"The page {english} of the mat is missing or covered: its markers are not seen.",
        f"Die Seite {german} fehlt oder ist verdeckt: Ihre Marken sind nicht zu sehen.",
    )


def _askew(found: SeenMarkers, profile: Profile, camera: Camera, pages: Mapping[int, Page]) -> tuple[str, str] | None:
    """Each page is left out in turn: without the one that lies askew the others fit best, and then it is seen how far off it lies."""
    best: tuple[float, Page, CameraView] | None = None
    for page, count in Counter(pages[number] for number in found.ids).items():
        rest = _only(found, [pages[number] != page for number in found.ids])
        fit = fit_pose(rest, profile.markers, camera.model, camera.number) if count >= LEAST_MARKERS else None
        if fit is not None and (best is None or fit.error_px < best[0]):
            best = (fit.error_px, page, CameraView.of(camera.model, fit.pose))
    if best is None:
        return None
    _, page, view = best
    own = _only(found, [pages[number] == page for number in found.ids])
    far_mm = float(np.linalg.norm(np.mean([_off_mm(view, profile, *one) for one in zip(own.ids, own.corners_px, strict=True)], axis=0)))
    if far_mm < ASKEW_MM:
        return None
    english, german = _name(page)
    return (
        f"The page {english} of the mat lies {far_mm:.0f} mm beside its place: tape it again, edge to edge.",
        f"Die Seite {german} liegt {far_mm:.0f} mm daneben: noch einmal Kante an Kante kleben.",
    )


def _only(found: SeenMarkers, kept: Sequence[bool]) -> SeenMarkers:
    mask = np.array(kept, bool)
    return SeenMarkers(tuple(number for number, keep in zip(found.ids, kept, strict=True) if keep), found.corners_px[mask], found.strangers)


def _off_mm(view: CameraView, profile: Profile, number: int, quad_px: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    """How far (right, away) a marker lies from its place on the table."""
    middle = np.mean(next(marker.corners_mm for marker in profile.markers.markers if marker.id == number), axis=0)
    return np.asarray(np.linalg.solve(_jacobian(view, middle), quad_px.mean(0) - view.project(middle)), np.float64)


def _inside(view: CameraView, camera: Camera, corners: npt.NDArray[np.float64]) -> bool:
    pixels = view.project(corners)
    width, height = camera.model.width_px, camera.model.height_px
    return bool(np.isfinite(pixels).all() and (pixels > 2).all() and (pixels < (width - 3, height - 3)).all())


def _jacobian(view: CameraView, place: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    """By how many pixels (2, 2) a point of the table moves for a millimetre along x and y."""
    here = view.project(place)
    return np.stack([view.project(place + step) - here for step in ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0))], axis=1)


def _name(page: Page) -> tuple[str, str]:
    row, column = ROWS[page[0]], COLUMNS[page[1]]
    return f"{row} {column}", f"{_GERMAN_ROWS[row]} {_GERMAN_COLUMNS[column]}"
