"""One judgement: every sense's word for every hypothesis of every course put together, and whether that is enough to rule.

A margin alone never rules: the best hypothesis must also explain the pictures (an absolute test of fit), and "none of these" competes on
equal terms. All numbers that are added are natural logarithms of likelihoods, best = 0 by convention of the eyes.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from rig.messages import Added, Evidence, Fallen, Hypothesis, Judged, Moved, NoneOfThese, Nothing, Opinion, PlateauLaid, Stepped, Tower
from rig.profile import Profile
from rig.referee.belief import LEAST, Course
from rig.referee.hypotheses import Weighted
from rig.referee.predicted_tower import predicted
from rig.referee.same_places import names, own, renamed
from rig.referee.scale import hand_log_likelihood, settled_log_likelihood
from rig.referee.tunables import Tunables


@dataclass(frozen=True, slots=True)
class Child:
    """One hypothesis of one course after all senses have spoken; its log weight counts the course's own, and is not normalised."""

    course: int
    hypothesis: Hypothesis
    asked: Hypothesis
    log_weight: float
    tower: Tower | None
    evidence: tuple[Evidence, ...]


@dataclass(frozen=True, slots=True)
class Candidate:
    """What was asked of the eyes, after all senses have spoken, over all courses."""

    hypothesis: Hypothesis
    posterior: float
    tower: Tower | None
    evidence: tuple[Evidence, ...]


@dataclass(frozen=True, slots=True)
class Verdict:
    """Candidates, most likely first; whether the first may be ruled for good, and if not why. `fits`: something explains the pictures."""

    candidates: tuple[Candidate, ...]
    children: tuple[Child, ...]
    sure: bool
    doubt: str
    fits: bool = True
    fit: float = 1.0
    courses: tuple[Course, ...] = ()
    """Those whose children they are."""

    @property
    def best(self) -> Candidate:
        return self.candidates[0]

    def unexplained(self, tuned: Tunables) -> float:
        """Probability that it was something else: that of "none of these", and no less than pictures that fit badly leave open."""
        none = sum(c.posterior for c in self.candidates if isinstance(c.hypothesis, NoneOfThese))
        return max(none, tuned.misfit) if self.fit < tuned.fits else none


@dataclass(frozen=True, slots=True)
class Felt:
    """What the scale says of an action: the settled change (grams, None: not known) and what was felt meanwhile."""

    change_g: float | None
    steps: Sequence[Stepped]


def seen(candidate: Candidate) -> float:
    """What the cameras alone say of it: log likelihood, 0 for what they hold likeliest."""
    return next((evidence.log_odds for evidence in candidate.evidence if evidence.sense == "camera"), 0.0)


@dataclass(frozen=True, slots=True)
class Weighing:
    """What is the same for all hypotheses of one judgement."""

    judged: Judged
    asked: Mapping[Hypothesis, Opinion]
    felt: Felt
    frames: tuple[int, ...]
    profile: Profile
    tuned: Tunables


def weigh_up(courses: Sequence[Course], lists: Sequence[Sequence[Weighted]], weighing: Weighing) -> Verdict:
    """Posterior over what was asked; `lists`: each course's own hypotheses with their priors, in the order of `courses`."""
    judged = weighing.judged
    if not judged.opinions:
        return Verdict((), (), False, judged.sentence or "The pictures could not be read.", False)
    told = next(course.tower for course in courses if course.told)
    children: list[Child] = []
    for number, (course, listed) in enumerate(zip(courses, lists, strict=True)):
        places = names(course.tower, told, weighing.tuned)
        for weighted in listed:
            asked = renamed(weighted.hypothesis, places)
            opinion = weighing.asked.get(asked) if asked is not None else None
            tower = _tower_of(weighted.hypothesis, opinion, course, places, weighing.profile)
            if opinion is None or asked is None:
                # The told course has no such thing: if it is so, the eyes have found none of what they were asked.
                asked, opinion = weighted.hypothesis, weighing.asked.get(NoneOfThese(), Opinion(LEAST, None))
            log, evidence = _heard(weighted, opinion, weighing)
            children.append(Child(number, weighted.hypothesis, asked, course.log_weight + log, tower, evidence))
    candidates = _candidates(children)
    doubt, fits = _doubt(candidates, judged.fit, weighing.felt.change_g, weighing.tuned)
    return Verdict(candidates, tuple(children), not doubt, doubt, fits, judged.fit, tuple(courses))


def _tower_of(hypothesis: Hypothesis, opinion: Opinion | None, course: Course, places: Mapping, profile: Profile) -> Tower | None:  # type: ignore[type-arg]
    if opinion is None:
        return predicted(course.tower, hypothesis, profile)
    return own(opinion.tower, course.tower, places) if opinion.tower is not None else None


def _heard(weighted: Weighted, opinion: Opinion, weighing: Weighing) -> tuple[float, tuple[Evidence, ...]]:
    """Log likelihood times prior, and each sense's part of it."""
    hypothesis, felt, profile, tuned = weighted.hypothesis, weighing.felt, weighing.profile, weighing.tuned
    judged = weighing.judged
    settled = 0.0 if weighted.weightless else settled_log_likelihood(hypothesis, felt.change_g, profile, tuned)
    # what comes from beside the plate is felt in the settled weight; what fell may be picked up from the plate
    felt_settled = isinstance(hypothesis, Added) and not weighted.weightless
    hand = 0.0 if felt_settled else hand_log_likelihood(hypothesis, felt.steps, profile, tuned)
    evidence = [Evidence("camera", f"{judged.cameras} cameras, fit {judged.fit:.2f}", opinion.log_likelihood, weighing.frames)]
    if felt.change_g is not None and settled:
        evidence.append(Evidence("scale", f"settled weight changed by {felt.change_g:+.1f} g", settled))
    if hand:
        evidence.append(Evidence("scale", "weight felt while it was carried", hand))
    if weighted.log_prior:
        evidence.append(Evidence("rules", "less likely by the rules", weighted.log_prior))
    return opinion.log_likelihood + settled + hand + weighted.log_prior, tuple(evidence)


def _candidates(children: Sequence[Child]) -> tuple[Candidate, ...]:
    """The children by what was asked, with their share of all."""
    best = max(child.log_weight for child in children)
    groups: dict[Hypothesis, list[Child]] = {}
    for child in children:
        groups.setdefault(child.asked, []).append(child)
    mass = {asked: sum(math.exp(max(LEAST, c.log_weight - best)) for c in group) for asked, group in groups.items()}
    total = sum(mass.values())
    found = []
    for asked, group in groups.items():
        first = max(group, key=lambda child: child.log_weight)
        found.append(Candidate(asked, mass[asked] / total, first.tower, first.evidence))
    return tuple(sorted(found, key=lambda candidate: -candidate.posterior))


def _doubt(candidates: Sequence[Candidate], fit: float, change_g: float | None, tuned: Tunables) -> tuple[str, bool]:
    """Why the likeliest may not be ruled for good, as a sentence (empty: it may), and whether anything explains the pictures at all."""
    first = candidates[0]
    if isinstance(first.hypothesis, NoneOfThese):
        return "Nothing that the rules expect explains the pictures.", False
    if isinstance(first.hypothesis, Nothing) and change_g is not None and abs(change_g) > tuned.unseen_g:
        return f"The weight changed by {change_g:+.0f} g, but nothing is seen to have changed.", False
    falls = isinstance(first.hypothesis, Fallen)
    if falls and seen(first) < tuned.fall_seen:
        return "The weight says that the tower fell, but the eyes do not see it.", False
    if not falls and fit < tuned.fits:
        plain = isinstance(first.hypothesis, (Moved, PlateauLaid, Nothing)) and _with_its_doubles(candidates) >= tuned.tellable
        return "The best explanation fits the pictures badly.", plain
    tellable = not falls and _with_its_doubles(candidates) >= tuned.tellable
    if first.posterior < tuned.sure:
        return f"Two things are about equally likely ({first.posterior:.0%} against {candidates[1].posterior:.0%}).", tellable
    return "", True


def _with_its_doubles(candidates: Sequence[Candidate]) -> float:
    """Posterior of the likeliest together with raises of columns that look like it: which of them it was hardly matters."""
    first = candidates[0].hypothesis
    if not isinstance(first, Moved):
        return candidates[0].posterior
    alike = [c for c in candidates if isinstance(c.hypothesis, Moved) and c.hypothesis.column.kind == first.column.kind]
    return sum(candidate.posterior for candidate in alike)
