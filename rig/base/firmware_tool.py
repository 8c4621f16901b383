"""Building and flashing the sketch without the Arduino IDE: what `paletti firmware` does. Running it without hardware is for the twin.

The tools are Debian's (avr-gcc, avrdude); each missing one is told by name with the command that brings it. A flashed hex is the one just
built where there is one, else the one that ships with the package.
"""

from __future__ import annotations

import argparse
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

from serial.tools import list_ports

from rig.base.port import Port
from rig.errors import PalettiError

FIRMWARE = Path(__file__).resolve().parents[2] / "firmware"
BUILD = FIRMWARE / "build"
SHIPPED_HEX = Path(__file__).resolve().parent / "data" / "base.hex"
PACKAGES = "gcc-avr avr-libc arduino-core-avr libsimavr-dev make gcc"

BOARDS = {"uno": ("arduino", 115200), "nano": ("arduino", 115200), "nano-old": ("arduino", 57600)}
"""avrdude's programmer and speed; `nano-old` has the boot loader before 2018, which also hangs after a watchdog reset: better renew it."""


def elf_path() -> Path:
    """The binary that the simulator runs."""
    return BUILD / "base.elf"


def library_path() -> Path:
    """The simulator."""
    return BUILD / "libpalettisim.so"


def has_simulator() -> bool:
    """Whether the binary and its simulator are built."""
    return elf_path().is_file() and library_path().is_file()


def hex_path() -> Path:
    """The hex to flash: the one built here, else the shipped one; PalettiError if there is neither."""
    for path in (BUILD / "base.hex", SHIPPED_HEX):
        if path.is_file():
            return path
    raise PalettiError("There is no base.hex to flash.", "Build it with `paletti firmware build`, or name one with --hex.")


def build(run: Callable[..., subprocess.CompletedProcess[str]] = subprocess.run) -> str:
    """Builds sketch and simulator; the size report. PalettiError if tools are missing or the build fails."""
    if not (FIRMWARE / "Makefile").is_file():
        raise PalettiError(f"There is no firmware source at {FIRMWARE}.", "Building needs the repository; flashing does not.")
    missing = [tool for tool in ("make", "avr-gcc", "avr-objcopy", "gcc") if shutil.which(tool) is None]
    if missing:
        raise PalettiError(f"To build the firmware {', '.join(missing)} is missing.", f"On Debian: apt-get install {PACKAGES}")
    done = run(["make", "-s", "-C", str(FIRMWARE), "all"], capture_output=True, text=True, check=False)
    if done.returncode:
        last = (done.stderr or done.stdout).strip().splitlines()[-12:]
        raise PalettiError("The firmware does not build:\n" + "\n".join(last), f"On Debian it needs: apt-get install {PACKAGES}")
    return size_report(run)


def size_report(run: Callable[..., subprocess.CompletedProcess[str]] = subprocess.run) -> str:
    """How much flash and RAM the binary takes."""
    flash, ram = sizes(run)
    return f"flash {flash} of 32256 bytes ({flash / 322.56:.0f} %), RAM {ram} of 2048 bytes ({ram / 20.48:.0f} %)"


def sizes(run: Callable[..., subprocess.CompletedProcess[str]] = subprocess.run) -> tuple[int, int]:
    """Bytes of flash and of static RAM."""
    done = run(["avr-size", str(elf_path())], capture_output=True, text=True, check=True)
    text, data, bss = (int(number) for number in done.stdout.splitlines()[1].split()[:3])
    return text + data, data + bss


def flash(
    url: str,
    board: str = "uno",
    image: Path | None = None,
    run: Callable[..., subprocess.CompletedProcess[str]] = subprocess.run,
) -> str:
    """Flashes `image` through the boot loader; a sentence on success. PalettiError otherwise."""
    image = image or hex_path()
    if not image.is_file():
        raise PalettiError(f"There is no file {image}.", "Name an existing .hex file with --hex.")
    if shutil.which("avrdude") is None:
        raise PalettiError("To flash the base avrdude is missing.", "On Debian: apt-get install avrdude. Or use the Arduino IDE.")
    port = Port(url, ports=list_ports.comports)
    port.open()  # also tells a wrong or busy port with a sentence
    device = port.url
    port.close()
    programmer, baud = BOARDS[board]
    command = ["avrdude", "-q", "-p", "m328p", "-c", programmer, "-P", device, "-b", str(baud), "-D", "-U", f"flash:w:{image}:i"]
    done = run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        last = (done.stderr or done.stdout).strip().splitlines()[-4:]
        other = "nano-old" if board != "nano-old" else "nano"
        raise PalettiError(
            f"avrdude could not flash the board on {device}:\n" + "\n".join(last), f"Is it another board? Try --board {other}."
        )
    return f"The board on {device} has been flashed with {image}."


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The options of `paletti firmware`."""
    commands = parser.add_subparsers(dest="action", metavar="ACTION", required=True)
    commands.add_parser("build", help="build the sketch and its simulator with avr-gcc")
    flashing = commands.add_parser("flash", help="write the firmware to the board with avrdude")
    flashing.add_argument("--port", default="", metavar="URL", help="the base's port (default: the only USB serial port)")
    flashing.add_argument(
        "--board", choices=sorted(BOARDS), default="uno", help="default uno; nano-old for boards with the old boot loader"
    )
    flashing.add_argument("--hex", type=Path, metavar="FILE", help="another hex file")
    simulating = commands.add_parser("simulate", help="run the same binary without hardware, on a pseudo terminal")
    simulating.add_argument("--seconds", type=float, default=None, metavar="S", help="end after so many seconds (default: at Ctrl-C)")
    simulating.add_argument("--grams", type=float, default=600.0, metavar="G", help="what lies on the simulated base (default 600)")
    simulating.add_argument("--fast", action="store_true", help="no terminal: run --seconds (default 10) as fast as it goes and report")


def run(options: argparse.Namespace, simulate: Callable[[argparse.Namespace], int]) -> int:
    """Does what `add_arguments` has read; `simulate` comes from the wiring, since the twin is above this room."""
    if options.action == "build":
        print(build())
    elif options.action == "flash":
        print(flash(options.port, options.board, options.hex))
    else:
        return simulate(options)
    return 0
