"""A position being worked out, and the consequences every event shares: moving a column, scores, the seal, the turn, the end.

A draft lives only inside one `steps.step`: it is filled from a position, changed, and frozen into the next. Each consequence adds the
rulings it gives rise to. Which consequences an event has is said in `steps.py`.
"""

from __future__ import annotations

from operator import attrgetter

from rig.pieces import Column, Floor
from rig.rules.events import Seat
from rig.rules.house import EndWithout, NoPrevious
from rig.rules.position import Moment, Phase, Position
from rig.rules.rulings import Datum, Outcome, Ruling, RulingKind, Why

_VALUES = attrgetter(*Position._fields)
# Bound to names once: until Python 3.12 reading a member off its enum is slow, and these are read in every turn.
_BUILD, _BLUE = Phase.BUILD, Floor.BLUE
_TURN, _LOCKED = RulingKind.TURN, RulingKind.LOCKED


class Draft(Moment):
    """The next position in the making, and its rulings so far; `number` is that of the event."""

    __slots__ = (*Position._fields, "number", "rulings")
    number: int
    rulings: list[Ruling]

    def __init__(self, position: Position, number: int) -> None:
        self._fill(position)
        self.ticks += 1
        self.number = number
        self.rulings = []

    def _fill(self, position: Position) -> None:
        # Written out, because this is done for every event and a loop over the names takes four times as long.
        (
            self.table,
            self.phase,
            self.turn,
            self.actor,
            self.floors,
            self.owners,
            self.holdings,
            self.locked_at,
            self.stacks,
            self.laid,
            self.colours,
            self.scores,
            self.since,
            self.holder,
            self.predecessor,
            self.fresh,
            self.ticks,
            self.idle,
            self.challenged_by,
            self.abandoned,
            self.settled,
            self.unlaid,
            self.last_actor,
            self.aborted_by,
            self.resume,
            self.outcome,
        ) = position

    def frozen(self) -> Position:
        return tuple.__new__(Position, _VALUES(self))

    def rule(self, kind: RulingKind, rules: tuple[str, ...], seat: Seat | None = None, **data: Datum) -> None:
        """Add a ruling."""
        self.rulings.append(tuple.__new__(Ruling, (kind, rules, self.number, seat, tuple(data.items()))))

    # --- columns ---

    def deal_out(self) -> None:
        """The colours are drawn: whose each column is (U3, D1, T1)."""
        seats = {colour: seat for seat, colours in enumerate(self.colours) for colour in colours}
        self.owners = tuple(seats.get(column.colour) for column in self.table.columns)
        everybody = (*self.table.seats, None) if len(self.table.names) == 3 else self.table.seats
        self.holdings = tuple(tuple(i for i, owner in enumerate(self.owners) if owner == seat) for seat in everybody)

    def stand(self, i: int, floor: Floor | None, carrier: Column | None = None) -> None:
        """The column of index `i` stands on `floor` now, on top of `carrier` if given; None: out of the game."""
        self.floors = (*self.floors[:i], floor, *self.floors[i + 1 :])
        if self.stacks or carrier is not None:
            column = self.table.columns[i]
            stays = tuple(pair for pair in self.stacks if column not in pair)
            self.stacks = stays if carrier is None else (*stays, (column, carrier))

    def lock(self, i: int) -> None:
        """The column of index `i` can never be used for building again (B10)."""
        if i not in self.locked_at and self.floors[i] is not None:
            self.locked_at |= {i}
            self.rule(_LOCKED, ("B10",), self.owners[i], column=self.table.words[i])

    # --- scores and seal ---

    def score_again(self) -> None:
        """The points of everybody's own columns on the tallest plateau (S2); on the ground and on blue there are none (S1)."""
        top, points, scores = self.top, self.table.points, [0] * len(self.scores)
        if top > _BLUE and self.owners:
            for i, floor in enumerate(self.floors):
                if floor is top and (owner := self.owners[i]) is not None:
                    scores[owner] += points[i]
        now = tuple(scores)
        if now != self.scores:
            self.since = tuple(since if old == new else self.ticks for since, old, new in zip(self.since, self.scores, now, strict=True))
            self.scores = now

    def settle_score(self, i: int) -> None:
        """The column of index `i` has just been placed somewhere: count again. The first own column on a plateau takes the seal at once
        (S1, S4); for its holder nothing changes (S5)."""
        self.score_again()
        if self.fresh and self.owners and (owner := self.owners[i]) is not None and self.floors[i] is self.top:
            self.fresh = False
            if owner != self.holder:
                self._pass_seal(owner, "S1" if self.holder is None else "S4")
        self.settle_seal()

    def settle_seal(self) -> None:
        """Whoever exceeds the holder takes the seal: the highest, among equals who has held that score longest (S3, S6)."""
        holder = self.holder
        if holder is None or (best := max(self.scores)) <= self.scores[holder]:
            return
        rising = [seat for seat in self.table.seats if self.scores[seat] == best]
        dropped = self.since[holder] == self.ticks
        self._pass_seal(min(rising, key=lambda seat: self.since[seat]), "S6" if dropped else "S3")

    def _pass_seal(self, seat: Seat, rule: str) -> None:
        before = self.holder
        self.holder, self.predecessor = seat, before
        shown = self.colours[seat if before is None else before][0]
        self.rule(RulingKind.SEAL, (rule, "P5"), seat, before=before, face=str(shown))

    # --- turns ---

    def end_turn(self, *, counts: bool = False, aborted: bool = False) -> None:
        """The turn is over; `counts`: it counts as this player being unable to add anything (E5)."""
        self.idle = self.idle + 1 if counts else 0
        self.aborted_by = self.turn if aborted else None
        self.challenged_by, self.abandoned = (), None
        if self.idle >= len(self.table.names):
            self._end_without_collapse(("E1", "E5"))
            return
        assert self.turn is not None
        self.begin_turn((self.turn + 1) % len(self.table.names))

    def begin_turn(self, seat: Seat) -> None:
        """It is the turn of `seat`; whoever has no column to raise is in the position of an unchallenged request at once (A1)."""
        self.turn = self.actor = seat
        self.phase = _BUILD
        if self.can_build(seat):
            self.rule(_TURN, ("U4",), seat)
        elif self.table.rules.end_without is EndWithout.COLUMN and not any(map(self.can_build, self.table.seats)):
            self.rule(RulingKind.NOTHING_TO_ADD, ("E1",), seat)
            self._end_without_collapse(("E1",))
        elif self.may_be_laid():
            self.phase = Phase.LAY
            self.rule(RulingKind.FORCED, ("A1",), seat, plateau=self.next_word())
        else:
            self.rule(RulingKind.NOTHING_TO_ADD, ("A1", "E5"), seat)
            self.end_turn(counts=True)

    def look_again(self) -> None:
        """After a deed that belonged to nobody's turn: what the game waits for may have become impossible (A1, A3, B14)."""
        if self.turn is None:
            return
        if self.phase is Phase.BUILD and not self.can_build(self.turn):
            self.begin_turn(self.turn)
        elif self.phase in (Phase.RETRY, Phase.OWN) and not self.can_build(self.turn):
            self.end_turn(aborted=self.phase is Phase.RETRY)
        elif self.phase is Phase.LAY and not self.may_be_laid():
            self.not_laid()

    def begin_laying(self) -> None:
        """The claimant lays the next plateau if it can be laid at all; otherwise the turn ends by itself (A2, A3, B14)."""
        self.actor = self.turn
        if self.may_be_laid():
            self.phase = Phase.LAY
            return
        self.phase, self.unlaid = Phase.LAY, None
        before = self.frozen()._replace(ticks=0) if self.next_plateau is not None else None
        self.not_laid()
        self.unlaid = before

    def not_laid(self) -> None:
        """The plateau cannot be laid, or there is none: the turn is over and counts (A3, E5)."""
        if self.next_plateau is not None:
            self.rule(RulingKind.NOT_LAID, ("A3", "E5"), self.turn, plateau=self.next_word())
        self.end_turn(counts=True)

    def next_word(self) -> str | None:
        plateau = self.next_plateau
        return None if plateau is None else plateau.word

    # --- the end ---

    def _end_without_collapse(self, rules: tuple[str, ...]) -> None:
        """Nobody can add anything: the holder wins, without one nobody does (E2, E4)."""
        if self.holder is None:
            self.end(Outcome((), Why.NOTHING_TO_ADD, (*rules, "E4")))
        else:
            self.end(Outcome((self.holder,), Why.NOTHING_TO_ADD, (*rules, "E2")))

    def collapse(self, culprit: Seat | None, **data: Datum) -> None:
        """The villa has fallen by the hand of `culprit` (E1 to E4); before the first turn it is only set up again. `data` is told too."""
        if self.turn is None:
            self._fill(Position.start(self.table))
            self.rule(RulingKind.SET_UP_AGAIN, ("U1",), culprit)
            return
        self.rule(RulingKind.COLLAPSE, ("E1", "E8"), culprit, **data)
        if self.holder is not None and self.holder != culprit:
            self.end(Outcome((self.holder,), Why.COLLAPSE, ("E2", "E3"), culprit))
        elif self.holder is not None and self.predecessor is not None:
            self.end(Outcome((self.predecessor,), Why.COLLAPSE, ("E2",), culprit))
        elif self.table.rules.no_previous is NoPrevious.ALL_OTHERS:
            self.end(Outcome(tuple(seat for seat in self.table.seats if seat != culprit), Why.COLLAPSE, ("E4",), culprit))
        else:
            self.end(Outcome((), Why.COLLAPSE, ("E4",), culprit))

    def end(self, outcome: Outcome) -> None:
        self.phase, self.actor, self.outcome = Phase.OVER, None, outcome
        self.rule(RulingKind.OVER, outcome.rules, outcome.winner, winners=outcome.winners, why=str(outcome.why), culprit=outcome.culprit)
