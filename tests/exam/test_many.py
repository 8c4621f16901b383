"""Many examinations side by side come to an end, however many they are."""

from __future__ import annotations

import pytest

from rig.cli import exam
from rig.errors import PalettiError
from rig.exam import many
from rig.exam.games import Options, Result


def examined(seed: int, options: Options) -> Result:
    return Result(seed, kind=options.level)


@pytest.mark.parametrize("jobs", [1, 2])
def test_more_are_examined_than_each_process_has_tasks(jobs: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(many, "AT_MOST", 1)
    told: list[Result] = []
    results = many.examine_all(examined, [5, 6, 7], Options(level="rough"), jobs, told.append)
    assert [(result.seed, result.kind) for result in results] == [(seed, "rough") for seed in (5, 6, 7)]
    assert sorted(result.seed for result in told) == [5, 6, 7]


def test_kinds_are_read_with_the_commas_in_their_own_names() -> None:
    assert exam._kinds("abort, put back off,topple,raise, stacked", "situations") == ("abort, put back off", "topple", "raise, stacked")


def test_a_kind_that_is_none_is_told_with_those_there_are() -> None:
    with pytest.raises(PalettiError, match="toppled"):
        exam._kinds("raise,toppled", "situations")
