"""What the table's answers amount to. An answer is strong evidence, not truth: people err. A correction at the desk is final.

An answer that nobody waits for any more, and one that was not among the choices, are said to be so and change nothing.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace

import msgspec

from rig.messages import Answered, Evidence, FactKind, Fallen, Hypothesis, Judged, Moved, NoneOfThese, Nothing, Removed, Toppled
from rig.pieces import Column
from rig.referee import lost, questions
from rig.referee.agree import agree
from rig.referee.asking_table import action_of_next, finish, go_on
from rig.referee.belief import Belief, Course, grown, missing, reweighed
from rig.referee.concluding import child_of, conclude
from rig.referee.deeds import Scene, Variant, aborted, collapsed, variants
from rig.referee.looks import Confirming, Judging
from rig.referee.memory import Memory
from rig.referee.predicted_tower import predicted
from rig.referee.questions import Question, Sort
from rig.referee.state import AwaitingAnswer, AwaitingLook, Why, over_rest, question, resting
from rig.referee.transitions import Happens
from rig.referee.verdict import Candidate, Child, Verdict
from rig.rules.events import DEEDS, Aborted, Collapsed, Event, OutsideDecided, Requested

UNHEARD_OF_SHARE = 0.05
"""Prior share of an answer that no course has any more (by design: the senses had all but ruled it out, people are right more often)."""

Matches = Callable[[tuple[Event, ...]], bool]


def hear_answer(memory: Memory, answered: Answered) -> None:
    """The desk's answer to the question that is open."""
    asked = question(memory.state)
    late = next((one for one in memory.withdrawn if one.ask.id == answered.ask), None)
    if (asked is None or asked.ask.id != answered.ask) and late is not None and _hear_late(memory, late, answered.choice):
        return
    if asked is None or asked.ask.id != answered.ask:
        memory.book.refuse(
            memory.t_s, "Nobody waits for that answer any more: the question has settled itself, or somebody was quicker.",
            german="Auf diese Antwort wartet niemand mehr: die Frage hat sich erledigt, oder jemand war schneller.",
        )  # fmt: skip
        return
    if answered.choice not in asked.ask.choices:
        memory.book.refuse(
            memory.t_s, f"{answered.choice!r} is not among the answers.", german=f"{answered.choice!r} stand nicht zur Wahl."
        )
        return
    word = (Evidence("desk", f"the table says: {answered.choice}", 6.0),)
    match asked.sort:
        case Sort.WHAT if asked.occasion is None:
            _hear_what_happened(memory, asked, answered.choice, word)
        case Sort.OUTSIDE:
            _hear_of_outside(memory, answered.choice)
        case Sort.READING if asked.found is not None and answered.choice == questions.YES:
            lost.find(memory, asked.found, Happens.ANSWERED)
        case Sort.READING:
            lost.refuse(memory, Happens.ANSWERED)
        case Sort.WHAT if answered.choice == questions.SOMETHING_ELSE:
            lost.lose(memory, Why.SURPRISED, Happens.ANSWERED)
        case _:
            _hear_of_occasion(memory, asked, answered.choice, word)


def _hear_late(memory: Memory, asked: Question, choice: str) -> bool:
    """An answer to a question that has been withdrawn: still the table's word on what happened then; False if nothing can come of it."""
    if choice not in asked.ask.choices:
        return False
    memory.withdrawn = tuple(one for one in memory.withdrawn if one is not asked)
    word = (Evidence("desk", f"the table says: {choice}", 6.0),)
    if asked.sort is Sort.WHAT and memory.book.over:
        return False
    if asked.occasion is not None and asked.sort in (Sort.WHICH, Sort.WHO, Sort.WHAT) and choice != questions.SOMETHING_ELSE:
        if not memory.belief.origin(asked.occasion):
            return False
        _weigh(memory, asked, choice, word)
        _settle(memory)
        return True
    hypothesis = (asked.meaning or {}).get(choice)
    if asked.occasion is None and hypothesis is not None and not memory.book.over and _unknown_yet(memory, hypothesis):
        _have_happened(memory, hypothesis, word)
        _settle(memory)
        return True
    return False


def _unknown_yet(memory: Memory, hypothesis: Hypothesis) -> bool:
    """Whether the believed tower does not have it already."""
    tower = memory.tower
    match hypothesis:
        case Toppled(columns=columns):
            return all(tower.find(column) is not None for column in columns)
        case Removed(column=column):
            return tower.find(column) is not None
        case Moved(column=column, floor=floor):
            standing = tower.find(column)
            return standing is not None and standing.floor is not floor
        case _:
            return False


def _have_happened(memory: Memory, hypothesis: Hypothesis, word: tuple[Evidence, ...]) -> None:
    """It had happened by then. What fell stands again: nobody has seen it missing since."""
    occasion, before = memory.next_occasion(), memory.belief
    scene = Scene(memory.t_s, memory.tuned.trusted, word, memory.profile, memory.tuned)
    children = []
    for course in before.courses:
        after = course.tower if isinstance(hypothesis, Toppled) else predicted(course.tower, hypothesis, memory.profile)
        children += [child_of(memory, occasion, course, variant, after) for variant in variants(hypothesis, course, after, scene)]
    memory.believe(grown(before, occasion, children, tuned=memory.tuned))


def _settle(memory: Memory) -> None:
    """The state goes on as it was, over what is believed by now."""
    memory.follow(Happens.ANSWERED, over_rest(memory.state, memory.rest()))


def _hear_of_outside(memory: Memory, choice: str) -> None:
    memory.book.enter(memory.t_s, OutsideDecided(questions.OUTSIDE[choice]))
    memory.settle_on(memory.tower)
    if memory.book.over:
        memory.follow(Happens.ANSWERED, memory.ground_now())
    else:
        lost.lose(memory, Why.REBUILDING, Happens.ANSWERED)


# ---------------------------------------------------------------- about an occasion


def _hear_of_occasion(memory: Memory, asked: Question, choice: str, word: tuple[Evidence, ...]) -> None:
    _weigh(memory, asked, choice, word)
    finish(memory, Happens.ANSWERED)


def _weigh(memory: Memory, asked: Question, choice: str, word: tuple[Evidence, ...]) -> None:
    """Every course is weighed by whether it has the answer; one that nobody carries any more is taken up again."""
    occasion = asked.occasion
    assert occasion is not None
    tuned, belief = memory.tuned, memory.belief
    matches = _matching(memory, asked, choice)
    if not any(matches(_events(course, occasion)) for course in belief.courses):
        belief = _with_spawned(belief, tuple(_spawned(memory, asked, choice, word)))
    wrong = math.log((1 - tuned.trusted) / max(1, len(asked.ask.choices) - 1))
    logs = [math.log(tuned.trusted) if matches(_events(course, occasion)) else wrong for course in belief.courses]
    belief = replace(belief, courses=tuple(_said_so(c, occasion, word, tuned.trusted, matches) for c in belief.courses))
    memory.believe(reweighed(belief, logs, tuned), f"The table says: {choice}.")
    memory.answered |= {occasion}
    actor = memory.book.actor
    if asked.sort is Sort.WHICH and choice == questions.NO_COLUMN and actor is not None:
        memory.denied |= {actor}


def _matching(memory: Memory, asked: Question, choice: str) -> Matches:
    """Whether a course's events of the occasion are what the answer says."""
    match asked.sort:
        case Sort.WHICH if choice == questions.NO_COLUMN:
            return lambda events: not any(isinstance(event, Aborted) for event in events)
        case Sort.WHICH:
            column = Column.parse(choice)
            return lambda events: any(isinstance(event, Aborted) and event.column == column for event in events)
        case Sort.WHO:
            seat = next((seat for seat, name in enumerate(memory.book.names) if name == choice), None)
            return lambda events: any(isinstance(event, Collapsed) and event.by == seat for event in events)
        case Sort.WHAT if isinstance((asked.meaning or {}).get(choice), Nothing):
            # Everything stands as it stood: a column may have been tried all the same.
            return lambda events: all(isinstance(event, (Aborted, Requested)) for event in events)
        case _:
            wanted = [tuple(map(_bare, v.events)) for v in _variants(memory, asked, choice, ())]
            return lambda events: tuple(map(_bare, events)) in wanted


def _bare(event: Event) -> tuple[object, ...]:
    """What the event is about, without what was measured."""
    return type(event), getattr(event, "column", None), getattr(event, "plateau", None), getattr(event, "fallen", None)


def _events(course: Course, occasion: int) -> tuple[Event, ...]:
    happening = course.at(occasion)
    return happening.events if happening is not None else ()


def _said_so(course: Course, occasion: int, word: tuple[Evidence, ...], confidence: float, matches: Matches) -> Course:
    """The course with the table's word among the evidence of what it says."""
    tail = tuple(
        replace(
            one,
            facts=tuple(msgspec.structs.replace(f, confidence=confidence, evidence=(*f.evidence, *word)) for f in one.facts),
        )
        if one.occasion == occasion and matches(one.events)
        else one
        for one in course.tail
    )
    return replace(course, tail=tail)


def _variants(memory: Memory, asked: Question, choice: str, word: tuple[Evidence, ...]) -> Iterable[Variant]:
    """What the answer amounts to in the course that was told before the occasion."""
    assert asked.occasion is not None
    parent = next((c for c in memory.belief.origin(asked.occasion) if c.told), memory.course)
    scene = Scene(memory.t_s, memory.tuned.trusted, word, memory.profile, memory.tuned)
    match asked.sort:
        case Sort.WHICH:
            told = memory.course.at(asked.occasion)
            deed = tuple(event for event in told.events if isinstance(event, DEEDS) and not isinstance(event, Aborted)) if told else ()
            drafts = tuple(fact for fact in told.facts if fact.kind is not FactKind.ABORTED) if told else ()
            if choice == questions.NO_COLUMN:
                return (Variant(0.0, deed, drafts),)
            broke_off = aborted(Column.parse(choice), parent, scene)
            return (Variant(0.0, (*broke_off.events, *deed), (*broke_off.facts, *drafts)),)
        case Sort.WHO:
            seat = next((seat for seat, name in enumerate(memory.book.names) if name == choice), None)
            return (collapsed(seat, parent, scene),)
        case _:
            hypothesis = (asked.meaning or {}).get(choice, Nothing())
            return tuple(variants(hypothesis, parent, predicted(parent.tower, hypothesis, memory.profile), scene))


def _spawned(memory: Memory, asked: Question, choice: str, word: tuple[Evidence, ...]) -> Iterable[Course]:
    """Courses in which the answer is so, with what was told to have happened since."""
    occasion = asked.occasion
    assert occasion is not None
    parent = next((c for c in memory.belief.origin(occasion) if c.told), None)
    if parent is None:
        return
    hypothesis = (asked.meaning or {}).get(choice)
    after = predicted(parent.tower, hypothesis, memory.profile) if hypothesis is not None else parent.tower
    for variant in _variants(memory, asked, choice, word):
        course = child_of(memory, occasion, parent, variant, after)
        later = [one for one in memory.course.tail if one.occasion > occasion]
        for one in later:
            course = child_of(memory, one.occasion, course, Variant(0.0, one.events, one.facts), course.tower)
        tower = agree(memory.tower, course.game.position, memory.profile, memory.places, missing(course)) if later else course.tower
        yield replace(course, tower=tower, told=False)


def _with_spawned(belief: Belief, spawned: Sequence[Course]) -> Belief:
    """With courses that nobody carried, at a small share of what there is."""
    if not spawned:
        return belief
    log = math.log(UNHEARD_OF_SHARE / len(spawned))
    return replace(belief, courses=(*belief.courses, *(replace(course, log_weight=log) for course in spawned)))


# ---------------------------------------------------------------- about what nothing explains


def _hear_what_happened(memory: Memory, asked: Question, choice: str, word: tuple[Evidence, ...]) -> None:
    judging = asked.judging
    hypothesis = (asked.meaning or {}).get(choice)
    assert judging is not None
    rest = resting(memory.state)
    assert isinstance(rest, AwaitingAnswer)
    if hypothesis is None:
        memory.refer_to(judging.frames)
        if memory.book.setting_up:
            go_on(memory, Happens.ANSWERED, rest.rest)
        else:
            lost.lose(memory, Why.SURPRISED, Happens.ANSWERED)
        return
    begun = action_of_next(memory.state) is not None
    known = isinstance(hypothesis, (Nothing, Fallen)) or not memory.pictures.references or memory.book.setting_up
    if known or begun:
        # A move has begun already: where things stand, the pictures tell that were taken when it was asked.
        conclude(memory, judging, confirmed(memory, hypothesis, asked.verdict, word), Happens.ANSWERED)
    else:  # the pictures it was asked about may have shown a hand: where things stand, a calm picture tells
        memory.follow(Happens.ANSWERED, AwaitingLook(Confirming(hypothesis, word, judging, memory.t_s), rest.rest))


def confirmed(memory: Memory, hypothesis: Hypothesis, seen: Verdict | None, word: tuple[Evidence, ...]) -> Verdict:
    """What people said, with the eyes' places where they found any that fit, else with predicted ones. What fell may stand again."""
    candidates = seen.candidates if seen is not None else ()
    fitted = next((c.tower for c in candidates if c.hypothesis == hypothesis or isinstance(c.hypothesis, Nothing)), None)
    children = []
    for number, course in enumerate(memory.belief.courses):
        tower = fitted if fitted is not None and course.told else predicted(course.tower, hypothesis, memory.profile)
        children.append(Child(number, hypothesis, hypothesis, course.log_weight, tower, word))
    candidate = Candidate(hypothesis, memory.tuned.trusted, fitted, word)
    return Verdict((candidate,), tuple(children), True, "")


def hear_confirmation(memory: Memory, confirming: Confirming, judged: Judged | None) -> None:
    """The eyes have said where things stand; None: no calm picture came in time, and places are guessed."""
    seen = None
    if judged is not None and judged.opinions:
        asked = _asked(confirming)
        pairs = sorted(zip(asked, judged.opinions, strict=False), key=lambda pair: -pair[1].log_likelihood)
        found = [Candidate(h, 0.0, o.tower, ()) for h, o in pairs if not isinstance(h, NoneOfThese)]
        seen = Verdict(tuple(found), (), True, "")
    frames = confirming.frames if confirming.frames is not None else confirming.judging.frames
    judging: Judging = replace(confirming.judging, frames=frames)
    conclude(memory, judging, confirmed(memory, confirming.hypothesis, seen, confirming.word))


def _asked(confirming: Confirming) -> tuple[Hypothesis, ...]:
    again = (Nothing(),) if isinstance(confirming.hypothesis, Toppled) else ()
    return (confirming.hypothesis, *again, NoneOfThese())
