"""The referee's own state as the screen needs it."""

from __future__ import annotations

from collections import defaultdict
from typing import NamedTuple

from rig.messages import Ask, OutcomeView, RefereeState, SeatView, SourceNews, Tower, View
from rig.pieces import Column
from rig.referee.belief import Belief
from rig.referee.memory import Memory
from rig.referee.same_places import near
from rig.referee.state import (
    Acting,
    AwaitingAnswer,
    AwaitingLook,
    Lost,
    Over,
    Repair,
    Settled,
    Settling,
    SetUp,
    State,
    asked,
    ground,
)
from rig.referee.tunables import Tunables
from rig.rules import Game, Language, Phase

_DOING: dict[RefereeState, tuple[str, str]] = {
    RefereeState.SET_UP: ("Set-up: stand the columns on the building site, then lay blue.", "Aufbau: Säulen auf den Bauplatz, dann Blau."),
    RefereeState.SETTLED: ("All is still. Waiting for the next move.", "Alles steht still. Warte auf den nächsten Zug."),
    RefereeState.HANDS_IN: ("Hands are at the tower.", "Hände am Turm."),
    RefereeState.SETTLING: ("Looking at what has changed.", "Sehe nach, was sich geändert hat."),
    RefereeState.ASKING: ("A question for the table.", "Eine Frage an den Tisch."),
    RefereeState.REPAIR: ("Putting the books right.", "Die Bücher werden berichtigt."),
    RefereeState.LOST: ("I have lost track: please help.", "Ich habe den Faden verloren: bitte helfen."),
    RefereeState.OVER: ("The game is over.", "Das Spiel ist aus."),
}

_NOBODY_WATCHES: dict[RefereeState, tuple[str, str]] = {
    RefereeState.SET_UP: (
        "Nobody watches: stand all the columns on the building site, lay blue, and tell me.",
        "Niemand sieht zu: Säulen auf den Bauplatz, dann Blau, und sagt es mir.",
    ),
    RefereeState.SETTLED: ("Nobody watches: tell me what happens.", "Niemand sieht zu: sagt mir, was geschieht."),
}
"""The desk alone keeps score."""


def shown(state: State) -> RefereeState:
    """How the state is shown on the screen."""
    match state:
        case Over():
            return RefereeState.OVER
        case AwaitingAnswer():
            return RefereeState.ASKING
        case Lost() | Acting(rest=Lost()) | Settling(rest=Lost()) | AwaitingLook(rest=Lost()):
            return RefereeState.LOST
        case Acting():
            return RefereeState.HANDS_IN
        case Settling() | AwaitingLook():
            return RefereeState.SETTLING
        case Repair():
            return RefereeState.REPAIR
        case SetUp():
            return RefereeState.SET_UP
        case Settled():
            return RefereeState.SETTLED


class Shown(NamedTuple):
    """All that a view is drawn from: while none of it changes, the view does not either. Frozen values, told apart as objects."""

    state: RefereeState
    ask: Ask | None
    tower: Tower
    game: Game
    belief: Belief
    leaning_deg: float
    health: dict[str, SourceNews]

    def same(self, other: Shown | None) -> bool:
        """Whether the same view would be drawn."""
        if other is None or self.tower is not other.tower or self.game is not other.game or self.ask is not other.ask:
            return False
        if self.belief is not other.belief:
            return False
        return (self.state, self.leaning_deg, self.health) == (other.state, other.leaning_deg, other.health)


def basis(memory: Memory, health: dict[str, SourceNews]) -> Shown:
    """What the view of now would be drawn from; `health`: the latest news of each source."""
    below, tower = ground(memory.state), memory.tower
    if isinstance(below, Lost) and below.put_right is not None:
        tower = below.put_right
    leaning_deg = memory.senses.leaning_deg
    return Shown(shown(memory.state), asked(memory.state), tower, memory.book.game, memory.belief, leaning_deg, dict(health))


def _probable(belief: Belief, tuned: Tunables) -> tuple[Column, ...]:
    """Columns that stand where the told course has them with less than the probability from which that is told for good."""
    if belief.certain:
        return ()
    weight: dict[Column, float] = defaultdict(float)
    told = belief.told.tower
    for course in belief.courses:
        for standing in course.tower.columns:
            there = told.find(standing.column)
            if there is not None and near(there, standing, tuned):
                weight[standing.column] += course.weight
    return tuple(sorted(s.column for s in told.columns if weight[s.column] < tuned.sure))


def _score_probable(belief: Belief, seat: int, tuned: Tunables) -> bool:
    """Whether the score shown is that of too few courses."""
    if belief.certain:
        return False
    said = belief.told.game.position.scores[seat]
    return sum(course.weight for course in belief.courses if course.game.position.scores[seat] == said) < tuned.sure


def draw_view(t_s: float, memory: Memory, of: Shown) -> View:
    """The view of the told course."""
    book, tower, state, game = memory.book, of.tower, of.state, of.game
    watched, leaning_deg = bool(memory.profile.cameras), of.leaning_deg
    position = game.position
    english, german = _DOING[state] if watched else _NOBODY_WATCHES.get(state, _DOING[state])
    if position.phase is Phase.DRAW and state is RefereeState.SETTLED:
        english, german = "Draw the colours and tell me.", "Zieht die Farben und sagt sie mir."
    standing = {s.column for s in tower.columns}
    outcome = position.outcome
    return View(
        t_s=t_s,
        state=state,
        phase=position.phase,
        turn=position.actor if position.actor is not None else position.turn,
        seats=tuple(
            SeatView(name=name, colours=colours, score=score, probable=_score_probable(of.belief, seat, memory.tuned))
            for seat, (name, colours, score) in enumerate(zip(position.table.names, position.colours, position.scores, strict=True))
        ),
        holder=position.holder,
        face=game.face,
        tower=tower,
        locked=tuple(sorted(position.locked)),
        removed=tuple(column for column in position.table.columns if column not in standing and position.floor_of(column) is None)
        if not book.setting_up
        else (),
        next_plateau=position.next_plateau,
        doing=english,
        doing_german=german,
        ask=of.ask,
        outcome=OutcomeView(
            winners=outcome.winners,
            culprit=outcome.culprit,
            english=book.told_outcome(Language.ENGLISH),
            german=book.told_outcome(Language.GERMAN),
        )
        if outcome is not None
        else None,
        health=of.health,
        leaning_deg=leaning_deg if state in (RefereeState.HANDS_IN, RefereeState.SETTLING, RefereeState.SETTLED) else 0.0,
        probable=_probable(of.belief, memory.tuned),
    )
