"""Figures of the doctor: healthy sessions of the twin accused at each level, and the faults told by doctor and game alike, as a table.

Seeds are fresh (from 700 000 on): none was used for choosing a threshold. Healthy means that no hardware fails; noise, drift, corner
errors, shaking tables and torn reads are as the level has them. A session is half a minute of columns lifted and set down and of hands
that lean.
"""

from __future__ import annotations

import argparse

import numpy as np
from numpy.typing import NDArray

from rig.bench.base_load import Load, at
from rig.bench.fault_benches import hear, strike
from rig.bench.results import Results, add_json, measured
from rig.twin.sensors.hardware_faults import BaseFaultKind
from rig.twin.sensors.level_sensors import HOME, LAB, ROUGH

SEED = 700_000
COLUMNS_G = (11.49, 22.52, 40.02)
EVERY_S = 5.0


def played(seed: int, whole_s: float) -> Load:
    """Random columns and leaning hands, every five seconds one of them."""
    rng = np.random.default_rng((seed, 1))
    count = int(whole_s / EVERY_S)
    masses = rng.choice(COLUMNS_G, count) * rng.choice([-1.0, 1.0], count)
    places, leans = rng.uniform(-80, 80, (count, 2)), rng.uniform(-120, 120, (count, 2))
    presses = rng.uniform(0, 120, count)

    def load(t_s: NDArray[np.float64]) -> NDArray[np.float64]:
        grams = np.tile(at(800, 5, -5), (len(t_s), 1))
        for k in range(count):
            start_s = EVERY_S * k + 2.0
            grams = grams + np.outer(np.clip((t_s - start_s) / 0.3, 0, 1), at(float(masses[k]), *places[k]))
            share = (t_s - start_s - 1.0) / 2.0
            press = np.where((share > 0) & (share < 1), presses[k] * np.sin(np.pi * np.clip(share, 0, 1)), 0.0)
            grams = grams + np.outer(press, at(1.0, *leans[k]))
        return grams

    return load


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sessions", type=int, default=20)
    parser.add_argument("--seconds", type=float, default=30.0)
    add_json(parser, "doctor")
    options = parser.parse_args()
    with measured(options.json, range(SEED, SEED + options.sessions), __doc__) as results:
        healthy(options.sessions, options.seconds, results)
        struck(results)


def healthy(sessions: int, seconds: float, results: Results) -> None:
    """Sessions of each level in which nothing fails: how many are accused."""
    for name, level in (("lab", LAB), ("home", HOME), ("rough", ROUGH)):
        accused, noted = 0, 0
        for seed in range(SEED, SEED + sessions):
            report = hear((), level, seed, played(seed, seconds), seconds).doctor
            accused += bool(report.wrong)
            noted += bool(report.notes)
            for sentence in report.wrong:
                print(f"  {name} {seed}: {sentence}", flush=True)
        results.share(f"{name}: healthy sessions of {seconds:g} s accused", accused, sessions)
        results.share(f"{name}: healthy sessions of {seconds:g} s with a note", noted, sessions)


def struck(results: Results) -> None:
    """Every kind of fault once, as a table of what is said of it, and how many are told."""
    by_doctor, by_game = 0, 0
    print("| fault | the doctor | the game |\n|---|---|---|")
    for kind in BaseFaultKind:
        told = hear((strike(kind),), seed=SEED)
        at_start = ("The base is well.", "The scale reads")
        game = [sentence for sentence in told.game if not sentence.startswith(at_start) or "only 10" in sentence or "lost" in sentence]
        by_doctor += bool(told.doctor.wrong)
        by_game += bool(game)
        print(f"| {kind} | {'; '.join(told.doctor.wrong)} | {' '.join(game[:2])} |", flush=True)
    results.share("kinds of fault that the doctor tells", by_doctor, len(BaseFaultKind))
    results.share("kinds of fault that the game tells", by_game, len(BaseFaultKind))


if __name__ == "__main__":
    main()
