"""The referee: a pure fold over messages that says facts, rulings, requests and the view.

It keeps the believed tower and the game, notices when somebody begins to act, waits until things have settled, asks the eyes which of the
things that could have happened did, weighs their answer with the scale and the rules, and hands the fact on to the books. What is not sure
becomes a question. It never looks, waits or asks by itself: it emits requests, and the answers come in as messages like everything else.
"""

from __future__ import annotations

from typing import NamedTuple

import msgspec

from rig.messages import (
    Answered,
    Call,
    CallWord,
    CameraPose,
    Drew,
    Evidence,
    Fact,
    FactKind,
    Fallen,
    FindPose,
    Frame,
    Health,
    Hypothesis,
    Input,
    Judged,
    LinkNews,
    Message,
    NoneOfThese,
    Nothing,
    Posed,
    Pressed,
    Reading,
    RefereeState,
    Request,
    Resumed,
    Ruling,
    SourceNews,
    Stepped,
    Tilted,
    Told,
    Toppled,
    Tower,
    Track,
    Tracked,
    View,
    Watch,
    Watched,
    Weighed,
)
from rig.pieces import Column
from rig.profile import Profile
from rig.referee import buttons, questions
from rig.referee.aborts import Abort, AbortBook
from rig.referee.agree import Places, agree
from rig.referee.blame import blame
from rig.referee.book import Book
from rig.referee.deeds import described
from rig.referee.inquiry import Pending, again, compose, confirm
from rig.referee.knocks import Knocks
from rig.referee.mouth import Mouth
from rig.referee.questions import Question
from rig.referee.repair import Repair
from rig.referee.senses import Action, Eye, Senses
from rig.referee.verdict import Candidate, Verdict, weigh_up
from rig.referee.view import draw_view
from rig.rules.events import DEEDS, Aborted, Collapsed, Event, Incident, OutsideDecided

POSE_RETRY_S = 2.0
"""Seconds between attempts to find a camera that shows no markers."""

REFRESH_S = 4.0
"""Seconds after which the reference pictures of an untouched tower are renewed, so that wandering light is no change."""

FIRST_STILL_S = 0.6
"""Seconds the empty base must stand still before its picture becomes the first reference."""

STILL_PATIENCE_S = 0.7
"""Seconds a scene must stand still before it is judged although something in it looks like a hand. Shorter: resting hands are judged."""

DOUBT_AGAIN_S = 2.0
"""Seconds between two judgements of a still scene with a hand that only some cameras see."""

STILL_AGAIN_S = 1.5
"""Seconds between two such judgements."""

FALL_AGAIN_S = 0.4
"""Seconds between two looks for a fall at a scene that still moves."""

FALL_TWICE_S = 1.3
"""Two such looks this near to each other must both see a fall."""

HELD_G, HELD_S, HELD_AGAIN_S = 60.0, 25.0, 1.5
"""Grams off the scale, or too many on it, that no deed explains: a hand holds the tower. For so many seconds that is waited out before
people are asked, looking again after so many."""

CONFIRM_S = 8.0
"""Seconds after the table's answer by which a calm picture must come, or places are guessed."""

ABORT_WAITS_S = 3.0
"""Seconds a word "abort" waits for the action it belongs to before the desk is asked which column it was."""

WITNESSES = 48
"""At most so many pictures of an action, spread over it, are searched for a column that was tugged and put back."""


class Heard(NamedTuple):
    """What one message made the referee say."""

    facts: tuple[Fact, ...]
    rulings: tuple[Ruling, ...]
    requests: tuple[Request, ...]
    view: View | None


class Referee:
    """`step(message, readings) -> Heard`."""

    def __init__(self, profile: Profile) -> None:
        self._profile = profile
        self._senses = Senses(tuple(camera.number for camera in profile.cameras))
        self._mouth = Mouth()
        self._book = Book(profile.pieces, self._mouth)
        self._aborts = AbortBook()
        self._repair = Repair()
        self._places = Places()
        self._knocks = Knocks({camera.number: max(camera.model.width_px, camera.model.height_px) for camera in profile.cameras})
        self._last_deed: tuple[int | None, float] = (None, 0.0)
        self._handled_t_s = -1e9
        self._tower = Tower()
        self._references: dict[int, int] = {}
        self._referenced_t_s = 0.0
        self._pose_asked_t_s: dict[int, float] = {}
        self._pending: Pending | None = None
        self._tracking: int | None = None
        self._asked: tuple[Question, Pending | None, Verdict | None] | None = None
        self._looked_at_still_t_s = self._looked_at_fall_t_s = self._looked_fallen_t_s = -1e9
        self._doubted_t_s = self._waits_until_s = self._word_t_s = -1e9
        self._word: tuple[Hypothesis, tuple[Evidence, ...], Pending] | None = None
        self._health: dict[str, SourceNews] = {}
        self._view: View | None = None
        self._t_s = 0.0
        self._set_poses()

    @property
    def tower(self) -> Tower:
        """The tower as believed."""
        return self._tower

    @property
    def book(self) -> Book:
        return self._book

    @property
    def view(self) -> View | None:
        """The latest view."""
        return self._view

    def set_profile(self, profile: Profile) -> None:
        """Another profile from here on (a camera was re-posed)."""
        self._profile = profile
        self._set_poses()

    def _set_poses(self) -> None:
        for camera in self._profile.cameras:
            if camera.pose is not None:
                self._senses.eyes[camera.number].pose = camera.pose

    # ------------------------------------------------------------ the fold

    def step(self, message: Message, readings: tuple[Reading, ...] = ()) -> Heard:
        self._t_s = self._senses.t_s = message.t_s
        self._senses.actor = self._book.actor
        for reading in readings:
            self._hear_reading(reading)
        self._hear_sight(message)
        self._hear_people(message.payload)
        self._think()
        view = self._draw()
        changed = None if self._view is not None and msgspec.structs.replace(view, t_s=self._view.t_s) == self._view else view
        if changed is not None:
            self._view = view
        facts, rulings, requests = self._mouth.empty()
        return Heard(facts, rulings, requests, changed)

    # ------------------------------------------------------------ what comes in

    def _hear_sight(self, message: Message) -> None:
        match message.payload:
            case Frame() as frame:
                self._hear_frame(message, frame)
            case Watched() as watched:
                self._senses.hear_watched(watched)
                self._look_for_a_knock(watched)
                if watched.fault:
                    self._news(f"camera {watched.camera}", Health.FAULT, watched.fault)
                else:
                    self._health.pop(f"camera {watched.camera}", None)
            case Posed() as posed:
                self._hear_posed(posed)
            case Judged() as judged:
                self._hear_judged(judged)
            case Tracked() as tracked:
                self._hear_tracked(tracked)
            case _:
                pass

    def _hear_people(self, payload: Input) -> None:
        match payload:
            case Call() as call:
                self._hear_call(call)
            case Drew() as drew:
                self._book.draw(self._t_s, drew)
            case Told(line=line):
                self._hear_told(line)
            case Resumed() as resumed:
                self._resume(resumed)
            case Answered() as answered:
                self._hear_answer(answered)
            case SourceNews() as news:
                self._health[news.source] = news
            case _:
                pass

    def _hear_reading(self, reading: Reading) -> None:
        match reading:
            case Weighed():
                self._senses.hear_weighed(reading)
                if reading.fault:
                    self._news("scale", Health.FAULT, reading.fault)
                else:
                    self._health.pop("scale", None)
            case Stepped():
                self._senses.hear_stepped(reading)
            case Tilted():
                self._senses.hear_tilted(reading)
            case Pressed(pressed=True):
                self._hear_button(reading.button)
            case LinkNews():
                self._news("base", reading.health, reading.sentence)
                if reading.zeroed_g:
                    self._senses.rezero(reading.zeroed_g)

    def _news(self, source: str, health: Health, sentence: str) -> None:
        self._health[source] = SourceNews(source=source, health=health, sentence=sentence)

    def _hear_frame(self, message: Message, frame: Frame) -> None:
        eye = self._senses.eyes.get(frame.camera)
        previous = eye.frame if eye else None
        eye = self._senses.hear_frame(message, frame)
        if eye is None or self._book.over:
            return
        if eye.pose is None:
            if self._t_s - self._pose_asked_t_s.get(frame.camera, -1e9) >= POSE_RETRY_S:
                self._pose_asked_t_s[frame.camera] = self._t_s
                self._mouth.request(FindPose(id=self._mouth.next_id(), camera=frame.camera, frame=message.n))
            return
        self._mouth.request(
            Watch(
                id=self._mouth.next_id(), camera=frame.camera, frame=message.n, previous=previous,
                reference=self._references.get(frame.camera), pose=eye.pose, tower=self._tower,
            )
        )  # fmt: skip

    def _hear_posed(self, posed: Posed) -> None:
        source = f"camera {posed.camera}"
        eye = self._senses.eyes.get(posed.camera)
        if posed.pose is None or eye is None:
            self._news(source, Health.FAULT, posed.sentence or "No markers in the picture: turn the camera towards the rig.")
            return
        if eye.pose is not None:
            if posed.moved_px:
                self._camera_moved(eye, posed.pose, posed.moved_px)
            else:
                self._knocks.stands(self._t_s, posed.camera)
            return
        eye.pose = posed.pose
        self._health.pop(source, None)

    def _look_for_a_knock(self, watched: Watched) -> None:
        eye = self._senses.eyes.get(watched.camera)
        if eye is not None and eye.pose is not None and self._knocks.suspects(self._t_s, watched):
            look = FindPose(id=self._mouth.next_id(), camera=watched.camera, frame=watched.frame, believed=eye.pose)
            self._mouth.request(look)

    def _camera_moved(self, eye: Eye, pose: CameraPose, moved_px: float) -> None:
        """Its old pictures no longer compare with new ones; the other cameras carry on until it has a reference again."""
        eye.pose = pose
        self._references = {camera: n for camera, n in self._references.items() if camera != eye.camera}
        sentence = f"Camera {eye.camera} was moved by {moved_px:.0f} px and has found itself again."
        self._news(f"camera {eye.camera} stand", Health.GOOD, sentence)

    def _hear_button(self, seat: int) -> None:
        position = self._book.game.position
        handled = self._senses.action is not None or self._handled_t_s > self._last_deed[1]
        call = buttons.meant(seat, position.phase, position.turn, position.actor, handled)
        if call is not None:
            self._hear_call(call)

    def _resume(self, resumed: Resumed) -> None:
        """Another game from here on: nothing of the one before is waited for, and its pictures compare with nothing."""
        if not self._book.resume(self._t_s, resumed.record):
            return
        self._repair, self._places, self._last_deed = Repair(), Places(), (None, self._t_s)
        self._pending = self._tracking = self._asked = self._word = None
        self._aborts.forget()
        self._senses.note_settled()
        self._senses.referenced = False
        self._references = {}
        self._tower = resumed.tower
        self._agree()

    def _hear_told(self, line: str) -> None:
        """The desk tells a fact or corrects one: the books take it, and the tower is believed as they have it."""
        actor = self._book.actor
        event = self._book.told(self._t_s, line)
        if event is None:
            return
        if isinstance(event, Incident) and self._profile.cameras:
            self._repair.fell(self._tower, Toppled(columns=event.fallen))
        if isinstance(event, (*DEEDS, OutsideDecided)):
            self._last_deed = (actor, self._t_s)
            self._take_the_word()
        self._agree()

    def _take_the_word(self) -> None:
        """A deed that was told answers the question that waits and ends what was being looked at: as it is now is how it should be."""
        pending = self._pending if self._asked is None else self._asked[1]
        if pending is not None:
            self._refer_to(pending.frames)
        elif self._senses.action is not None:
            self._references = {}
        self._pending = self._tracking = self._asked = self._word = None
        self._aborts.forget()
        self._senses.note_settled()

    def _agree(self) -> None:
        """The tower as the books have it after a person's word."""
        self._tower = agree(self._tower, self._book.game.position, self._profile, self._places, self._repair.columns)

    def _hear_call(self, call: Call) -> None:
        if call.word is CallWord.ABORT:
            self._aborts.called(self._t_s, call, self._book.actor)
        else:
            self._book.call(self._t_s, call)

    # ------------------------------------------------------------ thinking

    @property
    def _busy(self) -> bool:
        return self._pending is not None or self._tracking is not None or self._asked is not None

    def _think(self) -> None:
        if self._book.over or self._busy or self._t_s < self._waits_until_s:
            return
        senses = self._senses
        if self._word is not None:
            self._confirm(*self._word)
            return
        if not self._references and (senses.action is None or not senses.referenced):
            self._take_first_reference()
            return
        if senses.action is None:
            self._rest()
            return
        frames = senses.calm_frames(self._t_s, senses.action.start_t_s)
        if frames is not None and not frames.keys() & self._references.keys():
            self._start_over(senses.action, frames)
        elif frames is not None:
            self._judge(senses.action, frames, settled=True)
        elif self._t_s - self._doubted_t_s > DOUBT_AGAIN_S and (lone := senses.lone_hand_frames(self._t_s)) is not None:
            self._doubted_t_s = self._t_s
            self._judge(senses.action, lone, settled=True, doubtful=True)
        elif not self._book.setting_up:
            self._look_for_a_fall(senses.action)

    def _confirm(self, hypothesis: Hypothesis, word: tuple[Evidence, ...], pending: Pending) -> None:
        """People said what happened; the eyes say where things stand, as soon as all is calm."""
        frames = self._senses.calm_frames(self._t_s)
        if frames is not None and frames.keys() & self._references.keys():
            self._pending, request = confirm(
                self._mouth.next_id(), hypothesis, word, pending, frames, self._references, self._senses, self._tower
            )
            self._mouth.request(request)
            self._senses.note_settled()
        elif self._t_s - self._word_t_s > CONFIRM_S:
            self._accept(pending, questions.confirmed(hypothesis, None, word, self._tower, self._profile))
        else:
            return
        self._word = None

    def _look_for_a_fall(self, action: Action) -> None:
        """A fall is called while pieces still roll, and although what lies there looks like a hand."""
        falling = self._senses.falling_frames(self._t_s) if self._t_s - self._looked_at_fall_t_s >= FALL_AGAIN_S else None
        still = self._senses.still_frames(self._t_s, STILL_PATIENCE_S) if self._t_s - self._looked_at_still_t_s > STILL_AGAIN_S else None
        if falling is not None:
            self._looked_at_fall_t_s = self._t_s
            self._judge(action, falling, settled=False)
        elif still is not None and self._weight_is_strange(action):
            self._looked_at_still_t_s = self._t_s
            self._judge(action, still, settled=False)

    def _start_over(self, action: Action, frames: dict[int, int]) -> None:
        """Every camera was moved during an action, so no picture from before compares with one from after: people must say."""
        pending, _ = compose(
            self._mouth.next_id(), self._senses, action, frames, {}, self._tower, self._book, self._repair, self._profile, True, False
        )
        self._refer_to(frames)
        self._senses.note_settled()
        if action.hands_seen and not self._book.setting_up:
            verdict = Verdict((), False, "The camera was moved while hands were at the tower.")
            self._ask(questions.what_happened(self._mouth.next_id(), self._t_s, pending.weighted, verdict), pending, verdict)

    def _take_first_reference(self) -> None:
        frames = self._senses.still_frames(self._t_s, FIRST_STILL_S)
        expected = [eye for eye in self._senses.eyes.values() if eye.frame is not None]
        if frames is not None and len(frames) == len(expected):
            self._senses.referenced = True
            self._refer_to(frames)
            self._senses.note_settled()

    def _rest(self) -> None:
        """Nothing happens: renew the reference now and then, and settle an abort that was called late."""
        if self._aborts.word_waits and self._t_s - self._aborts.word_t_s > ABORT_WAITS_S:
            self._settle_abort(self._aborts.decide(self._t_s) or Abort(None, 0.5, (), self._book.attempt_columns()))
            return
        if self._t_s - self._referenced_t_s >= REFRESH_S:
            frames = self._senses.calm_frames(self._t_s, self._t_s - 1.0)
            if frames is not None and frames.keys() >= self._references.keys():
                self._refer_to(frames)
                self._senses.note_settled()

    def _refer_to(self, frames: dict[int, int]) -> None:
        self._references = {**self._references, **frames}
        self._referenced_t_s = self._t_s

    def _weight_is_strange(self, action: Action) -> bool:
        """Whether the weight moved in a way that hands at work do not explain."""
        weighed = self._senses.weighed
        if weighed is None or weighed.weight_g is None or action.weight_before_g is None:
            return True
        return action.swing_g > 0 or abs(weighed.weight_g - action.weight_before_g) > 3.0

    def _judge(self, action: Action, frames: dict[int, int], settled: bool, doubtful: bool = False) -> None:
        self._pending, request = compose(
            self._mouth.next_id(), self._senses, action, frames, self._references, self._tower, self._book,
            self._repair, self._profile, settled, doubtful,
        )  # fmt: skip
        self._mouth.request(request)
        if settled and not doubtful:
            self._senses.note_settled()

    # ------------------------------------------------------------ what the eyes found

    def _hear_judged(self, judged: Judged) -> None:
        pending = self._pending
        if pending is None or judged.id != pending.id:
            return
        self._pending = None
        frames = tuple(pending.frames.values())
        verdict = weigh_up(pending.weighted, judged, pending.change_g, pending.action.steps, self._profile, frames)
        if not pending.settled:
            self._hear_of_a_fall(pending, verdict)
        elif pending.doubtful:
            self._hear_doubtful(pending, verdict)
        elif pending.word:
            self._accept(pending, questions.confirmed(pending.weighted[0].hypothesis, verdict, pending.word, self._tower, self._profile))
        elif verdict.sure:
            self._accept(pending, verdict.best)
        elif self._held_up(pending):
            self._senses.take_up(pending.action)
            self._waits_until_s = self._t_s + HELD_AGAIN_S
        elif not pending.wide and not self._book.setting_up and verdict.candidates:
            self._pending, request = again(self._mouth.next_id(), pending, self._tower, self._book)
            self._mouth.request(request)
        else:
            self._ask(questions.what_happened(self._mouth.next_id(), self._t_s, pending.weighted, verdict), pending, verdict)

    def _held_up(self, pending: Pending) -> bool:
        """Whether more weight is off the scale than anything that was seen explains: somebody out of sight holds the tower still."""
        if self._book.setting_up or pending.change_g is None or self._t_s - pending.action.start_t_s > HELD_S:
            return False
        heaviest_g = max(plateau.mass_g for plateau in self._profile.plateaus.values())
        return pending.change_g < -HELD_G or pending.change_g > heaviest_g + HELD_G

    def _hear_of_a_fall(self, pending: Pending, verdict: Verdict) -> None:
        """What still moves must look fallen twice in a row before that is ruled."""
        fallen = verdict.sure and isinstance(verdict.best.hypothesis, Fallen)
        at_rest = all(not self._senses.eyes[camera].moving for camera in pending.frames)
        if fallen and (at_rest or self._t_s - self._looked_fallen_t_s <= FALL_TWICE_S):
            self._senses.note_settled()
            self._accept(pending, verdict.best)
        self._looked_fallen_t_s = self._t_s if fallen else -1e9

    def _hear_doubtful(self, pending: Pending, verdict: Verdict) -> None:
        """A still scene in which some camera saw a hand: what explains the pictures may be ruled or asked, anything else waits."""
        if self._senses.action is not pending.action or not verdict.candidates:
            return
        if verdict.sure or not isinstance(verdict.best.hypothesis, NoneOfThese):
            self._senses.note_settled()
            if verdict.sure:
                self._accept(pending, verdict.best)
            else:
                self._ask(questions.what_happened(self._mouth.next_id(), self._t_s, pending.weighted, verdict), pending, verdict)

    def _accept(self, pending: Pending, found: Candidate) -> None:
        """One hypothesis holds: believe its tower, and say what happened."""
        before = self._tower
        self._places.note(before)
        if found.tower is not None:
            self._tower = found.tower
        self._refer_to(pending.frames)
        unchanged = isinstance(found.hypothesis, Nothing)
        if unchanged and not self._book.setting_up and (pending.action.hands_seen or self._aborts.word_waits):
            self._handled_t_s = self._t_s
            self._track(pending, before)
            return
        if isinstance(found.hypothesis, Fallen) and not self._book.setting_up:
            self._fell(pending, found)
            return
        if isinstance(found.hypothesis, Toppled):
            self._repair.fell(before, found.hypothesis)
        self._repair.settle(self._tower)
        for deed in described(found, self._mouth, self._t_s, self._book, before, self._tower, self._profile):
            self._tell(*deed)

    def _fell(self, pending: Pending, found: Candidate) -> None:
        """A collapse is called at once; its culprit too, or the table is asked."""
        colours = self._book.game.position.colours
        blamed = blame(pending.action, self._senses, pending.action.actor, self._last_deed, colours)
        fact = Fact(
            id=self._mouth.next_id(), t_s=self._t_s, kind=FactKind.COLLAPSED, seat=blamed.seat if blamed.sure else None, column=None,
            floor=None, confidence=found.posterior, evidence=(*found.evidence, blamed.evidence),
        )  # fmt: skip
        if blamed.sure:
            self._tell(fact, Collapsed(by=blamed.seat))
            return
        self._mouth.fact(fact)
        self._ask(questions.who_did_it(self._mouth.next_id(), self._t_s, self._book.names, blamed, fact.id), None, None)

    def _tell(self, fact: Fact, event: Event | None) -> None:
        if fact.kind is FactKind.UNCHANGED:
            return
        self._mouth.fact(fact)
        if event is None:
            return
        actor = self._book.actor
        self._book.enter(self._t_s, event, (fact.id,))
        self._last_deed = (actor if fact.seat is None else fact.seat, self._t_s)
        if self._book.actor != actor:
            self._aborts.forget()

    def _track(self, pending: Pending, before: Tower) -> None:
        """Everything is in its place: was a column tugged and put back?"""
        columns = self._book.attempt_columns()
        seen = pending.action.witnesses
        witnesses = tuple(seen[k * len(seen) // WITNESSES] for k in range(WITNESSES)) if len(seen) > WITNESSES else tuple(seen)
        poses = tuple(eye.pose for camera in sorted(pending.references) if (eye := self._senses.eyes[camera]).pose is not None)
        if not columns or not witnesses or not poses:
            return
        request = Track(
            id=self._mouth.next_id(), before=tuple(pending.references[pose.camera] for pose in poses), frames=witnesses, poses=poses,
            tower=before, columns=columns,
        )  # fmt: skip
        self._tracking = request.id
        self._mouth.request(request)

    def _hear_tracked(self, tracked: Tracked) -> None:
        if tracked.id != self._tracking:
            return
        self._tracking = None
        abort = self._aborts.tracked(self._t_s, tracked.traces)
        if abort is not None:
            self._settle_abort(abort)

    def _settle_abort(self, abort: Abort) -> None:
        self._aborts.forget()
        if abort.column is None:
            if abort.among:
                self._ask(questions.which_column(self._mouth.next_id(), self._t_s, abort.among), None, None)
            return
        standing = self._tower.find(abort.column)
        fact = Fact(
            id=self._mouth.next_id(), t_s=self._t_s, kind=FactKind.ABORTED, seat=self._book.actor, column=abort.column,
            floor=standing.floor if standing else None, confidence=abort.confidence, evidence=abort.evidence,
        )  # fmt: skip
        self._tell(fact, Aborted(abort.column))

    # ------------------------------------------------------------ what the desk said

    def _ask(self, question: Question, pending: Pending | None, verdict: Verdict | None) -> None:
        self._asked = (question, pending, verdict)
        self._mouth.request(question.ask)

    def _hear_answer(self, answered: Answered) -> None:
        if self._asked is None or self._asked[0].ask.id != answered.ask:
            return
        question, pending, verdict = self._asked
        self._asked = None
        word = (Evidence("desk", f"the table says: {answered.choice}", 6.0),)
        if question.fact is not None:
            seat = next((seat for seat, name in enumerate(self._book.names) if name == answered.choice), None)
            self._book.enter(self._t_s, Collapsed(by=seat, outside=seat is None), (question.fact,))
            if self._book.undecided:
                self._ask(questions.rebuild_or_end(self._mouth.next_id(), self._t_s), None, None)
            return
        if answered.choice in questions.OUTSIDE:
            self._book.enter(self._t_s, OutsideDecided(questions.OUTSIDE[answered.choice]))
            return
        if pending is None:
            if answered.choice != questions.NO_COLUMN:
                self._settle_abort(Abort(Column.parse(answered.choice), 0.98, word))
            return
        hypothesis = question.meaning.get(answered.choice)
        if hypothesis is None:
            self._refer_to(pending.frames)
            return
        if isinstance(hypothesis, (Nothing, Fallen)) or not self._references or self._book.setting_up:
            self._accept(pending, questions.confirmed(hypothesis, verdict, word, self._tower, self._profile))
        else:  # the pictures it was asked about may have shown a hand: where things stand, a calm picture tells
            self._word = (hypothesis, word, pending)
            self._word_t_s = self._t_s

    # ------------------------------------------------------------ the view

    @property
    def _state(self) -> RefereeState:
        if self._book.over:
            return RefereeState.OVER
        if self._asked is not None:
            return RefereeState.ASKING
        if self._senses.action is not None:
            hands = any(eye.hand for eye in self._senses.eyes.values())
            return RefereeState.HANDS_IN if hands else RefereeState.SETTLING
        if self._pending is not None or self._tracking is not None:
            return RefereeState.SETTLING
        if self._repair.open:
            return RefereeState.REPAIR
        return RefereeState.SET_UP if self._book.setting_up else RefereeState.SETTLED

    def _draw(self) -> View:
        ask = self._asked[0].ask if self._asked is not None else None
        return draw_view(
            self._t_s, self._state, self._book, self._tower, ask, dict(self._health), bool(self._profile.cameras), self._senses.leaning_deg
        )
