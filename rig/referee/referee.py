"""The referee: a pure fold over messages that says facts, rulings, requests and the view.

Here messages are heard and sorted: sight, weight, people. What is kept between messages is `memory.py`, the states are `state.py`, what can
follow what is `transitions.py`. The referee never looks, waits or asks by itself: it emits requests, and the answers come in as messages
like everything else.
"""

from __future__ import annotations

from typing import NamedTuple

import msgspec

from rig.messages import (
    Answered,
    Call,
    CameraPose,
    Drew,
    Fact,
    FindPose,
    Frame,
    Health,
    Input,
    Judged,
    LinkNews,
    Message,
    Posed,
    Pressed,
    PutRight,
    Reading,
    Request,
    Resumed,
    Ruling,
    SourceNews,
    Stepped,
    Tilted,
    Told,
    Tower,
    TowerRead,
    Tracked,
    View,
    Watch,
    Watched,
    Weighed,
)
from rig.profile import Profile
from rig.referee import buttons, desk
from rig.referee.action import Action
from rig.referee.answering import hear_answer, hear_confirmation
from rig.referee.belief import Belief
from rig.referee.book import Book
from rig.referee.calls import hear_call
from rig.referee.concluding import hear_judged, hear_tracked
from rig.referee.eye import Eye
from rig.referee.knocks import Knocks
from rig.referee.looks import Confirming, Judging, Scanning, Searching, Tracing
from rig.referee.lost import hear_search
from rig.referee.memory import Memory
from rig.referee.put_right import put_right
from rig.referee.set_up_scan import hear_scan
from rig.referee.state import AwaitingLook, State, action_of
from rig.referee.thinking import take_in, think
from rig.referee.tunables import TUNED, Tunables
from rig.referee.view import draw_view


class Heard(NamedTuple):
    """What one message made the referee say."""

    facts: tuple[Fact, ...]
    rulings: tuple[Ruling, ...]
    requests: tuple[Request, ...]
    view: View | None


class Referee:
    """`step(message, readings) -> Heard`."""

    def __init__(self, profile: Profile, tuned: Tunables = TUNED) -> None:
        self._memory = Memory(profile, tuned)
        longer_px = {camera.number: max(camera.model.width_px, camera.model.height_px) for camera in profile.cameras}
        self._knocks = Knocks(longer_px, tuned)
        self._pose_asked_t_s: dict[int, float] = {}
        self._health: dict[str, SourceNews] = {}
        self._view: View | None = None
        self._set_poses()

    @property
    def tower(self) -> Tower:
        """The tower as believed."""
        return self._memory.tower

    @property
    def book(self) -> Book:
        """The game as it has been told."""
        return self._memory.book

    @property
    def belief(self) -> Belief:
        """Everything that may be so, with weights."""
        return self._memory.belief

    @property
    def state(self) -> State:
        return self._memory.state

    @property
    def view(self) -> View | None:
        """The latest view."""
        return self._view

    def set_profile(self, profile: Profile) -> None:
        """Another profile from here on (a camera was re-posed)."""
        self._memory.profile = profile
        self._set_poses()

    def _set_poses(self) -> None:
        for camera in self._memory.profile.cameras:
            if camera.pose is not None:
                self._memory.senses.eyes[camera.number].pose = camera.pose

    # ------------------------------------------------------------ the fold

    def step(self, message: Message, readings: tuple[Reading, ...] = ()) -> Heard:
        """What one numbered message, with the base's readings derived from it, makes the referee say."""
        self._memory.t_s = message.t_s
        for reading in readings:
            self._hear_reading(reading)
        self._hear_sight(message)
        self._hear_people(message.payload)
        think(self._memory)
        view = self._draw()
        changed = None if self._view is not None and msgspec.structs.replace(view, t_s=self._view.t_s) == self._view else view
        if changed is not None:
            self._view = view
        facts, rulings, requests = self._memory.outbox.empty()
        return Heard(facts, rulings, requests, changed)

    # ------------------------------------------------------------ what comes in

    @property
    def _action(self) -> Action | None:
        return action_of(self._memory.state)

    def _hear_sight(self, message: Message) -> None:
        match message.payload:
            case Frame() as frame:
                self._hear_frame(message, frame)
            case Watched() as watched:
                take_in(self._memory, self._memory.senses.hear_watched(watched, self._action))
                self._look_for_a_knock(watched)
                if watched.fault:
                    self._news(f"camera {watched.camera}", Health.FAULT, watched.fault)
                else:
                    self._health.pop(f"camera {watched.camera}", None)
            case Posed() as posed:
                self._hear_posed(posed)
            case Judged() | Tracked() | TowerRead() as answer:
                self._hear_look(answer)
            case _:
                pass

    def _hear_look(self, answer: Judged | Tracked | TowerRead) -> None:
        """The eyes' answer, if it is to what they were asked last; an answer to anything else comes too late and says nothing."""
        state = self._memory.state
        if not isinstance(state, AwaitingLook) or state.look.id != answer.id:
            return
        match state.look, answer:
            case Judging() as judging, Judged() as judged:
                hear_judged(self._memory, judging, judged)
            case Confirming() as confirming, Judged() as judged:
                hear_confirmation(self._memory, confirming, judged)
            case Tracing() as tracing, Tracked() as tracked:
                hear_tracked(self._memory, tracing, tracked)
            case Scanning() as scanning, TowerRead() as read:
                hear_scan(self._memory, scanning, read)
            case Searching() as searching, TowerRead() as read:
                hear_search(self._memory, searching, read)
            case _:
                pass

    def _hear_people(self, payload: Input) -> None:
        match payload:
            case Call() as call:
                hear_call(self._memory, call)
            case Drew() as drew:
                desk.hear_draw(self._memory, drew)
            case Told(line=line):
                desk.hear_told(self._memory, line)
            case PutRight() as told:
                put_right(self._memory, told)
            case Resumed() as resumed:
                desk.resume(self._memory, resumed)
            case Answered() as answered:
                hear_answer(self._memory, answered)
            case SourceNews() as news:
                self._health[news.source] = news
            case _:
                pass

    def _hear_reading(self, reading: Reading) -> None:
        senses = self._memory.senses
        match reading:
            case Weighed():
                senses.hear_weighed(reading)
                if reading.fault:
                    self._news("scale", Health.FAULT, reading.fault)
                else:
                    self._health.pop("scale", None)
            case Stepped():
                take_in(self._memory, senses.hear_stepped(reading, self._action))
            case Tilted():
                senses.hear_tilted(reading)
            case Pressed(pressed=True):
                self._hear_button(reading.button)
            case LinkNews():
                self._news("base", reading.health, reading.sentence)
                if reading.zeroed_g:
                    take_in(self._memory, senses.rezero(reading.zeroed_g, self._action))

    def _news(self, source: str, health: Health, sentence: str) -> None:
        self._health[source] = SourceNews(source=source, health=health, sentence=sentence)

    def _hear_frame(self, message: Message, frame: Frame) -> None:
        memory = self._memory
        eye = memory.senses.eyes.get(frame.camera)
        previous = eye.frame if eye else None
        eye = memory.senses.hear_frame(message, frame)
        if eye is None or memory.book.over:
            return
        if eye.pose is None:
            if memory.t_s - self._pose_asked_t_s.get(frame.camera, -1e9) >= memory.tuned.pose_again_s:
                self._pose_asked_t_s[frame.camera] = memory.t_s
                memory.outbox.request(FindPose(id=memory.outbox.next_id(), camera=frame.camera, frame=message.n))
            return
        memory.outbox.request(
            Watch(
                id=memory.outbox.next_id(), camera=frame.camera, frame=message.n, previous=previous,
                reference=memory.pictures.references.get(frame.camera), pose=eye.pose, tower=memory.tower,
            )
        )  # fmt: skip

    def _hear_posed(self, posed: Posed) -> None:
        source = f"camera {posed.camera}"
        eye = self._memory.senses.eyes.get(posed.camera)
        if posed.pose is None or eye is None:
            self._news(source, Health.FAULT, posed.sentence or "No markers in the picture: turn the camera towards the rig.")
            return
        if eye.pose is not None:
            if posed.moved_px:
                self._camera_moved(eye, posed.pose, posed.moved_px)
            else:
                self._knocks.stands(self._memory.t_s, posed.camera)
            return
        eye.pose = posed.pose
        self._health.pop(source, None)

    def _look_for_a_knock(self, watched: Watched) -> None:
        memory = self._memory
        eye = memory.senses.eyes.get(watched.camera)
        if eye is not None and eye.pose is not None and self._knocks.suspects(memory.t_s, watched):
            look = FindPose(id=memory.outbox.next_id(), camera=watched.camera, frame=watched.frame, believed=eye.pose)
            memory.outbox.request(look)

    def _camera_moved(self, eye: Eye, pose: CameraPose, moved_px: float) -> None:
        """Its old pictures no longer compare with new ones; the other cameras carry on until it has a reference again."""
        eye.pose = pose
        self._memory.forget_pictures(eye.camera)
        sentence = f"Camera {eye.camera} was moved by {moved_px:.0f} px and has found itself again."
        self._news(f"camera {eye.camera} stand", Health.GOOD, sentence)

    def _hear_button(self, seat: int) -> None:
        memory = self._memory
        position = memory.book.game.position
        handled = self._action is not None or memory.handled_t_s > memory.course.last_deed[1]
        call = buttons.meant(seat, position.phase, position.turn, position.actor, handled)
        if call is not None:
            hear_call(memory, call)

    # ------------------------------------------------------------ the view

    def _draw(self) -> View:
        memory = self._memory
        return draw_view(memory.t_s, memory, dict(self._health))
