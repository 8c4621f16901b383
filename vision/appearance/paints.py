"""Which paint a pixel shows, learned afresh from every settled picture.

The profile's paint is only a first guess: lamps, white balance and the set at hand differ. So the believed tower labels the pixels of the
picture *before*, and each paint that shows there is measured; paints that do not show yet keep the guess, moved by what the lamp did to the
measured ones. Features are logarithmic chroma and brightness of linear light, in which a lamp is a mere offset and shade touches only one
axis. Densities are per unit of that space, so that different explanations of one pixel can be compared.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from rig.pieces import Colour, Floor
from rig.profile import Paint, Profile
from vision.arrays import Bools, Floats, Labels, Maps
from vision.scene.silhouettes import Label

FLOOR_LIGHT = 0.006
"""Added to linear light (0 to 1) before the logarithm: the sensor's and JPEG's noise floor, so that dark pixels have no wild chroma.
Physics: noise adds to light, not to its logarithm. Its size, the light of grey level 18 of 255, is set by hand; not measured on a
real sensor."""

_byte = (np.arange(256) / 255.0).astype(np.float64)
_LOG_LIGHT = np.log(np.where(_byte <= 0.04045, _byte / 12.92, ((_byte + 0.055) / 1.055) ** 2.4) + FLOOR_LIGHT).astype(np.float32)

PRIOR_SIGMA = (0.30, 0.34, 0.50)
"""Spread of a paint not yet measured: two chromas and log brightness (shade and gloss). Set by hand on tuning seeds; not measured on a
spread of rooms."""

LEAST_SIGMA = (0.07, 0.07, 0.32)
"""Least spread of a measured paint: the side away from the lamp, and the shade of others, are not seen in every picture. Set by hand on
tuning seeds; not measured on a spread of rooms."""

OTHER_DENSITY = -3.6
"""Log density of a pixel that shows anything else: even over 3 x 3 of chroma and 4 of log brightness. Derived: -log(36)."""

OUTLIER_SHARE = 0.03
"""Share of a paint's pixels that look like anything: gloss, grain, the blurred border. Set by hand on tuning seeds; not measured on a
spread of rooms."""

MOST_PIXELS = 4000
"""Pixels of a paint that are measured at most. By design: bounds the time; the error of a mean over so many is far below any spread."""

LAMP_PIXELS = 500.0
"""Pixels of a paint that count for the lamp at most, so that the base, of which most is seen, does not decide it alone. By design."""

ANOTHER_PAINT = 0.9
"""Chroma (log) by which a measured median may be off what the lamp foretells and still be this paint. Derived: the nominal columns' paints
are at least 3.0 apart in one chroma (`tests/vision/test_tunables.py`), so this is less than a third of the way to the next."""

NEAR_SIGMAS, MAD_TO_SIGMA, CHROMA_FLOOR = 4.0, 1.4826, 0.03
"""Samples within so many robust sigmas of the median are of one paint. The factor makes a median absolute deviation a normal sigma (Huber,
Robust Statistics, 1981, section 5.1); the floor is the sensor's noise in log chroma."""

TRUST_PIXELS = 60.0
"""Pixels at which the measured paint counts as much as the guess. By design: a share that grows with what was seen; the number is set by
hand, not measured on a spread of rooms."""

SPREAD_MORE = 1.3
"""Factor on a measured covariance, since the pixels of one picture lie in one light. Its size is set by hand; not measured on a spread
of rooms."""

PAINTS = tuple(label for label in Label if label is not Label.OTHER)


def features(picture: npt.NDArray[np.uint8], gain: Floats | None = None) -> Maps:
    """Log red-green, log blue-green, mean log of linear light: (3, height, width) from a BGR picture.

    `gain`: factors on its blue, green and red light, which undo a change of lamp or exposure (see `lamp_gain`).
    """
    if gain is None:
        blue, green, red = (_LOG_LIGHT[picture[..., k]] for k in range(3))
    else:
        light = np.exp(_LOG_LIGHT) - FLOOR_LIGHT
        blue, green, red = (np.log(gain[k] * light + FLOOR_LIGHT).astype(np.float32)[picture[..., k]] for k in range(3))
    return np.stack((red - green, blue - green, (red + green + blue) / 3))


def lamp_gain(was: npt.NDArray[np.uint8], now: npt.NDArray[np.uint8]) -> Floats:
    """Factors on the light of `now` (blue, green, red) that make most of it look like `was`: lamp, exposure, white balance.

    Medians over the pixels, so what moved does not count, and over well lit ones only.
    """
    before, after = was[::3, ::3].reshape(-1, 3), now[::3, ::3].reshape(-1, 3)
    lit = (before.min(1) > 40) & (after.min(1) > 40) & (before.max(1) < 250) & (after.max(1) < 250)
    if int(lit.sum()) < 200:
        return np.ones(3)
    ratio = np.median(_LOG_LIGHT[before[lit]] - _LOG_LIGHT[after[lit]], axis=0)
    return np.asarray(np.exp(ratio.astype(np.float64)))


def _feature_of_light(light: Floats) -> Floats:
    """Features (..., 3) of linear light (..., 3) in the order red, green, blue."""
    red, green, blue = (np.log(light[..., k] + FLOOR_LIGHT) for k in range(3))
    return np.stack((red - green, blue - green, (red + green + blue) / 3), axis=-1)


def _light_of_feature(feature: Floats) -> Floats:
    """The linear light (..., 3), red, green, blue, whose features (..., 3) these are."""
    green = feature[..., 2] - (feature[..., 0] + feature[..., 1]) / 3
    logs = np.stack((green + feature[..., 0], green, green + feature[..., 1]), axis=-1)
    return np.asarray(np.maximum(np.exp(logs) - FLOOR_LIGHT, 0.0))


def _gain(offset: Floats) -> Floats:
    """Factors on red, green and blue light (3,) that shift bright colours' features by `offset`."""
    green = offset[2] - (offset[0] + offset[1]) / 3
    return np.asarray(np.exp(np.array((green + offset[0], green, green + offset[1]))))


def feature_of(rgb: tuple[int, int, int]) -> Floats:
    picture = np.array([[rgb[::-1]]], dtype=np.uint8)
    return features(picture)[:, 0, 0].astype(np.float64)


def paint_of(paint: Paint, label: Label) -> tuple[int, int, int]:
    if label is Label.BASE:
        return paint.base
    word, _, kind = label.name.lower().partition("_")
    return paint.columns[Colour(word)] if kind == "column" else paint.plateaus[Floor.parse(word)]


@dataclass(frozen=True, eq=False)
class ColourModel:
    """For every paint a Gaussian in feature space: means (10, 3), covariances (10, 3, 3), and which of them were `measured`.

    `lights` (10, 3) is each paint's own linear light, from which paints not yet measured are foretold under the lamp of the picture.
    """

    means: Floats
    covariances: Floats
    measured: tuple[bool, ...]
    lights: Floats

    @classmethod
    def guess(cls, profile: Profile) -> ColourModel:
        """The profile's paint in neutral light."""
        known = profile.paint
        lights = np.zeros((len(PAINTS), 3))
        for label in PAINTS:
            try:
                rgb = np.array(paint_of(known, label), dtype=np.intp)
            except KeyError:  # a set with fewer plateaus: a paint that nothing shows
                rgb = np.array((255, 0, 255), dtype=np.intp)
            lights[label] = np.exp(_LOG_LIGHT[rgb]) - FLOOR_LIGHT
        covariance = np.diag(np.square(PRIOR_SIGMA))
        return cls(_feature_of_light(lights), np.repeat(covariance[None], len(PAINTS), axis=0), (False,) * len(PAINTS), lights)

    def adapted(self, seen: Maps, labels: Labels, sure: Bools, least: int = 40) -> ColourModel:
        """The model measured on a picture's features (3, h, w) where `labels` (h, w) are `sure` (h, w); paints with fewer than `least`
        pixels follow the lamp.

        Two passes: robust medians give the lamp's offset from the guess, then each paint's own spread is taken round its median.
        """
        samples = {label: seen[:, where].T[:MOST_PIXELS].astype(np.float64) for label, where in _shown(labels, sure, least).items()}
        if not samples:
            return self
        means = _feature_of_light(self.lights * _gain(self._lamp(samples)))
        covariances = self.covariances.copy()
        measured = list(self.measured)
        for number, values in samples.items():
            kept = _of_one_paint(values, means[number])
            if len(kept) < least // 2:
                continue
            trust = len(kept) / (len(kept) + TRUST_PIXELS)
            means[number] = trust * kept.mean(0) + (1 - trust) * means[number]
            spread = np.cov(kept.T) * SPREAD_MORE + np.diag(np.square(LEAST_SIGMA))
            covariances[number] = trust * spread + (1 - trust) * self.covariances[number]
            measured[number] = True
        return ColourModel(means, covariances, tuple(measured), self.lights)

    def _lamp(self, samples: Mapping[Label, Floats]) -> Floats:
        """What the lamp does to features (3,): the median of the paints' offsets from this model, each weighed by its pixels."""
        offsets = np.array([np.median(values, axis=0) - self.means[label] for label, values in samples.items()])
        weights = np.array([min(len(values), LAMP_PIXELS) for values in samples.values()])
        return np.array([_weighted_median(offsets[:, axis], weights) for axis in range(3)])

    @property
    def lamp(self) -> Floats:
        """What the lamp adds to features (3,), as the base's paint shows it; zeros if the base was not measured."""
        if not self.measured[Label.BASE]:
            return np.zeros(3)
        return np.asarray(self.means[Label.BASE] - _feature_of_light(self.lights[Label.BASE]))

    def in_light(self, factor: float, sigma: float) -> ColourModel:
        """Every paint in `factor` times the light, as far as the sensor goes; `sigma`: least spread of log brightness there."""
        lights = np.clip(factor * _light_of_feature(self.means), 0.0, 1.0)
        covariances = self.covariances.copy()
        covariances[:, 2, 2] = np.maximum(covariances[:, 2, 2], sigma**2)
        return ColourModel(_feature_of_light(lights), covariances, self.measured, self.lights)

    def log_densities(self, seen: Maps) -> Maps:
        """Log density of each pixel under each label, the last being `OTHER`: (11, height, width).

        A quadratic form in three variables is linear in their ten monomials, so all paints and pixels are one matrix product.
        """
        r, b, light = seen.reshape(3, -1)
        ones = np.ones_like(r)
        monomials = np.stack((r * r, b * b, light * light, r * b, r * light, b * light, r, b, light, ones))
        table = np.empty((len(PAINTS), 10), dtype=np.float64)
        for k, (mean, covariance) in enumerate(zip(self.means, self.covariances, strict=True)):
            p = np.linalg.inv(covariance)
            linear = p @ mean
            constant = -0.5 * (mean @ linear + np.log(np.linalg.det(covariance)) + 3 * np.log(2 * np.pi)) + np.log(1 - OUTLIER_SHARE)
            table[k] = (-0.5 * p[0, 0], -0.5 * p[1, 1], -0.5 * p[2, 2], -p[0, 1], -p[0, 2], -p[1, 2], *linear, constant)
        result = np.empty((len(Label), r.size), dtype=np.float32)
        np.matmul(table.astype(np.float32), monomials, out=result[: len(PAINTS)])
        lowest = np.float32(OTHER_DENSITY + np.log(OUTLIER_SHARE))
        np.maximum(result[: len(PAINTS)], lowest, out=result[: len(PAINTS)])
        result[Label.OTHER] = OTHER_DENSITY
        return result.reshape(len(Label), *seen.shape[1:])


def _shown(labels: Labels, sure: Bools, least: int) -> dict[Label, Bools]:
    """Where (h, w) each paint shows that at least `least` sure pixels show."""
    where = {label: sure & (labels == label) for label in PAINTS}
    return {label: mask for label, mask in where.items() if int(mask.sum()) >= least}


def _of_one_paint(values: Floats, expected: Floats) -> Floats:
    """Those of a paint's samples (n, 3) that are near their median in chroma; none if the median is not this paint (`expected` (3,)) at
    all, since the believed tower is wrong there. By chroma alone: one part of a paint may lie in the sun and the other in shade."""
    middle = np.median(values, axis=0)
    if np.abs(middle - expected)[:2].max() > ANOTHER_PAINT:
        return values[:0]
    away = np.abs(values - middle)[:, :2]
    near = away < NEAR_SIGMAS * (np.median(away, axis=0) * MAD_TO_SIGMA + CHROMA_FLOOR)
    return np.asarray(values[near.all(1)])


def _weighted_median(values: Floats, weights: Floats) -> float:
    order = np.argsort(values)
    reached = np.cumsum(weights[order]) >= weights.sum() / 2
    return float(values[order][reached][0])


def sure_pixels(code: npt.NDArray[np.int16]) -> Bools:
    """Pixels all of whose neighbours show the same item: away from borders, where colours mix."""
    sure = np.zeros(code.shape, dtype=np.bool_)
    middle = code[1:-1, 1:-1]
    same = (code[1:-1, :-2] == middle) & (code[1:-1, 2:] == middle) & (code[:-2, 1:-1] == middle) & (code[2:, 1:-1] == middle)
    sure[1:-1, 1:-1] = same
    return sure
