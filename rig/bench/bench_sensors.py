"""Figures of the twin's sensors: weight against the truth, the same bytes from the same seed, what each fault is told as, and the cost.

Loads are scripted and random (seeds from 50 000 on: none was used for choosing anything); chips, firmware, cable and fold are the real way.
`--base avr` sends everything through the AVR binary in its simulator; both are always compared for determinism.
"""

from __future__ import annotations

import argparse
import hashlib
import re
import time
from collections import Counter
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from rig.base.firmware_tool import has_simulator
from rig.bench.base_load import LoadedBase, at, resting
from rig.bench.fault_table import TABLE
from rig.bench.results import Results, add_json, measured
from rig.messages import LinkNews, StepKind, Stepped, Weighed
from rig.twin.sensors.hardware_faults import CELL_FAILURES, HORIZON_S, IMU_FAILURES, RESETS, BaseFault, BaseFaultKind
from rig.twin.sensors.level_sensors import HOME, LAB, ROUGH, SensorLevel

SEED = 50_000
LEVELS = {"lab": LAB, "home": HOME, "rough": ROUGH}
COLUMNS_G = (11.49, 22.52, 40.02)
EVERY_S = 6.0


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--base", choices=("standin", "avr"), default="standin")
    parser.add_argument("--sessions", type=int, default=20, help="of five minutes, for the weight at each level")
    parser.add_argument("--faults", type=int, default=40, help="of each kind")
    add_json(parser, "sensors")
    options = parser.parse_args()
    with measured(options.json, range(SEED, SEED + max(options.sessions, 4 * options.faults)), __doc__) as results:
        for name in ("lab", "home", "rough"):
            weights(name, options.sessions, options.base, results)
        determinism(results)
        faults(options.faults, options.base, results)
        wiggles(4 * options.faults, options.base, results)
        for name in LEVELS:
            cost(name, results)


def weights(name: str, sessions: int, base: str, results: Results) -> None:
    """A tower on which a column comes or goes every six seconds; broken hardware left out."""
    absolute, steps, again, spread = [], [], [], []
    told = Counter[str]()
    for seed in range(SEED, SEED + sessions):
        rng = np.random.default_rng(seed)
        count = 48
        changes = rng.choice(COLUMNS_G, count) * rng.choice([-1.0, 1.0], count)
        places = rng.uniform(-80, 80, (count, 2))
        loads = np.cumsum([at(800.0, 5, -5), *(at(float(g), *xy) for g, xy in zip(changes, places, strict=True))], axis=0)
        starts_s = np.asarray(8.0 + EVERY_S * np.arange(count), np.float64)

        def load(
            t_s: NDArray[np.float64], loads: NDArray[np.float64] = loads, starts_s: NDArray[np.float64] = starts_s
        ) -> NDArray[np.float64]:
            k = np.searchsorted(starts_s, t_s)
            part = np.clip((t_s - starts_s[np.maximum(k - 1, 0)]) / 0.3, 0, 1)[:, None]
            return np.where((k > 0)[:, None], loads[np.maximum(k - 1, 0)] * (1 - part) + loads[k] * part, loads[0])

        bench = LoadedBase(load, LEVELS[name], seed=seed, base=base, faults=_slow(LEVELS[name], seed)).run(float(starts_s[-1]) + EVERY_S)
        bench.close()
        times, grams = np.array([(w.t_s, w.weight_g) for w in bench.of(Weighed) if w.weight_g is not None]).T
        settled = [(times > start - 2.0) & (times < start - 0.1) for start in starts_s]
        levels = np.array([np.median(grams[mine]) for mine in settled])
        truth = loads.sum(axis=1)[:count]
        spread += [float(grams[mine].std()) for mine in settled]
        absolute += (levels - truth).tolist()
        again += (np.diff(levels) - np.diff(truth)).tolist()
        found = [step for step in bench.of(Stepped) if step.kind in (StepKind.LIFTED, StepKind.SET_DOWN)]
        for start, change in zip(starts_s, changes, strict=True):
            mine = [step.delta_g for step in found if start - 0.5 < step.start_t_s < start + 1.5]
            steps += [mine[0] - change] if len(mine) == 1 else []
            told["right" if len(mine) == 1 else "missed" if not mine else "split"] += 1
        told["false"] += sum(not any(start - 0.5 < step.start_t_s < start + 1.5 for start in starts_s) for step in found)
    results.rms(f"{name}: settled weight, the zero's wander since calibration included: error", absolute, "g")
    results.rms(f"{name}: change of settled weight when a column comes or goes: error", again, "g")
    results.rms(f"{name}: weight within a rest: spread", spread, "g")
    results.rms(f"{name}: step told: error", steps, "g")
    results.share(f"{name}: changes told as exactly one step", told["right"], sum(told.values()) - told["false"])
    results.number(f"{name}: false steps", told["false"], "steps", sessions)


def _slow(level: SensorLevel, seed: int) -> list[BaseFault]:
    slow = np.random.default_rng((seed, 10)).random() < level.slow_chip_share
    return [BaseFault(0.0, HORIZON_S, BaseFaultKind.SLOW_CHIPS)] if slow else []


def determinism(results: Results) -> None:
    for name, level in LEVELS.items():
        level = replace(level, slow_chip_share=0.0)
        digests: dict[str, list[bytes]] = {}
        for base in ("standin", *(("avr",) if has_simulator() else ())):
            for slice_s in (0.05, 0.05, 0.02):
                bench = LoadedBase(resting(800), level, seed=SEED, base=base, slice_s=slice_s, faults=()).run(60)
                bench.close()
                digests.setdefault(base, []).append(bytes(bench.stream))
        for base, streams in digests.items():
            results.share(f"{name}: runs of 60 s that give the first one's bytes, {base}", streams.count(streams[0]), len(streams))
        common = min(len(streams[0]) for streams in digests.values())
        alike = len({streams[0][:common] for streams in digests.values()}) == 1
        digest = hashlib.sha256(digests["standin"][0]).hexdigest()[:16]
        print(f"{name}: slices of 50, 50 and 20 ms; bases alike in {common} bytes: {alike}; {digest}", flush=True)


def faults(count: int, base: str, results: Results) -> None:
    kinds = (*CELL_FAILURES, *IMU_FAILURES, *RESETS, BaseFaultKind.USB_UNPLUGGED, BaseFaultKind.BYTES_LOST)
    for slow in (False, True):
        for kind in kinds if not slow else CELL_FAILURES:
            _fault(kind, count, base, slow, results)


def _fault(kind: BaseFaultKind, count: int, base: str, slow: bool, results: Results) -> None:
    named = wrong = readings = 0
    off_g: list[float] = [0.0]
    steps = Counter[str]()
    for seed in range(SEED, SEED + count):
        rng = np.random.default_rng((seed, 3))
        level = replace((HOME, ROUGH)[seed % 2], vibrations_per_min=0.0, spikes_per_min=0.0)
        start_s = float(rng.uniform(8, 9))
        lasts_s = 0.0 if kind in (BaseFaultKind.BYTES_LOST, *RESETS) else float(rng.uniform(3, 6))
        size = float(rng.integers(100, 400)) if kind is BaseFaultKind.BYTES_LOST else float(rng.choice([-1, 1]))
        cell = int(rng.integers(4))
        struck = [BaseFault(start_s, start_s + lasts_s, kind, cell if kind in CELL_FAILURES else None, size)]
        struck += [BaseFault(0.0, HORIZON_S, BaseFaultKind.SLOW_CHIPS)] if slow else []
        bench = LoadedBase(
            resting(float(rng.uniform(400, 1200)), *rng.uniform(-40, 40, 2)), level, seed=seed, base=base, faults=struck
        ).run(20)
        bench.close()
        words = TABLE[kind].link.replace("load cell 3", f"load cell {cell + 1}")
        sentences = [news.sentence for news in bench.of(LinkNews)]
        lost = bench.of(LinkNews)[-1].lost_frames > 0
        named += lost if kind is BaseFaultKind.BYTES_LOST else any(re.search(words, sentence, re.IGNORECASE) for sentence in sentences)
        usual_g = np.median([w.weight_g for w in bench.of(Weighed, 5, start_s - 0.1) if w.weight_g is not None])
        known = [abs(w.weight_g - usual_g) for w in bench.of(Weighed, start_s - 0.1) if w.weight_g is not None]
        off_g += known
        readings += len(known)
        wrong += sum(off > 5.0 for off in known)
        steps.update(step.kind.value for step in bench.of(Stepped, 5))
    rate = "10/s " if slow else ""
    print(f"{rate}{kind}: steps {dict(steps) or 'none'}", flush=True)
    results.share(f"{rate}{kind}: named", named, count)
    results.share(f"{rate}{kind}: weights off by more than 5 g", wrong, readings)
    results.number(f"{rate}{kind}: furthest weight", max(off_g), "g off", readings)


def wiggles(count: int, base: str, results: Results) -> None:
    """A touched cable cannot be told from a hand; what is said of it, and what stays of it."""
    steps = Counter[str]()
    left = []
    for seed in range(SEED, SEED + count):
        rng = np.random.default_rng((seed, 4))
        size_g = float(rng.choice([-1, 1]) * np.exp(rng.uniform(np.log(4), np.log(400))))
        wiggle = BaseFault(8.0, 8.0 + float(rng.uniform(0.2, 2.0)), BaseFaultKind.CABLE_WIGGLE, int(rng.integers(4)), size_g)
        bench = LoadedBase(resting(800), replace(LAB), seed=seed, base=base, faults=[wiggle]).run(14)
        bench.close()
        found = bench.of(Stepped, 5)
        steps.update(step.kind.value for step in found)
        left.append(sum(step.delta_g for step in found if step.kind in (StepKind.LIFTED, StepKind.SET_DOWN)))
    print(f"{count} touched cables, 4 to 400 g: {dict(steps)}", flush=True)
    results.rms("a touched cable, 4 to 400 g: what all steps leave", left, "g")


def cost(name: str, results: Results) -> None:
    bench = LoadedBase(resting(800), LEVELS[name], seed=SEED, base="standin", faults=())
    inner = bench.sensors._base.advance
    spent = [0.0]

    def advance(*arguments: object) -> bytes:
        began = time.process_time()
        out = inner(*arguments)  # type: ignore[arg-type]
        spent[0] += time.process_time() - began
        return out

    bench.sensors._base.advance = advance  # type: ignore[method-assign, assignment]
    began = time.process_time()
    while bench.t_s < 120:
        bench.t_s = round(bench.t_s + 0.05, 6)
        bench.sensors.bytes_by(bench.t_s)
    whole = time.process_time() - began
    ours_ms, base_ms = ((seconds / 120 * 1e3) for seconds in (whole - spent[0], spent[0]))
    results.number(f"{name}: processor time of cells and chips a simulated second", ours_ms, "ms", 120)
    results.number(f"{name}: processor time of the stand-in a simulated second", base_ms, "ms", 120)


if __name__ == "__main__":
    main()
