"""The flat mat: its pages read back as a printer would draw them, taped together, and seen by a camera whose pose is known."""

from __future__ import annotations

import itertools
from pathlib import Path

import cv2
import msgspec
import numpy as np
import numpy.typing as npt
import pypdfium2
import pytest

from calibration.boards import read_markers
from calibration.mat import ACROSS, DOWN, HALF_MM, TILE_MM, mat_layout, mat_sheet, on_mat
from calibration.paper import EDGE_MM, PAPERS_MM
from calibration.tower import tower_markers
from rig import profile as profiles
from rig.cli import main
from rig.errors import PalettiError
from rig.profile.nominal import nominal_profile
from rig.twin.pictures.cameras import draw_camera_poses
from tests.calibration.test_tower import MODEL, off_mm, seen_markers
from vision.camera.markers import fit_pose
from vision.camera.view import CameraView

Grey = npt.NDArray[np.uint8]
PROFILE = nominal_profile(1)
LAYOUT = mat_layout(PROFILE.base)
CORNERS = {marker.id: np.array(marker.corners_mm) for marker in LAYOUT.markers}
PX_PER_MM = 12.0  # a whole number of pixels a tile
GOOD_MM = 1.0
"""Asked of a pose: error at the fifth floor."""


@pytest.fixture(scope="module", params=sorted(PAPERS_MM))
def pages(request: pytest.FixtureRequest) -> list[Grey]:
    document = pypdfium2.PdfDocument(mat_sheet(PROFILE.base, str(request.param)).pdf)
    shown = [np.asarray(page.render(scale=PX_PER_MM * 25.4 / 72, grayscale=True).to_numpy(), np.uint8) for page in document]
    document.close()
    return [page[:, :, 0] if page.ndim == 3 else page for page in shown]


def cut(page: Grey) -> Grey:
    """The page cut from crop mark to crop mark."""
    first = round(EDGE_MM * PX_PER_MM)
    return page[first : first + round(TILE_MM[1] * PX_PER_MM), first : first + round(TILE_MM[0] * PX_PER_MM)]


def taped(pages: list[Grey]) -> Grey:
    return np.vstack([np.hstack([cut(page) for page in pages[row * ACROSS : (row + 1) * ACROSS]]) for row in range(DOWN)])


def test_taped_together_every_marker_lies_where_the_layout_says(pages: list[Grey]) -> None:
    assert len(pages) == ACROSS * DOWN
    found = read_markers(taped(pages), LAYOUT.dictionary)
    assert sorted(found) == sorted(CORNERS)
    for number, quad in found.items():
        mm = (quad + 0.5) / PX_PER_MM * (1, -1) + (-HALF_MM, HALF_MM)
        assert np.abs(mm - CORNERS[number][:, :2]).max() < 0.2, number


def test_every_page_has_the_crop_marks_of_its_four_corners(pages: list[Grey]) -> None:
    for page in pages:
        for x, y in itertools.product((EDGE_MM, EDGE_MM + TILE_MM[0]), (EDGE_MM, EDGE_MM + TILE_MM[1])):
            out_x, out_y = (-3.5 if x == EDGE_MM else 3.5), (-3.5 if y == EDGE_MM else 3.5)
            for px, py in ((x + out_x, y), (x, y + out_y)):
                row, column = round(py * PX_PER_MM), round(px * PX_PER_MM)
                assert page[row - 2 : row + 3, column - 2 : column + 3].min() < 128, (px, py)


def test_the_circle_is_as_large_as_the_game_s_base(pages: list[Grey]) -> None:
    whole = taped(pages)
    middle = round(HALF_MM * PX_PER_MM)
    for row in (whole[middle + 8], whole[:, middle + 8]):  # just off the seam
        dark = np.flatnonzero(row < 128) / PX_PER_MM - HALF_MM
        left, right = dark[np.abs(dark + PROFILE.base.radius_mm).argmin()], dark[np.abs(dark - PROFILE.base.radius_mm).argmin()]
        assert right - left == pytest.approx(2 * PROFILE.base.radius_mm, abs=0.4)


def test_no_markers_overlap_or_cross_a_seam_or_lie_under_the_base() -> None:
    reach = LAYOUT.side_mm / 2 + LAYOUT.margin_mm
    middles = {number: corners.mean(0) for number, corners in CORNERS.items()}
    for a, b in itertools.combinations(middles.values(), 2):
        assert np.abs(a - b)[:2].max() >= 2 * reach
    for x, y, z in middles.values():
        assert z == -PROFILE.base.thickness_mm
        assert np.hypot(max(abs(x) - reach, 0), max(abs(y) - reach, 0)) > PROFILE.base.radius_mm
        for at, step in ((x, TILE_MM[0]), (y, TILE_MM[1])):
            assert min((at + HALF_MM) % step, step - (at + HALF_MM) % step) >= reach


def test_one_calibration_tower_serves_frame_and_mat() -> None:
    assert [marker.id for marker in tower_markers(LAYOUT)] == [marker.id for marker in tower_markers(PROFILE.markers)]


def test_pose_by_the_mat_is_as_good_as_by_the_frame() -> None:
    off: dict[str, list[float]] = {"mat": [], "frame": []}
    for seed in range(7701, 7713):
        true = draw_camera_poses(1, seed)[0]
        for name, layout in (("mat", LAYOUT), ("frame", PROFILE.markers)):
            fit = fit_pose(seen_markers(layout, true, np.random.default_rng(seed)), layout, MODEL, 1)
            assert fit is not None
            off[name].append(off_mm(fit.pose, true))
    mat, frame = (float(np.sqrt(np.mean(np.square(off[name])))) for name in ("mat", "frame"))
    print(f"rms at the fifth floor: mat {mat:.2f} mm (worst {max(off['mat']):.2f}), frame {frame:.2f} mm (worst {max(off['frame']):.2f})")
    assert mat < GOOD_MM


def seen(whole: Grey, seed: int) -> tuple[npt.NDArray[np.uint8], CameraView]:
    """The taped mat on a wooden table with the base on it, as a camera sees it: blur and noise; and the true view."""
    true = draw_camera_poses(1, seed)[0]
    view = CameraView.of(MODEL, true)
    sheet = cv2.resize(whole, None, fx=1 / 3, fy=1 / 3, interpolation=cv2.INTER_AREA)
    side = sheet.shape[0]
    world = np.array([(u * HALF_MM, v * HALF_MM, -PROFILE.base.thickness_mm) for u, v in ((-1, 1), (1, 1), (1, -1), (-1, -1))])
    corners = np.array(((0, 0), (side, 0), (side, side), (0, side))) - 0.5
    matrix, _ = cv2.findHomography(corners, 4 * view.project(world) + 1.5)  # drawn four times as large, then made small
    size = (4 * MODEL.width_px, 4 * MODEL.height_px)
    large = cv2.warpPerspective(40 + sheet * (180 / 255), matrix, size, flags=cv2.INTER_LINEAR, borderValue=90.0)
    circle = [(np.cos(a) * PROFILE.base.radius_mm, np.sin(a) * PROFILE.base.radius_mm, 0.0) for a in np.linspace(0, 2 * np.pi, 90)]
    cv2.fillPoly(large, [np.rint(4 * view.project(np.array(circle)) + 1.5).astype(np.int32)], 170.0)
    small = cv2.GaussianBlur(cv2.resize(large, (MODEL.width_px, MODEL.height_px), interpolation=cv2.INTER_AREA), (0, 0), 0.6)
    noisy = small[..., None] + np.random.default_rng(seed).normal(0, 2.0, (*small.shape, 3))
    return np.asarray(noisy.clip(0, 255).round(), np.uint8), view


def test_camera_is_found_from_a_picture_of_the_printed_mat(pages: list[Grey], tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    picture, view = seen(taped(pages), 7731)
    assert cv2.imwrite(str(tmp_path / "front.png"), picture)
    out = tmp_path / "profile.json"
    told = main(["calibrate", "camera", "--mat", "--images", str(tmp_path / "front.png"), "--out", str(out)])
    said = capsys.readouterr().out
    assert told == 0, said
    profile = profiles.load(out)
    assert (profile.markers, profile.cells) == (LAYOUT, ())
    pose = profile.cameras[0].pose
    assert pose is not None
    found = CameraView.of(MODEL, pose)
    top = (0.0, 0.0, 525.0)
    assert float(np.linalg.norm(found.project(top) - view.project(top))) / view.px_per_mm(top) < GOOD_MM


def test_a_picture_of_the_mat_is_not_taken_for_the_frame(pages: list[Grey], tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert cv2.imwrite(str(tmp_path / "front.png"), seen(taped(pages), 7732)[0])
    assert main(["calibrate", "camera", "--images", str(tmp_path / "front.png"), "--out", str(tmp_path / "p.json")]) == 2
    assert "fit no pose" in capsys.readouterr().err


def test_a_base_too_large_for_the_mat_and_a_lens_from_it_are_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(PalettiError, match="would cover the mat's markers"):
        mat_layout(msgspec.structs.replace(PROFILE.base, radius_mm=190.0))
    assert main(["calibrate", "camera", "--mat", "--board", "chessboard:9x6:25mm", "--images", str(tmp_path / "x.png")]) == 2
    assert "a lens is found from a board" in capsys.readouterr().err


def test_twice_on_the_mat_is_once() -> None:
    assert on_mat(on_mat(PROFILE)) == on_mat(PROFILE)
