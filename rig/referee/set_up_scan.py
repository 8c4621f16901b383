"""Reading the whole tower during set-up: when that is due, and what is told of it.

Columns are believed one by one as they are stood up. That goes wrong where several are stood up before all is calm, or a hand hides one; so
whenever the likely explains nothing, the scale disagrees, or the last column stands, the eyes read the whole tower and the books follow.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

import msgspec

from rig.messages import Added, Evidence, Hypothesis, PlateauLaid, Tower, TowerRead
from rig.pieces import Column, Floor
from rig.referee.asking_table import go_on
from rig.referee.concluding import ask_what_happened, conclude
from rig.referee.deeds import Scene, Variant, variants
from rig.referee.looks import Scanning
from rig.referee.memory import Memory
from rig.referee.reconciliation import agreed, changes, off_g
from rig.referee.state import AwaitingAnswer, Resting, SetUp, ground, over_rest, resting
from rig.referee.transitions import Happens
from rig.rules.events import Corrected, Placed

UNSEEN = 0.5
"""Confidence in a column that no camera saw and the weight demands (by design)."""


def is_due(memory: Memory) -> bool:
    """Whether what is believed of the set-up needs a second look: all columns stand, or the scale feels another tower."""
    below = ground(memory.state)
    if not isinstance(below, SetUp) or memory.tower == below.checked:
        return False
    complete = len(memory.tower.columns) == len(memory.profile.pieces.columns)
    return complete or abs(off_g(memory.tower, memory.senses.quiet_weight_g, memory.profile)) > memory.tuned.off_g


def hear_scan(memory: Memory, scanning: Scanning, read: TowerRead) -> None:
    """Tells what was read; where nothing can be made of it, what was left open is settled as the judgement before it was."""
    before = memory.tower
    after = agreed(read, before, scanning.weight_g, memory.profile)
    fewer = len(after.columns) < len(before.columns) and not _felt(memory, after, scanning.weight_g)
    overlooked = scanning.verdict is not None and scanning.verdict.sure and not read.plateaus
    if not memory.book.setting_up or not read.usable or fewer or overlooked:
        _note_checked(memory, before)
        _settle_as_judged(memory, scanning)
        return
    memory.places.note(before)
    _tell(memory, before, after, read, scanning)
    memory.refer_to(scanning.frames)
    rest = _checked(memory.rest(), memory.tower)
    go_on(memory, Happens.SEEN, rest.rest if isinstance(rest, AwaitingAnswer) else rest)


def _settle_as_judged(memory: Memory, scanning: Scanning) -> None:
    judging, verdict = scanning.judging, scanning.verdict
    if judging is None or verdict is None:
        go_on(memory, Happens.SEEN, memory.rest())
    elif verdict.sure:
        conclude(memory, judging, verdict)
    else:
        ask_what_happened(memory, judging, verdict)


def _checked(rest: Resting, tower: Tower) -> Resting:
    if isinstance(rest, AwaitingAnswer):
        below = rest.rest
        return replace(rest, rest=replace(below, checked=tower)) if isinstance(below, SetUp) else rest
    return replace(rest, checked=tower) if isinstance(rest, SetUp) else rest


def _note_checked(memory: Memory, tower: Tower) -> None:
    """The state that is carried remembers what was read, or was not to be bettered."""
    memory.follow(Happens.NEWS, over_rest(memory.state, _checked(resting(memory.state), tower)))


def _felt(memory: Memory, tower: Tower, weight_g: float | None) -> bool:
    return weight_g is not None and abs(off_g(tower, weight_g, memory.profile)) <= memory.tuned.off_g


def _tell(memory: Memory, before: Tower, after: Tower, read: TowerRead, scanning: Scanning) -> None:
    """The books follow: what was misread is corrected, what is new is told, and so is blue."""
    standing = Tower(after.columns, before.plateaus)
    wrong, new = changes(before, after)
    for column, instead in wrong:
        number = memory.book.placed_as(column)
        if number is None:
            continue
        found = _variants(memory, _stood(instead), standing, read, scanning) if instead is not None else ()
        facts = [_numbered(memory, one) for one in found]
        struck = Corrected(number, (Placed(instead),) if instead is not None else ())
        memory.book.enter(memory.t_s, struck, tuple(facts))
    for column in new:
        _enter(memory, _variants(memory, _stood(column), standing, read, scanning))
    if len(after.plateaus) > len(before.plateaus):
        memory.settle_on(standing)
        _enter(memory, _variants(memory, PlateauLaid(plateau=Floor.BLUE), after, read, scanning))
    memory.settle_on(after)


def _numbered(memory: Memory, variant: Variant) -> int:
    number = memory.outbox.next_id()
    memory.outbox.fact(msgspec.structs.replace(variant.facts[0], id=number))
    return number


def _enter(memory: Memory, found: Iterable[Variant]) -> None:
    for variant in found:
        memory.tell(msgspec.structs.replace(variant.facts[0], id=memory.outbox.next_id()), variant.events)
        memory.acted(memory.book.actor)


def _variants(memory: Memory, hypothesis: Hypothesis, after: Tower, read: TowerRead, scanning: Scanning) -> tuple[Variant, ...]:
    sight = f"whole tower read by {read.cameras} cameras, fit {read.fit:.2f}"
    evidence = [Evidence("camera", sight, frames=tuple(scanning.frames.values()))]
    if scanning.weight_g is not None:
        more_g = off_g(after, scanning.weight_g, memory.profile)
        evidence.append(Evidence("scale", f"{scanning.weight_g:.1f} g on the scale, {more_g:+.1f} g beside this tower"))
    scene = Scene(memory.t_s, _confidence(hypothesis, read), tuple(evidence), memory.profile, memory.tuned)
    return tuple(variants(hypothesis, memory.course, after, scene))


def _stood(column: Column) -> Added:
    return Added(column=column, floor=Floor.GROUND)


def _confidence(hypothesis: Hypothesis, read: TowerRead) -> float:
    """How sure the reading is: of a column by its kind, least where no camera sees one; of a plateau by the fit of the whole."""
    if isinstance(hypothesis, Added):
        kind = hypothesis.column.kind
        return max((one.confidence for one in read.columns if one.standing.column.kind == kind), default=UNSEEN)
    return read.fit
