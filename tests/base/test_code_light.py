"""The code light: known from the base's clock alone, and the measure of a camera's delay."""

from __future__ import annotations

import numpy as np
import pytest

from rig.base.clock import CONSTANT_DELAY_S
from rig.base.code_light import CODE_BIT_S, CODE_BITS, CODE_PERIOD_S, PLACE_MM, code_delay, code_level, code_light
from rig.base.fold import BaseFold
from rig.bench.base_scenario import PROFILE, chunks, readings, resting


def test_fold_knows_the_bases_clock_once_it_has_spoken() -> None:
    fold = BaseFold(PROFILE)
    assert fold.device_s(1.0) is None
    readings(((t_s + 50, data) for t_s, data in chunks(resting(300), 8)), fold)
    assert fold.device_s(57.5) == pytest.approx(7.5, abs=CONSTANT_DELAY_S + 0.004)


def test_code_comes_round_every_two_seconds_and_each_shift_looks_unlike_all_others() -> None:
    bits = np.array([code_light((k + 0.5) * CODE_BIT_S) for k in range(2 * CODE_BITS)])
    assert bits[:CODE_BITS].tolist() == bits[CODE_BITS:].tolist()
    assert pytest.approx(31 * 1024 * 64e-6) == CODE_PERIOD_S
    signs = np.where(bits[:CODE_BITS], 1, -1)
    assert {int(signs @ np.roll(signs, shift)) for shift in range(1, CODE_BITS)} == {-1}


def test_exposure_sees_the_share_of_time_the_light_was_on() -> None:
    fine = np.arange(0, 3, 1e-4)
    for end_s in (1.0, 1.234, 2.9):
        inside = fine[(fine > end_s - 0.1) & (fine <= end_s)]
        assert code_level([end_s], 0.1)[0] == pytest.approx(np.mean([code_light(t_s) for t_s in inside]), abs=0.01)


@pytest.mark.parametrize("delay_s", [0.0, 0.043, 0.15, 0.6])
@pytest.mark.parametrize("per_second", [5, 8, 30])
def test_delay_is_measured_whatever_the_rate_through_jitter_and_noise(delay_s: float, per_second: float) -> None:
    rng = np.random.default_rng(5)
    exposed_s = 100 + np.arange(0, 8, 1 / per_second) + rng.uniform(0, 0.01, round(8 * per_second))
    bright = 40 + 120 * code_level(exposed_s, 0.02) + rng.normal(0, 15, len(exposed_s))
    arrived_s = exposed_s + delay_s + rng.normal(0, 0.005, len(exposed_s))
    found = code_delay(arrived_s, bright)
    assert found.delay_s == pytest.approx(delay_s, abs=0.02)


@pytest.mark.parametrize("seed", range(20))
def test_light_that_is_not_in_the_picture_is_no_delay(seed: int) -> None:
    rng = np.random.default_rng(seed)
    found = code_delay(np.arange(0, 8, 0.1), 80 + rng.normal(0, 4, 80))
    assert found.delay_s is None
    assert "not seen" in found.sentence


def test_frozen_camera_shows_no_code() -> None:
    assert code_delay(np.arange(0, 8, 0.1), np.full(80, 77.0)).delay_s is None


def test_too_few_pictures_are_told() -> None:
    assert "too few" in code_delay([1.0, 2.0], [0.0, 255.0]).sentence


def test_twin_has_the_light_where_the_drawing_puts_it() -> None:
    pytest.importorskip("mujoco")
    from rig.twin.pictures.scene import CODE_LIGHT_MM

    assert CODE_LIGHT_MM == PLACE_MM
