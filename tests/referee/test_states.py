"""The closed set of states: every change is in one table, the README draws it, and what comes at the wrong moment ends in a sentence."""

from __future__ import annotations

import random
import re
from pathlib import Path

import pytest

from rig.messages import Answered, CallWord, FactKind, Moved, NoneOfThese, Nothing, PutRight, RefereeState, Told, Toppled
from rig.pieces import Column, Floor
from rig.referee import state, transitions
from rig.referee.state import Acting, AwaitingAnswer, Lost, Over, Settled, SetUp
from rig.referee.transitions import ForbiddenTransitionError, Happens, follow
from rig.referee.tunables import markdown
from tests.referee.referee_table import Table

README = Path(state.__file__).with_name("README.md")


def test_the_readme_draws_the_table_of_transitions() -> None:
    assert transitions.diagram() in README.read_text()


def test_the_readme_lists_every_tunable() -> None:
    assert markdown() in README.read_text()


def test_what_the_table_does_not_have_cannot_happen() -> None:
    with pytest.raises(ForbiddenTransitionError, match="Over cannot become Settled"):
        follow(Happens.HANDS_CAME, Over(), Settled())


def test_every_state_has_a_row_for_the_desks_word_and_another_game() -> None:
    kinds = {Settled, SetUp, Over, Lost, state.Repair, AwaitingAnswer, Acting, state.Settling, state.AwaitingLook}
    for happens in (Happens.TOLD, Happens.RESUMED, Happens.CALLED, Happens.ANSWERED):
        assert set(transitions.TABLE[happens]) == kinds, happens


def test_a_move_begun_while_a_question_is_open_is_told(table: Table) -> None:
    table.act(NoneOfThese())
    table.hand = True
    table.wait(1.0)
    assert isinstance(table.referee.state, Acting)
    table.answer("red-thin-1")
    table.act(Moved(column=Column.parse("blue-thin-1"), floor=Floor.BLUE), seconds=1.0)
    assert [fact.column for fact in table.facts[-2:]] == [Column.parse("red-thin-1"), Column.parse("blue-thin-1")]
    assert table.views[-1].turn == 2


def test_what_nothing_explained_may_explain_itself_and_the_question_is_withdrawn(table: Table) -> None:
    table.act(NoneOfThese())
    assert table.views[-1].state is RefereeState.ASKING
    table.raised("red-thin-1")
    assert table.facts[-1].column == Column.parse("red-thin-1")
    assert table.views[-1].ask is None


def test_an_answer_to_a_question_that_is_gone_is_a_sentence(table: Table) -> None:
    table.act(NoneOfThese())
    table.raised("red-thin-1")
    turn = table.views[-1].turn
    table.answer("nothing")
    assert "Nobody waits" in table.rulings[-1].english
    assert table.views[-1].turn == turn


def test_of_two_desks_that_answer_at_once_the_first_counts(table: Table) -> None:
    table.act(NoneOfThese())
    table.answer("red-thin-1")
    table.answer("red-thin-2")
    table.wait(2.0)
    assert "Nobody waits" in [r.english for r in table.rulings if r.kind == "impossible"][-1]
    assert table.facts[-1].column == Column.parse("red-thin-1")


def test_an_answer_that_was_not_offered_is_a_sentence_and_the_question_stays(table: Table) -> None:
    table.act(NoneOfThese())
    table.enter("desk", Answered(ask=table.asks[-1].id, choice="a unicorn"))
    assert "not among the answers" in table.rulings[-1].english
    assert table.views[-1].state is RefereeState.ASKING


def test_a_word_for_an_action_that_is_over_changes_nothing(table: Table) -> None:
    table.raised("red-thin-1")
    table.say(CallWord.ABORT, 0)
    table.wait(5.0)
    assert not table.views[-1].locked
    assert FactKind.ABORTED not in table.kinds


def test_a_correction_of_what_was_revised_meanwhile_is_final(table: Table) -> None:
    table.tugged = {Column.parse("red-hex-1"): -1.0}
    table.act(Nothing())
    table.raised("blue-thin-1")
    table.answer("red-thin-2")
    number = next(r.data["number"] for r in table.rulings if r.kind == "revised")
    table.enter("desk", Told(line=f"correct {number}: abort red-thick-1; raise blue-thin-1 onto blue by Bo"))
    assert table.referee.belief.certain
    assert table.rulings[-1].english


class TestLost:
    @pytest.fixture
    def lost(self, table: Table) -> Table:
        table.act(NoneOfThese())
        table.answer("something else")
        assert isinstance(table.referee.state, Lost)
        return table

    def test_the_tower_put_right_by_taps_is_believed_and_the_books_follow(self, lost: Table) -> None:
        lost.enter("desk", PutRight(column=Column.parse("red-hex-1"), floor=Floor.BLUE))
        assert lost.views[-1].tower.find(Column.parse("red-hex-1")).floor is Floor.BLUE  # type: ignore[union-attr]
        assert lost.views[-1].state is RefereeState.LOST
        lost.enter("desk", PutRight(done=True))
        assert (lost.facts[-1].kind, lost.facts[-1].column) == (FactKind.RAISED, Column.parse("red-hex-1"))
        lost.wait(3.0)
        assert lost.views[-1].state is RefereeState.SETTLED
        assert lost.views[-1].turn == 1
        lost.raised("blue-thin-1")
        assert lost.views[-1].turn == 2

    def test_a_raise_that_was_none_is_struck(self, table: Table) -> None:
        table.raised("red-thin-1")
        table.enter("desk", PutRight(column=Column.parse("red-thin-1"), floor=Floor.GROUND))
        table.enter("desk", PutRight(done=True))
        assert table.standing("red-thin-1").floor is Floor.GROUND  # type: ignore[union-attr]
        assert table.views[-1].turn == 0

    def test_a_plateau_that_does_not_lie_is_refused_in_a_sentence(self, lost: Table) -> None:
        lost.enter("desk", PutRight(column=Column.parse("red-hex-1"), floor=Floor.RED))
        assert "does not lie" in lost.rulings[-1].english


class TestWhateverComes:
    def test_no_order_of_messages_leads_out_of_the_table(self) -> None:
        """Hands, falls, words, answers right and wrong, corrections and taps in random order: never a traceback, never a stuck game."""
        for seed in range(3):
            chooser = random.Random(seed)
            table = Table().set_up()
            columns = table.profile.pieces.columns
            for _ in range(25):
                self._something(table, chooser, chooser.choice(columns))
            assert table.referee.belief.courses
            assert abs(sum(course.weight for course in table.referee.belief.courses) - 1) < 1e-6
            assert len(table.referee.belief.courses) <= 12

    @staticmethod
    def _something(table: Table, chooser: random.Random, column: Column) -> None:
        match chooser.randrange(9):
            case 0 | 1 | 2:
                table.sureness = chooser.choice((0.5, 2.0, 12.0))
                table.act(Moved(column=column, floor=table.referee.tower.top_floor), seconds=1.0)
            case 3:
                table.tugged = {column: chooser.uniform(-3, 8)}
                table.act(Nothing(), seconds=1.0)
            case 4:
                table.act(chooser.choice((NoneOfThese(), Toppled(columns=(column,)))), seconds=1.0)
            case 5:
                table.say(chooser.choice(list(CallWord)), chooser.randrange(4))
            case 6 if table.asks:
                ask = chooser.choice(table.asks[-3:])
                table.enter("desk", Answered(ask=ask.id, choice=chooser.choice(ask.choices)))
            case 7:
                lines = (f"raise {column}", f"correct {len(table.referee.book.game.log)}:", "nonsense")
                table.enter("desk", Told(line=chooser.choice(lines)))
            case _:
                table.enter(
                    "desk", PutRight(column=column, floor=chooser.choice((None, Floor.GROUND, Floor.BLUE)), done=chooser.random() < 0.5)
                )
        table.wait(chooser.choice((0.1, 1.0, 3.0)))


def test_the_diagram_names_states_only() -> None:
    names = set(re.findall(r"(\w+) -->", transitions.diagram()))
    assert names <= {kind.__name__ for kinds in transitions.TABLE.values() for kind in kinds}
