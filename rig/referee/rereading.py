"""Reading the whole tower anew during set-up: when that is due, and what is told of it.

Columns are believed one by one as they are stood up. That goes wrong where several are stood up before all is calm, or a hand hides one; so
whenever the likely explains nothing, the scale disagrees, or the last column stands, the eyes read the whole tower and the books follow.
"""

from __future__ import annotations

from dataclasses import dataclass

from rig.messages import Added, Evidence, Fact, Hypothesis, PlateauLaid, Tower, TowerRead
from rig.pieces import Column, Floor
from rig.referee.anew import OFF_G, agreed, changes, off_g
from rig.referee.deeds import described
from rig.referee.inquiry import Pending, whole
from rig.referee.mind import Mind
from rig.referee.verdict import Candidate, Verdict
from rig.rules.events import Corrected, Event, Placed


@dataclass(frozen=True, slots=True)
class Reading:
    """A whole reading that is waited for, and what else is known of the action it is about: its judgement, if that did not rule."""

    id: int
    frames: dict[int, int]
    weight_g: float | None
    pending: Pending | None
    verdict: Verdict | None


class Rereading:
    """At most one reading at a time."""

    def __init__(self, mind: Mind) -> None:
        self._mind = mind
        self._open: Reading | None = None
        self._checked: Tower | None = None
        """The tower that was read last, or was not to be bettered."""

    @property
    def open(self) -> bool:
        return self._open is not None

    def drop(self) -> None:
        self._open = None

    def is_due(self) -> bool:
        """Whether what is believed of the set-up needs a second look: all columns stand, or the scale feels another tower."""
        mind = self._mind
        if not mind.book.setting_up or mind.tower == self._checked:
            return False
        complete = len(mind.tower.columns) == len(mind.profile.pieces.columns)
        return complete or abs(off_g(mind.tower, mind.senses.quiet_weight_g, mind.profile)) > OFF_G

    def is_checked(self) -> bool:
        """Whether the set-up as believed was read as a whole, and is complete."""
        mind = self._mind
        return mind.tower == self._checked and len(mind.tower.columns) == len(mind.profile.pieces.columns)

    def begin(self, frames: dict[int, int], pending: Pending | None = None, verdict: Verdict | None = None) -> None:
        mind = self._mind
        request = whole(mind.mouth.next_id(), frames, mind.senses, mind.tower, mind.empty)
        self._open = Reading(request.id, dict(frames), mind.senses.quiet_weight_g, pending, verdict)
        mind.mouth.request(request)

    def hear(self, read: TowerRead) -> Reading | None:
        """Tells what was read; gives back what must still be decided if nothing could be made of it."""
        reading = self._open
        if reading is None or reading.id != read.id:
            return None
        self._open = None
        mind, before = self._mind, self._mind.tower
        after = agreed(read, before, reading.weight_g, mind.profile)
        fewer = len(after.columns) < len(before.columns) and not self._felt(after, reading.weight_g)
        overlooked = reading.verdict is not None and reading.verdict.sure and not read.plateaus
        if not mind.book.setting_up or not read.usable or fewer or overlooked:
            self._checked = before
            return reading
        mind.places.note(before)
        self._tell(before, after, read, reading)
        self._checked = mind.tower
        mind.refer_to(reading.frames)
        return None

    def _felt(self, tower: Tower, weight_g: float | None) -> bool:
        return weight_g is not None and abs(off_g(tower, weight_g, self._mind.profile)) <= OFF_G

    def _tell(self, before: Tower, after: Tower, read: TowerRead, reading: Reading) -> None:
        """The books follow: what was misread is corrected, what is new is told, and so is blue."""
        mind = self._mind
        mind.tower = Tower(after.columns, before.plateaus)
        wrong, new = changes(before, after)
        for column, instead in wrong:
            number = mind.book.placed_as(column)
            if number is None:
                continue
            facts = [fact for fact, _ in self._facts(_stood(instead), before, read, reading)] if instead is not None else []
            for fact in facts:
                mind.mouth.fact(fact)
            struck = Corrected(number, (Placed(instead),) if instead is not None else ())
            mind.book.enter(mind.t_s, struck, tuple(fact.id for fact in facts))
        for column in new:
            for deed in self._facts(_stood(column), before, read, reading):
                mind.tell(*deed)
        mind.tower = after
        if len(after.plateaus) > len(before.plateaus):
            for deed in self._facts(PlateauLaid(plateau=Floor.BLUE), before, read, reading):
                mind.tell(*deed)

    def _facts(self, hypothesis: Hypothesis, before: Tower, read: TowerRead, reading: Reading) -> list[tuple[Fact, Event | None]]:
        mind = self._mind
        sight = f"whole tower read by {read.cameras} cameras, fit {read.fit:.2f}"
        evidence = [Evidence("camera", sight, frames=tuple(reading.frames.values()))]
        if reading.weight_g is not None:
            more_g = off_g(mind.tower, reading.weight_g, mind.profile)
            evidence.append(Evidence("scale", f"{reading.weight_g:.1f} g on the scale, {more_g:+.1f} g beside this tower"))
        found = Candidate(hypothesis, _confidence(hypothesis, read), mind.tower, tuple(evidence))
        return list(described(found, mind.mouth, mind.t_s, mind.book, before, mind.tower, mind.profile))


def _stood(column: Column) -> Added:
    return Added(column=column, floor=Floor.GROUND)


def _confidence(hypothesis: Hypothesis, read: TowerRead) -> float:
    """How sure the reading is: of a column by its kind, least where no camera sees one; of a plateau by the fit of the whole."""
    if isinstance(hypothesis, Added):
        kind = hypothesis.column.kind
        return max((one.confidence for one in read.columns if one.standing.column.kind == kind), default=0.5)
    return read.fit
