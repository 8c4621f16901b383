"""What people say, and how it goes wrong: calls nobody hears, that come late, or from the wrong seat first.

The true game goes by what was meant; the referee by what was said. A call that no deed tells as well is said again after a while: the table
waits for it.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from rig.messages import Call, CallWord, Input
from rig.twin.physics.level_table import Speech

Say = Callable[[str, Input, float], None]
"""(source, what, seconds from now)."""
Press = Callable[[int, float], None]
"""(seat, seconds from now): a finger on that seat's button."""

WAITED_FOR = frozenset({CallWord.NOTHING, CallWord.CANNOT_LAY, CallWord.GIVE_UP, CallWord.PASS})
"""Play does not go on without these: no deed follows that tells them."""
MISTAKEN = frozenset({CallWord.REQUEST, CallWord.ABORT, CallWord.NOTHING})
"""Where a neighbour's button may be pressed first: the rules refuse that call, and nothing else comes of it."""
BUTTONED = frozenset({CallWord.REQUEST, CallWord.CHALLENGE, CallWord.ABORT, CallWord.GIVE_UP})
"""What a seat's button says at its moment (`rig.referee.buttons`)."""


class Mouths:
    """All players' mouths, and their fingers on buttons."""

    def __init__(self, level: Speech, fate: np.random.Generator, players: int, say: Say, press: Press) -> None:
        self._level, self._fate, self._players, self._say, self._press = level, fate, players, say, press
        self._unheard: dict[CallWord, int] = {}

    def call(self, word: CallWord, seat: int) -> float:
        """The call as it comes out; seconds that the table has to wait for it."""
        level, fate = self._level, self._fate
        self._unheard.pop(word, None)
        pressed = self._by_button(word)
        if word in MISTAKEN and self._players > 1 and fate.random() < level.wrong:
            self._tell(word, (seat + 1) % self._players, 0.0, pressed)
            delay_s = float(fate.uniform(1.5, 3.0))
            self._tell(word, seat, delay_s, pressed and word is not CallWord.REQUEST)
            return delay_s if word in WAITED_FOR else 0.0
        if fate.random() < level.missing:
            self._unheard[word] = seat
            if word not in WAITED_FOR:
                return 0.0
            delay_s = float(fate.uniform(*level.again_s))
            self._tell(word, seat, delay_s, pressed)
            return delay_s
        delay_s = float(fate.uniform(*level.late_s)) if fate.random() < level.late else 0.0
        if delay_s:
            self._unheard[word] = seat
        # Once hands are in, a press is an abort: a request that comes late is spoken.
        self._tell(word, seat, delay_s, pressed and not (delay_s and word is CallWord.REQUEST))
        return delay_s if word in WAITED_FOR else 0.0

    def repeat(self, word: CallWord) -> None:
        """Says again, clearly, what went unheard or was said late, because somebody answers it."""
        if word in self._unheard:
            self._tell(word, self._unheard.pop(word), 0.0)

    def false_abort(self, seat: int) -> None:
        if self._fate.random() < self._level.false_abort:
            self._tell(CallWord.ABORT, seat, 0.3, self._by_button(CallWord.ABORT))

    def _by_button(self, word: CallWord) -> bool:
        return word in BUTTONED and self._level.button > 0 and bool(self._fate.random() < self._level.button)

    def _tell(self, word: CallWord, seat: int, delay_s: float, pressed: bool = False) -> None:
        if pressed:
            self._press(seat, delay_s)
            return
        self._say(f"seat {seat + 1}", Call(word=word, seat=seat), delay_s)
