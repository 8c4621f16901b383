"""Which column was tugged and put back? The one deed that leaves no trace in a settled picture.

Two witnesses are joined: pictures taken while hands were in (`Tracked`: did a column leave its place for a while) and the player's own
word, which is often late and sometimes missing. Sight alone is enough when it is clear; the word alone leads to a question.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from rig.messages import Call, Evidence, Trace
from rig.pieces import Column

CLEAR = 6.0
"""Log odds from which sight alone makes an abort. Lower: a swaying column counts as tugged."""

DOUBTED = 0.0
"""Log odds from which sight alone makes a question, because an abort nobody heard of puts everybody after it into the wrong turn. Lower:
fingers that only touch a column are asked about."""

CALLED = 4.0
"""What the player's word is worth in log odds: somebody who says "abort" has nearly always moved a column."""

MARGIN = 5.0
"""Log odds by which the best column must lead the second, or it is asked."""

WORD_LASTS_S = 20.0
"""A word older than this belongs to nothing any more."""


@dataclass(frozen=True, slots=True)
class Abort:
    """A column found tugged and put back; `column` None: surely one, but which must be asked."""

    column: Column | None
    confidence: float
    evidence: tuple[Evidence, ...]
    among: tuple[Column, ...] = ()


class AbortBook:
    """Remembers the words and the traces of the turn in progress."""

    def __init__(self) -> None:
        self._word: tuple[float, Call] | None = None
        self._traces: tuple[Trace, ...] = ()

    def called(self, t_s: float, call: Call, actor: int | None) -> None:
        """A player said "abort". The word of somebody who is not acting (a late one, after the turn has passed) changes nothing."""
        if call.seat == actor:
            self._word = (t_s, call)

    def forget(self) -> None:
        """The turn is over: what was said and seen in it is spent."""
        self._word, self._traces = None, ()

    def tracked(self, t_s: float, traces: tuple[Trace, ...]) -> Abort | None:
        """After an action that left everything in its place: an abort, or None (kept for a late word)."""
        best = {trace.column: trace for trace in self._traces}
        for trace in traces:
            if trace.column not in best or trace.log_odds > best[trace.column].log_odds:
                best[trace.column] = trace
        self._traces = tuple(best.values())
        return self.decide(t_s)

    def decide(self, t_s: float) -> Abort | None:
        """What word and traces so far amount to."""
        word = self._word if self._word is not None and t_s - self._word[0] < WORD_LASTS_S else None
        said = (Evidence("call", "the player said so", CALLED),) if word is not None else ()
        if word is not None and word[1].column is not None:
            return Abort(word[1].column, 0.99, said)
        return self._seen(said)

    def likeliest_first(self, among: tuple[Column, ...]) -> tuple[Column, ...]:
        """`among`, by what sight says of them."""
        odds = {trace.column: trace.log_odds for trace in self._traces}
        return tuple(sorted(among, key=lambda column: -odds.get(column, -math.inf)))

    def _seen(self, said: tuple[Evidence, ...]) -> Abort | None:
        """What the traces say, with what was said."""
        ranked = sorted(self._traces, key=lambda trace: -trace.log_odds)
        if not ranked:
            return None
        first = ranked[0]
        total = first.log_odds + (CALLED if said else 0.0)
        lead = first.log_odds - ranked[1].log_odds if len(ranked) > 1 else MARGIN
        seen = Evidence("camera", f"{first.column} left its place for a while", first.log_odds, (first.frame,) if first.frame else ())
        if total >= CLEAR and lead >= MARGIN:
            return Abort(first.column, min(0.999, 1 - 0.5 ** (total / 2)), (seen, *said))
        if said or first.log_odds >= DOUBTED:
            return Abort(None, 0.5, (seen, *said), tuple(trace.column for trace in ranked))
        return None

    @property
    def word_waits(self) -> bool:
        return self._word is not None

    @property
    def word_t_s(self) -> float:
        return self._word[0] if self._word is not None else -1e9
