"""What cameras saw of a column before, and how the report of pairs sets the hidden ones apart."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any, cast

import pytest

from rig.bench.pair_report import report
from rig.bench.pair_sight import most_hidden_alike, seen_mm2, side_mm2
from rig.bench.pairs import Pair
from rig.bench.situations import PairKind, draw_situation
from rig.messages import Laid, Standing, Tower
from rig.pieces import Colour, Column, Floor, Shape
from rig.profile.nominal import nominal_profile

FIRST, SECOND, THIRD = (Column(Colour.RED, Shape.THIN, number) for number in (1, 2, 3))
OTHER = Column(Colour.RED, Shape.HEX, 1)


def _tower() -> Tower:
    def at(column: Column, floor: Floor, x_mm: float) -> Standing:
        return Standing(column, floor, x_mm, 0.0, 105.0 * floor)

    standing = at(FIRST, Floor.GROUND, 0), at(SECOND, Floor.GROUND, 40), at(OTHER, Floor.GROUND, 80), at(THIRD, Floor.BLUE, 0)
    return Tower(standing, (Laid(Floor.BLUE, 0, 0, 100, 0),))


def test_most_hidden_of_those_that_look_alike_below_the_top() -> None:
    seen = {FIRST: 900.0, SECOND: 30.0, OTHER: 5.0, THIRD: 0.0}
    assert most_hidden_alike(_tower(), FIRST, seen) == 30.0
    assert most_hidden_alike(_tower(), SECOND, seen) == 900.0
    assert most_hidden_alike(_tower(), OTHER, seen) is None


def test_what_is_seen_is_the_best_cameras_and_never_more_than_a_side() -> None:
    of = draw_situation(5203, PairKind.MOVED, 2, 2)
    assert of is not None
    pair = cast(Pair, SimpleNamespace(known=of.profile, poses=of.poses, believed=of.believed))
    one, both = (seen_mm2(pair, cameras) for cameras in (1, 2))
    assert set(both) == {standing.column for standing in of.believed.columns}
    assert all(both[column] >= one[column] for column in both)
    shares = [both[column] / side_mm2(nominal_profile(2), column) for column in both]
    assert 0.7 < max(shares) < 1.5
    assert min(shares) < 0.7


def _line(seed: int, seen: float, other: float | None, right: bool, sure: float) -> dict[str, Any]:
    said = {"best": "Moved red-thin-1", "right": right, "sure": sure}
    sight = {"seen_mm2": 1500 * seen, "seen_share": seen, "other_seen_mm2": other and 1500 * other, "other_seen_share": other}
    return {
        "seed": seed, "rig": 1, "level": "home", "world": "A", "renderer": "OpenGL", "cameras": 1, "kind": "raise", "what": "raised",
        "truth": "Moved red-thin-1", "listed": True, "all": said, "ruled": said, "withheld": said, "ms": 1.0, "bystanders_mm": [1.0],
    } | sight  # fmt: skip


def test_report_tells_raises_apart_that_no_camera_could_see(capsys: pytest.CaptureFixture[str]) -> None:
    report(
        [_line(1, 0.6, 0.1, True, 0.99), _line(2, 0.0, 0.1, False, 0.55), _line(3, 0.1, None, False, 0.95), _line(4, 0.2, 0.9, True, 0.99)]
    )
    told = [" ".join(line.split()) for line in capsys.readouterr().out.splitlines()]
    assert sum("a camera saw 25% of its side before: 1 / 1 = " in line for line in told) == 2
    assert sum("no camera saw that much: 1 / 3 = " in line for line in told) == 2
    assert sum("nor of another that looks like it: 0 / 1 = " in line for line in told) == 2
    assert sum(line == "wrong 2, said with more than 0.9: 1" for line in told) == 2
