"""How far our own calibration of drawn rigs and sets is from the truth: `own_calibration` does the procedures, this sums them up.

    python -m rig.bench.bench_own_calibration --out DIR [--sets 20] [--first SEED] [--cameras 3] [--level home] [--world A]

What is in DIR is not made again, so delete the folder to measure another state of the code.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path

import cv2

from rig.bench.own_calibration import CalibrationOutcome, outcome_of
from rig.bench.results import Results, add_json, measured

SIGNED = (
    ("focal_percent", "focal length: found less true", "%"),
    ("focal_said_percent", "focal length: uncertainty stated", "%"),
    ("top_px", "lens and pose together at the fifth floor: off", "px"),
    ("top_mm", "the same in millimetres: off", "mm"),
    ("top_said_mm", "the same in millimetres: uncertainty stated", "mm"),
    ("thickness_mm", "thickness of a plateau: found less true", "mm"),
    ("radius_mm", "radius of a column: found less true", "mm"),
    ("height_mm", "height of a column: found less true", "mm"),
    ("column_g", "mass of a column: found less true", "g"),
    ("plateau_g", "mass of a plateau: found less true", "g"),
)
"""Lists of `Off`, in words, with their unit."""


def note(outcomes: Sequence[CalibrationOutcome], results: Results) -> None:
    """The figures of all sets."""
    offs = [outcome.off for outcome in outcomes if outcome.off is not None]
    results.share("sets that our own procedures accepted", len(offs), len(outcomes))
    results.share("split of the set right", sum(off.split_right for off in offs), len(offs))
    results.share("all colours right", sum(off.colours_right for off in offs), len(offs))
    for name, words, unit in SIGNED:
        results.rms(words, [value for off in offs for value in getattr(off, name)], unit)
    results.median("common area of found and true outline of a plateau", [value for off in offs for value in off.overlap], "of both")
    results.number("pieces asked for again", sum(off.asked_again for off in offs), "pieces", len(offs))
    calibrated = [outcome for outcome in outcomes if outcome.off]
    for name in ("lenses", "poses and colours", "pieces"):
        results.median(f"a person's time, {name}", [outcome.person_s.get(name, 0.0) for outcome in calibrated], "s")
    results.median("processor time a set", [sum(outcome.seconds.values()) for outcome in calibrated], "s")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", type=Path, default=Path("build/rigs"), metavar="DIR")
    parser.add_argument("--sets", type=int, default=2)
    parser.add_argument("--first", type=int, default=400000, help="the first set's seed")
    parser.add_argument("--cameras", type=int, default=3)
    parser.add_argument("--level", default="home")
    parser.add_argument("--world", choices=("A", "B"), default="A")
    add_json(parser, "own-calibration")
    options = parser.parse_args()
    cv2.setNumThreads(1)
    seeds, outcomes = range(options.first, options.first + options.sets), []
    with measured(options.json, seeds, __doc__) as results:
        for seed in seeds:
            outcomes.append(outcome_of(seed, options.cameras, options.level, options.world, options.out))
            print(f"{seed}: {outcomes[-1].refused or 'calibrated'}, {outcomes[-1].seconds}", flush=True)
        note(outcomes, results)


if __name__ == "__main__":
    main()
