"""Lost: the tower is not what is believed, and no picture compares. It is read from scratch until it agrees with the books.

That is so after an answer nobody expected, and while a tower that fell by nobody's doing is rebuilt. What the reading shows beyond the
books becomes one question; the books are never changed unasked.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

from rig.messages import Ask, Evidence, Fact, FactKind, Tower, TowerRead
from rig.pieces import Column
from rig.referee.anew import agreed, kinds
from rig.referee.inquiry import whole
from rig.referee.mind import Mind
from rig.rules.events import Event, PlateauLaid, Raised, TakenOut

AGAIN_S = 5.0
"""Seconds between two readings of a tower at which nothing happens."""

MOST_DEEDS = 4
"""A tower that differs from the books by more than so many deeds is not asked about: people tell at the desk."""

FALLEN_G = 30.0
"""Change of the settled weight, since track was lost, that goes with a fall: more than a column, less than a plateau with its load."""

FALLEN_READS = 2
"""So many readings in a row must find no standing tower."""

YES, NO = "yes", "no, we will correct the books"


class Why(Enum):
    """What it was that lost track."""

    SURPRISED = "surprised"
    REBUILDING = "rebuilding"


@dataclass(frozen=True, slots=True)
class Found:
    """What a reading came to: the tower, and the deeds by which it differs from the books, with the question about them."""

    tower: Tower
    frames: dict[int, int]
    evidence: Evidence
    deeds: tuple[Event, ...] = ()
    ask: Ask | None = None


class Lost:
    """Whether track was lost, and the reading that may find it again."""

    def __init__(self, mind: Mind) -> None:
        self._mind = mind
        self.why: Why | None = None
        self._open: tuple[int, dict[int, int], float | None] | None = None
        self._read_t_s = -1e9
        self._no_tower = 0
        """How many readings in a row made out no tower, with another weight than it had."""
        self._weight_g: float | None = None
        """What the tower weighed when track was lost."""
        self._refused: Tower | None = None
        """The books' tower as it was when people said no: not asked about again before they correct it."""

    @property
    def open(self) -> bool:
        return self._open is not None

    def lose(self, why: Why) -> None:
        """Nothing that was waited for counts any more."""
        self.why, self._open, self._refused = why, None, None
        self._no_tower, self._weight_g = 0, self._mind.senses.settled_weight_g
        self._read_t_s = self._mind.t_s
        self._mind.references = {}

    def forget(self) -> None:
        """Another game: nothing is lost in it, and no reading of the one before counts."""
        self.why = self._open = None

    def refuse(self) -> None:
        self._refused = self._mind.tower

    def look(self, frames: dict[int, int] | None) -> None:
        """Reads the tower when all is calm, now and then."""
        mind = self._mind
        if frames is None or mind.t_s - self._read_t_s < AGAIN_S:
            return
        self._read_t_s = mind.t_s
        request = whole(mind.mouth.next_id(), frames, mind.senses, mind.tower, mind.empty)
        self._open = (request.id, dict(frames), mind.senses.quiet_weight_g)
        mind.senses.note_settled()
        mind.mouth.request(request)

    def hear(self, read: TowerRead) -> Found | None:
        """What the reading says; None if nothing can be made of it, or it waits for people."""
        if self._open is None or self._open[0] != read.id:
            return None
        _, frames, weight_g = self._open
        self._open = None
        mind = self._mind
        self._note_standing(read, weight_g)
        if not read.usable:
            return None
        tower = agreed(read, mind.tower, weight_g, mind.profile, out_of_sight=[s.column for s in mind.tower.columns])
        evidence = Evidence("camera", f"whole tower read by {read.cameras} cameras, fit {read.fit:.2f}", frames=tuple(frames.values()))
        believed = mind.repair.stood_up(mind.tower, tower)
        if len(tower.plateaus) == len(believed.plateaus) and kinds(tower) == kinds(believed):
            return Found(tower, frames, evidence)
        deeds = deeds_between(believed, tower)
        if self.why is Why.REBUILDING or not deeds or len(deeds) > MOST_DEEDS or mind.tower == self._refused:
            return None
        return Found(tower, frames, evidence, deeds, _is_it_so(mind.mouth.next_id(), mind.t_s, deeds))

    def _note_standing(self, read: TowerRead, weight_g: float | None) -> None:
        """A lower tower that stands may have been taken down by hand: only what is no tower any more has fallen."""
        lighter = weight_g is not None and self._weight_g is not None and abs(weight_g - self._weight_g) > FALLEN_G
        self._no_tower = self._no_tower + 1 if lighter and read.cameras and not read.usable else 0

    def fallen(self) -> Evidence | None:
        """What speaks for a fall while nobody kept track, if it is clear by sight and weight together."""
        if self.why is not Why.SURPRISED or self._no_tower < FALLEN_READS:
            return None
        return Evidence("camera", f"{self._no_tower} readings in a row made out no tower, and the weight has changed")

    def find(self, found: Found) -> None:
        """Track is found again: the tower stands as read. Deeds that people said are so go into the books."""
        mind = self._mind
        self.why = None
        mind.places.note(mind.tower)
        mind.tower = found.tower
        mind.repair.settle(mind.tower)
        mind.refer_to(found.frames)
        mind.senses.referenced = True
        mind.senses.note_settled()
        for deed in found.deeds:
            mind.tell(_fact_of(deed, found, mind), deed)


def deeds_between(books: Tower, found: Tower) -> tuple[Event, ...]:
    """What must have been done to get from one tower to the other; empty if no deeds of the game do that."""
    more = len(found.plateaus) - len(books.plateaus)
    known = {s.column for s in books.columns}
    if more < 0 or any(s.column not in known for s in found.columns):
        return ()
    moved = [s for s in found.columns if (before := books.find(s.column)) is not None and before.floor is not s.floor]
    first = [Raised(s.column, s.floor) for s in sorted(moved, key=lambda s: (s.floor, s.column)) if s.floor <= books.top_floor]
    later = [Raised(s.column, s.floor) for s in sorted(moved, key=lambda s: (s.floor, s.column)) if s.floor > books.top_floor]
    gone = [TakenOut(s.column) for s in books.columns if found.find(s.column) is None]
    laid = [PlateauLaid(lying.plateau) for lying in found.plateaus[len(books.plateaus) :]]
    return (*first, *gone, *laid, *later)


def _is_it_so(number: int, t_s: float, deeds: tuple[Event, ...]) -> Ask:
    english, german = (", ".join(_words(deed)[k] for deed in deeds) for k in (0, 1))
    return Ask(
        id=number, t_s=t_s, question_english=f"The tower differs from the books: {english}. Is that so?",
        question_german=f"Der Turm steht anders als in den Büchern: {german}. Stimmt das?", choices=(YES, NO),
        reason="I lost track and have read the whole tower anew.",
    )  # fmt: skip


def _words(deed: Event) -> tuple[str, str]:
    match deed:
        case Raised(column=column, onto=floor) if floor is not None:
            return f"{column} stands on {floor.word}", f"{column} steht auf {floor.word}"
        case TakenOut(column=column):
            return f"{column} is gone", f"{column} fehlt"
        case PlateauLaid(plateau=plateau) if plateau is not None:
            return f"plateau {plateau.word} lies", f"Plateau {plateau.word} liegt"
        case _:
            return str(deed), str(deed)


def _fact_of(deed: Event, found: Found, mind: Mind) -> Fact:
    what: Column | None = deed.column if isinstance(deed, (Raised, TakenOut)) else None
    where = deed.onto if isinstance(deed, Raised) else deed.plateau if isinstance(deed, PlateauLaid) else None
    kind = FactKind.RAISED if isinstance(deed, Raised) else FactKind.REMOVED if isinstance(deed, TakenOut) else FactKind.LAID
    evidence = (found.evidence, Evidence("desk", f"the table says: {YES}", 6.0))
    return Fact(
        id=mind.mouth.next_id(), t_s=mind.t_s, kind=kind, seat=mind.book.actor, column=what, floor=where, confidence=0.98, evidence=evidence
    )  # fmt: skip
