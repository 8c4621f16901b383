"""Everything that can happen at the table, as a closed set of values.

Three kinds. A *deed* was seen (a column raised, a plateau laid): it carries what was observed, illegal things included, and is never
refused, at most flagged as a violation. A *call* was spoken (a request, a challenge): a call against the rules is refused and changes
nothing. A *table's word* rules on a violation, decides about an outside event, or corrects an earlier event.

`by` is the seat of whoever did it; None means the player the game is waiting for. Whether an event is legal is judged in `legality.py`.
"""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass
from enum import StrEnum

from rig.pieces import Colour, Column, Floor

Seat = int
"""A player's place at the table: 0, 1, … clockwise."""


class Choice(StrEnum):
    """What the table may make of a violation or an incident (B13, E7)."""

    STAND = "stand"
    ABORT = "abort"
    UNDO = "undo"


class OutsideChoice(StrEnum):
    """What the table may make of a collapse that no player caused (E8)."""

    REBUILD = "rebuild"
    HOLDER_WINS = "holder_wins"


# --- deeds: set-up ---


@dataclass(frozen=True, slots=True)
class Placed:
    """A column was stood up during set-up (U1); again for a column that is moved about."""

    column: Column
    onto: Floor = Floor.GROUND
    _: KW_ONLY
    outer_ring: bool = False


@dataclass(frozen=True, slots=True)
class AllPlaced:
    """All columns of the set stand on the building site (U1): set-up in one word, for a desk that records only the result."""


# --- deeds: building ---


@dataclass(frozen=True, slots=True)
class Raised:
    """A column was raised and stands by itself, the hand off it (B9). In a challenge or a proof it is the challenger's or prover's deed."""

    column: Column
    onto: Floor | None = None
    """The floor it stands on now; None: the tallest."""
    _: KW_ONLY
    by: Seat | None = None
    held_plateau: bool = False
    """A plateau was held while the column was set down (B6)."""
    overhang_mm: float = 0.0
    """How far the foot is over the edge; anything above 0 counts (B7). Measuring tolerance is the referee's business."""
    on_column: Column | None = None
    """The column it is stacked on (B8)."""
    shifted: tuple[Floor, ...] = ()
    """Plateaus that did not come back where they were (B5)."""
    nudged: tuple[Column, ...] = ()
    """Other columns that were moved (B3)."""


@dataclass(frozen=True, slots=True)
class Aborted:
    """A column was moved and put back in its place (B10); while removing a penalty column, the removal was broken off (C4)."""

    column: Column
    _: KW_ONLY
    by: Seat | None = None
    shifted: tuple[Floor, ...] = ()
    nudged: tuple[Column, ...] = ()


@dataclass(frozen=True, slots=True)
class Touched:
    """A finger rested on a column that did not move, and let go (B4)."""

    column: Column
    _: KW_ONLY
    by: Seat | None = None


@dataclass(frozen=True, slots=True)
class TakenOut:
    """A column left the tower for good: the penalty (C4), or the proof of a challenge that only asks to get it out (C2)."""

    column: Column
    _: KW_ONLY
    by: Seat | None = None
    shifted: tuple[Floor, ...] = ()
    nudged: tuple[Column, ...] = ()


@dataclass(frozen=True, slots=True)
class PlateauLaid:
    """A plateau was laid: blue ends the set-up (U2), the others follow a request (A2)."""

    plateau: Floor | None = None
    """None: the next in the order."""
    _: KW_ONLY
    by: Seat | None = None
    covers: int | None = None
    """How many columns of the top floor it covers (A3); None: not told, taken as all that stand there."""
    touches: int | None = None
    """With how many of them it is in contact, for houses that ask for contact (A3); None: not told, `covers` is taken."""
    beyond_edge: bool = False
    """It protrudes beyond the base's edge (U2, A4)."""
    partial: bool = False
    """It covers a column in part only (A4)."""
    nudged: tuple[Column, ...] = ()
    """Columns shifted to make it fit (A5)."""


@dataclass(frozen=True, slots=True)
class Incident:
    """Level B (E7): columns fell, every plateau kept its place."""

    column: Column | None = None
    """The column of the attempt in progress; None: none was in progress, or a plateau or a penalty column was being handled."""
    _: KW_ONLY
    by: Seat | None = None
    outside: bool = False
    """Nobody playing caused it (E8)."""
    fallen: tuple[Column, ...] = ()


@dataclass(frozen=True, slots=True)
class Collapsed:
    """Level A (E7): a plateau lost its place. `by`: the culprit; None: whoever's action is in progress (E8). `outside`: nobody playing."""

    column: Column | None = None
    """The column that was being handled; None: none, or not told."""
    _: KW_ONLY
    by: Seat | None = None
    outside: bool = False


# --- calls: the draw ---


@dataclass(frozen=True, slots=True)
class Rolled:
    """The seal was rolled as a die and shows `colour` (U3)."""

    colour: Colour
    _: KW_ONLY
    by: Seat | None = None


@dataclass(frozen=True, slots=True)
class Chose:
    """A player chose a colour (U3)."""

    colour: Colour
    _: KW_ONLY
    by: Seat | None = None


@dataclass(frozen=True, slots=True)
class ColoursAssigned:
    """The draw's result in one word: each seat's colours and who starts; a colour nobody has is neutral (U3, D1, T1)."""

    colours: tuple[tuple[Colour, ...], ...]
    starts: Seat


# --- calls: the turn ---


@dataclass(frozen=True, slots=True)
class Requested:
    """A request for the next plateau: "none of my columns can be raised safely" (A1)."""

    _: KW_ONLY
    by: Seat | None = None


@dataclass(frozen=True, slots=True)
class Unchallenged:
    """Nobody challenges the request (A2)."""


@dataclass(frozen=True, slots=True)
class Challenged:
    """An opponent challenges the request (C1)."""

    by: Seat


@dataclass(frozen=True, slots=True)
class ProofOffered:
    """Another player wants to show that a different neutral column can be raised (T3)."""

    by: Seat


@dataclass(frozen=True, slots=True)
class GaveUp:
    """The challenger (C1) or the prover (T3) gives up without having moved a column."""

    _: KW_ONLY
    by: Seat | None = None


@dataclass(frozen=True, slots=True)
class PenaltyWaived:
    """The claimant takes no column of the challenger's (C4)."""

    _: KW_ONLY
    by: Seat | None = None


@dataclass(frozen=True, slots=True)
class CannotLay:
    """The table finds no legal position for the plateau (A3)."""

    _: KW_ONLY
    by: Seat | None = None


@dataclass(frozen=True, slots=True)
class BuiltNothing:
    """On the last plateau: "I can build nothing" (E5)."""

    _: KW_ONLY
    by: Seat | None = None


@dataclass(frozen=True, slots=True)
class Passed:
    """A free pass at the start of a turn (E6)."""

    _: KW_ONLY
    by: Seat | None = None


@dataclass(frozen=True, slots=True)
class Stopped:
    """A player stops where going on is optional: after an abort (B3's switch) or after the neutral column (T1)."""

    _: KW_ONLY
    by: Seat | None = None


# --- the table's word ---


@dataclass(frozen=True, slots=True)
class TableRuled:
    """What the table makes of the violation or incident in event `number`; None: the latest one (B13, E7)."""

    choice: Choice
    number: int | None = None


@dataclass(frozen=True, slots=True)
class OutsideDecided:
    """What the table makes of a collapse that no player caused (E8)."""

    choice: OutsideChoice


@dataclass(frozen=True, slots=True)
class Corrected:
    """Event `number` was really `events`: none strikes it, several insert what was missed; 0 stands before the first event."""

    number: int
    events: tuple[Event, ...] = ()


Deed = Placed | AllPlaced | Raised | Aborted | Touched | TakenOut | PlateauLaid | Incident | Collapsed
Call = (
    Rolled
    | Chose
    | ColoursAssigned
    | Requested
    | Unchallenged
    | Challenged
    | ProofOffered
    | GaveUp
    | PenaltyWaived
    | CannotLay
    | BuiltNothing
    | Passed
    | Stopped
)
Word = TableRuled | OutsideDecided | Corrected
Event = Deed | Call | Word

DEEDS: tuple[type, ...] = (Placed, AllPlaced, Raised, Aborted, Touched, TakenOut, PlateauLaid, Incident, Collapsed)
"""The events that are seen, and hence flagged but never refused (B13)."""

WORDS = (TableRuled, Corrected)
"""The events that change what earlier ones mean."""
