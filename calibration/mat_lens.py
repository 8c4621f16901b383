"""A phone's lens from views of the mat: the sheet on the table is the board, and the phone is carried round it.

The mat's markers lie in one plane, as a board's do, so the fit and its verdict are those of `lens.py`. What differs is the guidance: the
sheet lies still and the phone moves, and a phone cannot be turned on its side (its picture would turn too). A lens that nobody has measured
is taken as a usual phone's, with the doubt that goes with it.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import cv2
import msgspec
import numpy as np

from calibration.boards import LEAST_CORNERS, Floats, Seen
from calibration.guidance import STILL_SHARE, Hold, hold_of, poses_of
from calibration.lens import LensReport, find_lens
from rig.errors import PalettiError
from rig.profile import Camera, CameraModel, MarkerLayout
from vision.arrays import Picture
from vision.camera.markers import find_markers, outward

WANTED: tuple[tuple[str, str, str], ...] = (
    (
        "front",
        "Hold the phone flat above the sheet, so near that the sheet fills it.",
        "Das Handy flach über das Blatt halten, bildfüllend.",
    ),
    (
        "up",
        "Move it towards you and tip it up, to look across the sheet from the front.",
        "Zu dir her bewegen und aufrichten: von vorn schräg über das Blatt schauen.",
    ),
    (
        "left",
        "Move it to the right of the sheet and tip it back towards it, without turning it round.",
        "Nach rechts neben das Blatt bewegen und zum Blatt kippen, ohne es zu drehen.",
    ),
    (
        "right",
        "Move it to the left of the sheet and tip it back towards it, without turning it round.",
        "Nach links neben das Blatt bewegen und zum Blatt kippen, ohne es zu drehen.",
    ),
)
"""Views by the names of `guidance.poses_of`, with what to say. Walking round the table would not do: seen from the phone the sheet would
lie the same way each time, and planes that are parallel say nothing of a focal length (Zhang, 2000, section 3.3)."""

LEAST_VIEWS, MOST_VIEWS = 6, 16
APART_DEG = 9.0
"""A view is taken if its plane differs by so much from those of all views taken. Smaller: more views, each telling less."""

USUAL_FOCAL_SHARE = 0.90
"""Focal length over the picture's longer side. Main cameras of phones are 24 to 28 mm equivalent (0.67 to 0.78 of the long side of a 3:2
picture); a video's crop makes it 0.75 to 1.05 (by design, not measured)."""
USUAL_DOUBT = 0.08
"""One standard deviation of that, as a share of the focal length."""


def view_of_mat(picture: Picture, layout: MarkerLayout, name: str = "") -> Seen:
    """The mat's corners in a picture (h, w, 3), BGR; none if no marker is seen."""
    seen = find_markers(picture, layout)
    places = {marker.id: np.array(marker.corners_mm) for marker in layout.markers}
    height, width = picture.shape[:2]
    if not seen.ids:
        nothing = np.zeros((0, 2))
        return Seen(name, np.zeros(0, np.intp), np.zeros((0, 3)), nothing, nothing, 0, (width, height))
    corners = np.concatenate([places[number] for number in seen.ids])
    corners = corners - (0.0, 0.0, corners[0, 2])
    ids = np.concatenate([4 * number + np.arange(4) for number in seen.ids]).astype(np.intp)
    return Seen(name, ids, corners, seen.corners_px.reshape(-1, 2), outward(seen.corners_px).reshape(-1, 2), len(seen.ids), (width, height))


@dataclass(slots=True)
class MatViews:
    """Views taken one by one while a phone is carried round the mat. `sentence`: what to do next, English and German."""

    layout: MarkerLayout
    taken: list[Seen] = field(default_factory=list)
    report: LensReport | None = None
    _holds: list[Hold] = field(default_factory=list)
    _before: Seen | None = None

    def see(self, picture: Picture) -> bool:
        """Looks at the next picture; whether it was taken as a view. The lens is tried as soon as there are enough."""
        view = view_of_mat(picture, self.layout, f"view {len(self.taken) + 1}")
        before, self._before = self._before, view
        hold = hold_of(view)
        if hold is None or before is None or not _still(before, view) or not self._new(hold):
            return False
        self.taken.append(view)
        self._holds.append(hold)
        if not self.missing and len(self.taken) >= LEAST_VIEWS:
            self._try()
        return True

    def _new(self, hold: Hold) -> bool:
        here = np.array((hold.right_deg, hold.down_deg))
        return all(float(np.linalg.norm(here - (one.right_deg, one.down_deg))) >= APART_DEG for one in self._holds)

    def _try(self) -> None:
        try:
            self.report = find_lens(self.taken, "the mat")
        except PalettiError:
            self.report = None

    @property
    def missing(self) -> list[str]:
        """Names of wanted views not served yet."""
        served = frozenset[str]().union(*(poses_of(hold) for hold in self._holds))
        return [name for name, *_ in WANTED if name not in served]

    @property
    def corners_px(self) -> Floats:
        """The markers' corners (n, 4, 2) in the newest picture."""
        return self._before.pixels.reshape(-1, 4, 2) if self._before is not None else np.zeros((0, 4, 2))

    @property
    def done(self) -> bool:
        return self.report is not None and self.report.good

    @property
    def given_up(self) -> bool:
        """So many views and still no lens that may be believed: the sheet is not flat, or not the size it should be."""
        return len(self.taken) >= MOST_VIEWS and not self.done

    @property
    def sentence(self) -> tuple[str, str]:
        if self._before is not None and self._before.markers < 4:
            return ("Show the phone the printed sheet.", "Dem Handy das gedruckte Blatt zeigen.")
        missing = self.missing
        if missing:
            return next((english, german) for name, english, german in WANTED if name == missing[0])
        if self.given_up and self.report is not None:
            return (
                f"{self.report.sentences[0]} Is the sheet flat and whole?",
                "Das Objektiv ist nicht sicher. Liegt das Blatt flach und ganz?",
            )
        return (
            "A few more views: nearer, farther, and from other sides. Hold still each time.",
            "Noch ein paar Blicke: näher, ferner, von anderen Seiten. Jedes Mal kurz stillhalten.",
        )


def _still(before: Seen, view: Seen) -> bool:
    shared, a, b = np.intersect1d(before.ids, view.ids, return_indices=True)
    if len(shared) < LEAST_CORNERS:
        return False
    return float(np.median(np.linalg.norm(before.pixels[a] - view.pixels[b], axis=1))) < 2 * STILL_SHARE * view.size_px[0]


def usual_phone(number: int, size_px: tuple[int, int]) -> Camera:
    """A phone whose lens nobody has measured: a usual one, and how far it may be off (`rig.profile.Camera.doubt`)."""
    width, height = size_px
    focal = USUAL_FOCAL_SHARE * max(size_px)
    off = USUAL_DOUBT * focal
    model = CameraModel(width, height, focal, focal, (width - 1) / 2, (height - 1) / 2)
    return Camera(number, model, doubt=((off, off, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0),))


def with_lens(camera: Camera, report: LensReport) -> Camera:
    """The camera with a measured lens; its pose is forgotten, because it was found with the old one."""
    return msgspec.structs.replace(camera, model=report.model, pose=None, doubt=report.doubt)


def markers_drawn(picture: Picture, views: MatViews) -> Picture:
    """The picture with the corners that are seen, so that people see what is looked at."""
    drawn = picture.copy()
    for quad in views.corners_px:
        cv2.polylines(drawn, [np.rint(quad).astype(np.int32)], True, (80, 220, 120), 2, cv2.LINE_AA)
    return drawn
