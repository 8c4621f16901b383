"""What the bench of real pairs counts as right: by what physics left, never by what was tried."""

from __future__ import annotations

from typing import cast

import numpy as np
import pytest

from rig.bench.pair_judging import words_of
from rig.bench.pair_truth import What, displaced_mm, happened, misplaced, right_among, says
from rig.bench.pairs import SHARES, Acted, TowerInstant, act, kind_drawn
from rig.messages import FactKind, Fallen, Laid, Moved, MovedTwo, NoneOfThese, Nothing, PlateauLaid, Stacked, Standing, Tower
from rig.pieces import Colour, Column, Floor, Shape
from rig.rules import Game
from rig.twin.levels import level_named
from rig.twin.physics.poses import Poses
from rig.twin.physics.sets import nominal_set
from rig.twin.situation_play import Scenario
from rig.twin.truth import Truth

RED, BLUE = Column(Colour.RED, Shape.THIN), Column(Colour.BLUE, Shape.THICK)
TOWER = Tower((Standing(RED, Floor.GROUND, 10.0, 0.0, 0.0), Standing(BLUE, Floor.BLUE, 0.0, 5.0, 105.0)), (Laid(Floor.BLUE, 0, 0, 100, 0),))


def _acted(*facts: Truth, after: Tower = TOWER, kind: Scenario = Scenario.RAISE) -> Acted:
    nowhere = Poses(np.zeros((0, 3)), np.zeros((0, 4)))
    before, then = TowerInstant(2.0, nowhere, TOWER, ()), TowerInstant(9.0, nowhere, after, ())
    return Acted(1, kind, 7, nominal_set(0.4, 1, None, (720, 1280)), before, then, facts, cast(Game, None), True)


def _raised(column: Column, on: Column | None = None) -> Truth:
    return Truth(8.0, FactKind.RAISED, 0, column, Floor.BLUE, on_column=on)


def test_column_put_back_is_nothing_whatever_was_tried() -> None:
    assert happened(_acted(Truth(8.0, FactKind.ABORTED, 0, RED), kind=Scenario.RAISE)).hypothesis == Nothing()


def test_a_raise_is_the_column_moved_and_stacked_is_another_thing() -> None:
    assert happened(_acted(_raised(RED))).hypothesis == Moved(column=RED, floor=Floor.BLUE)
    assert happened(_acted(_raised(RED, on=BLUE))).hypothesis == Stacked(column=RED, on=BLUE)


def test_a_plateau_that_is_down_is_a_fall_even_if_the_log_tells_of_a_raise() -> None:
    assert happened(_acted(_raised(RED), after=Tower(TOWER.columns[:1], ()))).what is What.FALLEN


def test_raise_beside_another_thing_has_no_hypothesis_so_that_none_of_these_is_right() -> None:
    truth = happened(_acted(_raised(RED), Truth(8.0, FactKind.INCIDENT, 0, BLUE, columns=(BLUE,))))
    assert truth.what is What.SEVERAL
    assert right_among((Nothing(), Moved(column=RED, floor=Floor.BLUE), NoneOfThese()), truth) == NoneOfThese()


def test_what_is_not_in_the_list_makes_none_of_these_right() -> None:
    truth = happened(_acted(_raised(RED)))
    assert right_among((Nothing(), Moved(column=RED, floor=Floor.BLUE)), truth) == truth.hypothesis
    assert right_among((Nothing(), Fallen(), NoneOfThese()), truth) == NoneOfThese()


def test_two_are_two_in_either_order_and_a_named_place_changes_no_plateau() -> None:
    truth = happened(_acted(_raised(RED), _raised(BLUE)))
    assert says(MovedTwo(columns=(RED, BLUE), floor=Floor.BLUE), truth.hypothesis)
    assert says(PlateauLaid(plateau=Floor.GREEN, near_x_mm=1.0, near_y_mm=2.0), PlateauLaid(plateau=Floor.GREEN))
    assert not says(PlateauLaid(plateau=Floor.GREEN), PlateauLaid(plateau=Floor.YELLOW))


def test_place_error_is_the_moved_columns_own() -> None:
    seen = Tower((Standing(RED, Floor.BLUE, 13.0, 4.0, 105.0),), TOWER.plateaus)
    assert misplaced(happened(_acted(_raised(RED))), TOWER, seen) == (5.0, None)


def test_answers_in_words_name_colour_and_shape() -> None:
    assert words_of(Moved(column=BLUE, floor=Floor.BLUE)) == "Moved blue-thick-1"
    assert words_of(NoneOfThese()) == "NoneOfThese"


def test_raises_are_most_of_what_is_tried() -> None:
    drawn = [kind_drawn(seed) for seed in range(400)]
    raises = {
        Scenario.RAISE,
        Scenario.NUDGE,
        Scenario.SHIFT,
        Scenario.OVERHANG,
        Scenario.HELD,
        Scenario.WRONG,
    }
    assert 0.6 < sum(kind in raises for kind in drawn) / len(drawn) < 0.9
    assert set(SHARES) >= set(drawn)


def test_an_action_is_told_at_its_first_settling_before_the_column_is_stood_up_again() -> None:
    acted = act(1023, 700_003, 1, level_named("home"), Scenario.TOPPLE)
    assert acted is not None
    assert [fact.kind for fact in acted.facts] == [FactKind.INCIDENT]


def test_what_rides_along_with_a_shifted_plateau_is_not_displaced_and_what_stays_behind_is() -> None:
    quiet = happened(_acted())
    shifted = (Laid(Floor.BLUE, 8.0, 0.0, 100.0, 90.0),)
    along = Tower((TOWER.columns[0], Standing(BLUE, Floor.BLUE, 3.0, 0.0, 105.0)), shifted)
    assert displaced_mm(quiet, TOWER, along) == pytest.approx({"blue": 8.0, str(RED): 0.0, str(BLUE): 0.0}, abs=1e-9)
    behind = Tower(TOWER.columns, shifted)
    assert displaced_mm(quiet, TOWER, behind)[str(BLUE)] == pytest.approx(np.hypot(3.0, 5.0))
