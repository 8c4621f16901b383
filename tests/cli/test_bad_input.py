"""Whatever a person gives the command line that cannot be used: a sentence on standard error, exit code 2, no traceback."""

from __future__ import annotations

import errno
import os
import random
import socket
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import cv2
import numpy as np
import pytest
import serial.tools.list_ports
from mcap.writer import Writer

from rig.cli import main
from rig.cli import run as run_command
from rig.messages import Message, ProfileSet, Tick
from rig.profile import to_json
from rig.profile.nominal import nominal_profile
from rig.recording import Recorder, read, versions

Refused = Callable[..., str]


@pytest.fixture
def refused(capfd: pytest.CaptureFixture[str]) -> Refused:
    """Runs `paletti` with these arguments, which must be refused with exit code 2; gives what it said on standard error."""

    def run(*arguments: object) -> str:
        capfd.readouterr()
        try:
            code = main([str(argument) for argument in arguments])
        except SystemExit as stop:  # argparse's own way out
            code = stop.code if isinstance(stop.code, int) else -1
        out, err = capfd.readouterr()
        assert code == 2, err
        assert "Traceback" not in out + err
        assert "error: " in err or "paletti: " in err
        return err

    return run


def recorded(path: Path, ticks: int = 400) -> Path:
    recorder = Recorder(path, versions(firmware="none", profile="nominal"))
    recorder.write(Message(1, 0.0, "profile", ProfileSet(profile_json=to_json(nominal_profile()))))
    for k in range(1, ticks + 1):
        recorder.write(Message(k + 1, 0.1 * k, "clock", Tick()))
    recorder.close()
    return path


def config(folder: Path, text: str) -> Path:
    path = folder / "paletti.toml"
    path.write_text(text, encoding="utf-8")
    return path


def picture(path: Path, width_px: int = 720, height_px: int = 1280) -> Path:
    assert cv2.imwrite(str(path), np.full((height_px, width_px, 3), 120, np.uint8))
    return path


# ---------------------------------------------------------------- the command line itself


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        ([], "the following arguments are required"),
        (["referee"], "invalid choice: 'referee'"),
        (["demo", "--dance"], "unrecognized arguments: --dance"),
        (["demo", "--seed", "seven"], "'seven' is no seed: give a whole number such as 7"),
        (["demo", "--seed", "-1"], "the seed -1 is out of range"),
        (["demo", "--seed", str(2**32)], "give a whole number from 0 to 4294967295"),
        (["demo", "--players", "5"], "'5' is no number of players: give a whole number from 2 to 4"),
        (["demo", "--players", "²"], "is no number of players"),
        (["demo", "--cameras", "0"], "give a whole number from 1 to 4"),
        (["demo", "--speed", "fast"], "'fast' is no speed: give a factor such as 1 or 2.5, or max"),
        (["demo", "--speed", "nan"], "'nan' is no speed"),
        (["demo", "--port", "99999"], "'99999' is no port"),
        (["exam"], "--games"),
        (["exam", "--games", "none"], "'none' is no number of games"),
        (["exam", "--games", "1", "--level", "moon"], "There is no level called 'moon'"),
        (["replay", "game.mcap", "--speed", "0"], "'0' is no speed"),
        (["calibrate"], "required: WHAT"),
    ],
)
def test_a_wrong_flag_or_value_is_told(refused: Refused, arguments: list[str], sentence: str) -> None:
    assert sentence in refused(*arguments)


def test_the_installed_command_itself_ends_with_code_2(tmp_path: Path) -> None:
    command = [str(Path(sys.executable).with_name("paletti")), "run", "--config", str(tmp_path / "none.toml")]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert done.stdout == ""
    assert done.stderr.startswith("paletti: There is no configuration")
    assert "Traceback" not in done.stderr


# ---------------------------------------------------------------- a port for the screen


@pytest.mark.parametrize("command", ["demo", "run"])
def test_a_port_already_in_use_is_told(refused: Refused, tmp_path: Path, command: str) -> None:
    more = ["--once"] if command == "demo" else ["--config", config(tmp_path, 'base = "loop://"')]
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        said = refused(command, *more, "--port", port)
    assert str(port) in said
    assert "in use" in said


def test_a_game_is_not_begun_where_it_cannot_be_recorded(refused: Refused, tmp_path: Path) -> None:
    whole = recorded(tmp_path / "old.mcap")
    before = whole.read_bytes()
    assert "never written over" in refused("demo", "--once", "--seed", 1, "--record", whole)
    assert whole.read_bytes() == before, "what was recorded stays as it was"
    assert "There is no folder" in refused("demo", "--once", "--seed", 1, "--record", tmp_path / "nowhere" / "game.mcap")


# ---------------------------------------------------------------- a real rig


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("base = ", "cannot be read"),
        ("cameras = [0]", "cameras must be a list of str values"),
        ('cameras = "0"', "cameras must be a list of str values"),
        ('cameras = ["0", "2"]\nturn_deg = [90]', "2 cameras and 1 turns"),
        ('cameras = ["{0}"]', "is no camera"),
        ('cameras = ["0"]\nturn_deg = [45]', "cannot be turned by 45 degrees"),
        ('profile = "none.json"', "none.json"),
    ],
)
def test_a_wrong_configuration_is_told(refused: Refused, tmp_path: Path, text: str, sentence: str) -> None:
    assert sentence in refused("run", "--config", config(tmp_path, text), "--port", 0)


def test_a_configuration_that_is_no_text_is_told(refused: Refused, tmp_path: Path) -> None:
    path = tmp_path / "paletti.toml"
    path.write_bytes(b"base = '\xff\xfe'")
    assert "cannot be read" in refused("run", "--config", path)


def test_no_configuration_is_told(refused: Refused, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    said = refused("run")
    assert "There is no configuration paletti.toml" in said
    assert "paletti demo" in said, "it says what to do"


@pytest.mark.parametrize("command", ["run", "doctor"])
def test_no_base_connected_is_told(refused: Refused, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, command: str) -> None:
    monkeypatch.setattr(serial.tools.list_ports, "comports", lambda *_, **__: [])
    more = ["--config", config(tmp_path, 'base = "auto"'), "--port", 0] if command == "run" else []
    said = refused(command, *more)
    assert "No base is connected" in said
    assert "Plug the base in" in said


@pytest.mark.parametrize("port", ["/dev/ttyNONE9", "weird://port"])
def test_a_wrong_port_is_told(refused: Refused, tmp_path: Path, port: str) -> None:
    said = refused("run", "--config", config(tmp_path, f'base = "{port}"'), "--port", 0)
    assert port in said
    assert "no port" in said or "no serial port" in said


def test_a_camera_that_does_not_open_is_told(refused: Refused, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(run_command, "START_S", 2.0)
    film = tmp_path / "none.mp4"
    said = refused("run", "--config", config(tmp_path, f'base = "loop://"\ncameras = ["{film}"]'), "--port", 0)
    assert f"Camera 1 ({film}) does not open" in said
    assert "paletti doctor" in said


# ---------------------------------------------------------------- recordings


def test_files_that_are_no_recording_are_told(refused: Refused, tmp_path: Path) -> None:
    assert "cannot be read" in refused("replay", tmp_path / "none.mcap")
    empty = tmp_path / "empty.mcap"
    empty.touch()
    assert "is empty" in refused("replay", empty)
    foreign = tmp_path / "song.mcap"
    foreign.write_bytes(b"RIFF\x00\x00WAVE" * 100)
    assert "does not begin like an MCAP file" in refused("replay", foreign)
    other = tmp_path / "other.mcap"
    with other.open("wb") as file:
        writer = Writer(file)
        writer.start()
        writer.finish()
    assert "not a recording of a game" in refused("replay", other)
    assert refused("replay", tmp_path)


def test_a_recording_cut_before_its_header_is_told(refused: Refused, tmp_path: Path) -> None:
    cut = tmp_path / "cut.mcap"
    cut.write_bytes(recorded(tmp_path / "whole.mcap").read_bytes()[:40])
    assert "breaks off before its header" in refused("replay", cut)


def test_a_truncated_recording_is_replayed_as_far_as_it_goes_and_told(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    whole = recorded(tmp_path / "whole.mcap")
    data = whole.read_bytes()
    index = data.rindex(b"paletti") if b"paletti" in data else len(data)
    cut = tmp_path / "cut.mcap"
    cut.write_bytes(data[: min(index, len(data) * 3 // 4)])
    assert read(cut).damage
    assert main(["replay", str(cut), "--recorded-eyes"]) == 0
    assert read(cut).damage in capsys.readouterr().err


def test_a_golden_file_that_is_missing_or_none_is_told(refused: Refused, tmp_path: Path) -> None:
    game = recorded(tmp_path / "game.mcap")
    missing = tmp_path / "golden.jsonl"
    assert f"The golden file {missing} cannot be read" in refused("replay", game, "--check", missing)
    missing.write_bytes(b"\xff\x00 not json\n")
    assert f"Line 1 of {missing} is no ruling" in refused("replay", game, "--check", missing)
    assert "cannot be written" in refused("replay", game, "--rulings", tmp_path / "nowhere" / "out.jsonl")


def test_rulings_that_differ_are_no_bad_input_but_code_1(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    game = recorded(tmp_path / "game.mcap")
    golden = tmp_path / "golden.jsonl"
    golden.write_bytes(
        b'{"id":1,"t_s":1.0,"kind":"turn","rule_ids":["U4"],"facts":[],"english":"Ada to play.","german":"Ada ist am Zug.","data":{}}\n'
    )
    assert main(["replay", str(game), "--check", str(golden)]) == 1
    assert "The rulings differ from ruling 1 on" in capsys.readouterr().err


# ---------------------------------------------------------------- records, pictures, logs


@pytest.mark.parametrize("seed", range(8))
def test_a_record_of_noise_is_told(refused: Refused, tmp_path: Path, seed: int) -> None:
    noise = tmp_path / "noise.txt"
    noise.write_bytes(random.Random(seed).randbytes(400))
    refused("judge", noise)


def test_a_record_that_is_not_there_is_told(refused: Refused, tmp_path: Path) -> None:
    assert os.strerror(errno.ENOENT) in refused("judge", tmp_path / "none.txt")
    assert os.strerror(errno.EISDIR) in refused("judge", tmp_path)


def test_a_picture_without_markers_is_told(refused: Refused, tmp_path: Path) -> None:
    wall = np.random.default_rng(3).integers(60, 200, (80, 45, 3), np.uint8)
    assert cv2.imwrite(str(tmp_path / "wall.png"), cv2.resize(wall, (720, 1280), interpolation=cv2.INTER_CUBIC))
    said = refused("look", "--images", tmp_path / "wall.png")
    assert "Camera 1" in said
    assert "printed markers" in said


def test_pictures_that_cannot_be_looked_at_are_told(refused: Refused, tmp_path: Path) -> None:
    assert "cannot be read" in refused("look", "--images", tmp_path / "none.png")
    text = tmp_path / "text.png"
    text.write_text("no picture", encoding="utf-8")
    assert "is no picture that can be read" in refused("look", "--images", text)
    assert "takes 720 x 1280" in refused("look", "--images", picture(tmp_path / "small.png", 64, 48))


def test_a_profile_that_is_none_is_told(refused: Refused, tmp_path: Path) -> None:
    profile = tmp_path / "profile.json"
    profile.write_text('{"version": 1, "name": "torn', encoding="utf-8")
    assert str(profile) in refused("look", "--images", picture(tmp_path / "wall.png"), "--profile", profile)
    assert "none.json" in refused("calibrate", "print", "--profile", tmp_path / "none.json")


def test_a_log_of_noise_is_told(refused: Refused, tmp_path: Path) -> None:
    log = tmp_path / "log.csv"
    log.write_bytes(random.Random(3).randbytes(300))
    assert str(log) in refused("doctor", "--log", log)
    assert "none.csv" in refused("doctor", "--log", tmp_path / "none.csv")
