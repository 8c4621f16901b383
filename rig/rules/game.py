"""The game: an immutable value that events are applied to.

`Game` keeps what was told (`log`) and what it means (`position`, `history`). A correction or a ruling of the table changes an earlier
event, so everything is worked out anew from the log; nothing is ever patched, and no state is reached that the events do not lead to.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from rig.errors import PalettiError
from rig.pieces import STANDARD_SET, Colour, Column, Floor, PieceSet
from rig.rules.events import WORDS, Choice, Corrected, Event, Seat, TableRuled
from rig.rules.faults import faults, impossible
from rig.rules.house import RULEBOOK, HouseRules
from rig.rules.legal import legal_actions
from rig.rules.position import Phase, Player, Position, Table
from rig.rules.rulings import Outcome, Reason, Ruling, RulingKind
from rig.rules.steps import implied, step
from rig.rules.telling import Language, by_colour, tell, tell_reason


class ImpossibleEventError(PalettiError):
    """An event that cannot have happened in this game; `reason` says why."""

    def __init__(self, reason: Reason) -> None:
        super().__init__(f"{tell_reason(reason, Language.ENGLISH)} ({reason.rule})", "Check the event, or correct an earlier one.")
        self.reason = reason


@dataclass(frozen=True, slots=True)
class Game:
    """One game so far. `rulings` are those of the last event, `history` all of them as they stand now; `log` is every event as told."""

    position: Position
    log: tuple[Event, ...] = ()
    rulings: tuple[Ruling, ...] = ()
    history: tuple[Ruling, ...] = ()
    amendments: tuple[tuple[int, TableRuled | Corrected], ...] = ()
    """The table's rulings and corrections that were accepted, with their own numbers."""

    @classmethod
    def new(
        cls,
        pieces: PieceSet = STANDARD_SET,
        players: Sequence[str] = ("Anna", "Ben", "Cleo", "Dan"),
        rules: HouseRules = RULEBOOK,
        youngest: Seat = 0,
    ) -> Game:
        """A game about to be set up: `players` are names, clockwise. PalettiError if the set or the players are unusable."""
        return cls(Position.start(Table(pieces, tuple(players), rules, youngest)))

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
        spoken, event = implied(self.position, event)
        if spoken is None:
            return faults(self.position, event)
        position, _ = step(self.position, spoken, 0)
        return faults(position, event)

    def apply(self, event: Event) -> Game:
        """The game after `event`; `rulings` say what it means. A call against the rules changes nothing (ruling `refused`), a deed is
        flagged (ruling `violation`). ImpossibleEventError if it cannot have happened at all."""
        if isinstance(event, WORDS):
            return self._amended(event)
        if (reason := impossible(self.position, event)) is not None:
            raise ImpossibleEventError(reason)
        position, rulings = step(self.position, event, len(self.log) + 1)
        return Game(position, (*self.log, event), rulings, self.history + rulings, self.amendments)

    def play(self, events: Iterable[Event]) -> Game:
        """The game after all `events`."""
        game = self
        for event in events:
            game = game.apply(event)
        return game

    def at(self, number: int) -> Game:
        """The game as it stood after the first `number` events of the log."""
        return Game(Position.start(self.table)).play(self.log[:number])

    def really(self, number: int) -> tuple[Event, ...]:
        """What event `number` of the log is taken for now, corrections included: as a rule one event, none if it was struck."""
        return _understood(self.log, self.amendments)[0][number]

    def before(self, number: int) -> Game:
        """The game as it stood before event `number`, everything earlier as it is understood now."""
        slots, chosen = _understood(self.log, self.amendments)
        position = Position.start(self.table)
        for earlier, events in enumerate(slots[:number]):
            for event in events:
                if impossible(position, event) is None:
                    position, _ = step(position, event, earlier, chosen.get(earlier, Choice.STAND))
        return Game(position)

    def told(self, language: Language = Language.ENGLISH) -> tuple[str, ...]:
        """The last event's rulings as sentences, the players called by their colours."""
        called = by_colour(self, language)
        return tuple(tell(ruling, called, language) for ruling in self.rulings)

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
        """The latest violation or incident, or that of event `number`."""
        for ruling in reversed(self.history):
            if ruling.kind in (RulingKind.VIOLATION, RulingKind.INCIDENT) and number in (None, ruling.number):
                return ruling
        return None

    def _amended(self, event: TableRuled | Corrected) -> Game:
        """The game with an earlier event corrected or ruled on, everything after it worked out anew."""
        number = len(self.log) + 1
        log = (*self.log, event)
        if broken := self._why_not_amend(event):
            reasons = tuple(reason.name.lower() for reason in broken)
            refused = Ruling(RulingKind.REFUSED, tuple(reason.rule for reason in broken), number, None, (("reasons", reasons),))
            return Game(self.position, log, (refused,), (*self.history, refused), self.amendments)
        if isinstance(event, TableRuled):
            flagged = self._flagged(event.number)
            assert flagged is not None
            event = TableRuled(event.choice, flagged.number)
        amendments = (*self.amendments, (number, event))
        position, told = _retold(self.table, log, amendments, event)
        target = event.number
        assert target is not None
        aside = tuple(ruling.number for ruling in told if ruling.kind is RulingKind.SET_ASIDE)
        if isinstance(event, Corrected):
            own = Ruling(RulingKind.CORRECTED, ("B13",), number, None, (("event", target), ("set_aside", aside)))
        else:
            choice = str(event.choice)
            own = Ruling(RulingKind.TABLE_RULED, ("B13",), number, None, (("event", target), ("choice", choice), ("set_aside", aside)))
        words = [ruling for ruling in self.history if ruling.number > 0 and isinstance(log[ruling.number - 1], WORDS)]
        history = (*sorted((*told, *words), key=lambda ruling: ruling.number), own)
        return Game(position, log, (own, *(ruling for ruling in told if ruling.number >= target)), history, amendments)

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


def _understood(
    log: tuple[Event, ...], amendments: tuple[tuple[int, TableRuled | Corrected], ...]
) -> tuple[list[tuple[Event, ...]], dict[int, Choice]]:
    """What each number of the log is taken for (0: what was put before the first event), and what the table chose about which."""
    slots: list[tuple[Event, ...]] = [(), *(() if isinstance(event, WORDS) else (event,) for event in log)]
    chosen: dict[int, Choice] = {}
    for _, word in amendments:
        assert word.number is not None
        if isinstance(word, Corrected):
            slots[word.number] = word.events
            chosen.pop(word.number, None)
        else:
            chosen[word.number] = word.choice
    return slots, chosen


def _retold(
    table: Table, log: tuple[Event, ...], amendments: tuple[tuple[int, TableRuled | Corrected], ...], latest: TableRuled | Corrected
) -> tuple[Position, list[Ruling]]:
    """The position and the rulings that the log leads to with its amendments. An event that cannot have happened any more is set aside;
    ImpossibleEventError if that is one the `latest` correction put in."""
    slots, chosen = _understood(log, amendments)
    position, told = Position.start(table), list[Ruling]()
    for number, events in enumerate(slots):
        for event in events:
            if (reason := impossible(position, event)) is not None:
                if isinstance(latest, Corrected) and latest.number == number:
                    raise ImpossibleEventError(reason)
                told.append(Ruling(RulingKind.SET_ASIDE, (reason.rule,), number, None, (("reasons", (reason.name.lower(),)),)))
                continue
            position, rulings = step(position, event, number, chosen.get(number, Choice.STAND))
            told.extend(rulings)
    return position, told
