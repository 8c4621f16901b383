"""What may have happened to the tower between two pictures."""

from __future__ import annotations

from typing import TypeAlias

from rig.messages.tagged import Tagged
from rig.pieces import Column, Floor


class Nothing(Tagged, frozen=True):
    """Everything stands as before (within tolerance)."""


class Moved(Tagged, frozen=True):
    """`column` went from where it stood to `floor`; where on it, the eyes find out."""

    column: Column
    floor: Floor


class Added(Tagged, frozen=True):
    """A column of this kind newly stands on `floor`, near (x_mm, y_mm) where the scale knows the place. For set-up."""

    column: Column
    floor: Floor
    near_x_mm: float | None = None
    near_y_mm: float | None = None


class Removed(Tagged, frozen=True):
    """`column` left the tower."""

    column: Column


class PlateauLaid(Tagged, frozen=True):
    """`plateau` newly lies on the top floor's columns, its centre of mass near (x_mm, y_mm) where the scale knows it."""

    plateau: Floor
    near_x_mm: float | None = None
    near_y_mm: float | None = None


class MovedTwo(Tagged, frozen=True):
    """Both of these columns went to `floor` (B3 forbids the second); where on it, the eyes find out."""

    columns: tuple[Column, Column]
    floor: Floor


class Stacked(Tagged, frozen=True):
    """`column` went from where it stood onto the top of the column `on`, which itself did not move (B8)."""

    column: Column
    on: Column


class Toppled(Tagged, frozen=True):
    """These columns no longer stand in their places, lying somewhere or off the table, while every plateau kept its place (E7, level B)."""

    columns: tuple[Column, ...]


class Fallen(Tagged, frozen=True):
    """At least one plateau is no longer in its place."""


class NoneOfThese(Tagged, frozen=True):
    """Always among the hypotheses: something else happened."""


Hypothesis: TypeAlias = Nothing | Moved | MovedTwo | Stacked | Added | Removed | PlateauLaid | Toppled | Fallen | NoneOfThese
