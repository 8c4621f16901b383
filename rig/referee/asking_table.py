"""When people are asked, and what the referee rests in: a question is put when its answer is worth it, and withdrawn when it is not.

What was laid or raised is asked at once, because the next look builds on it. Which column was put back is asked only when the next action
has been seen, which often says it by itself; unless a player has said "abort", or the game is over.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import replace

import msgspec

from rig.pieces import Column
from rig.referee import questions
from rig.referee.action import Action
from rig.referee.expectations import below_the_top
from rig.referee.memory import Memory
from rig.referee.questions import Question, Sort
from rig.referee.state import Acting, AwaitingAnswer, AwaitingLook, Over, Resting, Settling, State, ground
from rig.referee.transitions import Happens
from rig.referee.worth import dearest_first, gain
from rig.rules.events import Aborted

LATE_ANSWERS = 3
"""Questions that may yet be answered after they were withdrawn (by design: a table thinks about one at a time)."""

HALF = 0.5
"""Part of the gain a question was put for that must remain for it to stay open (by design: it must not flicker)."""


def finish(memory: Memory, happens: Happens, question: Question | None = None) -> None:
    """After an occasion: to rest, or on with what has begun meanwhile, with the question that is worth it."""
    rest = memory.rest()
    stays = isinstance(rest, AwaitingAnswer) and happens is not Happens.ANSWERED and _still(memory, rest.question)
    open_question = rest.question if isinstance(rest, AwaitingAnswer) and stays else None
    if isinstance(rest, AwaitingAnswer) and not stays and happens is not Happens.ANSWERED:
        memory.withdrawn = (*memory.withdrawn, rest.question)[-LATE_ANSWERS:]
    if open_question is None:
        open_question = _put(memory, question)
    below = rest.rest if isinstance(rest, AwaitingAnswer) else rest
    go_on(memory, happens, below if open_question is None else AwaitingAnswer(open_question, below))


def go_on(memory: Memory, happens: Happens, rest: Resting) -> None:
    """To rest, or to what has begun while the eyes looked."""
    action = action_of_next(memory.state)
    over = isinstance(rest, Over) or (isinstance(rest, AwaitingAnswer) and isinstance(rest.rest, Over))
    if action is None or over:
        memory.follow(happens, rest)
    elif isinstance(memory.state, AwaitingLook) and happens is not Happens.SEEN:
        memory.follow(happens, AwaitingLook(memory.state.look, rest, action, memory.state.watch))
    else:
        kind = Acting if memory.senses.hands_in(memory.t_s) else Settling
        memory.follow(happens, kind(action, rest))


def action_of_next(state: State) -> Action | None:
    """The action that goes on when the look, or the question, is done."""
    return state.action if isinstance(state, (AwaitingLook, Acting, Settling)) else None


def consider(memory: Memory) -> Question | None:
    """The attempt whose column is most worth asking, if any is."""
    belief, tuned = memory.belief, memory.tuned
    if belief.certain:
        return None
    for occasion, worth in dearest_first(belief):
        among = _among(memory, occasion)
        if worth >= tuned.asks_for and among and occasion not in memory.answered and not _may_say_itself(memory, occasion):
            return _which(memory, occasion, among)
    return None


def _may_say_itself(memory: Memory, occasion: int) -> bool:
    """Whether the next action may still say what was tried: nothing has followed yet, and nobody has said "abort"."""
    if occasion < memory.latest_occasion or _said(memory, occasion) or isinstance(ground(memory.state), Over):
        return False
    happenings = [course.at(occasion) for course in memory.belief.courses]
    return all(isinstance(event, Aborted) for one in happenings if one is not None for event in one.events)


def _said(memory: Memory, occasion: int) -> bool:
    return memory.attempt is not None and memory.attempt.occasion == occasion and memory.attempt.said


def _which(memory: Memory, occasion: int, among: tuple[Column, ...]) -> Question:
    origin = next((course for course in memory.belief.origin(occasion) if course.told), None)
    actor = origin.game.actor if origin is not None else None
    who = memory.book.names[actor] if actor is not None else ""
    others = tuple(column for column in below_the_top(memory.tower) if column not in among)
    return questions.which_column(0, memory.t_s, (*among, *others), _said(memory, occasion), occasion, who)


def _among(memory: Memory, occasion: int) -> tuple[Column, ...]:
    """The columns that may have been put back on that occasion, the likeliest first."""
    weight: dict[Column, float] = defaultdict(float)
    for course in memory.belief.courses:
        happening = course.at(occasion)
        for event in happening.events if happening is not None else ():
            if isinstance(event, Aborted):
                weight[event.column] += course.weight
    return tuple(sorted(weight, key=lambda column: -weight[column]))


def _put(memory: Memory, question: Question | None) -> Question | None:
    """The question, put to the table, if it is worth it; else another that is."""
    if question is not None and _worth(memory, question) < memory.tuned.asks_for:
        question = None
    question = question if question is not None else consider(memory)
    if question is None and memory.book.undecided and memory.belief.told.weight >= memory.tuned.sure:
        question = questions.rebuild_or_end(0, memory.t_s)
    if question is None:
        return None
    return put(memory, question)


def put(memory: Memory, question: Question) -> Question:
    """The question under a number of its own, asked."""
    asked = replace(question, ask=msgspec.structs.replace(question.ask, id=memory.outbox.next_id()))
    memory.outbox.request(asked.ask)
    return asked


def _still(memory: Memory, question: Question) -> bool:
    """Whether the question that is open is still worth its answer."""
    if question.sort is Sort.OUTSIDE:
        return memory.book.undecided
    if question.sort is Sort.WHAT and memory.book.over:
        return False  # "what happened?" has another answer by now
    if question.occasion is None:
        return question.sort is Sort.READING
    return _worth(memory, question) >= HALF * memory.tuned.asks_for


def _worth(memory: Memory, question: Question) -> float:
    """What the answer gains: that of knowing which course it is, and of learning what none of them has."""
    if question.occasion is None:
        return 0.0
    unexplained = memory.belief.unexplained if question.sort is Sort.WHAT and question.occasion == memory.latest_occasion else 0.0
    return unexplained + (gain(memory.belief, question.occasion) if question.occasion in memory.belief.occasions else 0.0)
