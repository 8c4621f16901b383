"""Where a game stands: one immutable position, with the questions a player would ask of it.

Floors of columns are kept as a tuple beside `Table.columns`, so that a position is small and comparing two is cheap. What does not change
in a game is in `table.py`, what follows from an event in `steps.py`, what an event may break in `legality.py`.
"""

from __future__ import annotations

from collections.abc import Iterator
from enum import StrEnum
from typing import NamedTuple

from rig.pieces import Colour, Column, Floor
from rig.rules.events import Seat
from rig.rules.house import PenaltyChosenBy
from rig.rules.rulings import Outcome
from rig.rules.table import Table


class Phase(StrEnum):
    """What the game waits for."""

    SET_UP = "set_up"
    """Columns, then the blue plateau (U1, U2)."""
    DRAW = "draw"
    """Colours (U3)."""
    BUILD = "build"
    """The player in turn begins: a column, a request, nothing (B1, A1)."""
    RETRY = "retry"
    """After an abort, where the house allows another own column (B3)."""
    OWN = "own"
    """Three players, after the neutral column: an own one, or stop (T1, T3)."""
    PROOF = "proof"
    """Three players: an opponent shows that another neutral can be raised (T3)."""
    CLAIM = "claim"
    """A request was spoken: will it be challenged (A2, C1)?"""
    CHALLENGE = "challenge"
    """The challenger raises a column of the claimant's (C2)."""
    PENALTY = "penalty"
    """The challenge failed: one of the challenger's columns may be taken out (C4)."""
    LAY = "lay"
    """The plateau is to be laid (A2, A3)."""
    DECISION = "decision"
    """Nobody playing toppled it: the table decides (E8)."""
    OVER = "over"

    __hash__ = str.__hash__  # an enum's own is written in Python, and what a phase leads to is looked up in every event


class Moment:
    """What a position holds and can be asked. `scores` and `since` are by seat; `floors` and `owners` by column as in `Table.columns`."""

    __slots__ = ()
    table: Table
    phase: Phase
    turn: Seat | None
    actor: Seat | None
    """Whom the game waits for: the player in turn, the challenger, the prover; None: anybody."""
    floors: tuple[Floor | None, ...]
    """None: not stood up yet, or out of the game."""
    owners: tuple[Seat | None, ...]
    """None: neutral; empty before the draw."""
    holdings: tuple[tuple[int, ...], ...]
    """The indices of each seat's columns, and last those of the neutral ones; empty before the draw."""
    locked_at: frozenset[int]
    """The indices of the locked columns."""
    stacks: tuple[tuple[Column, Column], ...]
    """(upper, carrier) for each column stacked on another (B8)."""
    laid: tuple[Floor, ...]
    colours: tuple[tuple[Colour, ...], ...]
    scores: tuple[int, ...]
    since: tuple[int, ...]
    """The tick at which each score came to be what it is (S6)."""
    holder: Seat | None
    predecessor: Seat | None
    fresh: bool
    """No own column has been placed on the tallest plateau yet (S1, S4)."""
    ticks: int
    """How many events led here."""
    idle: int
    """How many turns in a row count as nobody being able to add (E5)."""
    challenged_by: tuple[Seat, ...]
    """Who has challenged this request (C1)."""
    abandoned: int | None
    """The index of the neutral column abandoned in this turn, as long as nobody has tried a proof (T3)."""
    settled: tuple[Seat | None, int] | None
    """The last raise, if nothing was handled since: who, and the column's index. What falls now fell after it had settled (E7)."""
    unlaid: Position | None
    """Where the game stood before a claim ended by itself because too few columns stand on top, if nothing happened since (A3, B14)."""
    last_actor: Seat | None
    aborted_by: Seat | None
    """Whose turn just ended with an abort (B3, B11)."""
    resume: tuple[Phase, Seat | None] | None
    """Where play goes on if the table decides to rebuild (E8)."""
    outcome: Outcome | None

    @property
    def proof_open(self) -> bool:
        """Whether a neutral was abandoned in this turn and a proof with another one can still be tried (T3)."""
        return self.abandoned is not None and bool(self.movable_neutrals())

    def floor_of(self, column: Column) -> Floor | None:
        return self.floors[self.table.index[column]]

    def owner_of(self, column: Column) -> Seat | None:
        """The seat that owns `column`; None: neutral, or not drawn yet."""
        return self.owners[self.table.index[column]] if self.owners else None

    def is_neutral(self, column: Column) -> bool:
        """Whether it is of the colour nobody has (T1)."""
        return len(self.holdings) > len(self.table.names) and self.owners[self.table.index[column]] is None

    @property
    def top(self) -> Floor:
        """The tallest floor."""
        return self.laid[-1] if self.laid else Floor.GROUND

    @property
    def next_plateau(self) -> Floor | None:
        """The lowest plateau not laid yet (P2)."""
        laid = self.laid
        for plateau in self.table.pieces.plateaus:
            if plateau not in laid:
                return plateau
        return None

    @property
    def face(self) -> Colour | None:
        """The seal's shown colour: the previous holder's; without one, the holder's own (P5)."""
        shown = self.holder if self.predecessor is None else self.predecessor
        return None if shown is None else self.colours[shown][0]

    @property
    def locked(self) -> frozenset[Column]:
        """The columns that can never be used for building again (B10)."""
        return frozenset(self.table.columns[i] for i in self.locked_at)

    def can_build(self, seat: Seat) -> bool:
        """Whether the player has a column that may be raised (B1, B2, B10)."""
        floors, top, locked = self.floors, self.top, self.locked_at
        for i in self.holdings[seat]:
            floor = floors[i]
            if floor is not None and floor is not top and i not in locked:
                return True
        return False

    def usable(self, seat: Seat) -> list[int]:
        """The indices of the player's columns that may be raised: on a lower floor and not locked (B1, B2, B10)."""
        floors, top, locked = self.floors, self.top, self.locked_at
        return [i for i in self.holdings[seat] if (floor := floors[i]) is not None and floor is not top and i not in locked]

    def eligible(self, seat: Seat) -> list[Column]:
        """The player's columns that may be raised (B1, B2, B10)."""
        return [self.table.columns[i] for i in self.usable(seat)]

    def movable_neutrals(self) -> list[int]:
        """The indices of the neutral columns that may be raised (T2)."""
        if len(self.holdings) <= len(self.table.names):
            return []
        floors, top, locked = self.floors, self.top, self.locked_at
        standing = [i for i in self.holdings[-1] if floors[i] is not None and floors[i] is not top]
        on = [floors[i] for i in standing]
        return [i for i in standing if i not in locked and on.count(floors[i]) > 1]

    def may_be_laid(self) -> bool:
        """Whether enough columns stand on top for the next plateau; whether it fits, only the table sees (A3)."""
        plateau = self.next_plateau
        return plateau is not None and self.floors.count(self.top) >= self.table.needed(plateau)

    def carries(self, column: Column) -> bool:
        """Whether another column stands on it (B8)."""
        return any(carrier == column for _, carrier in self.stacks)

    def takeable(self, seat: Seat) -> list[int]:
        """The indices of the columns of `seat` that can be taken as a penalty (C4, B8, B10)."""
        columns, spared = self.table.columns, frozenset() if self.table.rules.locked_as_penalty else self.locked_at
        return [i for i in self.holdings[seat] if self.floors[i] is not None and i not in spared and not self.carries(columns[i])]

    def penalty_takers(self) -> tuple[Seat, ...]:
        """Who may take the challenger's column out (C4): the claimant, or by the house's rule any other but the challenger."""
        assert self.turn is not None
        if self.table.rules.penalty_chosen_by is PenaltyChosenBy.ANOTHER:
            others = tuple(seat for seat in self.opponents() if seat != self.challenged_by[-1])
            return others or (self.turn,)
        return (self.turn,)

    def free_carriers(self, i: int) -> list[Column]:
        """The columns on the tallest floor that a column may be stacked on: the one of index `i` aside, those that carry none (B8)."""
        carrying = {carrier for _, carrier in self.stacks}
        columns = self.table.columns
        return [columns[j] for j, floor in enumerate(self.floors) if floor is self.top and j != i and columns[j] not in carrying]

    def opponents(self) -> Iterator[Seat]:
        """Everybody but the player in turn, clockwise from there."""
        assert self.turn is not None
        players = len(self.table.names)
        return ((self.turn + step) % players for step in range(1, players))

    def drawer(self) -> Seat:
        """Who rolls or chooses next; the youngest first, then clockwise (U3). With everything drawn: the youngest again."""
        players = len(self.table.names)
        taken = sum(map(len, self.colours))
        return (self.table.youngest + taken) % players

    def free_colours(self) -> list[Colour]:
        """The colours nobody has drawn."""
        taken = {colour for colours in self.colours for colour in colours}
        return [colour for colour in Colour if colour not in taken]


class _Fields(NamedTuple):
    """A moment's fields. A tuple, because nothing is made as often as positions, and nothing else is made as fast."""

    table: Table
    phase: Phase
    turn: Seat | None
    actor: Seat | None
    floors: tuple[Floor | None, ...]
    owners: tuple[Seat | None, ...]
    holdings: tuple[tuple[int, ...], ...]
    locked_at: frozenset[int]
    stacks: tuple[tuple[Column, Column], ...]
    laid: tuple[Floor, ...]
    colours: tuple[tuple[Colour, ...], ...]
    scores: tuple[int, ...]
    since: tuple[int, ...]
    holder: Seat | None
    predecessor: Seat | None
    fresh: bool
    ticks: int
    idle: int
    challenged_by: tuple[Seat, ...]
    abandoned: int | None
    settled: tuple[Seat | None, int] | None
    unlaid: Position | None
    last_actor: Seat | None
    aborted_by: Seat | None
    resume: tuple[Phase, Seat | None] | None
    outcome: Outcome | None


class Position(Moment, _Fields):
    """One immutable moment of the game."""

    __slots__ = ()

    @classmethod
    def start(cls, table: Table) -> Position:
        """An empty base: all columns beside it, nothing drawn."""
        nobody = tuple(0 for _ in table.seats)
        return cls(
            table=table,
            phase=Phase.SET_UP,
            turn=None,
            actor=None,
            floors=(None,) * len(table.columns),
            owners=(),
            holdings=(),
            locked_at=frozenset(),
            stacks=(),
            laid=(),
            colours=tuple(() for _ in table.seats),
            scores=nobody,
            since=nobody,
            holder=None,
            predecessor=None,
            fresh=False,
            ticks=0,
            idle=0,
            challenged_by=(),
            abandoned=None,
            settled=None,
            unlaid=None,
            last_actor=None,
            aborted_by=None,
            resume=None,
            outcome=None,
        )
