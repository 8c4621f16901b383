"""From message to message: what each state does by itself, and which look or question is due.

Answers are dealt with elsewhere (`concluding.py`, `answering.py`); here time passes. Evidence comes as it comes; a ruling waits until
things have settled. The one exception is a fall, which is called while pieces still roll.
"""

from __future__ import annotations

from dataclasses import replace

from rig.referee import calls, falls, missing, set_up_scan
from rig.referee.action import Action
from rig.referee.answering import hear_confirmation
from rig.referee.asking_eyes import judge, listed, scan, search
from rig.referee.concluding import ask_what_happened
from rig.referee.hypotheses import Weighted
from rig.referee.looks import Confirming, Judging, Sort, Width, confirmation, judge_request
from rig.referee.memory import Memory
from rig.referee.state import Acting, AwaitingAnswer, AwaitingLook, Lost, Over, Settling, Watch, action_of, ground, resting
from rig.referee.transitions import Happens
from rig.referee.verdict import Verdict


def think(memory: Memory) -> None:
    """What is due now."""
    _follow_hands(memory)
    state = memory.state
    match state:
        case Over() | AwaitingAnswer(rest=Over()):
            return
        case AwaitingLook(look=Confirming(id=None) as confirming):
            _confirm(memory, state, confirming)
        case AwaitingLook():
            return
        case Lost():
            frames = memory.senses.calm_frames(memory.t_s)
            if frames is not None and memory.t_s - state.read_t_s >= memory.tuned.read_again_s and state.put_right is None:
                search(memory, frames)
        case AwaitingAnswer(rest=Lost()):
            return
        case Acting() | Settling():
            _watch_action(memory, state)
        case _:
            _rest(memory)


def take_in(memory: Memory, action: Action | None) -> None:
    """The senses' latest word about the action in progress."""
    if action is None or action is action_of(memory.state):
        return
    state = memory.state
    below = ground(state)
    if isinstance(below, (Lost, Over)):
        return
    if isinstance(state, (Acting, Settling, AwaitingLook)):
        memory.follow(Happens.NEWS, replace(state, action=action))
    elif memory.senses.hands_in(memory.t_s):
        memory.follow(Happens.HANDS_CAME, Acting(action, resting(state)))
    else:
        memory.follow(Happens.STIRRED, Settling(action, resting(state)))


def _follow_hands(memory: Memory) -> None:
    state, hands = memory.state, memory.senses.hands_in(memory.t_s)
    if isinstance(state, Settling) and hands:
        memory.follow(Happens.HANDS_CAME, Acting(state.action, state.rest, state.watch))
    elif isinstance(state, Acting) and not hands:
        memory.follow(Happens.HANDS_LEFT, Settling(state.action, state.rest, state.watch))


def _watch_action(memory: Memory, state: Acting | Settling) -> None:
    """An action goes on, or settles."""
    senses, action, t_s = memory.senses, state.action, memory.t_s
    if t_s < state.watch.wait_until_s:
        return
    references = memory.pictures.references
    if not references and not senses.referenced:
        _take_first_reference(memory)
        return
    if not references and not _first_judgement_possible(memory, action):
        return
    frames = senses.calm_frames(t_s, action.start_t_s)
    if frames is not None and not frames.keys() & references.keys():
        _start_over(memory, state, frames)
    elif frames is not None:
        judge(memory, action, frames, Sort.SETTLED, state.watch)
    else:
        _look_early(memory, state)


def _first_judgement_possible(memory: Memory, action: Action) -> bool:
    """Without a reference nothing can be judged, but that the camera was moved meanwhile can be said."""
    return memory.senses.referenced or action.hands_seen


def _look_early(memory: Memory, state: Acting | Settling) -> None:
    """Before all is calm: a scale that shakes on, a hand that only rests, a column that is gone for a moment, or a fall."""
    senses, action, watch, t_s, tuned = memory.senses, state.action, state.watch, memory.t_s, memory.tuned
    ahead = None if watch.went_ahead or memory.book.setting_up else senses.calm_frames(t_s, action.start_t_s, tuned.ahead_s)
    if ahead is not None and ahead.keys() & memory.pictures.references.keys():
        judge(memory, action, ahead, Sort.AHEAD, watch)
        return
    if t_s - watch.doubted_t_s > tuned.doubt_again_s and (lone := senses.lone_hand_frames(t_s)) is not None:
        judge(memory, action, lone, Sort.DOUBTED, replace(watch, doubted_t_s=t_s))
        return
    if memory.book.setting_up:
        return
    watch, glimpsed = missing.glimpse(memory, action, watch)
    fallen = None
    if glimpsed is None:
        watch, fallen = falls.frames(memory, action, watch)
    if glimpsed is not None:
        judge(memory, action, glimpsed, Sort.GLIMPSE, watch)
    elif fallen is not None:
        judge(memory, action, fallen, Sort.UNSETTLED, watch)
    elif watch is not state.watch:
        memory.follow(Happens.NEWS, replace(state, watch=watch))


def _start_over(memory: Memory, state: Acting | Settling, frames: dict[int, int]) -> None:
    """Every camera was moved during an action, so no picture from before compares with one from after: people must say."""
    action = state.action
    number = memory.outbox.next_id()
    bare = judge_request(number, frames, {}, memory.senses, memory.tower, ())
    judging = Judging(number, Sort.SETTLED, Width.LIKELY, action, dict(frames), {}, bare)
    asked = _asked(memory, judging)
    judging = replace(judging, request=judge_request(number, frames, {}, memory.senses, memory.tower, [w.hypothesis for w in asked]))
    memory.refer_to(frames)
    memory.senses.note_settled()
    memory.follow(Happens.LOOKED, AwaitingLook(judging, memory.rest()))
    if action.hands_seen and not memory.book.setting_up:
        verdict = Verdict((), (), False, "The camera was moved while hands were at the tower.", False)
        ask_what_happened(memory, judging, verdict)
    else:
        memory.follow(Happens.SEEN, memory.rest())


def _asked(memory: Memory, judging: Judging) -> tuple[Weighted, ...]:
    return listed(memory, memory.course, judging)


def _confirm(memory: Memory, state: AwaitingLook, confirming: Confirming) -> None:
    """People said what happened; the eyes say where things stand, as soon as all is calm."""
    frames = memory.senses.calm_frames(memory.t_s)
    if frames is not None and frames.keys() & memory.pictures.references.keys():
        number = memory.outbox.next_id()
        look, request = confirmation(number, confirming, frames, memory.senses, memory.tower)
        memory.outbox.request(request)
        memory.follow(Happens.LOOKED, replace(state, look=look, action=None, watch=Watch()))
        memory.senses.note_settled()
    elif memory.t_s - confirming.since_t_s > memory.tuned.confirm_s:
        hear_confirmation(memory, confirming, None)


# ---------------------------------------------------------------- at rest


def _take_first_reference(memory: Memory) -> None:
    senses, t_s = memory.senses, memory.t_s
    frames = senses.still_frames(t_s, memory.tuned.first_still_s)
    expected = [eye for eye in senses.eyes.values() if eye.frame is not None]
    if frames is not None and len(frames) == len(expected):
        senses.referenced = True
        memory.refer_to(frames)
        senses.note_settled()
        if isinstance(memory.state, (Acting, Settling)):
            memory.follow(Happens.TOLD, memory.rest())


def _take_further_references(memory: Memory) -> None:
    """A camera whose first picture came later than the others' has none to compare with yet."""
    senses = memory.senses
    late = {eye.camera for eye in senses.eyes.values() if eye.frame is not None} - memory.pictures.references.keys()
    frames = senses.still_frames(memory.t_s, memory.tuned.first_still_s) if late else None
    if frames is not None and late & frames.keys():
        memory.refer_to({camera: frames[camera] for camera in late & frames.keys()})


def _rest(memory: Memory) -> None:
    """Nothing happens: renew the reference now and then, look twice at a set-up, and settle a word that waits in vain."""
    if not memory.pictures.references:
        _take_first_reference(memory)
        return
    _take_further_references(memory)
    if calls.word_is_due(memory):
        calls.settle_word(memory)
        return
    senses, t_s = memory.senses, memory.t_s
    if set_up_scan.is_due(memory) and (calm := senses.calm_frames(t_s)) is not None:
        scan(memory, calm)
        return
    unexplained = isinstance(memory.state, AwaitingAnswer) and memory.state.question.occasion is None
    if t_s - memory.pictures.t_s >= memory.tuned.refresh_s and not unexplained:
        frames = senses.calm_frames(t_s, t_s - 1.0)
        if frames is not None and frames.keys() >= memory.pictures.references.keys():
            memory.refer_to(frames)
            senses.note_settled()
