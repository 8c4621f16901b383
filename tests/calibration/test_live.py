"""The procedures on live cameras: a video file is opened as a camera is, by the same source as in play."""

from __future__ import annotations

import json
from pathlib import Path

import cv2
import numpy as np
import numpy.typing as npt
import pytest

from rig import profile as profiles
from rig.cli import main
from rig.errors import PalettiError
from rig.live.live_pictures import LivePictures
from rig.messages import Tower
from rig.profile.nominal import nominal_profile
from rig.twin.pictures.cameras import render_tower

Picture = npt.NDArray[np.uint8]
SEED = 6801
PROFILE = nominal_profile(2, width_px=540, height_px=960)


def film(path: Path, picture: Picture, frames: int = 80, noise: float = 2.0, code: str = "MJPG") -> str:
    """A video of one picture with a sensor's noise; when it ends the source opens it again, as it does with a camera that has come back."""
    writer = cv2.VideoWriter(str(path), cv2.VideoWriter.fourcc(*code), 30.0, (picture.shape[1], picture.shape[0]))
    grain = np.rint(np.random.default_rng(1).normal(0, noise, picture.shape)).astype(np.int16)
    for k in range(frames):
        writer.write(cv2.add(picture, np.roll(grain, 7 * k, axis=0), dtype=cv2.CV_8U))
    writer.release()
    return str(path)


@pytest.fixture(scope="module")
def films(tmp_path_factory: pytest.TempPathFactory) -> list[str]:
    folder = tmp_path_factory.mktemp("films")
    return [film(folder / f"{number}.avi", picture) for number, picture in enumerate(render_tower(PROFILE, Tower(), SEED), 1)]


@pytest.fixture
def nominal(tmp_path: Path) -> Path:
    (tmp_path / "nominal.json").write_text(profiles.to_json(PROFILE))
    return tmp_path / "nominal.json"


def test_live_cameras_are_posed_and_then_check_as_good(films: list[str], nominal: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = str(nominal.parent / "posed.json")
    assert main(["calibrate", "camera", "--live", *films, "--profile", str(nominal), "--out", out, "--json"]) == 0
    assert [camera["good"] for camera in json.loads(capsys.readouterr().out)["cameras"]] == [True, True]
    assert all(camera.pose is not None for camera in profiles.load(Path(out)).cameras)
    overlay = nominal.parent / "o.png"
    assert main(["calibrate", "check", "--live", *films, "--profile", out, "--overlay", str(overlay), "--json"]) == 0
    assert cv2.imread(str(overlay)).shape == (960, 1080, 3)
    assert main(["calibrate", "check", "--live", *reversed(films), "--profile", out]) == 1
    assert "swapped" in capsys.readouterr().out


def test_camera_in_another_mode_is_refused_with_its_own_sentence(films: list[str]) -> None:
    with pytest.raises(PalettiError, match="sends 540 x 960 pictures"), LivePictures([films[0]], [(480, 640)], [0]):
        pass


def test_numbers_of_cameras_sizes_and_turns_must_agree(films: list[str]) -> None:
    with pytest.raises(PalettiError, match="do not go together"):
        LivePictures(films, [(540, 960)] * 2, [0])


def test_next_picture_is_one_that_came_after_the_call(films: list[str]) -> None:
    with LivePictures(films[:1], [(540, 960)], [0]) as live:
        times = [live.next(1)[0] for _ in range(3)]
        assert times == sorted(set(times))
        assert live.newest(1)[0] >= 4


def test_camera_that_does_not_open_is_told_at_once_with_exit_code_2(nominal: Path, capsys: pytest.CaptureFixture[str]) -> None:
    gone = str(nominal.parent / "gone.avi")
    assert main(["calibrate", "check", "--live", gone, "--profile", str(nominal)]) == 2
    assert "does not open" in capsys.readouterr().err


def test_frozen_camera_is_told(nominal: Path, capsys: pytest.CaptureFixture[str]) -> None:
    still = film(
        nominal.parent / "still.avi", render_tower(PROFILE, Tower(), SEED)[0], noise=0.0, code="FFV1"
    )  # lossless: equal frames stay equal
    assert main(["calibrate", "check", "--live", still, "--profile", str(nominal)]) == 1
    assert "frozen" in capsys.readouterr().out
