"""Many examinations side by side on all cores, each in a process of its own, told as they are done."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor, as_completed
from multiprocessing import get_context

import cv2

from rig.exam.games import Options, Result

AT_MOST = 20
"""A process is replaced after so many: every twin leaves some 40 MB behind in the graphics library."""

Examine = Callable[[int, Options], Result]


def examine_all(examine: Examine, seeds: list[int], options: Options, jobs: int, told: Callable[[Result], None]) -> list[Result]:
    """One result a seed, in the order of the seeds; `jobs` at a time, `told` as each is done."""
    if jobs <= 1:
        results = []
        for seed in seeds:
            results.append(examine(seed, options))
            told(results[-1])
        return results
    with ProcessPoolExecutor(jobs, mp_context=get_context("spawn"), initializer=_alone, max_tasks_per_child=AT_MOST) as pool:
        futures = {pool.submit(examine, seed, options): seed for seed in seeds}
        done: dict[int, Result] = {}
        for future in as_completed(futures):
            done[futures[future]] = future.result()
            told(done[futures[future]])
    return [done[seed] for seed in seeds]


def _alone() -> None:
    """One core each: OpenCV's own threads would only get in the other processes' way."""
    cv2.setNumThreads(1)
