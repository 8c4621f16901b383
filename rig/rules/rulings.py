"""What the rules say about an event: rulings, reasons and the outcome, as plain values.

A ruling names what it means (`kind`), cites rule ids, and carries data that JSON can hold; it has no words of its own, those are in
`telling.py`, in both languages. A reason is one rule that an event breaks; `legality.py` finds them.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum, StrEnum
from typing import NamedTuple

from rig.rules.events import Seat

Datum = str | int | float | bool | None | tuple[str, ...] | tuple[int, ...]
"""What a ruling's data may hold; a JSON list for the tuples."""


class RulingKind(StrEnum):
    """The closed set of what the rules can say."""

    PLACED = "placed"
    SET_UP = "set_up"
    SET_UP_AGAIN = "set_up_again"
    DREW = "drew"
    ROLL_AGAIN = "roll_again"
    STARTS = "starts"
    TURN = "turn"
    RAISED = "raised"
    ABORTED = "aborted"
    LOCKED = "locked"
    TOUCHED = "touched"
    REQUESTED = "requested"
    FORCED = "forced"
    UNCHALLENGED = "unchallenged"
    CHALLENGED = "challenged"
    CLAIM_REFUTED = "claim_refuted"
    CLAIM_UPHELD = "claim_upheld"
    TAKEN_OUT = "taken_out"
    PENALTY_WAIVED = "penalty_waived"
    LAID = "laid"
    NOT_LAID = "not_laid"
    NOTHING_TO_ADD = "nothing_to_add"
    BUILT_NOTHING = "built_nothing"
    PASSED = "passed"
    STOPPED = "stopped"
    PROOF_OFFERED = "proof_offered"
    PROOF_GIVEN = "proof_given"
    PROOF_FAILED = "proof_failed"
    SEAL = "seal"
    VIOLATION = "violation"
    REFUSED = "refused"
    INCIDENT = "incident"
    COLLAPSE = "collapse"
    OUTSIDE = "outside"
    REBUILT = "rebuilt"
    TABLE_RULED = "table_ruled"
    CORRECTED = "corrected"
    SET_ASIDE = "set_aside"
    OVER = "over"


class Ruling(NamedTuple):
    """One ruling; `number` is that of the event it follows from, `seat` the player it is about."""

    kind: RulingKind
    rules: tuple[str, ...]
    number: int
    seat: Seat | None = None
    data: tuple[tuple[str, Datum], ...] = ()

    def get(self, key: str) -> Datum:
        """The datum called `key`, None if the ruling has none of that name."""
        return next((value for name, value in self.data if name == key), None)


class Why(StrEnum):
    """Why the game ended."""

    COLLAPSE = "collapse"
    NOTHING_TO_ADD = "nothing_to_add"
    OUTSIDE = "outside"


@dataclass(frozen=True, slots=True)
class Outcome:
    """The result: the winners' seats (none: nobody wins), why, the rules it rests on, and who caused the collapse."""

    winners: tuple[Seat, ...]
    why: Why
    rules: tuple[str, ...]
    culprit: Seat | None = None

    @property
    def winner(self) -> Seat | None:
        """The one winner; None if nobody wins or several win jointly."""
        return self.winners[0] if len(self.winners) == 1 else None


class Reason(Enum):
    """Why an event breaks a rule: the rule's id; the words are in `telling.py`."""

    def __init__(self, rule: str, _what: str) -> None:
        self.rule = rule

    UNKNOWN_COLUMN = ("P3", "the column is not in the set")
    UNKNOWN_PLATEAU = ("P2", "the plateau is not in the set, or lies already")
    UNKNOWN_FLOOR = ("P2", "that floor does not exist yet")
    UNKNOWN_SEAT = ("U4", "nobody sits there")
    UNKNOWN_DRAW = ("U3", "not what a draw can give")
    UNKNOWN_NUMBER = ("B13", "there is no such event")
    CARRIER_ELSEWHERE = ("B8", "the carrying column does not stand there")
    CARRIER_TAKEN = ("B8", "the carrying column carries another already")
    GAME_OVER = ("E1", "the game is over")

    WRONG_ORDER = ("P2", "plateaus come in a fixed order")
    COLUMNS_MISSING = ("U1", "not all columns stand")
    OUTER_RING = ("U1", "on the outer ring")
    NOT_ON_SITE = ("U1", "set-up stands on the building site")
    SET_UP_OVER = ("U1", "set-up is over")
    BLUE_PROTRUDES = ("U2", "blue protrudes")
    BLUE_COVERS_TOO_FEW = ("U2", "blue covers too few")
    DRAW_TOO_EARLY = ("U3", "drawn before blue lies")
    DRAW_OVER = ("U3", "colours are drawn already")
    DRAW_ORDER = ("U3", "not this player's draw")
    COLOUR_TAKEN = ("U3", "the colour is taken")
    NOT_BEGUN = ("U3", "building has not begun")

    OUT_OF_TURN = ("U4", "not this player's turn")
    NOT_OWN = ("B1", "not the player's own column")
    OUT_OF_GAME = ("B1", "the column is out of the game")
    WRONG_FLOOR = ("B1", "not onto the tallest plateau")
    ON_TOP = ("B2", "it stands on the tallest floor already")
    SECOND_TRY = ("B3", "another column in the same turn")
    NEIGHBOUR_MOVED = ("B3", "another column was moved")
    PLATEAU_SHIFTED = ("B5", "a plateau did not come back")
    PLATEAU_HELD = ("B6", "a plateau was held")
    OVERHANG = ("B7", "the foot hangs over")
    STACKED = ("B8", "column on column below red")
    CARRIES = ("B8", "it carries another column")
    LOCKED = ("B10", "the column is locked")
    NO_REQUEST_AFTER_ABORT = ("B11", "no request after an abort")
    NOTHING_TO_RULE_ON = ("B13", "there is nothing to rule on")
    CHOICE_NOT_OFFERED = ("B13", "not among the choices")

    NO_REQUEST = ("A1", "nobody requested a plateau")
    REQUEST_STANDS = ("A1", "a request once spoken stands")
    CANNOT_BE_CHALLENGED = ("A1", "no eligible column: cannot be challenged")
    NO_RAISE_THIS_TURN = ("A2", "no column may be raised in this turn")
    NO_PLATEAU_LEFT = ("A2", "there is no plateau left")
    COVERS_TOO_FEW = ("A3", "covers too few columns")
    TOUCHES_TOO_FEW = ("A3", "is in contact with too few columns")
    PROTRUDES = ("A4", "protrudes beyond the base")
    PARTLY_COVERED = ("A4", "covers a column in part")
    COLUMNS_SHIFTED = ("A5", "columns were shifted to make it fit")

    NO_CHALLENGE_NOW = ("C1", "nothing to challenge")
    CHALLENGE_RUNS = ("C1", "a challenge runs already")
    OWN_REQUEST = ("C1", "one's own request")
    CHALLENGED_ALREADY = ("C1", "one challenge per opponent")
    NOT_THE_CHALLENGER = ("C1", "somebody else challenges")
    NOTHING_TO_GIVE_UP = ("C1", "no challenge to give up")
    NOT_CLAIMANTS_COLUMN = ("C2", "not an eligible column of the claimant")
    LOCKED_FOR_CHALLENGE = ("C2", "a locked column is not eligible")
    MUST_BE_PLACED = ("C2", "the proof is to stand it on top")
    NO_PENALTY_NOW = ("C4", "no penalty to take")
    ANOTHER_CHOOSES = ("C4", "another player takes the penalty")
    NOT_CHALLENGERS_COLUMN = ("C4", "not the challenger's column")
    NOT_TO_BE_TAKEN_OUT = ("C4", "columns leave only by penalty or proof")
    NOTHING_TO_LAY = ("A3", "no plateau is to be laid now")

    NOT_ON_LAST_PLATEAU = ("E5", "only on the last plateau")
    NO_PASS = ("E6", "no free pass")
    NO_STOP_NOW = ("E6", "stopping is not optional now")
    NO_OUTSIDE_EVENT = ("E8", "no outside event to decide")
    DECISION_FIRST = ("E8", "the table must decide first")

    NEUTRAL_FIRST = ("T1", "a neutral column comes first")
    ONE_NEUTRAL = ("T1", "one neutral column per turn")
    NO_REQUEST_AFTER_NEUTRAL = ("T1", "no request after a neutral attempt")
    LAST_NEUTRAL = ("T2", "the last neutral on its floor")
    NO_PROOF_NOW = ("T3", "no proof is possible now")
    OWN_PROOF = ("T3", "another player must show it")
    NEUTRAL_FOR_PROOF = ("T3", "a proof takes another movable neutral")
