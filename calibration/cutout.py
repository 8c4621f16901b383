"""What is new in a picture, to a fraction of a pixel: how much of every pixel the piece covers that was set down.

A first mask comes from chroma, so that shadows do not count. Where its border lies by chroma alone depends on how bright the piece is there
and what is behind it: a column's lit top against a dark room came out a pixel too high. So every pixel near the border is taken apart: it
is a mixture of the piece as it looks just inside and of what was there before, and either may be somewhat darker than that (a shadow
beside the foot, a side turned from the lamp). Mixtures are taken in the picture's own brightness, as blur and JPEG of a webcam do.
"""

from __future__ import annotations

import cv2
import numpy as np
import numpy.typing as npt

from calibration.paint import CHANGED
from rig.profile import Profile
from vision.appearance.paints import features, lamp_gain
from vision.camera.view import CameraView

Picture = npt.NDArray[np.uint8]
Bools = npt.NDArray[np.bool_]
Cover = npt.NDArray[np.float32]
"""How much of each pixel is covered (height, width), 0 to 1."""

Brightness = npt.NDArray[np.float32]
"""Of a picture's pixels (height, width, 3), blue, green, red, 0 to 255."""

LEAST_PX = 60
"""Fewer new pixels are no piece."""

ROOM_MM = 220.0
"""Height over the base up to which something new is looked for: the longest column, twice."""

BORDER_PX = 3
"""Width of the border, either way, in which pixels are taken apart: blur, JPEG's blocks of colour and the error of the first mask."""

LOOKS_PX = 3.0
"""How far around (standard deviation) the piece is looked at to know how it looks at the border. More misses a lit rim, less is noise."""

SHADOW_SHARE = 0.25
"""A pixel that is piece by less is ground in shadow. More loses a piece's own dark side, less keeps coloured shadows."""

NOISE = 4.0
"""Of a pixel's brightness (of 255): sensor and JPEG."""

SHADE = 0.1
"""How far brightness of piece and background together may be from what is expected: shadows and slopes. More trusts colour alone."""


def new_pixels(view: CameraView, profile: Profile, before: Picture, after: Picture) -> Bools:
    """Pixels (height, width) of what is new over the base, by chroma: the largest lump, without holes."""
    away = np.abs(features(after)[:2] - features(before, lamp_gain(after, before))[:2]).max(0)
    room = np.zeros(away.shape, np.uint8)
    reach = profile.base.plate_half_mm
    corners = np.array([(x, y, z) for x in (-reach, reach) for y in (-reach, reach) for z in (-10.0, ROOM_MM)])
    cv2.fillConvexPoly(room, cv2.convexHull(np.rint(np.nan_to_num(view.project(corners))).astype(np.int32)), 1)
    rough = (away > CHANGED) & room.astype(np.bool_)
    lump = _largest(cv2.morphologyEx(rough.astype(np.uint8), cv2.MORPH_OPEN, np.ones((3, 3), np.uint8)))
    if int(lump.sum()) < LEAST_PX:
        return np.zeros(away.shape, np.bool_)
    # the border lies where a pixel is half the piece and half what was there; log chroma of such a mixture is not half the difference
    piece, ground = (np.median(picture[lump], axis=0) for picture in (after, before))
    mixture = features(np.rint((piece + ground) / 2).astype(np.uint8)[None, None])[:2, 0, 0]
    level = float(np.abs(mixture - features(ground.astype(np.uint8)[None, None])[:2, 0, 0]).max())
    level = max(0.5 * CHANGED, min(level, 0.6 * float(np.median(away[lump]))))
    near = cv2.dilate(lump.astype(np.uint8), np.ones((5, 5), np.uint8)).astype(np.bool_)
    sharp = (cv2.GaussianBlur(away, (3, 3), 0.8) > level) & near
    closed = cv2.morphologyEx(sharp.astype(np.uint8), cv2.MORPH_CLOSE, np.ones((5, 5), np.uint8))
    contours, _ = cv2.findContours(_largest(closed).astype(np.uint8), cv2.RETR_EXTERNAL, cv2.CHAIN_APPROX_NONE)
    filled = np.zeros(away.shape, np.uint8)
    cv2.drawContours(filled, contours, -1, 1, cv2.FILLED)
    return filled.astype(np.bool_)


def cover_of(view: CameraView, profile: Profile, before: Picture, after: Picture) -> Cover:
    """How much of each pixel the new piece covers; nothing anywhere if there is none."""
    mask = new_pixels(view, profile, before, after)
    cover = mask.astype(np.float32)
    if not mask.any():
        return cover
    x0, y0, x1, y1 = _box(mask)
    ground = _lit(before[y0:y1, x0:x1], lamp_gain(after, before))
    seen = after[y0:y1, x0:x1].astype(np.float32)
    part = _without_shadow(mask[y0:y1, x0:x1], seen, ground)
    round_px = cv2.getStructuringElement(cv2.MORPH_ELLIPSE, (2 * BORDER_PX + 1,) * 2)
    core, reach = cv2.erode(part, round_px), cv2.dilate(part, round_px)
    border = (reach > 0) & (core == 0)
    share = _share(seen, _looks(seen, core), ground)
    cover[y0:y1, x0:x1] = np.where(border, share, (core > 0).astype(np.float32))
    return cover


def _without_shadow(mask: Bools, seen: Brightness, ground: Brightness) -> cv2.typing.MatLike:
    """The mask without what is rather darker ground than piece: sunlight is of another colour than the room's, so some shadows count as
    new."""
    look = np.median(seen[mask], axis=0).astype(np.float32)
    piece = mask & (_share(seen, np.broadcast_to(look, seen.shape), ground) > SHADOW_SHARE)
    lump = _largest(cv2.morphologyEx(piece.astype(np.uint8), cv2.MORPH_OPEN, np.ones((3, 3), np.uint8)))
    if int(lump.sum()) < LEAST_PX:
        return mask.astype(np.uint8)
    near = cv2.dilate(lump.astype(np.uint8), np.ones((3, 3), np.uint8)) & mask.astype(np.uint8)
    contours, _ = cv2.findContours(near, cv2.RETR_EXTERNAL, cv2.CHAIN_APPROX_NONE)
    filled = np.zeros(mask.shape, np.uint8)
    cv2.drawContours(filled, contours, -1, 1, cv2.FILLED)
    return filled


def _box(mask: Bools) -> tuple[int, int, int, int]:
    """The rectangle round the mask with its border and what is looked at beyond."""
    rows, columns = np.flatnonzero(mask.any(1)), np.flatnonzero(mask.any(0))
    room = 3 * BORDER_PX
    return (
        max(int(columns[0]) - room, 0), max(int(rows[0]) - room, 0),
        min(int(columns[-1]) + room + 1, mask.shape[1]), min(int(rows[-1]) + room + 1, mask.shape[0]),
    )  # fmt: skip


def _lit(picture: Picture, gain: npt.NDArray[np.float64]) -> Brightness:
    """The picture (BGR) under a lamp of `gain` times its light: brightness goes with its power 1 / 2.2, nearly."""
    return np.asarray(picture.astype(np.float32) * (gain ** (1 / 2.2)).astype(np.float32))


def _looks(seen: Brightness, core: cv2.typing.MatLike) -> Brightness:
    """How the piece looks near every pixel (height, width, 3): the mean of its inside round there."""
    inside = core.astype(np.float32)
    total = cv2.GaussianBlur(seen * inside[..., None], (0, 0), LOOKS_PX)
    weight = cv2.GaussianBlur(inside, (0, 0), LOOKS_PX)[..., None]
    plain = seen[core > 0].mean(0) if (core > 0).any() else seen.reshape(-1, 3).mean(0)
    return np.asarray(np.where(weight > 1e-4, total / np.maximum(weight, 1e-6), plain), np.float32)


def _share(seen: Brightness, piece: Brightness, ground: Brightness) -> Cover:
    """The part of each pixel that is piece: `seen` as a times piece plus b times ground by least squares, a + b being nearly 1.

    Where it is not, half of what is missing is laid to the piece."""
    held = (NOISE / SHADE) ** 2
    pp, pg, gg = ((a * b).sum(2) + held for a, b in ((piece, piece), (piece, ground), (ground, ground)))
    ps, gs = ((a * seen).sum(2) + held for a in (piece, ground))
    size = np.maximum(pp * gg - pg * pg, 1e-6)
    a, b = (ps * gg - gs * pg) / size, (gs * pp - ps * pg) / size
    a, b = np.maximum(a, 0.0), np.maximum(b, 0.0)
    return np.asarray(np.minimum(2 * a / (1 + a + b), 1.0), np.float32)


def _largest(mask: cv2.typing.MatLike) -> Bools:
    count, lumps, stats, _ = cv2.connectedComponentsWithStats(mask, connectivity=8)
    if count < 2:
        return np.zeros(mask.shape, np.bool_)
    return np.asarray(lumps == 1 + int(stats[1:, cv2.CC_STAT_AREA].argmax()))
