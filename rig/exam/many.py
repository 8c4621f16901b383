"""Many examinations side by side on all cores, each in a process of its own, told as they are done."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from functools import partial
from multiprocessing import get_context
from typing import TypeVar

import cv2
import msgspec

from rig.exam.games import Options, Result

AT_MOST = 20
"""Processes are replaced after about so many tasks each: every twin leaves some 40 MB behind in the graphics library."""

Examine = Callable[[int, Options], Result]
Task = TypeVar("Task")
Done = TypeVar("Done")


def examine_all(examine: Examine, seeds: list[int], options: Options, jobs: int, told: Callable[[Result], None]) -> list[Result]:
    """One result a seed, in the order of the seeds; `jobs` at a time, `told` as each is done."""
    results: dict[int, Result] = {}
    for seed, result in side_by_side(partial(_swapped, examine, options), seeds, jobs):
        results[seed] = result
        told(result)
    return [results[seed] for seed in seeds]


def _swapped(examine: Examine, options: Options, seed: int) -> Result:
    began = time.process_time()
    result = examine(seed, options)
    return msgspec.structs.replace(result, cpu_hours=(time.process_time() - began) / 3600)


def side_by_side(do: Callable[[Task], Done], tasks: Sequence[Task], jobs: int) -> Iterator[tuple[Task, Done]]:
    """Every task with what came of it, as they are done; `jobs` at a time, each in a process (here, if only one is wanted at a time).

    A pool a batch, because a pool that replaces its processes by itself (`max_tasks_per_child`) stands still for ever once all of them have
    had their number of tasks: https://github.com/python/cpython/issues/115634.
    """
    if jobs <= 1:
        yield from ((task, do(task)) for task in tasks)
        return
    batch = jobs * AT_MOST
    for first in range(0, len(tasks), batch):
        with ProcessPoolExecutor(jobs, mp_context=get_context("spawn"), initializer=_alone) as pool:
            futures = {pool.submit(do, task): task for task in tasks[first : first + batch]}
            for future in as_completed(futures):
                yield futures[future], future.result()


def _alone() -> None:
    """One core each: the threads of OpenCV and of Mesa's software renderer would only get in the other processes' way."""
    os.environ.setdefault("LP_NUM_THREADS", "0")
    cv2.setNumThreads(1)
