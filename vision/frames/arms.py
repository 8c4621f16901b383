"""Which pixels of a single picture show a hand or an arm: they hide the tower, so they say next to nothing for or against a piece.

`vision.frames.hands` finds hands by what changed; a whole reading has one picture only. Skin is told by its chroma, which no piece's
paint comes near. A sleeve may have any colour, a column's too; what tells it from pieces is that it begins where a hand ends, is one
cloth, as wide as an arm, and leads out of the room in which pieces can stand, at one place. Floors and sofas behind the tower lead out on
either side.
"""

from __future__ import annotations

import cv2
import numpy as np

from vision.appearance.skin import skin_pixels
from vision.arrays import Bools, Floats, Maps

HAND_MM2 = 250.0
"""Least area of skin before the tower for a hand (a finger is 15 x 60 mm). Lower: warm edges of shadows count. Set by hand on tuning
seeds; not measured on a spread of rooms."""

ARM_MM = (16.0, 130.0)
"""Half the width of an arm as it appears at the tower: from a child's wrist to a forearm half way to the camera. Thinner are columns (9
to 17 mm) and rails of furniture; thicker are walls and tables. By design: from bodies' sizes and the cameras' distance."""

CUFF_MM = 16.0
"""How far beyond the skin cloth is sampled: past the blurred edge and the shade of the cuff. Set by hand on tuning seeds; not measured
on a spread of rooms."""

COMPACT = 0.72
"""Least share of its convex hull that a sleeve fills; walls behind towers and shelves are full of holes and bays. Set by hand on tuning
seeds; not measured on a spread of rooms."""

CLOTH_CHROMA, CLOTH_LIGHT = 0.28, 2.0
"""Log chroma and log brightness by which one cloth may differ from its sample: folds and shade. Higher: it runs into the wall behind.
Set by hand on tuning seeds; not measured on a spread of rooms."""

SAMPLES = 14
"""Points round a hand at which cloth is looked for. By design: bounds the time."""

ARM_SHRINK = 2
"""The pixels are taken one in so many each way; a finger is still five wide. By design: a quarter of the time."""


def arm_pixels(seen: Maps, tint: Floats, room: Bools, mm2: float, from_outside: bool = False) -> Bools:
    """Pixels (h, w) that show hands or arms. `seen`: features (3, h, w); `tint`: what the lamp adds to chromas (2 or 3,); `room`: where
    pieces can show (h, w); `mm2`: area of a pixel at the tower; `from_outside`: only bare arms that lead out of the pieces' room, which no
    card or piece does."""
    small, within = seen[:, ::ARM_SHRINK, ::ARM_SHRINK], room[::ARM_SHRINK, ::ARM_SHRINK]
    scale_mm = ARM_SHRINK * float(np.sqrt(mm2))
    edge = within & ~_shrunk(within, 2)
    skin = skin_pixels(small, np.append(np.asarray(tint)[:2], 0.0))
    count, lumps = cv2.connectedComponents(skin.astype(np.uint8), connectivity=8)
    arm = np.zeros(skin.shape, dtype=np.bool_)
    for number in range(1, count):
        hand = lumps == number
        if float((hand & within).sum()) * scale_mm**2 < HAND_MM2 or _half_width_mm(hand, scale_mm) > ARM_MM[1]:
            continue
        ways_out = _lumps_of(hand & edge)
        if ways_out > 2 or (from_outside and not ways_out):
            continue
        arm |= hand | _grown(_sleeves(small, hand, edge, scale_mm), 1)
    return np.asarray(cv2.resize(arm.astype(np.uint8), (seen.shape[2], seen.shape[1]), interpolation=cv2.INTER_NEAREST), dtype=np.bool_)


def _sleeves(seen: Maps, hand: Bools, edge: Bools, scale_mm: float) -> Bools:
    """What continues a hand as a sleeve does: for each of some points round it the lump of one cloth that begins there."""
    found = np.zeros(hand.shape, dtype=np.bool_)
    reach = max(1, round(CUFF_MM / scale_mm))
    rows, columns = np.nonzero(_grown(hand, reach) & ~_grown(hand, reach - 1))
    if not len(rows):
        return found
    around = np.argsort(np.arctan2(rows - rows.mean(), columns - columns.mean()))
    for at in around[:: max(1, len(around) // SAMPLES)]:
        y, x = int(rows[at]), int(columns[at])
        if not found[y, x]:
            lump = _cloth_from(seen, y, x)
            if _is_sleeve(lump, edge, scale_mm):
                found |= lump
    return found


def _cloth_from(seen: Maps, y: int, x: int) -> Bools:
    """The connected pixels (h, w) that look like the one at (y, x)."""
    part = seen[:, max(0, y - 1) : y + 2, max(0, x - 1) : x + 2].reshape(3, -1)
    away = np.abs(seen - np.median(part, axis=1)[:, None, None])
    alike = ((away[0] < CLOTH_CHROMA) & (away[1] < CLOTH_CHROMA) & (away[2] < CLOTH_LIGHT)).astype(np.uint8)
    _, lumps = cv2.connectedComponents(cv2.morphologyEx(alike, cv2.MORPH_OPEN, np.ones((3, 3), np.uint8)), connectivity=4)
    number = int(lumps[y, x])
    return np.asarray((lumps == number) & (number > 0), dtype=np.bool_)


def _is_sleeve(lump: Bools, edge: Bools, scale_mm: float) -> bool:
    """Whether a lump leads out of the pieces' room once, is as wide as an arm, and plain in shape."""
    if _lumps_of(lump & edge) != 1:
        return False
    outlines, _ = cv2.findContours(lump.astype(np.uint8), cv2.RETR_EXTERNAL, cv2.CHAIN_APPROX_SIMPLE)
    if float(lump.sum()) < COMPACT * cv2.contourArea(cv2.convexHull(np.concatenate(outlines))):
        return False
    return ARM_MM[0] <= _half_width_mm(lump, scale_mm) <= ARM_MM[1]


def _half_width_mm(lump: Bools, scale_mm: float) -> float:
    """Half the width of a lump where it is widest; what the picture's border cuts goes on beyond it."""
    padded = np.pad(lump.astype(np.uint8), 1, mode="edge")
    return float(cv2.distanceTransform(padded, cv2.DIST_L2, 3).max()) * scale_mm


def _lumps_of(mask: Bools) -> int:
    """How many lumps a mask has, such as an arm's lasting cuts through an edge; specks beside them do not count."""
    _, _, stats, _ = cv2.connectedComponentsWithStats(cv2.dilate(mask.astype(np.uint8), np.ones((5, 5), np.uint8)), connectivity=8)
    return int((stats[1:, cv2.CC_STAT_AREA] > 60).sum())


def _grown(mask: Bools, by: int) -> Bools:
    return np.asarray(cv2.dilate(mask.astype(np.uint8), np.ones((2 * by + 1, 2 * by + 1), np.uint8)), dtype=np.bool_)


def _shrunk(mask: Bools, by: int) -> Bools:
    """The same less a rim; beyond the picture nothing is set."""
    size = np.ones((2 * by + 1, 2 * by + 1), np.uint8)
    return np.asarray(cv2.erode(mask.astype(np.uint8), size, borderType=cv2.BORDER_CONSTANT, borderValue=0), dtype=np.bool_)
