"""Hears what the referee says, and keeps what the exam holds to the truth: facts as they stand after all revisions, questions, the seal,
warnings, the last view.

A fact is *aided* if it rests on an answer or a word of the desk. A ruling that revises an earlier one withdraws that one's facts; the new
facts count as told when the withdrawn ones were.
"""

from __future__ import annotations

from collections.abc import Iterable

import msgspec

from rig.engine.fold import Said
from rig.messages import Answered, Ask, Call, CallWord, Fact, Message, Pressed, Ruling, View
from rig.rules.handling import BEFORE_PLAY


class Heard(msgspec.Struct, frozen=True):
    """A fact that stands: since when it, or what it replaced, was told; whether people had to be asked; whether it replaced another."""

    fact: Fact
    t_s: float
    aided: bool
    revised: bool = False


def is_aided(fact: Fact) -> bool:
    """Whether it rests on what the desk said."""
    return any(evidence.sense == "desk" for evidence in fact.evidence)


class Watcher:
    """`holder`: who held the seal at the start."""

    def __init__(self, holder: int | None = None) -> None:
        self.told: dict[int, Heard] = {}
        self.rulings: dict[int, Ruling] = {}
        self.asks: list[Ask] = []
        self.asked_of: dict[int, View] = {}
        """What was shown when each question was asked."""
        self.answers: list[tuple[float, Answered]] = []
        self.seal: list[tuple[float, int | None, bool]] = []
        """When the seal passed, to whom, and whether on an answer of the table."""
        self.warned_t_s: list[float] = []
        self.words: list[tuple[float, int]] = []
        """When whom said that an attempt was broken off, or pressed a button."""
        self.view: View | None = None
        self.revised = 0
        self.end_aided = False
        self._holder = holder
        self._leaning = self._over = False

    @property
    def facts(self) -> list[Fact]:
        """The facts that stand, in the order of their telling."""
        return [heard.fact for heard in self.told.values()]

    def begin(self, holder: int | None) -> None:
        """Who holds the seal at the start."""
        self._holder = holder

    def heard(self, message: Message, said: Said) -> None:
        payload = message.payload
        for fact in said.facts:
            self.told[fact.id] = Heard(fact, fact.t_s, is_aided(fact))
        for ruling in said.rulings:
            self._hear_ruling(ruling)
        for request in said.requests:
            if isinstance(request, Ask):
                self.asks.append(request)
                if self.view is not None:
                    self.asked_of[request.id] = self.view
        match payload:
            case Answered():
                self.answers.append((message.t_s, payload))
            case Call(word=CallWord.ABORT, seat=seat):
                self.words.append((message.t_s, seat))
            case _:
                pass
        self.words += [(message.t_s, r.button) for r in said.readings if isinstance(r, Pressed) and r.pressed]
        if said.view is not None:
            self._see(message.t_s, said.view, isinstance(payload, Answered) or any(is_aided(fact) for fact in said.facts))

    def _hear_ruling(self, ruling: Ruling) -> None:
        self.rulings[ruling.id] = ruling
        old = self.rulings.get(ruling.revises) if ruling.revises is not None else None
        if old is None:
            return
        withdrawn = [heard for number in old.facts if number not in ruling.facts and (heard := self.told.pop(number, None)) is not None]
        self.revised += len(withdrawn)
        since_s = min((heard.t_s for heard in withdrawn), default=ruling.t_s)
        for number in ruling.facts:
            if number in self.told and number not in old.facts:
                heard = self.told[number]
                self.told[number] = Heard(heard.fact, min(since_s, heard.t_s), heard.aided, True)

    def _see(self, t_s: float, view: View, aided: bool) -> None:
        self.view = view
        if view.phase not in BEFORE_PLAY and view.holder != self._holder:
            self._holder = view.holder
            self.seal.append((t_s, self._holder, aided))
        if (view.leaning_deg > 0) and not self._leaning:
            self.warned_t_s.append(t_s)
        self._leaning = view.leaning_deg > 0
        if view.outcome is not None and not self._over:
            self._over, self.end_aided = True, aided

    def aided_ids(self) -> Iterable[int]:
        """The ids of the facts that rest on the desk's word."""
        return (number for number, heard in self.told.items() if heard.aided)
