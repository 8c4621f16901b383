"""Hypotheses of several things at once, or of something that leaves no column standing, put together from the parts of a
`HypothesisScorer`.

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
from vision.change.evidence import BackgroundScore
from vision.change.hypothesis_scorer import SEARCH_COST, HypothesisScorer, Scored, less, unexplained
from vision.change.refit import refit_piece_on
from vision.change.tunables import LUMP_MM2
from vision.scene.silhouettes import Label, code_of, column_item

PAIRS = 6
"""Pairs of columns that are fitted exactly, the most promising ones; the others are known not to be better than the worst of these. By
design: bounds the time."""

TOUCHING_MM = 2.0
"""How much two newly placed columns may seem to overlap. By design: two places' errors of a millimetre each."""

TOPPLED_COST = 150.0
"""What one has to pay for each toppled column: a little more than for one taken away, which it is unless it is seen lying somewhere. Set
by hand on tuning seeds, beside `SEARCH_COST` / 2 of one taken away; not measured on a spread of rooms."""

OF_PAINT = 0.25
"""Least share of a lump that shows the column's paint: its lit side, which stands upright in no tower, is brighter than any measured.
Set by hand on tuning seeds; not measured on a spread of rooms."""

UNFITTED = 0.6
"""Share of its gain that a lump earns: nothing is asked of its shape, so that a column that stands fits better as one that stands. Set
by hand on tuning seeds; not measured on a spread of rooms."""

SHADE_MM = 6.0
"""Round a lump that lies about, its shaded side and its shadow are explained with it, this far. Set by hand on tuning seeds; not
measured on a spread of rooms."""


def score_all(scorer: HypothesisScorer, hypotheses: Sequence[Hypothesis]) -> list[Scored | None]:
    """Every hypothesis weighed, in their order; None for what no tower fits (and for fallen and none of these, which have no tower)."""
    pairs = _moved_pairs(scorer, [hypothesis for hypothesis in hypotheses if isinstance(hypothesis, MovedTwo)])
    return [pairs.get(hypothesis) if isinstance(hypothesis, MovedTwo) else _score(scorer, hypothesis) for hypothesis in hypotheses]


def _score(scorer: HypothesisScorer, hypothesis: Hypothesis) -> Scored | None:
    match hypothesis:
        case Nothing():
            return scorer.still
        case Moved(column=column, floor=floor):
            return scorer.moved(column, floor)
        case Added(column=column, floor=floor, near_x_mm=x, near_y_mm=y):
            return scorer.added(column, floor, None if x is None or y is None else (x, y))
        case Removed(column=column):
            return scorer.removed(column)
        case PlateauLaid(plateau=plateau, near_x_mm=x, near_y_mm=y):
            return scorer.laid(plateau, None if x is None or y is None else (x, y))
        case Stacked(column=column, on=on):
            return _stacked(scorer, column, on)
        case Toppled(columns=columns):
            return _toppled(scorer, columns)
        case _:
            return None


def _moved_pairs(scorer: HypothesisScorer, hypotheses: Sequence[MovedTwo]) -> dict[Hypothesis, Scored | None]:
    rough: list[tuple[float, MovedTwo]] = []
    found: dict[Hypothesis, Scored | None] = dict.fromkeys(hypotheses)
    for hypothesis in dict.fromkeys(hypotheses):
        one, two = (scorer.moved(column, hypothesis.floor) for column in hypothesis.columns)
        if one is not None and two is not None and hypothesis.columns[0] != hypothesis.columns[1]:
            rough.append((one.total + two.total - scorer.still.total, hypothesis))
    rough.sort(key=lambda pair: -pair[0])
    worst = np.inf
    for number, (guess, hypothesis) in enumerate(rough):
        if number < PAIRS:
            scored = _both_moved(scorer, hypothesis)
            worst = worst if scored is None else min(worst, scored.total)
        else:
            rest = less(scorer.tower, *hypothesis.columns)
            scored = Scored(rest, (), min(guess, worst), 2 * SEARCH_COST - sum(map(scorer.strayed, hypothesis.columns)))
        found[hypothesis] = scored
    return found


def _both_moved(scorer: HypothesisScorer, hypothesis: MovedTwo) -> Scored | None:
    """The best two places, one for each column, in which both can stand."""
    first, second = hypothesis.columns
    profile, rest = scorer.profile, less(scorer.tower, first, second)
    apart = profile.columns[first.shape].radius_mm + profile.columns[second.shape].radius_mm - TOUCHING_MM
    codes = code_of(profile, first), code_of(profile, second)
    backgrounds = [background.instead(background.scene.without(*codes)) for background in scorer.backgrounds]
    cost = 2 * SEARCH_COST - scorer.strayed(first) - scorer.strayed(second)
    best: Scored | None = None
    for one, two in product(scorer.places(first, hypothesis.floor, None), scorer.places(second, hypothesis.floor, None)):
        a, b = one.standing, two.standing
        if np.hypot(a.x_mm - b.x_mm, a.y_mm - b.y_mm) < apart:
            continue
        standings = tuple(
            Standing(column, hypothesis.floor, place.x_mm, place.y_mm, place.z_mm, place.yaw_deg)
            for column, place in zip(hypothesis.columns, (a, b), strict=True)
        )
        total = -cost
        for background in backgrounds:
            scene = background.scene
            for standing in standings:
                scene = scene.plus(column_item(profile, rest, standing))
            total += background.instead(scene).total
        if best is None or total > best.total:
            best = Scored(type(rest)((*rest.columns, *standings), rest.plateaus), (), total, cost)
    return best


def _stacked(scorer: HypothesisScorer, column: Column, on: Column) -> Scored | None:
    """`column` on top of `on`, its place there fitted."""
    profile, carrier = scorer.profile, scorer.tower.find(on)
    if carrier is None or column == on or scorer.tower.find(column) is None:
        return None
    rest = less(scorer.tower, column)
    z_mm = carrier.z_mm + profile.columns[on.shape].height_mm
    start = Standing(column, carrier.floor, carrier.x_mm, carrier.y_mm, z_mm)
    backgrounds = scorer.without(column)
    standing = refit_piece_on(profile, backgrounds, rest, start)
    cost = SEARCH_COST / 2 - scorer.strayed(column)
    total = sum(background.total + background.gain(column_item(profile, rest, standing)) for background in backgrounds) - cost
    return Scored(type(rest)((*rest.columns, standing), rest.plateaus), (), total, cost)


def _toppled(scorer: HypothesisScorer, columns: Sequence[Column]) -> Scored | None:
    """These columns gone from their places, and what of their paint lies about."""
    if not columns or any(scorer.tower.find(column) is None for column in columns):
        return None
    codes = [code_of(scorer.profile, column) for column in columns]
    scenes = tuple(background.scene.without(*codes) for background in scorer.backgrounds)
    cost = TOPPLED_COST * len(columns) - sum(map(scorer.strayed, columns))
    total, excused = -cost, []
    for background, scene in zip(scorer.backgrounds, scenes, strict=True):
        now = background.instead(scene)
        gain, lumps = _lying(scorer, now, columns)
        total += now.total + gain
        excused.append(lumps)
    return Scored(less(scorer.tower, *columns), scenes, total, cost, tuple(excused))


def _lying(scorer: HypothesisScorer, background: BackgroundScore, columns: Sequence[Column]) -> tuple[float, Bools]:
    """What one camera's unexplained pixels of these columns' paints gain if columns lie there, and where: at most a lump each."""
    evidence, value = background.evidence, background.value
    profile, changed, mm2 = scorer.profile, evidence.changed, evidence.mm2
    bad = unexplained(evidence, background.scene, value, scorer.side_mm2).astype(np.bool_)
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
