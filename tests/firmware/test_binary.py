"""The real AVR binary in its simulator: nothing lost, nothing reordered, every fault named, and the stand-in says the same bytes."""

from __future__ import annotations

import subprocess
from collections import Counter, defaultdict
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from typing import TypeVar

import numpy as np
import pytest

from rig.base import firmware_tool
from rig.base.code_light import code_light
from rig.base.frames import Button, Frame, FrameDecoder, Hello, Imu, Load, Pong, SelfTest, Status, Tared, encode
from rig.base.protocol import LAYOUT_HASH, TICK_S, CellFlag, Kind, ResetCause
from rig.errors import PalettiError
from rig.twin.sensors.avr import AvrBase, CellFault, ImuFault, Reset
from rig.twin.sensors.chips import ChipClocks, Due, SensingBase, without
from rig.twin.sensors.standin import StandInBase

pytestmark = pytest.mark.skipif(not firmware_tool.has_simulator(), reason="the AVR tools are missing: `paletti firmware build` was not run")

F = TypeVar("F", bound=Frame)
SLICE_S = 0.01


class Bench:
    """A base on the bench: every chip fed with random values, what it says decoded, what was measured remembered."""

    def __init__(self, seed: int = 1, base: SensingBase | None = None, cell_hz: tuple[float, ...] = (80.0,) * 4) -> None:
        self.base = AvrBase(firmware_tool.elf_path(), firmware_tool.library_path()) if base is None else base
        self.decoder = FrameDecoder()
        self.measured: dict[int, list[tuple[int, int]]] = defaultdict(list)
        self.stream = b""
        self._clocks = ChipClocks(seed, cell_hz)
        self._rng = np.random.default_rng(seed)
        self._slices = 0

    @property
    def avr(self) -> AvrBase:
        assert isinstance(self.base, AvrBase)
        return self.base

    def run(self, seconds: float, missing: frozenset[int] = frozenset()) -> list[Frame]:
        found: list[Frame] = []
        for _ in range(round(seconds / SLICE_S)):
            self._slices += 1
            due = without(self._clocks.due(self._slices * SLICE_S), missing)
            counts = self._rng.integers(-(1 << 23), 1 << 23, len(due.load_tick)).astype(np.int32)
            motion = self._rng.integers(-30000, 30000, (len(due.imu_tick), 7)).astype(np.int16)
            for tick, cell, value in zip(due.load_tick, due.load_cell, counts, strict=True):
                self.measured[int(cell)].append((int(tick), int(value)))
            data = self.base.advance(self._slices * SLICE_S, due, counts, motion)
            self.stream += data
            found += self.decoder.feed(data)
        return found

    def command(self, kind: Kind, value: int) -> None:
        self.avr.write(encode(kind, 0, value))


@pytest.fixture
def bench() -> Iterator[Bench]:
    made = Bench()
    yield made
    made.base.close()


def of(kind: type[F], frames: list[Frame]) -> list[F]:
    return [frame for frame in frames if isinstance(frame, kind)]


def rates(frames: list[Frame]) -> Counter[int]:
    return Counter(load.cell for load in of(Load, frames))


# ------------------------------------------------------------ a healthy base


def test_not_one_sample_is_lost_in_a_minute(bench: Bench) -> None:
    frames = bench.run(60)
    for cell in range(4):
        got = [(load.t, load.counts) for load in of(Load, frames) if load.cell == cell]
        offered = bench.measured[cell][4:]  # the chip's first four conversions settle
        assert got == offered[: len(got)]
        assert len(offered) - len(got) <= 1
    assert [frame.sequence for frame in frames] == list(range(len(frames)))
    last = of(Status, frames)[-1]
    assert (last.late, last.dropped, last.i2c_errors, last.rx_errors) == (0, 0, 0, 0)
    assert sum(last.overruns) == sum(last.out_of_step) == last.imu_restarts == 0
    assert bench.decoder.counts.refused == 0
    assert bench.avr.counts().imu_samples - len(of(Imu, frames)) <= 1
    assert bench.avr.counts().clock_high_max_us < 10


@pytest.mark.parametrize("seed", [1, 2, 3, 4, 5])
def test_stand_in_says_the_binarys_bytes(seed: int) -> None:
    """Different phases of the four cells and the motion chip, 12 s each: the second HELLO and twelve STATUS included."""
    real, stand_in = Bench(seed), Bench(seed, StandInBase())
    real.run(12)
    stand_in.run(12)
    real.base.close()
    common = min(len(real.stream), len(stand_in.stream))
    assert common > 100_000
    assert abs(len(real.stream) - len(stand_in.stream)) < 200  # the last frames may be under way in one of them
    assert real.stream[:common] == stand_in.stream[:common]


def test_stand_in_says_the_binarys_bytes_with_a_cell_missing() -> None:
    real, stand_in = Bench(9), Bench(9, StandInBase())
    for bench in (real, stand_in):
        bench.run(5, missing=frozenset({2}))
    real.base.close()
    common = min(len(real.stream), len(stand_in.stream))
    assert real.stream[:common] == stand_in.stream[:common]
    assert common > 30_000


def test_conversions_off_the_grid_are_dated_within_a_tick() -> None:
    """The real chips know no grid; then a date may differ by one tick, and nothing else may."""
    base = AvrBase(firmware_tool.elf_path(), firmware_tool.library_path())
    rng = np.random.default_rng(4)
    cycles = np.sort(np.cumsum(rng.integers(199_000, 201_000, 800))).astype(np.uint64)
    cells = np.arange(800, dtype=np.uint8) % 4
    base.feed_loads(cycles, cells, np.arange(800, dtype=np.int32))
    base.run(11.0)
    loads = of(Load, FrameDecoder().feed(base.read()))
    assert len(loads) == 800 - 16
    assert all(0 <= load.t - int(cycles[load.counts]) // 1024 <= 1 for load in loads)
    base.close()


def test_every_sample_is_on_the_wire_within_five_milliseconds(bench: Bench) -> None:
    delays = []
    slices = 500
    data, dates = b"", []
    clocks, rng = ChipClocks(3), np.random.default_rng(1)
    for k in range(1, slices):
        due = clocks.due(k * SLICE_S)
        bench.avr.feed(due, np.zeros(len(due.load_tick), np.int32) + 7, rng.integers(-99, 99, (len(due.imu_tick), 7)).astype(np.int16))
        bench.avr.run(k * SLICE_S)
        chunk, when = bench.avr.read_dated()
        data += chunk
        dates += when.tolist()
    start = 0
    for end in (i for i, byte in enumerate(data) if byte == 0):
        frames = FrameDecoder().feed(data[start : end + 1])
        delays += [dates[end] + 44e-6 - frame.t * TICK_S for frame in frames if isinstance(frame, Load | Imu)]
        start = end + 1
    assert len(delays) > 2000
    assert np.percentile(delays, 99) < 5e-3


def test_hello_says_what_it_is(bench: Bench) -> None:
    hello = of(Hello, bench.run(0.1))[0]
    assert hello.layout == LAYOUT_HASH
    assert hello.reset_cause == ResetCause.POWER_ON
    assert (hello.boot_id, hello.t, hello.frames_before, hello.imu_id) == (1 << 16, 0, 0, 0x68)


def test_half_of_flash_and_memory_stays_free() -> None:
    flash, ram = firmware_tool.sizes()
    assert flash <= 32256 // 2
    assert ram <= 2048 // 2


def test_clock_wrap_costs_nothing(bench: Bench) -> None:
    bench.run(0.5)
    listing = subprocess.run(["avr-nm", "-C", str(firmware_tool.elf_path())], capture_output=True, text=True, check=True).stdout
    (line,) = [line for line in listing.splitlines() if line.endswith("device_clock::overflows")]
    bench.avr.poke(int(line.split()[0], 16) & 0xFFFF, b"\xff\xff")
    frames = bench.run(5)
    ticks = [frame.t for frame in frames]
    assert max(ticks) > (1 << 32) - 100
    assert min(ticks) < 100
    assert all(0 <= (b - a) % (1 << 32) < 1000 for a, b in pairwise(ticks) if a > 1 << 31 or b < 1 << 31)
    assert [frame.sequence for frame in frames] == list(range(frames[0].sequence, frames[0].sequence + len(frames)))
    assert all(count > 350 for count in rates(frames).values())


def test_edge_in_the_very_moment_of_the_timers_overflow_is_dated_right() -> None:
    base = AvrBase(firmware_tool.elf_path(), firmware_tool.library_path())
    overflow, per_round, rounds = 65536 * 1024, 336, 7  # conversions a timer round: about 80 a second
    cycles, cells = [], []
    for k in range(1, per_round * rounds):
        for cell in range(4):
            cycles.append(round(k * overflow / per_round) + (29 * (k // per_round) + 17 * cell) % 160 - 60)
            cells.append(cell)
    base.feed_loads(np.array(cycles, np.uint64), np.array(cells, np.uint8), np.arange(len(cycles), dtype=np.int32))
    decoder, frames = FrameDecoder(), []
    for second in range(1, round(overflow * rounds / 16e6) + 2):
        base.run(second)
        frames += decoder.feed(base.read())
    base.close()
    loads = of(Load, frames)
    assert len(loads) == len(cycles) - 16
    assert all(-1 <= load.t - int(cycles[load.counts]) // 1024 <= 1 for load in loads)


@pytest.mark.parametrize("value", [0, 1, -1, 0x7FFFFF, -0x800000, 0x555555, -0x555556, 1 << 24, -(1 << 24)])
def test_counts_are_bit_exact_and_saturate(bench: Bench, value: int) -> None:
    clocks = ChipClocks(2)
    due = clocks.due(0.3)
    frames = FrameDecoder().feed(
        bench.base.advance(0.3, due, np.full(len(due.load_tick), value, np.int32), np.zeros((len(due.imu_tick), 7), np.int16))
    )
    loads = of(Load, frames)
    assert len(loads) > 60
    assert {load.counts for load in loads} == {min(max(value, -0x800000), 0x7FFFFF)}


# ------------------------------------------------------------ cells in trouble


@pytest.mark.parametrize("missing", [{2}, {0, 3}, {0, 1, 2, 3}])
def test_missing_cells_stop_nobody(bench: Bench, missing: set[int]) -> None:
    for cell in missing:
        bench.avr.fault_cell(cell, CellFault.LINE_HIGH)
    frames = bench.run(2)
    assert of(Hello, frames)
    for cell in set(range(4)) - missing:
        assert rates(frames)[cell] > 140
    assert set(rates(frames)) == set(range(4)) - missing
    assert len(of(Imu, frames)) > 380
    assert len(of(Status, frames)) == 1


def test_shorted_data_line_is_named_and_starves_nobody(bench: Bench) -> None:
    bench.run(0.5)
    bench.avr.fault_cell(2, CellFault.LINE_LOW)
    frames = bench.run(3)
    assert all(rates(frames)[cell] >= 235 for cell in (0, 1, 3))
    assert rates(frames)[2] <= 3
    assert of(Status, frames)[-1].stuck == 1 << 2
    assert of(Status, frames)[-1].late == 0
    bench.avr.fault_cell(2, CellFault.NONE)
    back = bench.run(2)
    assert of(Status, back)[-1].stuck == 0
    assert rates(back)[2] > 100


def test_silent_chip_is_powered_down_and_comes_back(bench: Bench) -> None:
    bench.run(0.5)
    bench.avr.fault_cell(1, CellFault.SILENT)
    assert rates(bench.run(2))[1] <= 1
    bench.avr.fault_cell(1, CellFault.NONE)
    back = bench.run(1)
    assert rates(back)[1] > 70
    assert next(load for load in of(Load, back) if load.cell == 1).flags & CellFlag.AFTER_GAP


def test_lost_clock_pulse_is_noticed_and_costs_at_most_half_a_second(bench: Bench) -> None:
    bench.run(0.5)
    for _ in range(6):
        bench.avr.fault_cell(0, CellFault.LOST_CLOCK)
        slipped = bench.run(1.0)
        wrong = [load for load in of(Load, slipped) if load.cell == 0 and (load.t, load.counts) not in set(bench.measured[0])]
        assert len(wrong) <= 1
        assert rates(slipped)[0] >= 25
        assert rates(slipped)[1] >= 78
    assert of(Status, bench.run(1))[-1].out_of_step[0] >= 1  # half of them have a last bit that looks right


def test_extra_clock_pulse_spoils_one_sample_and_nothing_after_it(bench: Bench) -> None:
    bench.run(0.5)
    bench.avr.fault_cell(3, CellFault.EXTRA_CLOCK)
    frames = bench.run(1)
    wrong = [load for load in of(Load, frames) if load.cell == 3 and (load.t, load.counts) not in set(bench.measured[3])]
    assert len(wrong) <= 1
    assert rates(frames)[3] >= 75


def test_chip_strapped_to_ten_per_second_shows_in_the_status() -> None:
    bench = Bench(cell_hz=(80.0, 10.0, 80.0, 80.0))
    last = of(Status, bench.run(3.2))[-1]
    bench.base.close()
    assert last.cell_samples[1] in (9, 10, 11)
    assert all(79 <= last.cell_samples[cell] <= 81 for cell in (0, 2, 3))


def test_unplugged_and_replugged_cell_comes_back_flagged(bench: Bench) -> None:
    bench.run(1)
    bench.avr.fault_cell(0, CellFault.LINE_HIGH)
    bench.run(1)
    bench.avr.fault_cell(0, CellFault.NONE)
    back = [load for load in of(Load, bench.run(1)) if load.cell == 0]
    assert len(back) > 70
    assert back[0].flags & CellFlag.AFTER_GAP


# ------------------------------------------------------------ the motion chip in trouble


def test_motion_chip_that_was_away_is_set_up_again(bench: Bench) -> None:
    bench.run(0.5)
    bench.avr.fault_imu(ImuFault.ABSENT)
    gone = bench.run(2.5)
    assert len(of(Imu, gone)) <= 1
    assert all(rates(gone)[cell] >= 195 for cell in range(4))
    bench.avr.fault_imu(ImuFault.NONE)
    back = bench.run(2.5)
    assert len(of(Imu, back)) > 250
    assert of(Status, back)[-1].imu_restarts >= 2
    assert of(Status, back)[-1].i2c_errors >= 1


def test_base_without_a_motion_chip_starts_all_the_same(bench: Bench) -> None:
    bench.avr.fault_imu(ImuFault.ABSENT)
    bench.avr.reset(Reset.EXTERNAL)
    frames = bench.run(2)
    assert of(Hello, frames)[-1].imu_id == 0
    assert all(rates(frames)[cell] >= 145 for cell in range(4))


def test_frozen_motion_chip_is_set_up_again(bench: Bench) -> None:
    bench.run(0.5)
    bench.avr.fault_imu(ImuFault.FROZEN)
    frames = bench.run(3)
    assert of(Status, frames)[-1].imu_restarts >= 1
    assert all(rates(frames)[cell] >= 235 for cell in range(4))


def test_silent_motion_chip_is_set_up_again(bench: Bench) -> None:
    bench.run(0.5)
    bench.avr.fault_imu(ImuFault.SILENT)
    bench.run(2)
    bench.avr.fault_imu(ImuFault.NONE)
    frames = bench.run(2)
    assert of(Status, frames)[-1].imu_restarts >= 1
    assert len(of(Imu, frames)) > 300


# ------------------------------------------------------------ resets


@pytest.mark.parametrize(
    ("cause", "flag"),
    [(Reset.POWER_ON, ResetCause.POWER_ON), (Reset.EXTERNAL, ResetCause.EXTERNAL), (Reset.BROWN_OUT, ResetCause.BROWN_OUT)],
)
def test_reset_in_mid_stream_says_its_cause_and_tears_one_frame_at_most(bench: Bench, cause: Reset, flag: ResetCause) -> None:
    before = bench.run(1.23)
    bench.avr.reset(cause)
    after = bench.run(1)
    hello = of(Hello, after)[-1]
    assert hello.reset_cause == flag
    assert bench.decoder.counts.refused <= 1
    assert all(count > 70 for count in rates(after).values())
    if cause is Reset.EXTERNAL:  # memory has survived: the boot says how many frames the last one had sent
        assert hello.boot_id == (1 << 16) + 1
        sent = len(before) + after.index(hello)
        assert 0 <= hello.frames_before - sent <= 3  # cut off in the transmit buffer
    else:
        assert hello.boot_id == 2 << 16
        assert hello.frames_before == 0


def test_watchdog_ends_a_hang_within_half_a_second(bench: Bench) -> None:
    bench.run(1)
    bench.avr.hang()
    frames = bench.run(1)
    hello = of(Hello, frames)[-1]
    assert hello.reset_cause == ResetCause.WATCHDOG
    assert hello.boot_id == (1 << 16) + 1
    assert bench.avr.counts().resets == 1
    assert all(count > 40 for count in rates(frames).values())


# ------------------------------------------------------------ commands and optional parts


def test_commands_are_answered(bench: Bench) -> None:
    bench.run(0.5)
    bench.command(Kind.PING, 0xDEADBEEF)
    bench.command(Kind.TARE, 42)
    bench.command(Kind.ASK_HELLO, 0)
    frames = bench.run(0.2)
    assert [pong.token for pong in of(Pong, frames)] == [0xDEADBEEF]
    assert [tared.token for tared in of(Tared, frames)] == [42]
    assert len(of(Hello, frames)) == 1
    bench.command(Kind.RUN_SELF_TEST, 0)
    (test,) = of(SelfTest, bench.run(0.5))
    assert 4500 < test.supply_mv < 5500
    assert test.imu_id == 0x68
    assert test.free_ram > 700
    assert test.loop_max < 60


def test_damaged_commands_are_counted_and_do_nothing(bench: Bench) -> None:
    bench.run(0.5)
    wire = encode(Kind.PING, 0, 0x01020304)
    for bit in range(8 * (len(wire) - 1)):
        flipped = bytearray(wire)
        flipped[bit // 8] ^= 1 << bit % 8
        bench.avr.write(b"\0" + bytes(flipped))
        frames = bench.run(0.02)
        assert not of(Pong, frames)
    bench.avr.write(b"\0" + b"\x55" * 300 + b"\0" + encode(Kind.PING, 0, 5))
    frames = bench.run(1.1)
    assert [pong.token for pong in of(Pong, frames)] == [5]
    assert of(Status, frames)[-1].rx_errors > 50
    assert of(Status, frames)[-1].dropped == 0


def test_imu_rate_can_be_lowered(bench: Bench) -> None:
    bench.run(0.5)
    bench.command(Kind.IMU_RATE, 9)
    assert 90 <= len(of(Imu, bench.run(1))) <= 110


def test_seat_button_is_debounced_and_dated_at_its_first_contact(bench: Bench) -> None:
    bench.run(0.5)
    pressed_s = bench.avr.t_s
    for contact in (1, 0, 1, 0, 1):
        bench.avr.press(2, bool(contact))
        bench.avr.run(bench.avr.t_s + 0.001)
    (pressed,) = of(Button, bench.run(0.2))
    assert (pressed.button, pressed.pressed) == (2, 1)
    assert pressed.t * TICK_S == pytest.approx(pressed_s, abs=1e-3)
    bench.avr.press(2, False)
    (released,) = of(Button, bench.run(0.2))
    assert released.pressed == 0


def test_buttons_pressed_together_are_told_apart_by_the_millisecond(bench: Bench) -> None:
    bench.run(0.5)
    bench.avr.press(3, True)
    bench.avr.run(bench.avr.t_s + 0.002)
    bench.avr.press(0, True)
    buttons = of(Button, bench.run(0.2))
    assert [button.button for button in sorted(buttons, key=lambda b: b.t)] == [3, 0]


def test_flicker_is_no_press(bench: Bench) -> None:
    bench.run(0.5)
    bench.avr.press(1, True)
    bench.avr.run(bench.avr.t_s + 0.003)
    bench.avr.press(1, False)
    assert of(Button, bench.run(0.3)) == []


def test_code_light_shows_its_code_from_the_boot_on(bench: Bench) -> None:
    for _ in range(60):
        bench.run(0.05)
        now_s = bench.avr.t_s
        assert bool(bench.avr.pins() >> 3 & 1) in {code_light(now_s - 0.017), code_light(now_s)}  # it may sleep for 16 ms


def test_lights_do_as_told(bench: Bench) -> None:
    bench.run(0.2)
    assert not bench.avr.pins() >> 12 & 1
    bench.command(Kind.LIGHTS, 1)
    bench.run(0.05)
    assert bench.avr.pins() >> 12 & 1
    assert not any(bench.avr.pins() >> 3 & 1 for _ in range(40) if bench.run(0.05) is not None)
    bench.command(Kind.IDENTIFY, 1)
    seen = {bench.avr.pins() >> 13 & 1 for _ in range(60) if bench.run(0.02) is not None}
    assert seen == {0, 1}


# ------------------------------------------------------------ the simulator itself


def test_simulation_repeats_itself_to_the_byte() -> None:
    streams = []
    for _ in range(2):
        bench = Bench(7)
        bench.run(3)
        streams.append(bench.stream)
        bench.base.close()
    assert streams[0] == streams[1]


def test_simulator_without_a_binary_is_refused_with_a_sentence(tmp_path: Path) -> None:
    with pytest.raises(PalettiError, match="firmware build"):
        AvrBase(tmp_path / "none.elf", firmware_tool.library_path())
    rubbish = tmp_path / "rubbish.elf"
    rubbish.write_bytes(b"no program")
    with pytest.raises(PalettiError, match="no AVR program"):
        AvrBase(rubbish, firmware_tool.library_path())


def test_due_conversions_are_each_handed_out_once() -> None:
    pieces, whole = ChipClocks(11), ChipClocks(11).due(3.0)
    parts = [pieces.due(k * 0.007) for k in range(1, 429)] + [pieces.due(3.0)]
    joined = Due(*(np.concatenate([getattr(part, name) for part in parts]) for name in ("load_tick", "load_cell", "imu_tick")))
    assert sorted(zip(joined.load_tick, joined.load_cell, strict=True)) == sorted(zip(whole.load_tick, whole.load_cell, strict=True))
    assert joined.imu_tick.tolist() == whole.imu_tick.tolist()


# ------------------------------------------------------------ noise on the wire, and the books


def test_noisy_wire_loses_frames_but_never_invents_or_alters_one(bench: Bench) -> None:
    good = set(bench.run(20))
    rng = np.random.default_rng(8)
    noisy = bytearray()
    for byte in bench.stream:
        draw = rng.random()
        if draw < 0.002:
            continue
        noisy.append(byte ^ (1 << int(rng.integers(8))) if draw < 0.005 else byte)
        if draw > 0.998:
            noisy.append(int(rng.integers(256)))
    decoder = FrameDecoder()
    found = decoder.feed(bytes(noisy))
    assert set(found) <= good
    assert len(found) > 0.8 * len(good)
    assert decoder.counts.refused > 200


def test_every_lost_frame_is_counted_even_across_a_reset(bench: Bench) -> None:
    from rig.base.books import LinkBooks

    first = bench.run(3.3)
    bench.avr.reset(Reset.EXTERNAL)
    second = bench.run(10)  # until STATUS and the repeated HELLO have told all
    hello = next(k for k, frame in enumerate(second) if isinstance(frame, Hello))
    cut_off = second[hello].frames_before - len(first) - hello  # type: ignore[union-attr]
    frames = first + second
    rng = np.random.default_rng(2)
    keep = [k == 0 or k > len(frames) - 2 or rng.random() > 0.1 for k in range(len(frames))]
    for k in range(2000, 2300):
        keep[k] = False
    books = LinkBooks()
    for kept, frame in zip(keep, frames, strict=True):
        if kept:
            if books.is_new_boot(frame):
                books.new_boot()
            books.enter(frame)
    assert keep[len(first) + hello]  # this seed keeps the boot's own HELLO
    assert books.lost == keep.count(False) + cut_off
    assert books.resets == 1
