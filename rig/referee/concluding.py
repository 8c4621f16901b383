"""What the eyes' answers amount to: every course gets its children, and the state that follows.

A look that is answered leads on in one of three ways: to a wider look, back to the action (nothing follows yet), or to an occasion of the
belief. Where nothing explains the pictures, nothing is told and the table is asked.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import replace

from rig.messages import Fallen, Judged, NoneOfThese, Nothing, PlateauLaid, Removed, StepKind, Toppled, Tower, Trace, Tracked
from rig.referee import attempts, falls, missing, questions, repair
from rig.referee.action import Action
from rig.referee.asking_eyes import again, listed, scan
from rig.referee.asking_table import action_of_next, finish, go_on
from rig.referee.attempts import Attempt
from rig.referee.attribution import Table, attribute
from rig.referee.belief import Course, Happening, applied, grown
from rig.referee.deeds import Scene, Variant, collapsed, incident, variants
from rig.referee.expectations import attempt_columns, below_the_top, expected, tried_columns
from rig.referee.looks import Judging, Sort, Tracing, track_request
from rig.referee.memory import Memory
from rig.referee.predicted_tower import predicted
from rig.referee.state import Acting, AwaitingAnswer, AwaitingLook, Gone, Settling, Watch
from rig.referee.transitions import Happens
from rig.referee.verdict import Child, Felt, Verdict, Weighing, weigh_up
from rig.rules.events import DEEDS, Collapsed


def hear_judged(memory: Memory, judging: Judging, judged: Judged) -> None:
    """The eyes have said which of what could have happened did."""
    verdict = _weighed(memory, judging, judged)
    watch = memory.state.watch if isinstance(memory.state, AwaitingLook) else Watch()
    match judging.sort:
        case Sort.GLIMPSE if _taken_out(memory, verdict):
            _begin_anew(memory, judging)
            conclude(memory, judging, verdict)
        case Sort.GLIMPSE:
            go_back(memory, judging, missing.noted(memory, watch, judging, verdict))
        case Sort.UNSETTLED:
            watch, called = falls.called(memory, watch, judging, verdict)
            if called:
                _end_action(memory)
                conclude_fall(memory, judging, verdict)
            else:
                go_back(memory, judging, watch)
        case Sort.AHEAD:
            if verdict.sure and not isinstance(verdict.best.hypothesis, (Fallen, Toppled)):
                _end_action(memory)
                memory.senses.forget_settled()
                conclude(memory, judging, verdict)
            else:
                go_back(memory, judging, replace(watch, went_ahead=True))
        case Sort.DOUBTED:
            if not verdict.candidates or isinstance(verdict.best.hypothesis, NoneOfThese):
                go_back(memory, judging, watch)
            else:
                _end_action(memory)
                _settle(memory, judging, verdict, judged)
        case Sort.SETTLED:
            _hear_settled(memory, judging, verdict, judged, watch)


def _taken_out(memory: Memory, verdict: Verdict) -> bool:
    """Whether a column that may be taken out has been: nobody brings it back, and what the hands do next is another deed."""
    best = verdict.best.hypothesis if verdict.candidates else None
    return verdict.sure and isinstance(best, Removed) and best.column in expected(memory.course.game).removable


def _begin_anew(memory: Memory, judging: Judging) -> None:
    """What was seen at a glimpse is done; the hands that are back have begun something else. What the tower weighs is not known."""
    begun = Action(memory.t_s, None, None, hands_seen=True, last_hand_t_s=judging.action.last_hand_t_s)
    state = memory.state
    if isinstance(state, AwaitingLook):
        memory.follow(Happens.NEWS, replace(state, action=begun, watch=Watch()))


def _end_action(memory: Memory) -> None:
    """The action that went on during the look is what has been seen: it is over."""
    memory.senses.note_settled()
    state = memory.state
    if isinstance(state, AwaitingLook):
        memory.follow(Happens.NEWS, replace(state, action=None))


def _weighed(memory: Memory, judging: Judging, judged: Judged) -> Verdict:
    courses = memory.belief.courses
    asked = dict(zip(judging.request.hypotheses, judged.opinions, strict=False)) if judged.opinions else {}
    felt = Felt(judging.change_g, judging.action.steps)
    weighing = Weighing(judged, asked, felt, tuple(judging.frames.values()), memory.profile, memory.tuned)
    return weigh_up(courses, [listed(memory, course, judging) for course in courses], weighing)


def _hear_settled(memory: Memory, judging: Judging, verdict: Verdict, judged: Judged, watch: Watch) -> None:
    if missing.waits(memory, judging, verdict):
        memory.senses.take_up(judging.action)
        watch = missing.noted(memory, watch, judging, verdict)
        wait_until_s = memory.t_s + memory.tuned.waits_again_s
        memory.follow(Happens.SEEN, Settling(judging.action, memory.rest(), replace(watch, wait_until_s=wait_until_s)))
    elif memory.book.setting_up:
        _hear_of_set_up(memory, judging, verdict)
    else:
        _settle(memory, judging, verdict, judged)


def _hear_of_set_up(memory: Memory, judging: Judging, verdict: Verdict) -> None:
    """What explains the pictures is believed; where nothing does, the whole is read, and before blue ends the set-up too."""
    rest = memory.rest()
    checked = getattr(rest.rest if isinstance(rest, AwaitingAnswer) else rest, "checked", None)
    complete = len(memory.tower.columns) == len(memory.profile.pieces.columns)
    is_checked = memory.tower == checked and complete
    ends = verdict.sure and isinstance(verdict.best.hypothesis, PlateauLaid) and not is_checked
    if ends or not verdict.sure:
        scan(memory, judging.frames, judging, verdict)
    else:
        conclude(memory, judging, verdict)


def _settle(memory: Memory, judging: Judging, verdict: Verdict, judged: Judged) -> None:
    """What is sure is told; else the eyes are asked for unlikelier things; what is then likeliest is told as probable, or asked."""
    if verdict.sure:
        conclude(memory, judging, verdict)
    elif judging.sort is Sort.SETTLED and (more := again(memory, judging, judged, verdict)):
        memory.outbox.request(more.request)
        state = memory.state
        assert isinstance(state, AwaitingLook)
        memory.follow(Happens.SEEN, replace(state, look=more))
    elif verdict.fits:
        conclude(memory, judging, verdict)
    else:
        ask_what_happened(memory, judging, verdict)


def ask_what_happened(memory: Memory, judging: Judging, verdict: Verdict) -> None:
    """Nothing explains the pictures: people must say. A question of that kind that is open already stays as it was put."""
    rest = memory.rest()
    if isinstance(rest, AwaitingAnswer) and rest.question.sort is questions.Sort.WHAT and rest.question.occasion is None:
        rest = replace(rest, question=replace(rest.question, judging=judging, verdict=verdict))
    else:
        question = questions.what_happened(memory.outbox.next_id(), memory.t_s, judging, verdict)
        memory.outbox.request(question.ask)
        below = rest.rest if isinstance(rest, AwaitingAnswer) else rest
        rest = AwaitingAnswer(question, below)
    go_on(memory, Happens.SEEN, rest)


def go_back(memory: Memory, judging: Judging, watch: Watch) -> None:
    """Nothing follows yet: the action goes on."""
    state = memory.state
    action = state.action if isinstance(state, AwaitingLook) and state.action is not None else judging.action
    kind = Acting if memory.senses.hands_in(memory.t_s) else Settling
    memory.follow(Happens.SEEN, kind(action, memory.rest(), watch))


# ---------------------------------------------------------------- occasions


def conclude(memory: Memory, judging: Judging, verdict: Verdict, happens: Happens = Happens.SEEN) -> None:
    """Something holds: each course's children are weighed, told, and remembered."""
    best = verdict.best.hypothesis
    memory.refer_to(judging.frames)
    watch = memory.state.watch if isinstance(memory.state, AwaitingLook) else Watch()
    if isinstance(best, Fallen) and not memory.book.setting_up:
        conclude_fall(memory, judging, verdict, happens)
    elif isinstance(best, Nothing) and not memory.book.setting_up and (judging.action.hands_seen or memory.word is not None):
        memory.handled_t_s = memory.t_s
        if watch.gone is not None:
            _came_back(memory, judging, verdict, watch.gone)
        else:
            _look_for_attempts(memory, judging, verdict, happens)
    else:
        grow(memory, judging, verdict, (), happens)


def _came_back(memory: Memory, judging: Judging, verdict: Verdict, gone: Gone) -> None:
    """A column had fallen and was stood up again. If it was nobody's attempt, another may have been tried in the same action."""
    occasion, before = memory.next_occasion(), memory.belief
    scene = Scene(memory.t_s, gone.confidence, (missing.evidence(gone, memory.t_s),), memory.profile, memory.tuned)
    tried = any(gone.column in attempt_columns(course.game) for course in before.courses)
    children = [child_of(memory, occasion, course, incident(gone.column, course, scene)) for course in before.courses]
    memory.believe(grown(before, occasion, children, tuned=memory.tuned))
    if tried:
        finish(memory, Happens.SEEN)
    else:
        _look_for_attempts(memory, judging, verdict, Happens.SEEN)


def _look_for_attempts(memory: Memory, judging: Judging, verdict: Verdict, happens: Happens) -> None:
    """Hands were in and nothing has changed: was a column moved and put back?"""
    columns = tuple(dict.fromkeys(column for course in memory.belief.courses for column in tried_columns(course.game)))
    if memory.word is not None:  # somebody did break off: it need not have been with a column that was theirs to take
        columns = tuple(dict.fromkeys((*columns, *below_the_top(memory.tower))))
    number = memory.outbox.next_id()
    elsewhere = isinstance(memory.state, AwaitingLook) and happens is not Happens.SEEN
    request = None if elsewhere else track_request(number, judging, memory.senses, memory.tower, tuple(sorted(columns)), memory.tuned)
    if request is None:
        grow(memory, judging, verdict, (), happens)
        return
    memory.outbox.request(request)
    look = Tracing(number, judging, _as_of_now(memory, verdict))
    memory.follow(happens, AwaitingLook(look, memory.rest(), action_of_next(memory.state)))


def hear_tracked(memory: Memory, tracing: Tracing, tracked: Tracked) -> None:
    grow(memory, tracing.judging, _as_of_now(memory, tracing.verdict), tracked.traces)


def _as_of_now(memory: Memory, verdict: Verdict) -> Verdict:
    """The verdict for the courses as they are: a word may have changed them since the pictures were judged."""
    courses, best = memory.belief.courses, verdict.best
    if verdict.courses == courses:
        return verdict
    children = tuple(
        Child(number, best.hypothesis, best.hypothesis, course.log_weight, course.tower, best.evidence)
        for number, course in enumerate(courses)
    )
    return replace(verdict, children=children, courses=courses)


def grow(memory: Memory, judging: Judging, verdict: Verdict, traces: Sequence[Trace], happens: Happens = Happens.SEEN) -> None:
    """One occasion: every course's children by what was seen."""
    occasion, before = memory.next_occasion(), memory.belief
    attempted = isinstance(verdict.best.hypothesis, Nothing) and judging.action.hands_seen and not memory.book.setting_up
    if attempted:
        memory.attempt = Attempt(occasion, memory.t_s, tuple(traces), memory.word is not None)
    children = list(offspring(memory, before.courses, occasion, verdict, traces, judging.action))
    actor = memory.book.actor
    memory.places.note(memory.tower)
    memory.believe(grown(before, occasion, children, verdict.unexplained(memory.tuned), memory.tuned), _reason(verdict))
    if attempted or memory.book.actor != actor:
        memory.word = None
    question = None
    if not verdict.sure and len(verdict.candidates) > 1 and not memory.book.setting_up and not isinstance(verdict.best.hypothesis, Nothing):
        question = questions.what_happened(0, memory.t_s, judging, verdict, occasion)
    finish(memory, happens, question)


def offspring(
    memory: Memory, courses: Sequence[Course], occasion: int, verdict: Verdict, traces: Sequence[Trace], action: Action
) -> Iterable[Course]:
    """The children of all courses that are likely enough to be carried."""
    tuned = memory.tuned
    likely = [child for child in verdict.children if not isinstance(child.hypothesis, (NoneOfThese, Fallen))]
    if memory.book.setting_up:
        likely = [max(likely, key=lambda child: child.log_weight)]
    most = max((child.log_weight for child in likely), default=0.0)
    least = most + math.log(tuned.dropped) - 1.0
    seen = {trace.column: trace for trace in traces}
    felt = _felt(memory, action)
    for child in likely:
        if child.log_weight < least:
            continue
        course = courses[child.course]
        scene = Scene(memory.t_s, verdict.best.posterior, child.evidence, memory.profile, tuned, felt, memory.denied)
        tower = child.tower if child.tower is not None else predicted(course.tower, child.hypothesis, memory.profile)
        if isinstance(child.hypothesis, Nothing) and (traces or memory.word is not None):
            found: Iterable[Variant] = attempts.variants(course, seen, memory.word, scene)
        else:
            found = variants(child.hypothesis, course, tower, scene)
        for variant in found:
            yield child_of(memory, occasion, replace(course, log_weight=child.log_weight), variant, tower, child)


def _felt(memory: Memory, action: Action) -> tuple[tuple[float, float], ...]:
    """The weights felt lifted or set down since these hands came, each with how far they were on by then."""
    came_s = began_s(action.last_hand_t_s, [hand.t_s for hand in memory.senses.hands], memory.tuned.pause_s)
    lasted_s = max(action.last_hand_t_s - came_s, 0.1)
    steps = [step for step in action.steps if step.kind in (StepKind.LIFTED, StepKind.SET_DOWN) and step.end_t_s >= came_s]
    return tuple(((step.end_t_s - came_s) / lasted_s, abs(step.delta_g)) for step in steps)


def began_s(last_s: float, seen_s: Sequence[float], pause_s: float) -> float:
    """When the hands came that were last seen at `last_s`: before that, none was seen for longer than `pause_s`."""
    came_s = last_s
    for t_s in sorted((t_s for t_s in seen_s if t_s <= last_s), reverse=True):
        if came_s - t_s > pause_s:
            break
        came_s = t_s
    return came_s


def child_of(
    memory: Memory, occasion: int, course: Course, variant: Variant, tower: Tower | None = None, child: Child | None = None
) -> Course:
    """The course after this variant."""
    game, possible = course.game, True
    for event in variant.events:
        following = applied(game, event)
        possible = possible and following is not None
        game = following if following is not None else game
    after = tower if tower is not None else course.tower
    fallen = course.fallen
    if child is not None and isinstance(child.hypothesis, Toppled):
        fallen = repair.fell(fallen, course.tower, child.hypothesis)
    fallen = repair.settled(fallen, after)
    done = any(isinstance(event, DEEDS) for event in variant.events)
    seat = variant.facts[0].seat if variant.facts and variant.facts[0].seat is not None else course.game.actor
    return replace(
        course,
        game=game,
        tower=after,
        log_weight=course.log_weight + variant.log_prior + (0.0 if possible else memory.tuned.stolen),
        tail=(*course.tail, Happening(occasion, variant.events, variant.facts)),
        fallen=fallen,
        last_deed=(seat, memory.t_s) if done else course.last_deed,
    )


def conclude_fall(memory: Memory, judging: Judging, verdict: Verdict, happens: Happens = Happens.SEEN) -> None:
    """A collapse is called at once, and whose doing it was as far as each course can tell."""
    occasion, before, tuned = memory.next_occasion(), memory.belief, memory.tuned
    memory.refer_to(judging.frames)
    table = Table(memory.book.game.position.colours, memory.sleeves)
    children, why = [], ""
    for course in before.courses:
        actor = course.game.actor
        found = attribute(judging.action, memory.senses, actor, course.last_deed, table, memory.t_s, tuned)
        why = why if why and not course.told else found.evidence.sentence
        evidence = (*verdict.best.evidence, found.evidence)
        scene = Scene(memory.t_s, verdict.best.posterior, evidence, memory.profile, tuned)
        for seat, share in found.shares:
            weighed = replace(course, log_weight=course.log_weight + math.log(share))
            children.append(child_of(memory, occasion, weighed, collapsed(seat, course, scene)))
    memory.believe(grown(before, occasion, children, tuned=tuned))
    told = memory.belief.told.at(occasion)
    question = None
    if told is not None and memory.belief.marginal(occasion) < tuned.sure:
        likeliest = next((event.by for event in told.events if isinstance(event, Collapsed)), None)
        question = questions.who_did_it(0, memory.t_s, memory.book.names, likeliest, occasion, why)
    finish(memory, happens, question)


def _reason(verdict: Verdict) -> str:
    """Why an earlier telling may have been revised, for people."""
    words = questions.choice_of(verdict.best.hypothesis) if verdict.candidates else None
    return f"What followed speaks for it ({words})." if words else ""
