"""Several games are carried until one is left: courses grow, merge and fall away; what is told is confirmed or revised."""

from __future__ import annotations

import math
from dataclasses import replace

import pytest

from rig.messages import CallWord, FactKind, Moved, Nothing, encode
from rig.pieces import Column, Floor
from rig.referee.belief import Course, Happening, certain, grown, reweighed, trimmed
from rig.referee.tunables import TUNED
from rig.referee.worth import gain
from rig.rules import AllPlaced, ColoursAssigned, Game, PlateauLaid
from rig.rules.events import Aborted
from tests.referee.referee_table import COLOURS, Table

HEX, THIN = Column.parse("red-hex-1"), Column.parse("red-thin-1")


def begun() -> Course:
    game = Game.new().play([AllPlaced(), PlateauLaid(), ColoursAssigned(tuple((c,) for c in COLOURS), 0)])
    return certain(game, Table().referee.tower).told


def children(course: Course, *weights: float) -> list[Course]:
    """Nothing, the hexagon put back, the thin one put back."""
    found = []
    for column, weight in zip((None, HEX, THIN), weights, strict=True):
        events = (Aborted(column),) if column is not None else ()
        game = course.game.play(events)
        found.append(replace(course, game=game, log_weight=math.log(weight), tail=(Happening(1, events),)))
    return found


class TestCourses:
    def test_weights_are_normalised_and_the_heaviest_comes_first(self) -> None:
        belief = grown(certain(begun().game, begun().tower), 1, children(begun(), 1.0, 2.0, 1.0))
        assert [round(course.weight, 3) for course in belief.courses] == [0.5, 0.25, 0.25]
        assert belief.told.tail[0].events == (Aborted(HEX),)

    def test_what_amounts_to_the_same_game_and_tower_merges(self) -> None:
        twice = [*children(begun(), 1.0, 1.0, 1.0), *children(begun(), 1.0, 1.0, 1.0)]
        assert len(grown(certain(begun().game, begun().tower), 1, twice).courses) == 3

    def test_no_more_than_the_beam_are_carried_and_the_hopeless_are_dropped(self) -> None:
        one = certain(begun().game, begun().tower)
        assert len(grown(one, 1, children(begun(), 1.0, 1.0, 1.0), tuned=replace(TUNED, beam=2)).courses) == 2
        assert len(grown(one, 1, children(begun(), 1.0, 1e-4, 1.0)).courses) == 2

    def test_what_is_told_stays_until_it_has_become_unlikely(self) -> None:
        belief = grown(certain(begun().game, begun().tower), 1, children(begun(), 0.2, 0.5, 0.3))
        shaken = reweighed(belief, [-0.5, 0.0, 0.0])
        assert shaken.told.tail[0].events == (Aborted(HEX),)
        overthrown = reweighed(belief, [-3.0, 0.0, -3.0])
        assert overthrown.told.tail[0].events == (Aborted(THIN),)

    def test_what_all_courses_have_in_common_is_settled(self) -> None:
        belief = grown(certain(begun().game, begun().tower), 1, children(begun(), 1e-9, 1.0, 1e-9))
        assert trimmed(belief).told.tail == ()

    def test_which_of_two_locks_gains_what_the_likelier_leaves_open(self) -> None:
        belief = grown(certain(begun().game, begun().tower), 1, children(begun(), 1e-9, 0.7, 0.3))
        assert gain(belief, 1) == pytest.approx(0.3)


class TestTelling:
    def test_a_deed_below_the_bar_is_told_as_probable_and_play_goes_on(self, table: Table) -> None:
        table.tugged = {THIN: 3.2}
        table.act(Nothing())
        probable = [ruling.kind for ruling in table.rulings if ruling.probable]
        assert "aborted" in probable
        assert table.views[-1].turn == 1

    def test_the_next_players_raise_confirms_it_silently(self, table: Table) -> None:
        table.tugged = {THIN: 3.2}
        table.act(Nothing())
        table.raised("blue-thin-1")
        assert not [ruling for ruling in table.rulings if ruling.kind == "revised"]
        assert not table.referee.book.game.violations

    def test_the_same_players_raise_revises_it_and_the_turn_follows(self, table: Table) -> None:
        table.tugged = {THIN: 3.2}
        table.act(Nothing())
        told = next(ruling for ruling in table.rulings if ruling.kind == "aborted")
        table.raised("red-hex-1")
        revised = [ruling for ruling in table.rulings if ruling.kind == "revised"]
        assert [ruling.revises for ruling in revised] == [told.id]
        assert "abort red-thin-1" in revised[0].english
        assert table.views[-1].turn == 1
        assert not table.views[-1].locked
        assert not table.referee.book.game.violations

    def test_a_raise_out_of_turn_says_that_the_turn_before_had_ended_unnoticed(self, table: Table) -> None:
        for column in ("red-thin-1", "blue-thin-1", "yellow-thin-1", "green-thin-1"):
            table.raised(column)
        table.say(CallWord.REQUEST, 0)
        table.say(CallWord.UNCHALLENGED, 1)
        table.raised("blue-thin-2")
        assert table.views[-1].turn == 2
        assert not table.referee.book.game.violations

    def test_words_in_the_wrong_order_come_to_the_same(self, table: Table) -> None:
        for column in ("red-thin-1", "blue-thin-1", "yellow-thin-1", "green-thin-1"):
            table.raised(column)
        table.say(CallWord.UNCHALLENGED, 1)
        table.say(CallWord.REQUEST, 0)
        table.lay(Floor.GREEN)
        assert table.facts[-1].kind is FactKind.LAID
        assert table.views[-1].turn == 1
        assert not table.referee.book.game.violations

    def test_one_of_two_alike_raised_is_told_without_a_question(self, table: Table) -> None:
        table.looks_like = Moved(column=Column.parse("red-thin-2"), floor=Floor.BLUE)
        table.raised("red-thin-1")
        assert table.facts[-1].kind is FactKind.RAISED
        assert not table.asks
        table.looks_like = None
        table.raised("blue-thin-1")
        assert table.views[-1].turn == 2


def test_a_challenge_that_nobody_announced_is_told_by_its_broken_off_attempt(table: Table) -> None:
    for column in ("red-thin-1", "blue-thin-1", "yellow-thin-1", "green-thin-1"):
        table.raised(column)
    table.say(CallWord.REQUEST, 0)
    table.tugged = {HEX: 12.0}
    table.act(Nothing())
    table.say(CallWord.ABORT, 2)
    kinds = [ruling.kind for ruling in table.rulings]
    assert "challenged" in kinds and "claim_upheld" in kinds
    assert table.views[-1].phase == "penalty"


def test_the_same_messages_give_the_same_bytes_revisions_too() -> None:
    def said() -> list[bytes]:
        table = Table().set_up()
        table.tugged = {THIN: 3.2}
        table.act(Nothing())
        table.raised("red-hex-1")
        table.say(CallWord.ABORT, 0)
        return [encode(ruling) for ruling in table.rulings]

    assert said() == said()
