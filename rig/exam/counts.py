"""Right out of n, with intervals: the exam's arithmetic."""

from __future__ import annotations

import math

import msgspec

Z95 = 1.959964


class Tally(msgspec.Struct, frozen=True):
    """How many of n were right."""

    right: int = 0
    n: int = 0

    def __add__(self, other: Tally) -> Tally:
        return Tally(self.right + other.right, self.n + other.n)

    @property
    def share(self) -> float:
        return self.right / self.n if self.n else 0.0

    def interval(self) -> tuple[float, float]:
        """Wilson's 95 % interval (Wilson 1927); (0, 1) for n = 0."""
        if self.n == 0:
            return 0.0, 1.0
        z2 = Z95**2
        middle = (self.share + z2 / (2 * self.n)) / (1 + z2 / self.n)
        half = Z95 / (1 + z2 / self.n) * math.sqrt(self.share * (1 - self.share) / self.n + z2 / (4 * self.n**2))
        return max(0.0, middle - half), min(1.0, middle + half)


def tally(right: bool) -> Tally:
    return Tally(int(right), 1)
