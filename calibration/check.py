"""Whether the rig as it stands now is the rig of the profile: each camera's mode, place and view, told with numbers before a game begins.

Finds what makes a game fail silently: a camera that was moved since it was calibrated, two cameras swapped, a 4:3 mode where 16:9 was
calibrated, the profile of another rig, and a view that cuts off the tower at its fifth floor. Draws the projected model and a five-floor
ghost over the picture, so that a person sees it too.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import cv2
import numpy as np
import numpy.typing as npt

from calibration.boards import dictionary_names, read_markers
from rig.messages import CameraPose, Laid, Standing, Tower
from rig.pieces import Column, Floor
from rig.profile import Camera, CameraModel, Profile
from vision.camera.camera_motion import displacement
from vision.camera.lens import squeezed, turn_deg
from vision.camera.markers import ENOUGH_MARKERS, find_markers, fit_pose, pose_from
from vision.camera.picture_faults import frozen
from vision.camera.view import CameraView
from vision.scene.overlay import crops_ghost, draw_ghost, draw_tower
from vision.scene.solids import polygon_of, prism

Picture = npt.NDArray[np.uint8]

MAY_CROP = 0.02
"""Share of the ghost that may be out of the picture: rounding at its corners."""

GOOD_TOP_MM = 1.5
"""Error at the fifth floor up to which places are refined as they should be."""

DOUBTFUL_PX = 1.2
"""Error of the pose above which another explanation is tried: markers of this rig fit to half a pixel."""

SWAP_SHARE = 0.03
"""A picture fits a camera's calibrated pose if its markers are within this share of the longer side from where they were."""

WIDE, CLASSIC = 16 / 9, 4 / 3


@dataclass(frozen=True, slots=True)
class CameraCheck:
    """One camera as it is now: markers seen, error (px, mm at the fifth floor), how far it moved since calibration (px), share of the ghost
    that is cut off; `pose` is the present one. `sentences` say what is wrong, in order of weight; none means it is good."""

    camera: int
    markers: int
    error_px: float
    top_error_mm: float
    moved_px: float
    cropped: float
    pose: CameraPose | None
    sentences: tuple[str, ...]

    @property
    def good(self) -> bool:
        return not self.sentences


def check_cameras(
    profile: Profile, pictures: Mapping[int, Picture], earlier: Mapping[int, Picture] | None = None
) -> tuple[CameraCheck, ...]:
    """Every camera held against the profile; never raises for a poor picture. `earlier`: a picture a camera from a moment before, by which
    a frozen one is told."""
    swaps = swapped(profile, pictures)
    before = earlier or {}
    return tuple(
        _frozen(number)
        if number in before and frozen(picture, before[number])
        else _check(profile, profile.camera(number), picture, swaps.get(number))
        for number, picture in sorted(pictures.items())
    )


def _frozen(number: int) -> CameraCheck:
    said = f"Camera {number} delivers the same picture again: it is frozen, or sends an old one; unplug it and plug it in again."
    return CameraCheck(number, 0, 0.0, 0.0, 0.0, 0.0, None, (said,))


def _check(profile: Profile, camera: Camera, picture: Picture, swapped_with: int | None) -> CameraCheck:
    name = f"Camera {camera.number}"
    mode = mode_fault(picture, camera)
    if mode:
        return CameraCheck(camera.number, 0, 0.0, 0.0, 0.0, 0.0, None, (mode,))
    if swapped_with is not None:
        said = f"{name} shows what camera {swapped_with} saw when it was calibrated: the two are swapped. Exchange their addresses."
        return CameraCheck(camera.number, 0, 0.0, 0.0, 0.0, 0.0, None, (said,))
    posed = pose_from(picture, profile, camera, 0)
    if posed.pose is None or posed.error_px > DOUBTFUL_PX:
        said = stretched(picture, profile, camera) or other_rig(picture, profile, camera) or posed.sentence
        if said or posed.pose is None:
            return CameraCheck(camera.number, posed.markers, posed.error_px, 0.0, 0.0, 0.0, posed.pose, (said,))
    sentences = []
    cropped = crops_ghost(profile, posed.pose)
    if cropped > MAY_CROP:
        sentences.append(_cropped_sentence(profile, camera, posed.pose, cropped))
    moved_px = 0.0
    if camera.pose is not None:
        reading = displacement(picture, profile, camera, camera.pose)
        moved_px = reading.moved_px
        if reading.knocked:
            sentences.append(
                f"{name} has moved by {moved_px:.0f} px since it was calibrated: pose it again with `paletti calibrate camera`."
            )
    if posed.top_error_mm > GOOD_TOP_MM:
        sentences.append(f"{name}'s pose is uncertain by {posed.top_error_mm:.1f} mm at the fifth floor: show it more markers, better lit.")
    return CameraCheck(camera.number, posed.markers, posed.error_px, posed.top_error_mm, moved_px, cropped, posed.pose, tuple(sentences))


# ---------------------------------------------------------------- the picture's mode


def mode_fault(picture: Picture, camera: Camera) -> str:
    """What is wrong with the picture's size, in words; empty if it is the calibrated one."""
    height, width = picture.shape[:2]
    model = camera.model
    if (width, height) == (model.width_px, model.height_px):
        return ""
    name, now, then = f"Camera {camera.number}", f"{width}x{height}", f"{model.width_px}x{model.height_px}"
    if (height, width) == (model.width_px, model.height_px):
        return f"{name} delivers {now}, but was calibrated upright the other way, at {then}: set by how much it is turned (turn_deg)."
    shape_now, shape_then = _shape(width, height), _shape(model.width_px, model.height_px)
    if shape_now != shape_then:
        return (
            f"{name} delivers {now} ({shape_now}), but was calibrated at {then} ({shape_then}): such a mode shows another part of the "
            f"scene. Set {then}, or calibrate its lens again."
        )
    return f"{name} delivers {now}, but was calibrated at {then}: set that mode, or calibrate its lens again."


def _shape(width: int, height: int) -> str:
    ratio = max(width, height) / min(width, height)
    known = {"16:9": WIDE, "4:3": CLASSIC, "1:1": 1.0, "3:2": 1.5, "16:10": 1.6}
    name, value = min(known.items(), key=lambda item: abs(item[1] - ratio))
    return name if abs(value - ratio) < 0.03 else f"{ratio:.2f}:1"


def stretched(picture: Picture, profile: Profile, camera: Camera) -> str:
    """A sentence if the picture fits the rig only when squeezed along one side: a 4:3 mode blown up to the calibrated size, or so."""
    seen = find_markers(picture, profile.markers)
    plain = fit_pose(seen, profile.markers, camera.model, camera.number)
    before = plain.error_px if plain is not None else np.inf
    best: tuple[float, str] | None = None
    for factor, said in ((WIDE / CLASSIC, "4:3 mode stretched"), (CLASSIC / WIDE, "16:9 mode squeezed")):
        for x, y in ((factor, 1.0), (1.0, factor)):
            for crop in (1.0, factor):
                fit = fit_pose(seen, profile.markers, squeezed(camera.model, x / crop, y / crop), camera.number)
                if fit is not None and (best is None or fit.error_px < best[0]):
                    best = (fit.error_px, said)
    if best is None or best[0] > 0.5 * before or best[0] > 2.0:
        return ""
    size = f"{camera.model.width_px}x{camera.model.height_px}"
    return (
        f"Camera {camera.number}'s picture fits the rig only as a {best[1]} to {size} ({best[0]:.1f} px against "
        f"{f'{before:.1f} px' if np.isfinite(before) else 'no fit'}): set the mode that was calibrated."
    )


def other_rig(picture: Picture, profile: Profile, camera: Camera) -> str:
    """A sentence if the picture shows many markers, but of another dictionary than the profile's: a profile of another rig."""
    layout = profile.markers
    if len(find_markers(picture, layout).ids) >= ENOUGH_MARKERS:
        return ""
    grey = np.asarray(cv2.cvtColor(picture, cv2.COLOR_BGR2GRAY), np.uint8)
    counts = {name: len(read_markers(grey, name)) for name in dictionary_names() if name != layout.dictionary}
    name, count = max(counts.items(), key=lambda item: item[1])
    if count < 2 * ENOUGH_MARKERS:
        return ""
    return (
        f"Camera {camera.number} sees {count} markers of {name}, but the rig of the profile {profile.name!r} has {layout.dictionary}: "
        "this is the profile of another rig. Name the one that belongs to this rig with --profile."
    )


# ---------------------------------------------------------------- which camera is which


def swapped(profile: Profile, pictures: Mapping[int, Picture]) -> dict[int, int]:
    """For each camera whose picture fits another's calibrated pose and not its own: the other's number."""
    posed = {camera.number: camera for camera in profile.cameras if camera.pose is not None and camera.number in pictures}
    answer: dict[int, int] = {}
    for number, camera in posed.items():
        if mode_fault(pictures[number], camera):
            continue
        if _fits(pictures[number], profile, camera.model, camera.pose):
            continue
        for other in posed.values():
            if other.number != number and _fits(pictures[number], profile, other.model, other.pose):
                answer[number] = other.number
    return answer


def _fits(picture: Picture, profile: Profile, model: CameraModel, pose: CameraPose | None) -> bool:
    assert pose is not None
    if picture.shape[:2] != (model.height_px, model.width_px):
        return False
    reading = displacement(picture, profile, Camera(pose.camera, model, pose), pose)
    return reading.seen and reading.moved_px < SWAP_SHARE * max(model.width_px, model.height_px)


# ---------------------------------------------------------------- the view


def _cropped_sentence(profile: Profile, camera: Camera, pose: CameraPose, cropped: float) -> str:
    """How much of a five-floor tower is cut off, at which side, and by how far to tilt for it."""
    view = CameraView.of(camera.model, pose)
    tallest = max(size.height_mm for size in profile.columns.values())
    thickness = max((size.thickness_mm for size in profile.plateaus.values()), default=5.0)
    ring = polygon_of(profile.base.site_radius_mm, 48)
    pixels = view.project(np.concatenate([prism(ring, z, z)[0] for z in (0.0, 5 * (tallest + thickness) + tallest)]))
    width, height = camera.model.width_px, camera.model.height_px
    if np.isnan(pixels).any():
        return f"Camera {camera.number} stands inside the tower's room: move it back."
    low, high = pixels.min(0), pixels.max(0)
    missing = {
        "top": -low[1], "bottom": high[1] - (height - 1), "left": -low[0], "right": high[0] - (width - 1),
    }  # fmt: skip
    side, short = max(missing.items(), key=lambda item: float(item[1]))
    spare = {"top": -missing["bottom"], "bottom": -missing["top"], "left": -missing["right"], "right": -missing["left"]}[side]
    said = f"Camera {camera.number} cuts off {100 * cropped:.0f} % of a five-floor tower: {short:.0f} px are missing at the {side}"
    if float(spare) > float(short):
        turn = turn_deg(camera.model, float(short))
        way = {"top": "up", "bottom": "down", "left": "to the left", "right": "to the right"}[side]
        return f"{said}. Turn it {way} by {turn:.0f} degrees."
    span = max(float(high[1] - low[1]) / height, float(high[0] - low[0]) / width)
    distance = float(np.linalg.norm(view.eye_mm[:2]))
    return f"{said}. The tower is too large in its picture: move it back by about {max(span * 1.04 - 1, 0.02) * distance / 10:.0f} cm."


def ghost_tower(profile: Profile) -> Tower:
    """A five-floor tower of the set, columns spread over all floors, plateaus flat and in the middle: what must be visible."""
    columns = sorted(profile.pieces.columns, key=lambda column: (column.number, column.colour))
    floors = [Floor.GROUND, *profile.pieces.plateaus]
    shares: list[list[Column]] = [columns[k :: len(floors)] for k in range(len(floors))]
    standing: list[Standing] = []
    laid: list[Laid] = []
    z = 0.0
    for floor, own in zip(floors, shares, strict=True):
        if floor is not Floor.GROUND:
            laid.append(Laid(floor, 0.0, 0.0, z, 0.0))
            z += profile.plateaus[floor].thickness_mm
        for k, column in enumerate(own):
            angle = 2 * np.pi * k / len(own) + 0.6 * int(floor)
            standing.append(Standing(column, floor, float(34 * np.cos(angle)), float(34 * np.sin(angle)), z))
        z += max(profile.columns[column.shape].height_mm for column in own or columns)
    return Tower(tuple(standing), tuple(laid))


def draw_check(picture: Picture, profile: Profile, check: CameraCheck) -> Picture:
    """The picture with the base, the markers, a five-floor ghost tower and the verdict over it."""
    drawn = picture.copy()
    pose = check.pose or profile.camera(check.camera).pose
    if pose is not None and not mode_fault(picture, profile.camera(check.camera)):
        drawn = draw_tower(drawn, profile, pose, ghost_tower(profile), tint=0.45)
        drawn = draw_ghost(drawn, profile, pose)
        view = CameraView.of(profile.camera(check.camera).model, pose)
        for marker in profile.markers.markers:
            corners = view.project(np.array(marker.corners_mm))
            toward = view.eye_mm - np.array(marker.corners_mm).mean(0)
            side = np.array(marker.corners_mm)
            facing = float(np.cross(side[3] - side[0], side[1] - side[0]) @ toward) > 0
            if facing and not np.isnan(corners).any():
                cv2.polylines(drawn, [np.rint(corners).astype(np.int32)], True, (0, 255, 255), 1, cv2.LINE_AA)
    words = check.sentences or (f"Camera {check.camera}: good, {check.top_error_mm:.1f} mm at the fifth floor",)
    lines = _wrapped(" ".join(words), max(20, drawn.shape[1] // 9))
    drawn[: 12 + 20 * len(lines)] = drawn[: 12 + 20 * len(lines)] // 4
    for k, line in enumerate(lines):
        cv2.putText(drawn, line, (8, 22 + 20 * k), cv2.FONT_HERSHEY_SIMPLEX, 0.5, (255, 255, 255), 1, cv2.LINE_AA)
    return drawn


def _wrapped(text: str, width: int) -> list[str]:
    lines = [""]
    for word in text.split():
        if len(lines[-1]) + len(word) + 1 > width:
            lines.append("")
        lines[-1] = f"{lines[-1]} {word}".strip()
    return lines
