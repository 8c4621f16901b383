"""Are the eyes as sure as they may be? Fits the tempering on some seeds and draws a reliability plot on others. Nothing here asserts.

    python -m rig.bench.bench_reliability [--temper-first SEED --temper-seeds N] [--first SEED --seeds N] [--level home] [--plot OUT.png]

Likelihoods are sums over pixels that err together, so `vision.change.tunables.TEMPER` scales them down. Here every judgement gives a
posterior over its hypotheses (even prior); `fit_temper` finds the scale under which what truly happened is likeliest on the temper seeds,
and the plot shows, on the report seeds, how often things said with a confidence are so. On the diagonal all is well; below it the eyes
boast.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

import cv2
import numpy as np
import numpy.typing as npt

from rig.bench.bench_vision import is_right
from rig.bench.results import Results, add_json, measured
from rig.bench.situations import Happening, Situation, asked, draw_situation
from rig.errors import PalettiError
from rig.exam.counts import Tally
from rig.messages import Judged
from vision.change.tunables import TEMPER
from vision.see import look

Floats = npt.NDArray[np.float64]

KINDS = (Happening.MOVED, Happening.MOVED, Happening.NOTHING, Happening.TWO_MOVED, Happening.REMOVED, Happening.TOPPLED)
"""One after the other by seed."""

EDGES = (0.0, 0.2, 0.4, 0.6, 0.8, 0.9, 0.97, 0.99, 1.0)
"""Bins of confidence, narrow where decisions are made."""


@dataclass(frozen=True)
class Word:
    """One judgement: tempered log likelihoods of its hypotheses, and which of them are true."""

    values: Floats
    true: npt.NDArray[np.bool_]


def words_of(of: Situation, cameras: Iterable[int]) -> list[Word]:
    """What the eyes say of one situation seen by the first 1, 2 … cameras."""
    words = []
    for count in cameras:
        request = asked(of, wide=of.happening is not Happening.TWO_MOVED, cameras=count)
        answer = look(request, of.frames, of.profile)
        assert isinstance(answer, Judged)
        values = np.array([opinion.log_likelihood for opinion in answer.opinions])
        words.append(Word(values, np.array([is_right(of, hypothesis) for hypothesis in request.hypotheses])))
    return words


def drawn_words(seeds: range, level: str, cameras: Sequence[int]) -> list[Word]:
    words: list[Word] = []
    for seed in seeds:
        try:
            of = draw_situation(seed, KINDS[seed % len(KINDS)], max(cameras), level=level)
        except PalettiError:
            continue
        if of is not None:
            words += words_of(of, cameras)
    return words


def posterior(word: Word, scale: float) -> Floats:
    weights = np.exp(scale * (word.values - word.values.max()))
    return np.asarray(weights / weights.sum())


def fit_temper(words: Sequence[Word]) -> float:
    """Factor on today's tempered likelihoods under which the truth is likeliest, between 0.05 and 20."""
    scales = np.geomspace(0.05, 20.0, 61)
    scores = [np.mean([np.log(max(float(posterior(word, scale)[word.true].sum()), 1e-4)) for word in words]) for scale in scales]
    return float(scales[int(np.argmax(scores))])


def reliability(words: Sequence[Word], scale: float = 1.0) -> list[tuple[float, int, int]]:
    """For each bin of `EDGES`: mean confidence, how many of the foremost answers were right, and how many there were."""
    said = np.array([float(posterior(word, scale).max()) for word in words])
    right = np.array([bool(word.true[int(word.values.argmax())]) for word in words])
    rows = []
    for low, high in pairwise(EDGES):
        chosen = (said > low) & (said <= high)
        rows.append((float(said[chosen].mean()) if chosen.any() else 0.0, int(right[chosen].sum()), int(chosen.sum())))
    return rows


def plot(rows: Sequence[tuple[float, int, int]], path: str) -> None:
    """A square plot: confidence to the right, share right upwards with its interval, circles by number."""
    side, rim = 480, 48
    canvas = np.full((side + 2 * rim, side + 2 * rim, 3), 255, np.uint8)

    def at(x: float, y: float) -> tuple[int, int]:
        return rim + round(x * side), rim + round((1 - y) * side)

    cv2.rectangle(canvas, at(0, 1), at(1, 0), (0, 0, 0), 1)
    cv2.line(canvas, at(0, 0), at(1, 1), (160, 160, 160), 1, cv2.LINE_AA)
    for said, right, n in rows:
        if n:
            share = right / n
            low, high = Tally(right, n).interval()
            cv2.line(canvas, at(said, low), at(said, high), (200, 120, 0), 1, cv2.LINE_AA)
            cv2.circle(canvas, at(said, share), 3 + round(float(np.log(n))), (200, 120, 0), -1, cv2.LINE_AA)
            cv2.putText(canvas, str(n), (at(said, share)[0] - 30, at(said, share)[1] - 6), cv2.FONT_HERSHEY_SIMPLEX, 0.4, (0, 0, 0), 1)
    for text, place in (("confidence", (side // 2, side + 2 * rim - 14)), ("share right", (4, 24))):
        cv2.putText(canvas, text, place, cv2.FONT_HERSHEY_SIMPLEX, 0.5, (0, 0, 0), 1, cv2.LINE_AA)
    Path(path).parent.mkdir(parents=True, exist_ok=True)
    if not cv2.imwrite(path, canvas):
        raise PalettiError(f"The plot cannot be written to {path!r}.", "Name a PNG file in a folder that exists.")


def report(fitted: Sequence[Word], told: Sequence[Word], path: str, results: Results) -> None:
    factor = fit_temper(fitted)
    results.number(f"tuning seeds: best factor on TEMPER {TEMPER}", factor, "", len(fitted))
    rows = reliability(told)
    print("report seeds, with TEMPER as it is: confidence said, share right")
    for said, right, n in rows:
        if n:
            results.share(f"said with mean confidence {said:.3f}: right", right, n)
    said_all = [float(posterior(word, 1.0).max()) for word in told]
    results.number("mean confidence said", float(np.mean(said_all)), "", len(told))
    results.share("all: right", sum(right for _, right, _ in rows), len(told))
    plot(rows, path)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--temper-first", type=int, default=300_000)
    parser.add_argument("--temper-seeds", type=int, default=60)
    parser.add_argument("--first", type=int, default=400_000)
    parser.add_argument("--seeds", type=int, default=60)
    parser.add_argument("--cameras", type=int, nargs="*", default=[1, 2])
    parser.add_argument("--level", default="home")
    parser.add_argument("--plot", default="build/reliability.png")
    add_json(parser, "reliability")
    arguments = parser.parse_args()
    cv2.setNumThreads(1)
    tuning = range(arguments.temper_first, arguments.temper_first + arguments.temper_seeds)
    seeds = range(arguments.first, arguments.first + arguments.seeds)
    with measured(arguments.json, seeds, __doc__) as results:
        fitted = drawn_words(tuning, arguments.level, arguments.cameras)
        told = drawn_words(seeds, arguments.level, arguments.cameras)
        report(fitted, told, arguments.plot, results)


if __name__ == "__main__":
    main()
