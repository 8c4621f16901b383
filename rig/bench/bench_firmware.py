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
from rig.bench.results import Results, add_json, measured
from rig.twin.sensors.avr import AvrBase
from rig.twin.sensors.chips import ChipClocks
from rig.twin.sensors.simulate import RestingWorld
from rig.twin.sensors.standin import StandInBase

SLICE_S = 0.01


def losses(seconds: float, results: Results) -> None:
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
    print(
        f"{seconds / 60:.0f} simulated minutes: {offered} samples offered, {got} received ({offered - got} under way at the end); {status}"
    )
    results.share("frames refused by the decoder, none missing in between", decoder.counts.refused, sequence)
    results.number("samples under way at the end, not yet received", offered - got, "samples", offered)
    results.number("speed of the binary in its simulator", seconds / wall_s, "times real time", 1)
    print(f"  {python_s / wall_s:.0%} of it the Python that feeds it")
    results.number("clock pulse high, longest (the HX711 sleeps from 60)", counts.clock_high_max_us, "us", offered)
    ms = 1e3 * np.array(delays)
    results.median("sample to last byte on the wire", ms.tolist(), "ms")
    results.number("sample to last byte on the wire, 99th percentile", float(np.percentile(ms, 99)), "ms", len(ms))
    base.close()


def latencies(data: bytes, dates: np.ndarray) -> list[float]:
    out, start = [], 0
    for end in (i for i, byte in enumerate(data) if byte == 0):
        frames = FrameDecoder().feed(data[start : end + 1])
        out += [float(dates[end]) + 44e-6 - frame.t * TICK_S for frame in frames if isinstance(frame, Load | Imu)]
        start = end + 1
    return out


def stand_in(seconds: float, results: Results) -> None:
    base, world = StandInBase(), RestingWorld(600)
    started = time.perf_counter()
    for k in range(1, round(seconds / SLICE_S) + 1):
        base.advance(k * SLICE_S, *world.measure(k * SLICE_S))
    results.number("speed of the stand-in", seconds / (time.perf_counter() - started), "times real time", 1)


def equal(seeds: range, seconds: float, results: Results) -> None:
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
    print(f"{len(seeds)} seeds of {seconds:.0f} s")
    results.share("bytes of stand-in and binary that are equal", compared, compared)


def noise(count: int, results: Results) -> None:
    decoder, rng = FrameDecoder(), np.random.default_rng(1)
    started = time.perf_counter()
    frames = sum(len(decoder.feed(rng.bytes(1_000_000))) for _ in range(count // 1_000_000))
    print(f"{decoder.counts.refused} refused, {time.perf_counter() - started:.0f} s")
    results.number("false frames in bytes of noise", frames, "frames", count)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--hour", action="store_true")
    parser.add_argument("--noise", type=int, default=100_000_000)
    add_json(parser, "firmware")
    options = parser.parse_args()
    if not firmware_tool.has_simulator():
        print("The AVR tools are missing: only the host's side is measured.")
        options.json = None
    with measured(options.json, "77; 1000 to 1009; 1", __doc__) as results:
        if firmware_tool.has_simulator():
            print(firmware_tool.size_report())
            losses(3600.0 if options.hour else 600.0, results)
            equal(range(1000, 1010), 30.0, results)
        stand_in(60.0, results)
        noise(options.noise, results)


if __name__ == "__main__":
    main()
