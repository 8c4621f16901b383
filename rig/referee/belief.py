"""The belief over games: up to a dozen courses, each a game, a tower and a weight, normalised.

Every action turns each course into its children. Children that amount to the same game and tower merge; what falls below a share of the
best is dropped. One course is the *told* one: its history is what has been said. What the courses have not in common is their tails; what
all of them share is settled and forgotten here. Everything is a value; `told.py` brings the books in line.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass, replace

from rig.errors import PalettiError
from rig.messages import Fact, Standing, Tower
from rig.pieces import Column
from rig.referee.tunables import TUNED, Tunables
from rig.rules import Game, RulingKind
from rig.rules.events import Event, Seat

LEAST = -700.0
"""Natural logarithms below this are nought to a float (IEEE 754)."""


@dataclass(frozen=True, slots=True)
class Happening:
    """What one course takes to have happened on one occasion: the events for the rules, and the facts as drafted (numbered when told)."""

    occasion: int
    events: tuple[Event, ...] = ()
    facts: tuple[Fact, ...] = ()


@dataclass(frozen=True, slots=True)
class Course:
    """One way in which the game may have gone."""

    game: Game
    tower: Tower
    log_weight: float = 0.0
    tail: tuple[Happening, ...] = ()
    """What happened since all courses last agreed, in order."""
    fallen: tuple[Standing, ...] = ()
    """Columns that fell and have not been stood up, where they stood."""
    last_deed: tuple[Seat | None, float] = (None, 0.0)
    """Who completed the last deed, and when."""
    told: bool = False

    @property
    def weight(self) -> float:
        return math.exp(max(LEAST, self.log_weight))

    def at(self, occasion: int) -> Happening | None:
        return next((one for one in self.tail if one.occasion == occasion), None)


@dataclass(frozen=True, slots=True)
class Belief:
    """The courses, heaviest first, and what they were before each occasion that is still open."""

    courses: tuple[Course, ...]
    origins: tuple[tuple[int, tuple[Course, ...]], ...] = ()
    unexplained: float = 0.0
    """Probability that the latest occasion was none of what the courses have."""

    @property
    def told(self) -> Course:
        """The course whose history has been said."""
        return next(course for course in self.courses if course.told)

    @property
    def certain(self) -> bool:
        return len(self.courses) == 1

    def origin(self, occasion: int) -> tuple[Course, ...]:
        """The courses as they were before it; empty if it is settled."""
        return dict(self.origins).get(occasion, ())

    def marginal(self, occasion: int) -> float:
        """Probability of what is told of that occasion, over all courses."""
        said = _said(self.told, occasion)
        agreeing = sum(course.weight for course in self.courses if _said(course, occasion) == said)
        latest = max((one.occasion for course in self.courses for one in course.tail), default=occasion)
        return agreeing * (1.0 - (self.unexplained if occasion >= latest else 0.0))

    @property
    def occasions(self) -> tuple[int, ...]:
        """Those on which the courses differ, in order."""
        return tuple(sorted({one.occasion for course in self.courses for one in course.tail}))


def certain(game: Game, tower: Tower, before: Course | None = None) -> Belief:
    """One course only; what fell and who acted last as in `before`."""
    if before is None:
        return Belief((Course(game, tower, told=True),))
    return Belief((replace(before, game=game, tower=tower, log_weight=0.0, tail=(), told=True),))


def grown(before: Belief, occasion: int, children: Iterable[Course], unexplained: float = 0.0, tuned: Tunables = TUNED) -> Belief:
    """The belief after an occasion: its children merged, dropped, normalised; the told course chosen anew."""
    merged = _merged(children)
    kept = _kept(merged, tuned)
    told = _chosen(kept, tuned)
    courses = tuple(replace(course, told=course is told) for course in kept)
    origins = (*((o, c) for o, c in before.origins if o != occasion), (occasion, before.courses))
    return Belief(courses, origins, unexplained)


def reweighed(before: Belief, log_likelihoods: Sequence[float], tuned: Tunables = TUNED) -> Belief:
    """The belief after evidence that speaks for or against each course (natural logarithms)."""
    courses = [replace(c, log_weight=c.log_weight + log) for c, log in zip(before.courses, log_likelihoods, strict=True)]
    kept = _kept(courses, tuned)
    told = _chosen(kept, tuned)
    return replace(before, courses=tuple(replace(course, told=course is told) for course in kept))


def applied(game: Game, event: Event) -> Game | None:
    """The game after the event; None if it cannot have happened."""
    try:
        return game.apply(event)
    except PalettiError:
        return None


def applied_all(game: Game, events: Iterable[Event]) -> Game | None:
    """The game after all events; None if one cannot have happened, or is refused."""
    for event in events:
        following = applied(game, event)
        if following is None or any(ruling.kind is RulingKind.REFUSED for ruling in following.rulings):
            return None
        game = following
    return game


def position_key(course: Course) -> Hashable:
    """What makes two courses the same game and tower. How many events led there is no difference, who held a score longest is."""
    p = course.game.position
    ranks = tuple(sorted(set(p.since)).index(since) for since in p.since)
    where = tuple(sorted((s.column, s.floor) for s in course.tower.columns))
    rules = p._replace(ticks=0, since=ranks)[1:]
    return rules, where, tuple(sorted(s.column for s in course.fallen))


def result_key(course: Course) -> Hashable:
    """What the result can depend on: turn, score, seal, locks, end. Which of two alike, unlocked columns stands where is no part of it."""
    p = course.game.position
    unlocked = Counter((c.kind, floor) for c, floor in zip(p.table.columns, p.floors, strict=True) if c not in p.locked)
    return (
        (p.phase, p.turn, p.actor, p.scores, p.holder, p.predecessor, p.laid, p.outcome),
        tuple(sorted(p.locked)),
        tuple(sorted((str(kind), str(floor), n) for (kind, floor), n in unlocked.items())),
    )


def missing(course: Course) -> tuple[Column, ...]:
    """The columns that fell and have not been stood up."""
    return tuple(sorted(s.column for s in course.fallen))


def _said(course: Course, occasion: int) -> tuple[Event, ...]:
    happening = course.at(occasion)
    return happening.events if happening is not None else ()


def _merged(children: Iterable[Course]) -> list[Course]:
    """Courses that amount to the same, joined under the told one's history, else under the heaviest's."""
    groups: dict[Hashable, list[Course]] = {}
    for child in children:
        groups.setdefault(position_key(child), []).append(child)
    joined = []
    for group in groups.values():
        best = max(group, key=lambda course: (course.told, course.log_weight))
        joined.append(replace(best, log_weight=_log_sum([course.log_weight for course in group])))
    return joined


def _kept(courses: Iterable[Course], tuned: Tunables) -> list[Course]:
    """The heaviest, normalised, heaviest first."""
    ranked = sorted(courses, key=lambda course: -course.log_weight)[: max(1, tuned.beam)]
    least = ranked[0].log_weight + math.log(max(tuned.dropped, 1e-300))
    kept = [course for course in ranked if course.log_weight >= least]
    total = _log_sum([course.log_weight for course in kept])
    return [replace(course, log_weight=course.log_weight - total) for course in kept]


def _chosen(courses: Sequence[Course], tuned: Tunables) -> Course:
    """Which course is told: the heaviest that agrees with what was told, unless that has become unlikely."""
    best = courses[0]
    agreeing = [course for course in courses if course.told]
    if not agreeing:
        return best
    return best if 1.0 - agreeing[0].weight >= tuned.revised else agreeing[0]


def trimmed(belief: Belief) -> Belief:
    """What all courses have in common at the start of their tails is settled."""
    tails = [course.tail for course in belief.courses]
    common = 0
    while all(len(tail) > common for tail in tails) and len({(tail[common].occasion, tail[common].events) for tail in tails}) == 1:
        common += 1
    if not common:
        return belief
    settled = tails[0][:common]
    courses = tuple(replace(course, tail=course.tail[common:]) for course in belief.courses)
    open_ones = {one.occasion for course in courses for one in course.tail}
    origins = []
    for occasion, before in belief.origins:
        agreeing = _agreeing(before, [one for one in settled if one.occasion < occasion])
        if occasion in open_ones and agreeing:
            origins.append((occasion, agreeing))
    return replace(belief, courses=courses, origins=tuple(origins))


def _agreeing(courses: Sequence[Course], settled: Sequence[Happening]) -> tuple[Course, ...]:
    """Those courses that have what is settled, without it."""
    past = {one.occasion for one in settled}
    agreeing = [c for c in courses if all(_said(c, one.occasion) == one.events for one in settled if c.at(one.occasion) is not None)]
    return tuple(replace(c, tail=tuple(one for one in c.tail if one.occasion not in past)) for c in agreeing)


def _log_sum(logs: Sequence[float]) -> float:
    most = max(logs)
    return most + math.log(sum(math.exp(max(LEAST, log - most)) for log in logs))
