"""Matches what the referee told to what was true, deed by deed.

A truth is told right when a fact of the same kind, about the same thing, was told from just before it was complete until `LATEST_S` after.
Each fact can serve one truth. What is left over on the referee's side was told though it was not so.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeVar

LATEST_S = 30.0
"""Seconds after a deed by which it must have been told; a question to the table takes several."""

EARLIEST_S = 6.0
"""Seconds before its date by which a fact may already be told: the truth log dates a deed when everything stands still again, which takes
up to four seconds after a fall, and the referee calls a fall sooner."""

T = TypeVar("T")
F = TypeVar("F")


def matched(
    truths: Sequence[T],
    facts: Sequence[F],
    truth_t_s: Callable[[T], float],
    fact_t_s: Callable[[F], float],
    same: Callable[[T, F], bool],
) -> tuple[list[tuple[T, F | None]], list[F]]:
    """Pairs of each truth with its fact (None: not told right), and the facts that belong to no truth."""
    free = list(facts)
    pairs: list[tuple[T, F | None]] = []
    for truth in truths:
        at_s = truth_t_s(truth)
        mine = [fact for fact in free if at_s - EARLIEST_S <= fact_t_s(fact) <= at_s + LATEST_S and same(truth, fact)]
        chosen = min(mine, key=fact_t_s) if mine else None
        if chosen is not None:
            free.remove(chosen)
        pairs.append((truth, chosen))
    return pairs, free
