"""Who brought the tower down is told from what worked on it before it went, whatever anybody had in mind."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pytest

from rig.pieces import Colour, Column, Floor, Shape
from rig.twin.physics.fall_cause import Cause, Witness
from rig.twin.physics.world import Grip

COLUMN = Column(Colour.RED, Shape.THIN)


class Now(SimpleNamespace):
    """What the witness sees of the world at one instant."""

    def __init__(self, t_s: float, **more: object) -> None:
        idle: dict[str, object] = {
            "held": {}, "seat": {}, "shove": np.zeros(3), "shove_by": None, "gust_on": None, "gust_n": np.zeros(3),
            "press_n": np.zeros(3), "press_by": None, "arms": [], "height_m": 0.05,
        }  # fmt: skip
        super().__init__(t_s=t_s, **(idle | more))

    def arm_forces(self) -> list[tuple[int, Column, float]]:
        return list(self.arms)

    def position(self, _piece: object) -> np.ndarray:
        return np.array([0.0, 0.0, self.height_m])


def told(*instants: Now, onset_s: float = 10.0, last: int | None = 0) -> tuple[Cause, int | None, bool]:
    witness = Witness()
    for now in instants:
        witness.watch(now, 0.1)  # type: ignore[arg-type]
    blame = witness.blame(onset_s, last)
    return blame.cause, blame.seat, blame.outside


def pulling(t_s: float, seat: int = 1) -> Now:
    return Now(t_s, held={Grip.BUILDER: COLUMN}, seat={Grip.BUILDER: seat})


def test_who_pulls_a_column_from_below_while_it_goes_is_the_culprit() -> None:
    assert told(pulling(9.5), pulling(9.9)) == (Cause.PULLED, 1, False)


def test_a_column_above_the_top_floor_is_being_placed() -> None:
    above = Now(9.8, held={Grip.BUILDER: COLUMN}, seat={Grip.BUILDER: 2}, height_m=0.17)
    assert told(above) == (Cause.PLACED, 2, False)


def test_a_plateau_in_somebodys_hand_is_that_hands() -> None:
    assert told(Now(9.8, held={Grip.STEADY: Floor.BLUE}, seat={Grip.STEADY: 3})) == (Cause.LAID, 3, False)


def test_somebody_elses_arm_comes_before_the_hand_that_pulls() -> None:
    assert told(pulling(9.9), Now(9.9, arms=[(3, COLUMN, 0.4)])) == (Cause.ARM, 3, False)


def test_an_arm_that_only_brushes_by_is_not_held_against_anybody() -> None:
    assert told(pulling(9.9), Now(9.9, arms=[(3, COLUMN, 0.01)])) == (Cause.PULLED, 1, False)


def test_a_knock_on_the_table_is_the_knockers() -> None:
    assert told(Now(9.6, shove=np.array([3.0, 0, 0]), shove_by=2)) == (Cause.KNOCK, 2, False)


@pytest.mark.parametrize(
    "instant",
    [
        Now(9.7, gust_on=Floor.RED, gust_n=np.array([0.5, 0, 0])),
        Now(9.7, shove=np.array([0.0, 2.0, 0.0]), shove_by=None),
    ],
)
def test_a_draught_and_a_knock_by_nobody_are_outside_events(instant: Now) -> None:
    _, seat, outside = told(instant)
    assert (seat, outside) == (None, True)


def test_long_after_all_hands_have_gone_it_is_whoever_acted_last() -> None:
    assert told(pulling(2.0, seat=1), onset_s=10.0, last=1) == (Cause.LATE, 1, False)


def test_a_placed_column_still_counts_two_seconds_later() -> None:
    above = Now(8.0, held={Grip.BUILDER: COLUMN}, seat={Grip.BUILDER: 2}, height_m=0.17)
    assert told(above, onset_s=10.0, last=2) == (Cause.PLACED, 2, False)
