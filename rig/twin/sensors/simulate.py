"""`paletti firmware simulate`: the base's binary on its own, with a resting load on it, on a pseudo terminal or as fast as it goes.

For trying the host against a base that is not there. The pseudo terminal runs at real time and behaves like a serial port; its name is
printed, and opening it resets the base, as it does an Uno (`rig.twin.sensors.terminal`).
"""

from __future__ import annotations

import argparse
import time
from collections import Counter

import numpy as np
from numpy.typing import NDArray

from rig.base.firmware_tool import elf_path, has_simulator, library_path
from rig.base.frames import FrameDecoder
from rig.errors import PalettiError
from rig.profile.nominal import nominal_profile
from rig.twin.sensors.avr import AvrBase
from rig.twin.sensors.chips import ChipClocks, Due
from rig.twin.sensors.terminal import BaseOnTerminal

NOISE_COUNTS = 25.0
IMU_NOISE_COUNTS = 40.0


class RestingWorld:
    """What the chips measure while nothing happens: a load in the middle, gravity, noise."""

    def __init__(self, grams: float, seed: int = 1) -> None:
        self._rng = np.random.default_rng(seed)
        self._clocks = ChipClocks(seed)
        cells = nominal_profile().cells
        self._counts = np.array([cell.tare_counts + grams / len(cells) * cell.counts_per_g for cell in cells])

    def measure(self, until_s: float) -> tuple[Due, NDArray[np.int32], NDArray[np.int16]]:
        """What is due by `until_s`: when, the counts of the cells (n,), and the seven words of each motion sample (n, 7)."""
        due = self._clocks.due(until_s)
        counts = self._counts[due.load_cell] + self._rng.normal(0, NOISE_COUNTS, len(due.load_cell))
        motion = self._rng.normal(0, IMU_NOISE_COUNTS, (len(due.imu_tick), 7)) + np.array([0, 0, 16384, 0, 0, 0, -3920])
        return due, np.rint(counts).astype(np.int32), np.rint(motion).astype(np.int16)


def simulate(options: argparse.Namespace) -> int:
    """Runs what `rig.base.firmware_tool.add_arguments` has read."""
    if not has_simulator():
        raise PalettiError("The simulator has not been built.", "Build it with `paletti firmware build`.")
    base = AvrBase(elf_path(), library_path())
    world = RestingWorld(options.grams)
    try:
        if options.fast:
            return _fast(base, world, 10.0 if options.seconds is None else options.seconds)
        return _on_terminal(base, world, options.seconds)
    finally:
        base.close()


def _fast(base: AvrBase, world: RestingWorld, seconds: float) -> int:
    decoder = FrameDecoder()
    kinds: Counter[str] = Counter()
    started = time.perf_counter()
    for k in range(1, round(seconds / 0.01) + 1):
        data = base.advance(k * 0.01, *world.measure(k * 0.01))
        kinds.update(type(frame).__name__ for frame in decoder.feed(data))
    wall_s = time.perf_counter() - started
    counts = base.counts()
    offered = sum(counts.conversions) + counts.imu_samples
    got = kinds["Load"] + kinds["Imu"]
    print(f"{seconds:.0f} s simulated in {wall_s:.1f} s: {seconds / wall_s:.1f} times real time")
    print(", ".join(f"{number} {name.upper()}" for name, number in sorted(kinds.items())) + f"; {decoder.counts.refused} refused")
    print(f"{offered} samples offered by the chips, {got} received; those of the last few ms are under way")
    return 0


def _on_terminal(base: AvrBase, world: RestingWorld, seconds: float | None) -> int:
    terminal = BaseOnTerminal(base, world)
    print(f"The simulated base is at {terminal.name}; opening it resets it, as an Uno. Ctrl-C ends it.", flush=True)
    started = time.monotonic()
    try:
        while seconds is None or terminal.t_s < seconds:
            terminal.step()
            time.sleep(max(0.0, started + terminal.t_s - time.monotonic()))
    except KeyboardInterrupt:
        pass
    finally:
        terminal.close()
    return 0
