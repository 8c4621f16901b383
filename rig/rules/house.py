"""House rules: every point on which tables differ, as one value.

Two rule texts of the game disagree and some points no text settles; each such point is a switch here, marked with the rule it belongs to.
The defaults are the project's reading of the rules. Nothing here plays; `legality.py` and `steps.py` ask these switches.
"""

from __future__ import annotations

from dataclasses import dataclass, fields, replace
from enum import StrEnum
from typing import Any, get_type_hints

from rig.errors import PalettiError


class ColourMode(StrEnum):
    """How colours are drawn and who starts (U3)."""

    ROLL_CHOOSE = "roll_choose"
    ALL_ROLL = "all_roll"
    YOUNGEST_STARTS = "youngest_starts"


class TouchRule(StrEnum):
    """What binds a player to a column: that it has moved, or the first touch (B4)."""

    MOVED = "moved"
    TOUCHED = "touched"


class ChallengeProof(StrEnum):
    """What a challenger has to do with the column: stand it on top, or only get it out (C2)."""

    PLACE = "place"
    EXTRACT = "extract"


class NoPrevious(StrEnum):
    """Who wins a collapse when there is no holder, or the culprit holds the seal without a predecessor (E4)."""

    NOBODY = "nobody"
    ALL_OTHERS = "all_others"


class CollapseRule(StrEnum):
    """What ends the game: a plateau that loses its place, or any piece that falls (E7)."""

    PLATEAU_LOST = "plateau_lost"
    ANY_PIECE = "any_piece"


class EndWithout(StrEnum):
    """What nobody can add any more when the game ends without a collapse (E1)."""

    COLUMN_OR_PLATEAU = "column_or_plateau"
    COLUMN = "column"


class Covering(StrEnum):
    """How a plateau has to meet the columns below it: cover them, or be in contact with them (A3)."""

    COVER = "cover"
    TOUCH = "touch"


class Stacking(StrEnum):
    """Where a column may stand on a column: on red, or on whatever plateau is uppermost (B8)."""

    RED = "red"
    TOP = "top"


class PenaltyChosenBy(StrEnum):
    """Who takes the challenger's column out after a failed challenge (C4)."""

    CLAIMANT = "claimant"
    ANOTHER = "another"
    """A player who is neither claimant nor challenger; with two players, the claimant."""


@dataclass(frozen=True, slots=True)
class HouseRules:
    """All switches; `HouseRules()` is the rulebook as the project reads it."""

    colour_mode: ColourMode = ColourMode.ROLL_CHOOSE
    """U3."""
    retry_after_abort: bool = False
    """B3: after an abort another own column may be tried in the same turn."""
    touch_rule: TouchRule = TouchRule.MOVED
    """B4."""
    stacking: Stacking = Stacking.RED
    """B8."""
    locked_as_penalty: bool = True
    """B10: a locked column can be taken as a penalty; otherwise it is moved no more until the end."""
    covering: Covering = Covering.COVER
    """A3."""
    two_from_orange: bool = False
    """A3: orange and red may rest on two columns or one."""
    limit_all_plateaus: bool = False
    """A4: no plateau may protrude beyond the base's edge (blue never may, U2)."""
    forbid_partial_cover: bool = False
    """A4: a plateau may not cover a column in part."""
    max_challenges: int = 1
    """C1: how many challenges one request may meet."""
    challenge_proof: ChallengeProof = ChallengeProof.PLACE
    """C2."""
    plateau_after_failed_challenge: bool = True
    """C4: after the penalty the claimant lays the plateau; otherwise the penalty ends the turn."""
    penalty_chosen_by: PenaltyChosenBy = PenaltyChosenBy.CLAIMANT
    """C4."""
    end_without: EndWithout = EndWithout.COLUMN_OR_PLATEAU
    """E1."""
    no_previous: NoPrevious = NoPrevious.NOBODY
    """E4."""
    allow_pass: bool = False
    """E6."""
    collapse: CollapseRule = CollapseRule.PLATEAU_LOST
    """E7."""
    challenge_nothing: bool = False
    """E5, where the rules are silent: "I can build nothing" may be challenged as a request may."""

    def __post_init__(self) -> None:
        if not 1 <= self.max_challenges <= 3:
            raise PalettiError("A request can meet one to three challenges.", "Set max_challenges to 1, 2 or 3 (C1).")

    def with_switch(self, name: str, value: str) -> HouseRules:
        """These rules with the switch `name` set from its text (`true`, `2`, `extract`); PalettiError says what is wrong."""
        kind = SWITCHES.get(name)
        if kind is None:
            raise PalettiError(f"There is no house rule called {name!r}.", f"House rules are {', '.join(SWITCHES)}.")
        choices = _texts(kind)
        if value not in choices:
            raise PalettiError(f"The house rule {name} cannot be {value!r}.", f"It is one of {', '.join(choices)}.")
        changes: dict[str, Any] = {name: choices[value]}
        return replace(self, **changes)

    def changed(self) -> dict[str, str]:
        """The switches that differ from the rulebook, as text."""
        return {name: str(value).lower() for name in SWITCHES if (value := getattr(self, name)) != getattr(RULEBOOK, name)}


def _texts(kind: type) -> dict[str, object]:
    """The texts a switch of this type may be set to, and what each means."""
    if issubclass(kind, StrEnum):
        return {str(member): member for member in kind}
    if kind is bool:
        return {"false": False, "true": True}
    return {"1": 1, "2": 2, "3": 3}


SWITCHES: dict[str, type] = {field.name: kind for field in fields(HouseRules) if (kind := get_type_hints(HouseRules)[field.name])}
"""Every switch and its type."""

RULEBOOK = HouseRules()
EASIER = HouseRules(two_from_orange=True)
SECOND_READING = HouseRules(retry_after_abort=True)
GUIDE = HouseRules(plateau_after_failed_challenge=False)
RULES_PAGE = HouseRules(
    retry_after_abort=True,
    stacking=Stacking.TOP,
    locked_as_penalty=False,
    covering=Covering.TOUCH,
    plateau_after_failed_challenge=False,
    end_without=EndWithout.COLUMN,
)

PRESETS: dict[str, HouseRules] = {
    "rulebook": RULEBOOK,
    "easier": EASIER,
    "second_reading": SECOND_READING,
    "guide": GUIDE,
    "rules_page": RULES_PAGE,
}
"""Named sets of switches. `rulebook` is the project's reading; `easier` the rulebook's own option; `second_reading` the rulebook with the
other text's second try after an abort; `guide` and `rules_page` follow each of the two texts to the letter."""
