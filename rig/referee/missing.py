"""What is gone for a while: a column out of its place and off the scale, or a tower that somebody holds up out of sight.

Neither is ruled at once, because the hand that has it may come back. What comes back to where it stood leaves pictures in which nothing has
changed; that it was gone is then known from here alone.
"""

from __future__ import annotations

from dataclasses import dataclass

from rig.messages import Evidence, Fact, FactKind, Removed, Toppled
from rig.pieces import Column
from rig.referee.look_request import Pending
from rig.referee.mind import Mind
from rig.referee.senses import Action
from rig.referee.verdict import Verdict, seen
from rig.rules.events import Incident

HELD_G, HELD_S = 60.0, 25.0
"""Grams off the scale, or too many on it, that no deed explains: a hand holds the tower. For so many seconds that is waited out before
people are asked."""

CARRIED_S, CARRIED_G = 15.0, 5.0
"""For so many seconds a column that is missing, with more than so many grams, counts as carried about and neither as fallen nor as taken
out. Shorter: who thinks long with a column in hand is told to have dropped it; longer: what fell off the table is told late."""

SEEN_GONE = 0.9
"""Posterior from which it is known which column was gone."""


LIES = 3.0
"""By how much likelier (natural log) sight must hold it that a column lies about than that it is nowhere, for nobody to have it in hand."""


@dataclass(frozen=True, slots=True)
class Gone:
    """A column that was not in its place in calm pictures: since when, how sure that is, and the pictures."""

    column: Column
    t_s: float
    confidence: float
    frames: tuple[int, ...]


class Missing:
    """At most one column is waited for."""

    def __init__(self, mind: Mind) -> None:
        self._mind = mind
        self._gone: Gone | None = None
        self._glimpsed: tuple[Action, dict[int, int]] | None = None
        """The newest pictures of the action in which all was calm."""

    def forget(self) -> None:
        self._gone = None

    def glimpse(self, action: Action) -> dict[int, int] | None:
        """Pictures to look at now: hands are back at the tower, which had stood calm without them, though not for long enough to settle."""
        senses, t_s = self._mind.senses, self._mind.t_s
        frames = senses.glimpsed_frames(t_s, action.start_t_s)
        if frames is not None:
            self._glimpsed = action, frames
        elif self._glimpsed is not None and any(eye.hand for eye in senses.live_eyes(t_s)):
            (whose, seen), self._glimpsed = self._glimpsed, None
            return seen if whose is action and action.hands_seen else None
        return None

    def waits(self, pending: Pending, verdict: Verdict) -> bool:
        """Whether what was found may only be a hand's work that is not done."""
        if self._mind.book.setting_up:
            return False
        if self._is_carried(pending, verdict):
            self.note(pending, verdict)
            return True
        return not verdict.sure and self._is_held_up(pending)

    def _is_carried(self, pending: Pending, verdict: Verdict) -> bool:
        """Whether a column that is gone, from its place and from the scale, may only be in somebody's hand out of sight."""
        if self._mind.t_s - pending.action.start_t_s > CARRIED_S or not verdict.candidates:
            return False
        columns = _gone(verdict)
        expected = isinstance(verdict.best.hypothesis, Removed) and columns[0] in self._mind.book.expected().removable
        off_the_plate = pending.change_g is None or pending.change_g < -CARRIED_G
        return len(columns) == 1 and not expected and off_the_plate and not _lies_in_sight(columns[0], verdict)

    def _is_held_up(self, pending: Pending) -> bool:
        """Whether more weight is off the scale than anything that was seen explains: somebody out of sight holds the tower still."""
        if pending.change_g is None or self._mind.t_s - pending.action.start_t_s > HELD_S:
            return False
        heaviest_g = max(plateau.mass_g for plateau in self._mind.profile.plateaus.values())
        return pending.change_g < -HELD_G or pending.change_g > heaviest_g + HELD_G

    def note(self, pending: Pending, verdict: Verdict) -> None:
        """Remembers which column is gone, however it went, if that is clear."""
        columns = _gone(verdict) if verdict.candidates else ()
        if len(columns) != 1:
            return
        column = columns[0]
        ways = (Removed(column=column), Toppled(columns=(column,)))
        confidence = sum(candidate.posterior for candidate in verdict.candidates if candidate.hypothesis in ways)
        if confidence >= SEEN_GONE and (self._gone is None or self._gone.column != column):
            self._gone = Gone(column, self._mind.t_s, confidence, tuple(pending.frames.values()))

    def came_back(self) -> tuple[Fact, Incident] | None:
        """Everything stands as before, but a column had been gone: it fell, and was stood up again.

        It was not put back: who breaks off does so while pulling, and who has a column out stands it on top.
        """
        gone, mind = self._gone, self._mind
        self._gone = None
        if gone is None:
            return None
        fact = Fact(
            id=mind.outbox.next_id(), t_s=mind.t_s, kind=FactKind.INCIDENT, seat=mind.book.actor, column=gone.column, floor=None,
            confidence=gone.confidence, evidence=(self._evidence(gone),), details={"fallen": 1.0},
        )  # fmt: skip
        tried = gone.column if gone.column in mind.book.attempt_columns() else None
        return fact, Incident(tried, fallen=(gone.column,))

    def _evidence(self, gone: Gone) -> Evidence:
        for_s = self._mind.t_s - gone.t_s
        return Evidence("camera", f"{gone.column} was gone from its place and stands there again {for_s:.0f} s later", frames=gone.frames)


def _gone(verdict: Verdict) -> tuple[Column, ...]:
    """The columns that the likeliest has gone from their places; none if it is something else."""
    match verdict.best.hypothesis:
        case Removed(column=column):
            return (column,)
        case Toppled(columns=columns):
            return columns
        case _:
            return ()


def _lies_in_sight(column: Column, verdict: Verdict) -> bool:
    """Whether the cameras see the column lying somewhere."""
    said = {candidate.hypothesis: seen(candidate) for candidate in verdict.candidates}
    lying, nowhere = said.get(Toppled(columns=(column,))), said.get(Removed(column=column))
    return lying is not None and nowhere is not None and lying - nowhere >= LIES
