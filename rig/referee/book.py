"""The books: the game as the rules see it, fed with facts and calls, told in rulings.

Players' names are known only after the draw, so set-up is kept under seat names and entered again, silently, once they are. What a ruling
means and how it is told is the business of `rig.rules`; here it gets its number, its time and the facts it rests on.
"""

from __future__ import annotations

from contextlib import suppress
from typing import Any

from rig.errors import PalettiError
from rig.messages import Call, CallWord, Drew, Ruling
from rig.pieces import Column, Floor, PieceSet
from rig.referee.hypotheses import Expected
from rig.referee.outbox import Outbox
from rig.rules import Game, HouseRules, Language, Phase, RulingKind, by_name, events, tell
from rig.rules.events import Event
from rig.rules.notation import parse_event
from rig.rules.record import Record, parse_record, print_record
from rig.rules.rulings import Reason

SEAT_NAMES = ("Seat 1", "Seat 2", "Seat 3", "Seat 4")


class Book:
    """The game in progress."""

    def __init__(self, pieces: PieceSet, outbox: Outbox, house: HouseRules | None = None) -> None:
        self._pieces, self._outbox = pieces, outbox
        self.game = Game.new(pieces, SEAT_NAMES, house if house is not None else HouseRules())
        self._drew: Drew | None = None
        """A draw that was told before set-up was seen to be complete."""

    # ------------------------------------------------------------ what the referee asks

    @property
    def over(self) -> bool:
        return self.game.phase is Phase.OVER

    @property
    def undecided(self) -> bool:
        """Whether the table must say what becomes of a collapse that nobody playing caused (E8)."""
        return self.game.phase is Phase.DECISION

    @property
    def setting_up(self) -> bool:
        return self.game.phase is Phase.SET_UP

    @property
    def actor(self) -> int | None:
        """Whom the game waits for: builder, challenger, layer, remover."""
        return self.game.actor

    @property
    def turn(self) -> int | None:
        return self.game.turn

    @property
    def names(self) -> tuple[str, ...]:
        """The players' names, by seat."""
        return tuple(player.name for player in self.game.players)

    @property
    def next_plateau(self) -> Floor | None:
        return self.game.next_plateau

    @property
    def may_request(self) -> bool:
        """Whether a request for the next plateau could be spoken now, and has not been."""
        game = self.game
        return game.phase is Phase.BUILD and not game.why_not(events.Requested(by=game.actor))

    def attempt_columns(self) -> tuple[Column, ...]:
        """The columns that whoever acts now may be tugging at."""
        position = self.game.position
        if position.phase in (Phase.CLAIM, Phase.LAY, Phase.DRAW, Phase.DECISION, Phase.OVER, Phase.SET_UP):
            return ()
        expected = self.expected()
        return tuple(sorted(column for column in expected.raisable | expected.removable if self.game.where(column) is not None))

    def expected(self) -> Expected:
        """What may legally happen to the tower now."""
        raisable, removable, layable = set(), set(), None
        for action in self.game.legal_actions():
            match action:
                case events.Raised(column=column):
                    raisable.add(column)
                case events.TakenOut(column=column):
                    removable.add(column)
                case events.PlateauLaid():
                    layable = self.next_plateau
                case _:
                    pass
        if not self.setting_up:  # what is out of the game by the rules may still stand, and be taken off at any time
            removable |= {column for column in self._pieces.columns if self.game.where(column) is None}
        if self.game.phase is Phase.CLAIM or self.may_request:
            layable = self.next_plateau
        return Expected(frozenset(raisable), frozenset(removable), layable, unspoken=self.may_request)

    def turn_had_ended(self, column: Column, floor: Floor) -> bool:
        """Whether this raise is nobody's own as the books stand, but would be the next player's had the attempt been broken off before."""
        deed = events.Raised(column, floor)
        if Reason.NOT_OWN not in self.game.why_not(deed):
            return False
        for tried in self.attempt_columns():
            broken_off = events.Aborted(tried)
            if not self.game.why_not(broken_off):
                return Reason.NOT_OWN not in self.game.apply(broken_off).why_not(deed)
        return False

    def placed_as(self, column: Column) -> int | None:
        """The number of the event by which this column was last stood up in set-up."""
        placed = (r.number for r in reversed(self.game.history) if r.kind is RulingKind.PLACED and r.get("column") == str(column))
        return next(placed, None)

    # ------------------------------------------------------------ what it is told

    def resume(self, t_s: float, record: str) -> bool:
        """Goes on from a record in text; False, with a ruling that says why, if it cannot be read or was played with another set."""
        try:
            read = parse_record(record)
            game = read.game()
        except PalettiError as error:
            self._refuse(t_s, str(error))
            return False
        if read.header.pieces.counts() != self._pieces.counts():
            self._refuse(t_s, "That game was played with another set of pieces: use the profile it was played with.")
            return False
        self.game = game
        if told := len(game.log):
            turn = self.names[game.turn] if game.turn is not None else ""
            english = f"The game goes on after event {told}." + (f" It is {turn}'s turn." if turn else "")
            german = f"Das Spiel geht nach Ereignis {told} weiter." + (f" {turn} ist am Zug." if turn else "")
            self._rule(t_s, "resumed", (), (), english, german, {})
        return True

    def record(self) -> str:
        """The game so far, as text."""
        return print_record(Record.of(self.game))

    def told(self, t_s: float, line: str) -> Event | None:
        """An event in the rules' notation, entered; None, with a ruling that says why, if it cannot be read or cannot have been."""
        try:
            event = parse_event(line, self.names, self._pieces)
        except PalettiError as error:
            self._refuse(t_s, str(error))
            return None
        return event if self.enter(t_s, event) else None

    def enter(self, t_s: float, event: Event, facts: tuple[int, ...] = ()) -> bool:
        """A deed or a call: into the game, and its rulings to the outbox; False if it cannot have been, which is said too."""
        if isinstance(event, events.PlateauLaid) and self.may_request:
            # Nobody heard the request, but the plateau lies: laying it without a word of protest was the request (A1).
            self._apply(t_s, events.Requested(by=self.actor), facts)
        entered = self._apply(t_s, event, facts)
        if self._drew is not None and self.game.phase is Phase.DRAW:
            self.draw(t_s, self._drew)
        return entered

    def _apply(self, t_s: float, event: Event, facts: tuple[int, ...]) -> bool:
        try:
            self.game = self.game.apply(event)
        except PalettiError as error:
            # Seen though it cannot have been: an earlier misreading. It is told, and the table can correct it.
            self._refuse(t_s, str(error), facts)
            return False
        for ruling in self.game.rulings:
            given = {"number": ruling.number, "seat": ruling.seat, **dict(ruling.data)}
            data = {name: list(value) if isinstance(value, tuple) else value for name, value in given.items() if value is not None}
            english, german = (tell(ruling, by_name(self.game), language) for language in (Language.ENGLISH, Language.GERMAN))
            self._rule(t_s, ruling.kind, ruling.rules, facts, english, german, data)
        return True

    def told_outcome(self, language: Language) -> str:
        """How it ended and why, in a sentence; empty while the game goes on."""
        over = next((ruling for ruling in reversed(self.game.history) if ruling.kind is RulingKind.OVER), None)
        return tell(over, by_name(self.game), language) if over is not None else ""

    def _refuse(self, t_s: float, sentence: str, facts: tuple[int, ...] = ()) -> None:
        self._rule(t_s, "impossible", (), facts, sentence, sentence, {})

    def _rule(
        self, t_s: float, kind: str, rule_ids: tuple[str, ...], facts: tuple[int, ...], english: str, german: str, data: dict[str, Any]
    ) -> None:
        self._outbox.ruling(
            Ruling(
                id=self._outbox.next_id(), t_s=t_s, kind=kind, rule_ids=rule_ids, facts=facts, english=english, german=german, data=data
            )
        )  # fmt: skip

    def draw(self, t_s: float, drew: Drew) -> None:
        """The draw: names and colours are known, set-up is entered again under them. Told before blue has been seen to lie, it waits."""
        if self.game.phase is Phase.SET_UP:
            self._drew = drew
            return
        self._drew = None
        if self.game.phase is not Phase.DRAW:
            return
        game = Game.new(self._pieces, tuple(seat.name for seat in drew.seats), self.game.rules)
        for event in self.game.log:
            with suppress(PalettiError):  # somebody who is not at the table after all was heard
                game = game.apply(event)
        self.game = game
        self._apply(t_s, events.ColoursAssigned(tuple(seat.colours for seat in drew.seats), drew.first), ())

    def call(self, t_s: float, call: Call) -> None:
        """A player's word, other than "abort"."""
        by = call.seat
        heard: Event | None
        match call.word:
            case CallWord.REQUEST:
                heard = events.Requested(by=by)
            case CallWord.UNCHALLENGED:
                heard = events.Unchallenged()
            case CallWord.CHALLENGE:
                heard = events.Challenged(by=by)
            case CallWord.GIVE_UP:
                heard = events.GaveUp(by=by)
            case CallWord.NOTHING:
                heard = events.BuiltNothing(by=by)
            case CallWord.CANNOT_LAY:
                heard = events.CannotLay(by=by)
            case CallWord.PASS:
                heard = events.Passed(by=by)
            case CallWord.WAIVE:
                heard = events.PenaltyWaived(by=by)
            case _:
                heard = None
        if heard is not None:
            self.enter(t_s, heard)
