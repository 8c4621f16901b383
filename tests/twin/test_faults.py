"""What `rig.base` says of each fault of the twin's hardware, through chips, firmware, cable and fold: named, counted, and never a weight.

The table is the claim: which words the link or the scale must find, whether the weight may be known meanwhile, and that afterwards all is
as before. Truth is a resting load, so every step that lasts would be false.
"""

from __future__ import annotations

import re
from dataclasses import replace

import numpy as np
import pytest

from rig.base import firmware_tool
from rig.bench.base_load import LoadedBase, at, resting
from rig.bench.fault_table import TABLE, ExpectedNews
from rig.messages import Health, LinkNews, StepKind, Stepped, Tilted, Weighed
from rig.twin.sensors.hardware_faults import HORIZON_S, RESETS, BaseFault, BaseFaultKind
from rig.twin.sensors.level_sensors import HOME, LAB, ROUGH, SensorLevel

needs_simulator = pytest.mark.skipif(not firmware_tool.has_simulator(), reason="no AVR tools: `paletti firmware build` was not run")
BASES = ["standin", pytest.param("avr", marks=needs_simulator)]
STARTS_S, ENDS_S = 8.013, 12.207
WRONG_G = 2.0
"""Further from the truth than this is a wrong weight."""


def struck(kind: BaseFaultKind, level: SensorLevel, base: str, *, slow: bool = False, seed: int = 3, load_g: float = 800.0) -> LoadedBase:
    """A bench on which this fault strikes for four seconds, and that is then watched for eight more."""
    moment = kind in (BaseFaultKind.BYTES_LOST, *RESETS)
    size = 200.0 if kind is BaseFaultKind.BYTES_LOST else 1.0
    faults = [BaseFault(STARTS_S, STARTS_S if moment else ENDS_S, kind, 2 if "cell" in kind.value else None, size)]
    if slow:
        faults.append(BaseFault(0.0, HORIZON_S, BaseFaultKind.SLOW_CHIPS))
    bench = LoadedBase(resting(load_g, 20, -30), level, seed=seed, base=base, faults=faults).run(20)
    bench.close()
    return bench


def check(bench: LoadedBase, said: ExpectedNews) -> None:
    sentences = " | ".join(bench.said())
    assert re.search(said.link, sentences, re.IGNORECASE), sentences
    before = [w.weight_g for w in bench.of(Weighed, 5, STARTS_S - 0.05) if w.weight_g is not None]
    usual_g = float(np.mean(before))
    known = [w for w in bench.of(Weighed, STARTS_S - 1) if w.weight_g is not None]
    assert max(abs(w.weight_g - usual_g) for w in known if w.weight_g is not None) < WRONG_G
    assert bench.of(Stepped, 5) == []
    during = bench.of(Weighed, STARTS_S + 0.2, ENDS_S - 0.1)
    if said.weighs is False:
        assert during
        assert all(w.weight_g is None and not w.quiet for w in during)
        assert any(re.search(said.scale, w.fault, re.IGNORECASE) for w in during)
    elif said.weighs:
        assert all(w.weight_g is not None for w in during)
    news = bench.of(LinkNews)[-1]
    assert news.health is Health.GOOD
    assert news.resets == said.resets
    assert all(w.weight_g is not None for w in bench.of(Weighed, 15))
    tilts = bench.of(Tilted, STARTS_S + 1.2, ENDS_S - 0.2)
    assert bool(tilts) is said.tilts
    assert bench.of(Tilted, 18)


@pytest.mark.parametrize("kind", list(TABLE))
def test_each_fault_is_named_and_none_becomes_a_weight(kind: BaseFaultKind) -> None:
    check(struck(kind, LAB, "standin"), TABLE[kind])


@pytest.mark.parametrize("kind", [kind for kind in TABLE if "cell" in kind.value])
def test_failing_cells_are_named_at_ten_samples_a_second_and_in_a_living_rooms_noise(kind: BaseFaultKind) -> None:
    level = replace(HOME, spikes_per_min=0.0, vibrations_per_min=0.0, slow_chip_share=0.0)
    bench = struck(kind, level, "standin", slow=True, seed=4)
    assert bench.of(Stepped, 5) == []
    during = bench.of(Weighed, STARTS_S + 1.0, ENDS_S - 0.2)
    assert all(w.weight_g is None for w in during)
    assert re.search(TABLE[kind].scale, during[-1].fault, re.IGNORECASE)
    assert bench.of(LinkNews)[-1].health is Health.GOOD


@needs_simulator
@pytest.mark.parametrize(
    "kind", [BaseFaultKind.CELL_SHORTED, BaseFaultKind.USB_UNPLUGGED, BaseFaultKind.BROWN_OUT, BaseFaultKind.IMU_FROZEN]
)
def test_real_binary_tells_what_the_stand_in_tells(kind: BaseFaultKind) -> None:
    check(struck(kind, LAB, "avr"), TABLE[kind])


def test_table_knows_every_fault_but_those_that_are_none() -> None:
    assert set(BaseFaultKind) - set(TABLE) == {BaseFaultKind.SLOW_CHIPS, BaseFaultKind.CABLE_WIGGLE}


def test_a_touched_cable_weighs_nothing_in_the_end() -> None:
    """No sense can tell a bad contact from a hand; but it is over again, and so is what the scale says of it."""
    for seed in range(12):
        wiggle = BaseFault(8.0, 9.4, BaseFaultKind.CABLE_WIGGLE, seed % 4, (-1.0) ** seed * (5.0 + 30 * seed))
        bench = LoadedBase(resting(800, 20, -30), LAB, seed=seed, faults=[wiggle]).run(14)
        assert sum(step.delta_g for step in bench.of(Stepped, 5) if step.after_g is not None and step.kind in _LASTING) == pytest.approx(
            0, abs=0.5
        )
        weights = [w.weight_g for w in bench.of(Weighed, 5, 7.9) if w.weight_g is not None]
        after = [w.weight_g for w in bench.of(Weighed, 11) if w.weight_g is not None]
        assert np.mean(after) == pytest.approx(np.mean(weights), abs=0.3)


_LASTING = (StepKind.LIFTED, StepKind.SET_DOWN)


def test_slow_chips_weigh_as_well() -> None:
    bench = LoadedBase(resting(800, 20, -30), LAB, seed=7, faults=[BaseFault(0.0, HORIZON_S, BaseFaultKind.SLOW_CHIPS)]).run(16)
    weights = [w.weight_g for w in bench.of(Weighed, 4)]
    assert all(weight is not None for weight in weights)
    assert np.std([weight for weight in weights if weight is not None]) < 0.1
    assert bench.of(Stepped) == []


@pytest.mark.parametrize("seed", [41, 42, 43])
def test_a_column_lifted_in_a_rough_room_is_weighed_all_the_same(seed: int) -> None:
    """Spikes, shakes, creep, drift and corner errors of the roughest level, without broken hardware."""
    level = replace(ROUGH, slow_chip_share=0.0)
    bench = LoadedBase(
        lambda t: np.outer(np.ones(len(t)), at(900)) - np.outer(np.clip((t - 10) / 0.3, 0, 1), at(22.5, 40, 40)),
        level,
        seed=seed,
        faults=(),
    ).run(18)
    lifted = [step for step in bench.of(Stepped, 9, 12) if step.kind is StepKind.LIFTED]
    assert sum(step.delta_g for step in lifted) == pytest.approx(-22.5, abs=1.5)


@pytest.mark.parametrize("base", BASES)
def test_a_rough_game_is_told_whatever_breaks(base: str) -> None:
    """Half a minute in which nearly everything breaks once: the fold goes on, counts, and is well at the end."""
    faults = (
        BaseFault(4.0, 4.0, BaseFaultKind.BYTES_LOST, None, 333.0),
        BaseFault(6.0, 7.5, BaseFaultKind.CELL_UNPLUGGED, 0),
        BaseFault(9.0, 9.0, BaseFaultKind.RESET_LINE),
        BaseFault(11.0, 13.0, BaseFaultKind.USB_UNPLUGGED),
        BaseFault(16.0, 18.0, BaseFaultKind.IMU_ABSENT),
        BaseFault(19.0, 20.0, BaseFaultKind.CABLE_WIGGLE, 3, 40.0),
        BaseFault(21.0, 22.0, BaseFaultKind.CELL_FLOATING, 1),
    )
    bench = LoadedBase(resting(800), replace(ROUGH, vibrations_per_min=0.0, slow_chip_share=0.0), seed=9, base=base, faults=faults).run(30)
    bench.close()
    news = bench.of(LinkNews)[-1]
    assert news.health is Health.GOOD
    assert news.resets == 2
    assert news.lost_frames >= 10
    assert not [step for step in bench.of(Stepped) if step.kind in (*_LASTING, StepKind.SWING)]
