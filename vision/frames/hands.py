"""Is a hand in the tower's region, does it move, is the camera still where it was? Asked of every frame, ten times a second.

Read at a sixth of the size, against the picture of the last settled tower. A hand is skin where there was background, or an arm that
reaches from the picture's border into the region. Where a piece of the tower was, nothing is concluded from a pixel's colour: what shows
there now may be wood or wall that the piece had hidden. What fell off the tower has the pieces' paints and does not reach the border. A
sleeve may have a player's colour, which columns have too: only what changed and comes from outside counts, so a column is never a sleeve.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass

import cv2
import numpy as np
import numpy.typing as npt

from rig.messages import CameraPose, Tower, Watch, Watched
from rig.pieces import Colour
from rig.profile import Camera, Profile
from vision.appearance.paints import feature_of, features, lamp_gain
from vision.appearance.skin import skin_pixels
from vision.arrays import Bools, Floats, Maps, Picture
from vision.camera.picture_faults import BLUR_SHARE, frozen, picture_fault, sharpness
from vision.camera.view import CameraView
from vision.scene.silhouettes import Label, Scene, Stage, items_of
from vision.scene.solids import TOP_ROOM_MM, polygon_of, prism, tower_top_mm

SHRINK = 6
"""Pictures are read at one in this many pixels each way: a finger is still three pixels wide. By design."""

GREY_STRENGTH, HUE_REACH, CLOTH_SHARE = 0.45, 0.6, 0.6
"""Chroma below which cloth is grey; how far (radians) its hue may be from a player's paint; share of an arm that is one cloth. Set by
hand on tuning seeds; not measured on a spread of rooms."""

CHROMA_CHANGE, LIGHT_CHANGE = 0.22, 0.55
"""Change of log chroma, or of log brightness, beyond which a pixel shows something else; a soft shadow stays below. Set by hand on
tuning seeds; not measured on a spread of rooms."""

SHADE_CHROMA, SHADE_MOST = 0.13, 1.5
"""Change of log chroma up to which, and of log brightness (a factor of 4.5) up to which, a pixel may merely lie in other light. Higher:
a hand before wood of its own hue is missed; lower: wandering shadows are taken for hands, since sun and sky differ in hue. Set by
hand on the twin's wandering shadows; not measured on a spread of rooms."""

COOLER, COOLER_MOST = (0.53, 0.85), 0.5
"""Direction in which log red-green falls and log blue-green rises from lamps to sky (black bodies from 2700 to 6500 K), and how far it
goes for each unit of log brightness lost. Physics: Planck's law through CIE chromaticities and sRGB's primaries gives (0.48, 0.87)
between these two; the limit is set by hand."""

MOVING_LEVEL = 0.16
"""Change of log brightness or chroma between two frames that counts as motion; above the sensor's noise at this size. Set by hand on
tuning seeds; not measured on a spread of rooms."""

SKIN_MM2, ARM_MM2 = 260.0, 900.0
"""Area of new skin in the region, or of something reaching in from the border, at which a hand is as likely as not. By design: the first
less than half a finger (15 x 60 mm), the second less than a hand (`tests/vision/test_tunables.py`)."""


UNKNOWN = 0.5
"""Probability of a hand where there is nothing to compare with. By design: an even chance."""


@dataclass(frozen=True, eq=False)
class ShrunkFrame:
    """One frame: shrunk (h, w, BGR), its features (3, h, w), a grey picture of quarter size for the camera's own motion, its sharpness."""

    small: Picture
    seen: Maps
    grey: npt.NDArray[np.float32]
    sharp: float


@dataclass(frozen=True, eq=False)
class Region:
    """The tower's region in a shrunk picture (h, w): `tower` as it may stand, `room` with space round and above it, the `base`'s
    visible pixels, the `pieces` with a rim for their small shifts; mm² a pixel."""

    tower: Bools
    room: Bools
    base: Bools
    pieces: Bools
    mm2: float


def _shrunk(length_px: int) -> int:
    """The length in a shrunk picture, rounded as a shrunk `CameraView` rounds it: 640 is no multiple of 6."""
    return round(length_px * (1 / SHRINK))


def shrunk_frame(picture: Picture) -> ShrunkFrame:
    height, width = _shrunk(picture.shape[0]), _shrunk(picture.shape[1])
    half = cv2.resize(picture, (picture.shape[1] // 2, picture.shape[0] // 2), interpolation=cv2.INTER_AREA)
    small = np.asarray(cv2.resize(half, (width, height), interpolation=cv2.INTER_AREA), dtype=np.uint8)
    grey = np.asarray(cv2.cvtColor(half, cv2.COLOR_BGR2GRAY), dtype=np.uint8)
    quarter = np.ascontiguousarray(grey[::2, ::2]).astype(np.float32)
    return ShrunkFrame(small, features(small), quarter, sharpness(grey))


def region_of(camera: Camera, pose: CameraPose | None, profile: Profile, tower: Tower) -> Region:
    """Where in the shrunk picture the tower is; without a pose, the picture's middle."""
    shape = (_shrunk(camera.model.height_px), _shrunk(camera.model.width_px))
    if pose is None:
        middle = np.zeros(shape, dtype=np.bool_)
        middle[shape[0] // 8 : shape[0] * 7 // 8, shape[1] // 6 : shape[1] * 5 // 6] = True
        none = np.zeros(shape, dtype=np.bool_)
        return Region(middle, middle, none, none, (SHRINK * 0.8) ** 2)
    view = CameraView.of(camera.model, pose, 1 / SHRINK)
    top = tower_top_mm(profile, tower)
    stands = _filled(view, shape, prism(polygon_of(profile.base.radius_mm, 24), 0.0, top))
    room = _filled(view, shape, prism(polygon_of(profile.base.radius_mm + 10.0, 24), 0.0, top + TOP_ROOM_MM))
    labels = Scene(Stage(view), items_of(profile, tower)).labels()
    pieces = cv2.dilate((labels < Label.BASE).astype(np.uint8), np.ones((5, 5), np.uint8)).astype(np.bool_)
    return Region(stands, room, np.asarray(labels == Label.BASE), pieces, 1.0 / view.px_per_mm() ** 2)


def _filled(view: CameraView, shape: tuple[int, int], corners: Floats) -> Bools:
    mask = np.zeros(shape, dtype=np.uint8)
    hull = cv2.convexHull(np.nan_to_num(view.project(corners)).reshape(-1, 2).astype(np.float32))
    cv2.fillConvexPoly(mask, np.rint(hull).astype(np.int32), 1)
    return mask.astype(np.bool_)


def _under_lamp_of(was: ShrunkFrame, now: ShrunkFrame) -> Maps:
    """Features of `now` as if lamp, exposure and white balance were still those of `was`."""
    return features(now.small, lamp_gain(was.small, now.small))


def _dark(was: Maps, now: Maps) -> Maps:
    """Noise of log light (h, w), which grows as light fails."""
    return np.asarray(np.exp(-np.clip(np.minimum(was[2], now[2]), -5.0, 0.0)) * np.float32(0.004))


def _changed(difference: Maps, was: Maps, now: Maps) -> Bools:
    dark = _dark(was, now)
    chroma = np.maximum(np.abs(difference[0]), np.abs(difference[1]))
    return np.asarray((chroma > CHROMA_CHANGE + dark) | (np.abs(difference[2]) > LIGHT_CHANGE + dark))


def _shaded(difference: Maps, was: Maps, now: Maps) -> Bools:
    """Pixels that only a shadow or a patch of sun has passed over: darker and no warmer, or brighter and no cooler, within what lamps do.

    A shadow takes away the lamp and leaves the cooler light of sky and walls: chroma goes along daylight's own axis, the more the darker.
    """
    darker = -difference[2]
    cooler = np.sign(darker) * (difference[1] * np.float32(COOLER[1]) - difference[0] * np.float32(COOLER[0]))
    along = np.sign(darker) * np.clip(cooler, 0.0, COOLER_MOST * np.abs(darker))
    off = np.hypot(difference[0] + along * np.float32(COOLER[0]), difference[1] - along * np.float32(COOLER[1]))
    return np.asarray((off < SHADE_CHROMA + _dark(was, now)) & (np.abs(darker) < SHADE_MOST))


def _cloth_of(seen: Maps, where: Bools, profile: Profile, tint: Floats) -> tuple[Colour | None, float]:
    """The one hue of these pixels, if it is a player's (None: grey or another), and the share of them that shows it.

    Cloth is never quite the columns' paint, so only the direction of its chroma is compared, not its strength.
    """
    pixels = seen[:2, where].T - tint[:2]
    if len(pixels) < 12:
        return None, 0.0
    colours = list(profile.paint.columns)
    strength = np.hypot(pixels[:, 0], pixels[:, 1])
    hues = np.array([math.atan2(*feature_of(profile.paint.columns[colour])[1::-1]) for colour in colours])
    away = np.abs((np.arctan2(pixels[:, 1], pixels[:, 0])[:, None] - hues + math.pi) % (2 * math.pi) - math.pi)
    kind = np.where(strength < GREY_STRENGTH, len(colours), np.where(away.min(1) < HUE_REACH, away.argmin(1), len(colours) + 1))
    counts = np.bincount(kind, minlength=len(colours) + 2)
    best = int(counts.argmax())
    return (colours[best] if best < len(colours) else None), float(counts[best]) / len(pixels)


def _logistic(x: float) -> float:
    return 1.0 / (1.0 + math.exp(-max(min(x, 30.0), -30.0)))


def shift_px(was: ShrunkFrame, now: ShrunkFrame) -> float:
    """How far the picture as a whole moved (px of the full picture), by phase correlation of its lower half, where the fixed apron is."""
    if was.grey.shape != now.grey.shape:
        return 0.0
    half = was.grey.shape[0] // 2
    a, b = np.ascontiguousarray(was.grey[half:]), np.ascontiguousarray(now.grey[half:])
    (dx, dy), response = cv2.phaseCorrelate(a, b, cv2.createHanningWindow((a.shape[1], a.shape[0]), cv2.CV_32F))
    return 4.0 * math.hypot(dx, dy) if response > 0.08 else 0.0


def tint_of(profile: Profile, was: Maps, base: Bools) -> Floats:
    """What the lamp does to colours: the base's measured feature less its paint's (3,)."""
    if int(base.sum()) < 30:
        return np.zeros(3)
    return np.asarray(np.median(was[:, base], axis=1) - feature_of(profile.paint.base), dtype=np.float64)


@dataclass(frozen=True, slots=True)
class _Change:
    """What one frame shows against another: probability of a hand, its sleeve, share of the tower's region that is new, shift (px)."""

    hand: float = UNKNOWN
    sleeve: Colour | None = None
    changed: float = 0.0
    shift_px: float = 0.0


def _since_settled(settled: ShrunkFrame, now: ShrunkFrame, region: Region, profile: Profile) -> _Change:
    """Against the last settled picture: wandering shadows are no news."""
    seen = _under_lamp_of(settled, now)
    new = _changed(seen - settled.seen, settled.seen, seen) & ~_shaded(seen - settled.seen, settled.seen, seen)
    hand, sleeve = _hand(seen, new, region, profile, tint_of(profile, settled.seen, region.base))
    return _Change(hand, sleeve, float(new[region.tower].mean()), shift_px(settled, now))


def _since_before(was: ShrunkFrame, now: ShrunkFrame, region: Region, profile: Profile) -> _Change:
    """Against the frame before, where nothing settled is at hand yet."""
    seen = _under_lamp_of(was, now)
    new = _changed(seen - was.seen, was.seen, seen)
    return _Change(*_hand(seen, new, region, profile, tint_of(profile, was.seen, region.base)))


def _moving(was: ShrunkFrame, now: ShrunkFrame, region: Region) -> float:
    """Share of the tower's room that moves between two frames."""
    step = np.abs(_under_lamp_of(was, now) - was.seen).max(0) > MOVING_LEVEL + 2 * _dark(was.seen, now.seen)
    return float(step[region.room].mean())


def watch(
    request: Watch, frames: Mapping[int, Picture], profile: Profile, shrunk: Mapping[int, ShrunkFrame], region: Region
) -> Watched:  # fmt: skip
    """The answer to `Watch`.

    `frames`: the full pictures (BGR) by message number; `shrunk`: those of the frame and, where asked for and at hand, of previous and
    reference (`shrunk_frame`); `region`: where the tower is in the camera's shrunk picture (`region_of`). A picture that cannot be used
    gives an answer whose `fault` says why.

    `request` names camera and frames, `profile` gives the camera's lens and the paints.
    """
    camera, name = profile.camera(request.camera), f"Camera {request.camera}"
    picture = frames.get(request.frame)
    fault = picture_fault(picture, camera) if picture is not None else f"{name}'s picture {request.frame} is not at hand."
    if picture is None or fault:
        return _watched(request, _Change(hand=0.0), 0.0, fault)
    now = shrunk[request.frame]
    before = frames.get(request.previous) if request.previous is not None else None
    was = shrunk.get(request.previous) if request.previous is not None else None
    settled = shrunk.get(request.reference) if request.reference is not None else None
    moving = 0.0
    if was is not None:
        moving = _moving(was, now, region)
        if before is not None and frozen(picture, before):
            fault = f"{name} delivers the same picture again: it is frozen; unplug it and plug it in again."
    if settled is None:
        return _watched(request, _Change() if was is None else _since_before(was, now, region, profile), moving, fault)
    if settled.sharp > 4.0 and now.sharp < BLUR_SHARE * settled.sharp:
        fault = fault or f"{name}'s picture is blurred: wipe the lens, or set its focus again."
    return _watched(request, _since_settled(settled, now, region, profile), moving, fault)


def _watched(request: Watch, change: _Change, moving: float, fault: str) -> Watched:
    return Watched(
        id=request.id, camera=request.camera, frame=request.frame, hand=round(change.hand, 4), sleeve=change.sleeve,
        moving=round(moving, 4), changed=round(change.changed, 4), shift_px=round(change.shift_px, 2), fault=fault,
    )  # fmt: skip


def _largest(mask: Bools) -> int:
    count, _, stats, _ = cv2.connectedComponentsWithStats(mask.astype(np.uint8), connectivity=8)
    return int(stats[1:, cv2.CC_STAT_AREA].max()) if count > 1 else 0


def _hand(seen: Maps, new: Bools, region: Region, profile: Profile, tint: Floats) -> tuple[float, Colour | None]:
    """Probability of a hand, and its sleeve's colour, from what is new in the picture."""
    skin = skin_pixels(seen, tint) & new & ~region.pieces
    skin_mm2 = float(_largest(skin & region.room)) * region.mm2
    by_skin = _logistic((skin_mm2 - SKIN_MM2) / (0.2 * SKIN_MM2))
    closed = cv2.morphologyEx(new.astype(np.uint8), cv2.MORPH_CLOSE, np.ones((3, 3), np.uint8))
    _, lumps = cv2.connectedComponents(closed, connectivity=8)
    border = np.unique(np.concatenate((lumps[0], lumps[-1], lumps[:, 0], lumps[:, -1])))
    sleeve: Colour | None = None
    largest, by_arm = 0, 0.0
    for number in border[border != 0]:
        arm = lumps == number
        inside_mm2 = float((arm & region.room).sum()) * region.mm2
        if inside_mm2 < 0.3 * ARM_MM2:
            continue
        colour, share = _cloth_of(seen, arm & ~region.tower & ~skin, profile, tint)
        skin_in_arm = float((arm & skin).sum()) * region.mm2
        if share < CLOTH_SHARE and skin_in_arm < SKIN_MM2:
            continue  # of many colours: pieces that fell
        by_arm = max(by_arm, _logistic((inside_mm2 - ARM_MM2) / (0.2 * ARM_MM2)))
        if share >= CLOTH_SHARE and int(arm.sum()) > largest:
            largest, sleeve = int(arm.sum()), colour
    return 1 - (1 - by_skin) * (1 - by_arm), sleeve
