"""The tunables: documented each, and the effect of some of them at their boundary."""

from __future__ import annotations

from dataclasses import fields

import pytest

from rig.messages import Laid, Moved, Removed, Standing, StepKind, Stepped, Tilted, Tower, Weighed
from rig.pieces import Column, Floor
from rig.profile.nominal import nominal_profile
from rig.referee import hypotheses
from rig.referee.action import Action
from rig.referee.attribution import fall_began_s
from rig.referee.eye import leans
from rig.referee.measure import overhang_mm
from rig.referee.repair import comes_first
from rig.referee.scale import hand_log_likelihood, settled_log_likelihood
from rig.referee.senses import Senses
from rig.referee.tunables import Tunables

PROFILE = nominal_profile()
THIN = Column.parse("red-thin-1")


def test_every_tunable_says_unit_meaning_source_and_what_raising_it_does() -> None:
    for one in fields(Tunables):
        assert set(one.metadata) == {"unit", "meaning", "source", "raising"}, one.name
        assert all(one.metadata[part] for part in ("meaning", "source", "raising")), one.name


def test_a_lean_is_warned_of_from_one_and_a_half_degrees_beyond_three_sigmas() -> None:
    assert leans(1.6, 0.5) and not leans(1.4, 0.1)
    assert not leans(1.6, 0.6)


def test_what_the_rules_forbid_costs_four_and_a_fallen_columns_double_too() -> None:
    tower = Tower((Standing(THIN, Floor.GROUND, 0, 0, 0),), (Laid(Floor.BLUE, 0, 0, 90, 0),))
    illegal = hypotheses.play(tower, hypotheses.Expected(frozenset(), frozenset(), None), None)
    assert [w.log_prior for w in illegal if isinstance(w.hypothesis, Moved)] == [-4.0]
    legal = hypotheses.play(tower, hypotheses.Expected(frozenset({THIN}), frozenset(), None), None)
    missing = (Standing(Column.parse("red-thin-2"), Floor.BLUE, 0, 0, 98),)
    assert [w.log_prior for w in comes_first(legal, missing) if isinstance(w.hypothesis, Moved)] == [-4.0]


def test_the_scale_tells_a_thin_column_gone_from_a_hexagon_gone_and_is_believed_wrong_once_in_fifty() -> None:
    thin, hexagon = (Removed(column=Column.parse(name)) for name in ("red-thin-1", "red-hex-1"))
    change_g = -PROFILE.columns[THIN.shape].mass_g
    lead = settled_log_likelihood(thin, change_g, PROFILE) - settled_log_likelihood(hexagon, change_g, PROFILE)
    assert 6.0 < lead < 10.0


def test_a_weight_felt_in_the_hand_speaks_for_its_shape_but_less_than_the_settled_weight() -> None:
    felt = [Stepped(kind=StepKind.LIFTED, start_t_s=0, end_t_s=0, before_g=None, after_g=None, delta_g=-11.0, sigma_g=0.2)]
    heavy = Moved(column=Column.parse("red-thick-1"), floor=Floor.BLUE)
    light = Moved(column=THIN, floor=Floor.BLUE)
    assert 2.0 < hand_log_likelihood(light, felt, PROFILE) - hand_log_likelihood(heavy, felt, PROFILE) < 6.0


@pytest.mark.parametrize(("shock_mps2", "began_s"), [(1.9, 10.15), (2.1, 9.5)])
def test_a_shock_of_two_metres_per_second_squared_is_a_knock(shock_mps2: float, began_s: float) -> None:
    senses = Senses((1,))
    senses.hear_tilted(Tilted(t_s=9.5, tilt_x_deg=0.0, tilt_y_deg=0.0, shock_mps2=shock_mps2))
    assert fall_began_s(Action(9.0, None, None, last_hand_t_s=10.0), senses) == pytest.approx(began_s)
    assert overhang_mm(Tower(), Standing(THIN, Floor.GROUND, 0, 0, 0), PROFILE) == 0.0


def test_remembered_hands_and_shocks_are_forgotten_after_half_a_minute() -> None:
    senses = Senses((1,))
    for t_s in (0.0, 29.0, 31.0):
        senses.hear_tilted(Tilted(t_s=t_s, tilt_x_deg=0.0, tilt_y_deg=0.0, shock_mps2=3.0))
    assert [t_s for t_s, _ in senses.shocks] == [29.0, 31.0]
    senses.hear_weighed(Weighed(t_s=1.0, weight_g=1.0, cop_x_mm=None, cop_y_mm=None, noise_g=0.1, quiet=True))
    assert senses.quiet_weight_g == 1.0
