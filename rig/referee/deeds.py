"""From the hypothesis that won to the fact that is told and the event the rules hear.

Here tolerances are applied and nothing else: measured numbers go into the fact's details, and only what passes its tolerance becomes a flag
of the event. Whether the rules allow the deed is not asked.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from rig.messages import Added, Fact, FactKind, Fallen, Hypothesis, Moved, MovedTwo, PlateauLaid, Removed, Stacked, Toppled, Tower
from rig.pieces import Column, Floor
from rig.profile import Profile
from rig.referee import measure
from rig.referee.book import Book
from rig.referee.outbox import Outbox
from rig.referee.verdict import Candidate
from rig.rules import events


def described(
    found: Candidate, outbox: Outbox, t_s: float, book: Book, before: Tower, after: Tower, profile: Profile
) -> Iterator[tuple[Fact, events.Event | None]]:
    """The facts of what was found, one a deed, each with its event for the rules (None: nothing the rules need to hear)."""
    out = {column for column in profile.pieces.columns if not book.setting_up and book.game.where(column) is None}
    for kind, column, floor, details, event in _deeds(
        found.hypothesis, book.setting_up, book.actor, book.attempt_columns(), before, after, profile
    ):
        fact = Fact(
            id=outbox.next_id(), t_s=t_s, kind=kind, seat=book.actor, column=column, floor=floor, confidence=found.posterior,
            evidence=found.evidence, details=details,
        )  # fmt: skip
        # A refuted claim's column is out of the game by the rules before anybody takes it off the tower.
        yield fact, None if kind is FactKind.REMOVED and column in out else event


_Deed = tuple[FactKind, Column | None, Floor | None, dict[str, float], events.Event | None]


def _deeds(
    hypothesis: Hypothesis, setting_up: bool, actor: int | None, attempted: Sequence[Column], before: Tower, after: Tower, profile: Profile
) -> Iterator[_Deed]:
    match hypothesis:
        case MovedTwo(columns=columns, floor=floor):
            for column in columns:
                kind, _, onto, details, raised = _deed(Moved(column=column, floor=floor), setting_up, before, after, profile)
                # The same hands took both, though the first may have ended the turn.
                yield kind, column, onto, details, replace(raised, by=actor) if isinstance(raised, events.Raised) else raised
        case Toppled(columns=columns):
            tried = next((column for column in columns if column in attempted), None)
            yield FactKind.INCIDENT, columns[0], None, {"fallen": float(len(columns))}, events.Incident(tried, fallen=columns)
        case Stacked(column=column, on=on):
            standing = after.find(on)
            floor = standing.floor if standing is not None else after.top_floor
            details, raised = _raise(column, before, after, profile)
            yield FactKind.RAISED, column, floor, details, replace(raised, on_column=on)
        case _:
            yield _deed(hypothesis, setting_up, before, after, profile)


def _deed(hypothesis: Hypothesis, setting_up: bool, before: Tower, after: Tower, profile: Profile) -> _Deed:
    match hypothesis:
        case Added(column=column, floor=floor):
            standing = after.find(column)
            if not setting_up:  # stood up again: the rules have it standing there all the while
                return FactKind.STOOD, column, floor, {}, None
            ring = standing is not None and (standing.x_mm**2 + standing.y_mm**2) ** 0.5 > profile.base.site_radius_mm
            return FactKind.STOOD, column, floor, {}, events.Placed(column, floor, outer_ring=ring)
        case Moved(column=column, floor=floor):
            details, raised = _raise(column, before, after, profile)
            return FactKind.RAISED, column, floor, details, raised
        case Removed(column=column):
            return (
                FactKind.REMOVED,
                column,
                None,
                {},
                events.TakenOut(column, shifted=_shifted(before, after), nudged=_nudged(column, before, after)),
            )
        case PlateauLaid(plateau=plateau):
            laid = next((laid for laid in after.plateaus if laid.plateau is plateau), None)
            if laid is None:
                return FactKind.LAID, None, plateau, {}, events.PlateauLaid(plateau)
            under = measure.covered(after, laid, profile)
            beyond_mm = measure.beyond_base(laid, profile)
            details = {"covers": float(len(under)), "beyond_base_mm": round(beyond_mm, 1)}
            lain = events.PlateauLaid(
                plateau, covers=len(under), beyond_edge=beyond_mm >= measure.OVERHANG_MM, partial=any(not whole for _, whole in under)
            )
            return FactKind.LAID, None, plateau, details, lain
        case Fallen():
            return FactKind.COLLAPSED, None, None, {}, events.Collapsed()
        case _:
            return FactKind.UNCHANGED, None, None, {}, None


def _shifted(before: Tower, after: Tower) -> tuple[Floor, ...]:
    return tuple(plateau for plateau, _, _ in measure.shifted(before, after))


def _nudged(column: Column, before: Tower, after: Tower) -> tuple[Column, ...]:
    return tuple(other for other, _ in measure.nudged(before, after, column))


def _raise(column: Column, before: Tower, after: Tower, profile: Profile) -> tuple[dict[str, float], events.Raised]:
    standing = after.find(column)
    over_mm = measure.overhang_mm(after, standing, profile) if standing is not None else 0.0
    event = events.Raised(
        column,
        standing.floor if standing is not None else None,
        overhang_mm=round(over_mm, 1) if over_mm >= measure.OVERHANG_MM else 0.0,
        shifted=_shifted(before, after),
        nudged=_nudged(column, before, after),
    )
    details = {"overhang_mm": round(over_mm, 1)}
    details |= {f"shifted_{plateau.word}_mm": round(by_mm, 1) for plateau, by_mm, _ in measure.shifted(before, after)}
    details |= {f"nudged_{other}_mm": round(by_mm, 1) for other, by_mm in measure.nudged(before, after, column)}
    return details, event
