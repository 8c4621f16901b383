"""What the referee believes and remembers: the tower, the books, the pictures it compares with, who did the last deed.

Both halves of the referee work on it: what comes in (`referee.py`) and what is made of it (`judging.py`). It decides nothing.
"""

from __future__ import annotations

from rig.messages import EmptyView, Fact, FactKind, Tower
from rig.profile import Profile
from rig.referee.aborts import AbortBook
from rig.referee.agree import Places, agree
from rig.referee.book import Book
from rig.referee.mouth import Mouth
from rig.referee.repair import Repair
from rig.referee.senses import Senses
from rig.referee.wardrobe import Wardrobe
from rig.rules.events import Event


class Mind:
    """Plain state; `tower` is the tower as believed, `references` each camera's picture of it as settled (message numbers)."""

    def __init__(self, profile: Profile) -> None:
        self.profile = profile
        self.senses = Senses(tuple(camera.number for camera in profile.cameras))
        self.mouth = Mouth()
        self.book = Book(profile.pieces, self.mouth)
        self.aborts = AbortBook()
        self.repair = Repair()
        self.places = Places()
        self.wardrobe = Wardrobe()
        self.last_deed: tuple[int | None, float] = (None, 0.0)
        """Who completed the last deed, and when."""
        self.handled_t_s = -1e9
        """When hands last changed nothing."""
        self.tower = Tower()
        self.references: dict[int, int] = {}
        self.referenced_t_s = 0.0
        self.empty: dict[int, EmptyView] = {}
        """Each camera's last settled picture of the empty base: whole readings look for what differs from it."""
        self.t_s = 0.0

    def refer_to(self, frames: dict[int, int]) -> None:
        self.references = {**self.references, **frames}
        if self.tower == Tower():
            poses = {camera: self.senses.eyes[camera].pose for camera in frames}
            self.empty |= {camera: EmptyView(frame, pose) for camera, frame in frames.items() if (pose := poses[camera]) is not None}
        self.referenced_t_s = self.t_s

    def tell(self, fact: Fact, event: Event | None) -> None:
        if fact.kind is FactKind.UNCHANGED:
            return
        self.mouth.fact(fact)
        if event is None:
            return
        actor = self.book.actor
        doer = actor if fact.seat is None else fact.seat
        if doer is not None and not self.book.setting_up:
            self.wardrobe.note(doer, [hand for hand in self.senses.hands if hand.t_s > self.last_deed[1]])
        self.book.enter(self.t_s, event, (fact.id,))
        self.last_deed = (doer, self.t_s)
        if self.book.actor != actor:
            self.aborts.forget()

    def agree(self) -> None:
        """The tower as the books have it after a person's word."""
        self.tower = agree(self.tower, self.book.game.position, self.profile, self.places, self.repair.columns)
