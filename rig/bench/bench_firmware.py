"""Figures of firmware and link: losses, speed, latency, size, noise (decoding: `bench_link`). Each line says what it measured.

Run as a script; `--hour` simulates a whole hour instead of ten minutes (some four minutes of wall time).
"""

from __future__ import annotations

import argparse
import time
from collections import Counter

import numpy as np

from rig.base import firmware_tool
from rig.base.frames import FrameDecoder, Imu, Load, Status
from rig.base.protocol import TICK_S
from rig.twin.sensors.avr import AvrBase
from rig.twin.sensors.chips import ChipClocks
from rig.twin.sensors.simulate import RestingWorld
from rig.twin.sensors.standin import StandInBase

SLICE_S = 0.01


def losses(seconds: float) -> None:
    base, world = AvrBase(firmware_tool.elf_path(), firmware_tool.library_path()), RestingWorld(600, seed=77)
    decoder, kinds, delays = FrameDecoder(), Counter[str](), []
    status: Status | None = None
    sequence = 0
    started = time.perf_counter()
    python_s = 0.0
    for k in range(1, round(seconds / SLICE_S) + 1):
        begun = time.perf_counter()
        measured = world.measure(k * SLICE_S)
        base.feed(*measured)
        python_s += time.perf_counter() - begun
        base.run(k * SLICE_S)
        data, dates = base.read_dated()
        for frame in decoder.feed(data):
            kinds[type(frame).__name__] += 1
            assert frame.sequence == sequence % 65536
            sequence += 1
            if isinstance(frame, Status):
                status = frame
        if k % 50 == 0:
            delays += latencies(data, dates)
    wall_s = time.perf_counter() - started
    counts = base.counts()
    offered = sum(counts.conversions) + counts.imu_samples
    got = kinds["Load"] + kinds["Imu"]
    print(f"{seconds / 60:.0f} simulated minutes: {offered} samples offered, {got} received ({offered - got} under way at the end)")
    print(f"  refused frames {decoder.counts.refused}, {status}")
    print(f"  speed {seconds / wall_s:.1f} times real time ({python_s / wall_s:.0%} of it the Python that feeds it)")
    print(f"  clock pulse high at most {counts.clock_high_max_us:.2f} us")
    ms = 1e3 * np.array(delays)
    print(f"  sample to last byte: p50 {np.median(ms):.2f}, p99 {np.percentile(ms, 99):.2f}, max {ms.max():.2f} ms (n = {len(ms)})")
    base.close()


def latencies(data: bytes, dates: np.ndarray) -> list[float]:
    out, start = [], 0
    for end in (i for i, byte in enumerate(data) if byte == 0):
        frames = FrameDecoder().feed(data[start : end + 1])
        out += [float(dates[end]) + 44e-6 - frame.t * TICK_S for frame in frames if isinstance(frame, Load | Imu)]
        start = end + 1
    return out


def stand_in(seconds: float) -> None:
    base, world = StandInBase(), RestingWorld(600)
    started = time.perf_counter()
    for k in range(1, round(seconds / SLICE_S) + 1):
        base.advance(k * SLICE_S, *world.measure(k * SLICE_S))
    print(f"stand-in: {seconds / (time.perf_counter() - started):.0f} times real time")


def equal(seeds: range, seconds: float) -> None:
    compared = 0
    for seed in seeds:
        streams = []
        for base in (AvrBase(firmware_tool.elf_path(), firmware_tool.library_path()), StandInBase()):
            clocks, rng, out = ChipClocks(seed), np.random.default_rng(seed), []
            for k in range(1, round(seconds / SLICE_S) + 1):
                due = clocks.due(k * SLICE_S)
                counts = rng.integers(-(1 << 23), 1 << 23, len(due.load_tick)).astype(np.int32)
                out.append(base.advance(k * SLICE_S, due, counts, rng.integers(-9999, 9999, (len(due.imu_tick), 7)).astype(np.int16)))
            streams.append(b"".join(out))
            base.close()
        common = min(map(len, streams))
        assert streams[0][:common] == streams[1][:common], f"seed {seed} differs"
        compared += common
    print(f"stand-in and binary: {compared} bytes equal over {len(seeds)} seeds of {seconds:.0f} s")


def noise(count: int) -> None:
    decoder, rng = FrameDecoder(), np.random.default_rng(1)
    started = time.perf_counter()
    frames = sum(len(decoder.feed(rng.bytes(1_000_000))) for _ in range(count // 1_000_000))
    print(f"noise: {frames} false frames in {count:.0e} bytes ({decoder.counts.refused} refused), {time.perf_counter() - started:.0f} s")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--hour", action="store_true")
    parser.add_argument("--noise", type=int, default=100_000_000)
    options = parser.parse_args()
    if firmware_tool.has_simulator():
        print(firmware_tool.size_report())
        losses(3600.0 if options.hour else 600.0)
        equal(range(1000, 1010), 30.0)
    else:
        print("The AVR tools are missing: only the host's side is measured.")
    stand_in(60.0)
    noise(options.noise)


if __name__ == "__main__":
    main()
