"""The desk's word beside eyes and scale: it ends what was unsure, moves the believed tower, and puts it back when it is taken back."""

from __future__ import annotations

import itertools
import math
import random

import msgspec
import pytest

from rig.bench.random_games import wild_event
from rig.messages import Message, NoneOfThese, RefereeState, Resumed, Tick, Told, Tower
from rig.pieces import STANDARD_SET, Column, Floor
from rig.profile.nominal import nominal_profile
from rig.referee.agree import Places, agree
from rig.referee.referee import Referee
from rig.rules import AllPlaced, ColoursAssigned, Corrected, Game, PlateauLaid, Raised, TakenOut
from rig.rules.events import Event
from rig.rules.notation import print_event
from rig.rules.record import Record, print_record
from tests.referee.referee_table import Table

RED_THIN = Column.parse("red-thin-1")
PROFILE = nominal_profile()


def believed(*events: Event) -> Tower:
    return agree(Tower(), Game.new(STANDARD_SET).play(events).position, PROFILE, Places())


class TestTheTowerOfTheBooks:
    def test_all_columns_told_at_once_stand_apart_on_the_building_site(self) -> None:
        tower = believed(AllPlaced())
        assert {standing.column for standing in tower.columns} == set(STANDARD_SET.columns)
        for one, other in itertools.combinations(tower.columns, 2):
            reach_mm = PROFILE.columns[one.column.shape].radius_mm + PROFILE.columns[other.column.shape].radius_mm
            assert math.hypot(one.x_mm - other.x_mm, one.y_mm - other.y_mm) > reach_mm
        widest_mm = max(size.radius_mm for size in PROFILE.columns.values())
        assert all(math.hypot(s.x_mm, s.y_mm) + widest_mm < PROFILE.base.site_radius_mm for s in tower.columns)

    def test_what_the_books_leave_alone_stays_where_it_is(self) -> None:
        game = Game.new(STANDARD_SET).play([AllPlaced(), PlateauLaid()])
        places = Places()
        before = agree(Tower(), game.position, PROFILE, places)
        after = agree(before, game.apply(Raised(RED_THIN)).position, PROFILE, places)
        assert set(before.columns) - set(after.columns) == {before.find(RED_THIN)}
        assert after.plateaus == before.plateaus
        raised = after.find(RED_THIN)
        assert raised is not None and raised.floor is Floor.BLUE
        assert raised.z_mm == before.plateaus[0].z_mm + PROFILE.plateaus[Floor.BLUE].thickness_mm
        assert set(agree(after, game.position, PROFILE, places).columns) == set(before.columns), "back in its old place"

    def test_a_column_stacked_stands_on_its_carrier_and_one_taken_out_nowhere(self) -> None:
        upper, carrier, gone = RED_THIN, Column.parse("red-thick-1"), Column.parse("blue-hex-1")
        tower = believed(AllPlaced(), PlateauLaid(), Raised(carrier), Raised(upper, on_column=carrier), TakenOut(gone))
        low, high = tower.find(carrier), tower.find(upper)
        assert low is not None and high is not None
        assert (high.x_mm, high.y_mm) == (low.x_mm, low.y_mm)
        assert high.z_mm == low.z_mm + PROFILE.columns[carrier.shape].height_mm
        assert tower.find(gone) is None


@pytest.fixture(scope="module")
def begun() -> Table:
    return Table().set_up()


@pytest.fixture
def table(begun: Table) -> Table:
    fresh = Table(begun.profile)
    fresh.enter("desk", Resumed(record=begun.referee.book.record(), tower=begun.referee.tower))
    fresh.wait(1.0)
    return fresh


class TestAtTheRig:
    def test_a_deed_told_answers_the_question_that_waits(self, table: Table) -> None:
        table.act(NoneOfThese())
        assert table.views[-1].state is RefereeState.ASKING
        table.enter("desk", Told(line="raise red-thin-1 onto blue"))
        assert table.views[-1].state is RefereeState.SETTLED
        assert table.views[-1].ask is None
        assert table.views[-1].turn == 1
        table.raised("blue-thin-1")
        assert table.facts[-1].column == Column.parse("blue-thin-1")
        assert table.views[-1].turn == 2

    def test_a_deed_told_while_hands_are_in_is_not_ruled_a_second_time(self, table: Table) -> None:
        table.hand = True
        table.wait(1.0)
        table.enter("desk", Told(line="raise red-thin-1 onto blue"))
        table.hand = False
        facts, ruled = len(table.facts), len(table.rulings)
        table.wait(4.0)
        assert (len(table.facts), len(table.rulings), table.asks) == (facts, ruled, [])
        assert table.views[-1].turn == 1

    def test_a_correction_moves_the_tower_too_and_leaves_a_question_open(self, table: Table) -> None:
        table.enter("desk", Told(line="raise red-thin-1 onto blue"))
        number = len(table.referee.book.game.log)
        table.act(NoneOfThese())
        table.enter("desk", Told(line=f"correct {number}: raise red-hex-1 onto blue"))
        assert table.standing("red-thin-1").floor is Floor.GROUND  # type: ignore[union-attr]
        assert table.standing("red-hex-1").floor is Floor.BLUE  # type: ignore[union-attr]
        assert table.views[-1].state is RefereeState.ASKING

    def test_what_cannot_have_been_leaves_tower_and_question_alone(self, table: Table) -> None:
        table.act(NoneOfThese())
        tower = table.referee.tower
        table.enter("desk", Told(line="raise red-thin-1 onto red"))
        assert table.rulings[-1].kind == "impossible"
        assert table.referee.tower == tower
        assert table.views[-1].state is RefereeState.ASKING

    def test_columns_told_to_have_fallen_are_waited_for(self, table: Table) -> None:
        table.enter("desk", Told(line="incident column red-thin-1 fallen red-thin-1"))
        assert table.views[-1].state is RefereeState.REPAIR
        assert table.standing("red-thin-1") is None
        assert table.views[-1].locked == (RED_THIN,)


class TestAnotherGame:
    def test_nothing_of_the_game_before_is_waited_for(self, table: Table) -> None:
        table.enter("desk", Told(line="incident column red-thin-1 fallen red-thin-1"))
        table.act(NoneOfThese())
        assert table.views[-1].state is RefereeState.ASKING
        fresh = Record.of(Game.new(STANDARD_SET, ("Ada", "Bo", "Cy", "Di")))
        table.enter("desk", Resumed(record=print_record(fresh), tower=Tower()))
        table.wait(2.0)
        assert table.views[-1].state is RefereeState.SET_UP
        assert table.views[-1].tower == Tower()
        table.set_up()
        assert table.views[-1].turn == 0
        assert len(table.referee.tower.columns) == 20


class TestWhereNobodyWatches:
    def test_whatever_is_told_the_drawn_tower_is_that_of_the_books(self) -> None:
        """Random evenings: legal and illegal deeds, impossible ones, corrections, rulings of the table, falls and rebuilding."""
        profile = msgspec.structs.replace(PROFILE, cells=(), cameras=())
        told = 0
        for seed in range(12):
            chooser = random.Random(seed)
            referee, game = Referee(profile), Game.new(STANDARD_SET, ("Ada", "Bo", "Cy", "Di")[: 2 + seed % 3])
            begun = Resumed(record=print_record(Record.of(game.play([AllPlaced(), PlateauLaid()]))), tower=Tower())
            referee.step(Message(1, 0.0, "desk", begun))
            for n in range(2, 45):
                game = referee.book.game
                event = chooser.choice(game.legal_actions() or (Corrected(len(game.log)),)) if n % 4 else wild_event(game, chooser.choice)
                if isinstance(event, ColoursAssigned) and event.starts not in game.table.seats:
                    continue  # has no words
                heard = referee.step(Message(n, float(n), "desk", Told(line=print_event(event, game.table.names))))
                assert heard.rulings
                game = referee.book.game
                assert {s.column: s.floor for s in referee.tower.columns} == {
                    column: floor for column in game.pieces.columns if (floor := game.where(column)) is not None
                }
                assert tuple(laid.plateau for laid in referee.tower.plateaus) == game.laid
                told += heard.rulings[-1].kind != "impossible"
        assert told > 300

    def test_the_state_says_that_nobody_watches_and_no_source_is_missed(self) -> None:
        referee = Referee(msgspec.structs.replace(PROFILE, cells=(), cameras=()))
        for n in range(1, 60):
            referee.step(Message(n, n / 10, "clock", Tick()))
        view = referee.view
        assert view is not None
        assert view.state is RefereeState.SET_UP
        assert "Nobody watches" in view.doing and "Niemand sieht zu" in view.doing_german
        assert not view.health
