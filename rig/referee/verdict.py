"""One judgement: every sense's word for every hypothesis put together, and whether that is enough to rule.

A margin alone never rules: the best hypothesis must also explain the pictures (an absolute test of fit), and "none of these" competes on
equal terms. What is not sure becomes a question for the desk.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from rig.messages import Added, Evidence, Fallen, Hypothesis, Judged, NoneOfThese, Nothing, Stepped, Tower
from rig.profile import Profile
from rig.referee.hypotheses import Weighted
from rig.referee.scale import hand_log_likelihood, settled_log_likelihood

SURE = 0.9
"""Posterior from which the referee rules by itself. Higher: more questions; lower: more wrong rulings."""

FALL_SEEN = -1.0
"""A fall must be what the cameras themselves hold likeliest (log likelihood, 0 at best): a hand that holds a plateau up takes hundreds of
grams off the scale, and no weight alone may end a game."""

UNSEEN_G = 8.0
"""Change of the settled weight from which "nothing happened" is not believed, however still all looks: three quarters of a thin column. A
thin plate seen edge-on hides from every camera."""

FITS = 0.25
"""Least absolute fit (from the eyes, 0 to 1) that a ruling needs unless the tower fell."""


@dataclass(frozen=True, slots=True)
class Candidate:
    """A hypothesis after all senses have spoken."""

    hypothesis: Hypothesis
    posterior: float
    tower: Tower | None
    evidence: tuple[Evidence, ...]


@dataclass(frozen=True, slots=True)
class Verdict:
    """Candidates, most likely first, and whether the first may be ruled."""

    candidates: tuple[Candidate, ...]
    sure: bool
    doubt: str

    @property
    def best(self) -> Candidate:
        return self.candidates[0]


def seen(candidate: Candidate) -> float:
    """What the cameras alone say of it: log likelihood, 0 for what they hold likeliest."""
    return next((evidence.log_odds for evidence in candidate.evidence if evidence.sense == "camera"), 0.0)


def weigh_up(
    weighted: Sequence[Weighted],
    judged: Judged,
    change_g: float | None,
    steps: Sequence[Stepped],
    profile: Profile,
    frames: tuple[int, ...],
) -> Verdict:
    """Posterior over `weighted`, in the order of `judged.opinions`; ValueError if their lengths differ."""
    if not judged.opinions:
        return Verdict((), False, judged.sentence or "The pictures could not be read.")
    scored: list[tuple[float, Candidate]] = []
    for w, opinion in zip(weighted, judged.opinions, strict=True):
        settled = 0.0 if w.weightless else settled_log_likelihood(w.hypothesis, change_g, profile)
        # what comes from beside the plate is felt in the settled weight; what fell may be picked up from the plate
        felt_settled = isinstance(w.hypothesis, Added) and not w.weightless
        hand = 0.0 if felt_settled else hand_log_likelihood(w.hypothesis, steps, profile)
        total = opinion.log_likelihood + settled + hand + w.log_prior
        evidence = [Evidence("camera", f"{judged.cameras} cameras, fit {judged.fit:.2f}", opinion.log_likelihood, frames)]
        if change_g is not None and settled:
            evidence.append(Evidence("scale", f"settled weight changed by {change_g:+.1f} g", settled))
        if hand:
            evidence.append(Evidence("scale", "weight felt while it was carried", hand))
        if w.log_prior:
            evidence.append(Evidence("rules", "less likely by the rules", w.log_prior))
        scored.append((total, Candidate(w.hypothesis, 0.0, opinion.tower, tuple(evidence))))
    scored.sort(key=lambda pair: -pair[0])
    best = scored[0][0]
    mass = sum(math.exp(max(-700.0, total - best)) for total, _ in scored)
    candidates = tuple(Candidate(c.hypothesis, math.exp(max(-700.0, total - best)) / mass, c.tower, c.evidence) for total, c in scored)
    doubt = _doubt(candidates, judged.fit, change_g)
    return Verdict(candidates, not doubt, doubt)


def _doubt(candidates: Sequence[Candidate], fit: float, change_g: float | None) -> str:
    """Why the likeliest may not be ruled, as a sentence; empty: it may."""
    first = candidates[0]
    if isinstance(first.hypothesis, NoneOfThese):
        return "Nothing that the rules expect explains the pictures."
    if first.posterior < SURE:
        return f"Two things are about equally likely ({first.posterior:.0%} against {candidates[1].posterior:.0%})."
    if isinstance(first.hypothesis, Fallen):
        return "The weight says that the tower fell, but the eyes do not see it." if seen(first) < FALL_SEEN else ""
    if isinstance(first.hypothesis, Nothing) and change_g is not None and abs(change_g) > UNSEEN_G:
        return f"The weight changed by {change_g:+.0f} g, but nothing is seen to have changed."
    return "The best explanation fits the pictures badly." if fit < FITS else ""
