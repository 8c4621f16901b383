"""Pictures by another renderer, in which our own drawing code had no part: a regression, skipped where the folder is absent."""

from __future__ import annotations

from pathlib import Path

import pytest

from rig.bench.bench_foreign import Foreign, judged, read_all
from rig.messages import Moved, Nothing, PlateauLaid
from rig.pieces import Colour, Floor, Shape
from vision.change.since import what_happened

FOLDER = Path(__file__).resolve().parents[3] / "shared" / "data" / "foreign"

pytestmark = pytest.mark.skipif(not (FOLDER / "truth.json").is_file(), reason="the foreign pictures are not here")


@pytest.fixture(scope="module")
def foreign() -> Foreign:
    return Foreign.of(FOLDER)


@pytest.mark.parametrize("scene", ["tower3", "tower4", "tower8"])
def test_a_tower_before_a_red_cushion_and_books_is_read_whole_by_what_differs_from_the_empty_base(foreign: Foreign, scene: str) -> None:
    (row,) = read_all(foreign, reference=True, scenes=(scene,))
    assert not row.wrong
    assert row.usable


def test_clutter_that_lies_where_it_lay_does_not_spoil_a_set_up(foreign: Foreign) -> None:
    (row,) = read_all(foreign, reference=True, scenes=("free",))
    assert not row.wrong
    assert row.usable


def test_the_judge_tells_a_plateau_whose_paint_nobody_has_measured(foreign: Foreign) -> None:
    words, right, sure = judged(foreign, "tower3", "lay3")
    assert right, words
    assert sure > 0.99


@pytest.mark.parametrize("after", ["raise3", "lay3", "tower3"])
def test_what_happened_since_an_earlier_look_is_told_by_the_pictures(foreign: Foreign, after: str) -> None:
    told = what_happened(
        foreign.tower("tower3"), foreign.pictures("tower3"), foreign.pictures(after), foreign.poses("tower3"), foreign.profile
    )
    match after:
        case "raise3":
            assert isinstance(told.what, Moved)
            assert told.what.column.kind == (Colour.YELLOW, Shape.THICK)
            assert told.what.floor is Floor.YELLOW
        case "lay3":
            assert isinstance(told.what, PlateauLaid)
            assert told.what.plateau is Floor.ORANGE
        case _:
            assert isinstance(told.what, Nothing)
            assert told.shifted == ()
    assert told.confidence > 0.9
