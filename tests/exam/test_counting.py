"""What the exam counts as result-relevant, as needless, as another's confusion, and how a faulty game is kept and shown again."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from rig.cli.main import main
from rig.errors import PalettiError
from rig.exam import saving
from rig.exam.counts import quantile
from rig.exam.modelled import exam
from rig.exam.modelled.relations import Change, Claim, Relation, holds, relation
from rig.exam.needless import needless
from rig.exam.relevant import first_difference
from rig.exam.results import Options, Wrong
from rig.messages import Ask, FactKind
from rig.pieces import Colour, Column, Floor, Shape
from rig.rules import Game, events
from rig.twin.people.midgame import begun
from rig.twin.truth import Truth

RED_1, RED_2, RED_HEX = Column(Colour.RED, Shape.THIN, 1), Column(Colour.RED, Shape.THIN, 2), Column(Colour.RED, Shape.HEX, 1)


def game() -> Game:
    """Red begins."""
    for seed in range(50):
        found = begun(Game.new().pieces, 4, np.random.default_rng(seed))
        if found.actor is not None and Colour.RED in found.position.colours[found.actor]:
            return found
    raise AssertionError("red never begins")


def test_which_of_two_alike_was_raised_is_not_relevant() -> None:
    assert first_difference(game().apply(events.Raised(RED_1)), game().apply(events.Raised(RED_2))) is None


def test_another_shape_is_relevant() -> None:
    assert first_difference(game().apply(events.Raised(RED_1)), game().apply(events.Raised(RED_HEX))) == 0


def test_which_of_two_alike_was_raised_is_relevant_where_one_is_locked() -> None:
    def round_again(first: Game) -> Game:
        after = first.apply(events.Aborted(RED_1))
        while after.actor != game().actor:
            after = after.apply(events.Raised(after.position.eligible(after.actor or 0)[0]))
        return after

    locked = round_again(game())
    assert first_difference(locked.apply(events.Raised(RED_1)), locked.apply(events.Raised(RED_2))) is not None


def test_a_question_about_nothing_is_needless() -> None:
    ask = Ask(id=1, t_s=50.0, question_english="What happened?", question_german="", choices=("red-thin-1", "nothing", "something else"))
    [one] = needless([ask], [Truth(20.0, FactKind.RAISED, 0, RED_1)], {})
    assert one.why == "nothing had happened"
    assert not needless([ask], [Truth(48.0, FactKind.RAISED, 0, RED_1)], {})


def test_the_same_question_soon_again_is_needless() -> None:
    asks = [
        Ask(id=k, t_s=t_s, question_english="What happened?", question_german="", choices=("red-thin-1", "something else"))
        for k, t_s in enumerate((50.0, 61.0))
    ]
    assert [one.why for one in needless(asks, [], {})] == ["it had been asked 11 s before"]


def test_a_column_on_another_floor_than_claimed_is_wrong() -> None:
    change = Change(frozenset((RED_1,)), frozenset((RED_1,)), onto=frozenset((Floor.GREEN,)))
    right, wrong = (Claim((RED_1,), (RED_1,), onto=floor) for floor in (Floor.GREEN, Floor.BLUE))
    assert holds(right, change)
    assert not holds(wrong, change)
    assert relation(wrong, change, lambda _: False) is Relation.COLOUR


@pytest.mark.parametrize(
    ("claim", "hidden", "way"),
    [
        (Claim((RED_2,), (RED_2,)), False, Relation.ALIKE),
        (Claim((RED_2,), (RED_2,)), True, Relation.ALIKE_HIDDEN),
        (Claim((RED_HEX,), (RED_HEX,)), False, Relation.SHAPE),
        (Claim((RED_1,)), False, Relation.GONE),
        (Claim(), False, Relation.NOTHING),
    ],
)
def test_a_wrong_hypothesis_is_wrong_in_its_own_way(claim: Claim, hidden: bool, way: Relation) -> None:
    raised = Change(frozenset((RED_1,)), frozenset((RED_1,)))
    assert relation(claim, raised, lambda _: hidden) is way


def test_quantiles_are_values_that_were_measured() -> None:
    assert quantile([3.0, 1.0, 2.0], 0.5) == 2.0
    assert quantile([float(k) for k in range(1, 101)], 0.95) == 95.0
    assert quantile([], 0.5) is None


def test_a_faulty_game_is_kept_and_shown_again(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = tmp_path / "kept"
    saved = next(
        result.saved
        for seed in range(1, 40)
        if (result := exam.play(seed, Options(level="home", senses="model", save=str(folder), wrong_answers=1.0))).saved
    )
    assert saving.truth_path(Path(saved)).exists()
    assert main(["replay", saved]) == 0
    shown = capsys.readouterr().out
    assert "so    raised" in shown
    assert "told  " in shown


def test_a_game_without_fault_is_not_kept(tmp_path: Path) -> None:
    for seed in range(1, 6):
        result = exam.play(seed, Options(level="lab", senses="model", save=str(tmp_path)))
        assert bool(result.saved) is saving.is_faulty(result)


def test_a_file_that_is_no_true_log_is_told(tmp_path: Path) -> None:
    wrong = tmp_path / "game-1.truth.jsonl"
    wrong.write_bytes(b"no\n")
    with pytest.raises(PalettiError, match="is no true log"):
        saving.read_truth(wrong)


def test_what_was_so_and_what_was_wrong_stand_in_time_order(tmp_path: Path) -> None:
    path = tmp_path / "log"
    saving.write_truth(path, [Truth(9.0, FactKind.RAISED, 0, RED_1, Floor.BLUE)], [Wrong(4.0, "missed")])
    assert [line.t_s for line in saving.read_truth(path)] == [4.0, 9.0]
