"""What has been told of the occasions that are still open, and how the books follow when another course takes the lead.

The books are append-only. Where later evidence shows that something else happened, the event in the log is corrected, exactly as a person
would correct it at the desk: score, seal and turn follow from the rules. What is said then is one ruling `revised`, with what was believed,
what is now, and why; after it every ruling that has changed. `revises` names the ruling that no longer holds; its facts are withdrawn.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import msgspec

from rig.messages import Fact, Ruling
from rig.referee.belief import Happening
from rig.referee.book import Book
from rig.referee.outbox import Outbox
from rig.rules.events import WORDS, Corrected, Event
from rig.rules.notation import print_event
from rig.rules.rulings import Ruling as Judgement


@dataclass(frozen=True, slots=True)
class Entry:
    """What was told of one occasion: its events, their numbers in the log, its facts, and the id of its main ruling."""

    events: tuple[Event, ...]
    numbers: tuple[int, ...]
    after: int
    """How many events the log had before it."""
    facts: tuple[Fact, ...]
    ruling: int | None


class Told:
    """The open occasions, in order."""

    def __init__(self, book: Book, outbox: Outbox) -> None:
        self._book, self._outbox = book, outbox
        self._entries: dict[int, Entry] = {}

    def forget(self, but: Sequence[int] = ()) -> None:
        """What is settled needs no following."""
        self._entries = {occasion: entry for occasion, entry in self._entries.items() if occasion in but}

    def follow(self, t_s: float, tail: Sequence[Happening], marginal: Callable[[int], float], sure: float, why: str) -> bool:
        """Tells what is new in this history and revises what differs; False if the books cannot follow."""
        for happening in tail:
            entry = self._entries.get(happening.occasion)
            probable = marginal(happening.occasion) < sure
            if entry is None:
                self._tell(t_s, happening, probable)
            elif entry.events != happening.events and not self._revise(t_s, entry, happening, probable, why):
                return False
        return True

    def _tell(self, t_s: float, happening: Happening, probable: bool) -> None:
        before = len(self._book.game.log)
        facts = self._numbered(happening.facts)
        ids = tuple(fact.id for fact in facts)
        said = self._outbox.said
        for event in happening.events:
            self._book.enter(t_s, event, ids, probable)
        rulings = self._outbox.rulings_since(said)
        numbers = tuple(range(before + 1, len(self._book.game.log) + 1)) if happening.events else ()
        self._entries[happening.occasion] = Entry(happening.events, numbers, before, facts, _main(rulings))

    def _numbered(self, drafts: Sequence[Fact]) -> tuple[Fact, ...]:
        facts = tuple(msgspec.structs.replace(fact, id=self._outbox.next_id()) for fact in drafts)
        for fact in facts:
            self._outbox.fact(fact)
        return facts

    # ------------------------------------------------------------ revisions

    def _revise(self, t_s: float, entry: Entry, happening: Happening, probable: bool, why: str) -> bool:
        number = entry.numbers[0] if entry.numbers else self._correctable(entry.after)
        before = self._book.game
        for later in entry.numbers[1:]:
            if before.really(later) and not self._book.correct(Corrected(later)):
                return False
        was = entry.events[:1] if len(entry.numbers) > 1 else entry.events
        events = _replaced(before.really(number), was, happening.events)
        if not self._book.correct(Corrected(number, events)):
            return False
        same = tuple(map(_about, entry.facts)) == tuple(map(_about, happening.facts))
        facts = entry.facts if same else self._numbered(happening.facts)
        ids = tuple(fact.id for fact in facts)
        main = self._say(t_s, entry, happening, ids, probable, why)
        for ruling in _changed(before.history, self._book.game.history, number):
            self._book.say(t_s, ruling, ids if ruling.number == number else (), probable)
        self._entries[happening.occasion] = Entry(happening.events, (number,), entry.after, facts, main)
        return True

    def _correctable(self, number: int) -> int:
        """The last event of the log up to `number` that is no table's word; 0: what stands before the first."""
        log = self._book.game.log
        while number and isinstance(log[number - 1], WORDS):
            number -= 1
        return number

    def _say(self, t_s: float, entry: Entry, happening: Happening, ids: tuple[int, ...], probable: bool, why: str) -> int:
        names = self._book.names
        was, now = ("; ".join(print_event(event, names) for event in events) for events in (entry.events, happening.events))
        english = f"Revised: {now or 'nothing happened'}, not {was or 'nothing'}. {why}".strip()
        german = f"Berichtigt: {now or 'nichts geschehen'}, nicht {was or 'nichts'}. {why}".strip()
        number = self._outbox.next_id()
        self._outbox.ruling(
            Ruling(
                id=number, t_s=t_s, kind="revised", rule_ids=("B13",), facts=ids, english=english, german=german,
                data={"was": was, "now": now, "why": why, "number": entry.numbers[0] if entry.numbers else entry.after},
                probable=probable, revises=entry.ruling,
            )
        )  # fmt: skip
        return number


def _replaced(held: Sequence[Event], was: Sequence[Event], now: Sequence[Event]) -> tuple[Event, ...]:
    """The events of one number of the log with `was` replaced by `now`; put at the end if nothing was there of it."""
    for start in range(len(held) - len(was) + 1):
        if was and tuple(held[start : start + len(was)]) == tuple(was):
            return (*held[:start], *now, *held[start + len(was) :])
    return (*held, *now)


def _main(rulings: Sequence[Ruling]) -> int | None:
    """The ruling that is about the facts: the first."""
    return rulings[0].id if rulings else None


def _about(fact: Fact) -> tuple[object, ...]:
    return fact.kind, fact.column, fact.floor


def _changed(before: Sequence[Judgement], after: Sequence[Judgement], number: int) -> list[Judgement]:
    """The rulings from event `number` on that were not said so before; the correction's own is said by itself."""
    said = {(r.kind, r.number, r.seat, r.data) for r in before}
    own = {"corrected"}
    return [r for r in after if r.number >= number and r.kind not in own and (r.kind, r.number, r.seat, r.data) not in said]
