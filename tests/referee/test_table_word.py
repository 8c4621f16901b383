"""What people say, press and tap, and what the referee makes of words nobody spoke."""

from __future__ import annotations

from rig.messages import (
    Added,
    CallWord,
    Drew,
    FactKind,
    Moved,
    MovedTwo,
    Nothing,
    Pressed,
    RefereeState,
    Removed,
    Resumed,
    SeatColours,
    Stacked,
    Told,
    Toppled,
)
from rig.pieces import Column, Floor
from tests.referee.referee_table import COLOURS, PLAYERS, Table

RED_THIN = Column.parse("red-thin-1")


def press(table: Table, seat: int) -> None:
    table.feel(Pressed(t_s=table.t_s, button=seat, pressed=True))
    table.feel(Pressed(t_s=table.t_s + 0.1, button=seat, pressed=False))


def kinds(table: Table) -> list[str]:
    return [ruling.kind for ruling in table.rulings]


class TestButtons:
    def test_the_builders_button_before_anything_is_touched_asks_for_a_plateau(self, four_up: Table) -> None:
        press(four_up, 0)
        assert kinds(four_up)[-1] == "requested"

    def test_another_seats_button_then_challenges_and_only_the_first_counts(self, four_up: Table) -> None:
        press(four_up, 0)
        press(four_up, 2)
        press(four_up, 3)
        assert kinds(four_up)[-1] == "challenged"
        assert four_up.views[-1].turn == 2

    def test_the_builders_button_after_hands_were_in_means_abort(self, table: Table) -> None:
        table.tugged = {RED_THIN: 4.5}
        table.hand = True
        table.wait(1.0)
        press(table, 0)
        table.act(Nothing())
        table.wait(4.0)
        assert table.facts[-1].kind is FactKind.ABORTED

    def test_a_button_out_of_turn_says_nothing(self, table: Table) -> None:
        said = len(table.rulings)
        press(table, 2)
        assert len(table.rulings) == said


class TestWordsNobodySpoke:
    def test_a_plateau_laid_without_a_word_was_requested_and_unchallenged(self, four_up: Table) -> None:
        four_up.lay(Floor.GREEN)
        said = kinds(four_up)
        assert said[said.index("requested") :][:3] == ["requested", "unchallenged", "laid"]
        assert not any(ruling.kind == "violation" for ruling in four_up.rulings)
        assert four_up.views[-1].turn == 1

    def test_a_request_that_comes_after_the_plateau_lies_changes_nothing(self, four_up: Table) -> None:
        four_up.lay(Floor.GREEN)
        four_up.say(CallWord.REQUEST, 0)
        assert kinds(four_up)[-1] == "refused"
        assert four_up.views[-1].turn == 1


class TestUnlikelyDeeds:
    def test_two_columns_raised_are_two_facts_and_the_second_is_flagged(self, table: Table) -> None:
        pair = (RED_THIN, Column.parse("red-thin-2"))
        table.act(MovedTwo(columns=pair, floor=Floor.BLUE))
        assert [fact.column for fact in table.facts[-2:]] == list(pair)
        assert any(ruling.kind == "violation" for ruling in table.rulings)
        assert not table.asks

    def test_a_column_stacked_on_another_is_told_and_flagged(self, four_up: Table) -> None:
        four_up.act(Stacked(column=Column.parse("red-hex-1"), on=RED_THIN))
        violation = next(ruling for ruling in four_up.rulings if ruling.kind == "violation")
        assert "B8" in violation.rule_ids

    def test_a_fallen_column_is_an_incident_no_collapse_and_the_game_waits_for_it_to_stand_again(self, table: Table) -> None:
        place = table.standing("red-thin-1")
        assert place is not None
        table.act(Toppled(columns=(RED_THIN,)))
        assert table.facts[-1].kind is FactKind.INCIDENT
        assert table.views[-1].state is RefereeState.REPAIR
        assert table.views[-1].outcome is None
        table.act(Added(column=RED_THIN, floor=Floor.GROUND, near_x_mm=place.x_mm, near_y_mm=place.y_mm))
        assert table.facts[-1].kind is FactKind.STOOD
        assert table.views[-1].state is RefereeState.SETTLED

    def test_a_column_carried_about_out_of_sight_has_not_fallen(self, table: Table) -> None:
        weight_g = table.weight_g or 0.0
        table.looks_like = Removed(column=RED_THIN)
        table.act(Toppled(columns=(RED_THIN,)), -table.mass(RED_THIN))
        table.wait(4.0)
        assert FactKind.INCIDENT not in table.kinds
        table.truth, table.weight_g = Moved(column=RED_THIN, floor=Floor.BLUE), weight_g
        table.wait(4.0)
        assert table.facts[-1].kind is FactKind.RAISED
        assert not table.asks

    def test_a_column_that_stays_away_from_tower_and_scale_has_fallen_off_the_table(self, table: Table) -> None:
        table.looks_like = Removed(column=RED_THIN)
        table.act(Toppled(columns=(RED_THIN,)), -table.mass(RED_THIN))
        table.wait(20.0)
        assert table.facts[-1].kind is FactKind.INCIDENT

    def test_the_column_of_the_attempt_that_fell_is_locked(self, table: Table) -> None:
        table.act(Toppled(columns=(RED_THIN,)))
        assert table.views[-1].locked == (RED_THIN,)
        assert table.views[-1].turn == 1


class TestTheDesk:
    def test_a_raise_told_by_tap_counts_and_the_tower_follows(self, table: Table) -> None:
        table.enter("desk", Told(line="raise red-thin-1"))
        assert table.standing("red-thin-1").floor is Floor.BLUE  # type: ignore[union-attr]
        assert table.views[-1].turn == 1

    def test_a_correction_strikes_what_was_ruled(self, table: Table) -> None:
        table.raised("red-thin-1")
        number = len(table.referee.book.game.log)
        table.enter("desk", Told(line=f"correct {number}:"))
        assert table.views[-1].turn == 0

    def test_what_cannot_be_read_is_said_in_a_sentence_and_changes_nothing(self, table: Table) -> None:
        table.enter("desk", Told(line="raze red-thin-1"))
        assert table.rulings[-1].kind == "impossible"
        assert "raze" in table.rulings[-1].english
        assert table.views[-1].turn == 0


class TestGoingOn:
    def test_a_game_goes_on_from_its_record_where_it_stood(self, four_up: Table) -> None:
        fresh = Table(four_up.profile)
        fresh.enter("desk", Resumed(record=four_up.referee.book.record(), tower=four_up.referee.tower))
        fresh.wait(1.0)
        assert fresh.views[-1].turn == 0
        fresh.raised("red-thin-2")
        assert fresh.facts[-1].column == Column.parse("red-thin-2")
        assert fresh.views[-1].turn == 1

    def test_a_record_that_cannot_be_read_is_refused_in_a_sentence(self, table: Table) -> None:
        turn = table.views[-1].turn
        table.enter("desk", Resumed(record="chess 1", tower=table.referee.tower))
        assert table.rulings[-1].kind == "impossible"
        assert table.views[-1].turn == turn


def test_a_draw_told_before_blue_has_been_seen_counts_once_it_lies() -> None:
    table = Table()
    for column in table.profile.pieces.columns:
        table.act(Added(column=column, floor=Floor.GROUND, near_x_mm=0.0, near_y_mm=0.0), table.mass(column), 0.8)
    table.enter("desk", Drew(seats=tuple(SeatColours(n, (c,)) for n, c in zip(PLAYERS, COLOURS, strict=True)), first=2))
    table.lay(Floor.BLUE)
    assert table.views[-1].turn == 2
    assert not any(ruling.kind == "refused" for ruling in table.rulings)
