"""The printed sheets, read back: rasterised as a printer would, found by OpenCV, measured with the sheet's own ruler."""

from __future__ import annotations

import itertools
import re
from pathlib import Path

import cv2
import msgspec
import numpy as np
import numpy.typing as npt
import pypdfium2
import pytest

from calibration.boards import find_board, read_markers
from calibration.paper import PAPERS_MM, RULER_MM, Sheet
from calibration.targets import marker_frame, unfolded
from calibration.tower import BOARD, FACE_MM, STOREY_MM, board_sheet, tower_layout, tower_markers, tower_sheet
from rig.cli.examples import EXAMPLES
from rig.cli.main import parser
from rig.errors import PalettiError
from rig.profile import Marker
from rig.profile.nominal import nominal_profile

Grey = npt.NDArray[np.uint8]
PROFILE = nominal_profile(2)
LAYOUT = PROFILE.markers
PX_PER_MM = 8.0
CORNERS = {marker.id: np.array(marker.corners_mm) for marker in LAYOUT.markers}


def pages(sheet: Sheet) -> list[Grey]:
    document = pypdfium2.PdfDocument(sheet.pdf)
    shown = [np.asarray(page.render(scale=PX_PER_MM * 25.4 / 72, grayscale=True).to_numpy(), np.uint8) for page in document]
    document.close()
    return [page[:, :, 0] if page.ndim == 3 else page for page in shown]


@pytest.fixture(scope="module", params=sorted(PAPERS_MM))
def paper(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture(scope="module")
def frame(paper: str) -> list[dict[int, npt.NDArray[np.float64]]]:
    """The marker frame's pages: the corners of their markers in mm."""
    return [
        {number: (quad + 0.5) / PX_PER_MM for number, quad in read_markers(page, LAYOUT.dictionary).items()}
        for page in pages(marker_frame(LAYOUT, PROFILE.base, paper))
    ]


def test_frame_holds_every_marker_once_true_to_scale(frame: list[dict[int, npt.NDArray[np.float64]]]) -> None:
    found = sorted(number for page in frame for number in page)
    assert found == sorted(CORNERS)
    for page in frame:
        for quad in page.values():
            sides = np.linalg.norm(quad - np.roll(quad, 1, axis=0), axis=1)
            assert sides == pytest.approx(LAYOUT.side_mm, abs=0.15)


def test_folded_piece_puts_its_markers_where_the_profile_says(frame: list[dict[int, npt.NDArray[np.float64]]]) -> None:
    pairs = 0
    for page in frame:
        for (a, quad_a), (b, quad_b) in itertools.combinations(sorted(page.items()), 2):
            flat = np.abs(quad_a.mean(0) - quad_b.mean(0))
            apart = np.abs(CORNERS[a].mean(0) - CORNERS[b].mean(0))
            # along the edge as in space; across it the rim's depth and the skirt's depth add up, because the fold lies between
            along, across = (0, 1) if abs(flat[0] - apart[0]) < abs(flat[0] - apart[1]) else (1, 0)
            assert flat[0] == pytest.approx(apart[along], abs=0.1)
            assert flat[1] == pytest.approx(apart[across] + apart[2], abs=0.1)
            pairs += 1
    assert pairs > 40


def test_rulers_measure_what_they_say(paper: str) -> None:
    page = pages(board_sheet(paper))[0]
    longest = 0
    for row in page[-round(30 * PX_PER_MM) :] < 128:
        edges = np.flatnonzero(np.diff(np.concatenate(([0], row.astype(np.int8), [0]))))
        longest = max(longest, int((edges[1::2] - edges[::2]).max(initial=0)))
    assert longest / PX_PER_MM == pytest.approx(RULER_MM, abs=0.4)


def test_charuco_board_is_the_one_its_own_words_declare(paper: str) -> None:
    seen = find_board(pages(board_sheet(paper))[0], BOARD)
    assert len(seen.ids) == BOARD.corners
    assert seen.markers == BOARD.markers
    scale, _ = cv2.estimateAffinePartial2D(np.ascontiguousarray(seen.board_mm[:, :2]), seen.pixels / PX_PER_MM)
    assert float(np.hypot(scale[0, 0], scale[0, 1])) == pytest.approx(1.0, abs=0.002)


def test_tower_folds_to_the_geometry_that_calibration_believes(paper: str) -> None:
    shown = [
        {n: (quad + 0.5) / PX_PER_MM for n, quad in read_markers(page, LAYOUT.dictionary).items()}
        for page in pages(tower_sheet(LAYOUT, paper))
    ]
    believed = {marker.id: np.array(marker.corners_mm) for marker in tower_layout(LAYOUT).markers}
    placed = {marker.id: marker for marker in tower_markers(LAYOUT)}
    assert sorted(n for page in shown for n in page) == sorted(believed)
    assert not set(believed) & set(CORNERS)
    for storey, page in enumerate(shown):
        for (a, quad_a), (b, quad_b) in itertools.combinations(sorted(page.items()), 2):
            assert placed[a].storey == placed[b].storey == storey
            step = quad_b.mean(0) - quad_a.mean(0)
            assert step[0] == pytest.approx((placed[b].face - placed[a].face) * FACE_MM, abs=0.1)
            assert -step[1] == pytest.approx(believed[b].mean(0)[2] - believed[a].mean(0)[2], abs=0.1)
    tops = [corners[:, 2].max() for corners in believed.values()]
    assert max(tops) > 2.9 * STOREY_MM
    for corners in believed.values():
        assert np.abs(corners[:, :2]).max() == pytest.approx(FACE_MM / 2)


def test_same_sheets_give_the_same_bytes() -> None:
    assert marker_frame(LAYOUT, PROFILE.base).pdf == marker_frame(LAYOUT, PROFILE.base).pdf


def test_marker_off_the_apron_comes_on_a_sheet_of_its_own() -> None:
    wall = Marker(99, tuple((x, 400.0, z) for x, z in ((17.0, 97.0), (-17.0, 97.0), (-17.0, 63.0), (17.0, 63.0))))
    layout = msgspec.structs.replace(LAYOUT, markers=(*LAYOUT.markers, wall))
    assert unfolded(layout, PROFILE.base)[1] == [wall]
    assert 99 in read_markers(pages(marker_frame(layout, PROFILE.base))[-1], LAYOUT.dictionary)


@pytest.mark.parametrize("make", [lambda p: marker_frame(LAYOUT, PROFILE.base, p), board_sheet, lambda p: tower_sheet(LAYOUT, p)])
def test_unknown_paper_is_a_sentence(make: object) -> None:
    assert callable(make)
    with pytest.raises(PalettiError, match="no paper"):
        make("b5")


def test_markers_too_large_for_the_paper_or_the_tower_are_a_sentence() -> None:
    huge = msgspec.structs.replace(LAYOUT, side_mm=300.0)
    with pytest.raises(PalettiError, match="do not fit on this paper"):
        marker_frame(huge, PROFILE.base)
    with pytest.raises(PalettiError, match="tower's faces"):
        tower_sheet(huge)


def test_tower_needs_free_ids() -> None:
    with pytest.raises(PalettiError, match="has 50"):
        tower_markers(msgspec.structs.replace(LAYOUT, dictionary="DICT_4X4_50"))


# ---------------------------------------------------------------- gluing it together


def cut_out(page: Grey) -> npt.NDArray[np.bool_]:
    """The paper inside the grey cut line: what no paint from the page's corner reaches, without rulers and words."""
    dark = page < 200
    outside = dark.astype(np.uint8)
    cv2.floodFill(outside, None, (0, 0), 2)
    inside = cv2.morphologyEx((outside != 2).astype(np.uint8), cv2.MORPH_OPEN, np.ones((9, 9), np.uint8))
    _, labels, stats, _ = cv2.connectedComponentsWithStats(inside)
    return np.asarray(labels == 1 + int(stats[1:, cv2.CC_STAT_AREA].argmax()))


def glued_on_rim(shown: list[Grey]) -> dict[int, npt.NDArray[np.float64]]:
    """The markers (corners in mm) on the rim seen from above, the pieces of these pages glued over one another in this order."""
    outer, px = PROFILE.base.apron_outer_mm, 3.0
    size = round(2 * outer * px)
    rim = np.full((size, size), 128, np.uint8)
    for page in shown:
        found = {n: quad for n, quad in read_markers(page, LAYOUT.dictionary).items() if np.ptp(CORNERS[n][:, 2]) < 1}
        on_page = np.concatenate([found[n] for n in sorted(found)])
        wanted = np.concatenate([(CORNERS[n][:, :2] * (1, -1) + outer) * px for n in sorted(found)])
        onto, _ = cv2.estimateAffinePartial2D(on_page, wanted)
        paper = cv2.warpAffine(cut_out(page).astype(np.uint8), onto, (size, size), flags=cv2.INTER_NEAREST) > 0
        rim[paper] = cv2.warpAffine(page, onto, (size, size), flags=cv2.INTER_AREA)[paper]
    return {n: (quad / px - outer) * (1, -1) for n, quad in read_markers(rim, LAYOUT.dictionary).items()}


@pytest.mark.parametrize("backwards", [False, True])
def test_pieces_cut_out_and_glued_leave_every_marker_of_the_rim_free(paper: str, backwards: bool) -> None:
    shown = pages(marker_frame(LAYOUT, PROFILE.base, paper))
    free = glued_on_rim(shown[::-1] if backwards else shown)
    assert sorted(free) == sorted(n for n, corners in CORNERS.items() if np.ptp(corners[:, 2]) < 1)
    for number, corners in free.items():
        assert np.abs(corners - CORNERS[number][:, :2]).max() < 0.6


# ---------------------------------------------------------------- what is printed and what is written


def words_of(sheet: Sheet) -> str:
    document = pypdfium2.PdfDocument(sheet.pdf)
    words = " ".join(page.get_textpage().get_text_bounded() for page in document)
    document.close()
    return words


def test_pages_of_the_frame_are_numbered_in_the_order_of_gluing(paper: str) -> None:
    words = words_of(marker_frame(LAYOUT, PROFILE.base, paper))
    assert all(f"{number}. {side} side" in words for number, side in ((1, "Front"), (3, "Right"), (5, "Back"), (7, "Left")))
    assert "glue flat in the order of the numbers" in words


def test_every_document_names_the_board_that_is_printed(paper: str) -> None:
    assert f"--board {BOARD}" in words_of(board_sheet(paper))
    root = Path(__file__).resolve().parents[2]
    rooms = [path for room in ("calibration", "rig", "vision", "firmware") for path in (root / room).rglob("*.md")]
    texts = [*(path.read_text(encoding="utf-8") for path in (*root.glob("*.md"), *rooms)), *EXAMPLES.values()]
    named = {board for text in texts for board in re.findall(r"--board (charuco:[^\s`]+)", text)}
    assert named == {str(BOARD)}
    assert parser().parse_args(["calibrate", "camera", "--live", "0", "--board"]).board == str(BOARD)
