"""Hypotheses of several things at once, or of something that leaves no column standing, put together from the parts of a `Bench`.

Two columns raised are the places found for each, tried in pairs. A column stacked on another is looked for on that other's top. Toppled
columns are missing from their places, and pixels of their paint may lie about: where they lie is not fitted (a column that rolls may come
to rest anyhow), but a lump of the right paint and no larger than the column counts as explained.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product

import cv2
import numpy as np
import numpy.typing as npt

from rig.messages import Added, Hypothesis, Moved, MovedTwo, Nothing, PlateauLaid, Removed, Stacked, Standing, Toppled
from rig.pieces import Column
from vision.arrays import Bools, Floats
from vision.change.evidence import Under
from vision.change.hypothesis_scorer import LUMP_MM2, SEARCH_COST, Bench, Weighed, less, unexplained
from vision.change.refit import refit_piece_on
from vision.scene.silhouettes import Label, code_of, column_item

PAIRS = 6
"""Pairs of columns that are fitted exactly, the most promising ones; the others are known not to be better than the worst of these."""

TOUCHING_MM = 2.0
"""How much two newly placed columns may seem to overlap."""

TOPPLED_COST = 150.0
"""What one has to pay for each toppled column: a little more than for one taken away, which it is unless it is seen lying somewhere."""

OF_PAINT = 0.25
"""Least share of a lump that shows the column's paint: its lit side, which stands upright in no tower, is brighter than any measured."""

UNFITTED = 0.6
"""Share of its gain that a lump earns: nothing is asked of its shape, so that a column that stands fits better as one that stands."""

SHADE_MM = 6.0
"""Round a lump that lies about, its shaded side and its shadow are explained with it, this far."""


def weigh_all(bench: Bench, hypotheses: Sequence[Hypothesis]) -> list[Weighed | None]:
    """Every hypothesis weighed, in their order; None for what no tower fits (and for fallen and none of these, which have no tower)."""
    pairs = _moved_pairs(bench, [hypothesis for hypothesis in hypotheses if isinstance(hypothesis, MovedTwo)])
    return [pairs.get(hypothesis) if isinstance(hypothesis, MovedTwo) else _weigh(bench, hypothesis) for hypothesis in hypotheses]


def _weigh(bench: Bench, hypothesis: Hypothesis) -> Weighed | None:
    match hypothesis:
        case Nothing():
            return bench.still
        case Moved(column=column, floor=floor):
            return bench.moved(column, floor)
        case Added(column=column, floor=floor, near_x_mm=x, near_y_mm=y):
            return bench.added(column, floor, None if x is None or y is None else (x, y))
        case Removed(column=column):
            return bench.removed(column)
        case PlateauLaid(plateau=plateau, near_x_mm=x, near_y_mm=y):
            return bench.laid(plateau, None if x is None or y is None else (x, y))
        case Stacked(column=column, on=on):
            return _stacked(bench, column, on)
        case Toppled(columns=columns):
            return _toppled(bench, columns)
        case _:
            return None


def _moved_pairs(bench: Bench, hypotheses: Sequence[MovedTwo]) -> dict[Hypothesis, Weighed | None]:
    rough: list[tuple[float, MovedTwo]] = []
    found: dict[Hypothesis, Weighed | None] = dict.fromkeys(hypotheses)
    for hypothesis in dict.fromkeys(hypotheses):
        one, two = (bench.moved(column, hypothesis.floor) for column in hypothesis.columns)
        if one is not None and two is not None and hypothesis.columns[0] != hypothesis.columns[1]:
            rough.append((one.total + two.total - bench.still.total, hypothesis))
    rough.sort(key=lambda pair: -pair[0])
    worst = np.inf
    for number, (guess, hypothesis) in enumerate(rough):
        if number < PAIRS:
            weighed = _both_moved(bench, hypothesis)
            worst = worst if weighed is None else min(worst, weighed.total)
        else:
            rest = less(bench.tower, *hypothesis.columns)
            weighed = Weighed(rest, (), min(guess, worst), 2 * SEARCH_COST - sum(map(bench.strayed, hypothesis.columns)))
        found[hypothesis] = weighed
    return found


def _both_moved(bench: Bench, hypothesis: MovedTwo) -> Weighed | None:
    """The best two places, one for each column, in which both can stand."""
    first, second = hypothesis.columns
    profile, rest = bench.profile, less(bench.tower, first, second)
    apart = profile.columns[first.shape].radius_mm + profile.columns[second.shape].radius_mm - TOUCHING_MM
    codes = code_of(profile, first), code_of(profile, second)
    unders = [under.instead(under.scene.without(*codes)) for under in bench.unders]
    cost = 2 * SEARCH_COST - bench.strayed(first) - bench.strayed(second)
    best: Weighed | None = None
    for one, two in product(bench.places(first, hypothesis.floor, None), bench.places(second, hypothesis.floor, None)):
        a, b = one.standing, two.standing
        if np.hypot(a.x_mm - b.x_mm, a.y_mm - b.y_mm) < apart:
            continue
        standings = tuple(
            Standing(column, hypothesis.floor, place.x_mm, place.y_mm, place.z_mm, place.yaw_deg)
            for column, place in zip(hypothesis.columns, (a, b), strict=True)
        )
        total = -cost
        for under in unders:
            scene = under.scene
            for standing in standings:
                scene = scene.plus(column_item(profile, rest, standing))
            total += under.instead(scene).total
        if best is None or total > best.total:
            best = Weighed(type(rest)((*rest.columns, *standings), rest.plateaus), (), total, cost)
    return best


def _stacked(bench: Bench, column: Column, on: Column) -> Weighed | None:
    """`column` on top of `on`, its place there fitted."""
    profile, carrier = bench.profile, bench.tower.find(on)
    if carrier is None or column == on or bench.tower.find(column) is None:
        return None
    rest = less(bench.tower, column)
    z_mm = carrier.z_mm + profile.columns[on.shape].height_mm
    start = Standing(column, carrier.floor, carrier.x_mm, carrier.y_mm, z_mm)
    unders = bench.without(column)
    standing = refit_piece_on(profile, unders, rest, start)
    cost = SEARCH_COST / 2 - bench.strayed(column)
    total = sum(under.total + under.gain(column_item(profile, rest, standing)) for under in unders) - cost
    return Weighed(type(rest)((*rest.columns, standing), rest.plateaus), (), total, cost)


def _toppled(bench: Bench, columns: Sequence[Column]) -> Weighed | None:
    """These columns gone from their places, and what of their paint lies about."""
    if not columns or any(bench.tower.find(column) is None for column in columns):
        return None
    codes = [code_of(bench.profile, column) for column in columns]
    scenes = tuple(under.scene.without(*codes) for under in bench.unders)
    cost = TOPPLED_COST * len(columns) - sum(map(bench.strayed, columns))
    total, excused = -cost, []
    for under, scene in zip(bench.unders, scenes, strict=True):
        now = under.instead(scene)
        gain, lumps = _lying(bench, now, columns)
        total += now.total + gain
        excused.append(lumps)
    return Weighed(less(bench.tower, *columns), scenes, total, cost, tuple(excused))


def _lying(bench: Bench, under: Under, columns: Sequence[Column]) -> tuple[float, Bools]:
    """What one camera's unexplained pixels of these columns' paints gain if columns lie there, and where: at most a lump each."""
    evidence, value = under.evidence, under.value
    profile, changed, mm2 = bench.profile, evidence.changed, evidence.mm2
    bad = unexplained(evidence, under.scene, value, bench.side_mm2).astype(np.bool_)
    lumps = np.zeros(value.shape, dtype=np.bool_)
    gained = 0.0
    for column in sorted(columns):
        size = profile.columns[column.shape]
        paint = changed[Label.of_colour(column.colour)]
        open_ones = bad & ~lumps
        mine = np.where(open_ones & (paint > np.maximum(value, 0.5)), paint - value, 0.0)
        marks, chosen, painted, gain = _lump_of(open_ones, mine, 1.3 * size.height_mm / np.sqrt(mm2), LUMP_MM2 / mm2)
        if gain <= 0:
            continue
        # nearer than the tower a column may look half as large again
        most = 1.5 * 2 * size.radius_mm * size.height_mm / mm2
        gained += UNFITTED * min(1.0, most / painted) * gain
        if int(chosen[marks].sum()) < most:
            rim = 2 * round(SHADE_MM / np.sqrt(mm2)) + 1
            lumps |= cv2.dilate(chosen[marks].astype(np.uint8), np.ones((rim, rim), np.uint8)).astype(np.bool_)
    return gained, lumps


def _lump_of(bad: Bools, mine: Floats, reach_px: float, least_px: float) -> tuple[npt.NDArray[np.int32], Bools, float, float]:
    """The lumps of unexplained pixels that one lying column can be: the best, and others near it, since what stands in front divides it.

    `mine`: gain of each pixel by its paint. Returns the number of each pixel's lump, which of them are chosen, their painted pixels and
    their gain (0: none).
    """
    count, marks, stats, centres = cv2.connectedComponentsWithStats(bad.astype(np.uint8), connectivity=8)
    gains = np.bincount(marks.ravel(), weights=mine.ravel(), minlength=count)
    painted = np.bincount(marks.ravel(), weights=(mine > 0).ravel(), minlength=count)
    gains[(painted < least_px) | (painted < OF_PAINT * stats[:, cv2.CC_STAT_AREA])] = 0.0
    gains[0] = 0.0
    best = int(gains.argmax())
    near = np.hypot(*(centres - centres[best]).T) < reach_px
    chosen = near & (gains > 0)
    if painted[best] < 2 * least_px:
        chosen[:] = False
    return np.asarray(marks, np.int32), chosen, float(painted[chosen].sum()), float(gains[chosen].sum())
