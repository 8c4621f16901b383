"""Procedural "photographs" and patterns: what hangs on a living room's walls, stands on its shelves and lies on its table.

Everything is drawn from the seed, so no picture of anybody's is needed. Colours are RGB here, as MuJoCo reads PNG files.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable

import cv2
import numpy as np
import numpy.typing as npt

Picture = npt.NDArray[np.uint8]
Floats = npt.NDArray[np.float32]


def _rgb(hue_deg: float, saturation: float, value: float) -> Floats:
    """RGB, 0 to 255, of a colour by hue."""
    pixel = np.array([[[hue_deg % 360.0, saturation, value]]], np.float32)
    return np.asarray(cv2.cvtColor(pixel, cv2.COLOR_HSV2RGB)[0, 0] * 255, np.float32)


def any_colour(rng: np.random.Generator, saturation: tuple[float, float] = (0.1, 0.7), value: tuple[float, float] = (0.2, 0.85)) -> Floats:
    """RGB, 0 to 255, drawn by hue so that dull and bright ones both come."""
    return _rgb(float(rng.uniform(0, 360)), float(rng.uniform(*saturation)), float(rng.uniform(*value)))


def clouds(rng: np.random.Generator, height_px: int, width_px: int, coarse: float = 0.3) -> Floats:
    """Noise of many sizes, 0 to 1: hills, clouds, foliage, stone."""
    out = np.zeros((height_px, width_px), np.float32)
    weight, cells = 1.0, max(2, round(1 / coarse))
    while cells < max(height_px, width_px) / 2:
        rows = max(2, cells * height_px // max(height_px, width_px))
        small = rng.random((rows + 1, cells + 1), dtype=np.float32)
        out += weight * cv2.resize(small, (width_px, height_px), interpolation=cv2.INTER_CUBIC)
        weight, cells = weight * 0.55, cells * 2
    low, high = float(out.min()), float(out.max())
    return np.asarray((out - low) / (high - low + 1e-6), np.float32)


def landscape(rng: np.random.Generator, height_px: int = 192, width_px: int = 256) -> Picture:
    """Sky, ridges behind ridges, meadow or water."""
    top, low = _rgb(float(rng.uniform(195, 225)), 0.5, 0.85), _rgb(float(rng.uniform(20, 60)), float(rng.uniform(0.05, 0.5)), 0.95)
    rise = np.linspace(0, 1, height_px, dtype=np.float32)[:, None, None]
    picture = top * (1 - rise) + low * rise
    picture = picture + (clouds(rng, height_px, width_px)[..., None] > 0.62) * np.float32(26)
    ridges = int(rng.integers(3, 6))
    hue = float(rng.uniform(70, 150))
    for k in range(ridges):
        skyline = height_px * (0.35 + 0.6 * k / ridges) - 0.18 * height_px * clouds(rng, 4, width_px, coarse=0.5)[1]
        near = (k + 1) / ridges
        colour = _rgb(hue, 0.25 + 0.4 * near, 0.75 - 0.45 * near)
        below = np.arange(height_px)[:, None] > skyline[None, :]
        texture = 0.75 + 0.5 * clouds(rng, height_px, width_px, coarse=0.08)[..., None]
        picture = np.where(below[..., None], colour * texture, picture)
    return np.asarray(np.clip(picture, 0, 255), np.uint8)


def still_life(rng: np.random.Generator, height_px: int = 192, width_px: int = 256) -> Picture:
    """Round things with light and shade before a wall."""
    picture = any_colour(rng, value=(0.3, 0.8)) * (0.7 + 0.5 * clouds(rng, height_px, width_px)[..., None])
    edge = round(height_px * float(rng.uniform(0.5, 0.7)))
    picture[edge:] = any_colour(rng, value=(0.3, 0.7)) * (0.8 + 0.3 * clouds(rng, height_px - edge, width_px, coarse=0.05)[..., None])
    ys, xs = np.mgrid[0:height_px, 0:width_px].astype(np.float32)
    for _ in range(int(rng.integers(4, 10))):
        cx, cy = float(rng.uniform(0.1, 0.9) * width_px), float(rng.uniform(0.35, 0.85) * height_px)
        rx = float(rng.uniform(0.05, 0.17) * width_px)
        ry = rx * float(rng.uniform(0.7, 1.9))
        u, v = (xs - cx) / rx, (ys - cy) / ry
        inside = u * u + v * v < 1
        shade = np.clip(1.15 - 0.55 * np.hypot(u + 0.4, v + 0.45), 0.15, 1.2)[..., None]
        picture = np.where(inside[..., None], any_colour(rng, (0.3, 0.9), (0.4, 0.95)) * shade, picture)
    return np.asarray(np.clip(cv2.GaussianBlur(picture, (0, 0), 0.8), 0, 255), np.uint8)


def portrait(rng: np.random.Generator, height_px: int = 256, width_px: int = 192) -> Picture:
    """Somebody, as blurred as a portrait across the room is."""
    picture = any_colour(rng, value=(0.3, 0.8)) * (0.8 + 0.4 * clouds(rng, height_px, width_px)[..., None])
    skin = np.array([214, 168, 140], np.float32) * float(rng.uniform(0.45, 1.05))
    hair, coat = any_colour(rng, (0.1, 0.5), (0.1, 0.5)), any_colour(rng, (0.2, 0.8), (0.2, 0.8))
    middle = (width_px // 2, round(height_px * 0.40))
    face = (round(width_px * 0.19), round(height_px * 0.18))
    cv2.ellipse(
        picture, (middle[0], round(height_px * 1.02)), (round(width_px * 0.46), round(height_px * 0.36)), 0, 0, 360, coat.tolist(), -1
    )
    cv2.ellipse(picture, (middle[0], middle[1] - 6), (face[0] + 8, face[1] + 10), 0, 0, 360, hair.tolist(), -1)
    cv2.ellipse(picture, middle, face, 0, 0, 360, skin.tolist(), -1)
    cv2.ellipse(picture, (middle[0] - face[0] // 3, middle[1]), (face[0] // 2, face[1]), 0, 0, 360, (skin * 1.1).tolist(), -1)
    return np.asarray(np.clip(cv2.GaussianBlur(picture, (0, 0), 2.5), 0, 255), np.uint8)


def poster(rng: np.random.Generator, height_px: int = 256, width_px: int = 192) -> Picture:
    """Flat fields and bars, some in the game's own strong colours."""
    picture = np.tile(any_colour(rng, (0, 0.5), (0.6, 0.95)), (height_px, width_px, 1))
    for _ in range(int(rng.integers(5, 12))):
        colour = any_colour(rng, (0.5, 0.95), (0.3, 0.95)).tolist()
        x, y = int(rng.integers(width_px)), int(rng.integers(height_px))
        if rng.random() < 0.4:
            cv2.circle(picture, (x, y), int(rng.integers(8, 50)), colour, -1, cv2.LINE_AA)
        else:
            cv2.rectangle(picture, (x, y), (x + int(rng.integers(8, 110)), y + int(rng.integers(4, 60))), colour, -1)
    return np.asarray(picture, np.uint8)


_PHOTOGRAPHS: tuple[Callable[[np.random.Generator], Picture], ...] = (landscape, landscape, still_life, portrait, poster)


def photograph_of_something(rng: np.random.Generator) -> Picture:
    """A picture in a light frame or a dark one, with or without a mat."""
    picture = _PHOTOGRAPHS[int(rng.integers(len(_PHOTOGRAPHS)))](rng)
    if rng.random() < 0.6:
        picture = np.asarray(cv2.copyMakeBorder(picture, 22, 22, 22, 22, cv2.BORDER_CONSTANT, value=(232, 230, 224)), np.uint8)
    frame = any_colour(rng, (0.1, 0.5), (0.08, 0.8)).tolist()
    return np.asarray(cv2.copyMakeBorder(picture, 10, 10, 10, 10, cv2.BORDER_CONSTANT, value=frame), np.uint8)


def books(rng: np.random.Generator, height_px: int = 320, width_px: int = 320, rows: int = 4) -> Picture:
    """A shelf's front: boards, spines of all colours, gaps, a leaning one now and then."""
    wood = np.array([150, 112, 74], np.float32) * float(rng.uniform(0.45, 1.45))
    picture = np.tile(np.clip(wood * 0.35, 0, 255), (height_px, width_px, 1)).astype(np.float32)
    tall = height_px // rows
    for row in range(rows):
        floor = (row + 1) * tall - 6
        x = int(rng.integers(2, 12))
        while x < width_px - 8:
            width = int(rng.integers(5, 18))
            if rng.random() < 0.12:
                x += int(rng.integers(10, 50))
                continue
            high = int(tall * rng.uniform(0.5, 0.86))
            colour = any_colour(rng, (0.05, 0.85), (0.15, 0.9))
            cv2.rectangle(picture, (x, floor - high), (x + width - 1, floor), colour.tolist(), -1)
            cv2.line(picture, (x, floor - high), (x, floor), (colour * 0.55).tolist(), 1)
            if width > 8:
                cv2.rectangle(picture, (x + 2, floor - high + 8), (x + width - 3, floor - high + 14), (colour * 0.5 + 110).tolist(), -1)
            x += width
        cv2.rectangle(picture, (0, floor), (width_px, floor + 6), wood.tolist(), -1)
    cv2.rectangle(picture, (0, 0), (width_px - 1, height_px - 1), wood.tolist(), 7)
    return np.asarray(np.clip(picture, 0, 255), np.uint8)


def window(rng: np.random.Generator, height_px: int = 320, width_px: int = 256) -> Picture:
    """A window from inside by day: far too bright, a hint of green, crossbars and a frame."""
    outside = landscape(rng, height_px, width_px).astype(np.float32)
    picture = np.clip(cv2.GaussianBlur(outside, (0, 0), 3) * 0.5 + 150, 0, 255)
    frame = (225.0, 222.0, 215.0)
    cv2.rectangle(picture, (0, 0), (width_px - 1, height_px - 1), frame, 22)
    cv2.rectangle(picture, (width_px // 2 - 7, 0), (width_px // 2 + 7, height_px), frame, -1)
    if rng.random() < 0.5:
        cv2.rectangle(picture, (0, height_px // 3 - 5), (width_px, height_px // 3 + 5), frame, -1)
    return np.asarray(picture, np.uint8)


def curtain(rng: np.random.Generator, height_px: int = 64, width_px: int = 256) -> Picture:
    """Folds of a cloth that hangs."""
    x = np.linspace(0, 1, width_px, dtype=np.float32)
    folds = sum(np.sin(2 * math.pi * (f * x + rng.random())) / f**0.5 for f in (5.0, 9.0, 14.0))
    level = 0.8 + 0.09 * np.asarray(folds, np.float32)
    return np.asarray(
        np.clip(np.tile((any_colour(rng, (0.05, 0.6), (0.4, 0.95)) * level[:, None])[None], (height_px, 1, 1)), 0, 255), np.uint8
    )


def wallpaper(rng: np.random.Generator, size_px: int = 256) -> Picture:
    """Paint, stripes or a small pattern, pale."""
    base = any_colour(rng, (0.0, 0.22), (0.66, 0.93))
    picture = np.tile(base, (size_px, size_px, 1)).astype(np.float32)
    other = np.clip(base * float(rng.uniform(0.86, 0.95)), 0, 255)
    kind = int(rng.integers(4))
    if kind == 1:
        for x in range(0, size_px, 32):
            picture[:, x : x + 14] = other
    elif kind == 2:
        for y in range(0, size_px, 32):
            for x in range(0, size_px, 32):
                cv2.ellipse(picture, (x + 8 + 8 * (y // 32 % 2), y + 14), (4, 8), 0, 0, 360, other.tolist(), -1, cv2.LINE_AA)
    picture *= (0.96 + 0.06 * clouds(rng, size_px, size_px))[..., None]
    return np.asarray(np.clip(picture, 0, 255), np.uint8)


def planks(rng: np.random.Generator, size_px: int = 512, boards: int = 5) -> Picture:
    """A wooden table's or floor's surface: boards side by side, grain along x, a knot here and there."""
    base = _rgb(float(rng.uniform(18, 38)), float(rng.uniform(0.25, 0.6)), float(rng.uniform(0.28, 0.85)))
    picture = np.empty((size_px, size_px, 3), np.float32)
    edges = np.linspace(0, size_px, boards + 1).astype(int)
    ys, xs = np.mgrid[0:size_px, 0:size_px].astype(np.float32)
    warp = 22 * clouds(rng, size_px, size_px, coarse=0.4)
    for _ in range(int(rng.integers(0, 5))):
        cx, cy = rng.uniform(0, size_px, 2)
        warp += 14 * np.exp(-(((xs - cx) / 60) ** 2 + ((ys - cy) / 14) ** 2)).astype(np.float32)
    rings = 0.5 + 0.5 * np.sin((ys + warp) * float(rng.uniform(0.35, 0.8)))
    fine = cv2.GaussianBlur(rng.normal(size=(size_px, size_px)).astype(np.float32), (0, 0), sigmaX=24, sigmaY=0.8)
    level = 1 + float(rng.uniform(0.03, 0.13)) * (rings - 0.5) + float(rng.uniform(0.02, 0.06)) * fine / float(fine.std())
    for low, high in itertools.pairwise(edges):
        picture[low:high] = base * float(rng.uniform(0.92, 1.06)) * level[low:high, :, None]
        if boards > 1:
            picture[low : low + 1] *= 0.6
    return np.asarray(np.clip(picture, 0, 255), np.uint8)


def tablecloth(rng: np.random.Generator, size_px: int = 512) -> Picture:
    """Plain linen, checks, stripes or dots, woven."""
    base, other = any_colour(rng, (0.0, 0.6), (0.45, 0.97)), any_colour(rng, (0.2, 0.8), (0.3, 0.9))
    picture = np.tile(base, (size_px, size_px, 1)).astype(np.float32)
    kind, step = int(rng.integers(4)), int(rng.integers(16, 52))
    if kind == 1:
        for k in range(0, size_px, 2 * step):
            picture[k : k + step] = 0.5 * picture[k : k + step] + 0.5 * other
            picture[:, k : k + step] = 0.5 * picture[:, k : k + step] + 0.5 * other
    elif kind == 2:
        for k in range(0, size_px, 2 * step):
            picture[:, k : k + step // 2] = other
    elif kind == 3:
        for y in range(0, size_px, step):
            for x in range(0, size_px, step):
                cv2.circle(picture, (x + step // 2 * (y // step % 2), y), max(2, step // 7), other.tolist(), -1, cv2.LINE_AA)
    weave = 0.97 + 0.03 * np.sign(np.sin(np.arange(size_px) * 2.1))
    picture *= (weave[:, None] * weave[None, :] * (0.93 + 0.12 * clouds(rng, size_px, size_px, coarse=0.2)))[..., None]
    return np.asarray(np.clip(picture, 0, 255), np.uint8)
