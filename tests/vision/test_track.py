"""A column tugged and put back, seen while the hand is at it."""

from __future__ import annotations

from functools import cache

import numpy as np

from rig.bench.hands_in import Tug, tug
from rig.messages import Tracked
from rig.profile.nominal import nominal_profile
from vision.see import look

SEED = 5402


@cache
def tugged() -> Tug:
    return tug(SEED)


def tracked(of: Tug) -> Tracked:
    answer = look(of.request, of.frames, nominal_profile(2))
    assert isinstance(answer, Tracked)
    assert tuple(trace.column for trace in answer.traces) == of.request.columns
    return answer


def test_tugged_column_stands_out_from_its_fellows() -> None:
    of = tugged()
    odds = {trace.column: trace.log_odds for trace in tracked(of).traces}
    assert odds[of.column] > 2.0
    assert all(value < 0 for column, value in odds.items() if column != of.column)


def test_frame_that_shows_it_best_is_one_of_those_asked_about() -> None:
    of = tugged()
    trace = next(trace for trace in tracked(of).traces if trace.column == of.column)
    assert trace.frame in {number for _, number in of.request.frames}


def test_column_only_touched_left_no_trace() -> None:
    assert all(trace.log_odds < 0 for trace in tracked(tug(SEED, touched_only=True)).traces)


def test_unusable_frames_leave_the_prior_and_a_sentence() -> None:
    of = tugged()
    black = {number: np.zeros((1280, 720, 3), dtype=np.uint8) for number in of.frames}
    answer = tracked(Tug(of.seed, of.column, of.request, black))
    assert answer.sentence
    assert all(trace.log_odds < 0 and trace.frame is None for trace in answer.traces)
