"""What comes into sight where a column was: nobody saw that spot before, but what lies round it tells how it may look.

The paint of the base or of a plateau is measured over all that is seen of it, mostly in the room's even light. A patch of sun or of deep
shade that a column hid is neither; seen beside that spot, it is nothing strange.
"""

from __future__ import annotations

import numpy as np
from scipy.spatial import cKDTree

from vision.arrays import Bools, Floats, Maps
from vision.change.evidence import PixelEvidence
from vision.scene.silhouettes import Scene

ROUND_MM = 40.0
"""How far round a spot its like is looked for. By design: wider than the widest column."""

LIKE = (0.05, 0.05, 0.2)
"""Differences (two chromas, log brightness) up to which a pixel looks like another: three sigmas of one that shows what it showed. Set
by hand on single pairs that were told wrong; not measured on a spread of rooms."""


def like_what_lies_round(evidence: PixelEvidence, scene: Scene, spots: Bools) -> Bools:
    """Which pixels of `spots` (h, w) look like some unchanged pixel near them that shows the same plateau or the base in `scene`."""
    alike = np.zeros_like(spots)
    if evidence.now is None:
        return alike
    for code in np.unique(scene.code[spots]):
        rows, columns = np.nonzero(spots & (scene.code == code))
        reach = round(ROUND_MM / np.sqrt(evidence.mm2))
        near = (slice(max(rows.min() - reach, 0), rows.max() + reach + 1), slice(max(columns.min() - reach, 0), columns.max() + reach + 1))
        round_it = (scene.code[near] == code) & (evidence.before.code[near] == code) & (evidence.same[near] > 0)
        if round_it.any():
            known = cKDTree(_scaled(evidence.now[:, *near][:, round_it]))
            apart, _ = known.query(_scaled(evidence.now[:, rows, columns]), distance_upper_bound=1.0)
            alike[rows, columns] = np.isfinite(apart)
    return alike


def _scaled(features: Maps) -> Floats:
    return np.asarray(features.T / np.array(LIKE), dtype=np.float64)
