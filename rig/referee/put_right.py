"""The believed tower put right at the desk, column by column: the way out of *lost* that is always there, and usable at any time.

Each tap moves one column of the believed tower. With the last word ("so it stands") the books follow: an event that has a column where it
does not stand is struck, as a person would correct it; what then remains to be done becomes deeds that the table told.
"""

from __future__ import annotations

from dataclasses import replace

import msgspec

from rig.messages import Added, Evidence, Fact, FactKind, Moved, PutRight, Tower
from rig.pieces import Column, Floor
from rig.referee.agree import agree
from rig.referee.lost import deeds_between
from rig.referee.memory import Memory
from rig.referee.predicted_tower import predicted
from rig.referee.state import Lost, Why, ground
from rig.referee.transitions import Happens
from rig.rules.events import Corrected, PlateauLaid, Raised, TakenOut


def put_right(memory: Memory, told: PutRight) -> None:
    """One tap. While cameras watch, the referee counts as lost until the last word; what is refused is said in a sentence."""
    if memory.book.over or memory.book.setting_up:
        memory.book.refuse(
            memory.t_s, "The tower can be put right while a game is played.", german="Der Turm lässt sich nur im Spiel berichtigen."
        )
        return
    below = ground(memory.state)
    lost = below if isinstance(below, Lost) else Lost(Why.SURPRISED, memory.senses.settled_weight_g, memory.t_s)
    tower = lost.put_right if lost.put_right is not None else memory.tower
    if told.column is not None:
        if sentence := _refused(memory, tower, told.column, told.floor):
            memory.book.refuse(memory.t_s, sentence)
            return
        tower = _placed(memory, tower, told.column, told.floor)
    if not told.done:
        memory.follow(Happens.TOLD, replace(lost, put_right=tower))
        return
    _so_it_stands(memory, tower)
    memory.follow(Happens.TOLD, memory.ground_now())


def _refused(memory: Memory, tower: Tower, column: Column, floor: Floor | None) -> str:
    """Why this tap cannot be, as a sentence; empty: it can."""
    if column not in memory.profile.pieces.columns:
        return f"There is no {column} in this set."
    if floor is not None and floor is not Floor.GROUND and all(laid.plateau is not floor for laid in tower.plateaus):
        return f"Plateau {floor.word} does not lie: tell that it was laid first."
    return ""


def _placed(memory: Memory, tower: Tower, column: Column, floor: Floor | None) -> Tower:
    if floor is None:
        return msgspec.structs.replace(tower, columns=tuple(s for s in tower.columns if s.column != column))
    standing = tower.find(column)
    if standing is not None and standing.floor is floor:
        return tower
    known = memory.places.known(column, floor)
    if known is not None:
        return msgspec.structs.replace(tower, columns=(*(s for s in tower.columns if s.column != column), known))
    way = Moved(column=column, floor=floor) if standing is not None else Added(column=column, floor=floor)
    return predicted(tower, way, memory.profile)


def _so_it_stands(memory: Memory, tower: Tower) -> None:
    """The books follow the tower, and it is believed."""
    for column in memory.profile.pieces.columns:
        standing = tower.find(column)
        if standing is None or memory.book.game.where(column) in (standing.floor, Floor.GROUND):
            continue
        number = _put_there_by(memory, column)
        if number is not None:
            memory.book.enter(memory.t_s, Corrected(number))
    books = agree(memory.tower, memory.book.game.position, memory.profile, memory.places)
    for deed in deeds_between(books, tower):
        what = deed.column if isinstance(deed, (Raised, TakenOut)) else None
        where = deed.onto if isinstance(deed, Raised) else deed.plateau if isinstance(deed, PlateauLaid) else None
        kind = FactKind.RAISED if isinstance(deed, Raised) else FactKind.REMOVED if isinstance(deed, TakenOut) else FactKind.LAID
        fact = Fact(
            id=memory.outbox.next_id(), t_s=memory.t_s, kind=kind, seat=memory.book.actor, column=what, floor=where, confidence=1.0,
            evidence=(Evidence("desk", "the tower was put right at the desk"),),
        )  # fmt: skip
        memory.tell(fact, (deed,))
        memory.acted(memory.book.actor)
    memory.senses.note_settled()
    memory.forget_pictures()
    memory.settle_on(tower)


def _put_there_by(memory: Memory, column: Column) -> int | None:
    """The number of the latest event by which this column is where the books have it."""
    game = memory.book.game
    for number in range(len(game.log), 0, -1):
        for event in game.really(number):
            if isinstance(event, (Raised, TakenOut)) and event.column == column:
                return number
    return None
