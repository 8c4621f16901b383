"""The numbered events of the live page, kept long enough that a screen that was away for a moment misses none.

A pure object: times and threads are the hub's. Each event has an id; a client that comes back with the last id it saw gets all that came
after, or, if that is too long ago or from another run of the program, the word that it must begin anew from the full state.
"""

from __future__ import annotations

import json
from collections import deque
from dataclasses import dataclass
from typing import Any

KEEP = 5000
"""Events kept for those who come back; about three minutes of a lively game. More: longer absences without a full reload, more memory."""


@dataclass(frozen=True, slots=True)
class Event:
    """One event as the page gets it: `number` counts from 1 without holes, `data` is JSON, `wire` the same as it goes over the wire, put
    into words once for all pages."""

    number: int
    kind: str
    data: str
    wire: bytes


class Journal:
    """The latest events. `run` tells this run of the program from another, whose numbers mean nothing here."""

    def __init__(self, run: str, keep: int = KEEP) -> None:
        self.run = run
        self.last = 0
        self._events: deque[Event] = deque(maxlen=keep)

    def add(self, kind: str, value: Any) -> Event:
        self.last += 1
        data = dumps(value)
        event = Event(self.last, kind, data, wire_text(kind, data, self.name(self.last)))
        self._events.append(event)
        return event

    def since(self, number: int) -> list[Event] | None:
        """The events after `number`, in order; None if some of them are no longer kept, or if there never was such a number."""
        if not 0 <= number <= self.last:
            return None
        wanted = self.last - number
        if wanted > len(self._events):
            return None
        return [self._events[place] for place in range(len(self._events) - wanted, len(self._events))]

    def name(self, number: int) -> str:
        """The id of an event as it goes over the wire."""
        return f"{self.run}-{number}"

    def number(self, name: str) -> int | None:
        """The number in an id; None if it is of another run, or no id at all."""
        run, _, digits = name.rpartition("-")
        return int(digits) if run == self.run and digits.isascii() and digits.isdigit() and len(digits) < 16 else None


def wire_text(kind: str, data: str, name: str | None = None) -> bytes:
    """A server-sent event (WHATWG HTML, section 9.2), with its id if it has one."""
    return ((f"id: {name}\n" if name else "") + f"event: {kind}\ndata: {data}\n\n").encode()


def dumps(value: Any) -> str:
    return json.dumps(value, separators=(",", ":"), ensure_ascii=False, allow_nan=False)
