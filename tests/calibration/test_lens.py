"""A camera's lens from a board: the truth is the lens that drew the pictures, and real sets with known answers where they are at hand."""

from __future__ import annotations

import os
from dataclasses import replace
from functools import cache
from pathlib import Path

import cv2
import numpy as np
import numpy.typing as npt
import pytest

from calibration.boards import Board, Seen, find_board, parse_board, read_markers
from calibration.guidance import WANTED, guide, hold_of, missing, poses_of
from calibration.lens import LensReport, find_lens
from calibration.lens_verdict import FOCAL_SHARE
from calibration.views import json_of, lens_of, sentences_of
from rig.bench.board_views import Held, held_around, photograph
from rig.errors import PalettiError
from rig.profile import CameraModel

Grey = npt.NDArray[np.uint8]

LENS = CameraModel(640, 480, 560.0, 562.0, 326.0, 236.0, (0.06, -0.12, 0.001, -0.001, 0.0))
CHARUCO = parse_board("charuco:7x5:20mm:14mm:DICT_5X5_100")
GRID = parse_board("grid:4x3:30mm:8mm:DICT_4X4_100")
CHESS = parse_board("chessboard:8x6:18mm")
REACH_MM = {CHARUCO: 190.0, GRID: 210.0, CHESS: 330.0}


@cache
def views(board: Board) -> dict[str, Grey]:
    shown = held_around(LENS, REACH_MM[board])
    return {f"view {k}": photograph(board, LENS, held, k, bloom_px=1 if board is GRID else 0) for k, held in enumerate(shown)}


@cache
def report_on(board: Board) -> LensReport:
    return lens_of(views(board), board)


@pytest.mark.parametrize("board", [CHARUCO, GRID, CHESS], ids=["charuco", "grid", "chessboard"])
def test_lens_is_found_within_its_stated_uncertainty(board: Board) -> None:
    report = report_on(board)
    assert report.good, report.sentences
    assert report.model.fx_px == pytest.approx(LENS.fx_px, abs=max(3 * report.focal_sd_px, 2.0))
    assert report.model.fy_px == pytest.approx(LENS.fy_px, abs=max(3 * report.focal_sd_px, 2.0))
    assert report.model.cx_px == pytest.approx(LENS.cx_px, abs=max(3 * report.centre_sd_px, 2.0))
    assert report.focal_sd_px < FOCAL_SHARE * LENS.fx_px


def test_bloom_of_printed_markers_is_found_and_does_not_move_the_lens() -> None:
    report = report_on(GRID)
    assert report.bloom_px > 0.3
    assert "bloom" in " ".join(sentences_of(report))


def test_chess_corners_have_no_bloom_to_fit() -> None:
    assert report_on(CHARUCO).bloom_px == 0.0


@pytest.mark.parametrize("width", [640, 1920])
def test_verdict_is_the_same_at_any_width(width: int) -> None:
    factor = width / 640
    seen = [find_board(picture, CHARUCO, name) for name, picture in views(CHARUCO).items()]
    rng = np.random.default_rng(8)
    noisy = [
        replace_pixels(view, (view.pixels + rng.normal(0, 0.55, view.pixels.shape) + 0.5) * factor - 0.5, (width, round(480 * factor)))
        for view in seen
    ]
    report = find_lens(noisy, CHARUCO)
    assert not any("off on average" in sentence for sentence in report.sentences)
    assert any("is much for" in remark for remark in report.remarks)


def replace_pixels(view: Seen, pixels: npt.NDArray[np.float64], size: tuple[int, int]) -> Seen:
    return Seen(view.name, view.ids, view.board_mm, pixels, view.push, view.markers, size)


def test_one_pose_is_refused_by_its_uncertainty_and_spread_though_its_error_is_small() -> None:
    one = {f"{k}": photograph(CHARUCO, LENS, Held(3, 2, 0, 0, 0, 190), k) for k in range(6)}
    report = lens_of(one, CHARUCO)
    assert report.error_px < 0.3
    assert not report.good
    assert any("too much alike" in sentence for sentence in report.sentences)


def test_parallel_views_are_refused_wherever_the_board_is_held() -> None:
    places = [(-60, -40, 240), (60, -30, 240), (0, 0, 200), (-50, 40, 280), (50, 40, 260), (0, 0, 320)]
    report = lens_of({f"{k}": photograph(CHARUCO, LENS, Held(0, 0, 5 * k, *place), k) for k, place in enumerate(places)}, CHARUCO)
    assert not report.good
    assert report.spread_deg < 20


def test_too_few_corners_are_said_picture_by_picture() -> None:
    far = {f"{k}.jpg": photograph(CHARUCO, LENS, Held(0, 0, 0, 200 + 3 * k, 0, 190), k) for k in range(4)}
    with pytest.raises(PalettiError, match=r"Only 0 of 4 pictures show enough of the board .*0\.jpg"):
        lens_of(far, CHARUCO)


def test_worst_view_is_named() -> None:
    seen = [find_board(picture, CHARUCO, name) for name, picture in views(CHARUCO).items()]
    seen[4].pixels[:] += np.random.default_rng(2).normal(0, 1.2, seen[4].pixels.shape)
    report = find_lens(seen, CHARUCO)
    assert report.worst.name == "view 4"
    assert any("worst view is view 4" in remark for remark in report.remarks)


@pytest.mark.parametrize("declared", ["charuco:5x7:20mm:14mm:DICT_5X5_100", "grid:3x4:30mm:8mm:DICT_4X4_100"])
def test_swapped_rows_and_columns_are_said_with_the_board_that_fits(declared: str) -> None:
    true = CHARUCO if declared.startswith("charuco") else GRID
    with pytest.raises(PalettiError, match=f"Columns and rows are swapped.*Write {true}"):
        lens_of(views(true), parse_board(declared))


@pytest.mark.parametrize(
    ("declared", "fits"),
    [
        ("charuco:9x6:20mm:14mm:DICT_5X5_100", "7x5"),
        ("grid:5x5:30mm:8mm:DICT_4X4_100", "4x3"),
        ("chessboard:9x7:18mm", "8x6"),
        ("chessboard:5x4:18mm", "8x6"),
    ],
)
def test_wrong_board_size_is_said_with_the_size_that_fits(declared: str, fits: str) -> None:
    true = {"charuco": CHARUCO, "grid": GRID, "chessboard": CHESS}[declared.partition(":")[0]]
    few = dict(list(views(true).items())[:3])
    with pytest.raises(PalettiError, match=fits):
        lens_of(few, parse_board(declared))


def test_squares_counted_instead_of_inner_corners_are_said() -> None:
    with pytest.raises(PalettiError, match="inner corners are counted"):
        lens_of(dict(list(views(CHESS).items())[:2]), parse_board("chessboard:9x7:18mm"))


def test_wrong_dictionary_is_said_with_the_one_that_fits() -> None:
    with pytest.raises(PalettiError, match=r"markers of DICT_5X5_50, not of DICT_6X6_250"):
        lens_of(views(CHARUCO), parse_board("charuco:7x5:20mm:14mm:DICT_6X6_250"))


def test_board_of_older_opencv_is_said() -> None:
    even = parse_board("charuco:5x6:20mm:14mm:DICT_5X5_100")
    old = replace(even, legacy=True)
    shown = {f"{k}": photograph(old, LENS, held, k) for k, held in enumerate(held_around(LENS, 200.0, 3))}
    with pytest.raises(PalettiError, match=r"legacy.*:legacy"):
        lens_of(shown, even)
    assert len(find_board(shown["0"], old).ids) >= 18
    assert len(find_board(shown["0"], even).ids) == 0


def test_wrong_proportions_of_marker_and_square_are_said() -> None:
    with pytest.raises(PalettiError, match=r"a marker's side is 0\.\d+ of the square.* would be 0\.50"):
        lens_of(views(CHARUCO), parse_board("charuco:7x5:20mm:10mm:DICT_5X5_100"))
    with pytest.raises(PalettiError, match="measure the printed marker and gap"):
        lens_of(views(GRID), parse_board("grid:4x3:30mm:15mm:DICT_4X4_100"))


def test_blur_is_said() -> None:
    soft = {f"{k}": photograph(CHARUCO, LENS, Held(5, 5, 0, 0, 0, 200), k, blur_px=7.0, noise=0.5) for k in range(3)}
    with pytest.raises(PalettiError, match="blurred"):
        lens_of(soft, CHARUCO)


def test_board_without_white_border_is_hinted() -> None:
    single = parse_board("grid:1x1:60mm:8mm:DICT_4X4_100")
    dark = {f"{k}": photograph(single, LENS, Held(5, 5, 0, 0, 0, 200), k, ground=0) for k in range(3)}
    with pytest.raises(PalettiError, match="white border"):
        lens_of(dark, single)


def test_blank_picture_is_said() -> None:
    with pytest.raises(PalettiError, match="blank or dark"):
        lens_of({f"{k}": np.full((480, 640), 9, np.uint8) for k in range(3)}, CHARUCO)


def test_pictures_of_several_sizes_are_refused() -> None:
    mixed = dict(views(CHARUCO))
    mixed["odd"] = np.asarray(cv2.resize(mixed["view 0"], (320, 240)), np.uint8)
    with pytest.raises(PalettiError, match="several sizes"):
        lens_of(mixed, CHARUCO)


def test_corner_that_jumps_is_dropped_and_reported() -> None:
    seen = [find_board(picture, CHARUCO, name) for name, picture in views(CHARUCO).items()]
    seen[2].pixels[[3, 4]] += ((180.0, 20.0), (9.0, -7.0))
    report = find_lens(seen, CHARUCO)
    assert report.views[2].dropped == (int(seen[2].ids[3]), int(seen[2].ids[4]))
    assert any("view 2: 2 corners dropped" in remark for remark in report.remarks)
    assert report.model.fx_px == pytest.approx(LENS.fx_px, rel=0.01)


def test_diagonal_only_view_is_skipped() -> None:
    seen = [find_board(picture, CHARUCO, name) for name, picture in views(CHARUCO).items()]
    columns = CHARUCO.columns - 1
    diagonal = np.isin(seen[0].ids % columns - seen[0].ids // columns, (0,))
    line = (seen[1].ids // columns == 1) | (seen[1].ids == 23)
    report = find_lens([seen[0].only(diagonal), seen[1].only(line), *seen[2:]], CHARUCO)
    reasons = dict(report.skipped)
    assert set(reasons) == {"view 0", "view 1"}
    assert "one line" in reasons["view 1"]
    assert report.good


def test_board_cropped_at_any_side_still_serves() -> None:
    for x, y in ((-75, 0), (75, 0), (0, -62), (0, 62)):
        seen = find_board(photograph(CHARUCO, LENS, Held(12, 12, 0, x, y, 170)), CHARUCO)
        assert 6 <= len(seen.ids) < CHARUCO.corners
        assert len(set(seen.ids.tolist())) == len(seen.ids)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("charuco:7x5:20:10:DICT_6X6_250", "no unit"),
        ("charuco:7x5:20mm:0.5:DICT_6X6_250", "no unit"),
        ("charuco:7x5:20m:10m:DICT_6X6_250", "Was 20 mm meant"),
        ("charuco:7x5:0.02mm:0.01mm:DICT_6X6_250", "Was 0.02 m meant"),
        ("charuco:7x5:10mm:20mm:DICT_6X6_250", "do not fit"),
        ("charuco:7x5:20mm:10mm:DICT_9X9", "no marker dictionary"),
        ("charuco:20x20:20mm:10mm:DICT_4X4_50", "has 50 markers"),
        ("charuco:7by5:20mm:10mm:DICT_6X6_250", "no board size"),
        ("chessboard:9x6", "2 are needed"),
        ("grid:0x4:20mm:5mm:DICT_4X4_50", "cannot be used"),
        ("asymmetric:4x11:20mm", "no kind of board"),
        ("", "no kind of board"),
    ],
)
def test_declaration_that_makes_no_board_is_a_sentence(text: str, said: str) -> None:
    with pytest.raises(PalettiError) as caught:
        parse_board(text)
    assert said in str(caught.value)


@pytest.mark.parametrize("text", ["charuco:7x5:2cm:10mm:6x6_250", "charuco:7x5:0.02m:0.01m:DICT_6X6_250"])
def test_units_mean_what_they_say_and_a_board_reads_back(text: str) -> None:
    board = parse_board(text)
    assert (board.pitch_mm, board.marker_mm) == (20.0, 10.0)
    assert parse_board(str(board)) == board


def test_report_is_plain_json_with_stable_keys() -> None:
    told = json_of(report_on(CHARUCO), CHARUCO)
    assert {
        "good",
        "fx_px",
        "fy_px",
        "cx_px",
        "cy_px",
        "distortion",
        "error_px",
        "focal_sd_px",
        "spread_deg",
        "worst_view",
        "views",
    } <= set(told)


# ---------------------------------------------------------------- guided


def test_guidance_asks_for_each_missing_pose_and_ends_when_all_are_seen() -> None:
    wanted = {
        "front": Held(0, 0, 0, 0, 0, 150), "left": Held(0, 35, 0, 0, 0, 180), "right": Held(0, -35, 0, 0, 0, 180),
        "up": Held(-35, 0, 0, 0, 0, 180), "down": Held(35, 0, 0, 0, 0, 180), "upper left": Held(8, 8, 0, -70, -45, 220),
        "upper right": Held(8, 8, 0, 70, -45, 220), "lower left": Held(8, 8, 0, -70, 45, 220), "lower right": Held(8, 8, 0, 70, 45, 220),
    }  # fmt: skip
    words = dict(WANTED)
    by_words = {words[name]: held for name, held in wanted.items()}
    said: list[str] = []
    current = [Held(0, 0, 0, 0, 0, 150)]
    shot = [0]

    def tell(sentence: str) -> None:
        said.append(sentence)
        current[0] = by_words.get(sentence, current[0])

    def take() -> Grey:
        shot[0] += 1
        return photograph(CHARUCO, LENS, current[0], shot[0])

    taken = guide(CHARUCO, take, tell, patience=60)
    assert [sentence for sentence in said if sentence in by_words] == [words[name] for name, _ in WANTED]
    assert lens_of(taken, CHARUCO).good


def test_left_edge_turned_away_is_left() -> None:
    hold = hold_of(find_board(photograph(CHARUCO, LENS, Held(0, 35, 0, 0, 0, 180)), CHARUCO))
    assert hold is not None
    depth_of_left_edge = np.radians(35)
    assert np.sin(depth_of_left_edge) * 70 > 0  # a point at x = -70 mm turned by +35 degrees about y lies 40 mm farther away
    assert "left" in poses_of(hold)
    assert missing([hold]).startswith("Hold the board straight")


def test_board_waved_about_is_never_taken() -> None:
    shot = [0]

    def take() -> Grey:
        shot[0] += 1
        return photograph(CHARUCO, LENS, Held(0, 0, 0, 6 * (shot[0] % 5), 0, 160), shot[0])

    with pytest.raises(PalettiError, match="held still"):
        guide(CHARUCO, take, lambda _: None, patience=8)


# ---------------------------------------------------------------- real pictures

DATA = Path(os.environ.get("PALETTI_REALDATA", "../shared/data")) / "calib"
real = pytest.mark.skipif(not DATA.is_dir(), reason=f"real pictures are not at hand in {DATA} (PALETTI_REALDATA names them)")


def pictures_in(folder: str, pattern: str = "*.jpg") -> dict[str, Grey]:
    return {path.name: np.asarray(cv2.imread(str(path), 0), np.uint8) for path in sorted((DATA / folder).glob(pattern))}


@real
def test_real_tutorial_board_shows_all_ids_and_24_corners_also_under_a_mouse() -> None:
    board = parse_board("charuco:5x7:40mm:20mm:DICT_6X6_250")
    shown = pictures_in("opencv_aruco_tutorial")
    whole, hidden = find_board(shown["choriginal.jpg"], board), find_board(shown["chocclusion_original.jpg"], board)
    assert (whole.markers, whole.ids.tolist()) == (17, list(range(24)))
    assert (hidden.markers, hidden.ids.tolist()) == (13, [*range(14), 16, 20])
    assert not hidden.on_one_line
    matrix = np.array(((452.5, 0, 317.7), (0, 456.8, 277.8), (0, 0, 1)))
    assert cv2.solvePnP(hidden.board_mm, hidden.pixels, matrix, np.zeros(5))[0]
    assert sorted(read_markers(shown["singlemarkersoriginal.jpg"], "DICT_6X6_250")) == [23, 40, 62, 98, 124, 203]


@real
@pytest.mark.parametrize("name", ["gboriginal.jpg", "diamondmarkers.jpg"])
def test_real_markers_of_no_known_dictionary_are_said(name: str) -> None:
    with pytest.raises(PalettiError, match="none of OpenCV's dictionaries"):
        lens_of(pictures_in("opencv_aruco_tutorial", name), parse_board("grid:5x7:40mm:10mm:DICT_6X6_250"))


@real
def test_real_parallel_views_are_refused_although_the_error_is_a_sixth_of_a_pixel() -> None:
    report = lens_of(pictures_in("charuco_industrial_saroj"), parse_board("charuco:7x5:20mm:10mm:DICT_6X6_250"))
    assert report.error_px < 0.2
    assert not report.good
    assert any("focal length is uncertain" in sentence for sentence in report.sentences)
    assert any("too much alike" in sentence for sentence in report.sentences)


@real
def test_real_swapped_board_is_hinted() -> None:
    with pytest.raises(PalettiError, match="Columns and rows are swapped: the pictures show a board of 7x5"):
        lens_of(pictures_in("charuco_industrial_saroj"), parse_board("charuco:5x7:20mm:10mm:DICT_6X6_250"))


@real
def test_real_grid_on_a_bulging_book_has_the_focal_length_of_its_baseline_and_less_error() -> None:
    board = parse_board("grid:4x5:37.5mm:5mm:DICT_6X6_1000")
    shown = pictures_in("arucogrid_abakisita")
    report = lens_of(shown, board)
    assert report.good
    assert report.model.fx_px == pytest.approx(812.0, rel=0.01)
    assert report.error_px < 0.92
    assert all(view.corners >= 76 for view in report.views)
    raw = {
        name: cv2.aruco.ArucoDetector(cv2.aruco.getPredefinedDictionary(cv2.aruco.DICT_6X6_1000)).detectMarkers(p)
        for name, p in shown.items()
    }
    places = np.array(find_board(shown["0.jpg"], board).board_mm, np.float32).reshape(-1, 4, 3)
    world = [places[ids.ravel()].reshape(-1, 3) for _, ids, _ in raw.values()]
    pixels = [np.array(corners, np.float32).reshape(-1, 2) for corners, _, _ in raw.values()]
    error, matrix, *_ = cv2.calibrateCamera(world, pixels, (640, 480), None, None)
    assert error == pytest.approx(0.92, abs=0.01)  # corners not refined, bloom not allowed for: the baseline itself
    assert matrix[0, 0] == pytest.approx(812.0, abs=2.0)
