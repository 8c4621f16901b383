"""Lost: the tower is not what is believed, and no picture compares. It is read from scratch until it agrees with the books.

That is so after an answer nobody expected, and while a tower that fell by nobody's doing is rebuilt. What the reading shows beyond the
books becomes one question; the books are never changed unasked. People can always put the believed tower right by taps, column by column:
then there is nothing to ask.
"""

from __future__ import annotations

import math
from dataclasses import replace

from rig.messages import Evidence, Fact, FactKind, Tower, TowerRead
from rig.pieces import Column
from rig.referee import questions, repair
from rig.referee.asking_table import go_on, put
from rig.referee.attribution import LIKELIER
from rig.referee.belief import grown
from rig.referee.concluding import child_of
from rig.referee.deeds import Scene, collapsed
from rig.referee.looks import Searching
from rig.referee.memory import Memory
from rig.referee.reconciliation import agreed, kinds
from rig.referee.state import AwaitingAnswer, Found, Lost, Settled, Why, ground
from rig.referee.transitions import Happens
from rig.rules.events import Event, PlateauLaid, Raised, TakenOut

FELL_UNWATCHED = 0.95
"""Confidence in a fall that only readings of the whole tower show (by design: two of them agree, and the weight)."""


def lose(memory: Memory, why: Why, happens: Happens) -> None:
    """Nothing believed of the tower can be built upon until it has been read anew. Without cameras nothing is lost: people tell."""
    if not memory.profile.cameras:
        memory.follow(happens, Settled())
        return
    memory.forget_pictures()
    memory.follow(happens, Lost(why, memory.senses.settled_weight_g, memory.t_s))


def hear_search(memory: Memory, searching: Searching, read: TowerRead) -> None:
    """What the reading says: track is found, people are asked, the tower has fallen, or nothing can be made of it."""
    lost = ground(memory.state)
    if not isinstance(lost, Lost):
        go_on(memory, Happens.SEEN, memory.rest())
        return
    lost = _noted(memory, replace(lost, read_t_s=memory.t_s), searching, read)
    if lost.why is Why.SURPRISED and lost.no_tower >= memory.tuned.fallen_reads:
        _fell_unwatched(memory, lost)
        return
    found = _found(memory, searching, read) if read.usable else None
    if found is not None and not found.deeds:
        find(memory, found, Happens.SEEN)
        return
    if found is None or lost.why is Why.REBUILDING or len(found.deeds) > memory.tuned.most_deeds or memory.tower == lost.refused:
        memory.follow(Happens.SEEN, lost)
        return
    english, german = (", ".join(_words(deed)[k] for deed in found.deeds) for k in (0, 1))
    question = put(memory, questions.is_it_so(0, memory.t_s, english, german, found))
    memory.follow(Happens.SEEN, AwaitingAnswer(question, lost))


def _found(memory: Memory, searching: Searching, read: TowerRead) -> Found | None:
    """What a reading came to; None if no deeds of the game lead to it."""
    tower = agreed(read, memory.tower, searching.weight_g, memory.profile, out_of_sight=[s.column for s in memory.tower.columns])
    sight = f"whole tower read by {read.cameras} cameras, fit {read.fit:.2f}"
    believed = repair.stood_up(memory.course, tower)
    if len(tower.plateaus) == len(believed.plateaus) and kinds(tower) == kinds(believed):
        return Found(tower, searching.frames, sight)
    deeds = deeds_between(believed, tower)
    return Found(tower, searching.frames, sight, deeds) if deeds else None


def _noted(memory: Memory, lost: Lost, searching: Searching, read: TowerRead) -> Lost:
    """A lower tower that stands may have been taken down by hand: only what is no tower any more has fallen."""
    weight_g, before_g = searching.weight_g, lost.weight_g
    lighter = weight_g is not None and before_g is not None and abs(weight_g - before_g) > memory.tuned.fallen_g
    return replace(lost, no_tower=lost.no_tower + 1 if lighter and read.cameras and not read.usable else 0)


def _fell_unwatched(memory: Memory, lost: Lost) -> None:
    """It fell while track was lost: that is clear by sight and weight together; whose doing it was is not."""
    occasion, before = memory.next_occasion(), memory.belief
    seen = Evidence("camera", f"{lost.no_tower} readings in a row made out no tower, and the weight has changed")
    why = Evidence("camera", "I had lost track of the tower when it fell")
    scene = Scene(memory.t_s, FELL_UNWATCHED, (seen, why), memory.profile, memory.tuned)
    children = []
    for course in before.courses:
        actor = course.game.actor
        others = [seat for seat in (*range(len(memory.book.names)), None) if seat != actor]
        for seat in (actor, *others):
            share = LIKELIER if seat == actor else (1 - LIKELIER) / len(others)
            weighed = replace(course, log_weight=course.log_weight + math.log(share))
            children.append(child_of(memory, occasion, weighed, collapsed(seat, course, scene)))
    memory.believe(grown(before, occasion, children, tuned=memory.tuned))
    likeliest = memory.course.last_deed[0]
    question = put(memory, questions.who_did_it(0, memory.t_s, memory.book.names, likeliest, occasion, why.sentence))
    memory.follow(Happens.SEEN, AwaitingAnswer(question, memory.ground_now()))


def find(memory: Memory, found: Found, happens: Happens) -> None:
    """Track is found again: the tower stands as read. Deeds that people said are so go into the books."""
    memory.places.note(memory.tower)
    memory.refer_to(found.frames)
    memory.senses.referenced = True
    memory.senses.note_settled()
    for deed in found.deeds:
        memory.tell(_fact_of(deed, found, memory), (deed,))
        memory.acted(memory.book.actor)
    memory.settle_on(found.tower)
    memory.follow(happens, memory.ground_now())


def refuse(memory: Memory, happens: Happens) -> None:
    """People say that the reading is wrong: it is not asked about again before the books change."""
    lost = ground(memory.state)
    assert isinstance(lost, Lost)
    memory.follow(happens, replace(lost, refused=memory.tower))


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


def _fact_of(deed: Event, found: Found, memory: Memory) -> Fact:
    what: Column | None = deed.column if isinstance(deed, (Raised, TakenOut)) else None
    where = deed.onto if isinstance(deed, Raised) else deed.plateau if isinstance(deed, PlateauLaid) else None
    kind = FactKind.RAISED if isinstance(deed, Raised) else FactKind.REMOVED if isinstance(deed, TakenOut) else FactKind.LAID
    sight = Evidence("camera", found.sight, frames=tuple(found.frames.values()))
    said = Evidence("desk", f"the table says: {questions.YES}", 6.0)
    return Fact(
        id=memory.outbox.next_id(), t_s=memory.t_s, kind=kind, seat=memory.book.actor, column=what, floor=where,
        confidence=memory.tuned.trusted, evidence=(sight, said),
    )  # fmt: skip
