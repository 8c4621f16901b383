"""The pieces, the set-up and the draw."""

from __future__ import annotations

import dataclasses

import pytest

from rig.errors import PalettiError
from rig.pieces import PLATEAUS, Colour, Column, Floor, PieceSet, Shape
from rig.rules import (
    AllPlaced,
    Chose,
    Collapsed,
    ColourMode,
    ColoursAssigned,
    Game,
    HouseRules,
    ImpossibleEventError,
    Phase,
    Placed,
    PlateauLaid,
    Raised,
    Reason,
    Rolled,
    RulingKind,
)
from tests.rules.table import FOUR, RED, THREE, TWO, column, flagged, floor, found, kinds, play, reasons, refused, villa, why_not

R, B, Y, G = Colour.RED, Colour.BLUE, Colour.YELLOW, Colour.GREEN


def drawing(names: tuple[str, ...] = FOUR, mode: ColourMode = ColourMode.ROLL_CHOOSE, youngest: int = 0) -> Game:
    return Game.new(players=names, rules=HouseRules(colour_mode=mode), youngest=youngest).play([AllPlaced(), PlateauLaid()])


def test_the_outer_ring_is_told_as_a_fact_and_never_by_a_colour() -> None:
    """P1, U1: a column there is flagged, whatever its colour."""
    game = Game.new()
    for colour in Colour:
        assert flagged(game.apply(Placed(Column(colour, Shape.THIN), outer_ring=True))) == {"U1"}
        assert game.why_not(Placed(Column(colour, Shape.THIN))) == ()


def test_plateaus_come_in_their_fixed_order() -> None:
    """P2: yellow before green is flagged; when it stands, green is still the next."""
    game = villa("raise red-thin-1; raise blue-thin-1; raise yellow-thin-1; request; unchallenged")
    assert why_not(game, "lay plateau yellow") == {"P2"}
    skipped = play(game, "lay plateau yellow")
    assert skipped.laid == (Floor.BLUE, Floor.YELLOW)
    assert skipped.next_plateau is Floor.GREEN
    for plateau in ("blue", "ground"):
        with pytest.raises(ImpossibleEventError, match="P2"):
            play(game, f"lay plateau {plateau}")


def test_a_plateau_that_the_set_does_not_hold_cannot_be_laid() -> None:
    """P2."""
    small = PieceSet.of(plateaus=1)
    game = villa("raise red-thin-1; raise blue-thin-1; raise yellow-thin-1", pieces=small)
    assert game.next_plateau is None
    with pytest.raises(ImpossibleEventError, match="P2"):
        play(game, "lay")
    with pytest.raises(ImpossibleEventError, match="P2"):
        play(game, "lay plateau green")


def test_the_split_of_shapes_is_data_of_the_set_at_hand() -> None:
    """P3: a set with five thin columns a colour plays as well as the usual one; what it lacks cannot be raised."""
    game = villa("raise red-thin-5", pieces=PieceSet.of({Shape.THIN: 5}))
    assert floor(game, "red-thin-5") is Floor.BLUE
    assert reasons(game, "raise blue-hex-1") == (Reason.UNKNOWN_COLUMN,)
    with pytest.raises(ImpossibleEventError, match="P3"):
        play(game, "raise blue-hex-1")
    for strange in ("raise blue-thin-1 nudged blue-hex-1", "lay nudged blue-hex-1", "incident fallen blue-hex-1"):
        assert reasons(game, strange) == (Reason.UNKNOWN_COLUMN,)


def test_a_set_without_one_of_the_colours_is_refused() -> None:
    """P3."""
    with pytest.raises(PalettiError, match="lacks a colour"):
        Game.new(PieceSet.of(colours=(R, B, Y)))


def test_points_are_three_two_and_one_by_shape() -> None:
    """P4."""
    green = "raise red-thin-1; raise blue-thin-1; raise yellow-thin-1; request; unchallenged; lay"
    assert [villa(f"{green}; raise red-{shape}-1").scores[RED] for shape in ("thick", "hex", "thin")] == [3, 2, 1]


def test_the_hook_is_no_piece_and_no_event_speaks_of_it() -> None:
    """P6: it may be in view; the game knows columns and plateaus only."""
    assert {field.name for field in dataclasses.fields(PieceSet)} == {"columns", "plateaus"}


def test_a_plateau_of_a_players_colour_is_nobodys() -> None:
    """P7: the blue and red plateaus give blue and red nothing; they are floors, not columns."""
    game = villa()
    assert game.top_floor is Floor.BLUE
    assert game.scores == (0, 0, 0, 0)
    assert not set(PLATEAUS) & set(Colour)


def test_set_up_offers_each_column_until_all_stand_and_then_the_blue_plateau() -> None:
    """U1, U2."""
    game = Game.new()
    assert len(game.legal_actions()) == 21
    for stood in game.pieces.columns:
        assert Placed(stood) in game.legal_actions()
        game = game.apply(Placed(stood))
        assert game.where(stood) is Floor.GROUND
    assert game.legal_actions() == (PlateauLaid(),)
    assert game.apply(PlateauLaid()).phase is Phase.DRAW


def test_all_twenty_stand_before_blue_goes_on_whatever_the_number_of_players() -> None:
    """U1: blue on nineteen columns is flagged, and stands; the missing one may still be stood up, flagged too."""
    game = Game.new(players=TWO)
    for stood in game.pieces.columns[:-1]:
        game = game.apply(Placed(stood))
    laid = game.apply(PlateauLaid())
    assert flagged(laid) == {"U1"}
    assert laid.phase is Phase.DRAW
    missing = game.pieces.columns[-1]
    assert laid.where(missing) is None
    late = laid.apply(Placed(missing))
    assert flagged(late) == {"U1"}
    assert late.where(missing) is Floor.GROUND
    assert [reason.rule for reason in laid.why_not(AllPlaced())] == ["U1"]


def test_a_column_set_up_on_a_plateau_is_flagged() -> None:
    """U1."""
    game = Game.new().play([AllPlaced(), PlateauLaid()])
    assert game.why_not(Placed(column("red-thin-1"), Floor.BLUE)) == (Reason.SET_UP_OVER, Reason.NOT_ON_SITE)
    assert game.why_not(Placed(column("red-thin-1"), Floor.GREEN)) == (Reason.UNKNOWN_FLOOR,)


def test_blue_must_not_protrude_and_covers_at_least_three() -> None:
    """U2."""
    game = Game.new().apply(AllPlaced())
    assert [reason.rule for reason in game.why_not(PlateauLaid(beyond_edge=True, covers=2))] == ["U2", "U2"]
    assert game.why_not(PlateauLaid(covers=3)) == ()
    assert game.why_not(PlateauLaid(covers=19, nudged=(column("red-thin-1"),)))[0].rule == "A5"


def test_blue_on_two_columns_stands_if_it_really_happened() -> None:
    """U2, U1: with only two columns stood up, both rules are broken."""
    game = Game.new().play([Placed(column("red-thin-1")), Placed(column("red-thin-2"))])
    assert set(flagged(game.apply(PlateauLaid()))) == {"U1", "U2"}


def test_nothing_is_drawn_before_blue_lies_and_nothing_twice() -> None:
    """U3."""
    assert refused(Game.new().apply(Rolled(R))) == {"U3"}
    assert refused(Game.new().apply(ColoursAssigned(((R,), (B,), (Y,), (G,)), 0))) == {"U3"}
    assert refused(villa().apply(Chose(R))) == {"U3"}


def test_the_youngest_rolls_the_others_choose_in_turn_and_the_last_starts() -> None:
    """U3, U4: clockwise from the youngest; the last colour needs no choosing."""
    game = drawing(youngest=2)
    assert game.actor == 2
    assert set(game.legal_actions()) == {Rolled(colour) for colour in Colour}
    game = game.apply(Rolled(Y))
    assert game.actor == 3
    assert set(game.legal_actions()) == {Chose(R), Chose(B), Chose(G)}
    game = game.play([Chose(G), Chose(R)])
    assert [player.colours for player in game.players] == [(R,), (B,), (Y,), (G,)]
    assert game.turn == 1
    assert found(game, RulingKind.STARTS).seat == 1
    assert game.neutral is None


def test_out_of_order_draws_and_taken_colours_are_refused() -> None:
    """U3."""
    game = drawing()
    assert refused(game.apply(Chose(R))) == {"U3"}
    assert refused(game.apply(Rolled(R, by=1))) == {"U3"}
    game = game.apply(Rolled(R))
    assert refused(game.apply(Rolled(B))) == {"U3"}
    assert refused(game.apply(Chose(R))) == {"U3"}
    assert game.why_not(Chose(R, by=2)) == (Reason.DRAW_ORDER, Reason.COLOUR_TAKEN)


def test_all_may_roll_and_a_taken_colour_is_rolled_again() -> None:
    """U3: `all_roll`."""
    game = drawing(mode=ColourMode.ALL_ROLL).play([Rolled(B), Rolled(B)])
    assert kinds(game) == [RulingKind.ROLL_AGAIN]
    assert game.actor == 1
    game = game.play([Rolled(G), Rolled(R)])
    assert [player.colours[0] for player in game.players] == [B, G, R, Y]
    assert game.turn == 3


def test_the_youngest_may_start() -> None:
    """U3: `youngest_starts`; drawn as by choosing."""
    game = drawing(mode=ColourMode.YOUNGEST_STARTS, youngest=1).play([Rolled(B), Chose(G), Chose(R)])
    assert game.turn == 1


def test_two_players_draw_alternately() -> None:
    """U3, D1: the youngest rolls one, then they choose in turn; the last colour falls to the other, who starts."""
    game = drawing(TWO).play([Rolled(R), Chose(G), Chose(B)])
    assert [player.colours for player in game.players] == [(R, B), (G, Y)]
    assert game.turn == 1


def test_three_players_leave_a_neutral_colour() -> None:
    """U3, T1: the last player still chooses between two."""
    game = drawing(THREE).play([Rolled(R), Chose(G)])
    assert set(game.legal_actions()) == {Chose(B), Chose(Y)}
    assert game.neutral is None
    game = game.apply(Chose(Y))
    assert game.neutral is B
    assert game.turn == 2
    assert game.owner(column("blue-thin-1")) is None
    assert (game.seat_of(G), game.seat_of(B)) == (1, None)


@pytest.mark.parametrize(
    ("names", "colours", "starts"),
    [
        (FOUR, ((R,), (B,), (Y,)), 0),
        (FOUR, ((R,), (B,), (Y,), (Y,)), 0),
        (FOUR, ((R, G), (B,), (Y,), ()), 0),
        (TWO, ((R,), (B,)), 0),
        (FOUR, ((R,), (B,), (Y,), (G,)), 4),
    ],
)
def test_what_no_draw_can_give_is_impossible(names: tuple[str, ...], colours: tuple[tuple[Colour, ...], ...], starts: int) -> None:
    """U3."""
    with pytest.raises(ImpossibleEventError):
        drawing(names).apply(ColoursAssigned(colours, starts))


def test_play_goes_clockwise_and_out_of_turn_deeds_are_flagged_but_stand() -> None:
    """U4: blue raises in red's turn; the column stands, red is still to play."""
    game = villa("raise red-thin-1; raise blue-thin-1; raise yellow-thin-1; raise green-thin-1")
    assert game.turn == RED
    stray = play(game, 'raise blue-hex-1 by "Blue"')
    assert flagged(stray) == {"U4"}
    assert floor(stray, "blue-hex-1") is Floor.BLUE
    assert stray.turn == RED
    assert refused(play(game, 'request by "Blue"')) == {"U4"}


def test_building_before_the_draw_is_flagged_and_calls_are_refused() -> None:
    """U3."""
    game = drawing()
    assert flagged(play(game, "raise red-thin-1")) == {"U3"}
    assert flagged(play(game, "abort red-thin-1 shifted blue")) == {"U3"}
    assert floor(play(game, "raise red-thin-1"), "red-thin-1") is Floor.BLUE
    assert play(game, "abort red-thin-1").locked == frozenset()
    assert refused(play(game, "request")) == {"U3"}
    assert flagged(play(game, "lay")) == {"U3", "A3"}
    assert flagged(Game.new().apply(Raised(column("red-thin-1")))) == {"U3"}


def test_a_villa_that_falls_before_the_first_turn_is_set_up_again() -> None:
    """U1, E1: nothing is at stake yet; also when nobody playing did it."""
    for fall in (Collapsed(), Collapsed(by=2), Collapsed(outside=True)):
        game = drawing().apply(Rolled(R)).apply(fall)
        assert kinds(game) == [RulingKind.SET_UP_AGAIN]
        assert (game.phase, game.outcome) == (Phase.SET_UP, None)
        assert all(game.where(one) is None for one in game.pieces.columns)
        assert [player.colours for player in game.players] == [()] * 4


UNNAMED = "A player's name is empty or not printable. A name is printable text without double quotes."


@pytest.mark.parametrize(
    ("names", "sentence"),
    [
        (("A",), "The game is for two, three or four players, not 1. Name two to four players."),
        (("A", "B", "C", "D", "E"), "The game is for two, three or four players, not 5. Name two to four players."),
        (("A", "A"), "Two players have the same name. Give each player a name of their own."),
        (("A", ""), UNNAMED),
        (("A", " B"), UNNAMED),
        (("A", 'B"'), UNNAMED),
        (("A", "B\n"), UNNAMED),
    ],
)
def test_unusable_players_are_refused_with_a_sentence(names: tuple[str, ...], sentence: str) -> None:
    with pytest.raises(PalettiError) as caught:
        Game.new(players=names)
    assert str(caught.value) == sentence


def test_the_youngest_sits_at_the_table() -> None:
    for nobody in (2, -1):
        with pytest.raises(PalettiError) as caught:
            Game.new(players=("A", "B"), youngest=nobody)
        assert str(caught.value) == "The youngest player is none of those at the table. Name one of the players as the youngest."


def test_before_the_draw_nobody_owns_or_scores_anything() -> None:
    """U3, S1."""
    game = drawing()
    assert game.scores == (0, 0, 0, 0)
    assert (game.owner(column("red-thin-1")), game.turn, game.holder, game.challenger) == (None, None, None, None)
    assert game.position.is_neutral(column("red-thin-1")) is False


def test_a_seat_nobody_sits_on_does_nothing() -> None:
    """U4."""
    with pytest.raises(ImpossibleEventError, match="Nobody sits there") as caught:
        villa().apply(Raised(column("red-thin-1"), by=4))
    assert caught.value.reason is Reason.UNKNOWN_SEAT
