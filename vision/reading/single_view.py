"""One camera's word on a tower of which nothing is believed yet: what each pixel of a single picture shows, paint by paint.

Without a picture *before* (see `vision.change.evidence`) a pixel can only be held against the paints themselves. Their lamp is found from
the base's card, which every picture shows, and refined from whatever tower is believed so far. What the room shows beside the tower is
learned from the same picture, so that a cupboard in a column's colour is not taken for one.
"""

from __future__ import annotations

import cv2
import numpy as np
import numpy.typing as npt

from rig.messages import CameraPose, Laid, Tower
from rig.pieces import PLATEAUS
from rig.profile import Profile
from vision.appearance.gloss import PLATES, best_gloss_densities, gloss_of, glossy
from vision.appearance.paints import FLOOR_LIGHT, OTHER_DENSITY, ColourModel, feature_of, features, sure_pixels
from vision.appearance.reference import Reference
from vision.arrays import Floats, Maps, Picture
from vision.camera.view import CameraView
from vision.change.evidence import CUT, SCALE, PixelEvidence, shrunk
from vision.frames.arms import arm_pixels
from vision.scene.silhouettes import Label, Scene, Stage, items_of
from vision.scene.solids import base_prism, polygon_of, prism, region_box, tower_top_mm

ROOM_BINS = (0.10, 0.10, 0.25)
"""Steps of the room's histogram: two chromas and log brightness. Coarser takes a cupboard for a column, finer learns single pixels. Set
by hand on tuning seeds; not measured on a spread of rooms."""

ROOM_SHARE = 0.5
"""How much of what is not tower looks like the room beside it; the rest may look like anything. Set by hand on tuning seeds; not
measured on a spread of rooms."""

UNSURE = (1.5, 1.5, 1.8)
"""By how much paints spread more (two chromas, log brightness) as long as none is measured: a varnished plateau towards a lamp is three
times as bright as the same paint at a column's side, and paler. Set by hand on tuning seeds; not measured on a spread of rooms."""

SIDE_LIGHT = (0.5, 0.25)
"""Light on a column's side against that on the base: in shade, and away from the window. Dark paint is paler in chroma, because the
sensor's noise floor is added to all three channels, so that a darker shade is another place in feature space. Set by hand on tuning
seeds; not measured on a spread of rooms."""

ENOUGH_PIXELS = 150
"""Pixels of columns (half size) from which their shade is measured. By design: a median of so many is known well."""

ENOUGH_PLATE = 40
"""Pixels (half size) of a plateau from which its gloss is told. By design: a median of so many is known well."""

WHITE_SHARE = 0.4
"""Share of the printed frame's pixels, the brightest, that show white paper: markers are half black. By design: somewhat less than that
half, for blurred borders."""

ENOUGH_WHITE = 30
"""Pixels (half size) of one place on the frame from which its white is taken. By design: a median of so many is known well."""

FRAME_REACH = (0.4, 0.65)
"""By how much (two chromas) the base's card may differ from what the frame's white foretells: more is a sleeve across it. Set by hand on
tuning seeds; not measured on a spread of rooms."""

ARM_COST, BELIEVED_ARM_COST = 0.7, 0.05
"""What a pixel that shows an arm counts against a piece (nats): next to nothing where a believed tower says what stands behind it. In a
search from scratch no more, and columns are made up behind arms; much more, and those that another camera sees there are dropped. Set
by hand on tuning seeds; not measured on a spread of rooms."""

NO_SKIN = 9.0
"""A feature that no hand and no cloth has. By design: far outside the features' range."""

_LOWEST, _BINS = (-2.5, -3.5, -5.5), (50, 70, 24)


def tallest_tower(profile: Profile) -> Tower:
    """Every plateau of the set over the base's centre at its usual height: how high a tower can get, for the region to look at."""
    column = max(size.height_mm for size in profile.columns.values())
    laid, z = [], 0.0
    for plateau in profile.pieces.plateaus or PLATEAUS:
        z += column
        laid.append(Laid(plateau, 0.0, 0.0, z, 0.0))
        z += profile.plateaus[plateau].thickness_mm
    return Tower((), tuple(laid))


def _lamp(seen: Maps, whole: CameraView, profile: Profile) -> Floats:
    """What the lamp adds to chromas (3,; the last is 0), from the white of the printed frame in the whole picture: a median over many
    places round it, so that an arm across some of them does not count."""
    base = profile.base
    middle, half = (base.apron_outer_mm + base.apron_inner_mm) / 2, (base.apron_outer_mm - base.apron_inner_mm) / 2
    whites = []
    for along in np.arange(-middle, middle + 1, 2 * half):
        for x, y in ((along, -middle), (along, middle), (-middle, along), (middle, along)):
            corners = np.array([(x + u * half, y + v * half, base.rim_z_mm) for u, v in ((-1, -1), (1, -1), (1, 1), (-1, 1))])
            pixels = whole.project(corners)
            if np.isnan(pixels).any():
                continue
            (x0, y0), (x1, y1) = np.maximum(np.rint(pixels.min(0)), 0).astype(int), np.maximum(np.rint(pixels.max(0)), 0).astype(int)
            shown = seen[:, y0:y1, x0:x1].reshape(3, -1)
            if shown.shape[1] >= ENOUGH_WHITE:
                whites.append(np.median(shown[:2, shown[2] >= np.quantile(shown[2], 1 - WHITE_SHARE)], axis=1))
    return np.array((*np.median(whites, axis=0), 0.0)) if whites else np.zeros(3)


def _shaded(guess: ColourModel, factor: float) -> ColourModel:
    """The guess with columns in less (or more) light than the base."""
    lights, means = guess.lights.copy(), guess.means.copy()
    columns = slice(Label.RED_COLUMN, Label.GREEN_COLUMN + 1)
    lights[columns] *= factor
    red, green, blue = (np.log(lights[columns, k] + FLOOR_LIGHT) for k in range(3))
    means[columns] = np.stack((red - green, blue - green, (red + green + blue) / 3), axis=-1)
    return ColourModel(means, guess.covariances, guess.measured, lights)


class SingleView:
    """One camera's picture, read at half size within the region where a tower may stand; `evidence()` is what a search needs of it."""

    def __init__(self, profile: Profile, pose: CameraPose, picture: Picture, believed: bool = False, empty: Picture | None = None) -> None:
        self.profile, self.camera, self._believed = profile, pose.camera, believed
        self._arm_cost = BELIEVED_ARM_COST if believed else ARM_COST
        whole = CameraView.of(profile.camera(pose.camera).model, pose, SCALE)
        box = region_box(whole, profile, tallest_tower(profile), margin_mm=25.0)
        self.view = whole.cropped(box)
        self.stage = Stage(self.view)
        self.picture = shrunk(picture, box)
        self.seen = features(self.picture)
        self.mm2 = 1.0 / self.view.px_per_mm() ** 2
        self.beside = self._beside()
        self.reference = None if empty is None else Reference.of(self.picture, shrunk(empty, box))
        everything = features(np.ascontiguousarray(shrunk(picture, (0, 0, whole.width, whole.height))))
        self.room = self._room(everything, whole) if self.reference is None else self.reference.room
        self.lamp = _lamp(everything, whole, profile)
        self.model = ColourModel.guess(profile)
        self._foretold = self.lamp
        # an arm may lie across the base's card, from which the lamp is known better than from the frame: it is sought twice
        self.arm = self._arms(self.lamp, from_outside=True)
        self.adapt(Tower(), least_layer_only=True)
        measured = self.model.measured[Label.BASE]
        tint = self.model.means[Label.BASE] - feature_of(profile.paint.base) if measured else self.lamp
        self._foretold = tint
        self.arm = self._arms(tint)
        self.adapt(Tower(), least_layer_only=True)

    def _arms(self, tint: Floats, from_outside: bool = False) -> npt.NDArray[np.bool_]:
        """Where hands and arms are; what looks as it did when the base was empty is none."""
        seen = self.seen
        if self.reference is not None:
            seen = np.where(self.reference.changed, seen, np.float32(NO_SKIN))
        return arm_pixels(seen, tint, ~self.beside, self.mm2, from_outside=from_outside)

    def around(self, tower: Tower) -> npt.NDArray[np.bool_]:
        """Pixels of the crop that show the base or the room above it up to where a column on the tower's top floor would end."""
        return self._hull(self.view, self.profile.base.radius_mm, tower_top_mm(self.profile, tower))

    def _hull(self, view: CameraView, radius_mm: float, top_mm: float | None = None) -> npt.NDArray[np.bool_]:
        top = region_top_mm(self.profile) if top_mm is None else top_mm
        corners = prism(polygon_of(radius_mm, 24), -self.profile.base.thickness_mm - 6.0, top)
        pixels = np.nan_to_num(view.project(corners)).reshape(-1, 2)
        mask = np.zeros((view.height, view.width), np.uint8)
        cv2.fillConvexPoly(mask, np.rint(cv2.convexHull(pixels.astype(np.float32))).astype(np.int32), 1)
        return mask.astype(np.bool_)

    def _beside(self) -> npt.NDArray[np.bool_]:
        """Pixels of the crop that no standing piece can show (height, width)."""
        return ~self._hull(self.view, self.profile.base.radius_mm + 30.0)

    def _room(self, seen: Maps, whole: CameraView) -> Maps:
        """Log density of anything else at each pixel of the crop, from what shows beside the tower's region in the whole picture."""
        outside = ~self._hull(whole, self.profile.base.radius_mm + 30.0)
        index = self._bin(seen)
        counts = np.bincount(index[outside].ravel(), minlength=int(np.prod(_BINS))).astype(np.float64)
        total = max(float(counts.sum()), 1.0)
        density = counts / total / float(np.prod(ROOM_BINS))
        here = density[self._bin(self.seen)]
        return np.asarray(np.log((1 - ROOM_SHARE) * np.exp(OTHER_DENSITY) + ROOM_SHARE * here), dtype=np.float32)

    @staticmethod
    def _bin(seen: Maps) -> npt.NDArray[np.intp]:
        at = [np.clip(((seen[k] - _LOWEST[k]) / ROOM_BINS[k]).astype(np.intp), 0, _BINS[k] - 1) for k in range(3)]
        return np.asarray((at[0] * _BINS[1] + at[1]) * _BINS[2] + at[2], dtype=np.intp)

    def adapt(self, tower: Tower, least_layer_only: bool = False) -> None:
        """Measure the paints anew on the pieces of `tower` (the base alone at first), then what every pixel says."""
        scene = Scene(self.stage, items_of(self.profile, tower))
        labels = scene.labels()
        guess = ColourModel.guess(self.profile)
        sure, seen = sure_pixels(scene.code) & ~self.arm, self.seen
        if least_layer_only and self.reference is not None:
            seen, sure = self.reference.was, sure_pixels(scene.code)
        elif least_layer_only:
            labels = self._front_of_base(labels)
        guess = self._glossed(guess, labels, sure)
        self.model = guess.adapted(seen, labels, sure)
        standing = sure & (labels < Label.BLUE_PLATEAU)
        if int(standing.sum()) >= ENOUGH_PIXELS:
            shade = float(np.median(self.seen[2, standing] - self.model.means[labels[standing].astype(np.intp), 2]))
            self.model = _shaded(guess, float(np.clip(np.exp(shade), 0.15, 1.5))).adapted(self.seen, labels, sure)
        if least_layer_only:
            wide = np.outer(UNSURE, UNSURE)
            spread = np.where(np.array(self.model.measured)[:, None, None], 1.0, wide) * self.model.covariances
            self.model = ColourModel(self.model.means, spread, self.model.measured, self.model.lights)
        densities = self.model.log_densities(self.seen)
        # where a tower is believed and no empty base is known, plain paint places its plateaus better than paint with any gloss
        plain = least_layer_only and self.reference is None and self._believed
        unmeasured = tuple(label for label in PLATES if not self.model.measured[label])
        if unmeasured and not plain:
            densities[list(unmeasured)] = best_gloss_densities(self.model, unmeasured, self.seen, self._foretold)
        if not least_layer_only:
            self._shade_unmeasured(densities, guess, labels, sure)
        if self.reference is not None:
            densities[Label.BASE] = self.room
        densities[Label.OTHER] = self.room
        values = densities - self.room
        if self.reference is not None:
            # a changed pixel speaks so plainly for any paint that all would be cut alike: which of two it shows must still count
            values[: Label.OTHER] -= np.maximum(values[: Label.OTHER].max(0) - CUT, 0.0)
        np.clip(values, -CUT, CUT, out=values)
        values[: Label.OTHER, self.arm] = np.clip(values[: Label.OTHER, self.arm], -self._arm_cost, 0.0)
        self.values = values

    def _glossed(self, guess: ColourModel, labels: npt.NDArray[np.uint8], sure: npt.NDArray[np.bool_]) -> ColourModel:
        """The guess with the gloss that the plates of a tower show in this picture."""
        for label in PLATES:
            where = sure & (labels == label)
            if int(where.sum()) >= ENOUGH_PLATE:
                gloss = gloss_of(guess, label, self.seen[:, where].astype(np.float64), self._foretold)
                lights = guess.lights.copy()
                lights[label] += gloss
                means = glossy(guess, (label,), gloss, np.zeros(3)).means
                guess = ColourModel(means, guess.covariances, guess.measured, lights)
        return guess

    def _shade_unmeasured(self, densities: Maps, guess: ColourModel, labels: npt.NDArray[np.uint8], sure: npt.NDArray[np.bool_]) -> None:
        """Give columns' paints that no believed piece shows yet the best of several shades: sides are darker than what lies level."""
        unknown = [label for label in Label if label < Label.BLUE_PLATEAU and not self.model.measured[label]]
        if not unknown:
            return
        for factor in SIDE_LIGHT:
            shaded = _shaded(guess, factor).adapted(self.seen, labels, sure)
            densities[unknown] = np.maximum(densities[unknown], shaded.log_densities(self.seen)[unknown])

    def _front_of_base(self, labels: npt.NDArray[np.uint8]) -> npt.NDArray[np.uint8]:
        """The labels with only the half of the base that is nearest to the camera: the rest may be hidden by a tower."""
        eye = self.stage.eye_mm[:2]
        toward = eye / max(float(np.hypot(*eye)), 1e-9)
        disc = base_prism(self.profile)[1]
        front = disc[(disc[:, :2] @ toward) > 0.35 * self.profile.base.radius_mm]
        pixels = np.nan_to_num(self.view.project(front)).astype(np.float32)
        mask = np.zeros(labels.shape, np.uint8)
        if len(pixels) >= 3:
            cv2.fillConvexPoly(mask, np.rint(cv2.convexHull(pixels)).astype(np.int32), 1)
        foretold = feature_of(self.profile.paint.base)[:2] + self.lamp[:2]
        away = np.abs(self.seen[:2] - foretold[:, None, None].astype(np.float32))
        card = mask.astype(np.bool_) & (away[0] < FRAME_REACH[0]) & (away[1] < FRAME_REACH[1])
        return np.where(card, labels, np.uint8(Label.OTHER))

    def evidence(self) -> PixelEvidence:
        """The same as `vision.change.evidence` gives for a change, with an empty table as what was there before."""
        empty = Scene(self.stage, ())
        return PixelEvidence(self.profile, self.stage, empty, self.values, self.values[Label.OTHER], self.model, self.mm2, covered=self.arm)


def region_top_mm(profile: Profile) -> float:
    """Height of the tallest tower's top: a column on the last plateau."""
    tallest = tallest_tower(profile)
    top = tallest.plateaus[-1]
    return top.z_mm + profile.plateaus[top.plateau].thickness_mm + max(size.height_mm for size in profile.columns.values()) + 10.0
