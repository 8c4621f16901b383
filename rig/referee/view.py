"""The referee's own state as the screen needs it."""

from __future__ import annotations

from rig.messages import OutcomeView, RefereeState, SeatView, SourceNews, View
from rig.referee.memory import Memory
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
from rig.rules import Language, Phase

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


def draw_view(t_s: float, memory: Memory, health: dict[str, SourceNews]) -> View:
    """The view of the told course; `health`: the latest news of each source."""
    book, tower, ask = memory.book, memory.tower, asked(memory.state)
    below = ground(memory.state)
    if isinstance(below, Lost) and below.put_right is not None:
        tower = below.put_right
    state = shown(memory.state)
    watched, leaning_deg = bool(memory.profile.cameras), memory.senses.leaning_deg
    game = book.game
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
            SeatView(name=name, colours=colours, score=score)
            for name, colours, score in zip(position.table.names, position.colours, position.scores, strict=True)
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
        ask=ask,
        outcome=OutcomeView(
            winners=outcome.winners,
            culprit=outcome.culprit,
            english=book.told_outcome(Language.ENGLISH),
            german=book.told_outcome(Language.GERMAN),
        )
        if outcome is not None
        else None,
        health=health,
        leaning_deg=leaning_deg if state in (RefereeState.HANDS_IN, RefereeState.SETTLING, RefereeState.SETTLED) else 0.0,
    )
