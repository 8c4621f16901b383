"""What the players wear, learnt from their own deeds: a sleeve tells whose an arm is only where people dress as they play.

At many a table somebody's shirt happens to be in another player's colour, and at others nobody has put on a sleeve of their own.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence

from rig.pieces import Colour
from rig.referee.action import SeenHand
from rig.referee.tunables import TUNED, Tunables


class Sleeves:
    """For each seat, in how many of its deeds each player's colour was worn by the hands at the tower."""

    def __init__(self, tuned: Tunables = TUNED) -> None:
        self._tuned = tuned
        self._deeds: Counter[int] = Counter()
        self._worn: Counter[tuple[int, Colour]] = Counter()

    def note(self, seat: int, hands: Iterable[SeenHand]) -> None:
        """These hands were at the tower while `seat` did something."""
        sleeves = [hand.sleeve for hand in hands]
        if not sleeves:
            return
        self._deeds[seat] += 1
        for colour, pictures in Counter(sleeves).items():
            if colour is not None and pictures >= self._tuned.sleeve_pictures:
                self._worn[seat, colour] += 1

    def whose(self, colour: Colour, actor: int | None, colours: Sequence[Sequence[Colour]]) -> int | None:
        """The seat that a sleeve of this colour belongs to; None if it tells nothing. `colours`: each seat's."""
        if actor is not None and self._wears(actor, colour, unknown=False):
            return actor
        owner = next((seat for seat, own in enumerate(colours) if colour in own), None)
        return owner if owner is not None and self._wears(owner, colour, unknown=True) else None

    def _wears(self, seat: int, colour: Colour, unknown: bool) -> bool:
        deeds = self._deeds[seat]
        return unknown if deeds < self._tuned.known_deeds else 2 * self._worn[seat, colour] >= deeds
