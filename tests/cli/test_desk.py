"""`paletti run --no-sensors` and `--resume` as a person uses them: another process, a power cut, and going on."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from rig.cli import main
from rig.cli.resume import from_recording
from rig.engine.fold import Fold
from rig.errors import PalettiError
from rig.messages import Told
from rig.recording import read
from tests.dashboard.desk_alone import DeskAlone

PLAYERS = ("Anna", "Ben", "Cleo")
COLOURS = ("red", "blue", "green")


class Program:
    """`paletti run` in a process of its own; its page is spoken to as a browser would."""

    def __init__(self, *arguments: object, folder: Path) -> None:
        command = [sys.executable, "-m", "rig.cli.main", "run", "--port", "0", "--host-code", "host12", *map(str, arguments)]
        path = os.pathsep.join([str(Path(__file__).parents[2]), os.environ.get("PYTHONPATH", "")])
        self.process = subprocess.Popen(
            command, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env={**os.environ, "PYTHONPATH": path}
        )
        assert self.process.stdout is not None
        said = self.process.stdout.readline()
        if "http" not in said:
            raise AssertionError(self.process.communicate()[1])
        self.url = said.split(" at ")[1].split(";")[0]
        self.opener = urllib.request.build_opener(urllib.request.HTTPCookieProcessor())
        self.token = ""
        self.token = self.send("join", {"code": "host12"})[1]["token"]

    def ask(self, path: str) -> Any:
        with self.opener.open(self.url + path, timeout=10) as answer:
            return json.load(answer)

    def send(self, path: str, value: Any) -> tuple[int, Any]:
        headers = {"Content-Type": "application/json", "X-Paletti-Token": self.token}
        request = urllib.request.Request(self.url + path, json.dumps(value).encode(), headers)
        try:
            with self.opener.open(request, timeout=10) as answer:
                return int(answer.status), json.load(answer)
        except urllib.error.HTTPError as error:
            with error:
                return error.code, json.load(error)

    def say(self, path: str, value: Any) -> int:
        books = self.ask("desk.json")
        return self.send(path, {"state": books["state"], **value})[0]

    def until(self, path: str, true: Callable[[Any], bool]) -> Any:
        for _ in range(200):
            found = self.ask(path)
            if true(found):
                return found
            time.sleep(0.05)
        raise AssertionError(f"never true of {path}")

    def tells(self, line: str) -> None:
        before = len(self.ask("desk.json")["log"])
        assert self.say("told", {"line": line}) == 200
        self.until("desk.json", lambda books: len(books["log"]) > before)

    def plays(self) -> None:
        """Set-up, the draw, a raise."""
        self.tells("place-all")
        self.tells("lay plateau blue")
        seats = [{"name": name, "colours": [colour]} for name, colour in zip(PLAYERS, COLOURS, strict=True)]
        assert self.say("drew", {"seats": seats, "first": 1}) == 200
        self.until("desk.json", lambda books: books["phase"] == "build")
        self.tells("raise yellow-thin-1 onto blue")

    def stop(self, by: signal.Signals = signal.SIGINT) -> int:
        self.process.send_signal(by)
        self.process.communicate(timeout=20)
        return self.process.returncode


@pytest.fixture
def start(tmp_path: Path) -> Iterator[Callable[..., Program]]:
    started: list[Program] = []

    def begin(*arguments: object) -> Program:
        started.append(Program(*arguments, folder=tmp_path))
        return started[-1]

    yield begin
    for program in started:
        if program.process.poll() is None:
            program.process.kill()
            program.process.communicate()


def test_a_game_without_sensors_goes_on_after_a_power_cut(start: Callable[..., Program], tmp_path: Path) -> None:
    recording = tmp_path / "evening.mcap"
    program = start("--no-sensors", "--players", *PLAYERS, "--rules", "second_reading", "--record", recording)
    state = program.ask("state.json")
    assert [seat["name"] for seat in state["view"]["seats"]] == list(PLAYERS)
    assert "Nobody watches" in state["view"]["doing"]
    assert state["info"]["desk_alone"]
    assert not state["view"]["health"]
    program.plays()
    for _ in range(200):
        if any(isinstance(one.payload, Told) and "yellow-thin-1" in one.payload.line for one in read(recording).messages()):
            break
        time.sleep(0.05)
    tower = program.ask("state.json")["view"]["tower"]
    assert program.stop(signal.SIGKILL) != 0

    again = start("--no-sensors", "--resume", recording, "--record", tmp_path / "later.mcap")
    books = again.ask("desk.json")
    assert (books["phase"], books["names"], books["names"][books["turn"]], len(books["log"])) == ("own", list(PLAYERS), "Ben", 4)
    state = again.ask("state.json")
    assert state["view"]["tower"] == tower
    assert any("goes on after event 4" in ruling["english"] for ruling in state["rulings"])
    again.tells("abort blue-thin-1")
    assert again.ask("desk.json")["turn"] == 1, "the house rules of the game go on too: another try after an abort"
    again.tells("raise blue-thin-2 onto blue")
    assert again.say("told", {"line": "correct 4: raise yellow-hex-1 onto blue"}) == 200
    again.until("desk.json", lambda books: books["log"][3]["line"] == "raise yellow-hex-1 onto blue")
    assert again.stop() == 130

    third = start("--no-sensors", "--resume", tmp_path / "later.mcap")
    books = third.ask("desk.json")
    assert books["names"][books["turn"]] == "Cleo"
    assert [entry["corrected"] for entry in books["log"]] == [False, False, False, True, False, False]
    third.stop()


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["--players", "5"], "5 players cannot play. Two to four can."),
        (["--players", "Anna"], "for two, three or four players, not 1"),
        (["--players", "Anna", "Anna"], "Two players have the same name."),
        (["--players", "Anna", 'Be"n'], "A player's name is empty or not printable."),
        (["--rules", "mine"], "invalid choice: 'mine'"),
        (["--host", "no.such.host.invalid"], "There is no address called no.such.host.invalid."),
        (["--resume", "nowhere.mcap"], "nowhere.mcap"),
        (["--resume", "evening.mcap", "--players", "3"], "Players and house rules are those of the resumed game."),
        (["--resume", "same.mcap", "--record", "same.mcap"], "cannot be recorded into the very file it is resumed from"),
    ],
)
def test_what_cannot_be_begun_is_said_in_a_sentence(
    arguments: list[str], sentence: str, capfd: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    try:
        code = main(["run", "--no-sensors", "--port", "0", *arguments])
    except SystemExit as stop:
        code = stop.code if isinstance(stop.code, int) else -1
    err = capfd.readouterr().err
    assert code == 2
    assert sentence in " ".join(err.split())
    assert "Traceback" not in err


def test_a_game_that_is_over_is_not_gone_on_with(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    table = DeskAlone(tmp_path / "over.mcap")
    for line in ("place-all", "lay plateau blue", 'colours red blue yellow green starts "Ben"', "collapse by Ben"):
        table.tell(line)
    table.close()
    assert main(["run", "--no-sensors", "--resume", str(tmp_path / "over.mcap"), "--port", "0"]) == 2
    assert "is over. The villa has collapsed: nobody wins." in " ".join(capfd.readouterr().err.split())


@pytest.mark.parametrize("share", [0.35, 0.6, 0.85])
def test_a_watched_game_cut_off_anywhere_goes_on_as_it_stood(share: float, tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    whole = (Path(__file__).parents[1] / "data" / "short_game.mcap").read_bytes()
    cut = tmp_path / "cut.mcap"
    cut.write_bytes(whole[: int(len(whole) * share)])
    fold = Fold()
    for message in read(cut).messages():
        fold.step(message)
    begun = from_recording(cut)
    assert begun.resumed.record == fold.referee.book.record()
    assert begun.resumed.tower == fold.referee.tower
    assert len(begun.resumed.tower.columns) > 0
    assert "good" in capfd.readouterr().err


def test_a_file_without_a_session_is_refused(tmp_path: Path) -> None:
    (tmp_path / "none.mcap").write_bytes(b"no recording at all")
    with pytest.raises(PalettiError):
        from_recording(tmp_path / "none.mcap")
