"""The serial port: the one impure part of this room. It opens a pyserial URL, yields bytes, and finds the base again after a replug.

Any URL that pyserial knows will do (`/dev/ttyUSB0`, `COM3`, `socket://host:port`, `loop://`); an empty one means the only USB serial port
there is. It is opened exclusively, so that no second program steals bytes. A lost port is told once as a PalettiError; every later `read`
tries to open it again, under whatever name the same USB device has now. No threads here: `rig.live` has those.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any, Protocol

import serial
from serial.tools import list_ports

from rig.base.protocol import BAUD
from rig.errors import PalettiError

READ_TIMEOUT_S = 0.05
MOST_BYTES = 1 << 14


class FoundPort(Protocol):
    """What pyserial's list of ports tells of one (`serial.tools.list_ports_common.ListPortInfo`)."""

    device: str
    description: str
    vid: int | None
    pid: int | None
    serial_number: str | None


Identity = tuple[int, int, str | None]


def _identity(port: FoundPort) -> Identity | None:
    """USB vendor, product and serial number: what stays when the name changes. None for ports that are not USB."""
    return None if port.vid is None or port.pid is None else (port.vid, port.pid, port.serial_number)


def found_sentence(ports: Iterable[FoundPort]) -> str:
    """Which ports there are, for a person."""
    names = [f"{port.device} ({port.description})" for port in ports if _identity(port) is not None]
    if not names:
        return "No USB serial port is connected: plug the base in."
    return f"Ports found: {', '.join(names)}."


def holder_of(device: str, proc: Path = Path("/proc")) -> str:
    """Who has `device` open, as "name (process 123)", empty if that cannot be told (other users' processes, other systems)."""
    try:
        target = os.path.realpath(device)
        for process in proc.iterdir():
            if not process.name.isdigit() or int(process.name) == os.getpid():
                continue
            try:
                if any(os.path.realpath(fd) == target for fd in (process / "fd").iterdir()):
                    return f"{(process / 'comm').read_text().strip()} (process {process.name})"
            except OSError:
                continue
    except OSError:
        pass
    return ""


class Port:
    """The base's port. `ports` and `opener` are pyserial's, injected in tests."""

    def __init__(
        self,
        url: str,
        ports: Callable[[], Iterable[FoundPort]] = list_ports.comports,
        opener: Callable[..., Any] = serial.serial_for_url,
    ) -> None:
        self.url = url.strip()
        self._ports, self._opener = ports, opener
        self._serial: Any = None  # pyserial's stubs give its URL handlers no common type
        self._identity: Identity | None = None

    def open(self) -> None:
        """Opens the port; PalettiError with the ports found if it cannot be had."""
        ports = list(self._ports())
        url = self._current_url(ports)
        self._serial = self._open(url, ports)
        self.url = url
        self._identity = next((_identity(port) for port in ports if port.device == url), None)

    def read(self) -> bytes:
        """What has come in, at most some 50 ms old; b"" if nothing. PalettiError when the port is lost, until it is back."""
        if self._serial is None:
            self.open()
        port = self._serial
        try:
            first = bytes(port.read(1))  # waits; the rest is there already
            return first + bytes(port.read(min(port.in_waiting, MOST_BYTES))) if first else b""
        except (OSError, serial.SerialException, TypeError) as error:  # TypeError: pyserial, when the port closes under a read
            self.close()
            raise PalettiError(f"The base on {self.url} has gone.", "Check its cable; it is used again as soon as it is back.") from error

    def write(self, data: bytes) -> None:
        """Sends a command; PalettiError when the port is lost."""
        if self._serial is None:
            self.open()
        try:
            self._serial.write(data)
        except (OSError, serial.SerialException) as error:
            self.close()
            raise PalettiError(f"The base on {self.url} has gone.", "Check its cable; it is used again as soon as it is back.") from error

    def close(self) -> None:
        """Let the port go; opening again is allowed."""
        port, self._serial = self._serial, None
        if port is not None:
            try:
                port.close()
            except (OSError, serial.SerialException):
                return  # it went with its cable

    # ------------------------------------------------------------ which port

    def _current_url(self, ports: list[FoundPort]) -> str:
        if self._identity is not None:
            again = [port.device for port in ports if _identity(port) == self._identity]
            if again:
                return self.url if self.url in again else again[0]
        if self.url:
            return self.url
        usb = [port.device for port in ports if _identity(port) is not None]
        if len(usb) == 1:
            return usb[0]
        if not usb:
            raise PalettiError("No base is connected: there is no USB serial port.", "Plug the base in, or name its port.")
        raise PalettiError("Several USB serial ports are connected and none is named.", f"Name one. {found_sentence(ports)}")

    def _open(self, url: str, ports: list[FoundPort]) -> Any:
        try:
            port = self._opener(url, do_not_open=True)
            port.baudrate = BAUD
            port.timeout = READ_TIMEOUT_S
            port.write_timeout = 1.0
            if "://" not in url:
                port.exclusive = True
            port.open()
        except (ValueError, TypeError) as error:
            raise PalettiError(f"{url!r} is no serial port: {error}.", found_sentence(ports)) from error
        except (OSError, serial.SerialException) as error:
            raise self._refusal(url, error, ports) from error
        return port

    def _refusal(self, url: str, error: OSError, ports: list[FoundPort]) -> PalettiError:
        reason = str(error)
        if "://" not in url and not Path(url).exists() and os.name == "posix":
            return PalettiError(f"There is no port {url}.", found_sentence(ports))
        if isinstance(error, PermissionError) or error.errno == 13 or "Permission denied" in reason:
            return PalettiError(f"The port {url} may not be opened by this user.", "Join the group that owns it (often dialout).")
        if "lock" in reason or error.errno in (11, 16):
            who = holder_of(url)
            return PalettiError(f"The port {url} is in use{f' by {who}' if who else ''}.", "Close that program first.")
        return PalettiError(f"The port {url} cannot be opened: {reason}.", found_sentence(ports))
