"""Which of the things that could have happened did? The list, with the priors the game's state gives each.

Rules propose, senses dispose: what the rules allow now comes with prior 0; the likely illegal things come at a capped price, so that clear
sight always wins over what ought to be; and "none of these" is always there.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from itertools import combinations

from rig.messages import Added, Fallen, Hypothesis, Moved, MovedTwo, NoneOfThese, Nothing, PlateauLaid, Removed, Stacked, Toppled, Tower
from rig.pieces import Colour, Column, Floor, PieceSet, Shape
from rig.referee.tunables import TUNED, Tunables


@dataclass(frozen=True, slots=True)
class Weighted:
    """A hypothesis with its log prior (natural logarithm, 0 for what the rules expect)."""

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
    challengeable: frozenset[Column] = frozenset()
    """Columns that an opponent may be raising to refute a request, without having said so (C7)."""


def fall(tuned: Tunables = TUNED) -> tuple[Weighted, ...]:
    """All that is asked while things still move: has it fallen?"""
    return (Weighted(Nothing(), 0.0), Weighted(Fallen(), tuned.fall), Weighted(NoneOfThese(), 0.0))


def set_up(tower: Tower, pieces: PieceSet, near: tuple[float, float] | None, tuned: Tunables = TUNED) -> tuple[Weighted, ...]:
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
        found.append(Weighted(blue, 0.0 if everything else tuned.illegal))
    found += [Weighted(Removed(column=standing.column), tuned.unlikely) for standing in tower.columns]
    return (*found, Weighted(NoneOfThese(), 0.0))


def next_of_kind(tower: Tower, pieces: PieceSet, kind: tuple[Colour, Shape]) -> Column | None:
    """The first column of this kind that does not stand yet; None if the box holds no more."""
    standing = {s.column for s in tower.columns}
    return next((column for column in pieces.columns if column.kind == kind and column not in standing), None)


def play(tower: Tower, expected: Expected, next_plateau: Floor | None, tuned: Tunables = TUNED) -> tuple[Weighted, ...]:
    """During play: nothing, any column raised, a column taken out, the next plateau laid, a fall, none of these."""
    top = tower.top_floor
    found = [Weighted(Nothing(), 0.0)]
    for standing in tower.columns:
        if standing.floor is not top:
            prior = 0.0 if standing.column in expected.raisable else tuned.illegal
            if standing.column in expected.challengeable:
                prior = max(prior, tuned.unannounced)
            found.append(Weighted(Moved(column=standing.column, floor=top), prior))
    found += [Weighted(Removed(column=column), 0.0) for column in sorted(expected.removable) if tower.find(column)]
    if next_plateau is not None:
        legal_prior = tuned.unspoken if expected.unspoken else 0.0
        found.append(Weighted(PlateauLaid(plateau=next_plateau), legal_prior if expected.layable is next_plateau else tuned.illegal))
    found.append(Weighted(Fallen(), tuned.fall))
    return (*found, Weighted(NoneOfThese(), 0.0))


def wider(tower: Tower, expected: Expected, tuned: Tunables = TUNED) -> tuple[Weighted, ...]:
    """What is asked as well when nothing of `play` explains the pictures: columns fallen or gone, two raised, one stacked on another.

    That something unlikely happened is known by then, so none of these must be less likely than the rest of it.
    """
    top = tower.top_floor
    own = [column for column in sorted(expected.raisable) if tower.find(column)]
    found = [Weighted(Toppled(columns=(standing.column,)), tuned.unlikely) for standing in tower.columns]
    found += [Weighted(Removed(column=s.column), tuned.stolen) for s in tower.columns if s.column not in expected.removable]
    found += [Weighted(MovedTwo(columns=pair, floor=top), tuned.twice) for pair in combinations(own, 2)]
    found += [Weighted(Stacked(column=column, on=s.column), tuned.twice) for column in own for s in tower.on(top)]
    return (*found, Weighted(NoneOfThese(), tuned.unheard_of))


def fallen_together(toppled: Mapping[Column, float], tower: Tower, tuned: Tunables = TUNED) -> tuple[Weighted, ...]:
    """Several columns fallen over at once; `toppled`: by how much each alone explains more (natural log) than that nothing has changed.

    They stood on the top floor, but for one that may have been in somebody's hand: below, a plateau holds them.
    """
    ranked = [column for column in sorted(toppled, key=lambda column: -toppled[column]) if toppled[column] > 0]
    free = {standing.column for standing in tower.on(tower.top_floor)}
    suspects = sorted(
        [column for column in ranked if column in free][: tuned.most_fallen] + [column for column in ranked if column not in free][:1]
    )
    return tuple(
        Weighted(Toppled(columns=some), tuned.unlikely - tuned.one_more * (number - 1))
        for number in range(2, len(suspects) + 1)
        for some in combinations(suspects, number)
    )


def gone(tower: Tower, removable: Collection[Column] = (), tuned: Tunables = TUNED) -> tuple[Weighted, ...]:
    """Is a column not in its place, wherever it may be? `removable`: those that may be taken out now."""
    ways: list[Weighted] = []
    for standing in tower.columns:
        taken_out = 0.0 if standing.column in removable else tuned.unlikely
        ways.append(Weighted(Toppled(columns=(standing.column,)), tuned.unlikely))
        ways.append(Weighted(Removed(column=standing.column), taken_out))
    return (Weighted(Nothing(), 0.0), *ways, Weighted(NoneOfThese(), tuned.unlikely))


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
