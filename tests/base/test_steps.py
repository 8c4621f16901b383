"""Steps on the scale: what was done to the tower, in grams, seconds and millimetres, the same at 10 and at 80 samples a second."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
import pytest
from numpy.typing import NDArray

from rig.bench.base_scenario import at, chunks, of, ramp, readings, resting
from rig.messages import StepKind, Stepped, Tilted, Weighed

RATES = [80.0, 10.0]


@pytest.mark.parametrize("cell_hz", RATES)
@pytest.mark.parametrize(("mass_g", "x_mm", "y_mm"), [(11.5, 30, 20), (22.5, -60, 40), (40.0, 0, -80)])
def test_column_carried_from_floor_to_floor(cell_hz: float, mass_g: float, x_mm: float, y_mm: float) -> None:
    def load(t_s: float) -> NDArray[np.float64]:
        return at(600, 5, 5) - at(mass_g, x_mm, y_mm) * ramp(t_s, 4, 0.3) + at(mass_g, -x_mm, 15) * ramp(t_s, 7, 0.2)

    lifted, down = of(Stepped, readings(chunks(load, 11, cell_hz=cell_hz)))
    assert (lifted.kind, down.kind) == (StepKind.LIFTED, StepKind.SET_DOWN)
    assert lifted.delta_g == pytest.approx(-mass_g, abs=0.25)
    assert down.delta_g == pytest.approx(mass_g, abs=0.25)
    assert abs(lifted.delta_g + mass_g) < 4 * lifted.sigma_g
    assert 3.8 < lifted.start_t_s < 4.2
    assert 4.1 < lifted.end_t_s < 4.6
    assert lifted.before_g == pytest.approx(600, abs=0.3)
    assert (lifted.x_mm, lifted.y_mm) == (pytest.approx(x_mm, abs=6), pytest.approx(y_mm, abs=6))
    assert (down.x_mm, down.y_mm) == (pytest.approx(-x_mm, abs=6), pytest.approx(15, abs=6))


@pytest.mark.parametrize("cell_hz", RATES)
def test_plateau_set_down_with_a_push(cell_hz: float) -> None:
    def load(t_s: float) -> NDArray[np.float64]:
        push = 200 * math.sin(math.pi * (t_s - 4) / 0.8) if 4 < t_s < 4.8 else 0.0
        return at(600) + at(98.9, 10, -5) * ramp(t_s, 4, 0.6) + at(push, 10, 0)

    (step,) = of(Stepped, readings(chunks(load, 8, cell_hz=cell_hz)))
    assert step.kind is StepKind.SET_DOWN
    assert step.delta_g == pytest.approx(98.9, abs=0.3)


@pytest.mark.parametrize("cell_hz", RATES)
def test_knock_comes_and_goes(cell_hz: float) -> None:
    def load(t_s: float) -> NDArray[np.float64]:
        ringing = 80 * math.exp(-(t_s - 4) * 7) * math.sin((t_s - 4) * 25) if t_s > 4 else 0.0
        return at(600) + at(ringing)

    found = of(Stepped, readings(chunks(load, 8, cell_hz=cell_hz)))
    assert [step.kind for step in found] == [StepKind.KNOCK]
    assert found[0].after_g == pytest.approx(600, abs=0.3)


@pytest.mark.parametrize("cell_hz", RATES)
def test_leaning_hand_is_a_press_and_no_step(cell_hz: float) -> None:
    def load(t_s: float) -> NDArray[np.float64]:
        hand = 120 * math.sin(math.pi * (t_s - 4) / 3) + 6 * math.sin(t_s * 19) if 4 < t_s < 7 else 0.0
        return at(600) + at(hand, 100, 0)

    found = of(Stepped, readings(chunks(load, 11, cell_hz=cell_hz)))
    assert [step.kind for step in found] == [StepKind.PRESSED]
    assert abs(found[0].delta_g) > 80


@pytest.mark.parametrize("cell_hz", RATES)
def test_falling_tower_is_told_while_it_falls(cell_hz: float) -> None:
    def load(t_s: float) -> NDArray[np.float64]:
        fall = t_s - 4
        clatter = 500 * math.exp(-fall * 4) * math.sin(fall * 40) if fall > 0 else 0.0
        return at(900 - 350 * ramp(t_s, 4, 0.07), 20, 0) + at(clatter)

    found = of(Stepped, readings(chunks(load, 9, cell_hz=cell_hz)))
    assert found[0].kind is StepKind.SWING
    assert found[0].end_t_s < 4.5
    assert [step.kind for step in found[1:]] == [StepKind.LIFTED]
    assert found[1].delta_g == pytest.approx(-350, abs=1)


def test_creep_and_warming_up_are_no_steps() -> None:
    """10 g/h of creep, and 0.7 % a minute of 1 kg, which a real scale was seen to drift."""
    for slope_g_s in (10 / 3600, 0.007 * 1000 / 60):
        found = readings(chunks(lambda t, slope=slope_g_s: at(1000 + slope * t), 120, slice_s=0.05))  # type: ignore[misc]
        assert of(Stepped, found) == []
        assert of(Weighed, found)[-1].weight_g == pytest.approx(1000 + slope_g_s * 120, abs=0.5)


def test_column_is_weighed_right_while_the_scale_drifts() -> None:
    def load(t_s: float) -> NDArray[np.float64]:
        return at(1000 + 0.1 * t_s) - at(11.5, 20, 0) * ramp(t_s, 20, 0.4)

    (step,) = of(Stepped, readings(chunks(load, 24, slice_s=0.05)))
    assert step.delta_g == pytest.approx(-11.5, abs=0.4)


def test_drift_goes_on_while_hands_are_at_work() -> None:
    """Twelve seconds of hands on a plate that drifts by 0.1 g a second: what was lifted is still the column."""

    def load(t_s: float) -> NDArray[np.float64]:
        hand = 30 * math.sin(math.pi * (t_s - 60) / 3) ** 2 + 6 * math.sin(t_s * 19) if 60 < t_s < 72 else 0.0
        return at(1000 + 0.1 * t_s) + at(hand, 40, 0) - at(22.5, 20, 0) * ramp(t_s, 62, 0.4)

    lifted = [step for step in of(Stepped, readings(chunks(load, 76, slice_s=0.05))) if step.kind is StepKind.LIFTED]
    assert sum(step.delta_g for step in lifted) == pytest.approx(-22.5, abs=0.5)


def test_hours_of_wander_from_a_poor_solder_joint_step_nothing_and_hide_no_step() -> None:
    """250 g to and fro in four hours, on one cell; here the six steepest minutes of it, with a column carried every minute."""

    def load(t_s: float) -> NDArray[np.float64]:
        wander = np.array([125 * math.sin(2 * math.pi * t_s / (4 * 3600)), 0.0, 0.0, 0.0])
        grams = at(900) + wander
        for minute in range(1, 6):
            grams = grams - at(22.5, 30, 10) * (ramp(t_s, 60 * minute, 0.3) - ramp(t_s, 60 * minute + 4, 0.2))
        return grams

    found = of(Stepped, readings(chunks(load, 6 * 60, cell_hz=10, slice_s=0.25)))
    assert [step.kind for step in found] == [StepKind.LIFTED, StepKind.SET_DOWN] * 5
    assert all(abs(abs(step.delta_g) - 22.5) < 0.5 for step in found)


@pytest.mark.parametrize("cell_hz", RATES)
@pytest.mark.parametrize("hand_g", [2.6, -2.4, 1.4])
def test_hand_that_rests_lightly_before_a_lift_weighs_nothing(cell_hz: float, hand_g: float) -> None:
    """A hand rests on the tower for a second, then pulls a column and is off the tower with it."""

    def load(t_s: float) -> NDArray[np.float64]:
        hand = hand_g * (ramp(t_s, 5, 0.1) - ramp(t_s, 6.6, 0.3)) + 5 * math.sin(40 * t_s) * (6.4 < t_s < 6.9)
        return at(600) + at(hand, 30, 0) - at(11.5, 20, 0) * ramp(t_s, 6.6, 0.3)

    (step,) = of(Stepped, readings(chunks(load, 10, cell_hz=cell_hz)))
    assert step.kind is StepKind.LIFTED
    assert step.delta_g == pytest.approx(-11.5, abs=0.5)
    assert step.before_g == pytest.approx(600, abs=0.5)


def test_hand_that_rests_and_goes_is_no_step() -> None:
    found = readings(chunks(lambda t: at(600) + at(2.6 * (ramp(t, 4, 0.1) - ramp(t, 7, 0.1)), 40, 0), 11))
    assert [step for step in of(Stepped, found) if step.kind is not StepKind.KNOCK] == []


def _afternoon(seed: int) -> Callable[[float], NDArray[np.float64]]:
    """Columns carried, plateaus laid, knocks and presses in a random order, six seconds each."""
    rng = np.random.default_rng(seed)
    acts = []
    for k in range(10):
        kind = ("carry", "lay", "knock", "press")[int(rng.integers(4))]
        mass_g = float(rng.choice([11.5, 22.5, 40.0])) if kind == "carry" else float(rng.uniform(40, 100))
        acts.append((kind, 3 + 6 * k + float(rng.uniform(0, 0.5)), mass_g, *(float(v) for v in rng.uniform(-70, 70, 4))))

    def load(t_s: float) -> NDArray[np.float64]:
        grams = at(700)
        for kind, start_s, mass_g, x0, y0, x1, y1 in acts:
            since_s = t_s - start_s
            if kind == "carry":
                grams = grams - at(mass_g, x0, y0) * ramp(t_s, start_s, 0.3) + at(mass_g, x1, y1) * ramp(t_s, start_s + 2.5, 0.2)
            elif kind == "lay":
                grams = grams + at(mass_g, x0, y0) * ramp(t_s, start_s, 0.5)
            elif kind == "knock" and since_s > 0:
                grams = grams + at(mass_g * math.exp(-7 * since_s) * math.sin(25 * since_s))
            elif kind == "press" and 0 < since_s < 3:
                grams = grams + at(mass_g * math.sin(math.pi * since_s / 3) + 6 * math.sin(19 * t_s), x0, y0)
        return grams

    return load


@pytest.mark.parametrize("seed", range(60, 64))
def test_same_afternoon_gives_the_same_steps_at_ten_and_at_eighty_samples_a_second(seed: int) -> None:
    load = _afternoon(seed)
    slow, fast = (of(Stepped, readings(chunks(load, 66, cell_hz=cell_hz, slice_s=0.05))) for cell_hz in (10.0, 80.0))
    assert [step.kind for step in slow] == [step.kind for step in fast]
    for a, b in zip(slow, fast, strict=True):
        if a.kind in (StepKind.LIFTED, StepKind.SET_DOWN):
            assert a.delta_g == pytest.approx(b.delta_g, abs=0.4)
        assert a.start_t_s == pytest.approx(b.start_t_s, abs=0.35)


@pytest.mark.parametrize("noise_g", [0.02, 0.1, 0.4])
def test_quiet_scale_steps_never_whatever_its_noise(noise_g: float) -> None:
    found = readings(chunks(resting(700, 10, 10), 60, noise_g=noise_g, slice_s=0.05))
    assert of(Stepped, found) == []
    weighed = [w for w in of(Weighed, found) if w.t_s > 3]
    assert sum(w.quiet for w in weighed) > 0.9 * len(weighed)


def test_rough_scale_still_tells_a_thin_column() -> None:
    found = readings(chunks(lambda t: at(700) - at(11.5) * ramp(t, 8, 0.3), 12, noise_g=0.4))
    (step,) = of(Stepped, found)
    assert step.delta_g == pytest.approx(-11.5, abs=1.0)


def test_readings_come_twenty_times_a_second_and_know_the_place() -> None:
    weighed = [w for w in of(Weighed, readings(chunks(resting(500, 33, -21), 10))) if w.weight_g is not None]
    steps = np.diff([w.t_s for w in weighed])
    assert np.allclose(steps, 0.05)
    assert weighed[50].cop_x_mm == pytest.approx(33, abs=0.2)
    assert weighed[50].cop_y_mm == pytest.approx(-21, abs=0.2)
    assert weighed[50].quiet


def test_empty_plate_has_no_place() -> None:
    weighed = of(Weighed, readings(chunks(resting(0.0), 3)))[-1]
    assert weighed.weight_g == pytest.approx(0.0, abs=0.2)
    assert weighed.cop_x_mm is None


def test_tilt_is_level_and_calm_on_a_calm_table() -> None:
    tilted = of(Tilted, readings(chunks(resting(300), 5)))
    assert 45 <= len(tilted) <= 50
    assert abs(tilted[-1].tilt_x_deg) < 0.2
    assert tilted[-1].shock_mps2 < 0.3


class TestTiltSense:
    """The motion chip on its own: what it may say and what not."""

    def feed(self, values: list[tuple[int, int, int]]) -> tuple[list[Tilted], str]:
        from rig.base.tilt import TiltSense

        sense = TiltSense()
        out = [sense.feed(k / 200, *value) for k, value in enumerate(values)]
        return [tilted for tilted in out if tilted is not None], sense.fault

    def noisy(self, ax: float, ay: float, az: float, n: int = 600) -> list[tuple[int, int, int]]:
        rng = np.random.default_rng(1)
        return [tuple(int(v) for v in np.array([ax, ay, az]) + rng.normal(0, 40, 3)) for _ in range(n)]  # type: ignore[misc]

    def test_two_degrees_are_two_degrees(self) -> None:
        tilted, fault = self.feed(self.noisy(0, 16384 * math.sin(math.radians(2)), 16384 * math.cos(math.radians(2))))
        assert tilted[-1].tilt_x_deg == pytest.approx(2.0, abs=0.1)
        assert fault == ""

    def test_knock_is_a_shock(self) -> None:
        values = self.noisy(0, 0, 16384)
        values[400] = (8000, 0, 16384)
        tilted, _ = self.feed(values)
        assert max(t.shock_mps2 for t in tilted) == pytest.approx(8000 / 16384 * 9.81, rel=0.05)

    def test_zero_g_is_a_fault_and_no_free_fall(self) -> None:
        tilted, fault = self.feed(self.noisy(0, 0, 16384, 200) + self.noisy(0, 0, 0, 400))
        assert "0.00 g at rest" in fault
        assert tilted[-1].t_s < 1.5

    def test_repeating_chip_is_frozen(self) -> None:
        tilted, fault = self.feed(self.noisy(0, 0, 16384, 200) + [(1, 2, 16384)] * 300)
        assert "frozen" in fault
        assert tilted[-1].t_s < 1.6
