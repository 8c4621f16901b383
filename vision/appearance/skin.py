"""Which pixels of one picture have the colour of skin: what tells a hand from a piece, from a single picture or from a change.

Skin is told by its chroma under the picture's own lamp, which no piece's paint comes near. Bare wood does; who asks must know what lay
there before (`vision.frames.hands`) or what a hand looks like (`vision.frames.arms`).
"""

from __future__ import annotations

import cv2
import numpy as np

from vision.arrays import Bools, Floats, Maps

SKIN_CHROMA = (0.80, -0.45)
"""Log red-green and blue-green of skin in linear light; the same for all people, who differ in brightness above all (Jones and Rehg 1999
found skin compact in chroma over thousands of pictures)."""

SKIN_SIGMA = (0.30, 0.35)
"""Spread of these two chromas over people, lamps and cameras' white balance. By hand on the twin's hands; not measured on photographs."""

SKIN_LEAST_RED = 0.34
"""Least log red-green of skin: the palest is 0.47, the base's card 0.19. Set by hand between the two, which are the twin's palest tone
and the nominal card; `tests/vision/test_tunables.py` holds both."""

SKIN_REACH = 2.2
"""Distance in sigmas up to which a pixel may be skin. By design: nine tenths of a normal law in two dimensions lie within it (1 -
exp(-2.2² / 2) = 0.91)."""

SKIN_LEAST_LIGHT = -4.2
"""Least mean log of linear light (0 is white) of a pixel whose chroma can be told. By design: 1.5 % of white, a few steps above the noise
of `vision.appearance.paints.FLOOR_LIGHT`."""


def skin_pixels(seen: Maps, tint: Floats) -> Bools:
    """Pixels of skin, at least a finger wide: the blurred edge of a red column before a grey wall has skin's colour too."""
    a = (seen[0] - tint[0] - SKIN_CHROMA[0]) / SKIN_SIGMA[0]
    b = (seen[1] - tint[1] - SKIN_CHROMA[1]) / SKIN_SIGMA[1]
    skin = ((a * a + b * b < SKIN_REACH**2) & (seen[0] - tint[0] > SKIN_LEAST_RED) & (seen[2] > SKIN_LEAST_LIGHT)).astype(np.uint8)
    return cv2.morphologyEx(skin, cv2.MORPH_OPEN, np.ones((3, 3), np.uint8)).astype(np.bool_)
