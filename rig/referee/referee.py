"""The referee: a pure fold over messages that says facts, rulings, requests and the view.

Here messages are heard and sorted: sight, weight, people. What the referee believes is `mind.py`; what it makes of it, when it has the
eyes look and when it asks the table, is `judging.py`. It never looks, waits or asks by itself: it emits requests, and the answers come in
as messages like everything else.
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
    TowerRead,
    Tracked,
    View,
    Watch,
    Watched,
    Weighed,
)
from rig.profile import Profile
from rig.referee import buttons
from rig.referee.agree import Places
from rig.referee.book import Book
from rig.referee.judging import Judging
from rig.referee.knocks import Knocks
from rig.referee.mind import Mind
from rig.referee.repair import Repair
from rig.referee.senses import Eye
from rig.referee.sleeve_attribution import Sleeves
from rig.referee.view import draw_view
from rig.rules.events import DEEDS, Incident, OutsideDecided

POSE_RETRY_S = 2.0
"""Seconds between attempts to find a camera that shows no markers."""


class Heard(NamedTuple):
    """What one message made the referee say."""

    facts: tuple[Fact, ...]
    rulings: tuple[Ruling, ...]
    requests: tuple[Request, ...]
    view: View | None


class Referee:
    """`step(message, readings) -> Heard`."""

    def __init__(self, profile: Profile) -> None:
        self._mind = Mind(profile)
        self._judging = Judging(self._mind)
        self._knocks = Knocks({camera.number: max(camera.model.width_px, camera.model.height_px) for camera in profile.cameras})
        self._pose_asked_t_s: dict[int, float] = {}
        self._health: dict[str, SourceNews] = {}
        self._view: View | None = None
        self._set_poses()

    @property
    def tower(self) -> Tower:
        """The tower as believed."""
        return self._mind.tower

    @property
    def book(self) -> Book:
        return self._mind.book

    @property
    def view(self) -> View | None:
        """The latest view."""
        return self._view

    def set_profile(self, profile: Profile) -> None:
        """Another profile from here on (a camera was re-posed)."""
        self._mind.profile = profile
        self._set_poses()

    def _set_poses(self) -> None:
        for camera in self._mind.profile.cameras:
            if camera.pose is not None:
                self._mind.senses.eyes[camera.number].pose = camera.pose

    # ------------------------------------------------------------ the fold

    def step(self, message: Message, readings: tuple[Reading, ...] = ()) -> Heard:
        self._mind.t_s = self._mind.senses.t_s = message.t_s
        self._mind.senses.actor = self._mind.book.actor
        for reading in readings:
            self._hear_reading(reading)
        self._hear_sight(message)
        self._hear_people(message.payload)
        self._judging.think()
        view = self._draw()
        changed = None if self._view is not None and msgspec.structs.replace(view, t_s=self._view.t_s) == self._view else view
        if changed is not None:
            self._view = view
        facts, rulings, requests = self._mind.outbox.empty()
        return Heard(facts, rulings, requests, changed)

    # ------------------------------------------------------------ what comes in

    def _hear_sight(self, message: Message) -> None:
        match message.payload:
            case Frame() as frame:
                self._hear_frame(message, frame)
            case Watched() as watched:
                self._mind.senses.hear_watched(watched)
                self._look_for_a_knock(watched)
                if watched.fault:
                    self._news(f"camera {watched.camera}", Health.FAULT, watched.fault)
                else:
                    self._health.pop(f"camera {watched.camera}", None)
            case Posed() as posed:
                self._hear_posed(posed)
            case Judged() as judged:
                self._judging.hear_judged(judged)
            case Tracked() as tracked:
                self._judging.hear_tracked(tracked)
            case TowerRead() as read:
                self._judging.hear_tower(read)
            case _:
                pass

    def _hear_people(self, payload: Input) -> None:
        match payload:
            case Call() as call:
                self._hear_call(call)
            case Drew() as drew:
                self._mind.book.draw(self._mind.t_s, drew)
            case Told(line=line):
                self._hear_told(line)
            case Resumed() as resumed:
                self._resume(resumed)
            case Answered() as answered:
                self._judging.hear_answer(answered)
            case SourceNews() as news:
                self._health[news.source] = news
            case _:
                pass

    def _hear_reading(self, reading: Reading) -> None:
        match reading:
            case Weighed():
                self._mind.senses.hear_weighed(reading)
                if reading.fault:
                    self._news("scale", Health.FAULT, reading.fault)
                else:
                    self._health.pop("scale", None)
            case Stepped():
                self._mind.senses.hear_stepped(reading)
            case Tilted():
                self._mind.senses.hear_tilted(reading)
            case Pressed(pressed=True):
                self._hear_button(reading.button)
            case LinkNews():
                self._news("base", reading.health, reading.sentence)
                if reading.zeroed_g:
                    self._mind.senses.rezero(reading.zeroed_g)

    def _news(self, source: str, health: Health, sentence: str) -> None:
        self._health[source] = SourceNews(source=source, health=health, sentence=sentence)

    def _hear_frame(self, message: Message, frame: Frame) -> None:
        eye = self._mind.senses.eyes.get(frame.camera)
        previous = eye.frame if eye else None
        eye = self._mind.senses.hear_frame(message, frame)
        if eye is None or self._mind.book.over:
            return
        if eye.pose is None:
            if self._mind.t_s - self._pose_asked_t_s.get(frame.camera, -1e9) >= POSE_RETRY_S:
                self._pose_asked_t_s[frame.camera] = self._mind.t_s
                self._mind.outbox.request(FindPose(id=self._mind.outbox.next_id(), camera=frame.camera, frame=message.n))
            return
        self._mind.outbox.request(
            Watch(
                id=self._mind.outbox.next_id(), camera=frame.camera, frame=message.n, previous=previous,
                reference=self._mind.references.get(frame.camera), pose=eye.pose, tower=self._mind.tower,
            )
        )  # fmt: skip

    def _hear_posed(self, posed: Posed) -> None:
        source = f"camera {posed.camera}"
        eye = self._mind.senses.eyes.get(posed.camera)
        if posed.pose is None or eye is None:
            self._news(source, Health.FAULT, posed.sentence or "No markers in the picture: turn the camera towards the rig.")
            return
        if eye.pose is not None:
            if posed.moved_px:
                self._camera_moved(eye, posed.pose, posed.moved_px)
            else:
                self._knocks.stands(self._mind.t_s, posed.camera)
            return
        eye.pose = posed.pose
        self._health.pop(source, None)

    def _look_for_a_knock(self, watched: Watched) -> None:
        eye = self._mind.senses.eyes.get(watched.camera)
        if eye is not None and eye.pose is not None and self._knocks.suspects(self._mind.t_s, watched):
            look = FindPose(id=self._mind.outbox.next_id(), camera=watched.camera, frame=watched.frame, believed=eye.pose)
            self._mind.outbox.request(look)

    def _camera_moved(self, eye: Eye, pose: CameraPose, moved_px: float) -> None:
        """Its old pictures no longer compare with new ones; the other cameras carry on until it has a reference again."""
        eye.pose = pose
        self._mind.references = {camera: n for camera, n in self._mind.references.items() if camera != eye.camera}
        sentence = f"Camera {eye.camera} was moved by {moved_px:.0f} px and has found itself again."
        self._news(f"camera {eye.camera} stand", Health.GOOD, sentence)

    def _hear_button(self, seat: int) -> None:
        position = self._mind.book.game.position
        handled = self._mind.senses.action is not None or self._mind.handled_t_s > self._mind.last_deed[1]
        call = buttons.meant(seat, position.phase, position.turn, position.actor, handled)
        if call is not None:
            self._hear_call(call)

    def _resume(self, resumed: Resumed) -> None:
        """Another game from here on: nothing of the one before is waited for, and its pictures compare with nothing."""
        if not self._mind.book.resume(self._mind.t_s, resumed.record):
            return
        self._mind.repair, self._mind.places, self._mind.last_deed = Repair(), Places(), (None, self._mind.t_s)
        self._mind.sleeves = Sleeves()
        self._judging.start_anew()
        self._mind.aborts.forget()
        self._mind.senses.note_settled()
        self._mind.senses.referenced = False
        self._mind.references = {}
        self._mind.tower = resumed.tower
        self._mind.agree()

    def _hear_told(self, line: str) -> None:
        """The desk tells a fact or corrects one: the books take it, and the tower is believed as they have it."""
        actor = self._mind.book.actor
        event = self._mind.book.told(self._mind.t_s, line)
        if event is None:
            return
        if isinstance(event, Incident) and self._mind.profile.cameras:
            self._mind.repair.fell(self._mind.tower, Toppled(columns=event.fallen))
        if isinstance(event, (*DEEDS, OutsideDecided)):
            self._mind.last_deed = (actor, self._mind.t_s)
            self._judging.take_the_word()
        self._mind.agree()

    def _hear_call(self, call: Call) -> None:
        if call.word is CallWord.ABORT:
            self._mind.aborts.called(self._mind.t_s, call, self._mind.book.actor)
        else:
            self._mind.book.call(self._mind.t_s, call)

    # ------------------------------------------------------------ the view

    @property
    def _state(self) -> RefereeState:
        if self._mind.book.over:
            return RefereeState.OVER
        if self._judging.asked is not None:
            return RefereeState.ASKING
        if self._judging.lost:
            return RefereeState.LOST
        if self._mind.senses.action is not None:
            hands = any(eye.hand for eye in self._mind.senses.eyes.values())
            return RefereeState.HANDS_IN if hands else RefereeState.SETTLING
        if self._judging.looking:
            return RefereeState.SETTLING
        if self._mind.repair.open:
            return RefereeState.REPAIR
        return RefereeState.SET_UP if self._mind.book.setting_up else RefereeState.SETTLED

    def _draw(self) -> View:
        mind = self._mind
        watched = bool(mind.profile.cameras)
        return draw_view(
            mind.t_s, self._state, mind.book, mind.tower, self._judging.asked, dict(self._health), watched, mind.senses.leaning_deg
        )
