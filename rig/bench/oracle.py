"""A second, deliberately naive telling of the rules, to hold the engine to: no cleverness, nothing shared with it but the words for moves.

A state is a few dictionaries that are copied for each move; everything is worked out from scratch each time it is needed, the seal from
the whole list of past scores. It knows legal play and collapses, on any set, for two to four players, with the switches that change play;
what is done against the rules is in `rig/bench/oracle_of_deeds.py`.
"""

from __future__ import annotations

import copy
from collections.abc import Iterable
from typing import Self

GROUND, BLUE, GREEN, YELLOW, ORANGE = range(5)
POINTS = {"thick": 3, "hex": 2, "thin": 1}


class Naive:
    """One state. Columns are their names, players are numbers, floors are numbers from the ground, moves are texts."""

    def __init__(self, columns: Iterable[str], plateaus: int, players: int, **switches: object) -> None:
        self.players = players
        self.plateaus = plateaus
        self.switches = switches
        self.place: dict[str, int | None] = dict.fromkeys(columns, GROUND)
        self.locked: set[str] = set()
        self.top = BLUE
        self.somebody_stood_on_top = False
        self.player = 0
        self.doing = "turn"
        self.challengers: list[int] = []
        self.stacked_on: dict[str, str] = {}
        self.abandoned_neutral: str | None = None
        self.unlaid: Self | None = None
        self.proof_tried = False
        self.past_scores: list[list[int]] = [[0] * players]
        self.seal: list[int] = []
        self.counting_turns = 0
        self.last_to_act: int | None = None
        self.over = False
        self.winners: list[int] = []
        self._start_of_turn()

    # --- questions ---

    def owner(self, column: str) -> int | None:
        colour = ["red", "blue", "yellow", "green"].index(column.split("-")[0])
        if self.players == 2:
            return colour // 2
        return colour if colour < self.players else None

    def can_rise(self, column: str) -> bool:
        return self.place[column] is not None and self.place[column] != self.top and column not in self.locked

    def own(self, player: int) -> list[str]:
        return [column for column in self.place if self.owner(column) == player and self.can_rise(column)]

    def neutrals(self) -> list[str]:
        movable = []
        for column, floor in self.place.items():
            if self.owner(column) is None and self.can_rise(column):
                on_same_floor = [other for other in self.place if self.owner(other) is None and self.place[other] == floor]
                if len(on_same_floor) >= 2:
                    movable.append(column)
        return movable

    def scores(self) -> list[int]:
        result = [0] * self.players
        for column, floor in self.place.items():
            owner = self.owner(column)
            if owner is not None and floor == self.top and self.top >= GREEN:
                result[owner] += POINTS[column.split("-")[1]]
        return result

    def plateau_can_lie(self) -> bool:
        if self.top == self.plateaus:
            return False
        needed = 1 if self.switches.get("two_from_orange") and self.top + 1 >= ORANGE else 3
        return len([column for column in self.place if self.place[column] == self.top]) >= needed

    def penalty_columns(self) -> list[str]:
        fixed = self.locked if self.switches.get("locked_as_penalty", True) is False else set()
        return [
            column
            for column in self.place
            if self.owner(column) == self.challengers[-1]
            and self.place[column] is not None
            and column not in fixed
            and column not in self.stacked_on.values()
        ]

    def penalty_takers(self) -> list[int]:
        """Who may take the penalty: the claimant, or where another shall, everybody who neither asked nor challenged."""
        if self.switches.get("penalty_chosen_by") == "another" and self.players > 2:
            order = [(self.player + k) % self.players for k in range(1, self.players)]
            return [other for other in order if other != self.challengers[-1]]
        return [self.player]

    # --- what may be done ---

    def moves(self) -> list[str]:
        if self.over:
            return []
        others = [(self.player + k) % self.players for k in range(1, self.players)]
        if self.doing == "turn":
            result = self._attempts(self.neutrals() or self.own(self.player))
            result.append("build-nothing" if self.top == self.plateaus else "request")
            if self.switches.get("allow_pass"):
                result.append("pass")
            return result
        if self.doing == "again":
            return [*self._attempts(self.own(self.player)), "stop"]
        if self.doing == "own":
            provable = self.abandoned_neutral and not self.proof_tried and self.neutrals()
            return [*self._attempts(self.own(self.player)), "stop", *(f'proof by "{other}"' for other in others if provable)]
        return self._answers(others)

    def _answers(self, others: list[int]) -> list[str]:
        if self.doing.startswith("prove"):
            return [*self._attempts(self.neutrals()), "give-up"]
        if self.doing == "asked":
            return ["unchallenged", *(f'challenge by "{other}"' for other in others if other not in self.challengers)]
        if self.doing == "challenge":
            result = self._attempts(self.own(self.player))
            if self.switches.get("challenge_proof") == "extract":
                result += [f"take-out {column}" for column in self.own(self.player)]
            return [*result, "give-up"]
        if self.doing == "penalty":
            takers = self.penalty_takers()
            named = [f' by "{taker}"' for taker in takers] if len(takers) > 1 else [""]
            return [*(f"take-out {column}{by}" for column in self.penalty_columns() for by in named), "waive"]
        assert self.doing == "lay"
        return ["lay", "cannot-lay"]

    def _attempts(self, columns: list[str]) -> list[str]:
        result = [f"{word} {column}" for column in columns for word in ("raise", "abort")]
        if self.top == 5 or self.switches.get("stacking") == "top":
            free = [carrier for carrier in self.place if self.place[carrier] == self.top and carrier not in self.stacked_on.values()]
            result += [f"raise {column} stacked-on {carrier}" for column in columns for carrier in free if carrier != column]
        return result

    # --- doing it ---

    def after(self, move: str) -> Self:
        state = self.after_nothing()
        word, _, column = move.partition(" ")
        taker = None
        if word == "take-out" and " by " in column:
            column, _, taker = column.partition(" by ")
        column = column.replace('by "', "").replace('"', "")
        state.unlaid = None
        getattr(state, "_" + word.replace("-", "_"))(column)
        if taker is not None:
            state.last_to_act = int(taker.strip('"'))
        return state

    def collapsed(self) -> list[int]:
        """Who wins if whoever is acting now topples it."""
        culprit = self.last_to_act if self.doing == "asked" else self._acting()
        if not self.seal:
            return self._nobody_or_all_but(culprit)
        if self.seal[-1] != culprit:
            return [self.seal[-1]]
        return [self.seal[-2]] if len(self.seal) > 1 else self._nobody_or_all_but(culprit)

    def _nobody_or_all_but(self, culprit: int | None) -> list[int]:
        return [p for p in range(self.players) if p != culprit] if self.switches.get("no_previous") == "all_others" else []

    def _acting(self) -> int:
        if self.doing == "challenge":
            return self.challengers[-1]
        if self.doing == "penalty":
            return self.penalty_takers()[0]
        return int(self.doing.split()[1]) if self.doing.startswith("prove") else self.player

    def _raise(self, move: str) -> None:
        column, _, carrier = move.partition(" stacked-on ")
        self.last_to_act = self._acting()
        if self.doing == "challenge":
            self._refuted(column)
            return
        self._stands(column, self.top, carrier)
        owner = self.owner(column)
        if self.doing.startswith("prove"):
            self._end_of_turn()
        elif owner is None:
            self.doing = "own"
            if not self.own(self.player):
                self._end_of_turn()
        else:
            self._end_of_turn()

    def _stands(self, column: str, floor: int | None, carrier: str = "") -> None:
        """The column stands there, and the seal goes where it must."""
        self._comes_off(column)
        self.place[column] = floor
        if carrier:
            self.stacked_on[column] = carrier
        owner = self.owner(column)
        if floor != self.top:
            self._look_at_seal()
            return
        if owner is not None and self.top >= GREEN and not self.somebody_stood_on_top:
            self.somebody_stood_on_top = True
            if self.seal[-1:] != [owner]:
                self.seal.append(owner)
        self._look_at_seal()

    def _comes_off(self, column: str) -> None:
        """Whatever it stood on, or stood on it, does so no more."""
        self.stacked_on = {upper: carrier for upper, carrier in self.stacked_on.items() if column not in (upper, carrier)}

    def _abort(self, column: str) -> None:
        self.last_to_act = self._acting()
        self.locked.add(column)
        if self.doing == "challenge":
            self._failed()
        elif self.doing.startswith("prove"):
            self.doing = "own"
        elif self.owner(column) is None:
            self.doing = "own"
            self.abandoned_neutral = column
            if not self.own(self.player):
                self._end_of_turn()
        elif self.switches.get("retry_after_abort") and self.own(self.player):
            self.doing = "again"
        else:
            self._end_of_turn()

    def _take_out(self, column: str) -> None:
        self.last_to_act = self._acting()
        if self.doing == "challenge":
            self._refuted(column)
            return
        self._comes_off(column)
        self.place[column] = None
        self._look_at_seal()
        self._waive("")

    def _give_up(self, _: str) -> None:
        if self.doing == "challenge":
            self._failed()
        else:
            self.doing = "own"

    def _proof(self, by: str) -> None:
        self.doing = f"prove {by}"
        self.proof_tried = True

    def _request(self, _: str) -> None:
        self.doing = "asked"

    def _challenge(self, by: str) -> None:
        self.challengers.append(int(by))
        self.doing = "challenge"

    def _unchallenged(self, _: str) -> None:
        self._claim_holds()

    def _refuted(self, column: str) -> None:
        self._comes_off(column)
        self.place[column] = None
        self._end_of_turn()

    def _failed(self) -> None:
        self.doing = "penalty"
        if not self.penalty_columns():
            self._waive("")

    def _waive(self, _: str) -> None:
        if self.switches.get("plateau_after_failed_challenge", True) is False:
            self._end_of_turn()
        elif len(self.challengers) < min(self.players - 1, int(str(self.switches.get("max_challenges", 1)))) and self.own(self.player):
            self.doing = "asked"
        else:
            self._claim_holds()

    def _claim_holds(self) -> None:
        """The plateau is laid, or the turn ends by itself; then the state in which it could have been laid is remembered."""
        before = self.after_nothing()
        self._lay_if_possible()
        if self.doing != "lay" and before.top != before.plateaus:
            before.doing = "lay"
            self.unlaid = before  # type: ignore[assignment]

    def after_nothing(self) -> Self:
        """A copy of this state."""
        state = copy.copy(self)
        for name in ("place", "locked", "challengers", "past_scores", "seal", "winners", "stacked_on"):
            setattr(state, name, copy.copy(getattr(self, name)))
        return state

    def _lay_if_possible(self) -> None:
        if self.plateau_can_lie():
            self.doing = "lay"
        else:
            self._end_of_turn(nothing_added=True)

    def _lay(self, _: str) -> None:
        self.last_to_act = self.player
        self.top += 1
        self.somebody_stood_on_top = False
        self.past_scores = [[0] * self.players]
        self._end_of_turn()

    def _cannot_lay(self, _: str) -> None:
        self._end_of_turn(nothing_added=True)

    def _build_nothing(self, _: str) -> None:
        if self.switches.get("challenge_nothing"):
            self.doing = "asked"
        else:
            self._end_of_turn(nothing_added=True)

    def _pass(self, _: str) -> None:
        self._end_of_turn(nothing_added=True)

    def _stop(self, _: str) -> None:
        self._end_of_turn()

    def _end_of_turn(self, *, nothing_added: bool = False) -> None:
        self.counting_turns = self.counting_turns + 1 if nothing_added else 0
        if self.counting_turns == self.players:
            self.over = True
            self.winners = self.seal[-1:]
            return
        self.player = (self.player + 1) % self.players
        self._start_of_turn()

    def _start_of_turn(self) -> None:
        self.doing = "turn"
        self.challengers = []
        self.abandoned_neutral, self.proof_tried = None, False
        if not self.own(self.player):
            if self.switches.get("end_without") == "column" and not any(self.own(player) for player in range(self.players)):
                self.over = True
                self.winners = self.seal[-1:]
            else:
                self._lay_if_possible()

    def _look_at_seal(self) -> None:
        now = self.scores()
        self.past_scores.append(now)
        if not self.seal or max(now) <= now[self.seal[-1]]:
            return
        best = [player for player in range(self.players) if now[player] == max(now)]

        def moments_at_this_score(player: int) -> int:
            moments = 0
            for scores in reversed(self.past_scores):
                if scores[player] != now[player]:
                    break
                moments += 1
            return moments

        self.seal.append(max(best, key=moments_at_this_score))
