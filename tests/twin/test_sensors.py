"""What the twin's cells, motion chip, buttons and lights make of the truth, and that both bases say it alike."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest
from numpy.typing import NDArray

from rig.base import firmware_tool
from rig.base.code_light import code_light
from rig.base.frames import Button, Frame, FrameDecoder, Hello, Imu, Load, Status
from rig.base.protocol import TICK_S
from rig.bench.base_load import PROFILE, ROW_S, LoadedBase, at, resting
from rig.errors import PalettiError
from rig.messages import LinkNews, Pressed, Stepped, Tilted, Weighed
from rig.profile.nominal import nominal_profile
from rig.twin.sensors.avr import AvrBase
from rig.twin.sensors.base_sensors import Sensors
from rig.twin.sensors.chips import CellFault, ChipClocks, Due, ImuFault, Reset, SensingBase, clock_zero_tick
from rig.twin.sensors.hardware_faults import BaseFault, BaseFaultKind, draw_faults
from rig.twin.sensors.level_sensors import HOME, LAB, ROUGH, SensorLevel
from rig.twin.sensors.load_cells import LoadCells
from rig.twin.sensors.motion_chip import MotionChip
from rig.twin.sensors.room_air import RoomAir
from rig.twin.sensors.standin import StandInBase

needs_simulator = pytest.mark.skipif(not firmware_tool.has_simulator(), reason="no AVR tools: `paletti firmware build` was not run")
SILENT = replace(LAB, cell_noise_g=0.0, cell_gain_spread=0.0, cell_offset_g=0.0, cell_drift_g_per_min=0.0)
"""Cells without any error but the chip's filter."""


def measured(
    level: SensorLevel,
    load: Callable[[NDArray[np.float64]], NDArray[np.float64]],
    seconds: float,
    faults: tuple[BaseFault, ...] = (),
    seed: int = 1,
    slice_s: float = 1.0,
) -> tuple[NDArray[np.float64], NDArray[np.uint8], NDArray[np.float64]]:
    """Times, cells and grams of every conversion of the chips under `load`."""
    cells = LoadCells(PROFILE.cells, level, seed, RoomAir(level, seed), faults)
    clocks = ChipClocks(seed, cells.cell_hz)
    times, which, grams = [], [], []
    for k in range(round(seconds / slice_s)):
        t_s = ROW_S * np.arange(round(k * slice_s / ROW_S) + 1, round((k + 1) * slice_s / ROW_S) + 1)
        cells.feel(t_s, load(t_s))
        due = clocks.due((k + 1) * slice_s)
        times.append(due.load_t_s)
        which.append(due.load_cell)
        grams.append(cells.counts(due) / np.array([cell.counts_per_g for cell in PROFILE.cells])[due.load_cell])
    return np.concatenate(times), np.concatenate(which), np.concatenate(grams)


# ------------------------------------------------------------ cells


def test_lab_weighs_the_truth_within_its_noise() -> None:
    bench = LoadedBase(resting(800, 20, -30), LAB, seed=5).run(12)
    weights = np.array([w.weight_g for w in bench.of(Weighed, 4) if w.weight_g is not None])
    offsets_g = 4**0.5 * LAB.cell_offset_g + 800 * LAB.cell_gain_spread
    assert abs(weights.mean() - 800) < 3 * offsets_g
    assert weights.std() < 0.1  # four cells of 0.05 g, four samples a reading


def test_a_step_has_settled_four_conversions_later_and_not_before() -> None:
    t_s, cell, grams = measured(SILENT, lambda t: np.outer(t > 1.0, at(400)), 2.0)
    for k in range(4):
        mine = (cell == k) & (t_s > 1.0)
        assert np.abs(grams[mine][4:] - 100).max() < 0.01
        assert 0 <= grams[mine][0] < 60
    between = (t_s > 1.0) & (t_s < 1.0125)
    assert grams[between].max() < 60


def test_slow_chips_settle_in_four_tenths_of_a_second() -> None:
    slow = (BaseFault(0.0, 7200.0, BaseFaultKind.SLOW_CHIPS),)
    t_s, cell, grams = measured(SILENT, lambda t: np.outer(t > 1.0, at(400)), 3.0, faults=slow)
    assert all(28 <= (cell == k).sum() <= 32 for k in range(4))
    assert np.abs(grams[t_s > 1.42] - 100).max() < 0.01
    assert grams[(t_s > 1.0) & (t_s < 1.1)].max() < 50


def test_load_creeps_exponentially_and_back_when_it_is_taken_off() -> None:
    level = replace(SILENT, creep_share=0.01, creep_s=20.0)
    t_s, _, grams = measured(level, lambda t: np.outer((t > 5.0) & (t < 105.0), at(400)), 200.0)

    def reading(when_s: float) -> float:
        return float(np.mean(grams[np.abs(t_s - when_s) < 0.2]))

    crept = [reading(5 + lasts) - 100 for lasts in (20.0, 40.0, 90.0)]
    full = crept[2] / (1 - np.exp(-90 / 20))
    assert full == pytest.approx(1.0, rel=0.4)  # 1 % of 100 g, cells differ
    assert crept[0] == pytest.approx(full * (1 - np.exp(-1)), abs=0.03)
    assert crept[1] == pytest.approx(full * (1 - np.exp(-2)), abs=0.03)
    assert reading(106.0) == pytest.approx(full, abs=0.1)
    assert reading(199.0) < 0.05


def test_zero_wanders_with_the_temperature() -> None:
    level = replace(SILENT, warm_up_c=3.0, zero_g_per_c=0.2)
    t_s, cell, grams = measured(level, lambda t: np.zeros((len(t), 4)), 600.0)
    moved = [float(grams[(cell == k) & (t_s > 590)].mean() - grams[(cell == k) & (t_s < 10)].mean()) for k in range(4)]
    air = RoomAir(level, 1)
    warmer_c = float(air.warmer_c(np.array([595.0]))[0] - air.warmer_c(np.array([5.0]))[0])
    assert warmer_c == pytest.approx(3 * (1 - np.exp(-1)), abs=0.1)
    assert 0.05 < np.std(moved) < 1.0
    assert max(map(abs, moved)) < 0.2 * warmer_c * 3.5


def test_noise_is_the_data_sheets_and_less_at_ten_a_second() -> None:
    level = replace(SILENT, cell_noise_g=0.06)
    _, _, fast = measured(level, lambda t: np.zeros((len(t), 4)), 30.0)
    _, _, slow = measured(level, lambda t: np.zeros((len(t), 4)), 60.0, faults=(BaseFault(0.0, 7200.0, BaseFaultKind.SLOW_CHIPS),))
    assert fast.std() == pytest.approx(0.06, rel=0.05)
    assert slow.std() / fast.std() == pytest.approx(50 / 90, rel=0.1)


def test_a_corner_load_shows_in_its_neighbours() -> None:
    level = replace(SILENT, corner_spread=0.01)
    _, cell, grams = measured(level, lambda t: np.tile([1000.0, 0, 0, 0], (len(t), 1)), 2.0)
    others = [abs(float(grams[cell == k].mean())) for k in (1, 2, 3)]
    assert max(others) > 1.0
    assert max(others) < 45.0


def test_torn_reads_come_as_often_as_asked_single_and_double() -> None:
    level = replace(SILENT, spikes_per_min=60.0)
    _, cell, grams = measured(level, lambda t: np.tile(at(800), (len(t), 1)), 240.0)
    lengths: Counter[int] = Counter()
    values: Counter[bool] = Counter()
    for k in range(4):
        torn = np.abs(grams[cell == k] - 200) > 1
        edges = np.flatnonzero(np.diff(np.concatenate([[0], torn.astype(int), [0]])))
        lengths.update((edges[1::2] - edges[::2]).tolist())
        counts = np.rint(grams[cell == k][torn] * 420).astype(int)
        values.update((((counts + 1) & counts) == 0).tolist())
    runs = sum(lengths.values())
    assert runs == pytest.approx(4 * 240, rel=0.15)
    assert 0.2 < lengths[2] / runs < 0.4
    assert sum(lengths[n] for n in lengths if n > 2) < 0.02 * runs  # two by chance in a row
    assert 0.3 < values[True] / sum(values.values()) < 0.7  # all ones or nothing; the others are slipped by a bit


def test_table_shakes_cells_and_motion_chip_alike() -> None:
    level = replace(SILENT, vibrations_per_min=6.0, vibration_mps2=0.2)
    bench = LoadedBase(resting(800), level, seed=2).run(60)
    shakes = [float(t_s) for t_s in RoomAir(level, 2).shakes_s if 5 < t_s < 58]
    assert shakes
    weights = [(w.t_s, w.weight_g) for w in bench.of(Weighed, 4) if w.weight_g is not None]
    shocks = bench.of(Tilted, 4)
    quiet_g = np.median([grams for _, grams in weights])
    near = [max(abs(grams - quiet_g) for t_s, grams in weights if 0 <= t_s - start < 0.5) for start in shakes]
    jolts = [max(t.shock_mps2 for t in shocks if 0 <= t.t_s - start < 0.6) for start in shakes]
    calm = [t.shock_mps2 for t in shocks if all(not -0.2 < t.t_s - start < 1.6 for start in shakes)]
    assert max(near) > 1.0
    assert np.median(jolts) > np.median(calm)
    assert not [step for step in bench.of(Stepped, 4) if step.after_g is not None and abs(step.delta_g) > 3 and step.kind != "knock"]


# ------------------------------------------------------------ motion chip


def test_motion_chip_clips_at_its_range_and_has_its_bias() -> None:
    chip = MotionChip(replace(LAB, imu_bias_g=0.05, imu_bias_dps=0.0), 3, RoomAir(LAB, 3))
    t_s = ROW_S * np.arange(1, 1001)
    motion = np.tile([0.0, 0.0, 1.0, 0.0, 0.0, 0.0], (1000, 1))
    motion[500:] = (5.0, -5.0, 1.0, 900.0, -900.0, 0.0)
    chip.feel(t_s, motion)
    ticks = np.arange(1, 400) * 78
    counts = chip.registers(Due(np.zeros(0, np.int64), np.zeros(0, np.uint8), ticks[ticks * TICK_S < 1.99]))
    rest, shaken = counts[:190], counts[205:]
    assert set(shaken[:, 0]) == {32767}
    assert set(shaken[:, 1]) == {-32768}
    assert set(shaken[:, 3]) == {32767}
    assert rest[:, 0].std() == pytest.approx(LAB.imu_noise_g * 16384, rel=0.2)
    assert 0 < abs(rest[:, 0].mean()) < 0.2 * 16384


# ------------------------------------------------------------ determinism


@pytest.mark.parametrize("base", ["standin", pytest.param("avr", marks=needs_simulator)])
@pytest.mark.parametrize("level", [HOME, ROUGH], ids=["home", "rough"])
def test_same_seed_gives_the_same_bytes_in_slices_of_any_length(base: str, level: SensorLevel) -> None:
    wild = replace(level, spikes_per_min=300.0, vibrations_per_min=30.0)
    faults = (
        BaseFault(2.0, 4.0, BaseFaultKind.CELL_UNPLUGGED, 1),
        BaseFault(3.3, 3.3, BaseFaultKind.BYTES_LOST, None, 90.0),
        BaseFault(5.0, 5.0, BaseFaultKind.BROWN_OUT),
    )
    streams = []
    for slice_s in (0.05, 0.05, 0.02):
        bench = LoadedBase(resting(700), wild, seed=11, base=base, faults=faults, slice_s=slice_s)
        bench.sensors.press(2, 1.0)
        streams.append(bytes(bench.run(8).stream))
        bench.close()
    assert streams[0] == streams[1]
    assert streams[0] == streams[2]
    other = LoadedBase(resting(700), wild, seed=12, base=base, faults=faults).run(2)
    other.close()
    assert bytes(other.stream)[2000:4000] != streams[0][2000:4000]


# ------------------------------------------------------------ both bases say the same


def drive(base: SensingBase, seconds: float, seed: int, acts: list[tuple[float, Callable[[SensingBase], None]]]) -> bytes:
    """A base fed with random values; `acts` happen to it at their times."""
    clocks, rng, out = ChipClocks(seed), np.random.default_rng(seed), b""
    for t_s in sorted({*np.round(np.arange(0.05, seconds + 1e-9, 0.05), 6).tolist(), *(t_s for t_s, _ in acts)}):
        due = clocks.due(t_s)
        counts = rng.integers(-(1 << 23), 1 << 23, len(due.load_tick)).astype(np.int32)
        out += base.advance(t_s, due, counts, rng.integers(-30000, 30000, (len(due.imu_tick), 7)).astype(np.int16))
        for _, act in (item for item in acts if item[0] == t_s):
            act(base)
    base.close()
    return out


def both(seconds: float, seed: int, acts: list[tuple[float, Callable[[SensingBase], None]]]) -> tuple[bytes, bytes]:
    avr = AvrBase(firmware_tool.elf_path(), firmware_tool.library_path())
    return drive(avr, seconds, seed, acts), drive(StandInBase(), seconds, seed, acts)


def cell_fault(t_s: float, cell: int, fault: CellFault) -> tuple[float, Callable[[SensingBase], None]]:
    return t_s, lambda base: base.fault_cell(cell, fault)


def imu_fault(t_s: float, fault: ImuFault) -> tuple[float, Callable[[SensingBase], None]]:
    return t_s, lambda base: base.fault_imu(fault)


@needs_simulator
@pytest.mark.parametrize("seed", [21, 22])
@pytest.mark.parametrize("lasts_s", [0.3, 2.5])
def test_stand_in_says_the_binarys_bytes_with_failing_cells_and_motion_chip(seed: int, lasts_s: float) -> None:
    """All at once: one cell off, one shorted, one silent, the motion chip silent or frozen."""
    acts = [
        cell_fault(1.234, 1, CellFault.LINE_HIGH), cell_fault(1.234 + lasts_s, 1, CellFault.NONE),
        cell_fault(1.811, 0, CellFault.LINE_LOW), cell_fault(1.811 + lasts_s, 0, CellFault.NONE),
        cell_fault(2.037, 2, CellFault.SILENT), cell_fault(2.037 + lasts_s, 2, CellFault.NONE),
        imu_fault(1.617, (ImuFault.SILENT, ImuFault.FROZEN)[seed % 2]), imu_fault(4.5, ImuFault.NONE),
    ]  # fmt: skip
    real, stand_in = both(7, seed, acts)
    common = min(len(real), len(stand_in))
    assert common > 40_000
    assert abs(len(real) - len(stand_in)) < 100
    assert real[:common] == stand_in[:common]


def keys(frames: list[Frame]) -> Counter[tuple[object, ...]]:
    return Counter((type(frame).__name__, *frame[1:]) for frame in frames)


@needs_simulator
def test_stand_in_wakes_a_motion_chip_that_was_away_as_the_binary_does() -> None:
    """Its first one or two samples may come or not: the binary asks for it within some milliseconds of the second."""
    acts = [imu_fault(1.6, ImuFault.ABSENT), imu_fault(4.5, ImuFault.NONE)]
    real, stand_in = (FrameDecoder().feed(data) for data in both(7, 23, acts))
    differ = (keys(real) - keys(stand_in)) + (keys(stand_in) - keys(real))
    assert len([key for key in differ if key[0] == "Imu"]) <= 2
    assert not [key for key in differ if key[0] in ("Load", "Hello")]
    last = [[frame for frame in frames if isinstance(frame, Status)][-1] for frames in (real, stand_in)]
    assert last[0][8:] == last[1][8:]
    assert last[0].imu_restarts >= 2
    assert last[0].i2c_errors >= 2


@needs_simulator
@pytest.mark.parametrize("cause", list(Reset))
def test_stand_in_boots_as_the_binary_does(cause: Reset) -> None:
    """Every frame is the same but a few that the reset itself touches: what was on its way, and what ended in the very boot."""
    real, stand_in = (FrameDecoder().feed(data) for data in both(6, 31, [(2.345678, lambda base: base.reset(cause))]))
    differ = (keys(real) - keys(stand_in)) + (keys(stand_in) - keys(real))
    assert sum(differ.values()) <= 5
    assert not [key for key in differ if key[0] in ("Imu", "Status")]
    hellos = [next(frame for frame in frames[100:] if isinstance(frame, Hello)) for frames in (real, stand_in)]
    assert hellos[0].reset_cause == hellos[1].reset_cause == 1 << cause
    assert hellos[0].boot_id == hellos[1].boot_id
    assert abs(hellos[0].frames_before - hellos[1].frames_before) <= 1


@needs_simulator
def test_clock_after_a_reset_starts_where_the_twin_says() -> None:
    reset_t_s = 2.3456
    stream = both(5, 32, [(reset_t_s, lambda base: base.reset(Reset.EXTERNAL))])[0]
    frames = FrameDecoder().feed(stream)
    boot = next(k for k, frame in enumerate(frames) if isinstance(frame, Hello) and frame.boot_id & 0xFFFF == 1)
    due = ChipClocks(32).due(5)
    ticks = set(due.imu_tick.tolist())
    dated = [frame.t + clock_zero_tick(reset_t_s) for frame in frames[boot:] if isinstance(frame, Imu)]
    assert len(dated) > 400
    assert all(tick in ticks for tick in dated)


@needs_simulator
def test_stand_in_tells_presses_as_the_binary_does() -> None:
    acts: list[tuple[float, Callable[[SensingBase], None]]] = []
    for t_s, button, closed in (
        (1.234, 2, True),
        (1.2353, 2, False),
        (1.2361, 2, True),
        (1.4, 2, False),
        (2.0, 0, True),
        (2.003, 0, False),
    ):
        acts.append((t_s, lambda base, button=button, closed=closed: base.press(button, closed)))  # type: ignore[misc]
    real, stand_in = (FrameDecoder().feed(data) for data in both(4, 33, acts))
    told = [[frame for frame in frames if isinstance(frame, Button)] for frames in (real, stand_in)]
    assert [frame[2:] for frame in told[0]] == [frame[2:] for frame in told[1]] == [(2, 1), (2, 0)]
    assert all(abs(a.t - b.t) * TICK_S < 0.0011 for a, b in zip(*told, strict=True))
    rest = [keys([frame for frame in frames if isinstance(frame, Load | Imu)]) for frames in (real, stand_in)]
    assert sum(((rest[0] - rest[1]) + (rest[1] - rest[0])).values()) <= 1  # the last may be under way in one
    assert len([frame for frame in real if isinstance(frame, Status)]) == len([frame for frame in stand_in if isinstance(frame, Status)])


# ------------------------------------------------------------ buttons and lights


@pytest.mark.parametrize("base", ["standin", pytest.param("avr", marks=needs_simulator)])
def test_seat_button_comes_through_the_firmware_dated_at_its_first_contact(base: str) -> None:
    bench = LoadedBase(resting(800), LAB, seed=4, base=base)
    bench.sensors.press(1, 2.0)
    bench.sensors.press(3, 2.03, hold_s=0.2)
    bench.run(4)
    bench.close()
    pressed = [reading for reading in bench.found if isinstance(reading, Pressed)]
    down = sorted((p for p in pressed if p.pressed), key=lambda p: p.t_s)
    assert [p.button for p in down] == [1, 3]
    assert [p.t_s for p in down] == pytest.approx([2.0, 2.03], abs=0.004)
    assert sorted(p.button for p in pressed if not p.pressed) == [1, 3]


def test_seat_that_is_not_there_has_no_button() -> None:
    with pytest.raises(PalettiError, match="no seat button 5"):
        LoadedBase(resting(800), LAB).sensors.press(4, 1.0)


@needs_simulator
def test_code_light_is_what_the_firmwares_pin_shows_through_resets_and_power_cuts() -> None:
    faults = (BaseFault(2.2, 2.2, BaseFaultKind.RESET_LINE), BaseFault(4.1, 5.3, BaseFaultKind.USB_UNPLUGGED))
    bench = LoadedBase(resting(800), LAB, seed=6, base="avr", faults=faults, slice_s=0.01)
    avr = bench.sensors._base
    assert isinstance(avr, AvrBase)
    wrong = shown = 0
    for k in range(1, 800):
        bench.run(k * 0.01)
        if 4.1 <= k * 0.01 < 5.3:
            assert bench.sensors.code_light(k * 0.01) == 0.0
            continue
        pin = avr.pins() >> 3 & 1
        near = {bench.sensors.code_light(k * 0.01 - late_s) for late_s in (0.0, 0.018)}  # the loop looks at its clock every 16 ms
        wrong += pin not in near
        shown += pin
    bench.close()
    assert 100 < shown < 600
    assert wrong == 0


def test_code_light_smears_over_an_exposure() -> None:
    sensors = LoadedBase(resting(800), LAB).sensors
    levels = [sensors.code_light(t_s, 0.02) for t_s in np.arange(1.0, 3.1, 0.005)]
    assert min(levels) == 0.0
    assert max(levels) == pytest.approx(1.0)
    assert any(0.1 < level < 0.9 for level in levels)
    assert sensors.code_light(1.5) == float(code_light(1.5))


# ------------------------------------------------------------ levels and bad input


def test_lab_has_no_faults_home_only_slow_chips_and_rough_has_them_all() -> None:
    assert all(draw_faults(LAB, seed) == () for seed in range(200))
    home = [fault.kind for seed in range(300) for fault in draw_faults(HOME, seed)]
    assert set(home) == {BaseFaultKind.SLOW_CHIPS}
    assert 0.1 < len(home) / 300 < 0.2
    rough = Counter(fault.kind for seed in range(300) for fault in draw_faults(ROUGH, seed))
    assert set(rough) == set(BaseFaultKind)
    assert sum(rough[kind] for kind in rough if "cell" in kind.value) == pytest.approx(0.4 * 300, rel=0.25)


def test_fault_log_tells_in_words_and_only_what_has_struck() -> None:
    seed = next(seed for seed in range(100) if any(fault.kind is BaseFaultKind.CELL_FLOATING for fault in draw_faults(ROUGH, seed)))
    bench = LoadedBase(resting(800), ROUGH, seed=seed)
    floating = next(fault for fault in bench.sensors.faults if fault.kind is BaseFaultKind.CELL_FLOATING)
    assert floating not in bench.sensors.told_by(floating.t_s - 0.01)
    assert floating in bench.sensors.told_by(floating.t_s)
    assert floating.words.startswith(f"load cell {floating.cell + 1}'s signal wires are off")  # type: ignore[operator]
    assert list(bench.sensors.faults) == sorted(bench.sensors.faults, key=lambda fault: (fault.t_s, fault.kind))


def test_unknown_base_is_refused_with_the_names_there_are() -> None:
    with pytest.raises(PalettiError, match="no base called 'arduino'") as refused:
        LoadedBase(resting(800), LAB, base="arduino")
    assert "auto, avr, standin" in refused.value.hint


def test_without_the_simulator_the_avr_is_refused_and_auto_stands_in(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("rig.twin.sensors.base_sensors.has_simulator", lambda: False)
    with pytest.raises(PalettiError, match="has not been built") as refused:
        LoadedBase(resting(800), LAB, base="avr")
    assert "paletti firmware build" in refused.value.hint
    assert not LoadedBase(resting(800), LAB, base="auto").sensors.real


def test_profile_of_another_number_of_cells_is_refused() -> None:
    import msgspec

    three = msgspec.structs.replace(nominal_profile(), cells=nominal_profile().cells[:3])
    with pytest.raises(PalettiError, match="4 load cells, the profile 3"):
        Sensors(LoadedBase(resting(1), LAB), three, LAB, 1, "standin")


def test_link_news_counts_what_the_cable_lost() -> None:
    bench = LoadedBase(resting(800), LAB, seed=8, faults=(BaseFault(3.0, 3.0, BaseFaultKind.BYTES_LOST, None, 300.0),)).run(8)
    news = bench.of(LinkNews)[-1]
    assert 10 <= news.lost_frames <= 20  # 300 bytes of frames of 17 to 24
    assert bench.of(Stepped) == []


def test_readme_shows_the_levels_as_they_are() -> None:
    from dataclasses import asdict
    from pathlib import Path

    import rig.twin

    text = (Path(rig.twin.__path__[0]) / "README.md").read_text()
    levels = [asdict(level) for level in (LAB, HOME, ROUGH)]
    rates = [level.pop("faults") for level in levels]
    for prefix, values in (("", levels), ("faults.", rates)):
        for name in values[0]:
            row = next(line for line in text.splitlines() if line.startswith(f"| `{prefix}{name}` |"))
            assert [cell.strip() for cell in row.split("|")[3:6]] == [f"{value[name]:g}" for value in values]


@pytest.mark.parametrize("level", ["lab", "home"])
def test_first_touch_of_a_game_weighs_nothing(level: str) -> None:
    """The sensing plate rests where it will rest; asleep on its way down it once lacked 6 to 24 g, which the first touch then set down."""
    from rig.twin.levels import LEVELS
    from rig.twin.physics.world import World

    world = World(PROFILE, 3, LEVELS[level].table)
    for _ in range(300):
        world.step()
    asleep_g = float(world.drain().load_g[-1].sum())
    world.wake(0.5)
    for _ in range(200):
        world.step()
    assert float(world.drain().load_g[-1].sum()) == pytest.approx(asleep_g, abs=0.1)
    assert asleep_g == pytest.approx(PROFILE.base.mass_g, abs=0.3)
