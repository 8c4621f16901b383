"""What two settled pictures of one camera say about each pixel: unchanged, or now showing this paint or that.

A picture alone cannot tell a red column from the red plateau, nor a column from clutter behind it; the picture *before* can, because few
things change at a time. So every pixel has one value for "shows what it showed" and one for each paint it might newly show. All values are
log densities against "anything else", cut to a few nats: a pixel is one of many that err together, never a proof.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import cv2
import numpy as np
import numpy.typing as npt

from rig.messages import CameraPose, Tower
from rig.profile import Profile
from vision.appearance.gloss import PLATES, best_gloss_densities
from vision.appearance.paints import OTHER_DENSITY, ColourModel, features, lamp_gain, sure_pixels
from vision.arrays import Bools, Codes, Floats, Maps
from vision.camera.view import CameraView
from vision.change.scoring import gain_sums, gain_within, revalue, value_all
from vision.scene.silhouettes import Item, Label, Scene, Stage, items_of
from vision.scene.solids import region_box

SCALE = 0.5
"""Pictures are read at half size: full size bought nothing in the experiments and costs four times the work. Set by hand on tuning
seeds: what was compared, and on how many, is not recorded."""

CUT = 4.0
"""Most that one pixel may say for or against (nats). By design: bounds what one pixel can do (a robust likelihood; Huber, Robust
Statistics, 1981). Its size is set by hand on tuning seeds."""

BACKGROUND_CUT = 1.0
"""Most that a changed pixel beside the tower says against "unchanged": what lies behind may change by itself. Set by hand on tuning
seeds; not measured on a spread of rooms."""

SAME_SIGMA = (0.09, 0.09, 0.10)
"""Difference between two pictures of an unchanged pixel: chromas and log brightness; dark pixels are given more. Set by hand on tuning
seeds; not measured on a spread of rooms."""

SHADE_SIGMA = (0.14, 0.14, 0.45)
"""The same where a shadow came or went: brightness changes, chroma hardly. Set by hand on tuning seeds; not measured on a spread of
rooms."""

OTHER_LIGHT = (0.25, 4.0)
"""Light on a paint beside what it was measured or foretold in: its side away from the lamp, and its sunlit top. Near the sensor's floor
and near its white the chroma fades too, which one Gaussian cannot follow. Set by hand on single pairs that were told wrong; not
measured on a spread of rooms."""

OTHER_LIGHT_LOG_SHARE, OTHER_LIGHT_SIGMA = -0.7, 0.45
"""Log share of a paint's pixels in such light, and the spread of log brightness round it. The share is one half (log 0.5 = -0.7) by
design. The spread is set by hand on single pairs that were told wrong; not measured on a spread of rooms."""

SHADE_SHARE = 0.15
"""Share of unchanged pixels over which a shadow came or went. By hand. Set by hand on tuning seeds; not measured on a spread of rooms."""

STRANGE_SHARE = 0.01
"""Share of the background's unchanged pixels that look like anything now. By hand. Set by hand on tuning seeds; not measured on a spread
of rooms."""


@dataclass(eq=False)
class PixelEvidence:
    """One camera's word. `changed[label]`: value of a pixel newly showing that paint (11, h, w); `same`: of showing what it showed (h, w).

    `before` is the believed tower as this camera sees it; `model` the colours measured on the picture before; `mm2` the area at the tower
    that one pixel stands for; `was` and `now` the features (3, h, w) of the pictures before and after, None where there is none;
    `covered` the pixels (h, w) that are known to show a hand or arm, None where nothing is known.
    """

    profile: Profile
    stage: Stage
    before: Scene
    changed: Maps
    same: Maps
    model: ColourModel
    mm2: float
    was: Maps | None = None
    now: Maps | None = None
    covered: Bools | None = None
    bare: Bools = field(init=False)
    """Pixels (h, w) that are not `covered`."""

    def __post_init__(self) -> None:
        self.changed = np.ascontiguousarray(self.changed, dtype=np.float32)
        self.same = np.ascontiguousarray(self.same, dtype=np.float32)
        self.bare = np.ones(self.same.shape, dtype=np.bool_) if self.covered is None else ~self.covered

    def values(self, scene: Scene) -> Maps:
        """Value of every pixel if the tower now is `scene`."""
        value = np.empty_like(self.same)
        value_all(value, scene.code, self.before.code, self.same, self.changed, scene.paints())
        return value

    def newly(self, label: Label, where: Bools, value: float) -> Bools:
        """Which pixels of `where` show this paint by at least `value` now and by less than that before."""
        shown = np.asarray(where & (self.changed[label] > value), dtype=np.bool_)
        if self.was is not None and shown.any():
            shown[shown] = _paints(self.model, self.was[:, shown])[label] - OTHER_DENSITY < value
        return shown

    def own(self, item: Item, box: tuple[slice, slice]) -> Maps:
        """Value of the pixels of a box if they show `item` now."""
        kept = self.before.code[box] == item.code
        return np.where(kept, self.same[box], self.changed[item.label][box])


@dataclass(eq=False)
class BackgroundScore:
    """A scene under which something is to be placed, with the value of its pixels and their sum."""

    evidence: PixelEvidence
    scene: Scene
    value: Maps
    total: float

    @classmethod
    def of(cls, evidence: PixelEvidence, scene: Scene) -> BackgroundScore:
        value = evidence.values(scene)
        return cls(evidence, scene, value, float(value.sum(dtype=np.float64)))

    def instead(self, scene: Scene) -> BackgroundScore:
        """The same for a scene that differs in few pixels: only those are valued anew."""
        evidence = self.evidence
        value = self.value.copy()
        gained = revalue(value, self.scene.code, scene.code, evidence.before.code, evidence.same, evidence.changed, scene.paints())
        return BackgroundScore(evidence, scene, value, self.total + gained)

    def gain_map(self, item: Item, box: tuple[slice, slice]) -> Maps:
        """What each pixel of a box gains if it comes to show `item`; 0 where the item would be hidden."""
        depth = self.evidence.stage.depth(box, item.layer, item.place_mm)
        return np.where(depth > self.scene.front[box], self.evidence.own(item, box) - self.value[box], np.float32(0))

    def gain(self, item: Item) -> float:
        """What the sum gains by placing `item`."""
        patch = self.evidence.stage.patch(item)
        if not patch.inside.size:
            return 0.0
        box, layer, near = patch.box, np.float32(10 * item.layer), np.float32(self.evidence.stage.nearness(item.place_mm))
        return gain_within(*self._within(item, box), patch.inside, item.code, layer, near)

    def gain_sums(self, item: Item, box: tuple[slice, slice], near: float) -> Floats:
        """Running sum (h, w + 1) of `gain_map` in a box, the item standing as near as `near` says (`Stage.nearness`)."""
        return gain_sums(*self._within(item, box), item.code, np.float32(10 * item.layer), np.float32(near))

    def _within(self, item: Item, box: tuple[slice, slice]) -> tuple[Maps, Maps, Codes, Maps, Maps, Maps]:
        evidence = self.evidence
        return (
            evidence.stage.down[box], self.scene.front[box], evidence.before.code[box],
            evidence.same[box], evidence.changed[item.label][box], self.value[box],
        )  # fmt: skip


def crop_of(profile: Profile, camera: int, pose: CameraPose, tower: Tower) -> tuple[CameraView, tuple[int, int, int, int]]:
    """The half-size view of the tower's region, and its box in the half-size picture."""
    view = CameraView.of(profile.camera(camera).model, pose, SCALE)
    box = region_box(view, profile, tower, margin_mm=15.0, room_mm=20.0)
    return view.cropped(box), box


def shrunk(picture: npt.NDArray[np.uint8], box: tuple[int, int, int, int]) -> npt.NDArray[np.uint8]:
    """The half-size picture within `box` (half-size px); every pixel the mean of four."""
    x0, y0, x1, y1 = box
    part = np.ascontiguousarray(picture[2 * y0 : 2 * y1, 2 * x0 : 2 * x1])
    return np.asarray(cv2.resize(part, (x1 - x0, y1 - y0), interpolation=cv2.INTER_AREA), dtype=np.uint8)


def _log_normal(difference: Maps, sigmas: tuple[Maps | float, ...]) -> Maps:
    result = np.full(difference.shape[1:], np.float32(-1.5 * np.log(2 * np.pi)))
    for axis, sigma in enumerate(sigmas):
        result -= np.float32(0.5) * np.square(difference[axis] / sigma) + np.log(sigma)
    return result


def _paints(model: ColourModel, seen: Maps) -> Maps:
    """Log density (10, n) of pixels (3, n) under each paint: in its own light, on its shaded side or in the sun, whichever fits."""
    seen = seen[:, :, None]
    found = model.log_densities(seen)[: Label.OTHER]
    for factor in OTHER_LIGHT:
        other = model.in_light(factor, OTHER_LIGHT_SIGMA).log_densities(seen)[: Label.OTHER]
        np.maximum(found, other + np.float32(OTHER_LIGHT_LOG_SHARE), out=found)
    unmeasured = tuple(label for label in PLATES if not model.measured[label])
    if unmeasured:
        rows = list(unmeasured)
        found[rows] = np.maximum(found[rows], best_gloss_densities(model, unmeasured, seen, model.lamp))
    return np.asarray(found[:, :, 0])


def _same_density(before: Maps, after: Maps, expected: Maps) -> Maps:
    """Log density of the after picture's pixels where nothing changed: like before, or shaded, or like the same paint elsewhere."""
    difference = after - before
    darkness = np.exp(-np.maximum(np.minimum(before[2], after[2]), -5.0)) * 0.02  # noise in log light grows as light fails
    tight = _log_normal(difference, tuple(np.float32(s) + darkness for s in SAME_SIGMA)) + np.log(1 - SHADE_SHARE)
    shade = _log_normal(difference, tuple(np.float32(s) + darkness for s in SHADE_SIGMA)) + np.log(SHADE_SHARE)
    return np.asarray(np.logaddexp(np.logaddexp(tight, shade), expected + np.float32(np.log(0.05))))


@dataclass(eq=False)
class Settled:
    """One camera's settled picture with the tower believed to be in it: what later pictures are compared with."""

    profile: Profile
    stage: Stage
    scene: Scene
    box: tuple[int, int, int, int]
    picture: npt.NDArray[np.uint8]
    was: Maps
    labels: npt.NDArray[np.uint8]
    model: ColourModel
    mm2: float

    @classmethod
    def of(cls, profile: Profile, tower: Tower, pose: CameraPose, picture: npt.NDArray[np.uint8]) -> Settled:
        """`picture` is the full one (BGR) of the camera at `pose`."""
        view, box = crop_of(profile, pose.camera, pose, tower)
        stage = Stage(view)
        scene = Scene(stage, items_of(profile, tower))
        small = shrunk(picture, box)
        was = features(small)
        labels = scene.labels()
        model = ColourModel.guess(profile).adapted(was, labels, sure_pixels(scene.code))
        return cls(profile, stage, scene, box, small, was, labels, model, 1.0 / view.px_per_mm() ** 2)

    def against(self, picture: npt.NDArray[np.uint8]) -> PixelEvidence:
        """What the full picture `picture` (BGR) of the same camera says about each pixel."""
        small = shrunk(picture, self.box)
        now = features(small, lamp_gain(self.picture, small))
        densities = self.model.log_densities(now)
        expected = np.take_along_axis(densities, self.labels[None].astype(np.intp), axis=0)[0]
        beside = self.labels == Label.OTHER
        expected = np.where(beside, np.float32(OTHER_DENSITY + np.log(STRANGE_SHARE)), expected)
        same = _same_density(self.was, now, expected) - np.float32(OTHER_DENSITY)
        np.clip(same, -CUT, CUT, out=same)
        same[beside] = np.maximum(same[beside], -BACKGROUND_CUT)
        doubtful = same < CUT / 2
        densities[: Label.OTHER, doubtful] = _paints(self.model, now[:, doubtful])
        changed = np.clip(densities - np.float32(OTHER_DENSITY), -CUT, CUT)
        # the same paint again is never better explained by something new of that paint than by what was there
        own = np.take_along_axis(changed, self.labels[None].astype(np.intp), axis=0)[0]
        same = np.where(beside, same, np.maximum(same, own))
        self._discount_old_looks(changed, same, beside & doubtful)
        return PixelEvidence(self.profile, self.stage, self.scene, changed, same, self.model, self.mm2, self.was, now)

    def _discount_old_looks(self, changed: Maps, same: Maps, where: Bools) -> None:
        """Before a green sofa green is no news: in the pixels `where` a paint gains over "as before" only what it gained since before."""
        gaining = np.flatnonzero((where & (changed[: Label.OTHER].max(0) > same)).ravel())
        then = np.clip(_paints(self.model, self.was.reshape(3, -1)[:, gaining]) - np.float32(OTHER_DENSITY), -CUT, CUT)
        flat = changed[: Label.OTHER].reshape(Label.OTHER, -1)
        value = flat[:, gaining]
        flat[:, gaining] = np.minimum(value, same.ravel()[gaining] + np.maximum(value - then, 0))
