"""Words in time: what a press or a call belongs to, and what follows from words that nobody heard."""

from __future__ import annotations

from rig.messages import CallWord, FactKind, Moved, Nothing, Pressed
from rig.pieces import Column, Floor
from rig.rules import Phase
from tests.referee.referee_table import Table

NOT_HERS = Column.parse("blue-thin-2")


def press(table: Table, seat: int) -> None:
    table.feel(Pressed(t_s=table.t_s, button=seat, pressed=True))


def raise_and_let_go(table: Table, column: str) -> None:
    """The hands have just left: nothing is judged yet."""
    table.hand = True
    table.wait(2.0)
    table.truth = Moved(column=Column.parse(column), floor=table.referee.tower.top_floor)
    table.hand = False
    table.wait(0.2)


def kinds(table: Table) -> list[str]:
    return [ruling.kind for ruling in table.rulings]


def test_a_request_spoken_while_the_raise_before_it_is_judged_is_the_next_players(four_up: Table) -> None:
    raise_and_let_go(four_up, "red-thin-2")
    four_up.say(CallWord.REQUEST, 1)
    four_up.wait(3.0)
    assert kinds(four_up)[-1] == "requested"
    assert four_up.views[-1].phase is Phase.CLAIM
    assert four_up.facts[-1].seat == 0


def test_the_builders_press_while_the_raise_is_judged_asks_for_nothing(four_up: Table) -> None:
    raise_and_let_go(four_up, "red-thin-2")
    press(four_up, 0)
    four_up.wait(3.0)
    assert "requested" not in kinds(four_up)
    assert four_up.views[-1].turn == 1


def test_a_challengers_second_press_gives_up_whatever_the_builder_had_touched(four_up: Table) -> None:
    four_up.act(Nothing())
    four_up.say(CallWord.REQUEST, 0)
    press(four_up, 2)
    press(four_up, 2)
    assert four_up.views[-1].phase is Phase.PENALTY
    assert not any(fact.kind is FactKind.ABORTED for fact in four_up.facts)


def test_who_waives_the_penalty_says_that_the_challenge_was_given_up(four_up: Table) -> None:
    four_up.say(CallWord.REQUEST, 0)
    four_up.say(CallWord.CHALLENGE, 2)
    four_up.say(CallWord.WAIVE, 0)
    assert four_up.views[-1].phase is Phase.LAY


def test_a_plateau_laid_after_a_challenge_says_that_it_was_given_up_and_waived(four_up: Table) -> None:
    four_up.say(CallWord.REQUEST, 0)
    four_up.say(CallWord.CHALLENGE, 2)
    four_up.lay(Floor.GREEN)
    assert four_up.views[-1].turn == 1
    assert not four_up.referee.book.game.violations


def test_a_spoken_abort_with_somebody_elses_column_is_told_and_flagged(table: Table) -> None:
    table.tugged = {NOT_HERS: 9.0}
    table.hand = True
    table.wait(1.0)
    table.say(CallWord.ABORT, 0)
    table.act(Nothing())
    assert (table.facts[-1].kind, table.facts[-1].column) == (FactKind.ABORTED, NOT_HERS)
    assert "violation" in kinds(table)


def test_which_column_was_put_back_can_be_answered_with_any(table: Table) -> None:
    table.say(CallWord.ABORT, 0)
    table.act(Nothing())
    choices = table.asks[-1].choices
    assert choices[-1] == "none"
    assert str(NOT_HERS) in choices
    assert choices.index("red-thin-1") < choices.index(str(NOT_HERS))
    table.answer(str(NOT_HERS))
    assert table.facts[-1].column == NOT_HERS
    table.raised("blue-thin-1")
    assert len(table.asks) == 1


def test_columns_that_may_be_each_other_are_shown_as_probable(table: Table) -> None:
    assert table.views[-1].probable == ()
    table.looks_like = Moved(column=Column.parse("red-thin-2"), floor=Floor.BLUE)
    table.raised("red-thin-1")
    assert {str(column) for column in table.views[-1].probable} == {"red-thin-1", "red-thin-2"}
    assert not any(seat.probable for seat in table.views[-1].seats)


def test_a_view_is_said_only_when_something_in_it_has_changed(table: Table) -> None:
    said = len(table.views)
    table.wait(3.0)
    assert len(table.views) == said
