"""The fold: numbered messages in; facts, rulings and requests out; everything between is a pure function of the messages.

It composes the two pure objects (the base's decoder and the referee) and hands the base's readings on under the number of the bytes they
came from. A live rig, a recording and the twin all end here, so what holds for one holds for the others. It reads no clock and starts no
thread.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from rig.base.fold import BaseFold
from rig.messages import BaseBytes, Fact, Felt, Message, ProfileSet, Reading, Request, Ruling, Tare, Tick, View
from rig.profile import Profile, from_json
from rig.referee.referee import Referee


class Said(NamedTuple):
    """What one message led to."""

    readings: tuple[Reading, ...]
    facts: tuple[Fact, ...]
    rulings: tuple[Ruling, ...]
    requests: tuple[Request, ...]
    view: View | None


class Fold:
    """`step(message) -> Said`. The first message must set the profile."""

    def __init__(self, make: Callable[[Profile], Referee] = Referee) -> None:
        """`make`: the referee of a profile, where another than the usual one is to rule."""
        self._make = make
        self._base: BaseFold | None = None
        self._referee: Referee | None = None

    @property
    def referee(self) -> Referee:
        if self._referee is None:
            raise ValueError("a session begins with its profile")
        return self._referee

    def step(self, message: Message) -> Said:
        payload = message.payload
        if isinstance(payload, ProfileSet):
            profile = from_json(payload.profile_json, "the session's profile")
            if self._base is not None:
                self._base.set_profile(profile)
            elif profile.cells:  # without cells there is no base, and its silence is no news
                self._base = BaseFold(profile)
            if self._referee is None:
                self._referee = self._make(profile)
            else:
                self._referee.set_profile(profile)
        if self._referee is None:
            raise ValueError("a session begins with its profile")
        readings = self._readings(message)
        heard = self._referee.step(message, readings)
        return Said(readings, heard.facts, heard.rulings, heard.requests, heard.view)

    def _readings(self, message: Message) -> tuple[Reading, ...]:
        """What the base says of this message: decoded from bytes, or as a modelled base felt it."""
        payload = message.payload
        if isinstance(payload, Felt):
            return payload.readings
        if self._base is None:
            return ()
        match payload:
            case BaseBytes(data=data):
                return self._base.step(message.t_s, data)
            case Tick():
                return self._base.step(message.t_s, b"")
            case Tare(back=back):
                return (self._base.tare_by_word(message.t_s, back),)
            case _:
                return ()
