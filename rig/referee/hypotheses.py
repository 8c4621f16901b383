"""Which of the things that could have happened did? The list, with the priors the game's state gives each.

Rules propose, senses dispose: what the rules allow now comes with prior 0; the likely illegal things come at a capped price, so that clear
sight always wins over what ought to be; and "none of these" is always there.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from itertools import combinations

from rig.messages import Added, Fallen, Hypothesis, Moved, MovedTwo, NoneOfThese, Nothing, PlateauLaid, Removed, Stacked, Toppled, Tower
from rig.pieces import Colour, Column, Floor, PieceSet, Shape

ILLEGAL = -3.0
"""Log prior of a thing the rules forbid now (natural log). Lower: the referee grows blind to cheating; higher: it sees cheats in noise."""

UNSPOKEN = -1.0
"""Log prior of a plateau laid though no request was heard: people forget to speak, one time in ten or so."""

TWICE = -5.0
"""Log prior of two things at once: two columns raised, a column stacked on another. Above `UNLIKELY` pairs drown what really happened."""

UNLIKELY = -4.0
"""Log prior of a thing that hardly ever happens unasked, such as a column fallen over."""

STOLEN = -8.0
"""Log prior of a column taken away that nobody may take. Sight can seldom tell it from one that fell off the table, which is far
likelier: nearer to `UNLIKELY` every such fall is asked about."""


UNHEARD_OF = -6.0
"""Log prior of what is not even among the unlikely. Higher: the shadow of a column that lies about makes a question."""

ONE_MORE = 0.7
"""What each further column costs of those that fell over together (natural log): one that goes takes the next along half of the time."""

MOST_FALLEN = 6
"""So many columns are tried as fallen over together; each more doubles what is asked."""


@dataclass(frozen=True, slots=True)
class Weighted:
    """A hypothesis with its log prior."""

    hypothesis: Hypothesis
    log_prior: float
    weightless: bool = False
    """The settled weight says nothing about it: what fell may have lain on the plate, or beside it."""


@dataclass(frozen=True, slots=True)
class Expected:
    """What the game's state makes likely: columns that may be raised, taken out, and the plateau that may be laid now."""

    raisable: frozenset[Column]
    removable: frozenset[Column]
    layable: Floor | None
    unspoken: bool = False
    """The plateau may be asked for, but nobody has been heard to."""


FALL = (Weighted(Nothing(), 0.0), Weighted(Fallen(), UNLIKELY / 2), Weighted(NoneOfThese(), 0.0))
"""All that is asked while things still move: has it fallen?"""


def set_up(tower: Tower, pieces: PieceSet, near: tuple[float, float] | None) -> tuple[Weighted, ...]:
    """During set-up: one more column of a kind not yet all standing, or the blue plateau; near where the scale felt it."""
    x_mm, y_mm = near if near is not None else (None, None)
    found = [Weighted(Nothing(), 0.0)]
    for kind in pieces.counts():
        column = next_of_kind(tower, pieces, kind)
        if column is not None:
            found.append(Weighted(Added(column=column, floor=Floor.GROUND, near_x_mm=x_mm, near_y_mm=y_mm), 0.0))
    if len(tower.columns) >= 3:
        everything = len(tower.columns) == len(pieces.columns)
        blue = PlateauLaid(plateau=Floor.BLUE, near_x_mm=x_mm, near_y_mm=y_mm)
        found.append(Weighted(blue, 0.0 if everything else ILLEGAL))
    found += [Weighted(Removed(column=standing.column), UNLIKELY) for standing in tower.columns]
    return (*found, Weighted(NoneOfThese(), 0.0))


def next_of_kind(tower: Tower, pieces: PieceSet, kind: tuple[Colour, Shape]) -> Column | None:
    """The first column of this kind that does not stand yet; None if the box holds no more."""
    standing = {s.column for s in tower.columns}
    return next((column for column in pieces.columns if column.kind == kind and column not in standing), None)


def play(tower: Tower, expected: Expected, next_plateau: Floor | None) -> tuple[Weighted, ...]:
    """During play: nothing, any column raised, a column taken out, the next plateau laid, a fall, none of these."""
    top = tower.top_floor
    found = [Weighted(Nothing(), 0.0)]
    for standing in tower.columns:
        if standing.floor is not top:
            legal = standing.column in expected.raisable
            found.append(Weighted(Moved(column=standing.column, floor=top), 0.0 if legal else ILLEGAL))
    found += [Weighted(Removed(column=column), 0.0) for column in sorted(expected.removable) if tower.find(column)]
    if next_plateau is not None:
        legal_prior = UNSPOKEN if expected.unspoken else 0.0
        found.append(Weighted(PlateauLaid(plateau=next_plateau), legal_prior if expected.layable is next_plateau else ILLEGAL))
    found.append(Weighted(Fallen(), UNLIKELY / 2))
    return (*found, Weighted(NoneOfThese(), 0.0))


def wider(tower: Tower, expected: Expected) -> tuple[Weighted, ...]:
    """What is asked as well when nothing of `play` explains the pictures: columns fallen or gone, two raised, one stacked on another.

    That something unlikely happened is known by then, so none of these must be less likely than the rest of it.
    """
    top = tower.top_floor
    own = [column for column in sorted(expected.raisable) if tower.find(column)]
    found = [Weighted(Toppled(columns=(standing.column,)), UNLIKELY) for standing in tower.columns]
    found += [Weighted(Removed(column=s.column), STOLEN) for s in tower.columns if s.column not in expected.removable]
    found += [Weighted(MovedTwo(columns=pair, floor=top), TWICE) for pair in combinations(own, 2)]
    found += [Weighted(Stacked(column=column, on=s.column), TWICE) for column in own for s in tower.on(top)]
    return (*found, Weighted(NoneOfThese(), UNHEARD_OF))


def fallen_together(toppled: Mapping[Column, float], tower: Tower) -> tuple[Weighted, ...]:
    """Several columns fallen over at once; `toppled`: by how much each alone explains more (natural log) than that nothing has changed.

    They stood on the top floor, but for one that may have been in somebody's hand: below, a plateau holds them.
    """
    ranked = [column for column in sorted(toppled, key=lambda column: -toppled[column]) if toppled[column] > 0]
    free = {standing.column for standing in tower.on(tower.top_floor)}
    suspects = sorted(
        [column for column in ranked if column in free][:MOST_FALLEN] + [column for column in ranked if column not in free][:1]
    )
    return tuple(
        Weighted(Toppled(columns=some), UNLIKELY - ONE_MORE * (number - 1))
        for number in range(2, len(suspects) + 1)
        for some in combinations(suspects, number)
    )


def gone(tower: Tower) -> tuple[Weighted, ...]:
    """Is a column not in its place, wherever it may be?"""
    ways = [Weighted(way, UNLIKELY) for s in tower.columns for way in (Toppled(columns=(s.column,)), Removed(column=s.column))]
    return (Weighted(Nothing(), 0.0), *ways, Weighted(NoneOfThese(), UNLIKELY))


def with_place(weighted: Iterable[Weighted], near: tuple[float, float] | None) -> tuple[Weighted, ...]:
    """The same with the place the scale felt, for a plateau that may have been laid."""
    if near is None:
        return tuple(weighted)
    return tuple(
        Weighted(PlateauLaid(plateau=w.hypothesis.plateau, near_x_mm=near[0], near_y_mm=near[1]), w.log_prior)
        if isinstance(w.hypothesis, PlateauLaid)
        else w
        for w in weighted
    )
