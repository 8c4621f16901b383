"""The game: an immutable value that events are applied to.

`Game` keeps what was told (`log`) and what it means (`position`, `history`). What a correction or a ruling of the table changes is worked
out anew in `amending.py`; how a game is shown as text is in `board.py`.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from rig.errors import PalettiError
from rig.pieces import STANDARD_SET, Colour, Column, Floor, PieceSet
from rig.rules.actions import legal_actions
from rig.rules.amending import Understood, retell, ruled_on, understood
from rig.rules.board import board
from rig.rules.events import WORDS, Choice, Corrected, Event, Seat, TableRuled
from rig.rules.house import RULEBOOK, HouseRules
from rig.rules.legality import faults
from rig.rules.position import Phase, Position
from rig.rules.position_line import print_position
from rig.rules.position_reading import read_position
from rig.rules.possible import impossible, strange_column
from rig.rules.rulings import Outcome, Reason, Ruling, RulingKind
from rig.rules.steps import implied, step
from rig.rules.table import Player, Table
from rig.rules.telling import Language, tell, tell_reason


class ImpossibleEventError(PalettiError):
    """An event that cannot have happened in this game; `reason` says why."""

    def __init__(self, reason: Reason, column: Column | None = None) -> None:
        sentence = tell_reason(reason, Language.ENGLISH) if column is None else f"There is no column {column} in the set."
        super().__init__(f"{sentence} ({reason.rule})", "Check the event, or correct an earlier one.")
        self.reason = reason


class _Fields(NamedTuple):
    """A game's fields; a tuple, because a game is made for every event."""

    position: Position
    start: Position
    """Where the game began: as a rule an empty base."""
    trail: tuple[Position, ...]
    """The position after each number of the log; first, after what was put before the first event."""
    log: tuple[Event, ...] = ()
    """Every event as it was told."""
    rulings: tuple[Ruling, ...] = ()
    """Those of the last event."""
    history: tuple[Ruling, ...] = ()
    """All rulings as they stand, by number."""
    amendments: tuple[tuple[int, TableRuled | Corrected], ...] = ()
    """The table's rulings and corrections that were accepted, with their own numbers."""
    meant: Understood = ()
    """What each number up to the latest amendment is taken for, doers filled in."""


class Game(_Fields):
    """One game so far: a value, every method leaves it as it is."""

    __slots__ = ()

    @classmethod
    def new(
        cls,
        pieces: PieceSet = STANDARD_SET,
        players: Sequence[str] = ("Anna", "Ben", "Cleo", "Dan"),
        rules: HouseRules = RULEBOOK,
        youngest: Seat = 0,
    ) -> Game:
        """A game about to be set up: `players` are names, clockwise. PalettiError if the set or the players are unusable."""
        return cls.beginning(Position.start(Table(pieces, tuple(players), rules, youngest)))

    @classmethod
    def beginning(cls, position: Position) -> Game:
        """A game that begins at `position`, with nothing told yet."""
        return cls(position, position, (position,))

    @classmethod
    def from_line(cls, line: str) -> Game:
        """A game that begins at the position written in `line` (see `line`); NotationError says in which column what is wrong."""
        return cls.beginning(read_position(line))

    @property
    def line(self) -> str:
        """The position in one line of text, from which `from_line` makes an equal one; what led there is not in it."""
        return print_position(self.position)

    def __str__(self) -> str:
        """The tower, the scores, the seal and the turn, in a dozen lines."""
        return board(self.position)

    def __repr__(self) -> str:
        turn = "" if self.turn is None else f", {self.table.names[self.turn]!r} in turn"
        return f"<Game: {len(self.log)} events, {self.phase} on {self.top_floor.word}{turn}>"

    # --- playing ---

    def legal_actions(self) -> tuple[Event, ...]:
        """What may be done now by the rules."""
        return legal_actions(self.position)

    def why_not(self, event: Event) -> tuple[Reason, ...]:
        """Every rule the event would break; empty: it is legal."""
        if (reason := impossible(self.position, event)) is not None:
            return (reason,)
        if isinstance(event, WORDS):
            return self._why_not_amend(event)
        position, spoken, event = implied(self.position, event)
        for word in spoken:
            position, _ = step(position, word, 0)
        return faults(position, event)

    def apply(self, event: Event) -> Game:
        """The game after `event`; `rulings` say what it means. A call against the rules changes nothing (ruling `refused`), a deed is
        flagged (ruling `violation`). ImpossibleEventError if it cannot have happened at all."""
        position, start, trail, log, _, history, amendments, meant = self
        if isinstance(event, WORDS):
            return self._amended(event)
        if (reason := impossible(position, event)) is not None:
            raise ImpossibleEventError(reason, strange_column(position, event))
        position, rulings = step(position, event, len(log) + 1)
        fields = (position, start, (*trail, position), (*log, event), rulings, history + rulings, amendments, meant)
        return tuple.__new__(Game, fields)

    def play(self, events: Iterable[Event]) -> Game:
        """The game after all `events`."""
        game = self
        for event in events:
            game = game.apply(event)
        return game

    def at(self, number: int) -> Game:
        """The game as it stood after the first `number` events of the log."""
        return Game.beginning(self.start).play(self.log[:number])

    def really(self, number: int) -> tuple[Event, ...]:
        """What event `number` of the log is taken for, corrections included: as a rule one event, none if it was struck."""
        corrected = next(
            (word.events for _, word in reversed(self.amendments) if isinstance(word, Corrected) and word.number == number), None
        )
        if corrected is not None:
            return corrected
        return () if number == 0 or isinstance(self.log[number - 1], WORDS) else (self.log[number - 1],)

    def before(self, number: int) -> Game:
        """The game as it stood before event `number`, everything earlier as it is understood."""
        return Game.beginning(self.start if number == 0 else self.trail[number - 1])

    def told(self, language: Language = Language.ENGLISH) -> tuple[str, ...]:
        """The last event's rulings as sentences, the players called by their colours."""
        return tuple(tell(ruling, self, language) for ruling in self.rulings)

    # --- the table's word ---

    def _why_not_amend(self, event: TableRuled | Corrected) -> tuple[Reason, ...]:
        if isinstance(event, Corrected):
            known = event.number == 0 or (0 < event.number <= len(self.log) and not isinstance(self.log[event.number - 1], WORDS))
            nested = any(isinstance(inner, WORDS) for inner in event.events)
            return () if known and not nested else (Reason.UNKNOWN_NUMBER,)
        flagged = self._flagged(event.number)
        if flagged is None:
            return (Reason.NOTHING_TO_RULE_ON,)
        offered = flagged.get("choices")
        return () if isinstance(offered, tuple) and str(event.choice) in offered else (Reason.CHOICE_NOT_OFFERED,)

    def _flagged(self, number: int | None) -> Ruling | None:
        """The latest ruling that leaves the table a choice, or that of event `number`."""
        return next((r for r in reversed(self.history) if number in (None, r.number) and r.get("choices") is not None), None)

    def _amended(self, event: TableRuled | Corrected) -> Game:
        """The game with an earlier event corrected or ruled on, everything after it worked out anew."""
        number = len(self.log) + 1
        log = (*self.log, event)
        if broken := self._why_not_amend(event):
            reasons = tuple(reason.name.lower() for reason in broken)
            refused = Ruling(RulingKind.REFUSED, tuple(reason.rule for reason in broken), number, None, (("reasons", reasons),))
            history = (*self.history, refused)
            return self._replace(trail=(*self.trail, self.position), log=log, rulings=(refused,), history=history)
        if isinstance(event, TableRuled):
            flagged = self._flagged(event.number)
            assert flagged is not None
            event = TableRuled(event.choice, flagged.number)
        amendments = (*self.amendments, (number, event))
        retold = retell(self.start, self.trail, understood(self.log, self.trail, self.meant), event, _chosen(amendments))
        if retold.impossible is not None:
            strange = (strange_column(self.position, inner) for inner in event.events) if isinstance(event, Corrected) else ()
            column = next((found for found in strange if found is not None), None)
            raise ImpossibleEventError(retold.impossible, column if retold.impossible is Reason.UNKNOWN_COLUMN else None)
        target = event.number
        assert target is not None
        is_word = [False, *(isinstance(told, WORDS) for told in log)]
        kept = [ruling for ruling in self.history if is_word[ruling.number] or not target <= ruling.number <= retold.last]
        history = tuple(sorted((*kept, *retold.rulings), key=lambda ruling: ruling.number))
        own = ruled_on(event, number, history)
        rulings = (own, *(ruling for ruling in history if ruling.number >= target and not is_word[ruling.number]))
        position = retold.trail[-1]
        return Game(position, self.start, (*retold.trail, position), log, rulings, (*history, own), amendments, (*retold.understood, ()))

    # --- where it stands ---

    @property
    def table(self) -> Table:
        return self.position.table

    @property
    def pieces(self) -> PieceSet:
        return self.table.pieces

    @property
    def rules(self) -> HouseRules:
        return self.table.rules

    @property
    def players(self) -> tuple[Player, ...]:
        """The players clockwise, with their colours once drawn."""
        return tuple(Player(seat, name, self.position.colours[seat]) for seat, name in enumerate(self.table.names))

    @property
    def neutral(self) -> Colour | None:
        """With three players, once drawn: the colour nobody has (T1)."""
        free = self.position.free_colours()
        return free[0] if self.position.owners and free else None

    @property
    def phase(self) -> Phase:
        """What the game waits for."""
        return self.position.phase

    @property
    def turn(self) -> Seat | None:
        """Whose turn it is; in a request, the claimant. None before the first turn."""
        return self.position.turn

    @property
    def actor(self) -> Seat | None:
        """Whom the game waits for: the player in turn, the challenger, the prover, who draws next. None: anybody."""
        return self.position.actor

    @property
    def challenger(self) -> Seat | None:
        """Who challenges, or challenged last, in this turn."""
        return self.position.challenged_by[-1] if self.position.challenged_by else None

    @property
    def outcome(self) -> Outcome | None:
        """The result; None while the game goes on."""
        return self.position.outcome

    def where(self, column: Column) -> Floor | None:
        """What the column stands on; None: out of the game, or not stood up yet. KeyError if the set has no such column."""
        return self.position.floor_of(column)

    def owner(self, column: Column) -> Seat | None:
        """Whose column it is; None: neutral, or nothing drawn yet."""
        return self.position.owner_of(column)

    def seat_of(self, colour: Colour) -> Seat | None:
        """Who plays `colour`; None: nobody."""
        return next((seat for seat, colours in enumerate(self.position.colours) if colour in colours), None)

    @property
    def locked(self) -> frozenset[Column]:
        """The columns that can never be used for building again (B10)."""
        return self.position.locked

    @property
    def laid(self) -> tuple[Floor, ...]:
        """The plateaus that lie, from the bottom."""
        return self.position.laid

    @property
    def top_floor(self) -> Floor:
        """The tallest floor."""
        return self.position.top

    @property
    def next_plateau(self) -> Floor | None:
        """The plateau to be laid next; None: all lie."""
        return self.position.next_plateau

    @property
    def scores(self) -> tuple[int, ...]:
        """Everybody's points on the tallest plateau, by seat (S2)."""
        return self.position.scores

    @property
    def holder(self) -> Seat | None:
        """Who holds the seal."""
        return self.position.holder

    @property
    def predecessor(self) -> Seat | None:
        """Who held it before; None: nobody did."""
        return self.position.predecessor

    @property
    def face(self) -> Colour | None:
        """The seal's shown colour: the previous holder's; without one, the holder's own (P5)."""
        return self.position.face

    @property
    def violations(self) -> tuple[Ruling, ...]:
        """Every violation of the game, as it stands now (B13)."""
        return tuple(ruling for ruling in self.history if ruling.kind is RulingKind.VIOLATION)


def _chosen(amendments: tuple[tuple[int, TableRuled | Corrected], ...]) -> dict[int, Choice]:
    """What the table rules about which event; a correction takes back what was ruled about the event it corrects."""
    chosen: dict[int, Choice] = {}
    for _, word in amendments:
        assert word.number is not None
        if isinstance(word, Corrected):
            chosen.pop(word.number, None)
        else:
            chosen[word.number] = word.choice
    return chosen
