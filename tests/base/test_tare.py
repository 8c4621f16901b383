"""The scale's zero: taken by itself from the empty base at the start, by a person's word, and taken back; drift is told."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray

from rig.base.fold import BaseFold
from rig.bench.base_scenario import PROFILE, Load, at, chunks, of, ramp, readings, resting
from rig.errors import PalettiError
from rig.messages import Health, LinkNews, StepKind, Stepped, Weighed

OFFSET_G = np.array([12.0, -3.0, 5.0, 4.0])


def weighed_at_end(fold: BaseFold, load: Load, seconds: float) -> float:
    last = of(Weighed, readings(chunks(load, seconds), fold))[-1]
    assert last.weight_g is not None
    return last.weight_g


def test_empty_base_that_stands_still_is_tared_by_itself_and_told_once() -> None:
    fold = BaseFold(PROFILE)
    found = readings(chunks(lambda _: OFFSET_G, 8), fold)
    told = [news for news in of(LinkNews, found) if "empty base has been tared" in news.sentence]
    assert len(told) == 1
    assert "+18.0 g" in told[0].sentence
    assert of(Weighed, found)[-1].weight_g == pytest.approx(0, abs=0.2)
    assert fold.zero_g == pytest.approx(tuple(OFFSET_G), abs=0.1)
    assert of(Stepped, found) == []


def test_pieces_set_down_after_the_tare_weigh_what_they_weigh_and_stand_where_they_stand() -> None:
    found = readings(chunks(lambda t: OFFSET_G + at(40, 60, -30) * ramp(t, 5, 0.3), 9))
    (step,) = of(Stepped, found)
    assert step.kind is StepKind.SET_DOWN
    assert (step.before_g, step.after_g) == (pytest.approx(0, abs=0.2), pytest.approx(40, abs=0.2))
    last = of(Weighed, found)[-1]
    assert (last.cop_x_mm, last.cop_y_mm) == (pytest.approx(60, abs=2), pytest.approx(-30, abs=2))


def test_tower_that_stands_at_the_start_is_never_zero_and_that_is_said() -> None:
    fold = BaseFold(PROFILE)
    found = readings(chunks(resting(812), 8), fold)
    assert of(Weighed, found)[-1].weight_g == pytest.approx(812, abs=0.3)
    assert "if a tower stands there, all is well" in of(LinkNews, found)[-1].sentence
    assert of(LinkNews, found)[-1].health is Health.GOOD


def test_base_that_is_never_still_is_not_tared() -> None:
    rng = np.random.default_rng(3)
    fold = BaseFold(PROFILE)
    shaky = {k: at(float(rng.uniform(0, 9))) for k in range(2000)}
    readings(chunks(lambda t: shaky[int(t * 10)], 8), fold)
    assert fold.zero_g == (0.0,) * 4


def test_once_a_piece_has_come_nothing_is_tared_by_itself() -> None:
    """Pieces come from the first second on; what stands there after an hour's rest is still a piece."""
    fold = BaseFold(PROFILE)
    assert weighed_at_end(fold, lambda t: at(22.5) * ramp(t, 1.2, 0.1), 12) == pytest.approx(22.5, abs=0.3)


def test_tare_by_word_and_back_again() -> None:
    fold = BaseFold(PROFILE, tare_at_start=False)
    stream = list(chunks(resting(70, 10, 10), 8))
    half = len(stream) // 2
    readings(iter(stream[:half]), fold)
    assert "+70" in fold.tare(4.0).sentence
    found = readings(iter(stream[half:]), fold)
    assert of(Weighed, found)[-1].weight_g == pytest.approx(0, abs=0.3)
    assert of(Stepped, found) == []
    fold.untare(8.0)
    assert fold.zero_g == pytest.approx((0.0,) * 4, abs=1e-9)
    with pytest.raises(PalettiError, match="no tare to take back"):
        fold.untare(8.1)


def test_tare_while_a_hand_presses_or_before_anything_is_known_is_refused() -> None:
    with pytest.raises(PalettiError, match="not still"):
        BaseFold(PROFILE).tare(0.0)
    fold = BaseFold(PROFILE)
    readings(chunks(lambda t: at(300 + 90 * np.sin(9 * t) * (t > 3)), 5), fold)
    with pytest.raises(PalettiError, match="not still"):
        fold.tare(5.0)
    assert fold.zero_g == (0.0,) * 4


def test_start_tare_can_be_taken_back_and_stays_back() -> None:
    fold = BaseFold(PROFILE)
    stream = list(chunks(lambda _: OFFSET_G, 12))
    readings(iter(stream[:500]), fold)
    fold.untare(5.0)
    found = readings(iter(stream[500:]), fold)
    assert of(Weighed, found)[-1].weight_g == pytest.approx(18, abs=0.2)


def test_camera_posed_again_in_mid_game_does_not_lose_the_zero() -> None:
    fold = BaseFold(PROFILE)
    readings(chunks(lambda _: OFFSET_G, 5), fold)
    fold.set_profile(PROFILE)
    assert sum(fold.zero_g) == pytest.approx(18, abs=0.2)


def test_three_quarters_of_an_hour_of_drift_step_nothing_and_bring_advice_to_tare_again() -> None:
    """+0.7 % of a kilogram a minute for 45 minutes, as a real scale was seen to do."""

    def load(t_s: float) -> NDArray[np.float64]:
        return at(1000 * (1 + 0.007 * t_s / 60), 10, 10)

    found = readings(chunks(load, 45 * 60, slice_s=1.0, cell_hz=10))
    assert of(Stepped, found) == []
    advice = [news for news in of(LinkNews, found) if "drifted by" in news.sentence]
    assert "tare it again" in advice[0].sentence
    assert of(Weighed, found)[-1].weight_g == pytest.approx(1315, abs=1)


def test_creep_of_an_hour_is_no_news() -> None:
    found = readings(chunks(lambda t: at(800 + 10 * t / 3600), 10 * 60, slice_s=0.25, cell_hz=10))
    assert of(Stepped, found) == []
    assert {news.health for news in of(LinkNews, found)} == {Health.GOOD}
