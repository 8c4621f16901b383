"""The documented way to a calibrated table: sheets, defaults and documents name one board; lenses come in any order; slips are named."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import cv2
import numpy as np
import numpy.typing as npt
import pypdfium2
import pytest
from shapely import Polygon

from calibration.boards import BOARD, EXAMPLES, Board, Seen, find_board, parse_board
from calibration.find_cameras import find_cameras
from calibration.lens import find_lens
from calibration.misfit import unseen_rows
from calibration.paper import PAPERS_MM, Sheet
from calibration.pose import find_pose
from calibration.targets import SIDES, Piece, marker_frame, pieces_of
from calibration.tower import board_sheet
from calibration.views import lens_of
from rig import profile as profiles
from rig.bench.board_views import Held, held_around, photograph
from rig.cli import main
from rig.errors import PalettiError
from rig.messages import Tower
from rig.profile import CameraModel
from rig.profile.nominal import nominal_profile
from rig.twin.pictures.cameras import render_tower

Floats = npt.NDArray[np.float64]
Grey = npt.NDArray[np.uint8]
README = Path(__file__).parents[2] / "calibration" / "README.md"
LENS = CameraModel(640, 480, 560.0, 562.0, 326.0, 236.0, (0.06, -0.12, 0.001, -0.001, 0.0))
PROFILE = nominal_profile(2)


def words(sheet: Sheet) -> str:
    document = pypdfium2.PdfDocument(sheet.pdf)
    said = "\n".join(page.get_textpage().get_text_range() for page in document)
    document.close()
    return said


def test_printed_board_is_the_one_that_documents_and_hints_name_and_that_is_taken_by_default() -> None:
    printed = set(re.findall(r"charuco:\S+", words(board_sheet())))
    documented = set(re.findall(r"--board (charuco:[^\s`]+)", README.read_text()))
    assert printed == documented == {str(BOARD)}
    assert EXAMPLES.startswith(str(BOARD))


# ---------------------------------------------------------------- lenses one at a time


@pytest.fixture(scope="module")
def shots(tmp_path_factory: pytest.TempPathFactory) -> str:
    """Pictures of the printed board by one camera: their pattern."""
    folder = tmp_path_factory.mktemp("shots")
    for k, held in enumerate(held_around(LENS, 320.0)):
        cv2.imwrite(str(folder / f"{k}.png"), photograph(BOARD, LENS, held, k))
    return str(folder / "*.png")


@pytest.mark.parametrize("order", [(1, 2), (2, 1), (3,)])
def test_lenses_are_calibrated_in_any_order_into_one_profile(
    order: tuple[int, ...], shots: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    for number in order:
        assert main(["calibrate", "camera", "--camera", str(number), "--images", shots, "--board"]) == 0
    cameras = profiles.load(Path("profile.json")).cameras
    assert [camera.number for camera in cameras] == list(range(1, max(order) + 1))
    for camera in cameras:
        found = camera.model.fx_px == pytest.approx(LENS.fx_px, rel=0.01) and camera.model.width_px == LENS.width_px
        assert found == (camera.number in order)


# ---------------------------------------------------------------- the frame's sheets


def on_rim(side: str, corners: tuple[tuple[float, float], ...]) -> Polygon:
    """Places (along, above) of a side's piece on the rim, seen from above."""
    nx, ny = dict(SIDES)[side]
    outer = PROFILE.base.apron_outer_mm
    return Polygon([(nx * (outer - above) - ny * along, ny * (outer - above) + nx * along) for along, above in corners])


def upper(piece: Piece) -> Polygon:
    """The part of a piece that lies on the rim once it is folded."""
    above = Polygon(piece.outline).intersection(Polygon([(-999, 0.01), (999, 0.01), (999, 999), (-999, 999)]))
    return on_rim(piece.side, tuple(above.exterior.coords)) if not above.is_empty else Polygon()


@pytest.mark.parametrize("paper", sorted(PAPERS_MM))
def test_no_piece_of_the_frame_covers_a_marker_of_another(paper: str) -> None:
    pieces = pieces_of(PROFILE.markers, PROFILE.base, paper)
    half = PROFILE.markers.side_mm / 2 + PROFILE.markers.margin_mm
    square = ((-half, half), (half, half), (half, -half), (-half, -half))
    held = 0
    for piece in pieces:
        for marker in piece.markers:
            place = tuple((marker.along_mm + a, marker.above_mm + b) for a, b in square)
            assert Polygon(piece.outline).buffer(0.01).contains(Polygon(place))
            for other in pieces:
                if other is piece:
                    continue
                held += 1
                if marker.above_mm > 0:
                    assert on_rim(piece.side, place).intersection(upper(other)).area < 0.1, (piece.side, marker, other.side)
                elif other.side == piece.side:
                    assert Polygon(place).intersection(Polygon(other.outline)).area < 0.1
    assert held > 100


def test_frame_says_where_to_cut_and_in_which_order_to_glue() -> None:
    said = words(marker_frame(PROFILE.markers, PROFILE.base))
    pieces = pieces_of(PROFILE.markers, PROFILE.base)
    assert said.count("Cut along all grey lines") == said.count("in the order of the pages") == len(pieces)
    places = [said.index(f"{side.capitalize()} side, piece 1") for side, _ in SIDES]
    assert places == sorted(places)


# ---------------------------------------------------------------- views weighed by how much they differ


def seen_by(held: list[Held], board: Board = BOARD) -> list[Seen]:
    return [find_board(photograph(board, LENS, one, k), board, f"{k}") for k, one in enumerate(held)]


def repeated(views: list[Seen], times: int, shake_px: float) -> list[Seen]:
    """Each view so many times, as a burst of a hand that shakes sees it: shifted as a whole, and with fresh noise."""
    rng = np.random.default_rng(4)
    return [
        replace(
            view, name=f"{view.name}{k}", pixels=view.pixels + rng.normal(0, shake_px, 2) + rng.normal(0, shake_px / 20, view.pixels.shape)
        )
        for view in views
        for k in range(times)
    ]


@pytest.mark.parametrize("shake_px", [0.0, 2.0])
def test_copies_and_bursts_of_three_poses_are_refused_as_the_three_are(shake_px: float) -> None:
    three = seen_by([Held(3, 4, 0, 0, 0, 420), Held(18, 0, 0, 10, 0, 430), Held(0, -16, 0, -12, 5, 440)])
    few = find_lens(three, BOARD)
    many = find_lens(repeated(three, 6, shake_px), BOARD)
    assert not few.good
    assert not many.good
    assert many.focal_sd_px > 0.7 * few.focal_sd_px
    assert any(re.match(r"18 pictures count as [123]\.\d:", remark) for remark in many.remarks)


def test_views_that_differ_count_in_full() -> None:
    report = find_lens(seen_by(held_around(LENS, 320.0)), BOARD)
    assert report.good
    assert not any("count as" in remark for remark in report.remarks)


# ---------------------------------------------------------------- slips that are named


def test_mirrored_views_of_the_board_are_named() -> None:
    shown = {f"{k}": np.ascontiguousarray(photograph(BOARD, LENS, held, k)[:, ::-1]) for k, held in enumerate(held_around(LENS, 320.0, 3))}
    with pytest.raises(PalettiError, match="mirrored: switch off selfie mode"):
        lens_of(shown, BOARD)


@pytest.fixture(scope="module")
def flipped() -> list[Grey]:
    """Each camera's picture of the empty rig, mirrored."""
    return [np.ascontiguousarray(picture[:, ::-1]) for picture in render_tower(PROFILE, Tower(), 6401)]


def _by_pose(pictures: list[Grey]) -> None:
    find_pose(PROFILE, 1, pictures[:1])


def _by_look(pictures: list[Grey]) -> None:
    find_cameras(PROFILE, pictures, ["a.png", "b.png"])


@pytest.mark.parametrize("find", [_by_pose, _by_look])
def test_mirrored_views_of_the_rig_are_named_once(find: Callable[[list[Grey]], None], flipped: list[Grey]) -> None:
    with pytest.raises(PalettiError, match="Camera 1's pictures are mirrored: switch off selfie mode") as caught:
        find(flipped)
    assert str(caught.value).count("Camera 1") == 1


def test_row_too_many_declared_is_said() -> None:
    declared = parse_board(str(BOARD).replace("7x5", "7x6"))
    seen = [find_board(photograph(BOARD, LENS, held, k), declared, f"{k}") for k, held in enumerate(held_around(LENS, 320.0))]
    assert f"show 7x5 of the 7x6 declared, and never the rest: if that is all there is on the board, write {BOARD}" in unseen_rows(
        seen, declared
    )
    assert unseen_rows(seen_by(held_around(LENS, 320.0, 4)), BOARD) == ""
