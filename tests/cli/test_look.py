"""`paletti look` on pictures: floor by floor for people, stable JSON for scripts, and a sentence for every picture that cannot be read."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import cv2
import msgspec
import numpy as np
import numpy.typing as npt
import pytest

from rig.cli.look_since import as_lines, moved_since
from rig.cli.main import main
from rig.profile import Profile, to_json
from rig.profile.nominal import nominal_profile
from rig.twin.physics.poses import poses_of
from rig.twin.physics.towers import random_tower
from rig.twin.pictures.cameras import Eye

Picture = npt.NDArray[np.uint8]
Refused = Callable[..., str]


@pytest.fixture(scope="module")
def pictures(tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    """Two cameras' pictures of a tower of one plateau, and the calibrated profile (`profile.json`) beside them."""
    folder = tmp_path_factory.mktemp("pictures")
    profile = nominal_profile(2)
    tower = random_tower(profile, 41, 1)
    paths = []
    with Eye(profile, 41) as eye:
        for number, picture in enumerate(eye.delivered(poses_of(profile, tower)), 1):
            paths.append(folder / f"{number}.png")
            cv2.imwrite(str(paths[-1]), picture)
        cameras = tuple(msgspec.structs.replace(camera, pose=pose) for camera, pose in zip(profile.cameras, eye.poses, strict=True))
    (folder / "profile.json").write_text(to_json(msgspec.structs.replace(profile, cameras=cameras)), encoding="utf-8")
    return paths


@pytest.fixture
def refused(capfd: pytest.CaptureFixture[str]) -> Refused:
    """Runs `paletti look` with these arguments, which must be refused with exit code 2; gives what it said."""

    def run(*arguments: object) -> str:
        capfd.readouterr()
        code = main(["look", *(str(argument) for argument in arguments)])
        out, err = capfd.readouterr()
        assert code == 2, err
        assert err.startswith("paletti: ")
        assert "Traceback" not in out + err
        assert out == ""
        return err

    return run


def _changed(path: Path, into: Path, change: Callable[[Picture], Picture]) -> Path:
    picture = cv2.imread(str(path))
    assert picture is not None
    cv2.imwrite(str(into), change(np.asarray(picture, np.uint8)))
    return into


def test_json_holds_every_field_and_the_overlay_shows_both_pictures(
    pictures: list[Path], tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    overlay = tmp_path / "drawn.png"
    profile = pictures[0].parent / "profile.json"
    arguments = ["look", "--images", *map(str, pictures), "--json", "--overlay", str(overlay), "--profile", str(profile)]
    assert main(arguments) == 0
    said = json.loads(capfd.readouterr().out)
    assert said["version"] == 1
    places = {"cameras", "plateaus", "columns", "overhangs", "hidden"}
    assert set(said) == places | {"version", "fit", "stray_mm2", "usable", "sentence", "pictures"}
    assert [one["camera"] for one in said["cameras"]] == [1, 2]
    assert [one["plateau"] for one in said["plateaus"]] == ["blue"]
    assert said["usable"] is True
    assert len(said["columns"]) + sum(one["count"] for one in said["hidden"]) == 20
    names = {"colour", "shape", "floor", "x_mm", "y_mm", "z_mm", "yaw_deg", "confidence", "visible", "sigma_mm"}
    assert all(0 < one["sigma_mm"] < 3 and 0 < one["tilt_sigma_deg"] < 3 and abs(one["tilt_x_deg"]) < 3 for one in said["plateaus"])
    assert {one["over"] for one in said["overhangs"]} == {"base", "building site", "blue"}
    assert all(one["sigma_mm"] > 0 and 0 <= one["chance"] <= 1 for one in said["overhangs"])
    assert all(set(one) == names and 0 <= one["confidence"] <= 1 and 0 < one["sigma_mm"] <= 60 for one in said["columns"])
    drawn = cv2.imread(str(overlay))
    assert drawn is not None
    assert drawn.shape == (1280, 1440, 3)


def test_floors_are_printed_from_the_top_with_what_stands_there_and_what_moved(
    pictures: list[Path], tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    earlier = tmp_path / "earlier.json"
    assert main(["look", "--images", str(pictures[0]), "--json"]) == 0
    earlier.write_text(capfd.readouterr().out, encoding="utf-8")
    assert main(["look", "--images", str(pictures[0]), "--since", str(earlier)]) == 0
    said = capfd.readouterr().out
    assert said.startswith("camera 1: ")
    assert said.index("\nblue at ") < said.index("\nground\n")
    assert "% sure" in said
    assert "% of the tower's pixels look right, 1 camera\n" in said
    assert "Nothing has happened." in said


def test_swapped_cameras_are_told_by_their_calibrated_poses_and_without_them(pictures: list[Path], refused: Refused) -> None:
    first, second = pictures
    assert "swapped" in refused("--images", second, first, "--profile", first.parent / "profile.json")
    assert "swapped" in refused("--images", second, first)


def test_the_same_picture_twice_is_a_frozen_or_a_wrong_one(pictures: list[Path], refused: Refused) -> None:
    assert "the very same picture" in refused("--images", pictures[0], pictures[0])


def test_a_covered_lens_and_a_dark_room_are_told(pictures: list[Path], refused: Refused, tmp_path: Path) -> None:
    black = _changed(pictures[1], tmp_path / "black.png", lambda picture: picture // 40)
    assert "Camera 2's picture is dark" in refused("--images", pictures[0], black)
    grey = _changed(pictures[1], tmp_path / "grey.png", lambda picture: np.full_like(picture, 90))
    assert "Camera 2's picture is blank" in refused("--images", pictures[0], grey)


def test_too_few_markers_are_told_with_their_number(pictures: list[Path], refused: Refused, tmp_path: Path) -> None:
    def covered(picture: Picture) -> Picture:
        picture[:, 90:] = 120
        return picture

    assert "needed" in refused("--images", _changed(pictures[0], tmp_path / "covered.png", covered))


def test_another_mode_than_the_calibrated_one_is_told(pictures: list[Path], refused: Refused, tmp_path: Path) -> None:
    classic = _changed(pictures[0], tmp_path / "classic.png", lambda picture: np.asarray(cv2.resize(picture, (480, 640)), np.uint8))
    said = refused("--images", classic)
    assert "480x640 (4:3)" in said
    assert "720x1280 (16:9)" in said


def test_the_profile_of_another_rig_is_told(pictures: list[Path], refused: Refused, tmp_path: Path) -> None:
    mine = nominal_profile(1)
    other: Profile = msgspec.structs.replace(mine, name="other", markers=msgspec.structs.replace(mine.markers, dictionary="DICT_6X6_250"))
    path = tmp_path / "other.json"
    path.write_text(to_json(other), encoding="utf-8")
    assert "profile of another rig" in refused("--images", pictures[0], "--profile", path)


def test_a_wrong_number_of_pictures_is_told(pictures: list[Path], refused: Refused) -> None:
    said = refused("--images", pictures[0], "--profile", pictures[0].parent / "profile.json")
    assert "1 pictures" in said
    assert "knows 2 cameras" in said


def test_a_picture_that_is_none_is_told(refused: Refused, tmp_path: Path) -> None:
    assert "cannot be read" in refused("--images", tmp_path / "none.png")
    text = tmp_path / "text.png"
    text.write_text("no picture", encoding="utf-8")
    assert "is no picture that can be read" in refused("--images", text)


def test_live_cameras_that_do_not_open_are_told(refused: Refused, tmp_path: Path) -> None:
    assert "There is no configuration" in refused("--config", tmp_path / "none.toml")
    config = tmp_path / "paletti.toml"
    config.write_text(f'cameras = ["{tmp_path / "none.avi"}"]\n', encoding="utf-8")
    assert "Camera 1" in refused("--config", config)


def _look(plateau_x_mm: float, column_x_mm: float) -> dict[str, object]:
    plateau = {"plateau": "blue", "x_mm": plateau_x_mm, "y_mm": 0.0, "yaw_deg": 359.0 + plateau_x_mm, "sigma_mm": 0.6, "yaw_sigma_deg": 0.5}
    kind = {"colour": "red", "shape": "thin", "floor": "ground", "y_mm": 0.0, "yaw_deg": 0.0, "sigma_mm": 0.8}
    return {"version": 1, "plateaus": [plateau], "columns": [{**kind, "x_mm": column_x_mm}, {**kind, "x_mm": 60.0}]}


def test_a_shifted_plateau_and_a_nudged_neighbour_are_told_with_their_uncertainty() -> None:
    moved = moved_since(_look(0.0, -20.0), _look(3.0, -14.0))
    assert [(one["what"], one["mm"], one["sigma_mm"]) for one in moved] == [
        ("blue", 3.0, 0.85), ("red thin", 6.0, 1.13), ("red thin", 0.0, 1.13),
    ]  # fmt: skip
    assert moved[0]["turn_deg"] == pytest.approx(3.0)
    told = as_lines(moved)
    assert len(told) == 2
    assert told[1] == "moved: red thin by 6.0 +-1.1 mm on ground"
    assert as_lines(moved_since(_look(0.0, 1.0), _look(0.0, 1.5))) == ["nothing has plainly moved since"]


@pytest.mark.parametrize("content", ["{", "[]", '{"version": 1}', '{"version": 1, "plateaus": [{"plateau": "blue"}], "columns": []}'])
def test_what_is_no_earlier_look_is_refused(content: str, tmp_path: Path, refused: Refused) -> None:
    path = tmp_path / "look.json"
    path.write_text(content, encoding="utf-8")
    assert "look.json" in refused("--since", path, "--images", tmp_path / "none.png")
    assert "cannot be read" in refused("--since", tmp_path / "absent.json")
