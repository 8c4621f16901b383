"""Numbers and dates every message as it enters: the one place where order is decided.

Time never runs backwards in a session: a payload that arrives with an earlier time is dated with the latest time seen, so a replay meets
the very same messages in the very same order.
"""

from __future__ import annotations

from rig.messages import Input, Message


class Sequencer:
    """Gives out message numbers from 1 and non-decreasing times."""

    def __init__(self) -> None:
        self._n = 0
        self._t_s = 0.0

    @property
    def t_s(self) -> float:
        return self._t_s

    @property
    def next_n(self) -> int:
        """The number that the next payload will get."""
        return self._n + 1

    def enter(self, t_s: float, source: str, payload: Input) -> Message:
        self._n += 1
        self._t_s = max(self._t_s, t_s)
        return Message(self._n, self._t_s, source, payload)
