"""The engine against the naive telling of the rules: the same moves everywhere, the same number of games, the same winners."""

from __future__ import annotations

import random
from collections import Counter
from dataclasses import asdict

import pytest

from rig.bench.oracle import Naive
from rig.pieces import Colour, Column, PieceSet, Shape
from rig.rules import (
    GUIDE,
    RULES_PAGE,
    AllPlaced,
    ChallengeProof,
    Collapsed,
    ColoursAssigned,
    EndWithout,
    Event,
    Game,
    HouseRules,
    NoPrevious,
    PenaltyChosenBy,
    PlateauLaid,
    Stacking,
)
from rig.rules.notation import parse_event, print_event

ONE_EACH = PieceSet.of({Shape.THIN: 1}, plateaus=3)
TWO_EACH = PieceSet.of({Shape.THIN: 1, Shape.HEX: 1}, plateaus=2)
THREE_EACH = PieceSet.of({Shape.THIN: 2, Shape.THICK: 1}, plateaus=3)
FOUR_EACH = PieceSet.of({Shape.THIN: 3, Shape.HEX: 1}, plateaus=3)
UNEVEN = PieceSet(
    tuple(Column(colour, Shape.THIN, n) for k, colour in enumerate(Colour) for n in range(1, 2 + k)), PieceSet.of(plateaus=2).plateaus
)
STANDARD = PieceSet.of()

TO_GREEN = ("raise red-thin-1", "raise blue-thin-1", "raise yellow-thin-1", "request", "unchallenged", "lay")
ALL_SWITCHES = HouseRules(
    retry_after_abort=True,
    two_from_orange=True,
    max_challenges=3,
    challenge_proof=ChallengeProof.EXTRACT,
    no_previous=NoPrevious.ALL_OTHERS,
    allow_pass=True,
    challenge_nothing=True,
)


def start(pieces: PieceSet, players: int, rules: HouseRules) -> tuple[Game, Naive]:
    """The same beginning twice: everything on the ground, blue laid, player 0 to move."""
    dealt = ((Colour.RED, Colour.BLUE), (Colour.YELLOW, Colour.GREEN)) if players == 2 else tuple((c,) for c in tuple(Colour)[:players])
    game = Game.new(pieces, tuple("0123"[:players]), rules).play([AllPlaced(), PlateauLaid(), ColoursAssigned(dealt, 0)])
    switches = {name: str(value) if isinstance(value, str) else value for name, value in asdict(rules).items()}
    return game, Naive(map(str, pieces.columns), len(pieces.plateaus), players, **switches)


def moves_of(game: Game) -> dict[str, Event]:
    return {print_event(event, game.table.names): event for event in game.legal_actions()}


def summary(game: Game) -> tuple[object, ...]:
    outcome = game.outcome
    return (
        None if game.phase.value == "over" else game.turn,
        list(game.scores),
        game.holder,
        game.predecessor,
        None if outcome is None else list(outcome.winners),
        {str(column): None if (floor := game.where(column)) is None else int(floor) for column in game.pieces.columns},
        {str(column) for column in game.locked},
        int(game.top_floor),
        game.position.idle,
    )


def naive_summary(naive: Naive) -> tuple[object, ...]:
    return (
        None if naive.over else naive.player,
        naive.scores(),
        naive.seal[-1] if naive.seal else None,
        naive.seal[-2] if len(naive.seal) > 1 else None,
        naive.winners if naive.over else None,
        naive.place,
        naive.locked,
        naive.top,
        naive.counting_turns,
    )


def games_of(game: Game, depth: int, ends: Counter[object]) -> None:
    """Count the games of up to `depth` further moves, by how they stand and who would win by a collapse."""
    collapsed = None if game.outcome else game.apply(Collapsed()).outcome
    ends[depth, game.holder, game.scores, None if collapsed is None else collapsed.winners] += 1
    if depth:
        for event in game.legal_actions():
            games_of(game.apply(event), depth - 1, ends)


def naive_games_of(naive: Naive, depth: int, ends: Counter[object]) -> None:
    collapsed = None if naive.over else tuple(naive.collapsed())
    ends[depth, naive.seal[-1] if naive.seal else None, tuple(naive.scores()), collapsed] += 1
    if depth:
        for move in naive.moves():
            naive_games_of(naive.after(move), depth - 1, ends)


CASES = [
    pytest.param(TWO_EACH, 4, HouseRules(), (), 6, id="two columns each, four players"),
    pytest.param(TWO_EACH, 2, HouseRules(), (), 5, id="two players"),
    pytest.param(THREE_EACH, 3, HouseRules(), (), 5, id="three players"),
    pytest.param(UNEVEN, 4, HouseRules(), (), 6, id="an uneven set"),
    pytest.param(TWO_EACH, 4, HouseRules(max_challenges=2), TO_GREEN, 6, id="on green, two challenges"),
    pytest.param(TWO_EACH, 4, HouseRules(challenge_nothing=True), TO_GREEN, 6, id="on the last plateau, with challenges"),
    pytest.param(THREE_EACH, 4, HouseRules(), TO_GREEN, 5, id="three columns each, on green"),
    pytest.param(FOUR_EACH, 4, HouseRules(retry_after_abort=True), TO_GREEN, 4, id="four columns each, second reading"),
    pytest.param(TWO_EACH, 4, ALL_SWITCHES, TO_GREEN, 5, id="every switch"),
    pytest.param(TWO_EACH, 4, HouseRules(plateau_after_failed_challenge=False), TO_GREEN[:3], 6, id="the penalty ends the turn"),
    pytest.param(TWO_EACH, 4, HouseRules(stacking=Stacking.TOP), TO_GREEN, 5, id="stacking on top"),
    pytest.param(TWO_EACH, 4, HouseRules(penalty_chosen_by=PenaltyChosenBy.ANOTHER), TO_GREEN[:3], 6, id="another takes the penalty"),
    pytest.param(TWO_EACH, 4, HouseRules(locked_as_penalty=False), ("abort red-hex-1",), 6, id="locked columns are no penalty"),
    pytest.param(ONE_EACH, 4, HouseRules(end_without=EndWithout.COLUMN), (), 8, id="the end without a column"),
    pytest.param(TWO_EACH, 4, GUIDE, TO_GREEN[:3], 6, id="the guide to the letter"),
    pytest.param(TWO_EACH, 3, RULES_PAGE, (), 4, id="the rules page to the letter"),
]


@pytest.mark.parametrize(("pieces", "players", "rules", "opening", "depth"), CASES)
def test_the_engine_counts_the_same_games_as_the_naive_enumeration(
    pieces: PieceSet, players: int, rules: HouseRules, opening: tuple[str, ...], depth: int
) -> None:
    """E1: every game up to the depth, by depth, holder, scores, and the winner of a collapse there."""
    game, naive = start(pieces, players, rules)
    for move in opening:
        game, naive = game.apply(parse_event(move, game.table.names)), naive.after(move)
    ours: Counter[object] = Counter()
    theirs: Counter[object] = Counter()
    games_of(game, depth, ours)
    naive_games_of(naive, depth, theirs)
    assert sum(theirs.values()) > 500
    assert ours == theirs


@pytest.mark.parametrize("players", [2, 3, 4])
@pytest.mark.parametrize("rules", [HouseRules(), ALL_SWITCHES, HouseRules(plateau_after_failed_challenge=False, allow_pass=True)])
@pytest.mark.parametrize("pieces", [STANDARD, THREE_EACH, UNEVEN], ids=["standard", "small", "uneven"])
def test_whole_random_games_agree_move_by_move(players: int, rules: HouseRules, pieces: PieceSet) -> None:
    """E5: from the first turn to the end, the same moves are open, and everything stands the same."""
    for seed in range(6):
        chooser = random.Random(seed)
        game, naive = start(pieces, players, rules)
        while True:
            open_moves = moves_of(game)
            assert sorted(open_moves) == sorted(naive.moves())
            assert summary(game) == naive_summary(naive)
            if not open_moves:
                assert game.outcome is not None
                break
            raises = [move for move in sorted(open_moves) if not move.startswith(("abort", "pass"))]
            move = chooser.choice(raises if raises and chooser.random() < 0.8 else sorted(open_moves))
            game, naive = game.apply(open_moves[move]), naive.after(move)
