"""How one attempt is carried out: everything that can be clumsy or against the rules about it, drawn before it begins."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from rig.pieces import Floor
from rig.twin.people.persons import Person
from rig.twin.physics.level_table import TableLevel


@dataclass(frozen=True, slots=True)
class Manner:
    """The careful way, unless told otherwise. Lengths in mm, forces in N."""

    lean_n: float = 0.0
    apron: bool = False
    press_n: float = 0.0
    shift_mm: float = 0.0
    off_mm: float = 0.0
    nudge_mm: float = 0.0
    overhang_mm: float = 0.0
    held: bool = False
    stack: bool = False
    drop: bool = False
    hook: bool = False
    haste: float = 1.0
    """Times the careful speed while pulling."""
    jerk_mm: float = 0.0
    """How far the hand presses the column into its place before it lets go."""


CAREFUL = Manner()


def draw_manner(level: TableLevel, fate: np.random.Generator, person: Person, top: Floor, room_to_stack: bool) -> Manner:
    """How this person goes about it this time; at a level without fumbles always `CAREFUL`, and nothing is drawn."""
    hands, deeds = level.hands, level.deeds
    if not hands.arms:
        return CAREFUL
    clumsy, sly = 0.4 + 1.2 * person.clumsiness, 0.4 + 2.0 * (1.0 - person.honesty)

    def happens(share: float, factor: float = 1.0) -> bool:
        return bool(fate.random() < share * factor)

    def some(low_high: tuple[float, float]) -> float:
        return float(fate.uniform(*low_high))

    leans = happens(hands.lean)
    nudges = happens(deeds.nudge, clumsy)  # with the hand that would lean
    high = top in (Floor.ORANGE, Floor.RED)
    return Manner(
        lean_n=some(hands.lean_n) if leans and not nudges else 0.0,
        apron=not leans and not nudges and happens(hands.apron),
        press_n=some(hands.press_n) if happens(hands.press) else 0.0,
        shift_mm=some(deeds.shift_mm) if happens(deeds.shift, clumsy) else 0.0,
        off_mm=some(deeds.put_back_off_mm) if happens(deeds.put_back_off, clumsy) else 0.0,
        nudge_mm=some(deeds.nudge_mm) if nudges else 0.0,
        overhang_mm=some(deeds.overhang_mm) if happens(deeds.overhang, clumsy) else 0.0,
        held=happens(deeds.held, sly),
        stack=high and room_to_stack and happens(deeds.stack, sly if top is Floor.ORANGE else 1.0),
        drop=happens(deeds.drop, clumsy),
        hook=happens(hands.hook),
        haste=1.0 + 0.8 * person.clumsiness * float(fate.random()),
        jerk_mm=float(fate.uniform(0.0, 0.6)) * person.clumsiness,
    )
