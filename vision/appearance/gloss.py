"""How a glossy plate looks at a grazing angle: its paint with some of the room's white light laid over it.

Satin paint mirrors the wall behind it when it is looked at from the side, so an orange plate seen edge on is pale salmon. A paint that has
not been measured in this picture yet is therefore held to be any of a few: as painted, or with more and more gloss. Which it is the pixels
say; being unmeasured it is never a guess at full confidence.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import numpy.typing as npt

from vision.appearance.paints import ColourModel, _feature_of_light, _gain
from vision.arrays import Floats, Maps
from vision.scene.silhouettes import Label

GLOSS = (0.0, 0.05, 0.11, 0.2)
"""Share of white light, against white paper on the base, that gloss adds to a plate's paint: 0.15 to 0.2 were seen on satin plates at 10
to 20 degrees to their face. The steps are set by hand; not measured on a spread of rooms."""

PLATES = tuple(label for label in Label if Label.BLUE_PLATEAU <= label <= Label.RED_PLATEAU)


def glossy(model: ColourModel, labels: tuple[Label, ...], gloss: float, lamp: Floats) -> ColourModel:
    """The model with so much gloss on some paints; `lamp` (3,): what the lamp adds to features."""
    if gloss == 0.0:
        return model
    means = model.means.copy()
    rows = np.array(labels, dtype=np.intp)
    means[rows] = _feature_of_light((model.lights[rows] + gloss) * _gain(lamp))
    return replace(model, means=means)


def gloss_of(model: ColourModel, label: Label, seen: Floats, lamp: Floats) -> float:
    """The gloss of GLOSS under which pixels of a plate (3, n) look most like its paint by chroma."""
    middle = np.median(seen, axis=1)
    away = [float(np.abs(glossy(model, (label,), gloss, lamp).means[label] - middle)[:2].max()) for gloss in GLOSS]
    return GLOSS[int(np.argmin(away))]


def best_gloss_densities(model: ColourModel, labels: tuple[Label, ...], seen: Maps, lamp: Floats) -> Maps:
    """Log density (len(labels), h, w) of pixels under each of some unmeasured plates' paints, the gloss that fits best taken."""
    rows = np.array(labels, dtype=np.intp)
    best: npt.NDArray[np.float32] | None = None
    for gloss in GLOSS:
        found = glossy(model, labels, gloss, lamp).log_densities(seen)[rows]
        best = found if best is None else np.maximum(best, found)
    assert best is not None
    return best - np.float32(np.log(len(GLOSS)) / 2)
