"""The doctor of the cameras: a stalled one holds nothing up; dark, blank, frozen and slow ones are named; a recording is examined alike."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from pathlib import Path

import cv2
import numpy as np
import numpy.typing as npt
import pytest

from rig.cli import main
from rig.errors import PalettiError
from rig.live.camera_doctor import FIRST_S, CameraPatient, CameraReport, examine_camera, examine_recorded, listen_to_cameras

Picture = npt.NDArray[np.uint8]
SHORT_GAME = Path(__file__).parents[1] / "data" / "short_game.mcap"


def scene(seed: int, level: float = 110, spread: float = 40) -> Picture:
    rng = np.random.default_rng(seed)
    coarse = rng.normal(level, spread, (6, 8, 3)).clip(0, 255).astype(np.uint8)
    large = cv2.resize(coarse, (320, 240), interpolation=cv2.INTER_NEAREST).astype(np.float64)
    return np.asarray((large + rng.normal(0, 2, large.shape)).clip(0, 255), np.uint8)


def static(seed: int) -> Picture:
    """What an analogue receiver shows without a signal."""
    return np.random.default_rng(seed).integers(0, 256, (240, 320, 3), dtype=np.uint8)


def test_film_that_freezes_or_turns_to_noise_is_told_with_its_time_after_a_codec_too(tmp_path: Path) -> None:
    film = cv2.VideoWriter(str(tmp_path / "film.avi"), cv2.VideoWriter.fourcc(*"MJPG"), 10, (320, 240))
    for k in range(60):
        film.write(static(k) if k >= 45 else scene(min(k, 20)))
    film.release()
    reader, patient = cv2.VideoCapture(str(tmp_path / "film.avi")), CameraPatient("film")
    for k in range(60):
        patient.take(0.1 * k, np.asarray(reader.read()[1], np.uint8))
    wrong = examine_camera(patient, 6.0).wrong
    assert [sentence.split(":")[0] for sentence in wrong] == ["is frozen from 2.0 s to 4.4 s", "shows noise since 4.5 s"]


def examined(pictures: list[tuple[float, Picture]], end_s: float = 10.0) -> CameraReport:
    patient = CameraPatient("camera 1")
    for t_s, picture in pictures:
        patient.take(t_s, picture)
    return examine_camera(patient, end_s)


def test_good_camera_is_well() -> None:
    report = examined([(0.1 * k, scene(k)) for k in range(100)])
    assert report.wrong == ()
    assert report.per_second == pytest.approx(10)
    assert report.size_px == (320, 240)


@pytest.mark.parametrize(
    ("pictures", "word"),
    [
        ([(0.1 * k, scene(k, 3, 1)) for k in range(100)], "dark"),
        ([(0.1 * k, scene(k, 128, 0)) for k in range(100)], "one even surface"),
        ([(0.1 * k, scene(7)) for k in range(100)], "is frozen since 0.0 s"),
        ([(0.1 * k, scene(min(k, 40))) for k in range(100)], "is frozen since 4.0 s"),
        ([(0.1 * k, scene(k if k < 40 or k > 70 else 40)) for k in range(100)], "is frozen from 4.0 s to 7.0 s"),
        ([(0.1 * k, scene(k // 2)) for k in range(100)], "repeats the same picture"),
        ([(0.1 * k, scene(k) if k < 50 else static(k)) for k in range(100)], "shows noise since 5.0 s"),
        ([(0.5 * k, scene(k)) for k in range(20)], "only 2.0 pictures a second"),
        ([(0.1 * k, scene(k)) for k in range(30)], "stalled"),
        ([(0.1 * k + 3 * (k > 30), scene(k)) for k in range(70)], "was silent for 3.1 s"),
        ([], "sends no picture"),
        ([(0.1 * k, scene(k) if k % 2 else scene(k)[::2, ::2]) for k in range(100)], "changes the size"),
    ],
)
def test_each_ill_has_its_name(pictures: list[tuple[float, Picture]], word: str) -> None:
    (sentence,) = examined(pictures).wrong
    assert word in sentence


class Stalled:
    """A camera whose driver never comes back, until `freed`."""

    def __init__(self, freed: threading.Event, good_first: int = 0, in_opening: bool = False) -> None:
        self._freed, self._good, self._in_opening = freed, good_first, in_opening

    def isOpened(self) -> bool:  # noqa: N802 (OpenCV's name)
        if self._in_opening:
            self._freed.wait()
        return True

    def read(self) -> tuple[bool, Picture | None]:
        self._good -= 1
        if self._good < 0:
            self._freed.wait()
            return False, None
        return True, scene(self._good)

    def release(self) -> None:
        pass


@pytest.fixture
def freed() -> Iterator[threading.Event]:
    event = threading.Event()
    yield event
    event.set()


class Clock:
    """Time that passes only when somebody waits."""

    def __init__(self) -> None:
        self.now_s = 0.0

    def __call__(self) -> float:
        return self.now_s

    def wait(self, seconds: float) -> None:
        self.now_s += seconds
        threading.Event().wait(0.0005)  # lets the cameras' threads run


@pytest.mark.parametrize("in_opening", [False, True])
def test_stalled_camera_is_told_within_three_seconds_and_never_waited_for(freed: threading.Event, in_opening: bool) -> None:
    clock = Clock()
    (report,) = listen_to_cameras(["0"], 60.0, lambda _: Stalled(freed, 0, in_opening), clock, clock.wait)
    assert "stalled" in report.wrong[0]
    assert FIRST_S <= clock.now_s < 3.0
    assert not freed.is_set()


def test_camera_that_stalls_after_some_pictures_is_told_too(freed: threading.Event) -> None:
    clock = Clock()
    (report,) = listen_to_cameras(["0"], 60.0, lambda _: Stalled(freed, 5), clock, clock.wait)
    assert "stalled" in report.wrong[0]
    assert clock.now_s < 10


def test_camera_that_is_not_there_is_told(tmp_path: Path) -> None:
    (report,) = listen_to_cameras([str(tmp_path / "none.avi")], 5.0)
    assert "does not open" in report.wrong[0]
    with pytest.raises(PalettiError, match="no camera"):
        listen_to_cameras(["{0}"], 5.0)


def test_recorded_cameras_are_told_apart() -> None:
    def jpeg(seed: int, level: float) -> bytes:
        return cv2.imencode(".jpg", scene(seed, level))[1].tobytes()

    pictures = [(0.2 * k, camera, jpeg(k, 110 if camera == 1 else 1), camera - 1) for k in range(30) for camera in (1, 2)]
    pictures[-1] = (*pictures[-1][:2], b"torn", 0)
    one, two = examine_recorded(pictures, 6.0)
    assert one.wrong == ()
    assert (one.dropped, two.dropped) == (0, 29)
    assert any("decoded" in sentence for sentence in two.wrong)


def test_recording_is_examined_with_base_and_cameras_and_the_keys_are_the_contract(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["doctor", str(SHORT_GAME), "--json"]) == 0
    report = json.loads(capsys.readouterr().out)
    keys = "cameras channels imu link notes seconds source understood unit versions well wrong"
    assert sorted(report) == keys.split()
    channel = "drift_per_minute frozen_share gaps mean name noise rate_hz samples saturated_share slips spells spikes wrong"
    camera = "blank_share dark_share dropped frozen_share longest_gap_s name noise_share per_second pictures seconds size_px spells wrong"
    assert [sorted(cell) for cell in report["channels"]] == [channel.split()] * 4
    assert [sorted(one) for one in report["cameras"]] == [camera.split()] * 2
    assert sorted(report["imu"]) == ["clipped_share", "gravity_g", "noise_g", "rate_hz", "rest_share", "samples", "spells", "wrong"]
    assert (report["well"], report["wrong"]) == (True, [])


@pytest.mark.parametrize("name", ["none.mcap", "text.mcap"])
def test_what_is_no_recording_is_refused_with_a_sentence(tmp_path: Path, name: str, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "text.mcap").write_text("time,counts\n1,2\n")
    assert main(["doctor", str(tmp_path / name)]) == 2
    assert name in capsys.readouterr().err


def test_missing_base_is_a_finding_where_cameras_are_examined(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    film = cv2.VideoWriter(str(tmp_path / "film.avi"), cv2.VideoWriter.fourcc(*"MJPG"), 10, (320, 240))
    for k in range(20):
        film.write(scene(k))
    film.release()
    arguments = ["doctor", "--cameras", str(tmp_path / "film.avi"), "--base", str(tmp_path / "nothing"), "--json"]
    assert main(arguments) == 1
    report = json.loads(capsys.readouterr().out)
    assert any("There is no port" in sentence for sentence in report["wrong"])
    assert report["cameras"][0]["pictures"] == 20
    (tmp_path / "rig.toml").write_text("cameras = 3\n")
    assert main(["doctor", "--config", str(tmp_path / "rig.toml")]) == 2
    assert "list of addresses" in capsys.readouterr().err
