"""Every rung of the ladder starts as a person starts it: `paletti run` in another process, with the senses there are and no others."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import cv2
import msgspec
import numpy as np
import pytest

from rig.base import firmware_tool
from rig.bench.terminal_bench import RunningBase
from rig.cli import main
from rig.cli.rungs import LADDER, rung_of
from rig.profile import to_json
from rig.profile.nominal import nominal_profile
from tests.cli.test_desk import Program, start  # noqa: F401 - a fixture

Start = Callable[..., Program]


def film(path: Path, frames: int = 60) -> Path:
    """A video of an upright picture with a pattern that moves a little."""
    writer = cv2.VideoWriter(str(path), cv2.VideoWriter.fourcc(*"MJPG"), 10.0, (720, 1280))
    pattern = np.random.default_rng(1).integers(40, 200, (160, 90, 3)).astype(np.uint8)
    picture = cv2.resize(pattern, (720, 1280), interpolation=cv2.INTER_LINEAR)
    for k in range(frames):
        writer.write(np.roll(picture, k % 2, axis=0))
    writer.release()
    return path


@pytest.fixture
def base() -> Iterator[RunningBase]:
    if not (firmware_tool.elf_path().exists() and firmware_tool.library_path().exists()):
        pytest.skip("the firmware's simulator is not built")
    running = RunningBase()
    yield running
    running.close()


@pytest.mark.parametrize(
    ("cameras", "with_base", "number"),
    [(0, False, 0), (1, False, 1), (2, False, 2), (4, False, 2), (0, True, 3), (1, True, 4), (2, True, 4)],
)
def test_the_rung_follows_from_the_senses(cameras: int, with_base: bool, number: int) -> None:
    rung = rung_of(cameras, with_base)
    assert rung.number == number
    assert "{" not in rung.english + rung.german
    assert len(LADDER) == 5


def test_two_cameras_play_without_a_base(start: Start, tmp_path: Path) -> None:  # noqa: F811
    films = [film(tmp_path / f"{number}.avi") for number in (1, 2)]
    (tmp_path / "paletti.toml").write_text(f'cameras = ["{films[0]}", "{films[1]}"]\n')
    program = start()
    state = program.until("state.json", lambda state: {"camera 1", "camera 2"} <= set(state["sources"]))
    assert state["info"]["rung"]["number"] == 2
    assert not state["info"]["desk_alone"]
    assert state["link"] is None
    assert "base" not in state["sources"]


def test_the_command_line_alone_names_a_camera(start: Start, tmp_path: Path) -> None:  # noqa: F811
    program = start("--cameras", film(tmp_path / "one.avi"), "--no-base")
    assert program.ask("state.json")["info"]["rung"]["number"] == 1
    assert program.stop() in (0, 130)


def test_the_base_plays_without_a_camera(start: Start, base: RunningBase) -> None:  # noqa: F811
    program = start("--base", base.terminal.name, "--cameras", "none")
    state = program.until("state.json", lambda state: state["link"] is not None)
    assert state["info"]["rung"]["number"] == 3
    assert "told by a tap" in state["info"]["rung"]["english"]
    assert "Nobody watches" in state["view"]["doing"]
    program.plays()


def test_neither_camera_nor_base_plays_at_the_desk(start: Start, tmp_path: Path) -> None:  # noqa: F811
    (tmp_path / "paletti.toml").write_text('cameras = ["0"]\nbase = "/dev/nothing"\n')
    program = start("--cameras", "none", "--no-base")
    info = program.ask("state.json")["info"]
    assert (info["rung"]["number"], info["desk_alone"]) == (0, True)
    program.plays()


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        ((), "There is no configuration paletti.toml"),
        (("--no-base",), "There is no configuration paletti.toml"),
        (("--config", "none.toml", "--cameras", "none"), "There is no configuration none.toml"),
        (("--cameras", "none", "0"), "--cameras none stands alone"),
        (("--cameras", "none", "--turn", "90"), "--cameras none stands alone"),
        (("--turn", "90"), "--turn turns the cameras that --cameras names"),
        (("--cameras", "0", "2", "--turn", "90"), "2 cameras and 1 turns"),
        (("--no-sensors", "--cameras", "0"), "--no-sensors plays without cameras and base"),
        (("--no-sensors", "--base", "auto"), "--no-sensors plays without cameras and base"),
    ],
)
def test_what_does_not_go_together_is_told(
    arguments: tuple[str, ...], sentence: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    assert main(["run", "--port", "0", *arguments]) == 2
    assert sentence in capsys.readouterr().err


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("base = 3", "base must be a text"),
        ('cameras = ["0"]\nprofile = 3', "profile must be a text"),
        ('base = "loop://"\nprofile = "bare.json"', "knows no load cells"),
    ],
)
def test_a_configuration_of_another_rung_is_told(
    text: str, sentence: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "bare.json").write_text(to_json(msgspec.structs.replace(nominal_profile(), cells=())))
    (tmp_path / "paletti.toml").write_text(text)
    assert main(["run", "--port", "0"]) == 2
    assert sentence in capsys.readouterr().err
