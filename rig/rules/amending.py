"""The table's word on earlier events: what a correction or a ruling of the table makes of the events it leaves as they were told.

Whatever is changed, the events after it are worked out anew; nothing is ever patched, and no state is reached that the events do not lead
to. Every event keeps the doer it was entered with (B13). Working out ends early where the game stands again as it stood.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from rig.rules.events import WORDS, Choice, Corrected, Event, TableRuled
from rig.rules.handling import with_doer
from rig.rules.position import Position
from rig.rules.possible import impossible
from rig.rules.rulings import Reason, Ruling, RulingKind
from rig.rules.steps import step

Understood = tuple[tuple[Event, ...], ...]
"""What each number is taken for, doers filled in: as a rule one event, none for what was struck and for the table's words. Number 0 is what
was put before the first event."""


class Retold(NamedTuple):
    """Events worked out anew: the positions after each number, the rulings from the changed number on, and what the numbers mean."""

    trail: tuple[Position, ...]
    rulings: list[Ruling]
    last: int
    """The last number that was worked out anew; after it the game stands as it stood."""
    understood: Understood
    impossible: Reason | None = None
    """Why an event that the correction put in cannot have happened; nothing else counts then."""


def understood(told: Sequence[Event], trail: Sequence[Position], so_far: Understood) -> Understood:
    """`so_far` with the events entered since, each with the doer it has in the position it was entered in."""
    since = range(max(len(so_far), 1), len(told) + 1)
    before = so_far or ((),)
    return (*before, *(() if isinstance(told[n - 1], WORDS) else (with_doer(trail[n - 1], told[n - 1]),) for n in since))


def retell(
    start: Position, trail: tuple[Position, ...], meant: Understood, word: TableRuled | Corrected, chosen: Mapping[int, Choice]
) -> Retold:
    """The game with `word` taken into account; `trail` and `meant` are those before it, `chosen` what the table rules about which number.

    An event that cannot have happened any more is set aside, with a ruling.
    """
    target = word.number
    assert target is not None
    slots = list(meant)
    if isinstance(word, Corrected):
        slots[target] = word.events
    position, rulings, fresh = start if target == 0 else trail[target - 1], list[Ruling](), list(trail[:target])
    for number in range(target, len(slots)):
        known = []
        for event in slots[number]:
            if (reason := impossible(position, event)) is not None:
                if isinstance(word, Corrected) and target == number:
                    return Retold(trail, [], number, meant, reason)
                known.append(event)
                rulings.append(Ruling(RulingKind.SET_ASIDE, (reason.rule,), number, None, (("reasons", (reason.name.lower(),)),)))
                continue
            known.append(with_doer(position, event))
            position, said = step(position, known[-1], number, chosen.get(number, Choice.STAND))
            rulings.extend(said)
        slots[number] = tuple(known)
        fresh.append(position)
        if position == trail[number]:
            break
    last = len(fresh) - 1
    return Retold((*fresh, *trail[last + 1 :]), rulings, last, tuple(slots))


def ruled_on(word: TableRuled | Corrected, number: int, history: Sequence[Ruling]) -> Ruling:
    """The ruling that says what the word of the table did, and which events it set aside; `number` is the word's own."""
    target = word.number
    assert target is not None
    aside = tuple(ruling.number for ruling in history if ruling.kind is RulingKind.SET_ASIDE)
    if isinstance(word, Corrected):
        return Ruling(RulingKind.CORRECTED, ("B13",), number, None, (("event", target), ("set_aside", aside)))
    data = (("event", target), ("choice", str(word.choice)), ("set_aside", aside))
    return Ruling(RulingKind.TABLE_RULED, ("B13",), number, None, data)
