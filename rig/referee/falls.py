"""A fall is called while pieces still roll: when the eyes are asked for one, and when their word is enough."""

from __future__ import annotations

from rig.messages import Evidence, Fact, FactKind, Fallen
from rig.referee.attribution import Attribution, attribute
from rig.referee.look_request import Pending
from rig.referee.mind import Mind
from rig.referee.senses import Action
from rig.referee.verdict import Candidate, Verdict

STILL_PATIENCE_S = 0.7
"""Seconds a scene must stand still before it is judged although something in it looks like a hand. Shorter: resting hands are judged."""

STILL_AGAIN_S = 1.5
"""Seconds between two such judgements."""

AGAIN_S = 0.4
"""Seconds between two looks for a fall at a scene that still moves."""

TWICE_S = 1.3
"""Two such looks this near to each other must both see a fall."""


class Falls:
    """When a fall was last looked for, and last seen."""

    def __init__(self, mind: Mind) -> None:
        self._mind = mind
        self._looked_at_still_t_s = self._looked_t_s = self._seen_t_s = -1e9

    def frames(self, action: Action) -> dict[int, int] | None:
        """Pictures in which a fall is to be looked for now, of a scene that moves or in which what lies there looks like a hand."""
        senses, t_s = self._mind.senses, self._mind.t_s
        falling = senses.falling_frames(t_s) if t_s - self._looked_t_s >= AGAIN_S else None
        still = senses.still_frames(t_s, STILL_PATIENCE_S) if t_s - self._looked_at_still_t_s > STILL_AGAIN_S else None
        if falling is not None:
            self._looked_t_s = t_s
            return falling
        if still is not None and self._weight_is_strange(action):
            self._looked_at_still_t_s = t_s
            return still
        return None

    def _weight_is_strange(self, action: Action) -> bool:
        """Whether the weight moved in a way that hands at work do not explain."""
        weighed = self._mind.senses.weighed
        if weighed is None or weighed.weight_g is None or action.weight_before_g is None:
            return True
        return action.swing_g > 0 or abs(weighed.weight_g - action.weight_before_g) > 3.0

    def is_called(self, pending: Pending, verdict: Verdict) -> bool:
        """Whether these pictures are enough: what still moves must look fallen twice in a row."""
        fallen = verdict.sure and isinstance(verdict.best.hypothesis, Fallen)
        at_rest = all(not self._mind.senses.eyes[camera].moving for camera in pending.frames)
        called = fallen and (at_rest or self._mind.t_s - self._seen_t_s <= TWICE_S)
        self._seen_t_s = self._mind.t_s if fallen else -1e9
        return called


def fact_of(pending: Pending, found: Candidate, mind: Mind) -> tuple[Fact, Attribution]:
    """The fact of a collapse, and whose doing it was as far as the senses can tell."""
    colours = mind.book.game.position.colours
    blamed = attribute(pending.action, mind.senses, pending.action.actor, mind.last_deed, colours, mind.sleeves)
    fact = Fact(
        id=mind.outbox.next_id(), t_s=mind.t_s, kind=FactKind.COLLAPSED, seat=blamed.seat if blamed.sure else None, column=None,
        floor=None, confidence=found.posterior, evidence=(*found.evidence, blamed.evidence),
    )  # fmt: skip
    return fact, blamed


def unwatched(seen: Evidence, mind: Mind) -> tuple[Fact, Attribution]:
    """The same of a fall that nobody watched."""
    blamed = Attribution(None, False, Evidence("camera", "I had lost track of the tower when it fell"))
    fact = Fact(
        id=mind.outbox.next_id(), t_s=mind.t_s, kind=FactKind.COLLAPSED, seat=None, column=None, floor=None, confidence=0.95,
        evidence=(seen, blamed.evidence),
    )  # fmt: skip
    return fact, blamed
