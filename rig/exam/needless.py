"""Which questions nobody needed to be asked, and why not.

A question is worth asking if its answer can change score, seal, a lock, the turn or the end. It is needless if nothing had happened that
could, if its two likeliest answers come to the same result, or if it was asked again right after it had been answered.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from rig.exam.results import Needless
from rig.messages import Ask, FactKind, View
from rig.pieces import Column
from rig.twin.people.answers import RECENT_S, TRIED_S
from rig.twin.truth import Truth

AGAIN_S = 20.0
"""The same question sooner after the last is the same question again."""

NOTHING = ("nothing", "none")
"""Answers that say that nothing happened (`rig.referee.questions`)."""


def needless(asks: Sequence[Ask], log: Sequence[Truth], shown: Mapping[int, View]) -> tuple[Needless, ...]:
    """Every question that was needless, with the reason. `shown`: what was on the screen when each was asked, by its id."""
    found: list[Needless] = []
    for k, ask in enumerate(asks):
        why = _nothing_had_happened(ask, log) or _comes_to_the_same(ask, shown.get(ask.id)) or _again(ask, asks[:k])
        if why:
            found.append(Needless(round(ask.t_s, 2), ask.question_english, why))
    return tuple(found)


def _nothing_had_happened(ask: Ask, log: Sequence[Truth]) -> str:
    if not any(word in ask.choices for word in NOTHING):
        return ""
    span_s = TRIED_S if ask.choices[-1] == "none" else RECENT_S
    if any(truth.kind is not FactKind.UNCHANGED for truth in log if -4.0 < ask.t_s - truth.t_s < span_s):
        return ""
    touched = any(truth.kind is FactKind.UNCHANGED for truth in log if 0 <= ask.t_s - truth.t_s < span_s)
    return "something was touched, but nothing had moved" if touched else "nothing had happened"


def _comes_to_the_same(ask: Ask, view: View | None) -> str:
    """Whether the two likeliest answers are columns of one kind on one floor, both locked or neither."""
    one, other = (_column(choice) for choice in (*ask.choices, "", "")[:2])
    if one is None or other is None or one.kind != other.kind or view is None:
        return ""
    places = view.tower.find(one), view.tower.find(other)
    on_one_floor = places[0] is not None and places[1] is not None and places[0].floor is places[1].floor
    same = on_one_floor and (one in view.locked) is (other in view.locked)
    return "its two likeliest answers are columns that look alike" if same else ""


def _column(choice: str) -> Column | None:
    try:
        return Column.parse(choice)
    except ValueError:
        return None


def _again(ask: Ask, before: Sequence[Ask]) -> str:
    same = [one for one in before if one.question_english == ask.question_english and ask.t_s - one.t_s < AGAIN_S]
    return f"it had been asked {ask.t_s - same[-1].t_s:.0f} s before" if same else ""
