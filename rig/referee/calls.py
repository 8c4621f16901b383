"""What players say. A word is evidence: a request by Ben in what was believed to be Anna's turn says that Anna's attempt had ended.

Every course hears every call by its own rules; a course whose rules refuse it loses weight. "Abort" is no event but a witness to one: it is
joined with what the eyes saw of the action it belongs to, before or after it.
"""

from __future__ import annotations

from dataclasses import replace

from rig.messages import Call, CallWord, FactKind
from rig.referee.asking_table import finish
from rig.referee.attempts import Attempt, Word
from rig.referee.attempts import variants as attempted
from rig.referee.belief import Course, applied, grown, reweighed
from rig.referee.book import meaning
from rig.referee.concluding import child_of
from rig.referee.deeds import Scene
from rig.referee.expectations import may_break_off, may_request
from rig.referee.memory import Memory
from rig.referee.state import Acting, AwaitingLook, Lost, Settling
from rig.referee.transitions import Happens
from rig.rules import Game, Phase, RulingKind
from rig.rules.events import CannotLay, Event, PenaltyWaived, Requested, Unchallenged


def hear_call(memory: Memory, call: Call) -> None:
    """A player's word."""
    if call.word is CallWord.ABORT:
        _hear_abort(memory, call)
        return
    event = meaning(call)
    if event is None or memory.book.over:
        if event is not None:
            memory.book.enter(memory.t_s, event)
        return
    for unheard in _implied(memory.course.game, event):
        _weigh_call(memory, unheard, call)
    _weigh_call(memory, event, call)


def _implied(game: Game, event: Event) -> tuple[Event, ...]:
    """Calls that must have been spoken before this one makes sense, though nobody heard them."""
    match event, game.phase:
        case CannotLay(), Phase.CLAIM:
            return (Unchallenged(),)
        case CannotLay(), Phase.PENALTY:
            return (PenaltyWaived(),)
        case ((Unchallenged() | CannotLay()), Phase.BUILD) if may_request(game):
            asked: tuple[Event, ...] = (Requested(by=game.actor),)
            return asked if isinstance(event, Unchallenged) else (*asked, Unchallenged())
        case _:
            return ()


def _weigh_call(memory: Memory, event: Event, call: Call) -> None:
    """Who speaks, and of what, tells whose turn it is; then every course hears it."""
    heard = [applied(course.game, event) for course in memory.belief.courses]
    logs = [memory.tuned.misheard if _refused(game) else 0.0 for game in heard]
    if len(set(logs)) > 1:
        believed = reweighed(memory.belief, logs, memory.tuned)
        memory.believe(believed, f"{memory.book.names[call.seat]} said {call.word.value!r}.")
    memory.book.enter(memory.t_s, event)
    memory.belief = replace(memory.belief, courses=tuple(_after(course, event, memory) for course in memory.belief.courses))
    if not isinstance(memory.state, (Acting, Settling, AwaitingLook, Lost)):
        finish(memory, Happens.CALLED)


def _refused(game: Game | None) -> bool:
    return game is None or any(ruling.kind is RulingKind.REFUSED for ruling in game.rulings)


def _after(course: Course, event: Event, memory: Memory) -> Course:
    if course.told:
        return replace(course, game=memory.book.game)
    return replace(course, game=applied(course.game, event) or course.game)


# ---------------------------------------------------------------- "abort"


def _hear_abort(memory: Memory, call: Call) -> None:
    """The word of somebody who acts in no course changes nothing. One that comes late is joined with what was seen before it."""
    word = Word(memory.t_s, call.seat, call.column)
    attempt = memory.attempt
    recent = attempt is not None and memory.t_s - attempt.t_s < memory.tuned.word_lasts_s
    if attempt is not None and recent and attempt.occasion == memory.latest_occasion and _meant(memory, attempt.occasion, call.seat):
        _join(memory, word)
        return
    if any(call.seat in may_break_off(course.game) for course in memory.belief.courses):
        memory.word = word
        return
    _support(memory, word)


def _meant(memory: Memory, occasion: int, seat: int) -> bool:
    """Whether that action may have been this player's."""
    origin = memory.belief.origin(occasion) or memory.belief.courses
    acts_now = any(seat in may_break_off(course.game) for course in origin)
    return acts_now and not isinstance(memory.state, (Acting,))


def _join(memory: Memory, word: Word) -> None:
    """What was seen of the latest action, once more with the word."""
    attempt = memory.attempt
    assert attempt is not None
    before = memory.belief
    parents = before.origin(attempt.occasion) or before.courses
    memory.attempt = replace(attempt, said=True)
    scene = Scene(memory.t_s, memory.tuned.sure, (), memory.profile, memory.tuned)
    traces = {trace.column: trace for trace in attempt.traces}
    told = before.told.at(attempt.occasion)
    said = told.events if told is not None else ()
    children = []
    for course in parents:
        for variant in attempted(course, traces, word, scene):
            child = child_of(memory, attempt.occasion, course, variant)
            children.append(replace(child, told=course.told and variant.events == said))
    why = "The player said that it was broken off."
    memory.believe(grown(replace(before, courses=parents), attempt.occasion, children, tuned=memory.tuned), why)
    memory.word = None
    finish(memory, Happens.CALLED)


def _support(memory: Memory, word: Word) -> None:
    """A word that comes when play has gone on: it speaks for the courses in which this player broke off lately."""
    logs = []
    for course in memory.belief.courses:
        mine = any(fact.kind is FactKind.ABORTED and fact.seat == word.seat for one in course.tail for fact in one.facts)
        logs.append(memory.tuned.spoken if mine else 0.0)
    if len(set(logs)) > 1:
        memory.believe(reweighed(memory.belief, logs, memory.tuned), f"{memory.book.names[word.seat]} said that it was broken off.")


def word_is_due(memory: Memory) -> bool:
    """Whether a word has waited in vain for the action it belongs to."""
    return memory.word is not None and memory.t_s - memory.word.t_s > memory.tuned.word_waits_s


def settle_word(memory: Memory) -> None:
    """A player has broken off, and no picture shows with which column: every one that may be tried is as likely."""
    word, before = memory.word, memory.belief
    assert word is not None
    occasion = memory.next_occasion()
    scene = Scene(memory.t_s, memory.tuned.sure, (), memory.profile, memory.tuned)
    children = [child_of(memory, occasion, c, variant) for c in before.courses for variant in attempted(c, {}, word, scene)]
    memory.word = None
    memory.attempt = Attempt(occasion, memory.t_s, (), said=True)
    memory.believe(grown(before, occasion, children, tuned=memory.tuned))
    finish(memory, Happens.CALLED)
