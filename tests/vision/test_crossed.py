"""Columns put together from two cameras' views of different ones, and plateaus that physics does not allow."""

from __future__ import annotations

import numpy as np
import pytest

from rig.messages import Laid, Standing, Tower
from rig.pieces import Colour, Column, Floor, Shape
from rig.profile.nominal import nominal_profile
from vision.reading.crossed import crossings, orders
from vision.reading.support import HANGING_COST, support_cost

FRONT, RIGHT = np.array((0.0, -900.0, 500.0)), np.array((900.0, 0.0, 500.0))


def _thin(number: int, x_mm: float, y_mm: float, floor: Floor = Floor.GROUND) -> Standing:
    return Standing(Column(Colour.RED, Shape.THIN, number), floor, x_mm, y_mm, 0.0, 0.0)


def test_two_columns_at_the_crossings_are_sought_where_the_lines_of_sight_cross_otherwise() -> None:
    true = np.array(((-40.0, 50.0), (45.0, -20.0)))
    first, second = crossings([FRONT, RIGHT], _thin(1, *true[0]), _thin(2, *true[1]))[0]
    back = crossings([FRONT, RIGHT], _thin(1, *first), _thin(2, *second))[0]
    assert np.abs(np.sort(np.array(back), axis=0) - np.sort(true, axis=0)).max() == pytest.approx(0.0, abs=1e-6)


def test_one_camera_and_columns_in_one_line_of_sight_have_no_crossings() -> None:
    assert crossings([FRONT], _thin(1, -40.0, 50.0), _thin(2, 45.0, -20.0)) == []
    assert crossings([FRONT, RIGHT], _thin(1, 0.0, 50.0), _thin(2, 0.0, -50.0)) == []


def test_columns_of_one_kind_are_tried_in_one_order_and_others_in_both() -> None:
    places = (np.zeros(2), np.ones(2))
    a, b = _thin(1, 0.0, 0.0), _thin(2, 50.0, 0.0)
    thick = Standing(Column(Colour.RED, Shape.THICK, 1), Floor.GROUND, 50.0, 0.0, 0.0, 0.0)
    assert len(orders(a, b, places)) == 1
    assert len(orders(a, thick, places)) == 2


def test_a_plateau_on_two_tops_or_with_a_column_in_the_air_costs() -> None:
    profile = nominal_profile(1)
    laid = Laid(Floor.BLUE, 0.0, 0.0, 100.0, 0.0)
    three = (_thin(1, 0.0, 0.0), _thin(2, 20.0, 0.0), _thin(3, 0.0, 20.0))
    assert support_cost(profile, Tower(three, (laid,)), laid) == 0.0
    aside = (*three[:2], _thin(3, 200.0, 200.0))
    assert support_cost(profile, Tower(aside, (laid,)), laid) == HANGING_COST
    hanging = (*three, _thin(4, 150.0, 150.0, Floor.BLUE))
    assert support_cost(profile, Tower(hanging, (laid,)), laid) == HANGING_COST
