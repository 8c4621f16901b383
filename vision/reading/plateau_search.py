"""How many plateaus lie, and where: each sought at the height its columns give it, before any column is known.

A plateau's outline is known, its place and turn are not. The pictures are laid flat onto the plane of its upper face, and the outline,
turned step by step, is slid over the sum of all cameras; the best few poses are refined with exact silhouettes. What stands on a plateau
or hides it is not known yet, so a pixel that shows another piece's paint counts little against it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import cv2
import msgspec
import numpy as np

from rig.messages import Laid
from rig.pieces import Floor
from rig.profile import Profile
from vision.arrays import Bools, Floats, Maps
from vision.scene.silhouettes import Label, Stage, running_sum, spans_of_parts, sums_within
from vision.scene.solids import turned

FLAT_GRID_MM = 4.0
"""Step of the flattened picture. Set by hand on tuning seeds; not measured on a spread of rooms."""

FLAT_REACH_MM = 180.0
"""Half side of the flattened picture: a plateau may protrude beyond the base (A4). By design."""

FLAT_TURN_DEG = 6.0
"""Step of a plateau's turn in the search. By design: the climb that follows reaches further than half of it."""

FLAT_STARTS = 5
"""Poses refined; near the eye's height a plateau is a mere line, and the best of the flattened picture need not be the best. Set by
hand: more cost time."""

HIDDEN_COST = 0.6
"""What a pixel counts against a plateau if it shows another piece, which may stand before it (nats). Set by hand on tuning seeds; not
measured on a spread of rooms."""

ALIKE = 1.5
"""Nats by which another paint may fit a pixel better than a plateau's own before the pixel counts as hiding it: a blue column's and the
blue plateau's paint are all but the same as long as neither is measured. Set by hand on tuning seeds; not measured on a spread of
rooms."""

PRESENT_SHARE, PRESENT_MM2 = 0.5, 350.0
"""Least share of its silhouette, not counting what other pieces hide, that shows a plateau's paint; and least area of that (mm² at the
tower, all cameras together). Set by hand on tuning seeds; not measured on a spread of rooms."""


@dataclass(frozen=True, eq=False)
class Flat:
    """What one camera offers a search for plateaus: its stage, each label's values (11, h, w), mm² a pixel, and where arms are (h, w)."""

    stage: Stage
    values: Maps
    mm2: float
    covered: Bools


@dataclass(frozen=True, slots=True)
class FoundPlateau:
    """A plateau's pose, the pictures' sum for it, the share of what could show it that does, and the area seen (mm²)."""

    laid: Laid
    gain: float
    share: float
    area_mm2: float


def soft_values(values: Maps, plateau: Floor) -> Maps:
    """What each pixel (h, w) says for a plateau when nothing else is known yet."""
    own = values[Label.of_plateau(plateau)]
    others = [label for label in Label if label not in (Label.of_plateau(plateau), Label.BASE, Label.OTHER)]
    hiding = values[others].max(0)
    return np.asarray(np.where((hiding > own) & (hiding > 0), np.maximum(own, np.float32(-HIDDEN_COST)), own), dtype=np.float32)


def prisms_at(profile: Profile, laid: Laid, moves: Floats) -> list[Floats]:
    """Corners (m, 2, n, 3) of each part of a level plateau moved by each of `moves` (m, 4): x, y, z in mm and a turn in degrees."""
    size = profile.plateaus[laid.plateau]
    parts = []
    for part in size.parts_mm:
        own = turned(np.array(part), laid.yaw_deg)
        turns = np.radians(moves[:, 3])
        c, s = np.cos(turns)[:, None], np.sin(turns)[:, None]
        corners = np.empty((len(moves), 2, len(part), 3))
        corners[:, :, :, 0] = (c * own[:, 0] - s * own[:, 1] + (laid.x_mm + moves[:, 0])[:, None])[:, None]
        corners[:, :, :, 1] = (s * own[:, 0] + c * own[:, 1] + (laid.y_mm + moves[:, 1])[:, None])[:, None]
        corners[:, 0, :, 2] = (laid.z_mm + moves[:, 2])[:, None]
        corners[:, 1, :, 2] = corners[:, 0, :, 2] + size.thickness_mm
        parts.append(corners)
    return parts


def moved_laid(laid: Laid, move: Floats) -> Laid:
    """`laid` moved by one row of `prisms_at`'s moves."""
    x, y, z, turn = (float(value) for value in move)
    return msgspec.structs.replace(
        laid, x_mm=round(laid.x_mm + x, 2), y_mm=round(laid.y_mm + y, 2), z_mm=round(laid.z_mm + z, 2),
        yaw_deg=round((laid.yaw_deg + turn) % 360.0, 2),
    )  # fmt: skip


_CROSS = np.array(
    [(0, 0, 0), (1, 0, 0), (-1, 0, 0), (0, 1, 0), (0, -1, 0), (1, 1, 0), (-1, -1, 0), (1, -1, 0), (-1, 1, 0), (0, 0, 1), (0, 0, -1)]
    + [(x, y, t) for t in (1, -1) for x, y in ((1, 0), (-1, 0), (0, 1), (0, -1))],
    dtype=np.float64,
)


def climbed(
    profile: Profile,
    stages: Sequence[Stage],
    sums: Sequence[Floats],
    start: Laid,
    steps: Sequence[tuple[float, float]] = ((6.0, 4.0), (3.0, 2.0), (1.5, 1.0), (0.7, 0.5)),
    heights: bool = False,
) -> tuple[Laid, float]:
    """Uphill from a pose over place and turn (and height): the pose and the pictures' sum. `sums`: running sums of what pixels gain.

    `profile` gives the outline, `stages` (one a camera) project it; `start` is the first pose; `steps`: (mm, degrees), coarse to fine;
    `heights`: whether height may change too.
    """
    move, gain = np.zeros(4), -np.inf
    for step, turn in steps:
        for _ in range(6):
            moves = move + np.column_stack((_CROSS[:, :2] * step, np.zeros(len(_CROSS)), _CROSS[:, 2] * turn))
            if heights:
                up = np.array(((0, 0, min(step, 1.0), 0), (0, 0, -min(step, 1.0), 0)), dtype=np.float64)
                moves = np.concatenate((moves, move + up))
            total = np.zeros(len(moves))
            for stage, summed in zip(stages, sums, strict=True):
                total += sums_within(summed, spans_of_parts(stage.view, prisms_at(profile, start, moves)))
            at = int(np.argmax(total))
            move, gain = moves[at], float(total[at])
            if at == 0:
                break
    return moved_laid(start, move), gain


def _flattened(flats: Sequence[Flat], maps: Sequence[Maps], z_mm: float) -> Floats:
    """The sum of all cameras' maps on the plane at height z, a square of GRID_MM steps (n, n), rows along y."""
    axis = np.arange(-FLAT_REACH_MM, FLAT_REACH_MM + 1, FLAT_GRID_MM)
    points = np.stack((*np.meshgrid(axis, axis), np.full((len(axis), len(axis)), z_mm)), axis=-1)
    total = np.zeros((len(axis), len(axis)))
    for flat, values in zip(flats, maps, strict=True):
        pixels = np.nan_to_num(flat.stage.view.project(points), nan=-10.0).astype(np.float32)
        seen = cv2.remap(values, pixels[..., 0], pixels[..., 1], cv2.INTER_LINEAR, borderMode=cv2.BORDER_CONSTANT, borderValue=0.0)
        # a plane seen at a grazing angle repeats the same few pixels: each counts by the share of it that the step covers
        across = np.abs(np.linalg.det(np.stack((np.gradient(pixels, axis=0), np.gradient(pixels, axis=1)), axis=-1)))
        total += seen * np.minimum(across, 4.0)
    return total


def find_plateau(profile: Profile, flats: Sequence[Flat], plateau: Floor, z_mm: float, starts: int = FLAT_STARTS) -> FoundPlateau:
    """The best pose of `plateau` with its underside at height z, whatever it is worth.

    `profile` gives outlines, `flats` (one a camera) what pixels show; `z_mm`: the underside's height; `starts`: poses refined at most.
    """
    size = profile.plateaus[plateau]
    maps = [soft_values(flat.values, plateau) for flat in flats]
    flat_sum = _flattened(flats, maps, z_mm + size.thickness_mm).astype(np.float32)
    outline = np.array(size.outline_mm)
    half = int(np.ceil(np.abs(outline).max() * 1.5 / FLAT_GRID_MM))
    found: list[tuple[float, float, float, float]] = []
    for turn in np.arange(0.0, 360.0, FLAT_TURN_DEG).tolist():
        kernel = np.zeros((2 * half + 1, 2 * half + 1), np.float32)
        corners = np.rint((turned(outline, turn) / FLAT_GRID_MM + half) * 16).astype(np.int32)
        cv2.fillPoly(kernel, [corners], 1.0, shift=4)
        score = cv2.filter2D(flat_sum, cv2.CV_32F, kernel, borderType=cv2.BORDER_CONSTANT)
        y, x = np.unravel_index(int(np.argmax(score)), score.shape)
        found.append((float(score[y, x]), float(x) * FLAT_GRID_MM - FLAT_REACH_MM, float(y) * FLAT_GRID_MM - FLAT_REACH_MM, turn))
    found.sort(reverse=True)
    chosen: list[tuple[float, float, float, float]] = []
    for one in found:
        if all(abs((one[3] - other[3] + 180) % 360 - 180) > 2 * FLAT_TURN_DEG for other in chosen):
            chosen.append(one)
        if len(chosen) == starts:
            break
    stages, sums = [flat.stage for flat in flats], [running_sum(values) for values in maps]
    best, gain = Laid(plateau, 0.0, 0.0, z_mm, 0.0), -np.inf
    for _, x_mm, y_mm, yaw_deg in chosen:
        laid, value = climbed(profile, stages, sums, Laid(plateau, x_mm, y_mm, z_mm, yaw_deg))
        if value > gain:
            best, gain = laid, value
    return _judged(profile, flats, best, gain)


def _judged(profile: Profile, flats: Sequence[Flat], laid: Laid, gain: float) -> FoundPlateau:
    """How much of the plateau is seen at all."""
    own = Label.of_plateau(laid.plateau)
    shown = could = area = 0.0
    for flat in flats:
        spans = spans_of_parts(flat.stage.view, prisms_at(profile, laid, np.zeros((1, 4))))
        best = flat.values[: Label.BASE].max(0)
        shows = (flat.values[own] > 0) & (flat.values[own] >= best - ALIKE)
        hiding = ~shows & ((best > 0) | flat.covered)
        mine = float(sums_within(running_sum(shows.astype(np.float32)), spans)[0])
        rest = float(sums_within(running_sum((~hiding & ~shows).astype(np.float32)), spans)[0])
        shown, could, area = shown + mine, could + mine + rest, area + mine * flat.mm2
    return FoundPlateau(laid, gain, shown / max(could, 1.0), area)


def is_present(found: FoundPlateau) -> bool:
    return found.share >= PRESENT_SHARE and found.area_mm2 >= PRESENT_MM2 and found.gain > 0
