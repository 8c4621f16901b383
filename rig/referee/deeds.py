"""From a hypothesis of one course to what it amounts to there: the facts that would be told and the events the rules would hear.

Here tolerances are applied and nothing else: measured numbers go into a fact's details, and only what passes its tolerance becomes a flag
of the event. Whether the rules allow the deed is not asked. One hypothesis may have several variants: who did it, when nobody spoke.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, replace

from rig.messages import Added, Evidence, Fact, FactKind, Fallen, Hypothesis, Moved, MovedTwo, PlateauLaid, Removed, Stacked, Toppled, Tower
from rig.pieces import Column, Floor
from rig.profile import Profile
from rig.referee import measure
from rig.referee.belief import Course, applied_all
from rig.referee.expectations import attempt_columns, challengeable, challengers, may_request
from rig.referee.tunables import TUNED, Tunables
from rig.rules import Game, Phase, events

UNNUMBERED = 0
"""The id of a fact that has not been told."""

FIRST_SHARE = 0.6
"""Of an action with two columns, the share by which the first has been set down (by the pace of the twin's hands: half, and the hands
leave last)."""


@dataclass(frozen=True, slots=True)
class Variant:
    """One way to take a hypothesis: its log prior beyond the hypothesis's own, the events for the rules and the facts, unnumbered."""

    log_prior: float
    events: tuple[events.Event, ...]
    facts: tuple[Fact, ...]


@dataclass(frozen=True, slots=True)
class Scene:
    """What is needed to describe a deed: when, how sure, by what evidence, with whose measures."""

    t_s: float
    confidence: float
    evidence: tuple[Evidence, ...]
    profile: Profile
    tuned: Tunables = TUNED
    felt: tuple[tuple[float, float], ...] = ()
    """Weights felt lifted or set down, in time order: how far the action was on (share of its duration), grams."""
    denied: frozenset[int] = frozenset()
    """Seats of which the table has said that they put no column back."""


def variants(hypothesis: Hypothesis, course: Course, after: Tower, scene: Scene) -> Iterator[Variant]:
    """What the hypothesis amounts to in this course."""
    if isinstance(hypothesis, MovedTwo):
        yield from _in_either_order(hypothesis, course, after, scene)
        return
    deeds = tuple(_deeds(hypothesis, course, after, scene))
    facts = tuple(_fact(deed, course, scene) for deed in deeds if deed.kind is not FactKind.UNCHANGED)
    heard = tuple(deed.event for deed in deeds if deed.event is not None)
    columns = challengeable(course.game)
    if len(heard) == 1 and isinstance(heard[0], events.Raised) and heard[0].column in columns:
        yield from _unannounced(heard[0], facts, course, scene.tuned)
        return
    if any(isinstance(event, events.PlateauLaid) for event in heard) and may_request(course.game):
        # Nobody heard the request, but the plateau lies: laying it without a word of protest was the request (A1).
        heard = (events.Requested(by=course.game.actor), *heard)
    yield Variant(0.0, heard, facts)
    if len(heard) == 1 and isinstance(heard[0], (events.Raised, events.PlateauLaid, events.TakenOut)):
        yield from _after_an_unnoticed_end(heard[0], facts, course, scene)


def _in_either_order(pair: MovedTwo, course: Course, after: Tower, scene: Scene) -> Iterator[Variant]:
    """Two columns raised: which came first, the scale may have felt, and where it is the only one that may go up, the rules say."""
    masses_g = [scene.profile.columns[column.shape].mass_g for column in pair.columns]
    for first, second in ((0, 1), (1, 0)):
        columns = (pair.columns[first], pair.columns[second])
        deeds = tuple(_deeds(MovedTwo(columns=columns, floor=pair.floor), course, after, scene))
        log = _felt_in_order((masses_g[first], masses_g[second]), scene)
        log += scene.tuned.illegal if course.game.why_not(events.Raised(columns[0], by=course.game.actor)) else 0.0
        facts = tuple(_fact(deed, course, scene) for deed in deeds)
        yield Variant(log, tuple(deed.event for deed in deeds if deed.event is not None), facts)


def _felt_in_order(masses_g: tuple[float, float], scene: Scene) -> float:
    """Log likelihood of what was felt, if these masses were carried in this order: each weight is of the column whose part it falls in."""
    tuned = scene.tuned
    return sum(
        max(-3.0, -0.5 * ((felt_g - masses_g[0 if at < FIRST_SHARE else 1]) / (3 * tuned.carried_sigma_g)) ** 2)
        for at, felt_g in scene.felt
    )


def _after_an_unnoticed_end(
    deed: events.Raised | events.PlateauLaid | events.TakenOut, facts: tuple[Fact, ...], course: Course, scene: Scene
) -> Iterator[Variant]:
    """A deed against the rules may be one by them, if what came before it had ended in a way that nobody noticed."""
    if course.game.phase not in _TURNS or not course.game.why_not(deed):
        return
    # A deed against the rules comes with the price of one; here it is by the rules.
    against = scene.tuned.stolen if isinstance(deed, events.TakenOut) else scene.tuned.illegal
    for log_prior, before in unnoticed_ends(course.game, scene):
        game = applied_all(course.game, before)
        if game is None or game.why_not(deed):
            continue
        ended = tuple(fact for event in before if isinstance(event, events.Aborted) for fact in aborted(event.column, course, scene).facts)
        told = tuple(_by(fact, game.actor) for fact in facts)
        yield Variant(log_prior - against, (*before, deed), (*ended, *told))


_TURNS = (Phase.BUILD, Phase.RETRY, Phase.OWN, Phase.CLAIM, Phase.CHALLENGE, Phase.PENALTY, Phase.LAY)


def unnoticed_ends(game: Game, scene: Scene) -> Iterator[tuple[float, tuple[events.Event, ...]]]:
    """Ways in which what is in progress may have ended, with their log priors: words unheard, or an attempt unseen."""
    tuned = scene.tuned
    unlaid = tuned.unheard + tuned.no_deed
    match game.phase:
        case Phase.CLAIM:
            yield unlaid, (events.Unchallenged(), events.CannotLay())
        case Phase.LAY:  # whoever may lay hardly does anything else
            yield tuned.unheard, (events.CannotLay(),)
        case Phase.PENALTY:
            yield tuned.unheard, (events.PenaltyWaived(),)
            yield unlaid, (events.PenaltyWaived(), events.CannotLay())
        case Phase.CHALLENGE:
            yield tuned.unheard, (events.GaveUp(),)
            yield 2 * tuned.unheard, (events.GaveUp(), events.PenaltyWaived())
            yield tuned.unheard + unlaid, (events.GaveUp(), events.PenaltyWaived(), events.CannotLay())
        case Phase.BUILD if game.next_plateau is not None and game.position.may_be_laid():
            request = (events.Requested(by=game.actor), events.Unchallenged())
            yield tuned.unheard + unlaid, (*request, events.CannotLay())
        case Phase.BUILD if game.next_plateau is None:
            yield unlaid, (events.BuiltNothing(by=game.actor),)
    if game.actor in scene.denied:
        return
    columns = attempt_columns(game)
    for column in columns:
        yield tuned.unseen - math.log(len(columns)), (events.Aborted(column),)


def _unannounced(raised: events.Raised, facts: tuple[Fact, ...], course: Course, tuned: Tunables) -> Iterator[Variant]:
    """The claimant's column goes up while the request waits: some opponent's challenge (C7), or the claimant broke A2."""
    seats = challengers(course.game)
    for seat in seats:
        yield Variant(-math.log(len(seats)), (replace(raised, by=seat),), tuple(_by(fact, seat) for fact in facts))
    claimant = course.game.turn
    own = tuple(_by(fact, claimant) for fact in facts)
    yield Variant(tuned.illegal - tuned.unannounced, (replace(raised, by=claimant),), own)


def _by(fact: Fact, seat: int | None) -> Fact:
    return Fact(UNNUMBERED, fact.t_s, fact.kind, seat, fact.column, fact.floor, fact.confidence, fact.evidence, fact.details)


@dataclass(frozen=True, slots=True)
class _Deed:
    kind: FactKind
    column: Column | None = None
    floor: Floor | None = None
    details: dict[str, float] | None = None
    event: events.Event | None = None


def _fact(deed: _Deed, course: Course, scene: Scene) -> Fact:
    return Fact(
        id=UNNUMBERED, t_s=scene.t_s, kind=deed.kind, seat=course.game.actor, column=deed.column, floor=deed.floor,
        confidence=scene.confidence, evidence=scene.evidence, details=deed.details or {},
    )  # fmt: skip


def _deeds(hypothesis: Hypothesis, course: Course, after: Tower, scene: Scene) -> Iterator[_Deed]:
    before = course.tower
    match hypothesis:
        case MovedTwo(columns=columns, floor=floor):
            for column in columns:
                details, raised = _raise(column, before, after, scene)
                # The same hands took both, though the first may have ended the turn.
                yield _Deed(FactKind.RAISED, column, floor, details, replace(raised, by=course.game.actor))
        case Toppled(columns=columns):
            yield fell_over(columns, course)
        case Stacked(column=column, on=on):
            standing = after.find(on)
            floor = standing.floor if standing is not None else after.top_floor
            details, raised = _raise(column, before, after, scene)
            yield _Deed(FactKind.RAISED, column, floor, details, replace(raised, on_column=on))
        case Moved(column=column, floor=floor):
            details, raised = _raise(column, before, after, scene)
            yield _Deed(FactKind.RAISED, column, floor, details, raised)
        case Removed(column=column):
            yield _removed(column, course, after, scene)
        case PlateauLaid(plateau=plateau):
            yield _laid(plateau, course, after, scene)
        case Added(column=column, floor=floor):
            yield _stood(column, floor, course, after, scene)
        case Fallen():
            yield _Deed(FactKind.COLLAPSED, event=events.Collapsed())
        case _:
            yield _Deed(FactKind.UNCHANGED)


def fell_over(columns: tuple[Column, ...], course: Course) -> _Deed:
    """Columns fell over (E7, level B); the attempt's own column among them is named."""
    attempted = attempt_columns(course.game)
    tried = next((column for column in columns if column in attempted), None)
    return _Deed(FactKind.INCIDENT, columns[0], None, {"fallen": float(len(columns))}, events.Incident(tried, fallen=columns))


def incident(column: Column, course: Course, scene: Scene) -> Variant:
    """A column had fallen and was stood up again."""
    deed = fell_over((column,), course)
    assert deed.event is not None
    return Variant(0.0, (deed.event,), (_fact(deed, course, scene),))


def aborted(column: Column, course: Course, scene: Scene, by: int | None = None) -> Variant:
    """A column was moved and put back; `by`: whose deed it was, where that is not whoever acts."""
    standing = course.tower.find(column)
    deed = _Deed(FactKind.ABORTED, column, standing.floor if standing is not None else None)
    fact = _fact(deed, course, scene)
    return Variant(0.0, (events.Aborted(column, by=by),), (fact if by is None else _by(fact, by),))


def collapsed(seat: int | None, course: Course, scene: Scene) -> Variant:
    """The tower fell by the doing of `seat`; None: of nobody playing."""
    fact = _by(_fact(_Deed(FactKind.COLLAPSED), course, scene), seat)
    return Variant(0.0, (events.Collapsed(by=seat, outside=seat is None),), (fact,))


def _stood(column: Column, floor: Floor, course: Course, after: Tower, scene: Scene) -> _Deed:
    if course.game.phase is not Phase.SET_UP:  # stood up again: the rules have it standing there all the while
        return _Deed(FactKind.STOOD, column, floor)
    standing = after.find(column)
    ring = standing is not None and math.hypot(standing.x_mm, standing.y_mm) > scene.profile.base.site_radius_mm
    return _Deed(FactKind.STOOD, column, floor, None, events.Placed(column, floor, outer_ring=ring))


def _removed(column: Column, course: Course, after: Tower, scene: Scene) -> _Deed:
    game = course.game
    if game.phase is not Phase.SET_UP and game.where(column) is None:
        # A refuted claim's column is out of the game by the rules before anybody takes it off the tower.
        return _Deed(FactKind.REMOVED, column)
    shifted, nudged = _traces(column, course.tower, after, scene.tuned)
    return _Deed(FactKind.REMOVED, column, None, None, events.TakenOut(column, shifted=shifted, nudged=nudged))


def _laid(plateau: Floor, course: Course, after: Tower, scene: Scene) -> _Deed:
    laid = next((laid for laid in after.plateaus if laid.plateau is plateau), None)
    if laid is None:
        return _Deed(FactKind.LAID, None, plateau, None, events.PlateauLaid(plateau))
    profile, tuned = scene.profile, scene.tuned
    under = measure.covered(after, laid, profile, tuned)
    beyond_mm = measure.beyond_base(laid, profile)
    details = {"covers": float(len(under)), "beyond_base_mm": round(beyond_mm, 1)}
    needed = course.game.table.needed(plateau)
    accusing = len(under) < needed and len(measure.may_cover(after, laid, profile, tuned)) < needed
    lain = events.PlateauLaid(
        plateau, covers=len(under) if accusing or len(under) >= needed else None,
        beyond_edge=beyond_mm >= tuned.overhang_mm, partial=any(not whole for _, whole in under),
    )  # fmt: skip
    return _Deed(FactKind.LAID, None, plateau, details, lain)


def _traces(column: Column, before: Tower, after: Tower, tuned: Tunables) -> tuple[tuple[Floor, ...], tuple[Column, ...]]:
    shifted = tuple(plateau for plateau, _, _ in measure.shifted(before, after, tuned))
    return shifted, tuple(other for other, _ in measure.nudged(before, after, column, tuned))


def _raise(column: Column, before: Tower, after: Tower, scene: Scene) -> tuple[dict[str, float], events.Raised]:
    tuned = scene.tuned
    standing = after.find(column)
    over_mm = measure.overhang_mm(after, standing, scene.profile) if standing is not None else 0.0
    shifted, nudged = _traces(column, before, after, tuned)
    event = events.Raised(
        column,
        standing.floor if standing is not None else None,
        overhang_mm=round(over_mm, 1) if over_mm >= tuned.overhang_mm + tuned.accuse_mm else 0.0,
        shifted=shifted,
        nudged=nudged,
    )
    details = {"overhang_mm": round(over_mm, 1)}
    details |= {f"shifted_{plateau.word}_mm": round(by_mm, 1) for plateau, by_mm, _ in measure.shifted(before, after, tuned)}
    details |= {f"nudged_{other}_mm": round(by_mm, 1) for other, by_mm in measure.nudged(before, after, column, tuned)}
    return details, event
