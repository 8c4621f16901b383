"""Building, checking and flashing: the headers under sanitizers, the sketch under cppcheck, and a sentence for whatever is missing."""

from __future__ import annotations

import argparse
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

from rig.base import firmware_tool
from rig.errors import PalettiError
from rig.twin.sensors.simulate import simulate

FIRMWARE = Path(__file__).parents[2] / "firmware"


def needs(*tools: str) -> pytest.MarkDecorator:
    missing = [tool for tool in tools if shutil.which(tool) is None]
    return pytest.mark.skipif(bool(missing), reason=f"missing: {', '.join(missing)}")


def options(*words: str) -> argparse.Namespace:
    parser = argparse.ArgumentParser()
    firmware_tool.add_arguments(parser)
    return parser.parse_args(words)


@needs("make", "g++")
def test_pure_headers_hold_under_sanitizers() -> None:
    done = subprocess.run(["make", "-s", "-C", str(FIRMWARE), "headers-test"], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "all checks hold" in done.stdout


@needs("make", "cppcheck")
def test_cppcheck_finds_nothing() -> None:
    done = subprocess.run(["make", "-s", "-C", str(FIRMWARE), "check"], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr


def test_sketch_folder_bears_the_sketchs_name() -> None:
    assert (FIRMWARE / "base" / "base.ino").is_file()  # else the Arduino IDE would not open it


def test_missing_tools_are_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shutil, "which", lambda tool: None if tool == "avr-gcc" else f"/usr/bin/{tool}")
    with pytest.raises(PalettiError, match=r"avr-gcc is missing.*apt-get install"):
        firmware_tool.build()
    monkeypatch.setattr(shutil, "which", lambda _: None)
    with pytest.raises(PalettiError, match="avrdude is missing"):
        firmware_tool.flash("/dev/ttyUSB0", image=Path(__file__))


def test_failing_build_shows_the_compilers_last_words() -> None:
    def fails(*_: Any, **__: Any) -> subprocess.CompletedProcess[str]:
        return subprocess.CompletedProcess([], 2, "", "base.ino:7: error: expected ';'")

    if shutil.which("avr-gcc") is None:
        pytest.skip("avr-gcc is missing")
    with pytest.raises(PalettiError, match="expected ';'"):
        firmware_tool.build(run=fails)


def test_flash_calls_avrdude_as_the_board_wants_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shutil, "which", lambda tool: f"/usr/bin/{tool}")
    calls: list[list[str]] = []

    def ran(command: list[str], **_: Any) -> subprocess.CompletedProcess[str]:
        calls.append(command)
        return subprocess.CompletedProcess(command, 0, "", "")

    sentence = firmware_tool.flash("loop://", "nano-old", Path(__file__), run=ran)
    (command,) = calls
    assert command[command.index("-b") + 1] == "57600"
    assert command[command.index("-P") + 1] == "loop://"
    assert f"flash:w:{__file__}:i" in command
    assert "has been flashed" in sentence


def test_refused_flash_suggests_the_other_boot_loader(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shutil, "which", lambda tool: f"/usr/bin/{tool}")

    def ran(command: list[str], **_: Any) -> subprocess.CompletedProcess[str]:
        return subprocess.CompletedProcess(command, 1, "", "stk500_recv(): programmer is not responding")

    with pytest.raises(PalettiError, match=r"not responding[\s\S]*--board nano-old"):
        firmware_tool.flash("loop://", image=Path(__file__), run=ran)


@pytest.mark.parametrize("url", ["/dev/nothing here", "{port}"])
def test_flash_on_a_wrong_port_lists_those_found(url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shutil, "which", lambda tool: f"/usr/bin/{tool}")
    with pytest.raises(PalettiError, match="There is no port"):
        firmware_tool.flash(url, image=Path(__file__))


def test_missing_hex_is_told(tmp_path: Path) -> None:
    with pytest.raises(PalettiError, match="There is no file"):
        firmware_tool.flash("loop://", image=tmp_path / "none.hex")


def test_simulate_reports_what_the_binary_did(capsys: pytest.CaptureFixture[str]) -> None:
    if not firmware_tool.has_simulator():
        pytest.skip("the AVR tools are missing")
    assert firmware_tool.run(options("simulate", "--fast", "--seconds", "1"), simulate) == 0
    told = capsys.readouterr().out
    assert "times real time" in told
    assert "0 refused" in told


def test_simulate_without_a_build_says_how_to_build(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("rig.twin.sensors.simulate.has_simulator", lambda: False)
    with pytest.raises(PalettiError, match="firmware build"):
        simulate(options("simulate", "--fast"))


def test_committed_drawings_are_what_the_script_draws() -> None:
    import runpy

    drawings = runpy.run_path(str(FIRMWARE / "drawings.py"))
    for name in ("wiring", "mechanics"):
        assert (FIRMWARE / f"{name}.svg").read_text() == drawings[name](), "run: python firmware/drawings.py"


def test_drawn_pins_are_the_sketchs() -> None:
    import runpy

    pins = {goes_to: pin for pin, goes_to, _ in runpy.run_path(str(FIRMWARE / "drawings.py"))["PINS"]}
    headers = "".join(path.read_text() for path in sorted((FIRMWARE / "base").glob("*.h")))
    assert "INTERRUPT_PIN = 2;" in headers
    assert pins["INT of MPU-6050"] == "D2"
    assert "GO_PIN = 12, CODE_PIN = 3" in headers
    assert (pins["330 ohm, go light, ground"], pins["330 ohm, code light, ground"]) == ("D12", "D3")
    assert "CLOCK_SHIFT = 4;" in headers
    assert [pins[f"SCK of HX711 {n}"] for n in (1, 2, 3, 4)] == ["D4", "D5", "D6", "D7"]


def test_shipped_hex_is_what_the_sketch_builds_to() -> None:
    built = firmware_tool.BUILD / "base.hex"
    if not built.is_file():
        pytest.skip("the AVR tools are missing")
    version = subprocess.run(["avr-gcc", "-dumpversion"], capture_output=True, text=True, check=True).stdout.strip()
    if version != "5.4.0":
        pytest.skip(f"avr-gcc {version} makes other code than the 5.4.0 that the shipped hex was built with")
    assert firmware_tool.SHIPPED_HEX.read_text() == built.read_text(), "copy firmware/build/base.hex to rig/base/data"
