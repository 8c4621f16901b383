"""The naive telling of the rules, extended to what people do against them: wrong columns, wrong hands, falls, calls that nobody heard.

Written from RULES.md alone, sharing nothing with the engine but the names of columns. `told` gives the state after a deed or a call, and
whether it was a violation (a deed) or refused (a call).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Self

from rig.bench.oracle import Naive


@dataclass(frozen=True, slots=True)
class Deed:
    """One event in plain words; floors are numbers from the ground, players too."""

    word: str
    column: str = ""
    by: int | None = None
    onto: int | None = None
    wrong: bool = False
    """A plateau was held, shifted, or the like: against the rules whatever else is so."""
    outside: bool = False
    covers: int | None = None
    touches: int | None = None


HANDLED = ("raise", "abort", "take-out", "touch", "incident", "collapse")


class Witness(Naive):
    """One state of a game in which anything may be done."""

    last_raise: tuple[int | None, str] | None = None

    def told(self, deed: Deed) -> tuple[Self, bool]:
        """The state after it, and whether it broke a rule."""
        state = self.after_nothing()
        if deed.word == "lay" and self.unlaid is not None and deed.by in (None, self.unlaid.player):
            state = self.unlaid.after_nothing()
            state.last_raise = self.last_raise
        if deed.word in HANDLED or deed.word == "lay":
            who = state._who(deed)
            state._said(deed, who)
            if deed.word != "touch":
                state.unlaid = None
            return state, getattr(state, "_do_" + deed.word.replace("-", "_"))(deed, who)
        return state, state._call(deed)

    # --- who, and what it says ---

    def _waited_for(self) -> int:
        return self._acting()

    def _who(self, deed: Deed) -> int | None:
        if deed.by is not None:
            return deed.by
        if deed.word == "lay" and self.doing == "penalty":
            return self.player
        if deed.word == "collapse" and self.doing == "asked":
            return self.last_to_act
        if deed.word == "incident":
            if deed.column:
                if self.last_raise is not None and self.last_raise[1] == deed.column:
                    return self.last_raise[0]
            elif self.doing not in ("lay", "penalty"):
                if self.switches.get("collapse") != "any_piece":
                    return None
                return self._waited_for() if self.last_to_act is None else self.last_to_act
        return self._waited_for()

    def _said(self, deed: Deed, who: int | None) -> None:
        """Calls that nobody heard, and that the deed says (C7)."""
        if deed.outside or who is None:
            return
        if deed.word == "lay":
            if who == self.player:
                self._laying_said()
        elif who == self.player:
            if deed.word == "incident" and not deed.column and self.doing == "asked" and self.plateau_can_lie():
                self.doing = "lay"
        elif deed.column and not (deed.word == "touch" and self.switches.get("touch_rule") != "touched"):
            if self.doing == "asked" and self.owner(deed.column) == self.player and who not in self.challengers:
                self._challenge(str(who))
            elif (
                self.doing == "own" and self._proof_is_open() and self.owner(deed.column) is None and deed.column != self.abandoned_neutral
            ):
                self._proof(str(who))

    def _laying_said(self) -> None:
        if self.doing == "turn" and self.top < self.plateaus:
            self.doing = "asked"
        if self.doing == "penalty" and self.switches.get("plateau_after_failed_challenge", True) and self.plateau_can_lie():
            self._waive("")
        elif self.doing == "asked" and self.plateau_can_lie():
            self.doing = "lay"

    def _proof_is_open(self) -> bool:
        return self.abandoned_neutral is not None and not self.proof_tried and bool(self.neutrals())

    # --- as what a column is handled ---

    def _part(self, column: str, who: int | None) -> str:
        if self.doing == "penalty" and who in self.penalty_takers():
            return "remove"
        if who != self._waited_for() or self.doing in ("asked", "lay", "penalty"):
            return "stray"
        if self.doing == "challenge":
            return "challenge"
        if self.doing.startswith("prove"):
            return "prove"
        return "neutral" if self.owner(column) is None else "own"

    def _allowed(self, part: str, column: str) -> bool:
        """Whether the column may be used for building in this part."""
        if part == "own":
            if self.doing == "turn" and self.neutrals():
                return False
            return column in self.own(self.player)
        if part == "neutral":
            return self.doing == "turn" and column in self.neutrals()
        if part == "challenge":
            return column in self.own(self.player)
        return part == "prove" and column in self.neutrals()

    # --- deeds; each says whether it broke a rule ---

    def _do_raise(self, deed: Deed, who: int | None) -> bool:
        column, onto = deed.column, self.top if deed.onto is None else deed.onto
        part = self._part(column, who)
        allowed = self._allowed(part, column)
        broken = not allowed or onto != self.top or deed.wrong
        self.last_to_act, self.last_raise = who, (who, column)
        if part == "challenge" and allowed and onto == self.top:
            self._refuted(column)
            return broken
        self._stands(column, onto)
        if part == "neutral" and not broken:
            self.doing = "own"
        elif part in ("own", "neutral") or (part == "prove" and allowed and onto == self.top):
            self._end_of_turn()
        else:
            self._came_to_nothing(part, who)
        return broken

    def _do_abort(self, deed: Deed, who: int | None) -> bool:
        return self._broken_off(deed, who, self._part(deed.column, who))

    def _broken_off(self, deed: Deed, who: int | None, part: str) -> bool:
        column = deed.column
        self.last_raise = self.unlaid = None
        if part == "remove":
            broken = column not in self.penalty_columns() or deed.wrong
            if broken and who == self.player:
                self._end_of_turn()
            else:
                self._waive("")
            return broken
        broken = not self._allowed(part, column) or deed.wrong
        self.last_to_act = who
        owner = self.owner(column)
        if self.place[column] is not None and (owner is None or owner == who or (part == "challenge" and owner == self.player)):
            self.locked.add(column)
        if part == "neutral" and not broken:
            self.doing = "own"
            self.abandoned_neutral = column
        elif part == "own" and not broken and self.switches.get("retry_after_abort") and self.own(self.player):
            self.doing = "again"
        elif part in ("own", "neutral"):
            self._end_of_turn()
        else:
            self._came_to_nothing(part, who)
        return broken

    def _do_touch(self, deed: Deed, who: int | None) -> bool:
        part = self._part(deed.column, who)
        if self.switches.get("touch_rule") != "touched" or part in ("stray", "remove"):
            return False
        return self._broken_off(deed, who, part)

    def _do_take_out(self, deed: Deed, who: int | None) -> bool:
        column, part = deed.column, self._part(deed.column, who)
        extract = self.switches.get("challenge_proof") == "extract"
        if part == "remove":
            broken = column not in self.penalty_columns()
        else:
            broken = not (part == "challenge" and extract and self._allowed(part, column))
        broken = broken or deed.wrong
        self.last_to_act, self.last_raise = who, None
        if part == "challenge" and extract and self._allowed(part, column):
            self._refuted(column)
            return broken
        self._comes_off(column)
        self.place[column] = None
        self._look_at_seal()
        if part == "remove":
            if broken and who == self.player:
                self._end_of_turn()
            else:
                self._waive("")
        elif part in ("own", "neutral"):
            self._end_of_turn()
        else:
            self._came_to_nothing(part, who)
        return broken

    def _do_lay(self, deed: Deed, who: int | None) -> bool:
        here = [column for column in self.place if self.place[column] == self.top]
        met = len(here) if deed.covers is None else deed.covers
        if self.switches.get("covering") == "touch" and deed.touches is not None:
            met = deed.touches
        needed = 1 if self.switches.get("two_from_orange") and self.top + 1 >= 4 else 3
        after_penalty = self.doing == "penalty" and self.switches.get("plateau_after_failed_challenge", True)
        broken = who != self.player or self.doing not in ("lay", "asked", "penalty") or (self.doing == "penalty" and not after_penalty)
        broken = broken or met < needed or deed.wrong
        self.last_to_act, self.last_raise = who, None
        self.top += 1
        self.somebody_stood_on_top = False
        self.past_scores = [[0] * self.players]
        if who == self.player:
            self._end_of_turn()
        else:
            self._look_again()
        return broken

    def _do_incident(self, deed: Deed, who: int | None) -> bool:
        column = deed.column
        late = bool(column) and self._fell_late(column, who)
        broken = bool(column) and not late and self._incident_broken(column, who)
        if self.switches.get("collapse") == "any_piece":
            self._do_collapse(deed, who)
        elif not deed.outside and column and not late:
            self._broken_off(deed, who, self._part(column, who))
        elif not deed.outside and not column and who is not None:
            if who == self.player and (self.doing == "lay" or (self.doing == "asked" and self.top < self.plateaus)):
                self._end_of_turn()
            elif self.doing == "penalty" and who in self.penalty_takers():
                self._waive("")
        return broken

    def _fell_late(self, column: str, who: int | None) -> bool:
        if self.last_raise == (who, column):
            return True
        return who is not None and who != self._waited_for() and self.place[column] == self.top and self.owner(column) == who

    def _incident_broken(self, column: str, who: int | None) -> bool:
        part = self._part(column, who)
        return column not in self.penalty_columns() if part == "remove" else not self._allowed(part, column)

    def _do_collapse(self, _deed: Deed, who: int | None) -> bool:
        self.over = True
        if not self.seal:
            self.winners = self._nobody_or_all_but(who)
        elif self.seal[-1] != who:
            self.winners = [self.seal[-1]]
        else:
            self.winners = [self.seal[-2]] if len(self.seal) > 1 else self._nobody_or_all_but(who)
        return False

    def _came_to_nothing(self, part: str, who: int | None) -> None:
        if part == "challenge":
            self._failed()
        elif part == "prove":
            self.doing = "own"
        elif who == self.player:
            self._end_of_turn()
        else:
            self._look_again()

    def _look_again(self) -> None:
        """After somebody else's deed the player in turn may have nothing left to do."""
        if self.doing == "turn" and not self.own(self.player):
            self._start_of_turn()
        elif self.doing in ("again", "own") and not self.own(self.player):
            self._end_of_turn()
        elif self.doing == "lay" and not self.plateau_can_lie():
            self._end_of_turn(nothing_added=True)

    # --- calls ---

    def _call(self, deed: Deed) -> bool:
        named = deed.word in ("challenge", "proof")
        text = f'{deed.word} by "{deed.by}"' if named else deed.word
        whoever = self.penalty_takers() if self.doing == "penalty" else [self._waited_for()]
        allowed = text in self.moves() and (named or deed.by is None or deed.word == "unchallenged" or deed.by in whoever)
        if not allowed:
            return True
        self.unlaid = None
        getattr(self, "_" + deed.word.replace("-", "_"))("" if deed.by is None else str(deed.by))
        return False
