"""The port: wrong ones refused with a sentence, a busy one with its holder, a replugged one found again under another name."""

from __future__ import annotations

import os
import time
import tty
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
import serial

from rig.base.port import Port, holder_of
from rig.errors import PalettiError


@dataclass
class Listed:
    device: str
    description: str = "USB Serial"
    vid: int | None = 0x1A86
    pid: int | None = 0x7523
    serial_number: str | None = "A1"


class Cable:
    """A serial port that can be pulled."""

    def __init__(self, plugged: dict[str, bytes]) -> None:
        self.plugged = plugged
        self.opened: list[str] = []

    def open(self, url: str, **_: Any) -> Cable._End:
        return Cable._End(self, url)

    class _End:
        in_waiting = 0

        def __init__(self, cable: Cable, url: str) -> None:
            self.cable, self.url = cable, url
            self.exclusive = False

        def open(self) -> None:
            if self.url not in self.cable.plugged:
                raise serial.SerialException(2, f"could not open port {self.url}")
            self.cable.opened.append(self.url)

        def read(self, count: int) -> bytes:
            if self.url not in self.cable.plugged:
                raise serial.SerialException("device reports readiness to read but returned no data")
            return self.cable.plugged[self.url] if count else b""

        def close(self) -> None: ...


@pytest.fixture
def terminal() -> Iterator[tuple[int, str]]:
    ours, theirs = os.openpty()
    tty.setraw(theirs)
    yield ours, os.ttyname(theirs)
    os.close(ours)
    os.close(theirs)


@pytest.mark.parametrize("url", ["{port}", "'/dev/ttyUSB0'", "/dev/no such port", "COM99x", "socket://127.0.0.1:1", "nonsense://x"])
def test_wrong_ports_are_refused_with_the_ports_found(url: str) -> None:
    with pytest.raises(PalettiError) as caught:
        Port(url, ports=lambda: [Listed("/dev/ttyUSB7", "CH340")]).open()
    assert "/dev/ttyUSB7 (CH340)" in str(caught.value)


@pytest.mark.parametrize("blank", ["", "   "])
def test_blank_port_means_the_only_one(blank: str) -> None:
    with pytest.raises(PalettiError, match="No base is connected"):
        Port(blank, ports=list).open()
    with pytest.raises(PalettiError, match="Several USB serial ports"):
        Port(blank, ports=lambda: [Listed("/dev/ttyUSB0"), Listed("/dev/ttyACM0")]).open()
    cable = Cable({"/dev/ttyACM3": b"x"})
    port = Port(blank, ports=lambda: [Listed("/dev/ttyACM3"), Listed("/dev/ttyS0", vid=None, pid=None)], opener=cable.open)
    port.open()
    assert port.url == "/dev/ttyACM3"


def test_bytes_come_through_a_terminal(terminal: tuple[int, str]) -> None:
    ours, name = terminal
    port = Port(name)
    port.open()
    os.write(ours, b"\x00\x01\x80\xff\x99")
    assert b"".join(port.read() for _ in range(5)) == b"\x00\x01\x80\xff\x99"
    assert port.read() == b""
    port.write(b"\x05\x00\r\n")
    assert os.read(ours, 16) == b"\x05\x00\r\n"
    port.close()


def test_loop_url_needs_no_hardware() -> None:
    port = Port("loop://")
    port.open()
    port.write(b"abc")
    assert b"".join(port.read() for _ in range(3)) == b"abc"
    port.close()


def test_second_opener_is_refused_and_told_who_has_it(terminal: tuple[int, str]) -> None:
    _, name = terminal
    first = Port(name)
    first.open()
    with pytest.raises(PalettiError, match="is in use"):
        Port(name).open()
    first.close()


def test_holder_is_named(tmp_path: Path) -> None:
    device = tmp_path / "ttyUSB0"
    device.touch()
    fds = tmp_path / "proc" / "4711" / "fd"
    fds.mkdir(parents=True)
    (fds / "3").symlink_to(device)
    (fds.parent / "comm").write_text("arduino-ide\n")
    assert holder_of(str(device), tmp_path / "proc") == "arduino-ide (process 4711)"
    assert holder_of(str(tmp_path / "other"), tmp_path / "proc") == ""
    assert holder_of(str(device), tmp_path / "nowhere") == ""


def test_pulled_cable_is_told_and_the_base_is_found_under_its_new_name() -> None:
    cable = Cable({"/dev/ttyUSB0": b"one"})
    listed = [Listed("/dev/ttyUSB0")]
    port = Port("/dev/ttyUSB0", ports=lambda: listed, opener=cable.open)
    port.open()
    assert port.read() == b"one"
    cable.plugged.clear()
    listed.clear()
    with pytest.raises(PalettiError, match="has gone"):
        port.read()
    with pytest.raises(PalettiError):
        port.read()  # still away
    cable.plugged["/dev/ttyUSB1"] = b"two"
    listed += [Listed("/dev/ttyUSB3", serial_number="B2"), Listed("/dev/ttyUSB1")]
    assert port.read() == b"two"
    assert port.url == "/dev/ttyUSB1"


def test_another_device_on_the_old_name_is_not_taken_for_the_base() -> None:
    cable = Cable({"/dev/ttyUSB0": b"one"})
    listed = [Listed("/dev/ttyUSB0")]
    port = Port("/dev/ttyUSB0", ports=lambda: listed, opener=cable.open)
    port.open()
    cable.plugged.clear()
    with pytest.raises(PalettiError):
        port.read()
    cable.plugged.update({"/dev/ttyUSB0": b"stranger", "/dev/ttyUSB1": b"base"})
    listed[:] = [Listed("/dev/ttyUSB0", pid=1), Listed("/dev/ttyUSB1")]
    assert port.read() == b"base"


def test_terminal_that_goes_away_is_told() -> None:
    ours, theirs = os.openpty()
    port = Port(os.ttyname(theirs))
    port.open()
    os.close(theirs)
    os.close(ours)
    with pytest.raises(PalettiError, match="has gone"):
        for _ in range(100):
            port.read()
            time.sleep(0.001)
