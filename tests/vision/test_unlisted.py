"""What the list leaves out and yet happened: *none of these* knows it by slivers, and keeps quiet where the list is right."""

from __future__ import annotations

from functools import cache
from types import SimpleNamespace
from typing import cast

import msgspec
import numpy as np
import pytest

from rig.bench.situations import PairKind, Situation, asked, draw_situation
from rig.messages import Hypothesis, Judge, Judged, Moved, NoneOfThese, Nothing, Tower
from rig.pieces import Floor
from vision.change.composite import score_all
from vision.change.evidence import PixelEvidence, Settled
from vision.change.hypothesis_scorer import SEARCH_COST, HypothesisScorer, Scored, unexplained
from vision.change.unmodelled import ADDED_COST, GONE_COST, MOVED_COST, best_unlisted
from vision.scene.silhouettes import Scene
from vision.see import look


@cache
def situation(happening: PairKind, seed: int, cameras: int, plateaus: int = 2) -> Situation:
    drawn = draw_situation(seed, happening, cameras, plateaus)
    assert drawn is not None
    return drawn


def bench_of(of: Situation) -> HypothesisScorer:
    pairs = zip(of.poses, of.before_pictures, of.after_pictures, strict=True)
    return HypothesisScorer(
        of.profile, [Settled.of(of.profile, of.believed, pose, was).against(now) for pose, was, now in pairs], of.believed
    )


def raises(of: Situation) -> tuple[Hypothesis, ...]:
    """Nothing, and every column of a lower floor moved to the top."""
    return tuple(hypothesis for hypothesis in asked(of).hypotheses if isinstance(hypothesis, Nothing | Moved))


def best_of(scorer: HypothesisScorer, hypotheses: tuple[Hypothesis, ...]) -> Scored:
    return max((scored for scored in score_all(scorer, hypotheses) if scored is not None), key=lambda one: one.total)


def winner(of: Situation, request: Judge) -> tuple[Hypothesis, float]:
    """The answer, and how far ahead of the next it is (nats)."""
    answer = look(request, of.frames, of.profile)
    assert isinstance(answer, Judged)
    values = np.array([opinion.log_likelihood for opinion in answer.opinions])
    return request.hypotheses[int(values.argmax())], float(values.max() - np.sort(values)[-2])


@pytest.mark.parametrize("seed", [5303, 5320])
def test_raise_struck_from_the_list_is_none_of_these_by_the_sliver_it_left(seed: int) -> None:
    of = situation(PairKind.MOVED, seed, 1)
    assert of.column is not None
    truth = Moved(column=of.column, floor=of.before.top_floor)
    request = asked(of)
    assert winner(of, request)[0] == truth
    rest = tuple(hypothesis for hypothesis in request.hypotheses if hypothesis != truth)
    believed, ahead = winner(of, msgspec.structs.replace(request, hypotheses=rest))
    assert isinstance(believed, NoneOfThese)
    assert ahead > 5


def test_column_that_the_list_does_not_name_costs_more_than_one_it_names() -> None:
    of = situation(PairKind.MOVED, 5303, 1)
    assert of.column is not None
    truth, scorer = Moved(column=of.column, floor=of.before.top_floor), bench_of(of)
    moved = scorer.moved(of.column, truth.floor)
    assert moved is not None
    rest = tuple(hypothesis for hypothesis in raises(of) if hypothesis != truth)
    assert best_unlisted(scorer, rest, best_of(scorer, rest)) == pytest.approx(moved.total - MOVED_COST)
    assert best_unlisted(scorer, raises(of), moved) < moved.total - MOVED_COST


def test_column_gone_is_not_said_to_be_moved_where_no_camera_looks() -> None:
    of = situation(PairKind.REMOVED, 5207, 1)
    assert of.column is not None
    scorer = bench_of(of)
    gone, best = scorer.removed(of.column), best_of(scorer, raises(of))
    assert gone is not None
    unlisted = best_unlisted(scorer, raises(of), best)
    assert unlisted == pytest.approx(gone.total - GONE_COST)
    assert unlisted > best.total


def test_one_more_gone_besides_the_one_raised_is_none_of_these() -> None:
    of = situation(PairKind.TWO_MOVED, 5214, 2)
    scorer = bench_of(of)
    best = best_of(scorer, raises(of))
    assert best is not scorer.still
    assert best_unlisted(scorer, raises(of), best) > best.total


def test_one_more_from_the_box_is_none_of_these_among_raises() -> None:
    of = situation(PairKind.ADDED, 5206, 2, plateaus=0)
    assert of.column is not None
    floor = of.before.top_floor
    scorer = bench_of(of)
    listed: tuple[Hypothesis, ...] = (Nothing(), *(Moved(column=standing.column, floor=floor) for standing in of.believed.columns))
    added, best = scorer.added(of.column, floor, None), best_of(scorer, listed)
    assert added is not None
    assert best_unlisted(scorer, listed, best) == pytest.approx(added.total - ADDED_COST)


def test_untouched_tower_leaves_nothing_to_what_is_not_listed() -> None:
    of = situation(PairKind.NOTHING, 5205, 2)
    scorer = bench_of(of)
    assert best_unlisted(scorer, raises(of), scorer.still) <= scorer.still.total - ADDED_COST + 1.0


def test_where_no_raise_is_asked_about_only_lumps_speak() -> None:
    of = situation(PairKind.MOVED, 5303, 1)
    scorer = bench_of(of)
    assert best_unlisted(scorer, (Nothing(),), scorer.still) == -np.inf


@pytest.mark.parametrize(("stood", "lumps"), [(len(Floor) + 3, False), (int(Floor.GROUND), True)], ids=["a column stood there", "bare"])
def test_deep_shade_that_a_column_uncovers_is_nothing_strange(stood: int, lumps: bool) -> None:
    before = SimpleNamespace(code=np.full((20, 20), stood, np.int16))
    evidence = SimpleNamespace(now=None, before=before, mm2=3.0, newly=lambda *_: np.zeros((20, 20), np.bool_))
    scene = SimpleNamespace(code=np.full((20, 20), int(Floor.GROUND), np.int16))
    value = np.full((20, 20), -1.5, np.float32)
    assert unexplained(cast(PixelEvidence, evidence), cast(Scene, scene), value, 2000.0).any() == lumps
    assert unexplained(cast(PixelEvidence, evidence), cast(Scene, scene), 2 * value, 2000.0).all()


def test_column_that_is_gone_is_spared_the_price_of_having_strayed_unless_its_plateau_carried_it() -> None:
    of = situation(PairKind.MOVED, 5303, 1)
    scorer = bench_of(of)
    low, high = (next(iter(scorer.believed.on(floor))) for floor in (Floor.GROUND, Floor.BLUE))
    columns = tuple(
        msgspec.structs.replace(standing, x_mm=standing.x_mm + 3.0) if standing in (low, high) else standing
        for standing in scorer.believed.columns
    )
    plateaus = tuple(msgspec.structs.replace(laid, x_mm=laid.x_mm + 3.0) for laid in scorer.believed.plateaus)
    scorer.tower = Tower(columns, plateaus)
    assert scorer.strayed(low.column) == pytest.approx(36.0)
    assert scorer.strayed(high.column) == 0.0
    spared = scorer.removed(low.column)
    assert spared is not None
    assert spared.cost == pytest.approx(SEARCH_COST / 2 - 36.0)
