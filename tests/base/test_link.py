"""The link's books and the device clock: exact losses across gaps and resets, dates across wraps, silence that is told."""

from __future__ import annotations

import numpy as np
import pytest

from rig.base.books import LinkBooks
from rig.base.clock import CONSTANT_DELAY_S, DeviceClock
from rig.base.fold import BaseFold
from rig.base.frames import FrameDecoder, Hello, Load, encode
from rig.base.protocol import LAYOUT_HASH, TICK_S, Kind
from rig.bench.base_scenario import PROFILE, at, chunks, of, readings, resting
from rig.messages import Health, LinkNews, Stepped, Weighed


def load(sequence: int, t: int = 0) -> Load:
    return Load(sequence % 65536, t, 0, 0, 0)


def hello(sequence: int, boot: int, before: int = 0, t: int = 0, cause: int = 2) -> Hello:
    return Hello(sequence, t, 1, LAYOUT_HASH, 1, cause, boot, before, 0x68)


def status_wire(sequence: int, t: int, frames: int) -> bytes:
    return encode(Kind.STATUS, sequence, t, frames, *(80,) * 4, 200, *(0,) * 13, -3920, 0)


# ------------------------------------------------------------ books


def test_missing_frames_are_counted_exactly() -> None:
    books = LinkBooks()
    books.enter(hello(0, 1))
    for sequence in range(1, 70_000):
        if sequence % 1000 != 7:
            books.enter(load(sequence))
    assert books.lost == 70


def test_starting_in_mid_stream_is_no_loss() -> None:
    books = LinkBooks()
    books.enter(load(40_000))
    (status,) = FrameDecoder().feed(status_wire(40_001, 15625, 40_001 + 3 * 65536))
    books.enter(status)
    assert books.lost == 0


def test_outage_longer_than_the_number_wraps_is_counted_at_the_next_status() -> None:
    books = LinkBooks()
    books.enter(hello(0, 1))
    (status,) = FrameDecoder().feed(status_wire(5, 250 * 15625, 2 * 65536 + 5))
    books.enter(status)
    assert books.lost == 2 * 65536 + 4


def test_losses_are_exact_across_a_reset() -> None:
    books = LinkBooks()
    books.enter(hello(0, 1))
    books.enter(load(1))
    again = hello(0, 2, before=10)  # the boot before had sent 10 frames, 2 were seen
    assert books.is_new_boot(again)
    books.new_boot()
    books.enter(again)
    books.enter(load(1))
    assert (books.lost, books.resets) == (8, 1)


def test_lost_hello_after_a_reset_is_made_up_by_the_next() -> None:
    books = LinkBooks()
    books.enter(hello(0, 1))
    books.new_boot()  # the clock has run backwards
    books.enter(load(3))
    late = hello(4, 2, before=6, t=125_000)
    assert not books.is_new_boot(late)
    books.enter(late)
    assert (books.lost, books.resets) == (3 + 5, 1)


# ------------------------------------------------------------ clock


def test_wrap_is_no_gap_and_no_jump() -> None:
    clock = DeviceClock()
    start = (1 << 32) - 5 * 15625
    before = clock.unwrap(start, 0.0)
    for k in range(1, 1000):
        tick = (start + k * 156) % (1 << 32)
        assert not clock.restarted(tick, k * 156 * TICK_S)
        after = clock.unwrap(tick, k * 156 * TICK_S)
        assert after - before == pytest.approx(156 * TICK_S)
        before = after


def test_clock_back_at_zero_is_a_reset_not_a_wrap() -> None:
    clock = DeviceClock()
    for k in range(100):
        clock.unwrap(1_000_000 + k * 200, k * 200 * TICK_S)
    assert clock.restarted(100, 1.4)


def test_clock_that_leaps_ahead_of_time_is_a_reset() -> None:
    clock = DeviceClock()
    clock.unwrap(3_000_000_000, 0.0)  # two days old
    assert clock.restarted(50, 0.5)
    assert not DeviceClock().restarted(50, 0.5)


def test_real_silence_of_an_hour_is_not_taken_for_a_reset() -> None:
    clock = DeviceClock()
    clock.unwrap(0, 0.0)
    assert not clock.restarted(3600 * 15625, 3600.2)


@pytest.mark.parametrize("skew", [-0.004, 0.0, 0.004])
def test_sample_dates_stay_within_a_millisecond_of_the_device_clock(skew: float) -> None:
    """USB delays of 1 to 16 ms (an FTDI chip's latency timer), a resonator 0.4 % off: after warming up, dates jitter less than 1 ms."""
    rng = np.random.default_rng(3)
    clock, errors = DeviceClock(), []
    for k in range(1, 6000):
        device_s = k * 0.01
        true_s = 5.0 + device_s * (1 + skew)
        clock.arrived(device_s, true_s + 0.004 + rng.uniform(0, 0.015))
        if k > 2000:
            errors.append(clock.session_s(device_s) - true_s)
    constant_s = 0.004 - CONSTANT_DELAY_S
    assert np.max(np.abs(np.array(errors) - constant_s)) < 1e-3
    assert clock.skew == pytest.approx(skew, abs=2e-4)


def test_no_sample_is_dated_after_its_bytes_arrived_not_even_in_the_first_second() -> None:
    clock = DeviceClock()
    for k in range(1, 90):
        arrival_s = k * 0.01 + 0.1 / k  # a port that has just been opened delivers its backlog late
        clock.arrived(k * 0.01, arrival_s)
        assert clock.session_s(k * 0.01) <= arrival_s - CONSTANT_DELAY_S + 1e-9


def test_stalled_host_does_not_move_the_dates() -> None:
    clock = DeviceClock()
    for k in range(1, 3000):
        device_s = k * 0.01
        stalled = 1000 < k < 1200
        clock.arrived(device_s, device_s + 0.004 + (12.0 - device_s + 0.3 if stalled else 0.0))
    assert clock.session_s(30.0) == pytest.approx(30.0 + 0.004 - CONSTANT_DELAY_S, abs=1e-3)


# ------------------------------------------------------------ the fold


def test_healthy_minute_says_so_every_second() -> None:
    news = of(LinkNews, readings(chunks(resting(300), 10)))
    assert len(news) in (9, 10)
    assert news[-1].health is Health.GOOD
    assert (news[-1].lost_frames, news[-1].bad_frames, news[-1].resets) == (0, 0, 0)


def test_silence_is_told_within_a_second_and_is_no_weight() -> None:
    fold = BaseFold(PROFILE)
    found = readings(chunks(resting(300), 4), fold)
    per_tick = [fold.step(4.1 + 0.1 * k, b"") for k in range(50)]
    quiet = [reading for readings_ in per_tick for reading in readings_]
    told = next(k for k in range(50) if any(news.health is not Health.GOOD for news in of(LinkNews, list(per_tick[k]))))
    assert 4.1 + 0.1 * told - 4.0 <= 1.0
    stale = [news for news in of(LinkNews, quiet) if news.health is not Health.GOOD]
    assert stale[0].health is Health.STALE
    assert of(LinkNews, quiet)[-1].health is Health.LOST
    assert "cable" in of(LinkNews, quiet)[-1].sentence
    weights = of(Weighed, quiet)
    assert weights[-1].weight_g is None
    assert all(weighed.weight_g is None or abs(weighed.weight_g - 300) < 1 for weighed in of(Weighed, found) + weights)


def test_session_resumed_after_hours_goes_on_at_once() -> None:
    fold = BaseFold(PROFILE)
    readings(chunks(resting(300), 4), fold)
    found = [reading for t_s, data in chunks(resting(300), 5, seed=2) for reading in fold.step(9 * 3600 + t_s, data)]
    weights = of(Weighed, found)
    assert len(weights) < 200
    assert weights[-1].weight_g == pytest.approx(300, abs=1)
    assert of(Stepped, found) == []


def test_garbled_stream_is_told_as_such() -> None:
    fold = BaseFold(PROFILE)
    noise = np.random.default_rng(1).bytes(20_000)
    news = of(LinkNews, [r for k in range(40) for r in fold.step(0.1 * k, noise[500 * k : 500 * k + 500])])
    assert news[-1].health is Health.LOST
    assert "wrong port" in news[-1].sentence


def test_silent_port_is_told_as_such() -> None:
    fold = BaseFold(PROFILE)
    news = of(LinkNews, [r for k in range(40) for r in fold.step(0.1 * k, b"")])
    assert "Nothing has been heard" in news[-1].sentence


def test_reset_is_reported_with_its_cause_and_moves_nothing() -> None:
    fold = BaseFold(PROFILE)
    first = list(chunks(resting(300), 5))
    second = [(5.5 + t_s, data) for t_s, data in _with_boot(chunks(resting(300), 5, seed=2), 0x10001, cause=8)]
    found = [reading for t_s, data in first + second for reading in fold.step(t_s, data)]
    news = of(LinkNews, found)
    assert news[-1].resets == 1
    assert any("watchdog" in item.sentence for item in news)
    assert of(Stepped, found) == []
    assert [w for w in of(Weighed, found) if w.weight_g is not None][-1].t_s > 10


def test_firmware_of_another_layout_is_not_believed() -> None:
    fold = BaseFold(PROFILE)
    wire = encode(Kind.HELLO, 0, 0, 9, LAYOUT_HASH ^ 1, 1, 1, 0x10000, 0, 0x68)
    found = [reading for t_s, data in _replace_first(chunks(resting(300), 4), wire) for reading in fold.step(t_s, data)]
    assert of(Weighed, found) == []
    assert of(LinkNews, found)[-1].health is Health.FAULT
    assert "firmware flash" in of(LinkNews, found)[-1].sentence


def test_same_bytes_give_the_same_readings() -> None:
    stream = list(chunks(lambda t: at(300 + 50 * (t > 2)), 5))
    assert readings(iter(stream)) == readings(iter(stream))


def _with_boot(stream, boot_id, cause):  # type: ignore[no-untyped-def]
    wire = b"\0" + encode(Kind.HELLO, 0, 0, 1, LAYOUT_HASH, 1, cause, boot_id, 0, 0x68)
    return _replace_first(stream, wire)


def _replace_first(stream, wire):  # type: ignore[no-untyped-def]
    replaced = False
    for t_s, data in stream:
        if not replaced and data:
            hello_end = data.index(b"\0", 1) + 1
            data, replaced = wire + data[hello_end:], True
        yield t_s, data
