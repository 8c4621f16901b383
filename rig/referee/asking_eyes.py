"""Looks go out: which pictures, which hypotheses, and the state that waits for the answer."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from rig.messages import Hypothesis, Judged, NoneOfThese
from rig.referee import hypotheses, repair
from rig.referee.action import Action
from rig.referee.belief import Course
from rig.referee.expectations import expected
from rig.referee.hypotheses import Weighted
from rig.referee.looks import (
    Judging,
    Scanning,
    Searching,
    Sort,
    Width,
    asked_again,
    judge_request,
    read_request,
    toppled_alone,
    weight_change,
)
from rig.referee.memory import Memory
from rig.referee.same_places import names, renamed
from rig.referee.state import AwaitingLook, Watch
from rig.referee.transitions import Happens
from rig.referee.verdict import Verdict

_KEEPS_ACTION = (Sort.DOUBTED, Sort.UNSETTLED, Sort.GLIMPSE, Sort.AHEAD)
"""Looks during which the action they are about goes on."""


def listed(memory: Memory, course: Course, judging: Judging) -> tuple[Weighted, ...]:
    """What this course thinks may have happened, with its priors."""
    tuned, width = memory.tuned, judging.width
    if width is Width.FALL:
        return hypotheses.fall(tuned)
    if width is Width.GONE:
        return hypotheses.gone(course.tower, expected(course.game).removable, tuned)
    if memory.book.setting_up:
        return hypotheses.set_up(course.tower, memory.profile.pieces, judging.near, tuned)
    may = expected(course.game)
    play = repair.comes_first(hypotheses.play(course.tower, may, course.game.next_plateau, tuned), course.fallen, tuned)
    near = judging.near if judging.change_g and judging.change_g > tuned.felt_place_g else None
    likely = hypotheses.with_place((*repair.hypotheses(course), *play), near)
    if width is Width.LIKELY:
        return likely
    wider = hypotheses.wider(course.tower, may, tuned)
    return (*likely[:-1], *wider[:-1], *judging.together, wider[-1])


def union(memory: Memory, judging: Judging) -> tuple[Hypothesis, ...]:
    """What the eyes are asked: the told course's list first, then what only others think of, in the told course's names."""
    asked: dict[Hypothesis, None] = {}
    for course in sorted(memory.belief.courses, key=lambda course: not course.told):
        places = names(course.tower, memory.tower, memory.tuned)
        for weighted in listed(memory, course, judging):
            hypothesis = renamed(weighted.hypothesis, places)
            if hypothesis is not None and not isinstance(hypothesis, NoneOfThese):
                asked.setdefault(hypothesis)
    return (*asked, NoneOfThese())


def judge(memory: Memory, action: Action, frames: Mapping[int, int], sort: Sort, watch: Watch) -> None:
    """Asks the eyes which of what could have happened did."""
    settled = sort in (Sort.SETTLED, Sort.DOUBTED)
    change_g, near = weight_change(memory.senses, action, settled, memory.tuned)
    width = {Sort.UNSETTLED: Width.FALL, Sort.GLIMPSE: Width.GONE}.get(sort, Width.LIKELY)
    if memory.book.setting_up:
        width = Width.LIKELY
    number = memory.outbox.next_id()
    bare = judge_request(number, frames, memory.pictures.references, memory.senses, memory.tower, ())
    judging = Judging(number, sort, width, action, dict(frames), memory.pictures.references, bare, change_g, near)
    judging = asked_again(number, judging, union(memory, judging), width)
    memory.outbox.request(judging.request)
    meanwhile = action if sort in _KEEPS_ACTION else None
    memory.follow(Happens.LOOKED, AwaitingLook(judging, memory.rest(), meanwhile, watch))
    if sort is Sort.SETTLED:
        memory.senses.note_settled()


def again(memory: Memory, before: Judging, judged: Judged, verdict: Verdict) -> Judging | None:
    """The same pictures once more: first with the unlikely things among the hypotheses, then with columns that may have fallen together."""
    if not verdict.candidates or before.width not in (Width.LIKELY, Width.UNLIKELY):
        return None
    number = memory.outbox.next_id()
    if before.width is Width.LIKELY:
        wide = replace(before, width=Width.UNLIKELY)
        return asked_again(number, wide, union(memory, wide), Width.UNLIKELY)
    if judged.unexplained_mm2 < memory.tuned.another_mm2:
        return None
    together = hypotheses.fallen_together(toppled_alone(judged, before.request.hypotheses), memory.tower, memory.tuned)
    if not together:
        return None
    wide = replace(before, width=Width.TOGETHER, together=together)
    return asked_again(number, wide, union(memory, wide), Width.TOGETHER, together)


def scan(memory: Memory, frames: Mapping[int, int], judging: Judging | None = None, verdict: Verdict | None = None) -> None:
    """Reads the whole tower in set-up."""
    request = read_request(memory.outbox.next_id(), frames, memory.senses, memory.tower, memory.pictures.empty)
    memory.outbox.request(request)
    look = Scanning(request.id, dict(frames), memory.senses.quiet_weight_g, judging, verdict)
    state = memory.state
    meanwhile, watch = (state.action, state.watch) if isinstance(state, AwaitingLook) else (None, Watch())
    happens = Happens.SEEN if isinstance(state, AwaitingLook) else Happens.LOOKED
    memory.follow(happens, AwaitingLook(look, memory.rest(), meanwhile, watch))


def search(memory: Memory, frames: Mapping[int, int]) -> None:
    """Reads the whole tower to find track again."""
    request = read_request(memory.outbox.next_id(), frames, memory.senses, memory.tower, memory.pictures.empty)
    memory.outbox.request(request)
    memory.senses.note_settled()
    look = Searching(request.id, dict(frames), memory.senses.quiet_weight_g)
    memory.follow(Happens.LOOKED, AwaitingLook(look, memory.rest()))
