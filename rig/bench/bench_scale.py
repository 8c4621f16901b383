"""Figures of the scale through the whole byte stream: the mass of a moved column, knocks told from falls, false steps an hour.

The hand, the knocks and the falls are scripted here with random sizes (fresh seeds, none of them used for choosing a threshold); the twin's
own physics is measured by `paletti exam`. Noise 0.05 g a sample is the twin's lab level; 0.2 g stands for a rougher scale.
"""

from __future__ import annotations

import argparse
import math
from collections import Counter
from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from rig.bench.base_scenario import at, chunks, of, ramp, readings
from rig.bench.results import Results, add_json, measured
from rig.messages import StepKind, Stepped

Grams = NDArray[np.float64]
COLUMNS_G = (11.49, 22.52, 40.02)
CREEP, CREEP_S = 0.0003, 100.0


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--moves", type=int, default=200)
    parser.add_argument("--hours", type=float, default=1.0)
    add_json(parser, "scale")
    options = parser.parse_args()
    moves = options.moves
    with measured(options.json, f"9000 to {8999 + moves}; 9500 to {9499 + moves // 2}; 7; 77", __doc__) as results:
        for noise_g in (0.05, 0.2):
            moved_columns(moves, noise_g, results)
        knocks_and_falls(moves // 2, results)
        for name, load in (("quiet", quiet), ("creep 10 g/h", creeping), ("leaning on the plate", leaning(7))):
            false_steps(name, load, options.hours * 3600, results)


def moved_columns(count: int, noise_g: float, results: Results) -> None:
    """A column is pulled with a plateau held, carried for two seconds with the tower left alone, and set down with a push."""
    errors, kinds, returns = [], Counter[bool](), []
    for seed in range(9000, 9000 + count):
        rng = np.random.default_rng(seed)
        mass_g = float(rng.choice(COLUMNS_G))
        x0, y0, x1, y1 = rng.uniform(-80, 80, 4)
        hold_g, push_g, shake_hz = rng.uniform(-40, 40), rng.uniform(10, 90), rng.uniform(6, 10)
        tower_g = float(rng.uniform(500, 1100))

        def load(t_s: float, p: tuple[float, ...] = (mass_g, x0, y0, x1, y1, hold_g, push_g, shake_hz, tower_g)) -> Grams:
            mass, xa, ya, xb, yb, hold, push, shake, tower = p
            grams = at(tower * (1 + CREEP * (1 - math.exp(-t_s / CREEP_S))), 5, -5)
            if 3 < t_s < 5:
                grams = grams + at(hold * math.sin(math.pi * (t_s - 3) / 2) + 1.5 * math.sin(2 * math.pi * shake * t_s), 30, 30)
            grams = grams - at(mass, xa, ya) * ramp(t_s, 4.4, 0.4) + at(mass, xb, yb) * ramp(t_s, 7.2, 0.2)
            if 7.2 < t_s < 7.7:
                grams = grams + at(push * math.sin(math.pi * (t_s - 7.2) / 0.5), xb, yb)
            return grams

        steps = [s for s in of(Stepped, readings(chunks(load, 10, seed=seed, noise_g=noise_g))) if s.kind is not StepKind.PRESSED]
        lifted = [s for s in steps if s.kind is StepKind.LIFTED]
        down = [s for s in steps if s.kind is StepKind.SET_DOWN]
        if len(lifted) != 1 or len(down) != 1:
            kinds[False] += 1
            continue
        errors.append(lifted[0].delta_g + mass_g)
        returns.append(lifted[0].delta_g + down[0].delta_g)
        kinds[min(COLUMNS_G, key=lambda m: abs(m + lifted[0].delta_g)) == mass_g] += 1
    results.rms(f"mass of a moved column, noise {noise_g} g: error", errors, "g")
    results.rms(f"lifted and set down again, noise {noise_g} g: difference", returns, "g")
    results.share(f"shape told from mass alone, noise {noise_g} g", kinds[True], count)


def knocks_and_falls(count: int, results: Results) -> None:
    told = {"knock": Counter[str](), "fall": Counter[str]()}
    for seed in range(9500, 9500 + count):
        rng = np.random.default_rng(seed)
        size_g, hz, decay = rng.uniform(20, 180), rng.uniform(3, 12), rng.uniform(5, 12)

        def knocked(t_s: float, p: tuple[float, ...] = (size_g, hz, decay)) -> Grams:
            return at(800) + (at(p[0] * math.exp(-(t_s - 4) * p[2]) * math.sin(2 * math.pi * p[1] * (t_s - 4)), 40, 0) if t_s > 4 else 0.0)

        lost_g, swing_g, takes_s = rng.uniform(40, 470), rng.uniform(100, 1500), rng.uniform(0.15, 0.6)

        def fallen(t_s: float, p: tuple[float, ...] = (lost_g, swing_g, takes_s, hz)) -> Grams:
            fall = t_s - 4
            clatter = p[1] * math.exp(-fall / p[2]) * math.sin(2 * math.pi * p[3] * fall) if fall > 0 else 0.0
            return at(800) - at(p[0], 50, 20) * ramp(t_s, 4, p[2]) + at(clatter, -20, 10)

        for what, load in (("knock", knocked), ("fall", fallen)):
            found = of(Stepped, readings(chunks(load, 8, seed=seed)))
            told[what][" + ".join(step.kind for step in found) or "nothing"] += 1
    for what, kinds in told.items():
        for name, number in kinds.most_common():
            results.share(f"a {what} told as: {name}", number, count)


def quiet(_: float) -> Grams:
    return at(800, 10, -20)


def creeping(t_s: float) -> Grams:
    return at(800 + 10 * t_s / 3600, 10, -20)


def leaning(seed: int) -> Callable[[float], Grams]:
    """Every twenty seconds a hand leans on the plate for two to eight, with its tremor."""
    rng = np.random.default_rng(seed)
    leans = [(20 * k + 3.0, float(rng.uniform(2, 8)), float(rng.uniform(50, 300)), *rng.uniform(-120, 120, 2)) for k in range(400)]

    def load(t_s: float) -> Grams:
        start, takes, size, x, y = leans[int(t_s // 20)]
        share = (t_s - start) / takes
        if not 0 < share < 1:
            return at(800)
        hand = size * math.sin(math.pi * share) ** 0.5 + 4 * math.sin(2 * math.pi * 8 * t_s) + 3 * math.sin(2 * math.pi * 2.3 * t_s)
        return at(800) + at(hand, x, y)

    return load


def false_steps(name: str, load: Callable[[float], Grams], seconds: float, results: Results) -> None:
    found = Counter(step.kind.value for step in of(Stepped, readings(chunks(load, seconds, seed=77, slice_s=0.05))))
    false = {kind: number for kind, number in found.items() if kind != "pressed"}
    print(f"{seconds / 3600:g} h of {name}: {false or 'no false steps'}, presses {found['pressed']}")
    results.number(f"false steps an hour, {name}", sum(false.values()) * 3600 / seconds, "steps", round(seconds * 80))


if __name__ == "__main__":
    main()
