"""Every fault of the twin's list is told by the doctor and by the game, in words that name the same part. The table is the claim."""

from __future__ import annotations

import re

import numpy as np
import pytest
from numpy.typing import NDArray

from rig.bench.base_load import at
from rig.bench.fault_benches import hear, strike
from rig.twin.sensors.hardware_faults import BaseFaultKind
from rig.twin.sensors.level_sensors import HOME, LAB, ROUGH, SensorLevel

TABLE: dict[BaseFaultKind, tuple[str, str]] = {
    BaseFaultKind.SLOW_CHIPS: (r"load cell 1: only 10 samples/s", r"only 10 samples a second"),
    BaseFaultKind.CELL_FROZEN: (r"load cell 3: frozen at \d+ from 6\.0 s to 9\.2 s", r"Load cell 3 is frozen\."),
    BaseFaultKind.CELL_DEAD: (r"load cell 3: frozen at 0 from 6\.0 s to 9\.2 s", r"Load cell 3 is frozen\."),
    BaseFaultKind.CELL_SATURATED: (r"load cell 3: at full scale, pinned at 8388607 from 6\.0 s", r"Load cell 3 is at full scale\."),
    BaseFaultKind.CELL_FLOATING: (r"load cell 3: noise over the whole range, not connected from", r"Load cell 3 is noise only"),
    BaseFaultKind.CELL_SILENT: (r"load cell 3: not connected from 6\.0 s", r"Load cell 3 is not connected\."),
    BaseFaultKind.CELL_UNPLUGGED: (r"load cell 3: not connected from 6\.0 s", r"Load cell 3 is not connected\."),
    BaseFaultKind.CELL_SHORTED: (r"load cell 3: its data line stays low", r"Load cell 3 is not connected: the data line stays low"),
    BaseFaultKind.CABLE_WIGGLE: (r"load cell 3: moved by itself \d+ times?", r"Load cell 3 moved by itself"),
    BaseFaultKind.BYTES_LOST: (r"\d+ frames lost", r"\d+ frames .* lost"),
    BaseFaultKind.USB_UNPLUGGED: (r"the whole base was silent from 6\.\d s to 9\.\d s", r"The base has been silent"),
    BaseFaultKind.RESET_LINE: (r"has started anew 1 time while listening \(reset line\)", r"its reset line was pulled"),
    BaseFaultKind.BROWN_OUT: (r"has started anew 1 time while listening \(supply voltage", r"its supply voltage broke down"),
    BaseFaultKind.IMU_FROZEN: (r"motion chip: frozen from 6\.0 s", r"motion chip repeats itself: it is frozen"),
    BaseFaultKind.IMU_SILENT: (r"motion chip: silent from 6\.0 s", r"motion chip is silent"),
    BaseFaultKind.IMU_ABSENT: (r"motion chip: silent from 6\.0 s", r"motion chip is silent"),
}
OTHERS = re.compile(r"load cell [124]", re.IGNORECASE)


@pytest.mark.parametrize("kind", list(BaseFaultKind))
def test_doctor_and_game_name_the_same_part(kind: BaseFaultKind) -> None:
    told = hear((strike(kind),))
    by_doctor, by_game = TABLE[kind]
    assert any(re.search(by_doctor, sentence) for sentence in told.doctor.wrong), told.doctor.wrong
    assert any(re.search(by_game, sentence) for sentence in told.game), told.game
    if kind is not BaseFaultKind.SLOW_CHIPS:
        assert not any(OTHERS.search(sentence) for sentence in (*told.doctor.wrong, *told.game))


def moving(t_s: NDArray[np.float64]) -> NDArray[np.float64]:
    """A column goes from floor to floor, and a hand leans on the plate."""
    lifted = np.outer(np.clip((t_s - 4) / 0.3, 0, 1) - np.clip((t_s - 7) / 0.2, 0, 1), at(22.5, 40, 40))
    leaning = np.outer(np.where((t_s > 8) & (t_s < 11), 60 * np.sin(np.pi * (t_s - 8) / 3), 0.0), at(1.0, -100, 90))
    return np.tile(at(800, 10, -20), (len(t_s), 1)) - lifted + leaning


@pytest.mark.parametrize("level", [LAB, HOME, ROUGH], ids=["lab", "home", "rough"])
def test_a_healthy_base_in_play_is_not_accused(level: SensorLevel) -> None:
    """The bench does the same with twenty sessions a level: `rig.bench.bench_doctor`."""
    for seed in (11, 12):
        assert hear((), level, seed, moving).doctor.wrong == ()
