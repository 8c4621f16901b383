"""Camera poses as calibration reports them, and the printed sheets read back by OpenCV from a browser's rendering of their geometry."""

from __future__ import annotations

import re
from xml.etree import ElementTree

import cv2
import msgspec
import numpy as np
import numpy.typing as npt
import pytest

from calibration.pose import find_pose, pose_cameras
from calibration.targets import marker_sheets
from rig.errors import PalettiError
from rig.messages import Tower
from rig.profile import MarkerLayout, nominal_profile
from rig.twin.cameras import draw_camera_poses, render_tower
from vision.geometry import View

Picture = npt.NDArray[np.uint8]
PROFILE = nominal_profile(2)
SEED = 5501


@pytest.fixture(scope="module")
def pictures() -> list[Picture]:
    return render_tower(PROFILE, Tower(), SEED)


def test_poses_go_into_the_profile_with_a_good_report(pictures: list[Picture]) -> None:
    profile, reports = pose_cameras(PROFILE, {1: [pictures[0]], 2: [pictures[1]]})
    for report, true in zip(reports, draw_camera_poses(2, SEED), strict=True):
        assert report.good, report.sentence
        camera = profile.camera(report.camera)
        assert camera.pose == report.pose
        top = (0.0, 0.0, 525.0)
        assert np.linalg.norm(View.of(camera.model, report.pose).project(top) - View.of(camera.model, true).project(top)) < 1.0


def test_camera_that_moved_between_pictures_is_said(pictures: list[Picture]) -> None:
    moved = np.asarray(cv2.warpAffine(pictures[0], np.array(((1.0, 0, 10.0), (0, 1, 0.0))), (720, 1280)), dtype=np.uint8)
    report = find_pose(PROFILE, 1, [pictures[0], moved])
    assert not report.good
    assert "moved" in report.sentence


def test_view_that_cuts_the_tower_is_refused_with_a_number(pictures: list[Picture]) -> None:
    model = msgspec.structs.replace(PROFILE.cameras[0].model, height_px=1000, cy_px=PROFILE.cameras[0].model.cy_px - 280)
    low = msgspec.structs.replace(PROFILE, cameras=(msgspec.structs.replace(PROFILE.cameras[0], model=model),))
    report = find_pose(low, 1, [np.ascontiguousarray(pictures[0][280:])])
    assert not report.good
    assert re.search(r"cuts off \d+ %", report.sentence)


def test_one_camera_opened_twice_is_said(pictures: list[Picture]) -> None:
    with pytest.raises(PalettiError, match="same place"):
        pose_cameras(PROFILE, {1: [pictures[0]], 2: [pictures[0]]})


def test_no_markers_is_a_sentence(pictures: list[Picture]) -> None:
    with pytest.raises(PalettiError, match="none of the rig's markers"):
        find_pose(PROFILE, 1, [np.ascontiguousarray(np.vstack((pictures[0][:640], pictures[0][639::-1])))])


def _drawn(svg: str, px_per_mm: int = 8) -> Picture:
    """The black cells of a sheet, rastered from its paths alone."""
    root = ElementTree.fromstring(svg)
    width, height = (float(value) for value in root.attrib["viewBox"].split()[2:])
    sheet = np.full((round(height * px_per_mm), round(width * px_per_mm)), 255, dtype=np.uint8)
    for path in root.iter("{http://www.w3.org/2000/svg}path"):
        if path.attrib.get("fill") != "black":
            continue
        for x, y, w, h in re.findall(r"M([\d.]+) ([\d.]+)h([\d.]+)v([\d.]+)", path.attrib["d"]):
            left, top, right, bottom = (float(x), float(y), float(x) + float(w), float(y) + float(h))
            sheet[round(top * px_per_mm) : round(bottom * px_per_mm), round(left * px_per_mm) : round(right * px_per_mm)] = 0
    return sheet


@pytest.mark.parametrize("paper", ["a4", "letter"])
def test_printed_sheets_hold_every_marker_true_to_scale(paper: str) -> None:
    layout: MarkerLayout = PROFILE.markers
    detector = cv2.aruco.ArucoDetector(cv2.aruco.getPredefinedDictionary(cv2.aruco.DICT_4X4_100))
    sides: dict[int, float] = {}
    for sheet in marker_sheets(layout, paper):
        assert 'width="2' in sheet.svg
        assert "mm" in sheet.svg
        corners, ids, _ = detector.detectMarkers(_drawn(sheet.svg))
        for number, quad in zip(ids.ravel(), corners, strict=True):
            sides[int(number)] = float(np.linalg.norm(quad[0][0] - quad[0][1])) / 8
    assert set(sides) == {marker.id for marker in layout.markers}
    assert np.array(list(sides.values())) == pytest.approx(layout.side_mm, abs=0.3)


def test_unknown_paper_is_a_sentence() -> None:
    with pytest.raises(PalettiError, match="no paper"):
        marker_sheets(PROFILE.markers, "b5")
