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
from rig.referee.expectations import expected
from rig.referee.hypotheses import Expected
from rig.referee.outbox import Outbox
from rig.rules import Game, HouseRules, Language, Phase, RulingKind, by_name, events, tell
from rig.rules.events import Event
from rig.rules.notation import parse_event
from rig.rules.record import Record, parse_record, print_record
from rig.rules.rulings import Ruling as Judgement

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

    def expected(self) -> Expected:
        """What may legally happen to the tower now."""
        return expected(self.game)

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
            self.refuse(t_s, str(error))
            return False
        if read.header.pieces.counts() != self._pieces.counts():
            self.refuse(t_s, "That game was played with another set of pieces: use the profile it was played with.")
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
            self.refuse(t_s, str(error))
            return None
        return event if self.enter(t_s, event) else None

    def enter(self, t_s: float, event: Event, facts: tuple[int, ...] = (), probable: bool = False) -> bool:
        """A deed or a call: into the game, and its rulings to the outbox; False if it cannot have been, which is said too."""
        entered = self._apply(t_s, event, facts, probable)
        if self._drew is not None and self.game.phase is Phase.DRAW:
            self.draw(t_s, self._drew)
        return entered

    def _apply(self, t_s: float, event: Event, facts: tuple[int, ...], probable: bool = False) -> bool:
        try:
            self.game = self.game.apply(event)
        except PalettiError as error:
            # Seen though it cannot have been: an earlier misreading. It is told, and the table can correct it.
            self.refuse(t_s, str(error), facts)
            return False
        for ruling in self.game.rulings:
            self.say(t_s, ruling, facts, probable)
        return True

    def say(self, t_s: float, ruling: Judgement, facts: tuple[int, ...], probable: bool, revises: int | None = None) -> int:
        """One ruling of the rules, told in both languages; its id."""
        given = {"number": ruling.number, "seat": ruling.seat, **dict(ruling.data)}
        data = {name: list(value) if isinstance(value, tuple) else value for name, value in given.items() if value is not None}
        english, german = (tell(ruling, by_name(self.game), language) for language in (Language.ENGLISH, Language.GERMAN))
        number = self._outbox.next_id()
        self._outbox.ruling(
            Ruling(
                id=number, t_s=t_s, kind=ruling.kind, rule_ids=ruling.rules, facts=facts, english=english, german=german, data=data,
                probable=probable, revises=revises,
            )
        )  # fmt: skip
        return number

    def correct(self, word: events.Corrected) -> bool:
        """An earlier event was another, silently: what follows from it is told by whoever found out. False if it cannot have been."""
        try:
            self.game = self.game.apply(word)
        except PalettiError:
            return False
        return bool(self.game.rulings) and self.game.rulings[0].kind is not RulingKind.REFUSED

    def told_outcome(self, language: Language) -> str:
        """How it ended and why, in a sentence; empty while the game goes on."""
        over = next((ruling for ruling in reversed(self.game.history) if ruling.kind is RulingKind.OVER), None)
        return tell(over, by_name(self.game), language) if over is not None else ""

    def refuse(self, t_s: float, english: str, facts: tuple[int, ...] = (), german: str = "") -> None:
        """Says, in a sentence, why what was told or seen changes nothing."""
        self._rule(t_s, "impossible", (), facts, english, german or english, {})

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


def meaning(call: Call) -> Event | None:
    """What a player's word is to the rules; None for "abort" and "settled", which are evidence and no event."""
    by = call.seat
    match call.word:
        case CallWord.REQUEST:
            return events.Requested(by=by)
        case CallWord.UNCHALLENGED:
            return events.Unchallenged()
        case CallWord.CHALLENGE:
            return events.Challenged(by=by)
        case CallWord.GIVE_UP:
            return events.GaveUp(by=by)
        case CallWord.NOTHING:
            return events.BuiltNothing(by=by)
        case CallWord.CANNOT_LAY:
            return events.CannotLay(by=by)
        case CallWord.PASS:
            return events.Passed(by=by)
        case CallWord.WAIVE:
            return events.PenaltyWaived(by=by)
        case _:
            return None
