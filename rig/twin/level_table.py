"""What people, pieces and tables are like, one value a level; the defaults are `lab`'s."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class TableLevel:
    """What people, pieces and tables are like."""

    height_spread_mm: float = 0.02
    """Columns alike differ in height by this."""
    friction: float = 0.4
    answer_s: tuple[float, float] = (2.0, 4.0)
    """How long the table takes over a question."""
    tremor_mm: float = 0.05
    """A hand's shake."""
    put_back_mm: float = 0.4
    """How exactly a tugged column is put back."""
    call_lag_s: tuple[float, float] = (0.3, 0.9)
    """From a deed or a thought to the spoken call."""


LAB = TableLevel()
HOME = TableLevel()
ROUGH = TableLevel()
