"""What the list leaves out and yet happened: *none of these* knows it by slivers, and keeps quiet where the list is right."""

from __future__ import annotations

from functools import cache

import msgspec
import numpy as np
import pytest

from rig.messages import Hypothesis, Judge, Judged, Moved, NoneOfThese, Nothing
from tests.bench.situations import Happening, Situation, asked, draw_situation
from vision.evidence import Settled
from vision.see import look
from vision.several import weigh_all
from vision.unlisted import ADDED_COST, GONE_COST, MOVED_COST, best_unlisted
from vision.weighing import Bench, Weighed


@cache
def situation(happening: Happening, seed: int, cameras: int, plateaus: int = 2) -> Situation:
    drawn = draw_situation(seed, happening, cameras, plateaus)
    assert drawn is not None
    return drawn


def bench_of(of: Situation) -> Bench:
    pairs = zip(of.poses, of.before_pictures, of.after_pictures, strict=True)
    return Bench(of.profile, [Settled.of(of.profile, of.believed, pose, was).against(now) for pose, was, now in pairs], of.believed)


def raises(of: Situation) -> tuple[Hypothesis, ...]:
    """Nothing, and every column of a lower floor moved to the top."""
    return tuple(hypothesis for hypothesis in asked(of).hypotheses if isinstance(hypothesis, Nothing | Moved))


def best_of(bench: Bench, hypotheses: tuple[Hypothesis, ...]) -> Weighed:
    return max((weighed for weighed in weigh_all(bench, hypotheses) if weighed is not None), key=lambda one: one.total)


def winner(of: Situation, request: Judge) -> tuple[Hypothesis, float]:
    """The answer, and how far ahead of the next it is (nats)."""
    answer = look(request, of.frames, of.profile)
    assert isinstance(answer, Judged)
    values = np.array([opinion.log_likelihood for opinion in answer.opinions])
    return request.hypotheses[int(values.argmax())], float(values.max() - np.sort(values)[-2])


@pytest.mark.parametrize("seed", [5303, 5320])
def test_raise_struck_from_the_list_is_none_of_these_by_the_sliver_it_left(seed: int) -> None:
    of = situation(Happening.MOVED, seed, 1)
    assert of.column is not None
    truth = Moved(column=of.column, floor=of.before.top_floor)
    request = asked(of)
    assert winner(of, request)[0] == truth
    rest = tuple(hypothesis for hypothesis in request.hypotheses if hypothesis != truth)
    believed, ahead = winner(of, msgspec.structs.replace(request, hypotheses=rest))
    assert isinstance(believed, NoneOfThese)
    assert ahead > 5


def test_column_that_the_list_does_not_name_costs_more_than_one_it_names() -> None:
    of = situation(Happening.MOVED, 5303, 1)
    assert of.column is not None
    truth, bench = Moved(column=of.column, floor=of.before.top_floor), bench_of(of)
    moved = bench.moved(of.column, truth.floor)
    assert moved is not None
    rest = tuple(hypothesis for hypothesis in raises(of) if hypothesis != truth)
    assert best_unlisted(bench, rest, best_of(bench, rest)) == pytest.approx(moved.total - MOVED_COST)
    assert best_unlisted(bench, raises(of), moved) < moved.total - MOVED_COST


def test_column_gone_is_not_said_to_be_moved_where_no_camera_looks() -> None:
    of = situation(Happening.REMOVED, 5207, 1)
    assert of.column is not None
    bench = bench_of(of)
    gone, best = bench.removed(of.column), best_of(bench, raises(of))
    assert gone is not None
    unlisted = best_unlisted(bench, raises(of), best)
    assert unlisted == pytest.approx(gone.total - GONE_COST)
    assert unlisted > best.total


def test_one_more_gone_besides_the_one_raised_is_none_of_these() -> None:
    of = situation(Happening.TWO_MOVED, 5214, 2)
    bench = bench_of(of)
    best = best_of(bench, raises(of))
    assert best is not bench.still
    assert best_unlisted(bench, raises(of), best) > best.total


def test_one_more_from_the_box_is_none_of_these_among_raises() -> None:
    of = situation(Happening.ADDED, 5206, 2, plateaus=0)
    assert of.column is not None
    floor = of.before.top_floor
    bench = bench_of(of)
    listed = (Nothing(), *(Moved(column=standing.column, floor=floor) for standing in of.believed.columns))
    added, best = bench.added(of.column, floor, None), best_of(bench, listed)
    assert added is not None
    assert best_unlisted(bench, listed, best) == pytest.approx(added.total - ADDED_COST)


def test_untouched_tower_leaves_nothing_to_what_is_not_listed() -> None:
    of = situation(Happening.NOTHING, 5205, 2)
    bench = bench_of(of)
    assert best_unlisted(bench, raises(of), bench.still) <= bench.still.total - ADDED_COST + 1.0


def test_where_no_raise_is_asked_about_only_lumps_speak() -> None:
    of = situation(Happening.MOVED, 5303, 1)
    bench = bench_of(of)
    assert best_unlisted(bench, (Nothing(),), bench.still) == -np.inf
