"""What the desk tells: the draw, deeds by tap, corrections, another game. A person's word is final."""

from __future__ import annotations

from dataclasses import replace

from rig.messages import Drew, Resumed, Toppled
from rig.referee import repair
from rig.referee.agree import Places
from rig.referee.belief import certain
from rig.referee.looks import Judging
from rig.referee.memory import Memory
from rig.referee.sleeve_attribution import Sleeves
from rig.referee.state import AwaitingAnswer, AwaitingLook, State, action_of, over_rest, question, resting
from rig.referee.transitions import Happens
from rig.rules.events import DEEDS, Incident, OutsideDecided


def hear_draw(memory: Memory, drew: Drew) -> None:
    """Names and colours are known: the books are kept under them from here on."""
    memory.book.draw(memory.t_s, drew)
    memory.belief = certain(memory.book.game, memory.tower, memory.course)
    if not isinstance(memory.state, AwaitingLook) and action_of(memory.state) is None:
        memory.follow(Happens.CALLED, memory.rest())


def hear_told(memory: Memory, line: str) -> None:
    """The desk tells a fact or corrects one: the books take it, and the tower is believed as they have it. Other courses end here."""
    actor = memory.book.actor
    event = memory.book.told(memory.t_s, line)
    if event is None:
        return
    course = memory.course
    if isinstance(event, Incident) and memory.profile.cameras:
        course = replace(course, fallen=repair.fell(course.fallen, course.tower, Toppled(columns=event.fallen)))
    deed = isinstance(event, (*DEEDS, OutsideDecided))
    if deed:
        course = replace(course, last_deed=(actor, memory.t_s))
    memory.belief = certain(memory.book.game, course.tower, course)
    memory.told.forget()
    memory.take_the_books_word()
    if deed:
        _take_the_word(memory)
    else:
        _drop_what_it_settles(memory)


def _take_the_word(memory: Memory) -> None:
    """A deed that was told answers the question that waits and ends what was being looked at: as it is now is how it should be."""
    judging = _judging(memory.state)
    if judging is not None:
        memory.refer_to(judging.frames)
    elif action_of(memory.state) is not None:
        memory.forget_pictures()
    memory.word = memory.attempt = None
    memory.senses.note_settled()
    rest = memory.rest()
    memory.follow(Happens.TOLD, rest.rest if isinstance(rest, AwaitingAnswer) else rest)


def _drop_what_it_settles(memory: Memory) -> None:
    """After a correction: a question about an occasion is answered by it; one about what nothing explains stays open."""
    state, rest = memory.state, memory.rest()
    if isinstance(rest, AwaitingAnswer) and rest.question.occasion is not None:
        rest = rest.rest
    memory.follow(Happens.TOLD if resting(state) is state else Happens.NEWS, over_rest(state, rest))


def _judging(state: State) -> Judging | None:
    """The judgement that the open question, or the open look, is about."""
    asked = question(state)
    if asked is not None and asked.judging is not None:
        return asked.judging
    return state.look if isinstance(state, AwaitingLook) and isinstance(state.look, Judging) else None


def resume(memory: Memory, resumed: Resumed) -> None:
    """Another game from here on: nothing of the one before is waited for, and its pictures compare with nothing."""
    if not memory.book.resume(memory.t_s, resumed.record):
        return
    memory.places, memory.sleeves = Places(), Sleeves(memory.tuned)
    memory.told.forget()
    memory.word = memory.attempt = None
    memory.senses.note_settled()
    memory.senses.referenced = False
    memory.forget_pictures()
    memory.belief = certain(memory.book.game, resumed.tower)
    memory.belief = replace(memory.belief, courses=tuple(replace(c, last_deed=(None, memory.t_s)) for c in memory.belief.courses))
    memory.take_the_books_word()
    memory.follow(Happens.RESUMED, memory.ground_now())
