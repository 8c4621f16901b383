"""Each kind of ruling as it is given: the rules it cites, whom it is about, and what it carries."""

from __future__ import annotations

import pytest

from rig.pieces import PieceSet, Shape
from rig.rules import AllPlaced, Challenged, ColourMode, Game, HouseRules, NoPrevious, PlateauLaid, Rolled, RulingKind
from rig.rules.rulings import Ruling
from tests.rules.table import EACH_ONE_UP, FOUR, GREEN_LAID_BY_GREEN, THREE, TWO, play, villa

DRAWN_BY_ROLLING = HouseRules(colour_mode=ColourMode.ALL_ROLL)
PASSING = HouseRules(allow_pass=True)


def told(game: Game) -> list[tuple[str, str, int | None, dict[str, object]]]:
    """The last event's rulings: kind, rules, seat and data."""
    return [(str(ruling.kind), " ".join(ruling.rules), ruling.seat, dict(ruling.data)) for ruling in game.rulings]


BLUES_TURN = ("turn", "U4", 1, {})


@pytest.mark.parametrize(
    ("moves", "rulings"),
    [
        ("raise red-thin-1", [("raised", "B1", 0, {"column": "red-thin-1", "floor": "blue"}), BLUES_TURN]),
        (
            "abort red-thin-1",
            [("aborted", "B10", 0, {"column": "red-thin-1"}), ("locked", "B10", 0, {"column": "red-thin-1"}), BLUES_TURN],
        ),
        ("touch red-thin-1", [("touched", "B4", 0, {"column": "red-thin-1"})]),
        ("request", [("requested", "A1", 0, {"plateau": "green"})]),
        (
            "request; unchallenged",
            [("unchallenged", "A2", 0, {"plateau": "green"}), ("not_laid", "A3 E5", 0, {"plateau": "green"}), BLUES_TURN],
        ),
        ('request; challenge by "Yellow"', [("challenged", "C1", 2, {"claimant": 0})]),
        (
            'request; challenge by "Yellow"; raise red-hex-1',
            [
                ("raised", "B1", 2, {"column": "red-hex-1", "floor": "blue"}),
                ("claim_refuted", "C3", 2, {"column": "red-hex-1", "claimant": 0}),
                BLUES_TURN,
            ],
        ),
        ('request; challenge by "Yellow"; give-up', [("claim_upheld", "C4", 2, {"claimant": 0})]),
        (
            'request; challenge by "Yellow"; give-up; take-out yellow-hex-1',
            [("taken_out", "C4", 0, {"column": "yellow-hex-1"}), ("not_laid", "A3 E5", 0, {"plateau": "green"}), BLUES_TURN],
        ),
        (
            'request; challenge by "Yellow"; give-up; waive',
            [("penalty_waived", "C4", 0, {}), ("not_laid", "A3 E5", 0, {"plateau": "green"}), BLUES_TURN],
        ),
        (EACH_ONE_UP + "; request; unchallenged; lay covers 4", [("laid", "A2", 0, {"plateau": "green", "covers": 4}), BLUES_TURN]),
        (
            GREEN_LAID_BY_GREEN + "; raise red-thin-1",
            [
                ("raised", "B1", 0, {"column": "red-thin-1", "floor": "green"}),
                ("seal", "S1 P5", 0, {"before": None, "face": "red"}),
                BLUES_TURN,
            ],
        ),
        ("collapse outside", [("outside", "E8", None, {})]),
        ("collapse outside; decide rebuild", [("rebuilt", "E8", 0, {})]),
        (
            "collapse outside; decide holder_wins",
            [("over", "E8 E4", None, {"winners": (), "why": "outside", "culprit": None})],
        ),
        (
            "raise red-thin-1; collapse",
            [("collapse", "E1 E8", 1, {}), ("over", "E4", None, {"winners": (), "why": "collapse", "culprit": 1})],
        ),
        (
            "incident column red-thin-1 fallen red-thin-1,red-thin-2",
            [
                (
                    "incident",
                    "E7",
                    0,
                    {
                        "column": "red-thin-1",
                        "fallen": ("red-thin-1", "red-thin-2"),
                        "how": "attempt",
                        "choices": ("stand", "undo"),
                        "choice": "stand",
                    },
                ),
                ("aborted", "B10", 0, {"column": "red-thin-1"}),
                ("locked", "B10", 0, {"column": "red-thin-1"}),
                BLUES_TURN,
            ],
        ),
        ('request by "Blue"', [("refused", "U4", 1, {"reasons": ("out_of_turn",)})]),
        (
            'raise red-hex-1 plateau-held shifted blue by "Blue"',
            [
                (
                    "violation",
                    "U4 B1 B6 B5",
                    1,
                    {
                        "reasons": ("out_of_turn", "not_own", "plateau_held", "plateau_shifted"),
                        "column": "red-hex-1",
                        "choices": ("stand", "abort", "undo"),
                        "choice": "stand",
                    },
                ),
                ("raised", "B1", 1, {"column": "red-hex-1", "floor": "blue"}),
            ],
        ),
        ("rule undo", [("refused", "B13", None, {"reasons": ("nothing_to_rule_on",)})]),
    ],
)
def test_a_ruling_cites_its_rules_and_says_whom_and_what(moves: str, rulings: list[tuple[str, str, int | None, dict[str, object]]]) -> None:
    """B1, B10, B13, A1, A2, A3, C1, C3, C4, S1, E4, E7, E8."""
    assert told(villa(moves)) == rulings


def test_rulings_of_set_up_and_draw() -> None:
    """U1, U2, U3."""
    game = Game.new(players=FOUR, rules=DRAWN_BY_ROLLING).apply(AllPlaced())
    assert told(game) == [("placed", "U1", None, {"floor": "ground"})]
    game = game.apply(PlateauLaid(covers=7))
    assert told(game) == [("laid", "U2", None, {"plateau": "blue", "covers": 7}), ("set_up", "U1 U2", None, {})]
    game = play(game, "roll red")
    assert told(game) == [("drew", "U3", 0, {"colours": ("red",)})]
    assert told(play(game, "roll red")) == [("roll_again", "U3", 1, {"colour": "red"})]
    game = game.play([Rolled(colour) for colour in game.position.free_colours()[:2]])
    assert [(kind, seat) for kind, _, seat, _ in told(game)] == [("drew", 2), ("drew", 3), ("starts", 3), ("turn", 3)]
    assert told(Game.new(players=FOUR).play([AllPlaced(), PlateauLaid()]).apply(PlateauLaid()))[0][:3] == ("violation", "U3 A3", 0)
    fallen = play(Game.new(players=FOUR), 'collapse by "Blue"')
    assert told(fallen) == [("set_up_again", "U1", 1, {})]


def test_rulings_of_a_game_of_three() -> None:
    """T1, T3."""
    offered = villa('abort green-thin-1; proof by "Yellow"', names=THREE)
    assert told(offered) == [("proof_offered", "T3", 2, {})]
    assert told(play(offered, "give-up")) == [("proof_failed", "T3", 2, {})]
    assert told(play(offered, "raise green-hex-1"))[1] == ("proof_given", "T3", 2, {"column": "green-hex-1"})
    assert told(villa("raise green-thin-1; stop", names=THREE))[0] == ("stopped", "T1", 0, {})
    assert told(villa("abort red-thin-1; stop", HouseRules(retry_after_abort=True)))[0] == ("stopped", "B3", 0, {})


def test_rulings_of_turns_that_count() -> None:
    """E5, E6, A1."""
    last = f"{GREEN_LAID_BY_GREEN}; raise red-thin-1; raise blue-thin-1; raise yellow-thin-1; request; unchallenged; lay"
    assert told(villa("pass", PASSING))[0] == ("passed", "E6 E5", 0, {})
    game = villa(last)
    while game.next_plateau is not None:
        game = play(game, "raise red-thin-1; raise blue-thin-1; raise yellow-thin-1; request; unchallenged; lay")
    assert told(play(game, "build-nothing"))[0] == ("built_nothing", "E5", 0, {})
    idle = villa("; ".join(["request; unchallenged"] * 4))
    assert told(idle)[-1] == ("over", "E1 E5 E4", None, {"winners": (), "why": "nothing_to_add", "culprit": None})


def test_a_ruling_knows_its_data_by_name_and_the_event_it_follows_from() -> None:
    """B13."""
    game = villa("raise red-thin-1 plateau-held")
    assert {ruling.number for ruling in game.rulings} == {len(game.log)}
    assert game.rulings[0].get("column") == "red-thin-1"
    assert game.rulings[0].get("nothing of the kind") is None
    assert Ruling(RulingKind.TURN, ("U4",), 1) == Ruling(RulingKind.TURN, ("U4",), 1, None, ())


def test_the_draw_told_in_one_word_is_ruled_seat_by_seat() -> None:
    """U3, D1."""
    game = play(Game.new(players=TWO).play([AllPlaced(), PlateauLaid()]), 'colours red+blue yellow+green starts "Ben"')
    assert told(game) == [
        ("drew", "U3", 0, {"colours": ("red", "blue")}),
        ("drew", "U3", 1, {"colours": ("yellow", "green")}),
        ("starts", "U3", 1, {}),
        ("turn", "U4", 1, {}),
    ]


def test_rulings_of_the_end_name_winner_rules_and_culprit() -> None:
    """E1, E2, E3, E4, E5."""
    seal = GREEN_LAID_BY_GREEN + "; raise red-thin-1; raise blue-hex-1"
    by_the_holder = villa(seal + '; collapse by "Blue"')
    assert told(by_the_holder)[-1] == ("over", "E2", 0, {"winners": (0,), "why": "collapse", "culprit": 1})
    by_another = villa(seal + '; collapse by "Red"')
    assert told(by_another)[-1] == ("over", "E2 E3", 1, {"winners": (1,), "why": "collapse", "culprit": 0})
    others = villa("collapse", HouseRules(no_previous=NoPrevious.ALL_OTHERS))
    assert told(others)[-1] == ("over", "E4", None, {"winners": (1, 2, 3), "why": "collapse", "culprit": 0})
    assert others.outcome is not None
    assert (others.outcome.rules, others.outcome.culprit) == (("E4",), 0)
    idle = villa(seal + "; " + "; ".join(["request; unchallenged"] * 4))
    assert told(idle)[-1] == ("over", "E1 E5 E2", 1, {"winners": (1,), "why": "nothing_to_add", "culprit": None})


def test_rulings_of_the_tables_word_name_the_event_and_what_was_set_aside() -> None:
    """B13."""
    game = villa("raise red-thin-1 plateau-held; raise blue-thin-1")
    ruled = play(game, "rule undo")
    assert told(ruled)[0] == ("table_ruled", "B13", None, {"event": 4, "choice": "undo", "set_aside": ()})
    over = play(game, "correct 4: collapse")
    assert told(over)[0] == ("corrected", "B13", None, {"event": 4, "set_aside": (5,)})
    assert told(over)[-1] == ("set_aside", "E1", None, {"reasons": ("game_over",)})


def test_rulings_of_a_player_without_a_column() -> None:
    """A1, E5."""
    tiny = PieceSet.of({Shape.THIN: 1}, plateaus=2)
    forced = villa("raise red-thin-1; raise blue-thin-1; raise yellow-thin-1; abort green-thin-1", pieces=tiny)
    assert told(forced)[-1] == ("forced", "A1", 0, {"plateau": "green"})
    nothing = villa("abort red-thin-1; abort blue-thin-1; abort yellow-thin-1; abort green-thin-1", pieces=tiny)
    assert [(kind, rules, seat) for kind, rules, seat, _ in told(nothing)[2:-1]] == [("nothing_to_add", "A1 E5", seat) for seat in range(4)]
    ended = villa(
        "raise red-thin-1; raise blue-thin-1; raise yellow-thin-1; request; unchallenged; lay"
        "; raise red-thin-1; abort blue-thin-1; abort yellow-thin-1; abort green-thin-1",
        pieces=tiny,
    )
    assert told(ended)[-1] == ("over", "E1 E5 E2", 0, {"winners": (0,), "why": "nothing_to_add", "culprit": None})


def test_opponents_are_offered_clockwise_from_the_player_in_turn() -> None:
    """U4, C1."""
    game = villa("raise red-thin-1; raise blue-thin-1; request")
    assert [action.by for action in game.legal_actions() if isinstance(action, Challenged)] == [3, 0, 1]
