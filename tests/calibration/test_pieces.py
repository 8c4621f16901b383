"""The set at hand from its pieces set down one by one: the truth is the set that the twin draws, which is not the nominal one."""

from __future__ import annotations

import itertools
import json
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

import cv2
import msgspec
import numpy as np
import numpy.typing as npt
import pytest
from shapely import Polygon
from shapely.affinity import rotate
from shapely.ops import unary_union

from calibration.outline import convex_parts
from calibration.pieces import ColumnMeasured, PieceShown, PlateauMeasured, look_at, set_of
from calibration.pieces_guide import guide
from calibration.pose import pose_cameras
from calibration.standing import HEX_MEAN, HexFit, StandingFit
from rig import profile as profiles
from rig.cli import main
from rig.errors import PalettiError
from rig.messages import Laid, Standing, Tower
from rig.pieces import PLATEAUS, Colour, Column, Floor, Shape
from rig.profile import ColumnSize, PlateauSize, Profile
from rig.profile.nominal import nominal_profile
from rig.twin.physics.poses import poses_of
from rig.twin.pictures.cameras import Eye, to_jpeg

Picture = npt.NDArray[np.uint8]
SEED = 6601
NOMINAL = nominal_profile(2, width_px=540, height_px=960)
SIZES = {Shape.THICK: ColumnSize(13.0, 96.0, 33.1), Shape.HEX: ColumnSize(11.0, 95.0, 20.2, 6), Shape.THIN: ColumnSize(7.0, 97.0, 9.7)}
TRUE = msgspec.structs.replace(NOMINAL, columns=SIZES)
COLOURS = (Colour.RED, Colour.GREEN)
COLUMNS = [Column(colour, shape, number) for colour in COLOURS for shape, many in ((Shape.THIN, 2), (Shape.HEX, 1), (Shape.THICK, 1))
           for number in range(1, many + 1)]  # fmt: skip
YAWS = {Floor.BLUE: 25.0, Floor.GREEN: -70.0}

Shots = Mapping[int, Picture]


@pytest.fixture(scope="module")
def shots() -> dict[str, Shots]:
    """Pictures of the empty base and of each piece alone on it."""
    rng = np.random.default_rng(SEED)
    with Eye(TRUE, SEED) as eye:

        def shot(tower: Tower) -> Shots:
            seen = eye.see(poses_of(TRUE, tower))
            return {
                number: np.asarray(cv2.imdecode(np.frombuffer(to_jpeg(eye.webcam(picture)), np.uint8), cv2.IMREAD_COLOR), np.uint8)
                for number, picture in enumerate(seen, 1)
            }

        found = {"empty": shot(Tower())}
        for column in COLUMNS:
            x, y, yaw = (float(value) for value in rng.uniform(-25, 25, 3))
            found[str(column)] = shot(Tower((Standing(column, Floor.GROUND, x, y, 0.0, yaw),)))
        for floor, yaw in YAWS.items():
            found[floor.word] = shot(Tower((), (Laid(floor, 3.0, -4.0, 0.0, yaw),)))
        first, second = Standing(COLUMNS[-1], Floor.GROUND, -40.0, -10.0, 0.0), Standing(COLUMNS[0], Floor.GROUND, 20.0, 40.0, 0.0)
        found["alone"], found["beside"] = shot(Tower((first,))), shot(Tower((first, second)))
    return found


@pytest.fixture(scope="module")
def known(shots: dict[str, Shots]) -> Profile:
    return pose_cameras(NOMINAL, {number: [picture] for number, picture in shots["empty"].items()})[0]


@pytest.fixture(scope="module")
def seen(shots: dict[str, Shots], known: Profile) -> dict[str, ColumnMeasured | PlateauMeasured]:
    rng = np.random.default_rng(2)
    answers: dict[str, ColumnMeasured | PlateauMeasured] = {}
    for column in COLUMNS:
        grams = SIZES[column.shape].mass_g + float(rng.normal(0, 0.3))
        answers[str(column)] = look_at(known, PieceShown(shots["empty"], shots[str(column)], grams))
    for floor in YAWS:
        answers[floor.word] = look_at(known, PieceShown(shots["empty"], shots[floor.word], TRUE.plateaus[floor].mass_g))
    return answers


def test_columns_are_told_from_plateaus_and_have_their_colours(seen: dict[str, ColumnMeasured | PlateauMeasured]) -> None:
    for column in COLUMNS:
        one = seen[str(column)]
        assert isinstance(one, ColumnMeasured)
        assert one.colour is column.colour
    assert all(isinstance(seen[floor.word], PlateauMeasured) for floor in YAWS)


def test_set_found_is_the_set_drawn_with_nothing_assumed(known: Profile, seen: dict[str, ColumnMeasured | PlateauMeasured]) -> None:
    report = set_of(known, list(seen.values()))
    assert sorted(report.profile.pieces.columns) == sorted(COLUMNS)
    assert report.profile.pieces.plateaus == PLATEAUS[:2]
    for shape, true in SIZES.items():
        found = report.profile.columns[shape]
        assert found.radius_mm == pytest.approx(true.radius_mm, abs=0.6)
        assert found.height_mm == pytest.approx(true.height_mm, abs=1.5)
        assert found.mass_g == pytest.approx(true.mass_g, abs=0.6)
        assert found.sides == true.sides
    assert any("2 thin, 1 hexagonal, 1 thick" in sentence for sentence in report.sentences)
    assert profiles.from_json(profiles.to_json(report.profile)) == report.profile


@pytest.mark.parametrize("floor", YAWS)
def test_outline_of_a_plateau_is_measured_to_about_a_millimetre(floor: Floor, seen: dict[str, ColumnMeasured | PlateauMeasured]) -> None:
    one = seen[floor.word]
    assert isinstance(one, PlateauMeasured)
    true = Polygon(TRUE.plateaus[floor].outline_mm)
    found = rotate(Polygon(one.size.outline_mm), -YAWS[floor], origin=(0, 0))
    assert found.intersection(true).area / found.union(true).area > 0.975
    assert found.area == pytest.approx(true.area, rel=0.02)
    parts = unary_union([Polygon(part) for part in one.size.parts_mm])
    assert parts.symmetric_difference(Polygon(one.size.outline_mm)).area < 0.02 * true.area
    assert all(Polygon(part).convex_hull.area == pytest.approx(Polygon(part).area, rel=1e-3) for part in one.size.parts_mm)
    assert 2.5 < one.size.thickness_mm < 7.5


def test_piece_set_down_beside_another_is_what_is_new(shots: dict[str, Shots], known: Profile) -> None:
    second = look_at(known, PieceShown(shots["alone"], shots["beside"]))
    assert isinstance(second, ColumnMeasured)
    assert second.colour is Colour.RED
    assert (second.standing.x_mm, second.standing.y_mm) == pytest.approx((20.0, 40.0), abs=1.5)


def test_nothing_set_down_is_said(shots: dict[str, Shots], known: Profile) -> None:
    with pytest.raises(PalettiError, match="Nothing new"):
        look_at(known, PieceShown(shots["empty"], shots["empty"]))


def test_hand_left_in_the_picture_is_no_piece(shots: dict[str, Shots], known: Profile) -> None:
    spoiled = {number: picture.copy() for number, picture in shots[str(COLUMNS[0])].items()}
    for picture in spoiled.values():
        cv2.line(picture, (60, 380), (300, 640), (120, 150, 205), 46)
    with pytest.raises(PalettiError, match="neither a standing column nor a flat plateau"):
        look_at(known, PieceShown(shots["empty"], spoiled))


def test_camera_without_pose_is_a_sentence(shots: dict[str, Shots]) -> None:
    with pytest.raises(PalettiError, match="no pose"):
        look_at(NOMINAL, PieceShown(shots["empty"], shots["blue"]))


# ---------------------------------------------------------------- the whole set, from measurements

HALF = {Shape.THIN: 7.0, Shape.HEX: 10.5, Shape.THICK: 13.0}


def measured(split: Mapping[Shape, int], weighed: bool = True) -> list[ColumnMeasured | PlateauMeasured]:
    rng = np.random.default_rng(5)
    columns: list[ColumnMeasured | PlateauMeasured] = [
        ColumnMeasured(
            colour,
            StandingFit(0.0, 0.0, half := HALF[shape] + float(rng.normal(0, 0.15)), 97.0, 0.95, HexFit(half / HEX_MEAN, 97.0, 0.9)),
            SIZES[shape].mass_g * float(rng.normal(1, 0.03)) if weighed else None,
        )
        for colour in Colour
        for shape, many in split.items()
        for _ in range(many)
    ]
    plateaus = [plate(radius) for radius in (60.0, 100.0, 90.0, 70.0, 80.0)]
    return [*columns, *plateaus]


def plate(radius_mm: float) -> PlateauMeasured:
    circle = Polygon([(radius_mm * np.cos(a), radius_mm * np.sin(a)) for a in np.linspace(0, 2 * np.pi, 24, endpoint=False)])
    size = PlateauSize(tuple(circle.exterior.coords)[:-1], (tuple(circle.exterior.coords)[:-1],), 5.0, 50.0)
    return PlateauMeasured(size, circle.area, (90, 90, 90), 50.0)


@pytest.mark.parametrize("weighed", [True, False])
@pytest.mark.parametrize("split", [(3, 1, 1), (2, 2, 1), (1, 1, 3), (2, 1, 2)])
def test_any_split_is_counted_with_a_scale_or_without(split: tuple[int, int, int], weighed: bool) -> None:
    counts = dict(zip((Shape.THIN, Shape.HEX, Shape.THICK), split, strict=True))
    report = set_of(NOMINAL, measured(counts, weighed))
    for colour, shape in itertools.product(Colour, Shape):
        assert report.profile.pieces.counts()[colour, shape] == counts[shape]


def test_plateaus_are_ordered_by_size_whatever_the_order_they_came_in() -> None:
    report = set_of(NOMINAL, measured({Shape.THIN: 3, Shape.HEX: 1, Shape.THICK: 1}))
    assert [floor for _, floor in report.plateaus] == [Floor.RED, Floor.BLUE, Floor.GREEN, Floor.ORANGE, Floor.YELLOW]


def test_sets_that_contradict_themselves_are_sentences() -> None:
    whole = measured({Shape.THIN: 3, Shape.HEX: 1, Shape.THICK: 1})
    columns = [one for one in whole if isinstance(one, ColumnMeasured)]
    with pytest.raises(PalettiError, match="unequal numbers of columns: 6 blue"):
        set_of(NOMINAL, [*whole, next(one for one in columns if one.colour is Colour.BLUE)])
    with pytest.raises(PalettiError, match="2 classes instead of three"):
        set_of(NOMINAL, measured({Shape.THIN: 3, Shape.THICK: 2}))
    with pytest.raises(PalettiError, match="Two plateaus are of one size"):
        set_of(NOMINAL, [*whole[:-1], plate(100.0)])
    with pytest.raises(PalettiError, match="Only 0 columns"):
        set_of(NOMINAL, [])
    upside = [replace(one, mass_g=900 / (one.mass_g or 1)) if isinstance(one, ColumnMeasured) else one for one in whole]
    with pytest.raises(PalettiError, match="Scale and cameras disagree"):
        set_of(NOMINAL, upside)


def test_concave_outline_becomes_few_convex_parts() -> None:
    lobes = unary_union([Polygon([(0, 0), (80, 0), (80, 40), (0, 40)]), Polygon([(20, 20), (60, 20), (60, 90), (20, 90)])])
    assert isinstance(lobes, Polygon)
    parts = convex_parts(lobes)
    assert len(parts) <= 3
    assert unary_union(parts).symmetric_difference(lobes).area < 0.01 * lobes.area


# ---------------------------------------------------------------- wiring


def test_guide_asks_again_for_what_cannot_be_read_and_ends_when_told(shots: dict[str, Shots]) -> None:
    order = ["empty", str(COLUMNS[0]), "empty", "empty", "empty", "blue", "empty"]
    pictures = iter([dict(shots[name]) for name in order])
    answers = iter(["", "", "", "", "", "", "", "done"])
    told: list[str] = []
    _, found = guide(NOMINAL, lambda: next(pictures), lambda: 10.0, lambda _: next(answers), told.append)
    assert [type(one) for one in found] == [ColumnMeasured, PlateauMeasured]
    assert any("Nothing new" in sentence for sentence in told)
    assert any("cm²" in sentence for sentence in told)


def test_command_reads_a_steps_file_and_writes_the_set(shots: dict[str, Shots], tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    pieces = []
    reds = [str(column) for column in COLUMNS if column.colour is Colour.RED]
    for name in ("empty", *reds, "blue"):
        views = shots[name]
        for number, picture in views.items():
            cv2.imwrite(str(tmp_path / f"{name}-{number}.png"), picture)
        grams = SIZES[Column.parse(name).shape].mass_g if "-" in name else 80.0
        pieces.append({"images": [f"{name}-1.png", f"{name}-2.png"], "grams": grams})
    steps, start, out = (tmp_path / name for name in ("steps.json", "start.json", "out.json"))
    steps.write_text(json.dumps({"empty": pieces[0]["images"], "pieces": pieces[1:]}))
    start.write_text(profiles.to_json(NOMINAL))
    command = ["calibrate", "pieces", "--profile", str(start), "--out", str(out), "--json", "--steps"]
    assert main([*command, str(steps)]) == 0
    assert len(json.loads(capsys.readouterr().out)["columns"]) == len(reds)
    assert sorted(map(str, profiles.load(out).pieces.columns)) == sorted(reds)
    steps.write_text(json.dumps({"empty": pieces[0]["images"], "pieces": [{"images": ["empty-1.png"]}]}))
    assert main([*command, str(steps)]) == 2
    assert "same cameras" in capsys.readouterr().err
    steps.write_text('{"pieces": 3}')
    assert main([*command, str(steps)]) == 2
    assert main([*command, str(tmp_path / "none.json")]) == 2
