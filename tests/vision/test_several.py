"""Two columns raised, one stacked on another, columns toppled under plateaus that stay: told from each other and from a plain raise.

Asked as the referee asks when nothing plain explains the pictures: all of these at once. Seeds are for the tests alone.
"""

from __future__ import annotations

from functools import cache

import msgspec
import numpy as np
import pytest

from rig.bench.situations import PairKind, Situation, asked, draw_situation
from rig.messages import Hypothesis, Judge, Judged, Moved, MovedTwo, Nothing, Removed, Stacked, Toppled, Tower
from rig.pieces import Column
from vision.see import look


@cache
def situation(happening: PairKind, seed: int) -> Situation:
    drawn = draw_situation(seed, happening, plateaus=2)
    assert drawn is not None
    return drawn


def judged(of: Situation, request: Judge) -> tuple[Hypothesis, Tower | None, Judged]:
    answer = look(request, of.frames, of.profile)
    assert isinstance(answer, Judged)
    at = int(np.argmax([opinion.log_likelihood for opinion in answer.opinions]))
    return request.hypotheses[at], answer.opinions[at].tower, answer


def test_two_raised_columns_are_told_with_their_places() -> None:
    of = situation(PairKind.TWO_MOVED, 5211)
    believed, tower, _ = judged(of, asked(of, wide=True))
    assert of.column is not None
    assert isinstance(believed, MovedTwo)
    assert set(believed.columns) == {of.column, *of.others}
    assert tower is not None
    for column in believed.columns:
        found, true = tower.find(column), of.after.find(column)
        assert found is not None
        assert true is not None
        assert np.hypot(found.x_mm - true.x_mm, found.y_mm - true.y_mm) < 4.0


def test_stacked_column_is_told_with_what_carries_it() -> None:
    of = situation(PairKind.STACKED, 5221)
    believed, tower, _ = judged(of, asked(of, wide=True))
    assert isinstance(believed, Stacked)
    assert (believed.column, believed.on) == (of.column, *of.others)
    assert tower is not None
    found, true = tower.find(believed.column), of.after.find(believed.column)
    assert found is not None
    assert true is not None
    assert found.z_mm == pytest.approx(true.z_mm)


@pytest.mark.parametrize("seed", [5231, 5232])
def test_column_that_lies_about_has_toppled_while_every_plateau_kept_its_place(seed: int) -> None:
    of = situation(PairKind.TOPPLED, seed)
    believed, tower, answer = judged(of, asked(of, wide=True))
    assert of.column is not None
    assert believed == Toppled(columns=(of.column,))
    assert tower is not None
    assert tower.find(of.column) is None
    assert min(answer.plateaus_seen) > 0.6


def test_column_carried_away_has_not_toppled() -> None:
    of = situation(PairKind.REMOVED, 5207)
    believed, _, _ = judged(of, asked(of, wide=True))
    assert of.column is not None
    assert believed == Removed(column=of.column)


def test_raised_column_has_neither_toppled_nor_taken_another_along() -> None:
    of = situation(PairKind.MOVED, 5203)
    believed, _, _ = judged(of, asked(of, wide=True))
    assert of.column is not None
    assert believed == Moved(column=of.column, floor=of.before.top_floor)


def test_columns_that_do_not_stand_can_neither_topple_nor_carry() -> None:
    of = situation(PairKind.REMOVED, 5207)
    assert of.column is not None
    there = of.after.columns[0].column
    impossible: tuple[Hypothesis, ...] = (
        Toppled(columns=(of.column,)),
        Toppled(columns=()),
        Stacked(column=there, on=of.column),
        Stacked(column=there, on=there),
        MovedTwo(columns=(of.column, there), floor=of.after.top_floor),
    )
    request = msgspec.structs.replace(asked(of), tower=of.after, hypotheses=(Nothing(), *impossible))
    _, _, answer = judged(of, request)
    assert all(opinion.tower is None and opinion.log_likelihood < -20 for opinion in answer.opinions[1:])


def test_pairs_that_are_not_fitted_exactly_are_never_likelier_than_the_one_that_happened() -> None:
    of = situation(PairKind.TWO_MOVED, 5211)
    top = of.believed.top_floor
    lower = [standing.column for standing in of.believed.columns if standing.floor is not top]
    pairs = [(one, two) for k, one in enumerate(lower) for two in lower[k + 1 :]]
    assert len(pairs) > 20
    request = msgspec.structs.replace(asked(of), hypotheses=tuple(MovedTwo(columns=pair, floor=top) for pair in pairs))
    believed, _, _ = judged(of, request)
    assert isinstance(believed, MovedTwo)
    assert set[Column](believed.columns) == {of.column, *of.others}
