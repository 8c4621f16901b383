"""Random games of every kind, wild events included, and what must hold in all of them. Used by the property tests and by the benchmark.

Where the randomness comes from is up to the caller: `pick` chooses one of several things.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

from rig.pieces import Colour, Column, Floor, PieceSet, Shape
from rig.rules import (
    Aborted,
    AllPlaced,
    BuiltNothing,
    CannotLay,
    Challenged,
    ChallengeProof,
    Choice,
    Chose,
    Collapsed,
    CollapseRule,
    ColourMode,
    ColoursAssigned,
    Corrected,
    Covering,
    EndWithout,
    Event,
    Game,
    GaveUp,
    HouseRules,
    ImpossibleEventError,
    Incident,
    Language,
    NoPrevious,
    OutsideChoice,
    OutsideDecided,
    Passed,
    PenaltyChosenBy,
    PenaltyWaived,
    Phase,
    Placed,
    PlateauLaid,
    ProofOffered,
    Raised,
    Requested,
    Rolled,
    RulingKind,
    Stacking,
    Stopped,
    TableRuled,
    TakenOut,
    Touched,
    TouchRule,
    Unchallenged,
    tell,
)
from rig.rules.events import DEEDS
from rig.rules.json_lines import ruling_line
from rig.rules.notation import parse_event, print_event
from rig.rules.record import Record, parse_record, print_record

Pick = Callable[[Sequence[Any]], Any]

SETS = (
    PieceSet.of(),
    PieceSet.of({Shape.THIN: 1, Shape.HEX: 1}, plateaus=3),
    PieceSet.of({Shape.THIN: 2, Shape.THICK: 1}, plateaus=2),
    PieceSet(tuple(Column(colour, Shape.THIN, n) for k, colour in enumerate(Colour) for n in range(1, 3 + k)), PieceSet.of().plateaus),
)
YES_NO = (False, True)


def any_rules(pick: Pick) -> HouseRules:
    return HouseRules(
        colour_mode=pick(tuple(ColourMode)),
        retry_after_abort=pick(YES_NO),
        touch_rule=pick(tuple(TouchRule)),
        stacking=pick(tuple(Stacking)),
        locked_as_penalty=pick(YES_NO),
        covering=pick(tuple(Covering)),
        penalty_chosen_by=pick(tuple(PenaltyChosenBy)),
        end_without=pick(tuple(EndWithout)),
        two_from_orange=pick(YES_NO),
        limit_all_plateaus=pick(YES_NO),
        forbid_partial_cover=pick(YES_NO),
        max_challenges=pick((1, 2, 3)),
        challenge_proof=pick(tuple(ChallengeProof)),
        plateau_after_failed_challenge=pick(YES_NO),
        no_previous=pick(tuple(NoPrevious)),
        allow_pass=pick(YES_NO),
        collapse=pick(tuple(CollapseRule)),
        challenge_nothing=pick(YES_NO),
    )


def any_game(pick: Pick) -> Game:
    names = ("Anna", "Ben", "Cleo", "Dan")[: pick((2, 3, 4))]
    return Game.new(pick(SETS), names, any_rules(pick), pick(range(len(names))))


def wild_event(game: Game, pick: Pick) -> Event:
    """Any event at all, as likely against the rules as not, sometimes impossible."""
    by = pick((None, None, *game.table.seats))
    chosen: Callable[[], Event] = pick((*_wild_handling(game, pick, by), *_wild_words(game, pick, by)))
    return chosen()


def _column(game: Game, pick: Pick) -> Column:
    chosen: Column = pick(game.pieces.columns)
    return chosen


def _wild_handling(game: Game, pick: Pick, by: int | None) -> tuple[Callable[[], Event], ...]:
    """What hands may do with pieces."""

    def column() -> Column:
        return _column(game, pick)

    def some_columns() -> tuple[Column, ...]:
        chosen: tuple[Column, ...] = pick(((), (), (column(),)))
        return chosen

    def floors() -> tuple[Floor, ...]:
        chosen: tuple[Floor, ...] = pick(((), (), (), game.laid))
        return chosen

    return (
        lambda: Raised(
            column(),
            pick((None, None, None, *game.laid)),
            by=by,
            held_plateau=pick((False, False, True)),
            overhang_mm=pick((0.0, 0.0, 5.5)),
            on_column=pick((None, None, column())),
            shifted=floors(),
            nudged=some_columns(),
        ),
        lambda: Raised(column(), by=by),
        lambda: Raised(column(), by=by),
        lambda: Aborted(column(), by=by, shifted=floors(), nudged=some_columns()),
        lambda: Aborted(column(), by=by),
        lambda: Touched(column(), by=by),
        lambda: TakenOut(column(), by=by, shifted=floors()),
        lambda: PlateauLaid(
            pick((None, None, *Floor)),
            by=by,
            covers=pick((None, 0, 2, 5)),
            touches=pick((None, None, 2, 4)),
            beyond_edge=pick(YES_NO),
            partial=pick(YES_NO),
            nudged=some_columns(),
        ),
        lambda: Incident(pick((None, column())), by=by, outside=pick((False, False, True)), fallen=some_columns()),
        lambda: Placed(column(), pick(tuple(Floor)), outer_ring=pick(YES_NO)),
        AllPlaced,
    )


def _wild_words(game: Game, pick: Pick, by: int | None) -> tuple[Callable[[], Event], ...]:
    """What may be said at the table."""

    def column() -> Column:
        return _column(game, pick)

    return (
        lambda: Rolled(pick(tuple(Colour)), by=by),
        lambda: Chose(pick(tuple(Colour)), by=by),
        lambda: ColoursAssigned(tuple((colour,) for colour in Colour)[: len(game.table.names)], pick((0, 1, 7))),
        lambda: Requested(by=by),
        Unchallenged,
        lambda: Challenged(pick(game.table.seats)),
        lambda: ProofOffered(pick(game.table.seats)),
        lambda: GaveUp(by=by),
        lambda: PenaltyWaived(by=by),
        lambda: CannotLay(by=by),
        lambda: BuiltNothing(by=by),
        lambda: Passed(by=by),
        lambda: Stopped(by=by),
        lambda: OutsideDecided(pick(tuple(OutsideChoice))),
        lambda: TableRuled(pick(tuple(Choice)), pick((None, pick(range(len(game.log) + 2))))),
        lambda: Corrected(pick(range(len(game.log) + 2)), pick(((), (Requested(),), (Raised(column()), Aborted(column()))))),
    )


def fatal_event(game: Game, pick: Pick) -> Event:
    return Collapsed(pick((None, *game.pieces.columns)), by=pick((None, 0, 1)), outside=pick((False, True, True)))


def play_on(game: Game, steps: int, pick: Pick) -> Game:
    """`steps` more events, most of them legal, each checked; it stops early when the game is over and nobody corrects it."""
    for _ in range(steps):
        legal = game.legal_actions()
        dice = pick(range(100))
        if dice < 75 and legal:
            event = pick(legal)
        elif dice == 99:
            event = fatal_event(game, pick)
        else:
            event = wild_event(game, pick)
        game = applied(game, event)
        if game.phase is Phase.OVER and pick(range(4)):
            break
    return game


def applied(game: Game, event: Event) -> Game:
    """The game after `event`, with everything that must hold held to it; the same game if the event cannot have happened."""
    legal = event in game.legal_actions()
    broken = game.why_not(event)
    try:
        after = game.apply(event)
    except ImpossibleEventError as error:
        assert not legal
        assert isinstance(event, Corrected) or broken == (error.reason,)
        return game
    kinds = {ruling.kind for ruling in after.rulings if ruling.number == len(after.log)}
    if legal:
        assert broken == ()
    if not isinstance(event, Corrected | TableRuled):
        assert (RulingKind.VIOLATION in kinds) == (bool(broken) and isinstance(event, DEEDS))
        assert after.history == game.history + after.rulings
        if legal:
            columns_rise(game, after)
    assert (RulingKind.REFUSED in kinds) == (bool(broken) and not isinstance(event, DEEDS))
    if RulingKind.REFUSED in kinds:
        assert standing(after) == standing(game)
    assert after.log == (*game.log, event)
    assert after.rulings
    holds(after)
    return after


def standing(game: Game) -> tuple[object, ...]:
    position = game.position
    return (
        position.phase,
        position.actor,
        position.floors,
        position.locked,
        position.laid,
        position.scores,
        position.holder,
        position.idle,
    )


def columns_rise(before: Game, after: Game) -> None:
    """By the rules columns only move up or leave the game, and a locked one never rises."""
    if before.phase in (Phase.SET_UP, Phase.DRAW):
        return
    heights = [Floor.GROUND, *after.laid]
    for column in before.pieces.columns:
        old, new = before.where(column), after.where(column)
        if old is not new:
            assert old is not None
            assert new is None or (heights.index(new) > heights.index(old) and column not in before.locked)
    assert before.locked <= after.locked


def holds(game: Game) -> None:
    """What holds in every position whatsoever."""
    position, table = game.position, game.table
    assert len(position.floors) == len(table.columns)
    assert {floor for floor in position.floors if floor is not None} <= {Floor.GROUND, *position.laid}
    assert len(set(position.laid)) == len(position.laid)
    counted = [0] * len(table.names)
    for column in table.columns:
        owner = game.owner(column)
        if owner is not None and game.where(column) is game.top_floor and game.top_floor > Floor.BLUE:
            counted[owner] += column.points
    assert list(game.scores) == counted
    if game.holder is not None and not position.fresh:
        assert game.scores[game.holder] == max(game.scores)
    holders = [ruling for ruling in game.history if ruling.kind is RulingKind.SEAL]
    assert [ruling.get("before") for ruling in holders] == [None, *(ruling.seat for ruling in holders)][: len(holders)]
    assert game.holder == (holders[-1].seat if holders else None)
    if game.holder is not None:
        shown = game.holder if game.predecessor is None else game.predecessor
        assert game.face in game.players[shown].colours
        assert game.predecessor != game.holder
    assert (game.outcome is not None) == (game.phase is Phase.OVER)
    assert bool(game.legal_actions()) == (game.phase is not Phase.OVER)
    if game.phase is Phase.BUILD:
        assert game.turn is not None
        assert position.eligible(game.turn)


def text_round_trip(game: Game) -> None:
    """The record reads back to the same game, and every ruling can be told and written as JSON."""
    names = game.table.names
    for event in game.log:
        assert parse_event(print_event(event, names), names) == event
    text = print_record(Record.of(game))
    record = parse_record(text)
    assert record == Record.of(game)
    assert print_record(record) == text
    assert record.game() == game
    for ruling in game.history:
        for language in Language:
            assert "{" not in tell(ruling, game, language)
        json.dumps(ruling_line(game, ruling))


def _nameless(event: Event) -> Event:
    """The event without its doer."""
    changed: Event = replace(event, by=None) if hasattr(event, "by") else event  # type: ignore[arg-type]
    return changed


def worked_out_anew(game: Game) -> None:
    """A correction leads to the very position that playing the corrected events leads to, each by the doer it was entered with."""
    if any(isinstance(word, TableRuled) for _, word in game.amendments):
        return
    slots = dict(enumerate(game.meant)) or {0: ()}
    later = range(len(slots), len(game.log) + 1)
    slots |= {n: () if isinstance(event := game.log[n - 1], TableRuled | Corrected) else (event,) for n in later}
    for n, events in slots.items():
        assert [_nameless(event) for event in events] == [_nameless(event) for event in game.really(n)]
    straight = Game.new(game.pieces, game.table.names, game.rules, game.table.youngest)
    for events in slots.values():
        for event in events:
            try:
                straight = straight.apply(event)
            except ImpossibleEventError:
                continue
    assert standing(straight) == standing(game)
