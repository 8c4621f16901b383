"""The colours of this set, from the empty base and the start position: all columns stood on the building site, in any order.

Nobody says where which column stands: the pixels that changed against the empty base are the columns, and they fall into four clusters of
chroma. The lamp and each camera's white balance are taken out with the white margins of the rig's own markers, so what goes into the
profile is the paint in neutral light, the same whatever lamp hangs there. In play the eyes follow the lamp from there by themselves
(`vision.appearance.paints`). Plateaus are measured when the pieces are set down one by one (`calibration.pieces`).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import permutations

import cv2
import msgspec
import numpy as np
import numpy.typing as npt

from rig.errors import PalettiError
from rig.messages import CameraPose, Tower
from rig.pieces import Colour
from rig.profile import Camera, MarkerLayout, Paint, Profile, Rgb
from vision.appearance.paints import FLOOR_LIGHT, feature_of, features, lamp_gain
from vision.arrays import Floats
from vision.camera.markers import SeenMarkers, find_markers, pose_from
from vision.camera.picture_faults import picture_fault
from vision.camera.view import CameraView
from vision.scene.silhouettes import Label, Scene, Stage, items_of
from vision.scene.solids import polygon_of, prism

Picture = npt.NDArray[np.uint8]
White = tuple[float, float, float]

LEAST_WHITES = 3
"""Markers whose margins together tell the white of a lamp."""

PAPER = 0.85
"""Reflectance of office paper: what is as bright as a marker's margin is not quite white."""

CHANGED = 0.22
"""Difference of log chroma against the empty base from which a pixel shows something else: shadows change chroma by less."""

STRONG = 0.35
"""Chroma (log) below which a pixel is no player's paint, but wood, grey or gloss."""

LEAST_MM2 = 500.0
"""Area that each colour must show: a third of one thin column."""

APART = 3.0
"""Distance of two colours' chroma, in standard deviations of their pixels, below which they cannot be told apart under this light."""

SAMPLES = 6000
"""Pixels that are enough to find the clusters by."""


@dataclass(frozen=True, slots=True)
class PaintReport:
    """The paint measured. `white`: each camera's white (linear red, green, blue; 1 is the sensor's full scale), which is lamp and white
    balance together; `area_mm2` of each colour seen; `apart`: the nearest two colours and their distance in standard deviations."""

    paint: Paint
    white: Mapping[int, White]
    area_mm2: Mapping[Colour, float]
    apart: tuple[Colour, Colour, float]
    sentences: tuple[str, ...]

    @property
    def good(self) -> bool:
        return not self.sentences


def measure_paint(profile: Profile, empty: Mapping[int, Picture], start: Mapping[int, Picture]) -> PaintReport:
    """Paint of columns and base from one picture (BGR) a camera of the empty base and one of the start position.

    PalettiError if a picture cannot be used, no camera sees the markers, or a colour is not to be seen.
    """
    if sorted(empty) != sorted(start) or not start:
        raise PalettiError(
            "Each camera must show the empty base and the start position.", "Give as many pictures of the one as of the other."
        )
    chroma: list[Floats] = []
    light: list[Floats] = []
    weight: list[Floats] = []
    bases: list[Floats] = []
    white: dict[int, White] = {}
    for number in sorted(start):
        camera = profile.camera(number)
        for picture in (empty[number], start[number]):
            fault = picture_fault(picture, camera)
            if fault:
                raise PalettiError(fault, "Then show the start position again.")
        seen = _look(profile, camera, empty[number], start[number])
        chroma.append(seen.chroma)
        light.append(seen.light)
        weight.append(np.full(len(seen.chroma), seen.mm2))
        bases.append(seen.base)
        white[number] = seen.white
    everything, lights, areas = np.concatenate(chroma), np.concatenate(light), np.concatenate(weight)
    colours = list(profile.paint.columns)
    if areas.sum() < LEAST_MM2 * len(colours):
        raise PalettiError("Hardly any column is to be seen in the start position.", "Stand all columns on the building site, well lit.")
    label, centres = _cluster(everything, np.array([feature_of(profile.paint.columns[colour])[:2] for colour in colours]))
    area = {colour: float(areas[label == k].sum()) for k, colour in enumerate(colours)}
    columns = {colour: _rgb(lights[label == k], centres[k]) for k, colour in enumerate(colours)}
    apart = _nearest(everything, label, centres, colours)
    sentences = []
    if apart[2] < APART:
        sentences.append(
            f"{apart[0].capitalize()} and {apart[1]} cannot be told apart in the start position ({apart[2]:.1f} standard deviations, "
            f"{APART:g} are needed): is a colour missing? Else use whiter light, or lock the white balance."
        )
    base = _rgb(np.concatenate(bases), None)
    paint = msgspec.structs.replace(profile.paint, columns=columns, base=base)
    return PaintReport(paint, white, area, apart, tuple(sentences))


# ---------------------------------------------------------------- one camera


@dataclass(frozen=True, eq=False)
class _Sight:
    """A camera's pixels of pieces: chroma (n, 2) and linear light (n, 3; red, green, blue) as by neutral light; the base's light (m, 3)."""

    chroma: Floats
    light: Floats
    base: Floats
    white: White
    mm2: float


def _look(profile: Profile, camera: Camera, empty: Picture, start: Picture) -> _Sight:
    posed = pose_from(start, profile, camera, 0)
    pose = posed.pose or camera.pose
    if pose is None:
        raise PalettiError(posed.sentence or f"Camera {camera.number} has no pose.", "Calibrate the cameras first.")
    view = CameraView.of(camera.model, pose)
    flat, upright = whites_of(start, find_markers(start, profile.markers), profile.markers)
    white = flat if flat is not None else upright
    if white is None:
        raise PalettiError(
            f"Camera {camera.number} sees too few white margins of the markers, or they are over-exposed.", "Darken the picture a little."
        )
    before, after = features(empty, lamp_gain(start, empty)), features(start)
    away = np.abs(after[:2] - before[:2]).max(0)
    room = _room(profile, view)
    changed = cv2.erode(((away > CHANGED) & room).astype(np.uint8), np.ones((3, 3), np.uint8)).astype(np.bool_)
    # columns stand upright as the skirt does, and get as little light from above as it does
    neutral = light_of_pixels(start[changed], upright if upright is not None else white)
    seen = _chroma(neutral)
    strong = (np.linalg.norm(seen, axis=1) > STRONG) & (start[changed].max(1) < 252)
    base = _base_pixels(profile, pose, view, empty)
    mm2 = 1.0 / view.px_per_mm((0.0, 0.0, 50.0)) ** 2
    return _Sight(seen[strong], neutral[strong], light_of_pixels(empty[base], white), white, mm2)


def whites_of(picture: Picture, seen: SeenMarkers, layout: MarkerLayout) -> tuple[White | None, White | None]:
    """The linear light (red, green, blue) of the markers' white margins: of those that lie flat and of those that stand upright, medians
    over markers; None where fewer than three show any that is not over-exposed."""
    reach = 1 + 0.9 * layout.margin_mm / layout.side_mm  # the middle of the margin, seen from the marker's middle
    flat = {marker.id for marker in layout.markers if float(np.ptp(np.array(marker.corners_mm)[:, 2])) < layout.side_mm / 2}
    whites: dict[bool, list[Floats]] = {True: [], False: []}
    for number, quad in zip(seen.ids, seen.corners_px, strict=True):
        ring = quad.mean(0) + (quad - quad.mean(0)) * reach
        along = np.linspace(0, 1, 9)[:, None, None]
        points = (ring[None] * (1 - along) + np.roll(ring, -1, axis=0)[None] * along).reshape(-1, 2)
        inside = (points >= 0).all(1) & (points < (picture.shape[1] - 1, picture.shape[0] - 1)).all(1)
        columns, rows = np.rint(points[inside]).astype(int).T
        if len(rows) < 12:
            continue
        pixels = picture[rows, columns]
        bright = pixels[np.argsort(pixels.sum(1, dtype=np.int64))[-len(pixels) // 3 :]]  # a misplaced ring touches black
        if int(bright.max()) < 254:
            whites[number in flat].append(np.median(_light(bright), axis=0))
    lying, standing = (
        np.median(np.array(found), axis=0) if len(found) >= LEAST_WHITES else None for found in (whites[True], whites[False])
    )
    return _white(lying), _white(standing)


def _white(light: Floats | None) -> White | None:
    return None if light is None else (float(light[0]), float(light[1]), float(light[2]))


def _room(profile: Profile, view: CameraView) -> npt.NDArray[np.bool_]:
    """Pixels in which a column on the building site may be seen."""
    tallest = max(size.height_mm for size in profile.columns.values())
    corners = view.project(prism(polygon_of(profile.base.site_radius_mm, 24), 0.0, tallest)).reshape(-1, 2)
    mask = np.zeros((view.height, view.width), np.uint8)
    hull = cv2.convexHull(np.rint(np.nan_to_num(corners)).astype(np.int32))
    cv2.fillConvexPoly(mask, hull, 1)
    return mask.astype(np.bool_)


def _base_pixels(profile: Profile, pose: CameraPose, view: CameraView, empty: Picture) -> npt.NDArray[np.bool_]:
    labels = Scene(Stage(view), items_of(profile, Tower())).labels()
    base = cv2.erode((labels == Label.BASE).astype(np.uint8), np.ones((5, 5), np.uint8)).astype(np.bool_)
    if int(base.sum()) < 200:
        raise PalettiError(f"Camera {pose.camera} does not see the base.", "Turn it to the base, and take everything off.")
    return np.asarray(base & (empty.max(2) < 252))


# ---------------------------------------------------------------- colours


def _light(pixels: npt.NDArray[np.uint8]) -> Floats:
    """Linear light (n, 3), red, green, blue, of BGR bytes (n, 3)."""
    share = pixels[:, ::-1].astype(np.float64) / 255
    return np.asarray(np.where(share <= 0.04045, share / 12.92, ((share + 0.055) / 1.055) ** 2.4))


def light_of_pixels(pixels: npt.NDArray[np.uint8], white: White) -> Floats:
    """Linear light (n, 3) of BGR pixels (n, 3) as it would be in neutral light, from the white of the lamp."""
    return np.asarray(_light(pixels) / np.array(white) * PAPER)


def neutral_rgb(light: Floats) -> Rgb:
    """The paint (sRGB bytes) of a piece's pixels in neutral light (n, 3)."""
    strong = _chroma(light)
    return _rgb(light, np.median(strong, axis=0))


def _chroma(light: Floats) -> Floats:
    """Log red-green and log blue-green of linear light (n, 3), as `vision.appearance.paints.features` has them."""
    red, green, blue = (np.log(light[:, k] + FLOOR_LIGHT) for k in range(3))
    return np.stack((red - green, blue - green), axis=1)


def _cluster(chroma: Floats, guess: Floats) -> tuple[npt.NDArray[np.intp], Floats]:
    """Which of the guessed colours each pixel is, and the colours' own chroma (k, 2).

    Clusters are found by hue first, because shade and gloss draw a paint's pixels out towards grey and not aside; which cluster is which
    colour is told by the order of their hues, because another set's paint is paler or turned, but red stays between yellow and blue.
    """
    k = len(guess)
    strength = np.linalg.norm(chroma, axis=1)
    shape = np.column_stack((chroma / strength[:, None], 0.15 * np.log(strength))).astype(np.float32)
    cv2.setRNGSeed(1)  # the same pictures give the same paint
    stop = (cv2.TERM_CRITERIA_EPS + cv2.TERM_CRITERIA_MAX_ITER, 30, 1e-4)
    step = max(1, len(shape) // SAMPLES)
    _, _, found = cv2.kmeans(np.ascontiguousarray(shape[::step]), k, np.empty(0), stop, 12, cv2.KMEANS_PP_CENTERS)
    hues = np.arctan2(guess[:, 1], guess[:, 0])
    seen = np.arctan2(found[:, 1], found[:, 0])
    away = np.abs((seen[None] - hues[:, None] + np.pi) % (2 * np.pi) - np.pi)
    order = min(permutations(range(k)), key=lambda order: float(sum(away[colour, cluster] ** 2 for colour, cluster in enumerate(order))))
    centres = found[list(order)]
    label = np.argmin(np.linalg.norm(shape[:, None] - centres[None], axis=2), axis=1)
    own = np.array([np.median(chroma[label == colour], axis=0) if (label == colour).any() else guess[colour] for colour in range(k)])
    return label, own


def _rgb(light: Floats, chroma: Floats | None) -> Rgb:
    """The paint as sRGB bytes: the pixels' median chroma at the brightness of their lighter half."""
    middle = np.median(light, axis=0) if chroma is None else np.exp(np.array((chroma[0], 0.0, chroma[1])))
    bright = np.percentile(light.mean(1), 75) / middle.mean()
    share = np.clip(middle * bright, 0.0, 1.0)
    coded = np.where(share <= 0.0031308, 12.92 * share, 1.055 * share ** (1 / 2.4) - 0.055)
    red, green, blue = (int(value) for value in np.rint(255 * coded))
    return (red, green, blue)


def _nearest(chroma: Floats, label: npt.NDArray[np.intp], centres: Floats, colours: list[Colour]) -> tuple[Colour, Colour, float]:
    """The two colours nearest in hue, and how far apart they are (standard deviations of their pixels' hues)."""
    best = (colours[0], colours[-1], float("inf"))
    for a in range(len(colours)):
        for b in range(a + 1, len(colours)):
            turn = abs((np.arctan2(*centres[b, ::-1]) - np.arctan2(*centres[a, ::-1]) + np.pi) % (2 * np.pi) - np.pi)
            spread = max(_hue_spread(chroma[label == k], centres[k]) for k in (a, b))
            apart = float(turn / spread)
            if apart < best[2]:
                best = (colours[a], colours[b], apart)
    return best


def _hue_spread(chroma: Floats, centre: Floats) -> float:
    """Robust standard deviation of the pixels' hue round the cluster's own (radians)."""
    hue = np.arctan2(chroma[:, 1], chroma[:, 0]) - np.arctan2(centre[1], centre[0])
    return float(np.median(np.abs((hue + np.pi) % (2 * np.pi) - np.pi))) * 1.4826 + 0.01 if len(chroma) else np.inf


def kelvin_of(white: White) -> float:
    """Roughly the lamp's temperature as this camera shows white: 6500 is daylight, or a camera that balances white by itself.

    From the ratio of red to blue by Planck's law at the primaries' wavelengths (611 and 465 nm).
    """
    ratio = np.log(max(white[0], 1e-4) / max(white[2], 1e-4))
    inverse = 1 / 6500.0 + ratio / (14388.0 * (1 / 0.465 - 1 / 0.611))
    return float(np.clip(1 / max(inverse, 1 / 20000.0), 1000.0, 20000.0))
