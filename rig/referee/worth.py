"""What a question is worth: how much more often the result would be told right if it were answered now.

Courses that agree in everything the result depends on are one outcome. What is told now is right with the probability of the told course's
outcome; with an answer, with that of the likeliest outcome under it, averaged over the answers.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Hashable

from rig.referee.belief import Belief, result_key
from rig.rules.events import Event


def gain(belief: Belief, occasion: int) -> float:
    """Probability gained by knowing what happened on that occasion."""
    by_answer: dict[tuple[Event, ...], dict[Hashable, float]] = defaultdict(lambda: defaultdict(float))
    by_outcome: dict[Hashable, float] = defaultdict(float)
    for course in belief.courses:
        happening = course.at(occasion)
        outcome = result_key(course)
        by_answer[happening.events if happening is not None else ()][outcome] += course.weight
        by_outcome[outcome] += course.weight
    known = sum(max(outcomes.values()) for outcomes in by_answer.values())
    return known - by_outcome[result_key(belief.told)]


def dearest_first(belief: Belief) -> list[tuple[int, float]]:
    """The open occasions with what their answers gain, the dearest first."""
    return sorted(((occasion, gain(belief, occasion)) for occasion in belief.occasions), key=lambda pair: -pair[1])
