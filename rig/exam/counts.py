"""Right out of n, with intervals, and quantiles of delays: the exam's arithmetic."""

from __future__ import annotations

import math
from collections.abc import Sequence

import msgspec

Z95 = 1.959964


class Tally(msgspec.Struct, frozen=True):
    """How many of n were right in the end, and how many without any answer of the table (`unaided`)."""

    right: int = 0
    n: int = 0
    unaided: int = 0

    def __add__(self, other: Tally) -> Tally:
        return Tally(self.right + other.right, self.n + other.n, self.unaided + other.unaided)

    @property
    def share(self) -> float:
        return self.right / self.n if self.n else 0.0

    def interval(self) -> tuple[float, float]:
        """Wilson's 95 % interval of what was right in the end."""
        return wilson(self.right, self.n)

    def unaided_interval(self) -> tuple[float, float]:
        """The same of what was right unaided."""
        return wilson(self.unaided, self.n)


def wilson(right: int, n: int) -> tuple[float, float]:
    """Wilson's 95 % interval of a share (Wilson 1927); (0, 1) for n = 0."""
    if n == 0:
        return 0.0, 1.0
    share, z2 = right / n, Z95**2
    middle = (share + z2 / (2 * n)) / (1 + z2 / n)
    half = Z95 / (1 + z2 / n) * math.sqrt(share * (1 - share) / n + z2 / (4 * n**2))
    return max(0.0, middle - half), min(1.0, middle + half)


def tally(right: bool, unaided: bool | None = None) -> Tally:
    """One case; `unaided` None: as right as it is, nobody having been asked."""
    return Tally(int(right), 1, int(right if unaided is None else unaided))


def quantile(values: Sequence[float], share: float) -> float | None:
    """The nearest-rank quantile; None of no values."""
    if not values:
        return None
    ranked = sorted(values)
    return ranked[min(len(ranked) - 1, max(0, math.ceil(share * len(ranked)) - 1))]
