"""Set-up step by step, from nothing to a profile that a game can be played with: which step it is, what is wanted, and when it is good.

It knows no web page and no camera: pictures come in by `see`, taps by `act`; out come a state in plain words, pictures with what is wanted
drawn over them, and the profile. What measures are the procedures of this room, the very ones behind `paletti calibrate`; a step moves on
by itself when they are satisfied and refuses with their sentences. `Kept` carries it over a break.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

import cv2
import msgspec
import numpy as np
import numpy.typing as npt

from calibration.check import check_cameras, ghost_tower
from calibration.mat import on_mat
from calibration.mat_check import pages_fault
from calibration.mat_lens import MatViews, markers_drawn, usual_phone, with_lens
from calibration.paint import measure_paint
from calibration.paint_laid import measure_laid
from calibration.pose import TOP_POINT_MM, WANDER_MM, PoseReport, pose_cameras
from rig.errors import PalettiError
from rig.messages import CameraPose
from rig.pieces import Floor
from rig.profile import Camera, Profile, from_json, to_json
from rig.profile.nominal import nominal_profile
from vision.arrays import Picture
from vision.camera.picture_faults import picture_fault
from vision.camera.view import CameraView
from vision.scene.overlay import draw_ghost, draw_tower

MOST_PHONES = 4
STEADY = 3
"""Pictures in a row that must agree before a pose counts: hands are off the phone."""

Said = tuple[str, str]
NOTHING: Said = ("", "")


class Step(StrEnum):
    """The screens, in order."""

    HAVE = "have"
    PRINT = "print"
    LAY = "lay"
    CONNECT = "connect"
    LENS = "lens"
    POSE = "pose"
    COLOURS = "colours"
    PLATEAU = "plateau"
    CHECK = "check"
    NAMES = "names"
    PLAY = "play"


STEPS = tuple(Step)


class Kept(msgspec.Struct, frozen=True):
    """What is carried over a break. `phones` 0: the desk alone."""

    step: Step = Step.HAVE
    phones: int = 0
    paper: str = "a4"
    profile_json: str = ""
    measured: tuple[int, ...] = ()


@dataclass(slots=True)
class _Eye:
    """What one phone has shown in this step."""

    picture: Picture | None = None
    views: MatViews | None = None
    tops_mm: list[npt.NDArray[np.float64]] = field(default_factory=list)
    report: PoseReport | None = None
    said: Said = NOTHING
    good: bool = False


class SetUp:
    """One set-up. Not thread-safe: its owner calls it from one thread at a time."""

    def __init__(self, kept: Kept | None = None, keep: Callable[[Kept], None] = lambda _: None) -> None:
        """`keep` is called with what is to be kept after every step."""
        kept = kept or Kept()
        self._keep = keep
        self.step, self.phones, self.paper = kept.step, kept.phones, kept.paper
        self._measured = set(kept.measured)
        self.profile: Profile | None = from_json(kept.profile_json, "the set-up") if kept.profile_json else None
        self._eyes: dict[int, _Eye] = {}
        self._empty: dict[int, Picture] = {}
        self._start: dict[int, Picture] = {}
        self.said: Said = NOTHING
        self.refused = False
        self.stands: tuple[str, ...] = ()
        """What has been built by now, in the rules' notation: the game begins with it."""
        if self.step in (Step.COLOURS, Step.PLATEAU, Step.CHECK):
            self.step = Step.POSE  # the picture of the empty base is not carried over
        self._begin()

    # ------------------------------------------------------------ what people tap

    def act(self, name: str, value: str = "") -> None:
        """A tap; PalettiError for one that makes no sense now."""
        self.said, self.refused = NOTHING, False
        if name == "back":
            self._to(self._neighbour(-1))
            return
        deeds: dict[tuple[Step, str], Callable[[str], None]] = {
            (Step.HAVE, "have"): self._have, (Step.PRINT, "printed"): self._printed, (Step.LAY, "laid"): self._next,
            (Step.LENS, "usual"): self._usual, (Step.POSE, "empty"): self._take_empty, (Step.COLOURS, "stand"): self._take_start,
            (Step.PLATEAU, "lies"): self._take_laid, (Step.PLATEAU, "skip"): self._next, (Step.NAMES, "play"): self._next,
        }  # fmt: skip
        deed = deeds.get((self.step, name))
        if deed is None:
            raise PalettiError("That does not belong to this step: reload the page.")
        try:
            deed(value)
        except PalettiError as error:
            self.said, self.refused = (f"{error.sentence} {error.hint or ''}".strip(), german_of(error.sentence)), True

    def _have(self, value: str) -> None:
        if not value.isdigit() or not 0 <= int(value) <= MOST_PHONES:
            raise PalettiError(f"{value!r} is no number of phones: 0 to {MOST_PHONES}.")
        self.phones = int(value)
        self.profile = None
        self._measured.clear()
        self._to(Step.PRINT if self.phones else Step.NAMES)

    def _printed(self, value: str) -> None:
        """`value`: how long the ruler of 100 mm is on the sheet (mm); empty: it was not measured."""
        if value:
            found = _number(value)
            if found is None or abs(found - 100.0) > 1.0:
                raise PalettiError(
                    f"The ruler measures {value} mm instead of 100: the mat was not printed at 100 %.",
                    "Switch off 'fit to page' in the print dialogue and print it again.",
                )
        self._next()

    def _usual(self, _: str = "") -> None:
        """Every lens not measured yet is taken as a usual phone's, with doubt."""
        self._next()

    def _next(self, _: str = "") -> None:
        self._to(self._neighbour(1))

    def _neighbour(self, by: int) -> Step:
        if not self.phones:
            return Step.HAVE if by < 0 else {Step.HAVE: Step.NAMES}.get(self.step, Step.PLAY)
        return STEPS[min(len(STEPS) - 1, max(0, STEPS.index(self.step) + by))]

    def _to(self, step: Step) -> None:
        self.step = step
        self._begin()
        profile_json = to_json(self.profile) if self.profile is not None else ""
        self._keep(Kept(self.step, self.phones, self.paper, profile_json, tuple(sorted(self._measured))))

    def _begin(self) -> None:
        pictures = {number: eye.picture for number, eye in self._eyes.items()}
        self._eyes = {number: _Eye(pictures.get(number)) for number in range(1, self.phones + 1)}

    # ------------------------------------------------------------ what cameras see

    def see(self, camera: int, picture: Picture) -> None:
        """A camera's newest picture (h, w, 3), BGR."""
        eye = self._eyes.get(camera)
        if eye is None:
            return
        eye.picture = picture
        match self.step:
            case Step.CONNECT:
                if all(one.picture is not None for one in self._eyes.values()):
                    self._connected()
            case Step.LENS:
                self._see_lens(camera, eye, picture)
            case Step.POSE:
                self._see_pose(camera, eye, picture)
            case Step.CHECK:
                self._see_check(camera, eye, picture)
            case _:
                pass

    def _connected(self) -> None:
        sizes = {number: eye.picture.shape[1::-1] for number, eye in self._eyes.items() if eye.picture is not None}
        if self.profile is None or any(self._size(number) != sizes[number] for number in sizes):
            cameras = tuple(usual_phone(number, (int(size[0]), int(size[1]))) for number, size in sorted(sizes.items()))
            self.profile = msgspec.structs.replace(on_mat(nominal_profile(cameras=len(cameras))), name="phones and mat", cameras=cameras)
            self._measured.clear()
        self._to(Step.LENS if len(self._measured) < self.phones else Step.POSE)

    def _size(self, number: int) -> tuple[int, int] | None:
        known = [camera.model for camera in self._profile.cameras if camera.number == number]
        return (known[0].width_px, known[0].height_px) if known else None

    @property
    def _profile(self) -> Profile:
        if self.profile is None:
            raise PalettiError("No phone has been connected yet.", "Go back to connecting the phones.")
        return self.profile

    def _see_lens(self, camera: int, eye: _Eye, picture: Picture) -> None:
        eye.views = eye.views or MatViews(self._profile.markers)
        if camera not in self._measured:
            eye.views.see(picture)
            eye.said = eye.views.sentence
            if eye.views.done and eye.views.report is not None:
                self._measured.add(camera)
                self._replace(with_lens(self._profile.camera(camera), eye.views.report))
        if camera in self._measured:
            eye.good, eye.said = True, ("The lens is known.", "Das Objektiv ist bekannt.")
        if len(self._measured) == self.phones:
            self._next()

    def _see_pose(self, camera: int, eye: _Eye, picture: Picture) -> None:
        eye.good, eye.report = False, None
        fault = picture_fault(picture, self._profile.camera(camera))
        if fault:
            eye.said = (fault, german_of(fault))
            return
        try:
            posed, (eye.report,) = pose_cameras(self._profile, {camera: [picture]})
        except PalettiError as error:
            eye.said = (error.sentence, german_of(error.sentence))
            return
        self.profile = posed
        eye.tops_mm = [*eye.tops_mm, _top_mm(posed.camera(camera))][-STEADY:]
        steady = len(eye.tops_mm) == STEADY and float(np.ptp(eye.tops_mm, axis=0).max()) < WANDER_MM
        eye.good = eye.report.good and steady
        off = round(eye.report.top_error_mm, 1)
        eye.said = (
            (f"It stands well: {off} mm at the fifth floor.", f"Steht gut: {off} mm auf der fünften Etage.".replace(".", ",", 1))
            if eye.report.good
            else (eye.report.sentence, german_of(eye.report.sentence))
        )
        if eye.report.good and not steady:
            eye.said = ("Hands off: it is not still yet.", "Hände weg: Es steht noch nicht ruhig.")
        elif eye.good and (wrong := pages_fault(picture, posed, posed.camera(camera))) is not None:
            eye.good, eye.said = False, wrong

    def _see_check(self, camera: int, eye: _Eye, picture: Picture) -> None:
        (check,) = check_cameras(self._profile, {camera: picture})
        eye.good = check.good
        eye.said = ("All fits.", "Alles passt.") if check.good else (check.sentences[0], german_of(check.sentences[0]))
        if all(one.good for one in self._eyes.values()):
            self._next()

    def _replace(self, camera: Camera) -> None:
        others = [one for one in self._profile.cameras if one.number != camera.number]
        self.profile = msgspec.structs.replace(self._profile, cameras=tuple(sorted([*others, camera], key=lambda one: one.number)))

    # ------------------------------------------------------------ what is measured at a tap

    def _now(self) -> dict[int, Picture]:
        return {number: eye.picture for number, eye in self._eyes.items() if eye.picture is not None}

    def _take_empty(self, _: str = "") -> None:
        bad = next((eye.said for eye in self._eyes.values() if not eye.good), None)
        if bad is not None:
            raise PalettiError(bad[0] or "Not every phone stands well yet.")
        self._empty = self._now()
        self._next()

    def _take_start(self, _: str = "") -> None:
        start = self._now()
        report = measure_paint(self._profile, self._empty, start)
        if not report.good:
            raise PalettiError(report.sentences[0])
        self._start = start
        self.stands = ("place-all",)
        self.profile = msgspec.structs.replace(self._profile, paint=report.paint)
        self._next()

    def _take_laid(self, _: str = "") -> None:
        self.stands = ("place-all", f"lay plateau {Floor.BLUE.word}")
        blue = measure_laid(self._profile, self._start, self._now())
        paint = msgspec.structs.replace(self._profile.paint, plateaus={**self._profile.paint.plateaus, Floor.BLUE: blue})
        self.profile = msgspec.structs.replace(self._profile, paint=paint)
        self._next()

    @property
    def empty(self) -> Mapping[int, Picture]:
        """The empty base as every camera saw it, for whole readings."""
        return self._empty

    # ------------------------------------------------------------ what is shown

    def state(self) -> dict[str, Any]:
        """Everything the page shows, as plain data."""
        shown = [step for step in STEPS if step is not Step.PLAY] if self.phones else [Step.HAVE, Step.NAMES]
        return {
            "step": self.step,
            "steps": shown,
            "phones": self.phones,
            "paper": self.paper,
            "english": self.said[0],
            "german": self.said[1],
            "refused": self.refused,
            "cameras": [
                {
                    "camera": number,
                    "good": eye.good,
                    "english": eye.said[0],
                    "german": eye.said[1],
                    "views": len(eye.views.taken) if eye.views is not None else 0,
                    "picture": eye.picture is not None,
                }
                for number, eye in sorted(self._eyes.items())
            ],
            "ready": bool(self._eyes) and all(eye.good for eye in self._eyes.values()),
        }

    def picture(self, camera: int) -> Picture | None:
        """The camera's newest picture with what is wanted drawn over it; None if there is none."""
        eye = self._eyes.get(camera)
        if eye is None or eye.picture is None:
            return None
        pose = self._pose(camera)
        if self.step is Step.LENS and eye.views is not None:
            return markers_drawn(eye.picture, eye.views)
        if self.step in (Step.POSE, Step.CHECK) and pose is not None:
            return draw_ghost(
                draw_tower(eye.picture.copy(), self._profile, pose, ghost_tower(self._profile), tint=0.4), self._profile, pose
            )
        if self.step in (Step.COLOURS, Step.PLATEAU) and pose is not None:
            return draw_ghost(eye.picture.copy(), self._profile, pose)
        return eye.picture

    def _pose(self, camera: int) -> CameraPose | None:
        if self.profile is None or camera not in {one.number for one in self.profile.cameras}:
            return None
        pose = self.profile.camera(camera).pose
        eye = self._eyes.get(camera)
        return None if self.step is Step.POSE and (eye is None or eye.report is None) else pose


def _top_mm(camera: Camera) -> npt.NDArray[np.float64]:
    """Where a camera sees the top of a five-floor tower, in millimetres up there."""
    assert camera.pose is not None
    view = CameraView.of(camera.model, camera.pose)
    return np.asarray(view.project(TOP_POINT_MM) / view.px_per_mm(TOP_POINT_MM), np.float64)


def jpeg_shown(picture: Picture, longer_px: int = 960) -> bytes:
    """A picture as JPEG for a page, no larger than needed there."""
    scale = min(1.0, longer_px / max(picture.shape[:2]))
    small = cv2.resize(picture, None, fx=scale, fy=scale, interpolation=cv2.INTER_AREA) if scale < 1 else picture
    return bytes(np.asarray(cv2.imencode(".jpg", small, [cv2.IMWRITE_JPEG_QUALITY, 80])[1], np.uint8))


_GERMAN = (
    ("ruler measures", "Das Lineal auf dem Blatt misst keine 100 mm: ohne „An Seite anpassen“ noch einmal drucken."),
    ("cuts off", "Der Turm ist nicht ganz im Bild: Handy weiter weg stellen oder kippen, bis der gezeichnete Turm ganz zu sehen ist."),
    ("moved", "Das Handy steht noch nicht ruhig."),
    ("uncertain", "Noch zu ungenau: mehr vom Blatt zeigen, mehr Licht."),
    ("fit no pose", "Die Marken passen nicht: Liegen alle sechs Seiten richtig und flach?"),
    ("markers", "Es sind zu wenige Marken zu sehen: Handy auf das Blatt richten, mehr Licht."),
    ("dark", "Zu dunkel: Licht anschalten oder die Linse frei machen."),
    ("told apart", "Zwei Farben sind nicht zu unterscheiden: weißeres Licht, oder fehlt eine Farbe?"),
    ("column", "Es sind kaum Säulen zu sehen: alle Säulen auf den Bauplatz stellen."),
    ("number of phones", "Bitte eine Zahl von Handys wählen."),
)
"""The procedures speak English; the page says the same in German by a word that marks the sentence."""


def german_of(sentence: str) -> str:
    return next((german for mark, german in _GERMAN if mark in sentence.lower()), sentence)


def _number(text: str) -> float | None:
    try:
        return float(text.replace(",", "."))
    except ValueError:
        return None
